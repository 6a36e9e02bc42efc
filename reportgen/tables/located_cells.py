"""The places of a table one by one: the factors that row, column and facet give, and the cell there."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reportgen.core.factors import factor_key, value_text
from reportgen.core.model import FactorValue
from reportgen.document.model import Header
from reportgen.tables.results import Cell, Table


@dataclass(frozen=True, slots=True, eq=False)
class LocatedCell:
    """The first cell of a place; the others show other quantities of the same case."""

    factors: Mapping[str, FactorValue]
    cell: Cell

    def fits(self, wanted: Mapping[str, FactorValue]) -> bool:
        """Return whether the place has all of these values."""
        return all(
            name in self.factors and factor_key(self.factors[name]) == factor_key(value)
            for name, value in wanted.items()
        )


def locate_cells(table: Table) -> Iterator[LocatedCell]:
    """Yield the places of a table in reading order, without the row of means."""
    for row, cells in zip(table.rows, table.cells, strict=True):
        if row.is_mean:
            continue
        seen: set[object] = set()
        for column, cell in zip(table.columns, cells, strict=True):
            if (column.key, column.split) not in seen:
                seen.add((column.key, column.split))
                yield LocatedCell(_factors(table, row, column), cell)


def words(factors: Mapping[str, FactorValue]) -> str:
    """Return factors as a message names them: `node=n1, devices=8`."""
    return ", ".join(f"{name}={value_text(value)}" for name, value in factors.items())


def _factors(table: Table, row: Header, column: Header) -> dict[str, FactorValue]:
    of_row = zip(table.row_factors, row.key, strict=True)
    of_column = zip(table.column_factors, column.key, strict=True)
    return {**dict(table.facet), **dict(of_row), **dict(of_column), **dict(column.split)}
