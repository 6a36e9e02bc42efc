"""Reduce the telemetry of a run's devices to one number: over the window, then over the devices.

If steps and samples share a clock, only samples taken during the measured steps count. If not (a
monitor that ran beside the job), all samples count, and a finding says so. The metric chooses mean,
maximum or difference. A counter that has run since the driver was loaded needs a window.

The metric energy is interpolated at the borders of the window (`counters`). Where its counter is too coarse
for that, it is the mean power of the samples times the measured time. Its uncertainty widens the interval of
the case, and is a finding if it is large.

Energy per sample comes from the devices' energy counters. A counter is read every so often, and its
readings rarely meet the borders of the window. So its rise is taken over the time between readings that
are entirely in measured steps. That gives the mean power of a device, and this power times the time of
the window is the energy of the work done in it.
"""

import functools
import math
import operator
from collections.abc import Sequence

import numpy as np

from reportgen.core.metrics import metric_of
from reportgen.core.model import STEP, Evidence, Finding, FloatArray, Measurement, Run, Telemetry
from reportgen.core.rules import Rule
from reportgen.protocol.available import ENERGY, ENERGY_PER_SAMPLE, unit_of
from reportgen.protocol.counters import UNKNOWN, CounterRise, interpolated_rise, new_values
from reportgen.protocol.measure_steps import Measured, MeasureRequest
from reportgen.protocol.steps import Entries, exact_sum
from reportgen.protocol.telemetry_checks import check_telemetry
from reportgen.protocol.timeline import during, measured_before, time_span
from reportgen.protocol.used_devices import find_used_devices

CPU_ENERGY = "cpu_energy"

# The mean power of a window needs readings over at least this share of the measured time.
_MIN_SEEN_SHARE = 0.5
# An uncertainty of the energy beyond this share is named.
_NAMED_ERROR = 0.01
# Two readings are in one stretch of measured steps if at least this share of the time between them is.
_SAME_STRETCH_SHARE = 0.999


def try_telemetry(request: MeasureRequest) -> Measured | Finding | None:
    """Return the metric over all devices; a finding if the samples give no number, None without samples."""
    if request.metric == ENERGY_PER_SAMPLE:
        return _energy_per_sample(request)
    run, metric = request.run, request.metric
    used = find_used_devices(run, metric)
    sampled = used.devices
    if not sampled:
        return None
    is_sum = metric_of(metric).reduction == "difference"
    if why := used.surplus or (used.unsampled if is_sum else ""):
        return _no_number(run, f"{metric} of the devices: {why}")
    steps = request.measured.series("step_time", STEP)
    window = request.window(steps)
    is_placed = window is not None and time_span(window) is not None and all(map(_has_times, sampled))
    rank = window.ranks[0] if window and is_placed else None
    samples = [_samples(device, metric, rank) for device in sampled]
    error = 0.0
    if metric in (ENERGY, CPU_ENERGY) and rank is not None:
        value, error, why = _energy(sampled, rank, metric)
    else:
        value, why = _over_devices(samples, metric, is_placed=is_placed)
    if why:
        return _no_number(run, f"{metric} of the devices: {why}")
    share = error / value if value > 0 else 0.0
    unplaced = _unplaced(run, metric, sum(map(len, samples)), used.unsampled, has_steps=bool(steps))
    measurement = Measurement(
        run,
        value,
        "steps" if is_placed else "intervals",
        window.window if window and is_placed else None,
        sources=tuple(dict.fromkeys(device.source for device in sampled)),
        findings=(
            (*request.measured.check(check_telemetry, window), *_uncertain(run, share))
            if window and is_placed
            else (unplaced,)
        ),
        unit=unit_of(run, metric),
        clock_error=share,
    )
    return Measured(measurement, window.is_full if window else not steps)


def _energy(devices: Sequence[Telemetry], rank: Entries, metric: str) -> tuple[float, float, str]:
    """Return the energy of all devices in the measured steps in J, its uncertainty, and why there is none."""
    rises = []
    for device in devices:
        rise = interpolated_rise(device.t, device.columns[metric], rank)
        is_known = math.isfinite(rise.value) or metric != ENERGY  # a CPU has no samples of power
        rises.append(rise if is_known else _power_times_time(device, rank))
    if not all(math.isfinite(rise.value) for rise in rises):
        why = "the counter has too few readings during the measured steps, or was reset, and so has power"
        return math.nan, math.nan, why
    return exact_sum(rise.value for rise in rises), exact_sum(rise.error for rise in rises), ""


def _power_times_time(device: Telemetry, rank: Entries) -> CounterRise:
    """Return the mean power by the counter, else by the samples of power, times the measured time, in J.

    The uncertainty is the energy of the time that the counter did not see; of samples, that of their mean:
    twice its standard error.
    """
    time = exact_sum(rank.value)
    power, seen = _mean_power(device, rank)
    if math.isfinite(power):
        return CounterRise(power * time, power * max(0.0, time - seen))
    powers = device.columns.get("power", np.full(len(device.t), np.nan))
    taken = powers[np.isfinite(powers) & during(device.t, rank)]
    if len(taken) < 2:
        return UNKNOWN
    return CounterRise(
        float(taken.mean()) * time, 2 * float(taken.std(ddof=1)) / math.sqrt(len(taken)) * time
    )


def _uncertain(run: Run, share: float) -> tuple[Finding, ...]:
    """Report an energy that the readings of the counter leave uncertain."""
    if share <= _NAMED_ERROR:
        return ()
    message = (
        f"energy is uncertain by {share:.1%}: the power may have changed between the readings at the borders"
    )
    return (Finding("note", Rule.PROTOCOL_COARSE_INTERVAL, run.id, message, run.source),)


def _no_number(run: Run, message: str) -> Finding:
    return Finding("warning", Rule.PROTOCOL_NO_NUMBER, run.id, message, run.source)


def _over_devices(samples: Sequence[FloatArray], metric: str, *, is_placed: bool) -> tuple[float, str]:
    """Return the value over all devices, and why there is none ("" if there is one)."""
    if metric_of(metric).reduction == "difference":
        if is_placed:
            return _counted(samples)
        return np.nan, "a counter needs measured steps"
    taken = [values.tolist() for values in samples if len(values)]
    if not taken:
        return np.nan, "no sample was taken during the measured steps"
    value = _reduced([_reduced(values, metric) for values in taken], metric)
    return value, "" if np.isfinite(value) else "the samples have no finite mean"


def _counted(samples: Sequence[FloatArray]) -> tuple[float, str]:
    """Return the rise of the counters of all devices from the first sample of the window to the last."""
    if min(map(len, samples)) < 2:
        return np.nan, "the counter has fewer than two samples during the measured steps"
    if any((np.diff(values) < 0).any() for values in samples):
        return np.nan, "the counter was reset during the measured steps"
    value = exact_sum(float(values[-1] - values[0]) for values in samples)
    return value, "" if np.isfinite(value) else "the samples have no finite difference"


def _has_times(device: Telemetry) -> bool:
    return bool(np.isfinite(device.t).any())


def _samples(device: Telemetry, metric: str, measured: Entries | None) -> FloatArray:
    values = device.columns[metric]
    keep = np.isfinite(values)
    if measured is not None:
        keep &= during(device.t, measured)
    taken: FloatArray = values[keep]
    return taken


def _reduced(values: Sequence[float], metric: str) -> float:
    match metric_of(metric).reduction:
        case "max":
            return max(values)
        case "bitwise_or":
            return float(functools.reduce(operator.or_, map(int, values)))
    return exact_sum(values) / len(values)


def _unplaced(run: Run, metric: str, count: int, unsampled: str, *, has_steps: bool) -> Finding:
    why = "samples and steps have no common clock" if has_steps else "the log has no steps"
    message = f"{metric} uses all {count} samples of the log; {'; '.join(filter(None, (why, unsampled)))}"
    return Finding("note", Rule.PROTOCOL_COARSE_INTERVAL, run.id, message, run.source)


def _energy_per_sample(request: MeasureRequest) -> Measured | Finding | None:
    """Return J per sample over all devices; a finding if the counters give no power.

    None for a run without counters, without steps or without samples: it has no data of the kind.
    """
    run = request.run
    used = find_used_devices(run, ENERGY)
    counters = used.devices
    window = request.window(request.measured.series("step_time", STEP)) if counters else None
    if window is None:
        return None
    if why := used.unsampled or used.surplus:
        return _no_number(run, f"energy of the devices: {why}")
    powers = [_mean_power(device, window.ranks[0])[0] for device in counters]
    if not all(map(math.isfinite, powers)):
        return _no_number(run, "energy counter was not read, or was reset, during most of the measured steps")
    work = window.window.samples
    value = exact_sum(powers) * window.window.time / work if work > 0 else math.nan
    if not math.isfinite(value):
        return None
    evidence: Evidence = "intervals" if window.is_coarse else "steps"
    measurement = Measurement(
        run,
        value,
        evidence,
        window.window,
        sources=tuple(dict.fromkeys(device.source for device in counters)),
        findings=(*window.findings, *request.measured.check(check_telemetry, window)),
        unit="J",
    )
    return Measured(measurement, window.is_full)


def _mean_power(device: Telemetry, rank: Entries) -> tuple[float, float]:
    """Return W by a device's counter over the measured steps, and the s of them that it saw.

    The power is NaN if that is too little.
    """
    t, energy = new_values(device.t, device.columns[ENERGY])
    apart, risen = np.diff(t), np.diff(energy)
    measured = np.diff(measured_before(t, rank))
    kept = (apart > 0) & (measured > _SAME_STRETCH_SHARE * apart)
    seen = exact_sum(apart[kept])
    if (risen[kept] < 0).any() or not seen > 0 or seen < _MIN_SEEN_SHARE * exact_sum(rank.value):
        return math.nan, seen
    return exact_sum(risen[kept]) / seen, seen
