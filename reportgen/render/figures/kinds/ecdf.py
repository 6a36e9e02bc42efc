"""ecdf: the share of steps or repeats up to each value; a steep line is steady, a long tail is not."""

from matplotlib.axes import Axes
from msgspec.structs import replace

from reportgen.document.model import Figure
from reportgen.render.figures import colours
from reportgen.render.figures.encodings import Json, colour, names, rows, x_axis, y_axis
from reportgen.render.figures.kinds.base import (
    Drawing,
    colour_of,
    label_x,
    number_x,
    positions,
    present,
    style_of,
)

# More lines cannot be distinguished by colour.
MAX_NAMED = 10
_WHOLE = 100.0  # per cent


def draw(axes: Axes, figure: Figure) -> None:
    """Draw each series as stairs from the axis up to the whole; further ones are grey."""
    for n, series in enumerate(figure.series):
        shown = present(series)
        places = positions(figure, series)
        x = [places[i] for i in shown]
        y = [series.y[i] or 0.0 for i in shown]
        is_named = n < MAX_NAMED
        look = style_of(figure, n)
        label = series.name if is_named else None
        if n == MAX_NAMED:
            label = f"{len(figure.series) - MAX_NAMED:,} not listed"
        axes.plot(
            [*x[:1], *x],
            [0.0, *y] if x else [],
            color=colour_of(look) if is_named else colours.IDEAL,
            linestyle=("-", "--", ":")[look // len(colours.SERIES) % 3],
            linewidth=1.6 if is_named else 0.6,
            drawstyle="steps-post",
            label=label,
        )
    if figure.categories:
        label_x(axes, figure)
    else:
        number_x(axes, figure)
    axes.set_ylim(0, _WHOLE * 1.02)


def layers(figure: Figure) -> list[Json]:
    """Return the grey stairs behind, then the named ones, with a point at each value."""
    named = replace(figure, series=figure.series[:MAX_NAMED])
    place = {**x_axis(figure), **y_axis(figure, scale={"domain": [0, _WHOLE]})}
    is_named = {"field": "series", "oneOf": names(named)}
    stairs = {"type": "line", "interpolate": "step-after"}
    rest = {
        "transform": [{"filter": {"not": is_named}}],
        "mark": stairs | {"style": "rest"},
        "encoding": {**place, "detail": {"field": "series"}},
    }
    return [
        *([rest] if len(figure.series) > MAX_NAMED else []),
        {
            "transform": [{"filter": is_named}],
            "mark": stairs | {"strokeWidth": 1.6},
            "encoding": {**place, **colour(named)},
        },
        {
            "transform": [{"filter": is_named}, {"filter": "datum.y > 0"}],
            "mark": {"type": "point", "size": 12},
            "encoding": {**place, **colour(named)},
        },
    ]


def rows_from_zero(figure: Figure) -> list[Json]:
    """Return a row for each value; each series begins at its first x with nothing."""
    begun: set[str] = set()
    shown: list[Json] = []
    for each in rows(figure):
        if each["series"] not in begun:
            begun.add(each["series"])
            shown.append(each | {"y": 0.0})
        shown.append(each)
    return shown


DRAWING = Drawing(draw=draw, layers=layers, rows=rows_from_zero)
