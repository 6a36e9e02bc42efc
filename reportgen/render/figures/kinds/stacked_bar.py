"""stacked-bar: the series of each category on top of each other, such as the phases of a step."""

import math
from dataclasses import replace

from reportgen.render.figures.kind import GROUP_WIDTH, Kind, crosses
from reportgen.render.figures.marks import Bars, Mark, Place
from reportgen.render.figures.shown import Shown

_WIDTH = GROUP_WIDTH * 0.75


def marks(figure: Shown) -> list[Mark]:
    """Return each series on top of those before it, and a cross for each category whose first part failed."""
    tops: dict[Place, float] = {}
    rows = []
    for row in figure.rows:
        begin = tops.get(row.place, 0.0)
        tops[row.place] = math.fsum((begin, row.value or 0.0))
        rows.append(replace(row, low=begin, high=tops[row.place]))
    first = replace(figure, series=figure.series[:1])
    return [Bars(tuple(rows), _WIDTH, begin="stack"), *crosses(first, is_ink=True)]


KIND = Kind(
    marks=marks, horizontal="if-long", width=_WIDTH, zero="always", log_span=None, ends_are_interval=False
)
