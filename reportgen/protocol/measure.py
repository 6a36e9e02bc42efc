"""Reduce one run to one number under a protocol, by the strongest evidence that its log has.

`attempt` answers with a Measurement or with the findings that say why there is none; `measure` is
the same without the reasons. In order: steps, intervals, what the log had already reduced. A step
time is the time of the window over its steps, a throughput the work of the window over its time;
over the ranks of a synchronous run time is the maximum of the ranks' totals, and samples add up.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from reportgen.metrics import metric as metric_of
from reportgen.model import STEP, Aggregate, Evidence, Finding, Measurement, Run, Series, Source, Window
from reportgen.protocol import checks, devices
from reportgen.protocol.entries import Entries, entries, total, within
from reportgen.protocol.evidence import NO_TOTALS, Totals, adds_up, aggregate_of, parts, series_of
from reportgen.protocol.rule import Protocol
from reportgen.protocol.window import Laid, lay

# These ended in a way that says nothing about speed.
FAILED = ("failed", "out_of_memory", "cancelled")

Attempt = tuple[Measurement | None, tuple[Finding, ...]]


@dataclass(frozen=True, slots=True)
class _Request:
    """What is asked of a run; names  the phases that add up to the one asked for."""

    run: Run
    metric: str
    names: tuple[str, ...]
    protocol: Protocol


def measure(
    run: Run, metric: str, phase: str, protocol: Protocol, totals: Totals = NO_TOTALS
) -> Measurement | None:
    """Return one run as one number in the base unit of the metric, or None where it has none.

    phase     `step` for the whole step, a phase, or a name in `totals`
    totals    total -> phases that add up to it
    returns   None if the log has nothing of the kind, if no step is left after the warm-up, if the run
              failed, and if it was interrupted before the window was full
    """
    return attempt(run, metric, phase, protocol, totals)[0]


def attempt(run: Run, metric: str, phase: str, protocol: Protocol, totals: Totals = NO_TOTALS) -> Attempt:
    """Return the measurement of a run, or None with the findings that say why there is none."""
    if run.status in FAILED:
        return None, (_failed(run),)
    if protocol.strict and (damaged := [one for one in run.findings if one.rule == "read.malformed-line"]):
        return None, tuple(damaged)
    found = _strongest(run, metric, phase, protocol, totals)
    if found is None:
        return None, _why_nothing(run, metric, phase, protocol, totals)
    measurement, is_full = found
    if run.status == "complete":
        return measurement, ()
    if not is_full:
        return None, (_incomplete(run, "before the measured steps were complete: does not enter the median"),)
    window = measurement.window
    where = f"steps {window.first}..{window.last} are there" if window else "no steps tell what is missing"
    finding = _incomplete(run, f"but measured: {where}")
    return replace(measurement, findings=(finding, *measurement.findings)), ()


def _incomplete(run: Run, consequence: str) -> Finding:
    state = "interrupted" if run.status == "running" else "incomplete"
    return Finding("warning", "read.incomplete-run", run.id, f"{state}, {consequence}", run.source)


def _failed(run: Run) -> Finding:
    """Return what the reader said of the failure, which knows more of it, or that there was one."""
    what = run.status.replace("_", " ")
    message = f"ended as {what}: does not enter the median"
    said = (one for one in run.findings if one.rule == "read.failed-run")
    return next(said, Finding("warning", "read.failed-run", run.id, message, run.source))


def _why_nothing(
    run: Run, metric: str, phase: str, protocol: Protocol, totals: Totals
) -> tuple[Finding, ...]:
    if run.status != "complete":
        return (_incomplete(run, f"without a value of {metric} ({phase}): does not enter the median"),)
    names = (*parts(phase, totals), STEP)
    steps = [one for one in run.series if one.phase in names]
    if not steps:
        return ()
    last = max((int(one.step.max()) for one in steps if len(one.step)), default=0)
    if last > protocol.warmup:
        return ()
    message = f"the log ends at step {last}, within the warm-up of {protocol.warmup}"
    return (Finding("warning", "protocol.short-window", run.id, message, run.source),)


def _strongest(
    run: Run, metric: str, phase: str, protocol: Protocol, totals: Totals
) -> tuple[Measurement, bool] | None:
    """Return the measurement by the strongest evidence, and whether its window is full."""
    names = parts(phase, totals)
    request = _Request(run, metric, names, protocol)
    for one in _BY_STEPS.get(metric, (_by_value,)):
        found = one(request)
        if found is not None:
            return found
    sampled = devices.reduce(run, metric, protocol) if names == (STEP,) else None
    if sampled is not None:
        return sampled
    reduced = _by_aggregate(run, metric, names)
    return (reduced, True) if reduced is not None else None


def _by_time(request: _Request) -> tuple[Measurement, bool] | None:
    """Measure step time or throughput over the window of the whole step, in whole or for phases."""
    run, protocol = request.run, request.protocol
    whole = series_of(run, "step_time", STEP)
    names = () if request.names == (STEP,) else request.names
    of_phases = [found for name in names if (found := series_of(run, "step_time", name))]
    if names and not of_phases:
        return None
    # A log that has phases but no whole steps has its window on the first of the phases.
    laid = lay(run, whole or (of_phases[0] if of_phases else ()), protocol)
    if laid is None:
        return None
    per_step = _phases_per_step(laid, of_phases) if of_phases else laid.window.time / laid.window.steps
    if per_step is None or not per_step > 0:
        return None
    value = per_step
    if request.metric == "throughput":
        value = laid.window.samples / laid.window.steps / per_step
        if protocol.estimator == "mean_of_rates" and not of_phases:
            value = _mean_of_rates(run, laid)
    used = [one for found in of_phases for one in found] or list(whole)
    found_by = checks.of_run(run, laid, used, protocol)
    return _measurement(run, value, laid, used, found_by)


def _phases_per_step(laid: Laid, of_phases: Sequence[tuple[Series, ...]]) -> float | None:
    """Return the s per step of phases that add up, on the rank where they take longest."""
    per_rank: dict[int, list[float]] = {}
    for found in of_phases:
        for one in found:
            inside = within(entries(one), laid.ranks[0])
            if not len(inside):
                continue
            # A step that never entered a phase spent no time in it: the optimizer runs once in four
            # steps where gradients are accumulated. Intervals may be missing, so they count themselves.
            is_by_step = int(inside.span.max()) == 1
            steps = laid.window.steps if is_by_step else int(inside.span.sum())
            per_rank.setdefault(one.rank, []).append(total(inside.value) / steps)
    return max((total(times) for times in per_rank.values()), default=None)


def _mean_of_rates(run: Run, laid: Laid) -> float:
    """Return the mean over the entries of the window of their work over their time."""
    time = np.max([rank.value for rank in laid.ranks], axis=0)
    samples = np.sum([rank.samples for rank in laid.ranks], axis=0)
    if not np.isfinite(samples).all() and run.samples_per_step is not None:
        samples = run.samples_per_step * laid.ranks[0].span
    moving = time > 0
    rates = samples[moving] / time[moving]
    return total(rates) / len(rates) if len(rates) else math.nan


def _printed_mean(request: _Request) -> tuple[Measurement, bool] | None:
    """Measure the mean of printed rates, where the protocol asks for that."""
    return _by_rate(request) if request.protocol.estimator == "mean_of_rates" else None


def _by_rate(request: _Request) -> tuple[Measurement, bool] | None:
    """Measure throughput by the rates that the log prints: work over the time that they stand for.

    Every step is the same work where the log does not say otherwise, which makes it the harmonic
    mean. Gaps are not looked for: a rate knows nothing of the time outside what it was taken over.
    The rates of ranks add up.
    """
    run, names = request.run, request.names
    printed = series_of(run, "throughput", names[0]) if len(names) == 1 else ()
    laid = lay(run, printed, request.protocol, leave_gaps_out=False) if printed else None
    if laid is None:
        return None
    harmonic = request.protocol.estimator == "total"
    value = total(_rate(rank, harmonic=harmonic) for rank in laid.ranks)
    # The window was laid over rates: their sum is no time.
    window = replace(laid.window, time=math.nan, gap_time=0.0)
    return _measurement(run, value, replace(laid, window=window), printed, laid.findings)


def _rate(rank: Entries, *, harmonic: bool) -> float:
    if not harmonic:
        return total(rank.value) / len(rank)
    if not (rank.value > 0).all():
        return math.nan
    work = rank.samples if np.isfinite(rank.samples).all() else rank.span.astype(np.float64)
    time = total(work / rank.value)
    return total(work) / time if time > 0 else math.nan


def _by_value(request: _Request) -> tuple[Measurement, bool] | None:
    """Measure any other quantity that the log has by step: its mean or maximum over the window."""
    run, names = request.run, request.names
    found = series_of(run, request.metric, names[0]) if len(names) == 1 else ()
    laid = lay(run, found, request.protocol, leave_gaps_out=False) if found else None
    if laid is None:
        return None
    values = [value for rank in laid.ranks for value in rank.value.tolist()]
    is_peak = metric_of(request.metric).reduction == "max"
    value = max(values) if is_peak else total(values) / len(values)
    window = replace(laid.window, time=math.nan, gap_time=0.0)
    return _measurement(run, value, replace(laid, window=window), found, laid.findings)


# By the strongest evidence first; what is not listed is a value of its own in every entry.
_BY_STEPS = {"throughput": (_printed_mean, _by_time, _by_rate), "step_time": (_by_time,)}


def _measurement(
    run: Run, value: float, laid: Laid, used: Sequence[Series], findings: tuple[Finding, ...]
) -> tuple[Measurement, bool] | None:
    if not math.isfinite(value):
        return None
    evidence: Evidence = "intervals" if laid.coarse else "steps"
    sources = tuple(dict.fromkeys(_place(one, laid.window) for one in used))
    return Measurement(run, value, evidence, laid.window, sources, findings), laid.is_full


def _place(series: Series, window: Window) -> Source:
    """Return the line of the first measured step in a series."""
    at = np.flatnonzero(series.step >= window.first)
    return Source(series.source.path, int(series.line[at[0]])) if len(at) else series.source


def _by_aggregate(run: Run, metric: str, names: Sequence[str]) -> Measurement | None:
    """Take what the log had already reduced; throughput also from an aggregate step time and its work."""
    value, used = _sum(run, metric, names)
    if not used and metric == "throughput" and run.samples_per_step is not None:
        time, used = _sum(run, "step_time", names)
        value = run.samples_per_step / time if time > 0 else math.nan
    if not used or not math.isfinite(value):
        return None
    evidence: Evidence = "published" if run.published else "aggregate"
    sources = tuple(dict.fromkeys(one.source for one in used))
    return Measurement(run, value, evidence, None, sources, _aggregate_only(run, used))


def _sum(run: Run, metric: str, names: Sequence[str]) -> tuple[float, list[Aggregate]]:
    if len(names) > 1 and not adds_up(metric):
        return math.nan, []
    used = [one for name in names if (one := aggregate_of(run, metric, name))]
    return total(one.value for one in used), used


# These are of a whole run and nothing else: no window could be laid over them.
_OF_THE_RUN = frozenset(("time_to_train", "scaled_time_to_train", "run_time", "eval_accuracy"))


def _aggregate_only(run: Run, used: Sequence[Aggregate]) -> tuple[Finding, ...]:
    if run.published or used[0].metric in _OF_THE_RUN:
        return ()
    kinds = " and ".join(dict.fromkeys(one.statistic for one in used))
    message = f"the {kinds} that the log itself gives: its warm-up may be in it"
    return (Finding("note", "protocol.aggregate-only", run.id, message, used[0].source),)
