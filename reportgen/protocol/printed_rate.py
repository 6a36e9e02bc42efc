"""Compare the throughput that a log prints with the one that its step times and the work of a step give.

The work of a step is often a product: batch size times devices, from labels or from options that the log
prints. If a factor is missing (steps that accumulate gradients, a rate per device), the derived throughput is
wrong by that factor. So it never overrules a printed one that contradicts it. A printed rate of each device
is multiplied by their number, if it is known.

A program can also print a rate that leaves out time, such as the wait for data or slow steps. Timestamps
contain all time between the steps. So where the log itself states the work, a printed rate that is somewhat
higher than theirs leaves out time, and the timestamps are right.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from msgspec import structs

from reportgen.core.model import STEP, Finding, Run, Series, Source
from reportgen.core.rules import Rule
from reportgen.protocol.available import ENERGY_PER_SAMPLE, aggregate_of
from reportgen.protocol.definition import Protocol
from reportgen.protocol.measured_run import MeasuredRun
from reportgen.protocol.resolution import MAX_CLOCK_ERROR, clock_error
from reportgen.protocol.steps import entries_within, exact_sum, mean_rate
from reportgen.protocol.window import MeasuredWindow

# Printed and derived throughput may differ by this share.
RATE_SHARE = 0.05
# A missing factor of the work is 2 or more. A rate that is higher by less leaves out time.
_MAX_LEFT_OUT = 1.5


@dataclass(frozen=True, slots=True)
class _Printed:
    """A printed throughput: of all devices, or of each if `devices` is their number."""

    value: float
    devices: int
    source: Source | None

    @property
    def total(self) -> float:
        return self.value * (self.devices or 1)

    @property
    def note(self) -> str:
        return f" on each of {self.devices} devices" if self.devices else ""


# What is computed from the work of a step.
FROM_WORK = frozenset(("throughput", ENERGY_PER_SAMPLE))


def find_contradiction(measured: MeasuredRun, protocol: Protocol) -> Finding | None:
    """Return the finding for a printed throughput that contradicts the derived one; None if none does.

    Printed rates of the measured steps are compared, else the mean that the log prints at its end. That mean
    may include a slow warm-up, so a lower one contradicts only work that comes from labels. The finding is
    invalid if the work may be wrong, and a warning if the printed rate leaves out time.
    """
    run = measured.run
    whole = measured.series("step_time", STEP)
    window = measured.window(whole, protocol) if whole else None
    if window is None or protocol.estimator != "total" or not window.window.time > 0:
        return None
    derived = window.window.samples / window.window.time
    printed = _printed_in(measured, window)
    is_mean = printed is None
    printed = printed or _printed_mean(run)
    if printed is None or not derived > 0 or abs(printed.total / derived - 1) <= RATE_SHARE:
        return None
    if is_mean and printed.total < derived and not run.work_is_labelled:
        return None
    prints = f"the log prints {printed.value:.4g} samples/s{printed.note}"
    if _leaves_out_time(run, whole, window, printed.total / derived):
        left_out = 1 - derived / printed.total
        message = (
            f"{prints}; its timestamps and {_work(run, window)} samples per step give {derived:.4g}; "
            f"the printed rate leaves out {left_out:.1%} of the time; the timestamps are used"
        )
        return Finding("warning", Rule.RATE_DISAGREEMENT, run.id, message, printed.source)
    message = (
        f"{prints}; step times and {_work(run, window)} "
        f"samples per step give {derived:.4g}; nothing is derived from that work"
    )
    return Finding("invalid", Rule.RATE_DISAGREEMENT, run.id, message, printed.source)


def _leaves_out_time(run: Run, whole: Sequence[Series], window: MeasuredWindow, ratio: float) -> bool:
    """Return whether a printed rate, `ratio` times the one by timestamps, leaves out what these contain."""
    is_exact = window.ranks[0].clock == "timestamp" and clock_error(whole, window) <= MAX_CLOCK_ERROR
    return is_exact and not run.work_is_labelled and 1 < ratio < _MAX_LEFT_OUT


def without_work(run: Run) -> Run:
    """Return the run as if the work of its steps were unknown."""
    unknown = tuple(structs.replace(each, samples=np.full(len(each.step), np.nan)) for each in run.series)
    return replace(run, samples_per_step=None, series=unknown)


def _printed_in(measured: MeasuredRun, window: MeasuredWindow) -> _Printed | None:
    """Return the throughput that the log prints for the steps of a window, over all ranks."""
    for metric, devices in _printed_metrics(measured.run):
        series = measured.series(metric, STEP)
        inside = [entries_within(measured.entries(each), window.ranks[0]) for each in series]
        if inside and all(map(len, inside)) and (value := exact_sum(map(mean_rate, inside))) > 0:
            # Each rank prints the rate of each device.
            value = value / len(inside) if devices else value
            return _Printed(value, devices, inside[0].place())
    return None


def _printed_mean(run: Run) -> _Printed | None:
    for metric, devices in _printed_metrics(run):
        figure = aggregate_of(run, metric, STEP)
        if figure and figure.statistic == "mean" and figure.value > 0:
            return _Printed(figure.value, devices, figure.source)
    return None


def _printed_metrics(run: Run) -> Iterator[tuple[str, int]]:
    """Yield the metrics that contain the whole throughput, and the number of devices to multiply it by."""
    yield "throughput", 0
    devices = run.factors.get("devices")
    if isinstance(devices, int) and devices > 0:
        yield "throughput_per_device", devices


def _work(run: Run, window: MeasuredWindow) -> str:
    work = window.window.samples / window.window.steps
    origin = " (from labels)" if run.work_is_labelled else ""
    return f"{work:.6g}{origin}"
