"""Fill the cells of the first columns that are empty because the cell above holds for them, too."""

from collections.abc import Sequence
from dataclasses import replace

import msgspec

from reportgen.formats.tables.column_words import meaning_of
from reportgen.formats.tables.find_tables import FoundTable
from reportgen.formats.tables.interpret.cells import number_of
from reportgen.formats.tables.records import Record, filled


def without_gaps(table: FoundTable) -> FoundTable:
    """Return a table with the texts of its first columns in each row that they hold for."""
    fill: list[str] = []
    for name in table.columns[:-1]:
        cells = [str(record.cells.get(name) or "").strip() for record in table.records]
        if table.is_json or not cells or not cells[0] or any(map(number_of, cells)):
            break
        if "" in cells:
            fill.append(name)
    records = tuple(filled(table.records, fill))
    if not fill or not _differ(records, table.columns):
        return table
    return replace(table, rows=msgspec.structs.replace(table.rows, fill=fill), records=records)


def _differ(records: Sequence[Record], columns: Sequence[str]) -> bool:
    """Return whether filled rows differ in their settings; an empty cell is a setting, too: no flags."""
    settings = [name for name in columns if meaning_of(name).kind in ("factor", "other", "index", "repeat")]
    keys = [tuple(str(record.cells.get(name)) for name in settings) for record in records]
    return len(set(keys)) == len(keys)
