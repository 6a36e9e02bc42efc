"""Prepare what a page draws of a run: its steps, phases and telemetry, with some hundred points at most.

The steps are those of the lowest rank. If telemetry has times on the clock of the steps, both are drawn over
time, else the steps are drawn over their number.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from reportgen.core.model import STEP, Case, FloatArray, IntArray, Run, Series, Telemetry, Window
from reportgen.core.plain_text import one_line
from reportgen.core.stored_series import without_numbers
from reportgen.tables.results import Table

Json = dict[str, Any]
# A run with steps, and the window that was measured.
MeasuredSteps = tuple[Run, Window | None]

_MAX_POINTS = 240
_MAX_TELEMETRY_POINTS = 120
_MAX_MARKS = 50
# What is drawn of a device, in this order.
_COLUMNS = ("sm_clock", "power", "temperature", "utilization", "throttle_reasons")
# The devices of a run share so many points of a curve; each has at least a third of what a single one has.
_MAX_DEVICES = 16


def runs_with_steps(table: Table) -> list[MeasuredSteps]:
    """Return the runs behind a table that have steps, each once, with the window that was measured."""
    windows: dict[str, MeasuredSteps] = {}
    for case in _cases(table):
        for measurement in case.measurements:
            known = windows.get(measurement.run.id)
            if known is None or not _has_times(known[1]):
                windows[measurement.run.id] = (measurement.run, measurement.window)
        for run in case.unmeasured:
            windows.setdefault(run.id, (run, None))
    return [(run, window) for run, window in windows.values() if _steps(without_numbers(run.series))]


def _has_times(window: Window | None) -> bool:
    """Return whether there is a window and it has times: a window of printed rates has none."""
    return window is not None and math.isfinite(window.time)


def _cases(table: Table) -> Iterator[Case]:
    for line in table.cells:
        for cell in line:
            yield from cell.cases


def _steps(series: Iterable[Series]) -> Series | None:
    """Return the time of whole steps of the lowest rank; None if the log has no steps."""
    times = [each for each in series if each.metric == "step_time" and each.phase == STEP]
    return min((each for each in times if len(each.step)), key=lambda each: each.rank, default=None)


def run_json(run: Run, window: Window | None) -> Json:
    """Return the document of a run that has steps; what is marked in it was decided by the protocol."""
    series = _steps(run.series)
    assert series is not None
    time = series.value / np.maximum(series.span, 1)
    telemetry = [device for device in run.telemetry if np.isfinite(device.t).any()]
    first = _first_time(series, telemetry) if telemetry else 0.0
    points = min_max_points(time, _MAX_POINTS)
    fields: Json = {
        "begins": _rounded(series.begin[points] - first) if telemetry else [],
        "times": _rounded(time[points]),
        "window": [window.first, window.last] if window else [],
        "breaks": [[each.step, one_line(each.kind)] for each in series.breaks[:_MAX_MARKS]],
        **(_marks(window) if window else {}),
        "phases": _phases(run, series, window),
        "telemetry": [_telemetry(device, first, len(telemetry)) for device in telemetry[:_MAX_DEVICES]],
        "devices": len(run.telemetry),
    }
    known = {name: value for name, value in fields.items() if value not in ([], (), {}, 0)}
    return {**_numbers(series.step[points]), **known}  # the first step may be step 0


def _numbers(steps: IntArray) -> Json:
    """Return the numbers of the steps; of consecutive ones the first."""
    if len(steps) and np.array_equal(steps, np.arange(steps[0], steps[0] + len(steps))):
        return {"first": int(steps[0])}
    return {"steps": steps.tolist()}


def _in_window(series: Series, window: Window | None) -> Any:
    if window is None:
        return np.ones(len(series.step), dtype=bool)
    return (series.step >= window.first) & (series.step <= window.last)


def _marks(window: Window) -> Json:
    """Return the steps that are gaps and those that are outliers: the first ones, and how many."""
    return {
        "gaps": window.gaps[:_MAX_MARKS],
        "gap_count": len(window.gaps),
        "outliers": window.outliers[:_MAX_MARKS],
        "outlier_count": len(window.outliers),
    }


def _phases(run: Run, steps: Series, window: Window | None) -> dict[str, float]:
    """Return the mean time per step of each phase, in the measured steps of the same rank."""
    phases = {}
    measured = _in_window(steps, window)
    for series in run.series:
        if series.metric != "step_time" or series.phase == STEP or series.rank != steps.rank:
            continue
        same = measured if series.step is steps.step else _in_window(series, window)
        inside = same & np.isfinite(series.value)
        if inside.any():
            mean = float(series.value[inside].sum() / np.maximum(series.span[inside], 1).sum())
            phases[one_line(series.phase)] = float(f"{mean:.4g}")
    return phases


def _first_time(series: Series, telemetry: Sequence[Telemetry]) -> float:
    """Return the first time of steps and telemetry: from there, few digits distinguish the steps."""
    times = np.concatenate([series.begin, *(device.t for device in telemetry)])
    return float(times[np.isfinite(times)].min())


def _telemetry(telemetry: Telemetry, first: float, devices: int) -> Json:
    """Return the curves of one of several devices."""
    most = max(_MAX_TELEMETRY_POINTS // devices, _MAX_TELEMETRY_POINTS // 3)
    columns: Mapping[str, FloatArray] = telemetry.columns
    drawn: Json = {"device": one_line(telemetry.device)}
    for name in _COLUMNS:
        if name not in columns:
            continue
        values = np.where(np.isfinite(telemetry.t), columns[name], np.nan)
        points = _telemetry_points(name, values, most)
        if len(points):
            drawn[name] = [_rounded(telemetry.t[points] - first), _rounded(values[points])]
    return drawn


def _telemetry_points(name: str, values: FloatArray, most: int) -> IntArray:
    """Return the samples to draw: of a bit mask, those where it changes."""
    changes = np.flatnonzero(np.diff(values, prepend=np.nan) != 0)
    if name == "throttle_reasons" and len(changes) <= most:
        return np.union1d(changes, [len(values) - 1]).astype(np.int64)
    return min_max_points(values, most)


def min_max_points(values: FloatArray, most: int) -> IntArray:
    """Return the indices of at most `most` points (an even number) of a series that keep its spikes.

    Each of most / 2 buckets of equal length keeps its smallest and its largest value, so the drawn curve
    covers the same range as the whole one. NaN is never an extreme; a bucket of NaN only has no point.
    """
    if len(values) <= most:
        return np.flatnonzero(np.isfinite(values))
    kept: set[int] = set()
    for bucket in np.array_split(np.arange(len(values)), most // 2):
        finite = bucket[np.isfinite(values[bucket])]
        if len(finite):
            kept |= {int(finite[values[finite].argmin()]), int(finite[values[finite].argmax()])}
    return np.array(sorted(kept), dtype=np.int64)


def _rounded(values: FloatArray) -> list[float | None]:
    texts = (len(values) * "%.5g ") % tuple(values.tolist())
    return [value if math.isfinite(value) else None for value in map(float, texts.split())]
