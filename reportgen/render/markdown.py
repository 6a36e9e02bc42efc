"""Write a table as GitHub-flavoured Markdown whose source is readable too.

GFM has one row of heads, so the levels of a head are joined by a space; qualifiers follow after `<br>`.
Columns are padded to equal width, numbers are right-aligned.
"""

import unicodedata
from collections.abc import Sequence

from reportgen.core.results import Table
from reportgen.render.grid import Align, Grid, Item, lay_out
from reportgen.render.text import escape

# Longer cells do not widen their column: the other cells would be out of sight.
_MAX_PADDED_WIDTH = 48


def table(table: Table) -> str:
    """Return the table with its sentences and footnotes, without heading, ending in a line break."""
    grid = lay_out(table)
    parts = [rows(grid)]
    if grid.caption:
        parts.append(escape.paragraph(" ".join(grid.caption)))
    if grid.notes:
        parts.append("\n".join(f"{i}. {escape.sentence(note)}" for i, note in enumerate(grid.notes, start=1)))
    return "\n\n".join(parts) + "\n"


def rows(grid: Grid) -> str:
    """Return the table proper, without line break at the end."""
    heads = [_item(item) for item in grid.lead] + _flat_heads(grid)
    if not heads or not grid.rows:
        return "No data."
    aligns = [item.align for item in grid.lead] + [item.align for item in grid.levels[-1]]
    body = [[_item(item) for item in (*lead, *cells)] for lead, cells in grid.rows]
    return aligned(heads, body, aligns)


def aligned(heads: Sequence[str], body: Sequence[Sequence[str]], aligns: Sequence[Align]) -> str:
    """Return a table of Markdown texts, its columns padded to equal width."""
    widths = [
        max(3, *(w for w in map(_width, column) if w <= _MAX_PADDED_WIDTH), 3)
        for column in zip(heads, *body, strict=True)
    ]
    ruler = [
        f"{'-' * (width - 1)}:" if align == "right" else "-" * width
        for width, align in zip(widths, aligns, strict=True)
    ]
    lines = [heads, ruler, *body]
    return "\n".join(_line(line, widths, aligns) for line in lines)


def _line(texts: Sequence[str], widths: Sequence[int], aligns: Sequence[Align]) -> str:
    padded = []
    for text, width, align in zip(texts, widths, aligns, strict=True):
        space = " " * max(0, width - _width(text))
        padded.append(space + text if align == "right" else text + space)
    return f"| {' | '.join(padded)} |"


def _width(text: str) -> int:
    """Return the width of a text in a terminal: 2 for wide East Asian characters."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )


def _flat_heads(grid: Grid) -> list[str]:
    if not grid.levels:
        return []
    above: list[list[str]] = [[] for _ in grid.levels[-1]]
    for level in grid.levels[:-1]:
        column = 0
        for item in level:
            for i in range(column, column + item.span):
                if item.text:
                    above[i].append(escape.link(item.text, item.href))
            column += item.span
    return [
        " ".join([*texts, _item(item)]).strip() for texts, item in zip(above, grid.levels[-1], strict=True)
    ]


def _item(item: Item) -> str:
    """Return one item: the text with its link, interval and unit, footnote numbers, qualifiers."""
    shown = " ".join(
        part
        for part in (escape.link(item.text, item.href), item.interval, escape.markdown(item.unit))
        if part
    )
    if item.notes:
        # In brackets: after a number they would look like an exponent.
        shown += f"<sup>[{','.join(map(str, item.notes))}]</sup>"
    if item.qualifiers:
        shown += "<br>" + ", ".join(escape.markdown(text) for text in item.qualifiers)
    return shown
