"""Record the steps of a training run: whole steps, their phases and the wait for data.

    recorder = Recorder.start(samples_per_step=32, item="image")
    for batch in recorder.steps(loader):
        train(batch)

The training thread only reads the clock and appends three integers per event to a list. A thread of the
recorder encodes them (`step_encoder`) and appends the lines to the log twice a second. So a kill loses at
most the last second, and a slow disk never delays a step.

Errors of the log never stop the training: the recorder warns once on stderr and stops recording. A wrong call
in the training gives a warning too. Only `start` raises, before anything is lost.
"""

import itertools
import math
import os
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from numbers import Integral
from pathlib import Path
from time import perf_counter_ns
from types import TracebackType
from typing import Any, Callable, Optional, TypeVar, Union, overload

from collectors.format_v1.case import Case, validate_case
from collectors.format_v1.run_folder import CALIBRATE_VARIABLE
from collectors.format_v1.steps_file import column_clocks, step_event_column
from collectors.machine.distributed import process_rank
from collectors.machine.torch_info import knows_contexts
from collectors.messages import warn
from collectors.recorder.calibration import (
    BLOCK_STEPS,
    WARMUP_STEPS,
    Block,
    estimate_cost,
    idle_class,
    is_recorded_block,
)
from collectors.recorder.cuda_events import CudaEvents
from collectors.recorder.exit_hooks import ExitHooks, hold_interrupts, status_of
from collectors.recorder.phases import Extend, Phase, PhaseRegistry, named
from collectors.recorder.profiling import MarkedPhase, choose_profiler
from collectors.recorder.run_writer import RunWriter
from collectors.recorder.step_encoder import BREAK, SAMPLES, SPAN, STEP, SYNC, TOKENS, StepEncoder
from collectors.recorder.timing import Timing, choose_timing, wait_for_devices, wait_interruptibly

Batch = TypeVar("Batch")

_FLUSH_SECONDS = 0.5
_FLUSH_INTEGERS = 3 * 5 * 1000  # the events of 1000 steps with four phases
_MAX_INTEGERS = 3 * 100_000  # more events than these wait for the writing thread: the training waits for it
_SLICE_INTEGERS = 3 * 500  # encoded at once, less than 1 ms
_SLICE_PAUSE_SECONDS = 1e-4  # only a thread that sleeps hands the interpreter over at once
_MAX_WRITE_SECONDS = 1.0  # a write that takes longer while the training waits ends the recording
_MAX_CLOSE_SECONDS = 5.0  # how long a failed training waits for the device, and each one for a hanging disk
_WINDOW = (20, 120)  # the steps after which the measured window of the default protocol begins and ends
_MAX_WAITS = 10  # breaks at whose ends the recorder waits for the devices: many short loops are not disturbed
_COUNT_LIMIT = 2**63  # of a cell in the log


class Recorder:
    """The recorder of one rank, for one thread. Create it with `Recorder.start`."""

    def __init__(self, writer: Optional[RunWriter], timing: Timing) -> None:
        self._writer = writer
        self._events: list[int] = []
        self._until_border = _WINDOW[0]  # recorded steps until the next wait for the devices; 0 or less: none
        self._extend: Extend = self._events.extend  # bound once; appending is atomic and needs no lock
        self._columns: list[str] = []
        self._now: Callable[[], int] = perf_counter_ns
        self._synchronize: Optional[Callable[[], object]] = None
        self._cuda_events: Optional[CudaEvents] = None
        if timing.kind == "synchronized":
            self._synchronize = wait_for_devices
            self._now = self._synchronized_now
        elif timing.kind == "events":
            self._columns.append(step_event_column())
            self._cuda_events = CudaEvents(timing.cuda, 0, self._events.extend)
            self._extend = self._cuda_events.extend
        self._phases = PhaseRegistry(self._columns, self._extend, self._cuda_events, self._synchronize)
        self._break_names: list[str] = []
        self._break_kinds: dict[object, int] = {}  # by the names in the calls of the script
        self._pid = os.getpid()
        self._is_closed = False
        self._has_warned = False  # about steps after that
        self._wake = threading.Event()
        self._writing = threading.Lock()
        self._encoder = StepEncoder(self._columns, self._break_names)
        self._borders_left = len(_WINDOW)
        # Each wait holds the training up, and only the clock of the host needs all of them.
        self._waits_left: float = math.inf if self._cuda_events is None else _MAX_WAITS
        self._has_waited = False  # for the devices
        self._has_recorded = False  # True: a new loop begins after a break
        self._last_break_end = -1
        self._dropped = 0  # steps that were not recorded, because a write hangs
        self.facts: dict[
            str, Any
        ] = {}  # about how the steps are recorded, for `run.json`; written at the end
        self._thread = threading.Thread(target=self._keep_writing, name="reportgen-recorder", daemon=True)
        self._thread.start()
        self._exit_hooks = ExitHooks(self.close)
        self._wait()
        self._begin = self._now()  # of the running step, or of the next one

    @classmethod
    def start(
        cls,
        *,
        samples_per_step: Optional[int] = None,
        item: Optional[str] = None,
        case: Optional[Case] = None,
        logs: Union[str, Path] = "logs/unnamed",
        tokens_per_step: Optional[int] = None,
        flops_per_step: Optional[int] = None,
        timing: Optional[str] = None,
        calibrate: Optional[bool] = None,
    ) -> "Recorder":
        """Start a run and return its recorder; call it immediately before the training loop.

        samples_per_step  samples in a step of this rank, for steps without a call of `samples`
        item              what a sample is: "image", "sequence", "token"
        case              factors of the run; the factors of the launcher take precedence
        logs              without a launcher: a new run folder is created below this one
        tokens_per_step   tokens in a step of this rank, for steps without a call of `tokens`
        flops_per_step    floating-point operations of the model in a step of this rank
        timing            "events" (of the CUDA device, in addition to the host's clock), "synchronized" (wait
                          for the device at each border) or "host"; None: the launcher's choice, otherwise
                          events if torch uses CUDA
        calibrate         leave every other block of steps unrecorded, and write the cost of the recorder into
                          `run.json`; None: the launcher's choice
        raises            ValueError for a case or a count that the format does not allow and for an unknown
                          timing; never for errors with files
        """
        chosen_timing = choose_timing(timing)
        script: dict[str, Any] = {"case": validate_case(case or {})}
        counts = {
            "samples_per_step": samples_per_step,
            "tokens_per_step": tokens_per_step,
            "flops_per_step": flops_per_step,
        }
        script.update((name, _count(name, count)) for name, count in counts.items() if count is not None)
        if item is not None:
            script["item"] = item
        writer = _open_writer(script, Path(logs))
        if calibrate is None:
            calibrate = os.environ.get(CALIBRATE_VARIABLE) == "1"
        chosen_profiler = choose_profiler(process_rank().rank) if writer else None  # else the rank is unknown
        if chosen_profiler is not None:
            return ProfilingRecorder(writer, chosen_timing, *chosen_profiler)
        return (CalibratingRecorder if calibrate else cls)(writer, chosen_timing)

    @property
    def folder(self) -> Optional[Path]:
        """The run folder; None if nothing is recorded."""
        return self._writer.folder if self._writer else None

    def phase(self, name: str, *, synchronize: Optional[Callable[[], object]] = None) -> Phase:
        """Return the context manager that times a phase; create it once, outside of the loop.

        name         lower-case letters, digits and _; others are replaced, with a warning
        synchronize  called at both ends (`torch.cuda.synchronize`); the column name says so
        """
        return self._phases.phase(name, synchronize)

    @overload
    def steps(self, source: int) -> Iterator[int]: ...

    @overload
    def steps(self, source: Iterable[Batch], limit: Optional[int] = None) -> Iterator[Batch]: ...

    def steps(self, source: Any, limit: Optional[int] = None) -> Iterator[Any]:
        """Yield each batch of a loader (or 0 to n-1 for an integer n) and record a step for each.

        A step begins when its batch is requested and ends when the next one is. The wait for a batch of a
        loader is the phase data_loading. A step that ends by `break`, `return` or an exception is not
        recorded, because it may be incomplete; use `limit` to stop early.
        """
        if isinstance(source, Integral):
            return self._count_steps(int(source) if limit is None else min(int(source), limit))
        return self._load_steps(source if limit is None else itertools.islice(source, limit))

    def _count_steps(self, count: int) -> Iterator[int]:
        extend, events, now = self._extend, self._events, self._now
        begin = self._begin_loop()
        counted = border = self._until_border  # a local variable saves 0.1 us per step
        try:
            for number in range(count):
                self._begin = begin
                yield number
                if self._begin == begin:
                    border -= 1
                    if not border:
                        border = self._wait_at_border()
                    end = now()
                    extend((STEP, begin, end))
                    begin = end
                else:
                    begin = self._begin_after(now())
                if len(events) > _FLUSH_INTEGERS:
                    self._relieve()
            self._begin = begin
            self._wait_after_loop()
        finally:
            self._until_border += border - counted

    def _load_steps(self, source: Iterable[Batch]) -> Iterator[Batch]:
        extend, events, now = self._extend, self._events, self._now
        data_loading = self._phases.data_loading_kind()
        fetch = iter(source).__next__  # may start worker processes, which belongs to no step
        begin = requested = self._begin_loop()
        counted = border = self._until_border
        try:
            while True:
                self._begin = begin
                try:
                    batch = fetch()
                except StopIteration:
                    self._wait_after_loop()
                    return
                extend((data_loading, requested, perf_counter_ns()))
                yield batch
                if self._begin == begin:
                    border -= 1
                    if not border:
                        border = self._wait_at_border()
                    requested = now()
                    extend((STEP, begin, requested))
                    begin = requested
                else:
                    requested = now()
                    begin = self._begin_after(requested)
                if len(events) > _FLUSH_INTEGERS:
                    self._relieve()
        finally:
            self._until_border += border - counted

    def _ignore_step(self) -> None:
        if not self._has_warned:
            self._has_warned = True
            warn("steps after the recorder was closed are not recorded; close it after the last loop")

    def _begin_loop(self) -> int:
        if self._is_closed:
            self._ignore_step()
        if self._has_recorded and self._last_break_end != self._begin:
            self.mark_break("epoch")
        if not self._has_recorded:
            self._wait()
        self._has_recorded = True
        if self._cuda_events is not None:
            self._cuda_events.begin_step()
        return self._now()

    def _begin_after(self, now: int) -> int:
        """Return where the next step of a loop begins if step() or mark_break() ended the one before.

        What follows a break in the body belongs to the step that the break has discarded.
        """
        if self._begin != self._last_break_end:
            return self._begin
        if self._cuda_events is not None:
            self._cuda_events.begin_step()
        return now

    def _synchronized_now(self) -> int:
        assert self._synchronize is not None
        self._synchronize()
        return perf_counter_ns()

    def step(self) -> None:
        """End a step and begin the next, for loops that do not use `steps`.

        The first step begins at `start`, or at the last `mark_break`.
        """
        self._until_border -= 1
        if not self._until_border:
            self._until_border = self._wait_at_border()
        end = self._now()
        self._extend((STEP, self._begin, end))
        self._begin = end
        self._has_recorded = True
        if len(self._events) > _FLUSH_INTEGERS:
            self._relieve()

    def _wait_at_border(self) -> int:
        """Wait for the devices where the measured window begins or ends; return the steps until the next one.

        The time between two such moments is known even if the events have not seen the work, and however far
        the host has queued work ahead of the device.
        """
        if self._cuda_events is not None:
            self._cuda_events.end_before_wait()
        self._wait()
        self._borders_left -= 1
        return _WINDOW[1] - _WINDOW[0] if self._borders_left else 0

    def _wait(self) -> None:
        """Wait for all devices; the wait is in the log, if there was anything to wait for."""
        begin = perf_counter_ns()
        if wait_for_devices():
            self._note_wait(begin, perf_counter_ns())

    def _note_wait(self, begin: int, end: int) -> None:
        self._extend((SYNC, begin, end))
        self._has_waited = True

    def _wait_before_break(self) -> None:
        """Wait for the devices before the end of the window: a break hides how far the host is ahead."""
        if self._borders_left and self._waits_left:
            self._wait()
        elif self._synchronize is not None:
            self._synchronize()

    def _wait_in_break(self) -> None:
        """Wait for what a break has queued: between two waits it would count as work of the next steps."""
        if self._borders_left and self._waits_left:
            self._waits_left -= 1
            wait_for_devices()
        elif self._synchronize is not None:
            self._synchronize()

    def _wait_after_loop(self) -> None:
        if self._borders_left and self._waits_left and not self._is_closed:
            wait = wait_interruptibly(lambda: False)
            if wait:
                self._note_wait(*wait)

    def samples(self, count: int) -> None:
        """Set the number of samples of the running step; several calls in a step add up."""
        self._add_count(SAMPLES, "samples", count)

    def tokens(self, count: int) -> None:
        """Set the number of tokens of the running step; several calls in a step add up."""
        self._add_count(TOKENS, "tokens", count)

    def _add_count(self, kind: int, name: str, count: Any) -> None:
        try:
            self._extend((kind, _count(name, count, _COUNT_LIMIT), perf_counter_ns()))
        except ValueError as error:
            if self._writer:
                self._writer.mark_partial(f"{error}; the work of this step is unknown, the run is partial")

    def mark_break(self, name: str) -> None:
        """Exclude the time since the last step (evaluation, checkpoint, ...) from the step times.

        In the body of `steps` this also discards the running step; use `pause` there.
        """
        self._wait_in_break()
        end = self._now()
        self._extend((self._break_kind(name), self._begin, end))
        self._begin = self._last_break_end = end
        if self._cuda_events is not None:
            self._cuda_events.begin_step()

    def pause(self, name: str) -> Phase:
        """Return a context manager that excludes time from the running step: `with pause("evaluation"):`."""
        return self._phases.pause(self._break_kind(name), self._wait_before_break, self._wait_in_break)

    def _break_kind(self, name: str) -> int:
        if name not in self._break_kinds:
            recorded = named("break", name)
            if recorded not in self._break_names:
                self._break_names.append(recorded)
            self._break_kinds[name] = BREAK - self._break_names.index(recorded)
        return self._break_kinds[name]

    def _relieve(self) -> None:
        """Wake the writing thread; wait for it if the training is faster than it can write.

        Only steps of a microsecond are. The wait is a break, and so in no step. If the thread hangs in a
        write, the recording ends here, because the memory of the host is not the recorder's.
        """
        self._wake.set()
        if len(self._events) <= _MAX_INTEGERS:
            return
        if not self._dropped:
            with self.pause("recorder"):
                step = -1
                while step != self._encoder.step:  # the thread is slow, but does not hang
                    step = self._encoder.step
                    if self.flush(_MAX_WRITE_SECONDS):
                        return
        self._drop()

    def _drop(self) -> None:
        """Discard the events that wait, and count their steps."""
        events = self._events[:]
        del self._events[: len(events)]
        self._dropped += events[::3].count(STEP)
        if self._writer:
            seconds = _MAX_WRITE_SECONDS
            self._writer.mark_partial(f"a write took more than {seconds:g} s; later steps are not recorded")

    def flush(self, max_seconds: float = _MAX_CLOSE_SECONDS) -> bool:
        """Write everything recorded so far (also done twice a second).

        max_seconds  to wait for a write in another thread. Returns False if that has not ended
        """
        if os.getpid() != self._pid:
            return True
        if not self._writing.acquire(timeout=max_seconds):
            return False
        try:
            if self._dropped:
                self._drop()
            # Both operations are atomic, and the training thread only appends.
            events = self._events[:]
            del self._events[: len(events)]
            for start in range(0, len(events), _SLICE_INTEGERS):
                if start and not self._is_closed:
                    time.sleep(_SLICE_PAUSE_SECONDS)
                if self._writer:
                    self._writer.write(self._encoder.encode(events[start : start + _SLICE_INTEGERS]))
            if events and self._writer:
                sync = "step" if self._synchronize else "window" if self._has_waited else "none"
                self._writer.describe_columns(column_clocks(self._columns, sync))
                if self._has_waited and knows_contexts():
                    self._writer.add_recorder_facts({"waits_for": "all_devices"})
                self._writer.describe_nested(list(self._encoder.nested_phases))
                if self._cuda_events is not None:
                    self._writer.describe_missing(self._cuda_events.missing)
        finally:
            self._writing.release()
        return True

    def _keep_writing(self) -> None:
        while not self._is_closed:
            self._wake.wait(_FLUSH_SECONDS)
            self._wake.clear()
            self.flush()

    def close(self, status: str = "complete", error: str = "") -> None:
        """Write the rest and the status of the run; does nothing in later calls and in forked processes.

        status  complete, failed, out_of_memory, cancelled
        error   the reason, one line
        """
        if self._is_closed or os.getpid() != self._pid:
            return
        begin = perf_counter_ns()
        with hold_interrupts(is_cancelled=status == "cancelled") as interrupts:
            if self._cuda_events is not None:
                # The hooks are still in place: SIGTERM ends this wait as it ends the training.
                max_seconds = None if status == "complete" else _MAX_CLOSE_SECONDS
                self._finish_events(self._cuda_events, max_seconds, interrupts)
            if status == "complete" and self._writer is not None:
                self._close_clock(begin, interrupts)
            self._is_closed = True
            self.step = self._ignore_step  # type: ignore[method-assign]  # costs a running training nothing
            self._exit_hooks.remove()
            self._wake.set()
            is_flushed = self.flush()
            if self._writer is None:
                return
            if status == "complete" and not self._encoder.step:
                status, error = "failed", "no step was recorded"
                warn(f"{self.folder}: {error}; call recorder.step() after each step, or use recorder.steps")
            if self.facts:
                self._writer.add_recorder_facts(self.facts)
            if self._dropped:
                self._writer.add_recorder_facts({"dropped_steps": self._dropped})
            self._writer.end(self._encoder.remaining_lines() if is_flushed else None, status, error)

    def _finish_events(
        self, cuda_events: CudaEvents, max_seconds: Optional[float], interrupts: Sequence[int]
    ) -> None:
        unfinished = cuda_events.finish(max_seconds, lambda: bool(interrupts))
        if unfinished and self._writer:
            self._writer.mark_partial(f"the device had not completed the last {unfinished} steps")

    def _close_clock(self, begin: int, interrupts: Sequence[int]) -> None:
        """Wait until all devices are idle: what they still do was in no event, and in no time of the host.

        begin  ns, when the recorder began to wait for its events
        """
        if interrupts:
            return
        wait = wait_interruptibly(lambda: bool(interrupts))
        if wait:
            # The device times of all steps have been passed on; this comes after the last one.
            self._events.extend((SYNC, begin, wait[1]))
            self._has_waited = True
        elif interrupts and self._writer:
            self._writer.mark_partial("the devices had not completed their work")

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close(*(("complete", "") if error is None else status_of(error)))


class CalibratingRecorder(Recorder):
    """A recorder that leaves every other block of steps unrecorded: `Recorder.start(calibrate=True)`.

    An unrecorded block becomes one line with a span.
    """

    def __init__(self, writer: Optional[RunWriter], timing: Timing) -> None:
        super().__init__(writer, timing)
        self._is_recording = True
        self._steps_left = WARMUP_STEPS  # in the running block
        self._blocks: list[Block] = []
        self._block_number = -1  # -1: warm-up
        self._block_begin = self._begin
        self._phase_classes: dict[int, Any] = {}  # the class of each phase while it records

    def step(self) -> None:
        """End a step; the last step of a block also ends the block."""
        self._steps_left -= 1
        if self._is_recording:
            super().step()
        else:
            self._until_border -= 1
            if not self._until_border:  # a block that is not recorded is one entry; only its end is a border
                self._until_border = 1 if self._steps_left else self._wait_at_border()
        if not self._steps_left:
            self._end_block(BLOCK_STEPS)

    def _end_block(self, size: int) -> None:
        if self._is_recording:
            self.flush()
        end = self._now()
        if not self._is_recording:
            self._extend((SPAN, size, end))
            self._extend((STEP, self._begin, end))
        if self._block_number >= 0 and size == BLOCK_STEPS:
            self._blocks.append(Block(self._is_recording, end - self._block_begin))
        self._block_number += 1
        self._begin_block(is_recording=is_recorded_block(self._block_number))

    def _begin_block(self, *, is_recording: bool) -> None:
        for phase in self._phases.by_column.values():
            recording_class = self._phase_classes.setdefault(id(phase), type(phase))
            phase.__class__ = recording_class if is_recording else idle_class(recording_class)
        self._is_recording, self._steps_left = is_recording, BLOCK_STEPS
        if self._cuda_events is not None:
            self._cuda_events.begin_step()
        self._begin = self._block_begin = self._now()

    def mark_break(self, name: str) -> None:
        """Declare a break; the running block is discarded and begins again."""
        super().mark_break(name)
        if self._block_number >= 0:
            self._begin_block(is_recording=self._is_recording)

    def _count_steps(self, count: int) -> Iterator[int]:
        self._begin = self._block_begin = self._begin_loop()
        for number in range(count):
            yield number
            self.step()
        self._end_loop()
        self._wait_after_loop()

    def _load_steps(self, source: Iterable[Batch]) -> Iterator[Batch]:
        data_loading = self._phases.data_loading_kind()
        fetch = iter(source).__next__
        self._begin = self._block_begin = self._begin_loop()
        while True:
            requested = self._now() if self._is_recording else 0
            try:
                batch = fetch()
            except StopIteration:
                self._end_loop()
                self._wait_after_loop()
                return
            if self._is_recording:
                self._extend((data_loading, requested, self._now()))
            yield batch
            self.step()

    def _end_loop(self) -> None:
        # The steps of an unrecorded block have no times; the ones done so far become one line.
        if not self._is_recording and self._steps_left < BLOCK_STEPS:
            self._end_block(BLOCK_STEPS - self._steps_left)

    def close(self, status: str = "complete", error: str = "") -> None:
        """Write the rest, the status, and the cost of the recorder."""
        if self._writer and not self._is_closed:
            self._writer.add_recorder_facts(estimate_cost(self._blocks))
        super().close(status, error)


class ProfilingRecorder(Recorder):
    """A recorder that profiles the first measured steps. Its run is not a repeat, and may be slow."""

    def __init__(self, writer: Optional[RunWriter], timing: Timing, profiler: Any, steps: int) -> None:
        self._profiler = profiler
        self._marked: dict[int, Phase] = {}
        self._number = 0  # of the running step, from 0
        self._first, self._end = _WINDOW[0], _WINDOW[0] + steps
        super().__init__(writer, timing)

    def phase(self, name: str, *, synchronize: Optional[Callable[[], object]] = None) -> Phase:
        """Return a phase that the profiler sees."""
        phase = super().phase(name, synchronize=synchronize)
        return self._marked.setdefault(id(phase), MarkedPhase(phase, partial(self._profiler.mark, name)))

    def step(self) -> None:
        """End a step; start or stop the profiler."""
        super().step()
        self._number += 1
        if self._number == self._first:
            self._profiler.start()
            self.mark_break("profiler")
        elif self._number == self._end:
            self._stop_profiler()
            self.mark_break("profiler")

    def _stop_profiler(self) -> None:
        self.facts["profiled_steps"] = self._number - self._first
        self._end = 0
        if self.folder is not None:
            try:
                self._profiler.stop(self.folder)
            except OSError as error:
                warn(f"{self.folder}: the profile could not be written: {error.strerror}")

    def _count_steps(self, count: int) -> Iterator[int]:
        self._begin = self._begin_loop()
        for number in range(count):
            yield number
            self.step()
        self._wait_after_loop()

    def _load_steps(self, source: Iterable[Batch]) -> Iterator[Batch]:
        data_loading = self._phases.data_loading_kind()
        fetch = iter(source).__next__
        self._begin = self._begin_loop()
        while True:
            requested = self._now()
            try:
                batch = fetch()
            except StopIteration:
                self._wait_after_loop()
                return
            self._extend((data_loading, requested, self._now()))
            yield batch
            self.step()

    def close(self, status: str = "complete", error: str = "") -> None:
        """Write the rest and the status; a profile that is still running ends here."""
        if not self._is_closed and os.getpid() == self._pid:
            if self._first <= self._number < self._end:
                self._stop_profiler()
            elif self._end and status == "complete":
                warn(f"the loop has {self._number} steps; the profile begins after step {self._first}")
        super().close(status, error)


def _count(name: str, count: Any, limit: float = math.inf) -> int:
    """Return a count as an integer; raises ValueError unless it is whole, not negative, below `limit`."""
    try:
        number = int(count)
        if number == count and 0 <= number < limit:
            return number
    except (TypeError, ValueError, OverflowError):
        pass
    bound = "of at least 0" if limit == math.inf else f"from 0 to {limit:.3g}"
    raise ValueError(f"{name}: {str(count)[:40]} is not a count; use a whole number {bound}")


def _open_writer(script: dict[str, Any], logs: Path) -> Optional[RunWriter]:
    """Return the writer of this rank; warn and return None if it cannot be opened."""
    try:
        return RunWriter.open(script, logs, process_rank())
    except OSError as error:
        reason = f"{error.filename}: {error.strerror}; use another folder" if error.filename else str(error)
    except ValueError as error:
        reason = str(error)
    warn(f"nothing is recorded: {reason}")
    return None
