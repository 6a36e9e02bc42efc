"""Context managers that time a part of a step, one class for each timing.

Each one notes (kind, begin, end) in ns of the host's clock. The classes differ in what they do on the device.
"""

from collections.abc import Iterable
from time import perf_counter_ns
from typing import Callable, Optional

from collectors.format_v1.steps_file import DATA_LOADING, phase_column, valid_name
from collectors.messages import warn
from collectors.recorder.cuda_events import CudaEvents

Extend = Callable[[Iterable[int]], None]
Synchronize = Callable[[], object]
Wait = Callable[[], None]


class Phase:
    """A part of a step by the host's clock: `with phase:`, any number of times, but not nested in itself.

    `__exit__` names its arguments, because packing them into a tuple takes 30 ns.
    """

    __slots__ = ("_begin", "_extend", "_kind")

    def __init__(self, kind: int, extend: Extend) -> None:
        self._kind = kind
        self._extend = extend

    def __enter__(self) -> None:
        self._begin = perf_counter_ns()

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._extend((self._kind, self._begin, perf_counter_ns()))


class SynchronizedPhase(Phase):
    """A phase that waits for the device at both ends, for comparison with studies that did so."""

    __slots__ = ("_synchronize",)

    def __init__(self, kind: int, extend: Extend, synchronize: Synchronize) -> None:
        super().__init__(kind, extend)
        self._synchronize = synchronize

    def __enter__(self) -> None:
        self._synchronize()
        self._begin = perf_counter_ns()

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._synchronize()
        self._extend((self._kind, self._begin, perf_counter_ns()))


class EventPhase(Phase):
    """A phase with a CUDA event at both ends; it does not wait for the device.

    The events are recorded outside of the two host times, so the host times do not contain their cost.
    """

    __slots__ = ("_cuda_events", "_first")

    def __init__(self, kind: int, cuda_events: CudaEvents) -> None:
        super().__init__(kind, cuda_events.extend)
        self._cuda_events = cuda_events

    def __enter__(self) -> None:
        self._first = self._cuda_events.border()
        self._begin = perf_counter_ns()

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._cuda_events.end_interval(self._kind, self._begin, perf_counter_ns(), self._first)


class HostPause(Phase):
    """A pause by the host's clock: time that belongs to no step.

    wait_before  waits for the work of the step, which contains the wait
    wait_within  waits for the work of the pause
    """

    __slots__ = ("_wait_before", "_wait_within")

    def __init__(self, kind: int, extend: Extend, wait_before: Wait, wait_within: Wait) -> None:
        super().__init__(kind, extend)
        self._wait_before = wait_before
        self._wait_within = wait_within

    def __enter__(self) -> None:
        self._wait_before()
        super().__enter__()

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._wait_within()
        super().__exit__(kind, error, trace)


class EventPause(EventPhase):
    """A pause with a CUDA event at both ends, and the waits of `HostPause`.

    On the device the pause begins before the wait: otherwise a device that had nothing to do, because the
    work is on another one, would seem to work for as long as the recorder waits.
    """

    __slots__ = ("_wait_before", "_wait_within")

    def __init__(self, kind: int, cuda_events: CudaEvents, wait_before: Wait, wait_within: Wait) -> None:
        super().__init__(kind, cuda_events)
        self._wait_before = wait_before
        self._wait_within = wait_within

    def __enter__(self) -> None:
        self._first = self._cuda_events.border()
        self._wait_before()
        self._begin = perf_counter_ns()

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._wait_within()
        super().__exit__(kind, error, trace)


def named(kind: str, name: object) -> str:
    """Return the name of a phase or break as recorded; warn if the format does not allow the given one."""
    recorded = valid_name(name, kind)
    if recorded != name:
        warn(f"{kind} {name!r} is recorded as {recorded!r}; names have lower-case letters, digits and _")
    return recorded


class PhaseRegistry:
    """The phases of a recorder and their columns; `columns` is the recorder's own list and grows.

    extend       receives the triples of a phase
    cuda_events  the events of the device; None: phases have host times only
    synchronize  waits for the device; None: phases do not wait
    """

    def __init__(
        self,
        columns: list[str],
        extend: Extend,
        cuda_events: Optional[CudaEvents],
        synchronize: Optional[Synchronize],
    ) -> None:
        self._columns = columns
        self._extend = extend
        self._cuda_events = cuda_events
        self._synchronize = synchronize
        self.by_column: dict[str, Phase] = {}
        self._names: dict[object, str] = {}  # as in the calls of the script -> as in the log

    def phase(self, name: str, synchronize: Optional[Synchronize]) -> Phase:
        """Return the phase of this name and clock, the same object each time."""
        if name not in self._names:
            self._names[name] = named("phase", name)
        name = self._names[name]
        is_data_loading = name == DATA_LOADING and synchronize is None
        synchronize = None if is_data_loading else synchronize or self._synchronize
        column = phase_column(name, "host_synchronized" if synchronize else "host")
        if column not in self.by_column:
            self.by_column[column] = self._new(name, column, is_data_loading, synchronize)
        return self.by_column[column]

    def _new(
        self, name: str, column: str, is_data_loading: bool, synchronize: Optional[Synchronize]
    ) -> Phase:
        kind = len(self._columns)
        if synchronize is not None:
            self._columns.append(column)
            return SynchronizedPhase(kind, self._extend, synchronize)
        if self._cuda_events is None or is_data_loading:  # only the host waits for data
            self._columns.append(column)
            return Phase(kind, self._extend)
        # Add both columns at once: the writing thread may read the list at any time.
        self._columns += [column, phase_column(name, "cuda_event")]
        return EventPhase(kind, self._cuda_events)

    def data_loading_kind(self) -> int:
        """Return the kind of the phase data_loading."""
        self.phase(DATA_LOADING, None)
        return self._columns.index(phase_column(DATA_LOADING, "host"))

    def pause(self, kind: int, wait_before: Wait, wait_within: Wait) -> Phase:
        """Return a new context manager for a break of this kind, with what waits for the devices."""
        if self._cuda_events is not None:
            return EventPause(kind, self._cuda_events, wait_before, wait_within)
        return HostPause(kind, self._extend, wait_before, wait_within)
