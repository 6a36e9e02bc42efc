"""stacked-bar: the series of each category on top of each other, such as the phases of a step."""

import math

from matplotlib.axes import Axes
from msgspec.structs import replace

from reportgen.document.model import Figure
from reportgen.render.figures import colours
from reportgen.render.figures.encodings import Json, colour, failed_marks, names, rows, x_axis, y_axis
from reportgen.render.figures.kinds.bar import bar_style
from reportgen.render.figures.kinds.base import (
    GROUP_WIDTH,
    Drawing,
    is_horizontal,
    mark_failures,
    name_categories,
    positions,
    present,
    style_of,
)

_WIDTH = GROUP_WIDTH * 0.75


def draw(axes: Axes, figure: Figure) -> None:
    """Draw each series on top of those before it."""
    tops = [0.0] * max(1, len(figure.categories))
    for n, series in enumerate(figure.series):
        shown = present(series)
        style = bar_style(style_of(figure, n)) | {"label": series.name}
        x = positions(figure, series)
        places = [int(x[i]) for i in shown]
        values = [series.y[i] or 0.0 for i in shown]
        base = [tops[place] for place in places]
        if is_horizontal(figure):
            axes.barh(places, values, _WIDTH, left=base, **style)
        else:
            axes.bar(places, values, _WIDTH, bottom=base, **style)
        for place, value in zip(places, values, strict=True):
            tops[place] = math.fsum((tops[place], value))
    if figure.series:
        mark_failures(axes, figure, 0, colour=colours.INK)
    name_categories(axes, figure)


def layers(figure: Figure) -> list[Json]:
    """Return the bars, which Vega-Lite stacks in the order of the series, and a cross for each failure."""
    place = x_axis(figure, _WIDTH)
    order = {"order": {"field": "order", "type": "quantitative"}}
    first = replace(figure, series=figure.series[:1])
    return [
        {"mark": "bar", "encoding": {**place, **y_axis(figure, stack="zero"), **colour(figure), **order}},
        *failed_marks(first, **place, color={"value": colours.INK}),
    ]


def ordered_rows(figure: Figure) -> list[Json]:
    """Return the rows with the number of their series."""
    order = {name: n for n, name in enumerate(names(figure))}
    return [row | {"order": order[row["series"]]} for row in rows(figure)]


DRAWING = Drawing(draw=draw, layers=layers, rows=ordered_rows, is_bar=True, horizontal="if-long")
