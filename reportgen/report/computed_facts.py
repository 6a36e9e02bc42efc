"""Compute the speed of a fact from a campaign: the geometric mean of paired ratios over named values.

    computed = { logs = "logs/published", metric = "throughput", over = { model = ["a", "b"] } }
    computed = { logs = "logs/published", ratio = "speed_ratio", over = { model = ["a", "b"] } }

For each value, the one case of each system is looked up and compared as any two cases, so that every value
weighs the same; a `ratio` is one that the campaign publishes, in a case whose factors `of` and `to` name the
systems. A value that one of the systems lacks is an error, because a mean over other values is another fact.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from reportgen.compare.comparison import Comparison
from reportgen.compare.conditions import DEVICE_NAMES, ESSENTIAL
from reportgen.compare.pair import Question, compare_cases
from reportgen.compare.side import Side, side_of
from reportgen.core.case_findings import invalid_rule
from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.factors import AcceptedValues, matches, toml_text
from reportgen.core.metrics import metric_of
from reportgen.core.model import STEP, Case, FactorValue
from reportgen.core.schema import Condition, TomlTable, conditions
from reportgen.core.stats import geometric_mean
from reportgen.protocol import DEFAULT, CaseRequest, MeasuredRuns, build_cases
from reportgen.report.definition import below
from reportgen.report.log_reader import LogReader
from reportgen.tables.expected import SpeedFact, SpeedFacts


class ComputedTable(TomlTable):
    """`computed` of a fact: the logs, the metric, and the one factor whose values are averaged over.

    ratio   in place of the metric, a published ratio of the two systems
    accept  differences that would make a ratio meaningless, and that the author accepts
    """

    logs: str
    over: dict[str, Condition]
    metric: str = ""
    ratio: str = ""
    accept: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ComputedFact:
    """A fact whose speed is computed from logs once they are loaded.

    fact    without its speed
    place   of its table `computed`, for messages; logs  relative to the root
    factor, values  one ratio for each value, all weigh the same
    is_ratio  whether the metric is a published ratio of the two systems
    accept  differences that would make a ratio meaningless, and that the author accepts
    """

    fact: SpeedFact
    place: str
    logs: str
    metric: str
    factor: str
    values: AcceptedValues
    is_ratio: bool = False
    accept: tuple[str, ...] = ()


def check_computed(table: ComputedTable, place: str, fact: SpeedFact) -> ComputedFact:
    """Return the table `computed` of a fact. Raises RequestError for a wrong value."""
    wanted = conditions(table.over)
    if len(wanted) != 1:
        raise RequestError(f"{place}.over", "does not name one factor", 'over = { model = ["a", "b"] }')
    if table.metric and table.ratio:
        raise RequestError(place, "both metric and ratio", "remove one of them")
    metric = table.ratio or table.metric or "throughput"
    if not table.ratio and not metric_of(metric).is_speed:
        raise RequestError(f"{place}.metric", f"{metric} is not a speed", 'use "throughput" or "step_time"')
    for name in table.accept:
        if name not in ESSENTIAL:
            raise RequestError(f"{place}.accept", f'"{name}" is not known', did_you_mean(name, ESSENTIAL))
    ((factor, values),) = wanted.items()
    logs = below(table.logs, f"{place}.logs")
    return ComputedFact(fact, place, logs, metric, factor, values, bool(table.ratio), table.accept)


def expect_logs(facts: Sequence[SpeedFact | ComputedFact], reader: LogReader) -> None:
    """Announce the logs that facts are computed from. Raises RequestError for one that does not exist."""
    for fact in facts:
        if isinstance(fact, ComputedFact):
            reader.expect(fact.logs, f"{fact.place}.logs")


def compute_facts(
    knowledge: SpeedFacts,
    facts: Sequence[SpeedFact | ComputedFact],
    reader: LogReader,
    measured: MeasuredRuns | None = None,
) -> SpeedFacts:
    """Return the knowledge with all facts, after computing those that depend on logs.

    measured  where runs may be measured already
    Raises RequestError for a value without exactly one measured case of each system.
    """
    store = measured or MeasuredRuns()
    return replace(
        knowledge,
        facts=tuple(
            _computed(fact, knowledge, reader, store) if isinstance(fact, ComputedFact) else fact
            for fact in facts
        ),
    )


def _computed(
    computed: ComputedFact, knowledge: SpeedFacts, reader: LogReader, measured: MeasuredRuns
) -> SpeedFact:
    """Return the fact with the speed of the first system relative to the second."""
    fact, factor = computed.fact, computed.factor
    where = {**fact.where, factor: computed.values}
    if computed.is_ratio:
        where |= {"of": (fact.of,), "to": (fact.to,)}
    runs = [run for run in reader.load([computed.logs]).runs if matches(run.factors, where)]
    cases = build_cases(runs, CaseRequest(computed.metric, STEP, DEFAULT), measured)
    by_value = {
        value: [case for case in cases if case.summary and case.factors[factor] == value]
        for value in computed.values
    }
    if computed.is_ratio:
        name = f"{fact.of} over {fact.to}"
        ratios = [_number(_one(own, name, computed, v), name, computed, v) for v, own in by_value.items()]
        return replace(fact, speed=geometric_mean(ratios), origin="computed")
    comparisons = [_compared(own, knowledge, computed, value) for value, own in by_value.items()]
    speed = geometric_mean([comparison.value for comparison in comparisons])
    return replace(fact, speed=speed, differs=_differences(fact, comparisons), origin="computed")


def _compared(
    cases: Sequence[Case], knowledge: SpeedFacts, computed: ComputedFact, value: FactorValue
) -> Comparison:
    """Return how the cases of the two systems compare, as any two cases."""

    def side(system: str) -> Side:
        own = [case for case in cases if knowledge.system_of(case.factors) == system]
        case = _one(own, system, computed, value)
        _number(case, system, computed, value)
        return side_of(case)

    of, to = side(computed.fact.of), side(computed.fact.to)
    about = {*DEVICE_NAMES, *knowledge.systems[computed.fact.of], *knowledge.systems[computed.fact.to]}
    comparison = compare_cases(of, to, Question(about=about, accept=computed.accept))
    if comparison.refused:
        differing = " and ".join(each.change_text for each in comparison.refused)
        fact = f"{computed.fact.of} and {computed.fact.to} are not comparable: {differing}"
        names = ", ".join(toml_text(each.name) for each in comparison.refused)
        raise RequestError(computed.place, fact, f"choose other cases, or add accept = [{names}]")
    return comparison


def _one(cases: Sequence[Case], name: str, computed: ComputedFact, value: FactorValue) -> Case:
    """Return the only case of a system, or of two, with a value of the factor."""
    if len(cases) == 1:
        return cases[0]
    count = f"{len(cases)} different cases" if cases else "no measured case"
    fact = f"{count} of {name} with {computed.factor} = {toml_text(value)}"
    raise RequestError(computed.place, fact, "narrow it with the fact's where")


def _number(case: Case, name: str, computed: ComputedFact, value: FactorValue) -> float:
    """Return the number of a case. Raises RequestError unless it is valid and above 0."""
    assert case.summary is not None
    median = case.summary.median
    if rule := invalid_rule(case.metric, case.phase, case.measurements):
        fact = f"{name} has an invalid number ({rule}) with {computed.factor} = {toml_text(value)}"
        raise RequestError(computed.place, fact, "leave it out of over")
    if not 0 < median < math.inf:
        fact = f"{name} has {median:g} with {computed.factor} = {toml_text(value)}"
        raise RequestError(computed.place, fact, "leave it out of over")
    return median


def _differences(fact: SpeedFact, comparisons: Sequence[Comparison]) -> tuple[str, ...]:
    """Return in what else the cases differ, with the values of the systems if there is one pair of them."""
    texts: dict[str, dict[str, None]] = {}
    for each in (each for comparison in comparisons for each in comparison.differs):
        text = f"{each.name} ({fact.of}: {each.own}, {fact.to}: {each.baseline})"
        texts.setdefault(each.name, {}).setdefault(text)
    return tuple(next(iter(each)) if len(each) == 1 else name for name, each in texts.items())
