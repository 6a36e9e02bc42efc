"""Read tables of results without a definition: CSV, TSV, JSON arrays and JSON lines whose columns say all.

A file is read only if each figure names its metric and unit beyond doubt, and all other columns are plain
factors. A finding names what was taken as what. Anything less certain is left to `reportgen learn`.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import Finding, Run
from reportgen.core.rules import Rule
from reportgen.core.schema import convert
from reportgen.formats.base import Claim, Format, Results
from reportgen.formats.parsing.text_log import TextLog, is_binary, read_with_warnings, without_controls
from reportgen.formats.tables.column_words import meaning_of
from reportgen.formats.tables.definition import OwnTable
from reportgen.formats.tables.find_tables import find_tables
from reportgen.formats.tables.interpret import TableReading, interpret
from reportgen.formats.tables.parquet import as_text
from reportgen.formats.tables.reader import read as read_table
from reportgen.sources.logfiles import LogFiles

NAME = "own_table"
_CONFIDENCE = 0.3
_MAX_BYTES = 2**19
_MAX_SHOWN = 8
_TOP = ("", "[*]")
# A quoted cell with a separator in it.
_QUOTED = lazy_pattern(r'"[^"\n]*[,;\t|][^"\n]*"')
_JSON_KEY = lazy_pattern(rb'"([^"\n]{1,80})"[ \t]*:')


def looks_like_table(head: bytes) -> bool:
    """Return whether a head has a header or keys, and one of them names a metric."""
    if is_binary(head):
        return False
    if head.lstrip()[:1] in (b"{", b"["):
        names = {key.decode("utf-8", "replace") for key in _JSON_KEY.findall(head[:8192])}
    else:
        text = head[:8192].decode("utf-8", "replace").removeprefix("\ufeff")
        lines = [line for line in text.split("\n") if line.strip()][:6]
        lines = [_QUOTED.sub("", line) for line in lines]
        rows = [re.split(r"[,;\t|]", line.replace('"', "")) for line in lines]
        names = {
            cell.strip()
            for row, after in pairwise(rows)
            if len(row) > 1 and (len(row) == len(after) or set("".join(after)) <= set(" -:\r"))
            for cell in row
        }
    meanings = [meaning_of(name) for name in names if len(name) < 80]
    return any(each.kind == "figure" and (each.metric or each.base == "s") for each in meanings)


def certain_reading(files: LogFiles) -> TableReading | None:
    """Return the table of a file if it can be read without a definition."""
    tables = find_tables(files, nested=False)
    if not tables or tables[0].rows.kind not in ("csv", "tsv", "json", "jsonl"):
        return None
    at_top = [table for table in tables if table.rows.path in _TOP and not table.rows.header]
    if not at_top or tables[0].rows.end or (tables[0].rows.kind == "json" and at_top[-1].rows.path != "[*]"):
        return None
    reading = interpret(at_top[-1])
    nested = at_top[-1].is_json and any("." in name for name in at_top[-1].columns)
    return reading if reading.is_certain and not nested else None


def claims(files: LogFiles) -> Claim | None:
    """Claim a small file whose header or keys name a metric with its unit, and no column is unclear."""
    if files.size(files.path) > _MAX_BYTES:
        return None
    files = as_text(files)
    head = without_controls(files.head(files.path))
    if not looks_like_table(head) or files.size(files.path) > _MAX_BYTES:
        return None
    reading = certain_reading(files)
    if reading is None:
        return None
    names = ", ".join(figure.column for figure in reading.figures)
    return Claim.of_file(files, _CONFIDENCE, f"figures {names}"[:100], 1)


def read(files: LogFiles) -> Results:
    """Yield the runs of a table, and a finding with the columns taken as figures and factors."""
    files = as_text(files)
    reading = certain_reading(files)
    if reading is None:
        return
    table = convert(reading.definition(NAME), OwnTable, NAME)
    yield from _with_note(
        reading, read_with_warnings(TextLog(files), lambda log: read_table(NAME, table, log))
    )


def _with_note(reading: TableReading, items: Results) -> Iterator[Run | Finding]:
    """Yield what was read; the first run has the finding."""
    noted = False
    for item in items:
        if isinstance(item, Run) and not noted:
            noted = True
            finding = Finding("note", Rule.READ_OWN_TABLE, item.id, _note(reading), item.source)
            yield replace(item, findings=(*item.findings, finding))
        else:
            yield item


def _note(reading: TableReading) -> str:
    figures = [f"{x.column} ({x.metric}, {x.unit})" for x in reading.figures]
    parts = [f"figures: {_listed(figures)}"]
    for what, names in (
        ("factors", [column for column in reading.factors.values() if isinstance(column, str)]),
        ("left out", [f"{column} ({why})" for column, why in (reading.open | reading.left_out).items()]),
    ):
        parts += [f"{what}: {_listed(names)}"] if names else []
    return f"a table read without a definition; {'; '.join(parts)}"


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _MAX_SHOWN} more" if len(names) > _MAX_SHOWN else ""
    return ", ".join(names[:_MAX_SHOWN]) + more


FORMAT = Format(
    NAME,
    "Tables of results (CSV, TSV, JSON) whose columns name their metric and unit.",
    claims,
    read,
    is_last=True,
)
