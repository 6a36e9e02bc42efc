"""dots: each value as a dot with its interval, for comparisons; values need not begin at zero."""

from typing import Literal

from reportgen.render.figures.kind import Kind, crosses, shifted
from reportgen.render.figures.marks import Intervals, Mark, Points
from reportgen.render.figures.shown import Shown

_SPREAD = 0.6  # of the dots of a category, as a share of the distance between two categories


def marks(figure: Shown) -> list[Mark]:
    """Return the dots of a category below each other, in the order of the legend, with their intervals."""
    shifts = _shifts(figure)
    rows = shifted(figure.rows, shifts)
    return [Intervals(rows), Points(rows, size=7.0), *crosses(figure, shifts)]


def _shifts(figure: Shown) -> tuple[float, ...]:
    """Return how far each series is from its categories: not at all if no category has two series."""
    count = len(figure.series)
    places = [place for series in figure.series for place in series.places]
    if count < 2 or len(places) == len(set(places)):
        return (0.0,) * count
    return tuple(_SPREAD * (n / (count - 1) - 0.5) for n in range(count))


def _lanes(figure: Shown) -> int:
    return len(figure.series) if any(_shifts(figure)) else 1


def _guide(figure: Shown) -> Literal["lines", "stripes"]:
    return "stripes" if any(_shifts(figure)) else "lines"


KIND = Kind(marks=marks, horizontal="always", width=1.0, lanes=_lanes, zero="if-alone", guide=_guide)
