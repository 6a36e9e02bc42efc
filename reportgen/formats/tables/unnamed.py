"""Find a table whose columns have no names: separated cells, or lists in JSON.

Its rows have numbers in the same columns, the first row too. A person names its columns; they are settings of
the view of a file. Of two columns, of which the first says what the second measures (`p50_latency_ms;8.25`,
`Peak memory;512 MB`), the names are certain.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import msgspec

from reportgen.core.errors import RequestError
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.parsing import json_values
from reportgen.formats.parsing.text_log import TextLog
from reportgen.formats.tables.column_units import unit_of
from reportgen.formats.tables.definition import TableRows
from reportgen.formats.tables.header import cells_of, header_of
from reportgen.formats.tables.heads import NUMBER_LIKE, are_results, is_result
from reportgen.formats.tables.layouts import is_unnamed
from reportgen.sources.logfiles import LogFiles

OPTION = "--columns"
_SETTINGS = "columns"
_MAX_LINES = 60
_SEPARATORS = ("\t", ";", ",", "|", " ")
_UNIT_AFTER_NUMBER = lazy_pattern(r"(?<![^\W_])[0-9][0-9.,]* ?([^\W\d_]+)")
#: Names of the columns of a list of metrics.
NAMED_VALUES = ["metric", "value"]


@dataclass(frozen=True, slots=True)
class UnnamedTable:
    """Where the rows are, and the cells of the first ones."""

    rows: TableRows
    cells: Sequence[Sequence[str]] = field(default_factory=list)

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.cells[0])

    def named(self, names: Sequence[str]) -> TableRows:
        """Return where its rows are, with names of its columns; RequestError for another number of them."""
        if len(names) != self.width or len(set(names)) < self.width or not all(names):
            shown = ", ".join(self.cells[0])
            fact = f"{self.width} different names are needed, for the columns of {shown}"
            raise RequestError(OPTION, fact, f"such as {OPTION} {self.example()}")
        return msgspec.structs.replace(self.rows, names=list(names))

    def example(self) -> str:
        """Return names that its columns may have: the last one of numbers with fractions is a result."""
        columns = list(zip(*self.cells, strict=True))
        numbers = [all(map(NUMBER_LIKE.fullmatch, column)) for column in columns]
        fractions = [at for at, is_it in enumerate(numbers) if is_it and any("." in x for x in columns[at])]
        results = fractions or [at for at, is_it in enumerate(numbers) if is_it][-1:]
        names = (
            f"result{at + 1}_ms" if at in results else f"number{at + 1}" if is_number else f"name{at + 1}"
            for at, is_number in enumerate(numbers)
        )
        return ",".join(names)


def with_columns(files: LogFiles, names: Sequence[str]) -> LogFiles:
    """Return a view with the names of the columns of its table without a header."""
    return files.with_settings({"": {_SETTINGS: {"names": list(names)}}}) if names else files


def _given_columns(files: LogFiles) -> list[str]:
    """Return the names that a person gave the columns of a table, [] without any."""
    return list(json_values.items((files.settings.get(_SETTINGS) or {}).get("names")))


def named_table(files: LogFiles) -> TableRows | None:
    """Return where the rows of a table without a header are whose columns have names; None of any other.

    Raises RequestError for names that do not fit the table.
    """
    names = _given_columns(files)
    table = unnamed_table(files, is_certain=bool(names))
    if names and table is None:
        remedy = "leave it out, or check that all rows have as many cells"
        raise RequestError(OPTION, "no table whose rows have one width", remedy)
    if table and not names:
        names = NAMED_VALUES if _are_named_values(table.cells) else []
    return table.named(names) if table and names else None


def unnamed_table(files: LogFiles, *, is_certain: bool = False) -> UnnamedTable | None:
    """Return the table of a file whose first line is a row: all have numbers in the same columns.

    is_certain  whether its columns are known to have no names: then it only needs one width
    """
    content = TextLog(files).content
    if content.lstrip()[:1] in (b"[", b"{"):
        return next(_in_json(json_values.load(content)), None)
    lines = content.decode("utf-8", "replace").removeprefix("\ufeff").split("\n", _MAX_LINES)[:_MAX_LINES]
    lines = [line for line in lines if not line.startswith("#")]
    for separator in _SEPARATORS:
        rows = [cells for line in lines if (cells := cells_of(line.rstrip("\r"), separator))]
        if not _are_alike(rows, is_certain=is_certain) or (not is_certain and header_of(lines, separator)):
            continue
        kind = "tsv" if separator == "\t" else "csv"
        own = "," if separator == "\t" else separator
        return UnnamedTable(TableRows(kind=kind, separator=own), rows)  # type: ignore[arg-type]
    return None


def _are_alike(rows: Sequence[Sequence[str]], *, is_certain: bool) -> bool:
    """Return whether rows have one width, and numbers in the same columns."""
    widths = {len(cells) for cells in rows}
    if len(rows) < 2 or len(widths) > 1 or len(rows[0]) < 2:
        return False
    kinds = {tuple(bool(NUMBER_LIKE.fullmatch(cell.strip())) for cell in cells) for cells in rows}
    return is_certain or (len(kinds) == 1 and any(next(iter(kinds)))) or _are_named_values(rows)


def _in_json(document: object) -> Iterator[UnnamedTable]:
    """Yield the tables of a document whose rows are lists: itself, or one of its members."""
    members = document.items() if isinstance(document, dict) else [("", document)]
    for key, value in members:
        if is_unnamed(value) and not re.search(r"[.\[\]{}*/]", key):
            cells = [[str(cell) for cell in row] for row in json_values.items(value)]
            yield UnnamedTable(TableRows(kind="json", path=key, layout="lists"), cells)


def _has_value(name: str) -> bool:
    """Return whether a name has a number with a unit: the value is a part of it, "sort 14.2 ms"."""
    return any(unit_of(word) for word in _UNIT_AFTER_NUMBER.findall(name))


def _are_named_values(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether rows are a metric and its value each."""
    if len(rows[0]) != 2:
        return False
    are_numbers = all(is_result(value) and not _has_value(name) for name, value in rows)
    known = list(filter(are_results, rows))
    names = {name for name, _ in rows}
    return are_numbers and 2 * len(known) > len(rows) and len(names) == len(rows)
