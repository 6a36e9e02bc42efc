"""waterfall: bars that begin where the one before ends, such as the parts from a baseline to a case."""

from matplotlib.axes import Axes

from reportgen.document.model import Figure, FigureSeries
from reportgen.render.figures import colours
from reportgen.render.figures.encodings import Json, colour, fields, x_axis, y_axis, y_end
from reportgen.render.figures.kinds.bar import bar_style
from reportgen.render.figures.kinds.base import (
    GROUP_WIDTH,
    Drawing,
    is_horizontal,
    name_categories,
    positions,
    present,
)

_WIDTH = GROUP_WIDTH * 0.75


def draw(axes: Axes, figure: Figure) -> None:
    """Draw each bar from where it begins, and a line from its end to the next bar."""
    is_flat = is_horizontal(figure)
    for n, series in enumerate(figure.series):
        shown = present(series)
        x = positions(figure, series)
        places, lengths = [x[i] for i in shown], [series.y[i] or 0.0 for i in shown]
        starts = [_start(series, i) for i in shown]
        style = bar_style(n) | {"label": series.name}
        if is_flat:
            axes.barh(places, lengths, _WIDTH, left=starts, **style)
        else:
            axes.bar(places, lengths, _WIDTH, bottom=starts, **style)
    _connect(axes, _ends(figure), is_flat=is_flat)
    name_categories(axes, figure)


def _start(series: FigureSeries, position: int) -> float:
    return (series.low[position] or 0.0) if series.low else 0.0


def _ends(figure: Figure) -> dict[float, float]:
    """Return where each bar ends, by its place."""
    return {
        place: _start(series, i) + (series.y[i] or 0.0)
        for series in figure.series
        for i, place in enumerate(positions(figure, series))
        if series.y[i] is not None
    }


def _connect(axes: Axes, ends: dict[float, float], *, is_flat: bool) -> None:
    """Draw a thin line from the end of each bar to the middle of the next."""
    pairs = [(place, end) for place, end in ends.items() if place + 1 in ends]
    if pairs:
        draw_lines = axes.vlines if is_flat else axes.hlines
        draw_lines(
            [end for _, end in pairs],
            [place for place, _ in pairs],
            [place + 1 for place, _ in pairs],
            color=colours.INK,
            linewidth=0.8,
            zorder=0.5,
        )


def layers(figure: Figure) -> list[Json]:
    """Return the bars, each from where it begins, and the lines between them."""
    ends, names = _ends(figure), figure.categories
    lines = [
        {"x": names[int(place)], "next": names[int(place) + 1], "y": end}
        for place, end in ends.items()
        if place + 1 in ends
    ]
    place, middle = x_axis(figure, _WIDTH), {"bandPosition": 0.5}
    other_end = {"y2" if is_horizontal(figure) else "x2": {"field": "next", **middle}}
    return [
        {
            "data": {"values": lines},
            "mark": {"type": "rule", "style": "interval"},
            "encoding": {**x_axis(figure, _WIDTH, **middle), **y_axis(figure), **other_end},
        },
        {
            "mark": "bar",
            "encoding": {**place, **y_axis(figure, "low"), **y_end(figure, "high"), **colour(figure)},
        },
    ]


def length_fields(figure: Figure) -> list[Json]:
    """Return what a tooltip says: `low` and `high` are the ends of a bar, not an interval."""
    return [{name: value for name, value in field.items() if name != "ends"} for field in fields(figure)]


DRAWING = Drawing(draw=draw, layers=layers, fields=length_fields, is_bar=True, horizontal="if-long")
