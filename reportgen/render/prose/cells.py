"""Find the cells of a table that an author's text asks for.

What an author writes is partial (`{"devices": 8}`): factors of rows and columns. A number needs exactly one
cell; the best of several is named by the headings in which they differ.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reportgen.core.errors import did_you_mean
from reportgen.core.model import FactorValue
from reportgen.document.model import Cell, Document, Header, Quantity, Table
from reportgen.document.texts import number, unit_label
from reportgen.render.prose.placeholder_error import PlaceholderError

_MAX_CANDIDATES = 5


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell with its report, its table and its heads."""

    report: Document
    table: Table
    row: Header
    column: Header
    cell: Cell

    @property
    def has_number(self) -> bool:
        """Return whether it has a number that means something."""
        return self.cell.value is not None and not self.cell.invalid

    @property
    def value(self) -> float:
        """Return the number in base units."""
        assert self.cell.value is not None  # `find_cell` returns cells with numbers only
        return self.cell.value

    @property
    def cases(self) -> tuple[str, ...]:
        """Return the names of its cases: its own and, unless it is a measured value, the baseline."""
        cases = self.report.cases_of(self.table, self.cell)
        return cases[:1] if self.column.quantity == "value" else cases

    @property
    def name(self) -> str:
        """Return the factors of the cell, and its quantity unless that is the measured value."""
        keys = ((self.table.row_factors, self.row.key), (self.table.column_factors, self.column.key))
        factors = [f"{n}={v}" for names, values in keys for n, v in zip(names, values, strict=False)]
        quantity = [] if self.column.quantity == "value" else [f"quantity={self.column.quantity}"]
        return f"({', '.join([*factors, *quantity])})"

    def text(self, *, digits: int | None = None, with_unit: bool = False) -> str:
        """Return the number as the table shows it, with its unit if wanted."""
        shown = number(self.table, self.column.quantity, self.cell, digits=digits)
        unit = unit_label(self.cell.unit) if with_unit else ""
        return f"{shown} {unit}" if unit else shown


def find_cell(
    report: Document,
    table: Table,
    row: Mapping[str, FactorValue],
    column: Mapping[str, FactorValue],
    quantity: Quantity | None,
) -> TableCell:
    """Return the one cell that matches; without `quantity` the measured value."""
    cells = _matching(report, table, row, column, quantity)
    wanted = [cell for cell in cells if cell.column.quantity == (quantity or "value")]
    if quantity is None and not wanted:
        wanted = cells
    if len(wanted) != 1:
        asked = ", ".join(f"{name}={value}" for name, value in (*row.items(), *column.items()))
        fact = f'table "{table.id}": {len(wanted) or "no"} cells match ({asked})'
        raise PlaceholderError(fact, _candidates(wanted or list(_located(report, table))))
    if not wanted[0].has_number:
        raise _no_number(wanted[0])
    return wanted[0]


def find_cells(
    report: Document,
    table: Table,
    row: Mapping[str, FactorValue],
    column: Mapping[str, FactorValue],
    quantity: Quantity | None,
) -> list[TableCell]:
    """Return the cells that match, without means; without `quantity`, cells of the first one shown."""
    cells = [cell for cell in _matching(report, table, row, column, quantity) if not cell.row.is_mean]
    if not cells:
        asked = ", ".join(f"{name}={value}" for name, value in (*row.items(), *column.items()))
        raise PlaceholderError(
            f'table "{table.id}": no cells match ({asked})', _candidates(list(_located(report, table)))
        )
    wanted = quantity or cells[0].column.quantity
    return [cell for cell in cells if cell.column.quantity == wanted]


def _matching(
    report: Document,
    table: Table,
    row: Mapping[str, FactorValue],
    column: Mapping[str, FactorValue],
    quantity: Quantity | None,
) -> list[TableCell]:
    _check_names(table, "row", row, table.row_factors)
    _check_names(table, "column", column, table.column_factors)
    quantities = dict.fromkeys(head.quantity for head in table.columns)
    if quantity is not None and quantity not in quantities:
        raise PlaceholderError(
            f'table "{table.id}" shows no "{quantity}"', did_you_mean(str(quantity), quantities)
        )
    return [
        cell
        for cell in _located(report, table)
        if _matches(cell.row, table.row_factors, row) and _matches(cell.column, table.column_factors, column)
    ]


def _located(report: Document, table: Table) -> Iterator[TableCell]:
    for row, cells in zip(table.rows, table.cells, strict=True):
        for column, cell in zip(table.columns, cells, strict=True):
            yield TableCell(report, table, row, column, cell)


def _candidates(cells: Sequence[TableCell]) -> str:
    more = f" and {len(cells) - _MAX_CANDIDATES} more" if len(cells) > _MAX_CANDIDATES else ""
    return "candidates: " + ", ".join(cell.name for cell in cells[:_MAX_CANDIDATES]) + more


def _no_number(located: TableCell) -> PlaceholderError:
    table, cell = located.table, located.cell
    if cell.invalid:
        fact = f'table "{table.id}": the number of the cell {located.name} is invalid ({cell.invalid})'
        return PlaceholderError(fact, f"choose another cell, or see: reportgen explain {cell.invalid}")
    fact = f'table "{table.id}": the cell {located.name} shows "{cell.text or "-"}", not a number'
    if cell.kind != "several":
        return PlaceholderError(fact, "choose another cell")
    reasons = [located.report.notes[note].text.removesuffix(".") for note in cell.notes]
    return PlaceholderError(
        ": ".join((fact, *reasons)), "select one case in the table with `where` or `pick`"
    )


def _check_names(table: Table, kind: str, wanted: Mapping[str, FactorValue], known: Sequence[str]) -> None:
    for name in wanted:
        if name not in known:
            raise PlaceholderError(
                f'table "{table.id}": no {kind} factor "{name}"', did_you_mean(name, known)
            )


def _matches(head: Header, factors: Sequence[str], wanted: Mapping[str, FactorValue]) -> bool:
    values = dict(zip(factors, head.key, strict=False))
    return all(name in values and _is_same(values[name], value) for name, value in wanted.items())


def _is_same(value: FactorValue, wanted: FactorValue) -> bool:
    # An author means the same by 8 and "8", but not by true and 1.
    if isinstance(value, bool) or isinstance(wanted, bool):
        return str(value).lower() == str(wanted).lower()
    return value == wanted or str(value) == str(wanted)


def heading_of(cell: TableCell, among: Sequence[TableCell]) -> str:
    """Return the headings of a cell in which the cells it is among differ."""
    every = [_labels(each) for each in among]
    parts = [
        text
        for i, text in enumerate(_labels(cell))
        if len({labels[i] for labels in every if i < len(labels)}) > 1
    ]
    # Columns with equal headings say below them in what they differ.
    alike = {each.column.qualifiers for each in among if _labels(each) == _labels(cell)}
    qualifiers = (
        f" ({', '.join(cell.column.qualifiers)})" if len(alike) > 1 and cell.column.qualifiers else ""
    )
    return " ".join(parts) + qualifiers


def _labels(cell: TableCell) -> list[str]:
    return [label.text for label in (*cell.row.labels, *cell.column.labels)]
