"""Read the files that people put beside their logs to say what machine it was.

torch.utils.collect_env, CUDA's deviceQuery and the summary of DLProf; what they tell goes into the
environment under the names that published tables use too. Nothing here is needed to read the run itself.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from reportgen.core.model import FactorValue
from reportgen.formats.parsing.json_values import is_number

COLLECT_ENV = b"PyTorch version:"
DEVICE_QUERY = b"CUDA Device Query"
DLPROF = b'"Tensor Core Kernel Utilization %"'

_ENV_LINES = re.compile(
    rb"^(PyTorch version|CUDA used to build PyTorch|OS|Python version|Nvidia driver version): "
    rb"([^\r\n]{1,200})",
    re.MULTILINE,
)
_ENV_NAMES: Mapping[bytes, str] = {
    b"PyTorch version": "torch", b"CUDA used to build PyTorch": "cuda", b"OS": "os",
    b"Python version": "python", b"Nvidia driver version": "driver",
}  # fmt: skip
_LIGHTNING = re.compile(rb"^\[pip3?\] (?:pytorch-)?lightning==(\S{1,80})", re.MULTILINE)
_GPU = re.compile(rb"^GPU [0-9]+: ([^\r\n]{1,200})", re.MULTILINE)
_QUERIED = re.compile(rb'^Device 0: "([^"\r\n]{1,200})"', re.MULTILINE)
_MEMORY = re.compile(rb"Total amount of global memory:\s+([0-9]{1,9}) MBytes")
_CLOCK = re.compile(rb"GPU Max Clock rate:\s+([0-9]{1,6}) MHz")
_SMS = re.compile(rb"\(\s*([0-9]{1,4})\) Multiprocessors")


def collect_env(content: bytes) -> tuple[dict[str, FactorValue], str]:
    """Return what torch.utils.collect_env says, and the name of the GPUs if they are all alike, else ""."""
    found: dict[str, FactorValue] = {}
    for line in _ENV_LINES.finditer(content):
        value = _text(line[2])
        if line[1] == b"Python version":
            value = value.partition(" ")[0]
        if value not in ("", "N/A", "Could not collect"):
            found[_ENV_NAMES[line[1]]] = value
    lightning = _LIGHTNING.search(content)
    if lightning:
        found["pytorch_lightning"] = _text(lightning[1])
    devices = {_text(name) for name in _GPU.findall(content)}
    return found, devices.pop() if len(devices) == 1 else ""


def device_query(content: bytes) -> tuple[dict[str, FactorValue], str]:
    """Return the memory (MBytes there are MiB), multiprocessors and clock of device 0, and its name."""
    found: dict[str, FactorValue] = {}
    if memory := _MEMORY.search(content):
        found["device_memory"] = f"{int(memory[1])} MiB"
    if sms := _SMS.search(content):
        found["multiprocessors"] = int(sms[1])
    if clock := _CLOCK.search(content):
        found["device_clock"] = f"{int(clock[1])} MHz"
    name = _QUERIED.search(content)
    return found, _text(name[1]) if name else ""


def dlprof_summary(content: bytes) -> dict[str, float]:
    """Return "GPU Idle %", "Tensor Core Kernel Utilization %" as ratios, "Wall Clock Time (ns)" in s."""
    summary = json_object(content).get("Summary Report")
    found = {}
    scales = {"GPU Idle %": 100, "Tensor Core Kernel Utilization %": 100, "Wall Clock Time (ns)": 1e9}
    for key, divisor in scales.items():
        values = summary.get(key) if isinstance(summary, dict) else None
        value = values[0] if isinstance(values, list) and len(values) == 1 else values
        if is_number(value):
            found[key] = value / divisor
    return found


def json_object(content: bytes) -> Mapping[str, Any]:
    """Return the object in a JSON file, an empty one where there is none."""
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace").strip()
