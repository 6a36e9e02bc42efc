"""Functions that make a column of others, for `[[derived]]` of a definition."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from reportgen.formats.parsing import json_values
from reportgen.formats.parsing.csv_cells import number as number_of_text

_NUMBER = r"[+-]?[0-9][0-9.,]*(?:[eE][+-]?[0-9]+)?"
# "12.3 ± 0.4 ms": the value, and a spread that is left out.
_WITH_SPREAD = re.compile(rf"({_NUMBER})\s*(?:±|\+/-)\s*{_NUMBER}\s*([^0-9]*)")
# "1 234.5", "1'234": blanks, also narrow ones, and apostrophes separate thousands.
_GROUPED = re.compile(
    r"([+-]?[0-9]{1,3}(?:[ '\u2019\u00a0\u202f][0-9]{3})+(?:\.[0-9]+)?)(?![0-9.,])(\s*[^0-9]*)"
)


# Texts that state that there is no number.
MISSING = frozenset(
    ("", "-", "--", "---", "n/a", "na", "nan", "none", "null", "tbd", "?", ".", "\u2013", "\u2014")
)


def is_missing(cell: object) -> bool:
    """Return whether a cell states that there is no value."""
    return cell is None or (isinstance(cell, str) and cell.strip().lower() in MISSING)


def plain_text(text: str) -> str:
    """Return the text of a number without its spread, and without blanks or apostrophes between thousands."""
    text = text.strip()
    if match := _WITH_SPREAD.fullmatch(text):
        text = f"{match[1]} {match[2]}".strip()
    if match := _GROUPED.fullmatch(text):
        text = re.sub(r"[^0-9.+-]", "", match[1]) + match[2]
    return text


def numeric(cell: object) -> float:
    """Return a cell as a number, NaN if it is not one; thousands commas are allowed."""
    if isinstance(cell, str):
        text = plain_text(cell)
        value = number_of_text(text)
        return json_values.number(text) if value is None else value
    return json_values.number(cell)


def _product(cells: Sequence[object]) -> float | None:
    return _finite(math.prod(map(numeric, cells)))


def _sum(cells: Sequence[object]) -> float | None:
    return _finite(math.fsum(map(numeric, cells)))


def _ratio(cells: Sequence[object]) -> float | None:
    above, below = map(numeric, cells[:2])
    return _finite(above / below) if below else None


def _first(cells: Sequence[object]) -> object:
    return next((cell for cell in cells if cell not in (None, "")), None)


def _unit_in_parentheses(cells: Sequence[object]) -> str | None:
    """Return the last text in parentheses or brackets: "GB/s" for "bandwidth (GB/s)"."""
    inside = re.findall(r"[(\[]([^()\[\]]{1,20})[)\]]", str(cells[0]))
    return inside[-1].strip() if inside else None


def _batch_of_shapes(cells: Sequence[object]) -> int | None:
    """Return the batch of `--shapes=input:32x3x224x224,mask:32x128`, if all inputs agree on it."""
    batches = set(re.findall(r":([0-9]{1,9})(?:x[0-9]+)*(?=,|\s|$)", str(cells[0])))
    return int(batches.pop()) if len(batches) == 1 else None


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


FUNCTIONS: Mapping[str, Callable[[Sequence[object]], Any]] = {
    "product": _product,
    "sum": _sum,
    "ratio": _ratio,
    "first": _first,
    "unit_in_parentheses": _unit_in_parentheses,
    "batch_of_shapes": _batch_of_shapes,
}
