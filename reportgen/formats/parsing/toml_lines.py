"""Find the line of a key or text in a TOML file: the parser gives values without their places."""

import re

from reportgen.core.lazy_pattern import lazy_pattern

# What precedes a key in its line: a header, a quote. A window of characters keeps long lines linear.
_BEGIN = lazy_pattern(r"\s*(?:\[+\s*)?[\"']?")
_WINDOW = 100


def line_of(text: str, key: str) -> int:
    """Return the first line that begins with the key, else the first that contains it, else 0."""
    first = -1
    for match in re.finditer(rf"{re.escape(key)}(?!\w)", text) if key else ():
        start = match.start()
        line = text.rfind("\n", max(0, start - _WINDOW), start) + 1
        if (line or start < _WINDOW) and _BEGIN.fullmatch(text, line, start):
            return text.count("\n", 0, match.end()) + 1
        if first < 0 and not re.match(r"\w", text[max(0, start - 1) : start]):
            first = match.end()
    return text.count("\n", 0, first) + 1 if first >= 0 else 0
