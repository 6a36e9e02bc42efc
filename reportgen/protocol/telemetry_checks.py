"""Check the telemetry of a measured run: throttled, power-capped, shared, host-bound, lost, not covered.

Each rule is one function from the samples taken during the measured steps to findings; `check_telemetry`
returns all of them. Nothing here removes a number. Throttle reasons are the bits of NVML's mask
(`throttle_reasons`; clock event reasons since driver 535); their names are reportgen's own:
https://docs.nvidia.com/deploy/nvml-api/group__nvmlClocksEventReasons.html
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from reportgen.core.model import DATA_LOADING, Finding, FloatArray, Run, Source, Telemetry
from reportgen.core.rules import Rule, Severity
from reportgen.protocol.measured_run import MeasuredRun
from reportgen.protocol.steps import BoolArray, exact_sum
from reportgen.protocol.timeline import during, time_span
from reportgen.protocol.window import MeasuredWindow

IDLE, POWER_CAP = 0x1, 0x4

# The device ran slower than configured: something is wrong with its cooling or its power supply.
THROTTLE_FAULT = {"hw_slowdown": 0x8, "sw_thermal": 0x20, "hw_thermal": 0x40, "hw_power_brake": 0x80}

# The device ran as configured, or as its power limit allows: worth a note.
THROTTLE_CONFIGURED = {
    "applications_clocks": 0x2, "sw_power_cap": POWER_CAP, "sync_boost": 0x10, "display_clocks": 0x100,
}  # fmt: skip

# The counters of the driver for the time that clocks were held down -> their cause.
FAULT_COUNTERS = {"throttled_by_temperature": "temperature"}
CONFIGURED_COUNTERS = {
    "throttled_by_power": "power",
    "throttled_by_reliability": "the limit of the voltage",
    "throttled_by_sync_boost": "sync boost",
    "throttled_by_board_limit": "board limit",
}

# A smaller share of the time is not worth a finding.
_MIN_COUNTED_SHARE = 0.01

# From these shares on, an idle device or waiting for data is worth a note.
IDLE_SHARE, WAITING_SHARE = 0.10, 0.10

# A power limit within this share of the default is the default, rounded.
LIMIT_SHARE = 0.005

# The factor of a run whose SM clock was locked: MHz, or the word for the base clock, whose MHz no log states.
LOCKED_CLOCK, _BASE_CLOCK = "locked_clock_mhz", "base"

# A clock this near to the lock has not left it: the clocks of a GPU are 15 MHz apart.
_LOCK_SHARE, _LOCK_HZ = 0.01, 15e6

# Masks travel as floats, which hold 53 bits; nine are in use.
_MAX_MASK = 2.0**53

# A smaller covered share of the measured time, or fewer samples, is worth a note.
MIN_COVERED_SHARE, MIN_SAMPLES = 0.95, 5

# The first group of a UUID distinguishes devices; the log has the complete UUID.
_DEVICE_NAME_CHARS = 12


def device_label(uuid: str) -> str:
    """Return the short name of a device in messages."""
    return uuid[:_DEVICE_NAME_CHARS]


@dataclass(frozen=True, slots=True)
class Rise:
    """The rise of a counter of seconds, and the seconds between its first and last reading."""

    rise: float
    seconds: float

    @property
    def share(self) -> float:
        """Return the share of the time."""
        return self.rise / self.seconds if self.seconds > 0 else 0.0


@dataclass(frozen=True, slots=True)
class DeviceWindow:
    """One device during the measured steps.

    whole   its telemetry of the whole run; inside  which of its samples were taken during measured steps
    span    begin and end of the window in s on the run's clock
    """

    name: str
    whole: Telemetry
    inside: BoolArray
    span: tuple[float, float]

    def __len__(self) -> int:
        return int(self.inside.sum())

    @property
    def duration(self) -> float:
        """Return the s from begin to end of the window."""
        return self.span[1] - self.span[0]

    def values(self, metric: str) -> FloatArray:
        """Return the finite values of a metric in the samples taken during the measured steps."""
        column = self.whole.columns.get(metric)
        if column is None:
            return np.empty(0)
        inside = column[self.inside]
        finite: FloatArray = inside[np.isfinite(inside)]
        return finite

    def busy_values(self, metric: str) -> FloatArray:
        """Return the values of a metric as `values` does, without the samples of an idle device."""
        reasons = self.whole.columns.get("throttle_reasons", np.zeros(len(self.whole.t)))
        masks = np.where((reasons >= 0) & (reasons < _MAX_MASK), reasons, 0).astype(np.int64)
        return replace(self, inside=self.inside & (masks & IDLE == 0)).values(metric)

    def last_known(self, metric: str) -> FloatArray:
        """Return the values of a rarely sampled metric, with the last one before the window."""
        column, t = self.whole.columns.get(metric), self.whole.t
        if column is None:
            return np.empty(0)
        known = np.isfinite(column) & np.isfinite(t) & (t <= self.span[1])
        order = np.argsort(t[known], kind="stable")
        before = int((t[known] < self.span[0]).sum())
        kept: FloatArray = column[known][order][max(0, before - 1) :]
        return kept

    def rise(self, metric: str) -> "Rise":
        """Return the rise of a counter that is read about once a second.

        It begins with the last reading before the window, if there is one.
        """
        column, t = self.whole.columns.get(metric), self.whole.t
        if column is None:
            return Rise(0.0, 0.0)
        known = np.isfinite(column) & np.isfinite(t) & (t <= self.span[1])
        order = np.argsort(t[known], kind="stable")
        first = max(0, int((t[known] < self.span[0]).sum()) - 1)
        times, values = t[known][order][first:], column[known][order][first:]
        if len(times) < 2:
            return Rise(0.0, 0.0)
        return Rise(max(0.0, float(values[-1] - values[0])), float(times[-1] - times[0]))

    def share(self, bits: int) -> float:
        """Return the share of the samples in which one of the bits of `throttle_reasons` is set."""
        values = self.values("throttle_reasons")
        masks = values[(values >= 0) & (values < _MAX_MASK)].astype(np.int64)
        return float(np.mean(masks & bits != 0)) if len(masks) else 0.0


def check_telemetry(measured: MeasuredRun, window: MeasuredWindow) -> tuple[Finding, ...]:
    """Return the findings of the telemetry during the measured steps; none without a common clock."""
    run = measured.run
    gpus = [device for device in run.telemetry if not device.is_cpu]
    placed = [device for device in gpus if np.isfinite(device.t).any() or device.events]
    span = time_span(window) if placed else None
    if span is None:
        return ()
    devices = [
        DeviceWindow(device_label(device.device), device, during(device.t, window.ranks[0]), span)
        for device in placed
    ]
    capped = power_capped(run, devices)
    is_capped = any(finding.severity == "warning" for finding in capped)
    return (
        *throttled(run, devices, without=POWER_CAP if is_capped else 0),
        *capped,
        *clock_lock(run, devices),
        *other_process(run, devices),
        *host_bound(measured, window, devices),
        *device_lost(run, devices),
        *driver_errors(run, devices),
        *coverage(run, devices),
    )


def throttled(run: Run, devices: Sequence[DeviceWindow], *, without: int = 0) -> tuple[Finding, ...]:
    """Report why the clocks were held down, how often, and where most; `without` masks bits out."""
    findings = []
    kinds: tuple[tuple[Severity, Mapping[str, int], Mapping[str, str]], ...] = (
        ("warning", THROTTLE_FAULT, FAULT_COUNTERS),
        ("note", THROTTLE_CONFIGURED, CONFIGURED_COUNTERS),
    )
    for severity, reasons, counters in kinds:
        by_reason = {
            name: [device.share(bit & ~without) for device in devices] for name, bit in reasons.items()
        }
        shares = {name: values for name, values in by_reason.items() if any(values)}
        causes = {
            name: cause for name, cause in counters.items() if not (without & POWER_CAP and cause == "power")
        }
        parts = [f"{name} in {_where(values, devices)}" for name, values in shares.items()]
        parts += _counted(devices, causes)
        if parts:
            # The place is that of the device with the largest share of any of these reasons.
            worst = devices[int(np.argmax(np.max(list(by_reason.values()), axis=0)))]
            message = f"clock throttling: {', '.join(parts)}"
            findings.append(Finding(severity, Rule.TELEMETRY_THROTTLED, run.id, message, worst.whole.source))
    return tuple(findings)


def _counted(devices: Sequence[DeviceWindow], causes: Mapping[str, str]) -> list[str]:
    """Return how long the driver held the clocks down for each cause, on the device with most of it."""
    parts = []
    for metric, cause in causes.items():
        device = max(devices, key=lambda device: device.rise(metric).share)
        counted = device.rise(metric)
        if counted.share >= _MIN_COUNTED_SHARE:
            of = "" if len(devices) == 1 else f" on {device.name}"
            parts.append(
                f"{cause} for {counted.rise:.4g} of {counted.seconds:.4g} s{of} (counted by the driver)"
            )
    return parts


def _where(shares: Sequence[float], devices: Sequence[DeviceWindow]) -> str:
    """Return the largest share in words, and of several devices the one that has it."""
    worst = int(np.argmax(shares))
    text = f"{shares[worst]:.1%} of samples"
    if len(devices) == 1:
        return text
    return f"{text} of {devices[worst].name} ({sum(map(bool, shares))} of {len(devices)} devices)"


def power_capped(run: Run, devices: Sequence[DeviceWindow]) -> tuple[Finding, ...]:
    """Report devices with a power limit below the default; a warning if the limit was reached."""
    findings = []
    for device in devices:
        limits, defaults = device.last_known("power_limit"), device.last_known("power_limit_default")
        if not len(limits) or not len(defaults):
            continue
        limit, default = float(limits.min()), float(defaults.max())
        if not limit < default * (1 - LIMIT_SHARE):
            continue
        share, is_known = device.share(POWER_CAP), len(device.values("throttle_reasons")) > 0
        reached = f"reached in {share:.1%} of samples" if is_known else "not recorded whether it was reached"
        message = f"{device.name}: power limit {limit:.4g} W is below the default {default:.4g} W; {reached}"
        severity: Severity = "warning" if share > 0 or not is_known else "note"
        findings.append(Finding(severity, Rule.TELEMETRY_POWER_CAPPED, run.id, message, device.whole.source))
    return tuple(findings)


def clock_lock(run: Run, devices: Sequence[DeviceWindow]) -> tuple[Finding, ...]:
    """Report devices whose SM clock left the clock that it was locked to."""
    findings = []
    stated = run.factors.get(LOCKED_CLOCK)
    for device in devices:
        clocks = device.busy_values("sm_clock")
        if isinstance(stated, (int, float)) and stated > 0:
            lock = stated * 1e6
        elif stated == _BASE_CLOCK and len(clocks):
            lock = float(np.median(clocks))
        else:
            continue
        left = clocks[np.abs(clocks - lock) > max(_LOCK_HZ, lock * _LOCK_SHARE)]
        if len(left):
            worst = float(left[np.argmax(np.abs(left - lock))])
            message = (
                f"{device.name}: the SM clock left the lock of {lock / 1e6:.4g} MHz in "
                f"{len(left) / len(clocks):.1%} of samples, by up to {abs(worst - lock) / 1e6:.4g} MHz"
            )
            source = device.whole.source
            findings.append(Finding("warning", Rule.TELEMETRY_CLOCK_LOCK, run.id, message, source))
    return tuple(findings)


def other_process(run: Run, devices: Sequence[DeviceWindow]) -> tuple[Finding, ...]:
    """Report devices that processes outside the run used."""
    findings = []
    for device in devices:
        most = float(device.last_known("foreign_processes").max(initial=0))
        if not most > 0:
            continue
        memory = float(device.last_known("foreign_memory").max(initial=0))
        using = f" using up to {memory / 2**30:.3g} GiB" if memory > 0 else ""
        message = f"{device.name}: up to {most:.0f} other {'process' if most == 1 else 'processes'}{using}"
        source = device.whole.source
        findings.append(Finding("warning", Rule.TELEMETRY_OTHER_PROCESS, run.id, message, source))
    return tuple(findings)


def host_bound(
    measured: MeasuredRun, window: MeasuredWindow, devices: Sequence[DeviceWindow]
) -> tuple[Finding, ...]:
    """Report that a device idled, or that the steps waited for data."""
    signs = []
    work = [(device, device.values("utilization")) for device in devices]
    busy = {device.name: exact_sum(values) / len(values) for device, values in work if len(values)}
    if busy and (least := min(busy.values())) <= 1 - IDLE_SHARE:
        of = "" if len(devices) == 1 else f" of {min(busy, key=lambda name: busy[name])}"
        signs.append(f"utilisation{of} is {least:.1%}")
    idle = [device.share(IDLE) for device in devices]
    if max(idle) > 0:
        signs.append(f"device idle in {_where(idle, devices)}")
    waiting = _waiting_share(measured, window)
    if waiting >= WAITING_SHARE:
        signs.append(f"waiting for data takes {waiting:.1%} of the step time")
    if not signs:
        return ()
    message = f"possible host bottleneck: {'; '.join(signs)}"
    source = devices[0].whole.source
    return (Finding("note", Rule.TELEMETRY_HOST_BOUND, measured.run.id, message, source),)


def _waiting_share(measured: MeasuredRun, window: MeasuredWindow) -> float:
    """Return the share of the step time in which the rank that waits longest waits for its data."""
    loading = measured.series("step_time", DATA_LOADING)
    times = [measured.time_per_step(series, window) for series in loading]
    longest = max((time for time in times if not math.isnan(time)), default=0.0)
    return longest * window.window.steps / window.window.time if window.window.time > 0 else 0.0


_XID = "xid "  # how the name of an event begins that is an error of the driver
_EVENTS = {"lost": "lost by the driver", "reset": "reset requested by the driver"}


def device_lost(run: Run, devices: Sequence[DeviceWindow]) -> tuple[Finding, ...]:
    """Report devices that did not answer, or wanted a reset, during the measured steps."""
    findings = []
    for device in devices:
        lost = None
        for event in sorted(device.whole.events, key=lambda event: event.t):
            if event.name.startswith(_XID):
                continue
            # A device that returned before the window began did not touch it.
            if event.t > device.span[1] or (lost and event.name == "returned" and event.t >= device.span[0]):
                break
            lost = None if event.name == "returned" else event
        if lost:
            source = Source(device.whole.source.path, lost.line)
            message = (
                f"{device.name}: {_EVENTS.get(lost.name, lost.name)} {lost.t:.4g} s after the first step"
            )
            findings.append(Finding("warning", Rule.TELEMETRY_DEVICE_LOST, run.id, message, source))
    return tuple(findings)


def driver_errors(run: Run, devices: Sequence[DeviceWindow]) -> tuple[Finding, ...]:
    """Report the errors (XID) that the driver reported up to the end of the measured steps."""
    findings = []
    for device in devices:
        errors = [event for event in device.whole.events if event.name.startswith(_XID)]
        errors = [event for event in errors if event.t <= device.span[1]]
        if not errors:
            continue
        numbers = ", ".join(dict.fromkeys(event.name.removeprefix(_XID) for event in errors))
        first = min(errors, key=lambda event: event.t)
        side = "before" if first.t < 0 else "after"
        when = f"{abs(first.t):.4g} s {side} the first step"
        message = f"{device.name}: the driver reported XID {numbers}, first {when}"
        source = Source(device.whole.source.path, first.line)
        findings.append(Finding("warning", Rule.TELEMETRY_XID, run.id, message, source))
    return tuple(findings)


def coverage(run: Run, devices: Sequence[DeviceWindow]) -> tuple[Finding, ...]:
    """Report samples that are too few or leave much of the measured time uncovered."""
    shares = [_covered_share(device) for device in devices]
    worst = int(np.argmin(shares))
    device = devices[worst]
    if shares[worst] >= MIN_COVERED_SHARE:
        if min(map(len, devices)) >= MIN_SAMPLES:
            return ()
        device = min(devices, key=len)
    message = (
        f"{device.name}: {len(device)} {'sample' if len(device) == 1 else 'samples'} in "
        f"{device.duration:.4g} s; {_covered_share(device):.1%} of the window covered"
    )
    return (Finding("note", Rule.TELEMETRY_COVERAGE, run.id, message, device.whole.source),)


def _covered_share(device: DeviceWindow) -> float:
    """Return the share of the window between samples that are at most twice the usual interval apart."""
    t = np.sort(device.whole.t[np.isfinite(device.whole.t)])
    if len(t) < 2:
        return 0.0
    longest = 2 * float(np.median(np.diff(t)))
    begin, end = np.clip(t[:-1], *device.span), np.clip(t[1:], *device.span)
    covered = (end - begin)[np.diff(t) <= longest]
    return exact_sum(covered) / device.duration if device.duration > 0 else 0.0
