"""Compare a case with its baseline: ratio, speed-up, scaling efficiency, expected speed.

The baseline of a case is the case that agrees with it in every factor but those that the definition
replaces. So like is compared with like: a batch size, a precision or a device count that differs
without being named has no baseline, and the cell says so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reportgen.core.errors import RequestError
from reportgen.core.factors import factors_key, matches
from reportgen.core.metrics import metric_of
from reportgen.core.model import STEP, Case, FactorValue, Finding
from reportgen.core.results import Comparison, Expected
from reportgen.core.rules import Rule
from reportgen.protocol import FAILED_STATUSES
from reportgen.tables.expected import SpeedFacts, expected_speed
from reportgen.tables.spec import METRIC, PHASE, CompareSpec, TableSpec
from reportgen.tables.validate import show

# Waiting for data has no expected speed: it does not depend on the device that is compared.
HOST_BOUND = "data_loading"

# More factors than this are not named as what a baseline differs in.
_NAMED = 4

FactorSet = frozenset[tuple[str, tuple[str, FactorValue]]]


@dataclass(frozen=True, slots=True)
class Comparer:
    """Compares cases of one table; `pool` are all cases that may be a baseline."""

    spec: TableSpec
    compare: CompareSpec
    knowledge: SpeedFacts
    by_factors: Mapping[FactorSet, Case]

    def __call__(self, case: Case) -> tuple[Comparison | None, Finding | None]:
        """Return the comparison, and a finding where it (or its expected speed) is missing."""
        if case.summary is None:
            return None, None
        baseline = self.baseline_of(case)
        if baseline is None or baseline.summary is None:
            return None, self._note(Rule.TABLE_MISSING_BASELINE, self._why(case, baseline))
        if case.parts != baseline.parts:
            parts = [" + ".join(each.parts) for each in (case, baseline)]
            message = f"the baseline's {case.phase} is {parts[1]}, here it is {parts[0]}"
            return None, self._note(Rule.TABLE_MISSING_BASELINE, message)
        if self.compare.kind == "expected":
            return self._expected(case, baseline)
        value = _value(self.compare.kind, case, baseline)
        return Comparison(self.compare.kind, baseline, value), None

    def baseline_of(self, case: Case) -> Case | None:
        """Return the case that this one is compared with, with or without a number."""
        return self.by_factors.get(factors_key({**case.factors, **self.compare.baseline}))

    def _note(self, rule: Rule, message: str) -> Finding:
        return Finding("note", rule, self.spec.id, message)

    def _why(self, case: Case, baseline: Case | None) -> str:
        asked = ", ".join(f"{k} = {show(v)}" for k, v in self.compare.baseline.items())
        if baseline is None:
            differs = f"the nearest differs in {self._nearest(case)}"
            return f"no baseline with {asked} that agrees in all other factors: {differs}"
        return f"the baseline with {asked} has no number: {_why_unmeasured(baseline)}"

    def _nearest(self, case: Case) -> str:
        """Return the factors in which a case differs from the baseline that agrees with it in most."""
        wanted, fixed = (factors_key({**some, **self.compare.baseline}) for some in (case.factors, {}))
        pairs = (wanted ^ factors for factors in self.by_factors if fixed <= factors)
        names = min((sorted({name for name, _ in pair}) for pair in pairs), key=_farness)
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        return ", ".join(names[:_NAMED]) + more

    def _expected(self, case: Case, baseline: Case) -> tuple[Comparison, Finding | None]:
        slower = _slower(case, baseline)
        observed = Comparison("expected", baseline, slower)
        target, reference = (self.knowledge.system_of(c.factors) for c in (case, baseline))
        if (
            target == reference
            or target is None
            or reference is None
            or not has_expected_speed(case, self.spec)
        ):
            return observed, None
        found = expected_speed(self.knowledge, target, reference, case.factors)
        if found is None:
            counts = f" at {case.factors['devices']} devices" if "devices" in case.factors else ""
            message = f"no facts lead from {target} to {reference}{counts}"
            return observed, self._note(Rule.EXPECTED_NO_PATH, message)
        return with_expected(baseline, slower, found), None


def _farness(names: list[str]) -> tuple[bool, int, list[str]]:
    """Return a sorting key of cases by what they differ in: another quantity is the farthest."""
    return METRIC in names or PHASE in names, len(names), names


def _why_unmeasured(baseline: Case) -> str:
    """Return why a case has no number: that its first run failed, or why a run that did not has none."""
    if not baseline.unmeasured:
        return "its repeats are too few for the protocol"
    run = baseline.unmeasured[0]
    if run.status in FAILED_STATUSES:
        return run.status.replace("_", " ")
    copies = (one for one in run.findings if one.rule == Rule.READ_DUPLICATE_RUN)
    said = (one.message for one in (*baseline.findings, *copies) if one.subject == run.id)
    return next(said, f"the log of {run.id} has nothing to measure")


def with_expected(baseline: Case, slower: float, found: Expected) -> Comparison:
    """Return the comparison of a case that is `slower` times slower than its baseline.

    times slower than it should be = times slower x expected speed (design, section 6)
    """
    return Comparison(
        "expected", baseline, slower, found, slower * found.speed, slower * found.low, slower * found.high
    )


def has_expected_speed(case: Case, spec: TableSpec) -> bool:
    """Return whether the phase is bound by the device, as far as the runs can tell.

    The wait for data and totals that contain it are not. A whole step is only as long as nobody
    measured the wait for data in it: then the phases tell, and the step would mix two causes.
    """
    if HOST_BOUND in (case.phase, *spec.totals.get(case.phase, ())):
        return False
    if case.phase != STEP or STEP in spec.totals:
        return True
    runs = [m.run for m in case.measurements]
    phases = {s.phase for run in runs for s in run.series} | {a.phase for run in runs for a in run.aggregates}
    return HOST_BOUND not in phases


def comparer(spec: TableSpec, pool: Sequence[Case], knowledge: SpeedFacts) -> Comparer | None:
    """Return the table's comparer, None if it compares nothing.

    Raises RequestError if nothing at all has the factors of the baseline.
    """
    if spec.compare is None:
        return None
    _check_direction(spec, spec.compare)
    _check_devices(spec, spec.compare, pool)
    wanted = spec.compare.baseline.items()
    if not any(matches(case.factors, {name: (value,) for name, value in wanted}) for case in pool):
        asked = ", ".join(f"{k} = {show(v)}" for k, v in wanted)
        raise RequestError(
            f"{spec.place}.compare.baseline", f"no case has {asked}", _values_remedy(spec.compare, pool)
        )
    return Comparer(spec, spec.compare, knowledge, {factors_key(c.factors): c for c in pool})


def _check_direction(spec: TableSpec, compare: CompareSpec) -> None:
    """Refuse to call something faster that is no speed, or of which nobody knows which way is better."""
    for name in spec.metrics:
        if compare.kind != "ratio" and not metric_of(name).is_speed:
            raise RequestError(
                f"{spec.place}.compare.kind",
                f'{name} is no speed, so there is no "{compare.kind}" of it',
                'use kind = "ratio"',
            )


def _check_devices(spec: TableSpec, compare: CompareSpec, pool: Sequence[Case]) -> None:
    if compare.kind != "efficiency":
        return
    for name in spec.metrics:
        if not metric_of(name).scales_with_devices:
            raise RequestError(
                f"{spec.place}.compare.kind",
                f"{name} does not tell what all devices do together, so there is no scaling efficiency of it",
                'use metric = "throughput", or kind = "speedup"',
            )
    if not any("devices" in case.factors for case in pool):
        raise RequestError(
            f"{spec.place}.compare.kind",
            'scaling efficiency needs the factor "devices"',
            'use kind = "speedup"',
        )


def _values_remedy(compare: CompareSpec, pool: Sequence[Case]) -> str:
    parts = []
    for name in compare.baseline:
        values = sorted({show(c.factors[name]) for c in pool if name in c.factors})
        parts.append(f"{name} is one of {', '.join(values[:8])}{' ...' if len(values) > 8 else ''}")
    return "; ".join(parts)


def _medians(case: Case, baseline: Case) -> tuple[float, float]:
    assert case.summary is not None
    assert baseline.summary is not None
    return case.summary.median, baseline.summary.median


def _value(kind: str, case: Case, baseline: Case) -> float:
    """Return the number of a comparison, NaN where one of its parts is zero or unknown."""
    value, base = _medians(case, baseline)
    if base == 0 or value == 0:
        return float("nan")
    if kind == "ratio":
        return value / base
    speedup = 1 / _slower(case, baseline)
    return speedup / _devices_ratio(case, baseline) if kind == "efficiency" else speedup


def _slower(case: Case, baseline: Case) -> float:
    """Return how many times slower the case is than its baseline, whichever way its metric counts."""
    value, base = _medians(case, baseline)
    if base == 0 or value == 0:
        return float("nan")
    return base / value if metric_of(case.metric).better == "higher" else value / base


def _devices_ratio(case: Case, baseline: Case) -> float:
    devices, base = case.factors.get("devices"), baseline.factors.get("devices")
    if not isinstance(devices, (int, float)) or not isinstance(base, (int, float)) or not devices or not base:
        return float("nan")
    return devices / base
