"""Turn a table whose rows are what columns usually are: a row for each metric, a column for each case."""

from collections.abc import Sequence
from dataclasses import replace

import msgspec

from reportgen.core import units
from reportgen.formats.tables.column_words import ColumnMeaning, meaning_of, slug
from reportgen.formats.tables.find_tables import FoundTable
from reportgen.formats.tables.interpret.cells import number_of
from reportgen.formats.tables.interpret.draft import MAX_FIGURES, UNIT_COLUMN, VALUE_COLUMN
from reportgen.formats.tables.records import TITLE, transposed

_MAX_NAME = 80
_KNOWN = ("figure", "factor", "spread", "derived", "status")
# First columns whose texts are cases, also if they are words of metrics.
_FACTOR_COLUMNS = {"benchmark", "model", "operation", "op", "test", "kernel", "case", "workload"}


def upright(table: FoundTable) -> FoundTable:
    """Return a table with a column for each figure, turned if it has a row for each."""
    if table.is_json or table.is_part or not _is_turned(table):
        return table
    records = tuple(transposed(table.records))
    rows = msgspec.structs.replace(table.rows, transposed=True)
    columns = tuple(dict.fromkeys(name for record in records for name in record.cells))
    return replace(table, rows=rows, records=records, columns=columns)


def _is_turned(table: FoundTable) -> bool:
    """Return whether the first column names figures and settings, and the header names none."""
    corner, *names = table.columns or ("",)
    cases = [name for name in names if slug(name) not in UNIT_COLUMN and name != TITLE]
    title = table.records[0].cells.get(TITLE) if table.records else None
    table = replace(table, records=tuple(x for x in table.records if x.cells.get(TITLE) == title))
    texts = [str(record.cells.get(corner) or "").strip() for record in table.records]
    if not cases or not all(texts) or len(set(texts)) < len(texts) or len(texts) > MAX_FIGURES:
        return False
    if max(map(len, texts)) > _MAX_NAME or set(map(slug, cases)) & VALUE_COLUMN:
        return False
    named = [each for each in map(meaning_of, cases) if each.kind == "figure" and each.metric]
    if any(each.unit for each in named) or len(named) == len(cases):
        return False
    if _have_units_of_rows(table, cases):
        return True
    meanings = [meaning_of(text) for text in texts]
    if slug(corner) in _FACTOR_COLUMNS and not all(each.unit and _is_measured(each) for each in meanings):
        return False
    has_metric = any(map(_is_measured, meanings))
    known = sum(each.kind in _KNOWN and (each.kind != "figure" or _is_measured(each)) for each in meanings)
    return (
        has_metric
        and 2 * known > len(texts)
        and not any(meaning_of(name).kind in ("figure", "spread", "derived") for name in cases)
        and not _are_texts(table, texts, cases)
    )


def _have_units_of_rows(table: FoundTable, cases: Sequence[str]) -> bool:
    """Return whether the cells of a row share a unit, and a column has units of several bases."""
    rows = [
        {units.to_base(1.0, number[1])[1] for name in cases if (number := number_of(record.cells.get(name)))}
        for record in table.records
    ]
    bases = [base.pop() for base in rows if len(base) == 1 and base != {""}]
    return len(set(bases)) > 1 and 2 * len(bases) > len(rows) and not any(len(base) > 1 for base in rows)


def _is_measured(meaning: ColumnMeaning) -> bool:
    """Return whether a name is a metric, or the time of something."""
    return meaning.kind == "figure" and bool(meaning.metric or meaning.base == "s")


def _are_texts(table: FoundTable, texts: Sequence[str], cases: Sequence[str]) -> bool:
    """Return whether a row of a metric has texts instead of numbers."""
    rows = [
        record for record, text in zip(table.records, texts, strict=True) if meaning_of(text).kind == "figure"
    ]
    numbers = [number_of(record.cells.get(name)) for record in rows for name in cases]
    return 2 * sum(number is not None for number in numbers) < len(numbers)
