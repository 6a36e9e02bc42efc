"""Read the sheets of an Excel workbook (.xlsx) as CSV files, with openpyxl (the extra `xlsx`).

A row of a sheet is a line of its file. A number has all of its digits and what its format adds: "%", a unit
in quotes, thousands that it hides. A merged cell holds for all of its places; one as wide as the sheet is a
title, written as a comment. Hidden sheets are not read. A formula without a stored value is "?".
"""

import csv
import datetime
import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any

from reportgen.core.lazy_pattern import lazy_pattern

ENDING = ".xlsx"
# Of what is written; workbooks that were unpacked by an older version are unpacked again.
VERSION = 1
MAX_BYTES = 128 * 2**20
MAX_CELLS = 2_000_000
# What openpyxl raises for damaged workbooks, besides errors of zip files.
DAMAGES = (KeyError, TypeError, AttributeError, IndexError, SyntaxError, ArithmeticError)
_AFTER_DIGITS = lazy_pattern(r"[0#?](?P<hidden>,*)(?P<text>[^0#?]*)$")
# Colours, conditions, and room for a letter.
_NOT_SHOWN = lazy_pattern(r"\[[^\]]*\]|_.|\*.")


def sheets(path: str) -> Iterator[tuple[str, io.BytesIO]]:
    """Yield (name of a CSV file, its content) of each sheet that has cells.

    Raises ImportError without openpyxl; ValueError, a zipfile error or one of DAMAGES for a workbook that
    cannot be read.
    """
    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    with zipfile.ZipFile(path) as archive:
        if sum(member.file_size for member in archive.infolist()) > MAX_BYTES:
            raise ValueError(f"holds more than {MAX_BYTES // 2**20} MiB; save its results as CSV")
    try:
        values, formulas = (load_workbook(path, data_only=is_value) for is_value in (True, False))
    except InvalidFileException as error:
        raise ValueError(str(error)) from None
    for sheet in values.worksheets:
        if sheet.sheet_state == "visible" and any(any(row) for row in sheet.iter_rows(values_only=True)):
            name = re.sub(r"[^\w .()+-]", "_", sheet.title).strip(". ") or "sheet"
            yield f"{name}.csv", io.BytesIO(_csv(sheet, formulas[sheet.title]).encode())


def _csv(sheet: Any, formulas: Any) -> str:
    """Return a sheet as CSV, without empty columns around it; a title is the comment of its line."""
    if sheet.max_row * sheet.max_column > MAX_CELLS:
        raise ValueError(f"a sheet of more than {MAX_CELLS:,} cells; save its results as CSV")
    columns = [cell.column for row in sheet.iter_rows() for cell in row if cell.value is not None]
    first, last = min(columns), max(columns)
    ranges = list(sheet.merged_cells.ranges)
    titles = {x.min_row for x in ranges if x.min_row == x.max_row and x.min_col <= first < last <= x.max_col}
    spread = {place: cell for each in ranges for place, cell in _spread(sheet, each)}
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for number, row in enumerate(sheet.iter_rows(min_row=1, min_col=first, max_col=last), 1):
        cells = [spread.get(cell.coordinate) or _shown(cell, formulas[cell.coordinate]) for cell in row]
        if number in titles:
            text.write(f"# {cells[0]}\n")
        else:
            writer.writerow(cells if any(cells) else [])
    return text.getvalue()


def _spread(sheet: Any, merged: Any) -> Iterator[tuple[str, str]]:
    """Yield (place, text) of the places of a merged cell."""
    first = sheet.cell(merged.min_row, merged.min_col)
    text = _shown(first, first)
    for row in sheet.iter_rows(merged.min_row, merged.max_row, merged.min_col, merged.max_col):
        yield from ((cell.coordinate, text) for cell in row)


def _shown(cell: Any, formula: Any) -> str:
    """Return a cell as the sheet shows it, with all of its digits, on one line."""
    value = cell.value
    if value is None:
        return "?" if formula.data_type == "f" else ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime.timedelta):
        minutes, seconds = divmod(value.total_seconds(), 60)
        return f"{int(minutes // 60)}:{int(minutes % 60):02}:{seconds:06.3f}".removesuffix(".000")
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return str(value).removesuffix(" 00:00:00")
    if isinstance(value, int | float):
        return _number(value, str(cell.number_format))
    return " ".join(str(value).split())


def _number(value: float, format: str) -> str:
    """Return a number with what its format adds: a percent sign or a unit after it, hidden thousands."""
    positive, *others = format.split(";")
    shown = _NOT_SHOWN.sub("", others[0] if value < 0 and others else positive)
    match = _AFTER_DIGITS.search(shown)
    if match is None:
        return f"{value:.15g}"
    after = re.sub(r'["\\]', "", match["text"]).strip()
    scale = 100 if "%" in after else 1000.0 ** -len(match["hidden"])
    return f"{value * scale:.15g} {after}".strip()
