"""The entries of a series in a form that can be measured: by step number, each step once.

Logs repeat themselves (progress bars redraw, a resumed run does its last steps again) and are not
always in order, so everything after this module goes by the number of a step, never by its index.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce

import numpy as np
from numpy.typing import NDArray

from reportgen.core.metrics import metric as metric_of
from reportgen.core.model import Break, Clock, FloatArray, IntArray, Series, Source

BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Entries:
    """Entries of one rank in the order of their steps, none overlapping another; arrays of one length.

    first, last  steps of an entry, both included; span  how many these are
    value        base unit; samples and begin are NaN where unknown
    is_single    whether no entry covers several steps, as far as that is known without looking
    """

    rank: int
    clock: Clock
    first: IntArray
    last: IntArray
    span: IntArray
    value: FloatArray
    samples: FloatArray
    begin: FloatArray
    line: IntArray
    source: Source
    breaks: tuple[Break, ...] = ()
    is_single: bool = False

    def __len__(self) -> int:
        return len(self.last)

    @property
    def steps(self) -> int:
        """Return the number of steps in all entries."""
        return len(self.last) if self.is_single else int(self.span.sum())

    @property
    def is_coarse(self) -> bool:
        """Return whether an entry covers several steps."""
        return not self.is_single and bool((self.span > 1).any())

    def take(self, keep: BoolArray | IntArray | slice) -> "Entries":
        """Return the entries that a mask, an index array or a slice keeps."""
        return Entries(
            self.rank, self.clock, self.first[keep], self.last[keep], self.span[keep], self.value[keep],
            self.samples[keep], self.begin[keep], self.line[keep], self.source, self.breaks, self.is_single,
        )  # fmt: skip

    def place(self) -> Source:
        """Return where the first entry was read."""
        return Source(self.source.path, int(self.line[0]) if len(self) else self.source.line)


@lru_cache(maxsize=16)  # a run is asked for several metrics of the same steps
def entries(series: Series) -> Entries:
    """Return the measurable entries of a series: finite, ordered, each step once; no negative times or rates.

    Of entries that share a step the first logged counts: a step that a resumed run does again comes
    after the restart and would bring its warm-up into the window.
    """
    value, span, last = series.value, series.span, series.step
    usable = np.isfinite(value) & (span >= 1)
    if metric_of(series.metric).is_never_negative:  # a clock that was set back gives such entries
        usable &= value >= 0
    first = last - span + 1
    order: IntArray | slice = slice(None)
    if not usable.all() or not (first[1:] > last[:-1]).all():  # most logs are as they should be
        order = np.flatnonzero(usable)
        order = order[np.argsort(last[order], kind="stable")]
        if np.any(first[order[1:]] <= last[order[:-1]]):
            order = order[_apart(first[order], last[order], order)]
    span = span[order]
    return Entries(
        series.rank, series.clock, first[order], last[order], span, value[order], series.samples[order],
        series.begin[order], series.line[order], series.source, series.breaks, bool((span == 1).all()),
    )  # fmt: skip


def _apart(first: IntArray, last: IntArray, logged: IntArray) -> IntArray:
    """Return the positions to keep so that no two entries share a step, the earlier logged before others."""
    begins, ends, kept = first.tolist(), last.tolist(), list[int]()
    for i, position in enumerate(logged.tolist()):
        if not kept or begins[i] > ends[kept[-1]]:
            kept.append(i)
        elif position < logged[kept[-1]] and (len(kept) < 2 or begins[i] > ends[kept[-2]]):
            kept[-1] = i
    return np.array(kept, dtype=np.int64)


def common(ranks: Sequence[Entries]) -> tuple[Entries, ...]:
    """Return the entries that every rank has: only over the same steps can ranks be compared."""
    if len(ranks) < 2:
        return tuple(ranks)
    shared = reduce(np.intersect1d, [rank.last for rank in ranks])
    taken = [rank.take(np.isin(rank.last, shared)) for rank in ranks]
    same = np.all([rank.first == taken[0].first for rank in taken], axis=0)
    return tuple(rank.take(same) for rank in taken)


def within(found: Entries, measured: Entries) -> Entries:
    """Return the entries that lie wholly inside the steps of `measured`."""
    if not len(measured):
        return found.take(np.zeros(len(found), dtype=bool))
    joined = measured.first[1:] == measured.last[:-1] + 1
    starts = measured.first[np.concatenate(([True], ~joined))]
    ends = measured.last[np.concatenate((~joined, [True]))]
    at = np.searchsorted(ends, found.last, "left")
    inside = (at < len(ends)) & (found.first >= starts[np.minimum(at, len(ends) - 1)])
    return found.take(inside)


def total(values: FloatArray | Iterable[float]) -> float:
    """Return the sum, the same whatever the order; NaN where it has no finite value."""
    try:
        return math.fsum(values.tolist() if isinstance(values, np.ndarray) else values)
    except (OverflowError, ValueError):  # beyond 1e308, or infinities of both signs
        return math.nan


def middle(values: FloatArray) -> float:
    """Return the median of at least one finite value: what np.median returns, without its checks."""
    ordered = np.sort(values)
    return float(ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def mean_rate(found: Entries, *, harmonic: bool = True) -> float:
    """Return the mean of printed rates, NaN for none and for a harmonic mean with a rate of 0.

    harmonic  work over the time that the rates stand for; every step is the same work where the log
              does not say otherwise. Else the plain mean of the entries
    """
    if not harmonic:
        return total(found.value) / len(found) if len(found) else math.nan
    if not (found.value > 0).all():
        return math.nan
    work = found.samples if np.isfinite(found.samples).all() else found.span.astype(np.float64)
    time = total(work / found.value)
    return total(work) / time if time > 0 else math.nan
