"""Write assets/page.css: the style of all pages.

`plain.css` is inside each page: colours of figures and the width of the text, so that a page without the
folder assets is readable.
"""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from markupsafe import Markup

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.document.model import Document
from reportgen.render.outputs import Output

_TEMPLATES = Path(__file__).with_name("templates")
_BEGIN = "/* The style of the pages of reportgen."
_HEAD = f"{_BEGIN} `reportgen build` writes it: change templates/style.css, not this file. */\n"


@cache
def page_style() -> Markup:
    """Return the style sheet of all pages."""
    return Markup(_HEAD + (_TEMPLATES / "style.css").read_text("utf-8"))


@cache
def plain_style() -> Markup:
    """Return the style inside each page."""
    return Markup((_TEMPLATES / "plain.css").read_text("utf-8"))


def _page_css(_reports: Sequence[Document]) -> bytes:
    return page_style().encode()


# Not inside standalone: the index of reports loads it there, too.
OUTPUT = Output(
    path="assets/page.css", mark=lazy_pattern(rb"\A" + re.escape(_BEGIN.encode())), of_reports=_page_css
)
