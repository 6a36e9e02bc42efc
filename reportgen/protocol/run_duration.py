"""How long a run took, to say what more repeats cost."""

import math
from collections.abc import Sequence

import numpy as np

from reportgen.core.model import STEP, Run, Series
from reportgen.protocol.steps import exact_sum


def run_duration(run: Run) -> float | None:
    """Return the seconds from start to end of a run, else those of its steps; None if the log has neither.

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
