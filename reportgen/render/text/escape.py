"""Escape text from logs and definitions for Markdown and links.

Everything on a page comes from a stranger's log or a definition. The template engine escapes HTML; this
module escapes the rest. `one_line` comes first everywhere, because a line break would end a table cell.
"""

import html
import re

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.plain_text import one_line

# GFM ignores an underscore inside a word, so `resnet50_v1.5` stays readable in the source.
_MARKUP = lazy_pattern(r"[\\`*\[\]|~$]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_CODE = lazy_pattern(r"`([^`]+)`")
_ENTITY = lazy_pattern(r"&(?=#|[A-Za-z][A-Za-z0-9]*;)")
_LIST_OR_HEADING = lazy_pattern(r"^(?:[#+=-]|\d+(?=[.)]))")
_SCHEME = lazy_pattern(r"[^/?#]*?:")
_SCHEMES = {"http:", "https:", "mailto:"}


def markdown(text: str) -> str:
    """Return the text so that GitHub shows it literally, in a table cell or a sentence."""
    return _escaped(one_line(text))


def _escaped(line: str) -> str:
    shown = _ENTITY.sub("&amp;", line)
    shown = _MARKUP.sub(lambda match: "\\" + match.group(), shown)
    return shown.replace("<", "&lt;").replace(">", "&gt;")


def paragraph(text: str) -> str:
    """Return the text as `markdown` does, safe also at the beginning of a line."""
    return _begun(markdown(text))


def _begun(shown: str) -> str:
    begin = _LIST_OR_HEADING.match(shown)
    if not begin:
        return shown
    number = begin.group()
    return f"{number}\\{shown[len(number) :]}" if number.isdigit() else f"\\{shown}"


def statement(text: str) -> str:
    """Return the text as `sentence` does, safe also at the beginning of a line."""
    return _begun(sentence(text))


def sentence(text: str) -> str:
    """Return the text as `markdown` does, but with text between backticks as code."""
    return "".join(code(part) if is_code else _escaped(part) for part, is_code in spans(text))


def spans(text: str) -> list[tuple[str, bool]]:
    """Return the pieces of the text on one line, and whether each was between backticks."""
    return [(part, i % 2 == 1) for i, part in enumerate(_CODE.split(one_line(text)))]


def code(text: str, *, in_table: bool = False) -> str:
    """Return the text as a code span with enough backticks."""
    shown = one_line(text)
    if in_table:
        shown = shown.replace("|", "\\|")
    if "`" not in shown:
        return f"`{shown}`" if shown else ""
    fence = "`" * (max(len(run) for run in re.findall(r"`+", shown)) + 1)
    return f"{fence} {shown} {fence}"


def href(target: str) -> str:
    """Return the target of a link if it is http(s), mailto or relative, else "".

    Entities are resolved first, because a browser resolves them, and resolved again (`&amp;#58;`), because
    the page may pass through Markdown and HTML.
    """
    while (resolved := html.unescape(target)) != target:
        target = resolved
    target = target.strip().replace(" ", "%20")
    if not target or one_line(target) != target or target.startswith("//") or set(target) & set('\\<>"`'):
        return ""
    scheme = _SCHEME.match(target)
    return "" if scheme and scheme.group().lower() not in _SCHEMES else target


def link(text: str, target: str) -> str:
    """Return a Markdown link, or only the escaped text if `href` does not allow the target."""
    safe = href(target)
    if not safe:
        return markdown(text)
    for character, escaped in (("(", "%28"), (")", "%29"), ("|", "%7C")):
        safe = safe.replace(character, escaped)
    return f"[{markdown(text)}]({safe})"
