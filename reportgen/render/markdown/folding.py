"""Decide which tables and figures of a Markdown page are open, folded, or only linked.

A page of sixty open tables is not readable. Two tables have the same shape if they have the same factors in
rows and columns. In each section (`##`), the first table of a shape is open. The others are folded if they
are few and small; else the page has a line with their result and a link to the page of the table.
"""

import re
from collections import Counter
from typing import Literal

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.document.model import Figure, Table

Form = Literal["open", "folded", "linked"]

# Of a section and shape, this many tables are on the page, if the folded ones have at most so many cells.
MAX_TABLES = 6
MAX_FOLDED_CELLS = 20

_SECTION = lazy_pattern(r"^## ", re.MULTILINE)


class Folding:
    """The tables and figures of the current section so far."""

    def __init__(self) -> None:
        self._shown: Counter[object] = Counter()

    def read(self, text: str) -> None:
        """Begin a section if one begins in a text of the page."""
        if _SECTION.search(text):
            self.begin_section()

    def begin_section(self) -> None:
        """Forget the tables of the section before."""
        self._shown.clear()

    def of_table(self, table: Table, among: int = 1) -> Form:
        """Return the form of the next table; `among` is the number of tables that one entry makes."""
        position = self._count((table.row_factors, table.column_factors))
        if position == 1:
            return "open"
        is_small = len(table.rows) * len(table.columns) <= MAX_FOLDED_CELLS
        return "folded" if max(position, among) <= MAX_TABLES and is_small else "linked"

    def of_figure(self, figure: Figure) -> Form:
        """Return the form of the next figure that is not beside its table."""
        return "open" if self._count((figure.kind, figure.x_title, figure.y_title)) == 1 else "folded"

    def _count(self, shape: object) -> int:
        self._shown[shape] += 1
        return self._shown[shape]
