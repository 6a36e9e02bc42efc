"""The context managers that time a part of a step, one class for each way of looking at the clock.

All of them note (kind, begin, end) in ns of the host's clock; they differ in what they do about the device.
"""

from collections.abc import Iterable
from time import perf_counter_ns
from typing import Callable, Optional

from collectors.format_v1 import run_folder
from collectors.recorder.cuda_events import EventClock

Extend = Callable[[Iterable[int]], None]


class Phase:
    """A part of a step by the host's clock: `with phase:`, as often as wanted, but not inside itself."""

    __slots__ = ("_begin", "_extend", "_kind")

    def __init__(self, kind: int, extend: Extend) -> None:
        self._kind = kind
        self._extend = extend

    def __enter__(self) -> None:
        self._begin = perf_counter_ns()

    def __exit__(self, *error: object) -> None:
        self._extend((self._kind, self._begin, perf_counter_ns()))


class SynchronizedPhase(Phase):
    """A phase that waits for the device at both ends, for comparison with studies that did."""

    __slots__ = ("_synchronize",)

    def __init__(self, kind: int, extend: Extend, synchronize: Callable[[], object]) -> None:
        super().__init__(kind, extend)
        self._synchronize = synchronize

    def __enter__(self) -> None:
        self._synchronize()
        self._begin = perf_counter_ns()

    def __exit__(self, *error: object) -> None:
        self._synchronize()
        self._extend((self._kind, self._begin, perf_counter_ns()))


class EventPhase(Phase):
    """A phase with an event of the device at both ends, which it does not wait for.

    The events lie outside of the host's two readings, so that they do not lengthen what the host sees.
    """

    __slots__ = ("_clock", "_first")

    def __init__(self, kind: int, clock: EventClock) -> None:
        super().__init__(kind, clock.extend)
        self._clock = clock

    def __enter__(self) -> None:
        self._first = self._clock.mark()
        self._begin = perf_counter_ns()

    def __exit__(self, *error: object) -> None:
        end = perf_counter_ns()
        self._clock.add(self._kind, self._begin, end, self._first, self._clock.mark())


class Phases:
    """The phases of a recorder and their columns; `columns` is the recorder's own list and grows.

    extend       takes what a phase notes
    clock        the events of a device, if they are to be used
    synchronize  waits for the device, if every phase shall do so
    """

    def __init__(
        self,
        columns: list[str],
        extend: Extend,
        clock: Optional[EventClock],
        synchronize: Optional[Callable[[], object]],
    ) -> None:
        self._columns = columns
        self._extend = extend
        self._clock = clock
        self._synchronize = synchronize
        self.made: dict[str, Phase] = {}  # by column

    def named(self, name: str, synchronize: Optional[Callable[[], object]]) -> Phase:
        """Return the phase of a name, the same one for the same name and clock; ValueError for a bad name."""
        is_waiting = name == run_folder.WAITING and synchronize is None
        synchronize = None if is_waiting else synchronize or self._synchronize
        column = run_folder.phase_column(name, "host_synchronized" if synchronize else "host")
        if column not in self.made:
            self.made[column] = self._new(name, column, is_waiting, synchronize)
        return self.made[column]

    def _new(
        self, name: str, column: str, is_waiting: bool, synchronize: Optional[Callable[[], object]]
    ) -> Phase:
        kind = len(self._columns)
        if synchronize is not None:
            self._columns.append(column)
            return SynchronizedPhase(kind, self._extend, synchronize)
        if self._clock is None or is_waiting:  # waiting for data is the host's own affair
            self._columns.append(column)
            return Phase(kind, self._extend)
        # Both at once, for the writing thread may look at any time.
        self._columns += [column, run_folder.phase_column(name, "cuda_event")]
        return EventPhase(kind, self._clock)

    def waiting_kind(self) -> int:
        """Return the number of the column for the wait for data."""
        self.named(run_folder.WAITING, None)
        return self._columns.index(run_folder.phase_column(run_folder.WAITING, "host"))

    def pause(self, kind: int) -> Phase:
        """Return a new context manager for a break of this kind."""
        return Phase(kind, self._extend) if self._clock is None else EventPhase(kind, self._clock)
