"""Estimate how often the driver updates a counter: the median time between changes of its value.

A counter that is read every 100 ms may be updated more or less often than that. The update period of power
and utilisation depends on device and driver (Yang, Adamek, Armour, arXiv:2312.02741). So the counters are
read in quick succession for a moment while the device is busy.

A time between two changes counts only if no reading in it was later than half of it after the previous one.
Otherwise it would be the interval of the readings, not the period of the driver.
"""

from statistics import median
from typing import Optional

_MIN_CHANGES = 5  # times between changes needed for an estimate


class CounterChanges:
    """The changes of one counter of one device."""

    def __init__(self) -> None:
        self._value: Optional[int] = None
        self._read_at = 0  # ns
        self._changed_at: Optional[int] = None  # ns; None before the first change
        self._longest_wait = 0  # ns between two readings, since the reading before that change
        self.gaps: list[int] = []  # ns between changes

    def add(self, when: int, value: int) -> None:
        """Add a reading; readings must be in order of time."""
        wait = when - self._read_at if self._value is not None else 0
        self._longest_wait = max(self._longest_wait, wait)
        if self._value is not None and value != self._value:
            if self._changed_at is not None and 2 * self._longest_wait <= when - self._changed_at:
                self.gaps.append(when - self._changed_at)
            self._changed_at = when
            self._longest_wait = wait
        self._value = value
        self._read_at = when


class UpdatePeriods:
    """The update periods of all counters that were read."""

    def __init__(self) -> None:
        self._changes: dict[tuple[str, str], CounterChanges] = {}

    def add(self, device: str, when: int, values: dict[str, int]) -> None:
        """Add the readings (column -> value) of a device at a time in ns."""
        for column, value in values.items():
            self._changes.setdefault((device, column), CounterChanges()).add(when, value)

    def estimate(self) -> dict[str, int]:
        """Return column -> period in ns over all devices, for columns with enough changes."""
        gaps: dict[str, list[int]] = {}
        for (_, column), changes in self._changes.items():
            gaps.setdefault(column, []).extend(changes.gaps)
        return {column: int(median(times)) for column, times in gaps.items() if len(times) >= _MIN_CHANGES}
