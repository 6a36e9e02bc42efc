"""Judge the numbers of tables by the rules of acceptance: pass, fail or not evaluated.

A rule holds if it holds for every cell that it is about. A cell that is missing, not comparable or not well
enough measured is not evaluated, and a rule with such a cell never passes, nor one whose table lacks what its
`required` names: a node that was not measured is not accepted.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

from reportgen.compare.pair import better_ratio
from reportgen.core import units
from reportgen.core.errors import RequestError
from reportgen.core.metrics import item_of, metric_of
from reportgen.core.model import Case, FactorValue
from reportgen.core.rules import Rule
from reportgen.document.model import Acceptance, AcceptanceRuleResult, AcceptedCell, Outcome
from reportgen.report.acceptance_hindrances import hindrances
from reportgen.report.acceptance_rules import AcceptanceRule, AcceptanceSpec
from reportgen.tables.located_cells import LocatedCell, locate_cells, words
from reportgen.tables.results import Cell, Table
from reportgen.tables.spec import METRIC, PHASE


def judge(specs: Iterable[AcceptanceSpec], tables: Mapping[str, Sequence[Table]]) -> tuple[Acceptance, ...]:
    """Return the result of every entry.

    tables  those of each definition entry, by its id

    Raises RequestError if a rule names the speed of one item, and a case counts another.
    """
    return tuple(_judged(spec, tables) for spec in specs)


def acceptance_sentences(entries: Sequence[Acceptance]) -> Iterator[str]:
    """Yield whether the rules of acceptance hold, if there are any; the entries that do not are named."""
    for outcome, verb in (("fail", "fails"), ("not evaluated", "was not evaluated")):
        titles = [entry.title for entry in entries if entry.outcome == outcome]
        if titles:
            yield f"Acceptance {verb}: {'; '.join(titles)}."
    if entries and all(entry.outcome == "pass" for entry in entries):
        parts = [f"{entry.title}: {entry.coverage}" for entry in entries if entry.coverage]
        yield f"Acceptance passes ({'; '.join(parts)})." if parts else "Acceptance passes."


def _judged(spec: AcceptanceSpec, tables: Mapping[str, Sequence[Table]]) -> Acceptance:
    rules = tuple(_applied(rule, tables[rule.table]) for rule in spec.rules)
    outcomes = [rule.outcome for rule in rules]
    outcome = (_any if spec.is_any else _all)(outcomes)
    return Acceptance(spec.id, spec.title, spec.is_any, outcome, rules, _coverage(spec, tables))


def _coverage(spec: AcceptanceSpec, tables: Mapping[str, Sequence[Table]]) -> str:
    """Return how many cases the rules are about, "" if they are about every case of their tables."""
    every: set[tuple[str, str]] = set()
    judged: set[tuple[str, str]] = set()
    for rule in spec.rules:
        places = [each for each in _places(rule, tables[rule.table]) if not _is_reference(rule, each)]
        every |= {_case_of(rule, place) for place in places}
        judged |= {_case_of(rule, place) for place in places if _is_about(rule, place)}
    return "" if judged == every else f"{len(judged)} of {len(every)} cases judged"


def _case_of(rule: AcceptanceRule, place: LocatedCell) -> tuple[str, str]:
    factors = {name: value for name, value in place.factors.items() if name not in (METRIC, PHASE)}
    return rule.table, words(factors)


def _is_about(rule: AcceptanceRule, place: LocatedCell) -> bool:
    wanted = (dict(zip(rule.where, values, strict=True)) for values in product(*rule.where.values()))
    return any(place.fits(factors) for factors in wanted)


def _all(outcomes: Sequence[Outcome]) -> Outcome:
    if "fail" in outcomes:
        return "fail"
    return "pass" if outcomes and set(outcomes) == {"pass"} else "not evaluated"


def _any(outcomes: Sequence[Outcome]) -> Outcome:
    if "pass" in outcomes:
        return "pass"
    return "fail" if set(outcomes) == {"fail"} else "not evaluated"


def _applied(rule: AcceptanceRule, tables: Sequence[Table]) -> AcceptanceRuleResult:
    cells = (*_cells(rule, tables), *_absent(rule, tables))
    return AcceptanceRuleResult(rule.text, rule.bounds, _all([cell.outcome for cell in cells]), cells)


def _cells(rule: AcceptanceRule, tables: Sequence[Table]) -> Iterator[AcceptedCell]:
    """Yield each cell of the rule; a value of `where` that no cell has is one that is not evaluated."""
    places = _places(rule, tables)
    for values in product(*rule.where.values()):
        wanted: dict[str, FactorValue] = dict(zip(rule.where, values, strict=True))
        fitting = [place for place in places if place.fits(wanted)]
        if not fitting:
            yield AcceptedCell(words(wanted), "not evaluated", rule.metric, reason="no such cell")
        for place in fitting:
            if not _is_reference(rule, place):
                yield _judged_cell(rule, place)


def _places(rule: AcceptanceRule, tables: Sequence[Table]) -> list[LocatedCell]:
    return [place for table in tables for place in locate_cells(table) if _has_metric(rule, place)]


def _is_reference(rule: AcceptanceRule, place: LocatedCell) -> bool:
    """Return whether the cell is what the rule compares others with."""
    comparison = place.cell.comparison
    is_baseline = comparison is not None and comparison.baseline is place.cell.case
    return is_baseline and isinstance(rule.against, str)


def _absent(rule: AcceptanceRule, tables: Sequence[Table]) -> Iterator[AcceptedCell]:
    """Yield what `required` of the table names and the table lacks, as cells that are not evaluated."""
    if Rule.TABLE_MISSING_REQUIRED in rule.accept:
        return
    for finding in (finding for table in tables for finding in table.findings):
        if finding.rule == Rule.TABLE_MISSING_REQUIRED:
            reason = f"{finding.rule}: {finding.message}"
            yield AcceptedCell("required", "not evaluated", rule.metric, reason=reason)


def _has_metric(rule: AcceptanceRule, place: LocatedCell) -> bool:
    metric = place.cell.case.metric if place.cell.case else place.factors.get(METRIC, rule.metric)
    return not rule.metric or metric == rule.metric


def _judged_cell(rule: AcceptanceRule, place: LocatedCell) -> AcceptedCell:
    name, cell = words(place.factors), place.cell
    _check_item(rule, name, cell.case)
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


def _check_item(rule: AcceptanceRule, name: str, case: Case | None) -> None:
    """Raise RequestError if the value of a rule is the speed of another item than the case counts."""
    item = item_of(case.metric, case.factors) if case else ""
    if rule.counts and item and rule.counts != units.rate_unit(item):
        fact = f"the rule counts {rule.counts}, but {name} counts {units.rate_unit(item)}"
        remedy = f"name the value in {units.rate_unit(item)}, or leave such cases out with where"
        raise RequestError(f"{rule.place}.unit", fact, remedy)


def _why_not(rule: AcceptanceRule, cell: Cell) -> str:
    """Return why a rule cannot judge a cell, "" if it can."""
    case, comparison = cell.case, cell.comparison
    if case is None or case.summary is None:
        return cell.text if cell.text.strip("-") else "no number"
    if case.summary.median <= 0:
        return "not above 0"
    is_compared = isinstance(rule.against, str)
    if is_compared and (reason := _why_no_reference(rule, cell)):
        return reason
    reasons = hindrances(case, comparison if is_compared else None)
    return "; ".join(dict.fromkeys(each.text for each in reasons if each.name not in rule.accept))


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
