"""The families that are shipped: each is a definition in `families/NAME.toml` and becomes a Format.

A family is added as one file; docs/developers/add-a-family.md shows how. Where a program writes its results
in several forms, `[[forms]]` has a sign and rows for each; other keys of a form are added to the family's.
"""

import csv
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.schema import convert
from reportgen.formats.base import Claim, Format, Results
from reportgen.formats.parsing.csv_cells import rows as csv_rows
from reportgen.formats.parsing.text_log import TextLog, is_binary, read_with_warnings, without_controls
from reportgen.formats.parsing.user_patterns import whole_line
from reportgen.formats.tables import latex
from reportgen.formats.tables.definition import BETWEEN_BARS, OwnTable, Sign, TableFamily, TableRows
from reportgen.formats.tables.heads import merged
from reportgen.formats.tables.reader import read
from reportgen.formats.tables.records import bar_cells, blanks, lines_between_bars, uncommented, whole_lines
from reportgen.formats.tables.twins import names
from reportgen.sources.logfiles import LogFiles
from reportgen.sources.text import line_at

FOLDER = Path(__file__).with_name("families")
_JSON_KINDS = ("json", "jsonl")
# The first section after `[sign]` and `[rows]`, those of forms included.
_REST = lazy_pattern(r"^\[(?!sign\]|rows\]|\[?forms[.\]])", re.MULTILINE)
# Lines that the quoted names of a header may take.
_MAX_HEADER_LINES = 20
# A line that begins an object or a list; programs write text before it.
_OPENING = lazy_pattern(rb"^[ \t]*[{\[]", re.MULTILINE)


def definitions() -> Iterator[tuple[str, TableFamily]]:
    """Yield (name, definition) of each family, by name; of several forms, of the first."""
    for path in sorted(FOLDER.glob("*.toml")):
        yield path.stem, _form(path.stem, path.read_text("utf-8"), 0)


def _form(name: str, text: str, number: int) -> TableFamily:
    """Return the definition of a family with the sign and the rows of one of its forms."""
    family = tomllib.loads(text)
    forms = family.pop("forms", [{}])
    own = {key: [*family.get(key, ()), *x] if isinstance(x, list) else x for key, x in forms[number].items()}
    return convert({**family, **own}, TableFamily, f"{name}.toml")


def formats() -> Iterator[Format]:
    """Yield the format of each family, by name.

    Only the head of a definition is parsed, up to its `[rows]`: the rest is needed for a file with its marks.
    """
    for path in sorted(FOLDER.glob("*.toml")):
        text = path.read_text("utf-8")
        yield _format(path.stem, text, tomllib.loads(_REST.split(text, maxsplit=1)[0]))


def _format(name: str, text: str, head: Mapping[str, Any]) -> Format:
    heads = head.get("forms", [head])
    if "summary" not in head or any(not {"sign", "rows"} <= each.keys() for each in heads):
        raise ValueError(f"{name}.toml: write summary, [sign] and [rows] before all other sections")
    forms = [Recogniser(partial(_form, name, text, number)) for number in range(len(heads))]
    marks = (_marks(each["sign"], is_json=each["rows"]["kind"] in _JSON_KINDS) for each in heads)
    return Format(
        name,
        head["summary"],
        partial(claims, forms),
        partial(_read, name, forms),
        tuple(dict.fromkeys(chain.from_iterable(marks))),
        version=head.get("version", 1),
    )


def _read(name: str, forms: Sequence["Recogniser"], files: LogFiles) -> Results:
    """Yield the runs of a file by the form that its head has, else its tail."""
    views = [view for view in (files, files.tail_view()) if view] if len(forms) > 1 else []
    known = next((each for view in views for each in forms if each.claim(view)), forms[0])
    yield from read_with_warnings(TextLog(files), partial(read, name, known.family))


def _marks(sign: Mapping[str, Any], *, is_json: bool) -> tuple[bytes, ...]:
    """Return literals; every file has one of them."""
    quote = '"{}"' if is_json else "{}"
    if "marks" in sign:
        return tuple(mark.encode() for mark in sign["marks"])
    if "keys" in sign:
        return (quote.format(max(sign["keys"], key=len)).encode(),)
    return tuple(quote.format(max(keys, key=len)).encode() for keys in sign["any"])


class Recogniser:
    """The sign of a family, which is loaded and compiled when it is first needed."""

    def __init__(self, load: Callable[[], TableFamily]) -> None:
        self._load = load

    @cached_property
    def family(self) -> TableFamily:
        """The definition."""
        return self._load()

    @property
    def sign(self) -> Sign:
        """The sign; a definition without one is not asked."""
        assert self.family.sign is not None
        return self.family.sign

    def claim(self, files: LogFiles) -> Claim | None:
        """Claim a file that has the sign, and its twin beside it."""
        head = files.head(files.path)
        if is_binary(head):
            return None
        head = without_controls(head)
        place = self.place(head)
        if place is None:
            return None
        at, reason = place
        family = self.family
        beside = (*names(family, files.path, head), *filter(None, (family.rows.beside,)))
        source = files.source(files.path, line_at(head, at))
        return Claim(self.sign.confidence, source, reason[:100], (files.path,), beside)

    def _search(self, pattern: str, text: str) -> re.Match[str] | None:
        """Return the first match of a pattern of the definition, in linear time for a user's own."""
        if isinstance(self.family, OwnTable):
            match: re.Match[str] | None = whole_line(pattern).search(text)
            return match
        return re.search(pattern, text, re.MULTILINE)

    def place(self, head: bytes) -> tuple[int, str] | None:
        """Return where a head shows the sign, and its text; None if it does not."""
        if self.family.rows.kind in _JSON_KINDS:
            return self._in_json(head)
        sign, place = self.sign, (0, "")
        if sign.marks and not any(mark.encode() in head for mark in sign.marks):
            return None
        if sign.text:
            text = head.decode("utf-8", "replace")
            match = self._search(sign.text, text)
            if not match:
                return None
            place = len(text[: match.start()].encode()), match[0].strip().partition("\n")[0]
        if sign.keys or any(sign.any):
            header = self._header(head)
            if header is None or not _has(sign, header[1]):
                return None
            place = header[0], ", ".join(sign.keys or sign.any[0])
        return place

    def _in_json(self, head: bytes) -> tuple[int, str] | None:
        sign = self.sign
        named = (*sign.keys, *chain.from_iterable(sign.any), *sign.lacks)
        keys = {key for key in named if _is_key(key, head)}
        if not _has(sign, keys) or not _OPENING.search(head):
            return None
        if sign.text and not self._search(sign.text, head.decode("utf-8", "replace")):
            return None
        shown = sign.keys or next((names for names in sign.any if keys.issuperset(names)), [])
        return max(head.find(f'"{shown[0]}"'.encode()), 0) if shown else 0, ", ".join(shown)

    def _header(self, head: bytes) -> tuple[int, set[str]] | None:
        """Return where the header of a table is, and its columns; of Markdown, of the first with the keys."""
        rows, sign = self.family.rows, self.sign
        text = head.decode("utf-8", "replace").removeprefix("\ufeff")
        text = latex.expanded(text) if rows.separator == "&" else text
        if rows.kind in BETWEEN_BARS:
            lines = [line for _, line in lines_between_bars(text.split("\n"), rows.kind) if "|" in line]
            lines = [line for line in lines if not rows.header or self._search(rows.header, line)]
        elif rows.header:
            match = self._search(rows.header, text)
            lines = [text[text.rfind("\n", 0, match.start()) + 1 :].partition("\n")[0]] if match else []
        else:
            lines = whole_lines(text.lstrip("\r\n").split("\n", _MAX_HEADER_LINES)[:_MAX_HEADER_LINES])[:1]
        if rows.transposed:
            lines = [line for _, line in lines_between_bars(text.split("\n"), rows.kind)]
            first = {_first(line, rows) for line in lines}
            return (0, first) if _has(sign, first) else None
        for line in lines:
            columns = _names(line.rstrip("\r"), rows)
            if rows.heads > 1:
                below = text[text.find(line) :].split("\n")
                heads = [cells for each in below if any(cells := _cells(each, rows))][: rows.heads]
                columns = set(merged(*heads))
            if _has(sign, columns):
                return max(head.find(line.encode()), 0), columns
        return None


def _is_key(name: str, head: bytes) -> bool:
    """Return whether a head of JSON has a key, also one that is written in ASCII."""
    return any(key in head for key in _written(name))


@lru_cache(maxsize=4096)
def _written(name: str) -> frozenset[bytes]:
    return frozenset((f'"{name}"'.encode(), json.dumps(name).encode()))


def _names(line: str, rows: TableRows) -> set[str]:
    """Return the names of columns in a header line."""
    if rows.kind == "columns":
        return set(line.strip("# \r").split())
    if rows.separator == " ":
        return set(blanks(line).split(uncommented(line)))
    if rows.kind == "csv" and '"' in line:
        with suppress(csv.Error):
            return {
                cell.strip()
                for cell in next(csv.reader(line.splitlines(keepends=True), delimiter=rows.separator), [])
            }
    if rows.separator == "&":
        line = latex.plain(line)
    separator = {"tsv": "\t", **dict.fromkeys(BETWEEN_BARS, "|")}.get(rows.kind, rows.separator)
    between_bars = bar_cells(line) if rows.kind in BETWEEN_BARS else []
    return {
        name
        for cell in (*line.split(separator), *between_bars)
        for name in (cell.strip(), cell.strip().strip('"').strip("*`# "))
    }


def _first(line: str, rows: TableRows) -> str:
    """Return the first cell of a line, which names a column of a transposed table."""
    if rows.kind in BETWEEN_BARS:
        line, rows = line.strip().removeprefix("|"), msgspec.structs.replace(rows, kind="csv", separator="|")
    return next(iter(_cells(line, rows)), "").strip("*`# ")


def _cells(line: str, rows: TableRows) -> list[str]:
    """Return the cells of a line of CSV or TSV."""
    separator = "\t" if rows.kind == "tsv" else rows.separator
    text = latex.plain(line) if separator == "&" else line
    return next((cells for _, cells in csv_rows(text.rstrip("\r"), separator)), [])


def _has(sign: Sign, names: set[str]) -> bool:
    return (
        names.issuperset(sign.keys)
        and (not sign.any or any(names.issuperset(keys) for keys in sign.any))
        and not names.intersection(sign.lacks)
    )


def claims(forms: Sequence[Recogniser], files: LogFiles) -> Claim | None:
    """Claim a file that has the sign of a form of the family."""
    return next(filter(None, (each.claim(files) for each in forms)), None)
