"""Refuse step times that no device can reach: shorter than a kernel's start, or above its peak arithmetic."""

from reportgen.core.devices import Device, find_device
from reportgen.core.model import STEP, Finding, Run
from reportgen.core.rules import Rule
from reportgen.protocol.conditions import device_model
from reportgen.protocol.measured_run import MeasuredRun
from reportgen.protocol.steps import entries_within, exact_sum
from reportgen.protocol.window import MeasuredWindow

# The start of one CUDA kernel takes about 2 us, and a call of a Python function about 0.05 us.
_SHORTEST_STEP_SECONDS = 1e-7

# The memory of a B200 transfers 8 TB/s, and one process may drive 16 devices.
_MAX_BYTES_PER_SECOND = 16 * 8e12

# Peaks hold at the clock of the data sheet. Devices may run faster: an H100 by 8 %, others by up to 20 %.
_MAX_PEAK_SHARE = 1.25

# Precision of a run -> arithmetic that may have been used. A run that says fp32 may use TF32.
_ARITHMETIC = {
    "fp32": "single",
    "tf32": "single",
    "fp16": "half",
    "bf16": "half",
    "amp": "half",
    "fp8": "fp8",
}


def check_plausible(measured: MeasuredRun, window: MeasuredWindow) -> tuple[Finding, ...]:
    """Return the finding for measured steps that are too fast to be true."""
    run = measured.run
    message = _too_short(window) or _too_much(window) or _above_peak(measured, window)
    if not message:
        return ()
    return (Finding("invalid", Rule.CLOCK_IMPLAUSIBLE, run.id, message, window.ranks[0].place()),)


def _too_short(window: MeasuredWindow) -> str:
    """Return why steps that do work are too short, "" if they are not; a timed function may be."""
    per_step = window.window.time / window.window.steps
    if not (window.window.samples > 0 and 0 < per_step < _SHORTEST_STEP_SECONDS):
        return ""
    return f"a step takes {per_step:.3g} s, less than the start of a single kernel"


def _too_much(window: MeasuredWindow) -> str:
    """Return why steps have too many samples, "" if they do not: each is one byte of memory or more."""
    rate = window.window.samples / window.window.time / len(window.ranks) if window.window.time > 0 else 0.0
    if not rate > _MAX_BYTES_PER_SECOND:
        return ""
    return f"{rate:.3g} samples/s on each rank, more than the bytes that a device reads in a second"


def _above_peak(measured: MeasuredRun, window: MeasuredWindow) -> str:
    run = measured.run
    device = _device_of(run)
    counted = measured.series("operations", STEP)
    done = [entries_within(measured.entries(series), window.ranks[0]) for series in counted]
    if device is None or not done or not window.window.time > 0:
        return ""
    stated = run.factors.get("devices")
    devices = max(len(done), stated if isinstance(stated, int) else 1)
    rate = exact_sum(exact_sum(entries.value) for entries in done) / window.window.time / devices
    arithmetic = _ARITHMETIC.get(str(run.factors.get("precision", "")).lower(), "")
    peak = device.flops.get(arithmetic) or max(device.flops.values())
    if not rate > _MAX_PEAK_SHARE * peak:
        return ""
    return f"{rate / 1e12:.4g} TFLOP/s on each device; the peak of {device.name} is {peak / 1e12:.4g} TFLOP/s"


def _device_of(run: Run) -> Device | None:
    """Return the device of a run, by the hardware that the log names, else by its factors."""
    names = (device_model(run), run.factors.get("device"), run.environment.get("gpu.models"))
    return next((device for name in names if name and (device := find_device(str(name)))), None)
