"""Measure a run by its steps: time and work over the window, phases and their totals, printed rates.

A request goes in; a measurement and whether its window is full come out, None where the steps give none.
A step time is the time of the window over its steps, a throughput the work of the window over its time;
over the ranks of a synchronous run time is the maximum of the ranks' totals, and samples add up.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from reportgen.core.metrics import RATES
from reportgen.core.metrics import metric as metric_of
from reportgen.core.model import STEP, Evidence, Finding, Measurement, Run, Series, Source, Window
from reportgen.core.rules import Rule
from reportgen.protocol import run_checks
from reportgen.protocol.available import WORK, aggregate_of, lacks_ranks, series_of, unit_of
from reportgen.protocol.definition import Protocol
from reportgen.protocol.steps import Entries, entries, mean_rate, total, within
from reportgen.protocol.window import Laid, lay

Measured = tuple[Measurement, bool]


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of a run.

    names     the phases that add up to the one asked for
    is_total  whether that is the name of a total
    """

    run: Run
    metric: str
    names: tuple[str, ...]
    protocol: Protocol
    is_total: bool


def by_steps(request: Request) -> Measured | None:
    """Measure by the strongest evidence that the steps of the log are, None if they give no number."""
    if request.metric == "throughput" and lacks_ranks(request.run):
        return None
    for one in _WAYS.get(request.metric, (_by_value,)):
        found = one(request)
        if found is not None:
            return found
    return None


def _by_time(request: Request) -> Measured | None:
    """Measure step time or throughput over the window of the whole step, in whole or for phases."""
    run, protocol = request.run, request.protocol
    whole = series_of(run, "step_time", STEP)
    names = () if request.names == (STEP,) else request.names
    of_phases = {name: found for name in names if (found := series_of(run, "step_time", name))}
    if not of_phases and (names or not whole):
        return None
    # A log that has phases but no whole steps has its window on the first of the phases.
    laid = lay(run, whole or next(iter(of_phases.values())), protocol)
    if laid is None:
        return None
    per_step, entered = laid.window.time / laid.window.steps, request.names
    if of_phases:
        per_step, entered = _phases_per_step(laid, of_phases)
    if not per_step > 0:
        return None
    value = per_step
    if request.metric == "throughput":
        value = laid.window.samples / laid.window.steps / per_step
        if protocol.estimator == "mean_of_rates" and not of_phases:
            value = _mean_of_rates(run, laid)
    used = [one for found in of_phases.values() for one in found] or list(whole)
    findings = (*run_checks.of_run(run, laid, used, protocol), *_only_reduced(request, entered))
    if not of_phases:
        findings += run_checks.rate_disagreement(run, laid)
    return _measurement(request, value, laid, used, findings, entered)


def _phases_per_step(
    laid: Laid, of_phases: Mapping[str, tuple[Series, ...]]
) -> tuple[float, tuple[str, ...]]:
    """Return the s per step of phases that add up, on the rank where they take longest, and which entered.

    NaN where none of them occurs in the window.
    """
    per_rank: dict[int, list[float]] = {}
    entered: dict[str, None] = {}
    for name, found in of_phases.items():
        for one in found:
            inside = within(entries(one), laid.ranks[0])
            if not len(inside):
                continue
            # A step that never entered a phase spent no time in it: the optimizer runs once in four
            # steps where gradients are accumulated. Intervals may be missing, so they count themselves.
            steps = inside.steps if inside.is_coarse else laid.window.steps
            per_rank.setdefault(one.rank, []).append(total(inside.value) / steps)
            entered[name] = None
    return max((total(times) for times in per_rank.values()), default=math.nan), tuple(entered)


def _only_reduced(request: Request, entered: Sequence[str]) -> tuple[Finding, ...]:
    """Say which parts of a total the log has as a figure alone: they cannot be added to measured steps."""
    run = request.run
    missing = [name for name in request.names
               if name not in entered and aggregate_of(run, "step_time", name) is not None]  # fmt: skip
    if not missing or not entered:
        return ()
    message = (
        f"{', '.join(entered)} by steps, without {', '.join(missing)}: of these the log has a figure alone"
    )
    return (Finding("warning", Rule.PROTOCOL_MIXED, run.id, message, run.source),)


def _mean_of_rates(run: Run, laid: Laid) -> float:
    """Return the mean over the entries of the window of their work over their time."""
    time = np.max([rank.value for rank in laid.ranks], axis=0)
    samples = np.sum([rank.samples for rank in laid.ranks], axis=0)
    if not np.isfinite(samples).all() and run.samples_per_step is not None:
        samples = run.samples_per_step * laid.ranks[0].span
    moving = time > 0
    rates = samples[moving] / time[moving]
    return total(rates) / len(rates) if len(rates) else math.nan


def _printed_mean(request: Request) -> Measured | None:
    """Measure the mean of printed rates, where the protocol asks for that."""
    return _by_rate(request) if request.protocol.estimator == "mean_of_rates" else None


def _by_rate(request: Request) -> Measured | None:
    """Measure throughput by the rates that the log prints: work over the time that they stand for.

    Every step is the same work where the log does not say otherwise, which makes it the harmonic
    mean. Gaps are not looked for: a rate knows nothing of the time outside what it was taken over.
    The rates of ranks add up.
    """
    run, names = request.run, request.names
    printed = series_of(run, "throughput", names[0]) if len(names) == 1 else ()
    laid = lay(run, printed, request.protocol, are_times=False) if printed else None
    if laid is None:
        return None
    harmonic = request.protocol.estimator == "total"
    value = total(mean_rate(rank, harmonic=harmonic) for rank in laid.ranks)
    return _measurement(request, value, laid, printed, laid.findings)


def _by_value(request: Request) -> Measured | None:
    """Measure any other quantity that the log has by step: its mean or maximum over the window.

    The mean is over the steps. That of a rate is work over time, as in `_by_rate`; a rate of several ranks
    is taken as each rank's own.
    """
    run, names = request.run, request.names
    found = series_of(run, request.metric, names[0]) if len(names) == 1 else ()
    laid = lay(run, found, request.protocol, are_times=False) if found else None
    if laid is None:
        return None
    if metric_of(request.metric).reduction == "max":
        value = max(value for rank in laid.ranks for value in rank.value.tolist())
    else:
        value = total(_mean(request, rank) for rank in laid.ranks) / len(laid.ranks)
    return _measurement(request, value, laid, found, laid.findings)


def _mean(request: Request, rank: Entries) -> float:
    if unit_of(request.run, request.metric) in RATES:
        return mean_rate(rank, harmonic=request.protocol.estimator == "total")
    with np.errstate(over="ignore"):
        values = rank.value * rank.span if rank.is_coarse else rank.value
    return total(values) / rank.steps


def _by_work(request: Request) -> Measured | None:
    """Measure a rate of other work than samples: all that was counted over the time of the window."""
    run = request.run
    whole, work = series_of(run, "step_time", STEP), series_of(run, WORK[request.metric], STEP)
    laid = lay(run, whole, request.protocol) if whole and request.names == (STEP,) else None
    if laid is None or lacks_ranks(run):
        return None
    done = [within(entries(one), laid.ranks[0]) for one in work]
    is_whole = [one.rank for one in work] == [rank.rank for rank in laid.ranks]
    if not is_whole or any(len(one) < len(laid.ranks[0]) for one in done) or not laid.window.time > 0:
        return None
    value = total(total(one.value) for one in done) / laid.window.time
    return _measurement(request, value, laid, whole, run_checks.of_run(run, laid, whole, request.protocol))


# By the strongest evidence first; what is not listed is a value of its own in every entry.
_WAYS = {
    "throughput": (_printed_mean, _by_time, _by_rate),
    "step_time": (_by_time,),
    **dict.fromkeys(WORK, (_by_work, _by_value)),
}


def _measurement(
    request: Request,
    value: float,
    laid: Laid,
    used: Sequence[Series],
    findings: tuple[Finding, ...],
    entered: tuple[str, ...] = (),
) -> Measured | None:
    if not math.isfinite(value):
        return None
    evidence: Evidence = "intervals" if laid.coarse else "steps"
    sources = tuple(dict.fromkeys(_place(one, laid.window) for one in used))
    run, unit = request.run, unit_of(request.run, request.metric)
    entered = entered if request.is_total else ()
    return Measurement(run, value, evidence, laid.window, sources, findings, unit, entered), laid.is_full


def _place(series: Series, window: Window) -> Source:
    """Return the line of the first measured step in a series."""
    measured = series.step >= window.first
    at = int(measured.argmax())
    return Source(series.source.path, int(series.line[at])) if measured[at] else series.source
