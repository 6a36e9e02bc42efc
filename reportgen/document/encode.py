"""Write a Document as report.json, and read it.

Fields are in the order of their class, numbers have 12 significant digits, and fields with their default
value are left out. What fits on a line is on one line, so a diff shows what changed and not much else. A
Document that was read equals the one that was written, so a page that is made from a file is the page that
was made with it.
"""

import math
import re
from collections.abc import Sequence
from typing import Any

import msgspec

from reportgen.core import units
from reportgen.core.errors import RequestError
from reportgen.core.plain_text import printable_json
from reportgen.document.model import VERSION, Document
from reportgen.document.older import OLDEST, upgraded

# Longest line of an object: a case with its measurements and findings is one, so a new run changes a line for
# each of its measurements. Longest line of a list of lists: each row has its line.
_LINE, _LINE_OF_ROWS = 2000, 480
# The library writes integers of 64 bits.
_MAX_INTEGER = 2**63 - 1
_ENCODER = msgspec.json.Encoder()


def canonical(document: Document) -> Document:
    """Return the document as it is after writing and reading: numbers of 12 digits, printable texts.

    Raises msgspec.ValidationError for an integer of more than 64 bits in a field that has no texts.
    """
    return msgspec.convert(_canonical(msgspec.to_builtins(document)), Document)


def encode(document: Document) -> bytes:
    """Return report.json: UTF-8, a line break at the end. The document must be canonical."""
    return encode_value(document)


def encode_value(value: Any) -> bytes:
    """Return a document or a part of it as JSON, in the form of report.json."""
    text = msgspec.json.format(_ENCODER.encode(value), indent=1).decode()
    return printable_json(_joined(text)).encode() + b"\n"


def is_document(raw: object) -> bool:
    """Return whether decoded JSON is a report.json, of any version and however broken."""
    return isinstance(raw, dict) and {"version", "tables", "cases"} <= raw.keys()


def decode(content: bytes, place: str) -> Document:
    """Return what a report.json says. Raises RequestError if it is not one, or has an unknown version.

    place  of the file, for the message
    """
    try:
        version = _version_of(content)
        if version == VERSION:
            return msgspec.json.decode(content, type=Document)
        if not isinstance(version, int) or isinstance(version, bool):
            raise RequestError(place, 'is not a report.json: no "version"', _REMEDY)
        if version > VERSION:
            raise RequestError(place, f"has version {version}, not {VERSION}", "update reportgen")
        if version < OLDEST:
            raise RequestError(place, f"has version {version}, older than {OLDEST}", "run: reportgen build")
        return msgspec.convert(_upgraded(msgspec.json.decode(content), place), Document)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        if b"\n<<<<<<< " in content:
            fact = "has conflicts of a merge"
            raise RequestError(place, fact, "merge logs and definitions, then run: reportgen build") from None
        raise RequestError(place, f"is not a report.json: {error}", _REMEDY) from None


class _Versioned(msgspec.Struct):
    """The version of any JSON object that has one."""

    version: Any = None


def _version_of(content: bytes) -> object:
    """Return the version that a file states, None if it states none. Raises DecodeError if it is not JSON."""
    try:
        return msgspec.json.decode(content, type=_Versioned).version
    except msgspec.ValidationError:
        return None


def _upgraded(raw: dict[str, Any], place: str) -> dict[str, Any]:
    try:
        return upgraded(raw)
    except (AttributeError, KeyError, TypeError) as error:
        fact = f"is not a report.json of version {raw['version']}: {error!r}"
        raise RequestError(place, fact, _REMEDY) from None


_REMEDY = "compare it with `reportgen schema`, or run: reportgen build"


class _Listing(msgspec.Struct):
    """The list of generated files in a report.json of any version."""

    generated: list[str] = []


# Every report.json has a line that begins like this.
MARK = re.compile(rb'^ ?"generated": \[', re.MULTILINE)


def generated_files(content: bytes) -> Sequence[str]:
    """Return the list of generated files in a report.json; empty if it cannot be read."""
    try:
        return msgspec.json.decode(content, type=_Listing).generated
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return []


def _canonical(value: Any) -> Any:
    """Return a value of JSON: 12 significant digits, null for NaN and infinities, no lone surrogates."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_canonical(name): _canonical(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return list(map(_canonical, value))
    if isinstance(value, float):
        return float(units.machine(value)) if math.isfinite(value) else None
    return str(value) if isinstance(value, int) and abs(value) > _MAX_INTEGER else value


def _joined(text: str) -> str:
    """Return indented JSON with every list and object that fits on a line on one line."""
    done: list[str] = []
    open_at: list[int] = []
    for line in text.split("\n"):
        content = line.lstrip(" ")
        if content in ("]", "}", "],", "},") and open_at:
            begin = open_at.pop()
            parts = [done[begin], *(each.lstrip(" ") for each in done[begin + 1 :]), content]
            length = sum(map(len, parts)) + len(parts)
            has_rows = parts[0].endswith("[") and parts[1].startswith("[")
            longest = _LINE_OF_ROWS if has_rows else _LINE
            if length <= longest and not any(each.endswith(("[", "{")) for each in parts[1:]):
                done[begin:] = [parts[0] + " ".join(parts[1:-1]) + content]
                continue
        elif content.endswith(("[", "{")):
            open_at.append(len(done))
        done.append(line)
    return "\n".join(done)
