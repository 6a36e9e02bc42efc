"""Build a Run: `ResultRun` from results, `RunBuilder` from the columns of a text log.

Programs print the same quantities in different words. This module has what they share once a reader has
parsed the words: each step once, how many steps a line covers, step times from timestamps, and the Run with
its status.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np
from msgspec import structs
from numpy.typing import ArrayLike, NDArray

from reportgen.core.metrics import METRICS
from reportgen.core.model import (
    STEP,
    Aggregate,
    Break,
    Clock,
    Factors,
    FactorValue,
    Finding,
    FloatArray,
    IntArray,
    Rounded,
    Run,
    Series,
    Source,
    Status,
    Telemetry,
)
from reportgen.core.rules import Rule
from reportgen.formats.parsing.exit_status import ending
from reportgen.formats.parsing.text_log import Records, TextLog
from reportgen.formats.parsing.timestamps import WallTime, utc
from reportgen.sources.logfiles import LogFiles

# From fewer numbers, their last digit is not known.
_MIN_NUMBERS = 10


def once(step: IntArray) -> IntArray:
    """Return the positions of the first record of each step, in log order: every rank logs it."""
    _, first = np.unique(step, return_index=True)
    return np.sort(first).astype(np.int64)


def spans(position: IntArray, epoch: IntArray | None = None) -> IntArray:
    """Return how many steps each line covers, for logs that print averages since the previous line.

    position  steps done when the line was printed, since the start of its epoch if `epoch` is given

    The first line, and the first after a restart, covers as many steps as most lines do, or as many as were
    done if fewer. The first line of a later epoch covers that epoch so far.
    """
    if not len(position):
        return position
    apart = np.diff(position)
    same = np.ones(len(apart), dtype=bool) if epoch is None else np.diff(epoch) == 0
    forward = apart[(apart > 0) & same]
    usual = int(np.bincount(np.minimum(forward, 10**6)).argmax()) if len(forward) else 1
    fresh = np.where(same, np.minimum(usual, position[1:]), position[1:])
    first = min(int(position[0]), usual)
    covered = np.concatenate(([first], np.where((apart > 0) & same, apart, fresh)))
    return np.maximum(covered, 1).astype(np.int64)


def in_epochs(epoch: IntArray, position: IntArray, length: IntArray) -> IntArray:
    """Return step numbers from the start of the first epoch in the log, of positions from 1 in each."""
    if not len(epoch):
        return position
    before: IntArray = np.clip(epoch - epoch[0], 0, 10**6) * np.minimum(length, 10**9)
    return before + position


def make_series(
    metric: str,
    clock: Clock,
    step: ArrayLike,
    value: ArrayLike,
    source: Source,
    *,
    span: ArrayLike = 1,
    begin: ArrayLike = np.nan,
    samples: ArrayLike = np.nan,
    line: ArrayLike = 0,
    **others: Any,
) -> Series:
    """Return a series; a column may be given as one number for all steps. `others` are fields of a series."""
    n = len(np.asarray(step))
    counts = {"step": step, "span": span, "line": line}
    numbers = {"begin": begin, "value": value, "samples": samples}
    for columns, kind in ((counts, np.int64), (numbers, np.float64)):
        arrays = {name: np.asarray(values, dtype=kind) for name, values in columns.items()}
        others |= {name: array if array.ndim else np.full(n, array) for name, array in arrays.items()}
    return Series(metric, clock=clock, source=source, **others)


@dataclass(slots=True)
class ResultRun:
    """A run under construction; a log that holds results needs no more than this."""

    format: str
    id: str
    source: Source
    factors: dict[str, FactorValue] = field(default_factory=dict)
    environment: dict[str, FactorValue] = field(default_factory=dict)
    repeat: int | None = None
    ranks: int | None = None
    started: float | None = None
    started_clock: str = ""
    clock_zero: float | None = None
    ended: float | None = None
    round: tuple[int, int] | None = None
    machines: frozenset[str] = frozenset()
    command: str = ""
    profiler: str = ""
    status: Status = "complete"
    samples_per_step: float | None = None
    series: list[Series] = field(default_factory=list)
    aggregates: list[Aggregate] = field(default_factory=list)
    telemetry: tuple[Telemetry, ...] = ()
    findings: list[Finding] = field(default_factory=list)

    @classmethod
    def of_file(
        cls, format: str, files: LogFiles, line: int = 0, number: int | None = None, **factors: FactorValue
    ) -> "ResultRun":
        """Start the run at a line of the only file of a view; `number` if the file holds several runs."""
        return ResultRun(format, files.id(files.path, number), files.source(files.path, line), factors)

    def add_aggregate(
        self,
        metric: str,
        value: float,
        original: str,
        statistic: str = "mean",
        n: int = 0,
        line: int | None = None,
        *,
        phase: str = STEP,
        source: Source | None = None,
        only_finite: bool = True,
        time: float | None = None,
        unit: str = "",
        spread: float | None = None,
        is_rounded: bool = False,
    ) -> None:
        """Add a number that the program has reduced itself; one that is not finite is left out.

        line         in the file of the run
        source       for a number from another file
        only_finite  False to keep it, so that a finding says that it is not a number
        time         s of work that a rate was measured over, if the log says it
        unit         base unit of the value, for a metric that METRICS does not list
        spread       what the log states beside the value, as in `12.3 ± 0.4`
        is_rounded   whether 0 was measured: no work, or less than the last digit
        """
        if only_finite and not np.isfinite(value):
            return
        source = source or (self.source if line is None else structs.replace(self.source, line=line))
        self.aggregates.append(
            Aggregate(
                metric,
                phase=phase,
                value=value,
                original=original,
                statistic=statistic,
                n=n,
                source=source,
                unit="" if metric in METRICS else unit,
                time=time,
                spread=spread,
                is_rounded=is_rounded,
            )
        )

    def set_start(self, time: WallTime | None) -> None:
        """Set when the run began, unless it is known; a local time can be compared in its own log only."""
        if time and self.started is None:
            self.started, self.started_clock = time.seconds, "" if time.is_utc else self.source.path

    def note(self, rule: Rule, message: str, source: Source | None = None) -> None:
        """Add a warning about the run."""
        self.findings.append(Finding("warning", rule, self.id, message, source or self.source))

    def run(self, number: int | None = None) -> Run:
        """Return the run; None and empty values are left out of its factors and environment.

        number  of the run, in a log that holds several
        """
        return Run(
            self.id if number is None else f"{self.id}#{number}",
            self.format,
            self.source,
            known(self.factors),
            known(self.environment),
            repeat=self.repeat,
            ranks=self.ranks,
            started=self.started,
            started_clock=self.started_clock,
            clock_zero=self.clock_zero,
            ended=self.ended,
            round=self.round,
            machines=self.machines,
            command=self.command,
            profiler=self.profiler,
            status=self.status,
            samples_per_step=self.samples_per_step,
            series=tuple(self.series),
            aggregates=tuple(self.aggregates),
            telemetry=self.telemetry,
            findings=tuple(self.findings),
        )


class RunBuilder(ResultRun):
    """The run of a text log under construction; `step` and `line` are columns of the records of `add`.

    last        offset after the last record: errors count from here on
    has_result  whether the program printed its final result; None for programs that print none
    """

    def __init__(
        self,
        log: TextLog,
        format: str,
        step: IntArray | None = None,
        line: IntArray | None = None,
        last: int = 0,
        *,
        factors: dict[str, FactorValue] | None = None,
        samples_per_step: float | None = None,
        breaks: tuple[Break, ...] = (),
        has_result: bool | None = None,
    ) -> None:
        super().__init__(format, log.id, log.source, factors or {}, samples_per_step=samples_per_step)
        self.log, self.last, self.breaks, self.has_result = log, last, breaks, has_result
        self.step = np.zeros(0, dtype=np.int64) if step is None else step
        self.line = np.zeros(0, dtype=np.int64) if line is None else line
        self._stepless: set[int] = set()  # lines of records without a step

    def set_start_before(self, records: Records, width: int = 90) -> WallTime | None:
        """Set when the run began by the date before the first record in its line, and return that date."""
        first = self.log.time_before(int(records.begin[0]), width) if len(records) else None
        self.set_start(first)
        return first

    def add(
        self,
        metric: str,
        value: FloatArray,
        clock: Clock,
        *,
        phase: str = STEP,
        span: IntArray | None = None,
        samples: FloatArray | None = None,
        rounding: float = 0.0,
        rounded: Rounded = "each",
    ) -> None:
        """Add a series over all records; `span` defaults to 1, `samples` to unknown.

        rounding, rounded  as of Series

        Steps count from 1: a record of step 0, or without steps, is left out and reported.
        """
        # Runs are sent between processes: an array that occurs twice is sent once.
        unknown = np.full(len(self.step), np.nan)
        span = np.ones(len(self.step), dtype=np.int64) if span is None else span
        samples = unknown if samples is None else samples
        has_step = (self.step >= 1) & (span >= 1)
        if not has_step.all():
            self._stepless.update(self.line[~has_step].tolist())
        columns = {"step": self.step, "span": span, "begin": unknown, "samples": samples, "line": self.line}
        before = len(self.series)
        self._add(metric, clock, has_step, phase, value=value, **columns)
        self.series[before:] = [
            structs.replace(series, rounding=rounding, rounded=rounded) for series in self.series[before:]
        ]

    def _add(
        self, metric: str, clock: Clock, keep: NDArray[np.bool_], phase: str = STEP, **columns: Any
    ) -> None:
        """Add a series of the records to keep, if one of them has a value."""
        if not keep.all():
            columns = {name: column[keep] for name, column in columns.items()}
        if not np.isfinite(columns["value"]).any():
            return
        series = Series(metric, phase=phase, clock=clock, source=self.source, breaks=self.breaks, **columns)
        self.series.append(series)

    def work(self, span: IntArray) -> FloatArray | None:
        """Return the samples in entries that cover these steps, None if the samples of a step are unknown."""
        return None if self.samples_per_step is None else span.astype(np.float64) * self.samples_per_step

    def add_stamps(
        self, stamp: FloatArray, work: FloatArray | float | None = None, first: WallTime | None = None
    ) -> None:
        """Add step times from the timestamps (s) of the records; the first record has no time of its own.

        A step that is logged several times in a row (one line for each metric, an update that is repeated)
        ends with its last record. Records without a timestamp and those out of order are left out.

        work   samples in the steps since the record before, or in each step; unknown if not given
        first  date of the first record, if the timestamps count from it and not from 1970
        """
        (at,) = np.isfinite(stamp).nonzero()
        is_repeated = self.step[at[1:]] == self.step[at[:-1]]
        if is_repeated.any():
            at = np.concatenate((at[:-1][~is_repeated], at[-1:]))
        if len(at) < 2:
            return
        step, t = self.step[at], stamp[at]
        self._set_clock_zero(float(t[0]), first if np.isfinite(stamp[0]) else None)
        span, time = step[1:] - step[:-1], t[1:] - t[:-1]
        if isinstance(work, np.ndarray):
            samples = np.add.reduceat(work[: at[-1] + 1], at[:-1] + 1)
        else:
            samples = span * (np.nan if work is None else work)
        columns = {"step": step[1:], "span": span, "begin": t[:-1] - t[0], "samples": samples}
        keep = (span > 0) & (time >= 0)
        self._add("step_time", "timestamp", keep, value=time, line=self.line[at[1:]], **columns)

    def _set_clock_zero(self, stamp: float, first: WallTime | None) -> None:
        """Set the time of the first stamp; with the date of another clock than the start's it is unknown."""
        if first and first.is_utc == (not self.started_clock):
            self.clock_zero = first.seconds + stamp
        elif not first and (time := utc(stamp)):
            self.clock_zero = time.seconds

    def run(self, number: int | None = None) -> Run:
        """Return the run; the text after the last record decides its status."""
        last_step = int(self.step[-1]) if len(self.step) else 0
        if self.started is None:
            self.clock_zero = None  # whether it is in UTC is unknown
        if self._stepless:
            self.log.malformed.add(min(self._stepless), "a record without a step", len(self._stepless))
        is_measured = bool(last_step or self.aggregates)
        ended = ending(self.log, self.last, last_step, is_measured=is_measured, has_result=self.has_result)
        # A reader's own finding of this rule is more specific.
        rules = {finding.rule for finding in self.findings}
        others = [finding for finding in ended.findings if finding.rule not in rules]
        self.status = ended.status
        self.findings = [*self.log.malformed.findings(), *self.findings, *others]
        return super().run(number)


def last_digit(values: FloatArray) -> float:
    """Return the last digit of printed numbers, 0.001 for 0.316, by the one with most; 0 if they are few.

    Final zeros are unknown in numbers from JSON: a tenth of all numbers has one.
    """
    finite = values[np.isfinite(values)].tolist()
    if len(finite) < _MIN_NUMBERS:
        return 0.0
    decimals = max(-int(Decimal(repr(value)).normalize().as_tuple().exponent) for value in finite)
    return 10.0 ** -max(decimals, 0)


def known(table: Mapping[str, FactorValue | None]) -> Factors:
    """Return a table without its None and empty values."""
    return {name: value for name, value in table.items() if value is not None and value != ""}


def common_work(
    rate: FloatArray, time: FloatArray, time_error: float | FloatArray, rate_error: float
) -> float | None:
    """Return the work per step, an integer, from printed rates and times that are both rounded.

    Each line limits the work to the rounding error of rate x time; all lines together leave a few integers.
    If they differ by at most a ten-thousandth, return the one with the most factors of two (batches of
    tokens are products of powers of two, and any choice is as close), else None.
    """
    low = np.ceil(np.nanmax((rate - rate_error) * (time - time_error), initial=-np.inf))
    high = np.floor(np.nanmin((rate + rate_error) * (time + time_error), initial=np.inf))
    if not 1 <= low <= high < 2**53:
        return None
    if low == high:
        return float(low)
    if (high - low) / low > 1e-4:
        return None
    power = 1 << int(high - low + 1).bit_length()
    while power > 1 and int(high) // power * power < low:
        power //= 2
    return float(int(high) // power * power)


def per_device(global_batch: float | None, devices: int | None) -> dict[str, FactorValue]:
    """Return batch size and device count as factors; the batch is per device if both are known and divide."""
    factors: dict[str, FactorValue] = {} if not devices else {"devices": devices}
    if global_batch is None:
        return factors
    batch = int(global_batch)
    if devices and batch % devices == 0:
        return {"batch_size": batch // devices, **factors}
    return {"global_batch_size": batch, **factors}


def epoch_breaks(ends: Iterable[int]) -> tuple[Break, ...]:
    """Return the breaks of epochs that end with these steps."""
    return tuple(Break(int(step), "epoch") for step in ends)
