"""Make series of steps from epochs, iterations and timestamps, and timestamps from text, all in bulk."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.core.model import Break, FloatArray, IntArray, Series, Source
from reportgen.formats.parsing.timestamps import moments

_EPOCH_BORDER = "epoch"
FIRST = np.array([True])


def seconds(stamps: Sequence[bytes]) -> FloatArray:
    """Return ISO timestamps of one length as s since 1970 (in whatever zone they are), NaN for no date."""
    if not stamps:
        return np.array([], dtype=np.float64)
    found = moments(stamps)
    values: FloatArray = found.view(np.int64) / 1e6
    values[np.isnat(found)] = np.nan
    return values


def numbers(texts: Sequence[bytes]) -> FloatArray:
    """Return decimal numbers, NaN for what is none."""
    try:
        return np.array([*map(float, texts)], dtype=np.float64)
    except ValueError:
        return np.array([number(text) for text in texts], dtype=np.float64)


def number(text: bytes) -> float:
    """Return a decimal number, NaN for what is none."""
    try:
        return float(text)
    except ValueError:
        return np.nan


def mean(values: FloatArray) -> float:
    """Return the mean of the finite ones among some numbers, NaN if there is none or it has no finite sum."""
    array = np.asarray(values, dtype=np.float64)
    finite = array[np.isfinite(array)].tolist()
    try:
        return math.fsum(finite) / len(finite) if finite else math.nan
    except OverflowError:
        return math.nan


def integers(texts: Sequence[bytes]) -> IntArray:
    """Return whole numbers of 1 to 18 digits each."""
    return np.fromstring(b" ".join(texts), dtype=np.int64, sep=" ")


def count_on(epoch: IntArray, iteration: IntArray) -> tuple[IntArray, tuple[Break, ...]]:
    """Return steps from 1 that go on over the epochs, and the borders between these.

    iteration  starts anew in each epoch or goes on, from 0 or from 1; 19 and 39 end twenty steps each from 0
    """
    if not len(iteration):
        return iteration, ()
    (borders,) = (epoch[1:] != epoch[:-1]).nonzero()
    others = iteration[iteration != iteration[0]]
    is_at_end = len(others) and others[0] - iteration[0] == iteration[0] + 1 > 2
    step = iteration + int(iteration.min() == 0 or is_at_end)
    if not len(borders):
        return step, ()
    restarts = borders[iteration[borders + 1] <= iteration[borders]]
    added = np.zeros(len(iteration), dtype=np.int64)
    added[restarts + 1] = step[restarts]
    step += added.cumsum()
    return step, tuple(Break(last, _EPOCH_BORDER) for last in step[borders].tolist())


def where(mask: NDArray[np.bool_], *columns: NDArray[Any]) -> Sequence[NDArray[Any]]:
    """Return columns of one length where the mask holds; most often that is everywhere."""
    if np.count_nonzero(mask) == len(mask):
        return columns
    return [column[mask] for column in columns]


def timed(
    step: IntArray,
    t: FloatArray,
    line: IntArray,
    work: float | None,
    source: Source,
    breaks: tuple[Break, ...] = (),
) -> Series | None:
    """Return the series of the times between records, None where there are fewer than two of them.

    The first record has no time of its own. A step told twice (all metrics have lines of their own, a skipped
    update is tried again) ends with its last record; what comes out of order ends nothing.
    work  samples in a step over all devices
    """
    step, t, line = where(np.isfinite(t), step, t, line)
    if len(step) < 2:
        return None
    step, t, line = where(np.concatenate((step[1:] != step[:-1], FIRST)), step, t, line)
    span, value = step[1:] - step[:-1], t[1:] - t[:-1]
    columns = (step[1:], span, t[:-1] - t[:1], value, span * (np.nan if work is None else work), line[1:])
    step, span, begin, value, samples, line = where((span > 0) & (value >= 0), *columns)
    if not len(step):
        return None
    return Series(
        "step_time",
        clock="timestamp",
        step=step,
        span=span,
        begin=begin,
        value=value,
        samples=samples,
        line=line,
        source=source,
        breaks=breaks,
    )
