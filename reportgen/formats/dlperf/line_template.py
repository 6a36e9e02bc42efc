"""Write the pattern of a log line the way the line looks: `iter: {step:int}, {..}throughput: {rate}`.

Everything outside the braces is literal, but two spaces stand for any white space. The result is a compiled
pattern of bytes with named groups that admit well-formed numbers only, for `textlog`.
"""

import re

from reportgen.formats.parsing.text_log import COUNT, NUMBER, STAMP

_PART = re.compile(r"\{([a-z_]*|\.\.[0-9]*)(?::([a-z]+))?\}")
_KINDS = {
    "": NUMBER,
    "int": COUNT,
    "stamp": STAMP,
    "epoch": rb"[0-9]{9,11}\.[0-9]{1,9}",  # seconds since 1970
    "word": rb"[A-Za-z_]{1,40}",
}
_FAR = 400
_SPACES = rb"\s{1,20}"


def line_pattern(text: str, *, whole_line: bool = False) -> re.Pattern[bytes]:
    """Return the pattern of a template.

    {name}      a number; {name:int} a count, {name:stamp} date and time, {name:epoch} seconds since 1970,
                {name:word} letters; {:int} the same without a name
    {..}        whatever else stands in the line, up to 400 bytes; {..40} up to 40: several in one pattern
                multiply the time that a hostile line takes
    whole_line  whether the text begins with the line
    """
    pieces = _PART.split(text)
    pattern = b"^" if whole_line else b""
    for number in range(0, len(pieces), 3):
        pattern += _SPACES.join(re.escape(word).encode() for word in pieces[number].split("  "))
        if number + 2 < len(pieces):
            pattern += _group(pieces[number + 1], pieces[number + 2] or "")
    return re.compile(pattern, re.MULTILINE)


def _group(name: str, kind: str) -> bytes:
    if name.startswith(".."):
        return b"[^\\r\\n]{0,%d}?" % int(name[2:] or _FAR)
    return b"(?P<" + name.encode() + b">" + _KINDS[kind] + b")" if name else b"(?:" + _KINDS[kind] + b")"
