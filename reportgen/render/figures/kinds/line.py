"""line: one line per series over numbers, with error bars."""

from matplotlib.axes import Axes

from reportgen.document.model import Figure
from reportgen.render.figures.encodings import Json, colour, failed_marks, intervals, shape, x_axis, y_axis
from reportgen.render.figures.kinds.base import Drawing, draw_points, label_x, mark_failures, positions


def draw(axes: Axes, figure: Figure) -> None:
    """Draw the lines."""
    for n, series in enumerate(figure.series):
        draw_points(axes, figure, n, positions(figure, series))
        mark_failures(axes, figure, n)
    label_x(axes, figure)


def layers(figure: Figure) -> list[Json]:
    """Return the lines, their intervals and points, and a cross for each failure."""
    encoding = {**x_axis(figure), **y_axis(figure), **colour(figure)}
    return [
        {"mark": "line", "encoding": encoding},
        *intervals(figure),
        {"mark": "point", "encoding": encoding | shape(figure)},
        *failed_marks(figure, **x_axis(figure)),
    ]


DRAWING = Drawing(draw=draw, layers=layers, has_line_ends=True)
