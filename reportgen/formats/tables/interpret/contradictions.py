"""Ask about what a table states twice and differently: the unit of a column, or the order of its statistics.

One of the two statements is wrong, and nothing says which. An answer decides.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations

from reportgen.core import units
from reportgen.formats.tables.column_units import RATES, ColumnUnit, unit_of
from reportgen.formats.tables.column_words import meaning_of, slug, words_of
from reportgen.formats.tables.interpret.arithmetic import Printed, printed
from reportgen.formats.tables.interpret.cells import number_of
from reportgen.formats.tables.interpret.draft import UNIT_COLUMN, Draft
from reportgen.formats.tables.interpret.questions import OpenQuestion
from reportgen.formats.tables.interpret.reading import FigureGuess
from reportgen.formats.tables.stated_units import named_unit

# Percent of the numbers that are below a statistic; a mean may be anywhere between the extremes.
_RANKS = {"minimum": 0.0, "median": 50.0, "mean": 50.0, "maximum": 100.0}
_EXTREMES = {"minimum", "maximum"}


def ask_about_units(draft: Draft, column: str) -> OpenQuestion | None:
    """Return the question about a column whose name states another unit than a cell beside it or below it."""
    beside = draft.loose_units.get(column) or draft.units.get(column) or _of_unit_column(draft, column)
    own, other = _named(column), unit_of(beside)
    if own is None or other is None or not other.unit or column in draft.answers:
        return None
    is_other = own.factor != other.factor or column in draft.loose_units
    if not is_other or (_base(own) != _base(other) and column not in draft.loose_units):
        return None
    text = f'its name states "{named_unit(column) or own.unit}", and a cell beside its numbers "{beside}"'
    return OpenQuestion(text, named_unit(column) or own.unit)


@lru_cache(maxsize=4096)
def _named(column: str) -> ColumnUnit | None:
    """Return the unit that a name states beyond doubt: in brackets, or a rate."""
    inside = unit_of(named_unit(column))
    if inside and inside.unit:
        return inside
    meaning = meaning_of(column)
    return ColumnUnit(meaning.unit, meaning.scale) if meaning.base in RATES else None


def _of_unit_column(draft: Draft, column: str) -> str:
    """Return the unit in a column called "unit", or so after a column, if no column without one has it."""
    of_units = [name for name in draft.columns if "unit" in name.lower()]
    is_only = bool(of_units) and [x for x in draft.columns if _may_have_unit(draft, x)] == [column]
    names = [name for name in of_units if slug(name) in UNIT_COLUMN] if is_only else []
    own = {"unit", *words_of(column)}
    names += [name for name in of_units if {"unit"} < set(words_of(name)) <= own]
    texts = {str(cell).strip() for name in names for cell in draft.known(name)}
    is_taken = any(name in draft.cells and not draft.is_text(name) for name in draft.row_units)
    return texts.pop() if len(texts) == 1 and not is_taken else ""


def _may_have_unit(draft: Draft, column: str) -> bool:
    """Return whether a column has results or numbers of an unknown kind."""
    has_numbers = column in draft.cells and not draft.is_text(column)
    return has_numbers and meaning_of(column).kind in ("figure", "other", "derived", "spread")


def _base(unit: ColumnUnit) -> str:
    return units.to_base(1.0, unit.unit)[1]


def ask_about_order(draft: Draft) -> None:
    """Leave two statistics of one thing open if the lower one is above the other in most rows."""
    figures = [x for x in draft.result.figures if _rank(x) is not None and not x.where]
    wrong = [pair for pair in combinations(figures, 2) if _is_one_thing(*pair) and _contradict(draft, *pair)]
    for pair in wrong:
        low, high = sorted(pair, key=lambda figure: _rank(figure) or 0.0)
        text = f'in most rows "{low.column}" is above "{high.column}": are they statistics of one thing?'
        for figure in pair:
            draft.result.figures = [x for x in draft.result.figures if x.column != figure.column]
            draft.result.open[figure.column] = OpenQuestion(text, figure.unit)
        draft.result.doubts.append("statistics contradict each other")


def _rank(figure: FigureGuess) -> float | None:
    """Return the percentage of numbers that are below a statistic; None without one."""
    percentile = re.fullmatch(r"p([0-9.]+)", figure.statistic)
    return float(percentile[1]) if percentile else _RANKS.get(figure.statistic)


def _is_one_thing(first: FigureGuess, second: FigureGuess) -> bool:
    """Return whether figures differ in their statistic alone; percentiles of rates may count from above."""
    is_same = (first.metric, first.phase, first.factors) == (second.metric, second.phase, second.factors)
    are_rates = units.to_base(1.0, first.unit)[1] in RATES
    extremes = {first.statistic, second.statistic} & _EXTREMES
    is_ordered = len(extremes) == 2 or not (are_rates or "mean" in (first.statistic, second.statistic))
    is_ordered = is_ordered or (bool(extremes) and "mean" in (first.statistic, second.statistic))
    return is_same and is_ordered and _rank(first) != _rank(second)


def _contradict(draft: Draft, first: FigureGuess, second: FigureGuess) -> bool:
    low, high = sorted((first, second), key=lambda figure: _rank(figure) or 0.0)
    pairs = list(_pairs(draft, low, high))
    wrong = sum(1 for a, b in pairs if a.value - a.half > b.value + b.half)
    return 2 * wrong > len(pairs)


def _pairs(draft: Draft, low: FigureGuess, high: FigureGuess) -> Iterator[tuple[Printed, Printed]]:
    """Yield the numbers of two figures in each row, in the base unit."""
    for cells in zip(draft.cells[low.column], draft.cells[high.column], strict=True):
        a, b = (_in_base(cell, figure) for cell, figure in zip(cells, (low, high), strict=True))
        if a and b:
            yield a, b


def _in_base(cell: object, figure: FigureGuess) -> Printed | None:
    number, own = printed(cell), number_of(cell)
    if number is None or own is None:
        return None
    factor = units.to_base(1.0 if own[1] else figure.scale, own[1] or figure.unit)[0]
    return Printed(number.value * factor, number.half * factor)
