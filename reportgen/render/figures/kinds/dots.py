"""dots: each value as a dot with its interval, for comparisons; values need not begin at zero."""

from matplotlib.axes import Axes

from reportgen.document.model import Figure
from reportgen.render.figures import colours
from reportgen.render.figures.encodings import (
    Json,
    colour,
    failed_marks,
    intervals,
    names,
    rows,
    shape,
    x_axis,
    y_axis,
)
from reportgen.render.figures.kinds.base import (
    Drawing,
    draw_points,
    mark_failures,
    name_categories,
    positions,
)

_SPREAD = 0.6  # of the dots of a category, as a share of the distance between two categories


def draw(axes: Axes, figure: Figure) -> None:
    """Draw the dots of a category below each other, in the order of the legend."""
    places = [positions(figure, series) for series in figure.series]
    shifts = _shifts(figure)
    is_spread = any(shifts)
    for line in range(len(figure.categories)):
        if not is_spread:
            axes.axhline(line, color=colours.GRID, linewidth=0.8, zorder=0)
        elif line % 2:
            axes.axhspan(line - 0.5, line + 0.5, color=colours.GRID, alpha=0.4, linewidth=0, zorder=0)
    for n, (x, shift) in enumerate(zip(places, shifts, strict=True)):
        draw_points(axes, figure, n, [place + shift for place in x], linestyle="none", markersize=7.0)
        mark_failures(axes, figure, n, shift)
    name_categories(axes, figure)


def _shifts(figure: Figure) -> list[float]:
    """Return how far each series is from its categories: none if no category has two series."""
    count = len(figure.series)
    places = [positions(figure, series) for series in figure.series]
    if count < 2 or sum(map(len, places)) == len({place for x in places for place in x}):
        return [0.0] * count
    return [_SPREAD * (n / (count - 1) - 0.5) for n in range(count)]


def _rows(figure: Figure) -> int:
    """Return how many dots are below each other in a category."""
    return len(figure.series) if any(_shifts(figure)) else 1


def layers(figure: Figure) -> list[Json]:
    """Return the intervals, the dots, and a cross for each failure."""
    offset = {"field": "shift", "type": "quantitative", "scale": {"domain": [-0.5, 0.5]}}
    place = {**x_axis(figure, 1.0), "yOffset": offset}
    encoding = {**place, **y_axis(figure), **colour(figure), **shape(figure)}
    shifts = {name: {"shift": shift} for name, shift in zip(names(figure), _shifts(figure), strict=True)}
    return [
        *intervals(figure, **place),
        {"mark": {"type": "point", "size": 80}, "encoding": encoding},
        *failed_marks(figure, shifts, **place),
    ]


def shifted_rows(figure: Figure) -> list[Json]:
    """Return a row for each value with its place within its category."""
    shifts = dict(zip(names(figure), _shifts(figure), strict=True))
    return [each | {"shift": shifts[each["series"]]} for each in rows(figure)]


DRAWING = Drawing(draw=draw, layers=layers, rows=shifted_rows, horizontal="always", bars_per_category=_rows)
