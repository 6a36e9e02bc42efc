"""Check that the parts of a document that another program wrote fit together, before anything shows it."""

import re
from collections.abc import Collection, Iterable, Iterator

from reportgen.core.errors import RequestError, did_you_mean
from reportgen.document.model import VERSION, Cell, Document, Explorer, Figure, Table

# The folder of the report gets this name.
_NAME = re.compile(r"[\w][\w .+-]*")
_RESERVED = "assets"


def check_document(document: Document, place: str) -> None:
    """Raise RequestError, with the path of the value, if a name has no target or a table has gaps.

    place  of the file, for the message
    """
    if document.version != VERSION:
        fact = f"has version {document.version}, which has no heads of tables and cannot be rendered"
        raise RequestError(place, fact, "run: reportgen build")
    for at, fact, remedy in _problems(document):
        raise RequestError(f"{place}: {at}", fact, remedy)


_Problem = tuple[str, str, str]


def _problems(document: Document) -> Iterator[_Problem]:
    """Yield (path, fact, remedy) of what does not fit."""
    if not _NAME.fullmatch(document.name) or document.name == _RESERVED:
        yield "name", f'"{document.name}" cannot be the name of a folder', "use letters, digits, - and _"
    cases = document.case_by_name
    yield from _twice("tables", (table.id for table in document.tables))
    yield from _twice("figures", (figure.id for figure in document.figures))
    yield from _twice("cases", (case.name for case in document.cases))
    for i, table in enumerate(document.tables):
        yield from _table_problems(f"tables[{i}]", table, cases)
    for i, figure in enumerate(document.figures):
        yield from _figure_problems(f"figures[{i}]", figure, cases)
    if document.explorer:
        yield from _explorer_problems(document.explorer, cases)


def _twice(at: str, names: Iterable[str]) -> Iterator[_Problem]:
    known = set()
    for i, name in enumerate(names):
        if name in known:
            yield f"{at}[{i}]", f'"{name}" is there twice', "give each a name of its own"
        known.add(name)


def _table_problems(at: str, table: Table, cases: Collection[str]) -> Iterator[_Problem]:
    if len(table.cells) != len(table.rows):
        fact = f"{len(table.cells)} rows of cells, but {len(table.rows)} heads of rows"
        yield f"{at}.cells", fact, "give each row its head"
    for i, row in enumerate(table.rows):
        if row.key or not row.is_mean:
            yield from _length(f"{at}.rows[{i}].key", row.key, len(table.row_factors))
        yield from _notes(f"{at}.rows[{i}].notes", row.notes, table)
    for j, column in enumerate(table.columns):
        yield from _length(f"{at}.columns[{j}].key", column.key, len(table.column_factors))
    for i, line in enumerate(table.cells):
        yield from _length(f"{at}.cells[{i}]", line, len(table.columns))
        for j, cell in enumerate(line):
            yield from _cell_problems(f"{at}.cells[{i}][{j}]", cell, table, cases)


def _length(at: str, values: Collection[object], wanted: int) -> Iterator[_Problem]:
    if len(values) != wanted:
        yield (
            at,
            f"{len(values)} values, but {wanted} are needed",
            "give each row, column and factor its value",
        )


def _notes(at: str, notes: Iterable[int], table: Table) -> Iterator[_Problem]:
    for note in notes:
        if not 0 <= note < len(table.notes):
            yield at, f"no note {note}: the table has {len(table.notes)}", "count from 0"


def _cell_problems(at: str, cell: Cell, table: Table, cases: Collection[str]) -> Iterator[_Problem]:
    for name in cell.cases:
        yield from _case_problems(at, name, cases)
    yield from _notes(f"{at}.notes", cell.notes, table)
    if cell.kind == "number" and cell.value is None:
        yield at, "a number without a value", 'give a value, or a kind such as "absent"'
    if cell.unit and not cell.unit.factor > 0:
        yield (
            f"{at}.unit",
            f"the factor is {cell.unit.factor:g}",
            "shown = value / factor: use a factor above 0",
        )


def _case_problems(at: str, name: str | None, cases: Collection[str]) -> Iterator[_Problem]:
    if name and name not in cases:
        yield at, f'no case "{name}"', did_you_mean(name, cases)


def _figure_problems(at: str, figure: Figure, cases: Collection[str]) -> Iterator[_Problem]:
    for i, series in enumerate(figure.series):
        for field in ("y", "low", "high", "failed", "cases", "labels"):
            values = getattr(series, field)
            if values or field == "y":
                yield from _length(f"{at}.series[{i}].{field}", values, len(series.x))
        for name in series.cases:
            yield from _case_problems(f"{at}.series[{i}].cases", name, cases)


def _explorer_problems(explorer: Explorer, cases: Collection[str]) -> Iterator[_Problem]:
    for i, configuration in enumerate(explorer.configurations):
        at = f"explorer.configurations[{i}]"
        yield from _length(f"{at}.values", configuration.values, len(explorer.factors))
        for position, factor in zip(configuration.values, explorer.factors, strict=False):
            if not 0 <= position < len(factor.values):
                yield f"{at}.values", f'no value {position} of "{factor.name}"', "count from 0"
        for cell in configuration.cells:
            yield from _case_problems(at, cell.case if cell else None, cases)
