"""Compare the configurations of an explorer with the one that differs in the compared factor only.

The comparison is the same as in a table. A verdict that a table of the report gives on the same two cases is
taken from there, because it was corrected for the number of comparisons of that table; the others are one
family per measure.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from reportgen.compare.verdict import Verdict
from reportgen.compare.verdicts import correct_for_number
from reportgen.core.factors import FactorsKey, factor_key, factors_key
from reportgen.core.metrics import metric_of
from reportgen.core.model import Case, FactorValue
from reportgen.core.rules import Rule
from reportgen.protocol import MeasuredRuns
from reportgen.tables.compare import Comparer
from reportgen.tables.expected import SpeedFacts
from reportgen.tables.explorer_cases import Entry, MeasureKey, ShownCase, measure_of, runs_of
from reportgen.tables.spec import CompareSpec


@dataclass(frozen=True, slots=True)
class Ratio:
    """The comparison of a case with its baseline; `reason` says why there is none."""

    value: float | None = None
    verdict: Verdict | None = None
    reason: str = ""


Pair = tuple[MeasureKey, frozenset[str], frozenset[str]]


def compare_cases(
    entries: Sequence[Entry],
    shown: Sequence[ShownCase],
    name: str,
    baseline: FactorValue,
    speed_facts: SpeedFacts,
    measured: MeasuredRuns,
) -> dict[int, Ratio]:
    """Return the comparison of each shown case, by its identity; without cases that have none.

    name, baseline  the factor that is replaced, and its value in the baselines
    """
    known = dict(_verdicts_of_tables(entries))
    by_measure: dict[MeasureKey, list[ShownCase]] = defaultdict(list)
    for each in shown:
        if metric_of(each.measure.metric).better is not None:
            by_measure[each.measure].append(each)
    ratios: dict[int, Ratio] = {}
    for members in by_measure.values():
        family: dict[int, Verdict] = {}
        cases = _distinct(members)
        if not any(factors_key({name: baseline}) <= factors for factors in cases):
            continue  # the baseline has no number of this measure at all
        for each in members:
            compared = _compared(each, cases, CompareSpec("ratio", {name: baseline}), speed_facts, measured)
            if compared is None:
                continue
            ratio, against = compared
            pair = (each.measure, each.runs, runs_of(against) if against else frozenset())
            if pair in known:
                ratio = replace(ratio, verdict=known[pair])
            elif ratio.verdict:
                family[id(each)] = ratio.verdict
            ratios[id(each)] = ratio
        corrected = correct_for_number(family, 1 - members[0].entry.spec.protocol.confidence)
        ratios |= {key: replace(ratios[key], verdict=verdict) for key, verdict in corrected.items()}
    return ratios


def _distinct(members: Sequence[ShownCase]) -> dict[FactorsKey, Case]:
    """Return the cases by their factors, without ambiguous ones."""
    by_factors: dict[FactorsKey, list[Case]] = defaultdict(list)
    for each in members:
        by_factors[factors_key(each.case.factors)].append(each.case)
    numbers = {key: [case for case in cases if case.summary] for key, cases in by_factors.items()}
    return {key: (numbers[key] or cases)[0] for key, cases in by_factors.items() if len(numbers[key]) < 2}


def _compared(
    shown: ShownCase,
    cases: Mapping[FactorsKey, Case],
    settings: CompareSpec,
    speed_facts: SpeedFacts,
    measured: MeasuredRuns,
) -> tuple[Ratio, Case | None] | None:
    (name, baseline), case = next(iter(settings.baseline.items())), shown.case
    if name not in case.factors or factor_key(case.factors[name]) == factor_key(baseline):
        return None
    comparer = Comparer(replace(shown.entry.spec, compare=settings), settings, speed_facts, cases, measured)
    compared = comparer.compare(case)
    if compared.comparison:
        return Ratio(compared.comparison.value, compared.comparison.verdict), compared.comparison.baseline
    is_meaningless = compared.finding is not None and compared.finding.rule == Rule.TABLE_NOT_COMPARABLE
    return (Ratio(reason="not comparable"), None) if is_meaningless else None


def _verdicts_of_tables(entries: Sequence[Entry]) -> Iterator[tuple[Pair, Verdict]]:
    """Yield the verdicts of all tables with the two cases that they are about."""
    for entry in entries:
        for cell in (c for table in entry.tables for line in table.cells for c in line):
            if cell.case and cell.comparison and cell.comparison.verdict:
                sides = runs_of(cell.case), runs_of(cell.comparison.baseline)
                yield (measure_of(entry.spec, cell.case), *sides), cell.comparison.verdict
