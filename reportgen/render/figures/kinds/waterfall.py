"""waterfall: bars that begin where the one before ends, such as the parts from a baseline to a case."""

from itertools import pairwise

from reportgen.render.figures.kind import GROUP_WIDTH, Kind
from reportgen.render.figures.marks import Bars, Mark, MarkRow, Segments
from reportgen.render.figures.shown import Shown

_WIDTH = GROUP_WIDTH * 0.75


def marks(figure: Shown) -> list[Mark]:
    """Return each bar from where it begins, and behind them a line from the end of each to the next bar."""
    rows = figure.rows
    ends = {row.place: row.high for row in rows}
    steps = tuple(
        (
            MarkRow(series=0, place=place, value=ends[place]),
            MarkRow(series=0, place=following, value=ends[place]),
        )
        for place, following in pairwise(figure.categories)
        if place in ends and following in ends
    )
    return [Segments(steps, width=0.8, is_ink=True), Bars(rows, _WIDTH, begin="low")]


KIND = Kind(
    marks=marks, horizontal="if-long", width=_WIDTH, zero="always", log_span=None, ends_are_interval=False
)
