"""Build the report.json values that the tests of `reportgen.diff` compare."""

from collections.abc import Iterable, Sequence
from typing import Any

from reportgen.diff.snapshot import (
    Key,
    StoredCase,
    StoredCell,
    StoredRepeat,
    StoredReport,
    StoredSummary,
    StoredTable,
)


def number(value: float, row: Key, shown: str = "", **fields: Any) -> StoredCell:
    """Return a cell with a number, shown with 4 digits unless stated."""
    return StoredCell(
        row=row, kind="number", value=value, unit="s", shown=shown or f"{value:.4g} s", **fields
    )


def words(text: str, row: Key, kind: str = "status") -> StoredCell:
    """Return a cell without a number."""
    return StoredCell(row=row, kind=kind, text=text)


def table(*cells: StoredCell, id: str = "times", definition: str = "d1") -> StoredTable:
    """Return a table of cells."""
    return StoredTable(id, "Times", definition, cells)


def report(
    *tables: StoredTable, name: str = "study", cases: Iterable[StoredCase] = (), **fields: Any
) -> StoredReport:
    """Return a report."""
    return StoredReport(2, name, "Study", tables, tuple(cases), **fields)


def case(name: str, values: Sequence[float], *, starts: Sequence[float] = (), **fields: Any) -> StoredCase:
    """Return a case of step times; run n is read from logs/NAME/rN.csv."""
    repeats = tuple(
        StoredRepeat(
            f"{name}/r{n}",
            "native",
            value=value,
            started=starts[n - 1] if starts else None,
            source=f"logs/{name}/r{n}.csv:1",
        )
        for n, value in enumerate(values, 1)
    )
    middle = sorted(values)[len(values) // 2]
    summary = StoredSummary(middle, len(values), min(values), max(values))
    defaults: dict[str, Any] = {
        "factors": {"model": name},
        "metric": "step_time",
        "phase": "step",
        "unit": "s",
        "protocol": "20+100x7",
    }
    return StoredCase(name, summary=summary, measurements=repeats, **defaults | fields)
