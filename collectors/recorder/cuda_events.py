"""Time steps and phases on a CUDA device without waiting for it.

At each border an event is recorded in the current stream of the device. The device sets its time when it gets
there, usually long after the host has gone on. So a step is kept here until all of its events have completed.
The training thread itself checks for completed steps, because querying an event from another thread would
break the capture of a CUDA graph. For the same reason nothing is recorded or queried during a capture.

The device times of a step are passed on together with its host times, as one stream of (kind, begin, end).
An interval whose events cannot be compared has no device time. The reason is counted in `missing`, and all
other intervals keep theirs. Work in other streams counts only as far as the current stream waits for it.
"""

import sys
import time
from collections import deque
from collections.abc import Iterable
from time import perf_counter_ns
from typing import Any, Callable, NamedTuple, Optional

from collectors.messages import warn
from collectors.recorder.step_encoder import BREAK, STEP

#: Completed steps that are passed on at once, so that the training thread is never held for long.
_MAX_STEPS_AT_ONCE = 8
#: Within a long step, its phases check for completed steps after this time.
_CHECK_NS = 250_000_000
#: A phase in another stream may complete this much later than its step.
_MAX_LATE_NS = 500_000_000
#: Two borders that are closer than this share an event: a launch from Python takes longer.
_SHARED_NS = 1000
_POLL_SECONDS = 0.001
_FIRST_MESSAGE_SECONDS, _MESSAGE_SECONDS = 2.0, 10.0
_MAX_REASON_CHARS = 120

_IN_CAPTURE = "within the capture of a CUDA graph"
_TWO_DEVICES = "begins and ends on two devices"
_TWO_STREAMS = "ends before it begins, in another stream"
_IN_PAUSE = "overlaps a pause"
_LATE = "not completed half a second after its step"
_AT_END = "not completed when the run ended"


class NoEvent(NamedTuple):
    """A border at which no event was recorded."""

    reason: str


#: A phase or a pause: its kind, its start and end on the host, its events. No NamedTuple, for speed.
_Interval = tuple[int, int, int, Any, Any]


class _PendingStep(NamedTuple):
    """A step whose events may not have completed; `times` are the host's, three integers per event.

    recorded  the events that were recorded in the step
    """

    times: list[int]
    intervals: list[_Interval]
    first: Any
    last: Any
    recorded: list[Any]


class _CurrentStream:
    """Finds the current stream by its address, in 0.3 us; torch takes 4 us, and the event 2 us."""

    def __init__(self, cuda: Any) -> None:
        library = getattr(sys.modules.get("torch"), "_C", None)
        self._cuda = cuda
        self._device: Optional[Callable[[], int]] = getattr(library, "_cuda_getDevice", None)
        self._address: Optional[Callable[[int], int]] = getattr(library, "_cuda_getCurrentRawStream", None)
        self._known: dict[tuple[int, int], Any] = {}

    def __call__(self) -> Any:
        """Return the current stream, or None, for which `Event.record` finds it."""
        if self._device is None or self._address is None:
            return None
        device = self._device()
        place = (device, self._address(device))
        if place not in self._known:
            self._known[place] = self._cuda.current_stream()
        return self._known[place]


class CudaEvents:
    """The CUDA events of one rank. `sink` receives flat triples, one whole step at a time, in order.

    missing  reason -> number of intervals that have no device time for it
    """

    def __init__(self, cuda: Any, step_kind: int, sink: Callable[[Iterable[int]], None]) -> None:
        """Take `torch.cuda` and the kind of the step's event column."""
        self._cuda = cuda
        self._current_stream = _CurrentStream(cuda)
        self._is_capturing: Callable[[], bool] = getattr(cuda, "is_current_stream_capturing", lambda: False)
        self._step_kind = step_kind
        self._sink = sink
        self._unused: list[Any] = []  # completed events, to be recorded again
        self._pending: deque[_PendingStep] = deque()
        self._times: list[int] = []
        self._intervals: list[_Interval] = []
        self._recorded: list[Any] = []
        self._newest: Any = None  # the event of the newest border
        self._newest_at = 0  # since when the training may have queued work behind it
        self._checked_at = 0
        self._late_since: Optional[int] = None  # the oldest step has completed, one of its phases has not
        self.missing: dict[str, int] = {}
        self._first: Any = None
        self._held: Any = None  # where the running step ended on the device; None: it has not
        self.begin_step()

    def border(self) -> Any:
        """Return an event of the current stream: the newest one if it was recorded just before."""
        if perf_counter_ns() - self._newest_at >= _SHARED_NS:
            self._newest = self._new_event()
        return self._newest

    def _new_event(self) -> Any:
        """Return an event that is recorded in the current stream, or a NoEvent."""
        if self._is_capturing():
            return NoEvent(_IN_CAPTURE)
        if self._unused:
            event = self._unused.pop()
            try:
                event.record(self._current_stream())
                self._recorded.append(event)
                return event
            except RuntimeError:  # it belongs to another device; a new one belongs to the current device
                pass
        try:
            event = self._cuda.Event(enable_timing=True)
            event.record(self._current_stream())
        except RuntimeError as error:  # an earlier error of the training, which will raise there
            return NoEvent(_reason(error))
        self._recorded.append(event)
        return event

    def begin_step(self) -> None:
        """Begin a step now; discard what was noted of a step before."""
        self._intervals = []
        self._first = self._newest = self._new_event()
        self._recorded = []
        self._newest_at = perf_counter_ns()

    def end_before_wait(self) -> None:
        """End the device time of the running step here: a wait for all devices follows, then the next step.

        Work that the events do not see would otherwise be in the time of this step.
        """
        self._held = self._new_event()

    def end_interval(self, kind: int, begin: int, end: int, first: Any) -> None:
        """Add a phase or a pause that ends now; `first` is the border at its start."""
        self._newest = self._new_event()
        self._times += (kind, begin, end)
        self._intervals.append((kind, begin, end, first, self._newest))
        if end - self._checked_at > _CHECK_NS:
            self._check(end)
        self._newest_at = perf_counter_ns()  # the time in this function queues no work either

    def extend(self, triple: Iterable[int]) -> None:
        """Add a triple of the host; the triple of a step ends the step."""
        kind, begin, end = triple
        self._times += (kind, begin, end)
        if kind != STEP:
            return
        last = self.border() if self._held is None else self._held
        self._pending.append(_PendingStep(self._times, self._intervals, self._first, last, self._recorded))
        self._times, self._intervals, self._recorded, self._first = [], [], [], last
        if self._held is not None:
            self._held = None
            self.begin_step()
        self._check(end)
        self._newest_at = perf_counter_ns()

    def _check(self, now: int) -> None:
        """Pass on some of the steps that the device has completed."""
        self._checked_at = now
        for _ in range(_MAX_STEPS_AT_ONCE):
            if not self.pass_on_oldest(now):
                return

    def pass_on_oldest(self, now: int) -> bool:
        """Pass on the oldest step if it has completed; return False if it has not, or there is none."""
        if not self._pending or self._is_capturing():
            return False
        step = self._pending[0]
        if not _is_completed(step.last):
            return False
        device_times, reasons = self._device_times(step)
        if _LATE in reasons:
            self._late_since = self._late_since or now
            if now - self._late_since < _MAX_LATE_NS:
                return False
        self._late_since = None
        # Remove a step before passing it on: if a signal closes the recorder in between, the step is lost.
        # In the other order it would be recorded twice.
        self._pending.popleft()
        for reason in reasons:
            self._note(reason)
        times = step.times
        times[-3:-3] = device_times  # before the triple of the step
        self._sink(times)
        # The last event of a step is the first one of the next.
        self._unused += [event for event in step.recorded if event is not step.last]
        if step.first is not step.last and not isinstance(step.first, NoEvent):
            self._unused.append(step.first)
        return True

    def finish(self, max_seconds: Optional[float], is_interrupted: Callable[[], bool]) -> int:
        """Pass on all steps; return how many of them the device has not completed.

        max_seconds     how long to wait for the device; None: as long as it takes
        is_interrupted  True if the user wants to wait no longer
        """
        start = time.monotonic()
        next_message = start + _FIRST_MESSAGE_SECONDS
        while self._pending and not is_interrupted() and not self._is_capturing():
            if self.pass_on_oldest(perf_counter_ns()):
                continue
            now = time.monotonic()
            if max_seconds is not None and now - start >= max_seconds:
                break
            if now >= next_message:
                warn(f"waiting for the device to complete {len(self._pending)} steps; Ctrl-C stops waiting")
                next_message = now + _MESSAGE_SECONDS
            time.sleep(_POLL_SECONDS)
        unfinished = len(self._pending)
        while self._pending:
            step = self._pending.popleft()
            self._note(_AT_END)
            self._sink(step.times)
        self._sink(self._times)
        self._times = []
        return unfinished

    def _device_times(self, step: _PendingStep) -> tuple[list[int], list[str]]:
        """Return the triples of the device, without the pauses, and why others are missing."""
        reasons: list[str] = []
        triples: list[int] = []
        begin = step.times[-2]
        pauses = [interval for interval in step.intervals if interval[0] <= BREAK]
        duration = _duration(step.first, step.last, pauses, reasons)
        if duration is not None:
            triples += (self._step_kind, begin, begin + duration)
        partial: set[int] = set()  # phases that were entered several times and lack one of their times
        for kind, begin, end, first, last in step.intervals:
            if kind <= BREAK:
                continue
            if pauses:
                duration = _phase_duration((kind, begin, end, first, last), pauses, reasons)
            else:
                duration = _duration(first, last, (), reasons)
            if duration is None:
                partial.add(kind + 1)
            else:
                triples += (kind + 1, begin, begin + duration)  # the event column follows the host column
        if partial:
            stream = iter(triples)
            whole = [x for x in zip(stream, stream, stream) if x[0] not in partial]  # noqa: B905
            triples = [number for triple in whole for number in triple]
        return triples, reasons

    def _note(self, reason: str) -> None:
        self.missing[reason] = self.missing.get(reason, 0) + 1


def _is_completed(event: Any) -> bool:
    """Return True if the device has reached the event, or the event cannot be queried."""
    try:
        return bool(event.query())
    except (RuntimeError, AttributeError):  # an error of the device, a NoEvent
        return True


def _phase_duration(phase: _Interval, pauses: Iterable[_Interval], reasons: list[str]) -> Optional[int]:
    """Return the ns of a phase without the pauses in it; None if unknown."""
    _, begin, end, first, last = phase
    inside = [pause for pause in pauses if begin < pause[2] and pause[1] < end]
    if any(pause[1] < begin or pause[2] > end for pause in inside):
        reasons.append(_IN_PAUSE)
        return None
    return _duration(first, last, inside, reasons)


def _duration(first: Any, last: Any, pauses: Iterable[_Interval], reasons: list[str]) -> Optional[int]:
    """Return the ns between two events without the pauses; None if unknown, then `reasons` grows."""
    try:
        # torch returns ms, with a resolution of 0.5 us.
        is_empty = first is last and not isinstance(first, NoEvent)
        milliseconds: float = 0.0 if is_empty else first.elapsed_time(last)
    except (RuntimeError, AttributeError, TypeError) as error:
        reasons.append(_reason_of_pair(first, last, error))
        return None
    if milliseconds < 0:
        reasons.append(_TWO_STREAMS)
        return None
    total = round(milliseconds * 1e6)
    for _, _, _, begin, end in pauses:
        paused = _duration(begin, end, (), reasons)
        if paused is None:
            return None
        total -= paused
    return max(0, total)


def _reason_of_pair(first: Any, last: Any, error: Exception) -> str:
    for event in (first, last):
        if isinstance(event, NoEvent):
            return event.reason
    try:
        if first.device != last.device:
            return _TWO_DEVICES
        if not (first.query() and last.query()):
            return _LATE
    except RuntimeError:  # the device is in an error
        pass
    return _reason(error)


def _reason(error: Exception) -> str:
    lines = str(error).splitlines() or [type(error).__name__]
    return lines[0][:_MAX_REASON_CHARS]
