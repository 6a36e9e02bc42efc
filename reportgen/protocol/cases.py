"""Group runs into cases: runs that agree in all factors are repeats of one case.

Every run asked for the metric comes out again, measured or as unmeasured, so that a failed repeat never
disappears. Only a run whose log has data of other metrics alone (a monitor's telemetry, asked for
throughput) belongs to no case of the metric.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from reportgen.core.factors import factors_key, natural_key
from reportgen.core.frozen import FrozenDict
from reportgen.core.metrics import metric_of
from reportgen.core.model import STEP, Case, Factors, FactorValue, Finding, Measurement, Run, Summary
from reportgen.core.rules import Rule
from reportgen.core.stats import olympic, summarize
from reportgen.protocol.available import Totals, parts_of, unit_of
from reportgen.protocol.case_checks import check_case
from reportgen.protocol.conditions import OF_REPEATS, QUANTITIES, conditions_of, conditions_of_run, differing
from reportgen.protocol.definition import Protocol
from reportgen.protocol.measure import try_measure
from reportgen.protocol.measured_run import Attempt, MeasuredRuns
from reportgen.protocol.near_copies import find_near_copies
from reportgen.protocol.resolution import MAX_CLOCK_ERROR


@dataclass(frozen=True, slots=True)
class CaseRequest:
    """Which cases to build.

    ignore         factors in which the repeats of one case may differ
    split_repeats  make every repeat a case of its own, with the factor `repeat`
    totals         total -> phases that add up to it; `phase` may be one of them
    """

    metric: str
    phase: str
    protocol: Protocol
    ignore: Collection[str] = ()
    split_repeats: bool = False
    totals: Totals = field(default_factory=dict)


def _own_factors(run: Run) -> Factors:
    return run.factors


def build_cases(
    runs: Iterable[Run],
    request: CaseRequest,
    measured: MeasuredRuns | None = None,
    factors_of: Callable[[Run], Factors] = _own_factors,
) -> tuple[Case, ...]:
    """Return the cases of a metric and phase, in the order of the ids of their first runs.

    measured    the store of a build, so that no run is measured twice
    factors_of  the factors of a run, by default its own
    """
    measured = measured or MeasuredRuns()
    groups: dict[object, list[Run]] = {}
    factors: dict[object, dict[str, FactorValue]] = {}
    numbers: dict[object, set[int]] = {}
    for run in sorted(runs, key=lambda run: natural_key(run.id)):
        own = {name: value for name, value in sorted(factors_of(run).items()) if name not in request.ignore}
        key = factors_key(own)
        if run.repeat is not None:
            numbers.setdefault(key, set()).add(run.repeat)
        if not _is_concerned(run, request, measured):
            continue
        factors.setdefault(key, own)
        groups.setdefault(key, []).append(run)
    cases = []
    for agreed, group in groups.items():
        known = numbers.get(agreed, set())
        for own, alike in _comparable(factors[agreed], group, request, measured):
            split = _split(own, alike) if request.split_repeats else [(own, alike)]
            cases += [_case(shared, repeats, known, request, measured) for shared, repeats in split]
    return tuple(cases)


def _is_concerned(run: Run, request: CaseRequest, measured: MeasuredRuns) -> bool:
    available = measured.of(run).available(request.totals)
    return run.status != "complete" or not available or (request.metric, request.phase) in available


def _comparable(
    shared: dict[str, FactorValue], group: list[Run], request: CaseRequest, measured: MeasuredRuns
) -> list[tuple[dict[str, FactorValue], list[Run]]]:
    """Return the runs that are repeats of each other: of the same work, ranks, device model and clock.

    What differs is added to the factors of each part.
    """
    if len(group) == 1:
        return [(shared, group)]
    conditions = [_conditions(run, request, measured) for run in group]
    names = [
        name for name in differing(conditions, OF_REPEATS) if name in QUANTITIES or name not in request.ignore
    ]
    if not names:
        return [(shared, group)]
    parts: dict[object, tuple[dict[str, FactorValue], list[Run]]] = {}
    for run, each in zip(group, conditions, strict=True):
        own = {name: each[name] for name in names if name in each}
        parts.setdefault(factors_key(own), ({**shared, **own}, []))[1].append(run)
    return list(parts.values())


def _conditions(run: Run, request: CaseRequest, measured: MeasuredRuns) -> dict[str, FactorValue]:
    measurement = _attempt(run, request, measured).measurement
    of_run = measured.of(run).fact(conditions_of_run)
    return conditions_of(measurement, request.metric, of_run) if measurement else of_run


def _split(shared: Factors, group: Sequence[Run]) -> list[tuple[Factors, list[Run]]]:
    """Return the runs by repeat; those without a number get the free numbers."""
    taken = {run.repeat for run in group}
    free = (number for number in range(1, 2 * len(group) + 1) if number not in taken)
    by_number: dict[int, list[Run]] = {}
    for run in group:
        by_number.setdefault(next(free) if run.repeat is None else run.repeat, []).append(run)
    return [({**shared, "repeat": number}, by_number[number]) for number in sorted(by_number)]


def _case(
    factors: Factors,
    runs: Sequence[Run],
    numbers: Collection[int],
    request: CaseRequest,
    measured: MeasuredRuns,
) -> Case:
    """Return the case of these repeats; `numbers` are from all runs with the same factors."""
    metric, phase, protocol = request.metric, request.phase, request.protocol
    attempts = _in_one_unit(_attempts(runs, request, measured), metric)
    measurements = [attempt.measurement for attempt in attempts if attempt.measurement]
    reasons: list[Finding] = [finding for attempt in attempts for finding in attempt.findings]
    subject = ", ".join(f"{name}={value}" for name, value in factors.items()) or "all runs"
    quantity = metric if phase == STEP else f"{metric} ({phase})"
    entered = {name for measurement in measurements for name in measurement.parts}
    repeats = [run for run in runs if not run.profiler]
    checks = check_case(
        subject, quantity, measurements, repeats, protocol, numbers, is_split=request.split_repeats
    )
    return Case(
        factors=FrozenDict(factors),
        metric=metric,
        phase=phase,
        unit=measurements[0].unit if measurements else unit_of(runs[0], metric),
        protocol=protocol.name,
        measurements=tuple(measurements),
        summary=_summary(measurements, len(repeats), metric, protocol),
        unmeasured=tuple(
            run for run, attempt in zip(runs, attempts, strict=True) if attempt.measurement is None
        ),
        findings=(*checks, *reasons),
        parts=tuple(name for name in parts_of(phase, request.totals) if name in entered),
    )


def _attempts(runs: Sequence[Run], request: CaseRequest, measured: MeasuredRuns) -> list[Attempt]:
    """Measure the repeats of a case; an edited copy of another repeat is left out."""
    attempts = [_attempt(run, request, measured) for run in runs]
    # Only repeats that count are compared: a copy that is left out already has no copies.
    counted = [i for i, attempt in enumerate(attempts) if attempt.measurement and attempt.measurement.window]
    copies = find_near_copies([runs[i] for i in counted], measured, request.protocol)
    for place, finding in copies.items():
        attempts[counted[place]] = Attempt(None, (finding,))
    return attempts


def _attempt(run: Run, request: CaseRequest, measured: MeasuredRuns) -> Attempt:
    """Measure a run; the copy of another run's log is not a repeat and is left out."""
    if any(finding.rule == Rule.READ_DUPLICATE_RUN for finding in run.findings):
        return Attempt(None)
    return try_measure(measured.of(run), request.metric, request.phase, request.protocol, request.totals)


def _in_one_unit(attempts: Sequence[Attempt], metric: str) -> list[Attempt]:
    """Return the attempts; those in another unit than the first become unmeasured: units have no median."""
    unit = next((attempt.measurement.unit for attempt in attempts if attempt.measurement), "")
    return [_in_unit(attempt, metric, unit) for attempt in attempts]


def _in_unit(attempt: Attempt, metric: str, unit: str) -> Attempt:
    measurement = attempt.measurement
    if measurement is None or measurement.unit == unit:
        return attempt
    run = measurement.run
    message = f"{metric} is in {measurement.unit}, in other runs in {unit}; left out of the median"
    return Attempt(None, (Finding("warning", Rule.PROTOCOL_MIXED, run.id, message, run.source),))


def _with_clock_error(summary: Summary | None, measurements: Sequence[Measurement]) -> Summary | None:
    """Widen an interval by the resolution of the clock: repeats say nothing about it."""
    error = max((measurement.clock_error for measurement in measurements), default=0.0)
    if summary is None or summary.n < 2 or error <= MAX_CLOCK_ERROR:
        return summary
    return replace(summary, low=summary.low * (1 - error), high=summary.high * (1 + error))


def _summary(
    measurements: Sequence[Measurement], runs: int, metric: str, protocol: Protocol
) -> Summary | None:
    """Return the summary of the repeats; `runs` counts all of them, those without a value included."""
    summary = _reduced([each.value for each in measurements], runs, metric, protocol)
    if summary and any(each.over_all is not None for each in measurements):
        values = [each.value if each.over_all is None else each.over_all for each in measurements]
        over_all = _reduced(values, runs, metric, protocol)
        summary = replace(summary, over_all=over_all.median if over_all else None)
    return _with_clock_error(summary, measurements)


def _reduced(values: Sequence[float], runs: int, metric: str, protocol: Protocol) -> Summary | None:
    if protocol.reduce == "median":
        return summarize(values, protocol.confidence)
    lower_is_better = metric_of(metric).better != "higher"
    return olympic(values, protocol.drop, runs - len(values), lower_is_better=lower_is_better)
