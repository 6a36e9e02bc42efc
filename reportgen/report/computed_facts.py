"""Compute the speed of a fact from a campaign: the geometric mean of paired ratios over named values.

    computed = { logs = "logs/published", metric = "throughput", over = { model = ["a", "b"] } }

For each value, the one case of each system is found and divided, so that every value weighs the same;
a value that one of the systems lacks is an error, because a mean over other values is another fact.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from reportgen.core.errors import RequestError
from reportgen.core.metrics import metric as metric_of
from reportgen.core.model import STEP, Case, FactorValue
from reportgen.core.schema import Condition, Table, conditions
from reportgen.core.stats import geometric_mean
from reportgen.load.scan import load
from reportgen.protocol import DEFAULT, CaseRequest, build_cases
from reportgen.report.definition import below, inside
from reportgen.tables.expected import Knowledge
from reportgen.tables.select import matches
from reportgen.tables.spec import Wanted
from reportgen.tables.validate import show


class ComputedTable(Table):
    """`computed` of a fact: the logs, the metric, and the one factor whose values are averaged over."""

    logs: str
    over: dict[str, Condition]
    metric: str = "throughput"


def computed_speed(
    table: ComputedTable,
    place: str,
    systems: tuple[str, str],
    where: Mapping[str, Wanted],
    knowledge: Knowledge,
    root: Path,
) -> float:
    """Return the speed of the first system relative to the second.

    place   of the table, for messages; where  of the fact, which the cases must match too
    raises  RequestError for a wrong value, or one without exactly one measured case of each system
    """
    log = below(table.logs, f"{place}.logs")
    metric = table.metric
    wanted = conditions(table.over)
    if len(wanted) != 1:
        raise RequestError(f"{place}.over", "names no factor or several", 'over = { model = ["a", "b"] }')
    ((factor, values),) = wanted.items()
    if not inside(root, log, f"{place}.logs").exists():
        raise RequestError(f"{place}.logs", f'no such file or folder: "{log}"', "name a path below the root")
    runs = [run for run in load([log], root=root).runs if matches(run.factors, {**where, **wanted})]
    found = build_cases(runs, CaseRequest(metric, STEP, DEFAULT))
    pairs = [
        [_median(found, knowledge, system, (factor, value), place) for system in systems] for value in values
    ]
    if not metric_of(metric).is_speed:
        raise RequestError(f"{place}.metric", f"{metric} is no speed", 'use "throughput" or "step_time"')
    ratio = geometric_mean([of / to for of, to in pairs])
    return ratio if metric_of(metric).better == "higher" else 1 / ratio


def _median(
    found: Sequence[Case], knowledge: Knowledge, system: str, wanted: tuple[str, FactorValue], place: str
) -> float:
    factor, value = wanted
    mine = [
        case
        for case in found
        if case.summary and case.factors[factor] == value and knowledge.system_of(case.factors) == system
    ]
    if len(mine) != 1 or mine[0].summary is None:
        what = "no measured case" if not mine else f"{len(mine)} different cases"
        raise RequestError(
            place, f"{what} of {system} with {factor} = {show(value)}", "narrow it with the fact's where"
        )
    median = mine[0].summary.median
    if not 0 < median < float("inf"):
        raise RequestError(
            place, f"{system} has {median:g} with {factor} = {show(value)}", "leave it out of over"
        )
    return median
