"""Reduce one run to one number under a protocol, by the strongest evidence that its log has.

In the order of strength: steps, printed intervals, telemetry, figures that the log had already reduced.
"""

import math
from collections.abc import Iterable, Sequence

from msgspec import structs

from reportgen.core.metrics import metric_of
from reportgen.core.model import STEP, Aggregate, Evidence, Finding, Measurement, Run
from reportgen.core.rules import Rule, Severity
from reportgen.protocol.available import (
    NO_TOTALS,
    Totals,
    adds_up,
    aggregate_of,
    parts_of,
    unit_of,
    unparsable_aggregate,
)
from reportgen.protocol.contradictions import find_contradictions
from reportgen.protocol.definition import Protocol
from reportgen.protocol.measure_steps import Measured, MeasureRequest, try_steps
from reportgen.protocol.measure_telemetry import try_telemetry
from reportgen.protocol.measured_run import Attempt, MeasuredRun
from reportgen.protocol.printed_rate import FROM_WORK, find_contradiction, without_work
from reportgen.protocol.resolution import UNUSABLE_CLOCK_ERROR, check_resolution, clock_error
from reportgen.protocol.share_of_peak import SHARES, as_share, share_basis
from reportgen.protocol.steps import Entries, exact_sum
from reportgen.protocol.window import step_range_text, warmup_end

# Runs that ended like this say nothing about speed.
FAILED_STATUSES = ("failed", "out_of_memory", "cancelled")


def measure_run(
    run: Run, metric: str, phase: str, protocol: Protocol, totals: Totals = NO_TOTALS
) -> Measurement | None:
    """Return one run as one number in the base unit of the metric, or None if it has none.

    phase     `step` for the whole step, a phase, or a name in `totals`
    totals    total -> phases that add up to it
    returns   None if the log has no data of the metric, if no step is left after the warm-up, if the run
              failed, and if it was interrupted before the window was full
    """
    return try_measure(MeasuredRun(run), metric, phase, protocol, totals).measurement


def try_measure(
    run: MeasuredRun, metric: str, phase: str, protocol: Protocol, totals: Totals = NO_TOTALS
) -> Attempt:
    """Return the measurement of a run, or the findings that say why there is none."""
    if metric in SHARES:
        return _share(run, metric, phase, protocol, totals)
    key = (metric, phase, totals.get(phase), protocol)
    return run.attempt(key, lambda: _checked_attempt(run, metric, phase, protocol, totals))


def _checked_attempt(
    run: MeasuredRun, metric: str, phase: str, protocol: Protocol, totals: Totals
) -> Attempt:
    """Return the attempt at measuring a run; a rate whose work is contradicted is measured without it."""
    contradiction = find_contradiction(run, protocol) if metric in FROM_WORK else None
    is_doubtful = contradiction is not None and contradiction.severity == "invalid"
    measured = MeasuredRun(without_work(run.run)) if is_doubtful else run
    request = MeasureRequest(measured, metric, phase, parts_of(phase, totals), protocol, phase in totals)
    attempt = _attempt(request, totals)
    return _with_finding(attempt, run.run, contradiction) if contradiction else attempt


def _share(run: MeasuredRun, metric: str, phase: str, protocol: Protocol, totals: Totals) -> Attempt:
    """Return a rate as the share of what the device can do."""
    basis = share_basis(run.run, metric, phase, run.available(totals))
    if basis is None:
        return Attempt(None)
    attempt = try_measure(run, basis.metric, phase, protocol, totals)
    return Attempt(as_share(attempt.measurement, basis)) if attempt.measurement else attempt


def _with_finding(attempt: Attempt, run: Run, finding: Finding) -> Attempt:
    """Return the attempt at measuring the run itself, with a finding about its work."""
    measurement = attempt.measurement
    if measurement is None:
        return Attempt(None, (finding, *attempt.findings))
    return Attempt(structs.replace(measurement, run=run, findings=(finding, *measurement.findings)))


def _attempt(request: MeasureRequest, totals: Totals) -> Attempt:
    run, protocol = request.run, request.protocol
    if run.profiler:
        message = f"profiled with {run.profiler}: not a repeat, left out of the median"
        return Attempt(None, (Finding("note", Rule.READ_PROFILE, run.id, message, run.source),))
    if run.status in FAILED_STATUSES:
        return Attempt(None, (_failed(run),))
    damaged = tuple(
        finding
        for finding in run.findings
        if finding.rule == Rule.READ_MALFORMED_LINE and finding.severity != "note"
    )
    if protocol.strict and damaged:
        return Attempt(None, damaged)
    contradictions = find_contradictions(request.measured, request.metric, protocol)
    if contradictions:
        return Attempt(None, contradictions)
    result = _strongest(request)
    if result is None or isinstance(result, Finding):
        return Attempt(None, _why_nothing(request, totals, result))
    if run.status == "complete":
        return Attempt(result.measurement)
    if not result.is_full:
        consequence = "before the measured steps were complete; left out of the median"
        return Attempt(None, (_incomplete(run, f", {consequence}"),))
    window = result.measurement.window
    where = f"over steps {window.first}..{window.last}" if window else "by a figure without steps"
    finding = _incomplete(run, f"; measured {where}")
    return Attempt(structs.replace(result.measurement, findings=(finding, *result.measurement.findings)))


def _incomplete(run: Run, consequence: str) -> Finding:
    ended = "recording was interrupted" if run.status == "running" else "run ended early"
    return Finding("warning", Rule.READ_INCOMPLETE_RUN, run.id, f"{ended}{consequence}", run.source)


def _failed(run: Run) -> Finding:
    """Return the reader's own finding about the failure, which knows more, or a general one."""
    message = f"run ended as {run.status.replace('_', ' ')}; left out of the median"
    by_reader = (finding for finding in run.findings if finding.rule == Rule.READ_FAILED_RUN)
    return next(by_reader, Finding("warning", Rule.READ_FAILED_RUN, run.id, message, run.source))


def _why_nothing(request: MeasureRequest, totals: Totals, known: Finding | None) -> tuple[Finding, ...]:
    """Return why there is no number; `known` is the reason if it is already known."""
    run, metric, phase = request.run, request.metric, request.phase
    whole = request.measured.series("step_time", STEP)
    window, available = request.window(whole), request.measured.available(totals)
    has_data = (metric, phase) in available
    if window and has_data and not known and clock_error(whole, window) > UNUSABLE_CLOCK_ERROR:
        return check_resolution(request.measured, window)
    if run.status != "complete":
        return (_incomplete(run, f"; no {metric} ({phase}) recorded"),)
    if known or not has_data:
        return (known,) if known else () if available else no_number_at_all(run)
    if whole and whole[0].clock == "cuda_event" and window is None:
        message = f"{metric} ({phase}): no step after the warm-up has a time of the device"
        return (Finding("warning", Rule.PROTOCOL_NO_NUMBER, run.id, message, whole[0].source),)
    names = (*request.parts, STEP)
    series = [request.measured.entries(each) for each in run.series if each.phase in names]
    steps = [entries for entries in series if len(entries)]
    if steps:
        message = _too_short(max(steps, key=lambda entries: int(entries.first[-1])), request.protocol)
        if message:
            return (Finding("warning", Rule.PROTOCOL_SHORT_WINDOW, run.id, message, run.source),)
    if figure := unparsable_aggregate(run, metric, request.parts):
        message = f'{metric} ({figure.phase}): cannot parse "{figure.original}" as a number'
        return (Finding("warning", Rule.PROTOCOL_NO_NUMBER, run.id, message, figure.source),)
    message = f"{metric} ({phase}) has no positive value in the measured window"
    return (Finding("warning", Rule.PROTOCOL_NO_NUMBER, run.id, message, run.source),)


def no_number_at_all(run: Run) -> tuple[Finding, ...]:
    """Return the finding about a complete run without data; an empty row of a published table is none."""
    if run.status != "complete" or run.published:
        return ()
    message = "run is complete, but its log contains no number to measure"
    return (Finding("warning", Rule.PROTOCOL_NO_NUMBER, run.id, message, run.source),)


def _too_short(entries: Entries, protocol: Protocol) -> str:
    """Return why no entry is left after the warm-up, "" if one is left."""
    warmup = warmup_end(entries, protocol)
    begin, last = int(entries.first[-1]), int(entries.last[-1])
    if begin > warmup:
        return ""
    if last > warmup:
        within = f"steps {warmup - protocol.warmup + 1}..{warmup}"
        return f"the last interval (steps {begin}..{last}) begins within the warm-up ({within})"
    if warmup > protocol.warmup:
        only = step_range_text(int(entries.first[0]), last)
        return f"log has only {only}: a warm-up of {protocol.warmup} steps takes all of them"
    return f"log ends at step {last}, within the warm-up of {protocol.warmup} steps"


def _strongest(request: MeasureRequest) -> Measured | Finding | None:
    """Return the measurement by the strongest evidence, or the finding that says why there is none."""
    by_steps = try_steps(request)
    if by_steps is not None:
        return by_steps
    by_telemetry = None
    if request.run.telemetry and request.parts == (STEP,):
        by_telemetry = try_telemetry(request)
    if isinstance(by_telemetry, Measured):
        return by_telemetry
    return _by_aggregate(request) or by_telemetry


def _by_aggregate(request: MeasureRequest) -> Measured | None:
    """Take a figure that the log had already reduced; throughput also from a step time and its work."""
    run, metric, parts = request.run, request.metric, request.parts
    value, used = _sum(run, metric, parts)
    if not used and metric == "throughput" and run.samples_per_step is not None:
        time, used = _sum(run, "step_time", parts)
        value = run.samples_per_step / time if time > 0 else math.nan
    if not used or not math.isfinite(value):
        return None
    evidence: Evidence = "published" if run.published else "aggregate"
    measurement = Measurement(
        run,
        value,
        evidence,
        sources=tuple(dict.fromkeys(figure.source for figure in used)),
        findings=(*_aggregate_only(run, used), *_printed_as_zero(run, used)),
        unit=unit_of(run, metric),
        parts=tuple(figure.phase for figure in used) if request.is_total else (),
        statistic=_statistic(used),
        stated_spread=used[0].spread if len(used) == 1 and used[0].metric == metric else None,
    )
    return Measured(measurement, is_full=True)


def _statistic(used: Iterable[Aggregate]) -> str:
    """Return the statistic of figures, of several all different ones; a publication often states none."""
    return " + ".join(dict.fromkeys(figure.statistic for figure in used if figure.statistic != "published"))


def _sum(run: Run, metric: str, parts: Sequence[str]) -> tuple[float, list[Aggregate]]:
    if len(parts) > 1 and not adds_up(run, metric):
        return math.nan, []
    used = [figure for name in parts if (figure := aggregate_of(run, metric, name))]
    if unparsable_aggregate(run, metric, parts):
        return math.nan, used
    return exact_sum(figure.value for figure in used), used


# In a shorter time, the clock and the wait for the device weigh too much.
_MIN_RATE_SECONDS = 1.0
# Quantities of a whole run: no window applies to them.
_OF_THE_RUN = frozenset(("time_to_train", "scaled_time_to_train", "run_time", "eval_accuracy"))


def _aggregate_only(run: Run, used: Sequence[Aggregate]) -> tuple[Finding, ...]:
    if run.published or used[0].metric in _OF_THE_RUN:
        return ()
    origins = " and ".join(dict.fromkeys(map(_origin, used)))
    message = f"{origins}; may include warm-up"
    note = Finding("note", Rule.PROTOCOL_AGGREGATE_ONLY, run.id, message, used[0].source)
    return (note, *(finding for figure in used if (finding := _implausible(run, figure))))


def _printed_as_zero(run: Run, used: Iterable[Aggregate]) -> tuple[Finding, ...]:
    """Return the findings about times and rates of 0 that may not be exact: they have no ratio."""
    return tuple(
        Finding("warning", Rule.CLOCK_COARSE, run.id, _zero(run, figure), figure.source)
        for figure in used
        if figure.is_rounded and figure.value == 0
    )


def _zero(run: Run, figure: Aggregate) -> str:
    if metric_of(figure.metric, unit_of(run, figure.metric)).is_time:
        return "printed as 0: less than its last digit"
    return "printed as 0: nothing, or less than its last digit; it has no ratio"


def _origin(figure: Aggregate) -> str:
    if figure.is_computed:
        return f"computed from totals in the log ({figure.original})"
    # Where a log states no statistic, formats say "total", also of a rate.
    statistic = "" if figure.statistic == "total" else f"{figure.statistic} "
    return f"{statistic}as printed by the log"


def _implausible(run: Run, figure: Aggregate) -> Finding | None:
    """Return the finding for a rate that says little about the run: of an instant, or the best of several."""
    brief = figure.time if figure.time is not None and figure.time < _MIN_RATE_SECONDS else None
    # Where the statistic is a factor, such as that of a memory's bandwidth, it is what was measured.
    is_best_epoch = figure.statistic == "best" and "statistic" not in run.factors
    if brief is None and not is_best_epoch:
        return None
    name = f"the {figure.statistic} {figure.metric}"
    message = f"{name} is from the fastest epoch, not from the whole run"
    if brief is not None:
        message = f"{name} was measured over {brief:.3g} s, which is too short for a rate"
    severity: Severity = "warning" if brief is None else "invalid"
    return Finding(severity, Rule.RATE_IMPLAUSIBLE, run.id, message, figure.source)
