"""Draw marks with matplotlib: one function for each type of mark, in the order of the plot."""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import singledispatch
from itertools import groupby
from typing import Any

from matplotlib.axes import Axes
from matplotlib.text import Annotation

from reportgen.render.figures import colours
from reportgen.render.figures.marks import (
    Areas,
    Bars,
    Categories,
    Cells,
    ChangeMark,
    Crosses,
    Dashes,
    Ideal,
    Intervals,
    LegendSeries,
    LevelLine,
    Lines,
    Mark,
    MarkRow,
    Place,
    Plot,
    Points,
    Rows,
    Segments,
    Targets,
    Texts,
)
from reportgen.render.figures.names import shorten

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_HATCHES = ("", "///", "...", "xxx", "\\\\\\", "---", "+++", "ooo")
_DASHES = ("-", "--", ":")
# Crosses of one place are above each other, from the axis upwards, in shares of its length.
LOWEST_CROSS, NEXT_CROSS = 0.025, 0.04
CROSS: dict[str, Any] = {"linestyle": "none", "marker": "x", "markersize": 5.5, "markeredgewidth": 1.6}
DATA = 2.0  # of all that is drawn in the order of the marks; texts are above
_SMALL = 9.0
_MAX_CHANGE = 24
_TEXT_HEIGHT = 0.06  # of the text of a change, as a share of the axis


def line_style(series: LegendSeries) -> dict[str, Any]:
    """Return how the line of a series looks; lines with equal colours have different dashes."""
    dashes = _DASHES[colours.repeat(series.look, len(_DASHES))]
    return {"color": colours.series(series.look), "linestyle": dashes}


def bar_style(series: LegendSeries) -> dict[str, Any]:
    """Return how the bars of a series look; bars with equal colours have different hatching."""
    return {
        "facecolor": colours.series(series.look),
        "hatch": _HATCHES[colours.repeat(series.look, len(_HATCHES))],
        "edgecolor": colours.PAPER,
        "linewidth": 0.0,
        "zorder": DATA,
    }


class PointLabel(Annotation):
    """A text beside a point, which the frame moves or hides where it would be on another."""


class Space:
    """Where the rows of a plot are in the coordinates of its axes."""

    def __init__(self, plot: Plot) -> None:
        names = plot.places.names if isinstance(plot.places, Categories) else ()
        self._numbers = {name: float(number) for number, name in enumerate(names)}
        self._has_columns = isinstance(plot.values, Categories)
        self.is_flat = plot.is_flat

    def place(self, place: Place, shift: float = 0.0) -> float:
        """Return where a place is along its axis."""
        return (float(place) if isinstance(place, float) else self._numbers[place]) + shift

    def value(self, row: MarkRow) -> float:
        """Return where a row is along the axis of the values; NaN if it has no value."""
        if self._has_columns:
            return float(row.series)
        return math.nan if row.value is None else row.value

    def along(self, places: Sequence[float], values: Sequence[float]) -> tuple[Any, Any]:
        """Return x and y on the page."""
        return (values, places) if self.is_flat else (places, values)

    def points(self, rows: Sequence[MarkRow]) -> tuple[Any, Any]:
        """Return x and y of rows."""
        return self.along([self.place(row.place, row.shift) for row in rows], [*map(self.value, rows)])


def _by_series(plot: Plot, rows: Rows) -> Iterator[tuple[LegendSeries, list[MarkRow]]]:
    for number, group in groupby(sorted(rows, key=lambda row: row.series), key=lambda row: row.series):
        yield plot.series[number], list(group)


def draw(axes: Axes, plot: Plot) -> None:
    """Draw all marks."""
    space = Space(plot)
    for mark in plot.marks:
        _draw(mark, axes, plot, space)


@singledispatch
def _draw(mark: Mark, axes: Axes, plot: Plot, space: Space) -> None:
    raise TypeError(mark)


@_draw.register
def _points(mark: Points, axes: Axes, plot: Plot, space: Space) -> None:
    for series, rows in _by_series(plot, mark.rows):
        axes.plot(
            *space.points([row for row in rows if row.value is not None]),
            linestyle="none",
            marker=MARKERS[colours.marker(series.look)],
            color=colours.series(series.look),
            markersize=mark.size,
            alpha=mark.opacity,
        )


@_draw.register
def _targets(_mark: Targets, _axes: Axes, _plot: Plot, _space: Space) -> None:
    """Draw nothing: a reader cannot point at a mark in a file."""


@_draw.register
def _lines(mark: Lines, axes: Axes, plot: Plot, space: Space) -> None:
    look = {"color": colours.IDEAL, "alpha": 0.6}
    for series, rows in _by_series(plot, mark.rows):
        rows = rows if mark.is_in_order else sorted(rows, key=lambda row: space.place(row.place))
        axes.plot(
            *space.points(rows),
            linewidth=mark.width,
            drawstyle="steps-post" if mark.is_stairs else "default",
            **(look if mark.name else line_style(series)),
        )


@_draw.register
def _ideal(mark: Ideal, axes: Axes, _plot: Plot, space: Space) -> None:
    x, y = space.along(*zip(*mark.points, strict=True))
    axes.plot(x, y, color=colours.IDEAL, linestyle="--", linewidth=1.2)


@_draw.register
def _bars(mark: Bars, axes: Axes, plot: Plot, space: Space) -> None:
    for series, rows in _by_series(plot, mark.rows):
        places = [space.place(row.place, row.shift) for row in rows]
        begins = [0.0 if mark.begin == "zero" else row.low or 0.0 for row in rows]
        lengths = [row.value or 0.0 for row in rows]
        if space.is_flat:
            axes.barh(places, lengths, mark.width, left=begins, **bar_style(series))
        else:
            axes.bar(places, lengths, mark.width, bottom=begins, **bar_style(series))


@_draw.register
def _cells(mark: Cells, axes: Axes, _plot: Plot, space: Space) -> None:
    for row in mark.rows:
        if row.value is not None:
            axes.barh(
                [space.place(row.place)],
                [0.98],
                mark.size,
                left=[row.series - 0.49],
                color=[row.fill],
                zorder=DATA,
            )


@_draw.register
def _intervals(mark: Intervals, axes: Axes, plot: Plot, space: Space) -> None:
    draw_lines = axes.hlines if space.is_flat else axes.vlines
    for series, rows in _by_series(plot, mark.rows):
        colour = colours.INK if mark.is_ink else colours.series(series.look)
        known = [row for row in rows if row.has_interval]
        places = [space.place(row.place, row.shift) for row in known]
        low, high = [row.low or 0.0 for row in known], [row.high or 0.0 for row in known]
        draw_lines(places, low, high, color=colour, linewidth=1.0)
        for ends in (low, high) if known and mark.cap else ():
            axes.plot(
                *space.along(places, ends),
                color=colour,
                linestyle="none",
                marker="|" if space.is_flat else "_",
                markersize=2 * mark.cap,
            )


@_draw.register
def _areas(mark: Areas, axes: Axes, plot: Plot, space: Space) -> None:
    fill = axes.fill_betweenx if space.is_flat else axes.fill_between
    for series, rows in _by_series(plot, mark.rows):
        ordered = sorted(rows, key=lambda row: space.place(row.place))
        fill(
            [space.place(row.place, row.shift) for row in ordered],
            [math.nan if row.low is None else row.low for row in ordered],
            [math.nan if row.high is None else row.high for row in ordered],
            color=colours.series(series.look),
            alpha=0.2,
            linewidth=0,
            zorder=DATA,
        )


@_draw.register
def _ticks(mark: Dashes, axes: Axes, _plot: Plot, space: Space) -> None:
    draw_lines = axes.vlines if space.is_flat else axes.hlines
    places = [space.place(row.place, row.shift) for row in mark.rows]
    half = mark.length / 2
    draw_lines(
        [*map(space.value, mark.rows)],
        [place - half for place in places],
        [place + half for place in places],
        color=colours.INK,
        linewidth=1.6,
    )


@_draw.register
def _segments(mark: Segments, axes: Axes, plot: Plot, space: Space) -> None:
    for ends in mark.ends:
        colour = colours.INK if mark.is_ink else colours.series(plot.series[ends[0].series].look)
        axes.plot(*space.points(ends), color=colour, linewidth=mark.width)


@_draw.register
def _crosses(mark: Crosses, axes: Axes, plot: Plot, space: Space) -> None:
    transform = axes.get_yaxis_transform() if space.is_flat else axes.get_xaxis_transform()
    for series, rows in _by_series(plot, mark.rows):
        places = [space.place(row.place, row.shift) for row in rows]
        heights = [LOWEST_CROSS + NEXT_CROSS * row.lift for row in rows]
        colour = colours.INK if mark.is_ink else colours.series(series.look)
        x, y = space.along(places, heights)
        axes.plot(x, y, transform=transform, color=colour, **CROSS)


@_draw.register
def _texts(mark: Texts, axes: Axes, _plot: Plot, space: Space) -> None:
    for row in mark.rows:
        x, y = space.along([space.place(row.place, row.shift)], [space.value(row)])
        if mark.where == "cell":
            axes.text(x[0], y[0], row.text, ha="center", va="center", color=row.ink)
        elif row.value is not None:
            label = PointLabel(
                row.text, (x[0], y[0]), (-5, 5), textcoords="offset points", size=_SMALL, clip_on=False
            )
            axes.add_artist(label)


@_draw.register
def _level(mark: LevelLine, axes: Axes, _plot: Plot, space: Space) -> None:
    flat = space.is_flat
    draw_line = axes.axvline if flat else axes.axhline
    draw_line(mark.value, color=colours.INK, linestyle="--", linewidth=1.0)
    axes.annotate(
        mark.name,
        xy=(mark.value, 1) if flat else (1, mark.value),
        xycoords=("data", "axes fraction") if flat else ("axes fraction", "data"),
        xytext=(3, -3) if flat else (0, 2),
        textcoords="offset points",
        ha="left" if flat else "right",
        va="top" if flat else "bottom",
        size=_SMALL,
    )


@_draw.register
def _change(mark: ChangeMark, axes: Axes, plot: Plot, space: Space) -> None:
    colour = colours.series(plot.series[mark.series].look)
    first = space.place(mark.first, mark.shift)
    if mark.is_step:
        axes.axvline(first, color=colour, linestyle="--", linewidth=1.0)
    else:
        axes.axvspan(first, space.place(mark.last), color=colour, alpha=0.1, linewidth=0)
    axes.text(
        space.place(mark.first, mark.text_shift),
        0.99 - _TEXT_HEIGHT * mark.line,
        shorten(mark.text, most=_MAX_CHANGE),
        transform=axes.get_xaxis_transform(),
        color=colour,
        size=_SMALL,
        va="top",
    )


def make_room(axes: Axes, plot: Plot) -> None:
    """Lengthen the axis of the values for the texts of changes at its upper end."""
    lines = max((mark.line + 1 for mark in plot.marks if isinstance(mark, ChangeMark)), default=0)
    if lines:
        place: Callable[[float], float] = math.log if axes.get_yscale() == "log" else float
        back: Callable[[float], float] = math.exp if axes.get_yscale() == "log" else float
        low, high = map(place, axes.get_ylim())
        axes.set_ylim(back(low), back(high + (high - low) * _TEXT_HEIGHT * lines))
