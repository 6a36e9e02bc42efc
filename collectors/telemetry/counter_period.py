"""Find out how often a driver renews a counter: the median distance between its changes.

Reading a counter every 100 ms says nothing of the 100 ms between. How often power and utilisation are
renewed depends on device and driver (Yang, Adamek, Armour, arXiv:2312.02741), so the period is looked
for while the device works, by reading fast for a moment.
"""

from statistics import median
from typing import Optional

_FEWEST = 5  # distances that a period is believed from


class Changes:
    """The changes of one counter of one device."""

    def __init__(self) -> None:
        self._value: Optional[int] = None
        self._when: Optional[int] = None  # of the last change; None before the first
        self.distances: list[int] = []

    def see(self, when: int, value: int) -> None:
        """Take a reading, in order of time."""
        if self._value is not None and value != self._value:
            if self._when is not None:
                self.distances.append(when - self._when)
            self._when = when
        self._value = value


class Periods:
    """The update periods of all counters that were read."""

    def __init__(self) -> None:
        self._changes: dict[tuple[str, str], Changes] = {}

    def see(self, device: str, when: int, values: dict[str, int]) -> None:
        """Take the readings (column -> value) of a device at a time in ns."""
        for column, value in values.items():
            self._changes.setdefault((device, column), Changes()).see(when, value)

    def found(self) -> dict[str, int]:
        """Return column -> period in ns, over all devices, where enough changes were seen."""
        distances: dict[str, list[int]] = {}
        for (_, column), changes in self._changes.items():
            distances.setdefault(column, []).extend(changes.distances)
        return {name: int(median(all_)) for name, all_ in distances.items() if len(all_) >= _FEWEST}
