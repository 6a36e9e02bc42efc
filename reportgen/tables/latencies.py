"""Make the series of a latency-throughput figure: what a larger batch costs in latency.

Latencies are measured ones of the same row. Only where the definition says so they are the global batch over
the throughput: the time between two batches, not the latency of a pipeline or a queue. A rate of tokens
gives none: a batch is counted in sequences.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reportgen.compare.conditions import conditions_of_case
from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.model import Case, Factors, FactorValue
from reportgen.core.units import Unit, choose
from reportgen.document.model import Header
from reportgen.protocol.conditions import ITEM
from reportgen.tables.figure_rows import series_name
from reportgen.tables.headings import plain
from reportgen.tables.results import Cell, Figure, FigureSeries, Table
from reportgen.tables.spec import METRIC, FigureSpec

_RATE, _TIMES = "throughput", ("latency", "step_time")
_DERIVED = "batch / throughput"
_DERIVED_TITLE = "global batch / throughput"
_PART_OF_SAMPLE = "token"

_Key = tuple[FactorValue, ...]


@dataclass(frozen=True, slots=True)
class _Point:
    label: str
    rate: float
    time: float
    case: Case | None


def latencies(spec: FigureSpec, table: Table, columns: Sequence[int]) -> Figure:
    """Return the figure of a table: a line for each system, a point for each value of x."""
    if spec.x not in table.row_factors:
        fact = f'x is the row factor that varies along a line, and "{spec.x}" is none of "{spec.table}"'
        raise RequestError(f"{spec.place}.x", fact, did_you_mean(spec.x, table.row_factors))
    pairs = _pairs(spec, table, columns)
    lines: dict[str, list[_Point]] = {}
    for row, cells in zip(table.rows, table.cells, strict=True):
        for name, (rate, time) in pairs.items():
            at, latency = cells[rate], _latency(spec, cells[rate], cells[time])
            if not row.is_mean and at.value and latency:
                point = _Point(_label(table, row, spec.x), at.value, latency, at.case)
                lines.setdefault(_name(table, row, spec.x, name), []).append(point)
    if not lines:
        raise RequestError(
            f"{spec.place}.table", f'no row of "{spec.table}" has both numbers', "draw a table that has them"
        )
    series = tuple(_series(name, points) for name, points in lines.items())
    units = {c.unit for row in table.cells for rate, _ in pairs.values() if (c := row[rate]).unit}
    return Figure(
        "",
        "",
        spec.kind,
        "Throughput",
        _DERIVED_TITLE if spec.latency == _DERIVED else "Latency",
        choose((y for each in series for y in each.y if y is not None), "s"),
        (),
        series,
        x_unit=next(iter(units)) if len(units) == 1 else _chosen(units, series),
    )


def _chosen(units: set[Unit], series: Sequence[FigureSeries]) -> Unit:
    base = next(iter(units)).base if units else "1"
    return choose((float(x) for each in series for x in each.x), base)


def _pairs(spec: FigureSpec, table: Table, columns: Sequence[int]) -> Mapping[str, tuple[int, int]]:
    """Return the columns of throughput and latency, by the other factors of both."""
    by_metric: dict[str, dict[_Key, int]] = {}
    at = table.column_factors.index(METRIC) if METRIC in table.column_factors else None
    for position in columns:
        key = table.columns[position].key
        metric = table.metric if at is None else str(key[at])
        others = key if at is None else (*key[:at], *key[at + 1 :])
        by_metric.setdefault(metric, {})[others] = position
    rates = by_metric.get(_RATE)
    times = next((by_metric[name] for name in _TIMES if name in by_metric), None)
    if spec.latency == _DERIVED:
        times = rates
    if not rates or not times:
        fact = f'"{spec.table}" does not have columns of throughput and of latency or step_time'
        remedy = f'add the metrics and the column factor "{METRIC}", or latency = "{_DERIVED}"'
        raise RequestError(f"{spec.place}.table", fact, remedy)
    return {
        " ".join(plain(value) for value in key): (rates[key], times[key]) for key in rates if key in times
    }


def _latency(spec: FigureSpec, rate: Cell, time: Cell) -> float | None:
    if spec.latency != _DERIVED:
        return time.value
    if rate.case is None or not rate.value:
        return None
    if conditions_of_case(rate.case).get(ITEM) == _PART_OF_SAMPLE:
        raise RequestError(
            f"{spec.place}.latency",
            f'"{spec.table}" shows {_PART_OF_SAMPLE}s per second, and a batch size counts samples',
            "show a measured latency",
        )
    batch = _global_batch(rate.case.factors)
    if batch is None:
        raise RequestError(
            f"{spec.place}.latency",
            f'a case of "{spec.table}" has no global_batch_size, and no batch_size with devices',
            "add the factors in labels.toml, or show a measured latency",
        )
    return batch / rate.value


def _global_batch(factors: Factors) -> float | None:
    whole, own, devices = (factors.get(name) for name in ("global_batch_size", "batch_size", "devices"))
    if isinstance(whole, (int, float)):
        return float(whole)
    if isinstance(own, (int, float)) and isinstance(devices, (int, float)):
        return float(own * devices)
    return None


def _label(table: Table, row: Header, x: str) -> str:
    return row.labels[table.row_factors.index(x)].text


def _name(table: Table, row: Header, x: str, column: str) -> str:
    others = [i for i, name in enumerate(table.row_factors) if name != x]
    return series_name(table, column, row, others) or table.metric_title


def _series(name: str, points: Sequence[_Point]) -> FigureSeries:
    return FigureSeries(
        name,
        tuple(point.rate for point in points),
        tuple(point.time for point in points),
        labels=tuple(point.label for point in points),
        cases=tuple(point.case for point in points),
    )
