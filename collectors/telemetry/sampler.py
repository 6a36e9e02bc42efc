"""Write what a source of telemetry says into the run folder, at a steady interval.

The interval asked for and the ones achieved are both recorded. Cycles that were missed are not made up for:
telemetry that comes in bursts is worth less than telemetry with a gap.

When a device is first seen at work, its counters are read every few milliseconds for a second, which shows
how often the driver renews them. A thread inside the training process leaves that out.
"""

import threading
import time
from array import array
from collections.abc import Iterator, Sequence, Sized
from pathlib import Path
from statistics import median
from typing import Callable, Protocol

from collectors.format_v1.run_folder import TelemetryFile
from collectors.telemetry.counter_period import Periods
from collectors.telemetry.source import Batch, Event, Sample

_SECOND = 1_000_000_000
_PROBE_INTERVAL = 5_000_000


class Source(Protocol):
    """What can be asked; `NvmlSource` is one."""

    @property
    def devices(self) -> Sized:
        """The devices."""

    def read(self, slow: Sequence[bool]) -> Batch:
        """Return a sample or event of each device, with the slow fields where asked."""

    def probe(self) -> Batch:
        """Return a sample of the counters whose periods are looked for."""


class Ticks:
    """Cycle numbers at multiples of the interval, until told to stop; remembers the intervals achieved."""

    def __init__(
        self, interval: int, stop: threading.Event, now: Callable[[], int] = time.perf_counter_ns
    ) -> None:
        self.interval = interval
        self.achieved = array("q")
        self._stop = stop
        self._now = now
        self._due = 0  # when the next cycle begins

    def __iter__(self) -> Iterator[int]:
        first = last = self._now()
        cycle = 0
        while not self._stop.is_set():
            self._due = first + (cycle + 1) * self.interval
            yield cycle
            cycle = max(cycle, (self._now() - first) // self.interval) + 1
            if self._stop.wait(max(0, first + cycle * self.interval - self._now()) / _SECOND):
                return
            now = self._now()
            self.achieved.append(now - last)
            last = now

    def spare(self, every: int) -> Iterator[None]:
        """Yield every so many ns while there is time before the next cycle."""
        while self._due - self._now() > 2 * every and not self._stop.wait(every / _SECOND):
            yield


class Recording:
    """The telemetry file of a node while samples come in; raises OSError where it cannot be written."""

    def __init__(self, folder: Path, node: int, interval: int) -> None:
        self.file = TelemetryFile(folder, node, interval)
        self.periods = Periods()
        self._waiting: Batch = []
        self._since = 0

    def add(self, batch: Batch) -> None:
        """Take samples and events; they are written once a second."""
        self._waiting += batch
        if batch and batch[-1].when - self._since > _SECOND:
            self.flush()
            self._since = batch[-1].when

    def probed(self, batch: Batch) -> None:
        """Take readings that only serve to find update periods; they are not written."""
        for one in batch:
            if isinstance(one, Sample):
                self.periods.see(*one)

    def flush(self) -> None:
        """Write what has been taken."""
        self.file.write_samples(one for one in self._waiting if isinstance(one, Sample))
        for one in self._waiting:
            if isinstance(one, Event):
                self.file.write_event(*one)
        self._waiting = []

    def end(self, achieved: Sequence[int]) -> None:
        """Write the rest and what was found about intervals."""
        self.flush()
        middle, longest = (int(median(achieved)), max(achieved)) if achieved else (0, 0)
        self.file.write_end(self.periods.found(), middle, longest, len(achieved))
        self.file.close()


def record(source: Source, recording: Recording, ticks: Ticks, *, probes: bool) -> None:
    """Sample until the ticks end; raises OSError. `probes`: look for update periods when a device works."""
    count = len(source.devices)
    slow_every = max(1, round(_SECOND / ticks.interval))
    due = [0] * count
    left = slow_every if probes else 0
    for cycle in ticks:
        slow = [cycle >= one for one in due]
        for index, is_slow in enumerate(slow):
            if is_slow:  # after the first time, the slow fields of several devices are spread over the cycles
                due[index] = cycle + slow_every + (0 if due[index] else index)
        batch = source.read(slow)
        recording.add(batch)
        if left and any(_is_busy(one) for one in batch):
            left -= 1
            for _ in ticks.spare(_PROBE_INTERVAL):
                recording.probed(source.probe())
    recording.end(ticks.achieved)


def _is_busy(one: object) -> bool:
    return isinstance(one, Sample) and one.values.get("utilization_gpu_percent", 0) > 0
