"""The points of cells from the logs of today: one for each date, version or value of a factor."""

from collections.abc import Mapping

from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.factors import Where, check_where, matches
from reportgen.core.model import Case, FactorValue
from reportgen.history.points import CellHistory, HistoryPoint
from reportgen.tables.results import Report, Table
from reportgen.tables.trends import CellTrend, TrendPoint, trends_of


def log_histories(report: Report, table: str, by: str, rows: Where, columns: Where) -> list[CellHistory]:
    """Return the history of each cell of a table with these factors, over `by`.

    by  a factor, `date`, or a part of the environment; rows that differ in it alone are one history
    Raises RequestError if there is no such table, or if no log says `by`.
    """
    shown = next((each for each in report.tables if each.id == table), None)
    if shown is None:
        known = did_you_mean(table, [each.id for each in report.tables])
        raise RequestError(f"{report.name}/{table}", "no such table", known)
    each_trend = trends_of(shown, by)
    if not each_trend:
        remedy = "name a factor, date, or a part of the environment such as driver"
        raise RequestError("--by", f'no log of {report.name}/{table} says "{by}"', remedy)
    histories = [_history(report.name, shown, trend) for trend in each_trend]
    check_where(rows, [each.row for each in histories], "row", "row")
    check_where(columns, [each.column for each in histories], "column", "column")
    return [each for each in histories if matches(each.row, rows) and matches(each.column, columns)]


def _history(report: str, table: Table, trend: CellTrend) -> CellHistory:
    column: Mapping[str, FactorValue] = dict(zip(table.column_factors, trend.column.key, strict=False))
    case = trend.points[0].case
    points = tuple(_point(point) for point in trend.points)
    return CellHistory(report, table.id, trend.row, column, "value", case.metric, case.unit, points)


def _point(point: TrendPoint) -> HistoryPoint:
    summary = point.summary
    low, high = (summary.low, summary.high) if summary.n > 1 else (None, None)
    day = _day(point.case)
    return HistoryPoint(point.x, day, summary.median, low, high, summary.n, events=point.events)


def _day(case: Case) -> str:
    """Return the day of the first run, "" if no log says it."""
    return min((each.run.day for each in case.measurements if each.run.day), default="")
