"""Interpolate the rise of a device's counter over the measured steps.

A counter is read every so often, and renewed by the driver every so often: its readings rarely meet the
borders of the window. Between two readings it is interpolated. The power may have changed between them, so
the value has an uncertainty: what a change from the rate before to the rate after may hide.
"""

from typing import NamedTuple

import numpy as np

from reportgen.core.model import FloatArray
from reportgen.protocol.steps import Entries, exact_sum
from reportgen.protocol.timeline import stretches_of

# With fewer new values in the window, the counter says little about it.
_MIN_NEW_VALUES = 3


class CounterRise(NamedTuple):
    """The rise of a counter, in its unit, and by how much it may be wrong; NaN if it is unknown."""

    value: float
    error: float


UNKNOWN = CounterRise(np.nan, np.nan)


def interpolated_rise(t: FloatArray, counter: FloatArray, rank: Entries) -> CounterRise:
    """Return the rise of a counter over the measured steps of a rank.

    t, counter  the readings: s on the clock of the steps, in any order, and values; both may contain NaN
    Unknown if no reading is before or after the steps, the counter was reset, or it has few new values.
    """
    t, counter = new_values(t, counter)
    if (np.diff(counter) < 0).any():
        return UNKNOWN
    begins, ends = stretches_of(rank)
    if not len(begins) or len(t) < 2 or begins[0] < t[0] or ends[-1] > t[-1]:
        return UNKNOWN
    if int(np.count_nonzero((t >= begins[0]) & (t <= ends[-1]))) < _MIN_NEW_VALUES:
        return UNKNOWN
    value = exact_sum(np.interp(ends, t, counter) - np.interp(begins, t, counter))
    borders = np.concatenate((begins, ends))
    return CounterRise(value, exact_sum(_hidden(borders, t, counter)))


def new_values(t: FloatArray, counter: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the readings with a new value, in the order of their times; without NaN.

    The driver repeats a value until it renews it, so only the first reading of a value has its time.
    """
    known = np.isfinite(t) & np.isfinite(counter)
    order = np.argsort(t[known], kind="stable")
    t, counter = t[known][order], counter[known][order]
    is_new = np.concatenate(([True], np.diff(counter) != 0))[: len(t)]
    return t[is_new], counter[is_new]


def _hidden(borders: FloatArray, t: FloatArray, counter: FloatArray) -> FloatArray:
    """Return by how much the interpolation at each border may be wrong.

    If the rate changes once between two readings, the counter is furthest from the straight line where it
    changes: by the change times the product of the two parts of the interval over its length.
    """
    rate = np.diff(counter) / np.diff(t)
    at = np.clip(np.searchsorted(t, borders, "right") - 1, 0, len(rate) - 1)
    before, after = np.maximum(at - 1, 0), np.minimum(at + 1, len(rate) - 1)
    length = t[at + 1] - t[at]
    share = np.clip((borders - t[at]) / length, 0.0, 1.0)
    rates = np.stack((rate[before], rate[at], rate[after]))
    change = rates.max(axis=0) - rates.min(axis=0)
    hidden: FloatArray = share * (1 - share) * length * change
    return hidden
