"""latency-throughput: latency over throughput, a line per system, each point with the size that varies."""

from matplotlib.axes import Axes

from reportgen.document.model import Figure
from reportgen.render.figures.encodings import Json, colour, names, row, shape, x_axis, y_axis
from reportgen.render.figures.kinds.base import Drawing, draw_points, label_points, number_x, positions


def draw(axes: Axes, figure: Figure) -> None:
    """Draw the lines in the order of the rows, and the labels above their points."""
    for n, series in enumerate(figure.series):
        x = positions(figure, series)
        draw_points(axes, figure, n, x)
        label_points(axes, figure, n, x)
    number_x(axes, figure)
    axes.margins(x=0.08, y=0.14)


def layers(figure: Figure) -> list[Json]:
    """Return the lines in the order of their points, the points, and their labels."""
    place = {**x_axis(figure), **y_axis(figure)}
    encoding = {**place, **colour(figure)}
    text = {"type": "text", "align": "right", "dx": -6, "dy": -6, "aria": False, "tooltip": None}
    return [
        {"mark": "line", "encoding": encoding | {"order": {"field": "order", "type": "quantitative"}}},
        {"mark": "point", "encoding": encoding | shape(figure)},
        {"mark": text, "encoding": place | {"text": {"field": "label"}}},
    ]


def labelled_rows(figure: Figure) -> list[Json]:
    """Return a row for each point with its label and its place along the line."""
    return [
        row(figure, name, series, i) | {"label": label, "order": i}
        for name, series in zip(names(figure), figure.series, strict=True)
        for i, label in enumerate(series.labels or [""] * len(series.x))
        if series.y[i] is not None
    ]


DRAWING = Drawing(draw=draw, layers=layers, rows=labelled_rows)
