"""Read a table from CSV: the delimiter is the one that cuts the first lines alike, `#` begins a comment."""

import csv
import io
from collections.abc import Iterator

from reportgen.audit.documents import MAX_CELL_CHARS, MAX_TABLE_CELLS, TextCell, TextTable, rectangle

_DELIMITERS = (",", ";", "\t", "|")
_MAX_PROBED_LINES = 20
_MAX_QUOTED_CHARS = 5000


def read_csv(text: str) -> list[TextTable]:
    """Return the table of a CSV file; the first row is its head."""
    delimiter = _delimiter(text)
    rows: list[list[TextCell]] = []
    comments: list[str] = []
    cells = 0
    for line, start, raw in _records(text):
        if raw.startswith("#") and delimiter not in raw:
            comments.append(raw.lstrip("# ").strip()[:MAX_CELL_CHARS])
            continue
        row = list(_cells(raw, delimiter, line, start))
        cells += len(row)
        if cells > MAX_TABLE_CELLS:
            break
        rows.append(row)
    if len(rows) < 2:
        return []
    return [TextTable(rectangle(rows), 1, tuple(comments), rows[0][0].line)]


def _records(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield (line, offset, text) of records that are not empty; a quoted cell may contain line ends."""
    start, line = 0, 1
    size = len(text)
    while start < size:
        end, quoted = start, False
        while end < size and (text[end] != "\n" or (quoted and end - start < _MAX_QUOTED_CHARS)):
            quoted ^= text[end] == '"'
            end += 1
        if quoted:  # a quote that is not closed: the line is taken as it is
            end = text.find("\n", start)
            end = size if end < 0 else end
        raw = text[start:end].rstrip("\r")
        if raw.strip():
            yield line, start, raw
        line += text.count("\n", start, end) + 1
        start = end + 1


def _delimiter(text: str) -> str:
    lines = [line for line in text[:20_000].split("\n") if line.strip() and not line.startswith("#")]
    counts = {mark: [line.count(mark) for line in lines[:_MAX_PROBED_LINES]] for mark in _DELIMITERS}
    return max(_DELIMITERS, key=lambda mark: (min(counts[mark], default=0), sum(counts[mark])))


def _cells(raw: str, delimiter: str, line: int, start: int) -> Iterator[TextCell]:
    parts = _split(raw, delimiter)
    values = (
        next(csv.reader(io.StringIO(raw), delimiter=delimiter), [])
        if '"' in raw and len(raw) <= 2 * _MAX_QUOTED_CHARS
        else parts
    )
    if len(values) != len(parts):
        values = parts
    position = 0
    for part, value in zip(parts, values, strict=True):
        inner = position + len(part) - len(part.lstrip())
        end = max(inner, position + len(part.rstrip()))
        yield TextCell(" ".join(value.split())[:MAX_CELL_CHARS], line, start + inner, start + end)
        position += len(part) + 1


def _split(raw: str, delimiter: str) -> list[str]:
    """Return the parts of a record as written, quotes included."""
    parts, quoted, begin = [], False, 0
    for position, character in enumerate(raw):
        if character == '"':
            quoted = not quoted
        elif character == delimiter and not quoted:
            parts.append(raw[begin:position])
            begin = position + 1
    return [*parts, raw[begin:]]
