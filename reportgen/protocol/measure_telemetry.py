"""Reduce the telemetry of a run's devices to one number: over the window, then over the devices.

Samples lie on the clock of the steps where both were recorded together; then only those taken
during the measured steps count. Where the clocks do not meet (a monitor that ran beside the job)
all samples are used, and a finding says so. Mean, maximum or difference is the metric's own choice;
a counter that has run since the driver was loaded says nothing without a window.
"""

import functools
import operator
from collections.abc import Sequence

import numpy as np

from reportgen.core.metrics import metric as metric_of
from reportgen.core.model import STEP, Evidence, Finding, FloatArray, Measurement, Run, Telemetry
from reportgen.core.rules import Rule
from reportgen.protocol import measure_energy, telemetry_checks
from reportgen.protocol.available import ENERGY_PER_SAMPLE, series_of, unit_of
from reportgen.protocol.definition import Protocol
from reportgen.protocol.steps import Entries, total
from reportgen.protocol.timeline import during, time_span
from reportgen.protocol.window import lay


def reduce(run: Run, metric: str, protocol: Protocol) -> tuple[Measurement, bool] | Finding | None:
    """Return the metric over all devices and whether the window was full.

    None without a sample at all; samples that give no number are a finding that says why.
    """
    if metric == ENERGY_PER_SAMPLE:
        return measure_energy.per_sample(run, protocol)
    with_column = [one for one in run.telemetry if metric in one.columns]
    sampled = [one for one in with_column if np.isfinite(one.columns[metric]).any()]
    if not sampled:
        return None
    steps = series_of(run, "step_time", STEP)
    laid = lay(run, steps, protocol) if steps else None
    is_placed = laid is not None and time_span(laid) is not None and all(map(_has_times, sampled))
    found = [_samples(one, metric, laid.ranks[0] if laid and is_placed else None) for one in sampled]
    value, why = _over_devices(found, metric, is_placed=is_placed)
    if why:
        return Finding(
            "warning", Rule.PROTOCOL_NO_NUMBER, run.id, f"{metric} of the devices: {why}", run.source
        )
    evidence: Evidence = "steps" if is_placed else "intervals"
    unplaced = _unplaced(run, metric, sum(map(len, found)), has_steps=bool(steps))
    findings = telemetry_checks.of_run(run, laid) if laid and is_placed else (unplaced,)
    window = laid.window if laid and is_placed else None
    sources = tuple(dict.fromkeys(one.source for one in sampled))
    is_full = laid.is_full if laid else not steps
    return Measurement(run, value, evidence, window, sources, findings, unit_of(run, metric)), is_full


def _over_devices(found: Sequence[FloatArray], metric: str, *, is_placed: bool) -> tuple[float, str]:
    """Return the value over all devices, and why there is none ("" where there is one)."""
    if metric_of(metric).reduction == "difference":
        return _counted(found) if is_placed else (np.nan, "a counter, and no window tells from when to when")
    taken = [values.tolist() for values in found if len(values)]
    if not taken:
        return np.nan, "none of the samples was taken during the measured steps"
    value = _reduced([_reduced(values, metric) for values in taken], metric)
    return value, "" if np.isfinite(value) else "the samples have no finite mean"


def _counted(found: Sequence[FloatArray]) -> tuple[float, str]:
    """Return what the counters of all devices rose by, from the first sample of the window to the last."""
    if min(map(len, found)) < 2:
        return np.nan, "a counter with fewer than two samples during the measured steps"
    if any((np.diff(values) < 0).any() for values in found):
        return np.nan, "the counter was set back during the measured steps"
    value = total(float(values[-1] - values[0]) for values in found)
    return value, "" if np.isfinite(value) else "the samples have no finite difference"


def _has_times(one: Telemetry) -> bool:
    return bool(np.isfinite(one.t).any())


def _samples(one: Telemetry, metric: str, measured: Entries | None) -> FloatArray:
    values = one.columns[metric]
    keep = np.isfinite(values)
    if measured is not None:
        keep &= during(one.t, measured)
    taken: FloatArray = values[keep]
    return taken


def _reduced(values: Sequence[float], metric: str) -> float:
    match metric_of(metric).reduction:
        case "max":
            return max(values)
        case "union":
            return float(functools.reduce(operator.or_, map(int, values)))
    return total(values) / len(values)


def _unplaced(run: Run, metric: str, count: int, *, has_steps: bool) -> Finding:
    why = "their clock is not the steps'" if has_steps else "there are no steps to lay a window over"
    message = f"{metric} over all {count} samples of the log: {why}"
    return Finding("note", Rule.PROTOCOL_COARSE_INTERVAL, run.id, message, run.source)
