"""Put the run of a trainer's log together from columns of step numbers, times and rates.

Every trainer prints the same few things in its own words; what they have in common once the words are gone
stands here: each step once, how many steps a line covers, times from timestamps, and the Run at the end.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

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
    Run,
    Series,
)
from reportgen.formats.parsing.exit_status import ending
from reportgen.formats.parsing.step_series import where
from reportgen.formats.parsing.text_log import TextLog


def once(step: IntArray) -> IntArray:
    """Return the positions of the first record of every step, as logged: ranks repeat each other."""
    _, first = np.unique(step, return_index=True)
    return np.sort(first).astype(np.int64)


def spans(position: IntArray, epoch: IntArray | None = None) -> IntArray:
    """Return the steps that lines cover which stand for everything since the line before.

    position  steps done when the line was printed, since the begin of its epoch if `epoch` is given

    The first line, and one after a restart, covers what lines usually cover, or all there was before it; the
    first of a later epoch covers all of that epoch.
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
    """Return step numbers counted from the begin of the first epoch in the log, positions from 1."""
    if not len(epoch):
        return position
    before: IntArray = np.clip(epoch - epoch[0], 0, 10**6) * np.minimum(length, 10**9)
    return before + position


@dataclass(slots=True)
class RunBuilder:
    """A run being put together; `step` and `line` belong to the records of the log.

    last      offset behind the last record of a step, from which on an error counts
    stepless  lines of records that stand for no step
    """

    log: TextLog
    format: str
    step: IntArray
    line: IntArray
    last: int = 0
    series: list[Series] = field(default_factory=list)
    aggregates: list[Aggregate] = field(default_factory=list)
    factors: dict[str, FactorValue] = field(default_factory=dict)
    environment: dict[str, FactorValue] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    samples_per_step: float | None = None
    breaks: tuple[Break, ...] = ()
    stepless: set[int] = field(default_factory=set)

    def add(
        self,
        metric: str,
        value: FloatArray,
        clock: Clock,
        *,
        phase: str = STEP,
        span: IntArray | None = None,
        samples: FloatArray | None = None,
    ) -> None:
        """Add a series over all records; `span` is 1 and `samples` unknown where not given.

        Steps count from 1: a record of step 0, or of no steps, is left out and noted.
        """
        span = np.ones_like(self.step) if span is None else span
        samples = np.full(len(self.step), np.nan) if samples is None else samples
        keep = (self.step >= 1) & (span >= 1)
        self.stepless.update(self.line[~keep].tolist())
        step, span, value, samples, line = where(keep, self.step, span, value, samples, self.line)
        if not np.isfinite(value).any():
            return
        begin = np.full(len(step), np.nan)
        self.series.append(
            Series(
                metric,
                phase=phase,
                clock=clock,
                step=step,
                span=span,
                begin=begin,
                value=value,
                samples=samples,
                line=line,
                source=self.log.source,
                breaks=self.breaks,
            )
        )

    def work(self, span: IntArray) -> FloatArray | None:
        """Return the samples in entries that cover these steps, None where a step's are unknown."""
        return None if self.samples_per_step is None else span.astype(np.float64) * self.samples_per_step

    def add_stamps(self, stamp: FloatArray, work: FloatArray | None = None) -> None:
        """Add step times from the timestamps (s) of the records; the first has no time of its own.

        work  samples in the steps since the record before
        """
        if len(stamp) < 2:
            return
        span, time = np.diff(self.step), np.diff(stamp)
        keep = (span > 0) & (time >= 0)
        if not keep.any():
            return
        samples = np.full(len(stamp), np.nan) if work is None else work
        self.series.append(
            Series(
                "step_time",
                clock="timestamp",
                step=self.step[1:][keep],
                span=span[keep],
                begin=stamp[:-1][keep] - stamp[0],
                value=time[keep],
                samples=samples[1:][keep],
                line=self.line[1:][keep],
                source=self.log.source,
                breaks=self.breaks,
            )
        )

    def add_aggregate(
        self,
        metric: str,
        value: float,
        original: str,
        statistic: str,
        n: int,
        line: int,
        *,
        phase: str = STEP,
    ) -> None:
        """Add a number that the log had already reduced; one that is not finite is left out."""
        if np.isfinite(value):
            source = self.log.files.source(self.log.path, line)
            self.aggregates.append(
                Aggregate(
                    metric,
                    phase=phase,
                    value=value,
                    original=original,
                    statistic=statistic,
                    n=n,
                    source=source,
                )
            )

    def run(self, number: int | None = None) -> Run:
        """Return the run, with its status from what the log says after the last step."""
        last_step = int(self.step[-1]) if len(self.step) else 0
        if self.stepless:
            self.log.malformed.add(min(self.stepless), "a record of no step", len(self.stepless))
        ended = ending(self.log, self.last, last_step or int(bool(self.aggregates)))
        # What a reader said of an incomplete log explains it better than that there is no step.
        said = {one.rule for one in self.findings}
        others = [one for one in ended.findings if one.rule not in said]
        findings = (*self.log.malformed.findings(), *self.findings, *others)
        return Run(
            self.log.files.id(self.log.path, number),
            self.format,
            self.log.source,
            known(self.factors),
            known(self.environment),
            status=ended.status,
            samples_per_step=self.samples_per_step,
            series=tuple(self.series),
            aggregates=tuple(self.aggregates),
            findings=findings,
        )


def known(table: Mapping[str, FactorValue | None]) -> Factors:
    """Return a table without the entries that are None or empty."""
    return {name: value for name, value in table.items() if value is not None and value != ""}


def common_work(
    rate: FloatArray, time: FloatArray, time_error: float | FloatArray, rate_error: float
) -> float | None:
    """Return the work per step, a whole number, from printed rates and times, both rounded.

    Every line says that the work lies within the rounding of rate x time; all lines together leave a few
    whole numbers. One is the answer. Of several the one with most factors of two is, if they are within
    a ten-thousandth of each other (batches of tokens are products of powers of two, and no other choice could
    be further off than that); else None.
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
    """Return batch size and device count as factors: per device where both are known and fit."""
    found: dict[str, FactorValue] = {} if not devices else {"devices": devices}
    if global_batch is None:
        return found
    whole = int(global_batch)
    if devices and whole % devices == 0:
        return {"batch_size": whole // devices, **found}
    return {"global_batch_size": whole, **found}


def epoch_breaks(ends: Iterable[int]) -> tuple[Break, ...]:
    """Return the borders of epochs after these steps."""
    return tuple(Break(int(step), "epoch") for step in ends)
