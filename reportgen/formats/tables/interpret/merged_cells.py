"""Give rows the cells that are written once for several: above in a first column, or in a row of its own."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import msgspec

from reportgen.formats.tables.column_words import meaning_of
from reportgen.formats.tables.definition import BETWEEN_BARS
from reportgen.formats.tables.find_tables import FoundTable
from reportgen.formats.tables.interpret.cells import number_of
from reportgen.formats.tables.records import GROUP, Record, filled, grouped, title_of_group


def without_gaps(table: FoundTable) -> FoundTable:
    """Return a table with the texts of its first columns in each row that they hold for."""
    fill: list[str] = []
    before: list[tuple[str, ...]] = [()] * len(table.records)
    for name in table.columns[:-1]:
        cells = _texts(table, name)
        if table.is_json or not cells or not cells[0] or not _are_names(table, name, cells):
            break
        if any(not cell and before[at] != before[at - 1] for at, cell in enumerate(cells)):
            break  # a cell holds for rows of one case: an empty one of another case is empty
        if "" in cells:
            fill.append(name)
        whole = (str(record.cells.get(name)) for record in filled(table.records, [name]))
        before = [(*texts, cell) for texts, cell in zip(before, whole, strict=True)]
    records = tuple(filled(table.records, fill))
    # An empty cell is a setting, too: no flags.
    if not fill or not (_are_distinct(records, _settings(table, fill)) or _are_headings(table, fill[0])):
        return table
    return replace(table, rows=msgspec.structs.replace(table.rows, fill=fill), records=records)


def _are_names(table: FoundTable, column: str, cells: Sequence[str]) -> bool:
    """Return whether cells are texts or settings, or in rows without numbers, which name the rows below."""
    if not any(map(number_of, cells)):
        return True
    is_drawn = table.rows.kind in BETWEEN_BARS or table.rows.separator == "&"
    if is_drawn and meaning_of(column).kind == "factor":
        return True
    if column != table.columns[0] and _is_measured(column) and not _recurs(table, column):
        return False
    others = [name for name in table.columns if name != column]
    rows = [record for record, cell in zip(table.records, cells, strict=True) if cell]
    has_numbers = any(number_of(record.cells.get(name)) for record in rows for name in others)
    return len(rows) < len(cells) and (
        not has_numbers or _are_conditions(table, _written_with(table, column))
    )


def _texts(table: FoundTable, column: str) -> list[str]:
    return [str(record.cells.get(column) or "").strip() for record in table.records]


def _written_with(table: FoundTable, column: str) -> list[str]:
    """Return a column and those beside it whose cells are empty in the same rows."""
    gaps = [not text for text in _texts(table, column)]
    alike = [[not text for text in _texts(table, name)] == gaps for name in table.columns]
    at = table.columns.index(column)
    begin = next((i + 1 for i in range(at, -1, -1) if not alike[i]), 0)
    end = next((i for i in range(at, len(alike)) if not alike[i]), len(alike))
    return list(table.columns[begin:end])


def _are_conditions(table: FoundTable, columns: Sequence[str]) -> bool:
    """Return whether numbers are written once for a group of rows: only so, no two rows have one key.

    columns  beside each other, with the same gaps
    """
    if all(map(_is_measured, columns)):
        return False
    others = (name for name in _settings(table, columns) if name not in columns and _recurs(table, name))
    settings = [*columns, *others]
    whole = tuple(filled(table.records, columns))
    return not _are_distinct(table.records, settings) and _are_distinct(whole, settings)


def _is_measured(column: str) -> bool:
    """Return whether a column names a figure and its unit: one number for a group is its result."""
    meaning = meaning_of(column)
    return meaning.kind == "figure" and bool(meaning.unit)


def _recurs(table: FoundTable, column: str) -> bool:
    """Return whether half of the cells of a column recur, as settings do and results do not."""
    counts = Counter(filter(None, _texts(table, column)))
    return 2 * sum(count for count in counts.values() if count > 1) >= counts.total() > 0


def _are_headings(table: FoundTable, column: str) -> bool:
    """Return whether each cell of a first column is written once, and as many rows are below each of them."""
    at = [i for i, record in enumerate(table.records) if str(record.cells.get(column) or "").strip()]
    names = {str(table.records[i].cells[column]) for i in at}
    sizes = {b - a for a, b in pairwise([*at, len(table.records)])}
    return column == table.columns[0] and len(names) == len(at) > 1 and len(sizes) == 1


def with_groups(table: FoundTable) -> FoundTable:
    """Return a table whose rows with only a first cell name the groups of the rows below them.

    They do if the first row is one and each has rows; a row of a case without numbers is rarely the first.
    """
    are_titles = [bool(title_of_group(record)) for record in table.records]
    if table.is_json or not are_titles or not are_titles[0] or are_titles[-1] or sum(are_titles) < 2:
        return table
    if any(above and below for above, below in pairwise(are_titles)):
        return table
    titles = [title for record in table.records if (title := title_of_group(record))]
    if len(set(titles)) < len(titles) or any(map(number_of, titles)):
        return table
    rows = msgspec.structs.replace(table.rows, groups=True)
    records = tuple(grouped(table.records))
    return replace(table, rows=rows, records=records, columns=(*table.columns, GROUP))


def _settings(table: FoundTable, first: Sequence[str]) -> list[str]:
    """Return the first columns and those with settings: by their names, or after the first if cells recur."""
    after = [name for name in table.columns[table.columns.index(first[-1]) + 1 :][:1] if _recurs(table, name)]
    kinds = ("factor", "other", "index", "repeat")
    return [*first, *after, *(name for name in table.columns if meaning_of(name).kind in kinds)]


def _are_distinct(records: Sequence[Record], columns: Sequence[str]) -> bool:
    keys = [tuple(str(record.cells.get(name)) for name in columns) for record in records]
    return len(set(keys)) == len(keys)
