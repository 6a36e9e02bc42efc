"""Make series of steps from epochs, iterations and timestamps, and timestamps from text, all in bulk."""

from collections.abc import Sequence

import numpy as np

from reportgen.model import STEP, Break, FloatArray, IntArray, Series, Source

_EPOCH_BORDER = "epoch"


def seconds(stamps: Sequence[bytes]) -> FloatArray:
    """Return ISO timestamps of one length as s since 1970 (in whatever zone they are), NaN for no date."""
    if not stamps:
        return np.array([], dtype=np.float64)
    try:
        found = np.array(stamps).astype("M8[us]")
    except ValueError:
        found = np.array([_date(stamp) for stamp in stamps])
    values: FloatArray = found.astype(np.int64) / 1e6
    return np.where(np.isnat(found), np.nan, values)


def _date(stamp: bytes) -> np.datetime64:
    try:
        return np.datetime64(stamp.decode("ascii", "replace"), "us")
    except ValueError:
        return np.datetime64("NaT", "us")


def numbers(texts: Sequence[bytes]) -> FloatArray:
    """Return decimal numbers, NaN for what is none."""
    try:
        return np.array([*map(float, texts)], dtype=np.float64)
    except ValueError:
        return np.array([_number(text) for text in texts], dtype=np.float64)


def _number(text: bytes) -> float:
    try:
        return float(text)
    except ValueError:
        return np.nan


def integers(texts: Sequence[bytes]) -> IntArray:
    """Return whole numbers of up to 18 digits each."""
    return np.array([*map(int, texts)], dtype=np.int64)


def count_on(epoch: IntArray, iteration: IntArray) -> tuple[IntArray, tuple[Break, ...]]:
    """Return steps from 1 that go on over the epochs, and the borders between these.

    iteration  starts anew in each epoch or goes on, from 0 or from 1
    """
    if not len(iteration):
        return iteration, ()
    borders = np.flatnonzero(epoch[1:] != epoch[:-1]) + 1
    added = np.zeros(len(iteration), dtype=np.int64)
    starts_at_zero = int(iteration.min() == 0)
    for border in borders.tolist():
        if iteration[border] <= iteration[border - 1]:
            added[border:] += iteration[border - 1] + starts_at_zero
    step = iteration + added + starts_at_zero
    return step, tuple(Break(last, _EPOCH_BORDER) for last in step[borders - 1].tolist())


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
    known = np.isfinite(t)
    step, t, line = step[known], t[known], line[known]
    if len(step) < 2:
        return None
    last = np.append(step[1:] != step[:-1], True)
    step, t, line = step[last], t[last], line[last]
    span, value = np.diff(step), np.diff(t)
    usable = (span > 0) & (value >= 0)
    if not usable.any():
        return None
    samples = span * (np.nan if work is None else work)
    return Series(
        "step_time",
        STEP,
        0,
        "timestamp",
        step[1:][usable],
        span[usable],
        (t - t[0])[:-1][usable],
        value[usable],
        samples[usable].astype(np.float64),
        line[1:][usable],
        source,
        breaks,
    )
