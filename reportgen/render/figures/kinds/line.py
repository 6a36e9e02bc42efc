"""line: one line per series over numbers, with error bars."""

from reportgen.render.figures.kind import Kind, crosses
from reportgen.render.figures.marks import Intervals, Lines, Mark, Points
from reportgen.render.figures.shown import Shown


def marks(figure: Shown) -> list[Mark]:
    """Return the lines, their intervals and points, and a cross for each failure."""
    rows = figure.rows
    return [Lines(rows), Intervals(rows), Points(rows), *crosses(figure)]


KIND = Kind(marks=marks, has_line_ends=True)
