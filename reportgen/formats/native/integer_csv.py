"""Parse CSV of whole numbers, with `#` records and headers that may change, in bulk.

The files of our own log format are such: a known first cell marks a header, all other cells are digits or
empty. Lines and cells are positions in a byte array, and digits are summed column by column, so a damaged
line costs only itself. Only `#` lines and headers are handled one by one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from reportgen.core.model import IntArray
from reportgen.formats.parsing.damage import Malformed

ABSENT = -1
_MAX_NUMBER = 2**63 - 1
_MAX_DIGITS = 19
_CHUNK_BYTES = 4 * 2**20
_NEWLINE, _RETURN, _COMMA, _HASH, _ZERO = b"\n\r,#0"
# Each column costs memory for every row of the file, so a hostile file is stopped here.
_MAX_COLUMNS = 256
# A device's UUID has 40 characters; longer texts in the first column are damaged.
_MAX_TEXT_BYTES = 128

Positions = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Layout:
    """The expected content of a file.

    first     first cell of a header; required  columns that it must have
    is_known  whether the cells of a column must be numbers; other columns are ignored
    records   first cells of the wanted `#` lines
    has_text  whether the first column holds text instead of numbers
    """

    first: str
    required: Sequence[str]
    is_known: Callable[[str], bool]
    records: Sequence[str]
    has_text: bool = False


@dataclass(slots=True)
class IntTable:
    """The rows of a file: column -> numbers (ABSENT if empty), all of one length.

    text     the first column if it is text; line  line of each row, from 1
    records  the `#` lines as (line, cells); is_cut  whether the last line had no end and was dropped
    """

    columns: dict[str, IntArray] = field(default_factory=dict)
    text: NDArray[np.bytes_] = field(default_factory=lambda: np.empty(0, "S1"))
    line: IntArray = field(default_factory=lambda: np.empty(0, np.int64))
    records: list[tuple[int, list[str]]] = field(default_factory=list)
    is_cut: bool = False

    def column(self, name: str) -> IntArray:
        """Return a column, all ABSENT if the file does not have it."""
        return self.columns.get(name, np.full(len(self.line), ABSENT, dtype=np.int64))


def parse(content: bytes, layout: Layout, malformed: Malformed) -> IntTable:
    """Return the rows; damaged lines are left out and recorded in `malformed`."""
    reader = _Reader(layout, malformed)
    end = content.rfind(b"\n") + 1
    reader.table.is_cut = end < len(content)
    start = line = 0
    while start < end:
        stop = (
            content.rfind(b"\n", start, min(start + _CHUNK_BYTES, end)) + 1 or content.find(b"\n", start) + 1
        )
        chunk = _Chunk.of(np.frombuffer(content, np.uint8, stop - start, start), line)
        reader.read(chunk)
        line += len(chunk.stops)
        start = stop
    return reader.finish()


@dataclass(frozen=True, slots=True, eq=False)
class _Chunk:
    """Whole lines: where each starts and stops; `before` lines of the file precede them."""

    content: NDArray[np.uint8]
    starts: Positions
    stops: Positions
    before: int

    @classmethod
    def of(cls, content: NDArray[np.uint8], before: int) -> "_Chunk":
        """Return the lines of a content that ends with a line feed."""
        ends = np.flatnonzero(content == _NEWLINE)
        starts = np.concatenate(([0], ends[:-1] + 1))
        return cls(content, starts, ends - ((ends > starts) & (content[ends - 1] == _RETURN)), before)

    def cells(self, at: int) -> list[str]:
        """Return the cells of one line."""
        text = self.content[self.starts[at] : self.stops[at]].tobytes()
        return text.decode("utf-8", "replace").split(",")


class _Reader:
    """Reads chunk by chunk and keeps the current header."""

    def __init__(self, layout: Layout, malformed: Malformed) -> None:
        self.layout, self.malformed, self.table = layout, malformed, IntTable()
        self.header: list[str] | None = None
        self.known: set[str] = set()
        self.parts: list[IntTable] = []

    def read(self, chunk: _Chunk) -> None:
        """Read the lines of a chunk."""
        is_row = chunk.stops > chunk.starts
        initial = np.where(is_row, chunk.content[chunk.starts], 0)
        # Candidates by their first letter; the first cell decides below.
        special = is_row & ((initial == _HASH) | (initial == ord(self.layout.first[0])))
        begin = 0
        for at in np.flatnonzero(special).tolist():
            cells, line = chunk.cells(at), chunk.before + at + 1
            if cells[0].startswith("#"):
                is_row[at] = False
                self.table.records += [(line, cells)] if cells[0] in self.layout.records else []
            elif cells[0] == self.layout.first:
                is_row[at] = False
                self._read_rows(chunk, np.flatnonzero(is_row[begin:at]) + begin)
                begin = at
                self._set_header(cells, line)
            elif not self.layout.has_text:
                is_row[at] = False
                self.malformed.add(line, "not a line of this format")
        self._read_rows(chunk, np.flatnonzero(is_row[begin:]) + begin)

    def finish(self) -> IntTable:
        """Return all rows; columns that a part does not have are ABSENT there."""
        table, begin = self.table, 0
        if self.parts:
            table.line = np.concatenate([part.line for part in self.parts])
            table.text = np.concatenate([part.text for part in self.parts])
        for part in self.parts:
            for name, values in part.columns.items():
                column = table.columns.setdefault(name, np.full(len(table.line), ABSENT, dtype=np.int64))
                column[begin : begin + len(values)] = values
            begin += len(part.line)
        return table

    def _set_header(self, cells: list[str], line: int) -> None:
        self.known.update(name for name in cells if self.layout.is_known(name))
        is_valid = len(set(cells)) == len(cells) and set(self.layout.required) <= set(cells)
        self.header = cells if is_valid and len(self.known) <= _MAX_COLUMNS else None
        if not is_valid:
            self.malformed.add(line, "a header without its required columns, or with a repeated column")
        elif self.header is None:
            self.malformed.add(line, f"more than {_MAX_COLUMNS} columns in one file")
        else:
            # An empty part makes its columns known even if no row follows.
            none = np.empty(0, dtype=np.int64)
            self.parts.append(IntTable({name: none for name in cells if self.layout.is_known(name)}))

    def _read_rows(self, chunk: _Chunk, lines: Positions) -> None:
        """Add the rows in these lines, all below one header."""
        if not len(lines):
            return
        if self.header is None:
            self._damaged(lines + chunk.before + 1, "a row without a valid header above it")
            return
        starts, stops = chunk.starts[lines], chunk.stops[lines]
        low, high = int(starts[0]), int(stops[-1])
        commas = np.flatnonzero(chunk.content[low:high] == _COMMA) + low
        first = np.searchsorted(commas, starts)
        fits = np.searchsorted(commas, stops) - first + 1 == len(self.header)
        self._damaged(lines[~fits] + chunk.before + 1, f"not the {len(self.header)} cells of its header")
        inner = commas[first[fits][:, None] + np.arange(len(self.header) - 1)]
        borders = np.hstack((starts[fits, None] - 1, inner, stops[fits, None]))
        self.parts.append(self._parse_cells(chunk.content, borders, lines[fits] + chunk.before + 1))

    def _parse_cells(self, content: NDArray[np.uint8], borders: Positions, line: IntArray) -> IntTable:
        """Return the rows whose cells, between consecutive borders, are valid."""
        good = np.ones(len(line), dtype=bool)
        columns: dict[str, IntArray] = {}
        text = np.empty(len(line), "S1")
        for number, name in enumerate(self.header or ()):
            starts, stops = borders[:, number] + 1, borders[:, number + 1]
            if number == 0 and self.layout.has_text:
                text, is_good = _texts(content, starts, stops)
                good &= is_good
            elif self.layout.is_known(name):
                columns[name], is_good = _numbers(content, starts, stops)
                good &= is_good
        self._damaged(line[~good], "a cell that is not a whole number below 2^63")
        return IntTable({name: values[good] for name, values in columns.items()}, text[good], line[good])

    def _damaged(self, lines: IntArray, fact: str) -> None:
        if len(lines):
            self.malformed.add(int(lines[0]), fact, len(lines))


def _numbers(content: NDArray[np.uint8], starts: Positions, stops: Positions) -> tuple[IntArray, Mask]:
    """Return the numbers in cells of digits, ABSENT for empty cells, and which cells are valid."""
    sizes = stops - starts
    total = np.zeros(len(sizes), dtype=np.uint64)
    good = np.ones(len(sizes), dtype=bool)
    longest = int(sizes.max(initial=0))
    for back in range(1, min(longest, _MAX_DIGITS) + 1):
        inside = sizes >= back
        digit = content[np.where(inside, stops - back, 0)] - np.uint8(_ZERO)  # wraps below "0"
        good &= ~inside | (digit <= 9)
        total += np.where(inside & (digit <= 9), digit, 0).astype(np.uint64) * np.uint64(10 ** (back - 1))
    if longest > _MAX_DIGITS:
        for at in np.flatnonzero(sizes > _MAX_DIGITS).tolist():  # leading zeros, or too large
            digits = content[starts[at] : stops[at]].tobytes().lstrip(b"0")
            good[at] &= len(digits) <= _MAX_DIGITS and (not digits or digits.isdigit())
    good &= total <= _MAX_NUMBER
    return np.where(good & (sizes > 0), total, np.uint64(0)).astype(np.int64) + (sizes == 0) * ABSENT, good


def _texts(
    content: NDArray[np.uint8], starts: Positions, stops: Positions
) -> tuple[NDArray[np.bytes_], Mask]:
    """Return the texts of cells, and which cells are neither empty nor too long."""
    sizes = stops - starts
    good = (sizes > 0) & (sizes <= _MAX_TEXT_BYTES)
    width = int(sizes[good].max(initial=1))
    offsets = np.arange(width)
    inside = (offsets < sizes[:, None]) & good[:, None]
    gathered = np.where(inside, content[np.where(inside, starts[:, None] + offsets, 0)], 0).astype(np.uint8)
    return np.ascontiguousarray(gathered).view(f"S{width}").reshape(-1), good
