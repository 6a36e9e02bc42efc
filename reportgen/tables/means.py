"""The row of geometric means: over paired ratios only, with a finding that names the rows without a pair."""

from collections.abc import Sequence

from reportgen.core.model import Finding
from reportgen.core.rules import Rule
from reportgen.core.stats import geometric_mean
from reportgen.document.model import Header
from reportgen.tables.cells import CellBuilder
from reportgen.tables.footnotes import PendingCell
from reportgen.tables.results import Cell


def mean_cells(
    builder: CellBuilder,
    columns: Sequence[Header],
    pending: Sequence[Sequence[PendingCell]],
    rows: Sequence[Header],
) -> list[PendingCell]:
    """Return the geometric means of the paired ratios of each column; a finding names unmatched rows."""
    means: list[PendingCell] = []
    for position, column in enumerate(columns):
        cells = [line[position].cell for line in pending]
        values = [cell.value for cell in cells if _is_pair(cell) and cell.value and cell.value > 0]
        if column.quantity in ("value", "repeats") or not values:
            means.append(PendingCell(Cell("absent", text="")))
            continue
        text = f"geometric mean of the {len(values)} rows that have both values"
        note = builder.footnotes.add(text, name="mean")
        means.append(PendingCell(Cell("number", geometric_mean(values)), (note,)))
        unmatched = [
            " ".join(label.text for label in row.labels)
            for row, cell, line in zip(rows, cells, pending, strict=True)
            if cell.kind != "number" and (_has_number(line) or _has_either(builder, cell))
        ]
        if unmatched:
            what = "1 row lacks one of the two values, or they are not comparable: it is"
            if len(unmatched) > 1:
                what = (
                    f"{len(unmatched)} rows lack one of the two values, or these are not comparable: they are"
                )
            message = f"{what} left out of the geometric mean: {'; '.join(unmatched)}"
            builder.findings.append(Finding("note", Rule.TABLE_SETS_DIFFER, builder.spec.id, message))
    return means


def _is_pair(cell: Cell) -> bool:
    """Return True if a cell compares a case with another: the baseline's own ratio does not."""
    is_compared = cell.comparison is not None and cell.comparison.baseline is not cell.case
    return cell.kind == "number" and is_compared


def _has_number(line: Sequence[PendingCell]) -> bool:
    return any(pending.is_number for pending in line)


def _has_either(builder: CellBuilder, cell: Cell) -> bool:
    """Return whether the case of a cell without a ratio has a number, or its baseline has one."""
    if builder.comparer is None or cell.case is None:
        return False
    baseline = builder.comparer.baseline_of(cell.case)
    return cell.case.summary is not None or (baseline is not None and baseline.summary is not None)
