"""Correct the verdicts of one table for their number; the comparisons of a table are one family."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from reportgen.compare.verdict import Verdict
from reportgen.compare.verdicts import correct_for_number, family_sentence
from reportgen.tables.footnotes import PendingCell
from reportgen.tables.results import Cell, Comparison

Lines = Sequence[Sequence[PendingCell]]


def correct_verdicts(lines: Lines, rate: float) -> tuple[list[list[PendingCell]], str]:
    """Return the cells with corrected verdicts, and a sentence for the caption, "" without a family.

    rate  of false discoveries among the verdicts `faster` and `slower`, for example 0.05
    """
    verdicts = {
        _key(pending.cell, comparison): comparison.verdict
        for line in lines
        for pending in line
        if (comparison := pending.cell.comparison) and comparison.verdict
    }
    corrected = correct_for_number(verdicts, rate)
    cells = [[_with_verdict(pending, corrected) for pending in line] for line in lines]
    return cells, family_sentence(verdicts, rate)


# A case and its baseline. Several cells of a case share one verdict.
Key = tuple[int, int]


def _key(cell: Cell, comparison: Comparison) -> Key:
    return id(cell.case), id(comparison.baseline)


def _with_verdict(pending: PendingCell, corrected: Mapping[Key, Verdict]) -> PendingCell:
    cell = pending.cell
    verdict = corrected.get(_key(cell, cell.comparison)) if cell.comparison else None
    if cell.comparison is None or verdict is None or verdict is cell.comparison.verdict:
        return pending
    text = verdict.kind if cell.kind == "verdict" else cell.text
    changed = replace(cell, text=text, comparison=replace(cell.comparison, verdict=verdict))
    return replace(pending, cell=changed)
