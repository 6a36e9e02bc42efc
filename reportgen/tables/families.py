"""Correct the verdicts of one table for their number; the comparisons of a table are one family."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from reportgen.compare.comparison import Comparison
from reportgen.compare.family import correct_for_number, family_sentence
from reportgen.tables.footnotes import PendingCell

Lines = Sequence[Sequence[PendingCell]]


def correct_verdicts(lines: Lines, rate: float) -> tuple[list[list[PendingCell]], str]:
    """Return the cells with corrected verdicts, and a sentence for the caption, "" without a family.

    rate  of false discoveries among the verdicts `faster` and `slower`, for example 0.05
    """
    comparisons = {
        _key(comparison): comparison
        for line in lines
        for pending in line
        if (comparison := pending.cell.comparison) and comparison.verdict
    }
    corrected = correct_for_number(comparisons, rate)
    cells = [[_with_verdict(pending, corrected) for pending in line] for line in lines]
    return cells, family_sentence(comparisons, rate)


# A case and its baseline. Several cells of a case share one verdict.
Key = tuple[int, int]


def _key(comparison: Comparison) -> Key:
    return id(comparison.case), id(comparison.baseline)


def _with_verdict(pending: PendingCell, corrected: Mapping[Key, Comparison]) -> PendingCell:
    cell = pending.cell
    comparison = corrected.get(_key(cell.comparison)) if cell.comparison else None
    if cell.comparison is None or comparison is None or comparison.verdict is cell.comparison.verdict:
        return pending
    text = comparison.verdict.kind if cell.kind == "verdict" and comparison.verdict else cell.text
    return replace(pending, cell=replace(cell, text=text, comparison=comparison))
