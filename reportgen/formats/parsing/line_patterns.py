"""Write the pattern of a log line the way the line looks: `iter: {step:int}, {..}throughput: {rate}`.

`line_pattern` takes literal text, in which two spaces stand for any white space and a leading ^ for the start
of a line; `regex` takes a regular expression, in which ^ and $ are the ends of a line. Both have the same
placeholders, and return a compiled pattern of bytes whose groups match well-formed numbers only:

    {name}          a number
    {name:int}      a count; {name:positive} one above 0, {name:commas} with commas between thousands
    {name:loss}     a number, nan or inf
    {name:stamp}    date and time; {name:epoch} seconds since 1970
    {name:word}     letters
    {:int}          the same without a name
    {..}            anything else in the line, up to 400 bytes; {..40} up to 40: several in one pattern
                    multiply the time that a hostile line takes
"""

import re

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.parsing.text_log import COUNT, NUMBER, STAMP

_PLACEHOLDER = lazy_pattern(r"(\{(?:[A-Za-z_]*|\.\.[0-9]*)(?::[a-z]+)?\})")
_KINDS = {
    "": NUMBER.decode(),
    "int": COUNT.decode(),
    "positive": r"[1-9][0-9]{0,14}",
    "commas": r"[0-9]{1,3}(?:,?[0-9]{3}){0,6}(?:\.[0-9]{1,9})?(?!,?[0-9])",  # 1,024.5
    "loss": NUMBER.decode() + "|-?nan|-?inf",
    "stamp": STAMP.decode(),
    "epoch": r"[0-9]{9,11}\.[0-9]{1,9}",
    "word": r"[A-Za-z_]{1,40}",
}
_MAX_SKIPPED_BYTES = 400


def line_pattern(text: str) -> re.Pattern[bytes]:
    """Return the pattern of a template."""
    begin = "^" if text.startswith("^") else ""
    pieces = _PLACEHOLDER.split(text.removeprefix("^"))
    pieces[::2] = [r"\s{1,20}".join(map(re.escape, piece.split("  "))) for piece in pieces[::2]]
    return regex(begin + "".join(pieces))


def longest_literal(text: str) -> bytes:
    """Return the longest text of a template that every line in its form contains."""
    pieces = _PLACEHOLDER.split(text.removeprefix("^"))
    return max((word for piece in pieces[::2] for word in piece.split("  ")), key=len).encode()


def regex(text: str) -> re.Pattern[bytes]:
    """Return the pattern of a regular expression with placeholders."""
    return lazy_pattern(_PLACEHOLDER.sub(_group, text).encode(), re.MULTILINE)


def _group(placeholder: re.Match[str]) -> str:
    name, _, kind = placeholder[0][1:-1].partition(":")
    if name.startswith(".."):
        return rf"[^\r\n]{{0,{name[2:] or _MAX_SKIPPED_BYTES}}}?"
    return f"(?P<{name}>{_KINDS[kind]})" if name else f"(?:{_KINDS[kind]})"
