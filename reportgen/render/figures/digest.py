"""Stamp figures with two digests, recognise those that need not be replaced, and put them into a page.

The stamp is a comment with the digest of what is shown (data, specification, version of the drawing code)
and the digest of the file's own bytes. A figure that was edited by hand fails the second one. Both can be
computed again, so a stamp alone proves nothing: a committed figure is up to date only if it also draws what
is drawn today, see `shapes`.
"""

import hashlib
import re
from collections.abc import Mapping

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.render.figures.shapes import is_same_drawing
from reportgen.render.figures.svg.style import recoloured

_STAMP = lazy_pattern(rb"<!-- reportgen content=([0-9a-f]{64}) bytes=([0-9a-f]{64}) -->\n")
_NO_DIGEST = b"0" * 64
_PROLOGUE = lazy_pattern(r"^.*?(?=<svg\b)", re.DOTALL)
# A style sheet inside a page would apply to the whole page; style.css contains it.
_OUTSIDE_ONLY = lazy_pattern(
    r"\s*<metadata>.*?</metadata>|\s*<!--.*?-->|\s*<title>.*?</title>|\s*<defs>\s*<style.*?</style>\s*</defs>",
    re.DOTALL,
)
_TAG = lazy_pattern(r"<[^<>]+>")
_ID = lazy_pattern(r'\bid="|\bhref="#|url\(#')


def stamped(svg: bytes, content: str) -> bytes:
    """Return the figure with a stamp before its first element.

    content  digest of what the figure shows, 64 hexadecimal digits
    """
    head, element, rest = svg.partition(b"<svg")
    blank = head + _stamp(content.encode(), _NO_DIGEST) + element + rest
    return head + _stamp(content.encode(), _digest(blank)) + element + rest


def is_intact(svg: bytes) -> bool:
    """Return whether the file has exactly one stamp and the digest of its bytes matches."""
    stamps = list(_STAMP.finditer(svg))
    if len(stamps) != 1:
        return False
    content, own = stamps[0].groups()
    blank = svg[: stamps[0].start()] + _stamp(content, _NO_DIGEST) + svg[stamps[0].end() :]
    return own == _digest(blank)


def is_up_to_date(old: bytes, new: bytes) -> bool:
    """Return whether `old` shows and draws what `new` does, whichever version of matplotlib wrote it."""
    return old == new or (
        is_intact(old)
        and _content(old) == _content(new)
        and _prologue(old) == _prologue(new)
        and is_same_drawing(old, new)
    )


def _content(svg: bytes) -> bytes:
    stamp = _STAMP.search(svg)
    return stamp[1] if stamp else b""


def _prologue(svg: bytes) -> bytes:
    return _STAMP.sub(b"", svg.partition(b"<svg")[0])


def inline(svg: bytes, *, prefix: str, alt: str, by_colour: Mapping[str, str]) -> str:
    """Return the `<svg>` element for a page.

    prefix     put before each id, so that several figures fit on one page
    alt        HTML-escaped alternative text
    by_colour  the page's colours for those of the figure
    """
    element = recoloured(_OUTSIDE_ONLY.sub("", _PROLOGUE.sub("", svg.decode(), count=1)), by_colour)
    # In tags only: a name in the figure may read like an attribute.
    # On one line, so that a changed number changes one line of the page; the file has a line for each mark.
    element = " ".join(line.strip() for line in element.splitlines())
    element = _TAG.sub(lambda tag: _ID.sub(lambda match: f"{match.group()}{prefix}", tag.group()), element)
    return element.replace("<svg ", f'<svg role="img" aria-label="{alt}" ', 1).strip()


def _stamp(content: bytes, own: bytes) -> bytes:
    return b"<!-- reportgen content=%s bytes=%s -->\n" % (content, own)


def _digest(svg: bytes) -> bytes:
    return hashlib.sha256(svg).hexdigest().encode()
