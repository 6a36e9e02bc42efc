"""Fit tables into the width of a terminal; nothing in them is cut.

Rows of texts go in, the first of them headings; lines come out. Columns give way, the widest first, and what
does not fit into them goes on in the next line, whole words at a time. A word (a number, a status, a name)
stays whole even where the line is too long then.
"""

import re
from collections.abc import Collection, Sequence

Rows = Sequence[Sequence[str]]

_GAP = 2
_WORDS = re.compile(r"\S+\s*")
_LEVELS = re.compile(r"[^/]*/|[^/]+")
# A row of more lines than this is no row any more.
_TALLEST = 4


def lines(rows: Rows, room: int | None, *soft: Collection[int]) -> list[str]:
    """Return the lines of a table, aligned, as wide as it needs where `room` is None.

    soft  columns that give way before the others, in this order
    """
    widths = _widths(rows, room, *soft)
    return [line for row in rows for line in _row(row, widths)]


def lines_of_runs(rows: Rows, room: int | None) -> tuple[str, list[str], bool]:
    """Return the folder that all runs share ("" if it is not left out), the lines, and whether factors went.

    rows  with a column `run` first, and the columns `factors` and `findings`
    """
    if room is None or _width(_longest(rows)) <= room:
        return "", lines(rows, room), False
    folder = _common_folder([row[0] for row in rows[1:]])
    rows = [rows[0], *((row[0].removeprefix(folder), *row[1:]) for row in rows[1:])]
    factors, findings = rows[0].index("factors"), rows[0].index("findings")
    width = _widths(rows, room, {factors, findings}, {0})[factors]
    if all(len(_wrapped(row[factors], width)) <= _TALLEST for row in rows):
        return folder, lines(rows, room, {factors, findings}, {0}), False
    rows = [(*row[:factors], *row[factors + 1 :]) for row in rows]
    return folder, lines(rows, room, {findings - 1}, {0}), True


def _common_folder(paths: Sequence[str]) -> str:
    folders = [path.split("/")[:-1] for path in paths]
    shared = []
    for names in zip(*folders, strict=False):
        if len(set(names)) > 1:
            break
        shared.append(names[0])
    return "/".join([*shared, ""]) if shared and len(paths) > 1 else ""


def _longest(rows: Rows) -> list[int]:
    return [max(map(len, column)) for column in zip(*rows, strict=True)]


def _width(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _widths(rows: Rows, room: int | None, *soft: Collection[int]) -> list[int]:
    widths = _longest(rows)
    if room is None:
        return widths
    least = [max(len(part) for cell in column for part in _parts(cell)) for column in zip(*rows, strict=True)]
    for columns in (*soft, range(len(widths))):
        while _width(widths) > room and (able := [at for at in columns if widths[at] > least[at]]):
            widths[max(able, key=lambda at: widths[at])] -= 1
    return widths


def _parts(cell: str) -> list[str]:
    """Return what stays together: words, and the levels of a path."""
    is_path = " " not in cell and "/" in cell
    return [part.rstrip() for part in (_LEVELS if is_path else _WORDS).findall(cell)] or [""]


def _row(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    wrapped = [_wrapped(cell, width) for cell, width in zip(row, widths, strict=True)]
    height = max(map(len, wrapped))
    columns = [[*parts, *[""] * (height - len(parts))] for parts in wrapped]
    return [
        (" " * _GAP).join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
        for cells in zip(*columns, strict=True)
    ]


def _wrapped(cell: str, width: int) -> list[str]:
    if len(cell) <= width:
        return [cell]
    gap = "" if " " not in cell else " "
    found: list[str] = []
    for part in _parts(cell):
        if found and len(found[-1]) + len(gap) + len(part) <= width:
            found[-1] += gap + part
        else:
            found.append(part)
    return found
