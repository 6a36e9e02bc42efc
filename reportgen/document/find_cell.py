"""Find one cell of a report by words that a reader sees: the name of the table, the heads of row and column.

A head is given as it is printed (`ImageNet · Train`), as its words in any order (`train, imagenet`), or as
factors (`dataset=ImageNet, benchmark=Train`). Words that fit several heads are an error that lists them.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.document.model import QUANTITY_TITLES, Cell, Comparison, Document, Header, Table

_SEPARATOR = lazy_pattern(r"\s*[,;·]\s*")
_MAX_LISTED = 12


@dataclass(frozen=True, slots=True, eq=False)
class CellPlace:
    """A cell with its heads, its table and its report."""

    report: Document
    table: Table
    row: Header
    column: Header
    cell: Cell

    @property
    def comparison(self) -> Comparison | None:
        """The case of the cell against its baseline."""
        return self.report.comparison_of(self.table, self.cell)


def find_cell(report: Document, table: str, row: str = "", column: str = "") -> CellPlace:
    """Return the cell; an empty head fits every row or column.

    Raises RequestError, with the nearest names or all that fit, unless exactly one fits.
    """
    place = _table(report, table)
    rows = [_Head(head, place.row_factors, row_text(head)) for head in place.rows]
    at_row = _choose(rows, row, f"{report.name} {place.id}", "row")
    columns = [_Head(head, place.column_factors, column_text(head)) for head in place.columns]
    at_column = _choose(columns, column, f"{report.name} {place.id}", "column")
    cell = place.cells[at_row][at_column]
    return CellPlace(report, place, place.rows[at_row], place.columns[at_column], cell)


def row_text(head: Header) -> str:
    """Return the head of a row as one text."""
    return " · ".join(label.text for label in head.labels if label.text)


def column_text(head: Header) -> str:
    """Return the head of a column as one text, or its quantity if it has no factors."""
    labels = [label.text for label in head.labels if label.text]
    return " · ".join([*labels, *([_quantity(head)] if head.quantity != "value" or not labels else [])])


def _quantity(head: Header) -> str:
    return QUANTITY_TITLES[head.quantity]


def _table(report: Document, name: str) -> Table:
    tables = {table.id: table for table in report.tables}
    if name in tables:
        return tables[name]
    facets = [id for id in tables if id.startswith(f"{name}/")]
    if len(facets) == 1:
        return tables[facets[0]]
    fact = f'no table "{name}"' if not facets else f'"{name}" is {len(facets)} tables'
    remedy = f"name one of {', '.join(facets[:_MAX_LISTED])}" if facets else did_you_mean(name, tables)
    raise RequestError(report.name, fact, remedy)


@dataclass(frozen=True, slots=True, eq=False)
class _Head:
    """A row or column with what it may be called."""

    head: Header
    factors: Sequence[str]
    text: str

    def is_named(self, words: Sequence[str]) -> bool:
        """Return whether every word is one of the head's: a label, a value, factor=value, the quantity."""
        head = self.head
        values = [str(value) for value in head.key]
        pairs = [f"{name}={value}" for name, value in zip(self.factors, values, strict=False)]
        quantity = [head.quantity, _quantity(head), f"quantity={head.quantity}"]
        known = (*(label.text for label in head.labels), *values, *pairs, *quantity, *head.qualifiers)
        return {_plain(word) for word in words} <= {_plain(name) for name in known}


def _choose(heads: Sequence[_Head], text: str, place: str, what: str) -> int:
    """Return the position of the only head that fits; of one head's quantities, the first."""
    exact = [i for i, each in enumerate(heads) if _plain(each.text) == _plain(text)]
    words = [word for word in _SEPARATOR.split(text.strip()) if word]
    fitting = exact or [i for i, each in enumerate(heads) if each.is_named(words)]
    if not fitting:
        quantities = [name for each in heads for name in (each.head.quantity, _quantity(each.head))]
        names = [each.text for each in heads] + (quantities if what == "column" else [])
        raise RequestError(f"{place}: {what}", f'no {what} "{text}"', did_you_mean(text, names))
    first = heads[fitting[0]].head
    if all(heads[i].head.key == first.key and heads[i].head.split == first.split for i in fitting):
        return fitting[0]
    listed = "; ".join(heads[i].text for i in fitting[:_MAX_LISTED])
    more = f"; and {len(fitting) - _MAX_LISTED} more" if len(fitting) > _MAX_LISTED else ""
    fact = f'"{text}" fits {len(fitting)} {what}s' if text else f"the table has {len(fitting)} {what}s"
    raise RequestError(f"{place}: {what}", fact, f"name one of: {listed}{more}")


def _plain(text: str) -> str:
    """Return a text without case, separators and spaces around `=`."""
    words = _SEPARATOR.sub(" ", text).casefold().split()
    return re.sub(" ?= ?", "=", " ".join(words))
