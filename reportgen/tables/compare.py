"""Compare a case with its baseline: ratio, speed-up, scaling efficiency, expected speed.

The baseline of a case is the case with the same factors, except those that the definition replaces. So
like is compared with like: if a batch size, a precision or a device count differs without being named,
there is no baseline, and the cell says so.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from reportgen.compare.conditions import SIZES, Difference, differences
from reportgen.compare.per_cycle import PerCycle
from reportgen.compare.verdict import Verdict
from reportgen.compare.verdicts import DecisionRule, TimedRepeat, decide
from reportgen.compare.why import break_down
from reportgen.core.errors import RequestError
from reportgen.core.factors import FactorsKey, factors_key, matches, toml_text
from reportgen.core.metrics import metric_of
from reportgen.core.model import DATA_LOADING, STEP, Case, Finding, Measurement
from reportgen.core.rules import Rule
from reportgen.document.model import Expected
from reportgen.protocol import FAILED_STATUSES, MeasuredRuns
from reportgen.protocol.timeline import run_duration
from reportgen.tables.expected import SpeedFacts, expected_speed
from reportgen.tables.headings import plain
from reportgen.tables.pivot import fastest
from reportgen.tables.results import Comparison
from reportgen.tables.spec import METRIC, PHASE, CompareSpec, TableSpec

# A problem that fits into the caches of several devices scales better than linearly, but not so much better.
_MAX_EFFICIENCY = 2.0

# A message names at most this many factors in which a baseline differs, and this many of their values.
_MAX_NAMED_FACTORS = 4
_MAX_NAMED_VALUES = 8


@dataclass(frozen=True, slots=True)
class Compared:
    """The comparison of a case, and a finding if it or its expected speed is missing."""

    comparison: Comparison | None
    finding: Finding | None = None


@dataclass(frozen=True, slots=True)
class Comparer:
    """Compares the cases of one table.

    by_factors  all cases that may be a baseline; measured  the store of the build
    """

    spec: TableSpec
    settings: CompareSpec
    speed_facts: SpeedFacts
    by_factors: Mapping[FactorsKey, Case]
    measured: MeasuredRuns

    def compare(self, case: Case) -> Compared:
        """Return the comparison of a case with its baseline."""
        if case.summary is None:
            return Compared(None)
        baseline = self.baseline_of(case)
        if baseline is None or baseline.summary is None:
            return Compared(None, self._note(Rule.TABLE_MISSING_BASELINE, self._why(case, baseline)))
        if case.parts != baseline.parts:
            own, others = " + ".join(case.parts), " + ".join(baseline.parts)
            message = f"{case.phase} is {own} here, but {others} in the baseline"
            return Compared(None, self._note(Rule.TABLE_MISSING_BASELINE, message))
        differs = (
            *differences(case, baseline, {*self.settings.baseline, *self.spec.pick}),
            *_ignored_differences(case, baseline, self.spec.ignore),
        )
        reasons = [each for each in differs if each.is_essential and each.name not in self.settings.accept]
        if reasons:
            message = (
                f"not comparable with its baseline: differs in {' and '.join(each.text for each in reasons)}"
            )
            return Compared(None, Finding("warning", Rule.TABLE_NOT_COMPARABLE, self.spec.id, message))
        compared = self._compared(case, baseline)
        if compared.comparison is None or case is baseline:
            return compared
        return replace(compared, comparison=self._with_verdict(case, compared.comparison, differs))

    def _with_verdict(
        self, case: Case, comparison: Comparison, differs: tuple[Difference, ...]
    ) -> Comparison:
        """Return the comparison with its verdict, and with the ratios per cycle and per joule."""
        baseline, settings, protocol = comparison.baseline, self.settings, self.spec.protocol
        if settings.kind == "efficiency":
            return replace(comparison, differs=differs)
        rule = DecisionRule(protocol.confidence, settings.same_within, settings.is_exchangeable)
        beside = PerCycle(self.measured, protocol, rule)
        return replace(
            comparison,
            differs=differs,
            verdict=verdict_on(case, baseline, rule),
            cycles=beside.compare(case, baseline),
            energy=beside.energy_ratio(case, baseline),
            breakdown=break_down(case, baseline, protocol, self.measured),
        )

    def _compared(self, case: Case, baseline: Case) -> Compared:
        if self.settings.kind == "expected":
            return self._expected(case, baseline)
        value = _value(self.settings.kind, case, baseline)
        comparison = Comparison(self.settings.kind, baseline, value)
        if self.settings.kind != "efficiency" or not value > _MAX_EFFICIENCY:
            return Compared(comparison)
        message = (
            f"a scaling efficiency of {value:.3g}: devices together are at most about as fast as each alone"
        )
        return Compared(comparison, Finding("warning", Rule.RATE_IMPLAUSIBLE, self.spec.id, message))

    def baseline_of(self, case: Case) -> Case | None:
        """Return the case that this one is compared with, with or without a number.

        Factors of which each cell picks its best value are the baseline's own best.
        """
        wanted = {**case.factors, **self.settings.baseline}
        best = {name for name, which in self.spec.pick.items() if which == "best"} - {*self.settings.baseline}
        if not best:
            return self.by_factors.get(factors_key(wanted))
        key = _without(factors_key(wanted), best)
        candidates = [each for factors, each in self.by_factors.items() if _without(factors, best) == key]
        return fastest(candidates) if candidates else None

    def _note(self, rule: Rule, message: str) -> Finding:
        return Finding("note", rule, self.spec.id, message)

    def _why(self, case: Case, baseline: Case | None) -> str:
        asked = ", ".join(f"{name}={plain(value)}" for name, value in self.settings.baseline.items())
        if baseline is None:
            differs = f"the nearest differs in {self._nearest(case)}"
            return f"no baseline with {asked} and all other factors equal; {differs}"
        return f"baseline with {asked} has no number: {_why_unmeasured(baseline)}"

    def _nearest(self, case: Case) -> str:
        """Return the factors in which the closest possible baseline differs from the one asked for."""
        wanted = factors_key({**case.factors, **self.settings.baseline})
        fixed = factors_key(self.settings.baseline)
        pairs_of_each = (wanted ^ factors for factors in self.by_factors if fixed <= factors)
        names = min((sorted({name for name, _ in pairs}) for pairs in pairs_of_each), key=_distance)
        more = f" and {len(names) - _MAX_NAMED_FACTORS} more" if len(names) > _MAX_NAMED_FACTORS else ""
        return ", ".join(names[:_MAX_NAMED_FACTORS]) + more

    def _expected(self, case: Case, baseline: Case) -> Compared:
        slower = _slower(case, baseline)
        observed = Comparison("expected", baseline, slower)
        target, reference = (self.speed_facts.system_of(each.factors) for each in (case, baseline))
        is_known = target is not None and reference is not None and target != reference
        if not is_known or not has_expected_speed(case, self.spec):
            return Compared(observed)
        assert target is not None
        assert reference is not None
        expected = expected_speed(self.speed_facts, target, reference, case.factors, baseline.factors)
        if expected is None:
            devices = dict.fromkeys(
                str(side.factors["devices"]) for side in (case, baseline) if "devices" in side.factors
            )
            counts = f" at {' and '.join(devices)} devices" if devices else ""
            message = f"no facts connect {target} and {reference}{counts}"
            return Compared(observed, self._note(Rule.EXPECTED_NO_PATH, message))
        return Compared(with_expected(baseline, slower, expected))


def _ignored_differences(case: Case, baseline: Case, ignored: Sequence[str]) -> Iterator[Difference]:
    """Yield the factors that the definition ignores and in which the runs of the two differ."""
    for name in ignored:
        own, base = (_values_of_runs(side, name) for side in (case, baseline))
        if own and base and own != base:
            yield Difference(name, own, base)


def _values_of_runs(case: Case, name: str) -> str:
    factors = (measurement.run.factors for measurement in case.measurements)
    return ", ".join(sorted({str(each[name]) for each in factors if name in each}))


def verdict_on(case: Case, baseline: Case, rule: DecisionRule) -> Verdict | None:
    """Return how the speeds of two cases compare; None for other quantities."""
    metric = metric_of(case.metric)
    is_other = (case.metric, case.phase) != (baseline.metric, baseline.phase)
    if is_other or not metric.is_speed or metric.better is None:
        return None
    repeats, others = (
        [_timed_repeat(measurement) for measurement in side.measurements] for side in (case, baseline)
    )
    if min(each.value for each in (*repeats, *others)) <= 0:
        return None
    return decide(repeats, others, better=metric.better, rule=rule)


def _timed_repeat(measurement: Measurement) -> TimedRepeat:
    run = measurement.run
    devices = run.factors.get("devices", run.ranks)
    return TimedRepeat(
        measurement.value,
        run.started,
        run.round,
        clock=run.started_clock,
        seconds=run_duration(run),
        devices=devices if isinstance(devices, int) else 0,
    )


def _without(factors: FactorsKey, names: Container[str]) -> FactorsKey:
    return frozenset(pair for pair in factors if pair[0] not in names)


def _distance(names: list[str]) -> tuple[bool, int, list[str]]:
    """Return a sorting key by the factors that differ: another metric or phase is the farthest."""
    return METRIC in names or PHASE in names, len(names), names


def _why_unmeasured(baseline: Case) -> str:
    """Return why a case has no number: its first run failed, or why a complete run gives none."""
    if not baseline.unmeasured:
        return "too few repeats for the protocol"
    run = baseline.unmeasured[0]
    if run.status in FAILED_STATUSES:
        return run.status.replace("_", " ")
    copies = (finding for finding in run.findings if finding.rule == Rule.READ_DUPLICATE_RUN)
    reasons = (finding.message for finding in (*baseline.findings, *copies) if finding.subject == run.id)
    return next(reasons, f"the log of {run.id} has nothing to measure")


def with_expected(baseline: Case, slower: float, expected: Expected) -> Comparison:
    """Return the comparison of a case that is `slower` times slower than its baseline.

    slowdown vs expected = slowdown x expected speed
    """
    return Comparison(
        "expected",
        baseline,
        slower,
        expected,
        excess=slower * expected.speed,
        low=slower * expected.low,
        high=slower * expected.high,
    )


def has_expected_speed(case: Case, spec: TableSpec) -> bool:
    """Return True if the phase is bound by the device, as far as the runs show it.

    The wait for data is not, nor is a total that contains it. A whole step is, unless the runs measured
    the wait for data in it: then the phases show the two causes that the step mixes.
    """
    if DATA_LOADING in (case.phase, *spec.totals.get(case.phase, ())):
        return False
    if case.phase != STEP or STEP in spec.totals:
        return True
    runs = [m.run for m in case.measurements]
    phases = {s.phase for run in runs for s in run.series} | {a.phase for run in runs for a in run.aggregates}
    return DATA_LOADING not in phases


def comparer(
    spec: TableSpec, pool: Sequence[Case], speed_facts: SpeedFacts, measured: MeasuredRuns
) -> Comparer | None:
    """Return the table's comparer, None if it compares nothing.

    Raises RequestError if nothing at all has the factors of the baseline.
    """
    if spec.compare is None:
        return None
    _check_baseline(spec, spec.compare)
    _check_direction(spec, spec.compare)
    _check_quantity(spec, spec.compare)
    _check_devices(spec, spec.compare, pool)
    wanted = spec.compare.baseline.items()
    if not any(matches(case.factors, {name: (value,) for name, value in wanted}) for case in pool):
        asked = ", ".join(f"{k} = {toml_text(v)}" for k, v in wanted)
        raise RequestError(
            f"{spec.place}.compare.baseline", f"no case has {asked}", _values_remedy(spec.compare, pool)
        )
    return Comparer(spec, spec.compare, speed_facts, {factors_key(c.factors): c for c in pool}, measured)


def _check_direction(spec: TableSpec, compare: CompareSpec) -> None:
    """Raise RequestError for a metric that is not a speed, or has no better direction."""
    for name in spec.metrics:
        if compare.kind != "ratio" and not metric_of(name).is_speed:
            raise RequestError(
                f"{spec.place}.compare.kind",
                f'{name} is not a speed and has no "{compare.kind}"',
                'use kind = "ratio"',
            )


def _check_quantity(spec: TableSpec, compare: CompareSpec) -> None:
    """Raise RequestError for a baseline that is another quantity: s over images/s, or a part of the step."""
    place = f"{spec.place}.compare.baseline"
    for name in (METRIC, PHASE):
        if name in compare.baseline and compare.kind != "ratio":
            fact = f"another {name} is not a slower or faster one"
            raise RequestError(f"{place}.{name}", fact, 'use kind = "ratio"')
    base = str(compare.baseline.get(METRIC, spec.metrics[0]))
    for name in spec.metrics if METRIC in compare.baseline else ():
        if metric_of(name).unit != metric_of(base).unit:
            fact = f"{name} and {base} have different units, and no ratio"
            raise RequestError(f"{place}.{METRIC}", fact, "compare each metric with itself")


def _check_baseline(spec: TableSpec, compare: CompareSpec) -> None:
    """Raise RequestError for a baseline that every case is."""
    if not compare.baseline:
        raise RequestError(
            f"{spec.place}.compare.baseline", "names no factor", "for example baseline = { devices = 1 }"
        )


def _check_devices(spec: TableSpec, compare: CompareSpec, pool: Sequence[Case]) -> None:
    if compare.kind != "efficiency":
        return
    for name in spec.metrics:
        if not metric_of(name).scales_with_devices:
            raise RequestError(
                f"{spec.place}.compare.kind",
                f"{name} does not scale with the number of devices and has no scaling efficiency",
                'use metric = "throughput", or kind = "speedup"',
            )
    if not any("devices" in case.factors for case in pool):
        raise RequestError(
            f"{spec.place}.compare.kind",
            'scaling efficiency needs the factor "devices"',
            'use kind = "speedup"',
        )
    others = [name for name in compare.baseline if name not in SIZES]
    if others:
        raise RequestError(
            f"{spec.place}.compare.baseline",
            f"scaling efficiency is about the number of devices, and not {', '.join(others)}",
            'use kind = "speedup"',
        )


def _values_remedy(compare: CompareSpec, pool: Sequence[Case]) -> str:
    parts = []
    for name in compare.baseline:
        values = sorted({toml_text(c.factors[name]) for c in pool if name in c.factors})
        more = " ..." if len(values) > _MAX_NAMED_VALUES else ""
        parts.append(f"{name} is one of {', '.join(values[:_MAX_NAMED_VALUES])}{more}")
    return "; ".join(parts)


def _medians(case: Case, baseline: Case) -> tuple[float, float]:
    assert case.summary is not None
    assert baseline.summary is not None
    return case.summary.median, baseline.summary.median


def _value(kind: str, case: Case, baseline: Case) -> float:
    """Return the number of a comparison, NaN if one of its parts is zero or unknown."""
    value, base = _medians(case, baseline)
    if base == 0 or value == 0:
        return float("nan")
    if kind == "ratio":
        return value / base
    speedup = 1 / _slower(case, baseline)
    return speedup / devices_ratio(case, baseline) if kind == "efficiency" else speedup


def _slower(case: Case, baseline: Case) -> float:
    """Return how many times slower the case is than its baseline, for times and for rates."""
    value, base = _medians(case, baseline)
    if base == 0 or value == 0:
        return float("nan")
    return base / value if metric_of(case.metric).better == "higher" else value / base


def devices_ratio(case: Case, baseline: Case) -> float:
    """Return how many times as many devices a case has; NaN if either does not say."""
    devices, base = case.factors.get("devices"), baseline.factors.get("devices")
    if not isinstance(devices, (int, float)) or not isinstance(base, (int, float)) or not devices or not base:
        return float("nan")
    return devices / base
