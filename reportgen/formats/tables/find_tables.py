"""Find the tables in a file of unknown origin: their kind, separator and header, and paths into JSON."""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reportgen.formats.parsing import json_values
from reportgen.formats.parsing.csv_cells import rows as csv_rows
from reportgen.formats.parsing.text_log import TextLog
from reportgen.formats.tables import latex
from reportgen.formats.tables.column_words import CONFIGURATION, meaning_of
from reportgen.formats.tables.definition import TableRows
from reportgen.formats.tables.records import Record, TableFile, blanks, merged, read_records
from reportgen.sources.logfiles import LogFiles

# Rows and cells that are looked at, and lines in which a header is looked for.
_MAX_ROWS = 2000
_MAX_CELLS = 100_000
_MAX_HEAD_LINES = 60
_MAX_JSON_DEPTH = 5
_MAX_PATHS = 40
_NUMBER_LIKE = re.compile(r"[+-]?[0-9][0-9.,' ]*(?:[eE][+-]?[0-9]+)?\s*(?:[^\W\d]{1,4}(?:/s)?|%)?")
_DIGITS = re.compile(r"[0-9][0-9.,]*(?:e[-+]?[0-9]+)?")
_PLAIN_KEY = re.compile(r"[^.\[\]{}*/]+")
_RULE = re.compile(r"\|?[ \t]*(?::-+:?|-{2,}:?|-:)[ \t]*(?:\|[ \t]*(?::-+:?|-{2,}:?|-:)[ \t]*)*\|?")


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table: where its rows are, and the first of them.

    columns  in order; of JSON, of all rows
    title    the line above a table
    is_part  whether the file has more rows than were looked at
    """

    rows: TableRows
    columns: tuple[str, ...]
    records: tuple[Record, ...]
    title: str = ""
    is_part: bool = False

    @property
    def is_json(self) -> bool:
        """Whether it is JSON or JSON lines."""
        return self.rows.kind in ("json", "jsonl")


@dataclass(frozen=True, slots=True)
class _TablePlace:
    rows: TableRows
    title: str = ""


def find_tables(files: LogFiles, *, nested: bool = True) -> list[FoundTable]:
    """Return the tables of a file (a view of one), none for a text that has none.

    nested  whether to look for rows inside a JSON document, besides the document and its items
    """
    log = TextLog(files)
    content = log.content.lstrip()
    candidates: list[_TablePlace] = []
    if content[:1] in (b"{", b"["):
        candidates = list(_json(log.content, nested=nested))
    else:
        text = log.content.decode("utf-8", "replace").removeprefix("\ufeff")
        candidates = list(_markdown(text)) or list(_delimited(text))
    tables = [_table(TextLog(files), candidate) for candidate in candidates]
    return [table for table in tables if table.records]


def _table(log: TextLog, candidate: _TablePlace) -> FoundTable:
    records: list[Record] = []
    is_part, cells = False, 0
    for record in read_records(TableFile(log, candidate.rows)):
        if str(record.cells.get("../*", "")).lower() in CONFIGURATION:
            continue
        cells += len(record.cells)
        is_part = len(records) == _MAX_ROWS or cells > _MAX_CELLS
        if is_part and records:
            break
        records.append(record)
    columns: dict[str, None] = {}
    for record in records:
        columns |= dict.fromkeys(record.cells)
    return FoundTable(candidate.rows, tuple(columns), tuple(records), candidate.title, is_part)


# JSON


def _json(content: bytes, *, nested: bool) -> Iterator[_TablePlace]:
    document = json_values.load(content)
    if document is None:
        first = content.lstrip().partition(b"\n")[0]
        if isinstance(json_values.load(first), dict):
            yield _TablePlace(TableRows(kind="jsonl"))
        return
    if isinstance(document, dict):
        yield _TablePlace(TableRows(kind="json"))
    is_list = isinstance(document, list)
    paths = list(_paths(document, "", 0)) if nested else ["[*]"] if is_list else []
    for path in paths[:_MAX_PATHS]:
        yield _TablePlace(TableRows(kind="json", path=path))


def _paths(value: object, path: str, depth: int) -> Iterator[str]:
    """Yield the paths that lead to several objects of one kind."""
    if depth > _MAX_JSON_DEPTH:
        return
    if isinstance(value, list):
        if value and all(isinstance(item, dict) for item in value):
            yield f"{path}[*]"
            for key, inner in value[0].items():
                if isinstance(inner, (list, dict)) and _PLAIN_KEY.fullmatch(key):
                    yield from _paths(inner, f"{path}[*].{key}", depth + 1)
    elif isinstance(value, dict):
        if _are_lists_of_rows(value):
            yield f"{path}{{*}}.value[*]"
        if _are_rows(value):
            yield f"{path}{{*}}"
        if _are_tables(value):
            yield f"{path}{{*}}{{*}}"
        for key, inner in value.items():
            if isinstance(inner, (list, dict)) and _PLAIN_KEY.fullmatch(key):
                yield from _paths(inner, f"{path}.{key}" if path else key, depth + 1)


def _are_rows(value: object) -> bool:
    """Return whether the members of an object are rows: objects with the same keys, named by what differs."""
    if not isinstance(value, dict) or len(value) < 2:
        return False
    members = list(value.values())
    if not all(isinstance(member, dict) and member for member in members):
        return False
    if any(meaning_of(key).kind in ("figure", "spread") for key in value):
        return False
    first = set(members[0])
    return all(len(first & set(member)) * 2 >= len(first | set(member)) for member in members)


def _are_tables(value: Mapping[str, object]) -> bool:
    """Return whether the members of an object, but for settings, are objects of rows with the same keys."""
    members = [each for name, each in value.items() if name.lower() not in CONFIGURATION]
    if len(members) < 2 or not all(map(_are_rows, members)):
        return False
    rows = [row for member in members if isinstance(member, dict) for row in member.values()]
    return _are_rows({str(number): row for number, row in enumerate(rows)})


def _are_lists_of_rows(value: Mapping[str, object]) -> bool:
    """Return whether the members of an object are lists of rows with the same keys."""
    firsts = [each[0] for each in value.values() if isinstance(each, list) and each]
    are_rows = len(firsts) == len(value) and all(isinstance(first, dict) for first in firsts)
    return are_rows and _are_rows({str(number): first for number, first in enumerate(firsts)})


# Text


def _markdown(text: str) -> Iterator[_TablePlace]:
    lines = text.split("\n")
    for number, line in enumerate(lines[1:], 1):
        if "|" in line and _RULE.fullmatch(line.strip()) and "|" in lines[number - 1]:
            above = next((x for x in reversed(lines[: number - 1]) if x.strip()), "")
            yield _TablePlace(TableRows(kind="markdown"), above.strip("#*: \t"))
            return


def _delimited(text: str) -> Iterator[_TablePlace]:
    """Yield the table of lines with separated cells, if there is one."""
    lines = [line.rstrip("\r") for line in text.split("\n", _MAX_HEAD_LINES)[:_MAX_HEAD_LINES]]
    best: tuple[int, str, int] | None = None
    for separator in ("\t", ";", ",", "|", "&", " "):
        width, start, count = _header(lines, separator)
        if width > 1 and (best is None or (separator != " " and count * width > best[0])):
            best = count * width, separator, start
    if best is None:
        return
    _, separator, start = best
    decimal = _decimal(lines[start + 1 :], separator)
    above = [line.strip("# \t") for line in lines[:start] if line.strip()]
    header = ""
    if any(line.strip() for line in lines[:start]):
        header = ("^[ \\t]*" if separator == " " else "^") + re.escape(lines[start].strip()).replace(
            "\\ ", " "
        )
    rows = TableRows(
        kind="tsv" if separator == "\t" else "csv",
        header=header,
        heads=2 if _has_two_heads(lines[start:], separator) else 1,
        separator="," if separator == "\t" else separator,  # type: ignore[arg-type]
        decimal=decimal,  # type: ignore[arg-type]
    )
    yield _TablePlace(rows, above[-1] if above else "")


def _header(lines: Sequence[str], separator: str) -> tuple[int, int, int]:
    """Return (cells of the header, its line, lines with as many cells from there); zeros without one."""
    cells = [_cells(line, separator) for line in lines]
    for start, names in enumerate(cells[:-1]):
        if len(names) < 2 or not _are_names(names):
            continue
        if separator == " ":
            cut = blanks(lines[start])
            cells = [cut.split(line.strip()) if line.strip() else [] for line in lines]
        row = _row_after(cells, start)
        if len(row) != len(cells[start]):
            continue
        count = sum(1 for row in cells[start:] if len(row) == len(names))
        if _is_like_its_rows(names, row):
            continue
        if separator != " " or (count > 2 and _has_metric(names)):
            return len(names), start, count
    return 0, 0, 0


def _has_two_heads(lines: Sequence[str], separator: str) -> bool:
    """Return whether a line names several columns, and the next line each of them."""
    first, second, *others = [cells for line in lines if (cells := _cells(line, separator))][:3] or [[]] * 2
    names = [name for name in first if name]
    spans = "" in first[1:] or len(set(names)) < len(names)
    numbers = [bool(_NUMBER_LIKE.fullmatch(cell)) for cell in second]
    are_names = len(second) == len(first) and sum(map(bool, second)) > 1 and not any(numbers)
    is_distinct = are_names and len(set(merged(first, second))) == len(first)
    has_rows = bool(others) and any(_NUMBER_LIKE.fullmatch(cell) for cell in others[0])
    return spans and is_distinct and has_rows


def lacks_header(files: LogFiles) -> bool:
    """Return whether a text is a table whose first line is a row: all have numbers in the same columns."""
    lines = TextLog(files).content.decode("utf-8", "replace").split("\n", _MAX_HEAD_LINES)[:_MAX_HEAD_LINES]
    for separator in ("\t", ";", ","):
        rows = [cells for line in lines if (cells := _cells(line.rstrip("\r"), separator))]
        kinds = {tuple(bool(_NUMBER_LIKE.fullmatch(cell.strip())) for cell in cells) for cells in rows}
        if len(rows) > 1 and len(kinds) == 1 and len(rows[0]) > 1 and any(next(iter(kinds))):
            return True
    return False


def _row_after(cells: Sequence[list[str]], start: int) -> list[str]:
    """Return the cells of the next line that is not empty and no comment."""
    rows = (row for row in cells[start + 1 :] if any(cell.strip() for cell in row))
    return next((row for row in rows if len(row) > 1 or not row[0].startswith("#")), [])


def _is_like_its_rows(names: Sequence[str], row: Sequence[str]) -> bool:
    """Return whether a line is a row itself: its cells differ from the next ones in digits only."""
    alike = [_DIGITS.sub("0", name) == _DIGITS.sub("0", cell) for name, cell in zip(names, row, strict=True)]
    digits = [bool(re.search("[0-9]", name)) for name in names]
    same = sum(is_alike and has for is_alike, has in zip(alike, digits, strict=True))
    return same > 0 and 2 * same >= sum(digits)


def _has_metric(names: Sequence[str]) -> bool:
    """Return whether a line of words is a header and no sentence: one of them names a metric and its unit.

    A colon ends the label of a value or the title of a block.
    """
    if any(name.endswith(":") for name in names):
        return False
    meanings = [meaning_of(name) for name in names]
    return any(each.kind == "figure" and each.metric and each.unit for each in meanings)


def _cells(line: str, separator: str) -> list[str]:
    if not line.strip():
        return []
    if separator == " ":
        return blanks(line).split(line.strip())
    if separator == "&":
        line = latex.plain(line)
    try:
        return next((cells for _, cells in csv_rows(line, separator)), [])
    except csv.Error:
        return []


def _are_names(cells: Sequence[str]) -> bool:
    """Return whether the cells of a line can be a header: distinct names, few numbers."""
    numbers = sum(1 for cell in cells if _NUMBER_LIKE.fullmatch(cell))
    return any(re.search(r"[^\W\d_]", cell) for cell in cells) and 2 * numbers <= len(cells)


def _decimal(lines: Sequence[str], separator: str) -> str:
    """Return the decimal mark of the numbers of a text: a comma only if some number proves it."""
    cells = [cell for line in lines for cell in _cells(line, separator)]
    marks: Counter[str] = Counter()
    for cell in cells:
        number = re.fullmatch(r"[+-]?([0-9.,]+)(?:\s*[^0-9.,]*)", cell)
        if not number:
            continue
        text = number[1]
        if re.fullmatch(r"[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]+|[0-9]+,(?:[0-9]{1,2}|[0-9]{4,})|0,[0-9]+", text):
            marks[","] += 1
        elif re.fullmatch(
            r"[0-9]{1,3}(?:,[0-9]{3})+\.[0-9]*|[0-9]+\.(?:[0-9]{1,2}|[0-9]{4,})|0\.[0-9]+", text
        ):
            marks["."] += 1
    return "," if marks[","] and not marks["."] else "."
