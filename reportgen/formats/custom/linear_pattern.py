"""Run the pattern of a custom format with google-re2, whose time is linear in the log for every pattern.

A pattern sees one line at a time and matches once per line: a search that continued within the line would be
quadratic again. Lines end at line feeds and at carriage returns, as progress bars write them.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Protocol, cast

_GROUP = re.compile(r"\(\?P?<(\w+)>")
_ANY_BYTE = re.compile(r"(?<!\\)(?:\\\\)*\\C")
_MAX_PATTERN_CHARS = 4000
_NOT_ASCII = bytes(range(128)) + b"?" * 128


class LinearPattern(Protocol):
    """What is used of a pattern that google-re2 compiled; the package has no types."""

    groupindex: Mapping[bytes, int]

    def finditer(self, text: bytes) -> Iterator[re.Match[bytes]]:
        """Yield matches from left to right."""


def searchable(content: bytes) -> bytes:
    """Return a text of the same length in which every line ends with a line feed and all is UTF-8.

    In a text that is not UTF-8 each byte beyond ASCII becomes "?".
    """
    text = content.replace(b"\r", b"\n") if b"\r" in content else content
    try:
        text.decode()
    except UnicodeDecodeError:
        return text.translate(_NOT_ASCII)
    return text


def matches(pattern: str, text: bytes) -> Iterator[re.Match[bytes]]:
    """Yield the first match in each line of a `searchable` text, with the rest of the line."""
    return (match for match in whole_line(pattern).finditer(text) if match.end() > match.start())


def group_names(pattern: str) -> tuple[str, ...]:
    """Return the named groups of a pattern, from left to right."""
    index = whole_line(pattern).groupindex
    return tuple(name.decode() for name in sorted(index, key=lambda name: index[name]))


@lru_cache(maxsize=64)
def whole_line(pattern: str) -> LinearPattern:
    """Return the pattern followed by the rest of the line, so that no line is searched twice."""
    return _compile("(?m)(?:" + pattern + r")[^\n]*")


def fault(pattern: str) -> str:
    """Return what is wrong with the syntax of a pattern, "" if nothing is."""
    import re2

    if len(pattern) > _MAX_PATTERN_CHARS:
        return f"has more than {_MAX_PATTERN_CHARS} characters"
    if _ANY_BYTE.search(pattern):
        return r"\C would match the end of a line"
    try:
        _compile(pattern)
        whole_line(pattern)
    except re2.error as error:
        reason = error.args[0] if error.args else b""
        return reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
    except UnicodeEncodeError:
        return "is not text"
    repeated = [name for name, count in Counter(_GROUP.findall(pattern)).items() if count > 1]
    return f'has the group "{repeated[0]}" twice' if repeated else ""


def _compile(pattern: str) -> LinearPattern:
    import re2  # here, since hardly any log needs it

    options = re2.Options()
    options.log_errors = False
    options.never_nl = True
    return cast(LinearPattern, re2.compile(pattern.encode(), options))
