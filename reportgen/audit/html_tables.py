"""Read the tables of HTML, alone or inside Markdown: rows, headings, cells that span several others."""

from bisect import bisect_right
from dataclasses import dataclass, field
from html.parser import HTMLParser

from reportgen.audit.documents import (
    MAX_CELL_CHARS,
    MAX_CELLS,
    MAX_TABLE_CELLS,
    Sentence,
    TextCell,
    TextTable,
    line_starts,
    rectangle,
)

_MAX_SPAN = 200
_MAX_CONTEXT = 3
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_BLOCKS = ("p", "li", "div", "section", "ul", "ol", "dd", "dt", "blockquote")
_SILENT = ("script", "style", "template", "noscript", "svg", "code", "pre")


@dataclass(slots=True)
class _OpenCell:
    """A cell that is being read; `in_note` inside of the mark of a footnote."""

    start: int
    line: int
    is_head: bool
    columns: int
    rows: int
    parts: list[str] = field(default_factory=list)
    size: int = 0
    in_note: bool = False


@dataclass(slots=True)
class _Grid:
    """A table that is being read: cells by row and column, how many head cells each row has."""

    line: int
    context: tuple[str, ...]
    cells: dict[tuple[int, int], TextCell] = field(default_factory=dict)
    heads: dict[int, int] = field(default_factory=dict)
    counts: dict[int, int] = field(default_factory=dict)
    row: int = -1
    column: int = 0
    in_head: bool = False
    caption: str = ""

    def place(self, cell: TextCell, opened: _OpenCell) -> None:
        """Put a cell at the next free place of the row, and into every place that it spans."""
        while (self.row, self.column) in self.cells:
            self.column += 1
        for down in range(opened.rows):
            for right in range(opened.columns):
                if len(self.cells) >= MAX_TABLE_CELLS:
                    return
                copy = TextCell(cell.text, cell.line, cell.start, cell.end, bool(down or right))
                self.cells.setdefault((self.row + down, self.column + right), copy)
        self.counts[self.row] = self.counts.get(self.row, 0) + 1
        self.heads[self.row] = self.heads.get(self.row, 0) + (opened.is_head or self.in_head)
        self.column += opened.columns

    def table(self) -> TextTable | None:
        """Return the table, None if it has no cells."""
        if not self.cells:
            return None
        rows = max(row for row, _ in self.cells) + 1
        width = max(column for _, column in self.cells) + 1
        if rows * width > MAX_TABLE_CELLS:
            return None
        lines = {row: cell.line for (row, _), cell in self.cells.items()}
        grid = [
            [
                self.cells.get((row, column)) or TextCell("", lines.get(row, self.line), 0, 0)
                for column in range(width)
            ]
            for row in range(rows)
        ]
        head = 0
        while head < rows - 1 and self.counts.get(head) and self.heads.get(head) == self.counts[head]:
            head += 1
        context = (*self.context, self.caption) if self.caption else self.context
        return TextTable(rectangle(grid), head, context, self.line)


class _TableParser(HTMLParser):
    def __init__(self, text: str, offset: int, line: int, context: tuple[str, ...]) -> None:
        super().__init__(convert_charrefs=True)
        self._starts, self._offset, self._line = line_starts(text), offset, line
        self.tables: list[TextTable] = []
        self.sentences: list[Sentence] = []
        self._headings: dict[int, str] = {}
        self._above = context
        self._grid: _Grid | None = None
        self._cell: _OpenCell | None = None
        self._text: list[str] | None = None
        self._silent = 0
        self._cells = 0

    def _position(self) -> int:
        line, column = self.getpos()
        return self._offset + self._starts[line - 1] + column

    def _line_of(self, position: int) -> int:
        return self._line + bisect_right(self._starts, position - self._offset) - 1

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "sup" and self._cell:
            self._cell.in_note = True
        elif tag in _SILENT and self._cell is None:
            self._silent += 1
        elif tag == "table" and self._cells < MAX_CELLS:
            self._close_table()
            headings = [self._headings[level] for level in sorted(self._headings)]
            context = (*self._above, *headings)[-_MAX_CONTEXT:]
            self._grid = _Grid(self._line_of(self._position()), context)
        elif self._grid is not None:
            self._start_in_table(self._grid, tag, dict(attrs))
        elif tag in _HEADINGS or tag in _BLOCKS:
            self._text = []
        if tag == "br" and self._cell:
            self._cell.parts.append(" ")

    def _start_in_table(self, grid: _Grid, tag: str, attrs: dict[str, str | None]) -> None:
        if tag == "tr":
            self._close_cell()
            grid.row, grid.column = grid.row + 1, 0
        elif tag == "thead":
            grid.in_head = True
        elif tag in ("tbody", "tfoot"):
            self._close_cell()
            grid.in_head = False
        elif tag in ("td", "th"):
            self._close_cell()
            if grid.row < 0:
                grid.row = 0
            end = self._position() + len(self.get_starttag_text() or "")
            columns, rows = (_span(attrs.get(name)) for name in ("colspan", "rowspan"))
            self._cell = _OpenCell(end, self._line_of(end), tag == "th", columns, rows)
        elif tag == "caption":
            self._text = []

    def handle_endtag(self, tag: str) -> None:
        if tag == "sup" and self._cell:
            self._cell.in_note = False
        elif tag in _SILENT and self._silent and self._cell is None:
            self._silent -= 1
        elif tag in ("td", "th", "tr"):
            self._close_cell()
        elif tag == "thead" and self._grid:
            self._grid.in_head = False
        elif tag == "table":
            self._close_table()
        elif tag == "caption" and self._grid and self._text is not None:
            self._grid.caption, self._text = " ".join("".join(self._text).split())[:MAX_CELL_CHARS], None
        elif self._text is not None and self._grid is None:
            self._end_text(tag)

    def _end_text(self, tag: str) -> None:
        text = " ".join("".join(self._text or ()).split())
        self._text = None
        if tag in _HEADINGS:
            level = int(tag[1])
            self._headings = {known: title for known, title in self._headings.items() if known < level}
            self._headings[level] = text[:MAX_CELL_CHARS]
        elif text:
            position = self._position()
            self.sentences.append(Sentence(text, self._line_of(position), -1, tuple(self._headings.values())))

    def handle_data(self, data: str) -> None:
        if self._silent:
            return
        if self._cell is not None and self._cell.in_note:
            return
        if self._cell is not None and self._cell.size < 4 * MAX_CELL_CHARS:
            self._cell.parts.append(data[: 4 * MAX_CELL_CHARS])
            self._cell.size += len(data)
        elif self._text is not None and (self._grid is None or self._cell is None):
            self._text.append(data)

    def _close_cell(self) -> None:
        if self._cell is None or self._grid is None:
            self._cell = None
            return
        text = " ".join("".join(self._cell.parts).split())[:MAX_CELL_CHARS]
        self._grid.place(TextCell(text, self._cell.line, self._cell.start, self._position()), self._cell)
        self._cells += 1
        self._cell = None

    def _close_table(self) -> None:
        self._close_cell()
        if self._grid is not None and (table := self._grid.table()):
            self.tables.append(table)
        self._grid = None

    def close(self) -> None:
        super().close()
        self._close_table()


def _span(text: str | None) -> int:
    return (
        min(_MAX_SPAN, max(1, int(text)))
        if text and text.isascii() and text.isdigit() and len(text) < 6
        else 1
    )


def read_html(
    text: str, *, offset: int = 0, line: int = 1, context: tuple[str, ...] = ()
) -> tuple[list[TextTable], list[Sentence]]:
    """Return the tables and sentences of HTML.

    offset, line  of the text in the document; context  headings above it
    """
    parser = _TableParser(text, offset, line, context)
    parser.feed(text)
    parser.close()
    return parser.tables, parser.sentences
