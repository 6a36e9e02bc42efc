"""Format tables for a terminal: aligned columns; cells that are too wide continue on the next line.

A table that goes into a pipe, or fits, is only aligned; rich wraps the others. Nothing is cut. Wide letters
(Chinese, Japanese, Korean) count as two columns.
"""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reportgen.report.run_groups import RunRow, RunRows

# Texts, headings first.
Rows = Sequence[Sequence[str]]

_GAP = 2
# A table of runs with more lines per run is not readable as a table.
_MAX_LINES_PER_RUN = 2
_HEADS = ("status", "steps", "measured", "findings")


@dataclass(frozen=True, slots=True)
class RunTable:
    """The lines of a table of runs; `folder` is the common folder that its ids are below."""

    lines: list[str]
    folder: str = ""


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


def run_table_lines(table: "RunRows", width: int | None) -> RunTable:
    """Return a table of runs, not wider than `width` columns if that is given.

    If it is too wide, the common folder of the runs is left out; if it still is, each run becomes a block.
    """
    rows = _with_heads(table)
    lines = table_lines(rows, width)
    if width is None or len(lines) == len(rows):
        return RunTable(lines)
    folder = _common_folder([row.run for row in table.rows])
    shorter = [replace(row, run=row.run.removeprefix(folder)) for row in table.rows]
    table = replace(table, rows=tuple(shorter))
    lines = table_lines(_with_heads(table), width)
    if len(lines) <= _MAX_LINES_PER_RUN * len(rows):
        return RunTable(lines, folder)
    return RunTable([line for row in table.rows for line in _block(table.names, row, width)], folder)


def _with_heads(table: "RunRows") -> list[tuple[str, ...]]:
    """Return the texts of a table of runs, headings first; a column without texts is left out."""
    rows = [("run", "format", *table.names, *_HEADS)]
    rows += [
        (row.run, row.format, *row.factors, row.status, row.steps, row.measured, row.findings)
        for row in table.rows
    ]
    kept = [column for column in zip(*rows, strict=True) if any(column[1:]) or column[0] == "run"]
    return [tuple(cell or "-" for cell in row) for row in zip(*kept, strict=True)]


def _block(names: Sequence[str], row: "RunRow", width: int) -> Iterator[str]:
    """Yield the lines of one run: its name, its factors, what it measured, all but the first indented."""
    yield from table_lines([(row.run,)], width)
    factors = [f"{name}={value}" for name, value in zip(names, row.factors, strict=True) if value]
    steps = f"{row.steps} steps" if row.steps else ""
    results = [text for text in (row.format, row.status, steps, row.measured, row.findings) if text]
    for texts in (factors, results):
        if texts:
            yield from table_lines([("", "  ".join(texts))], width)


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
