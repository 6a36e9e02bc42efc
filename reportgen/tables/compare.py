"""Compare a case with its baseline: ratio, speed-up, scaling efficiency, expected speed.

The baseline of a case is the case with the same factors, except those that the definition replaces. So
like is compared with like: if a batch size, a precision or a device count differs without being named,
there is no baseline, and the cell says so.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace

from reportgen.compare.comparison import Comparison
from reportgen.compare.conditions import SIZES
from reportgen.compare.pair import Question, compare_cases
from reportgen.compare.side import MeasuredLogs, Sides
from reportgen.compare.spread import Spreads
from reportgen.compare.verdicts import DecisionRule
from reportgen.core.errors import RequestError
from reportgen.core.factors import (
    FactorsKey,
    Presence,
    condition_text,
    factors_key,
    is_value,
    matches,
    toml_text,
    value_text,
)
from reportgen.core.metrics import metric_of
from reportgen.core.model import DATA_LOADING, STEP, Case, Factors, FactorValue, Finding
from reportgen.core.rules import Rule
from reportgen.protocol import FAILED_STATUSES, MeasuredRuns
from reportgen.tables.expected import SpeedFacts, book_speed, expected_speed
from reportgen.tables.pivot import fastest
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

    @property
    def is_meaningless(self) -> bool:
        """Return whether the two may not be compared."""
        return self.finding is not None and self.finding.rule == Rule.TABLE_NOT_COMPARABLE


@dataclass(frozen=True, slots=True)
class Comparer:
    """Compares the cases of one table.

    by_factors  all cases that may be a baseline
    logs        of clocks, energy and phases; None: no comparison per cycle and joule, and no parts
    spreads     of the repeats of all these cases
    """

    spec: TableSpec
    settings: CompareSpec
    speed_facts: SpeedFacts
    by_factors: Mapping[FactorsKey, Case]
    logs: MeasuredLogs | None = None
    sides: Sides = field(default_factory=Sides)
    spreads: Spreads | None = None

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
        comparison = compare_cases(
            self.sides[case], self.sides[baseline], self._question(), spreads=self.spreads, logs=self.logs
        )
        if comparison.refusal:
            message = f"not comparable with its baseline: {comparison.refusal}"
            return Compared(None, Finding("warning", Rule.TABLE_NOT_COMPARABLE, self.spec.id, message))
        if self.settings.kind == "expected":
            return self._with_expected(comparison)
        if self.settings.kind == "efficiency" and comparison.value > _MAX_EFFICIENCY:
            message = (
                f"a scaling efficiency of {comparison.value:.3g}: "
                "devices together are at most about as fast as each alone"
            )
            return Compared(comparison, Finding("warning", Rule.RATE_IMPLAUSIBLE, self.spec.id, message))
        return Compared(comparison)

    def _question(self) -> Question:
        settings = self.settings
        return Question(
            settings.kind,
            about={*settings.baseline, *self.spec.pick},
            ignored=self.spec.ignore,
            accept=settings.accept,
            rule=DecisionRule(self.spec.protocol.confidence, settings.same_within, settings.is_exchangeable),
        )

    def baseline_of(self, case: Case) -> Case | None:
        """Return the case that this one is compared with, with or without a number.

        Factors of which each cell picks its best value are the baseline's own best.
        """
        wanted = self._against(case)
        best = {name for name, which in self.spec.pick.items() if which == "best"} - {*self.settings.baseline}
        if not best:
            return self.by_factors.get(factors_key(wanted))
        key = _without(factors_key(wanted), best)
        candidates = [each for factors, each in self.by_factors.items() if _without(factors, best) == key]
        return fastest(candidates) if candidates else None

    def _against(self, case: Case) -> dict[str, FactorValue]:
        """Return the factors of the baseline of a case: its own, with those that the definition replaces."""
        return {**_without_names(case.factors, self.settings.baseline), **self._fixed}

    @property
    def _fixed(self) -> dict[str, FactorValue]:
        return {name: value for name, value in self.settings.baseline.items() if is_value(value)}

    def _note(self, rule: Rule, message: str) -> Finding:
        return Finding("note", rule, self.spec.id, message)

    def _why(self, case: Case, baseline: Case | None) -> str:
        asked = ", ".join(
            f"{name}={value_text(value)}" if is_value(value) else f"no {name}"
            for name, value in self.settings.baseline.items()
        )
        if baseline is None:
            differs = f"the nearest differs in {self._nearest(case)}"
            return f"no baseline with {asked} and all other factors equal; {differs}"
        return f"baseline with {asked} has no number: {_why_unmeasured(baseline)}"

    def _nearest(self, case: Case) -> str:
        """Return the factors in which the closest possible baseline differs from the one asked for."""
        wanted, fixed = factors_key(self._against(case)), factors_key(self._fixed)
        pairs_of_each = (wanted ^ factors for factors in self.by_factors if fixed <= factors)
        names = min((sorted({name for name, _ in pairs}) for pairs in pairs_of_each), key=_distance)
        more = f" and {len(names) - _MAX_NAMED_FACTORS} more" if len(names) > _MAX_NAMED_FACTORS else ""
        return ", ".join(names[:_MAX_NAMED_FACTORS]) + more

    def _with_expected(self, comparison: Comparison) -> Compared:
        """Return a slowdown with the expected speed of the two systems, if facts connect them."""
        case, baseline = comparison.case, comparison.baseline
        target, reference = (self.speed_facts.system_of(each.factors) for each in (case, baseline))
        if target is None or reference is None or target == reference:
            return Compared(comparison)
        if not has_expected_speed(case, self.spec):
            return Compared(comparison)
        expected = expected_speed(self.speed_facts, target, reference, case.factors, baseline.factors)
        expected = expected or book_speed(target, reference, case, baseline)
        if expected is None:
            devices = dict.fromkeys(
                str(side.factors["devices"]) for side in (case, baseline) if "devices" in side.factors
            )
            counts = f" at {' and '.join(devices)} devices" if devices else ""
            message = f"no facts connect {target} and {reference}{counts}"
            return Compared(comparison, self._note(Rule.EXPECTED_NO_PATH, message))
        return Compared(replace(comparison, expected=expected))


def _without_names(factors: Factors, names: Container[str]) -> dict[str, FactorValue]:
    return {name: value for name, value in factors.items() if name not in names}


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
        asked = ", ".join(f"{k} = {condition_text(v)}" for k, v in wanted)
        raise RequestError(
            f"{spec.place}.compare.baseline", f"no case has {asked}", _values_remedy(spec.compare, pool)
        )
    by_factors = {factors_key(case.factors): case for case in pool}
    sides, logs = Sides(), MeasuredLogs(measured, spec.protocol)
    spreads = Spreads(sides[case] for case in by_factors.values())
    return Comparer(spec, spec.compare, speed_facts, by_factors, logs, sides, spreads)


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
    for name, value in compare.baseline.items():
        if value is Presence.PRESENT:
            place = f"{spec.place}.compare.baseline.{name}"
            raise RequestError(place, "any value of a factor is not one baseline", "write its value")


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
