"""Where the measured steps lie in time: which samples of a device were taken during them.

A laid window goes in, moments on the run's clock come out. Between the first and the last measured
step there may be evaluations, checkpoints and gaps, which are no step time: samples taken there say nothing
of the steps.
"""

import numpy as np

from reportgen.core.model import FloatArray
from reportgen.protocol.steps import BoolArray, Entries
from reportgen.protocol.window import Laid

# Begins and durations are read from the same nanoseconds and meet to within what floats lose of them.
_CLOSE = 1e-6


def time_span(laid: Laid) -> tuple[float, float] | None:
    """Return begin and end of the window in s on the run's clock, None if the log does not know them."""
    rank = laid.ranks[0]
    begin, end = float(rank.begin[0]), float(rank.begin[-1] + rank.value[-1])
    return (begin, end) if np.isfinite(begin) and np.isfinite(end) else None


def during(t: FloatArray, rank: Entries) -> BoolArray:
    """Return which of the moments lie within a measured step of the rank."""
    begin, end = _borders(rank)
    if not len(begin):
        return np.zeros(len(t), dtype=bool)
    at = np.searchsorted(begin, t + _CLOSE, "right") - 1
    inside: BoolArray = (at >= 0) & (t <= end[np.maximum(at, 0)] + _CLOSE)
    return inside


def measured_before(t: FloatArray, rank: Entries) -> FloatArray:
    """Return for each moment the s of measured steps that lie before it."""
    begin, end = _borders(rank)
    if not len(begin):
        return np.zeros(len(t))
    passed = np.concatenate(([0.0], np.cumsum(end - begin)))
    edges = np.column_stack((begin, end)).reshape(-1)
    before: FloatArray = np.interp(t, edges, np.column_stack((passed[:-1], passed[1:])).reshape(-1))
    return before


def _borders(rank: Entries) -> tuple[FloatArray, FloatArray]:
    """Return begin and end of the steps that have both, ascending; none reaches into the next."""
    known = np.isfinite(rank.begin) & np.isfinite(rank.value)
    order = np.argsort(rank.begin[known], kind="stable")
    begin: FloatArray = rank.begin[known][order]
    end: FloatArray = begin + rank.value[known][order]
    end[:-1] = np.minimum(end[:-1], begin[1:])
    return begin, end
