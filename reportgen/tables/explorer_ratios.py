"""Compare the configurations of an explorer with the one that differs in the compared factor only.

The comparison is the same as in a table. A verdict that a table of the report gives on the same two cases is
taken from there, because it was corrected for the number of comparisons of that table; the others are one
family per measure.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from reportgen.compare.comparison import Comparison
from reportgen.compare.family import correct_for_number
from reportgen.compare.side import Sides
from reportgen.compare.spread import Spreads
from reportgen.compare.verdict import Verdict
from reportgen.core.factors import FactorsKey, factor_key, factors_key
from reportgen.core.metrics import metric_of
from reportgen.core.model import Case, FactorValue
from reportgen.tables.compare import Compared, Comparer
from reportgen.tables.expected import NO_FACTS
from reportgen.tables.explorer_cases import Entry, MeasureKey, ShownCase, measure_of, runs_of
from reportgen.tables.spec import CompareSpec

Pair = tuple[MeasureKey, frozenset[str], frozenset[str]]


def compare_shown(
    entries: Sequence[Entry], shown: Sequence[ShownCase], name: str, baseline: FactorValue
) -> dict[int, Compared]:
    """Return the comparison of each shown case, by its identity, or why it has none.

    name, baseline  the factor that is replaced, and its value in the baselines
    """
    known = dict(_verdicts_of_tables(entries))
    by_measure: dict[MeasureKey, list[ShownCase]] = defaultdict(list)
    for each in shown:
        if metric_of(each.measure.metric).better is not None:
            by_measure[each.measure].append(each)
    sides, settings = Sides(), CompareSpec("ratio", {name: baseline})
    every: dict[int, Compared] = {}
    for members in by_measure.values():
        cases = _distinct(members)
        spreads = Spreads(sides[case] for case in cases.values())
        if not any(factors_key({name: baseline}) <= factors for factors in cases):
            continue  # the baseline has no number of this measure at all
        family: dict[int, Comparison] = {}
        for each in members:
            if name not in each.case.factors or factor_key(each.case.factors[name]) == factor_key(baseline):
                continue
            spec = replace(each.entry.spec, compare=settings)
            compared = Comparer(spec, settings, NO_FACTS, cases, None, sides, spreads).compare(each.case)
            every[id(each)] = compared
            if comparison := compared.comparison:
                pair = (each.measure, each.runs, runs_of(comparison.baseline))
                if pair in known:
                    every[id(each)] = Compared(replace(comparison, verdict=known[pair]))
                else:
                    family[id(each)] = comparison
        corrected = correct_for_number(family, 1 - members[0].entry.spec.protocol.confidence)
        every |= {key: Compared(comparison) for key, comparison in corrected.items()}
    return every


def _distinct(members: Sequence[ShownCase]) -> dict[FactorsKey, Case]:
    """Return the cases by their factors, without ambiguous ones."""
    by_factors: dict[FactorsKey, list[Case]] = defaultdict(list)
    for each in members:
        by_factors[factors_key(each.case.factors)].append(each.case)
    numbers = {key: [case for case in cases if case.summary] for key, cases in by_factors.items()}
    return {key: (numbers[key] or cases)[0] for key, cases in by_factors.items() if len(numbers[key]) < 2}


def _verdicts_of_tables(entries: Sequence[Entry]) -> Iterator[tuple[Pair, Verdict]]:
    """Yield the verdicts of all tables with the two cases that they are about."""
    for entry in entries:
        for cell in (c for table in entry.tables for line in table.cells for c in line):
            if cell.case and cell.comparison and cell.comparison.verdict:
                sides = runs_of(cell.case), runs_of(cell.comparison.baseline)
                yield (measure_of(entry.spec, cell.case), *sides), cell.comparison.verdict
