"""One run as a person looks at it: what it is, its steps and telemetry as curves, what may be wrong."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from reportgen.core.metrics import item_of, metric_of
from reportgen.core.model import STEP, Factors, FloatArray, Run, Series, Telemetry
from reportgen.core.units import choose, rate_unit, text
from reportgen.protocol import MeasuredRun, Protocol
from reportgen.protocol.steps import BoolArray
from reportgen.report.run_entry import FindingEntry, MeasurementEntry, entry_of_run, json_number


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Values in their order, NaN where one was not measured.

    measured  which values the protocol measures, None for telemetry
    """

    name: str
    values: FloatArray
    unit: str
    measured: BoolArray | None = None

    def document(self) -> dict[str, object]:
        """Return the curve as JSON has it; `measured` is null for telemetry."""
        values = [json_number(value) for value in self.values.tolist()]
        measured = None if self.measured is None else self.measured.tolist()
        return {"name": self.name, "unit": self.unit, "values": values, "measured": measured}

    @property
    def range_text(self) -> str:
        """The lowest, median and highest value with their unit, or the only value."""
        known = self.values[np.isfinite(self.values)]
        unit = choose(known.tolist(), self.unit)
        low, middle, high = (text(float(f(known)) / unit.factor) for f in (np.min, np.median, np.max))
        name = "" if unit.name in ("1", "count", "ratio") else f" {unit.name}"
        return f"{low}{name}" if low == high else f"{low} to {high}{name}, median {middle}"


@dataclass(frozen=True, slots=True)
class RunView:
    """A run: `steps` are curves over the steps of its log, `telemetry` curves of each device."""

    id: str
    source: str
    format: str
    status: str
    factors: Factors
    environment: Factors
    measurements: tuple[MeasurementEntry, ...]
    steps: tuple[Curve, ...]
    telemetry: tuple[Curve, ...]
    findings: tuple[FindingEntry, ...]

    def __repr__(self) -> str:
        counts = f"{len(self.measurements)} measured values, {len(self.findings)} findings"
        return f"<RunView {self.source}: {self.status}, {self.format}, {counts}>"

    def document(self) -> dict[str, object]:
        """Return the run as JSON has it: values in base units, null where one was not measured."""
        return {
            "id": self.id,
            "source": self.source,
            "format": self.format,
            "status": self.status,
            "factors": self.factors,
            "environment": self.environment,
            "measurements": self.measurements,
            "steps": [curve.document() for curve in self.steps],
            "telemetry": [curve.document() for curve in self.telemetry],
            "findings": self.findings,
        }

    def unit_of(self, value: MeasurementEntry) -> str:
        """Return the unit of a measured value: images/s where the log says what a sample is."""
        return _shown_unit(value.unit, value.metric, self.factors)


def _shown_unit(unit: str, metric: str, factors: Factors) -> str:
    return rate_unit(item_of(metric, factors)) if unit == "samples/s" else unit


def view_run(run: Run, protocol: Protocol) -> RunView:
    """Return the view of a run measured under a protocol."""
    entry = entry_of_run(run, protocol)
    return RunView(
        run.id,
        str(run.source),
        run.format,
        run.status.replace("_", " "),
        run.factors,
        run.environment,
        entry.measurements,
        tuple(_step_curves(run, protocol)),
        tuple(curve for device in run.telemetry for curve in _device_curves(device, len(run.telemetry))),
        entry.findings,
    )


def _step_curves(run: Run, protocol: Protocol) -> Iterator[Curve]:
    measured = MeasuredRun(run)
    several_ranks = len({series.rank for series in run.series}) > 1
    for series in sorted(run.series, key=lambda each: (each.phase != STEP, each.rank)):
        if not np.isfinite(series.value).any():
            continue
        rank = f" rank {series.rank}" if several_ranks else ""
        name = f"{series.metric.replace('_', ' ')} {series.phase}{rank}, {series.clock.replace('_', ' ')}"
        unit = _shown_unit(series.unit or metric_of(series.metric).unit, series.metric, run.factors)
        values, span = series.value, int(series.span.max())
        if series.metric == "step_time" and span > 1:
            name, values = f"{name}, mean of up to {span} steps", values / series.span
        yield Curve(name, values, unit, _is_measured(measured, series, protocol))


def _is_measured(run: MeasuredRun, series: Series, protocol: Protocol) -> BoolArray:
    window = run.window((series,), protocol, are_times=series.metric == "step_time")
    if window is None:
        return np.zeros(len(series.step), dtype=bool)
    return np.isin(series.step, window.ranks[0].last)


def _device_curves(device: Telemetry, devices: int) -> Iterator[Curve]:
    of = f"device {device.device} " if devices > 1 else ""
    for name, values in device.columns.items():
        # A mask of bits has no height; findings name its reasons.
        if metric_of(name).reduction != "bitwise_or" and np.isfinite(values).any():
            yield Curve(f"{of}{name.replace('_', ' ')}", values, metric_of(name).unit)


def sparkline(values: FloatArray, width: int) -> str:
    """Return at most `width` letters, each as high as the largest of its values; a blank has no value."""
    known = values[np.isfinite(values)]
    low, high = float(known.min()), float(known.max())
    peaks = (math.nan if np.isnan(part).all() else float(np.nanmax(part)) for part in _parts(values, width))
    return "".join(" " if math.isnan(peak) else _LETTERS[_level(peak, low, high)] for peak in peaks)


def ruler(measured: BoolArray, width: int) -> str:
    """Return a line below a sparkline: "=" where a value is measured, "." where none is."""
    return "".join("=" if part.any() else "." for part in _parts(measured, width))


_LETTERS = "▁▂▃▄▅▆▇█"


def _level(value: float, low: float, high: float) -> int:
    # Halves, so that the difference of two large values is finite.
    share = (value / 2 - low / 2) / (high / 2 - low / 2) if high > low else 0.0
    return min(int(share * len(_LETTERS)), len(_LETTERS) - 1)


def _parts(values: FloatArray | BoolArray, width: int) -> Iterator[FloatArray | BoolArray]:
    """Yield the values in at most `width` parts of the same length, give or take one."""
    count = min(width, len(values))
    borders = [len(values) * part // count for part in range(count + 1)]
    return (values[begin:end] for begin, end in pairwise(borders))
