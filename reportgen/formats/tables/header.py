"""Find the header of a table in lines of separated cells: names above cells of another type.

A block of lines with as many cells each begins with its header, if it has one. Of several blocks, as below a
preamble of facts, the one whose names say most counts, then the one with most cells.
"""

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.parsing.csv_cells import quantity
from reportgen.formats.parsing.csv_cells import rows as csv_rows
from reportgen.formats.tables import latex
from reportgen.formats.tables.column_units import is_unit_alone, unit_of
from reportgen.formats.tables.column_words import meaning_of
from reportgen.formats.tables.heads import NUMBER_LIKE, are_results, count_heads, is_measurement, is_quantity
from reportgen.formats.tables.records import blanks, is_indexed, uncommented

_DIGITS = lazy_pattern(r"[0-9][0-9.,]*(?:e[-+]?[0-9]+)?")
_WHOLE = lazy_pattern(r"[0-9]{1,12}")
# "total: 8 ms" is a number with its label.
_LABELLED = lazy_pattern(r"^[^0-9\n].*[:=]\s+(?=[-+]?[0-9])")
# What a spreadsheet needs to know about a file.
_QUANTITY = lazy_pattern(r"[0-9][0-9.,]*\s*[^\W\d]{1,4}(?:/s)?(?:\s*±.{1,20})?")
_SEPARATOR = lazy_pattern(r'"?sep=.?"?')


@dataclass(frozen=True, slots=True)
class HeaderLine:
    """A header: the separator of its cells, its line from 0, its width, and the lines as wide as it.

    known  its cells whose meaning is known
    """

    separator: str
    start: int
    width: int
    count: int
    known: int

    @property
    def weight(self) -> tuple[int, int]:
        """Of several headers of one separator, the largest counts."""
        return self.known, self.count * self.width


def header_of(lines: Sequence[str], separator: str) -> HeaderLine | None:
    """Return the header of a table with a separator; None without one."""
    cells = [cells_of(line, separator) for line in lines]
    headers: list[HeaderLine] = []
    width = 0
    for start, names in enumerate(cells[:-1]):
        is_rule = separator == "&" and latex.is_rule(lines[start])
        if is_rule or len(names) == width or _is_comment(lines, cells, start):
            continue  # below the header of its block, or a comment above it
        is_first = not start or len(cells[start - 1]) != len(names)
        width = 0
        if (is_first or _are_names(names)) and (header := _header_at(lines, cells, start, separator)):
            headers.append(header)
            width = header.width
    best = max(headers, key=lambda header: header.weight, default=None)
    return _with_name_above(lines, cells, best) if best and separator != " " else best


def _with_name_above(lines: Sequence[str], cells: Sequence[list[str]], header: HeaderLine) -> HeaderLine:
    """Return a header with the line above it, if this has one name, or numbers, for several columns."""
    at = header.start - 1
    while at > 0 and header.separator == "&" and latex.is_rule(lines[at]):
        at -= 1
    if at < 0 or len(cells[at]) != header.width or cells[at][0]:
        return header
    above = list(filter(None, cells[at]))
    if len(above) != 1 and not (above and all(map(_WHOLE.fullmatch, above))):
        return header
    return replace(header, start=at) if count_heads(filter(None, cells[at:])) > 1 else header


def _is_comment(lines: Sequence[str], cells: Sequence[list[str]], start: int) -> bool:
    """Return whether a line is a comment with as many commas as the header below it."""
    below = cells[start + 1]
    is_header = len(below) == len(cells[start]) and all(below) and not any(map(NUMBER_LIKE.fullmatch, below))
    is_marked = lines[start].lstrip().startswith(("# ", "// ")) and not any(map(is_unit_alone, below))
    return is_marked and is_header and any(meaning_of(name).kind != "other" for name in below)


def _header_at(
    lines: Sequence[str], cells: Sequence[list[str]], start: int, separator: str
) -> HeaderLine | None:
    """Return the header that a line is, None if it is not one."""
    names = cells[start]
    if separator == " " and lines[start].lstrip().startswith("#"):
        names = blanks(lines[start]).split(uncommented(lines[start]))
    if sum(map(bool, names)) < 2 or not (_are_names(names) or _are_counted(names)):
        return None
    if separator == " ":
        cut = blanks(lines[start])
        cells = [cut.split(line.strip()) if line.strip() else [] for line in lines]
        names = cells[start] = cut.split(uncommented(lines[start]))
    row = _row_after(cells, start)
    if separator == " " and is_indexed(lines[start], len(names), row):
        names = ["", *names]
    if len(row) != len(names) or _is_like_its_rows(names, row) or is_row(names, row) or _recurs(names, cells):
        return None
    count = sum(1 for row in cells[start:] if len(row) == len(names))
    if separator == " " and (count < 3 or not (_has_metric(names) or _has_quantity(names, row))):
        return None
    known = sum(1 for name in names if meaning_of(name).kind != "other")
    return HeaderLine(separator, start, len(names), count, known)


def heads_of(lines: Iterable[str], separator: str) -> int:
    """Return the number of lines of a header, 1 to 3: all but the last name several columns."""
    return count_heads(cells for line in lines if (cells := cells_of(line, separator)))


def other_header(lines: Sequence[str], separator: str, heads: int) -> int:
    """Return the line of the header of another table below one that begins with `heads` lines; 0 without one.

    It is below an empty line or a title, and names a metric.
    """
    header, width = lines[0].strip(), lines[0].count(separator)
    filled = (at for at, line in enumerate(lines) if cells_of(line, separator))
    first = next(islice(filled, heads - 1, None), 0)
    for at in range(first + 2, len(lines)):
        if separator == " " or lines[at - 1].count(separator) == width or lines[at].strip() in ("", header):
            continue
        names = cells_of(lines[at], separator)
        are_names = len(names) > 1 and not any(map(_is_number, names))
        if are_names and any((known := meaning_of(name)).kind == "figure" and known.metric for name in names):
            return at
    return 0


def cells_of(line: str, separator: str) -> list[str]:
    """Return the cells of a line, [] for an empty one."""
    if not line.strip() or _SEPARATOR.fullmatch(line.strip()):
        return []
    if separator == " ":
        return blanks(line).split(line.strip())
    if separator == "&":
        line = latex.plain(line)
    try:
        return next((cells for _, cells in csv_rows(line, separator)), [])
    except csv.Error:
        return []


def _are_names(cells: Sequence[str]) -> bool:
    """Return whether the cells of a line can be a header: distinct names, few numbers."""
    numbers = sum(1 for cell in cells if _is_number(cell))
    return any(re.search(r"[^\W\d_]", cell) for cell in cells) and 2 * numbers <= len(cells)


def is_row(names: Sequence[str], row: Sequence[str]) -> bool:
    """Return whether a line is a row and not a header.

    All are numbers, one has the unit below it, or it is a name and a number with its unit, as the next line,
    or a metric and its value, as the next line.
    """
    if are_results(names) and are_results(row):
        return True
    if all(map(_is_number, names)) or (is_measurement(names) and any(map(is_quantity, row))):
        return True
    cells = [(quantity(name, ""), quantity(cell, "")) for name, cell in zip(names, row, strict=False)]
    return any(name and cell and name[1] == cell[1] != "" for name, cell in cells)


def _is_number(cell: str) -> bool:
    """Return whether a cell is a number, with a unit or a label before it: "8 ms", but not "8 GPU"."""
    cell = _LABELLED.sub("", cell).partition("±")[0].strip()
    word = re.sub(r"^[-+0-9.,' eE]+", "", cell).strip()
    unit = unit_of(word) if word and word != cell else None
    return unit is not None or (not word and bool(NUMBER_LIKE.fullmatch(cell)))


def _are_counted(cells: Sequence[str]) -> bool:
    """Return whether numbers are names of columns: they grow, and the first cell names what is counted."""
    first, *numbers = cells
    are_whole = len(numbers) > 1 and all(map(_WHOLE.fullmatch, numbers))
    grows = are_whole and all(int(a) < int(b) for a, b in pairwise(numbers))
    parts = re.split(r"\s*[\\/|]\s*", first)
    return grows and any(part and meaning_of(part).kind in ("factor", "figure") for part in (first, *parts))


def _row_after(cells: Sequence[list[str]], start: int) -> list[str]:
    """Return the cells of the next line that is not empty, without comments and rules."""
    rows = (row for row in cells[start + 1 :] if any(cell.strip("-: ") for cell in row))
    return next((row for row in rows if len(row) > 1 or not row[0].startswith("#")), [])


def _is_like_its_rows(names: Sequence[str], row: Sequence[str]) -> bool:
    """Return whether a line is a row itself: its cells differ from the next ones in digits only."""
    if _are_counted(names):
        return False
    alike = [_DIGITS.sub("0", name) == _DIGITS.sub("0", cell) for name, cell in zip(names, row, strict=True)]
    digits = [bool(re.search("[0-9]", name)) for name in names]
    same = sum(is_alike and has for is_alike, has in zip(alike, digits, strict=True))
    return same > 0 and 2 * same >= sum(digits)


def _recurs(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Return whether a line is printed again with other numbers: it states settings and names no columns."""
    shape = [_DIGITS.sub("0", name) for name in names]
    alike = (row for row in rows if len(row) == len(names) and list(row) != list(names))
    return shape != list(names) and any([_DIGITS.sub("0", cell) for cell in row] == shape for row in alike)


def _has_quantity(names: Sequence[str], row: Sequence[str]) -> bool:
    """Return whether one of the names is a metric, and the cell below it a number with its unit."""
    pairs = zip(names, row, strict=True)
    return any(meaning_of(name).metric and _QUANTITY.fullmatch(cell) for name, cell in pairs)


def _has_metric(names: Sequence[str]) -> bool:
    """Return whether a line of words is a header and no sentence: one of them names a metric and its unit.

    A colon ends the label of a value or the title of a block.
    """
    if any(name.endswith(":") for name in names):
        return False
    meanings = [meaning_of(name) for name in names]
    return any(each.kind == "figure" and each.metric and each.unit for each in meanings)
