"""Read the numbers of a table whose decimal mark is a comma."""

from dataclasses import replace

import msgspec

from reportgen.formats.tables.decimal_marks import decimal_of
from reportgen.formats.tables.find_tables import FoundTable
from reportgen.formats.tables.records import with_points


def with_decimal_points(table: FoundTable) -> FoundTable:
    """Return a table with decimal points in place of commas, where a number of the column proves them."""
    decimal = decimal_of([record.cells for record in table.records], table.columns)
    if decimal == ".":
        return table
    rows = msgspec.structs.replace(table.rows, decimal=decimal)
    return replace(table, rows=rows, records=tuple(with_points(table.records, decimal)))
