"""Measure a run by its steps: time and work over the window, phases and their totals, printed rates.

A step time is the time of the window over its steps, a throughput the work of the window over its time.
Over the ranks of a synchronous run, time is the maximum of the ranks' totals, and samples add up.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct, structs

from reportgen.core.metrics import RATES, metric_of
from reportgen.core.model import STEP, Finding, Measurement, Run, Series, Window
from reportgen.core.rules import Rule
from reportgen.protocol.available import WORK, aggregate_of, lacks_ranks, unit_of
from reportgen.protocol.definition import Protocol
from reportgen.protocol.measured_run import MeasuredRun
from reportgen.protocol.outliers import outlier_steps
from reportgen.protocol.printed_digits import check_digits, open_share
from reportgen.protocol.resolution import MAX_CLOCK_ERROR, UNUSABLE_CLOCK_ERROR, clock_error
from reportgen.protocol.run_checks import check_run
from reportgen.protocol.steps import Entries, entries_within, exact_sum, mean_rate
from reportgen.protocol.timeline import run_duration
from reportgen.protocol.window import MeasuredWindow

# Beyond this share of the window's time in gaps, the value over all of that time is beside the number.
LEFT_OUT_SHARE = 0.05


class MeasureRequest(Struct, frozen=True):
    """A metric and phase of a run.

    parts     the phases that add up to the phase
    is_total  True if the phase is the name of a total
    """

    measured: MeasuredRun
    metric: str
    phase: str
    parts: tuple[str, ...]
    protocol: Protocol
    is_total: bool

    @property
    def run(self) -> Run:
        """Return the run itself."""
        return self.measured.run

    def window(self, series: Sequence[Series], *, are_times: bool = True) -> MeasuredWindow | None:
        """Return the window over the series, None without series or without steps to measure."""
        return self.measured.window(series, self.protocol, are_times=are_times) if series else None


class Measured(Struct, frozen=True):
    """A measurement; is_full is True if its window is complete."""

    measurement: Measurement
    is_full: bool


def try_steps(request: MeasureRequest) -> Measured | None:
    """Measure by the strongest evidence among the steps of the log, None if they give no number."""
    if request.metric == "throughput" and lacks_ranks(request.run):
        return None
    for estimate in _ESTIMATORS.get(request.metric, (_by_value,)):
        measured = estimate(request)
        if measured is not None:
            return measured
    return None


def _by_time(request: MeasureRequest) -> Measured | None:
    """Measure step time or throughput over the window of the whole step, for the step or for phases."""
    run = request.run
    whole = request.measured.series("step_time", STEP)
    names = () if request.parts == (STEP,) else request.parts
    of_phases = {name: series for name in names if (series := request.measured.series("step_time", name))}
    if not of_phases and (names or not whole):
        return None
    # A log that has phases but no whole steps has its window on the first of the phases.
    window = request.window(whole or next(iter(of_phases.values())))
    if window is None:
        return None
    if not of_phases and clock_error(whole, window) > UNUSABLE_CLOCK_ERROR:
        return None
    per_step, entered = window.window.time / window.window.steps, request.parts
    if of_phases:
        per_step, entered = _phases_per_step(request.measured, window, of_phases)
    if not per_step > 0:
        return None
    value = per_step
    if request.metric == "throughput":
        value = window.window.samples / window.window.steps / per_step
        if request.protocol.estimator == "mean_of_rates" and not of_phases:
            value = _mean_of_rates(run, window)
    used = [series for phase in of_phases.values() for series in phase] or list(whole)
    unsure = open_share(used, window, per_step)
    findings = (
        *check_run(request.measured, window, used),
        *check_digits(run, window, used, per_step, unsure),
        *_only_reduced(request, entered),
    )
    measured = _measured(request, value, window, used, findings, entered, unsure)
    return measured if of_phases else _with_left_out(measured)


def _phases_per_step(
    measured: MeasuredRun, window: MeasuredWindow, of_phases: Mapping[str, Sequence[Series]]
) -> tuple[float, tuple[str, ...]]:
    """Return the s per step of phases that add up, on the slowest rank, and the phases that entered.

    NaN if none of them occurs in the window.
    """
    per_rank: dict[int, list[float]] = {}
    entered: dict[str, None] = {}
    for name, ranks in of_phases.items():
        for series in ranks:
            time = measured.time_per_step(series, window)
            if not math.isnan(time):
                per_rank.setdefault(series.rank, []).append(time)
                entered[name] = None
    return max((exact_sum(times) for times in per_rank.values()), default=math.nan), tuple(entered)


def _only_reduced(request: MeasureRequest, entered: Sequence[str]) -> tuple[Finding, ...]:
    """Report the parts of a total that exist as an aggregate only: these cannot be added to steps."""
    run = request.run
    missing = [
        name
        for name in request.parts
        if name not in entered and aggregate_of(run, "step_time", name) is not None
    ]
    if not missing or not entered:
        return ()
    is_single = len(missing) == 1
    rest = "exists only as an aggregate and is" if is_single else "exist only as aggregates and are"
    message = f"total covers {', '.join(entered)} only; {', '.join(missing)} {rest} left out"
    return (Finding("warning", Rule.PROTOCOL_MIXED, run.id, message, run.source),)


def _mean_of_rates(run: Run, window: MeasuredWindow) -> float:
    """Return the mean over the entries of the window of their work over their time."""
    time = np.max([rank.value for rank in window.ranks], axis=0)
    samples = np.sum([rank.samples for rank in window.ranks], axis=0)
    if not np.isfinite(samples).all() and run.samples_per_step is not None:
        samples = run.samples_per_step * window.ranks[0].span
    moving = time > 0
    rates = samples[moving] / time[moving]
    return exact_sum(rates) / len(rates) if len(rates) else math.nan


def _exact_rate(request: MeasureRequest) -> Measured | None:
    """Measure printed rates where the clock of the step times is too coarse for the window."""
    whole = request.measured.series("step_time", STEP)
    window = request.window(whole)
    if window is None or clock_error(whole, window) <= MAX_CLOCK_ERROR:
        return None
    return _by_rate(request)


def _printed_mean(request: MeasureRequest) -> Measured | None:
    """Measure the mean of printed rates if the protocol asks for it."""
    return _by_rate(request) if request.protocol.estimator == "mean_of_rates" else None


def _by_rate(request: MeasureRequest) -> Measured | None:
    """Measure throughput by the rates that the log prints: work over the time that they stand for.

    Every step is the same work unless the log says otherwise, so this is the harmonic mean. Gaps are
    not searched: a rate does not know the time outside the steps it was taken over. The rates of ranks
    add up.
    """
    parts = request.parts
    printed = request.measured.series("throughput", parts[0]) if len(parts) == 1 else ()
    window = request.window(printed, are_times=False)
    if window is None:
        return None
    harmonic = request.protocol.estimator == "total"
    value = exact_sum(mean_rate(rank, harmonic=harmonic) for rank in window.ranks)
    unsure = open_share(printed, window, value) if value > 0 else 0.0
    findings = (*window.findings, *check_digits(request.run, window, printed, value, unsure))
    return _measured(request, value, window, printed, findings, unsure=unsure)


def _by_value(request: MeasureRequest) -> Measured | None:
    """Measure any other quantity that the log has by step: its mean or maximum over the window.

    The mean is over the steps. That of a rate is work over time, as in `_by_rate`; a rate of several
    ranks is each rank's own.
    """
    parts = request.parts
    series = request.measured.series(request.metric, parts[0]) if len(parts) == 1 else ()
    window = request.window(series, are_times=False)
    if window is None:
        return None
    if metric_of(request.metric).reduction == "max":
        value = max(value for rank in window.ranks for value in rank.value.tolist())
    else:
        value = exact_sum(_mean(request, rank) for rank in window.ranks) / len(window.ranks)
    return _measured(request, value, window, series, window.findings)


def _mean(request: MeasureRequest, rank: Entries) -> float:
    if unit_of(request.run, request.metric) in RATES:
        return mean_rate(rank, harmonic=request.protocol.estimator == "total")
    with np.errstate(over="ignore"):
        values = rank.value * rank.span if rank.is_coarse else rank.value
    return exact_sum(values) / rank.steps


def _by_work(request: MeasureRequest) -> Measured | None:
    """Measure a rate of work other than samples: all that was counted over the time of the window."""
    series = request.measured.series
    whole, work = series("step_time", STEP), series(WORK[request.metric], STEP)
    window = request.window(whole) if request.parts == (STEP,) else None
    if window is None or lacks_ranks(request.run):
        return None
    done = [entries_within(request.measured.entries(series), window.ranks[0]) for series in work]
    is_whole = [series.rank for series in work] == [rank.rank for rank in window.ranks]
    is_short = any(len(entries) < len(window.ranks[0]) for entries in done)
    is_coarse = clock_error(whole, window) > UNUSABLE_CLOCK_ERROR
    if not is_whole or is_short or is_coarse or not window.window.time > 0:
        return None
    value = exact_sum(exact_sum(entries.value) for entries in done) / window.window.time
    measured = _measured(request, value, window, whole, check_run(request.measured, window, whole))
    return _with_left_out(measured)


# The strongest evidence first. A metric that is not listed is measured by its own value in every entry.
_ESTIMATORS = {
    "throughput": (_printed_mean, _exact_rate, _by_time, _by_rate),
    "step_time": (_by_time,),
    **dict.fromkeys(WORK, (_by_work, _by_value)),
}


def _measured(
    request: MeasureRequest,
    value: float,
    window: MeasuredWindow,
    used: Sequence[Series],
    findings: tuple[Finding, ...],
    entered: tuple[str, ...] = (),
    unsure: float = 0.0,
) -> Measured | None:
    """Return the measurement; `unsure` is the share that the digits of the log leave open."""
    # A rate of zero is a rate without work: nothing was measured.
    if not math.isfinite(value) or (metric_of(request.metric).is_speed and value <= 0):
        return None
    measurement = Measurement(
        request.run,
        value,
        "intervals" if window.is_coarse else "steps",
        request.measured.once(_with_times, window),
        sources=request.measured.places_in(used, window.window),
        findings=findings,
        unit=unit_of(request.run, request.metric),
        parts=entered if request.is_total else (),
        clock=used[0].clock,
        clock_error=max(clock_error(used, window), unsure),
    )
    return Measured(measurement, window.is_full)


def _with_times(measured: MeasuredRun, selected: MeasuredWindow) -> Window:
    """Return the window with its outliers and the time outside; a window of printed rates has no times."""
    window = selected.window
    if not math.isfinite(window.time):
        return window
    duration = run_duration(measured.run)
    outside = math.nan if duration is None else max(duration - window.time - window.gap_time, 0.0)
    return structs.replace(window, outliers=outlier_steps(measured, selected), outside=outside)


def _with_left_out(measured: Measured | None) -> Measured | None:
    """Return a speed of whole steps with its value over all of the window's time, if gaps took much of it.

    What counts as a gap is a threshold. Where it decides the number, the other number must be beside it. A
    step in a gap did the work of the others.
    """
    window = measured.measurement.window if measured else None
    if measured is None or window is None or not window.left_out > LEFT_OUT_SHARE:
        return measured
    more_time = (window.time + window.gap_time) / window.time
    slower = more_time * window.steps / (window.steps + window.gap_steps)
    measurement = measured.measurement
    is_time = measurement.unit == "s"
    over_all = measurement.value * slower if is_time else measurement.value / slower
    return structs.replace(measured, measurement=structs.replace(measurement, over_all=over_all))
