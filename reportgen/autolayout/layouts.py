"""Score the layouts of a table by what a reader gets from them; the best one is used.

A layout is one or more definitions of tables. Its score comes from the cases that they show: how many have a
ratio, how many cells have a number, which cases are shown twice or not at all, whether the columns fit a
screen and a terminal, and how much is on the first screen. Nothing depends on the name of a factor or value.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from reportgen.autolayout.table_layout import SUBJECTS
from reportgen.core.devices import shown_value
from reportgen.core.factors import FactorKey, factor_key, matches
from reportgen.core.model import Factors, Run
from reportgen.tables.spec import PHASE, TableSpec

# What a reader has: a page of this width, a terminal or an editor of so many characters.
PAGE_PIXELS, LINE_CHARS = 1440, 120
# Estimates of a page: a character and the space of a column in pixels, rows of a screen, lines of a caption.
_CHAR_PIXELS, _COLUMN_PIXELS, _COLUMN_CHARS = 7.5, 24, 3
_SCREEN_ROWS, _TABLE_ROWS = 25, 5
_NUMBER_CHARS = 8

_Case = Mapping[str, FactorKey]


@dataclass(frozen=True, slots=True)
class Score:
    """The uses of a layout to a reader, each from 0 to 1.

    answer      whether the headline can compare
    comparable  cases with a ratio, of those that another one could be the baseline of
    filled      cells with a number, the others have dashes
    shown       cases that any table shows
    once        cells that repeat no other
    fits        columns fit a page and a line
    first       rows on the first screen, of those that a reader passes until each workload was shown
    """

    answer: float
    comparable: float
    filled: float
    shown: float
    once: float
    fits: float
    first: float

    @property
    def total(self) -> float:
        """The weighted mean, from 0 to 100."""
        points = sum(weight * float(getattr(self, name)) for name, weight in _WEIGHTS.items())
        return 100 * points / sum(_WEIGHTS.values())

    def reasons(self) -> str:
        """Return the score in words, in the order of their weights."""
        return ", ".join(f"{name} {getattr(self, name):.0%}".replace("%", " %") for name in _WEIGHTS)


_WEIGHTS: Mapping[str, int] = {
    "answer": 4, "comparable": 4, "fits": 3, "filled": 2, "shown": 3, "first": 3, "once": 2,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ReportLayout:
    """Tables that show the same runs, what they are in words, and their score."""

    about: str
    tables: tuple[TableSpec, ...]
    score: Score

    @property
    def text(self) -> str:
        """The layout and its score in words."""
        return f"{self.score.total:.0f} points: {self.about} ({self.score.reasons()})"

    @property
    def key(self) -> tuple[object, ...]:
        """Two layouts with the same key are the same."""
        return tuple(
            (table.where, table.rows, table.columns, table.facets, table.compare, table.show)
            for table in self.tables
        )


def rank(layouts: Iterable[ReportLayout]) -> list[ReportLayout]:
    """Return different layouts, the best first; of equals the one that was proposed first."""
    different: list[ReportLayout] = []
    for layout in layouts:
        if all(layout.key != other.key for other in different):
            different.append(layout)
    return sorted(different, key=lambda layout: -round(layout.score.total, 6))


def score(tables: Sequence[TableSpec], runs: Iterable[Run], failed: Iterable[Run] = ()) -> Score:
    """Return the score of tables over the runs that they show; those that failed have no number."""
    of_runs = {frozenset(_keys(run.factors).items()): run.factors for run in runs}
    of_failed = {frozenset(_keys(run.factors).items()): run.factors for run in failed}
    cases = list((of_runs | of_failed).values())
    keys = list(map(_keys, cases))
    measured = []
    for table in tables:
        own = [(n, keys[n]) for n, case in enumerate(cases) if matches(case, table.where)]
        measured.append(_TableSize(table, own, len(of_runs)))
    slots = sum(each.slots for each in measured)
    cells = sum(each.cells for each in measured)
    seen = set[int]().union(*(each.seen for each in measured))
    compared = [each for each in measured if each.table.compare]
    ratios = set[int]().union(*(each.ratios for each in compared))
    left_out = set[int]().union(*(each.baselines | each.not_picked for each in compared))
    # Of tables with the same numbers, those that follow the compared ones are folded.
    rows = sum(each.rows + _TABLE_ROWS * each.grids for each in _until_all_work(compared or measured, keys))
    values = [each for each in measured if "value" in each.table.show]
    of_values = sum(each.cells for each in values)
    of_cases = len(set[int]().union(*(each.seen for each in values)))
    return Score(
        answer=float(bool(ratios)),
        comparable=len(ratios) / max(len(of_runs) - len(left_out - ratios), 1),
        filled=cells / slots if slots else 0.0,
        shown=len(seen) / len(cases) if cases else 0.0,
        once=of_cases / of_values if of_values else 1.0,
        fits=min((each.fit for each in measured), default=0.0),
        first=min(1.0, (_SCREEN_ROWS + _TABLE_ROWS) / rows) if rows else 0.0,
    )


def _until_all_work(measured: Sequence["_TableSize"], cases: Sequence[_Case]) -> Iterator["_TableSize"]:
    """Yield tables in their order until they showed each workload that any of them shows."""
    works = [tuple([case.get(name) for name in SUBJECTS]) for case in cases]
    missing = {works[n] for each in measured for n in each.seen}
    for each in measured:
        yield each
        missing -= {works[n] for n in each.seen}
        if not missing:
            return


class _TableSize:
    """The size and the contents of the tables that one definition makes; the first cases have numbers."""

    def __init__(self, table: TableSpec, selected: Sequence[tuple[int, _Case]], numbers: int) -> None:
        self.table = table
        shown = _picked(selected, table)
        self.not_picked = {n for n, _ in selected} - {n for n, _ in shown}
        placed = [(n, _place(case, table)) for n, case in shown]
        # Several cases in one cell print no number.
        places = Counter(place for _, place in placed)
        self.cells = sum(count == 1 for count in places.values())
        self.seen = {n for n, place in placed if places[place] == 1}
        facets = {facet for facet, _, _ in places}
        rows = {(facet, row) for facet, row, _ in places}
        columns = {(facet, column) for facet, _, column in places}
        width = max(Counter(facet for facet, _ in columns).values(), default=1)
        self.grids, self.rows, self.columns = len(facets), len(rows), width
        rows_of, columns_of = (Counter(facet for facet, _ in names) for names in (rows, columns))
        self.slots = sum(rows_of[facet] * columns_of[facet] for facet in facets)
        self.baselines, self.ratios = _compared([each for each in shown if each[0] < numbers], table)
        self.fit = _fit([case for _, case in shown], table, width)


def _keys(factors: Factors) -> dict[str, FactorKey]:
    return {name: factor_key(value) for name, value in factors.items()}


def _place(case: _Case, table: TableSpec) -> tuple[object, object, object]:
    """Return the facet, row and column of a case."""
    facet, row, column = (
        tuple([case.get(name) for name in names]) for names in (table.facets, table.rows, table.columns)
    )
    return facet, row, column


def _picked(cases: Sequence[tuple[int, _Case]], table: TableSpec) -> list[tuple[int, _Case]]:
    """Return one case of those that differ in picked factors alone."""
    if not table.pick:
        return list(cases)
    groups = {_without(case, table.pick): (n, case) for n, case in reversed(cases)}
    return list(groups.values())


def _without(case: _Case, names: Iterable[str]) -> frozenset[tuple[str, FactorKey]]:
    left_out = frozenset(names)
    return frozenset(item for item in case.items() if item[0] not in left_out)


def _compared(cases: Sequence[tuple[int, _Case]], table: TableSpec) -> tuple[set[int], set[int]]:
    """Return the cases that are baselines, and the others that have one."""
    if table.compare is None:
        return set(), set()
    baseline = table.compare.baseline
    free = (*baseline, *table.pick)
    where = {name: (value,) for name, value in baseline.items()}
    baselines = {n for n, case in cases if matches({name: v for name, (_, v) in case.items()}, where)}
    works = {_without(case, free) for n, case in cases if n in baselines}
    return baselines, {n for n, case in cases if n not in baselines and _without(case, free) in works}


def _fit(cases: Sequence[_Case], table: TableSpec, width: int) -> float:
    """Return 1 if the columns of a table fit a page and a line, less the wider it is."""
    heads = sum(_chars(cases, name) + _COLUMN_CHARS for name in table.rows)
    names = [name for name in table.columns if name != PHASE]
    # Below a number is what was picked for it: batch_size=1024.
    below = sum(len(name) + 1 + _chars(cases, name, 0) for name in table.pick)
    number = max(_NUMBER_CHARS, below)
    head = max(number, sum(_chars(cases, name) for name in names))
    numbers = (len(table.phases) if PHASE in table.columns else max(width, 1)) * len(table.show)
    # Beside its values, the column of the baseline has no ratios.
    if table.compare and len(table.show) > 1 and not table.compare.baseline.keys().isdisjoint(table.columns):
        numbers -= len(table.show) - 1
    chars = heads + numbers * (head + _COLUMN_CHARS)
    # A page wraps headings; a line of text does not.
    pixels = _CHAR_PIXELS * (heads + numbers * max(number, head / 2)) + _COLUMN_PIXELS * (
        len(table.rows) + numbers
    )
    return (min(1.0, PAGE_PIXELS / pixels) + min(1.0, LINE_CHARS / chars)) / 2


def _chars(cases: Iterable[_Case], name: str, least: int | None = None) -> int:
    """Return the width of a factor: of its longest value, and at least so many characters or its name."""
    values = {case[name][1] for case in cases if name in case}
    return max(
        [len(name) if least is None else least, *(len(shown_value(name, str(value))) for value in values)]
    )
