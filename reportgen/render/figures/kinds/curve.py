"""curve: a value over sizes that double, such as message or batch sizes, with a band for its intervals."""

import math

from matplotlib.axes import Axes

from reportgen.document.model import Figure, FigureSeries
from reportgen.render.figures.encodings import (
    HAS_INTERVAL,
    Json,
    colour,
    failed_marks,
    shape,
    x_axis,
    y_axis,
    y_end,
)
from reportgen.render.figures.kinds.base import (
    Drawing,
    colour_of,
    label_x,
    mark_failures,
    marker_of,
    positions,
    present,
    style_of,
)


def draw(axes: Axes, figure: Figure) -> None:
    """Draw each line over its band."""
    for n, series in enumerate(figure.series):
        shown, x = present(series), positions(figure, series)
        places, look = [x[i] for i in shown], style_of(figure, n)
        ends = [_ends(series, i) for i in shown]
        axes.fill_between(
            places,
            [low for low, _ in ends],
            [high for _, high in ends],
            color=colour_of(look),
            alpha=0.2,
            linewidth=0,
        )
        axes.plot(
            places,
            [series.y[i] or 0.0 for i in shown],
            color=colour_of(look),
            marker=marker_of(look),
            label=series.name,
        )
        mark_failures(axes, figure, n)
    label_x(axes, figure)


def _ends(series: FigureSeries, position: int) -> tuple[float, float]:
    """Return the ends of an interval, NaN (nothing drawn) where there is none."""
    low, high = (ends[position] if ends else None for ends in (series.low, series.high))
    return (math.nan, math.nan) if low is None or high is None else (low, high)


def layers(figure: Figure) -> list[Json]:
    """Return the bands, the lines with their points, and a cross for each failure."""
    encoding = {**x_axis(figure), **y_axis(figure), **colour(figure)}
    band = {
        "transform": [{"filter": HAS_INTERVAL}],
        "mark": {"type": "area", "opacity": 0.2, "aria": False, "tooltip": None},
        "encoding": {**x_axis(figure), **y_axis(figure, "low"), **y_end(figure, "high"), **colour(figure)},
    }
    has_band = any(low is not None for series in figure.series for low in series.low)
    return [
        *([band] if has_band else []),
        {"mark": "line", "encoding": encoding},
        {"mark": "point", "encoding": encoding | shape(figure)},
        *failed_marks(figure, **x_axis(figure)),
    ]


DRAWING = Drawing(draw=draw, layers=layers, has_line_ends=True)
