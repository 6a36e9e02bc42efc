"""The functions that an author's text may call: they return a number as text, or place a block.

A mistake of the author is a PlaceholderError in the words of the text, to which `template` adds the line.
A number is selected by row and column factors: what an author writes is partial (`{"devices": 8}`) and
must match exactly one cell, else the error lists candidates.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Literal

from reportgen.core import units
from reportgen.core.errors import did_you_mean
from reportgen.core.model import Case, FactorValue
from reportgen.core.results import Cell, Header, Note, Quantity, Report, Table
from reportgen.render.grid import number, unit_label
from reportgen.render.prose.comparable import Incomparable, check_comparable
from reportgen.render.prose.numbers import ProseNumber, marked, notes_on
from reportgen.render.summary import holds_for

PageBlockKind = Literal["table", "tables", "figure", "environment", "findings", "expected"]

# Private-use characters: `one_line` keeps them out of everything that comes from a log.
BEGIN, END = "\ue000", "\ue001"

MAX_DIGITS = 12
MAX_CALLS = 20_000
_MAX_CANDIDATES = 5


class PlaceholderError(Exception):
    """A mistake in an author's text; `template` adds the file.

    line  in the text, 0 if only the traceback knows
    """

    def __init__(self, fact: str, remedy: str, *, line: int = 0) -> None:
        super().__init__(f"{fact}; {remedy}")
        self.fact, self.remedy, self.line = fact, remedy, line


@dataclass(frozen=True, slots=True)
class PageBlock:
    """A table, a figure (by id), or the environment, findings or expected speeds of the report.

    tables, figures  ids of what it contains, if it is the tables of a definition
    """

    kind: PageBlockKind
    id: str = ""
    tables: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()


class Functions:
    """The functions of one report. docs/reference/prose.md is their reference."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.blocks: list[PageBlock] = []
        self.numbers: list[ProseNumber] = []
        self._calls = 0

    def by_name(self) -> dict[str, Callable[..., str]]:
        """Return the functions by name, with their arguments checked and their calls counted."""
        functions: tuple[Callable[..., str], ...] = (
            self.table,
            self.tables,
            self.figure,
            self.environment,
            self.findings,
            self.value,
            self.ratio,
            self.expected,
        )
        return {function.__name__: _checked(function, self._count) for function in functions}

    def _count(self) -> None:
        self._calls += 1
        if self._calls > MAX_CALLS:
            raise PlaceholderError(
                f"the text calls functions more than {MAX_CALLS:,} times", "place a table instead"
            )

    def _placeholder(self, kind: PageBlockKind, identifier: str = "") -> str:
        return self._block(PageBlock(kind, identifier))

    def _block(self, block: PageBlock) -> str:
        self.blocks.append(block)
        return f"{BEGIN}{len(self.blocks) - 1}{END}"

    def _number(self, text: str, cases: Sequence[Case] = (), notes: Sequence[Note] = ()) -> str:
        """Return a number as text, between marks that lead to its evidence."""
        every = dict.fromkeys([*notes, *notes_on(cases)])
        self.numbers.append(ProseNumber(tuple(cases), tuple(every)))
        return marked(len(self.numbers) - 1, text)

    def table(self, table_id: str) -> str:
        """Place a table."""
        return self._placeholder("table", self._table(table_id).id)

    def _table(self, table_id: str) -> Table:
        table_id = _text("table", table_id)
        tables = {table.id: table for table in self.report.tables}
        if table_id not in tables:
            raise PlaceholderError(f'no table "{table_id}"', did_you_mean(table_id, tables))
        return tables[table_id]

    def tables(self, entry_id: str) -> str:
        """Place the tables that the facets of an entry make, with their figures, one shown at a time."""
        entry_id = _text("entry", entry_id)
        tables = [table.id for table in self.report.tables if table.family == entry_id]
        if not tables:
            known = dict.fromkeys(table.family for table in self.report.tables)
            raise PlaceholderError(f'no tables of "{entry_id}"', did_you_mean(entry_id, known))
        figures = [figure.id for figure in self.report.figures if figure.table in tables]
        return self._block(PageBlock("tables", entry_id, tuple(tables), tuple(figures)))

    def figure(self, figure_id: str) -> str:
        """Place a figure."""
        figure_id = _text("figure", figure_id)
        known = [figure.id for figure in self.report.figures]
        if figure_id not in known:
            raise PlaceholderError(f'no figure "{figure_id}"', did_you_mean(figure_id, known))
        return self._placeholder("figure", figure_id)

    def environment(self) -> str:
        """Place the environments of the runs."""
        return self._placeholder("environment")

    def findings(self) -> str:
        """Place the findings."""
        return self._placeholder("findings")

    def value(
        self,
        table_id: str,
        row: Mapping[str, FactorValue] | None = None,
        column: Mapping[str, FactorValue] | None = None,
        quantity: Quantity | None = None,
        digits: int | None = None,
        unit: bool = False,
    ) -> str:
        """Return one number as the table shows it."""
        table = self._table(table_id)
        cell = _find_cell(table, _factors("row", row), _factors("column", column), quantity)
        if not isinstance(unit, bool):
            raise PlaceholderError(f"unit = {unit!r} is neither true nor false", "write unit = true")
        text = cell.text(digits=None if digits is None else _digits(digits), with_unit=unit)
        return self._number(text, cell.cases)

    def ratio(
        self,
        table_id: str,
        row: Mapping[str, FactorValue] | None = None,
        column: Mapping[str, FactorValue] | None = None,
        to_row: Mapping[str, FactorValue] | None = None,
        to_column: Mapping[str, FactorValue] | None = None,
        quantity: Quantity | None = None,
        digits: int = 3,
        accept: Sequence[str] = (),
    ) -> str:
        """Return the ratio of two cells, which may differ only in what `row` and `column` name.

        accept  other differences that the author accepts
        """
        table = self._table(table_id)
        row, column = _factors("row", row), _factors("column", column)
        to_row = {**row, **_factors("to_row", to_row)}
        to_column = {**column, **_factors("to_column", to_column)}
        above = _find_cell(table, row, column, quantity)
        below = _find_cell(table, to_row, to_column, quantity)
        notes = _notes_on_ratio(above, below, _names("accept", accept))
        if below.value == 0:
            raise PlaceholderError(
                f'table "{table_id}": the ratio divides by a cell that is 0', "choose another cell"
            )
        shown = units.text(above.value / below.value, digits=_digits(digits))
        return self._number(shown, (*above.cases, *below.cases), notes)

    def expected(self, target: str = "", reference: str = "", digits: int = 3) -> str:
        """Return an expected speed; without arguments, place all of them with their sources."""
        if target == reference == "":
            return self._placeholder("expected")
        target, reference = _text("target", target), _text("reference", reference)
        known = [(e.target, e.reference) for e in self.report.expected]
        speeds = [e for e in self.report.expected if (e.target, e.reference) == (target, reference)]
        if not speeds:
            raise PlaceholderError(
                f'no expected speed of "{target}" relative to "{reference}"',
                did_you_mean(f"{target} : {reference}", map(" : ".join, known)),
            )
        if len({e.speed for e in speeds}) > 1:
            cases = "; ".join(holds_for(e.where) for e in speeds)
            raise PlaceholderError(
                f'several expected speeds of "{target}" relative to "{reference}": {cases}',
                'name a cell: value("table", ..., quantity="expected")',
            )
        return self._number(units.text(speeds[0].speed, digits=_digits(digits)))


def _checked(function: Callable[..., str], count: Callable[[], None]) -> Callable[..., str]:
    """Return the function with errors about its arguments in the words of the text."""
    signature = inspect.signature(function)
    names = [name for name in signature.parameters if not name.endswith("_id")]

    @wraps(function)
    def call(*arguments: object, **named: object) -> str:
        count()
        for name in named:
            if name not in names:
                raise PlaceholderError(
                    f'{function.__name__}() has no argument "{name}"', did_you_mean(name, names)
                )
        try:
            signature.bind(*arguments, **named)
        except TypeError:
            raise PlaceholderError(
                f"{function.__name__}() is called with too few or too many arguments",
                f"write {_USAGE[function.__name__]}",
            ) from None
        return function(*arguments, **named)

    return call


_USAGE = {
    "table": 'table("id")',
    "tables": 'tables("id")',
    "figure": 'figure("id")',
    "environment": "environment()",
    "findings": "findings()",
    "value": 'value("id", row={"factor": value}, column={"factor": value})',
    "ratio": 'ratio("id", row={"factor": value}, to_row={"factor": value})',
    "expected": 'expected("target", "reference") or expected()',
}


def _text(what: str, value: object) -> str:
    if not isinstance(value, str) or not value:
        raise PlaceholderError(f"{what} {value!r} is not a name", 'write it in quotes: "name"')
    return value


def _factors(what: str, value: object) -> Mapping[str, FactorValue]:
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise PlaceholderError(f"{what} = {value!r} names no factor", f'write {what}={{"factor": value}}')
    for name, wanted in value.items():
        if not isinstance(wanted, (str, int, float)):
            raise PlaceholderError(
                f'{what}: "{name}" is neither a text nor a number', "one cell has one value"
            )
    return value


def _names(what: str, value: object) -> Sequence[str]:
    if not isinstance(value, list | tuple) or not all(isinstance(name, str) for name in value):
        raise PlaceholderError(f"{what} = {value!r} is no list of names", f'write {what}=["batch_size"]')
    return value


def _digits(digits: object) -> int:
    if isinstance(digits, bool) or not isinstance(digits, int) or not 1 <= digits <= MAX_DIGITS:
        raise PlaceholderError(f"digits = {digits!r}", f"give a whole number from 1 to {MAX_DIGITS}")
    return digits


@dataclass(frozen=True, slots=True)
class _LocatedCell:
    """A cell with its table and its heads."""

    table: Table
    row: Header
    column: Header
    cell: Cell

    @property
    def value(self) -> float:
        """Return the number in base units."""
        assert self.cell.value is not None  # `_find_cell` returns cells with numbers only
        return self.cell.value

    @property
    def cases(self) -> tuple[Case, ...]:
        """Return the cases behind the number: its own, and the baseline unless it is a measured value."""
        return self.cell.cases[:1] if self.column.quantity == "value" else self.cell.cases

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


def _find_cell(
    table: Table, row: Mapping[str, FactorValue], column: Mapping[str, FactorValue], quantity: Quantity | None
) -> _LocatedCell:
    """Return the one cell that matches; without `quantity` the measured value."""
    _check_names(table, "row", row, table.row_factors)
    _check_names(table, "column", column, table.column_factors)
    quantities = dict.fromkeys(head.quantity for head in table.columns)
    if quantity is not None and quantity not in quantities:
        raise PlaceholderError(
            f'table "{table.id}" shows no "{quantity}"', did_you_mean(str(quantity), quantities)
        )
    cells = [
        cell
        for cell in _located(table)
        if _matches(cell.row, table.row_factors, row) and _matches(cell.column, table.column_factors, column)
    ]
    wanted = [cell for cell in cells if cell.column.quantity == (quantity or "value")]
    if quantity is None and not wanted:
        wanted = cells
    if len(wanted) != 1:
        asked = ", ".join(f"{name}={value}" for name, value in (*row.items(), *column.items()))
        fact = f'table "{table.id}": {len(wanted) or "no"} cells match ({asked})'
        raise PlaceholderError(fact, _candidates(wanted or list(_located(table))))
    if wanted[0].cell.value is None:
        raise _no_number(wanted[0])
    return wanted[0]


def _notes_on_ratio(above: _LocatedCell, below: _LocatedCell, accepted: Sequence[str]) -> list[Note]:
    """Return what a reader must know of a ratio of cells; raise PlaceholderError if it would mean nothing."""
    case, other = above.cell.case, below.cell.case
    if case is None or other is None or above.column.quantity != "value":
        return []
    table = above.table
    named = [*table.row_factors, *table.column_factors, *(name for name, _ in table.facet)]
    try:
        return check_comparable(case, other, named, accepted)
    except Incomparable as reason:
        remedy = 'choose cells that were measured alike, or name what you accept: accept=["batch_size"]'
        raise PlaceholderError(f'table "{table.id}": {reason}', remedy) from None


def _located(table: Table) -> Iterator[_LocatedCell]:
    for row, cells in zip(table.rows, table.cells, strict=True):
        for column, cell in zip(table.columns, cells, strict=True):
            yield _LocatedCell(table, row, column, cell)


def _candidates(cells: Sequence[_LocatedCell]) -> str:
    more = f" and {len(cells) - _MAX_CANDIDATES} more" if len(cells) > _MAX_CANDIDATES else ""
    return "candidates: " + ", ".join(cell.name for cell in cells[:_MAX_CANDIDATES]) + more


def _no_number(located: _LocatedCell) -> PlaceholderError:
    table, cell = located.table, located.cell
    fact = f'table "{table.id}": the cell {located.name} shows "{cell.text or "-"}", not a number'
    if cell.kind != "several":
        return PlaceholderError(fact, "choose another cell")
    reasons = [table.notes[note].text.removesuffix(".") for note in cell.notes]
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
