"""The sentence at the top of a report that compares nothing: what its first table shows.

Numbers of different work are neither faster nor slower than one another, so no sentence ranges over them: a
few are listed, of many the largest is named. Over a size the sentence says where the best number is, over
dates whether it changed, and of the parts of a step which one takes the longest.
"""

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reportgen.compare.verdict import EQUAL
from reportgen.compare.why.phases import SEQUENTIAL
from reportgen.core import units
from reportgen.core.change_points import ChangePointRule
from reportgen.core.factors import FactorKey, factor_key, value_order, value_text
from reportgen.core.metrics import RATES, item_of, metric_of
from reportgen.core.model import STEP, Case
from reportgen.core.units import Unit
from reportgen.document.model import Header
from reportgen.protocol.conditions import STATISTIC, statistic_of
from reportgen.report.headline import (
    SWEPT,
    first_that_fits,
    joined,
    of_one_statistic,
    range_of_repeats,
    subject_of,
    unit_of,
)
from reportgen.tables.results import Cell, Table
from reportgen.tables.spec import PHASE
from reportgen.tables.trends import DATE, CellTrend, change_size, trends_of

# A sentence lists at most this many numbers, or the best ones of so many curves.
_MAX_LISTED = 4
# With fewer points a curve has no course.
_MIN_POINTS = 3
# What a rate counts where the log does not name it: samples may be images, or anything else.
_UNNAMED = {"", "sample"}
# What was run, and on how many devices: named wherever the first varies.
_SUBJECTS, _COUNTS = ("model", "benchmark", "workload"), ("nodes", "devices")
_MACHINES = ("cluster", "system", "device", "gpu", *_COUNTS)
_PROGRAM = "framework"
# What happened to a run without a number, by the text of its cell.
_ENDS = {"out of memory": "ran out of memory", "failed": "failed", "cancelled": "was cancelled"}


def value_sentences(tables: Sequence[Table]) -> list[str]:
    """Return a sentence with the numbers of the first table that has any."""
    for table in tables:
        every = _values(table)
        if texts := list(_longest_parts(every)):
            return [f"{first_that_fits(f'{table.title}: {text}' for text in texts)}."]
        by_phase: dict[tuple[str, str], list[_Value]] = {}
        for value in every:
            by_phase.setdefault((value.case.metric, value.case.phase), []).append(value)
        if by_phase:
            # The whole step, else the part that takes the longest.
            longest = max(by_phase, key=lambda key: (key[1] == STEP, sum(v.median for v in by_phase[key])))
            values = of_one_statistic(by_phase[longest], lambda value: value.case)
            title = _title(table, values[0].case)
            return [f"{first_that_fits(f'{title}: {text}' for text in _texts(table, values))}."]
    is_invalid = any(cell.invalid for table in tables for line in table.cells for cell in line)
    what = "a valid number" if is_invalid else "a number"
    return [f"No table has {what}; the findings say why."] if tables else []


@dataclass(frozen=True, slots=True, eq=False)
class _Value:
    """A measured number of a table, its unit, and the heads of its row and column: factor -> in words."""

    heads: Mapping[str, str]
    case: Case
    median: float
    unit: Unit

    @property
    def place(self) -> str:
        """The heads in words."""
        return ", ".join(self.heads.values())

    def beside(self, name: str) -> str:
        """Return the heads in words without one of them."""
        return ", ".join(words for other, words in self.heads.items() if other != name)

    def size(self, name: str) -> FactorKey | None:
        """Return the value of a factor if it is a number above 0."""
        value = self.case.factors.get(name)
        is_size = isinstance(value, int | float) and not isinstance(value, bool) and value > 0
        return factor_key(value) if is_size and value is not None and name in self.heads else None

    @property
    def text(self) -> str:
        """The number with its unit, and with the time that gaps left out, where that is much."""
        number = f"{units.text(self.median / self.unit.factor)} {self.unit.name}".rstrip()
        over_all = self.case.summary.over_all if self.case.summary else None
        if over_all is None:
            return number
        return f"{number} while stepping, {units.text(over_all / self.unit.factor)} with its gaps"


def _values(table: Table) -> list[_Value]:
    return [
        _Value(_heads(table, row, column), cell.case, cell.case.summary.median, _unit(cell))
        for row, line in zip(table.rows, table.cells, strict=True)
        for column, cell in zip(table.columns, line, strict=True)
        if cell.kind == "number" and column.quantity == "value" and not cell.invalid and not row.is_mean
        if cell.case and cell.case.summary
    ]


def _unit(cell: Cell) -> Unit:
    """Return the unit of a cell: times have the unit of the table."""
    assert cell.case is not None
    return cell.unit if cell.unit and cell.unit.base == "s" else unit_of(cell.case)


def _heads(table: Table, row: Header, column: Header) -> dict[str, str]:
    """Return the heads of a cell in words, without a statistic and without what its case lacks."""
    of_row = zip(table.row_factors, table.row_titles, row.key, row.labels, strict=True)
    heads = {
        name: label.text if isinstance(key, str) else f"{title.text} {label.text}"
        for name, title, key, label in of_row
    }
    of_column = zip(table.column_factors, column.labels, strict=False)
    heads |= {name: label.text for name, label in of_column}
    return {
        name: words
        for name, words in heads.items()
        if name not in (PHASE, STATISTIC) and words not in ("", "-")
    }


def _title(table: Table, case: Case) -> str:
    title = table.title if case.phase == STEP else f"{table.title} ({case.phase.replace('_', ' ')})"
    is_named = STATISTIC in (*table.row_factors, *table.column_factors)
    return f"{title}, {statistic_of(case)}" if is_named and statistic_of(case) else title


def _longest_parts(values: Sequence[_Value]) -> Iterator[str]:
    """Yield which part takes the longest, if the values are parts of steps that follow one another.

    The share is that of the longest step: steps of different work have no common share.
    """
    phases = {value.case.phase for value in values}
    if (
        len(phases) < 2
        or not phases <= SEQUENTIAL
        or {value.case.metric for value in values} != {"step_time"}
    ):
        return
    by_step: dict[str, list[_Value]] = {}
    for value in values:
        by_step.setdefault(value.place, []).append(value)
    steps = [parts for parts in by_step.values() if len(parts) > 1 and _total(parts)]
    if not steps:
        return
    longest = [max(parts, key=lambda part: part.median) for parts in steps]
    whole = max(range(len(steps)), key=lambda at: _total(steps[at]))
    part, total = longest[whole], _total(steps[whole])
    name, times = (
        part.case.phase.replace("_", " "),
        f"{units.text(total / part.unit.factor)} {part.unit.name}",
    )
    share = f"{100 * part.median / total:.0f} % of the measured parts"
    evidence = f"{units.text(part.median / part.unit.factor)} of {times}"
    if len(steps) == 1:
        yield f"{name} takes {share} ({evidence})"
        return
    alike = sum(each.case.phase == part.case.phase for each in longest)
    every = "both" if len(steps) == 2 else f"all {len(steps)}"
    number = every if alike == len(steps) else f"{alike} of {len(steps)}"
    for place in (part.place, _short_places(values)[values.index(part)]):
        yield f"{name} is the longest part in {number} cases: {share} in {place} ({evidence})"


def _total(parts: Sequence[_Value]) -> float:
    """Return the median time of all parts of a step over its runs, 0 if they are not of the same runs."""
    by_run = [{m.run.id: m.value for m in part.case.measurements} for part in parts]
    if any(times.keys() != by_run[0].keys() for times in by_run):
        return 0.0
    return statistics.median(math.fsum(times[run] for times in by_run) for run in by_run[0])


def _texts(table: Table, values: Sequence[_Value]) -> Iterator[str]:
    """Yield what the values show, the wording with the most places first."""
    items = {item_of(value.case.metric, value.case.factors) for value in values}
    texts = {value.text for value in values}
    if len(items) > 1 and metric_of(values[0].case.metric).unit in RATES:
        names = sorted({unit_of(value.case).name for value in values})
        why = (
            "are not compared: not every log says what a sample is"
            if items & _UNNAMED and len(items - _UNNAMED) == 1
            else "measure different work and are not compared"
        )
        yield f"{len(values):,} numbers ({', '.join(names)}) {why}"
    elif course := _course(table):
        yield course
    elif len(values) == 1:
        yield from _only(values[0])
    elif len(texts) == 1:
        yield f"{len(values):,} numbers agree to the digits shown: {texts.pop()}"
    elif swept := _best_of_curves(table, values):
        yield from swept
    else:
        yield from _listings(values)


def _listings(values: Sequence[_Value]) -> Iterator[str]:
    """Yield all values if they are few; then the largest with its place, with a shorter one, without one."""
    short = _short_places(values)
    if len(values) <= _MAX_LISTED:
        yield joined([f"{value.text} ({place})" for value, place in zip(values, short, strict=True)])
    largest = max(range(len(values)), key=lambda at: values[at].median)
    adjective = "longest" if values[largest].case.unit == "s" else "highest"
    for place in (values[largest].place, short[largest], ""):
        at = f" ({place})" if place else ""
        most = f"the {adjective} of {len(values):,} numbers is {values[largest].text}{at}"
        # Some may be of the same work, so the sentence does not call them different.
        yield f"{most}; they are not compared"


def _short_places(values: Sequence[_Value]) -> list[str]:
    """Return a name for each value, by as few factors as distinguish all: what was run first, if that varies.

    Models on other numbers of devices would read as scaling: they are named beside these numbers.
    """
    names = list(dict.fromkeys(name for value in values for name in value.heads))
    different = {name: len({value.heads.get(name) for value in values}) for name in names}
    shown = [name for name in _SUBJECTS if different.get(name, 1) > 1]
    shown += [name for name in _COUNTS if shown and different.get(name, 1) > 1]
    others = [name for name in names if different[name] > 1 and name not in shown]
    length = {name: sum(len(value.heads.get(name, "")) for value in values) for name in names}
    while others and not _are_names(_places(values, shown)):
        best = max(others, key=lambda name: (len({*_places(values, [*shown, name])} - {""}), -length[name]))
        others.remove(best)
        shown.append(best)
    return _places(values, shown)


def _are_names(places: Sequence[str]) -> bool:
    """Return whether places are all different, and none is empty."""
    return len({*places} - {""}) == len(places)


def _places(values: Sequence[_Value], names: Sequence[str]) -> list[str]:
    return [", ".join(value.heads[name] for name in names if name in value.heads) for value in values]


def _only(value: _Value) -> Iterator[str]:
    """Yield the only number of a report with what was run, at which size and on what, and its repeats."""
    heads = value.heads
    subject = next((heads[name] for name in _SUBJECTS if name in heads), "")
    sizes = [name for name in SWEPT if name in heads and name not in _COUNTS]
    machines = [name for name in _MACHINES if name in heads]
    rest = [heads[name] for name in heads if name not in (*_SUBJECTS, *sizes, *machines, _PROGRAM)]
    at = f" at {joined([heads[name] for name in sizes])}" if sizes else ""
    on = f" with {heads[_PROGRAM]}" if _PROGRAM in heads else ""
    on += f" on {subject_of(value.case, machines)}" if machines else ""
    settings = f" ({', '.join(rest)})" if rest else ""
    if not subject:
        yield f"{value.text}{at}{on}{settings}{_repeats(value)}"
        return
    number = f"{_verb(value.case.metric)} {value.text}"
    yield f"{subject}{settings}{at} {number}{on}{_repeats(value)}"
    yield f"{subject} {number}{_repeats(value)}"


def _verb(metric: str) -> str:
    if metric_of(metric).unit == "s":
        return "takes"
    if metric == "throughput":
        return "runs at"
    return "reaches" if metric_of(metric).unit in RATES else "has"


def _repeats(value: _Value) -> str:
    repeats = len(value.case.measurements)
    if repeats == 1:
        return "; it comes from one run, so its spread is unknown"
    return f"; its {repeats} repeats are {range_of_repeats(value.case, value.unit)}"


def _course(table: Table) -> str:
    """Return whether numbers changed from date to date, "" if most have too few dates."""
    drawn = trends_of(table, DATE)
    long = [trend for trend in drawn if len(trend.points) >= _MIN_POINTS]
    if len(long) <= len(drawn) / 2:
        return ""
    changed = [text for trend in long if (text := _last_change(trend))]
    if len(long) > 1:
        example = f"; the first of them is {changed[0]}" if changed else ""
        return f"{len(changed)} of {len(long)} cases changed from date to date{example}"
    return changed[0] if changed else _both_ends(long[0])


def _both_ends(trend: CellTrend) -> str:
    """Return the first and the last number of a trend without a change point, or the medians of its parts."""
    if at := _step(trend):
        return _two_parts(trend, at)
    first, last = trend.points[0], trend.points[-1]
    size = change_size(last.summary.median / first.summary.median, first.case.metric)
    unit = unit_of(first.case, last.case)
    old, new = (units.text(point.summary.median / unit.factor) for point in (first, last))
    than = f"as fast on {last.x} as" if size == EQUAL else f"{size} on {last.x} than"
    dates = len(trend.points)
    is_tested = dates >= ChangePointRule().points_for_a_step
    tested = f"; no change point in {dates} dates" if is_tested else ""
    return f"{than} on {first.x}: {new} against {old} {unit.name}{tested}"


def _step(trend: CellTrend) -> int:
    """Return where the second of two parts begins that are farther apart than either is long; 0 if none does.

    Only of a trend that has too few points for a change point: else the test has the say.
    """
    values = [point.summary.median for point in trend.points]
    if len(values) >= ChangePointRule().points_for_a_step:
        return 0
    steps = []
    for at in range(_MIN_POINTS, len(values) - _MIN_POINTS + 1):
        parts = values[:at], values[at:]
        low, high = sorted(parts, key=max)
        gap = min(high) - max(low)
        if gap > max(max(part) - min(part) for part in parts):
            steps.append((gap, at))
    return max(steps)[1] if steps else 0


def _two_parts(trend: CellTrend, at: int) -> str:
    """Return the medians of two parts of a trend, and how many dates each has."""
    points, parts = trend.points, (trend.points[:at], trend.points[at:])
    old, new = (statistics.median(point.summary.median for point in part) for part in parts)
    size, unit = change_size(new / old, points[0].case.metric), unit_of(points[0].case, points[-1].case)
    medians = f"{units.text(new / unit.factor)} against {units.text(old / unit.factor)} {unit.name}"
    return f"{size} in the median of the {len(parts[1])} dates since {points[at].x}: {medians}"


def _last_change(trend: CellTrend) -> str:
    """Return the last change of a trend, with the numbers around a step; "" if it has none."""
    changes = trend.changes(ChangePointRule())
    if not changes:
        return ""
    change = changes[-1]
    size = change_size(change.ratio, trend.points[0].case.metric)
    if change.kind == "drift":
        return f"{size} from {trend.points[change.first].x} to {trend.points[change.last].x}"
    before, after = trend.points[change.first - 1], trend.points[change.first]
    unit = unit_of(before.case, after.case)
    old, new = (units.text(point.summary.median / unit.factor) for point in (before, after))
    return f"{size} since {after.x}: {new} {unit.name} instead of {old} on {before.x}"


def _best_of_curves(table: Table, values: Sequence[_Value]) -> list[str]:
    """Return wordings of the best number of each curve over a size; [] if there are none."""
    better = metric_of(values[0].case.metric).better
    by_size = {
        x: curves
        for x in (SWEPT if better else ())
        if (curves := _curves(values, x)) and max(map(len, curves.values())) >= _MIN_POINTS
    }
    choose = max if better == "higher" else min
    for x, curves in by_size.items():
        if len(curves) > _MAX_LISTED:
            continue
        best = [choose(curve, key=lambda value: value.median) for curve in curves.values()]
        lost = _lost(table, x, is_one=len(best) == 1)
        if len(best) == 1:
            both_ends = _best_and_other_end(best[0], values, x)
            return [f"{both_ends}{_what_was_lost(lost)}", both_ends]
        best.sort(key=lambda value: value.median, reverse=better == "higher")
        return _listed(best, x, lost)
    return [_growth(curves, x) for x, curves in by_size.items() if better == "higher"][:1]


def _listed(best: Sequence[_Value], x: str, lost: Mapping[str, str]) -> list[str]:
    """Return wordings of the best number of several curves: all, both ends, the first."""
    places, name = {value.heads[x] for value in best}, x.replace("_", " ")
    unit = f" {best[0].unit.name}"
    if len(places) == 1:
        at, texts = f"at {places.pop()}, ", [f"{value.beside(x)} has {value.text}" for value in best]
        short = texts
    else:
        sizes = [value.heads[x].removeprefix(f"{name} ") for value in best]
        parts = [(value.beside(x), value.text, size) for value, size in zip(best, sizes, strict=True)]
        at = f"at the best {name}{' that ran' if lost else ''}, "
        texts = [f"{each} has {number} ({size})" for each, number, size in parts]
        short = [
            texts[0],
            *(f"{each} {number.removesuffix(unit)} ({size})" for each, number, size in parts[1:]),
        ]
    ends = [texts[0], f"{len(texts) - 2} more follow", texts[-1]] if len(texts) > 3 else short
    wordings = [f"{at}{joined(shown)}" for shown in (short, ends, texts[:1])]
    return [f"{wordings[0]}{_what_was_lost(lost)}", *wordings]


def _lost(table: Table, x: str, *, is_one: bool) -> dict[str, str]:
    """Return how the runs of each cell without a number ended, of cells with a size: place -> in words.

    is_one  whether there is one curve, so that the size alone is the place
    """
    return {
        heads[x] if is_one else ", ".join(heads.values()): _ENDS[cell.text]
        for row, line in zip(table.rows, table.cells, strict=True)
        for column, cell in zip(table.columns, line, strict=True)
        if cell.kind == "status" and cell.text in _ENDS and column.quantity == "value"
        if x in (heads := _heads(table, row, column))
    }


def _what_was_lost(lost: Mapping[str, str]) -> str:
    """Return what has no number, or how many, as the last part of a sentence: "; 2 ran out of memory"."""
    ends = list(lost.values())
    number = {end: f"{ends.count(end)}" for end in dict.fromkeys(ends)}
    if len(lost) == 1:
        number = {end: place for place, end in lost.items()}
    texts = [f"{number[end]} {end.replace('was', 'were') if ends.count(end) > 1 else end}" for end in number]
    return f"; {joined(texts)}" if texts else ""


def _curves(values: Sequence[_Value], x: str) -> dict[str, list[_Value]]:
    """Return the values of each case over a size, the smallest size first; {} if one has no such size."""
    curves: dict[str, list[_Value]] = {}
    for value in values:
        if value.size(x) is None:
            return {}
        curves.setdefault(value.beside(x), []).append(value)
    for curve in curves.values():
        curve.sort(key=lambda value: value_order(value.size(x) or factor_key(0)))
    return curves


def _growth(curves: Mapping[str, Sequence[_Value]], x: str) -> str:
    """Return in how many of many curves the largest size is the best, with both ends of the highest one."""
    long = [curve for curve in curves.values() if len(curve) > 1]
    grown = sum(curve[-1].median == max(value.median for value in curve) for curve in long)
    number = f"all {len(long)}" if grown == len(long) else f"{grown} of {len(long)}"
    first, *_, last = max(long, key=lambda curve: max(value.median for value in curve))
    names = sorted((name for name in last.heads if name != x), key=lambda name: name not in _SUBJECTS)
    place = ", ".join(last.heads[name] for name in names)
    smallest = units.text(first.median / first.unit.factor)
    ends = f"{place} has {last.text} at {last.heads[x]} and {smallest} at {value_text(first.case.factors[x])}"
    return f"the largest {x.replace('_', ' ')} that ran is the best in {number} cases: {ends}"


def _best_and_other_end(best: _Value, values: Sequence[_Value], x: str) -> str:
    """Return the best number of a curve, and the one at the end that is farther from it."""
    ordered = sorted(values, key=lambda value: value_order(value.size(x) or factor_key(0)))
    other = ordered[0] if ordered.index(best) >= len(ordered) / 2 else ordered[-1]
    return f"the best is {best.text} at {best.heads[x]}; {other.heads[x]} has {other.text}"
