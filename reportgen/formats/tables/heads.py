"""Say which lines above the rows of a table are its header, and join them.

Each line of a header but the last names several columns of the next.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, islice, zip_longest

from reportgen.core import units
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.parsing.csv_cells import quantity
from reportgen.formats.tables.column_units import is_unit_alone
from reportgen.formats.tables.column_words import meaning_of
from reportgen.formats.tables.derive import GROUPING, duration, plain_text

_NUMBER = rf"[+-]?[0-9][0-9.,{GROUPING}]*(?:[eE][+-]?[0-9]+)?"
NUMBER_LIKE = lazy_pattern(rf"{_NUMBER}\s*(?:[^\W\d]{{1,4}}(?:/s)?|%)?")
# "10-20 ms", "20/24 GB", "3 s (cold)", "1200 requests"
_RESULT = lazy_pattern(
    rf"{_NUMBER}(?:\s*(?:[-\u2013/:]|to)\s*{_NUMBER})*\s*(?P<unit>[%$€£]|[^\W\d_][^\d,;()\[\]]{{0,24}})?"
    r"(?:\s*\([^()]*\))?"
)
_WHOLE = lazy_pattern(r"[0-9]{1,12}")
_MAX_HEADS = 3
#: Rows that show which of them are the header, unless one names a group of rows.
MOST_HEADS = _MAX_HEADS + 2


def count_heads(table: Iterable[Sequence[str]]) -> int:
    """Return how many of the first rows of a table are its header, 1 to 3."""
    later = iter(table)
    rows = list(islice(later, MOST_HEADS))
    heads = 1
    while heads < min(_MAX_HEADS, len(rows) - 1) and _is_below(rows[heads - 1], rows[heads]):
        heads += 1
    if 1 < heads < min(_MAX_HEADS, len(rows) - 1) and _names_first(rows[heads]):
        # Of several such rows, each names the group of rows below it, or is a case without a number.
        others = (row for row in chain(rows[heads + 1 :], later) if len(row) == len(rows[0]))
        heads += _names_factor(rows[: heads + 1]) or not any(map(_names_first, others))
    below = rows[heads : heads + 2]
    has_rows = any(_is_number(cell) for row in below for cell in row)
    is_distinct = len(set(merged(*rows[:heads]))) == len(rows[0]) if rows else False
    return heads if has_rows and is_distinct else 1


def merged(*heads: Sequence[str]) -> list[str]:
    """Return the names of columns below lines of a header; a name holds for the blank cells after it."""
    names: Sequence[str] = heads[0]
    for head in heads[1:]:
        names = _below(names, head)
    return list(names)


def _below(first: Sequence[str], second: Sequence[str]) -> list[str]:
    """Return the names of two lines together; a name of the first holds for blank cells after it."""
    if _names_first(second):
        return [second[0], *first[1:]]
    names, above = [], ""
    for upper, lower in zip_longest(first, second, fillvalue=""):
        above = upper or (above if lower else "")
        names.append(lower if above == lower else f"{above} {lower}".strip())
    return names


def _names_first(row: Sequence[str]) -> bool:
    """Return whether a line has only a first cell, which names the first column, as pandas writes it."""
    return bool(row) and bool(row[0]) and not any(row[1:]) and not NUMBER_LIKE.fullmatch(row[0])


def _names_factor(heads: Sequence[Sequence[str]]) -> bool:
    """Return whether the last line of a header names the factor of a column that no line above names."""
    *above, last = heads
    return not any(head[0] for head in above) and meaning_of(last[0]).kind == "factor"


def _is_below(above: Sequence[str], names: Sequence[str]) -> bool:
    """Return whether a line names each of the columns that the line above names together.

    A line of units alone is below one if each head has the same units.
    """
    known = list(filter(None, names))
    spans = "" in above[1:] or len(set(filter(None, above))) < sum(map(bool, above))
    numbers = [cell for cell in known if _is_number(cell)]
    is_counted = all(map(_WHOLE.fullmatch, numbers)) and min(Counter(numbers).values(), default=0) > 1
    units = [name for name in known if is_unit_alone(name)]
    # The first column may have its name in the second line alone.
    has_gap = "" in above[1:] or (not above[0] and bool(names[0]) and names[0] not in units)
    is_named = 2 * len(units) <= len(known) or (has_gap and min(Counter(units).values()) > 1)
    is_as_wide = len(names) == len(above) and len(known) > 1
    return spans and is_as_wide and is_named and (not numbers or is_counted)


def _is_number(cell: str) -> bool:
    """Return whether a cell is a number, also with its unit, its spread or its interval."""
    return bool(NUMBER_LIKE.fullmatch(plain_text(cell)))


def is_quantity(cell: str) -> bool:
    """Return whether a cell is a number with its unit."""
    value = quantity(cell.strip(), "")
    return value is not None and bool(value[1])


def is_result(cell: str) -> bool:
    """Return whether a cell is a number and what may be around it: a unit, a range, a spread, a remark."""
    text = plain_text(cell)
    return bool(_RESULT.fullmatch(text)) or duration(text) is not None


def are_results(cells: Sequence[str]) -> bool:
    """Return whether two cells are a metric and its value, in any form: "Accuracy", "91.5 %"."""
    if len(cells) != 2 or not is_result(cells[1]):
        return False
    match = _RESULT.fullmatch(plain_text(cells[1]))
    meaning = meaning_of(cells[0], (match["unit"] or "").strip() if match else "s")
    return meaning.kind == "figure" and meaning.doubt != "names no metric"


def is_measurement(cells: Sequence[str]) -> bool:
    """Return whether two cells are a name and a number with its unit: "Startup", "1.9 s".

    A size may be the name of a column, but not beside a metric: "Peak memory", "512 MB".
    """
    name, *values = filter(None, cells)
    value = quantity(values[0].strip(), "") if len(values) == 1 else None
    if value is None or not value[1]:
        return False
    return units.to_base(1.0, value[1])[1] != "B" or meaning_of(name).kind == "figure"
