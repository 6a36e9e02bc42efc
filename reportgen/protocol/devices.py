"""Reduce the telemetry of a run's devices to one number: over the window, then over the devices.

Samples lie on the clock of the steps where both were recorded together; then only those taken
during the measured steps count. Where the clocks do not meet (a monitor that ran beside the job)
all samples are used, and a finding says so. Mean or maximum is the metric's own choice.
"""

from collections.abc import Sequence

import numpy as np

from reportgen.metrics import metric as metric_of
from reportgen.model import STEP, Evidence, Finding, FloatArray, Measurement, Run, Telemetry
from reportgen.protocol.entries import total
from reportgen.protocol.evidence import series_of
from reportgen.protocol.rule import Protocol
from reportgen.protocol.window import Laid, lay


def reduce(run: Run, metric: str, protocol: Protocol) -> tuple[Measurement, bool] | None:
    """Return the metric over all devices and whether the window was full; None without a sample."""
    sampled = [one for one in run.telemetry if metric in one.columns]
    if not sampled:
        return None
    steps = series_of(run, "step_time", STEP)
    laid = lay(run, steps, protocol) if steps else None
    span = _time_span(laid) if laid and all(np.isfinite(one.t).any() for one in sampled) else None
    found = [values for one in sampled if len(values := _samples(one, metric, span))]
    if not found:
        return None
    value = _reduced([_reduced(values.tolist(), metric) for values in found], metric)
    if not np.isfinite(value):
        return None
    evidence: Evidence = "steps" if span else "intervals"
    findings = () if span else (_unplaced(run, metric, sum(map(len, found)), has_steps=bool(steps)),)
    window = laid.window if laid and span else None
    sources = tuple(dict.fromkeys(one.source for one in sampled))
    is_full = laid.is_full if laid else not steps
    return Measurement(run, value, evidence, window, sources, findings), is_full


def _time_span(laid: Laid) -> tuple[float, float] | None:
    """Return begin and end of the window in s on the run's clock, None if the log does not know them."""
    rank = laid.ranks[0]
    begin, end = float(rank.begin[0]), float(rank.begin[-1] + rank.value[-1])
    return (begin, end) if np.isfinite(begin) and np.isfinite(end) else None


def _samples(one: Telemetry, metric: str, span: tuple[float, float] | None) -> FloatArray:
    values = one.columns[metric]
    keep = np.isfinite(values)
    if span:
        keep &= (one.t >= span[0]) & (one.t <= span[1])
    taken: FloatArray = values[keep]
    return taken


def _reduced(values: Sequence[float], metric: str) -> float:
    return max(values) if metric_of(metric).reduction == "max" else total(values) / len(values)


def _unplaced(run: Run, metric: str, count: int, *, has_steps: bool) -> Finding:
    why = "their clock is not the steps'" if has_steps else "there are no steps to lay a window over"
    message = f"{metric} over all {count} samples of the log: {why}"
    return Finding("note", "protocol.coarse-interval", run.id, message, run.source)
