"""trend: a line per series over dates or versions, with a dashed line at a step and a band for a drift."""

import math
from typing import Any

from matplotlib.axes import Axes

from reportgen.document.model import Figure, FigureMark
from reportgen.render.figures.encodings import Json, colour, intervals, shape, x_axis, y_axis
from reportgen.render.figures.kinds.base import (
    Drawing,
    colour_of,
    errors,
    marker_of,
    positions,
    present,
    shorten,
    style_of,
)

# Names of dates and versions are of about equal length: more than these would overlap.
_MAX_NAMES = 8
_MAX_TEXT = 24
# Texts of changes are below each other in so many rows, each this share of the axis high.
_TEXT_ROWS, _ROW_HEIGHT = 5, 0.06
_TEXT_PIXELS = 14  # in a page


def draw(axes: Axes, figure: Figure) -> None:
    """Draw the lines, then the changes with their sizes at the upper edge, one below the other."""
    for n, series in enumerate(figure.series):
        shown = present(series)
        x = positions(figure, series)
        axes.errorbar(
            [x[i] for i in shown],
            [series.y[i] or 0.0 for i in shown],
            yerr=errors(series, shown),
            color=colour_of(style_of(figure, n)),
            marker=marker_of(style_of(figure, n)),
            markersize=4.0,
            linewidth=1.0,
            capsize=2.0,
            elinewidth=0.8,
            label=series.name,
        )
    places = {name: float(i) for i, name in enumerate(figure.categories)}
    for row, change in enumerate(figure.changes):
        first, last = places[change.first], places[change.last]
        colour = colour_of(style_of(figure, change.series))
        if first == last:
            axes.axvline(first - 0.5, color=colour, linestyle="--", linewidth=1.0)
        else:
            axes.axvspan(first, last, color=colour, alpha=0.1, linewidth=0)
        axes.text(
            first - (0.4 if first == last else 0.0),
            0.99 - _ROW_HEIGHT * (row % _TEXT_ROWS),
            shorten(change.text, most=_MAX_TEXT),
            transform=axes.get_xaxis_transform(),
            color=colour,
            size=9.0,
            va="top",
        )
    low, high = axes.get_ylim()
    rows = min(len(figure.changes), _TEXT_ROWS)
    axes.set_ylim(low, high + (high - low) * _ROW_HEIGHT * rows)
    _name_some(axes, figure.categories)


def _name_some(axes: Axes, names: tuple[str, ...]) -> None:
    every = max(1, math.ceil(len(names) / _MAX_NAMES))
    shown = range(0, len(names), every)
    labels = [shorten(names[i], most=_MAX_TEXT) for i in shown]
    axes.set_xticks(list(shown), labels=labels, rotation=30, ha="right", rotation_mode="anchor")
    axes.set_xlim(-0.6, len(names) - 0.4)


def layers(figure: Figure) -> list[Json]:
    """Return the changes behind, then the lines, their intervals and points, and the size of each change."""
    encoding = {**_x(figure), **y_axis(figure), **colour(figure)}
    return [
        *(_change(figure, change) for change in figure.changes),
        {"mark": {"type": "line", "strokeWidth": 1}, "encoding": encoding},
        *intervals(figure, **_x(figure)),
        {"mark": {"type": "point", "size": 30}, "encoding": encoding | shape(figure)},
        *(_change_text(figure, row, change) for row, change in enumerate(figure.changes)),
    ]


def _x(figure: Figure, **more: Any) -> Json:
    """Return the channel of x, with the names that fit."""
    every = max(1, math.ceil(len(figure.categories) / _MAX_NAMES))
    names = list(figure.categories[::every])
    axis = {"title": figure.x_title, "values": names, "labelAngle": -30, "labelLimit": 120}
    return x_axis(figure, 1.0, axis=axis, **more)


def _change(figure: Figure, change: FigureMark) -> Json:
    """Return a dashed line before the first point after a step, or a band over a drift."""
    is_step = change.first == change.last
    encoding = _x(figure, field="first", bandPosition=0.0 if is_step else 0.5)
    end = {} if is_step else {"x2": {"field": "last", "bandPosition": 0.5}}
    mark = {"type": "rule", "style": "step"} if is_step else {"type": "rect", "style": "drift"}
    return {
        "data": {"values": [{"first": change.first, "last": change.last}]},
        "mark": mark | {"color": colour_of(style_of(figure, change.series))},
        "encoding": encoding | end,
    }


def _change_text(figure: Figure, row: int, change: FigureMark) -> Json:
    height = _TEXT_PIXELS * (row % _TEXT_ROWS)
    return {
        "data": {"values": [{"first": change.first, "text": shorten(change.text, most=_MAX_TEXT)}]},
        "mark": {
            "type": "text",
            "style": "change",
            "y": height,
            "color": colour_of(style_of(figure, change.series)),
        },
        "encoding": _x(figure, field="first", bandPosition=0.1) | {"text": {"field": "text"}},
    }


# Points are compared with each other, not with zero.
DRAWING = Drawing(draw=draw, layers=layers, from_zero=False)
