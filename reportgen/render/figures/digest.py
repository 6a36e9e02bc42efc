"""Stamp a figure with two digests, tell whether a committed figure still holds, and put it inline.

Another version of matplotlib draws the same figure with other bytes, so figures cannot be compared
byte by byte. The stamp is a comment with the digest of what is shown (data, specification, version
of the drawing code) and the digest of the file's own bytes: a file is up to date if the first is
today's and the second fits. Whoever edits a figure by hand makes the second one fail.
"""

import hashlib
import re

_STAMP = re.compile(rb"<!-- reportgen content=([0-9a-f]{64}) bytes=([0-9a-f]{64}) -->\n")
_NO_DIGEST = b"0" * 64
_PROLOGUE = re.compile(r"^.*?(?=<svg\b)", re.DOTALL)
# A style inside a page would be the page's style, so the sheet says what it says for all figures.
_OUTSIDE_ONLY = re.compile(
    r"\s*<metadata>.*?</metadata>|\s*<!--.*?-->|\s*<title>.*?</title>|\s*<defs>\s*<style.*?</style>\s*</defs>",
    re.DOTALL,
)
_ID = re.compile(r'\bid="|\bhref="#|url\(#')


def stamped(svg: bytes, content: str) -> bytes:
    """Return the figure with a stamp before its first element.

    content  digest of what the figure shows, 64 hexadecimal digits
    """
    head, element, rest = svg.partition(b"<svg")
    blank = head + _stamp(content.encode(), _NO_DIGEST) + element + rest
    return head + _stamp(content.encode(), _digest(blank)) + element + rest


def is_intact(svg: bytes) -> bool:
    """Return whether the file carries exactly one stamp and its own digest fits."""
    stamps = list(_STAMP.finditer(svg))
    if len(stamps) != 1:
        return False
    content, own = stamps[0].groups()
    blank = svg[: stamps[0].start()] + _stamp(content, _NO_DIGEST) + svg[stamps[0].end() :]
    return own == _digest(blank)


def shows_the_same(old: bytes, new: bytes) -> bool:
    """Return whether `old` is intact and shows what `new` shows, drawn by whichever matplotlib."""
    today = _STAMP.search(new)
    return old == new or bool(today and shows(old, today[1].decode()))


def shows(svg: bytes, content: str) -> bool:
    """Return whether the file is intact and shows the content of that digest."""
    stamp = _STAMP.search(svg)
    return bool(stamp and stamp[1] == content.encode()) and is_intact(svg)


def inline(svg: bytes, *, prefix: str, alt: str) -> str:
    """Return the `<svg>` element to stand inside a page.

    prefix  put before each id, so that several figures fit on one page
    alt     HTML-escaped text for those who do not see the figure
    """
    element = _OUTSIDE_ONLY.sub("", _PROLOGUE.sub("", svg.decode(), count=1))
    element = _ID.sub(lambda match: f"{match.group()}{prefix}", element)
    return element.replace("<svg ", f'<svg role="img" aria-label="{alt}" ', 1).strip()


def _stamp(content: bytes, own: bytes) -> bytes:
    return b"<!-- reportgen content=%s bytes=%s -->\n" % (content, own)


def _digest(svg: bytes) -> bytes:
    return hashlib.sha256(svg).hexdigest().encode()
