"""Make the series of a latency-throughput figure: what a larger batch or more requests cost in latency.

The rate is the first metric of the table that is one, the latency the first that is a time. Statistics of a
latency (mean, median, p99) go with the same rate: the median is drawn, else the mean, and the axis names it.
Of several systems, a line joins the points that no other point exceeds in both.

Latencies are measured ones of the same row. Only where the definition says so they are the global batch over
the throughput: the time between two batches, not the latency of a pipeline or a queue. A rate of tokens
gives none: a batch is counted in sequences.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reportgen.compare.conditions import conditions_of_case
from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.factors import value_text
from reportgen.core.metrics import RATES, metric_of
from reportgen.core.model import Case, Factors, FactorValue
from reportgen.core.units import Unit, choose
from reportgen.document.model import Header
from reportgen.protocol.conditions import ITEM, STATISTIC
from reportgen.tables.figure_rows import series_name
from reportgen.tables.pivot import LACKING
from reportgen.tables.results import Cell, Figure, FigureSeries, Table
from reportgen.tables.spec import METRIC, FigureSpec

DRAWN_STATISTICS = ("median", "mean")  # the first one that all systems have is drawn
_DERIVED = "batch / throughput"
_DERIVED_TITLE = "global batch / throughput"
_PART_OF_SAMPLE = "token"
# Systems that differ in one of these did different work.
_WORK = frozenset(("model", "benchmark", "workload", "dataset", "seq_len", "input_length", "output_length"))

_Key = tuple[FactorValue, ...]


@dataclass(frozen=True, slots=True)
class _Point:
    label: str
    rate: float
    time: float
    case: Case | None


def latency_figure(spec: FigureSpec, table: Table, columns: Sequence[int]) -> Figure:
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
    statistic = _statistic(table, columns)
    units = {c.unit for row in table.cells for rate, _ in pairs.values() if (c := row[rate]).unit}
    return Figure(
        "",
        "",
        spec.kind,
        metric_of(_metrics(spec, table)[0]).title,
        _DERIVED_TITLE if spec.latency == _DERIVED else _time_title(spec, table, statistic),
        choose((y for each in series for y in each.y if y is not None), "s"),
        (),
        series,
        x_unit=next(iter(units)) if len(units) == 1 else _chosen(units, series),
        front=_front(list(lines.values())),
    )


def _front(lines: Sequence[Sequence[_Point]]) -> tuple[tuple[float, float], ...]:
    """Return the points of several systems that no point exceeds in both, by rising rate.

    () for one system, and for systems that did different work: there, none is better.
    """
    best = math.inf
    front: list[tuple[float, float]] = []
    points = sorted(
        ((point.rate, point.time) for line in lines for point in line), key=lambda x: (-x[0], x[1])
    )
    for rate, time in points:
        if time < best:
            best = time
            front.append((rate, time))
    works = {
        frozenset((name, value) for name, value in point.case.factors.items() if name in _WORK)
        for line in lines
        for point in line
        if point.case
    }
    return tuple(reversed(front)) if len(lines) > 1 and len(front) > 1 and len(works) < 2 else ()


def _metrics(spec: FigureSpec, table: Table) -> tuple[str, str]:
    """Return the metrics of the rate and of the latency, "" for a latency that the table does not have."""
    at = table.column_factors.index(METRIC) if METRIC in table.column_factors else None
    own = [table.metric] if at is None else list(dict.fromkeys(str(each.key[at]) for each in table.columns))
    rate = next((name for name in own if metric_of(name).unit in RATES), "")
    time = next((name for name in own if metric_of(name).unit == "s"), "")
    return rate, time


def _statistic(table: Table, columns: Sequence[int]) -> str:
    """Return the statistic of the latencies that is drawn, "" if the columns have none."""
    if STATISTIC not in table.column_factors:
        return ""
    at = table.column_factors.index(STATISTIC)
    known = [str(table.columns[position].key[at]) for position in columns]
    known = [name for name in known if name != LACKING]
    return next((name for name in DRAWN_STATISTICS if name in known), known[0] if known else "")


def _time_title(spec: FigureSpec, table: Table, statistic: str) -> str:
    _, time = _metrics(spec, table)
    title = "Latency" if time == "step_time" else metric_of(time).title
    return f"{title}, {statistic}" if statistic else title


def _chosen(units: set[Unit], series: Sequence[FigureSeries]) -> Unit:
    base = next(iter(units)).base if units else "1"
    return choose((float(x) for each in series for x in each.x), base)


def _pairs(spec: FigureSpec, table: Table, columns: Sequence[int]) -> Mapping[str, tuple[int, int]]:
    """Return the columns of throughput and latency, by the other factors of both."""
    by_metric: dict[str, dict[_Key, int]] = {}
    factors = table.column_factors
    at = factors.index(METRIC) if METRIC in factors else None
    at_statistic = factors.index(STATISTIC) if STATISTIC in factors else None
    statistic = _statistic(table, columns)
    for position in columns:
        key = table.columns[position].key
        metric = table.metric if at is None else str(key[at])
        if at_statistic is not None and key[at_statistic] not in (LACKING, statistic):
            continue
        others = tuple(value for i, value in enumerate(key) if i not in (at, at_statistic))
        by_metric.setdefault(metric, {})[others] = position
    rate, time = _metrics(spec, table)
    rates, times = by_metric.get(rate), by_metric.get(time)
    if spec.latency == _DERIVED:
        times = rates
    if not rates or not times:
        fact = f'"{spec.table}" does not have columns of a rate and of a latency'
        remedy = f'add the metrics and the column factor "{METRIC}", or latency = "{_DERIVED}"'
        raise RequestError(f"{spec.place}.table", fact, remedy)
    return {
        " ".join(value_text(value) for value in key): (rates[key], times[key])
        for key in rates
        if key in times
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
