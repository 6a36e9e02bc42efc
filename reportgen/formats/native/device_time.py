"""Steps and phases on the clock of the device: when they began, and which phases a step did not enter."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reportgen.core.model import FloatArray, IntArray
from reportgen.formats.native.integer_csv import ABSENT

BoolArray = NDArray[np.bool_]


def device_begins(begin: FloatArray, host: FloatArray, device: FloatArray, touches: BoolArray) -> FloatArray:
    """Return when the device began each step, in s on the clock of `begin`; NaN without a device time.

    begin, host  start and duration of the steps by the host; device  their durations by the device
    touches      whether a step begins where the one before ends, by the host

    The host queues work ahead of the device, so the device begins a step later than the host does. Events
    give no time of day, but neighbouring steps share their border, and no border is reached before the host
    has queued it. So the steps of a stretch are placed as early as that allows.
    """
    begins = np.full(len(begin), np.nan)
    known = np.isfinite(begin) & np.isfinite(host) & np.isfinite(device)
    if not known.any():
        return begins
    done = np.cumsum(device[known]) - device[known]  # s of the device before each step
    follows = np.concatenate(([False], known[:-1])) & touches
    starts = np.flatnonzero(~follows[known] | (np.arange(len(done)) == 0))
    least = np.maximum(begin[known] - done, (begin + host - device)[known] - done)
    zero = np.maximum.accumulate(np.maximum.reduceat(least, starts))
    begins[known] = done + np.repeat(zero, np.diff(np.append(starts, len(done))))
    return begins


def fill_not_entered(times: Sequence[FloatArray], count: IntArray, span: IntArray) -> list[FloatArray]:
    """Return the times of a phase with 0 in the steps that did not enter it; NaN stays if not measured.

    times  by each clock; count  how often a step entered the phase, ABSENT if the log does not say it: then
           it was entered if a clock has a time, and in entries of several steps nothing is known
    """
    is_known = np.isfinite(times)
    has_time = is_known.any(axis=0)
    if is_known.all() or not has_time.any():
        return list(times)
    not_entered = (count == 0) | ((count == ABSENT) & ~has_time & (span == 1))
    return [np.where(not_entered & np.isnan(time), 0.0, time) for time in times]
