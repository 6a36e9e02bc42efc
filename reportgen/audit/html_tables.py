"""Read the tables of HTML, alone or inside Markdown: rows, headings, cells that span several others.

lxml mends broken HTML as browsers do. It opens no file or address, and expands no entity that the document
defines. Its elements know at most their line, so each tag that matters gets an attribute with its offset in
the document before lxml reads it.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from reportgen.audit.documents import (
    MAX_CELL_CHARS,
    MAX_CELLS,
    MAX_TABLE_CELLS,
    MAX_TABLES,
    Sentence,
    TextCell,
    TextTable,
    line_starts,
    rectangle,
)
from reportgen.core.lazy_pattern import lazy_pattern

_MAX_SPAN = 200
_MAX_CONTEXT = 3
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_BLOCKS = ("p", "li", "div", "section", "ul", "ol", "dd", "dt", "blockquote")
_UNSEEN = ("script", "style", "template", "svg")
_SILENT = (*_UNSEEN, "noscript", "code", "pre")
_NOTE = "sup"
_WITH_PLACE = ("table", "td", "th", *_HEADINGS, *_BLOCKS)
_OFFSET = "reportgen-offset"
_NAME_END = r"(?=[ \t\n\f/>])"
_PLACED = lazy_pattern(rf"<(?:{'|'.join(_WITH_PLACE)}){_NAME_END}", re.IGNORECASE)
_CELL_END = lazy_pattern(rf"</?(?:t[dhr]|table|thead|tbody|tfoot){_NAME_END}", re.IGNORECASE)


def read_html(text: str, *, is_part: bool = False) -> tuple[list[TextTable], list[Sentence]]:
    """Return the tables and the sentences of HTML.

    is_part  whether it is in a document of Markdown, which knows the headings
    """
    reader = _HtmlReader(text, is_part)
    reader.read()
    return reader.tables, reader.sentences


def _parse(text: str) -> etree._Element:
    """Return the tree of a document, never empty, with the offset of each element whose place matters."""
    placed = _PLACED.sub(lambda match: f"{match[0]} {_OFFSET}={match.start()} ", text.replace("\0", " "))
    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, huge_tree=True
    )
    return etree.fromstring(b"<html><body>" + placed.encode(errors="replace"), parser)


def _text(element: etree._Element, without: tuple[str, ...]) -> str:
    """Return the text in an element, but not that in elements of some names."""
    parts = []
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, inner in walk:
        if event == "end":
            parts.append("" if inner is element else inner.tail)
        elif inner is not element and inner.tag in without:
            walk.skip_subtree()
        else:
            parts += [" " if inner.tag == "br" or inner.tag in _BLOCKS else "", inner.text]
    return " ".join("".join(part for part in parts if part).split())


@dataclass(slots=True)
class _Grid:
    """A table that is being read: cells by row and column, how many (head) cells each row has."""

    cells: dict[tuple[int, int], TextCell] = field(default_factory=dict)
    heads: dict[int, int] = field(default_factory=dict)
    counts: dict[int, int] = field(default_factory=dict)
    row: int = -1
    column: int = 0

    def begin_row(self) -> None:
        """Go to the start of the next row."""
        self.row, self.column = self.row + 1, 0

    def place(self, cell: TextCell, *, columns: int, rows: int, is_head: bool) -> None:
        """Put a cell at the next free place of the row, and into every place that it spans."""
        self.row = max(self.row, 0)
        while (self.row, self.column) in self.cells:
            self.column += 1
        for down in range(rows):
            for right in range(columns):
                if len(self.cells) >= MAX_TABLE_CELLS:
                    return
                copy = TextCell(cell.text, cell.line, cell.start, cell.end, bool(down or right))
                self.cells.setdefault((self.row + down, self.column + right), copy)
        self.counts[self.row] = self.counts.get(self.row, 0) + 1
        self.heads[self.row] = self.heads.get(self.row, 0) + is_head
        self.column += columns

    def table(self, line: int, context: tuple[str, ...]) -> TextTable | None:
        """Return the table, None if it has no cells."""
        rows = max((row for row, _ in self.cells), default=-1) + 1
        width = max((column for _, column in self.cells), default=-1) + 1
        if not 0 < rows * width <= MAX_TABLE_CELLS:
            return None
        lines = {row: cell.line for (row, _), cell in self.cells.items()}
        grid = [
            [
                self.cells.get((row, column)) or TextCell("", lines.get(row, line), 0, 0)
                for column in range(width)
            ]
            for row in range(rows)
        ]
        head = 0
        while head < rows - 1 and self.counts.get(head) and self.heads.get(head) == self.counts[head]:
            head += 1
        return TextTable(rectangle(grid), head, context, line)


class _HtmlReader:
    """The tables and sentences of one document, in its order."""

    def __init__(self, text: str, is_part: bool) -> None:
        self.tables: list[TextTable] = []
        self.sentences: list[Sentence] = []
        self._is_part = is_part
        self._source, self._starts = text, line_starts(text)
        self._headings: dict[str, str] = {}
        self._paragraph = ""
        self._cells = 0

    def read(self) -> None:
        """Read all tables, and the text of blocks outside of tables, scripts and code."""
        for element in _parse(self._source).iter("table", *_HEADINGS, *_BLOCKS):
            if element.tag == "table":
                self._read_table(element)
            elif next(element.iterancestors("table", *_SILENT), None) is None:
                self._read_text(element)

    def _read_text(self, element: etree._Element) -> None:
        text = _text(element, (*_SILENT, *_BLOCKS, *_HEADINGS, "table"))
        if element.tag in _HEADINGS:
            above = {name: title for name, title in self._headings.items() if name < element.tag}
            self._headings = {**above, element.tag: text[:MAX_CELL_CHARS]}
            self._paragraph = ""
        elif text:
            self._paragraph = text[:MAX_CELL_CHARS]
            line = self._line_of(_offset(element))
            self.sentences.append(Sentence(text, line, -1, tuple(self._headings.values())))

    def _read_table(self, element: etree._Element) -> None:
        if self._cells >= MAX_CELLS or len(self.tables) >= MAX_TABLES:
            return
        grid, in_head, caption = _Grid(), False, ""
        for event, inner in _parts_of(element):
            if inner.tag == "thead":
                in_head = event == "start"
            elif event == "end":
                continue
            elif inner.tag == "tr":
                grid.begin_row()
            elif inner.tag == "caption":
                caption = _text(inner, _UNSEEN)[:MAX_CELL_CHARS]
            else:
                columns, rows = (_span(inner.get(name, "")) for name in ("colspan", "rowspan"))
                is_head = in_head or inner.tag == "th"
                grid.place(self._cell(inner), columns=columns, rows=rows, is_head=is_head)
        self._cells += len(grid.cells)
        context = () if self._is_part else tuple(self._headings.values())[-_MAX_CONTEXT:]
        line = self._line_of(_offset(element))
        nearest = tuple(text for text in (self._paragraph, caption) if text)
        if table := grid.table(line, (*context, *nearest)):
            self.tables.append(table)

    def _cell(self, element: etree._Element) -> TextCell:
        start = self._source.find(">", _offset(element)) + 1
        end = _CELL_END.search(self._source, start)
        text = _text(element, (*_UNSEEN, _NOTE, "table"))[:MAX_CELL_CHARS]
        return TextCell(text, self._line_of(start), start, end.start() if end else len(self._source))

    def _line_of(self, position: int) -> int:
        return bisect_right(self._starts, position)


def _parts_of(table: etree._Element) -> Iterator[tuple[str, etree._Element]]:
    """Yield the starts and ends of a table's parts, but not of tables inside it."""
    walk = etree.iterwalk(table, events=("start", "end"), tag=("table", "thead", "tr", "td", "th", "caption"))
    for event, inner in walk:
        if inner.tag != "table":
            yield event, inner
        elif inner is not table and event == "start":
            walk.skip_subtree()


def _offset(element: etree._Element) -> int:
    """Return where the start tag of an element is in the document."""
    return int(element.get(_OFFSET, "0"))


def _span(text: str) -> int:
    is_number = text.isascii() and text.isdigit() and len(text) < 6
    return min(_MAX_SPAN, max(1, int(text))) if is_number else 1
