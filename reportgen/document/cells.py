"""The cells of a table with their place: the factors of row and column, and the quantity.

Headings, order and footnotes do not belong to a place, so two documents can be compared cell by cell.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from reportgen.document.encode import encode_value
from reportgen.document.find_cell import CellPlace
from reportgen.document.model import (
    VERSION,
    Case,
    Cell,
    CellKind,
    Comparison,
    Contract,
    Document,
    Key,
    Quantity,
    Table,
)


@dataclass(frozen=True, slots=True, eq=False)
class PlacedCell:
    """A cell with its place in a table."""

    row: Key
    column: Key
    quantity: Quantity
    cell: Cell
    comparison: Comparison | None = None

    @property
    def kind(self) -> CellKind:
        """Number, or why there is none."""
        return self.cell.kind

    @property
    def value(self) -> float | None:
        """The value in the base unit."""
        return self.cell.value

    @property
    def unit(self) -> str:
        """The base unit, "" without one."""
        return self.cell.unit.base if self.cell.unit else ""

    @property
    def case(self) -> str:
        """The name of the case behind the cell, "" without one."""
        return self.cell.case or ""

    @property
    def is_number(self) -> bool:
        """Return whether the cell shows a number, and one that means something."""
        return self.cell.kind == "number" and self.cell.value is not None and not self.cell.invalid


def placed_cells(report: Document, table: Table) -> Iterator[PlacedCell]:
    """Yield the cells of a table of a report, row by row. The row of means has no factors."""
    for row, line in zip(table.rows, table.cells, strict=True):
        for column, cell in zip(table.columns, line, strict=True):
            yield PlacedCell(
                dict(zip(table.row_factors, row.key, strict=False)),
                dict(zip(table.column_factors, column.key, strict=False)),
                column.quantity,
                cell,
                report.comparison_of(table, cell),
            )


class _Extract(msgspec.Struct, omit_defaults=True):
    """One cell with its cases and their runs."""

    report: str
    table: str
    row: Key
    column: Key
    quantity: Quantity
    cell: Cell
    comparison: Comparison | None
    contract: Contract
    notes: list[str]
    cases: list[Case]
    version: int | None = None


def encode_cell(place: CellPlace) -> bytes:
    """Return one cell as JSON, in the form of report.json: `version`, its place, and what it names."""
    report, table, cell, comparison = place.report, place.table, place.cell, place.comparison
    extract = _Extract(
        report=report.name,
        table=table.id,
        row=dict(zip(table.row_factors, place.row.key, strict=False)),
        column=dict(zip(table.column_factors, place.column.key, strict=False)),
        quantity=place.column.quantity,
        cell=cell,
        comparison=comparison,
        contract=report.contract_of(comparison) if comparison else Contract(),
        notes=[report.notes[note].text for note in cell.notes],
        cases=[report.case_by_name[name] for name in dict.fromkeys(report.cases_of(table, cell))],
        version=VERSION,
    )
    return encode_value(extract)
