"""The entries of a series in a form that can be measured: ordered by step, each step once.

Logs repeat themselves (progress bars redraw, a resumed run repeats its last steps) and are not always
in order. Everything after this module uses the number of a step, never its index.
"""

import math
from collections.abc import Iterable, Sequence
from functools import reduce

import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from reportgen.core.metrics import metric_of
from reportgen.core.model import Break, Clock, FloatArray, IntArray, Series, Source
from reportgen.core.remembered import Remembered

BoolArray = NDArray[np.bool_]

# More ranges of steps than this are not listed.
_MAX_LISTED_RANGES = 3


class Entries(Struct, frozen=True, eq=False):
    """Entries of one rank, ordered by step and without overlap; arrays of one length.

    first, last  steps of an entry, both included; span  their number
    value        base unit; samples and begin are NaN where unknown
    is_single    True if every entry is known to cover one step
    is_queued    True if the host queued the steps and waited for the device after few of them: totals between
                 two waits are right, single times are not
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
    is_queued: bool = False

    def __len__(self) -> int:
        return len(self.last)

    @property
    def steps(self) -> int:
        """Return the number of steps in all entries."""
        return len(self.last) if self.is_single else int(self.span.sum())

    @property
    def is_coarse(self) -> bool:
        """Return True if an entry covers several steps."""
        return not self.is_single and bool((self.span > 1).any())

    def take(self, keep: BoolArray | IntArray | slice) -> "Entries":
        """Return the entries that a mask, an index array or a slice selects."""
        return Entries(
            self.rank, self.clock, self.first[keep], self.last[keep], self.span[keep], self.value[keep],
            self.samples[keep], self.begin[keep], self.line[keep], self.source, self.breaks, self.is_single,
            self.is_queued,
        )  # fmt: skip

    def place(self) -> Source:
        """Return where the first entry was read."""
        return Source(self.source.path, int(self.line[0]) if len(self) else self.source.line)


def measurable_entries(series: Series) -> Entries:
    """Return the entries of a series that can be measured: finite, ordered, each step once.

    Negative times and rates are dropped. If entries share a step, the first logged is kept: a resumed
    run repeats steps after its restart, and these would bring its warm-up into the window.
    """
    value, span, last = series.value, series.span, series.step
    is_single, is_ordered = _single_and_ordered(last, span)
    usable = np.isfinite(value)
    if not is_single:
        usable &= span >= 1
    if metric_of(series.metric).is_never_negative:  # a clock that was set back yields such entries
        usable &= value >= 0
    first = last if is_single else last - span + 1
    entries = Entries(
        series.rank, series.clock, first, last, span, value, series.samples, series.begin, series.line,
        series.source, series.breaks, is_single, series.clock == "host" and bool(series.idle_after),
    )  # fmt: skip
    if is_ordered and usable.all():  # as in most logs
        return entries
    order = np.flatnonzero(usable)
    order = order[np.argsort(last[order], kind="stable")]
    if np.any(first[order[1:]] <= last[order[:-1]]):
        order = order[_without_overlap(first[order], last[order], order)]
    return structs.replace(entries.take(order), is_single=bool((span[order] == 1).all()))


@Remembered
def _single_and_ordered(last: IntArray, span: IntArray) -> tuple[bool, bool]:
    """Return whether each entry is one step, and whether the entries are in order and share no step."""
    return bool((span == 1).all()), bool((last[1:] - span[1:] >= last[:-1]).all())


def _without_overlap(first: IntArray, last: IntArray, logged: IntArray) -> IntArray:
    """Return the positions to keep so that no two entries share a step; the earlier logged wins."""
    begins, ends, kept = first.tolist(), last.tolist(), list[int]()
    for i, position in enumerate(logged.tolist()):
        if not kept or begins[i] > ends[kept[-1]]:
            kept.append(i)
        elif position < logged[kept[-1]] and (len(kept) < 2 or begins[i] > ends[kept[-2]]):
            kept[-1] = i
    return np.array(kept, dtype=np.int64)


def common_entries(ranks: Sequence[Entries]) -> tuple[Entries, ...]:
    """Return the entries that every rank has: ranks are compared over the same steps only."""
    if all(_covers_same_steps(rank, ranks[0]) for rank in ranks[1:]):  # as in most logs
        return tuple(ranks)
    shared = reduce(np.intersect1d, [rank.last for rank in ranks])
    taken = [rank.take(np.isin(rank.last, shared)) for rank in ranks]
    same = np.all([rank.first == taken[0].first for rank in taken], axis=0)
    return tuple(rank.take(same) for rank in taken)


def _covers_same_steps(rank: Entries, other: Entries) -> bool:
    return np.array_equal(rank.last, other.last) and np.array_equal(rank.first, other.first)


def entries_within(entries: Entries, measured: Entries) -> Entries:
    """Return the entries that are entirely inside the steps of `measured`."""
    if not len(measured):
        return entries.take(slice(0))
    begin, end = measured.first[0], measured.last[-1]
    if end - begin + 1 == measured.steps:  # as in most logs, no step is missing between them
        return entries_between(entries, begin, end)
    joined = measured.first[1:] == measured.last[:-1] + 1
    starts = measured.first[np.concatenate(([True], ~joined))]
    ends = measured.last[np.concatenate((~joined, [True]))]
    at = np.searchsorted(ends, entries.last, "left")
    inside = (at < len(ends)) & (entries.first >= starts[np.minimum(at, len(ends) - 1)])
    return entries.take(inside)


def entries_between(entries: Entries, begin: int, end: int) -> Entries:
    """Return the entries that are entirely inside the steps from `begin` to `end`."""
    return entries.take(slice(entries.first.searchsorted(begin), entries.last.searchsorted(end, "right")))


def exact_sum(values: FloatArray | Iterable[float]) -> float:
    """Return the sum, independent of the order of the values; NaN if it is not finite."""
    try:
        return math.fsum(values.tolist() if isinstance(values, np.ndarray) else values)
    except (OverflowError, ValueError):  # beyond 1e308, or infinities of both signs
        return math.nan


def array_median(values: FloatArray) -> float:
    """Return the median of at least one finite value: np.median without its checks."""
    ordered = np.sort(values)
    return float(ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def block_medians(values: FloatArray, size: int) -> FloatArray:
    """Return the median of each whole block of `size` finite values."""
    blocks = len(values) // size
    ordered = np.sort(values[: blocks * size].reshape(blocks, size), axis=1)
    medians: FloatArray = (ordered[:, (size - 1) // 2] + ordered[:, size // 2]) / 2
    return medians


def slowest_of(ranks: Sequence[Entries]) -> Entries:
    """Return the rank with the largest total, the first of several."""
    return ranks[0] if len(ranks) == 1 else max(ranks, key=lambda rank: exact_sum(rank.value))


def mean_rate(entries: Entries, *, harmonic: bool = True) -> float:
    """Return the mean of printed rates; NaN for no entry, and for a harmonic mean with a rate of 0.

    harmonic  work over the time that the rates stand for, with equal work per step unless the log says
              otherwise; False: the plain mean of the entries
    """
    if not harmonic:
        return exact_sum(entries.value) / len(entries) if len(entries) else math.nan
    if not (entries.value > 0).all():
        return math.nan
    work = entries.samples if np.isfinite(entries.samples).all() else entries.span.astype(np.float64)
    time = exact_sum(work / entries.value)
    return exact_sum(work) / time if time > 0 else math.nan


def step_ranges_text(steps: Sequence[int]) -> str:
    """Return ascending step numbers in words, at most three ranges of them: `3, 82..120`."""
    ranges: list[list[int]] = []
    for step in steps:
        if ranges and step == ranges[-1][1] + 1:
            ranges[-1][1] = step
        else:
            ranges.append([step, step])
    texts = [str(a) if a == b else f"{a}..{b}" for a, b in ranges[:_MAX_LISTED_RANGES]]
    return ", ".join(texts) + (", ..." if len(ranges) > _MAX_LISTED_RANGES else "")
