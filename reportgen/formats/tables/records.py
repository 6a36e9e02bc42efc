"""Read the rows of a file of any kind as records: a line, and a mapping from column to cell.

A cell is a text, a number, a truth value, None or a list. Nested objects of JSON become columns with dots
(`stats.mean`); columns of the objects around a row begin with `../`, those of the document with `/`.
"""

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reportgen.core.model import IntArray
from reportgen.formats.parsing import json_values
from reportgen.formats.parsing.csv_cells import rows as csv_rows
from reportgen.formats.parsing.text_log import TextLog
from reportgen.formats.parsing.user_patterns import whole_line
from reportgen.formats.tables.definition import Context, Rows

# A row with more columns than these holds lists of single values, which no definition names.
_MAX_COLUMNS = 4000
_MAX_DEPTH = 8
_MAX_ROWS = 200_000
# What srun, mpirun and kubectl put before a line of a process.
_PREFIX = re.compile(r"^[ \t]*(?:\[\d+,\d+\]<std(?:out|err)>:|\[?\d{1,6}\]?: )?[ \t]*")
_NUMBER = re.compile(r"[-+]?[0-9][0-9,]*(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?%?")
_RULE = re.compile(r"\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)*\|?")
_DECIMAL_COMMA = re.compile(
    r"([+-]?(?:[0-9]{1,3}(?:\.[0-9]{3})+(?:,[0-9]+)?|[0-9]+,[0-9]+(?:[eE][+-]?[0-9]+)?))(\s*[^0-9.,]*)"
)
_LABEL = re.compile(r"[ \t]*([^\s:=][^:=\n]{0,80}?)[ \t]*(?::|=(?!=))[ \t]*(\S.*)?")
_PART = re.compile(r"([A-Za-z][\w ()%.]*?) *= *([^,=]+?)(?:,|$)")
_LOGGED = re.compile(r"^(?:\[[^\]\n]{1,60}\] ?){1,3}")


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
    rows: Rows
    contexts: list[Context] = field(default_factory=list)
    is_own: bool = False

    def matches(self, pattern: str, text: str) -> Iterator[re.Match[str]]:
        """Yield the matches of a pattern of the definition."""
        if self.is_own:
            yield from whole_line(pattern).finditer(text)
        else:
            yield from re.finditer(pattern, text, re.MULTILINE)

    def fault(self, line: int, fact: str, count: int = 1) -> None:
        """Report lines that cannot be read."""
        self.log.malformed.add(line, fact, count)

    @property
    def text(self) -> str:
        """The content of the file."""
        return self.log.content.decode("utf-8", "replace")


def read_records(table: TableFile) -> Iterator[Record]:
    """Yield the rows of a file, at most 200,000."""
    for number, record in enumerate(_READERS[table.rows.kind](table)):
        if number == _MAX_ROWS:
            table.fault(record.line, f"more than {_MAX_ROWS} rows; the rest is not read")
            return
        yield from _each(record, table.rows.each) if table.rows.each else [record]


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
    document = json_values.load(table.log.content)
    if document is None:
        document = json_values.load_leading(_from_first_bracket(table.log.content))
    if document is None:
        table.fault(1, "not a JSON document; it may be truncated")
        return
    objects = list(_walk(document, _keys(table.rows.path), ()))
    yield from _located(table, objects)


def _json_lines(table: TableFile) -> Iterator[Record]:
    """Yield the objects of a file with one object a line; two objects glued in one line are two."""
    decoder = json.JSONDecoder()
    for line, text in enumerate(table.text.split("\n"), 1):
        at = 0
        while at < len(text) and (at := _next_object(text, at)) >= 0:
            try:
                value, at = decoder.raw_decode(text, at)
            except (ValueError, RecursionError):
                table.fault(line, "not a JSON object; it may be truncated")
                break
            for parents, row in _walk(value, _keys(table.rows.path), ()):
                yield Record(line, _cells(parents, row))


def _next_object(text: str, at: int) -> int:
    return text.find("{", at)


def _from_first_bracket(content: bytes) -> bytes:
    at = min((place for mark in (b"{", b"[") if (place := content.find(mark)) >= 0), default=0)
    return content[at:]


def _keys(path: str) -> list[str]:
    """Return the steps of a path: `a.b[*].c` is a, b, [*], c."""
    return [key for key in re.split(r"\.|(\[\*\]|\{\*\})", path) if key]


def _walk(value: object, keys: list[str], parents: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield (the objects around, the object) for each object that a path leads to."""
    if not keys:
        if isinstance(value, dict):
            yield parents, value
        return
    key, rest = keys[0], keys[1:]
    if key == "[*]":
        for item in value if isinstance(value, list) else ():
            yield from _walk(item, rest, parents)
    elif key == "{*}":
        members = value.items() if isinstance(value, dict) else ()
        for name, item in ((name, item) for name, item in members if name != "*"):
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
        elif not isinstance(cell, list) or not prefix.startswith(("/", "../")):
            cells[f"{prefix}{name}"] = cell
        else:
            cells[f"{prefix}{name}#"] = len(cell)


def _located(table: TableFile, objects: list[tuple[tuple[Any, ...], Any]]) -> Iterator[Record]:
    """Yield the records of a JSON document with the lines of the first key that all rows have once."""
    names = [name for name in (objects[0][1] if objects else ()) if all(name in row for _, row in objects)]
    for name in names:
        literal = json.dumps(name).encode()
        if table.log.content.count(literal) == len(objects):
            lines = json_values.lines_of(table.log.content, literal, len(objects))
            break
    else:
        lines = [1] * len(objects)
    for line, (parents, row) in zip(lines, objects, strict=True):
        yield Record(line, _cells(parents, row))


# Tables with a header


def _csv(table: TableFile) -> Iterator[Record]:
    text, before = table.text.removeprefix("\ufeff"), 0
    if table.rows.header and (match := next(table.matches(table.rows.header, text), None)):
        start = text.rfind("\n", 0, match.start()) + 1
        before, text = text.count("\n", 0, start), text[start:]
    separator = "\t" if table.rows.kind == "tsv" else table.rows.separator
    if separator in ("\t", " "):
        lines = text.split("\n")
        cut = re.compile("\t") if separator == "\t" else blanks(lines[0])
        text = "\n".join(_quoted(cut, line) for line in lines)
        separator = ","
    header: list[str] = []
    try:
        for line, cells in csv_rows(text, separator):
            if not header:
                header = _unique(cells)
            elif cells == header[: len(cells)] and len(cells) == len(header):
                continue  # a header that is repeated
            elif len(cells) != len(header):
                table.fault(line + before, "not as many cells as the header")
            else:
                if table.rows.decimal == ",":
                    cells = [_with_point(cell) for cell in cells]
                yield Record(line + before, dict(zip(header, cells, strict=True)))
    except csv.Error as error:
        table.fault(before + 1, f"not CSV: {error}")


def _with_point(cell: str) -> str:
    """Return a cell with a decimal point where it is a number with a decimal comma: 1.234,5 is 1234.5."""
    match = _DECIMAL_COMMA.fullmatch(cell)
    return match[1].replace(".", "").replace(",", ".") + match[2] if match else cell


def blanks(header: str) -> re.Pattern[str]:
    """Return what separates the words of a table: two blanks or more if its header has them, else one."""
    return re.compile(r"[ \t]{2,}|\t" if re.search(r"\S(?:[ ]{2,}|\t)\S", header) else r"[ \t]+")


def _quoted(cut: re.Pattern[str], line: str) -> str:
    """Return a line as CSV; blanks around it separate nothing."""
    line = line.rstrip("\r") if cut.pattern == "\t" else line.strip()
    return ",".join('"' + cell.replace('"', '""') + '"' for cell in cut.split(line)) if line else ""


def _markdown(table: TableFile) -> Iterator[Record]:
    """Yield the rows of all Markdown tables; each table is a part."""
    lines = table.text.split("\n")
    part = -1
    header: list[str] = []
    for number, line in enumerate(lines, 1):
        cells = _bar_cells(line)
        if not cells:
            header = []
        elif not header:
            if number < len(lines) and _RULE.fullmatch(lines[number].strip()):
                part, header = part + 1, _unique(cells)
        elif not _RULE.fullmatch(line.strip()):
            if len(cells) == len(header):
                yield Record(number, dict(zip(header, cells, strict=True)), part)
            else:
                table.fault(number, "not as many cells as the header")


def _bar_cells(line: str) -> list[str]:
    text = line.strip()
    if "|" not in text:
        return []
    cells = re.split(r"(?<!\\)\|", text.removeprefix("|").removesuffix("|"))
    return [cell.strip().strip("*`").strip() for cell in cells]


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
class _Place:
    """Facts of the lines before a row, and the number of the part of the text."""

    part: int = 0
    facts: dict[str, Any] = field(default_factory=dict)
    texts: dict[str, set[str]] = field(default_factory=dict)

    def enter(self, context: Context, match: re.Match[str]) -> None:
        """Add what a line says."""
        if context.resets:
            self.part += 1
            self.facts, self.texts = {}, {}
        self.facts |= {name: text.strip() for name, text in match.groupdict().items() if text is not None}
        if context.counts:
            self.facts[context.counts] = int(self.facts.get(context.counts, 0)) + 1
        for name, group in context.distinct.items():
            known = self.texts.setdefault(name, set())
            known.add(match[group])
            self.facts[name] = len(known)


def _contexts(table: TableFile) -> list[tuple[int, Context, re.Match[str]]]:
    """Return the lines that say something about rows, in order: (offset, context, match)."""
    text = table.text
    objects = [
        (match.start(), position, context, match)
        for position, context in enumerate(table.contexts)
        for match in table.matches(context.pattern, text)
    ]
    return [(at, context, match) for at, _, context, match in sorted(objects, key=lambda x: x[:2])]


def _with_contexts(
    table: TableFile, rows: list[tuple[int, dict[str, Any]]], ends: Mapping[int, int] | None = None
) -> Iterator[Record]:
    """Yield rows, (offset, cells), with the columns of the lines before them.

    ends  offset of a row -> offset up to which lines say something about it, if it is not its own
    """
    events = _contexts(table)
    lines: Sequence[int] | IntArray = (
        table.log.lines([len(table.text[:at].encode()) for at, _ in rows]) if rows else ()
    )
    place, next_event = _Place(), 0
    for (at, cells), line in zip(rows, lines, strict=True):
        until = (ends or {}).get(at, at)
        while next_event < len(events) and events[next_event][0] <= until:
            _, context, match = events[next_event]
            place.enter(context, match)
            next_event += 1
        yield Record(int(line), {**place.facts, **cells}, place.part)


def _pattern(table: TableFile) -> Iterator[Record]:
    """Yield the matches of a pattern."""
    matches = table.matches(table.rows.pattern, table.text)
    rows = [(match.start(), match.groupdict()) for match in matches]
    yield from _with_contexts(table, rows)


def _columns(table: TableFile) -> Iterator[Record]:
    """Yield the lines below a header that have as many words as it and begin with a number."""
    text, rows = table.text, []
    headers = list(table.matches(table.rows.header, text))
    torn: list[int] = []
    for position, match in enumerate(headers):
        begin = text.rfind("\n", 0, match.start()) + 1
        end = text.find("\n", match.start())
        names = _unique(_PREFIX.sub("", text[begin:end]).lstrip("# ").split())
        until = headers[position + 1].start() if position + 1 < len(headers) else len(text)
        at = end + 1
        for line in text[at : max(until, at)].split("\n") if end >= 0 else ():
            words = _PREFIX.sub("", line).split()
            if words and _NUMBER.fullmatch(words[0]) and len(words) > 1:
                if len(words) == len(names):
                    rows.append((at, dict(zip(names, words, strict=True))))
                elif _NUMBER.fullmatch(words[1]):
                    torn.append(at)
            at += len(line) + 1
    for start in torn:
        number = text.count("\n", 0, start) + 1
        table.fault(number, "a row without all of its columns: other output is mixed in; not read")
    yield from _with_contexts(table, rows)


def _block(table: TableFile) -> Iterator[Record]:
    """Yield `label: value` lines below a title as one record; each `mean = 3 ms` in a value is a column."""
    text, rows, ends = table.text, [], {}
    titles = list(table.matches(table.rows.begin, text))
    for position, title in enumerate(titles):
        until = titles[position + 1].start() if position + 1 < len(titles) else len(text)
        if table.rows.end and (end := next(table.matches(table.rows.end, text[title.end() : until]), None)):
            until = title.end() + end.start()
        cells: dict[str, Any] = {k: v for k, v in title.groupdict().items() if v is not None}
        for line in text[title.end() : until].split("\n"):
            _add_label(cells, line)
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
    if not parts:
        cells.setdefault(name, value)


def _matrix(table: TableFile) -> Iterator[Record]:
    """Yield each number of a matrix below a title, with `from` (its row), `to` (its column) and its title."""
    text, rows = table.text, []
    titles = list(table.matches(table.rows.begin, text))
    for position, title in enumerate(titles):
        until = titles[position + 1].start() if position + 1 < len(titles) else len(text)
        about = {k: v for k, v in title.groupdict().items() if v is not None}
        columns: list[str] = []
        at = title.end()
        for line in text[at:until].split("\n"):
            words = line.split()
            is_header = bool(words) and all(re.fullmatch(r"\d+|D\\D|GPU|CPU", word) for word in words)
            if not columns and is_header:
                columns = [word for word in words if word.isdigit()]
            elif columns and words:
                if len(words) != len(columns) + 1 or not words[0].isdigit():
                    break
                for to, word in zip(columns, words[1:], strict=True):
                    rows.append((at, {**about, "from": words[0], "to": to, "value": word}))
            at += len(line) + 1
    yield from _with_contexts(table, rows)


_READERS: Mapping[str, Callable[[TableFile], Iterator[Record]]] = {
    "json": _json,
    "jsonl": _json_lines,
    "csv": _csv,
    "tsv": _csv,
    "markdown": _markdown,
    "pattern": _pattern,
    "columns": _columns,
    "block": _block,
    "matrix": _matrix,
}
