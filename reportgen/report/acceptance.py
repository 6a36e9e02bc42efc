"""Judge the numbers of tables by the rules of acceptance: pass, fail or not evaluated.

A rule holds if it holds for every cell that it is about. A cell that is missing, invalid or not comparable
is not evaluated, and a rule with such a cell never passes: a node that was not measured is not accepted.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

from reportgen.compare.pair import better_ratio
from reportgen.core.case_findings import findings_of
from reportgen.core.metrics import item_of, metric_of
from reportgen.core.model import Case, FactorValue
from reportgen.document.model import Acceptance, AcceptanceRuleResult, AcceptedCell, Outcome
from reportgen.report.acceptance_rules import AcceptanceRule, AcceptanceSpec
from reportgen.tables.located_cells import LocatedCell, located_cells, words
from reportgen.tables.results import Cell, Table
from reportgen.tables.spec import METRIC


def judge(specs: Iterable[AcceptanceSpec], tables: Mapping[str, Sequence[Table]]) -> tuple[Acceptance, ...]:
    """Return the result of every entry.

    tables  those of each definition entry, by its id
    """
    return tuple(_judged(spec, tables) for spec in specs)


def _judged(spec: AcceptanceSpec, tables: Mapping[str, Sequence[Table]]) -> Acceptance:
    rules = tuple(_applied(rule, tables[rule.table]) for rule in spec.rules)
    outcomes = [rule.outcome for rule in rules]
    return Acceptance(spec.id, spec.title, spec.is_any, (_any if spec.is_any else _all)(outcomes), rules)


def _all(outcomes: Sequence[Outcome]) -> Outcome:
    if "fail" in outcomes:
        return "fail"
    return "pass" if outcomes and set(outcomes) == {"pass"} else "not evaluated"


def _any(outcomes: Sequence[Outcome]) -> Outcome:
    if "pass" in outcomes:
        return "pass"
    return "fail" if set(outcomes) == {"fail"} else "not evaluated"


def _applied(rule: AcceptanceRule, tables: Sequence[Table]) -> AcceptanceRuleResult:
    cells = tuple(_cells(rule, tables))
    return AcceptanceRuleResult(rule.text, rule.bounds, _all([cell.outcome for cell in cells]), cells)


def _cells(rule: AcceptanceRule, tables: Sequence[Table]) -> Iterator[AcceptedCell]:
    """Yield each cell of the rule; a value of `where` that no cell has is one that is not evaluated."""
    places = [place for table in tables for place in located_cells(table) if _has_metric(rule, place)]
    for values in product(*rule.where.values()):
        wanted: dict[str, FactorValue] = dict(zip(rule.where, values, strict=True))
        fitting = [place for place in places if place.fits(wanted)]
        if not fitting:
            yield AcceptedCell(words(wanted), "not evaluated", rule.metric, reason="no such cell")
        for place in fitting:
            comparison = place.cell.comparison
            is_reference = comparison is not None and comparison.baseline is place.cell.case
            if not (is_reference and isinstance(rule.against, str)):
                yield _judged_cell(rule, place)


def _has_metric(rule: AcceptanceRule, place: LocatedCell) -> bool:
    metric = place.cell.case.metric if place.cell.case else place.factors.get(METRIC, rule.metric)
    return not rule.metric or metric == rule.metric


def _judged_cell(rule: AcceptanceRule, place: LocatedCell) -> AcceptedCell:
    name, cell = words(place.factors), place.cell
    case, reason = cell.case, _why_not(rule, cell)
    if reason or case is None or case.summary is None:
        return AcceptedCell(name, "not evaluated", case.metric if case else rule.metric, reason=reason)
    value, reference = case.summary.median, _reference(rule, cell, case)
    ratio = better_ratio(value, reference, metric_of(case.metric).better)
    if not 0 < ratio < math.inf:
        return AcceptedCell(name, "not evaluated", case.metric, reason="the ratio is not a number above 0")
    outcome: Outcome = "pass" if rule.bounds.include(ratio) else "fail"
    item = item_of(case.metric, case.factors)
    return AcceptedCell(name, outcome, case.metric, case.unit, item, value, reference, ratio)


def _why_not(rule: AcceptanceRule, cell: Cell) -> str:
    """Return why a rule cannot judge a cell, "" if it can."""
    case, comparison = cell.case, cell.comparison
    if case is None or case.summary is None:
        return cell.text if cell.text.strip("-") else "no number"
    cases = [case, comparison.baseline] if comparison and isinstance(rule.against, str) else [case]
    invalid = sorted({f.rule for each in cases for f in findings_of(each) if f.severity == "invalid"})
    if invalid:
        return f"invalid: {', '.join(invalid)}"
    if case.summary.median <= 0:
        return "not above 0"
    if isinstance(rule.against, str):
        return _why_no_reference(rule, cell)
    return ""


def _why_no_reference(rule: AcceptanceRule, cell: Cell) -> str:
    comparison = cell.comparison
    if comparison is None:
        return "no comparable baseline"
    if rule.against == "expected" and comparison.excess is None:
        return "no expected speed"
    baseline = comparison.baseline.summary
    return "" if baseline and baseline.median > 0 else "baseline without a number above 0"


def _reference(rule: AcceptanceRule, cell: Cell, case: Case) -> float:
    """Return the reference of a cell in its base unit."""
    if not isinstance(rule.against, str):
        return rule.against
    assert cell.comparison is not None
    assert case.summary is not None
    if rule.against == "expected":
        assert cell.comparison.excess is not None
        excess, value = cell.comparison.excess, case.summary.median
        return value / excess if metric_of(case.metric).better == "lower" else value * excess
    assert cell.comparison.baseline.summary is not None
    return cell.comparison.baseline.summary.median
