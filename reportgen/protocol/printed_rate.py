"""Compare the throughput that a log prints with the one that its step times and the work of a step give.

The work of a step is often a product: batch size times devices, from labels or from options that the log
prints. If a factor is missing (steps that accumulate gradients, a rate per device), the derived throughput is
wrong by that factor. So it never overrules a printed one that contradicts it.
"""

import math
from dataclasses import replace

import numpy as np

from reportgen.core.model import STEP, Finding, Run, Source
from reportgen.core.rules import Rule
from reportgen.protocol.available import ENERGY_PER_SAMPLE, aggregate_of, series_of
from reportgen.protocol.definition import Protocol
from reportgen.protocol.measured_run import MeasuredRun
from reportgen.protocol.steps import entries_within, exact_sum, mean_rate
from reportgen.protocol.window import MeasuredWindow

# Printed and derived throughput may differ by this share.
RATE_SHARE = 0.05

# What is computed from the work of a step.
FROM_WORK = frozenset(("throughput", ENERGY_PER_SAMPLE))


def find_contradiction(measured: MeasuredRun, protocol: Protocol) -> Finding | None:
    """Return the finding for a printed throughput that contradicts the derived one; None if none does.

    Printed rates of the measured steps are compared, else the mean that the log prints at its end. That mean
    may include a slow warm-up, so a lower one contradicts only work that comes from labels.
    """
    run = measured.run
    whole = series_of(run, "step_time", STEP)
    window = measured.window(whole, protocol) if whole else None
    if window is None or protocol.estimator != "total" or not window.window.time > 0:
        return None
    derived = window.window.samples / window.window.time
    printed, source = _printed_in(measured, window)
    is_mean = not printed > 0
    if is_mean:
        printed, source = _printed_mean(run)
    if not derived > 0 or not printed > 0 or abs(printed / derived - 1) <= RATE_SHARE:
        return None
    if is_mean and printed < derived and not run.work_is_labelled:
        return None
    message = (
        f"the log prints {printed:.4g} samples/s; step times and {_work(run, window)} samples per step give "
        f"{derived:.4g}; nothing is derived from that work"
    )
    return Finding("invalid", Rule.RATE_DISAGREEMENT, run.id, message, source)


def without_work(run: Run) -> Run:
    """Return the run as if the work of its steps were unknown."""
    unknown = tuple(replace(each, samples=np.full(len(each.step), np.nan)) for each in run.series)
    return replace(run, samples_per_step=None, series=unknown)


def _printed_in(measured: MeasuredRun, window: MeasuredWindow) -> tuple[float, Source | None]:
    """Return the throughput that the log prints for the steps of a window, over all ranks; NaN without."""
    series = series_of(measured.run, "throughput", STEP)
    inside = [entries_within(measured.entries(each), window.ranks[0]) for each in series]
    if not inside or not all(map(len, inside)):
        return math.nan, None
    return exact_sum(map(mean_rate, inside)), inside[0].place()


def _printed_mean(run: Run) -> tuple[float, Source | None]:
    figure = aggregate_of(run, "throughput", STEP)
    return (figure.value, figure.source) if figure and figure.statistic == "mean" else (math.nan, None)


def _work(run: Run, window: MeasuredWindow) -> str:
    work = window.window.samples / window.window.steps
    origin = " (from labels)" if run.work_is_labelled else ""
    return f"{work:.6g}{origin}"
