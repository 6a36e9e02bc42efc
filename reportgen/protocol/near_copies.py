"""Find edited copies: repeats with the measured step times of another repeat, shifted, scaled or shuffled.

`load.duplicates` finds copies to the last bit. A copy in which every time was moved by a nanosecond, or
multiplied, still has the noise of the original, in any order. The noise of two runs is never the same: even
where the data makes some steps longer than others in every run, the rest of the noise is their own.
"""

from collections.abc import Sequence

import numpy as np

from reportgen.core.model import STEP, Finding, FloatArray, Run
from reportgen.core.rules import Rule
from reportgen.protocol.definition import Protocol
from reportgen.protocol.measured_run import MeasuredRuns
from reportgen.protocol.steps import array_median

# Fewer steps, or fewer different times, may agree by chance.
_MIN_STEPS, _MIN_DIFFERENT = 20, 8
# Of copies, the differences are rounding only: a ten-thousandth of the noise.
_MIN_CORRELATION = 1 - 0.5e-8
# The same for the middle half of the times by size: one step that is much longer than all others correlates
# with such a step of any run.
_MAX_MISFIT = 1e-4
# In any order, more times must differ.
_MIN_UNORDERED = 20
# More repeats than these are not compared: time and memory grow with the square.
_MAX_REPEATS = 500

# First and last step, number of entries.
_Steps = tuple[int, int, int]


def find_near_copies(runs: Sequence[Run], measured: MeasuredRuns, protocol: Protocol) -> dict[int, Finding]:
    """Return the finding of each run that copies an earlier one, by its position."""
    return measured.together(_find_near_copies, runs, protocol)


def _find_near_copies(runs: Sequence[Run], measured: MeasuredRuns, protocol: Protocol) -> dict[int, Finding]:
    by_steps: dict[_Steps, list[tuple[int, FloatArray, int]]] = {}
    for position, run in enumerate(runs):
        times = _measured_times(run, measured, protocol)
        if times is not None:
            by_steps.setdefault(times[0], []).append((position, *times[1:]))
    findings = {}
    for group in by_steps.values():
        if not 1 < len(group) <= _MAX_REPEATS:
            continue
        shapes = np.array([_shape(values) for _, values, _ in group])
        alike = None
        for place, (position, _, distinct) in enumerate(group):
            fits = np.abs(shapes[:place] - shapes[place]).max(axis=1) <= _MAX_MISFIT
            if not fits.any():  # as in most cases
                continue
            if alike is None:
                alike = np.corrcoef([values for _, values, _ in group]) >= _MIN_CORRELATION
            in_order = np.flatnonzero(fits & alike[place, :place])
            shuffled = np.flatnonzero(fits) if distinct >= _MIN_UNORDERED else in_order
            if len(shuffled):
                earlier, how = (
                    (in_order, "shifted or scaled") if len(in_order) else (shuffled, "in another order")
                )
                run, original = runs[position], runs[group[int(earlier[0])][0]]
                message = f"the measured step times are the same as in {original.id}, {how}"
                findings[position] = Finding("warning", Rule.READ_DUPLICATE_RUN, run.id, message, run.source)
    return findings


def _shape(values: FloatArray) -> FloatArray:
    """Return the middle half of the times by size: from their median, in units of their range.

    All are NaN, which is like nothing, if they are equal.
    """
    quarter = len(values) // 4
    middle = np.sort(values)[quarter:-quarter]
    width = middle[-1] - middle[0]
    shape: FloatArray = (middle - array_median(middle)) / (width if width > 0 else np.nan)
    return shape


def _measured_times(
    run: Run, measured: MeasuredRuns, protocol: Protocol
) -> tuple[_Steps, FloatArray, int] | None:
    """Return the measured steps of the first rank, their times and how many differ; None if these are few."""
    own = measured.of(run)
    steps = own.series("step_time", STEP)
    window = own.window(steps, protocol) if steps else None
    if window is None:
        return None
    rank = window.ranks[0]
    values = rank.value
    if len(values) < _MIN_STEPS or (distinct := len(set(values.tolist()))) < _MIN_DIFFERENT:
        return None
    return (int(rank.first[0]), int(rank.last[-1]), len(values)), values, distinct
