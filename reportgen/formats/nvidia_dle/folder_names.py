"""What lies around a log in the tree of Lambda's benchmarks, which is laid out by folders.

    <system>/sys_pytorch.txt                            facts of the machine, appended at every session
    <system>/<framework>_<task>_<precision>/benchmark.para    GLOBAL_BATCH and GPU
    <system>/<framework>_<task>_<precision>/<dd-mm-YYYY_HH-MM-SS>.txt

The number of devices stands in the name of the system where nothing else has it. Task and precision
stand in names too, but what they mean is for labels.toml to say; here only what a rate cannot be
computed without. Layout: https://github.com/lambdal/deeplearning-benchmark.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from reportgen.core.model import FactorValue
from reportgen.sources.logfiles import LogFiles

# Stands between the facts of several sessions, the last one first.
ALSO = " | "
_PARA, _SYSTEM = "benchmark.para", "../sys_pytorch.txt"
BESIDE = (_PARA, _SYSTEM)
_COUNTS = re.compile(rb"\s*GLOBAL_BATCH[ \t]+([0-9]{1,15})\s+GPU[ \t]+([0-9]{1,6})\s*")
_LOG = re.compile(r"(?:^|/)([^/]+)/[^/_]+_[^/]+_(?:FP32|TF32|FP16|AMP|BF16)[^/]*/[0-9-]{10}_[0-9-]{8}\.txt")
_TIMES = re.compile(r"(?:^|[^0-9A-Za-z])([0-9]{1,4})x(?=[A-Z0-9])")
# Amazon's names count in units of their own: https://aws.amazon.com/ec2/instance-types/p3/.
_AMAZON: Mapping[str, int] = {"p3.2xlarge": 1, "p3.8xlarge": 4, "p3.16xlarge": 8}
_FACTS: Mapping[str, str] = {
    "CPU": "cpu", "CPU Memory": "memory", "GPU": "gpu", "GPU Memory": "gpu_memory", "NVIDIA driver": "driver",
    "CUDA Version": "cuda", "CUDNN Version": "cudnn", "Motherboard": "motherboard", "OS": "os",
    "PyTorch Version": "torch",
}  # fmt: skip
_FACT = re.compile("^(" + "|".join(_FACTS) + r"): *(.*?) *\r?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is known of a log without its content."""

    global_batch: int | None
    devices: int | None
    environment: Mapping[str, FactorValue]


def surroundings(files: LogFiles) -> Surroundings:
    """Return what the files and folders around the only file of a view tell."""
    batch, devices = _counts(files.read_sibling(_PARA) or b"")
    return Surroundings(
        batch,
        devices or _devices(files.source(files.path).path),
        _machine(files.read_sibling(_SYSTEM) or b""),
    )


@lru_cache(maxsize=64)
def _counts(content: bytes) -> tuple[int | None, int | None]:
    """Return the batch of all devices and their number as the launcher was told, None for none."""
    found = _COUNTS.fullmatch(content)
    return (int(found[1]) or None, int(found[2]) or None) if found else (None, None)


def _devices(path: str) -> int | None:
    found = _LOG.search(path)
    return _devices_of(found[1]) if found else None


@lru_cache(maxsize=64)
def _devices_of(system: str) -> int:
    """Return the number of devices that the name of a system tells: the last `8x`, one if there is none."""
    if system in _AMAZON:
        return _AMAZON[system]
    times = _TIMES.findall(system)
    return int(times[-1]) if times else 1


@lru_cache(maxsize=64)
def _machine(content: bytes) -> Mapping[str, FactorValue]:
    """Return the facts of the last session; each fact that earlier ones told otherwise has " | " in it."""
    found: dict[str, dict[str, None]] = {}
    for key, value in _FACT.findall(content.decode("utf-8", "replace")):
        if value and value != "..":
            values = found.setdefault(_FACTS[key], {})
            values.pop(value.replace("_", " "), None)
            values[value.replace("_", " ")] = None
    return {key: ALSO.join(reversed(values)) for key, values in found.items()}
