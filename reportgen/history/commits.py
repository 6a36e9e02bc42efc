"""The points of cells from the report.json files of past commits.

Nothing is built: each commit says what its report said. A commit gives a cell a point only if it measured the
cell: with runs that the commits before it did not have, or with other values of the same runs. The value of a
point comes from these runs alone. So points are independent of each other where a report collects runs, and a
commit that touched another table does not confirm an old number. A log that was edited looks like a new
measurement; the point names it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from reportgen.compare.conditions import changes
from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.factors import Where, check_where, matches
from reportgen.core.stats import summarize
from reportgen.core.units import choose, text
from reportgen.diff.cells import cell_key, shown_text
from reportgen.document.cells import PlacedCell, placed_cells
from reportgen.document.encode import decode
from reportgen.document.file_names import REPORT_JSON
from reportgen.document.model import Case, Document, Measurement, Table
from reportgen.history.points import MOVED, CellHistory, HistoryPoint
from reportgen.sources.git import GitRepository, open_repository

_CONFIDENCE = 0.95
_HASH_CHARS = 8
# Edited logs that are named.
_MAX_FILES = 3


@dataclass(frozen=True, slots=True)
class ReportState:
    """A report as one commit has it; an empty commit is the working tree."""

    label: str
    date: str
    subject: str
    commit: str
    report: Document


@dataclass(frozen=True, slots=True)
class ReportStates:
    """The states of a report, the oldest first. notes: what a reader should know about them."""

    states: tuple[ReportState, ...]
    notes: tuple[str, ...] = ()


def read_states(folder: Path) -> ReportStates:
    """Return the states of the report in a folder: one per commit that touched its report.json.

    The working tree is the last one if it differs from the last commit.
    """
    repository = open_repository(folder)
    path = f"{repository.path_of(folder)}/{REPORT_JSON}"
    commits = repository.log(path)[::-1]
    contents = [repository.read(commit.hash, path) for commit in commits]
    states, unreadable = [], 0
    for commit, content in zip(commits, contents, strict=True):
        if content is None:
            continue
        try:
            report = decode(content, f"{path} at {commit.hash[:_HASH_CHARS]}")
        except RequestError:
            unreadable += 1
            continue
        label = commit.hash[:_HASH_CHARS]
        states.append(ReportState(label, commit.date[:10], commit.subject, commit.hash, report))
    here = folder / REPORT_JSON
    if here.is_file() and (not contents or here.read_bytes() != contents[-1]):
        states.append(ReportState("now", "", "not committed", "", decode(here.read_bytes(), str(here))))
    return ReportStates(tuple(states), tuple(_notes(repository, unreadable)))


def _notes(repository: GitRepository, unreadable: int) -> Iterator[str]:
    if repository.is_shallow():
        yield "this clone is shallow, so older commits are missing: git fetch --unshallow"
    if unreadable:
        what = "1 commit has" if unreadable == 1 else f"{unreadable} commits have"
        yield f"{what} a report.json of another version, which is left out"


def cell_histories(states: ReportStates, table: str, rows: Where, columns: Where) -> list[CellHistory]:
    """Return the history of each cell with these factors: those that show a number now, in their order, then
    those that did at an earlier commit.
    """
    if not states.states:
        return []
    latest = states.states[-1].report
    if not any(_table(state.report, table) for state in states.states):
        known = [each.id for each in latest.tables]
        raise RequestError(f"{latest.name}/{table}", "no such table", did_you_mean(table, known))
    every = _shown_cells(states.states, table)
    check_where(rows, [shown.cell.row for shown in every], "row", "row")
    check_where(columns, [shown.cell.column for shown in every], "column", "column")
    return [
        _history(states.states, table, shown)
        for shown in every
        if shown.cell.quantity != "repeats"
        and matches(shown.cell.row, rows)
        and matches(shown.cell.column, columns)
    ]


@dataclass(frozen=True, slots=True)
class _ShownCell:
    """A cell as the last commit that shows its number has it; `at` is the position of that commit."""

    cell: PlacedCell
    at: int


def _shown_cells(states: Sequence[ReportState], table: str) -> list[_ShownCell]:
    """Return every cell of a table that ever showed a number, as last shown; the latest ones first."""
    shown: dict[tuple[object, ...], _ShownCell] = {}
    for at in reversed(range(len(states))):
        stored = _table(states[at].report, table)
        for cell in placed_cells(stored) if stored else ():
            if cell.is_number:
                shown.setdefault(cell_key(cell), _ShownCell(cell, at))
    return list(shown.values())


def _table(report: Document, id: str) -> Table | None:
    return next((table for table in report.tables if table.id == id), None)


@dataclass(frozen=True, slots=True)
class _Measured:
    """A cell at a commit that measured it."""

    state: ReportState
    cell: PlacedCell
    case: Case | None
    baseline: Case | None
    new: tuple[Measurement, ...]
    is_recomputed: bool
    edits: tuple[str, ...]


def _history(states: Sequence[ReportState], table: str, shown: _ShownCell) -> CellHistory:
    cell, last = shown.cell, states[shown.at].report
    measured = list(_measured(states, table, cell))
    points = [_point(None, measured[0])] if measured else []
    points += [_point(before, now) for before, now in pairwise(measured)]
    case = last.case_by_name.get(cell.case)
    metric = case.metric if case else ""
    end = _end(states[shown.at + 1], table, cell) if shown.at + 1 < len(states) else ""
    return CellHistory(
        last.name, table, cell.row, cell.column, cell.quantity, metric, cell.unit, tuple(points), end=end
    )


def _end(state: ReportState, table: str, shown: PlacedCell) -> str:
    """Return since when a cell shows no number, and what is in its place."""
    stored = _table(state.report, table)
    cells = [cell for cell in placed_cells(stored) if cell_key(cell) == cell_key(shown)] if stored else []
    if stored is None:
        reason = "the report has no such table"
    else:
        reason = f'the cell shows "{shown_text(cells[0])}"' if cells else "the table has no such cell"
    return f"no number since {state.label}: {reason}"


def _measured(states: Iterable[ReportState], table: str, place: PlacedCell) -> Iterator[_Measured]:
    """Yield a cell at each commit with new runs or values of it or, if it is a ratio, of its baseline."""
    seen, seen_contents = set[object](), set[object]()
    earlier: dict[str, _SeenRun] = {}
    for state in states:
        cell = _find(_table(state.report, table), place)
        if cell is None or cell.value is None:
            continue
        case = state.report.case_by_name.get(cell.case)
        name = cell.comparison.baseline if cell.comparison and cell.quantity != "value" else ""
        baseline = state.report.case_by_name.get(name)
        keys = {key: repeat for each in (case, baseline) if each for key, repeat in _keys(each, state.report)}
        fresh = [key for key in keys if key not in seen]
        if fresh or not keys:
            contents = [_content(keys[key], state.report) for key in fresh]
            own = {id(repeat) for repeat in case.measurements} if case else set()
            new = tuple(keys[key] for key in fresh if id(keys[key]) in own)
            is_recomputed = bool(contents) and all(each in seen_contents for each in contents)
            edits = tuple(_edits([keys[key] for key in fresh], earlier, state.report))
            yield _Measured(state, cell, case, baseline, new, is_recomputed, edits)
        seen.update(keys)
        seen_contents.update(_content(repeat, state.report) for repeat in keys.values())
        earlier.update({repeat.run.id: _SeenRun(repeat, state.report) for repeat in keys.values()})


@dataclass(frozen=True, slots=True)
class _SeenRun:
    """A run as an earlier commit has it."""

    repeat: Measurement
    report: Document


def _edits(fresh: Iterable[Measurement], earlier: Mapping[str, _SeenRun], report: Document) -> Iterator[str]:
    """Yield which files of earlier runs have another content now.

    A run that started at another time is a new one that was recorded in the place of the old one.
    """
    known, unknown = dict[str, None](), dict[str, None]()
    for repeat in fresh:
        seen = earlier.get(repeat.run.id)
        starts = {repeat.run.started, seen.repeat.run.started} - {None} if seen else set()
        if seen is None or len(starts) > 1:
            continue
        is_known = None not in (repeat.run.started, seen.repeat.run.started)
        for file in repeat.files:
            old, new = seen.report.sources.get(file), report.sources.get(file)
            if old and new and old != new:
                (known if is_known else unknown)[file] = None
    for files, what in ((known, "edited (same start time)"), (unknown, "edited or replaced")):
        if files:
            more = f" and {len(files) - _MAX_FILES} more" if len(files) > _MAX_FILES else ""
            yield f"log {what}: {', '.join(list(files)[:_MAX_FILES])}{more}"


def _find(table: Table | None, place: PlacedCell) -> PlacedCell | None:
    wanted = cell_key(place)
    cells = placed_cells(table) if table else ()
    return next((cell for cell in cells if cell.is_number and cell_key(cell) == wanted), None)


def _keys(case: Case, report: Document) -> Iterator[tuple[object, Measurement]]:
    """Yield what identifies a measured value: the content of its files, under any name, and the value.

    The other runs in a file with several change its content too; there the name of the run is used instead.
    """
    for repeat in case.measurements:
        content = repeat.run.id if "#" in repeat.run.id else _content(repeat, report)
        yield (content, repeat.value), repeat


def _content(repeat: Measurement, report: Document) -> object:
    """Return the digests of the files of a run; the name of a file without one."""
    return tuple(sorted(report.sources.get(file, file) for file in repeat.files))


def _point(before: _Measured | None, now: _Measured) -> HistoryPoint:
    values = [repeat.value for repeat in now.new]
    own = summarize(values, _CONFIDENCE)
    value, low, high, repeats = now.cell.value, None, None, 0
    assert value is not None
    if now.cell.quantity == "value" and own:
        is_all = now.case is not None and len(values) == len(now.case.measurements)
        value = value if is_all else own.median
        low, high = (own.low, own.high) if own.n > 1 else (None, None)
    if now.case is not None:
        repeats = len(values) if now.cell.quantity == "value" else len(now.case.measurements)
    state = now.state
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


def _median(case: Case | None) -> float | None:
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


def _new_warnings(old: Case, new: Case) -> Iterator[str]:
    known = _warnings(old)
    yield from sorted(_warnings(new) - known)


def _warnings(case: Case) -> set[str]:
    return {
        f"{finding.severity} {finding.rule}"
        for repeat in case.measurements
        for finding in (*repeat.run.findings, *repeat.findings)
        if finding.severity != "note"
    }
