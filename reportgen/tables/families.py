"""Correct the verdicts of one table for their number.

Of twenty comparisons of equal cases, one is significant by chance. The verdicts that rest on a p value are a
family; those that are no discoveries at the false discovery rate of the table become undecided.
"""

from collections.abc import Sequence
from dataclasses import replace

from reportgen.core.exact_tests import false_discovery_thresholds, fewest_repeats_of_each, fewest_rounds
from reportgen.core.results import Cell, Comparison
from reportgen.core.verdict import Verdict
from reportgen.tables.footnotes import PendingCell

Lines = Sequence[Sequence[PendingCell]]


def correct_verdicts(lines: Lines, rate: float) -> tuple[list[list[PendingCell]], str]:
    """Return the cells with corrected verdicts, and a sentence for the caption, "" without a family.

    rate  of false discoveries among the verdicts `faster` and `slower`, for example 0.05
    """
    family = _family(lines)
    if len(family) < 2:
        return [list(line) for line in lines], ""
    ps = [verdict.p if verdict.p is not None else 1.0 for verdict in family.values()]
    kept = dict(zip(family, false_discovery_thresholds(ps, rate), strict=True))
    undecided = {
        key: _not_significant(verdict, len(family), rate)
        for key, verdict in family.items()
        if verdict.kind in ("faster", "slower") and not kept[key]
    }
    sentence = (
        f"{len(family)} comparisons were tested; among the differences named, at most {rate:.0%} are "
        "expected to be chance (Benjamini-Hochberg)."
    )
    return [[_corrected(pending, undecided) for pending in line] for line in lines], sentence


# A case and its baseline.
Key = tuple[int, int]


def _key(cell: Cell, comparison: Comparison) -> Key:
    return id(cell.case), id(comparison.baseline)


def _family(lines: Lines) -> dict[Key, Verdict]:
    """Return the verdicts that rest on a p value; several cells of a case share one."""
    family: dict[Key, Verdict] = {}
    for pending in (pending for line in lines for pending in line):
        comparison = pending.cell.comparison
        if comparison and comparison.verdict and comparison.verdict.p is not None:
            family[_key(pending.cell, comparison)] = comparison.verdict
    return family


def _not_significant(verdict: Verdict, count: int, rate: float) -> Verdict:
    """Return the verdict as undecided; so many rounds can decide even if no other difference is real."""
    fewest = (
        fewest_rounds(rate / count) if verdict.test == "signed rank" else fewest_repeats_of_each(rate / count)
    )
    reason = f"not significant among {count} comparisons, which need {fewest} {verdict.counted} each"
    return replace(verdict, kind="undecided", reason=reason, more=max(fewest - verdict.n, 0), margin=0.0)


def _corrected(pending: PendingCell, undecided: dict[Key, Verdict]) -> PendingCell:
    cell = pending.cell
    if cell.comparison is None or _key(cell, cell.comparison) not in undecided:
        return pending
    verdict = undecided[_key(cell, cell.comparison)]
    text = verdict.kind if cell.kind == "verdict" else cell.text
    changed = replace(cell, text=text, comparison=replace(cell.comparison, verdict=verdict))
    return replace(pending, cell=changed)
