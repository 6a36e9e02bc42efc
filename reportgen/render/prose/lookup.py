"""Find one cell of a report's tables by the values of its row and column factors.

What an author writes is partial (`{"devices": 8}`) and must fit exactly one cell; otherwise the
message lists the cells that could be meant.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reportgen.core.errors import did_you_mean
from reportgen.core.model import FactorValue
from reportgen.core.results import Cell, Header, Quantity, Report, Table
from reportgen.render.grid import number, unit_label

_LISTED = 5


class NotFoundError(Exception):
    """What the author asked for does not exist; `prose` adds the place."""

    def __init__(self, fact: str, remedy: str) -> None:
        super().__init__(f"{fact}; {remedy}")
        self.fact, self.remedy = fact, remedy


@dataclass(frozen=True, slots=True)
class Found:
    """A cell that holds a number, its table and the heads it stands under."""

    table: Table
    row: Header
    column: Header
    cell: Cell

    @property
    def value(self) -> float:
        """Return the number in base units."""
        assert self.cell.value is not None  # `cell` finds numbers only
        return self.cell.value

    def text(self, *, digits: int | None = None, with_unit: bool = False) -> str:
        """Return the number as the table shows it, its unit behind it if wanted."""
        shown = number(self.table, self.column.quantity, self.cell, digits=digits)
        unit = unit_label(self.cell.unit) if with_unit else ""
        return f"{shown} {unit}" if unit else shown


def table(report: Report, table_id: str) -> Table:
    """Return the table of that id."""
    known = {table.id: table for table in report.tables}
    if table_id not in known:
        raise NotFoundError(f'no table "{table_id}"', did_you_mean(table_id, known))
    return known[table_id]


def cell(
    table: Table, row: Mapping[str, FactorValue], column: Mapping[str, FactorValue], quantity: Quantity | None
) -> Found:
    """Return the one cell in the rows and columns that fit; without `quantity` the measured value."""
    _check_names(table, "row", row, table.row_factors)
    _check_names(table, "column", column, table.column_factors)
    shown = dict.fromkeys(head.quantity for head in table.columns)
    if quantity is not None and quantity not in shown:
        raise NotFoundError(f'table "{table.id}" shows no "{quantity}"', did_you_mean(str(quantity), shown))
    found = [
        Found(table, head, table.columns[j], table.cells[i][j])
        for i, head in enumerate(table.rows)
        if _fits(head, table.row_factors, row)
        for j in range(len(table.columns))
        if _fits(table.columns[j], table.column_factors, column)
    ]
    wanted = [one for one in found if one.column.quantity == (quantity or "value")]
    if quantity is None and not wanted:
        wanted = found
    if len(wanted) != 1:
        raise _not_one(table, row, column, wanted or _all(table), count=len(wanted))
    if wanted[0].cell.value is None:
        raise _no_number(wanted[0])
    return wanted[0]


def _no_number(found: Found) -> NotFoundError:
    fact = f'table "{found.table.id}": the cell {_name(found)} shows "{found.cell.text or "-"}", not a number'
    if found.cell.kind != "several":
        return NotFoundError(fact, "choose another cell")
    why = [found.table.notes[note].text for note in found.cell.notes]
    return NotFoundError(
        ": ".join((fact, *why)), "say in the table which case is meant, with `where` or `pick`"
    )


def _check_names(table: Table, what: str, wanted: Mapping[str, FactorValue], known: Sequence[str]) -> None:
    for name in wanted:
        if name not in known:
            raise NotFoundError(f'table "{table.id}": no {what} factor "{name}"', did_you_mean(name, known))


def _fits(head: Header, factors: Sequence[str], wanted: Mapping[str, FactorValue]) -> bool:
    values = dict(zip(factors, head.key, strict=False))
    return all(name in values and _same(values[name], value) for name, value in wanted.items())


def _same(value: FactorValue, wanted: FactorValue) -> bool:
    # 8 and "8" are meant to be the same by whoever writes prose; True and 1 are not.
    if isinstance(value, bool) or isinstance(wanted, bool):
        return str(value).lower() == str(wanted).lower()
    return value == wanted or str(value) == str(wanted)


def _all(table: Table) -> list[Found]:
    return [
        Found(table, row, column, cell)
        for row, cells in zip(table.rows, table.cells, strict=True)
        for column, cell in zip(table.columns, cells, strict=True)
    ]


def _name(found: Found) -> str:
    table = found.table
    row = [f"{n}={v}" for n, v in zip(table.row_factors, found.row.key, strict=False)]
    column = [f"{n}={v}" for n, v in zip(table.column_factors, found.column.key, strict=False)]
    quantity = [] if found.column.quantity == "value" else [f"quantity={found.column.quantity}"]
    return "(" + ", ".join([*row, *column, *quantity]) + ")"


def _not_one(
    table: Table,
    row: Mapping[str, FactorValue],
    column: Mapping[str, FactorValue],
    candidates: Sequence[Found],
    *,
    count: int,
) -> NotFoundError:
    asked = ", ".join(f"{name}={value}" for name, value in (*row.items(), *column.items()))
    fact = f'table "{table.id}": {count or "no"} cells fit ({asked})'
    more = f" and {len(candidates) - _LISTED} more" if len(candidates) > _LISTED else ""
    return NotFoundError(fact, "candidates: " + ", ".join(map(_name, candidates[:_LISTED])) + more)
