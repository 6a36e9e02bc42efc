"""What a page loads from beside it, for a page that has everything inside: one file to mail."""

import base64
import re

from reportgen.render.data import csv
from reportgen.render.outputs import Content
from reportgen.render.page import library, steps
from reportgen.tables.results import Table

# What would end a script element, or begin a comment in it. In a string, `\x3c` is the same character.
_END = re.compile(r"<(?=/?script|!--)", re.IGNORECASE)


def with_scripts(content: Content, script: str) -> list[str]:
    """Return the scripts of such a page: the steps of every table, its own script, the library of the charts.

    The page shows steps at once if its address names a number, and loads the library when it is needed.
    """
    tables = filter(steps.OUTPUT.is_for_table, content.report.tables)
    before = [_inside(steps.steps_js(content, table)) for table in tables]
    after = [_inside(library.vega_js())] if library.has_charts(content.report) else []
    return [*before, script, *after]


def _inside(script: bytes) -> str:
    return _END.sub(r"\\x3c", script.decode("utf-8", "replace"))


def csv_address(table: Table) -> str:
    """Return a table as an address that contains its CSV file."""
    return f"data:text/csv;base64,{base64.b64encode(csv.table_csv(table)).decode()}"
