"""Read metrics.csv of Lightning's CSVLogger: one column for each key ever logged, empty if it was not logged.

Several rows may have one step, because each callback writes its own. There is no time column: times exist
only if ThroughputMonitor logs them. Its `train/time` counts from the beginning of training, synchronised with
the device and without validation; `train/samples` counts per device; differences between rows are exact
intervals. Its rates cover the last 100 batches and are absent before. Global keys are written only for more
than one device, and give the number of devices.
"""

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import compress

import numpy as np

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FloatArray, IntArray, Series, Source
from reportgen.formats.parsing.run_builder import make_series

_GPU = lazy_pattern(
    r"gpu_id: ([0-9]+)/(utilization\.gpu|utilization\.memory|memory\.used|memory\.free) \((%|MB)\)"
)
_MAX_NUMBER_BYTES = 64
# Column -> metric and factor to its base unit; nvidia-smi's MB are MiB.
_STATS = {
    "utilization.gpu": ("utilization", 0.01),
    "utilization.memory": ("memory_utilization", 0.01),
    "memory.used": ("memory_used", 2.0**20),
    "memory.free": ("memory_free", 2.0**20),
}
_TIME, _BATCHES, _SAMPLES = "train/time", "train/batches", "train/samples"
_RATE, _GLOBAL_RATE = "train/device/samples_per_sec", "train/samples_per_sec"
THROUGHPUT_KEYS = frozenset((_TIME, _BATCHES, _RATE, "train/device/batches_per_sec"))
_RATE_BATCHES = 100


@dataclass(frozen=True, slots=True)
class Metrics:
    """The rows of one file: names of columns, cells as text by column, the line of each row."""

    names: tuple[str, ...]
    cells: tuple[tuple[bytes, ...], ...]
    line: IntArray
    damaged: tuple[int, ...] = ()

    def column(self, name: str) -> FloatArray:
        """Return a column as numbers, NaN for empty cells and text."""
        if name not in self.names or not self.cells:
            return np.full(len(self.line), np.nan)
        cells = self.cells[self.names.index(name)]
        # NumPy makes every cell as wide as the widest.
        if max(map(len, cells), default=0) <= _MAX_NUMBER_BYTES:
            with suppress(ValueError):  # a text among the cells: convert one by one
                texts = np.array(cells)
                return np.where(texts == b"", b"nan", texts).astype(np.float64)
        return np.array([_number(cell) for cell in cells], dtype=np.float64)

    def gpu_stats(self) -> dict[str, list[FloatArray]]:
        """Return the columns of GPUStatsMonitor in base units: metric -> one column per device."""
        stats: dict[str, list[FloatArray]] = {}
        for name in self.names:
            if match := _GPU.fullmatch(name):
                metric, factor = _STATS[match[2]]
                stats.setdefault(metric, []).append(self.column(name) * factor)
        return stats

    def devices(self) -> int:
        """Return the number of devices, the ratio of the global rate to the rate of one; 0 if unknown."""
        if _RATE not in self.names:
            return 0
        if _GLOBAL_RATE not in self.names:
            return 1
        ratios = self.column(_GLOBAL_RATE) / self.column(_RATE)
        ratios = ratios[np.isfinite(ratios)]
        ratio = float(np.median(ratios)) if len(ratios) else 0.0
        return round(ratio) if 0.5 < ratio < 1e6 else 0

    def throughput(self, source: Source) -> list[Series]:
        """Return the intervals and the rates of ThroughputMonitor over all devices."""
        devices = max(self.devices(), 1)
        time, batches = self.column(_TIME), self.column(_BATCHES)
        logged = np.flatnonzero(np.isfinite(time) & np.isfinite(batches) & (batches >= 1) & (batches < 2**53))
        # A resumed run continues the count; rows that go back are repetitions.
        highest = np.maximum.accumulate(batches[logged])
        logged = logged[np.diff(highest, prepend=0) > 0]
        if not len(logged):
            return []
        step, line, time = batches[logged].astype(np.int64), self.line[logged], time[logged]
        begin = np.concatenate(([0.0], time[:-1]))
        span = np.diff(step, prepend=0)
        samples = np.diff(self.column(_SAMPLES)[logged] * devices, prepend=0.0)
        series = make_series(
            "step_time", "host_synchronized", step, time - begin, source,
            span=span, begin=begin, samples=samples, line=line,
        )  # fmt: skip
        rate = self.column(_RATE)[logged] * devices
        known = np.isfinite(rate)
        if not known.any():
            return [series]
        step, line, span = step[known], line[known], np.minimum(step[known], _RATE_BATCHES)
        return [series, make_series("throughput", "printed", step, rate[known], source, span=span, line=line)]


def column_names(content: bytes) -> tuple[str, ...]:
    """Return the names of the columns in the first line."""
    first = content.partition(b"\n")[0].rstrip(b"\r")
    return tuple(name.strip() for name in first.decode("utf-8", "replace").split(","))


def parse(content: bytes) -> Metrics:
    """Return the rows that have as many cells as the header, and the lines of the others."""
    names = column_names(content)
    body = content.partition(b"\n")[2].replace(b"\r", b"").removesuffix(b"\n") + b"\n"
    characters = np.frombuffer(body, dtype=np.uint8)
    ends = np.flatnonzero(characters == ord("\n"))
    commas = np.searchsorted(np.flatnonzero(characters == ord(",")), ends)
    is_filled = np.diff(ends, prepend=-1) > 1
    fits = is_filled & (np.diff(commas, prepend=0) == len(names) - 1)
    if not fits.all():
        body = b"\n".join(compress(body.split(b"\n"), fits.tolist())) + b"\n"
    cells = body[:-1].replace(b"\n", b",").split(b",") if fits.any() else []
    columns = tuple(tuple(cells[i :: len(names)]) for i in range(len(names)))
    number = np.arange(2, len(ends) + 2)
    return Metrics(names, columns, number[fits], tuple(number[is_filled & ~fits].tolist()))


def nans(content: bytes, metrics: Metrics) -> Iterator[tuple[str, int]]:
    """Yield (column, line) of each cell that is NaN; `metrics` are the rows of this content."""
    if all(content.rfind(word) < 0 for word in (b"nan", b"NaN")):
        return
    for name, cells in zip(metrics.names, metrics.cells, strict=True):
        for line, cell in zip(metrics.line.tolist(), cells, strict=True):
            if cell.strip().lower() in (b"nan", b"-nan"):
                yield name, line


def _number(cell: bytes) -> float:
    try:
        return float(cell) if len(cell) <= _MAX_NUMBER_BYTES else math.nan
    except ValueError:
        return math.nan
