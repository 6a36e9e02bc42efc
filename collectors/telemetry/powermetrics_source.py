"""Read Apple's GPU through one long-lived child `powermetrics`, which only root may start.

It prints a property list at each interval: the time that has passed, the share of it in which the GPU was
idle, its clock (in MHz, although the key ends in `_hz`), and its energy in mJ since the last one. Some
versions print a key without a value, which is left out. No computer of Apple was seen.
"""

import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import IO, Any
from xml.parsers.expat import ExpatError

from collectors.machine.powermetrics import find_powermetrics
from collectors.telemetry.child_source import ChildSource
from collectors.telemetry.samples import Sample

UUID = "GPU-apple"
_COLUMNS = ("utilization_gpu_percent", "clock_sm_mhz", "power_mw", "energy_mj")
_KEY_WITHOUT_VALUE = re.compile(rb"<key>[^<]*</key>\s*(?=<key>|</dict>)")
_END = b"</plist>"
_READ_BYTES = 65536


class PowermetricsSource(ChildSource):
    """The GPU; `devices` has its name."""

    def __init__(self, program: str, interval: int) -> None:
        self._energy = 0
        milliseconds = str(max(1, interval // 1_000_000))
        command = [program, "--samplers", "gpu_power", "--format", "plist", "--sample-rate", milliseconds]
        super().__init__([UUID], _COLUMNS, command)

    @classmethod
    def open(cls, interval: int) -> "PowermetricsSource":
        """Start powermetrics; `interval` in ns. Raises UnavailableError."""
        return cls(find_powermetrics(), interval)

    def parsed(self, output: IO[bytes]) -> Iterator[Sample]:
        """Yield a sample for each list with a number."""
        for text in _property_lists(output):
            values = self._values(text)
            if values:
                yield Sample(UUID, time.perf_counter_ns(), values)

    def _values(self, text: bytes) -> dict[str, int]:
        content = _parse(text)
        gpu = content.get("gpu")
        if not isinstance(gpu, dict):
            return {}
        idle, clock, energy = (gpu.get(name) for name in ("idle_ratio", "freq_hz", "gpu_energy"))
        passed = content.get("elapsed_ns")
        values: dict[str, int] = {}
        if isinstance(idle, (int, float)) and 0 <= idle <= 1:
            values["utilization_gpu_percent"] = round(100 * (1 - idle))
        if isinstance(clock, (int, float)) and clock > 0:
            values["clock_sm_mhz"] = round(clock)
        if isinstance(energy, int) and energy >= 0:
            self._energy += energy
            values["energy_mj"] = self._energy
            if isinstance(passed, int) and passed > 0:
                values["power_mw"] = round(energy * 1e9 / passed)
        return values


def _property_lists(output: IO[bytes]) -> Iterator[bytes]:
    """Yield each list as soon as its end is read: the zero byte after it may come only with the next."""
    rest = b""
    while block := os.read(output.fileno(), _READ_BYTES):
        *texts, rest = (rest + block).split(_END)
        for text in texts:
            yield text.rpartition(b"\0")[2] + _END


def _parse(text: bytes) -> Mapping[str, Any]:
    """Return a property list; {} for anything else."""
    import plistlib  # not on other hosts: it takes 4 ms

    with suppress(ValueError, ExpatError):
        content = plistlib.loads(_KEY_WITHOUT_VALUE.sub(b"", text.strip()))
        return content if isinstance(content, dict) else {}
    return {}
