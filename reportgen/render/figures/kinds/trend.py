"""trend: a line per series over dates or versions, with a dashed line at a step and a band for a drift."""

from reportgen.render.figures.kind import Kind
from reportgen.render.figures.marks import ChangeMark, Intervals, Lines, Mark, Points
from reportgen.render.figures.shown import Shown

# Texts of changes are below each other in so many lines.
_TEXT_LINES = 5


def marks(figure: Shown) -> list[Mark]:
    """Return the changes behind, then the lines, their intervals and points."""
    rows = figure.rows
    changes = (
        ChangeMark(each.series, each.first, each.last, each.text, line=n % _TEXT_LINES)
        for n, each in enumerate(figure.changes)
    )
    return [*changes, Lines(rows, width=1.0), Intervals(rows, cap=2.0), Points(rows, size=4.0)]


# Points are compared with each other, not with zero. Names of dates and versions are of about equal length:
# more than eight would overlap.
KIND = Kind(marks=marks, width=1.0, labels="sloped", max_names=8, zero="never")
