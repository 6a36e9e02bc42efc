"""Read the rows of a file of any kind as records: a line, and a mapping from column to cell.

A cell is a text, a number, a truth value, None or a list. Nested objects of JSON become columns with dots
(`stats.mean`); columns of the objects around a row begin with `../`, those of the document with `/`.
"""

import csv
import json
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain, islice, pairwise, takewhile
from typing import Any

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.parsing import json_values
from reportgen.formats.parsing.csv_cells import rows as csv_rows
from reportgen.formats.parsing.text_log import TextLog
from reportgen.formats.parsing.user_patterns import whole_line
from reportgen.formats.tables import aligned, drawn, expand, html, latex, listed
from reportgen.formats.tables.decimal_marks import decimal_of, proves_comma
from reportgen.formats.tables.definition import Context, TableRows
from reportgen.formats.tables.derive import GROUPING, is_missing
from reportgen.formats.tables.heads import MOST_HEADS, NUMBER_LIKE, count_heads, merged
from reportgen.formats.tables.layouts import LAYOUTS
from reportgen.formats.tables.titles import above as title_above
from reportgen.formats.tables.titles import distinct
from reportgen.formats.tables.titles import of_tables as titles_at
from reportgen.formats.tables.titles import text_of as title_of

# A row with more columns than these holds lists of single values, which no definition names.
_MAX_COLUMNS = 4000
# The number of a row in its document.
ROW = "#row"
# The title of the table that a row is in, where a file has several with one header.
TITLE = "../table"
# Column of the text of the last row that has only a first cell.
GROUP = "../group"
_MAX_DEPTH = 8
_MAX_ROWS = 200_000
# What srun, mpirun and kubectl put before a line of a process.
_PREFIX = lazy_pattern(r"^[ \t]*(?:\[\d+,\d+\]<std(?:out|err)>:|\[?\d{1,6}\]?: )?[ \t]*")
_TAG = lazy_pattern(r"^[ \t]*(?:\[\d+,\d+\]<std(?:out|err)>:|\[?\d{1,6}\]?: )")
_NUMBER = lazy_pattern(r"[-+]?[0-9][0-9,]*(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?%?")
_STAMP = lazy_pattern(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
_RULE = lazy_pattern(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?")
_DECIMAL_COMMA = lazy_pattern(
    rf"([+-]?(?:[0-9]{{1,3}}(?:[.{GROUPING}][0-9]{{3}})+(?:,[0-9]+)?|[0-9]+,[0-9]+(?:[eE][+-]?[0-9]+)?))"
    r"(\s*[^0-9.,]*)"
)
# "1.221 ms (56,5 %)": a number, and another in brackets
_REMARK = lazy_pattern(r"([+-]?[0-9][^()\[\]]*?)\s*([(\[])([^()\[\]]*)([)\]])")
_NO_DIGIT_MARK = lazy_pattern(rf"[.{GROUPING}]")
_LABEL = lazy_pattern(r"[ \t]*([^\s:=][^:=\n]{0,80}?)[ \t]*(?::|=(?!=))[ \t]*(\S.*)?")
_PART = lazy_pattern(r"([A-Za-z][\w ()%.]*?) *= *([^,=]+?)(?:,|$)")
# What loggers put before a message: a time, a level, the name of the program. "[TTFT] P99" is a label.
_LOGGED = lazy_pattern(
    r"^(?:\[(?:[^\]\n]{0,40}\d\d:\d\d[^\]\n]{0,20}|[A-Z]|TRT(?:-LLM)?"
    r"|DEBUG|INFO|WARN(?:ING)?|ERROR)\] ?){1,3}"
)
_MATHEMATICS = lazy_pattern(r"\$([^$|]{1,80})\$")
# `code` of Markdown and ``code`` of reStructuredText, also within a text
_CODE = lazy_pattern(r"(`{1,2})([^`]+)\1")
# A link of Markdown: its text counts.
_LINK = lazy_pattern(r"\[([^\[\]]{1,80})\]\([^()\s]{1,200}\)")
# A document after another one, also a truncated one, but no "[2024-01-01 INFO]" or "{'loss': 1}".
_SECOND = lazy_pattern(r'\s*(?:\{\s*["}]|\[\s*\{)')
# Objects that go over several lines are tried as often as this where they do not end well.
_MAX_TORN_OBJECTS = 16
# Rows of another width than their header: the first ones are named.
_WIDTH = "not as many cells as the header"
_MAX_NAMED = 5
_MAX_NAME = 40


@dataclass(frozen=True, slots=True)
class Record:
    """A row: its line, its cells by column, and the number of the part of the file that it is in."""

    line: int
    cells: Mapping[str, Any]
    part: int = 0


@dataclass(slots=True)
class TableFile:
    """The rows of a file being read; `fault(line, fact)` reports what cannot be read.

    is_own  whether a user wrote the patterns: each is applied to one line at a time, in linear time
    """

    log: TextLog
    rows: TableRows
    contexts: list[Context] = field(default_factory=list)
    is_own: bool = False
    _breaks: list[int] | None = None

    def matches(self, pattern: str, text: str) -> Iterator[re.Match[str]]:
        """Yield the matches of a pattern of the definition."""
        if self.is_own:
            yield from whole_line(pattern).finditer(text)
        else:
            yield from re.finditer(pattern, text, re.MULTILINE)

    def fault(self, line: int, fact: str, count: int = 1) -> None:
        """Report lines that cannot be read."""
        self.log.malformed.add(line, fact, count)

    def line_of(self, offset: int) -> int:
        """Return the line of an offset in the text."""
        if self._breaks is None:
            self._breaks = [match.start() for match in re.finditer("\n", self.text)]
        return bisect_left(self._breaks, offset) + 1

    @property
    def text(self) -> str:
        """The content of the file."""
        return self.log.content.decode("utf-8", "replace")


def read_records(table: TableFile) -> Iterator[Record]:
    """Yield the rows of a file, at most 200,000."""
    records = with_points(_READERS[table.rows.kind](table), table.rows.decimal)
    records = transposed(records) if table.rows.transposed else records
    records = grouped(records) if table.rows.groups else records
    for number, record in enumerate(filled(records, table.rows.fill) if table.rows.fill else records):
        if number == _MAX_ROWS:
            table.fault(record.line, f"more than {_MAX_ROWS} rows; the rest is not read")
            return
        parts = _each(record, table.rows.each) if table.rows.each else [record]
        yield from (each for part in parts for each in _expanded(table, part))


def with_points(records: Iterable[Record], decimal: str | Sequence[str]) -> Iterable[Record]:
    """Return rows with decimal points in place of commas: in no column, in all for ",", or in those named.

    For "proven", numbers of a column say which mark it has; for "either", each number.
    """
    if decimal == "proven":
        records = list(records)
        names = dict.fromkeys(name for record in records for name in record.cells)
        decimal = decimal_of([record.cells for record in records], names)
    return records if decimal == "." else (_with_points(record, decimal) for record in records)


def _with_points(record: Record, decimal: str | Sequence[str]) -> Record:
    names = [name for name in record.cells if decimal in (",", "either") or name in decimal]
    texts = {name: cell for name in names if isinstance(cell := record.cells[name], str)}
    if decimal == "either":
        texts = {name: cell for name, cell in texts.items() if proves_comma(cell)}
    return replace(
        record, cells={**record.cells, **{name: _with_point(cell) for name, cell in texts.items()}}
    )


def grouped(records: Iterable[Record]) -> Iterator[Record]:
    """Yield the rows below each row that has only a first cell, with its text in the column `../group`."""
    group = ""
    part = 0
    for record in records:
        group = group if record.part == part else ""
        part = record.part
        if text := title_of_group(record):
            group = text
        else:
            yield replace(record, cells={**record.cells, GROUP: group})


def title_of_group(record: Record) -> str:
    """Return the text of a row that has only a first cell, "" for others."""
    first, *others = [cell for name, cell in record.cells.items() if name not in (TITLE, ROW, "#part")] or [
        ""
    ]
    return "" if not others or any(str(cell or "").strip() for cell in others) else str(first or "").strip()


def filled(records: Iterable[Record], columns: Sequence[str]) -> Iterator[Record]:
    """Yield rows with the cell above in place of each empty one of some columns."""
    above: dict[str, Any] = {}
    part = 0
    for record in records:
        above = above if record.part == part else {}
        part = record.part
        own = {name: record.cells.get(name) or above.get(name, "") for name in columns}
        above |= own
        yield replace(record, cells={**record.cells, **own})


def transposed(records: Iterable[Record]) -> Iterator[Record]:
    """Yield a row for each column but the first, which has the names of the cells.

    The name of a column is the cell of the first name. The line of a row is that of the first cells. Tables
    with a title each are turned one by one.
    """
    tables: dict[object, list[Record]] = {}
    for record in records:
        tables.setdefault(record.cells.get(TITLE), []).append(record)
    for title, rows in tables.items():
        corner, *names = (name for name in rows[0].cells if name != TITLE)
        titles = _unique([str(row.cells.get(corner) or "").strip() for row in rows])
        about = {} if title is None else {TITLE: title}
        for name in names:
            cells = {text: row.cells.get(name) for text, row in zip(titles, rows, strict=True)}
            yield Record(rows[0].line, {corner: name, **cells, **about}, rows[0].part)


def _expanded(table: TableFile, record: Record) -> Iterator[Record]:
    """Yield the rows that a row holds; the row itself if it holds none."""
    expansion = table.rows.expand
    rows = expand.FUNCTIONS[expansion.function](record.cells, expansion.of) if expansion else []
    for cells in rows:
        yield Record(record.line, {**record.cells, **cells}, record.part)
    if not rows:
        yield record


def _each(record: Record, column: str) -> Iterator[Record]:
    """Yield a record for each item of a column with a list; the record itself if it has none."""
    items = record.cells.get(column)
    if not isinstance(items, list) or not items:
        yield record
        return
    for item in items:
        yield Record(record.line, {**record.cells, column: item}, record.part)


# JSON


def _json(table: TableFile) -> Iterator[Record]:
    text = table.text if table.rows.begin else ""
    begins = [match.end() for match in table.matches(table.rows.begin, text)] if text else []
    if not begins:
        yield from _document(table, json_values.load(table.log.content), table.log.content)
    for begin, end in pairwise([*begins, len(text)]):
        yield from _document(table, None, text[begin:end].encode(), table.line_of(begin) - 1)


def _document(table: TableFile, document: Any, content: bytes, before: int = 0) -> Iterator[Record]:
    """Yield the rows of a document, which may have other text around it; `before` lines precede it."""
    if document is None:
        document, rest = json_values.split_leading(_from_first_bracket(content))
        if document is not None and _SECOND.match(rest):
            table.fault(before + 1, "several JSON documents in one file; only the first is read")
    if document is None:
        table.fault(before + 1, "not a JSON document; it may be truncated")
        return
    layout = LAYOUTS[table.rows.layout]
    walked = _walk(document, steps_of(table.rows.path), ())
    objects = [
        (parents, dict(zip(table.rows.names, row.values(), strict=False)) if table.rows.names else row)
        for parents, value in walked
        for row in layout(value)
    ]
    yield from _located(table, objects, content, before)


def _json_lines(table: TableFile) -> Iterator[Record]:
    """Yield the objects of a text: one a line, several glued in one line, or each over several lines.

    Lines before, between and after them are skipped.
    """
    decoder, text = json.JSONDecoder(), table.text
    line, counted, at, torn = 1, 0, 0, 0
    while (at := text.find("{", at)) >= 0:
        line, counted = line + text.count("\n", counted, at), at
        end = text.find("\n", at)
        try:
            value, length = decoder.raw_decode(text[at : end if end >= 0 else None])
            at += length
        except (ValueError, RecursionError):
            value = None
        if value is None and torn < _MAX_TORN_OBJECTS and end >= 0:
            try:
                value, at = decoder.raw_decode(text, at)
            except (ValueError, RecursionError):
                torn += 1
        if value is None:
            table.fault(line, "not a JSON object; it may be truncated")
            if end < 0:
                return
            at = end
            continue
        for parents, inner in _walk(value, steps_of(table.rows.path), ()):
            for row in LAYOUTS[table.rows.layout](inner):
                yield Record(line, _cells(parents, row))


def _from_first_bracket(content: bytes) -> bytes:
    at = min((place for mark in (b"{", b"[") if (place := content.find(mark)) >= 0), default=0)
    return content[at:]


def steps_of(path: str) -> list[str]:
    """Return the steps of a path: `a.b[*].c` is a, b, [*], c."""
    return [key for key in re.split(r"\.|(\[\*\]|\{\*\})", path) if key]


def are_branches(path: str, other: str) -> bool:
    """Return whether two paths lead to different keys of one object."""
    steps = zip(steps_of(path), steps_of(other), strict=False)
    return any(a != b and not {a, b} & {"[*]", "{*}"} for a, b in steps)


def _walk(value: object, keys: list[str], parents: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield (the objects around, the value) for each value that a path leads to."""
    if not keys:
        yield parents, value
        return
    key, rest = keys[0], keys[1:]
    if key == "[*]":
        for item in [value] if isinstance(value, dict) else json_values.items(value):
            yield from _walk(item, rest, parents)
    elif key == "{*}":
        members = [(k, v) for k, v in value.items() if k != "*"] if isinstance(value, dict) else []
        # Facts beside objects are about all of them.
        objects = [(name, item) for name, item in members if isinstance(item, dict | list)]
        for name, item in objects or members:
            inner = {"*": name, **item} if isinstance(item, dict) else {"*": name, "value": item}
            yield from _walk(inner, rest, (*parents, value))
    elif isinstance(value, dict) and key in value:
        yield from _walk(value[key], rest, (*parents, value))


def _cells(parents: tuple[Any, ...], row: Mapping[str, Any]) -> dict[str, Any]:
    cells: dict[str, Any] = {}
    if parents:
        _flatten(parents[0], "/", cells, 3)
        for level, parent in enumerate(reversed(parents), 1):
            _flatten(parent, "../" * level, cells, 3)
    _flatten(row, "", cells, _MAX_DEPTH)
    return cells


def _flatten(value: Mapping[str, Any], prefix: str, cells: dict[str, Any], depth: int) -> None:
    for name, cell in value.items():
        if len(cells) >= _MAX_COLUMNS:
            return
        if isinstance(cell, dict):
            if depth:
                _flatten(cell, f"{prefix}{name}.", cells, depth - 1)
        else:
            cells[f"{prefix}{name}"] = cell
            if isinstance(cell, list) and prefix.startswith(("/", "../")):
                cells[f"{prefix}{name}#"] = len(cell)


def _located(
    table: TableFile, objects: list[tuple[tuple[Any, ...], Any]], content: bytes, before: int
) -> Iterator[Record]:
    """Yield the records of a JSON document with the lines of the first key that all rows have once."""
    names = [name for name in (objects[0][1] if objects else ()) if all(name in row for _, row in objects)]
    names.sort(key=lambda name: name != table.rows.line)
    names = names if table.rows.layout == "objects" else []
    for name in names:
        literal = json.dumps(name).encode()
        if content.count(literal) == len(objects):
            lines = json_values.lines_of(content, literal, len(objects))
            break
    else:
        lines = [1] * len(objects)
    beside = _beside(table)
    for number, (line, (parents, row)) in enumerate(zip(lines, objects, strict=True)):
        yield Record(before + line, {**beside, ROW: number, **_cells(parents, row)})


def _beside(table: TableFile) -> dict[str, Any]:
    """Return the columns of the file beside this one, and the name of the folder."""
    if not table.rows.beside:
        return {}
    cells: dict[str, Any] = {"#folder": table.log.source.path.rpartition("/")[0].rpartition("/")[2]}
    content = table.log.files.read_sibling(table.rows.beside)
    document = json_values.load(bytes(content)) if content else None
    _flatten(json_values.table(document), "beside.", cells, 3)
    return cells


# Tables with a header


def _csv(table: TableFile) -> Iterator[Record]:
    """Yield the rows of CSV below its header; of tables with one header and a title each, each is a part."""
    text = latex.expanded(table.text) if table.rows.separator == "&" else table.text
    lines, before = text.removeprefix("\ufeff").split("\n"), 0
    if table.rows.header:
        before = next((at for at, line in enumerate(lines) if any(table.matches(table.rows.header, line))), 0)
    above, lines = lines[:before], lines[before:]
    if table.rows.end:
        below = enumerate(lines[1:], 1)
        lines = lines[: next((at for at, line in below if any(table.matches(table.rows.end, line))), None)]
    separator = "\t" if table.rows.kind == "tsv" else table.rows.separator
    titles = (
        {}
        if table.rows.names
        else _captions([*above, *lines], before)
        if separator == "&"
        else _take_titles(lines, title_above(above, before), separator)
    )
    starts = [before + start for start in titles]
    for record in _csv_rows(table, lines, separator, before):
        part = max(bisect_left(starts, record.line) - 1, 0)
        named = {TITLE: titles[starts[part] - before]} if titles else {}
        yield Record(record.line, {**record.cells, **named}, part)


def _captions(lines: Sequence[str], first: int) -> dict[int, str]:
    """Return line -> caption of each table of LaTeX with the header of the first, if there are several.

    Lines of the result count from 1 at the first header. first  its line from 0
    """
    header = lines[first].strip()
    starts = [at for at in range(first, len(lines)) if lines[at].strip() == header]
    texts = [latex.caption_of(lines, at) for at in starts] if header and len(starts) > 1 else []
    if not any(texts):
        return {}
    return dict(zip((at - first + 1 for at in starts), distinct(texts), strict=True))


def _take_titles(lines: list[str], first: str, separator: str) -> dict[int, str]:
    """Take the titles of tables with one header out of lines; return line -> title of each header.

    Without titles, the rows below a header that is repeated were added to the table later: then there is
    nothing to return. The first line is a header. first  its title
    """
    header, titles = lines[0].strip(), {1: first}
    for at in range(1, len(lines)) if header else ():
        if lines[at].strip() == header:
            place = next((above for above in range(at - 1, 0, -1) if lines[above].strip()), 0)
            is_title = lines[place].count(separator) == 0
            titles[at + 1] = title_of(lines[place]) if is_title else ""
            lines[place] = "" if is_title else lines[place]
    if not any(list(titles.values())[1:]):
        return {}
    return dict(zip(titles, distinct(list(titles.values())), strict=True))


def _csv_rows(table: TableFile, lines: list[str], separator: str, before: int) -> Iterator[Record]:
    """Yield the rows of lines that begin with a header, unless the definition names the columns.

    before  lines above them
    """
    is_commented = separator == " "
    names = table.rows.names
    numbers: list[int] = []
    if separator in ("\t", " "):
        cut = re.compile("\t") if separator == "\t" else blanks(lines[0])
        lines[0] = uncommented(lines[0]) if lines[0].lstrip().startswith("#") and is_commented else lines[0]
        quoted = [_quoted(cut, line) for line in lines]
        first = next((line for line in lines[1:] if line.strip()), "").strip()
        if (
            is_commented
            and not names
            and is_indexed(lines[0], len(cut.split(lines[0].strip())), cut.split(first))
        ):
            quoted[0] = f'"",{quoted[0]}'
        lines, separator = quoted, ","
    elif separator == "&":
        rows = [(number, row) for number, line in enumerate(lines, 1) for row in latex.rows_of(line)]
        numbers = [number for number, _ in rows]
        lines = list(latex.filled("\n".join(row for _, row in rows), table.rows.heads))
    header: list[str] = list(names)
    heads: list[list[str]] = []
    try:
        for at, cells in csv_rows("\n".join(lines), separator):
            line = numbers[min(at, len(numbers)) - 1] if numbers else at
            if not header and len(heads) < table.rows.heads:
                heads.append(cells)
                header = _unique(merged(*heads)) if len(heads) == table.rows.heads else []
            elif cells[0].startswith("#") and (is_commented or _is_alone(cells) or len(cells) != len(header)):
                continue  # a comment
            elif cells == header:
                continue  # a header that is repeated
            elif separator == "|" and _aligns(cells):
                continue  # Org says here how its columns are aligned
            elif len(cells) != len(header):
                table.fault(line + before, _WIDTH)
            else:
                yield Record(line + before, dict(zip(header, cells, strict=True)))
    except csv.Error as error:
        table.fault(before + 1, f"not CSV: {error}")


def _is_alone(cells: Sequence[str]) -> bool:
    """Return whether only the first of several cells has a text."""
    return len(cells) > 1 and not any(cells[1:])


def _aligns(cells: Sequence[str]) -> bool:
    """Return whether the cells of a row of Org are alignments: <l>, <r>, <c10>."""
    filled = [cell.strip() for cell in cells if cell.strip()]
    return bool(filled) and all(re.fullmatch(r"<(?:[lrc][0-9]*|[0-9]+)>", cell) for cell in filled)


def _with_point(cell: str) -> str:
    """Return a cell with a decimal point where it is a number with a decimal comma: 1.234,5 is 1234.5."""
    if "±" in cell:
        return " ± ".join(_with_point(part.strip()) for part in cell.split("±"))
    if remark := _REMARK.fullmatch(cell):
        return f"{_with_point(remark[1])} {remark[2]}{_with_point(remark[3])}{remark[4]}"
    match = _DECIMAL_COMMA.fullmatch(cell)
    return _NO_DIGIT_MARK.sub("", match[1]).replace(",", ".") + match[2] if match else cell


def whole_lines(lines: Iterable[str]) -> list[str]:
    """Return lines of CSV, with the lines of one quoted cell together."""
    whole: list[str] = []
    for line in lines:
        if whole and whole[-1].count('"') % 2:
            whole[-1] += f"\n{line}"
        else:
            whole.append(line)
    return whole


def uncommented(header: str) -> str:
    """Return a header of words without the mark of a comment before it, as gnuplot needs one."""
    return header.strip().lstrip("#").strip()


def blanks(header: str) -> re.Pattern[str]:
    """Return what separates the words of a table: two blanks or more if its header has them, else one."""
    return re.compile(r"[ \t]{2,}|\t" if re.search(r"\S(?:[ ]{2,}|\t)\S", header) else r"[ \t]+")


def is_indexed(header: str, width: int, row: Sequence[str]) -> bool:
    """Return whether the rows below a header of words have a number before them, as pandas prints it."""
    return header[:2].isspace() and len(row) == width + 1 and row[0].isdigit()


def _quoted(cut: re.Pattern[str], line: str) -> str:
    """Return a line as CSV; blanks around it separate nothing."""
    line = line.rstrip("\r") if cut.pattern == "\t" else line.strip()
    return ",".join('"' + cell.replace('"', '""') + '"' for cell in cut.split(line)) if line else ""


def _markdown(table: TableFile) -> Iterator[Record]:
    """Yield the rows of all Markdown tables; each table is a part, and an empty line ends it.

    Lines of other programs may be between the rows. Of several tables with one header, each has a title in
    the column `../table`.
    """
    lines = table.text.split("\n")
    offsets = list(accumulate((len(line) + 1 for line in lines), initial=0))
    numbered = lines_between_bars(lines, table.rows.kind)
    lines = [line for _, line in numbered]
    rows: list[tuple[int, dict[str, Any]]] = []
    parts: dict[int, int] = {}
    starts: dict[str, dict[int, int]] = {}
    part = -1
    header: list[str] = []
    has_bar = is_torn = False
    lost = 0
    rules = list(map(_is_rule, lines))
    for place, ((number, line), is_rule, is_heading) in enumerate(
        zip(numbered, rules, [*rules[1:], False], strict=True)
    ):
        text, cells = line.strip(), bar_cells(line)
        if not text:
            header = []
        elif cells and is_heading and (is_torn or not header):
            is_own = not table.rows.header or any(table.matches(table.rows.header, line))
            part, header, has_bar = part + 1, _unique(cells) if is_own else [], text.startswith("|")
            if header:
                starts.setdefault(without_padding(line), {})[part] = place
        elif header and cells and not is_rule and text.startswith("|") == has_bar:
            cells = _fewer_cells(line, len(header)) if len(cells) > len(header) else cells
            cells = _padded(cells, len(header)) if has_bar else cells
            if len(cells) == len(header):
                rows.append((offsets[number - 1], dict(zip(header, cells, strict=True))))
                parts[number] = part
            else:
                lost += 1
                table.fault(number, _of_width(cells, len(header)) if lost <= _MAX_NAMED else _WIDTH)
        is_torn = not cells
    records = (
        _with_contexts(table, rows) if table.contexts else (Record(table.line_of(at), x) for at, x in rows)
    )
    title_of = _titles_of_parts(lines, starts)
    for record in records:
        number = parts.get(record.line, record.part)
        named = {TITLE: title_of[number]} if number in title_of else {}
        yield replace(record, part=number, cells={**record.cells, **named})


def _padded(cells: list[str], width: int) -> list[str]:
    """Return the cells of a row that ends early, as Markdown shows it, if only its first may be a number."""
    has_numbers = any(NUMBER_LIKE.fullmatch(cell) for cell in cells[1:])
    return cells if has_numbers or not cells[0] else [*cells, *[""] * (width - len(cells))]


def _titles_of_parts(lines: Sequence[str], starts: Mapping[str, Mapping[int, int]]) -> dict[int, str]:
    """Return the titles of the tables whose header others have too. starts  header -> number -> its line"""
    several = [each for each in starts.values() if len(each) > 1]
    return {
        number: title
        for each in several
        for number, title in zip(each, titles_at(lines, list(each.values())), strict=True)
    }


def without_padding(header: str) -> str:
    """Return a header between bars without the blanks that align it with the cells of its table."""
    return re.sub(r"[ \t]*\|[ \t]*", "|", header.strip())


def lines_between_bars(lines: Sequence[str], kind: str) -> list[tuple[int, str]]:
    """Return (number from 1, text) of the lines of a text, with its tables as Markdown."""
    if kind == "aligned":
        return aligned.as_markdown(lines)
    of_html = html.as_markdown(lines)
    numbered = [(of_html[at][0], text) for at, text in listed.as_markdown([text for _, text in of_html])]
    texts = _with_whole_headers(drawn.as_markdown([text for _, text in numbered]))
    return [(number, text) for (number, _), text in zip(numbered, texts, strict=True)]


def _with_whole_headers(lines: Sequence[str]) -> list[str]:
    """Return lines of Markdown with each header of several lines in the last of them, above its rule."""
    whole = list(lines)
    for at in range(1, len(lines) - 1):
        if not _is_rule(lines[at]) or not (width := len(bar_cells(lines[at - 1]))) or _is_rule(lines[at - 1]):
            continue
        first = at - 1
        while at - first < MOST_HEADS and first and len(bar_cells(lines[first - 1])) == width:
            first -= 1
        end = at + 1 + MOST_HEADS
        rows = [bar_cells(line) for line in (*lines[first:at], *lines[at + 1 : end])]
        later = (bar_cells(line) for line in islice(lines, end, None))
        heads = count_heads(takewhile(lambda cells: len(cells) == width, chain(rows, later)))
        last = first + heads
        if heads > 1 and last >= at:
            whole[first : last + 1] = [
                *[""] * (heads - 1),
                f"| {' | '.join(merged(*rows[:heads]))} |",
                lines[at],
            ]
    return whole


def _is_rule(line: str) -> bool:
    return "|" in line and bool(_RULE.fullmatch(line.strip()))


def bar_cells(line: str) -> list[str]:
    """Return the cells of a row between bars, without the marks of Markdown; none of another line."""
    text = line.strip()
    if "|" not in text:
        return []
    if text.count("$") > 1:
        text = _MATHEMATICS.sub(lambda match: latex.plain_cell(match[1]), text)
    cells = re.split(r"(?<!\\)\|", text.removeprefix("|").removesuffix("|"))
    texts = (_CODE.sub(r"\2", _LINK.sub(r"\1", cell)) for cell in cells)
    return [text.replace("**", "").strip().strip("*`").strip() for text in texts]


_TIGHT_BAR = r"(?<=[^\s0-9])\|(?=\S)|(?<=[0-9])\|(?=[^\s0-9])|\|(?=\|)|(?<=\|)\|"


def _fewer_cells(line: str, width: int) -> list[str]:
    """Return the cells of a row with bars in its texts, as many as the header has if that is certain.

    Bars in code separate nothing, nor do those without blanks if others have blanks on both sides, but for
    those between digits. A text has those before numbers that fill all other columns.
    """
    in_code = _CODE.sub(lambda match: match[0].replace("|", "\0"), line)
    tight = re.sub(_TIGHT_BAR, "\0", line.strip().strip("|"))
    for hidden in (in_code, tight):
        cells = [cell.replace("\0", "|") for cell in bar_cells(hidden)]
        if len(cells) == width:
            return cells
    names, numbers = cells[: 1 - width], cells[1 - width :]
    are_numbers = all(NUMBER_LIKE.fullmatch(cell) or is_missing(cell) for cell in numbers)
    is_first = are_numbers and not any(map(NUMBER_LIKE.fullmatch, names))
    return [" | ".join(names), *numbers] if is_first and len(cells) > width else bar_cells(line)


def _of_width(cells: Sequence[str], width: int) -> str:
    """Return why a row is not read, with its first cell."""
    return f'row "{cells[0][:_MAX_NAME]}" has {len(cells)} cells, its header {width}'


def _unique(names: list[str]) -> list[str]:
    """Return the names of columns; the second of one name is `name.2`, the first without one `column 1`."""
    seen: Counter[str] = Counter()
    unique = []
    for position, name in enumerate(names, 1):
        name = name or f"column {position}"
        seen[name] += 1
        unique.append(name if seen[name] == 1 else f"{name}.{seen[name]}")
    return unique


# Text


@dataclass(slots=True)
class _Said:
    """The statements of lines: columns, and the texts of columns that count or join them.

    sayers  column -> offset of the line that stated it last
    own  pattern and column -> offset of the last line of the pattern that stated it
    """

    facts: dict[str, Any] = field(default_factory=dict)
    sayers: dict[str, int] = field(default_factory=dict)
    own: dict[tuple[str, str], int] = field(default_factory=dict)
    texts: dict[str, set[str]] = field(default_factory=dict)
    lists: dict[str, dict[str, str]] = field(default_factory=dict)

    def add(self, context: Context, match: re.Match[str]) -> None:
        """Add what a line says."""
        counted: dict[str, Any] = {}
        if context.counts:
            counted[context.counts] = int(self.facts.get(context.counts, 0)) + 1
        for name, group in context.distinct.items():
            known = self.texts.setdefault(name, set())
            known.add(match[group])
            counted[name] = len(known)
        for name, group in context.joins.items():
            others = self.lists.get(name, {})
            mark = match[group]
            self.lists[name] = ({} if mark in others else others) | {mark: match[name]}
            counted[name] = ", ".join(self.lists[name].values())
        self.state(match)
        self.facts |= counted

    def followed_by(self, later: "_Said") -> "_Said":
        """Return the facts of both and who stated them; what the later ones state holds."""
        return _Said(self.facts | later.facts, self.sayers | later.sayers, own=self.own | later.own)

    def state(self, match: re.Match[str]) -> None:
        """Add what a line states. If it does so again, it takes back what the line before it stated.

        "batch 16" takes back "batch 8 tp 2", also after "tuned batch 12" of another context. Of
        alternatives, "a=3" takes back "a=1", and not "b=2".
        """
        pattern = match.re.pattern
        said = {name: text.strip() for name, text in match.groupdict().items() if text is not None}
        again = {self.sayers.get(name) for name in said} | {self.own.get((pattern, name)) for name in said}
        gone = {name for name in match.re.groupindex if name in self.sayers and self.sayers[name] in again}
        # Earlier rows keep the facts that they were given.
        self.facts = {**{name: fact for name, fact in self.facts.items() if name not in gone}, **said}
        stated = {name: at for name, at in self.sayers.items() if name not in gone}
        self.sayers = {**stated, **dict.fromkeys(said, match.start())}
        self.own = {**self.own, **{(pattern, name): match.start() for name in said}}


@dataclass(slots=True)
class _Place:
    """A part of the text: its number, its offset (-1 before the first), and what its lines say.

    before, after, ahead  about later rows, about all its rows, and about the next part
    lasting  about all later rows, of later parts too
    """

    part: int = 0
    begin: int = -1
    has_rows: bool = False
    before: _Said = field(default_factory=_Said)
    after: _Said = field(default_factory=_Said)
    ahead: _Said = field(default_factory=_Said)
    lasting: _Said = field(default_factory=_Said)

    def enter(self, context: Context, match: re.Match[str]) -> None:
        """Add what a line says."""
        if context.resets:
            self.part, self.begin, self.has_rows = self.part + 1, match.start(), False
            self.before, self.after, self.ahead = self.lasting.followed_by(self.ahead), _Said(), _Said()
        if context.after:
            self.after.state(match)
        else:
            (self.ahead if context.ahead else self.before).add(context, match)
        if context.lasts:
            self.lasting.state(match)


def _contexts(table: TableFile) -> list[tuple[int, Context, re.Match[str]]]:
    """Return the lines that say something about rows, in order: (offset, context, match)."""
    text = table.text
    objects = [
        (match.start(), position, context, match)
        for position, context in enumerate(table.contexts)
        if context.mark in text
        for match in table.matches(context.pattern, text)
    ]
    return [(at, context, match) for at, _, context, match in sorted(objects, key=lambda x: x[:2])]


def _with_contexts(
    table: TableFile, rows: list[tuple[int, dict[str, Any]]], ends: Mapping[int, int] | None = None
) -> Iterator[Record]:
    """Yield rows, (offset, cells), with the columns of the lines around them.

    A part of the text without rows is one row without cells of its own.

    ends  offset of a row -> offset up to which lines say something about it, if it is not its own
    """
    events = _contexts(table)
    place, next_event = _Place(), 0
    placed: list[tuple[int, dict[str, Any], _Said, int, dict[str, Any]]] = []

    def go_to(until: int) -> None:
        nonlocal next_event
        while next_event < len(events) and events[next_event][0] <= until:
            _, context, match = events[next_event]
            if context.resets:
                add_empty()
            place.enter(context, match)
            next_event += 1

    def add_empty() -> None:
        if place.begin >= 0 and not place.has_rows:
            placed.append((place.begin, place.before.facts, place.after, place.part, {}))

    for at, cells in rows:
        go_to((ends or {}).get(at, at))
        place.has_rows = True
        placed.append((at, place.before.facts, place.after, place.part, cells))
    go_to(len(table.text))
    add_empty()
    for at, facts, after, part, cells in placed:
        yield Record(table.line_of(at), {**facts, **after.facts, "#part": part, **cells}, part)


def _pattern(table: TableFile) -> Iterator[Record]:
    """Yield the matches of a pattern."""
    matches = table.matches(table.rows.pattern, table.text)
    rows = [(match.start(), match.groupdict()) for match in matches]
    records = list(_with_contexts(table, rows))
    if table.rows.last:
        records = list({record.part: record for record in records}.values())
    yield from records


@dataclass(frozen=True, slots=True)
class _Header:
    """Columns of words: names, the offset in the line at which each ends, and where a row may be torn."""

    names: list[str]
    ends: list[int]
    cuts: list[int]

    @classmethod
    def of(cls, line: str, rows: TableRows) -> "_Header":
        line = line[_tag(line) :].rstrip()
        begin = len(line) - len(line.lstrip("# \t"))
        names = _unique(re.split(rows.split, line[begin:]))
        ends = [match.end() for match in re.finditer(r"\S+", line) if match.start() >= begin]
        cuts = [0, *(at for at, name in enumerate(names) if name in rows.torn), len(names)]
        return cls(names, ends, cuts if len(ends) == len(names) else [0, len(names)])

    def piece(self, line: str, number: int) -> list[str]:
        """Return the words of a piece of a torn row at the beginning of a line, [] if they are not there.

        Each ends where its column ends; foreign text may follow at once, even a digit.
        """
        first, last = self.cuts[number : number + 2]
        base = self.ends[first - 1] if first else 0
        ends = [end - base for end in self.ends[first:last]]
        words = list(re.finditer(r"\S+", line[: ends[-1]]))
        if [word.end() for word in words] != ends:
            return []
        texts = [word[0] for word in words]
        return texts if all(map(_is_cell, texts if number else texts[:2])) else []

    def is_row(self, words: list[str]) -> bool:
        """Return whether words are a row: one a column, a number first, numbers where it may be torn."""
        if len(words) != len(self.names) or len(words) < 2 or not _NUMBER.fullmatch(words[0]):
            return False
        return len(self.cuts) == 2 or all(map(_is_cell, words[self.cuts[1] :]))


@dataclass(slots=True)
class _TornRow:
    """A row that other output tore into pieces; `at` is the offset of the first."""

    header: _Header
    at: int = 0
    words: list[str] = field(default_factory=list)
    pieces: int = 0

    def add(self, line: str, at: int) -> bool:
        """Add the pieces at the beginning of a line; False if there are none."""
        has_added = False
        while self.pieces < len(self.header.cuts) - 1:
            words = self.header.piece(line, self.pieces)
            if not words:
                break
            self.at = at if not self.pieces else self.at
            last = self.header.cuts[self.pieces + 1]
            first = self.header.cuts[self.pieces]
            line = line[self.header.ends[last - 1] - (self.header.ends[first - 1] if first else 0) :]
            self.words += words
            self.pieces += 1
            has_added = True
        return has_added

    @property
    def is_whole(self) -> bool:
        """Return whether it has all pieces."""
        return len(self.words) == len(self.header.names)


def _columns(table: TableFile) -> Iterator[Record]:
    """Yield the lines below a header that have as many words as it and begin with a number."""
    text = table.text
    headers = list(_header_lines(table, text))
    rows: list[tuple[int, dict[str, Any]]] = []
    faults: list[int] = []
    for (begin, end), (until, _) in pairwise([*headers, (len(text), len(text))]):
        header = _Header.of(text[begin:end], table.rows)
        for at, words in _rows_below(header, text, end + 1, until):
            if words:
                rows.append((at, dict(zip(header.names, words, strict=True))))
            else:
                faults.append(at)
    for start in faults:
        fact = "a row without all of its columns: other output is mixed in; not read"
        table.fault(table.line_of(start), fact)
    if table.rows.once:
        rows = list({tuple(cells.items()): (at, cells) for at, cells in reversed(rows)}.values())[::-1]
    yield from _with_contexts(table, _with_others(table, rows))


def _header_lines(table: TableFile, text: str) -> Iterator[tuple[int, int]]:
    """Yield where each line that has a header begins and ends, once, and lines after it."""
    end = -1
    for match in table.matches(table.rows.header, text):
        if match.start() > end:
            begin = text.rfind("\n", 0, match.start()) + 1
            end = text.find("\n", match.start())
            if end < 0:
                return
            yield begin, end


def _with_others(
    table: TableFile, rows: list[tuple[int, dict[str, Any]]]
) -> list[tuple[int, dict[str, Any]]]:
    """Return rows with the lines that are rows of their own, in order."""
    if not table.rows.also:
        return rows
    others = [(x.start(), x.groupdict()) for x in table.matches(table.rows.also, table.text)]
    return sorted([*rows, *others], key=lambda row: row[0])


def _rows_below(header: _Header, text: str, begin: int, end: int) -> Iterator[tuple[int, list[str]]]:
    """Yield (offset, words) of each row, no words for one that is not whole."""
    at, torn = begin, _TornRow(header)
    for line in text[begin:end].split("\n"):
        own = line[_tag(line) :]
        words = _words(own)
        if header.is_row(words):
            if torn.pieces:
                yield torn.at, []
            yield at, words
            torn = _TornRow(header)
        elif not (torn.pieces and torn.add(own, at)):
            new = _TornRow(header)
            if len(header.cuts) > 2 and new.add(own, at):
                if torn.pieces:
                    yield torn.at, []
                torn = new
            elif len(words) > 1 and _NUMBER.fullmatch(words[0]) and _NUMBER.fullmatch(words[1]):
                yield at, []
        if torn.is_whole:
            yield torn.at, torn.words
            torn = _TornRow(header)
        at += len(line) + 1
    if torn.pieces:
        yield torn.at, []


def _is_cell(text: str) -> bool:
    """Return whether a text is what a column of numbers, or of times, has."""
    return text == "N/A" or bool(_NUMBER.fullmatch(text) or _STAMP.fullmatch(text))


def _words(line: str) -> list[str]:
    """Return the words of a line; a date and a time are one."""
    return re.sub(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)", r"\1T\2", line).split()


def _tag(line: str) -> int:
    """Return the length of what srun or mpirun put before a line."""
    match = _TAG.match(line)
    return match.end() if match else 0


def _block(table: TableFile) -> Iterator[Record]:
    """Yield `label: value` lines below a title as one record; each `mean = 3 ms` in a value is a column.

    The column `block` is the number of the title, from 1.
    """
    text, rows, ends = table.text, [], {}
    titles = list(table.matches(table.rows.begin, text))
    for position, title in enumerate(titles):
        until = titles[position + 1].start() if position + 1 < len(titles) else len(text)
        if table.rows.end and (end := next(table.matches(table.rows.end, text[title.end() : until]), None)):
            until = title.end() + end.start()
        cells: dict[str, Any] = {k: v for k, v in title.groupdict().items() if v is not None}
        for line in text[title.end() : until].split("\n"):
            _add_label(cells, line)
        cells.setdefault("block", position + 1)
        rows.append((title.start(), cells))
        ends[title.start()] = until
    yield from _with_contexts(table, rows, ends)


def _add_label(cells: dict[str, Any], line: str) -> None:
    line = _LOGGED.sub("", _PREFIX.sub("", line)).lstrip("#|> ").rstrip()
    match = _LABEL.fullmatch(line)
    if not match or match[2] is None:
        return
    name, value = match[1].strip(), match[2].strip()
    parts = _PART.findall(value) if "=" in value else []
    for part, text in parts:
        cells.setdefault(f"{name}.{part.strip()}", text.strip())
    cells.setdefault(name, value)


def _matrix(table: TableFile) -> Iterator[Record]:
    """Yield each number of the matrices below a title, with it, `from` (the row) and `to` (the column).

    `corner` is the word before the column numbers, such as GPU or CPU.
    """
    text = table.text
    rows: list[tuple[int, dict[str, Any]]] = []
    titles = list(table.matches(table.rows.begin, text))
    for position, title in enumerate(titles):
        until = titles[position + 1].start() if position + 1 < len(titles) else len(text)
        about = {k: v for k, v in title.groupdict().items() if v is not None}
        columns: list[str] = []
        at = title.end()
        for line in text[at:until].split("\n"):
            words = line.split()
            has_corner = len(words) > 1 and words[0] in ("D\\D", "GPU", "CPU")
            numbers = words[1:] if has_corner else words
            if numbers and (has_corner or not columns) and all(map(str.isdigit, numbers)):
                columns = numbers
                about["corner"] = words[0] if has_corner else ""
            elif columns and words:
                if len(words) != len(columns) + 1 or not words[0].isdigit():
                    break
                for to, word in zip(columns, words[1:], strict=True):
                    rows.append((at, {**about, "from": words[0], "to": to, "value": word}))
            at += len(line) + 1
    yield from _with_contexts(table, _with_others(table, rows))


_READERS: Mapping[str, Callable[[TableFile], Iterator[Record]]] = {
    "json": _json,
    "jsonl": _json_lines,
    "csv": _csv,
    "tsv": _csv,
    "markdown": _markdown,
    "aligned": _markdown,
    "pattern": _pattern,
    "columns": _columns,
    "block": _block,
    "matrix": _matrix,
}
