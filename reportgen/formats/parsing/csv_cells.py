"""Read the cells of CSV files: rows with their lines, numbers with units."""

import csv
import io
import math
from collections.abc import Iterator

from reportgen.core import units
from reportgen.core.factors import parse_scalar
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FactorValue
from reportgen.formats.parsing.damage import Malformed

# Commas separate thousands. A decimal comma ("12,5") would make the number ten times larger.
_NUMBER = r"[+-]?(?:(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?"
_MAX_NUMBER_CHARS = 64
_QUANTITY = lazy_pattern(rf"({_NUMBER})\s*([^0-9\s,.][^0-9]*)?")


def rows(text: str, separator: str = ",") -> Iterator[tuple[int, list[str]]]:
    """Yield (first line of the row, stripped cells) of each row that is not empty.

    Raises csv.Error if the text is not CSV (a cell above 128 KiB).
    """
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    line = 1
    for row in reader:
        cells = [cell.strip() for cell in row]
        if any(cells):
            yield line, cells
        line = reader.line_num + 1


def typed_records(content: bytes, malformed: Malformed) -> Iterator[tuple[int, dict[str, FactorValue]]]:
    """Yield (first line, column -> value) of each row below the header, without empty cells.

    A repeated header is skipped; rows of another width, and text that is not CSV, are malformed.
    """
    header: list[str] = []
    try:
        for line, cells in rows(content.decode("utf-8", "replace")):
            header = header or cells
            if len(cells) != len(header):
                malformed.add(line, "not as many cells as the header")
            elif cells != header:
                pairs = zip(header, cells, strict=True)
                yield line, {name: parse_scalar(cell) for name, cell in pairs if cell}
    except csv.Error:
        malformed.add(1, "not CSV")


def quantity(text: str, unit: str) -> tuple[float, str] | None:
    """Return (value, unit) of a number that may have its own unit ("222.7ms", "45 %", "2,557").

    unit  of a cell without its own

    None for anything but a finite number, and for a comma that does not separate thousands.
    """
    if len(text) > _MAX_NUMBER_CHARS:
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
    """Return the finite number in a text, None if it is not a number or has a unit."""
    value = quantity(text, "")
    return value[0] if value and not value[1] else None
