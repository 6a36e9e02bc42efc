"""Turn the tables of HTML into Markdown, in a page or between lines of Markdown.

A table inside another one is a table; the one around it is a layout. A cell that spans others is in each of
them; a row of one cell over all columns is about the rows below it, in a column of its own. lxml mends broken
HTML as browsers do, but for cells outside a row, which it would lose.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any

from reportgen.core.lazy_pattern import lazy_pattern

_BEGIN = lazy_pattern(r"<table\b", re.IGNORECASE)
_TABLE = lazy_pattern(r"<table\b(?:(?!<table\b).)*?(?:</table\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_HEADING = lazy_pattern(r"<h[1-6]\b[^>]*>", re.IGNORECASE)
_END_OF_BLOCK = lazy_pattern(r"(?=<h[1-6]\b)|</(?:h[1-6]|p|div|li|title)\s*>|<br\b[^>]*>", re.IGNORECASE)
_TAG = lazy_pattern(r"</?[a-zA-Z!][^<>]*>")
# A cell that no <tr> is before: it begins a row.
_OUTSIDE_ROW = lazy_pattern(
    r"(<(?:table|thead|tbody|tfoot)\b[^>]*>|</(?:tr|thead|tbody|tfoot|caption|colgroup)\s*>)(\s*)(?=<t[dh]\b)",
    re.IGNORECASE,
)
_MAX_SPAN = 200
_MAX_CELLS = 200_000
# The column of rows that are about those below them.
_SECTION = "section"

Row = tuple[int, list[str]]


def as_markdown(lines: Sequence[str]) -> list[tuple[int, str]]:
    """Return (number from 1, text) of the lines, with the tables of HTML between bars."""
    if not any(_BEGIN.search(line) for line in lines):
        return list(enumerate(lines, 1))
    text = "\n".join(lines)
    breaks = [match.start() for match in re.finditer("\n", text)]
    written: list[tuple[int, str]] = []
    at = 0
    for table in _TABLE.finditer(text):
        written += _outside(text[at : table.start()], bisect_left(breaks, at) + 1)
        written += _table(table[0], bisect_left(breaks, table.start()) + 1)
        at = table.end()
    return written + list(_outside(text[at:], bisect_left(breaks, at) + 1))


def _outside(text: str, first: int) -> Iterator[tuple[int, str]]:
    """Yield the lines between tables; headings as Markdown, without tags. first  number of the first line"""
    for number, line in enumerate(text.split("\n"), first):
        for part in _END_OF_BLOCK.split(line) if "<" in line else [line]:
            yield number, _TAG.sub("", _HEADING.sub("## ", part))


def _table(text: str, first: int) -> list[tuple[int, str]]:
    """Return a table as lines of Markdown, with its caption above it. first  number of its first line"""
    from lxml import html

    text = _OUTSIDE_ROW.sub(r"\1\2<tr>", text)
    table = html.fragment_fromstring(text, create_parent=True).find(".//table")
    if table is None:
        return []
    rows, heads = _grid(table)
    if len(rows) <= heads:
        return []
    captions = [(first, ""), *((first, _text(each)) for each in table.iter("caption")), (first, "")]
    names = [
        " ".join(dict.fromkeys(filter(None, parts)))
        for parts in zip(*(x for _, x in rows[:heads]), strict=True)
    ]
    names, body = _with_sections(names, rows[heads:])
    above = rows[heads - 1][0]
    lines = [(above, names), (above, ["---"] * len(names)), *body]
    return [*captions, *((first + line, f"| {' | '.join(cells)} |") for line, cells in lines), (first, "")]


def _with_sections(names: list[str], rows: list[Row]) -> tuple[list[str], list[Row]]:
    """Return names and rows without the rows whose cells are all one; these become a first column."""
    are_titles = [len(cells) > 1 and len(set(cells)) == 1 and bool(cells[0]) for _, cells in rows]
    if not any(are_titles):
        return names, rows
    section, body = "", list[Row]()
    for (line, cells), is_title in zip(rows, are_titles, strict=True):
        section = cells[0] if is_title else section
        body += [] if is_title else [(line, [section, *cells])]
    return [_SECTION, *names], body


def _grid(table: Any) -> tuple[list[Row], int]:
    """Return the rows of a table, (line in it from 0, cells), and how many of them are its header."""
    grid: dict[tuple[int, int], str] = {}
    lines, are_heads = list[int](), list[bool]()
    deepest = 1
    for row, element in enumerate(table.iter("tr")):
        column, cells = 0, [cell for cell in element if cell.tag in ("td", "th")]
        lines.append((element.sourceline or 1) - 1)
        are_heads.append(bool(cells) and all(cell.tag == "th" for cell in cells))
        for cell in cells:
            while (row, column) in grid:
                column += 1
            wide, deep = _span(cell, "colspan"), _span(cell, "rowspan")
            deepest = max(deepest, deep if not row else 1)
            if len(grid) + wide * deep > _MAX_CELLS:
                break
            text = _text(cell)
            grid |= {(row + down, column + right): text for down in range(deep) for right in range(wide)}
            column += wide
    width = max((column for _, column in grid), default=-1) + 1
    rows = [
        (line, [grid.get((row, column), "") for column in range(width)]) for row, line in enumerate(lines)
    ]
    # Some write each cell as a head; then the first row is the header, with those that its cells reach into.
    first = next((at for at, is_head in enumerate(are_heads) if not is_head), 0)
    return rows, max(first, deepest if width else 1, 1)


def _span(cell: Any, name: str) -> int:
    text = cell.get(name) or ""
    return min(max(int(text), 1), _MAX_SPAN) if re.fullmatch("[0-9]{1,4}", text) else 1


def _text(element: Any) -> str:
    """Return the text of a cell; a raised one is a footnote, or an exponent of 10."""
    for raised in element.iter("sup"):
        before = (
            raised.getprevious().tail if raised.getprevious() is not None else raised.getparent().text
        ) or ""
        raised.text = (
            f"^{raised.text or ''}" if before.rstrip().endswith("10") else f" [^{raised.text or ''}]"
        )
    for end in element.iter("br", "p", "div", "li"):
        end.tail = f" {end.tail or ''}"
    return " ".join("".join(element.itertext()).split()).replace("|", "\\|")
