"""Read the files beside logs that describe the machine: collect_env, deviceQuery, the summary of DLProf.

Their facts go into the environment under the names that published tables also use. No run needs them.
"""

import re
from collections.abc import Mapping

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FactorValue
from reportgen.formats.parsing.json_values import inside, is_number, load

COLLECT_ENV = b"PyTorch version:"
DEVICE_QUERY = b"CUDA Device Query"
DLPROF = b'"Tensor Core Kernel Utilization %"'

_ENV_NAMES: Mapping[bytes, str] = {
    b"PyTorch version": "torch", b"CUDA used to build PyTorch": "cuda", b"OS": "os",
    b"Python version": "python", b"Nvidia driver version": "driver",
}  # fmt: skip
_ENV_LINES = lazy_pattern(rb"^(%s): ([^\r\n]{1,200})" % b"|".join(_ENV_NAMES), re.MULTILINE)
_LIGHTNING = lazy_pattern(rb"^\[pip3?\] (?:pytorch-)?lightning==(\S{1,80})", re.MULTILINE)
_GPU = lazy_pattern(rb"^GPU [0-9]+: ([^\r\n]{1,200})", re.MULTILINE)
_DEVICE = lazy_pattern(rb'^Device 0: "([^"\r\n]{1,200})"', re.MULTILINE)
# Fact -> its line, and the unit of the number.
_QUERY_LINES: Mapping[str, tuple[re.Pattern[bytes], str]] = {
    "device_memory": (lazy_pattern(rb"Total amount of global memory:\s+([0-9]{1,9}) MBytes"), "MiB"),
    "multiprocessors": (lazy_pattern(rb"\(\s*([0-9]{1,4})\) Multiprocessors"), ""),
    "device_clock": (lazy_pattern(rb"GPU Max Clock rate:\s+([0-9]{1,6}) MHz"), "MHz"),
}


def collect_env(content: bytes) -> tuple[dict[str, FactorValue], str]:
    """Return the facts of torch.utils.collect_env, and the name of the GPUs, "" unless all have the same."""
    facts: dict[str, FactorValue] = {}
    for line in _ENV_LINES.finditer(content):
        value = _text(line[2])
        if line[1] == b"Python version":
            value = value.partition(" ")[0]
        if value not in ("", "N/A", "Could not collect"):
            facts[_ENV_NAMES[line[1]]] = value
    if lightning := _LIGHTNING.search(content):
        facts["pytorch_lightning"] = _text(lightning[1])
    devices = {_text(name) for name in _GPU.findall(content)}
    return facts, devices.pop() if len(devices) == 1 else ""


def device_query(content: bytes) -> tuple[dict[str, FactorValue], str]:
    """Return memory (its MBytes are MiB), multiprocessors and clock of device 0, and its name."""
    facts: dict[str, FactorValue] = {}
    for fact, (line, unit) in _QUERY_LINES.items():
        if match := line.search(content):
            facts[fact] = f"{int(match[1])} {unit}" if unit else int(match[1])
    name = _DEVICE.search(content)
    return facts, _text(name[1]) if name else ""


def dlprof_summary(content: bytes) -> dict[str, float]:
    """Return "GPU Idle %", "Tensor Core Kernel Utilization %" as ratios, "Wall Clock Time (ns)" in s."""
    report = inside(load(content), "Summary Report")
    summary = {}
    scales = {"GPU Idle %": 100, "Tensor Core Kernel Utilization %": 100, "Wall Clock Time (ns)": 1e9}
    for key, divisor in scales.items():
        values = inside(report, key)
        value = values[0] if isinstance(values, list) and len(values) == 1 else values
        if is_number(value):
            summary[key] = value / divisor
    return summary


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace").strip()
