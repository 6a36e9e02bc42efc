"""Read metrics.csv of Lightning's CSVLogger: one column for each key ever logged, blank where it was not.

Several rows may have one step, because each callback writes its own; a cell that is blank was not logged,
so means skip it. There is no time column: times exist only where ThroughputMonitor logs them.
"""

import math
import re
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from reportgen.core.model import FloatArray, IntArray
from reportgen.formats.parsing.text_log import mean

_GPU = re.compile(
    r"gpu_id: ([0-9]+)/(utilization\.gpu|utilization\.memory|memory\.used|memory\.free) \((%|MB)\)"
)
# No number takes more bytes.
_WIDE = 64
# Column -> metric, and what its unit is in base units; nvidia-smi's MB are MiB.
_STATS = {
    "utilization.gpu": ("utilization", 0.01),
    "utilization.memory": ("memory_utilization", 0.01),
    "memory.used": ("memory_used", 2.0**20),
    "memory.free": ("memory_free", 2.0**20),
}


@dataclass(frozen=True, slots=True)
class Metrics:
    """The rows of one file: names of columns, cells as texts by column, the line of each row."""

    names: tuple[str, ...]
    cells: tuple[tuple[bytes, ...], ...]
    line: IntArray
    damaged: tuple[int, ...] = ()

    def column(self, name: str) -> FloatArray:
        """Return a column as numbers, NaN where blank or no number."""
        if name not in self.names or not self.cells:
            return np.full(len(self.line), np.nan)
        cells = self.cells[self.names.index(name)]
        if max(map(len, cells), default=0) <= _WIDE:  # NumPy gives every cell the width of the widest
            with suppress(ValueError):  # somewhere a text, and so one by one
                texts = np.array(cells)
                return np.where(texts == b"", b"nan", texts).astype(np.float64)
        return np.array([_number(cell) for cell in cells], dtype=np.float64)

    def mean(self, name: str) -> float:
        """Return the mean of the cells that are not blank, NaN if all are."""
        return mean(self.column(name))

    def gpu_stats(self) -> dict[str, list[FloatArray]]:
        """Return what GPUStatsMonitor logged in base units: metric -> one column a device."""
        found: dict[str, list[FloatArray]] = {}
        for name in self.names:
            if matched := _GPU.fullmatch(name):
                metric, factor = _STATS[matched[2]]
                found.setdefault(metric, []).append(self.column(name) * factor)
        return found


def names_of(content: bytes) -> tuple[str, ...]:
    """Return the names of the columns in the first line."""
    first = content.partition(b"\n")[0].rstrip(b"\r")
    return tuple(name.strip() for name in first.decode("utf-8", "replace").split(","))


def parse(content: bytes) -> Metrics:
    """Return the rows that have as many cells as the header, and the lines of those that have not."""
    names = names_of(content)
    body = content.partition(b"\n")[2].replace(b"\r", b"")
    if body and not body.endswith(b"\n"):
        body += b"\n"
    rows, line, damaged = _regular(body, len(names))
    cells = rows[:-1].replace(b"\n", b",").split(b",") if len(line) else []
    return Metrics(names, tuple(tuple(cells[i :: len(names)]) for i in range(len(names))), line, damaged)


def _regular(body: bytes, width: int) -> tuple[bytes, IntArray, tuple[int, ...]]:
    """Return the lines of `width` cells, their numbers from 2, and the numbers of the damaged ones."""
    characters = np.frombuffer(body, dtype=np.uint8)
    ends = np.flatnonzero(characters == ord("\n"))
    starts = np.concatenate(([0], ends[:-1] + 1)) if len(ends) else ends
    commas = np.searchsorted(np.flatnonzero(characters == ord(",")), ends)
    fits = (np.diff(commas, prepend=0) == width - 1) & (ends > starts)
    number = np.arange(2, len(ends) + 2)
    if fits.all():
        return body, number, ()
    damaged = number[~fits & (ends > starts)]
    kept = [body[a : b + 1] for a, b in zip(starts[fits].tolist(), ends[fits].tolist(), strict=True)]
    return b"".join(kept), number[fits], tuple(damaged.tolist())


def as_array(values: list[float]) -> FloatArray:
    """Return numbers as an array."""
    return np.array(values, dtype=np.float64)


def _number(cell: bytes) -> float:
    try:
        return float(cell) if len(cell) <= _WIDE else math.nan
    except ValueError:
        return math.nan
