"""Encode data for the scripts of a page: JSON that is safe inside a script element or an attribute."""

import msgspec

from reportgen.core.plain_text import printable_json


def encoded(value: object) -> str:
    """Return a value as JSON on one line, without `<` and characters that change the reading order."""
    text = msgspec.json.encode(value).decode("utf-8", "replace")
    return printable_json(text).replace("<", "\\u003c")


def in_attribute(value: object) -> str:
    """Return a value as JSON on one line, safe between single quotes in an attribute of an element."""
    return encoded(value).replace("&", "\\u0026").replace("'", "\\u0027")
