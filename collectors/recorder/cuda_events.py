"""Time steps and phases on a CUDA device without ever waiting for it.

At each border an event is put into the device's current stream; the device notes the time when it gets there,
usually long after the host has gone on. A step therefore stays here until its last event has happened.
Finished steps are looked for every few steps, by the training thread itself: to ask for an event from another
thread would destroy a CUDA graph that is being captured.

A step's events are resolved together with its host times and handed on as one stream of (kind, begin, end).
Work in other streams than the current one is seen only as far as the current one waits for it.
"""

import time
from collections import deque
from collections.abc import Iterable
from typing import Any, Callable, NamedTuple, Optional

from collectors.recorder.step_encoder import BREAK, STEP

_STEPS = 32  # looked through together
_LONGEST = 1_000_000_000  # ns after which a shorter batch is looked through
_POLL = 0.001  # s


class _Mark(NamedTuple):
    """A phase or a pause: its kind, its times on the host, its events."""

    kind: int
    begin: int
    end: int
    first: Any
    last: Any


class _Step(NamedTuple):
    """A step whose events may not have happened yet; `times` are the host's, three integers each."""

    times: list[int]
    marks: list[_Mark]
    first: Any
    last: Any


class EventClock:
    """The events of one rank. `sink` gets flat triples, a whole step at a time, in order."""

    def __init__(self, cuda: Any, step_kind: int, sink: Callable[[Iterable[int]], None]) -> None:
        """Take `torch.cuda` and the kind of the column of the whole step."""
        self._cuda = cuda
        self._step_kind = step_kind
        self._sink = sink
        self._free: list[Any] = []
        self._waiting: deque[_Step] = deque()
        self._times: list[int] = []
        self._marks: list[_Mark] = []
        self._is_broken = False  # a device in error answers every call with an exception
        self._first: Any = None
        self.begin()

    def mark(self) -> Optional[Any]:
        """Return a new event in the current stream; None when the device is in error."""
        if self._is_broken:
            return None
        try:
            event = self._free.pop() if self._free else self._cuda.Event(enable_timing=True)
            event.record()
        except RuntimeError:  # an earlier error of the training, which will meet it by itself
            self._is_broken = True
            return None
        return event

    def begin(self) -> None:
        """Begin a step here, whatever has been noted of another one."""
        self._first = self.mark()
        self._marks = []

    def add(self, kind: int, begin: int, end: int, first: Any, last: Any) -> None:
        """Note a phase, or a pause if its kind says so, between two events."""
        self._times += (kind, begin, end)
        if last is not None:
            self._marks.append(_Mark(kind, begin, end, first, last))

    def extend(self, triple: Iterable[int]) -> None:
        """Note one triple of the host; a step ends where its triple comes."""
        kind, begin, end = triple
        self._times += (kind, begin, end)
        if kind != STEP:
            return
        last = self.mark()
        self._waiting.append(_Step(self._times, self._marks, self._first, last))
        self._times, self._marks, self._first = [], [], last
        is_old = end - self._waiting[0].times[-1] > _LONGEST
        if is_old or len(self._waiting) >= _STEPS:
            self.resolve()

    def resolve(self) -> None:
        """Hand on the steps that the device has finished."""
        # A step is taken off before it is handed on: a signal that closes the recorder in between loses
        # it, where the other order would record it twice.
        while self._waiting and self._has_happened(self._waiting[0]):
            self._hand_on(self._waiting.popleft())

    def finish(self, patience: float) -> None:
        """Hand on everything, waiting for the device at most so many seconds."""
        until = time.monotonic() + patience
        self.resolve()
        while self._waiting and time.monotonic() < until:
            time.sleep(_POLL)
            self.resolve()
        self._is_broken = True  # whatever is left has no device times
        self.resolve()
        self._sink(self._times)
        self._times = []

    def _has_happened(self, step: _Step) -> bool:
        if self._is_broken or step.last is None:
            return True
        try:
            return bool(step.last.query())
        except RuntimeError:
            self._is_broken = True
            return True

    def _hand_on(self, step: _Step) -> None:
        *times, step_begin, step_end = step.times[:-3] + step.times[-2:]
        measured: list[int] = []
        if not self._is_broken and step.first is not None and step.last is not None:
            try:
                measured = self._measured(step, step_begin)
            except RuntimeError:
                self._is_broken = True
            else:
                self._free += [event for one in step.marks for event in (one.first, one.last)]
                self._free.append(step.first)
        self._sink([*times, *measured, STEP, step_begin, step_end])

    def _measured(self, step: _Step, step_begin: int) -> list[int]:
        """Return triples of what the device says; a phase with a pause inside is left out."""
        pauses = [one for one in step.marks if one.kind <= BREAK]
        total = _elapsed(step.first, step.last) - sum(_elapsed(one.first, one.last) for one in pauses)
        out = [self._step_kind, step_begin, step_begin + max(0, total)]
        for one in step.marks:
            is_cut = any(one.begin < pause.end and pause.begin < one.end for pause in pauses)
            if one.first is not None and not is_cut:
                # The column of a phase's events comes right behind that of its host times.
                out += (one.kind + 1, one.begin, one.begin + _elapsed(one.first, one.last))
        return out


def _elapsed(first: Any, last: Any) -> int:
    """Return the time between two events in ns; torch gives ms, with a resolution of about 0.5 us."""
    milliseconds: float = first.elapsed_time(last)
    return round(milliseconds * 1e6)
