"""Make the figures of a definition entry from its tables: what to draw, in base units.

line, curve, bar, stacked-bar, dots, heat-map
                    one series per column and combination of the row factors besides x
strip               every repeat as a point over its row and column
trend               the medians of the repeats of each date or version, with steps and drifts
series              the step times of every repeat over the steps, for each rank, by one clock
ecdf                the share of steps or repeats up to each value, see `tables.shares`
latency-throughput  the latency of each row over its throughput, see `tables.latencies`
waterfall           the parts of one cell's difference from its baseline, see `tables.waterfall`
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from reportgen.core.change_points import ChangePointRule
from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.factors import value_text
from reportgen.core.model import STEP, Case, FactorValue, Measurement
from reportgen.core.units import Unit, choose
from reportgen.document.model import FigureKind, FigureMark, Header, Quantity
from reportgen.protocol.available import series_of
from reportgen.protocol.steps import measurable_entries
from reportgen.tables.figure_rows import (
    column_name,
    column_words,
    restricted,
    row_name,
    series_name,
    short_names,
    shown_heads,
    shown_title,
    with_efficiency,
)
from reportgen.tables.latencies import latency_figure
from reportgen.tables.results import Cell, Figure, FigureSeries, Table
from reportgen.tables.shares import share_figure
from reportgen.tables.spec import FigureSpec
from reportgen.tables.trends import COMMIT, DATE, CellTrend, change_size, trends_of, x_names
from reportgen.tables.waterfall import waterfall_figure

# The ratios that a test gives an interval for.
_RATIOS: frozenset[Quantity] = frozenset(("ratio", "speedup", "efficiency", "observed"))


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a series with the ends of its interval, or why it has no value."""

    x: float | str
    y: float | None = None
    low: float | None = None
    high: float | None = None
    failed: str = ""
    case: Case | None = None


def build_figures(spec: FigureSpec, tables: Sequence[Table]) -> list[Figure]:
    """Return one figure for each of the tables (the facets of the entry that it names) that has any mark.

    A waterfall shows one cell: one figure for all tables. Raises RequestError if x is not a row factor, or
    the tables do not show the quantity asked for, or they do not have what the kind needs.
    """
    if spec.kind.shows == "parts":
        return [waterfall_figure(spec, tables)]
    shown = [_without_invalid(spec, table) for table in restricted(spec, tables)]
    # A facet without a baseline has no ratios.
    able = [table for table in shown if _shows(spec, table)] or shown[:1]
    figures = [replace(_figure(spec, table), table=table.id) for table in able]
    return [figure for figure in figures if _has_marks(figure)] or figures[:1]


def _shows(spec: FigureSpec, table: Table) -> bool:
    quantities = {column.quantity for column in table.columns}
    return spec.show in quantities or (spec.show == "efficiency" and "speedup" in quantities)


def _has_marks(figure: Figure) -> bool:
    """Return whether a figure shows a value, or why there is none."""
    return any(any(series.failed) or any(y is not None for y in series.y) for series in figure.series)


def _without_invalid(spec: FigureSpec, table: Table) -> Table:
    """Return the table with why in place of each invalid number: a figure marks it as it marks a failure.

    A stack with an invalid part means nothing as a whole.
    """
    lines = []
    for line in table.cells:
        of_stack = next((cell.invalid for cell in line if cell.invalid), "")
        rules = [of_stack if spec.kind is FigureKind.STACKED_BAR else cell.invalid for cell in line]
        pairs = zip(line, rules, strict=True)
        lines.append(
            tuple(
                Cell("status", text=f"invalid: {rule}", case=cell.case) if rule else cell
                for cell, rule in pairs
            )
        )
    return replace(table, cells=tuple(lines))


def _figure(spec: FigureSpec, table: Table) -> Figure:
    if spec.kind.shows != "cells" and spec.show != "value" and spec.of != "rows":
        raise RequestError(
            f"{spec.place}.show",
            f'a {spec.kind} shows measured values, not "{spec.show}"',
            'use show = "value"',
        )
    shown = {column.quantity for column in table.columns}
    if spec.show == "efficiency" and "speedup" in shown:
        table = with_efficiency(spec, table)
    columns = [i for i, column in enumerate(table.columns) if column.quantity == spec.show]
    if not columns:
        raise RequestError(
            f"{spec.place}.show",
            f'table "{spec.table}" does not show "{spec.show}"',
            did_you_mean(spec.show, shown),
        )
    title = f"{spec.title}: {table.facet_text}" if table.facet_text else spec.title
    figure = _MAKERS.get(spec.kind, _of_cells)(spec, table, columns)
    return replace(
        figure,
        id=spec.id + table.id.removeprefix(spec.table),
        title=title,
        alt=figure.alt or _alt(spec, table),
        # The values of an ecdf are shares, which have no baseline.
        quantity="value" if spec.kind is FigureKind.ECDF else spec.show,
    )


def _of_cells(spec: FigureSpec, table: Table, columns: Sequence[int]) -> Figure:
    """Return the figure of the cells of a table, or of the repeats behind them."""
    x = _x(spec, table)
    is_numeric = spec.kind.numeric_x and _is_numeric(table, x)
    if spec.kind is FigureKind.CURVE:
        _check_sizes(spec, table, x)
    names = None if is_numeric else _categories(table, x)
    if spec.kind is FigureKind.DOTS and len(list(_body(table))) == 1:
        return _of_one_row(spec, table, columns)
    shows_repeats = spec.kind.shows == "repeats"
    series = tuple(_strips(table, columns) if shows_repeats else _lines(table, columns, x, names))
    if names is None:
        series = tuple(map(_sorted_by_x, series))
    categories = tuple(dict.fromkeys(names.values())) if names else ()
    return Figure(
        "",
        "",
        spec.kind,
        _x_title(table, x),
        shown_title(spec, table, columns),
        _unit(spec, table, columns),
        _largest_first(categories, series) if spec.is_sorted else categories,
        series,
        _ideal(series) if spec.ideal else (),
    )


def _of_one_row(spec: FigureSpec, table: Table, columns: Sequence[int]) -> Figure:
    """Return the figure of the only row, with a category for each column, which keeps its own colour."""
    ((_, cells),) = _body(table)
    names = [column_name(table, position) for position in columns]
    series = tuple(
        _series(name, [_point(name, cells[position], spec.show)])
        for name, position in zip(names, columns, strict=True)
        if cells[position].kind in ("number", "status")
    )
    shown = tuple(each.name for each in series)
    return Figure(
        "",
        "",
        spec.kind,
        ", ".join(table.column_factors),
        shown_title(spec, table, columns),
        _unit(spec, table, columns),
        _largest_first(shown, series) if spec.is_sorted else shown,
        series,
    )


def _largest_first(categories: Sequence[str], series: Sequence[FigureSeries]) -> tuple[str, ...]:
    """Return the categories by their largest value; those without one are last."""
    largest: dict[str, float] = {}
    for each in series:
        for name, y in zip(each.x, each.y, strict=True):
            if y is not None:
                largest[str(name)] = max(y, largest.get(str(name), -math.inf))
    return tuple(sorted(categories, key=lambda name: -largest.get(name, -math.inf)))


def _check_sizes(spec: FigureSpec, table: Table, x: str | None) -> None:
    at = table.row_factors.index(x or "")
    wrong = [row.key[at] for row, _ in _body(table) if not _is_size(row.key[at])]
    if wrong:
        raise RequestError(
            f"{spec.place}.x",
            f'a curve needs sizes above 0, and "{x}" has the value {value_text(wrong[0])}',
            "use a line or a bar",
        )


def _is_size(value: FactorValue) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0


def _of_steps(spec: FigureSpec, table: Table, columns: Sequence[int]) -> Figure:
    """Return the figure of the step times behind a table."""
    series = tuple(_step_series(table, columns))
    unit = choose((y for line in series for y in line.y if y is not None), "s")
    return Figure("", "", spec.kind, "step", "step time", unit, (), series)


def _of_trends(spec: FigureSpec, table: Table, columns: Sequence[int]) -> Figure:
    """Return the figure of the trends behind a table; its description names the changes."""
    by, rule = spec.x or DATE, ChangePointRule()
    drawn = trends_of(table, by)
    if not drawn:
        known = f"name a factor, {DATE}, {COMMIT}, driver or another part of the environment"
        raise RequestError(f"{spec.place}.x", f'no log of table "{spec.table}" says "{by}"', known)
    changes = [(n, trend, change) for n, trend in enumerate(drawn) for change in trend.changes(rule)]
    series = tuple(_trend_series(table, trend) for trend in drawn)
    sentences = [
        f"{series[n].name}: {trend.sentence(change)}" if len(drawn) > 1 else trend.sentence(change)
        for n, trend, change in changes
    ]
    marks = tuple(
        FigureMark(
            n,
            trend.points[change.first].x,
            trend.points[change.last].x,
            change_size(change.ratio, trend.points[0].case.metric),
        )
        for n, trend, change in changes
    )
    unit, y_title = _unit(spec, table, columns), shown_title(spec, table, columns)
    alt = "; ".join([_alt(spec, table), *sentences])
    names = x_names(drawn, by)
    return Figure("", "", spec.kind, by, y_title, unit, names, series, alt=alt, changes=marks)


def _of_shares(spec: FigureSpec, table: Table, columns: Sequence[int]) -> Figure:
    unit = _unit(spec, table, columns) if spec.of != "steps" else None
    return share_figure(spec, table, columns, unit)


# How figures are made that do not show the cells of a table.
_MAKERS: Mapping[FigureKind, Callable[[FigureSpec, Table, Sequence[int]], Figure]] = {
    FigureKind.TREND: _of_trends,
    FigureKind.SERIES: _of_steps,
    FigureKind.ECDF: _of_shares,
    FigureKind.LATENCY_THROUGHPUT: latency_figure,
}


def _trend_series(table: Table, trend: CellTrend) -> FigureSeries:
    column = column_name(table, table.columns.index(trend.column))
    row = ", ".join(str(value) for value in trend.row.values())
    points = [
        Point(point.x, s.median, s.low, s.high, case=point.case)
        if s.n > 1
        else Point(point.x, s.median, case=point.case)
        for point in trend.points
        for s in [point.summary]
    ]
    return _series(
        ", ".join(part for part in (row, column if len(table.columns) > 1 or not row else "") if part), points
    )


def _x(spec: FigureSpec, table: Table) -> str | None:
    """Return the row factor on the x axis, None if whole rows are the categories."""
    if not spec.x:
        if spec.kind.shows == "cells" and spec.kind.numeric_x:
            raise RequestError(
                f"{spec.place}.x",
                f"a {spec.kind} needs an x axis",
                f"name one of {', '.join(table.row_factors)}",
            )
        return None
    if spec.x not in table.row_factors:
        raise RequestError(
            f"{spec.place}.x",
            f'"{spec.x}" is not a row factor of table "{spec.table}"',
            did_you_mean(spec.x, table.row_factors),
        )
    return spec.x


def _body(table: Table) -> Iterator[tuple[Header, tuple[Cell, ...]]]:
    """Yield the rows of the table without the row of means."""
    for row, cells in zip(table.rows, table.cells, strict=True):
        if not row.is_mean:
            yield row, cells


def _x_title(table: Table, x: str | None) -> str:
    """Return the heading of x, or the headings of all row factors if whole rows are the categories."""
    if x is not None:
        return table.row_titles[table.row_factors.index(x)].text
    titles = (table.row_titles[i] for i in shown_heads(table))
    return " · ".join(title.text for title in titles if title.text)


def _is_numeric(table: Table, x: str | None) -> bool:
    if x is None:
        return False
    values = [row.key[table.row_factors.index(x)] for row, _ in _body(table)]
    return all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)


def _categories(table: Table, x: str | None) -> dict[Header, str]:
    """Return the names of the rows on the x axis, as the table's headings write them."""
    if x is None:
        return short_names(table)
    at = table.row_factors.index(x)
    return {row: row.labels[at].text for row, _ in _body(table)}


def _lines(
    table: Table, columns: Sequence[int], x: str | None, names: Mapping[Header, str] | None
) -> Iterator[FigureSeries]:
    """Yield one series for each column and each combination of the row factors besides x.

    names  the category of each row, None if x is a number
    """
    others = _other_factors(table, x)
    points: dict[tuple[int, tuple[FactorValue, ...]], list[Point]] = {}
    lines: dict[tuple[int, tuple[FactorValue, ...]], str] = {}
    for row, cells in _body(table):
        at = names[row] if names else row.key[table.row_factors.index(x or "")]
        group = tuple(row.key[i] for i in others)
        for position in columns:
            points.setdefault((position, group), []).append(
                _point(at, cells[position], table.columns[position].quantity)
            )
            name = series_name(table, column_words(table, position), row, others)
            lines.setdefault((position, group), name or table.metric_title)
    # Columns first, so that the colours follow the order of the table's heading.
    for key, line in sorted(points.items(), key=lambda item: item[0][0]):
        if any(point.y is not None or point.failed for point in line):
            yield _series(lines[key], line)


def _series(name: str, points: Sequence[Point]) -> FigureSeries:
    return FigureSeries(
        name,
        tuple(point.x for point in points),
        tuple(point.y for point in points),
        tuple(point.low for point in points),
        tuple(point.high for point in points),
        tuple(point.failed for point in points),
        cases=tuple(point.case for point in points),
    )


def _other_factors(table: Table, x: str | None) -> list[int]:
    """Return the row factors that distinguish rows with the same x; none if x alone does."""
    if x is None:
        return []
    at = table.row_factors.index(x)
    keys = [row.key for row, _ in _body(table)]
    if len({key[at] for key in keys}) == len(keys):
        return []
    return [i for i in range(len(table.row_factors)) if i != at and len({key[i] for key in keys}) > 1]


def _point(x: float | str, cell: Cell, quantity: Quantity) -> Point:
    if cell.kind == "number":
        return Point(x, cell.value, *_interval(cell, quantity), case=cell.case)
    return Point(x, failed=cell.text if cell.kind == "status" else "", case=cell.case)


def _interval(cell: Cell, quantity: Quantity) -> tuple[float | None, float | None]:
    """Return the interval of a number, also where the table does not print it.

    Of a value, that of the median of its repeats; of a ratio, that of its test; else what the cell has.
    """
    case, comparison = cell.case, cell.comparison
    if cell.low is not None or case is None:
        return cell.low, cell.high
    if quantity == "value":
        repeats = case.summary
        return (repeats.low, repeats.high) if repeats and repeats.n > 1 else (None, None)
    interval = comparison.interval if comparison and quantity in _RATIOS else None
    if interval is None or comparison is None or not cell.value:
        return None, None
    # An efficiency is its speed-up over the devices.
    factor = cell.value / comparison.value
    return interval[0] * factor, interval[1] * factor


def _strips(table: Table, columns: Sequence[int]) -> Iterator[FigureSeries]:
    for position in columns:
        points: list[Point] = []
        for row, cells in _body(table):
            cell, name = cells[position], row_name(row)
            if cell.kind == "status":
                points.append(Point(name, failed=cell.text, case=cell.case))
                continue
            measurements = cell.case.measurements if cell.case else ()
            points += [Point(name, each.value, case=cell.case) for each in measurements]
        if points:
            yield _series(column_name(table, position), points)


def _step_series(table: Table, columns: Sequence[int]) -> Iterator[FigureSeries]:
    for row, cells in _body(table):
        for position in columns:
            case = cells[position].case
            for measurement in case.measurements if case else ():
                yield from _steps(f"{row_name(row)} {column_name(table, position)}".strip(), measurement)


def _steps(name: str, measurement: Measurement) -> Iterator[FigureSeries]:
    """Yield the steps of each rank by the clock that measures the run."""
    run = measurement.run
    repeat = f" #{run.repeat}" if run.repeat is not None else ""
    ranks = series_of(run, "step_time", STEP)
    for series in ranks:
        rank = f" rank {series.rank}" if len(ranks) > 1 else ""
        entries = measurable_entries(series)
        steps, times = map(float, entries.last), map(float, entries.value / entries.span)
        yield FigureSeries(f"{name}{repeat}{rank}", tuple(steps), tuple(times))


def _sorted_by_x(series: FigureSeries) -> FigureSeries:
    """Return a series with numbers for x, in ascending order."""
    columns = zip(series.x, series.y, series.low, series.high, series.failed, series.cases, strict=True)
    points = [Point(float(x), *values) for x, *values in columns]
    return _series(series.name, sorted(points, key=lambda point: float(point.x)))


def _unit(spec: FigureSpec, table: Table, columns: Sequence[int]) -> Unit:
    if spec.show != "value":
        return Unit("1", "1", 1.0)
    units = {
        c.unit for _, cells in _body(table) for i in columns if (c := cells[i]).kind == "number" and c.unit
    }
    if len({unit.base for unit in units}) > 1:
        raise RequestError(
            f"{spec.place}.table",
            f'the columns of "{spec.table}" have different units and cannot share an axis',
            "draw a table with one metric",
        )
    if len(units) == 1:
        return units.pop()
    values = [c.value for _, cells in _body(table) for i in columns if (c := cells[i]).value is not None]
    return choose((v for v in values if v is not None), units.pop().base if units else "1")


def _ideal(series: Sequence[FigureSeries]) -> tuple[tuple[float, float], ...]:
    """Return the line of proportional growth through the first point of the first series.

    For a speed-up relative to one device this is the diagonal, the grey dashed line of DLPerf.
    """
    xs = sorted({float(x) for line in series for x in line.x if isinstance(x, (int, float))})
    starts = [
        (float(s.x[0]), s.y[0]) for s in series if isinstance(s.x[0], (int, float)) and s.y[0] is not None
    ]
    if not xs or not starts or starts[0][0] == 0:
        return ()
    x0, y0 = starts[0]
    assert y0 is not None
    return tuple((x, y0 * x / x0) for x in (xs[0], xs[-1]))


def _alt(spec: FigureSpec, table: Table) -> str:
    return f"{spec.kind} plot: {spec.title}; see table {table.id} for the numbers"
