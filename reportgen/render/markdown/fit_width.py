"""Arrange a wide table so that a page of 120 columns shows it without scrolling.

A table that is wider is transposed if it then fits: few rows with many columns become many rows with few
columns. If not, its columns are distributed over several tables, which repeat the row heads; columns under a
common head stay together if they fit. A page wraps heads at spaces, so they may take several lines. It also
wraps the names of notes, which therefore have no width: a new note must not rearrange a table.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from reportgen.document.model import Header, Label, Table
from reportgen.render.grid.grid import Grid, Item, head_paths

MAX_WIDTH = 120
# Of a cell: a forge adds 13 pixels on each side and a line.
_PADDING = 4
_COLUMN_HEAD_LINES, _ROW_HEAD_LINES, _QUALIFIER_LINES = 3, 2, 2


def fitted(table: Table, grid: Grid) -> list[Grid]:
    """Return the grid of a table, or what shows it within the width; a single column may be wider."""
    if _width(grid) <= MAX_WIDTH or not grid.levels:
        return [grid]
    transposed = _transposed(table, grid)
    return [transposed] if _width(transposed) <= MAX_WIDTH else list(_parts(grid))


def _width(grid: Grid) -> int:
    return sum(_lead_widths(grid)) + sum(_column_widths(grid))


def _lead_widths(grid: Grid) -> list[int]:
    rows = [lead for lead, _ in grid.rows]
    return [
        _PADDING + max(_path_width([head]), *(_item_width(row[i]) for row in rows), 0)
        for i, head in enumerate(grid.lead)
    ]


def _column_widths(grid: Grid) -> list[int]:
    rows = [cells for _, cells in grid.rows]
    return [
        _PADDING + max(_path_width(path), *(_item_width(row[i]) for row in rows), 0)
        for i, path in enumerate(head_paths(grid))
    ]


def _path_width(path: Sequence[Item]) -> int:
    words = " ".join(item.text for item in path if item.text).split(" ")
    return max(_wrapped_width(words, _COLUMN_HEAD_LINES), len(", ".join(path[-1].qualifiers)))


def _wrapped_width(words: Sequence[str], most_lines: int) -> int:
    """Return the smallest width at which the words take no more lines."""
    for width in range(max(map(len, words)), min(MAX_WIDTH, len(" ".join(words)))):
        lines, used = 1, 0
        for word in words:
            lines, used = (
                (lines, used + 1 + len(word))
                if 0 < used <= width - 1 - len(word)
                else (lines + (used > 0), len(word))
            )
        if lines <= most_lines:
            return width
    return len(" ".join(words))


def _item_width(item: Item) -> int:
    """Return the characters of the longest line of an item: the number, or one of two of its qualifiers."""
    number = " ".join(filter(None, (item.text, item.sign, item.interval, item.unit)))
    width = _wrapped_width(number.split(" "), _ROW_HEAD_LINES) if item.kind == "head" else len(number)
    qualifiers = ", ".join(item.qualifiers).split(" ")
    return max(width, _wrapped_width(qualifiers, _QUALIFIER_LINES))


# Transposing


def _transposed(table: Table, grid: Grid) -> Grid:
    paths = head_paths(grid)
    rows = tuple((path, tuple(cells[i] for _, cells in grid.rows)) for i, path in enumerate(paths))
    heads = tuple(
        _column_head(table, row, lead) for row, (lead, _) in zip(table.rows, grid.rows, strict=True)
    )
    return replace(grid, lead=_titles(table, grid), levels=(heads,), rows=rows)


def _titles(table: Table, grid: Grid) -> tuple[Item, ...]:
    """Return the titles of the levels of heads; quantities have none."""
    titles = [*table.column_titles, *[Label("")] * len(grid.levels)][: len(grid.levels)]
    return tuple(Item(title.text, kind="head", href=title.href) for title in titles)


def _column_head(table: Table, row: Header, lead: Sequence[Item]) -> Item:
    words = row.words(table.row_titles)
    unit = f" ({lead[-1].text})" if table.unit_mode == "row" and lead and lead[-1].text else ""
    notes = tuple(note for item in lead for note in item.notes)
    return Item(f"{words}{unit}", kind="head", align="right", qualifiers=row.qualifiers, notes=notes)


# Splitting


def _parts(grid: Grid) -> Iterator[Grid]:
    """Yield grids with consecutive columns of a grid, as many as fit."""
    begin = 0
    paths = head_paths(grid)
    for end in _ends(grid):
        yield replace(
            grid,
            levels=tuple(
                tuple(replace(item, span=1) for item in level)
                for level in zip(*paths[begin:end], strict=True)
            ),
            rows=tuple((lead, cells[begin:end]) for lead, cells in grid.rows),
        )
        begin = end


def _ends(grid: Grid) -> list[int]:
    """Return where each part ends."""
    widths, room = _column_widths(grid), MAX_WIDTH - sum(_lead_widths(grid))
    ends, used = [], 0
    for group in _groups(grid):
        first, last = group[0], group[-1] + 1
        needed = sum(widths[first:last])
        if used and used + needed > room:
            ends.append(first)
            used = 0
        if needed <= room:
            used += needed
            continue
        for column in group:
            if used and used + widths[column] > room:
                ends.append(column)
                used = 0
            used += widths[column]
    return [*ends, len(widths)]


def _groups(grid: Grid) -> list[list[int]]:
    """Return the columns under each head of the top level."""
    tops = [i for i, item in enumerate(grid.levels[0]) for _ in range(item.span)]
    return [
        [column for column, _ in group] for _, group in groupby(enumerate(tops), key=lambda pair: pair[1])
    ]
