"""Make text from logs safe for pages, CSV, JSON and terminals: without control and direction characters.

A direction character (U+202E) shows digits in another order than a program reads them. Two texts may also
look the same: `as_seen` is what these have in common, and `spelled` shows in what they differ.
"""

import unicodedata

from reportgen.core.lazy_pattern import lazy_pattern

# The private-use characters are placeholders of `render.prose`.
_FORBIDDEN = lazy_pattern(
    "[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ue000\ue001\ufffe\uffff]"
)
_IN_JSON = lazy_pattern("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_SPACE = lazy_pattern(r"\s+")
# Signs that look like those of ASCII, though Unicode does not hold them to be the same.
_CYRILLIC = "АВЕЅІЈКМНОРСТУХԚԜҮаеѕіјорсухԛԝһԁү", "ABESIJKMHOPCTYXQWYaesijopcyxqwhdy"
_GREEK = "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧαινορυχ", "ABEZHIKMNOPTYXaivopux"
_OTHERS = "\u0131\u0261\u2010\u2012\u2013\u2014\u2212\u2018\u2019_", "ig-----'' "
_LIKE_ASCII = str.maketrans(*map("".join, zip(_CYRILLIC, _GREEK, _OTHERS, strict=True)))
_VARIATION = lazy_pattern("[\u034f\u115f\u1160\u3164\ufe00-\ufe0f]")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def one_line(text: str) -> str:
    """Return the text with white space as single spaces, and control and direction characters replaced."""
    # Most texts are lines already; the only white space that can be printed is the space.
    if text.isprintable() and "  " not in text:
        return text.strip()
    return _FORBIDDEN.sub("\ufffd", _SPACE.sub(" ", text)).strip()


def as_seen(text: str) -> str:
    """Return a text as a reader compares it: without case, underscores and what is invisible.

    Letters of other alphabets that look like Latin ones become these.
    """
    return " ".join(_visible(text).split()).casefold()


def _visible(text: str) -> str:
    """Return what can be seen of a text, with signs of ASCII for those that look like them."""
    like = unicodedata.normalize("NFKC", _VARIATION.sub("", text)).translate(_LIKE_ASCII)
    return "".join(letter for letter in like if unicodedata.category(letter) != "Cf")


def spelled(text: str) -> str:
    """Return a text with code points for what looks like nothing, or like a sign of ASCII: "A(U+00A0)B"."""
    pairs = zip(f"x{text}", text, strict=False)
    return "".join(
        f"(U+{ord(letter):04X})" if before == letter == " " or _is_deceptive(letter) else letter
        for before, letter in pairs
    )


def _is_deceptive(letter: str) -> bool:
    """Return whether a sign is not what it looks like: each in ASCII is, if it can be printed."""
    return not letter.isprintable() if letter.isascii() else _visible(letter).isascii()


def spreadsheet(text: str) -> str:
    """Return the text on one line, after an apostrophe if a spreadsheet would read it as a formula."""
    shown = one_line(text)
    return f"'{shown}" if text.startswith(_FORMULA) or shown.startswith(_FORMULA) else shown


def printable_json(document: str) -> str:
    """Return a JSON document with the control and direction characters in its strings as `\\uXXXX`."""
    if document.isascii() and "\x7f" not in document:
        return document
    return _IN_JSON.sub(lambda character: f"\\u{ord(character[0]):04x}", document)
