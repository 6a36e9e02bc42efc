"""Group runs into cases: runs that agree in all factors are repeats of one case.

Every run that asked for the metric comes out again, measured or named as unmeasured, so that a
failed repeat is never silently a missing one. Only a run whose log speaks of other things alone (a
monitor's telemetry, asked for throughput) belongs to no case of the metric.
"""

from collections.abc import Collection, Iterable, Sequence

from reportgen.core.factors import by_name
from reportgen.core.metrics import metric as metric_of
from reportgen.core.model import (
    STEP,
    Case,
    Factors,
    FactorValue,
    Finding,
    Measurement,
    Run,
    Summary,
    identities,
)
from reportgen.core.rules import Rule
from reportgen.core.stats import olympic, summarize
from reportgen.protocol.available import NO_TOTALS, Totals, available, parts, unit_of
from reportgen.protocol.case_checks import of_case
from reportgen.protocol.definition import Protocol
from reportgen.protocol.measure import Attempt, attempt


def cases(
    runs: Iterable[Run],
    metric: str,
    phase: str,
    protocol: Protocol,
    *,
    ignore: Collection[str] = (),
    split_repeats: bool = False,
    totals: Totals = NO_TOTALS,
) -> tuple[Case, ...]:
    """Return the cases of a metric and phase, in the order of the ids of their first runs.

    ignore         factors in which the repeats of one case may differ
    split_repeats  every repeat is a case of its own, told apart by the factor `repeat`
    totals         total -> phases that add up to it; `phase` may be one of them
    """
    ordered = sorted(runs, key=lambda run: by_name(run.id))
    groups: dict[object, list[Run]] = {}
    for run in (run for run in ordered if _is_concerned(run, metric, phase, totals)):
        groups.setdefault(identities(_factors(run, ignore)), []).append(run)
    found = []
    for group in groups.values():
        shared = _factors(group[0], ignore)
        for factors, repeats in _split(shared, group) if split_repeats else [(shared, group)]:
            found.append(_case(factors, repeats, metric, phase, protocol, totals, split=split_repeats))
    return tuple(found)


def _is_concerned(run: Run, metric: str, phase: str, totals: Totals) -> bool:
    found = available(run, totals)
    return run.status != "complete" or not found or (metric, phase) in found


def _factors(run: Run, ignore: Collection[str]) -> dict[str, FactorValue]:
    return {name: value for name, value in sorted(run.factors.items()) if name not in ignore}


def _split(shared: Factors, group: Sequence[Run]) -> list[tuple[Factors, list[Run]]]:
    """Return the runs by repeat; those without a number get the numbers that are free."""
    taken = {run.repeat for run in group}
    free = (number for number in range(1, 2 * len(group) + 1) if number not in taken)
    by_number: dict[int, list[Run]] = {}
    for run in group:
        by_number.setdefault(next(free) if run.repeat is None else run.repeat, []).append(run)
    return [({**shared, "repeat": number}, by_number[number]) for number in sorted(by_number)]


def _case(
    factors: Factors,
    runs: Sequence[Run],
    metric: str,
    phase: str,
    protocol: Protocol,
    totals: Totals,
    *,
    split: bool,
) -> Case:
    attempts = _in_one_unit(
        [(None, ()) if _is_copy(run) else attempt(run, metric, phase, protocol, totals) for run in runs],
        metric,
    )
    measured: list[Measurement] = [found for found, _ in attempts if found]
    reasons: list[Finding] = [reason for _, why in attempts for reason in why]
    subject = ", ".join(f"{name}={value}" for name, value in factors.items()) or "all runs"
    what = metric if phase == STEP else f"{metric} ({phase})"
    entered = {name for one in measured for name in one.parts}
    return Case(
        factors=factors,
        metric=metric,
        phase=phase,
        unit=measured[0].unit if measured else unit_of(runs[0], metric),
        protocol=protocol.name,
        measurements=tuple(measured),
        summary=_summary([one.value for one in measured], len(runs), metric, protocol),
        unmeasured=tuple(run for run, (found, _) in zip(runs, attempts, strict=True) if found is None),
        findings=(*of_case(subject, what, measured, runs, protocol, split=split), *reasons),
        parts=tuple(name for name in parts(phase, totals) if name in entered),
    )


def _is_copy(run: Run) -> bool:
    """Return whether a run repeats another one's log: counted twice it would be no repeat."""
    return any(finding.rule == Rule.READ_DUPLICATE_RUN for finding in run.findings)


def _in_one_unit(attempts: Sequence[Attempt], metric: str) -> list[Attempt]:
    """Return the attempts, those in another unit than the first as unmeasured: no median is of both."""
    unit = next((found.unit for found, _ in attempts if found), "")
    return [_in_another_unit(found, metric, unit) if found and found.unit != unit else (found, why)
            for found, why in attempts]  # fmt: skip


def _in_another_unit(found: Measurement, metric: str, unit: str) -> Attempt:
    message = f"its {metric} is in {found.unit}, that of others in {unit}: does not enter the median"
    return None, (Finding("warning", Rule.PROTOCOL_MIXED, found.run.id, message, found.run.source),)


def _summary(values: Sequence[float], runs: int, metric: str, protocol: Protocol) -> Summary | None:
    """Return what the repeats come to; `runs` are all of them, those without a value included."""
    if protocol.reduce == "median":
        return summarize(values, protocol.confidence)
    lower_is_better = metric_of(metric).better != "higher"
    return olympic(values, protocol.drop, runs - len(values), lower_is_better=lower_is_better)
