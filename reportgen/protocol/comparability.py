"""What a number was measured with, besides the factors of its case.

Factors are the experimenter's choices. A log says more: how much work a step was, how many ranks ran, on
which device, by which clock. Runs that differ in one of these are no repeats of each other, whatever their
factors say.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from reportgen.core.model import STEP, FactorValue, Measurement, Run

# Repeats must agree in these.
WORK, RANKS, DEVICE, CLOCK = "samples_per_step", "ranks", "device_model", "clock"
OF_REPEATS = (WORK, RANKS, DEVICE, CLOCK)

_DEVICE_NAME = re.compile(r"gpu(?:_name|\.name|\.[^.]+\.name)?|torch\.device|device(?:_name)?", re.IGNORECASE)

# What a clock measures. Printed rates and timestamps are of the host; only events are the device's own.
_CLOCK_KINDS: Mapping[str, str] = {"cuda_event": "device", "host": "host", "host_synchronized": "host"}


def conditions_of_run(run: Run) -> dict[str, FactorValue]:
    """Return what a run says about its work, ranks and device model; nothing for what it does not say."""
    work = _work(run)
    devices = {
        # Newer drivers put the maker before the name.
        str(value).removeprefix("NVIDIA ").strip()
        for name, value in run.environment.items()
        if _DEVICE_NAME.fullmatch(name) and value != ""
    }
    conditions: dict[str, FactorValue] = {}
    if work is not None:
        conditions[WORK] = int(work) if work % 1 == 0 else work
    if run.ranks is not None:
        conditions[RANKS] = run.ranks
    if devices:
        conditions[DEVICE] = " + ".join(sorted(devices))
    return conditions


def conditions_of(measurement: Measurement) -> dict[str, FactorValue]:
    """Return the conditions of the run, and the clock of the measurement."""
    clock = _CLOCK_KINDS.get(measurement.clock)
    return {**conditions_of_run(measurement.run), **({CLOCK: clock} if clock else {})}


def differing(conditions: Sequence[Mapping[str, FactorValue]], names: Iterable[str]) -> list[str]:
    """Return the names for which two of the conditions say different things."""
    return [name for name in names if len({each[name] for each in conditions if name in each}) > 1]


def _work(run: Run) -> float | None:
    """Return the samples in a step over all ranks, None if the log does not say it or steps differ in it."""
    per_rank = []
    for series in run.series:
        if series.metric != "step_time" or series.phase != STEP or not np.isfinite(series.samples).any():
            continue
        known = np.isfinite(series.samples) & (series.span > 0)
        each = np.unique(series.samples[known] / series.span[known])
        if len(each) > 1:
            return None
        per_rank.append((series.clock, series.rank, float(each[0])))
    if not per_rank:
        return run.samples_per_step
    clock = per_rank[0][0]
    return sum(work for of, _, work in per_rank if of == clock)
