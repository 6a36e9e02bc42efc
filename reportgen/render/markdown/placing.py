"""Decide what README.md has where: pieces of text, tables as they come together, and figures.

In: a document and its text with its blocks. Out: the page in order, with the form of each table. A table that
the page does not show whole has a page of its own (`apart`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

from reportgen.document.model import Document, Figure, Table
from reportgen.render.markdown.folding import Folding, Form
from reportgen.render.prose.template_functions import PageBlock

if TYPE_CHECKING:  # it loads jinja2
    from reportgen.render.prose.template import Prose

# A table with more rows than the first number shows as many as the second.
MAX_ROWS, ROWS_OF_LONG_TABLE = 30, 10

Drawn = Mapping[str, Sequence[Figure]]


@dataclass(frozen=True, slots=True, eq=False)
class PlacedTables:
    """Tables that come together: one, or all tables of an entry.

    forms     one for each table; figures  what is drawn beside a table, by its id
    is_entry  whether an entry of the definition makes them
    title     the heading above them, "" for none
    """

    tables: Sequence[Table]
    forms: Sequence[Form]
    figures: Drawn = field(default_factory=dict)
    is_entry: bool = False
    title: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class PlacedFigure:
    """A figure that is not beside its table."""

    figure: Figure
    is_open: bool


# A text is Markdown; a block is the environment, the findings or the expected speeds.
Placed = str | PageBlock | PlacedTables | PlacedFigure


def apart(report: Document, prose: "Prose") -> list[Table]:
    """Return the tables that README.md does not show whole, in the order of the document."""
    folding = Folding()
    placed = (*in_text(report, prose, prose.marked, folding), *after_text(report, prose, folding))
    ids = {
        table.id
        for each in placed
        if isinstance(each, PlacedTables)
        for table, form in zip(each.tables, each.forms, strict=True)
        if form == "linked" or is_long(table)
    }
    return [table for table in report.tables if table.id in ids]


def is_long(table: Table) -> bool:
    """Return whether README.md shows some rows of a table only."""
    return len(kept_rows(table)) < len(table.rows)


def kept_rows(table: Table) -> list[int]:
    """Return which rows of a table README.md shows: of a long one the first ones, and the means."""
    rows = enumerate(table.rows)
    most = len(table.rows) if len(table.rows) <= MAX_ROWS else ROWS_OF_LONG_TABLE
    return [i for i, row in rows if i < most or row.is_mean]


def in_text(report: Document, prose: "Prose", text: str, folding: Folding) -> Iterator[Placed]:
    """Yield the text and its blocks in order; the figures of a table that follow it are beside it.

    text  the prose as Markdown, its numbers shown as the page shows them, with its placeholders
    """
    tables = {table.id: table for table in report.tables}
    figures = {figure.id: figure for figure in report.figures}
    pieces = prose.pieces(text) if prose.text else []
    while pieces:
        piece = pieces.pop(0)
        if isinstance(piece, str):
            folding.read(piece)
            yield piece
        elif piece.kind == "table":
            table, beside = tables[piece.id], list[Figure]()
            while pieces and (figure := _figure_of(pieces[0], piece.id, figures)):
                beside.append(figure)
                pieces.pop(0)
            yield PlacedTables([table], [folding.of_table(table)], {table.id: beside})
        elif piece.kind == "tables":
            drawn: dict[str, list[Figure]] = {}
            for id in piece.figures:
                drawn.setdefault(figures[id].table, []).append(figures[id])
            yield _entry([tables[id] for id in piece.tables], drawn, folding)
        elif piece.kind == "figure":
            yield PlacedFigure(figures[piece.id], folding.of_figure(figures[piece.id]) == "open")
        else:
            yield piece


def after_text(report: Document, prose: "Prose", folding: Folding) -> Iterator[PlacedTables | PlacedFigure]:
    """Yield the tables that the text does not place, with their figures, and then the other figures."""
    loose, drawn = prose.left(report)
    for _, group in groupby(loose, key=lambda table: table.family):
        tables = list(group)
        folding.begin_section()
        title = tables[0].family_title if len(tables) > 1 else tables[0].title
        yield _entry(tables, drawn, folding, title)
    for figure in drawn.get("", ()):
        yield PlacedFigure(figure, folding.of_figure(figure) == "open")


def _entry(tables: Sequence[Table], drawn: Drawn, folding: Folding, title: str = "") -> PlacedTables:
    forms = [folding.of_table(table, len(tables)) for table in tables]
    return PlacedTables(tables, forms, drawn, is_entry=True, title=title)


def _figure_of(piece: str | PageBlock, table: str, figures: Mapping[str, Figure]) -> Figure | None:
    """Return the figure that a piece places, if it is one of that table."""
    if isinstance(piece, str) or piece.kind != "figure":
        return None
    figure = figures[piece.id]
    return figure if figure.table == table else None
