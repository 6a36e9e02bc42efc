"""Read the cells of CSV files: rows with their lines, typed cells, numbers with units."""

import csv
import io
import math
import re
from collections.abc import Iterator

from reportgen import units
from reportgen.model import FactorValue

# 18 digits fit into 64 bits; a longer row of digits is a name (a serial number), not a count.
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_FLOAT = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
_NUMBER = r"[+-]?(?:[0-9][0-9,]*\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?"
_QUANTITY = re.compile(rf"({_NUMBER})\s*([^0-9\s,.][^0-9]*)?")


def rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield (line the row begins in, stripped cells) of each row that is not empty.

    Raises csv.Error where the text is not CSV (a cell above 128 KiB).
    """
    reader = csv.reader(io.StringIO(text, newline=""))
    line = 1
    for row in reader:
        cells = [cell.strip() for cell in row]
        if any(cells):
            yield line, cells
        line = reader.line_num + 1


def typed(text: str) -> FactorValue:
    """Return an int or a float where the text is one (finite), else the text."""
    if _INTEGER.fullmatch(text):
        return int(text)
    if text.lstrip("+-").isdecimal():
        return text
    if len(text) <= 64 and _FLOAT.fullmatch(text) and math.isfinite(float(text)):
        return float(text)
    return text


def quantity(text: str, unit: str) -> tuple[float, str] | None:
    """Return (value, unit) of a number that may carry its own unit ("222.7ms", "45 %", "2,557").

    unit  holds where the cell has none of its own; None is returned for anything but a finite number
    """
    if len(text) > 64:
        return None
    match = _QUANTITY.fullmatch(text)
    if not match:
        return None
    own = (match[2] or "").strip()
    if own and not units.find(own):
        return None
    value = float(match[1].replace(",", ""))
    return (value, own or unit) if math.isfinite(value) else None
