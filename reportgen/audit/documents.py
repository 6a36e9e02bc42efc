"""The claims of a document: its tables as grids of cells, and its sentences, each with its place.

Readers (`markdown_tables`, `html_tables`, `csv_tables`) make these values from text. A cell knows the line
that it is in and the span of the document's characters that it was written with, so that it can be marked
there.
"""

from collections.abc import Sequence
from dataclasses import dataclass

# A document is bounded, so that a hostile one costs little. Markdown of a mebibyte takes 300 MiB and seconds.
MAX_DOCUMENT_CHARS = 8 * 2**20
MAX_MARKDOWN_CHARS = 2**20
MAX_CELLS = 100_000
MAX_TABLE_CELLS = 40_000
MAX_CELL_CHARS = 300
MAX_TABLES = 500


@dataclass(frozen=True, slots=True)
class TextCell:
    """A cell as read: plain text without markup, the line from 1, the span in the document.

    is_repeated  whether it repeats a cell that spans several rows or columns
    """

    text: str
    line: int
    start: int
    end: int
    is_repeated: bool = False


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table: rows of equal length; the first `head_rows` rows are headings.

    context  the headings, caption and paragraph or list above the table, the nearest last
    """

    rows: tuple[tuple[TextCell, ...], ...]
    head_rows: int
    context: tuple[str, ...] = ()
    line: int = 1

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.rows[0]) if self.rows else 0


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence outside of tables, with the headings above it."""

    text: str
    line: int
    start: int
    context: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TextDocument:
    """A document that was read: its name, its text, and what it claims."""

    name: str
    text: str
    tables: tuple[TextTable, ...]
    sentences: tuple[Sentence, ...] = ()


def line_starts(text: str) -> list[int]:
    """Return the offset of the first character of each line."""
    starts = [0]
    position = text.find("\n")
    while position >= 0:
        starts.append(position + 1)
        position = text.find("\n", position + 1)
    return starts


def rectangle(rows: Sequence[Sequence[TextCell]]) -> tuple[tuple[TextCell, ...], ...]:
    """Return the rows with empty cells added, so that all are equally long."""
    width = max(map(len, rows), default=0)
    return tuple(
        (*row, *(TextCell("", row[-1].line, row[-1].end, row[-1].end) for _ in range(width - len(row))))
        for row in rows
        if row
    )
