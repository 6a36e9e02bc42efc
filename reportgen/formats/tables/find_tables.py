"""Find the tables in a file of unknown origin: their kind, separator and header, and paths into JSON."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import PurePosixPath

import msgspec

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.parsing.text_log import TextLog
from reportgen.formats.tables import latex, titles
from reportgen.formats.tables.column_words import CONFIGURATION
from reportgen.formats.tables.definition import Context, Kind, TableRows
from reportgen.formats.tables.derive import GROUPING
from reportgen.formats.tables.find_json import TablePlace, places_in_json
from reportgen.formats.tables.header import header_of, heads_of, is_row, other_header
from reportgen.formats.tables.records import (
    Record,
    TableFile,
    lines_between_bars,
    read_records,
    whole_lines,
    without_padding,
)
from reportgen.formats.tables.unnamed import named_table
from reportgen.sources.logfiles import LogFiles

# Rows and cells that are looked at, and lines in which a header is looked for.
_MAX_ROWS = 2000
_MAX_CELLS = 100_000
_MAX_HEAD_LINES = 60
# Tables of separated cells in one file: each costs a search for a header.
MAX_TABLES = 64
# The names of an object of JSON and of the objects around it.
_MEMBERS = ("*", "../*", "../../*", "../../../*")
_SEPARATORS = ("\t", ";", ",", "|", "&", " ")
_BLANKS_TO_END = r"[ \t\r]*$"
_GROUPING = lazy_pattern(f"[{GROUPING}]")
_RULE = lazy_pattern(r"\|?[ \t]*(?::-+:?|-{2,}:?|-:)[ \t]*(?:\|[ \t]*(?::-+:?|-{2,}:?|-:)[ \t]*)*\|?")


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table: where its rows are, and the first of them.

    columns  in order; of JSON, of all rows
    titles   texts that may say what it measures: the line above it, its key in JSON; the nearest first
    texts    all texts beside it that may state units, the nearest first
    name     of the file
    is_part  whether the file has more rows than were looked at
    contexts  patterns of lines that say something about the rows after them
    """

    rows: TableRows
    columns: tuple[str, ...]
    records: tuple[Record, ...]
    titles: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    name: str = ""
    is_part: bool = False
    contexts: tuple[str, ...] = ()

    @property
    def is_json(self) -> bool:
        """Whether it is JSON or JSON lines."""
        return self.rows.kind in ("json", "jsonl")


def find_tables(files: LogFiles, *, nested: bool = True) -> list[FoundTable]:
    """Return the tables of a file (a view of one), none for a text that has none.

    nested  whether to look for rows inside a JSON document, besides the document and its items
    """
    log = TextLog(files)
    content = log.content.lstrip()
    candidates: list[TablePlace] = []
    if nested and (named := named_table(files)):
        candidates = [TablePlace(named)]
    elif content[:1] in (b"{", b"["):
        candidates = list(places_in_json(log.content, nested=nested))
    else:
        text = log.content.decode("utf-8", "replace").removeprefix("\ufeff")
        lines = [line.rstrip("\r") for line in latex.expanded(text).split("\n")]
        delimited = _delimited(lines)
        of_kinds = (
            _of_latex(lines),
            _between_bars(text, "markdown"),
            _between_bars(text, "aligned"),
            delimited,
        )
        candidates = next(filter(None, map(list, of_kinds)), [])
    tables = [_table(TextLog(files), candidate) for candidate in candidates]
    return [table for table in tables if table.records]


def _table(log: TextLog, candidate: TablePlace) -> FoundTable:
    records: list[Record] = []
    is_part, cells = False, 0
    columns: dict[str, None] = {}
    contexts = [Context(pattern=pattern) for pattern in candidate.contexts]
    for record in read_records(TableFile(log, candidate.rows, contexts, is_own=bool(contexts))):
        if _is_configuration(record) and not columns.keys() >= record.cells.keys():
            continue
        cells += len(record.cells)
        is_part = len(records) == _MAX_ROWS or cells > _MAX_CELLS
        if is_part and records:
            break
        columns |= dict.fromkeys(name for name in record.cells if name != "#part")
        records.append(record)
    above = {name for context in contexts for name in re.compile(context.pattern).groupindex}
    return FoundTable(
        candidate.rows,
        (*(name for name in columns if name not in above), *(name for name in columns if name in above)),
        tuple(records),
        candidate.titles,
        candidate.texts or candidate.titles,
        PurePosixPath(log.source.path).name,
        is_part,
        candidate.contexts,
    )


def _is_configuration(record: Record) -> bool:
    """Return whether a member of an object is called so; one with the columns of rows is a row."""
    return any(str(record.cells.get(name, "")).lower() in CONFIGURATION for name in _MEMBERS)


def _between_bars(text: str, kind: Kind) -> Iterator[TablePlace]:
    """Yield the tables of Markdown, and those that become Markdown: one for each header, in order."""
    lines = [line for _, line in lines_between_bars(text.split("\n"), kind)]
    tables: dict[str, list[int]] = {}
    for number, line in enumerate(lines[1:], 1):
        begins = number < 2 or "|" not in lines[number - 2]
        if begins and "|" in line and _RULE.fullmatch(line.strip()) and "|" in lines[number - 1]:
            tables.setdefault(without_padding(lines[number - 1]), []).append(number - 1)
    settings = titles.settings_of(lines, [start for starts in tables.values() for start in starts])
    for starts in tables.values():
        header = lines[starts[0]].strip()
        below = lines[starts[0] + 2] if starts[0] + 2 < len(lines) else ""
        if is_row(_bar_cells(header), _bar_cells(below)):
            continue
        is_one = all(lines[start].strip() == header for start in starts)
        pattern = _line_pattern(header, "^[ \\t]*") if is_one else _padded_pattern(header)
        texts = [titles.near(lines, start) for start in starts]
        shared = tuple(text for text in texts[0] if all(text in each for each in texts))
        rows = TableRows(kind=kind, header=pattern if len(tables) > 1 else "")
        contexts = [pattern for name, pattern in settings.items() if name not in _bar_cells(header)]
        yield TablePlace(
            rows, _shared_titles(lines, starts), shared, tuple(contexts) if len(starts) == 1 else ()
        )


def _bar_cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]


def _shared_titles(lines: Sequence[str], starts: Sequence[int]) -> tuple[str, ...]:
    """Return the texts around tables with one header: what differs is not about all of them."""
    texts = [titles.around(lines, start) for start in starts]
    whole = [text for text in texts[0] if all(text in each for each in texts)]
    above = [titles.above(lines, start) for start in starts]
    parts = titles.shared_words(above) if len(starts) > 1 and all(above) else ()
    return tuple(dict.fromkeys((*whole, *filter(None, parts))))


def _of_latex(lines: Sequence[str]) -> list[TablePlace]:
    """Return the tables of LaTeX; [] if two have one header, for these are rows of one table."""
    places = [
        replace(place, rows=msgspec.structs.replace(place.rows, end=place.rows.end or latex.END))
        for first, last in islice(latex.tables_of(lines), MAX_TABLES)
        for place in _delimited(lines[first : last + 1], is_whole=False)
        if place.rows.separator == "&"
    ]
    headers = {place.rows.header for place in places}
    return places if len(headers) == len(places) else []


def _delimited(lines: Sequence[str], *, is_whole: bool = True) -> Iterator[TablePlace]:
    """Yield the tables of lines with separated cells, MAX_TABLES at most.

    is_whole  whether they are all lines of a file
    """
    begin = 0
    for number in range(MAX_TABLES):
        table = _delimited_at(lines[begin:], is_first=is_whole and not number)
        if not table:
            return
        place, further = table
        yield place
        if not further:
            return
        begin += further


def _delimited_at(lines: Sequence[str], *, is_first: bool) -> tuple[TablePlace, int] | None:
    """Return the first table of lines, and where the next one may begin; 0 without another.

    is_first  whether no other table is above these lines
    """
    head = whole_lines(lines[:_MAX_HEAD_LINES])
    headers = [header for separator in _SEPARATORS if (header := header_of(head, separator))]
    # Any text has blanks.
    best = max(headers, key=lambda each: (each.separator != " ", each.count * each.width), default=None)
    if best is None:
        return None
    separator, start = best.separator, best.start
    pattern = ""
    if any(line.strip() for line in head[:start]) or not is_first:
        pattern = _line_pattern(head[start], "^[ \\t]*" if separator == " " else "^")
    below = lines[start:]
    heads = heads_of(chain(head[start:], islice(lines, _MAX_HEAD_LINES, None)), separator)
    other = other_header(below, separator, heads)
    rows = TableRows(
        kind="tsv" if separator == "\t" else "csv",
        header=pattern,
        end=_line_pattern(below[other]) if other else "",
        heads=heads,  # type: ignore[arg-type]
        separator="," if separator == "\t" else separator,  # type: ignore[arg-type]
    )
    captions = _captions(head, start)
    comments = [line for line in lines[start + 1 :] if line.startswith(("#", "//", "% "))]
    texts = (titles.plain(line) for line in (*reversed(head[:start]), *comments) if "\\" not in line)
    return TablePlace(rows, tuple(captions), (*captions, *texts)), other and start + other - 1


def _line_pattern(line: str, begin: str = "^") -> str:
    """Return the pattern of a whole line as a person would write it: another header may begin with it."""
    begin = "^[ \\t]*" if line[:1].isspace() else begin
    return begin + re.escape(line.strip()).replace("\\ ", " ") + _BLANKS_TO_END


def _padded_pattern(header: str) -> str:
    """Return the pattern of a header between bars with any blanks around its names."""
    cells = [re.escape(cell).replace("\\ ", " ") for cell in without_padding(header).split("|")]
    first = "" if cells[0] else cells.pop(0) + r"\|[ \t]*"
    return rf"^[ \t]*{first}" + r"[ \t]*\|[ \t]*".join(cells).removesuffix("[ \\t]*") + _BLANKS_TO_END


def _captions(lines: Sequence[str], start: int) -> list[str]:
    """Return the texts around a table of separated cells that may say what it measures, the nearest first."""
    captions = [match[1] for line in lines if (match := latex.CAPTION.search(line))]
    above = [titles.text_of(line) for line in reversed(lines[:start]) if "\\" not in line]
    return [*captions, *filter(None, above)]
