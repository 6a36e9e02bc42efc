"""The templates of the HTML pages, with the filters that they share."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.plain_text import one_line
from reportgen.render.grid import evidence
from reportgen.render.text import escape

if TYPE_CHECKING:
    from jinja2 import Environment

_TEMPLATES = Path(__file__).with_name("templates")


@cache
def page_templates() -> "Environment":
    """Return the templates of the pages, which escape all texts."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["line"] = one_line
    environment.filters["breakable"] = _breakable
    environment.filters["sentence"] = sentence_html
    environment.filters["safe_href"] = escape.href
    environment.filters["messages"] = evidence.messages
    return environment


# A longer word would leave no room for the numbers beside it.
_LONG = lazy_pattern(r"[^\s]{21}")
_BREAK = lazy_pattern(r"(?<=[_/-])(?=[^\s])")


def _breakable(text: str) -> Markup:
    """Return a name as HTML in which a long word may be broken after `_`, `/` and `-`."""
    line = one_line(text)
    return Markup("<wbr>").join(_BREAK.split(line)) if _LONG.search(line) else Markup.escape(line)


def sentence_html(text: str) -> Markup:
    """Return a message as HTML, text between backticks as code."""
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if is_code else part for part, is_code in escape.spans(text)
    )
