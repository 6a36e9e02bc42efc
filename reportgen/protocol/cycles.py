"""The SM clock during the measured steps of a run: with it, seconds become cycles.

A step that takes the same number of cycles and more seconds ran at a lower clock: the device was too hot,
capped, or set otherwise. So a ratio in cycles shows whether the clocks or the code made the difference.

The cycles of a window are its time x the mean clock over that time. A clock that changed within the window
does no harm, because each sample counts for the measured time around it. Ranks wait for the slowest
device, so of several devices the one with the lowest mean counts.
"""

import numpy as np

from reportgen.core.model import STEP, Case, FloatArray
from reportgen.protocol.definition import Protocol
from reportgen.protocol.measured_run import MeasuredRun, MeasuredRuns
from reportgen.protocol.steps import Entries, exact_sum
from reportgen.protocol.timeline import during, measured_before, time_span
from reportgen.protocol.used_devices import find_used_devices

_METRIC = "sm_clock"

# The mean clock of a window needs samples over at least this share of the measured time.
_MIN_SEEN_SHARE = 0.5


def sm_clocks(case: Case, measured: MeasuredRuns, protocol: Protocol) -> tuple[float, ...]:
    """Return the mean SM clock (Hz) during the measured steps of each repeat of a case, in their order.

    Empty unless every repeat has one.
    """
    clocks = [sm_clock(measured.of(each.run), protocol) for each in case.measurements if each.window]
    known = tuple(clock for clock in clocks if clock is not None)
    return known if len(known) == len(case.measurements) else ()


def sm_clock(measured: MeasuredRun, protocol: Protocol) -> float | None:
    """Return the mean SM clock (Hz) of the slowest device of a run during its measured steps.

    None if it was not sampled over most of them on every device that the run used.
    """
    run = measured.run
    used = find_used_devices(run, _METRIC)
    is_known = used.devices and not used.unsampled and not used.surplus
    # Without the number of ranks, the log does not show which of several devices was used.
    is_known = is_known and (run.ranks is not None or len(used.devices) == 1)
    steps = measured.series("step_time", STEP) if is_known else ()
    window = measured.window(steps, protocol) if steps else None
    if window is None or time_span(window) is None:
        return None
    means = [_mean(device.t, device.columns[_METRIC], window.ranks[0]) for device in used.devices]
    return min(means) if np.isfinite(means).all() else None


def _mean(t: FloatArray, clock: FloatArray, rank: Entries) -> float:
    """Return the mean over the measured time, NaN if too little of it was seen.

    A sample stands for the measured time that is nearer to it than to its neighbours, but not for more than
    the usual interval on either side.
    """
    known = np.isfinite(t) & (clock > 0) & during(t, rank)
    order = np.argsort(t[known], kind="stable")
    times, values = t[known][order], clock[known][order]
    if len(times) < 2:
        return np.nan
    half = np.minimum(np.diff(times) / 2, np.median(np.diff(times)))
    before, after = (np.concatenate(parts) for parts in ((half[:1], half), (half, half[-1:])))
    seconds = measured_before(times + after, rank) - measured_before(times - before, rank)
    seen = exact_sum(seconds)
    if not seen >= _MIN_SEEN_SHARE * exact_sum(rank.value):
        return np.nan
    return exact_sum(values * seconds) / seen
