"""The SM clock during the measured steps of a run: with it, seconds become cycles.

A step that takes the same number of cycles and more seconds ran at a lower clock: the device was too hot,
capped, or set otherwise. So a ratio in cycles shows whether the clocks or the code made the difference.

The cycles of a window are its time x the mean clock over that time. A clock that changed within the window
does no harm, because each sample counts for the measured time around it. Ranks wait for the slowest
device, so of several devices the one with the lowest mean counts.
"""

from collections.abc import Sequence

import numpy as np

from reportgen.core.model import STEP, Case, FloatArray, Run, Telemetry
from reportgen.protocol.available import series_of
from reportgen.protocol.definition import Protocol
from reportgen.protocol.measured_run import MeasuredRun, MeasuredRuns
from reportgen.protocol.steps import Entries, exact_sum
from reportgen.protocol.timeline import during, measured_before, time_span

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
    steps = series_of(run, "step_time", STEP)
    devices = _used_devices(run) if steps else ()
    window = measured.window(steps, protocol) if devices else None
    if window is None or time_span(window) is None:
        return None
    means = [_mean(device.t, device.columns[_METRIC], window.ranks[0]) for device in devices]
    return min(means) if np.isfinite(means).all() else None


def _used_devices(run: Run) -> Sequence[Telemetry]:
    """Return the sampled devices that the ranks used; none if the log does not say which these are."""
    sampled = [device for device in run.telemetry if _METRIC in device.columns]
    names = {run.environment.get(f"rank.{rank}.device_uuid") for rank in range(run.ranks or 0)}
    if names and None not in names:
        used = [device for device in sampled if device.device in names]
        return used if len(used) == len(names) else ()
    return sampled if len(sampled) == (run.ranks or 1) else ()


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
