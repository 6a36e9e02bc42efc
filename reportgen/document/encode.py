"""Write a Document as report.json, and read it.

Fields are in the order of their class, numbers have 12 significant digits, and fields with their default
value are left out. A figure, a small table, a row of others, a case and a comparison are a line. Cases of the
same few runs share one, and so do comparisons with baselines of the same runs, because they change together:
a new number changes few lines. A Document that was read equals the one that was written, so a page that is
made from a file is the page that was made with it.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from reportgen.core import units
from reportgen.core.errors import RequestError
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.plain_text import printable_json
from reportgen.document.model import VERSION, Case, Document, Table, Value
from reportgen.document.older import OLDEST, upgraded

T = TypeVar("T", bound=msgspec.Struct)

# What a line holds at most: cells of a table, runs of a case, runs of cases that share it, cases. With a
# limit of characters, a table or a case would be many lines as soon as a number of it is longer.
_CELLS, _RUNS, _SHARED_RUNS, _PARTS = 64, 16, 3, 16
# Longest line of another value.
_LINE = 4000
# So many sources are longer than a line.
_MANY_SOURCES = 1000
# A line is this much shorter than the longest.
_MARGIN = 3
# The library writes integers of 64 bits.
_MAX_INTEGER = 2**63 - 1
_ENCODER = msgspec.json.Encoder()
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_LIST = msgspec.json.Decoder(list[msgspec.Raw])
# Encoded JSON.
_Json = bytes | msgspec.Raw
# The name before a part of a document, the part, and its runs, () if it shares no line.
_Part = tuple[str, Value, tuple[str, ...]]


def canonical(part: T) -> T:
    """Return a document, or a part of one, as it is after writing and reading.

    Its numbers have 12 digits, its texts are printable. Raises msgspec.ValidationError for an integer of more
    than 64 bits in a field that has no texts.
    """
    return msgspec.convert(_canonical(msgspec.to_builtins(part)), type(part))


def encode(document: Document) -> bytes:
    """Return report.json: UTF-8, a line break at the end. The document must be canonical."""
    return b"".join(encode_lines(document))


def encode_lines(document: Document) -> Iterator[bytes]:
    """Yield the lines of report.json. The document of many runs has hundreds of megabytes."""
    runs = _runs_of(document)
    cases = (
        ("", case, own if len(own := runs[case.name]) <= _SHARED_RUNS else ()) for case in document.cases
    )
    compared = (
        (_named(name), each, runs.get(each.baseline, ())) for name, each in document.comparisons.items()
    )
    parts: dict[str, tuple[int, Iterable[_Part]]] = {
        '"tables": ': (len(document.tables), (("", table, ()) for table in document.tables)),
        '"figures": ': (len(document.figures), (("", figure, ()) for figure in document.figures)),
        '"cases": ': (len(document.cases), cases),
        '"comparisons": ': (len(document.comparisons), compared),
    }
    has_many = len(document.sources) > _MANY_SOURCES
    short = replace(
        document,
        tables=document.tables[:1],
        figures=document.figures[:1],
        cases=document.cases[:1],
        comparisons=dict(islice(document.comparisons.items(), 1)),
        sources=dict(islice(document.sources.items(), 1 if has_many else None)),
    )
    yield b"{\n"
    # A line for each field, however short: one of them is the mark of a generated file.
    for value, name, comma in _children(_ENCODER.encode(short)):
        if name in parts:
            begin, end = "{}" if _is_object(value) else "[]"
            yield _encoded(f" {name}{begin}")
            yield from map(_encoded, _lines_of_runs(*parts[name]))
            yield _encoded(f" {end}{comma}")
        elif has_many and name == '"sources": ':
            yield from map(_encoded, _lines_of_texts(document.sources, name, comma))
        else:
            yield from map(_encoded, _lines(value, 1, name, comma))
    yield b"}\n"


def _runs_of(document: Document) -> dict[str, tuple[str, ...]]:
    """Return the ids of the runs of each case by its name; cases of the same runs have one tuple."""
    known: dict[tuple[str, ...], tuple[str, ...]] = {}
    every = ((case.name, tuple(run.id for run in case.runs)) for case in document.cases)
    return {name: known.setdefault(runs, runs) for name, runs in every}


def _lines_of_runs(count: int, parts: Iterable[_Part]) -> Iterator[str]:
    """Yield the lines of the parts of a list or an object; neighbours of the same runs share a line."""
    shared: list[str] = []
    before: tuple[str, ...] = ()
    for number, (name, part, runs) in enumerate(parts, 1):
        *whole, last = _lines_of_part(part, name, "," if number < count else "")
        if whole or not runs or runs != before or len(shared) == _PARTS:
            yield from filter(None, ["".join(shared), *whole])
            shared = [last]
        else:
            shared.append(last[1:])
        before = () if whole else runs
    yield "".join(shared)


def _lines_of_texts(texts: Mapping[str, str], name: str, comma: str) -> Iterator[str]:
    """Yield the lines of an object of many texts, one at a time."""
    yield f" {name}{{"
    for number, (key, text) in enumerate(texts.items(), 1):
        yield _one_line(_ENCODER.encode(text), 2, _named(key), "," if number < len(texts) else "")
    yield f" }}{comma}"


def _lines_of_part(part: Value, name: str, comma: str) -> Iterator[str]:
    """Yield the lines of a table, a figure, a case or a comparison."""
    value = _ENCODER.encode(part)
    if isinstance(part, Table) and len(part.rows) * len(part.columns) > _CELLS:
        yield from _lines_of_table(value, comma)
    elif isinstance(part, Case) and len(part.runs) > _RUNS:
        yield from _lines_of_parts(value, 2, name, comma)
    else:
        yield _one_line(value, 2, name, comma)


def _lines_of_table(value: bytes, comma: str) -> Iterator[str]:
    """Yield the lines of a table with a line for each row: its head, and its cells."""
    yield "  {"
    for child, name, after in _children(value):
        if name in ('"rows": ', '"cells": '):
            yield f"   {name}["
            yield from (_one_line(row, 4, *around) for row, *around in _children(child))
            yield f"   ]{after}"
        else:
            yield from _lines(child, 3, name, after)
    yield f"  }}{comma}"


def encode_value(value: Any) -> bytes:
    """Return a part of a document as JSON, in the form of report.json."""
    return b"".join(map(_encoded, _lines(_ENCODER.encode(value))))


def _encoded(line: str) -> bytes:
    return printable_json(line).encode() + b"\n"


class StoredDocument:
    """A document in encoded form, but for the parts that are in files.

    A report of many runs takes some hundred megabytes. The objects of its document are among its own, so
    the memory can only be given back once the document is encoded.
    """

    def __init__(self, document: Document) -> None:
        self._cases, self._sources = document.cases, document.sources
        self._content = msgspec.msgpack.encode(replace(document, cases=(), sources={}))

    def decoded(self) -> Document:
        """Return the document: another object that equals it."""
        document = msgspec.msgpack.decode(self._content, type=Document)
        return replace(document, cases=self._cases, sources=self._sources)


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
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        fact = f"is not a report.json of version {raw['version']}: {error!r}"
        raise RequestError(place, fact, _REMEDY) from None


_REMEDY = "compare it with `reportgen schema`, or run: reportgen build"


class _Listing(msgspec.Struct):
    """The list of generated files in a report.json of any version."""

    generated: list[str] = []


# Every report.json has a line that begins like this.
MARK = lazy_pattern(rb'^ ?"generated": \[', re.MULTILINE)


def generated_files(content: bytes) -> Sequence[str]:
    """Return the list of generated files in a report.json; empty if it cannot be read."""
    try:
        return msgspec.json.decode(content, type=_Listing).generated
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return []


def _canonical(value: Any) -> Any:
    """Return a value of JSON: 12 significant digits, null for NaN and infinities, no lone surrogates."""
    kind = type(value)  # a document has millions of values
    if kind is str:
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if kind is dict:
        return {_canonical(name): _canonical(each) for name, each in value.items()}
    if kind is list or kind is tuple:
        return list(map(_canonical, value))
    if kind is float:
        return float(units.machine(value)) if math.isfinite(value) else None
    return str(value) if kind is int and abs(value) > _MAX_INTEGER else value


def _lines(value: _Json, depth: int = 0, name: str = "", comma: str = "") -> Iterator[str]:
    """Yield the lines of a value, indented by its depth, after a name and before a comma or ""."""
    line = _line(value, depth, name, comma)
    if line is None:
        yield from _lines_of_parts(value, depth, name, comma)
    else:
        yield line


def _lines_of_parts(value: _Json, depth: int = 0, name: str = "", comma: str = "") -> Iterator[str]:
    """Yield the lines of a list or an object, each of its parts on lines of its own."""
    begin, end = "{}" if _is_object(value) else "[]"
    yield f"{' ' * depth}{name}{begin}"
    for child, *around in _children(value):
        yield from _lines(child, depth + 1, *around)
    yield f"{' ' * depth}{end}{comma}"


def _line(value: _Json, depth: int, name: str, comma: str) -> str | None:
    """Return a value on one line; None for a list or object that is too long."""
    is_scalar = bytes(memoryview(value)[:1]) not in (b"{", b"[")
    # A character has at most four bytes.
    if not is_scalar and memoryview(value).nbytes > 4 * _LINE:
        return None
    line = _one_line(value, depth, name, comma)
    return line if is_scalar or len(line) + _MARGIN <= _LINE else None


def _one_line(value: _Json, depth: int, name: str, comma: str) -> str:
    return f"{' ' * depth}{name}{msgspec.json.format(value, indent=0).decode()}{comma}"


def _children(value: _Json) -> Iterator[tuple[_Json, str, str]]:
    """Yield the values in a list or object, each with the name before it and the comma after it."""
    if _is_object(value):
        named = _OBJECT.decode(value)
        names, parts = list(map(_named, named)), list(named.values())
    else:
        parts = _LIST.decode(value)
        names = [""] * len(parts)
    commas = [*[","] * (len(parts) - 1), ""]
    yield from zip(parts, names, commas, strict=True)


def _named(name: str) -> str:
    """Return what is before a value of that name."""
    return f"{_ENCODER.encode(name).decode()}: "


def _is_object(value: _Json) -> bool:
    return bytes(memoryview(value)[:1]) == b"{"
