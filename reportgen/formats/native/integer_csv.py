"""Parse CSV of whole numbers, with `#` records and headers that may change, in bulk.

The files of our own log format are such: a known first cell marks a header, all other cells are digits or
empty. Lines and cells are positions in a byte array, and digits are summed column by column, so a damaged
line costs only itself. Only `#` lines and headers are handled one by one.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from reportgen.core.model import IntArray
from reportgen.formats.parsing.damage import Malformed

ABSENT = -1
_MAX_NUMBER = 2**63 - 1
_MAX_DIGITS = 19
_MAX_PLAIN = 10**18
_CHUNK_BYTES = 4 * 2**20
_NEWLINE, _RETURN, _COMMA, _ZERO = b"\n\r,0"
_COMMAS, _DIGITS = bytes.maketrans(b"\n", b","), b"0123456789"
# Each column costs memory for every row of the file, so a hostile file is stopped here.
_MAX_COLUMNS = 256
# A device's UUID has 40 characters; longer texts in the first column are damaged.
_MAX_TEXT_BYTES = 128

Bytes = NDArray[np.uint8]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Layout:
    """The expected content of a file.

    required  columns of every header; the first begins it, and holds text unless it is known
    known     names of the columns of numbers; other columns are ignored
    records   first cell of the wanted `#` lines -> the form of the other cells
    """

    required: Sequence[str]
    known: re.Pattern[str]
    records: Mapping[str, re.Pattern[str]]


@dataclass(slots=True)
class IntTable:
    """The rows of a file: column -> numbers (ABSENT if empty), all of one length.

    text     the first column if it is text; line  line of each row, from 1
    records  first cell -> (line, groups of its form) of the `#` lines
    is_cut   whether the last line had no end and was dropped
    """

    columns: dict[str, IntArray]
    text: NDArray[np.bytes_]
    line: IntArray
    records: dict[str, list[tuple[int, tuple[str, ...]]]]
    is_cut: bool

    def column(self, name: str) -> IntArray:
        """Return a column, all ABSENT if the file does not have it."""
        return _column(self.columns, name, len(self.line))


def _column(columns: Mapping[str, IntArray], name: str, length: int) -> IntArray:
    return columns[name] if name in columns else np.full(length, ABSENT, dtype=np.int64)


def parse(content: bytes, layout: Layout, malformed: Malformed) -> IntTable:
    """Return the rows; damaged lines are left out and recorded in `malformed`."""
    reader = _Reader(layout, malformed)
    start, end = 0, content.rfind(b"\n") + 1
    while start < end:
        whole_lines = content.rfind(b"\n", start, start + _CHUNK_BYTES) + 1
        stop = whole_lines or content.find(b"\n", start) + 1
        reader.read(content[start:stop])
        start = stop
    return reader.table(is_cut=end < len(content))


class _Reader:
    """Reads chunk by chunk and keeps the current header."""

    def __init__(self, layout: Layout, malformed: Malformed) -> None:
        self.layout, self.malformed = layout, malformed
        self.has_text = not layout.known.fullmatch(layout.required[0])
        # Candidates by their first letter; the first cell decides in `_read_special`.
        self.special = _special_lines(layout.required[0][0])
        self.header: list[str] | None = None
        self.lines = 0
        self.known: dict[str, None] = {}  # of all headers, in their order
        self.parts: list[tuple[dict[str, IntArray], NDArray[np.bytes_], IntArray]] = []
        self.records: dict[str, list[tuple[int, tuple[str, ...]]]] = {name: [] for name in layout.records}

    def table(self, *, is_cut: bool) -> IntTable:
        """Return all rows; columns that a part does not have are ABSENT there."""
        if len(self.parts) == 1 and self.parts[0][0].keys() == self.known.keys():  # as in most files
            columns, text, line = self.parts[0]
            columns = {name: columns[name] for name in self.known}
            return IntTable(columns, text, line, self.records, is_cut)
        line = np.concatenate([np.empty(0, np.int64), *(line for _, _, line in self.parts)])
        text = np.concatenate([np.empty(0, "S1"), *(text for _, text, _ in self.parts)])
        columns = {
            name: np.concatenate(
                [np.empty(0, np.int64), *(_column(part, name, len(lines)) for part, _, lines in self.parts)]
            )
            for name in self.known
        }
        return IntTable(columns, text, line, self.records, is_cut)

    def read(self, content: bytes) -> None:
        """Read a chunk of whole lines."""
        rows = _RowLines(self.lines + 1)
        begin = 0
        for match in self.special.finditer(b"\n" + content):
            at = match.start()
            cells = match[1].removesuffix(b"\r").decode("utf-8", "replace").split(",")
            if self.has_text and not self._is_special(cells):
                continue
            rows.add(content[begin:at])
            if cells[0] == self.layout.required[0]:
                self._read_rows(rows)
                rows = _RowLines(rows.next_line)
            self._read_special(cells, rows.next_line)
            rows.next_line += 1
            begin = match.end()
        rows.add(content[begin:])
        self._read_rows(rows)
        self.lines = rows.next_line - 1

    def _is_special(self, cells: list[str]) -> bool:
        return cells[0].startswith("#") or cells[0] == self.layout.required[0]

    def _read_special(self, cells: list[str], line: int) -> None:
        """Read a line that is not a row of numbers."""
        if cells[0].startswith("#"):
            self._read_record(cells, line)
        elif cells[0] == self.layout.required[0]:
            self._read_header(cells, line)
        else:
            self.malformed.add(line, "not a line of this format")

    def _read_record(self, cells: list[str], line: int) -> None:
        if form := self.layout.records.get(cells[0]):
            if match := form.fullmatch(",".join(cells[1:])):
                self.records[cells[0]].append((line, match.groups()))
            else:
                self.malformed.add(line, f"not a {cells[0]} record")

    def _read_header(self, cells: list[str], line: int) -> None:
        self.header = None
        known = self.known | dict.fromkeys(filter(self.layout.known.fullmatch, cells))
        if len(set(cells)) < len(cells) or not set(self.layout.required) <= set(cells):
            self.malformed.add(line, "a header without its required columns, or with a repeated column")
        elif len(known) > _MAX_COLUMNS:
            self.malformed.add(line, f"more than {_MAX_COLUMNS} columns in one file")
        else:
            self.header, self.known = cells, known

    def _read_rows(self, rows: "_RowLines") -> None:
        """Add rows, all below one header."""
        content = b"".join(rows.pieces)
        width = len(self.header) if self.header else 0
        plain = _plain_numbers(content, width) if content and not self.has_text and width else None
        if self.header and plain is not None:
            columns = {name: plain[at] for at, name in enumerate(self.header) if name in self.known}
            self.parts.append((columns, np.zeros(plain.shape[1], "S1"), rows.lines()))
        elif content:
            self._read_cells(np.frombuffer(content, np.uint8), rows.lines())

    def _read_cells(self, content: Bytes, line: IntArray) -> None:
        """Add the rows whose cells are right. `line` is the number of each line of the content."""
        stops = np.flatnonzero(content == _NEWLINE)
        starts = np.concatenate(([0], stops[:-1] + 1))
        stops -= (stops > starts) & (content[stops - 1] == _RETURN)
        is_row = stops > starts
        starts, stops, line = starts[is_row], stops[is_row], line[is_row]
        if not len(line):
            return
        if self.header is None:
            self._damaged(line, "a row without a valid header above it")
            return
        width = len(self.header)
        wanted = {name: at for at, name in enumerate(self.header) if name in self.known}
        commas = np.flatnonzero(content == _COMMA)
        first = np.searchsorted(commas, starts)
        fits = np.searchsorted(commas, stops) - first + 1 == width
        self._damaged(line[~fits], f"not the {width} cells of its header")
        inner = commas[first[fits][:, None] + np.arange(width - 1)]
        borders = np.hstack((starts[fits, None] - 1, inner, stops[fits, None]))
        line, good = line[fits], np.ones(len(inner), dtype=bool)
        text = np.zeros(len(line), "S1")
        if self.has_text:
            text = _texts(content, borders[:, 0] + 1, borders[:, 1], good)
        at = np.array([*wanted.values()], dtype=np.int64)
        numbers = _numbers(content, borders.T[at] + 1, borders.T[at + 1], good)
        columns = dict(zip(wanted, numbers, strict=True))
        self._damaged(line[~good], "a cell that is not a whole number below 2^63")
        self.parts.append(({name: column[good] for name, column in columns.items()}, text[good], line[good]))

    def _damaged(self, lines: IntArray, fact: str) -> None:
        if len(lines):
            self.malformed.add(int(lines[0]), fact, len(lines))


@dataclass(slots=True)
class _RowLines:
    """Lines between two headers, in pieces, because records may be between them."""

    next_line: int
    pieces: list[bytes] = field(default_factory=list)
    ranges: list[tuple[int, int]] = field(default_factory=list)

    def add(self, piece: bytes) -> None:
        """Add whole lines that follow the last ones."""
        if piece:
            begin = self.next_line
            self.next_line += piece.count(b"\n")
            self.pieces.append(piece)
            self.ranges.append((begin, self.next_line))

    def lines(self) -> IntArray:
        """Return the number of each line."""
        return np.concatenate([np.arange(*each) for each in self.ranges])


@cache
def _special_lines(first: str) -> re.Pattern[bytes]:
    """Return the pattern of a line that begins with # or with the first letter of a header.

    The line feed before it is in the pattern, which makes the search quick.
    """
    return re.compile(f"\n([#{first}][^\n]*)".encode())


def _plain_numbers(content: bytes, width: int) -> IntArray | None:
    """Return the numbers in rows without damage, as most are: (columns, rows), ABSENT for empty cells.

    None if a line is not `width` cells of digits, or a number may be too large: `_numbers` says what is wrong
    with which line.
    """
    marks = content.translate(None, _DIGITS)
    rows = len(marks) // width
    if marks != (b"," * (width - 1) + b"\n") * rows:
        return None
    text = b"," + content.translate(_COMMAS)
    while b",," in text:
        text = text.replace(b",,", b",%d," % ABSENT)
    numbers = np.fromstring(text[1:-1], np.int64, sep=",")  # too large ones become the largest
    if numbers.max() >= _MAX_PLAIN:
        return None
    return np.ascontiguousarray(numbers.reshape(rows, width).T)


def _numbers(content: Bytes, starts: IntArray, stops: IntArray, good: Mask) -> IntArray:
    """Return the numbers in cells of digits, ABSENT for empty cells: an array of (columns, rows).

    starts, stops  of the cells, (columns, rows): few calls of NumPy for many columns
    good           which rows are valid; those with an invalid cell no longer are
    """
    sizes = stops - starts
    total = np.zeros(sizes.shape, dtype=np.uint64)
    are_digits = np.ones(sizes.shape, dtype=bool)
    longest = int(sizes.max(initial=0))
    for back in range(1, min(longest, _MAX_DIGITS) + 1):
        inside = sizes >= back
        digit = content[np.where(inside, stops - back, 0)] - np.uint8(_ZERO)  # wraps below "0"
        digit *= inside
        are_digits &= digit <= 9
        total += digit.astype(np.uint64) * np.uint64(10 ** (back - 1))
    if longest > _MAX_DIGITS:
        for at in zip(*np.nonzero(sizes > _MAX_DIGITS), strict=True):  # leading zeros, or too large
            digits = content[starts[at] : stops[at]].tobytes().lstrip(b"0")
            are_digits[at] &= len(digits) <= _MAX_DIGITS and (not digits or digits.isdigit())
    are_digits &= total <= _MAX_NUMBER
    good &= are_digits.all(axis=0)
    return np.where(sizes > 0, total.astype(np.int64), ABSENT)


def _texts(content: Bytes, starts: IntArray, stops: IntArray, good: Mask) -> NDArray[np.bytes_]:
    """Return the texts of cells; empty cells and too long ones are no longer `good`."""
    sizes = stops - starts
    good &= (sizes > 0) & (sizes <= _MAX_TEXT_BYTES)
    offsets = np.arange(sizes[good].max(initial=1))
    inside = (offsets < sizes[:, None]) & good[:, None]
    letters = content[np.where(inside, starts[:, None] + offsets, 0)] * inside
    return letters.view(f"S{len(offsets)}").reshape(-1)
