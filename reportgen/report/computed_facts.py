"""Compute the speed of a fact from a campaign: the geometric mean of paired ratios over named values.

    computed = { logs = "logs/published", metric = "throughput", over = { model = ["a", "b"] } }

For each value, the one case of each system is looked up and divided, so that every value weighs the same. A
value that one of the systems lacks is an error, because a mean over other values is another fact.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from reportgen.core.errors import RequestError
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
    """`computed` of a fact: the logs, the metric, and the one factor whose values are averaged over."""

    logs: str
    over: dict[str, Condition]
    metric: str = "throughput"


@dataclass(frozen=True, slots=True)
class ComputedFact:
    """A fact whose speed is computed from logs once they are loaded.

    fact    without its speed
    place   of its table `computed`, for messages; logs  relative to the root
    factor, values  one ratio for each value, all weigh the same
    """

    fact: SpeedFact
    place: str
    logs: str
    metric: str
    factor: str
    values: AcceptedValues


def check_computed(table: ComputedTable, place: str, fact: SpeedFact) -> ComputedFact:
    """Return the table `computed` of a fact. Raises RequestError for a wrong value."""
    wanted = conditions(table.over)
    if len(wanted) != 1:
        raise RequestError(f"{place}.over", "does not name one factor", 'over = { model = ["a", "b"] }')
    if not metric_of(table.metric).is_speed:
        raise RequestError(
            f"{place}.metric", f"{table.metric} is not a speed", 'use "throughput" or "step_time"'
        )
    ((factor, values),) = wanted.items()
    return ComputedFact(fact, place, below(table.logs, f"{place}.logs"), table.metric, factor, values)


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
            replace(fact.fact, speed=_speed(fact, knowledge, reader, store))
            if isinstance(fact, ComputedFact)
            else fact
            for fact in facts
        ),
    )


def _speed(computed: ComputedFact, knowledge: SpeedFacts, reader: LogReader, measured: MeasuredRuns) -> float:
    """Return the speed of the first system relative to the second."""
    where = {**computed.fact.where, computed.factor: computed.values}
    runs = [run for run in reader.load([computed.logs]).runs if matches(run.factors, where)]
    cases = build_cases(runs, CaseRequest(computed.metric, STEP, DEFAULT), measured)
    ratios = [
        _median(cases, knowledge, computed.fact.of, computed, value)
        / _median(cases, knowledge, computed.fact.to, computed, value)
        for value in computed.values
    ]
    ratio = geometric_mean(ratios)
    return ratio if metric_of(computed.metric).better == "higher" else 1 / ratio


def _median(
    cases: Sequence[Case], knowledge: SpeedFacts, system: str, computed: ComputedFact, value: FactorValue
) -> float:
    """Return the median of the one case of a system with a value of the factor."""
    factor = computed.factor
    matching = [
        case.summary
        for case in cases
        if case.summary and case.factors[factor] == value and knowledge.system_of(case.factors) == system
    ]
    if len(matching) != 1:
        count = f"{len(matching)} different cases" if matching else "no measured case"
        raise RequestError(
            computed.place,
            f"{count} of {system} with {factor} = {toml_text(value)}",
            "narrow it with the fact's where",
        )
    median = matching[0].median
    if not 0 < median < float("inf"):
        raise RequestError(
            computed.place,
            f"{system} has {median:g} with {factor} = {toml_text(value)}",
            "leave it out of over",
        )
    return median
