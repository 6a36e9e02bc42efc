"""What the readers of NVIDIA's DeepLearningExamples share: claims, settings, and files around a log.

A batch or a number of devices that a log does not print is taken from the tree of Lambda's benchmarks:

    <system>/sys_pytorch.txt                                  facts of the machine, appended at every session
    <system>/<framework>_<task>_<precision>/benchmark.para    GLOBAL_BATCH and GPU
    <system>/<framework>_<task>_<precision>/<dd-mm-YYYY_HH-MM-SS>.txt

Task and precision of a folder's name are left to labels.toml.
Layout: https://github.com/lambdal/deeplearning-benchmark.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from reportgen.core.model import FactorValue
from reportgen.formats.base import Claim
from reportgen.formats.parsing import text_log
from reportgen.formats.parsing.run_builder import RunBuilder
from reportgen.formats.parsing.text_log import TextLog
from reportgen.sources.logfiles import HEAD, LogFiles

_APEX = re.compile(rb"Selected optimization level O([0-3])")  # O0 is single precision
_MAX_ORIGINAL_CHARS = 160
_INTEGER = re.compile(rb"[0-9]{1,9}")
_MAX_ARGUMENTS_BYTES = 2**14
# Separates the facts of several sessions, the last one first.
_ALSO = " | "
_LAUNCHER, _MACHINE = "benchmark.para", "../sys_pytorch.txt"
_COUNTS = re.compile(rb"\s*GLOBAL_BATCH[ \t]+([0-9]{1,15})\s+GPU[ \t]+([0-9]{1,6})\s*")
_LOG = re.compile(r"(?:^|/)([^/]+)/[^/_]+_[^/]+_(?:FP32|TF32|FP16|AMP|BF16)[^/]*/[0-9-]{10}_[0-9-]{8}\.txt")
_TIMES = re.compile(r"(?:^|[^0-9A-Za-z])([0-9]{1,4})x(?=[A-Z0-9])")
# Amazon's names do not count GPUs: https://aws.amazon.com/ec2/instance-types/p3/.
_AMAZON: Mapping[str, int] = {"p3.2xlarge": 1, "p3.8xlarge": 4, "p3.16xlarge": 8}
_FACTS: Mapping[str, str] = {
    "CPU": "cpu", "CPU Memory": "memory", "GPU": "gpu", "GPU Memory": "gpu_memory", "NVIDIA driver": "driver",
    "CUDA Version": "cuda", "CUDNN Version": "cudnn", "Motherboard": "motherboard", "OS": "os",
    "PyTorch Version": "torch",
}  # fmt: skip


def claim(
    files: LogFiles,
    literal: bytes | tuple[bytes, ...],
    pattern: re.Pattern[bytes],
    confidence: float,
    size: int = HEAD,
) -> Claim | None:
    """Claim a log of one of the examples; arguments as those of `text_log.claim`."""
    beside = (_LAUNCHER, _MACHINE)
    return text_log.claim(files, literal, pattern, confidence, size=size, beside=beside)


def argument(log: TextLog, name: bytes) -> int | None:
    """Return an integer from the first line with the arguments, `Namespace(...)`; None if absent."""
    begin = max(log.content.find(b"Namespace("), 0)
    end = log.content.find(b"\n", begin, begin + _MAX_ARGUMENTS_BYTES)
    at = max(log.content.find(before + name + b"=", begin, end) for before in (b"(", b" "))
    value = _INTEGER.match(log.content, at + len(name) + 2) if at >= 0 else None
    return int(value[0]) if value else None


def set_precision(run: RunBuilder, is_half: bool | None) -> None:
    """Set the precision that a program prints; if it prints none (None), use the level of apex.

    No example computes in half precision only: all keep the weights in single precision.
    """
    if is_half is None and (level := run.log.search(_APEX, b"Selected optimization level O")):
        is_half = level[1] != b"0"
    if is_half is not None:
        run.factors["precision"] = "amp" if is_half else "fp32"


def set_batch(
    run: RunBuilder, devices: int | None, *, batch_size: int | None = None, global_batch: int | None = None
) -> float | None:
    """Set batch, devices and environment from the log and the files around it; return the global batch.

    devices, batch_size, global_batch  as the log prints them, None if it does not; batch_size is per device

    The batch in benchmark.para overrides that of the log: the launcher was asked for it, and a log repeats
    it.
    """
    near = surroundings(run.log.files)
    run.environment = {**near.environment, **run.environment}
    device = near.environment.get("gpu")
    if isinstance(device, str) and _ALSO not in device:
        # Runs on different GPUs are no repeats of one case.
        run.factors.setdefault("device", device)
    if near.global_batch and near.devices:
        devices, global_batch, batch_size = near.devices, near.global_batch, None
    devices = devices or near.devices
    if global_batch is None and batch_size and devices:
        global_batch = batch_size * devices
    if batch_size is None and global_batch and devices and global_batch % devices == 0:
        batch_size = global_batch // devices
    batch = {"batch_size": batch_size} if batch_size else {"global_batch_size": global_batch}
    run.factors |= {name: count for name, count in {**batch, "devices": devices}.items() if count}
    return float(global_batch) if global_batch else None


def add_throughput(run: RunBuilder, value: float, original: bytes, statistic: str, at: int) -> None:
    """Add a throughput that the program printed at an offset; a negative one is left out."""
    run.last = max(run.last, at)
    if value >= 0:
        text = original.decode("utf-8", "replace").strip()[:_MAX_ORIGINAL_CHARS]
        run.add_aggregate("throughput", value, text, statistic, 0, run.log.place(at).line)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What files and folders around a log say about it."""

    global_batch: int | None
    devices: int | None
    environment: Mapping[str, FactorValue]


def surroundings(files: LogFiles) -> Surroundings:
    """Return what the files and folders around the only file of a view say."""
    batch, devices = _counts(files.read_sibling(_LAUNCHER) or b"")
    folder = _LOG.search(files.source(files.path).path)
    devices = devices or (_devices(folder[1]) if folder else None)
    return Surroundings(batch, devices, _machine(files.read_sibling(_MACHINE) or b""))


def _counts(content: bytes) -> tuple[int | None, int | None]:
    counts = _COUNTS.fullmatch(content)
    return (int(counts[1]) or None, int(counts[2]) or None) if counts else (None, None)


def _devices(system: str) -> int:
    """Return the number of devices in the name of a system: the last `8x`, 1 if there is none."""
    if system in _AMAZON:
        return _AMAZON[system]
    times = _TIMES.findall(system)
    return int(times[-1]) if times else 1


@lru_cache(maxsize=64)  # the logs of a system share the file
def _machine(content: bytes) -> Mapping[str, FactorValue]:
    """Return the facts of the last session; " | " separates those of earlier sessions that differ."""
    lines = content.decode("utf-8", "replace").replace("_", " ").splitlines()
    facts: dict[str, list[str]] = {}
    for line in dict.fromkeys(reversed(lines)):
        key, _, cell = line.partition(":")
        value = cell.strip()
        if key in _FACTS and value not in ("", "..", *facts.get(key, ())):
            facts.setdefault(key, []).append(value)
    return {_FACTS[key]: _ALSO.join(values) for key, values in facts.items()}
