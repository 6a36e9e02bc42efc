"""Read telemetry through one long-lived `nvidia-smi -lms` child, for hosts without the package nvidia-ml-py.

Only the fields that this nvidia-smi supports are queried. nvidia-smi keeps the interval. It does not report
foreign processes. https://docs.nvidia.com/deploy/nvidia-smi/index.html
"""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple, Optional

from collectors.machine.gpu_info import LIST_DEVICES, parse_devices
from collectors.machine.nvml import UnavailableError
from collectors.machine.visible_devices import visible_uuids
from collectors.telemetry.samples import Batch, Event, Sample

_MIB = 1024 * 1024


class SmiField(NamedTuple):
    """A column, the names of its field from new to old, and the factor to the unit of the column."""

    column: str
    names: tuple[str, ...]
    factor: float


_FIELDS = [
    SmiField("utilization_gpu_percent", ("utilization.gpu",), 1),
    SmiField("utilization_memory_percent", ("utilization.memory",), 1),
    SmiField("memory_used_bytes", ("memory.used",), _MIB),
    SmiField("memory_total_bytes", ("memory.total",), _MIB),
    SmiField("power_mw", ("power.draw.instant", "power.draw"), 1000),
    SmiField("power_limit_enforced_mw", ("enforced.power.limit",), 1000),
    SmiField("power_limit_default_mw", ("power.default_limit",), 1000),
    SmiField("temperature_celsius", ("temperature.gpu",), 1),
    SmiField("temperature_memory_celsius", ("temperature.memory",), 1),
    SmiField("clock_sm_mhz", ("clocks.current.sm", "clocks.sm"), 1),
    SmiField("clock_memory_mhz", ("clocks.current.memory", "clocks.mem"), 1),
    SmiField("clock_sm_max_mhz", ("clocks.max.sm",), 1),
    SmiField("clock_memory_max_mhz", ("clocks.max.memory", "clocks.max.mem"), 1),
    SmiField("pcie_generation_count", ("pcie.link.gen.gpucurrent", "pcie.link.gen.current"), 1),
    SmiField("pcie_width_count", ("pcie.link.width.current",), 1),
    SmiField("ecc_corrected_count", ("ecc.errors.corrected.volatile.total",), 1),
    SmiField("ecc_uncorrected_count", ("ecc.errors.uncorrected.volatile.total",), 1),
    SmiField(
        "clocks_event_reasons_mask", ("clocks_event_reasons.active", "clocks_throttle_reasons.active"), 1
    ),
    SmiField("violation_power_ns", ("clocks_event_reasons_counters.sw_power_cap",), 1000),
    SmiField("violation_thermal_ns", ("clocks_event_reasons_counters.sw_thermal_slowdown",), 1000),
    SmiField("violation_sync_boost_ns", ("clocks_event_reasons_counters.sync_boost",), 1000),
]
_FORMAT = ("--format=csv,noheader,nounits",)
_NUMBER = re.compile(r"0x[0-9a-fA-F]+|[0-9]+(\.[0-9]+)?")


class SmiSource:
    """The output of the child; `batches` yields until the child ends or `close` is called."""

    def __init__(self, program: str, uuids: list[str], interval: int) -> None:
        self.devices = uuids
        self._fields = supported_fields(_output(program, "--help-query-gpu"))
        query = ",".join(["timestamp", "uuid", *(field.names[0] for field in self._fields)])
        self._child = subprocess.Popen(
            [program, f"--query-gpu={query}", *_FORMAT, "-lms", str(interval // 1_000_000)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "LC_ALL": "C"},
        )
        self._gone: set[str] = set()

    @classmethod
    def open(cls, interval: int, environ: Optional[Mapping[str, str]] = None) -> "SmiSource":
        """Start nvidia-smi; `interval` in ns. Raises UnavailableError."""
        environ = os.environ if environ is None else environ
        program = shutil.which("nvidia-smi")
        if not program:
            raise UnavailableError("nvidia-smi is not installed")
        listed = _output(program, *LIST_DEVICES)
        uuids = visible_uuids(parse_devices(listed.splitlines()), environ)
        if not uuids:
            raise UnavailableError("nvidia-smi lists no device that CUDA_VISIBLE_DEVICES makes visible")
        return cls(program, uuids, interval)

    def batches(self) -> Iterator[Batch]:
        """Yield the samples and events of each line."""
        assert self._child.stdout is not None
        for line in self._child.stdout:
            batch = self._batch(line.decode("utf-8", "replace"))
            if batch:
                yield batch

    def _batch(self, line: str) -> Batch:
        timestamp, _, rest = line.strip().partition(", ")
        uuid, *cells = rest.split(", ")
        if uuid not in self.devices or len(cells) != len(self._fields):
            return []
        when = monotonic_time(timestamp)
        # Every cell of a lost device is "[GPU is lost]"; a device that needs a reset has a similar text.
        if all("lost" in cell or "reset" in cell for cell in cells):
            name = "lost" if "lost" in cells[0] else "reset"
            return [] if uuid in self._gone else [self._mark_gone(uuid, when, name)]
        events: Batch = [Event(uuid, when, "returned")] if uuid in self._gone else []
        self._gone.discard(uuid)
        values: dict[str, int] = {}
        for field, cell in zip(self._fields, cells):  # noqa: B905 - Python 3.9 has no strict
            if _NUMBER.fullmatch(cell):
                is_hexadecimal = cell.startswith("0x")
                values[field.column] = int(cell, 16) if is_hexadecimal else round(float(cell) * field.factor)
        return [*events, Sample(uuid, when, values)]

    def _mark_gone(self, uuid: str, when: int, name: str) -> Event:
        self._gone.add(uuid)
        return Event(uuid, when, name)

    def close(self) -> None:
        """Terminate the child."""
        with suppress(OSError):
            self._child.terminate()
        self._child.wait()


def supported_fields(help_text: str) -> list[SmiField]:
    """Return the fields that the help of nvidia-smi lists, each with the newest name that it supports."""
    supported = set(re.findall(r'"([a-z0-9_.]+)"', help_text))
    fields = []
    for field in _FIELDS:
        names = tuple(name for name in field.names if name in supported)
        if names:
            fields.append(field._replace(names=names))
    return fields


def monotonic_time(timestamp: str) -> int:
    """Return the monotonic time in ns of a timestamp of nvidia-smi (local time); now if it is malformed."""
    try:
        whole, _, milliseconds = timestamp.partition(".")
        seconds = int(time.mktime(time.strptime(whole, "%Y/%m/%d %H:%M:%S")))
        realtime = seconds * 1_000_000_000 + int(milliseconds) * 1_000_000
    except ValueError:
        return time.perf_counter_ns()
    return time.perf_counter_ns() - (time.time_ns() - realtime)


def _output(*line: str) -> str:
    try:
        result = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise UnavailableError(f"nvidia-smi does not answer: {error}") from None
    return result.stdout.decode("utf-8", "replace")
