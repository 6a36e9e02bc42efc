"""Find the line of a TOML file that says something: the parser knows values, but not where they stood."""

import re


def line_of(text: str, key: str) -> int:
    """Return the first line that begins with the key, else the first that contains it, else 0."""
    whole = rf"{re.escape(key)}(?!\w)"
    found = key and (
        re.search(rf"^\s*(?:\[+\s*)?[\"']?{whole}", text, re.MULTILINE) or re.search(rf"(?<!\w){whole}", text)
    )
    return text.count("\n", 0, found.end()) + 1 if found else 0
