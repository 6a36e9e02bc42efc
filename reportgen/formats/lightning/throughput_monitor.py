"""Turn the columns of Lightning's ThroughputMonitor into steps and printed rates.

`train/time` is cumulative since training began, synchronised with the device and without validation;
`train/samples` is cumulative per device. Their differences between rows are honest intervals. The rates are
over the last 100 batches and absent until so many were seen. Global keys are written for more than one
device only, and tell how many there are.
"""

import numpy as np

from reportgen.core.model import FloatArray, IntArray, Series, Source
from reportgen.formats.lightning.metrics_csv import Metrics

_TIME, _BATCHES, _SAMPLES = "train/time", "train/batches", "train/samples"
_RATE, _GLOBAL_RATE = "train/device/samples_per_sec", "train/samples_per_sec"
KEYS = frozenset((_TIME, _BATCHES, _RATE, "train/device/batches_per_sec"))
_WINDOW = 100


def throughput(metrics: Metrics, source: Source) -> tuple[tuple[Series, ...], int]:
    """Return the intervals and the rates over all devices, and the number of devices, 0 if unknown."""
    time, batches = metrics.column(_TIME), metrics.column(_BATCHES)
    devices = _devices(metrics)
    logged = np.flatnonzero(np.isfinite(time) & np.isfinite(batches) & (batches >= 1) & (batches < 2**53))
    # A resumed run counts on; rows that go back are repetitions.
    most = np.maximum.accumulate(batches[logged])
    logged = logged[np.diff(most, prepend=0) > 0]
    if not len(logged):
        return (), devices
    step = batches[logged].astype(np.int64)
    series = [_intervals(metrics, source, logged, step, max(devices, 1))]
    rates = metrics.column(_RATE)[logged] * max(devices, 1)
    known = np.isfinite(rates)
    if known.any():
        nothing = np.full(int(known.sum()), np.nan)
        series.append(
            Series(
                "throughput",
                clock="printed",
                step=step[known],
                span=np.minimum(step[known], _WINDOW),
                begin=nothing,
                value=rates[known],
                samples=nothing,
                line=metrics.line[logged][known],
                source=source,
            )
        )
    return tuple(series), devices


def _intervals(metrics: Metrics, source: Source, logged: IntArray, step: IntArray, devices: int) -> Series:
    time: FloatArray = metrics.column(_TIME)[logged]
    samples: FloatArray = metrics.column(_SAMPLES)[logged] * devices
    begin = np.concatenate(([0.0], time[:-1]))
    return Series(
        "step_time",
        clock="host_synchronized",
        step=step,
        span=np.diff(step, prepend=0),
        begin=begin,
        value=time - begin,
        samples=np.diff(samples, prepend=0.0),
        line=metrics.line[logged],
        source=source,
    )


def _devices(metrics: Metrics) -> int:
    """Return the number of devices: how many times the rate of one the rate of all is."""
    if _RATE not in metrics.names:
        return 0
    if _GLOBAL_RATE not in metrics.names:
        return 1
    ratios = metrics.column(_GLOBAL_RATE) / metrics.column(_RATE)
    ratios = ratios[np.isfinite(ratios)]
    ratio = float(np.median(ratios)) if len(ratios) else 0.0
    return round(ratio) if 0.5 < ratio < 1e6 else 0
