"""Read the cells of CSV files: rows with their lines, numbers with units."""

import csv
import io
import math
import re
from collections.abc import Iterator

from reportgen.core import units

# Commas part thousands. As the sign of the decimal ("12,5") they would make the number ten times larger.
_NUMBER = r"[+-]?(?:(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?"
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


def quantity(text: str, unit: str) -> tuple[float, str] | None:
    """Return (value, unit) of a number that may carry its own unit ("222.7ms", "45 %", "2,557").

    unit  holds where the cell has none of its own; None is returned for anything but a finite number, and
          for a comma that does not part thousands
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


def number(text: str) -> float | None:
    """Return the finite number that a text is in any notation, None if it is none or has a unit."""
    found = quantity(text, "")
    return found[0] if found and not found[1] else None
