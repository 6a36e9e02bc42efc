"""Time steps and phases on a CUDA device without waiting for it.

At each border an event is recorded in the current stream of the device. The device sets its time when it gets
there, usually long after the host has gone on. So a step is kept here until its last event has completed.
The training thread itself checks for completed steps every few steps, because querying an event from another
thread would break the capture of a CUDA graph.

The device times of a step are passed on together with its host times, as one stream of (kind, begin, end).
Work in other streams counts only as far as the current stream waits for it.
"""

import time
from collections import deque
from collections.abc import Iterable
from typing import Any, Callable, NamedTuple, Optional

from collectors.recorder.step_encoder import BREAK, STEP

#: Completed steps are passed on after this many steps or this time.
_MAX_PENDING_STEPS = 32
_MAX_PENDING_NS = 1_000_000_000
_POLL_SECONDS = 0.001


class _Interval(NamedTuple):
    """A phase or a pause: its kind, its times on the host, its events."""

    kind: int
    begin: int
    end: int
    first: Any
    last: Any


class _PendingStep(NamedTuple):
    """A step whose events may not have completed; `times` are the host's, three integers per event."""

    times: list[int]
    intervals: list[_Interval]
    first: Any
    last: Any


class CudaEvents:
    """The CUDA events of one rank. `sink` receives flat triples, one whole step at a time, in order."""

    def __init__(self, cuda: Any, step_kind: int, sink: Callable[[Iterable[int]], None]) -> None:
        """Take `torch.cuda` and the kind of the step's event column."""
        self._cuda = cuda
        self._step_kind = step_kind
        self._sink = sink
        self._unused: list[Any] = []  # completed events, to be recorded again
        self._pending: deque[_PendingStep] = deque()
        self._times: list[int] = []
        self._intervals: list[_Interval] = []
        self._is_broken = False  # after an error of the device every call raises
        self._first: Any = None
        self.begin_step()

    def record_event(self) -> Optional[Any]:
        """Return an event that is recorded in the current stream; None after an error of the device."""
        if self._is_broken:
            return None
        try:
            event = self._unused.pop() if self._unused else self._cuda.Event(enable_timing=True)
            event.record()
        except RuntimeError:  # an earlier error of the training, which will raise there
            self._is_broken = True
            return None
        return event

    def begin_step(self) -> None:
        """Begin a step now; discard what was noted of a step before."""
        self._first = self.record_event()
        self._intervals = []

    def add(self, kind: int, begin: int, end: int, first: Any, last: Any) -> None:
        """Add a phase or a pause between two events."""
        self._times += (kind, begin, end)
        if last is not None:
            self._intervals.append(_Interval(kind, begin, end, first, last))

    def extend(self, triple: Iterable[int]) -> None:
        """Add a triple of the host; the triple of a step ends the step."""
        kind, begin, end = triple
        self._times += (kind, begin, end)
        if kind != STEP:
            return
        last = self.record_event()
        self._pending.append(_PendingStep(self._times, self._intervals, self._first, last))
        self._times, self._intervals, self._first = [], [], last
        is_late = end - self._pending[0].times[-1] > _MAX_PENDING_NS
        if is_late or len(self._pending) >= _MAX_PENDING_STEPS:
            self.pass_on_completed()

    def pass_on_completed(self) -> None:
        """Pass on the steps that the device has completed."""
        # Remove a step before passing it on: if a signal closes the recorder in between, the step is lost.
        # In the other order it would be recorded twice.
        while self._pending and self._is_completed(self._pending[0]):
            self._pass_on(self._pending.popleft())

    def finish(self, max_seconds: float) -> None:
        """Pass on all steps; wait for the device for at most `max_seconds`."""
        deadline = time.monotonic() + max_seconds
        self.pass_on_completed()
        while self._pending and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
            self.pass_on_completed()
        self._is_broken = True  # pass on the other steps without device times
        self.pass_on_completed()
        self._sink(self._times)
        self._times = []

    def _is_completed(self, step: _PendingStep) -> bool:
        if self._is_broken or step.last is None:
            return True
        try:
            return bool(step.last.query())
        except RuntimeError:
            self._is_broken = True
            return True

    def _pass_on(self, step: _PendingStep) -> None:
        *times, step_begin, step_end = step.times[:-3] + step.times[-2:]
        device_times: list[int] = []
        if not self._is_broken and step.first is not None and step.last is not None:
            try:
                device_times = self._device_times(step, step_begin)
            except RuntimeError:
                self._is_broken = True
            else:
                for interval in step.intervals:
                    self._unused += (interval.first, interval.last)
                self._unused.append(step.first)
        self._sink([*times, *device_times, STEP, step_begin, step_end])

    def _device_times(self, step: _PendingStep, step_begin: int) -> list[int]:
        """Return the triples of the device; a phase that contains a pause is left out."""
        pauses = [interval for interval in step.intervals if interval.kind <= BREAK]
        paused = sum(_elapsed(pause.first, pause.last) for pause in pauses)
        duration = max(0, _elapsed(step.first, step.last) - paused)
        triples = [self._step_kind, step_begin, step_begin + duration]
        for phase in step.intervals:
            is_paused = any(phase.begin < pause.end and pause.begin < phase.end for pause in pauses)
            if phase.first is not None and not is_paused:
                # The event column of a phase follows its host column.
                triples += (phase.kind + 1, phase.begin, phase.begin + _elapsed(phase.first, phase.last))
        return triples


def _elapsed(first: Any, last: Any) -> int:
    """Return the time between two events in ns; torch returns ms with a resolution of about 0.5 us."""
    milliseconds: float = first.elapsed_time(last)
    return round(milliseconds * 1e6)
