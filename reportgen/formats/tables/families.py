"""The families that are shipped: each is a definition in `families/NAME.toml` and becomes a Format.

A family is added as one file; docs/how-to/read-a-table.md shows how.
"""

import re
from collections.abc import Iterator
from functools import cached_property, partial
from itertools import chain
from pathlib import Path

from reportgen.core.schema import decode
from reportgen.formats.base import Claim, Format
from reportgen.formats.parsing.text_log import TextLog, is_binary, read_with_warnings, without_controls
from reportgen.formats.tables.definition import Sign, TableFamily
from reportgen.formats.tables.reader import read
from reportgen.sources.logfiles import LogFiles
from reportgen.sources.text import line_at

FOLDER = Path(__file__).with_name("families")
_JSON_KINDS = ("json", "jsonl")


def definitions() -> Iterator[tuple[str, TableFamily]]:
    """Yield (name, definition) of each family, by name."""
    for path in sorted(FOLDER.glob("*.toml")):
        yield path.stem, decode(path.read_text("utf-8"), TableFamily, path.name)


def formats() -> Iterator[Format]:
    """Yield the format of each family, by name."""
    for name, family in definitions():
        yield format_of_family(name, family)


def format_of_family(name: str, family: TableFamily) -> Format:
    """Return the format of the files that have the sign of a family."""
    assert family.sign is not None
    return Format(
        name,
        family.summary,
        partial(claims, _Recogniser(family)),
        lambda files: read_with_warnings(TextLog(files), partial(read, name, family)),
        _marks(family.sign, is_json=family.rows.kind in _JSON_KINDS),
        version=family.version,
    )


def _marks(sign: Sign, *, is_json: bool) -> tuple[bytes, ...]:
    """Return literals; every file has one of them."""
    quote = '"{}"' if is_json else "{}"
    if sign.marks:
        return tuple(mark.encode() for mark in sign.marks)
    if sign.keys:
        return (quote.format(max(sign.keys, key=len)).encode(),)
    return tuple(quote.format(max(keys, key=len)).encode() for keys in sign.any)


class _Recogniser:
    """The sign of a family, compiled when it is first needed."""

    def __init__(self, family: TableFamily) -> None:
        assert family.sign is not None
        self.family, self.sign = family, family.sign

    @cached_property
    def text(self) -> re.Pattern[bytes] | None:
        return re.compile(self.sign.text.encode(), re.MULTILINE) if self.sign.text else None

    def place(self, head: bytes) -> tuple[int, str] | None:
        """Return where a head shows the sign, and its text; None if it does not."""
        if self.family.rows.kind in _JSON_KINDS:
            return self._in_json(head)
        sign, place = self.sign, (0, "")
        if sign.marks and not any(mark.encode() in head for mark in sign.marks):
            return None
        if self.text:
            match = self.text.search(head)
            if not match:
                return None
            place = match.start(), match[0].strip().partition(b"\n")[0].decode("utf-8", "replace")
        if sign.keys or sign.any:
            header = self._header(head)
            if header is None or not _has(sign, header[1]):
                return None
            place = header[0], ", ".join(sign.keys or sign.any[0])
        return place

    def _in_json(self, head: bytes) -> tuple[int, str] | None:
        sign = self.sign
        if head.lstrip()[:1] not in (b"{", b"["):
            return None
        named = (*sign.keys, *chain.from_iterable(sign.any), *sign.lacks)
        keys = {key for key in named if f'"{key}"'.encode() in head}
        if not _has(sign, keys) or (self.text and not self.text.search(head)):
            return None
        first = (sign.keys or sign.any[0] or sign.marks)[0]
        return max(head.find(f'"{first}"'.encode()), 0), ", ".join(sign.keys or sign.any[0])

    def _header(self, head: bytes) -> tuple[int, set[str]] | None:
        """Return where the header of a table is, and its columns; of Markdown, of the first with the keys."""
        rows, sign = self.family.rows, self.sign
        text = head.decode("utf-8", "replace").removeprefix("\ufeff")
        if rows.header:
            match = re.search(rows.header, text, re.MULTILINE)
            lines = [text[text.rfind("\n", 0, match.start()) + 1 :].partition("\n")[0]] if match else []
        elif rows.kind == "markdown":
            lines = [line for line in text.split("\n") if "|" in line]
        else:
            lines = [text.lstrip("\r\n").partition("\n")[0]]
        separator = {"tsv": "\t", "markdown": "|"}.get(rows.kind, ",")
        for line in lines:
            columns = {cell.strip().strip('"').strip("*`# ") for cell in line.split(separator)}
            if rows.kind == "columns":
                columns = set(line.strip("# \r").split())
            if _has(sign, columns):
                return max(head.find(line.encode()), 0), columns
        return None


def _has(sign: Sign, names: set[str]) -> bool:
    return (
        names.issuperset(sign.keys)
        and (not sign.any or any(names.issuperset(keys) for keys in sign.any))
        and not names.intersection(sign.lacks)
    )


def claims(recogniser: _Recogniser, files: LogFiles) -> Claim | None:
    """Claim a file that has the sign of the family, and its twin beside it."""
    head = files.head(files.path)
    if is_binary(head):
        return None
    head = without_controls(head)
    place = recogniser.place(head)
    if place is None:
        return None
    at, reason = place
    beside = tuple(recogniser.family.rows.twins(files.path))
    source = files.source(files.path, line_at(head, at))
    return Claim(recogniser.sign.confidence, source, reason[:100], (files.path,), beside)
