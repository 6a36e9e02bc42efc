"""Number the steps of logs that begin anew in every epoch, mix the lines of several ranks, or end early."""

from dataclasses import replace

import numpy as np

from reportgen.model import Break, Finding, FloatArray, IntArray, Run


def over_epochs(epoch: IntArray, index: IntArray) -> tuple[IntArray, tuple[Break, ...]]:
    """Return step numbers that go on over the epochs, and a break at each border.

    index  number within the epoch, from 1

    How long an epoch is, such logs do not say: it is taken to end with its last record.
    """
    step, breaks, offset = index.copy(), list[Break](), 0
    numbers, first = np.unique(epoch, return_index=True)
    for position, number in enumerate(numbers[np.argsort(first, kind="stable")]):
        mine = epoch == number
        if position:
            breaks.append(Break(offset, "epoch"))
        step[mine] += offset
        offset += int(index[mine].max())
    return step, tuple(breaks)


def occurrences(step: IntArray) -> IntArray:
    """Return how many records before each one have the same step: a rank, where nothing else tells it."""
    order = np.argsort(step, kind="stable")
    ordered = step[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))
    lengths = np.diff(np.append(starts, len(step)))
    count = np.empty(len(step), dtype=np.int64)
    count[order] = np.arange(len(step)) - np.repeat(starts, lengths)
    return count


def ranks_by_running_mean(index: IntArray, value: FloatArray, mean: FloatArray, rounding: float) -> IntArray:
    """Return the rank of each record of interleaved ranks that print a value and its mean since index 0.

    index  number of the value, from 0, all of one epoch; rounding  half a unit of the last printed digit

    Nothing names the rank of such a line, but the mean of a rank's next line follows from its last one:
    mean' x (index' + 1) = mean x (index + 1) + value'. Where lines are missing between the two, the mean of
    what is missing must be that of steps (within a factor of 4 of their neighbours). A line that continues no
    rank begins one.
    """
    ranks = np.zeros(len(index), dtype=np.int64)
    open_ranks: list[tuple[int, float, float]] = []
    for position, (at, new, average) in enumerate(
        zip(index.tolist(), value.tolist(), mean.tolist(), strict=True)
    ):
        fits = [(_misfit(last, at, new, average, rounding), rank) for rank, last in enumerate(open_ranks)]
        misfit, rank = min(fits, default=(np.inf, 0))
        if misfit > 1:
            rank = len(open_ranks)
            open_ranks.append((at, average, new))
        open_ranks[rank] = (at, average, new)
        ranks[position] = rank
    return ranks


def _misfit(last: tuple[int, float, float], at: int, value: float, mean: float, rounding: float) -> float:
    """Return how badly a record continues a rank: up to 1 it can be explained, the least is best."""
    before, mean_before, value_before = last
    missing = at - before - 1
    if missing < 0:
        return np.inf
    unexplained = mean * (at + 1) - mean_before * (before + 1) - value
    slack = rounding * (at + before + 3) * 1.05
    if not missing:
        return abs(unexplained) / slack if slack > 0 else np.inf
    low, high = min(value, value_before) / 4, max(value, value_before) * 4
    is_like_steps = low * missing - slack <= unexplained <= high * missing + slack
    # A gapless continuation of another rank is always the better explanation.
    return 1 - 1 / (1 + missing) if is_like_steps else np.inf


def shortened(run: Run, last: int, planned: int | None) -> Run:
    """Return a run that is complete as far as its log shows as partial if fewer steps are there than planned.

    last  the last step in the log; planned  how many the log itself says there should be, None if it does not
    """
    if run.status != "complete" or not planned or last >= planned:
        return run
    message = f"the log ends at step {last} of {planned}"
    finding = Finding("warning", "read.incomplete-run", run.id, message, run.source)
    return replace(run, status="partial", findings=(*run.findings, finding))
