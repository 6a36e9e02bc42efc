"""series: the steps of every repeat; beyond the first few, repeats are grey lines with one legend entry."""

import math

from matplotlib.axes import Axes
from msgspec.structs import replace

from reportgen.document.model import Figure
from reportgen.render.figures import colours
from reportgen.render.figures.encodings import Json, colour, names, row, x_axis, y_axis
from reportgen.render.figures.kinds.base import Drawing, colour_of, positions

# More lines cannot be distinguished by colour.
MAX_NAMED = 10


def draw(axes: Axes, figure: Figure) -> None:
    """Draw one line per repeat; a missing step interrupts the line."""
    rest = figure.series[MAX_NAMED:]
    for n, series in enumerate(rest):
        y = [math.nan if value is None else value for value in series.y]
        label = f"{len(rest):,} not listed" if n == 0 else None
        axes.plot(positions(figure, series), y, color=colours.IDEAL, linewidth=0.6, alpha=0.6, label=label)
    for n, series in enumerate(figure.series[:MAX_NAMED]):
        y = [math.nan if value is None else value for value in series.y]
        axes.plot(
            positions(figure, series),
            y,
            color=colour_of(n),
            linewidth=1.0,
            linestyle=("-", "--", ":")[n // len(colours.SERIES) % 3],
            label=series.name,
        )


def layers(figure: Figure) -> list[Json]:
    """Return the grey lines behind, then the named ones, each with a point at every step."""
    named = replace(figure, series=figure.series[:MAX_NAMED])
    place = {**x_axis(figure), **y_axis(figure)}
    encoding = {**place, **colour(named)}
    is_named = {"field": "series", "oneOf": names(named)}
    grey = {"type": "line", "style": "rest"}
    rest = {
        "transform": [{"filter": {"not": is_named}}],
        "mark": grey,
        "encoding": {**place, "detail": {"field": "series"}},
    }
    shown = [{"filter": is_named}]
    return [
        *([rest] if len(figure.series) > MAX_NAMED else []),
        {"transform": shown, "mark": {"type": "line", "strokeWidth": 1}, "encoding": encoding},
        {
            "transform": [*shown, {"filter": "isValid(datum.y)"}],
            "mark": {"type": "point", "size": 6},
            "encoding": encoding,
        },
    ]


def unbroken_rows(figure: Figure) -> list[Json]:
    """Return a row for each step; a missing one has no value and interrupts the line."""
    return [
        row(figure, name, series, i) | {"y": y}
        for name, series in zip(names(figure), figure.series, strict=True)
        for i, y in enumerate(series.y)
    ]


DRAWING = Drawing(draw=draw, layers=layers, rows=unbroken_rows)
