"""The times of a run: how long it took, and which samples of a device were taken during measured steps.

There may be evaluations, checkpoints and gaps between the first and the last measured step.
They are not step time, and samples taken in them say nothing about the steps.
"""

import math
from collections.abc import Sequence

import numpy as np

from reportgen.core.model import STEP, FloatArray, Run, Series
from reportgen.protocol.steps import BoolArray, Entries, exact_sum
from reportgen.protocol.window import MeasuredWindow

# Begins and durations come from the same nanoseconds; they differ by floating-point rounding only.
_ROUNDING_SECONDS = 1e-6


def time_span(window: MeasuredWindow) -> tuple[float, float] | None:
    """Return begin and end of the window in s on the run's clock, None if the log does not have them."""
    rank = window.ranks[0]
    begin, end = float(rank.begin[0]), float(rank.begin[-1] + rank.value[-1])
    return (begin, end) if np.isfinite(begin) and np.isfinite(end) else None


def during(t: FloatArray, rank: Entries) -> BoolArray:
    """Return which of the times are within a measured step of the rank."""
    begin, end = _borders(rank)
    if not len(begin):
        return np.zeros(len(t), dtype=bool)
    at = np.searchsorted(begin, t + _ROUNDING_SECONDS, "right") - 1
    inside: BoolArray = (at >= 0) & (t <= end[np.maximum(at, 0)] + _ROUNDING_SECONDS)
    return inside


def measured_before(t: FloatArray, rank: Entries) -> FloatArray:
    """Return for each time the seconds of measured steps before it."""
    begin, end = _borders(rank)
    if not len(begin):
        return np.zeros(len(t))
    passed = np.concatenate(([0.0], np.cumsum(end - begin)))
    edges = np.column_stack((begin, end)).reshape(-1)
    before: FloatArray = np.interp(t, edges, np.column_stack((passed[:-1], passed[1:])).reshape(-1))
    return before


def stretches_of(rank: Entries) -> tuple[FloatArray, FloatArray]:
    """Return begin and end of the stretches of measured steps that follow each other without a gap, in s."""
    begin, end = _borders(rank)
    joined = begin[1:] <= end[:-1] + _ROUNDING_SECONDS
    starts = np.concatenate(([True], ~joined))[: len(begin)]
    stops = np.concatenate((~joined, [True]))[: len(begin)]
    return begin[starts], end[stops]


def _borders(rank: Entries) -> tuple[FloatArray, FloatArray]:
    """Return begin and end of the steps that have both, ascending and without overlap."""
    known = np.isfinite(rank.begin) & np.isfinite(rank.value)
    order = np.argsort(rank.begin[known], kind="stable")
    begin: FloatArray = rank.begin[known][order]
    end: FloatArray = begin + rank.value[known][order]
    end[:-1] = np.minimum(end[:-1], begin[1:])
    return begin, end


def run_duration(run: Run) -> float | None:
    """Return the seconds from start to end of a run, else of its steps; None if the log has neither.

    Without the start and end of the run, the time before the first step is unknown and left out.
    """
    if run.started is not None and run.ended is not None and run.ended > run.started:
        return run.ended - run.started
    times = [series for series in run.series if series.metric == "step_time" and len(series.value)]
    steps = [series for series in times if series.phase == STEP]
    by_rank: dict[tuple[int, str], list[Series]] = {}
    for series in steps or times:
        by_rank.setdefault((series.rank, series.clock), []).append(series)
    durations = [each for parts in by_rank.values() if (each := _duration(parts)) > 0]
    return max(durations, default=None)


def _duration(parts: Sequence[Series]) -> float:
    """Return the time from the first to the last step of one rank; the sum of the steps without a clock."""
    begin = min(float(part.begin[0]) for part in parts)
    end = max(float(part.begin[-1] + part.value[-1]) for part in parts)
    if math.isfinite(end - begin) and end > begin:
        return end - begin
    seconds = exact_sum(exact_sum(part.value[np.isfinite(part.value)]) for part in parts)
    pauses = {pause for part in parts for pause in part.breaks if math.isfinite(pause.duration)}
    return seconds + exact_sum(pause.duration for pause in pauses)
