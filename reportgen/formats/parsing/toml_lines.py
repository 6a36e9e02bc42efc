"""Find the line of a key or text in a TOML file: the parser gives values without their places."""

import re


def line_of(text: str, key: str) -> int:
    """Return the first line that begins with the key, else the first that contains it, else 0."""
    whole = rf"{re.escape(key)}(?!\w)"
    match = key and (
        re.search(rf"^\s*(?:\[+\s*)?[\"']?{whole}", text, re.MULTILINE) or re.search(rf"(?<!\w){whole}", text)
    )
    return text.count("\n", 0, match.end()) + 1 if match else 0
