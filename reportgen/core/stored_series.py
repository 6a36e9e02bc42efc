"""Series of a run as one array of numbers: the objects are made when they are asked for.

Most series of a campaign differ in their numbers only. So a run holds what it has in common with others, and
its numbers, which may be a view of a file. In this form it goes from one process to another, and its series
are objects while they are in use.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any, overload
from weakref import ref

import numpy as np
from msgspec import Struct, structs

from reportgen.core.model import FloatArray, Series, Source

# Runs whose series are objects at a time: some more than have windows at a time.
_MAX_MADE = 600
_NO_NUMBERS: FloatArray = np.empty(0)
_NO_SOURCE = Source("")


class SeriesLayout(Struct, frozen=True, eq=False):
    """The parts that the series of many runs have in common.

    series   without times, values and sources
    columns  numbers of the columns that are the times and the values of each
    borders  where the columns begin among the numbers of a run, and where the last one ends
    """

    series: tuple[Series, ...]
    columns: tuple[tuple[int, int], ...]
    borders: tuple[int, ...]


class StoredSeries(Sequence[Series]):
    """The series of one run. Each is one object as long as something holds it, or uses the run."""

    __slots__ = ("__weakref__", "_made", "layout", "numbers", "sources")

    def __init__(self, layout: SeriesLayout, sources: tuple[Source, ...], numbers: FloatArray) -> None:
        self.layout, self.sources, self.numbers = layout, sources, numbers
        self._made: tuple[Series, ...] | None = None

    def _series(self) -> tuple[Series, ...]:
        if self._made is None:
            layout = self.layout
            columns = [self.numbers[begin:end] for begin, end in pairwise(layout.borders)]
            own = zip(layout.series, layout.columns, self.sources, strict=True)
            made = tuple(
                _with_numbers(series, columns[begin], columns[value], source)
                for series, (begin, value), source in own
            )
            self._made = made
            _MADE.append(ref(self))
            if len(_MADE) > _MAX_MADE and (oldest := _MADE.popleft()()):
                oldest._made = None
            return made
        return self._made

    @property
    def in_common(self) -> tuple[Series, ...]:
        """The series without times, values and sources."""
        return self.layout.series

    @overload
    def __getitem__(self, index: int) -> Series: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Series, ...]: ...
    def __getitem__(self, index: int | slice) -> Series | tuple[Series, ...]:
        return self._series()[index]

    def __iter__(self) -> Iterator[Series]:
        return iter(self._series())

    def __len__(self) -> int:
        return len(self.layout.series)

    def __reduce__(self) -> tuple[Any, ...]:
        return StoredSeries, (self.layout, self.sources, self.numbers)


def _with_numbers(series: Series, begin: FloatArray, value: FloatArray, source: Source) -> Series:
    """Return a series with its numbers: as `replace` does, in a third of the time."""
    return Series(
        series.metric, phase=series.phase, rank=series.rank, clock=series.clock, step=series.step,
        span=series.span, begin=begin, value=value, samples=series.samples, line=series.line, source=source,
        breaks=series.breaks, unit=series.unit, rounding=series.rounding, rounded=series.rounded,
        idle_after=series.idle_after, stretches=series.stretches,
    )  # fmt: skip


def without_numbers(series: Sequence[Series]) -> Sequence[Series]:
    """Return the series of a run for a caller that needs no times, values and sources: they may be empty."""
    # Not isinstance, which is slow for an abstract class.
    return series.in_common if type(series) is StoredSeries else series


# The runs whose series are objects, in the order in which these were made.
_MADE: deque[ref[StoredSeries]] = deque()


def stored_series(series: Sequence[Series], known: dict[object, Any]) -> StoredSeries:
    """Return series as their numbers and what they have in common with others.

    known  what other runs had in common, by its content. Columns that are equal must be one object
    """
    columns = {id(column): column for each in series for column in (each.begin, each.value)}
    position = {key: number for number, key in enumerate(columns)}
    places = tuple((position[id(each.begin)], position[id(each.value)]) for each in series)
    borders = tuple(accumulate(map(len, columns.values()), initial=0))
    layout = _known_layout(tuple(series), places, borders, known)
    return StoredSeries(layout, tuple(each.source for each in series), np.concatenate(list(columns.values())))


def shared_layout(
    layout: SeriesLayout, share: Callable[[Series], Series], known: dict[object, Any]
) -> SeriesLayout:
    """Return a layout of another process with the columns of this one; `share` makes equal ones the same."""
    return _known_layout(tuple(map(share, layout.series)), layout.columns, layout.borders, known)


def _known_layout(
    series: tuple[Series, ...],
    places: tuple[tuple[int, int], ...],
    borders: tuple[int, ...],
    known: dict[object, Any],
) -> SeriesLayout:
    key = places, borders, tuple(map(_in_common, series))
    if key not in known:
        bare = (
            structs.replace(each, begin=_NO_NUMBERS, value=_NO_NUMBERS, source=_NO_SOURCE) for each in series
        )
        known[key] = SeriesLayout(tuple(bare), places, borders)
    layout: SeriesLayout = known[key]
    return layout


def differ_in_numbers(series: Sequence[Series]) -> bool:
    """Return whether series may be equal in other runs but for times, values and sources."""
    return bool(series) and not any(
        each.breaks or each.stretches or each.begin.dtype != np.float64 or each.value.dtype != np.float64
        for each in series
    )


def _in_common(series: Series) -> tuple[object, ...]:
    columns = tuple(map(id, (series.step, series.span, series.samples, series.line)))
    names = series.metric, series.phase, series.rank, series.clock, series.unit
    return (*names, series.rounding, series.rounded, series.idle_after, *columns)
