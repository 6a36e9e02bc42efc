"""Read files that the table `[table]` of a labels.toml describes, with the grammar of shipped families.

A definition without a sign claims the files that have its factors and one of its figures as columns or keys,
or text that its pattern matches.
It has precedence over the known formats, because it was written for these files.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import msgspec

from reportgen.core.model import Run
from reportgen.core.schema import convert
from reportgen.formats.base import Claim, Format, Results
from reportgen.formats.parsing.text_log import TextLog, is_binary, read_with_warnings, without_controls
from reportgen.formats.parsing.user_patterns import ends_with
from reportgen.formats.tables.definition import BETWEEN_BARS, OwnTable, Sign
from reportgen.formats.tables.families import Recogniser
from reportgen.formats.tables.parquet import as_text
from reportgen.formats.tables.reader import read as read_table
from reportgen.formats.tables.records import GROUP, TITLE, are_branches
from reportgen.sources.logfiles import LogFiles
from reportgen.sources.text import line_at

NAME = "table"
PLACE = "labels.toml: table"
# The key of the settings with the list of definitions.
_TABLES = "tables"


def settings_of(tables: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the settings that carry definitions to the format."""
    return {_TABLES: list(tables)}


def table_definition(place: str, table: Mapping[str, Any]) -> OwnTable:
    """Return the definition in a table; RequestError says what is wrong at `place`.key."""
    return convert(table, OwnTable, place)


@lru_cache(maxsize=64)
def _own(encoded: bytes) -> OwnTable:
    own = table_definition(PLACE, msgspec.json.decode(encoded))
    return own if own.sign else msgspec.structs.replace(own, sign=_sign(own))


def _sign(own: OwnTable) -> Sign:
    """Return what a file must have: the columns of all factors and figures; of JSON, the key of a figure.

    Of a text, a row, or the title of a block or matrix.
    """
    if begin := own.rows.pattern or own.rows.begin:
        return Sign(any=[[]], text=begin, confidence=1.0)
    if own.rows.names:
        return Sign(any=[[]], confidence=1.0)
    if own.rows.kind in ("json", "jsonl"):
        named = [_named(own, column) for column in _figures(own)]
        return Sign(any=[[key] for name in named for key in _keys(name) if key] or [[]], confidence=1.0)
    return Sign(keys=[], any=[_names(own)], confidence=1.0)


def _named(own: OwnTable, column: str) -> str:
    """Return the column of a figure; of numbers that are members of an object, the name of this object."""
    is_member = column == "value" and own.rows.path.endswith("{*}")
    return re.split(r"[.\]}]", own.rows.path.removesuffix("{*}"))[-1] if is_member else column


def _names(own: OwnTable) -> list[str]:
    """Return the columns that a definition names in a header, without the second one of a name.

    Lines above the table have those of contexts.
    """
    above = {name for context in own.context for name in re.compile(context.pattern).groupindex}
    factors = [column if isinstance(column, str) else column.column for column in own.factors.values()]
    names = dict.fromkeys(name for name in (*factors, *_figures(own)) if name)
    return [
        name
        for name in names
        if name not in {GROUP, TITLE, *above} and not re.search(r"\.[2-9]$|^column [0-9]+$", name)
    ]


def _figures(own: OwnTable) -> list[str]:
    return [figure.column for figure in own.figures if not figure.pattern()]


def _keys(column: str) -> list[str]:
    """Return the keys that a column of JSON may end with: `9`, `p99.9` and `latency.p99.9`."""
    parts = column.lstrip("./").split(".")
    return [".".join(parts[at:]) for at in reversed(range(len(parts)))]


def _definitions(files: LogFiles) -> list[OwnTable]:
    tables = (files.settings.get(NAME) or {}).get(_TABLES, ())
    return [_own(msgspec.json.encode(table)) for table in tables]


_Match = tuple[OwnTable, int, str]


def _chosen(files: LogFiles) -> list[_Match]:
    """Return (definition, offset, text) of the signs that a file has, one for each of its tables.

    Of several definitions for a table the fullest counts: a table with more columns may have all columns of
    another definition, too. The fullest of all is the first.
    """
    matching: list[_Match] = []
    head = b""
    for own in _definitions(files):
        if own.files and not ends_with(files.source(files.path).path, own.files):
            continue
        head = head or without_controls(files.head(files.path))
        if is_binary(head):
            return []
        if place := Recogniser(partial(_same, own)).place(head):
            matching.append((own, *place))
    matching.sort(key=lambda each: -_present(each[0], head))
    chosen: list[_Match] = []
    for match in matching:
        if all(_are_apart(match, known) for known in chosen):
            chosen.append(match)
    return chosen


def _are_apart(match: _Match, other: _Match) -> bool:
    """Return whether two definitions read different tables of a file: each has its own header or key.

    Lines that a pattern describes are beside the rows of a table.
    """
    rows, others = match[0].rows, other[0].rows
    if {rows.kind, others.kind} > {"pattern"}:
        return {rows.kind, others.kind} <= {"pattern", "csv", "tsv", *BETWEEN_BARS}
    if rows.kind == others.kind == "json":
        return are_branches(rows.path, others.path)
    if rows.kind != others.kind or rows.kind not in ("csv", "tsv", *BETWEEN_BARS):
        return False
    if rows.kind in BETWEEN_BARS:
        return bool(rows.header and others.header) and rows.header != others.header
    return bool(rows.header or others.header) and match[1] != other[1]


def _same(own: OwnTable) -> OwnTable:
    return own


def _present(own: OwnTable, head: bytes) -> int:
    """Return how many of the columns that a definition names are in a head."""
    return sum(1 for name in _names(own) if _keys(name)[0].encode() in head)


def claims(files: LogFiles) -> Claim | None:
    """Claim a file that one of the definitions describes."""
    if NAME not in files.settings:
        return None
    files = as_text(files)
    if not (chosen := _chosen(files)):
        return None
    own, at, reason = chosen[0]
    claim = Claim.of_file(files, 1.0, reason[:100], line_at(files.head(files.path), at))
    # Documents contain such tables as their own results, not as quotes of logs.
    is_text = own.rows.kind in (*BETWEEN_BARS, "pattern") or own.rows.separator == "&"
    return replace(claim, is_whole=is_text)


def read(files: LogFiles) -> Results:
    """Yield the runs of a file; nothing where no labels.toml describes it."""
    files = as_text(files)
    if NAME in files.settings and (chosen := _chosen(files)):
        owns = [own for own, _, _ in chosen]
        yield from read_with_warnings(TextLog(files), partial(_read_each, owns, files))


def _read_each(owns: Sequence[OwnTable], files: LogFiles, log: TextLog) -> Results:
    """Yield the runs of each table of a file."""
    before = 0
    for own in owns:
        for item in read_table(own.name, own, log if own is owns[0] else TextLog(files), before):
            before += isinstance(item, Run)
            yield item


FORMAT = Format(NAME, "Tables of results that `[table]` in a labels.toml describes.", claims, read)
