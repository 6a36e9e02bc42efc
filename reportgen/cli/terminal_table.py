"""Format tables for a terminal: aligned columns; cells that are too wide continue on the next line.

A table that goes into a pipe, or fits, is only aligned; rich wraps the others. Nothing is cut. Wide letters
(Chinese, Japanese, Korean) count as two columns.
"""

import io
from collections.abc import Sequence
from dataclasses import dataclass

# Texts, headings first.
Rows = Sequence[Sequence[str]]

_GAP = 2
# A table of runs with more lines per run is not readable as a table.
_MAX_LINES_PER_RUN = 4


@dataclass(frozen=True, slots=True)
class RunTable:
    """The lines of a table of runs; `folder` is the common folder that its ids are below."""

    lines: list[str]
    folder: str = ""
    has_factors: bool = True


def table_lines(rows: Rows, width: int | None) -> list[str]:
    """Return the lines of a table, not wider than `width` columns if that is given."""
    from rich.cells import cell_len

    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    if width is not None and sum(widths) + _GAP * (len(widths) - 1) > width:
        return _wrapped_lines(rows, width)
    gap = " " * _GAP
    return [
        gap.join(
            cell + " " * (size - cell_len(cell)) for cell, size in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    ]


def run_table_lines(rows: Rows, width: int | None) -> RunTable:
    """Return a table of runs without their common folder, and without factors, if it is too wide otherwise.

    rows  with the columns `run` (first) and `factors`
    """
    lines = table_lines(rows, width)
    if width is None or len(lines) == len(rows):
        return RunTable(lines)
    folder = _common_folder([row[0] for row in rows[1:]])
    rows = [rows[0], *((row[0].removeprefix(folder), *row[1:]) for row in rows[1:])]
    lines = table_lines(rows, width)
    if len(lines) <= _MAX_LINES_PER_RUN * len(rows):
        return RunTable(lines, folder)
    factors = rows[0].index("factors")
    return RunTable(
        table_lines([[*row[:factors], *row[factors + 1 :]] for row in rows], width), folder, False
    )


def _wrapped_lines(rows: Rows, width: int) -> list[str]:
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    table = RichTable(box=None, show_header=False, show_edge=False, pad_edge=False, padding=(0, _GAP, 0, 0))
    for _ in rows[0]:
        table.add_column(overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    out = io.StringIO()
    Console(file=out, width=width, color_system=None, legacy_windows=False).print(table)
    return [line.rstrip() for line in out.getvalue().splitlines()]


def _common_folder(paths: Sequence[str]) -> str:
    folders = [path.split("/")[:-1] for path in paths]
    shared = []
    for names in zip(*folders, strict=False):
        if len(set(names)) > 1:
            break
        shared.append(names[0])
    return "/".join([*shared, ""]) if shared and len(paths) > 1 else ""
