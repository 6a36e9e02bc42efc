"""The points of cells from the states of a report.

A state gives a cell a point only if it measured the cell: with runs that no state before it had, or
with other values of the same runs. The value of a point comes from these runs alone. So points are
independent of each other where a report collects runs, and a commit that touched another table does not
confirm an old number. A log that was edited looks like a new measurement; the point names it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from reportgen.compare.conditions import changes
from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.factors import Where, check_where, matches
from reportgen.core.stats import summarize
from reportgen.core.units import choose, text
from reportgen.diff.cells import shown_text
from reportgen.document.cells import PlacedCell
from reportgen.history.commits import ReportState
from reportgen.history.measured import (
    MeasuredCase,
    MeasuredCell,
    MeasuredRepeat,
    MeasuredReport,
    MeasuredTable,
)
from reportgen.history.points import MOVED, CellHistory, HistoryPoint

_CONFIDENCE = 0.95
# Edited logs that are named.
_MAX_FILES = 3


def cell_histories(
    states: Iterable[ReportState], table: str, rows: Where, columns: Where
) -> list[CellHistory]:
    """Return the history of each cell of a table with these factors: those that show a number now, in their
    order, then those that did at an earlier commit.
    """
    tracks, latest = _Tracks(table), None
    for state in states:
        latest = state.report
        tracks.add(state)
    if latest is None:
        return []
    every = tracks.histories()
    if not tracks.has_table:
        known = [each.id for each in latest.tables]
        raise RequestError(f"{latest.name}/{table}", "no such table", did_you_mean(table, known))
    check_where(rows, [history.row for history in every], "row", "row")
    check_where(columns, [history.column for history in every], "column", "column")
    return [
        history
        for history in every
        if history.quantity != "repeats" and matches(history.row, rows) and matches(history.column, columns)
    ]


def report_histories(states: Iterable[ReportState]) -> list[CellHistory]:
    """Return the history of each cell of a report that shows a number in its last state."""
    tracks = _Tracks()
    for state in states:
        tracks.add(state)
    return [history for history in tracks.histories() if history.quantity != "repeats" and not history.end]


class _Tracks:
    """Follows the cells of one table, or of all tables for "", from state to state."""

    def __init__(self, table: str = "") -> None:
        self.has_table = False
        self._table = table
        self._tracks = dict[tuple[object, ...], _Track]()
        self._number = 0
        self._report: MeasuredReport | None = None
        self._runs: _RunsOf | None = None
        self._shown = dict[str, _TableCells]()

    def add(self, state: ReportState) -> None:
        """Add the next state. Most commits of a report.json change texts alone, and no track."""
        before, self._report = self._report, state.report
        if before and before.measured == state.report.measured:
            return
        self._runs = _RunsOf(state.report, self._runs)
        self._shown = {
            table.id: self._cells_of(table, state.report)
            for table in state.report.tables
            if self._table in ("", table.id)
        }
        self.has_table |= bool(self._shown)
        order = 0
        for id, shown in self._shown.items():
            for cell in shown.cells:
                if cell.placed.is_number:
                    track = self._tracks.get((id, cell.key))
                    if track is None:
                        track = self._tracks[id, cell.key] = _Track()
                    if track.last != self._number:
                        track.see(state, self._runs, id, cell, self._number, order)
                        order += 1
        for track in self._tracks.values():
            if track.last == self._number - 1:
                track.end = _end(state, self._shown.get(track.table), track.cell)
        self._number += 1

    def _cells_of(self, table: MeasuredTable, report: MeasuredReport) -> "_TableCells":
        """Return the cells of a table; most tables are as they were in the state before."""
        baselines = table.baselines(report.comparisons)
        before = self._shown.get(table.id)
        if before and before.table == table and before.baselines == baselines:
            return before
        return _TableCells(table, baselines, tuple(table.measured_cells(baselines)))

    def histories(self) -> list[CellHistory]:
        """Return the history of each cell: the last shown ones first, then in the order of their tables."""
        tracks = sorted(self._tracks.values(), key=lambda track: (-track.last, track.order))
        return [track.history() for track in tracks]


@dataclass(frozen=True, slots=True)
class _TableCells:
    """A table, the baselines of its cases, and its cells."""

    table: MeasuredTable
    baselines: Mapping[str, str]
    cells: tuple[MeasuredCell, ...]


class _Track:
    """One cell from state to state. last: the number of the state that showed it last."""

    cell: MeasuredCell
    table: str

    def __init__(self) -> None:
        self.last, self.order, self.end = -1, 0, ""
        self._points: list[HistoryPoint] = []
        self._before: _Measured | None = None
        self._own = self._base = _NO_RUNS
        self._seen, self._contents = set[object](), set[object]()
        self._earlier = dict[str, _StatedRun]()
        self._report = self._metric = ""

    def see(
        self, state: ReportState, runs: "_RunsOf", table: str, cell: MeasuredCell, number: int, order: int
    ) -> None:
        """Note the cell of a state, with a point if the state measured it."""
        report = state.report
        case = report.case_by_name.get(cell.placed.case)
        self.cell, self.table, self.last, self.order, self.end = cell, table, number, order, ""
        self._report, self._metric = report.name, case.metric if case else ""
        own, base = runs.of(cell.placed.case), runs.of(cell.baseline)
        # A mean has no runs of its own.
        if not own and not base:
            if self._before is None or self._before.cell.value != cell.placed.value:
                self._add_point(state, _Measured(cell.placed, case, report.case_by_name.get(cell.baseline)))
            return
        if own is self._own and base is self._base:
            return
        self._own, self._base = own, base
        every = {**own, **base}
        fresh = {key: run for key, run in every.items() if key not in self._seen}
        if fresh:
            measured = _Measured(
                cell.placed,
                case,
                report.case_by_name.get(cell.baseline),
                new=tuple(run.value for key, run in fresh.items() if key in own),
                is_recomputed=all(run.content in self._contents for run in fresh.values()),
                edits=tuple(_edits(fresh.values(), self._earlier)),
            )
            self._add_point(state, measured)
        self._seen.update(every)
        self._contents.update(run.content for run in every.values())
        self._earlier.update({run.id: run for run in every.values()})

    def _add_point(self, state: ReportState, measured: "_Measured") -> None:
        self._points.append(_point(state, self._before, measured))
        self._before = measured

    def history(self) -> CellHistory:
        """Return the history up to the last state."""
        cell = self.cell.placed
        return CellHistory(
            self._report,
            self.table,
            cell.row,
            cell.column,
            cell.quantity,
            self._metric,
            cell.unit,
            tuple(self._points),
            end=self.end,
            case=cell.case,
            shown=cell.cell.unit,
        )


def _end(state: ReportState, table: _TableCells | None, cell: MeasuredCell) -> str:
    """Return since when a cell shows no number, and what is in its place."""
    if table is None:
        reason = "the report has no such table"
    else:
        there = next((each.placed for each in table.cells if each.key == cell.key), None)
        reason = f'the cell shows "{shown_text(there)}"' if there else "the table has no such cell"
    return f"no number since {state.label}: {reason}"


@dataclass(frozen=True, slots=True)
class _Measured:
    """A cell in a state that measured it. new: the values of the repeats that no state before had."""

    cell: PlacedCell
    case: MeasuredCase | None
    baseline: MeasuredCase | None
    new: tuple[float, ...] = ()
    is_recomputed: bool = False
    edits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _StatedRun:
    """A repeat as a state has it.

    content  the digests of its files; the name of a file without one
    digests  of its files, by path; "" for a file without one
    """

    id: str
    value: float
    started: float | None
    content: object
    digests: Mapping[str, str]


_Runs = Mapping[object, _StatedRun]
_NO_RUNS: _Runs = {}


@dataclass(frozen=True, slots=True)
class _CaseRuns:
    """The runs of a case, and all files that they come from: one of two equal runs has others."""

    runs: _Runs
    files: frozenset[str]


class _RunsOf:
    """The runs of the cases of one state. A case that is as it was in the state before has the same runs."""

    def __init__(self, report: MeasuredReport, before: "_RunsOf | None") -> None:
        self._report = report
        self._known = dict[str, _CaseRuns]()
        self._before = before._unchanged(report) if before else {}

    def _unchanged(self, report: MeasuredReport) -> Mapping[str, _CaseRuns]:
        """Return the runs of the cases that have the same repeats, from the same files, in another report."""
        old, new = self._report.case_by_name, report.case_by_name
        changed = {file for file, _ in self._report.sources.items() ^ report.sources.items()}
        return {
            name: known
            for name, known in self._known.items()
            if name in new
            and new[name].measurements == old[name].measurements
            and changed.isdisjoint(known.files)
        }

    def of(self, name: str) -> _Runs:
        """Return the runs of a case by what identifies a measured value; none for an unknown name.

        It is the content of its files, under any name, and the value. The other runs in a file with several
        change its content too; there the name of the run is used instead.
        """
        case = self._report.case_by_name.get(name)
        if case is None:
            return _NO_RUNS
        if name not in self._known:
            self._known[name] = self._before.get(name) or self._read(case)
        return self._known[name].runs

    def _read(self, case: MeasuredCase) -> _CaseRuns:
        stated = [self._stated(repeat) for repeat in case.repeats]
        runs: _Runs = {(run.id if "#" in run.id else run.content, run.value): run for run in stated}
        return _CaseRuns(runs, frozenset(file for run in stated for file in run.digests))

    def _stated(self, repeat: MeasuredRepeat) -> _StatedRun:
        run, sources = repeat.execution, self._report.sources
        digests = {file: sources.get(file, "") for file in repeat.files}
        content = tuple(sorted(digest or file for file, digest in digests.items()))
        assert repeat.value is not None
        return _StatedRun(run.id, repeat.value, run.started, content, digests)


def _edits(fresh: Iterable[_StatedRun], earlier: Mapping[str, _StatedRun]) -> Iterator[str]:
    """Yield which files of earlier runs have another content now.

    A run that started at another time is a new one that was recorded in the place of the old one.
    """
    known, unknown = dict[str, None](), dict[str, None]()
    for run in fresh:
        seen = earlier.get(run.id)
        starts = {run.started, seen.started} - {None} if seen else set()
        if seen is None or len(starts) > 1:
            continue
        is_known = None not in (run.started, seen.started)
        for file, new in run.digests.items():
            old = seen.digests.get(file)
            if old and new and old != new:
                (known if is_known else unknown)[file] = None
    for files, what in ((known, "edited (same start time)"), (unknown, "edited or replaced")):
        if files:
            more = f" and {len(files) - _MAX_FILES} more" if len(files) > _MAX_FILES else ""
            yield f"log {what}: {', '.join(list(files)[:_MAX_FILES])}{more}"


def _point(state: ReportState, before: _Measured | None, now: _Measured) -> HistoryPoint:
    values = now.new
    own = summarize(values, _CONFIDENCE)
    value, low, high, repeats = now.cell.value, None, None, 0
    assert value is not None
    if now.cell.quantity == "value" and own:
        is_all = now.case is not None and len(values) == len(now.case.repeats)
        value = value if is_all else own.median
        low, high = (own.low, own.high) if own.n > 1 else (None, None)
    if now.case is not None:
        repeats = len(values) if now.cell.quantity == "value" else len(now.case.repeats)
    return HistoryPoint(
        state.label,
        state.date,
        value,
        low,
        high,
        repeats,
        _median(now.case),
        _median(now.baseline),
        state.subject,
        state.commit,
        tuple(_events(before, now)) if before else (),
    )


def _median(case: MeasuredCase | None) -> float | None:
    return case.summary.value if case and case.summary else None


def _events(before: _Measured, now: _Measured) -> Iterator[str]:
    """Yield what else differs from the last point, in words."""
    if now.is_recomputed:
        yield "the same logs, computed anew"
    yield from now.edits
    if before.case and now.case:
        old, new = ({"protocol": each.case.protocol} for each in (before, now) if each.case)
        yield from (text for _, text in changes(old, new))
        yield from (text for _, text in changes(before.case.conditions, now.case.conditions))
        yield from _new_warnings(before.case, now.case)
    old_base, new_base = _median(before.baseline), _median(now.baseline)
    if old_base and new_base and abs(new_base / old_base - 1) >= MOVED:
        assert now.baseline is not None
        unit = choose([old_base, new_base], now.baseline.unit)
        shown = " -> ".join(text(each / unit.factor) for each in (old_base, new_base))
        yield f"baseline {shown} {unit.name} ({100 * (new_base / old_base - 1):+.1f} %)"


def _new_warnings(old: MeasuredCase, new: MeasuredCase) -> Iterator[str]:
    known = _warnings(old)
    yield from sorted(_warnings(new) - known)


def _warnings(case: MeasuredCase) -> set[str]:
    return {
        f"{finding.severity} {finding.rule}"
        for repeat in case.repeats
        for finding in (*repeat.execution.findings, *repeat.findings)
        if finding.severity != "note"
    }
