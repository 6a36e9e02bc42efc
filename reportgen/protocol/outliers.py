"""Name the measured steps that take much longer or shorter than the others; all of them are measured.

A single long step is a hiccup, a stretch of slower steps is another state of the machine. Neither is a gap,
which is left out of the time, and neither is the end of the warm-up, which `check_steady` reports.
"""

import numpy as np
from msgspec import Struct

from reportgen.core.model import Finding, FloatArray
from reportgen.core.rules import Rule
from reportgen.core.stats import quantile
from reportgen.protocol.measured_run import MeasuredRun
from reportgen.protocol.steps import (
    BoolArray,
    Entries,
    array_median,
    block_medians,
    exact_sum,
    slowest_of,
    step_ranges_text,
)
from reportgen.protocol.window import MeasuredWindow

# A step is an outlier from this multiple of the median of all measured steps.
OUTLIER_FACTOR = 2
# Outliers that together cost less than this share of the measured time are not named.
OUTLIER_SHARE = 0.02

# A block of this many steps is slow if its median exceeds that of all measured steps by this share.
SLOW_BLOCK_STEPS = 10
SLOW_SHARE = 0.1

# Two levels of step times differ by this share or more, and each has so many blocks.
LEVEL_SHARE = 0.02
_MIN_LEVEL_BLOCKS = 2

# Single steps of less than this share of the median are named, if they are this few.
SHORT_SHARE = 0.5
_MAX_SHORT_SHARE = 0.02

# The median of fewer steps says little about the others.
_MIN_STEPS = 20


class _Outliers(Struct, frozen=True, eq=False):
    """The outliers among the measured steps of the slowest rank.

    usual  s of a step, the median; blocks  medians of blocks of steps
    is_slow  steps in slow stretches; is_long  other steps that are long
    """

    rank: Entries
    usual: float
    blocks: FloatArray
    is_slow: BoolArray
    is_long: BoolArray


def _find(_: MeasuredRun, window: MeasuredWindow) -> _Outliers | None:
    """Return the outliers, None if the steps cannot be compared."""
    slowest = slowest_of(window.ranks)
    # A clock coarser than the steps shows 0 for most of them.
    is_comparable = not (slowest.is_coarse or slowest.is_queued) and slowest.value.min() > 0
    if len(slowest) < _MIN_STEPS or not is_comparable:
        return None
    time = slowest.value
    usual, blocks = array_median(time), block_medians(time, SLOW_BLOCK_STEPS)
    is_slow = _in_slow_stretch(time, usual, blocks)
    # Longer ones are gaps, or have a finding as stalls.
    is_long = ~is_slow & (time > OUTLIER_FACTOR * usual) & (time <= window.protocol.gap_factor * usual)
    return _Outliers(slowest, usual, blocks, is_slow, is_long)


def outlier_steps(measured: MeasuredRun, window: MeasuredWindow) -> tuple[int, ...]:
    """Return the measured steps that take much longer than the others, also those too few for a finding."""
    outliers = measured.once(_find, window)
    return tuple(outliers.rank.last[outliers.is_slow | outliers.is_long].tolist()) if outliers else ()


def check_outliers(measured: MeasuredRun, window: MeasuredWindow) -> tuple[Finding, ...]:
    """Report long and short single steps, and stretches of slower steps, of the slowest rank."""
    outliers = measured.once(_find, window)
    if outliers is None:
        return ()
    time, steps, usual = outliers.rank.value, outliers.rank.last, outliers.usual
    is_slow, is_long = outliers.is_slow, outliers.is_long
    messages = []
    if is_slow.any():
        more = array_median(time[is_slow]) / array_median(time[~is_slow]) - 1
        where = step_ranges_text(steps[is_slow].tolist())
        messages.append(f"steps {where} take {more:.1%} more time per step than the other measured steps")
    share = exact_sum(time[is_long] - usual) / window.window.time
    if share > OUTLIER_SHARE:
        long: list[int] = steps[is_long].tolist()
        what = (
            f"{len(long)} steps ({step_ranges_text(long)}) take" if len(long) > 1 else f"step {long[0]} takes"
        )
        messages.append(
            f"{what} more than {OUTLIER_FACTOR} times the median; at the median, all steps would take "
            f"{share:.1%} less time"
        )
    (short,) = (time < SHORT_SHARE * usual).nonzero()
    if 0 < len(short) <= _MAX_SHORT_SHARE * len(time) and outliers.rank.clock != "cuda_event":
        shortest = int(short[time[short].argmin()])
        count = f"{len(short)} steps take" if len(short) > 1 else "1 step takes"
        messages.append(
            f"{count} less than half the median ({usual:.4g} s), the shortest, step {steps[shortest]}, "
            f"{time[shortest]:.4g} s: a smaller batch, or a clock that was set back"
        )
    rule, run = Rule.PROTOCOL_OUTLIERS, measured.run
    return tuple(Finding("warning", rule, run.id, message, outliers.rank.place()) for message in messages)


def check_level(measured: MeasuredRun, window: MeasuredWindow) -> tuple[Finding, ...]:
    """Report two levels of step times within the measured steps, with the steps of the shorter one.

    The medians of blocks of ten steps are cut in two groups at their largest gap. They are two levels if this
    is at least 2 %, and at least the range of each group, and if the time changes the group once or twice.
    """
    outliers = measured.once(_find, window)
    if outliers is None or outliers.is_slow.any():
        return ()
    time, steps = outliers.rank.value, outliers.rank.last
    medians = outliers.blocks
    if len(medians) < 2 * _MIN_LEVEL_BLOCKS:
        return ()
    ordered = np.sort(medians)
    cuts = range(_MIN_LEVEL_BLOCKS, len(medians) - _MIN_LEVEL_BLOCKS + 1)
    cut = max(cuts, key=lambda at: float(ordered[at] - ordered[at - 1]))
    low, high = ordered[:cut], ordered[cut:]
    apart = float(high[0] - low[-1])
    is_high = medians >= high[0]
    changes = int(np.count_nonzero(is_high[1:] != is_high[:-1]))
    if apart < max(LEVEL_SHARE * low[-1], low[-1] - low[0], high[-1] - high[0]) or changes > 2:
        return ()
    # Of equally long levels, the later one has changed.
    is_other = is_high if (len(high), not is_high[-1]) < (len(low), bool(is_high[-1])) else ~is_high
    of_steps = np.repeat(is_other, SLOW_BLOCK_STEPS)
    named, others = time[: len(of_steps)][of_steps], time[: len(of_steps)][~of_steps]
    more = array_median(named) / array_median(others) - 1
    where = step_ranges_text(steps[: len(of_steps)][of_steps].tolist())
    message = (
        f"steps {where} take {abs(more):.1%} {'more' if more > 0 else 'less'} time per step than the other "
        "measured steps"
    )
    return (Finding("warning", Rule.PROTOCOL_LEVEL_SHIFT, measured.run.id, message, outliers.rank.place()),)


def _in_slow_stretch(time: FloatArray, usual: float, medians: FloatArray) -> BoolArray:
    """Return which steps belong to slow blocks behind the first block that is not slow.

    A block is slow if its median exceeds the median of all by 10 %, and by three times the distance between
    the median and the lower quartile: that distance is the noise, and slow steps do not enter it.
    """
    if not (medians > usual + SLOW_SHARE * usual).any():  # as in most runs
        return np.zeros(len(time), dtype=bool)
    whole = len(medians) * SLOW_BLOCK_STEPS
    noise = usual - quantile(sorted(time.tolist()), 0.25)
    slow = medians > usual + max(SLOW_SHARE * usual, 3 * noise)
    slow &= np.cumsum(~slow) > 0
    return np.concatenate((np.repeat(slow, SLOW_BLOCK_STEPS), np.zeros(len(time) - whole, dtype=bool)))
