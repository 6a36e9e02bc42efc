"""Reduce one run to one number under a protocol, by the strongest evidence that its log has.

`attempt` answers with a Measurement or with the findings that say why there is none; `measure` is
the same without the reasons. In order: steps, intervals, what the log had already reduced.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from reportgen.core.model import STEP, Aggregate, Evidence, Finding, Measurement, Run
from reportgen.core.rules import Rule
from reportgen.protocol import measure_telemetry
from reportgen.protocol.available import (
    NO_TOTALS,
    Totals,
    adds_up,
    aggregate_of,
    available,
    lost,
    parts,
    unit_of,
)
from reportgen.protocol.definition import Protocol
from reportgen.protocol.measure_steps import Measured, Request, by_steps
from reportgen.protocol.steps import Entries, entries, total
from reportgen.protocol.window import spelled, warm_from

# These ended in a way that says nothing about speed.
FAILED = ("failed", "out_of_memory", "cancelled")

Attempt = tuple[Measurement | None, tuple[Finding, ...]]


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
    """Return the measurement of a run, or None with the findings that say why there is none.

    Only a run that has nothing of the kind (`available`) answers with neither.
    """
    if run.status in FAILED:
        return None, (_failed(run),)
    if protocol.strict and (damaged := [one for one in run.findings if one.rule == Rule.READ_MALFORMED_LINE]):
        return None, tuple(damaged)
    found = _strongest(run, metric, phase, protocol, totals)
    if found is None or isinstance(found, Finding):
        return None, _why_nothing(run, metric, phase, protocol, totals, found)
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
    return Finding("warning", Rule.READ_INCOMPLETE_RUN, run.id, f"{state}, {consequence}", run.source)


def _failed(run: Run) -> Finding:
    """Return what the reader said of the failure, which knows more of it, or that there was one."""
    what = run.status.replace("_", " ")
    message = f"ended as {what}: does not enter the median"
    said = (one for one in run.findings if one.rule == Rule.READ_FAILED_RUN)
    return next(said, Finding("warning", Rule.READ_FAILED_RUN, run.id, message, run.source))


def _why_nothing(
    run: Run, metric: str, phase: str, protocol: Protocol, totals: Totals, said: Finding | None
) -> tuple[Finding, ...]:
    """Return why there is no number; `said` is what is known of it already."""
    if run.status != "complete":
        return (_incomplete(run, f"without a value of {metric} ({phase}): does not enter the median"),)
    if said or (metric, phase) not in available(run, totals):
        return (said,) if said else ()
    names = (*parts(phase, totals), STEP)
    steps = [found for one in run.series if one.phase in names and len(found := entries(one))]
    if steps and (message := _too_short(max(steps, key=lambda one: int(one.first[-1])), protocol)):
        return (Finding("warning", Rule.PROTOCOL_SHORT_WINDOW, run.id, message, run.source),)
    if figure := lost(run, metric, parts(phase, totals)):
        message = f'{metric} ({figure.phase}) stands there as "{figure.original}", which is no number'
        return (Finding("warning", Rule.PROTOCOL_NO_NUMBER, run.id, message, figure.source),)
    message = f"what the log has of {metric} ({phase}) gives no number above zero over the measured steps"
    return (Finding("warning", Rule.PROTOCOL_NO_NUMBER, run.id, message, run.source),)


def _too_short(found: Entries, protocol: Protocol) -> str:
    """Return why no entry is left after the warm-up, "" where one is."""
    warm = warm_from(found, protocol)
    begin, last = int(found.first[-1]), int(found.last[-1])
    if begin > warm:
        return ""
    if last > warm:
        within = f"steps {warm - protocol.warmup + 1}..{warm}"
        return f"the log's last interval, steps {begin}..{last}, begins within the warm-up, {within}"
    if warm > protocol.warmup:
        only = spelled(int(found.first[0]), last)
        return f"the log has only {only}, too few for a warm-up of {protocol.warmup} before the measured ones"
    return f"the log ends at step {last}, within the warm-up of {protocol.warmup}"


def _strongest(
    run: Run, metric: str, phase: str, protocol: Protocol, totals: Totals
) -> Measured | Finding | None:
    """Return the measurement by the strongest evidence, and whether its window is full."""
    request = Request(run, metric, parts(phase, totals), protocol, phase in totals)
    found = by_steps(request)
    if found is not None:
        return found
    sampled = (
        measure_telemetry.reduce(run, metric, protocol)
        if run.telemetry and request.names == (STEP,)
        else None
    )
    if isinstance(sampled, tuple):
        return sampled
    reduced = _by_aggregate(request)
    return (reduced, True) if reduced is not None else sampled


def _by_aggregate(request: Request) -> Measurement | None:
    """Take what the log had already reduced; throughput also from an aggregate step time and its work."""
    run, metric, names = request.run, request.metric, request.names
    value, used = _sum(run, metric, names)
    if not used and metric == "throughput" and run.samples_per_step is not None:
        time, used = _sum(run, "step_time", names)
        value = run.samples_per_step / time if time > 0 else math.nan
    if not used or not math.isfinite(value):
        return None
    evidence: Evidence = "published" if run.published else "aggregate"
    sources = tuple(dict.fromkeys(one.source for one in used))
    entered = tuple(one.phase for one in used) if request.is_total else ()
    findings = _aggregate_only(run, used)
    return Measurement(run, value, evidence, None, sources, findings, unit_of(run, metric), entered)


def _sum(run: Run, metric: str, names: Sequence[str]) -> tuple[float, list[Aggregate]]:
    if len(names) > 1 and not adds_up(run, metric):
        return math.nan, []
    used = [one for name in names if (one := aggregate_of(run, metric, name))]
    if lost(run, metric, names):
        return math.nan, used
    return total(one.value for one in used), used


# These are of a whole run and nothing else: no window could be laid over them.
_OF_THE_RUN = frozenset(("time_to_train", "scaled_time_to_train", "run_time", "eval_accuracy"))


def _aggregate_only(run: Run, used: Sequence[Aggregate]) -> tuple[Finding, ...]:
    if run.published or used[0].metric in _OF_THE_RUN:
        return ()
    kinds = " and ".join(dict.fromkeys(one.statistic for one in used))
    message = f"the {kinds} that the log itself gives: its warm-up may be in it"
    return (Finding("note", Rule.PROTOCOL_AGGREGATE_ONLY, run.id, message, used[0].source),)
