"""Parse CSV of whole numbers, with `#` records and headers that may change, in bulk.

The files of our own log format are such: one first cell names the header, cells are digits or empty.
Lines and cells are found as positions in a byte array and digits are added up column by column, so that a
damaged line costs nothing but itself. Only `#` lines and headers are looked at one by one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from reportgen.core.model import IntArray
from reportgen.formats.parsing.damage import Malformed

ABSENT = -1
MOST = 2**63 - 1
_CHUNK = 4 * 2**20
_NEWLINE, _RETURN, _COMMA, _HASH, _ZERO = b"\n\r,#0"
# Each column costs memory for every row of the file, so that a hostile file is stopped here.
_MOST_COLUMNS = 256
# Longer texts in the first column (a device's UUID has 40 characters) are damage.
_LONGEST_TEXT = 128

Positions = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Layout:
    """What the file is expected to hold.

    first     first cell of a header; required  columns that it must have
    is_known  whether the cells of a column must be numbers; others are not looked at
    records   first cells of the `#` lines that are wanted
    has_text  whether the first column holds text instead of numbers
    """

    first: str
    required: Sequence[str]
    is_known: Callable[[str], bool]
    records: Sequence[str]
    has_text: bool = False


@dataclass(slots=True)
class IntTable:
    """The rows of a file: column -> numbers (ABSENT where empty), all of one length.

    text     the first column where it is text; line  line of each row, from 1
    records  the `#` lines as (line, cells); is_cut  whether the last line had no end and was dropped
    """

    columns: dict[str, IntArray] = field(default_factory=dict)
    text: NDArray[np.bytes_] = field(default_factory=lambda: np.empty(0, "S1"))
    line: IntArray = field(default_factory=lambda: np.empty(0, np.int64))
    records: list[tuple[int, list[str]]] = field(default_factory=list)
    is_cut: bool = False

    def column(self, name: str) -> IntArray:
        """Return a column, all ABSENT where the file has none of that name."""
        return self.columns.get(name, np.full(len(self.line), ABSENT, dtype=np.int64))


def parse(content: bytes, layout: Layout, malformed: Malformed) -> IntTable:
    """Return the rows; what is damaged is left out and noted in `malformed`."""
    reader = _Reader(layout, malformed)
    end = content.rfind(b"\n") + 1
    reader.table.is_cut = end < len(content)
    start = line = 0
    while start < end:
        stop = content.rfind(b"\n", start, min(start + _CHUNK, end)) + 1 or content.find(b"\n", start) + 1
        line += reader.read(np.frombuffer(content, np.uint8, stop - start, start), line)
        start = stop
    return reader.finish()


class _Reader:
    """Reads chunk by chunk and keeps the header that holds."""

    def __init__(self, layout: Layout, malformed: Malformed) -> None:
        self.layout, self.malformed, self.table = layout, malformed, IntTable()
        self.header: list[str] | None = None
        self.known: set[str] = set()
        self.parts: list[IntTable] = []

    def read(self, chunk: NDArray[np.uint8], before: int) -> int:
        """Read whole lines, `before` of which came earlier; return how many there were."""
        ends = np.flatnonzero(chunk == _NEWLINE)
        starts = np.concatenate(([0], ends[:-1] + 1))
        stops = ends - ((ends > starts) & (chunk[ends - 1] == _RETURN))
        filled = stops > starts
        initial = np.where(filled, chunk[starts], 0)
        # Headers are told by their first letter here and by their first cell below.
        special = filled & ((initial == _HASH) | (initial == ord(self.layout.first[0])))
        begin = 0
        for at in np.flatnonzero(special).tolist():
            cells = chunk[starts[at] : stops[at]].tobytes().decode("utf-8", "replace").split(",")
            if not cells[0].startswith("#") and cells[0] != self.layout.first:
                filled[at] = self.layout.has_text
                if not self.layout.has_text:
                    self.malformed.add(before + at + 1, "not a line of this format")
                continue
            filled[at] = False
            if cells[0].startswith("#"):
                self.table.records += [(before + at + 1, cells)] if cells[0] in self.layout.records else []
                continue
            self._rows(chunk, starts, stops, filled, before, begin, at)
            begin = at
            self._set_header(cells, before + at + 1)
        self._rows(chunk, starts, stops, filled, before, begin, len(ends))
        return len(ends)

    def finish(self) -> IntTable:
        """Return all rows; columns that a part did not have are ABSENT there."""
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
        self.header = cells if is_valid and len(self.known) <= _MOST_COLUMNS else None
        if not is_valid:
            self.malformed.add(line, "a header without its required columns, or with a column twice")
        elif self.header is None:
            self.malformed.add(line, f"more than {_MOST_COLUMNS} columns in one file")
        else:
            # An empty part makes its columns known even if no row follows.
            none = np.empty(0, dtype=np.int64)
            self.parts.append(IntTable({name: none for name in cells if self.layout.is_known(name)}))

    def _rows(
        self,
        chunk: NDArray[np.uint8],
        starts: Positions,
        stops: Positions,
        filled: Mask,
        before: int,
        begin: int,
        end: int,
    ) -> None:
        """Add the rows among the lines `begin` to `end`, all below one header."""
        lines = np.flatnonzero(filled[begin:end]) + begin
        if not len(lines):
            return
        if self.header is None:
            self._damaged(lines + before, "a row without a valid header above it")
            return
        low, high = int(starts[lines[0]]), int(stops[lines[-1]])
        commas = np.flatnonzero(chunk[low:high] == _COMMA) + low
        count = np.searchsorted(commas, stops[lines]) - np.searchsorted(commas, starts[lines]) + 1
        fits = count == len(self.header)
        self._damaged(lines[~fits] + before, f"not the {len(self.header)} cells of its header")
        lines = lines[fits]
        inner = np.searchsorted(commas, starts[lines])[:, None] + np.arange(len(self.header) - 1)
        borders = np.hstack((starts[lines, None] - 1, commas[inner], stops[lines, None]))
        self.parts.append(self._cells(chunk, borders, lines + before + 1))

    def _cells(self, chunk: NDArray[np.uint8], borders: Positions, line: IntArray) -> IntTable:
        """Return the rows whose cells lie between consecutive borders and are what they should be."""
        good = np.ones(len(line), dtype=bool)
        columns: dict[str, IntArray] = {}
        text = np.empty(len(line), "S1")
        for number, name in enumerate(self.header or ()):
            starts, stops = borders[:, number] + 1, borders[:, number + 1]
            if number == 0 and self.layout.has_text:
                text, is_good = _texts(chunk, starts, stops)
                good &= is_good
            elif self.layout.is_known(name):
                columns[name], is_good = _numbers(chunk, starts, stops)
                good &= is_good
        self._damaged(line[~good] - 1, "something other than a whole number below 2^63 in a cell")
        return IntTable({name: values[good] for name, values in columns.items()}, text[good], line[good])

    def _damaged(self, lines: IntArray, fact: str) -> None:
        if len(lines):
            self.malformed.add(int(lines[0]) + 1, fact, len(lines))


def _numbers(chunk: NDArray[np.uint8], starts: Positions, stops: Positions) -> tuple[IntArray, Mask]:
    """Return the numbers in cells of digits, ABSENT for empty ones, and which cells are either."""
    sizes = stops - starts
    total = np.zeros(len(sizes), dtype=np.uint64)
    good = np.ones(len(sizes), dtype=bool)
    longest = int(sizes.max(initial=0))
    for back in range(1, min(longest, 19) + 1):
        inside = sizes >= back
        digit = chunk[np.where(inside, stops - back, 0)] - np.uint8(_ZERO)  # wraps below "0"
        good &= ~inside | (digit <= 9)
        total += np.where(inside & (digit <= 9), digit, 0).astype(np.uint64) * np.uint64(10 ** (back - 1))
    if longest > 19:
        for at in np.flatnonzero(sizes > 19).tolist():  # leading zeros, or too large
            digits = chunk[starts[at] : stops[at]].tobytes().lstrip(b"0")
            good[at] &= len(digits) <= 19 and (not digits or digits.isdigit())
    good &= total <= MOST
    return np.where(good & (sizes > 0), total, np.uint64(0)).astype(np.int64) + (sizes == 0) * ABSENT, good


def _texts(chunk: NDArray[np.uint8], starts: Positions, stops: Positions) -> tuple[NDArray[np.bytes_], Mask]:
    """Return the texts of cells that are neither empty nor very long, and which cells are so."""
    sizes = stops - starts
    good = (sizes > 0) & (sizes <= _LONGEST_TEXT)
    width = int(sizes[good].max(initial=1))
    offsets = np.arange(width)
    inside = (offsets < sizes[:, None]) & good[:, None]
    gathered = np.where(inside, chunk[np.where(inside, starts[:, None] + offsets, 0)], 0).astype(np.uint8)
    return np.ascontiguousarray(gathered).view(f"S{width}").reshape(-1), good
