"""The functions that an author's text may call: they return a number as text, or place a block.

A mistake of the author is a PlaceholderError in the words of the text, to which `template` adds the line.
A number is selected by row and column factors: what an author writes is partial (`{"devices": 8}`) and
must match exactly one cell, else the error lists candidates.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Literal

from reportgen.compare.contract import Difference
from reportgen.core import units
from reportgen.core.errors import did_you_mean
from reportgen.core.model import FactorValue
from reportgen.core.plain_text import one_line
from reportgen.document.model import Document, Note, Quantity, Table
from reportgen.render.grid.best_cells import best_of
from reportgen.render.grid.summary import holds_for
from reportgen.render.prose.cells import TableCell, find_cell, find_cells, heading_of
from reportgen.render.prose.comparable import (
    Incomparable,
    all_differ_note,
    check_comparable,
    check_rankable,
    differs_note,
)
from reportgen.render.prose.numbers import ProseNumber, marked, notes_on
from reportgen.render.prose.placeholder_error import PlaceholderError
from reportgen.render.text import escape

PageBlockKind = Literal["table", "tables", "figure", "environment", "findings", "expected"]

# Private-use characters: `one_line` keeps them out of everything that comes from a log.
BEGIN, END = "\ue000", "\ue001"

MAX_DIGITS = 12
MAX_CALLS = 20_000


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

    def __init__(self, report: Document, *, is_markdown: bool) -> None:
        """Make the functions; in Markdown, units and names are escaped, which may come from a log."""
        self.report = report
        self._shown = _in_markdown if is_markdown else one_line
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
            self.best,
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

    def _number(self, text: str, names: Sequence[str] = (), notes: Sequence[Note] = ()) -> str:
        """Return a number as text, between marks that lead to its evidence: the cases of these names."""
        cases = [self.report.case_by_name[name] for name in names]
        every = dict.fromkeys([*notes, *notes_on(cases)])
        self.numbers.append(ProseNumber(tuple(cases), tuple(every)))
        return marked(len(self.numbers) - 1, self._shown(text))

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
        cell = find_cell(self.report, table, _factors("row", row), _factors("column", column), quantity)
        text = cell.text(digits=None if digits is None else _digits(digits), with_unit=_flag("unit", unit))
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
        above = find_cell(self.report, table, row, column, quantity)
        below = find_cell(self.report, table, to_row, to_column, quantity)
        notes = self._notes_on_ratio(above, below, _names("accept", accept))
        if below.value == 0:
            raise PlaceholderError(
                f'table "{table_id}": the ratio divides by a cell that is 0', "choose another cell"
            )
        shown = units.text(above.value / below.value, digits=_digits(digits))
        return self._number(shown, (*above.cases, *below.cases), notes)

    def best(
        self,
        table_id: str,
        row: Mapping[str, FactorValue] | None = None,
        column: Mapping[str, FactorValue] | None = None,
        quantity: Quantity | None = None,
        number: bool = False,
        digits: int | None = None,
        unit: bool = False,
        accept: Sequence[str] = (),
    ) -> str:
        """Return the name of the best of several cells, or its number.

        The name is that of the headings in which the cells differ; several names where the repeats leave open
        which is the best. Cells without a number are a note.

        accept  differences that the author accepts besides those that the headings name
        """
        table = self._table(table_id)
        cells = find_cells(self.report, table, _factors("row", row), _factors("column", column), quantity)
        numbers = [cell for cell in cells if cell.has_number]
        if len(numbers) < 2:
            raise PlaceholderError(
                f'table "{table_id}": best() compares cells, and {len(numbers) or "no"} cell has a number',
                "leave out a factor of row or column",
            )
        best = [
            numbers[at]
            for at in best_of(self.report, [each.cell for each in numbers], cells[0].column.quantity)
        ]
        if not best:
            raise PlaceholderError(
                f'table "{table_id}": neither more nor less of {table.metric_title} is better',
                "choose another quantity",
            )
        accepted = _names("accept", accept)
        if cells[0].column.quantity == "value":
            self._check_rankable(table, numbers, accepted)
        others = [each for each in numbers if each is not best[0]]
        notes = all_differ_note(d for other in others for d in self._differences(best[0], other, accepted))
        left = [
            f"{heading_of(cell, cells)}{' (invalid)' if cell.cell.invalid else ''}"
            for cell in cells
            if not cell.has_number
        ]
        if left:
            notes.append(Note(f"not compared, without a number: {', '.join(left)}", name="not-compared"))
        if _flag("number", number):
            text = best[0].text(
                digits=None if digits is None else _digits(digits), with_unit=_flag("unit", unit)
            )
        else:
            text = " or ".join(dict.fromkeys(heading_of(cell, cells) for cell in best))
        return self._number(text, [case for cell in best for case in cell.cases], notes)

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

    def _notes_on_ratio(self, above: TableCell, below: TableCell, accepted: Sequence[str]) -> list[Note]:
        """Return what a reader must know of a ratio of cells; PlaceholderError if it would mean nothing."""
        is_measured = above.column.quantity == "value"
        return differs_note(self._differences(above, below, accepted)) if is_measured else []

    def _check_rankable(self, table: Table, cells: Sequence[TableCell], accepted: Sequence[str]) -> None:
        names = [each.cell.case for each in cells if each.cell.case]
        try:
            check_rankable([self.report.case_by_name[name] for name in names], accepted)
        except Incomparable as reason:
            raise _incomparable(table, reason) from None

    def _differences(
        self, above: TableCell, below: TableCell, accepted: Sequence[str]
    ) -> Sequence[Difference]:
        """Return in what else two cells differ; PlaceholderError if comparing them would mean nothing."""
        case, other = self.report.case(above.cell.case), self.report.case(below.cell.case)
        if case is None or other is None:
            return []
        table = above.table
        named = [*table.row_factors, *table.column_factors, *(name for name, _ in table.facet)]
        try:
            return check_comparable(case, other, named, accepted)
        except Incomparable as reason:
            raise _incomparable(table, reason) from None


def _in_markdown(text: str) -> str:
    # A number such as 12.5 begins no list.
    return escape.markdown(text) if text[:1].isdigit() else escape.paragraph(text)


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
    "best": 'best("id", row={"factor": value})',
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
        raise PlaceholderError(f"{what} = {value!r} is not a list of names", f'write {what}=["batch_size"]')
    return value


def _flag(what: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise PlaceholderError(f"{what} = {value!r} is neither true nor false", f"write {what} = true")
    return value


def _digits(digits: object) -> int:
    if isinstance(digits, bool) or not isinstance(digits, int) or not 1 <= digits <= MAX_DIGITS:
        raise PlaceholderError(f"digits = {digits!r}", f"give a whole number from 1 to {MAX_DIGITS}")
    return digits


def _incomparable(table: Table, reason: Incomparable) -> PlaceholderError:
    remedy = 'choose cells that were measured alike, or name what you accept: accept=["batch_size"]'
    return PlaceholderError(f'table "{table.id}": {reason}', remedy)
