"""The numbers of a document as people read them, on every page, in the terminal and in comparisons."""

import math
from collections.abc import Mapping

from reportgen.core import units
from reportgen.core.units import Unit
from reportgen.document.model import Cell, Quantity, Table

ABSENT = "-"
# The word beside a number that means nothing.
INVALID = "invalid"

# Significant digits of a table that does not set another number.
DIGITS = 4

# Unit names as people write them.
_UNIT_NAMES: Mapping[str, str] = {"us": "µs", "μs": "µs", "degC": "°C", "ratio": "", "1": "", "count": ""}


def unit_label(unit: Unit | None) -> str:
    """Return how a unit is written for people, "" for plain numbers."""
    return _UNIT_NAMES.get(unit.name, unit.name) if unit else ""


def number(table: Table, quantity: Quantity, cell: Cell, *, digits: int | None = None) -> str:
    """Return the number of a cell as the table shows it, without interval and unit.

    digits  significant digits instead of the table's own
    """
    if cell.kind == "interval" and cell.low is not None and cell.high is not None:
        return _ends(cell.low, cell.high)
    if cell.value is None:
        return cell.text or ABSENT
    if quantity == "repeats":
        return units.text(cell.value, decimals=0)
    shown = cell.value / (cell.unit.factor if cell.unit else 1.0)
    if digits is not None:
        return units.text(shown, digits=digits)
    # `decimals` applies to measured values; ratios next to them have their own digits.
    is_ratio = quantity != "value" and any(column.quantity == "value" for column in table.columns)
    digits = table.digits if quantity == "value" else ratio_digits(table.digits, shown)
    return number_text(shown, digits, None if is_ratio else table.decimals)


def shown_number(table: Table, quantity: Quantity, cell: Cell) -> str:
    """Return the number with its unit, "" where there is none."""
    if cell.value is None or not math.isfinite(cell.value):
        return ""
    return f"{number(table, quantity, cell)} {unit_label(cell.unit)}".rstrip()


def number_text(shown: float, digits: int, decimals: int | None) -> str:
    """Return a number in the unit that it is shown in."""
    text = units.text(shown, digits=digits, decimals=decimals)
    # A value is not zero because its table has few decimals.
    return units.text(shown, digits=1) if shown and not text.strip("-0.") else text


def ratio_text(ratio: float, digits: int) -> str:
    """Return a ratio beside values of so many digits."""
    return number_text(ratio, ratio_digits(digits, ratio), None)


def ratio_digits(digits: int, ratio: float) -> int:
    """Return the digits of a ratio: the table's if it sets any, else 3, or 2 below a hundredth."""
    if digits != DIGITS:
        return digits
    return 3 if abs(ratio) >= 0.01 else 2


def interval_text(low: float, high: float, shown: str) -> str:
    """Return the ends of an interval with as many decimals as its number is shown with."""
    decimals = len(shown.partition(".")[2])
    return f"{units.text(low, decimals=decimals)} – {units.text(high, decimals=decimals)}"


def _ends(low: float, high: float) -> str:
    """Return the ends of an interval of ratios, with two digits of its width."""
    width = high - low
    decimals = min(6, max(2, 1 - math.floor(math.log10(width)))) if 0 < width < math.inf else 3
    return f"{units.text(low, decimals=decimals)} – {units.text(high, decimals=decimals)}"
