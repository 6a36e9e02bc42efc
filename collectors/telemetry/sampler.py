"""Read a source of telemetry at a steady interval and write its samples into the run folder.

Both the requested interval and the achieved ones are recorded. A missed cycle is not repeated, because a gap
in telemetry is better than a burst.

When a device is first busy, its counters are read every 5 ms for about a second, to estimate how often the
driver updates them. A sampler thread in the training process does not do this.
"""

import threading
import time
from array import array
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Callable, Protocol, Union

from collectors.format_v1.telemetry_file import TelemetryFile
from collectors.messages import warn
from collectors.telemetry.counter_period import UpdatePeriods
from collectors.telemetry.samples import Batch, Event, Sample, Xid

_SECOND_NS = 1_000_000_000
_PROBE_INTERVAL_NS = 5_000_000


class SampleSource(Protocol):
    """A source that is read at an interval, such as `NvmlSource`."""

    @property
    def devices(self) -> Sequence[object]:
        """The devices."""

    def read(self, slow: Sequence[bool]) -> Batch:
        """Return a sample or event of each device; `slow` selects the devices whose slow fields are due."""

    def probe(self) -> Batch:
        """Return a sample of the counters whose update periods are estimated."""

    def missing(self) -> Mapping[str, str]:
        """Return the columns that the devices do not have, with the reasons."""

    def close(self) -> None:
        """Release the devices."""


class Ticks:
    """Yields cycle numbers at multiples of the interval until stopped; keeps the achieved intervals.

    The first cycle always comes, so that the shortest run has a sample of each device.
    """

    def __init__(
        self, interval: int, stop: threading.Event, now: Callable[[], int] = time.perf_counter_ns
    ) -> None:
        self.interval = interval  # ns
        self.achieved = array("q")
        self._stop = stop
        self._now = now
        self._next_cycle_at = 0

    def __iter__(self) -> Iterator[int]:
        first = last = self._now()
        cycle = 0
        while True:
            self._next_cycle_at = first + (cycle + 1) * self.interval
            yield cycle
            cycle = max(cycle, (self._now() - first) // self.interval) + 1
            if self._stop.wait(max(0, first + cycle * self.interval - self._now()) / _SECOND_NS):
                return
            now = self._now()
            self.achieved.append(now - last)
            last = now

    def spare(self, every: int) -> Iterator[None]:
        """Yield every `every` ns while there is time before the next cycle."""
        while self._next_cycle_at - self._now() > 2 * every and not self._stop.wait(every / _SECOND_NS):
            yield


class TelemetryWriter:
    """Writes samples and events into the telemetry file of a node; raises OSError."""

    def __init__(self, folder: Path, node: int, interval: int) -> None:
        self.file = TelemetryFile(folder, node, interval)
        self.periods = UpdatePeriods()
        self._pending: Batch = []
        self._flushed_at = 0

    def add(self, batch: Batch) -> None:
        """Add samples and events; they are written once a second."""
        self._pending += batch
        if batch and batch[-1].when - self._flushed_at > _SECOND_NS:
            self.flush()
            self._flushed_at = batch[-1].when

    def add_probed(self, batch: Batch) -> None:
        """Add readings for the estimate of update periods; they are not written."""
        for item in batch:
            if isinstance(item, Sample):
                self.periods.add(*item)

    def flush(self) -> None:
        """Write the pending samples and events."""
        self.file.write_samples(item for item in self._pending if isinstance(item, Sample))
        for item in self._pending:
            if isinstance(item, Event):
                self.file.write_event(*item)
            elif isinstance(item, Xid):
                self.file.write_xid(*item)
        self._pending = []

    def end(self, achieved: Sequence[int], missing: Mapping[str, str]) -> None:
        """Write the rest, the update periods and the achieved intervals; close the file.

        missing  the columns without values and the reasons
        """
        self.flush()
        for column, reason in missing.items():
            self.file.write_missing(column, reason)
        middle, longest = (int(median(achieved)), max(achieved)) if achieved else (0, 0)
        self.file.write_end(self.periods.estimate(), middle, longest, len(achieved))
        if lost := self.file.lost():
            warn(f"telemetry: the file was {lost} while it was written")
        self.file.close()


def sample_until_stopped(
    source: SampleSource, writer: TelemetryWriter, ticks: Ticks, *, probes: bool
) -> None:
    """Sample until the ticks end; raises OSError.

    probes  estimate the update periods of counters when a device is busy
    """
    slow_every = max(1, round(_SECOND_NS / ticks.interval))
    # The cycle of the next slow read of each device: not all in one cycle, which would take too long.
    due = [index % slow_every for index in range(len(source.devices))]
    probes_left = slow_every if probes else 0
    for cycle in ticks:
        slow = [cycle >= due_cycle for due_cycle in due]
        for index, is_slow in enumerate(slow):
            if is_slow:
                due[index] = cycle + slow_every
        batch = source.read(slow)
        writer.add(batch)
        if probes_left and any(_is_busy(item) for item in batch):
            probes_left -= 1
            for _ in ticks.spare(_PROBE_INTERVAL_NS):
                writer.add_probed(source.probe())
    writer.end(ticks.achieved, source.missing())


def _is_busy(item: Union[Sample, Event, Xid]) -> bool:
    return isinstance(item, Sample) and item.values.get("utilization_gpu_percent", 0) > 0
