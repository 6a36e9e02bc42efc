"""Read the settings and files around a log that NVIDIA's DeepLearningExamples have in common.

A batch or a number of devices that a log does not print is taken from the tree of Lambda's benchmarks:

    <system>/sys_pytorch.txt                                  facts of the machine, appended at every session
    <system>/<framework>_<task>_<precision>/benchmark.para    GLOBAL_BATCH and GPU
    <system>/<framework>_<task>_<precision>/<dd-mm-YYYY_HH-MM-SS>.txt

Task and precision of a folder's name are left to labels.toml.
Layout: https://github.com/lambdal/deeplearning-benchmark.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FactorValue
from reportgen.formats.base import Format, Results
from reportgen.formats.nvidia_dle.dllogger_records import set_start
from reportgen.formats.parsing.run_builder import RunBuilder
from reportgen.formats.parsing.several_runs import StepPlaces, repetition, run_borders, run_logs
from reportgen.formats.parsing.text_log import TextLog, TextSign, format_of
from reportgen.sources.logfiles import LogFiles

_IS_HALF = {
    **dict.fromkeys(("True", "amp", "fp16", "float16"), True),
    **dict.fromkeys(("False", "fp32", "float32"), False),
}
_MAX_ORIGINAL_CHARS = 160
# Separates the facts of several sessions, the last one first.
_ALSO = " | "
_LAUNCHER, _SYSTEM = "benchmark.para", "../sys_pytorch.txt"
BESIDE = (_LAUNCHER, _SYSTEM)
_COUNTS = lazy_pattern(rb"\s*GLOBAL_BATCH[ \t]+([0-9]{1,15})\s+GPU[ \t]+([0-9]{1,6})\s*")
_LOG = lazy_pattern(r"(?:^|/)([^/]+)/[^/_]+_[^/]+_(?:FP32|TF32|FP16|AMP|BF16)[^/]*/[0-9-]{10}_[0-9-]{8}\.txt")
_GPU = lazy_pattern(rb"GPU 0: ([^\r\n]{1,80})")
_RANKS = lazy_pattern(rb"--nproc[_-]per[_-]node[= ]([0-9]{1,6})")
_NODES = lazy_pattern(rb"--nnodes[= ]([0-9]{1,6})\b")
_MPI_RANKS = lazy_pattern(rb"\b(?:mpirun|mpiexec|horovodrun) [^\r\n]{0,400}?--?np ([0-9]{1,6})\b")
_TIMES = lazy_pattern(r"(?:^|[^0-9A-Za-z])([0-9]{1,4})x(?=[A-Z0-9])")
# Amazon's names do not count GPUs: https://aws.amazon.com/ec2/instance-types/p3/.
_AMAZON: Mapping[str, int] = {"p3.2xlarge": 1, "p3.8xlarge": 4, "p3.16xlarge": 8}
_FACTS: Mapping[str, str] = {
    "CPU": "cpu", "CPU Memory": "memory", "GPU": "gpu", "GPU Memory": "gpu_memory", "NVIDIA driver": "driver",
    "CUDA Version": "cuda", "CUDNN Version": "cudnn", "Motherboard": "motherboard", "OS": "os",
    "PyTorch Version": "torch",
}  # fmt: skip


def example(
    name: str,
    summary: str,
    literals: tuple[bytes, ...],
    pattern: re.Pattern[bytes],
    build: Callable[[RunBuilder], None],
    places: Callable[[TextLog], StepPlaces],
    *others: TextSign,
    **factors: FactorValue,
) -> Format:
    """Return the format of one program, whose runs have these factors.

    pattern  matches in the head of its logs, and contains one of the literals
    build    fills the run of a log; others  further signs of its logs
    places   finds the steps in a log, or its results
    """

    def read(log: TextLog) -> Results:
        borders = run_borders(log, places(log))
        for part in run_logs(log, borders):
            run = RunBuilder(part, name, factors={**factors})
            build(run)
            set_start(run)
            run.findings += repetition(log, borders)
            yield run.run()

    return format_of(name, summary, (TextSign(literals, pattern, 0.9, BESIDE), *others), read)


def set_device(run: RunBuilder) -> None:
    """Set the device from the output of `nvidia-smi -L`."""
    if gpu := run.log.search(_GPU, b"GPU 0: "):
        run.factors["device"] = gpu[1].decode("utf-8", "replace").partition(" (UUID")[0].strip()


def set_precision(run: RunBuilder, printed: str) -> None:
    """Set the precision from a printed value, or from the level of apex if the value says nothing.

    No example computes in half precision only: all keep the weights in single precision.
    """
    level = run.log.word(b"Selected optimization level O")  # O0 is single precision
    is_half = _IS_HALF.get(printed, level != "0" if level else None)
    if is_half is not None:
        run.factors["precision"] = "amp" if is_half else "fp32"


def set_batch(
    run: RunBuilder,
    devices: int | None,
    *,
    batch_size: int | None = None,
    global_batch: int | None = None,
    accumulated: int = 1,
) -> float | None:
    """Set batch, devices and environment from the log and the files around it; return the global batch.

    devices, batch_size, global_batch  as the log prints them, None if it does not; batch_size is per device
    accumulated  batches of a device in a step, where batch_size is that of one of them

    The batch in benchmark.para overrides that of the log: the launcher was asked for it, and a log repeats
    it.
    """
    files = run.log.files
    facts = machine(files.read_sibling(_SYSTEM) or b"")
    run.environment = {**facts, **run.environment}
    device = facts.get("gpu")
    if device and _ALSO not in device:
        # Runs on different GPUs are not repeats of one case.
        run.factors.setdefault("device", device)
    launched_batch, launched_devices = launched(files)
    if launched_batch and launched_devices:
        devices, global_batch, batch_size = launched_devices, launched_batch, None
    devices = devices or launched_devices
    if global_batch is None and batch_size and devices:
        global_batch = batch_size * devices * accumulated
    if accumulated > 1:
        run.factors["gradient_accumulation_steps"] = accumulated
    if batch_size is None and global_batch and devices and global_batch % (devices * accumulated) == 0:
        batch_size = global_batch // (devices * accumulated)
    batch = {"batch_size": batch_size} if batch_size else {"global_batch_size": global_batch}
    run.factors |= {name: count for name, count in {**batch, "devices": devices}.items() if count}
    return float(global_batch) if global_batch else None


def launched_ranks(command: bytes) -> int | None:
    """Return how many processes PyTorch's launcher or mpirun starts in a command, None if neither does."""
    if started := _MPI_RANKS.search(command):
        return int(started[1]) or None
    ranks, nodes = _RANKS.search(command), _NODES.search(command)
    return int(ranks[1]) * (int(nodes[1]) if nodes else 1) or None if ranks else None


def add_final(run: RunBuilder, final: re.Match[bytes] | None, statistic: str = "mean") -> None:
    """Add the throughput that a program prints at its end; it has no result without one."""
    run.has_result = final is not None
    if final:
        add_throughput(run, float(final[1]), final[0], statistic, final.start())


def add_throughput(
    run: RunBuilder, value: float, original: bytes, statistic: str, at: int, time: float | None = None
) -> None:
    """Add a throughput that the program printed at an offset; a negative one is left out.

    time  s that it was measured over, if known
    """
    run.last = max(run.last, at)
    if value >= 0:
        text = original.decode("utf-8", "replace").strip()[:_MAX_ORIGINAL_CHARS]
        run.add_aggregate("throughput", value, text, statistic, 0, run.log.place(at).line, time=time)


def launched(files: LogFiles) -> tuple[int | None, int | None]:
    """Return the batch of all devices and their number, from the launcher or the name of the system."""
    counts = _COUNTS.fullmatch(files.read_sibling(_LAUNCHER) or b"")
    batch, devices = (int(count) or None for count in counts.groups()) if counts else (None, None)
    folder = _LOG.search(files.source(files.path).path)
    return batch, devices or (_devices(folder[1]) if folder else None)


def _devices(system: str) -> int:
    """Return the number of devices in the name of a system: the last `8x`, 1 if there is none."""
    if system in _AMAZON:
        return _AMAZON[system]
    times = _TIMES.findall(system)
    return int(times[-1]) if times else 1


@lru_cache(maxsize=64)  # the logs of a system share the file
def machine(content: bytes) -> Mapping[str, str]:
    """Return the facts of the last session; facts of earlier sessions that differ follow after " | "."""
    lines = content.decode("utf-8", "replace").replace("_", " ").splitlines()
    facts: dict[str, list[str]] = {}
    for line in dict.fromkeys(reversed(lines)):
        key, _, cell = line.partition(":")
        value = cell.strip()
        if key in _FACTS and value not in ("", "..", *facts.get(key, ())):
            facts.setdefault(key, []).append(value)
    return {_FACTS[key]: _ALSO.join(values) for key, values in facts.items()}
