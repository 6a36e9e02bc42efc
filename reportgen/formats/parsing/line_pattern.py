"""Write the pattern of a log line the way the line looks: `iter: {step:int}, {..}throughput: {rate}`.

`line_pattern` takes literal text, in which two spaces stand for any white space; `regex` takes a regular
expression. Both fill in the same placeholders. The result is a compiled pattern of bytes for
`TextLog.records`, whose groups match well-formed numbers only.
"""

import re

from reportgen.formats.parsing.text_log import COUNT, NUMBER, STAMP

_PLACEHOLDER = re.compile(r"\{([A-Za-z_]*|\.\.[0-9]*)(?::([a-z]+))?\}")
_KINDS = {
    "": NUMBER,
    "int": COUNT,
    "positive": rb"[1-9][0-9]{0,14}",
    "commas": rb"[0-9]{1,3}(?:,?[0-9]{3}){0,6}(?:\.[0-9]{1,9})?(?!,?[0-9])",  # 1,024.5
    "loss": NUMBER + rb"|-?nan|-?inf",
    "stamp": STAMP,
    "epoch": rb"[0-9]{9,11}\.[0-9]{1,9}",  # seconds since 1970
    "word": rb"[A-Za-z_]{1,40}",
}
_MAX_SKIPPED_BYTES = 400
_SPACES = rb"\s{1,20}"


def line_pattern(text: str, *, whole_line: bool = False) -> re.Pattern[bytes]:
    """Return the pattern of a template.

    {name}      a number; {name:int} a count, {name:positive} one above 0, {name:commas} with commas between
                thousands, {name:loss} or nan, {name:stamp} date and time, {name:epoch} seconds since 1970,
                {name:word} letters; {:int} the same without a name
    {..}        anything else in the line, up to 400 bytes; {..40} up to 40: several in one pattern
                multiply the time that a hostile line takes
    whole_line  whether the text begins with the line
    """
    pieces = _PLACEHOLDER.split(text)
    words = (_SPACES.join(re.escape(word).encode() for word in piece.split("  ")) for piece in pieces[::3])
    return re.compile(b"^" * whole_line + _filled(list(words), pieces), re.MULTILINE)


def longest_literal(text: str) -> bytes:
    """Return the longest text of a template that every line in its form contains."""
    return max(
        (word for piece in _PLACEHOLDER.split(text)[::3] for word in piece.split("  ")), key=len
    ).encode()


def regex(text: str) -> re.Pattern[bytes]:
    """Return a regular expression with placeholders as in `line_pattern`; ^ and $ are the ends of a line."""
    pieces = _PLACEHOLDER.split(text)
    return re.compile(_filled([piece.encode() for piece in pieces[::3]], pieces), re.MULTILINE)


def _filled(words: list[bytes], pieces: list[str]) -> bytes:
    groups = [_group(name, kind or "") for name, kind in zip(pieces[1::3], pieces[2::3], strict=True)]
    return b"".join(word + group for word, group in zip(words, [*groups, b""], strict=True))


def _group(name: str, kind: str) -> bytes:
    if name.startswith(".."):
        return b"[^\\r\\n]{0,%d}?" % int(name[2:] or _MAX_SKIPPED_BYTES)
    return b"(?P<" + name.encode() + b">" + _KINDS[kind] + b")" if name else b"(?:" + _KINDS[kind] + b")"
