"""Number the steps of logs that restart in every epoch, mix the lines of several ranks, or end early."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from reportgen.core.model import Break, Finding, FloatArray, IntArray, Run
from reportgen.core.rules import Rule

# No node has more ranks.
MAX_RANKS = 256
# Bounds the time for a log of other lines.
_MAX_COMPARED_RANKS = 32
_MAX_STEP = 10**12
_Line = tuple[int, float, float]  # index, value, mean


def over_epochs(epoch: IntArray, index: IntArray) -> tuple[IntArray, tuple[Break, ...]]:
    """Return step numbers that continue over the epochs, and a break at each border.

    index  number within the epoch, from 1; the last record of an epoch is taken to be its last step
    """
    if not len(index):
        return index.copy(), ()
    index = np.minimum(index, _MAX_STEP)
    _, first, number = np.unique(epoch, return_index=True, return_inverse=True)
    lengths = np.zeros(len(first), dtype=np.int64)
    np.maximum.at(lengths, number, index)
    order = np.argsort(first, kind="stable")
    ends = np.cumsum(lengths[order])
    offsets = np.empty(len(first), dtype=np.int64)
    offsets[order] = ends - lengths[order]
    return index + offsets[number], tuple(Break(int(end), "epoch") for end in ends[:-1])


def count_on(epoch: IntArray, iteration: IntArray) -> tuple[IntArray, tuple[Break, ...]]:
    """Return step numbers from 1 that continue over the epochs, and a break at each border.

    iteration  restarts in each epoch or continues, from 0 or from 1; 19 and 39 are the last of twenty from 0
    """
    if not len(iteration):
        return iteration, ()
    (borders,) = (epoch[1:] != epoch[:-1]).nonzero()
    others = iteration[iteration != iteration[0]]
    is_last_of_stride = len(others) and others[0] - iteration[0] == iteration[0] + 1 > 2
    step = iteration + int(iteration.min() == 0 or is_last_of_stride)
    if not len(borders):
        return step, ()
    restarts = borders[iteration[borders + 1] <= iteration[borders]]
    added = np.zeros(len(iteration), dtype=np.int64)
    added[restarts + 1] = step[restarts]
    step += added.cumsum()
    return step, tuple(Break(last, "epoch") for last in step[borders].tolist())


def occurrences(step: IntArray) -> IntArray:
    """Return how many earlier records have the same step, below MAX_RANKS: the rank, if none is printed."""
    order = np.argsort(step, kind="stable")
    ordered = step[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))
    lengths = np.diff(np.append(starts, len(step)))
    count = np.empty(len(step), dtype=np.int64)
    count[order] = np.arange(len(step)) - np.repeat(starts, lengths)
    return np.minimum(count, MAX_RANKS - 1)


def ranks_by_running_mean(index: IntArray, value: FloatArray, mean: FloatArray, rounding: float) -> IntArray:
    """Return the rank of each record of interleaved ranks that print a value and its mean since index 0.

    index     number of the value, from 0, all of one epoch
    rounding  half a unit of the last printed digit

    Such lines do not name the rank, but the mean of a rank's next line follows from its last one:
    mean' x (index' + 1) = mean x (index + 1) + value'. If lines are missing between the two, the mean of the
    missing values must be within a factor of 4 of their neighbours. A line that continues no rank starts one.
    """
    ranks = np.zeros(len(index), dtype=np.int64)
    last: list[_Line] = []
    by_index: dict[int, set[int]] = {}
    for position, line in enumerate(zip(index.tolist(), value.tolist(), mean.tolist(), strict=True)):
        # The line before is nearly always there; compare with other ranks only if it is missing.
        rank = _continued(by_index.get(line[0] - 1, ()), last, line, rounding)
        if rank is None:
            rank = _continued(range(len(last)), last, line, rounding)
        if rank is None:
            rank = min(len(last), MAX_RANKS - 1)
        if rank == len(last):
            last.append(line)
        by_index.get(last[rank][0], set()).discard(rank)
        by_index.setdefault(line[0], set()).add(rank)
        last[rank] = line
        ranks[position] = rank
    return ranks


def _continued(candidates: Iterable[int], last: Sequence[_Line], line: _Line, rounding: float) -> int | None:
    """Return the rank that a line continues best, None if it continues none of them."""
    fits = ((_misfit(last[rank], line, rounding), rank) for rank in candidates)
    misfit, rank = min(islice(fits, _MAX_COMPARED_RANKS), default=(np.inf, 0))
    return rank if misfit <= 1 else None


def _misfit(last: _Line, line: _Line, rounding: float) -> float:
    """Return how badly a line continues a rank; rounding and missing lines explain up to 1."""
    (before, value_before, mean_before), (at, value, mean) = last, line
    missing = at - before - 1
    if missing < 0:
        return np.inf
    unexplained = mean * (at + 1) - mean_before * (before + 1) - value
    slack = rounding * (at + before + 3) * 1.05
    if not missing:
        return abs(unexplained) / slack
    low, high = min(value, value_before) / 4, max(value, value_before) * 4
    is_like_steps = low * missing - slack <= unexplained <= high * missing + slack
    return 1 - 1 / (1 + missing) if is_like_steps else np.inf


def shortened(run: Run, last: int, planned: int | None) -> Run:
    """Return a complete run as partial if its log has fewer steps than the program planned.

    last     the last step in the log
    planned  steps that the log announces, None if it announces none
    """
    if run.status != "complete" or not planned or last >= planned:
        return run
    message = f"the log ends at step {last} of {planned}"
    finding = Finding("warning", Rule.READ_INCOMPLETE_RUN, run.id, message, run.source)
    return replace(run, status="partial", findings=(*run.findings, finding))
