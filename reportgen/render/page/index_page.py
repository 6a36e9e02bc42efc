"""Write the index.html of the reports folder: a card for each report.

With it the folder can be published as it is.
"""

from collections.abc import Sequence
from urllib.parse import quote

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.document.model import Document
from reportgen.render.outputs import Output
from reportgen.render.page import page_style
from reportgen.render.page.page_templates import page_templates
from reportgen.render.page.report_cards import cards_of
from reportgen.render.text.english import count

# Two bars, as a link of its own, so that the page asks for no file.
_ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">'
    '<rect x="2" y="6" width="5" height="9" fill="#0b5cad"/>'
    '<rect x="9" y="1" width="5" height="14" fill="#b45f06"/></svg>'
)


def _index_page(reports: Sequence[Document]) -> bytes:
    """Return the page, reports by name."""
    context = {
        "cards": cards_of(reports),
        "description": f"{count(len(reports), 'benchmark report')}, built from the logs of this repository.",
        "icon": f"data:image/svg+xml,{quote(_ICON)}",
        "plain_style": page_style.plain_style(),
        "style_sheet": page_style.OUTPUT.path,
    }
    return page_templates().get_template("reports.html").render(context).encode("utf-8", "replace")


OUTPUT = Output(
    path="index.html",
    mark=lazy_pattern(rb'<meta name="generator" content="reportgen">'),
    of_reports=_index_page,
)
