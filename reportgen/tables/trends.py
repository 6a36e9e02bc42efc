"""Trends: the repeats behind the cells of a table, grouped by when they ran or what they ran with.

Everything comes from the logs: dates of runs, factors, environments. So the same logs give the same trend
everywhere; what commits of the repository say is the subject of `reportgen.history`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from reportgen.compare.conditions import changes, conditions_of_case
from reportgen.compare.verdict import difference_text
from reportgen.core.change_points import ChangePoint, ChangePointRule, find_changes
from reportgen.core.factors import natural_key
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.metrics import metric_of
from reportgen.core.model import Case, FactorValue, Measurement, Run, Summary
from reportgen.core.stats import summarize
from reportgen.document.model import Header
from reportgen.tables.results import Cell, Table

DATE, COMMIT = "date", "commit"
_CONFIDENCE = 0.95
_HASH = lazy_pattern(r"[0-9a-f]{12,64}")
_HASH_CHARS = 8


@dataclass(frozen=True, slots=True, eq=False)
class TrendPoint:
    """The repeats of one date, version or factor value.

    case    the repeats; its factors are those of the cell
    events  what differs from the point before, besides x
    """

    x: str
    case: Case
    summary: Summary
    events: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class CellTrend:
    """The points of a row and a column, in order.

    row  the factors of the row, without x
    """

    row: Mapping[str, FactorValue]
    column: Header
    points: tuple[TrendPoint, ...]

    def changes(self, rule: ChangePointRule) -> tuple[ChangePoint, ...]:
        """Return the steps and drifts; none where a value is not positive."""
        values = [point.summary.median for point in self.points]
        return find_changes(values, rule).changes if min(values) > 0 else ()

    def sentence(self, change: ChangePoint) -> str:
        """Return a change in words, with what else changed at a step."""
        first, last = self.points[change.first], self.points[change.last]
        size = change_size(change.ratio, first.case.metric)
        if change.kind == "drift":
            return f"drift from {first.x} to {last.x}: {size}"
        return "; ".join((f"step at {first.x}: {size}", *first.events))


def change_size(ratio: float, metric: str) -> str:
    """Return a change in words: "4.1 % slower", or "+4.1 %" where neither direction is better."""
    better = metric_of(metric).better
    if better:
        return difference_text(ratio if better == "higher" else 1 / ratio)
    return f"{100 * (ratio - 1):+.1f} %"


def trends_of(table: Table, by: str) -> list[CellTrend]:
    """Return a trend for each column of values and each row, rows that differ in `by` alone joined.

    by  a factor, `date`, or a part of the environment: `driver` also finds `driver.version`
    """
    groups: dict[tuple[int, tuple[tuple[str, FactorValue], ...]], list[tuple[Cell, Measurement]]] = {}
    for position, key, cell in _cells(table, by):
        assert cell.case is not None
        groups.setdefault((position, key), []).extend((cell, each) for each in cell.case.measurements)
    result = []
    for (position, key), measured in sorted(groups.items(), key=lambda item: item[0][0]):
        points = _points(measured, by)
        if points:
            result.append(CellTrend(dict(key), table.columns[position], tuple(points)))
    return result


def _cells(table: Table, by: str) -> Iterator[tuple[int, tuple[tuple[str, FactorValue], ...], Cell]]:
    """Yield (column, factors of the row without x, cell) of every cell with a measured number."""
    for row, cells in zip(table.rows, table.cells, strict=True):
        names = zip(table.row_factors, row.key, strict=False)
        key = tuple((name, value) for name, value in names if name != by)
        for position, cell in enumerate(cells):
            is_value = table.columns[position].quantity == "value" and not row.is_mean
            if is_value and cell.kind == "number" and not cell.invalid and cell.case is not None:
                yield position, key, cell


def _points(measured: Sequence[tuple[Cell, Measurement]], by: str) -> list[TrendPoint]:
    groups: dict[str, list[tuple[Cell, Measurement]]] = {}
    for cell, measurement in measured:
        x = x_of(measurement.run, by)
        if x:
            groups.setdefault(x, []).append((cell, measurement))
    points: list[TrendPoint] = []
    order = _order(((x, each) for x, group in groups.items() for _, each in group), by)
    for x in sorted(groups, key=order):
        case = groups[x][0][0].case
        assert case is not None
        case = replace(case, measurements=tuple(measurement for _, measurement in groups[x]))
        summary = summarize([each.value for each in case.measurements], _CONFIDENCE)
        assert summary is not None
        events = tuple(events_between(points[-1].case, case, by)) if points else ()
        points.append(TrendPoint(x, case, summary, events))
    return points


def x_names(drawn: Iterable[CellTrend], by: str) -> tuple[str, ...]:
    """Return the x of several trends in one order, each once."""
    measured = [(p.x, each) for trend in drawn for p in trend.points for each in p.case.measurements]
    return tuple(sorted({x for x, _ in measured}, key=_order(measured, by)))


def _order(
    measured: Iterable[tuple[str, Measurement]], by: str
) -> Callable[[str], tuple[float, tuple[list[str | int], str]]]:
    """Return the key that sorts x: commits by their first run, everything else by its name."""
    starts: dict[str, float] = {}
    for x, measurement in measured:
        started = measurement.run.started
        if by == COMMIT and started is not None:
            starts[x] = min(started, starts.get(x, started))
    return lambda x: (starts.get(x, 0.0), natural_key(x))


def x_of(run: Run, by: str) -> str:
    """Return the x of a run, "" if its log does not say it."""
    if by in run.factors:
        return _text(run.factors[by])
    if by == DATE:
        return run.day
    for name in (by, f"{by}.version", f"{by}_version", f"git.{by}", f"software.{by}"):
        if name in run.environment:
            return _text(run.environment[name])
    return ""


def _text(value: FactorValue) -> str:
    text = repr(value).removesuffix(".0") if isinstance(value, float) else str(value)
    return text[:_HASH_CHARS] if _HASH.fullmatch(text) else text


def events_between(old: Case, new: Case, by: str) -> Iterator[str]:
    """Yield in words which conditions differ between two points, and which warnings are new."""
    for name, text in changes(conditions_of_case(old), conditions_of_case(new)):
        if name not in (by, f"{by}.version", f"{by}_version"):
            yield text
    yield from sorted(_warnings(new) - _warnings(old))


def _warnings(case: Case) -> set[str]:
    return {
        f"{finding.severity} {finding.rule}"
        for measurement in case.measurements
        for finding in (*measurement.run.findings, *measurement.findings)
        if finding.severity != "note"
    }
