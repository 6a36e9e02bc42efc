"""Fill the cells of the first columns that are empty because the cell above holds for them, too."""

from dataclasses import replace

import msgspec

from reportgen.formats.tables.find_tables import FoundTable
from reportgen.formats.tables.interpret.cells import number_of
from reportgen.formats.tables.records import filled


def without_gaps(table: FoundTable) -> FoundTable:
    """Return a table with the texts of its first columns in each row that they hold for."""
    fill: list[str] = []
    for name in table.columns[:-1]:
        cells = [str(record.cells.get(name) or "").strip() for record in table.records]
        if table.is_json or not cells or not cells[0] or any(map(number_of, cells)):
            break
        if "" in cells:
            fill.append(name)
    if not fill:
        return table
    rows = msgspec.structs.replace(table.rows, fill=fill)
    return replace(table, rows=rows, records=tuple(filled(table.records, fill)))
