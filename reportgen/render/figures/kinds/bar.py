"""bar: one bar per series in each category, with error bars."""

from typing import Any

from matplotlib.axes import Axes

from reportgen.document.model import Figure
from reportgen.render.figures import colours
from reportgen.render.figures.encodings import Json, colour, failed_marks, intervals, x_axis, x_offset, y_axis
from reportgen.render.figures.kinds.base import (
    GROUP_WIDTH,
    Drawing,
    colour_of,
    errors,
    is_horizontal,
    mark_failures,
    name_categories,
    positions,
    present,
    style_of,
)

_HATCHES = ("", "///", "...", "xxx", "\\\\\\", "---", "+++", "ooo")
_GAP = 0.94  # width of a bar as a share of its place


def draw(axes: Axes, figure: Figure) -> None:
    """Draw the bars of each category beside each other."""
    width = GROUP_WIDTH / max(1, len(figure.series))
    for n, series in enumerate(figure.series):
        shown = present(series)
        x = positions(figure, series)
        shift = (n - (len(figure.series) - 1) / 2) * width
        style = bar_style(style_of(figure, n)) | {"label": series.name}
        places, values = [x[i] + shift for i in shown], [series.y[i] or 0.0 for i in shown]
        if is_horizontal(figure):
            axes.barh(places, values, width * _GAP, xerr=errors(series, shown), **style)
        else:
            axes.bar(places, values, width * _GAP, yerr=errors(series, shown), **style)
        mark_failures(axes, figure, n, shift)
    name_categories(axes, figure)


def bar_style(position: int) -> dict[str, Any]:
    """Return the style of the bars of a series; bars with equal colours have different hatching."""
    return {
        "color": colour_of(position),
        "hatch": _HATCHES[position // len(colours.SERIES) % len(_HATCHES)],
        "edgecolor": colours.PAPER,
        "linewidth": 0.0,
        "error_kw": {"ecolor": colours.INK, "elinewidth": 1.0, "capsize": 2.5},
    }


def layers(figure: Figure) -> list[Json]:
    """Return the bars, their intervals, and a cross for each failure."""
    offset = x_offset(figure)
    encoding = {**x_axis(figure), **y_axis(figure), **offset, **colour(figure)}
    return [
        {"mark": "bar", "encoding": encoding},
        *intervals(figure, **offset),
        *failed_marks(figure, **x_axis(figure), **offset),
    ]


DRAWING = Drawing(
    draw=draw,
    layers=layers,
    is_bar=True,
    horizontal="if-long",
    bars_per_category=lambda figure: len(figure.series),
)
