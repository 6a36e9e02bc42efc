"""Record the steps of a training run: whole steps, their phases and the wait for data.

    recorder = Recorder.start(samples_per_step=32, item="image")
    for batch in recorder.steps(loader):
        train(batch)

The training thread only reads the clock and appends three integers to a list; a thread of the
recorder turns them into lines (`rows`) and appends them to the log every second. So a kill loses at most
the last second, and a slow disk never holds up a step.

Whatever goes wrong with the log, the training goes on: the recorder says so once on stderr and records
nothing more. Only a wrong call (a phase name that cannot be a column) raises.
"""

import itertools
import os
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from time import perf_counter_ns
from types import TracebackType
from typing import Any, Callable, Optional, TypeVar, Union, overload

from collectors.format_v1 import run_folder
from collectors.machine.distributed import place
from collectors.recorder.cuda_events import EventClock
from collectors.recorder.exit_hooks import Ending, status_of, undisturbed
from collectors.recorder.phases import Extend, Phase, Phases
from collectors.recorder.run_writer import RunLog, complain
from collectors.recorder.step_encoder import BREAK, SAMPLES, STEP, TOKENS, Rows
from collectors.recorder.timing import Timing, timing_of

Batch = TypeVar("Batch")

_FLUSH_SECONDS = 1.0
_FLUSH_EVENTS = 3 * 5 * 1000  # 1000 steps with four phases
_SLICE = 3 * 500  # formatted in one go; between slices a waiting training thread gets the interpreter
_PATIENCE_SECONDS = 5.0  # how long the end of the training waits for a disk that hangs


class Recorder:
    """The recorder of one rank. Make it with `Recorder.start`; not for use from several threads."""

    def __init__(self, log: Optional[RunLog], timing: Timing) -> None:
        self._log = log
        self._events: list[int] = []
        self._extend: Extend = self._events.extend  # bound once; appending is atomic, so no lock is needed
        self._columns: list[str] = []
        self._now: Callable[[], int] = perf_counter_ns
        self._synchronize: Optional[Callable[[], object]] = None
        self._clock: Optional[EventClock] = None
        if timing.kind == "synchronized":
            self._synchronize = timing.cuda.synchronize
            self._now = self._synchronized_now
        elif timing.kind == "events":
            self._columns.append(run_folder.step_event_column())
            self._clock = EventClock(timing.cuda, 0, self._events.extend)
            self._extend = self._clock.extend
        self._phases = Phases(self._columns, self._extend, self._clock, self._synchronize)
        self._break_names: list[str] = []
        self._pid = os.getpid()
        self._closed = False
        self._wake = threading.Event()
        self._writing = threading.Lock()
        self._rows = Rows(self._columns, self._break_names)
        self._recorded = False  # whether a loop has run, so that a new one begins with a border
        self._marked = -1  # begin of what follows the last declared border
        self._thread = threading.Thread(target=self._keep_writing, name="reportgen-recorder", daemon=True)
        self._thread.start()
        self._ending = Ending(self.close)
        self._begin = self._now()  # of the step that is running or comes next

    @classmethod
    def start(
        cls,
        *,
        samples_per_step: Optional[int] = None,
        item: Optional[str] = None,
        case: Optional[run_folder.Case] = None,
        logs: Union[str, Path] = "logs/unnamed",
        tokens_per_step: Optional[int] = None,
        flops_per_step: Optional[int] = None,
        timing: Optional[str] = None,
        calibrate: Optional[bool] = None,
    ) -> "Recorder":
        """Begin a run and return its recorder; call it immediately before the training loop.

        samples_per_step  work of one step of this rank, where `samples` does not say otherwise
        item      what one sample is: "image", "sequence", "token"
        case      factors that the experimenter chose; those given to the launcher win
        logs      without a launcher: a new run folder is made below this one
        tokens_per_step  likewise, where `tokens` does not say otherwise
        flops_per_step  floating-point operations of the model in one step of this rank
        timing    "events" (of a CUDA device, beside the host's clock), "synchronized" (wait for the device at
                  every border) or "host"; if None what the launcher says, else events if torch uses CUDA
        calibrate  leave every other block of steps unrecorded and write the recorder's cost into the run; if
                  None what the launcher says
        raises    ValueError for a case the log has no place for or an unknown timing; never for files
        """
        chosen = timing_of(timing)
        about: dict[str, Any] = {"case": run_folder.check_case(case or {})}
        counts = {"samples_per_step": samples_per_step, "tokens_per_step": tokens_per_step}
        counts["flops_per_step"] = flops_per_step
        about.update((name, int(count)) for name, count in counts.items() if count is not None)
        if item is not None:
            about["item"] = item
        log = _opened(about, Path(logs))
        if calibrate is None:
            calibrate = os.environ.get(run_folder.CALIBRATE_VARIABLE) == "1"
        if calibrate:
            from collectors.recorder.calibration import CalibratingRecorder  # a Recorder itself

            return CalibratingRecorder(log, chosen)
        return cls(log, chosen)

    @property
    def folder(self) -> Optional[Path]:
        """The run folder; None when nothing is recorded."""
        return self._log.folder if self._log else None

    def phase(self, name: str, *, synchronize: Optional[Callable[[], object]] = None) -> Phase:
        """Return the context manager that times a phase; make it once, outside of the loop.

        synchronize  called at both ends (`torch.cuda.synchronize`); the column then says so
        raises       ValueError for a name that cannot be a column
        """
        return self._phases.named(name, synchronize)

    @overload
    def steps(self, source: int) -> Iterator[int]: ...

    @overload
    def steps(self, source: Iterable[Batch], limit: Optional[int] = None) -> Iterator[Batch]: ...

    def steps(self, source: Any, limit: Optional[int] = None) -> Iterator[Any]:
        """Yield each batch of a loader (or 0 to n-1 for an integer n) and record one step for each.

        A step begins where its batch is asked for and ends where the next one is; of a loader the wait
        is the phase data_loading. A step that is left by `break`, `return` or an exception is not
        recorded, for nothing says how much of it was done: give `limit` instead of breaking out.
        """
        if isinstance(source, int):
            return self._counted(source)
        return self._loaded(source if limit is None else itertools.islice(source, limit))

    def _counted(self, count: int) -> Iterator[int]:
        extend, events, now = self._extend, self._events, self._now
        begin = self._begin_loop()
        for number in range(count):
            self._begin = begin
            yield number
            end = now()
            if self._begin == begin:
                extend((STEP, begin, end))
                begin = end
            else:  # step() or mark_break() has ended it already
                begin = self._begin
            if len(events) > _FLUSH_EVENTS:
                self._wake.set()
        self._begin = begin

    def _loaded(self, source: Iterable[Batch]) -> Iterator[Batch]:
        extend, events, now = self._extend, self._events, self._now
        waiting = self._phases.waiting_kind()
        fetch = iter(source).__next__  # may start workers: part of the border, not of a step
        begin = asked = self._begin_loop()
        while True:
            self._begin = begin
            try:
                batch = fetch()
            except StopIteration:
                return
            extend((waiting, asked, perf_counter_ns()))
            yield batch
            asked = now()
            if self._begin == begin:
                extend((STEP, begin, asked))
                begin = asked
            else:
                begin = self._begin
            if len(events) > _FLUSH_EVENTS:
                self._wake.set()

    def _begin_loop(self) -> int:
        if self._recorded and self._marked != self._begin:
            self.mark_break("epoch")
        self._recorded = True
        if self._clock is not None:
            self._clock.begin()
        return self._now()

    def _synchronized_now(self) -> int:
        assert self._synchronize is not None
        self._synchronize()
        return perf_counter_ns()

    def step(self) -> None:
        """End a step here and begin the next: for loops that are not iterators.

        The first step begins at `start`, or at `mark_break` if that was called since.
        """
        end = self._now()
        self._extend((STEP, self._begin, end))
        self._begin = end
        self._recorded = True
        if len(self._events) > _FLUSH_EVENTS:
            self._wake.set()

    def samples(self, count: int) -> None:
        """Say how many samples the running step has; several calls within one step add up."""
        self._extend((SAMPLES, int(count), perf_counter_ns()))

    def tokens(self, count: int) -> None:
        """Say how many tokens the running step has; several calls within one step add up."""
        self._extend((TOKENS, int(count), perf_counter_ns()))

    def mark_break(self, name: str) -> None:
        """Declare that the time since the last step was not step time (evaluation, checkpoint, ...).

        Inside the body of `steps` this gives up the running step as well; use `pause` there.
        """
        end = self._now()
        self._extend((self._break_kind(name), self._begin, end))
        self._begin = self._marked = end
        if self._clock is not None:
            self._clock.begin()

    def pause(self, name: str) -> Phase:
        """Return a context manager whose time is not the running step's: `with pause("evaluation"):`."""
        return self._phases.pause(self._break_kind(name))

    def _break_kind(self, name: str) -> int:
        if name not in self._break_names:
            self._break_names.append(run_folder.check_break_name(name))
        return BREAK - self._break_names.index(name)

    def flush(self) -> bool:
        """Write what is recorded so far; also done every second without asking. False: the disk hangs."""
        if os.getpid() != self._pid:
            return True
        if not self._writing.acquire(timeout=_PATIENCE_SECONDS):
            return False
        try:
            # Both are atomic, and the training thread only ever adds at the end.
            events = self._events[:]
            del self._events[: len(events)]
            for at in range(0, len(events), _SLICE):
                if self._log:
                    self._log.write(self._rows.lines(events[at : at + _SLICE]))
            if events and self._log:
                is_synchronized = self._synchronize is not None
                self._log.describe(run_folder.clocks_of(self._columns, is_synchronized=is_synchronized))
        finally:
            self._writing.release()
        return True

    def _keep_writing(self) -> None:
        while not self._closed:
            self._wake.wait(_FLUSH_SECONDS)
            self._wake.clear()
            self.flush()

    def close(self, status: str = "complete", error: str = "") -> None:
        """Write the rest and say how the run ended; later calls and calls in a forked child do nothing.

        status  complete, failed, out_of_memory, cancelled
        error   one line, the reason
        """
        if self._closed or os.getpid() != self._pid:
            return
        with undisturbed(is_cancelled=status == "cancelled"):
            self._closed = True
            self._ending.forget()
            self._wake.set()
            if self._clock is not None:
                self._clock.finish(_PATIENCE_SECONDS)
            is_flushed = self.flush()
            if self._log:
                self._log.end(self._rows.rest() if is_flushed else None, status, error)

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close(*(("complete", "") if error is None else status_of(error)))


def _opened(about: dict[str, Any], logs: Path) -> Optional[RunLog]:
    """Return the log of this rank; None, and a word about it, where there can be none."""
    try:
        return RunLog.open(about, logs, place())
    except (OSError, ValueError) as error:
        complain(f"nothing is recorded: {error}")
        return None
