"""Make text from logs safe for pages, CSV, JSON and terminals: without control and direction characters.

A direction character (U+202E) shows digits in another order than a program reads them.
"""

import re

# The private-use characters are placeholders of `render.prose`.
_FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ue000\ue001\ufffe\uffff]")
_IN_JSON = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_SPACE = re.compile(r"\s+")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def one_line(text: str) -> str:
    """Return the text with white space as single spaces, and control and direction characters replaced."""
    return _FORBIDDEN.sub("\ufffd", _SPACE.sub(" ", text)).strip()


def spreadsheet(text: str) -> str:
    """Return the text on one line, after an apostrophe if a spreadsheet would read it as a formula."""
    shown = one_line(text)
    return f"'{shown}" if text.startswith(_FORMULA) or shown.startswith(_FORMULA) else shown


def printable_json(document: str) -> str:
    """Return a JSON document with the control and direction characters in its strings as `\\uXXXX`."""
    if document.isascii() and "\x7f" not in document:
        return document
    return _IN_JSON.sub(lambda character: f"\\u{ord(character[0]):04x}", document)
