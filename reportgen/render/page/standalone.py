"""Embed in a page what it otherwise loads from beside it: one file to mail."""

import base64
import re

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.document.model import Document, Table
from reportgen.render.data import csv
from reportgen.render.outputs import Content
from reportgen.render.page import library, page_script, steps

# What would end a script element, or begin a comment in it. In a string, `\x3c` is the same character.
_END = lazy_pattern(r"<(?=/?script|!--)", re.IGNORECASE)


def scripts(content: Content) -> list[str]:
    """Return the scripts of such a page: steps of each table, history, page script, library of charts."""
    files = [*(b"".join(steps.steps_js(content, table)) for table in content.report.tables), content.history]
    before = [_inside(file) for file in files if file]
    after = [_inside(library.vega_js())] if library.has_charts(content.report) else []
    return [*before, page_script.page_script(), *after]


def _inside(script: bytes) -> str:
    return _END.sub(r"\\x3c", script.decode("utf-8", "replace"))


def csv_address(document: Document, table: Table) -> str:
    """Return a table as an address that contains its CSV file."""
    return f"data:text/csv;base64,{base64.b64encode(csv.table_csv(document, table)).decode()}"
