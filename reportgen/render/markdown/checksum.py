"""Put a checksum at the end of a generated Markdown page, so that an edit by hand is noticed.

Without one, a build could not distinguish an edited page from one that is out of date.
"""

import hashlib
import re

from reportgen.core.lazy_pattern import lazy_pattern

_CHECKSUM = lazy_pattern(rb"\n<!-- reportgen checksum ([0-9a-f]{12}) -->\s*\Z")
# A merge leaves its marks around the checksums of both sides.
_REST = rb"(?:\s|<!-- reportgen checksum [0-9a-f]{12} -->|[<|=>]{7}[^\n]*)*\Z"


def with_checksum(page: str) -> bytes:
    """Return a page that ends in a line break, with its checksum."""
    content = page.encode("utf-8", "replace")
    return content + f"\n<!-- reportgen checksum {_checksum(content)} -->\n".encode()


def ends_with(footer: str) -> re.Pattern[bytes]:
    """Return a pattern for pages that end with a footer, and perhaps a checksum."""
    return re.compile(re.escape(footer).encode() + _REST)


def is_intact(content: bytes) -> bool:
    """Return whether the checksum, if there is one, matches the text and ends the page.

    A page without a checksum may be of any age.
    """
    content = content.replace(b"\r\n", b"\n")
    _, mark, after = content.rpartition(b"<!-- reportgen checksum ")
    if mark and not re.fullmatch(rb"[0-9a-f]{12} -->" + _REST, after):
        return False
    checksum = _CHECKSUM.search(content)
    return checksum is None or checksum[1].decode() == _checksum(content[: checksum.start()])


def _checksum(content: bytes) -> str:
    return hashlib.sha256(content.rstrip(b"\n")).hexdigest()[:12]
