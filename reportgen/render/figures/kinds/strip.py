"""strip: every repeat as a dot, and the median of each category as a short line."""

from collections.abc import Sequence
from statistics import median

from matplotlib.axes import Axes

from reportgen.core.results import Figure
from reportgen.render.figures import colours
from reportgen.render.figures.kinds.base import (
    GROUP_WIDTH,
    Drawing,
    along,
    colour_of,
    is_horizontal,
    mark_failures,
    marker_of,
    name_categories,
    positions,
    style_of,
)

_SPREAD = 0.18  # half the width over which the repeats of a category are spread


def draw(axes: Axes, figure: Figure) -> None:
    """Draw the dots and medians of each series."""
    count = len(figure.series)
    draw_medians = axes.vlines if is_horizontal(figure) else axes.hlines
    for n, series in enumerate(figure.series):
        shift = (n - (count - 1) / 2) * GROUP_WIDTH / count
        groups: dict[float, list[float]] = {}
        for place, y in zip(positions(figure, series), series.y, strict=True):
            if y is not None:
                groups.setdefault(place + shift, []).append(y)
        half = _SPREAD / count
        dots = [(x, y) for place, ys in groups.items() for x, y in _spread(place, ys, half)]
        style = style_of(figure, n)
        axes.plot(
            *along(figure, [x for x, _ in dots], [y for _, y in dots]),
            linestyle="none",
            marker=marker_of(style),
            color=colour_of(style),
            markersize=4.5,
            alpha=0.75,
            label=series.name,
        )
        draw_medians(
            [median(ys) for ys in groups.values()],
            [place - 1.6 * half for place in groups],
            [place + 1.6 * half for place in groups],
            color=colours.INK,
            linewidth=1.6,
            zorder=3,
        )
        mark_failures(axes, figure, n, shift)
    name_categories(axes, figure)


def _spread(place: float, ys: Sequence[float], half: float) -> list[tuple[float, float]]:
    """Return the dots of one group beside each other, in the order of the repeats."""
    if len(ys) < 2:
        return [(place, y) for y in ys]
    return [(place - half + 2 * half * i / (len(ys) - 1), y) for i, y in enumerate(ys)]


# Dots are compared with each other, not with zero.
DRAWING = Drawing(
    draw=draw, horizontal="if-long", from_zero=False, bars_per_category=lambda figure: len(figure.series)
)
