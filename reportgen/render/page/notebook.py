"""The HTML that a notebook shows: a list of texts, a table, a figure, a report.

The HTML is a fragment without script, style and links to other files. The templates of the pages escape all
texts, so nothing from a log can become active.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import islice

from markupsafe import Markup

from reportgen.document.model import Document, Figure, Table
from reportgen.render.figures import digest
from reportgen.render.figures.colours import ON_A_PAGE
from reportgen.render.figures.svg import drawing
from reportgen.render.grid.best_cells import find_best
from reportgen.render.grid.grid import lay_out
from reportgen.render.grid.summary import alt_text
from reportgen.render.page.html import TableView
from reportgen.render.page.page_templates import page_templates
from reportgen.render.prose.template import fill_headline

# A notebook has no style sheet that could change them.
_COLOURS = {colour: colour for colour in ON_A_PAGE}
# A list shows this many rows; the others are counted.
_MAX_ROWS = 60


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of texts: a title, sentences, and rows below heads.

    hidden  the number of rows that are left out
    """

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    sentences: Sequence[str] = ()
    hidden: int = 0


def listing_html(
    title: str, heads: Sequence[str], rows: Iterable[Sequence[str]], count: int, sentences: Sequence[str] = ()
) -> str:
    """Return a list of texts as HTML; of many rows the first ones. count: the number of all rows."""
    first = list(islice(rows, _MAX_ROWS))
    return _macro("listing", Listing(title, heads, first, sentences, count - len(first)))


def table_html(document: Document, table: Table) -> str:
    """Return a table as on the page of a report, without links to evidence."""
    grid, best = lay_out(document, table), find_best(document, table)
    shown = TableView(
        grid=grid,
        title=table.title,
        anchor=f"table-{table.id}",
        csv="",
        steps="",
        cases=[[None for _ in cells] for _, cells in grid.rows],
        best=best.cells,
        caption=(*grid.caption, *([best.text] if best.text else [])),
        terms=(),
        values={},
    )
    return str(getattr(page_templates().get_template("blocks.html").module, "table")(shown, False))  # noqa: B009


def figure_svg(figure: Figure) -> bytes:
    """Return a figure as an SVG file."""
    with drawing.settings():
        return drawing.figure_svg(figure)


def figure_html(figure: Figure) -> str:
    """Return a figure as an SVG element with its description."""
    svg = figure_svg(figure)
    return digest.inline(svg, prefix=f"{figure.id}-", alt=escape(alt_text(figure)), by_colour=_COLOURS)


def report_html(document: Document) -> str:
    """Return the headline, the tables and the figures of a report."""
    shown = {
        "title": document.title,
        "sentences": [text for text in (fill_headline(document).text, *document.verdict) if text],
        "blocks": [
            Markup("<h2>{}</h2>\n{}").format(each.title, Markup(html))
            for parts in (
                [(table, table_html(document, table)) for table in document.tables],
                [(figure, figure_html(figure)) for figure in document.figures],
            )
            for each, html in parts
        ],
    }
    return _macro("report", shown)


def _macro(name: str, shown: object) -> str:
    return str(getattr(page_templates().get_template("notebook.html").module, name)(shown))
