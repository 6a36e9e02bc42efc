"""bar: one bar per series in each category, with error bars."""

from reportgen.render.figures.kind import GROUP_WIDTH, Kind, crosses, shifted, side_by_side
from reportgen.render.figures.marks import Bars, Intervals, Mark
from reportgen.render.figures.shown import Shown

_SHARE = 0.94  # width of a bar as a share of its place


def marks(figure: Shown) -> list[Mark]:
    """Return the bars of each category beside each other, their intervals, and a cross for each failure."""
    shifts = side_by_side(figure)
    rows = shifted(figure.rows, shifts)
    width = GROUP_WIDTH / max(1, len(figure.series)) * _SHARE
    return [Bars(rows, width), Intervals(rows, is_ink=True), *crosses(figure, shifts)]


KIND = Kind(
    marks=marks,
    horizontal="if-long",
    has_slots=True,
    lanes=lambda figure: len(figure.series),
    zero="always",
    log_span=None,
)
