"""Read a table from CSV with the standard library's reader; `#` begins a comment.

`csv.Sniffer` also takes letters for delimiters, so the delimiter is the one that cuts the first lines alike.
"""

import csv
from collections.abc import Iterator
from contextlib import suppress

from reportgen.audit.documents import (
    MAX_CELL_CHARS,
    MAX_TABLE_CELLS,
    TextCell,
    TextTable,
    line_starts,
    rectangle,
)

_DELIMITERS = (",", ";", "\t", "|")
_MAX_PROBED_LINES = 20


def read_csv(text: str) -> list[TextTable]:
    """Return the table of a CSV file; the first row is its head."""
    delimiter = _delimiter(text)
    rows: list[list[TextCell]] = []
    comments: list[str] = []
    cells = 0
    starts = line_starts(text)
    for number, values in _records(text, delimiter):
        if len(values) == 1 and values[0].startswith("#"):
            comments.append(values[0].lstrip("# ").strip()[:MAX_CELL_CHARS])
            continue
        cells += len(values)
        if cells > MAX_TABLE_CELLS:
            break
        rows.append(list(_cells(text, values, delimiter, number + 1, starts[number])))
    if len(rows) < 2:
        return []
    return [TextTable(rectangle(rows), 1, tuple(comments), rows[0][0].line)]


def _records(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Return (index of the first line, values) of each record that is not blank.

    A quoted value may contain line ends. If a quote of the file is never closed, each line is a record.
    """
    lines = [f"{line}\n" for line in text.split("\n")]
    if text.count('"') % 2 == 0:
        with suppress(csv.Error):  # a value is too long, usually since two quotes are missing
            return iter(list(_read(lines, delimiter)))
    longest = csv.field_size_limit()
    return (
        (number, values)
        for number, line in enumerate(lines)
        for _, values in _read([line[:longest]], delimiter)
    )


def _read(lines: list[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    first = 0
    for values in reader:
        if len(values) > 1 or any(value.strip() for value in values):
            yield first, values
        first = reader.line_num


def _delimiter(text: str) -> str:
    lines = [line for line in text[:20_000].split("\n") if line.strip() and not line.startswith("#")]
    counts = {mark: [line.count(mark) for line in lines[:_MAX_PROBED_LINES]] for mark in _DELIMITERS}
    return max(_DELIMITERS, key=lambda mark: (min(counts[mark], default=0), sum(counts[mark])))


def _cells(text: str, values: list[str], delimiter: str, line: int, start: int) -> Iterator[TextCell]:
    """Yield the cells of the record that starts at an offset; `csv` gives no offsets, so they are counted."""
    for value in values:
        while text.startswith(" ", start):  # skipped by the reader, too
            start += 1
        size = len(value)
        if text.startswith('"', start):
            size += 2 + value.count('"')  # the two around it, and those inside are written twice
        end = min(start + size, len(text))
        inner = start + len(text[start:end]) - len(text[start:end].lstrip())
        outer = max(inner, start + len(text[start:end].rstrip()))
        yield TextCell(" ".join(value.split())[:MAX_CELL_CHARS], line, inner, outer)
        start = min(end + len(delimiter), len(text))
