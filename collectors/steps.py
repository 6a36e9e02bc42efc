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
from pathlib import Path
from time import perf_counter_ns
from types import TracebackType
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Type, TypeVar, Union, overload

from collectors import logfolder
from collectors.ending import Ending, status_of
from collectors.ranks import place
from collectors.rows import BREAK, SAMPLES, STEP, Rows
from collectors.runlog import RunLog, complain

Batch = TypeVar("Batch")
Extend = Callable[[Iterable[int]], None]

_FLUSH_SECONDS = 1.0
_FLUSH_EVENTS = 3 * 5 * 1000  # 1000 steps with four phases
_SLICE = 3 * 500  # formatted in one go; between slices a waiting training thread gets the interpreter
_PATIENCE_SECONDS = 5.0  # how long the end of the training waits for a disk that hangs


class Phase:
    """A part of a step: `with phase:`, as often as wanted, but not inside itself."""

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


class Recorder:
    """The recorder of one rank. Make it with `Recorder.start`; not for use from several threads."""

    def __init__(self, log: Optional[RunLog]) -> None:
        self._log = log
        self._events: List[int] = []
        self._extend: Extend = self._events.extend  # bound once; appending is atomic, so no lock is needed
        self._columns: List[str] = []
        self._break_names: List[str] = []
        self._phases: Dict[str, Phase] = {}
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
        self._begin = perf_counter_ns()  # of the step that is running or comes next

    @classmethod
    def start(
        cls,
        *,
        samples_per_step: Optional[int] = None,
        item: Optional[str] = None,
        case: Optional[logfolder.Case] = None,
        logs: Union[str, Path] = "logs/unnamed",
    ) -> "Recorder":
        """Begin a run and return its recorder; call it immediately before the training loop.

        samples_per_step  work of one step of this rank, where `samples` does not say otherwise
        item      what one sample is: "image", "sequence", "token"
        case      factors that the experimenter chose; those given to the launcher win
        logs      without a launcher: a new run folder is made below this one
        raises    ValueError for a case the log has no place for; never because of files
        """
        about: Dict[str, Any] = {"case": logfolder.check_case(case or {})}
        if samples_per_step is not None:
            about["samples_per_step"] = int(samples_per_step)
        if item is not None:
            about["item"] = item
        try:
            log = RunLog.open(about, Path(logs), place())
        except OSError as error:
            complain(f"nothing is recorded: {error}")
            log = None
        return cls(log)

    @property
    def folder(self) -> Optional[Path]:
        """The run folder; None when nothing is recorded."""
        return self._log.folder if self._log else None

    def phase(self, name: str, *, synchronize: Optional[Callable[[], object]] = None) -> Phase:
        """Return the context manager that times a phase; make it once, outside of the loop.

        synchronize  called at both ends (`torch.cuda.synchronize`); the column then says so
        raises       ValueError for a name that cannot be a column
        """
        column = logfolder.phase_column(name, "host_synchronized" if synchronize else "host")
        if column not in self._phases:
            kind = len(self._columns)
            if synchronize is None:
                self._phases[column] = Phase(kind, self._extend)
            else:
                self._phases[column] = SynchronizedPhase(kind, self._extend, synchronize)
            self._columns.append(column)
        return self._phases[column]

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
        extend, events, now = self._extend, self._events, perf_counter_ns
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
        extend, events, now = self._extend, self._events, perf_counter_ns
        self.phase("data_loading")
        waiting = self._columns.index(logfolder.phase_column("data_loading", "host"))
        fetch = iter(source).__next__  # may start workers: part of the border, not of a step
        begin = asked = self._begin_loop()
        while True:
            self._begin = begin
            try:
                batch = fetch()
            except StopIteration:
                return
            extend((waiting, asked, now()))
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
        return perf_counter_ns()

    def step(self) -> None:
        """End a step here and begin the next: for loops that are not iterators.

        The first step begins at `start`, or at `mark_break` if that was called since.
        """
        end = perf_counter_ns()
        self._extend((STEP, self._begin, end))
        self._begin = end
        self._recorded = True
        if len(self._events) > _FLUSH_EVENTS:
            self._wake.set()

    def samples(self, count: int) -> None:
        """Say how many samples the running step has; several calls within one step add up."""
        self._extend((SAMPLES, int(count), perf_counter_ns()))

    def mark_break(self, name: str) -> None:
        """Declare that the time since the last step was not step time (evaluation, checkpoint, ...).

        Inside the body of `steps` this gives up the running step as well; use `pause` there.
        """
        end = perf_counter_ns()
        self._extend((self._break_kind(name), self._begin, end))
        self._begin = self._marked = end

    def pause(self, name: str) -> Phase:
        """Return a context manager whose time is not the running step's: `with pause("evaluation"):`."""
        return Phase(self._break_kind(name), self._extend)

    def _break_kind(self, name: str) -> int:
        if name not in self._break_names:
            self._break_names.append(logfolder.check_break_name(name))
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
        self._closed = True
        self._ending.forget()
        self._wake.set()
        is_flushed = self.flush()
        if self._log:
            self._log.end(self._rows.rest() if is_flushed else None, status, error)

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close(*(("complete", "") if error is None else status_of(error)))
