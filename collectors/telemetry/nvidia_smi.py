"""Telemetry through one long-lived `nvidia-smi -lms` child, for hosts without the package nvidia-ml-py.

Asks only for fields that this nvidia-smi knows. Processes of others are not told this way, and the interval
is kept by nvidia-smi. https://docs.nvidia.com/deploy/nvidia-smi/index.html
"""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Optional

from collectors.telemetry.source import Batch, Event, Sample, UnavailableError
from collectors.telemetry.visible_devices import Known, visible

_MIB = 1024 * 1024

#: Column, names of the field from new to old, factor from nvidia-smi's unit to ours.
_FIELDS: list[tuple[str, tuple[str, ...], float]] = [
    ("utilization_gpu_percent", ("utilization.gpu",), 1),
    ("utilization_memory_percent", ("utilization.memory",), 1),
    ("memory_used_bytes", ("memory.used",), _MIB),
    ("memory_total_bytes", ("memory.total",), _MIB),
    ("power_mw", ("power.draw.instant", "power.draw"), 1000),
    ("power_limit_enforced_mw", ("enforced.power.limit",), 1000),
    ("power_limit_default_mw", ("power.default_limit",), 1000),
    ("temperature_celsius", ("temperature.gpu",), 1),
    ("temperature_memory_celsius", ("temperature.memory",), 1),
    ("clock_sm_mhz", ("clocks.current.sm", "clocks.sm"), 1),
    ("clock_memory_mhz", ("clocks.current.memory", "clocks.mem"), 1),
    ("clock_sm_max_mhz", ("clocks.max.sm",), 1),
    ("clock_memory_max_mhz", ("clocks.max.memory", "clocks.max.mem"), 1),
    ("pcie_generation_count", ("pcie.link.gen.gpucurrent", "pcie.link.gen.current"), 1),
    ("pcie_width_count", ("pcie.link.width.current",), 1),
    ("ecc_corrected_count", ("ecc.errors.corrected.volatile.total",), 1),
    ("ecc_uncorrected_count", ("ecc.errors.uncorrected.volatile.total",), 1),
    ("clocks_event_reasons_mask", ("clocks_event_reasons.active", "clocks_throttle_reasons.active"), 1),
]
_FORMAT = ("--format=csv,noheader,nounits",)
_NUMBER = re.compile(r"0x[0-9a-fA-F]+|[0-9]+(\.[0-9]+)?")


class SmiSource:
    """The lines of the child; `batches` yields until it ends or `close` is called."""

    def __init__(self, program: str, uuids: list[str], interval: int) -> None:
        self.devices = uuids
        fields = known_fields(_output(program, "--help-query-gpu"))
        self._columns = [(column, factor) for column, _, factor in fields]
        query = ",".join(["timestamp", "uuid", *(name for _, name, _ in fields)])
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
            raise UnavailableError("there is no nvidia-smi")
        listed = _output(program, "--query-gpu=uuid,name", "--format=csv,noheader")
        pairs = [line.partition(", ") for line in listed.splitlines()]
        known = [Known(uuid, model, []) for uuid, comma, model in pairs if comma]
        names = visible(known, environ.get("CUDA_VISIBLE_DEVICES"), environ.get("CUDA_DEVICE_ORDER"))
        if not names:
            raise UnavailableError("nvidia-smi shows no device that CUDA_VISIBLE_DEVICES leaves visible")
        return cls(program, names, interval)

    def batches(self) -> Iterator[Batch]:
        """Yield the samples and events of each line."""
        assert self._child.stdout is not None
        for line in self._child.stdout:
            batch = self._batch(line.decode("utf-8", "replace"))
            if batch:
                yield batch

    def _batch(self, line: str) -> Batch:
        stamp, _, rest = line.strip().partition(", ")
        uuid, *cells = rest.split(", ")
        if uuid not in self.devices or len(cells) != len(self._columns):
            return []
        when = monotonic_of(stamp)
        # A lost device fills every cell with "[GPU is lost]", one that wants a reset likewise.
        if all("lost" in cell or "reset" in cell for cell in cells):
            name = "lost" if "lost" in cells[0] else "reset"
            return [] if uuid in self._gone else [self._leaves(uuid, when, name)]
        events: Batch = [Event(uuid, when, "returned")] if uuid in self._gone else []
        self._gone.discard(uuid)
        values: dict[str, int] = {}
        for (column, factor), cell in zip(self._columns, cells):  # noqa: B905 - Python 3.9 has no strict
            if _NUMBER.fullmatch(cell):
                values[column] = int(cell, 16) if cell.startswith("0x") else round(float(cell) * factor)
        return [*events, Sample(uuid, when, values)]

    def _leaves(self, uuid: str, when: int, name: str) -> Event:
        self._gone.add(uuid)
        return Event(uuid, when, name)

    def close(self) -> None:
        """End the child."""
        with suppress(OSError):
            self._child.terminate()
        self._child.wait()


def known_fields(help_text: str) -> list[tuple[str, str, float]]:
    """Return (column, field, factor) for each column whose field nvidia-smi's own help names."""
    names = set(re.findall(r'"([a-z0-9_.]+)"', help_text))
    found = []
    for column, candidates, factor in _FIELDS:
        field = next((name for name in candidates if name in names), None)
        if field:
            found.append((column, field, factor))
    return found


def monotonic_of(stamp: str) -> int:
    """Return the monotonic time in ns of a time stamp of nvidia-smi (local time); now if it is none."""
    try:
        whole, _, milliseconds = stamp.partition(".")
        seconds = int(time.mktime(time.strptime(whole, "%Y/%m/%d %H:%M:%S")))
        then = seconds * 1_000_000_000 + int(milliseconds) * 1_000_000
    except ValueError:
        return time.perf_counter_ns()
    return time.perf_counter_ns() - (time.time_ns() - then)


def _output(*line: str) -> str:
    try:
        done = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise UnavailableError(f"nvidia-smi does not answer: {error}") from None
    return done.stdout.decode("utf-8", "replace")
