"""Define a kind of figure, and what kinds share: categories, series styles, error bars, axes.

Values arrive in the unit to show, None where there is nothing; a missing value leaves a gap and is never
drawn as zero. Series differ in colour and in marker or hatching, so a reader need not see colours.
"""

import math
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import groupby
from math import log
from typing import Any, Literal

from matplotlib.axes import Axes
from matplotlib.text import Annotation
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from reportgen.core import units
from reportgen.document.model import Figure, FigureSeries
from reportgen.render.figures import colours, scales

_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")

GROUP_WIDTH = 0.8  # of a group of bars or dots, as a share of the distance between two categories

_MAX_NAME = 34
_MAX_UPRIGHT_NAME = 12
_MAX_CROWD = 55  # characters of all names together, each with a gap of 2
_MAX_TICKS = 10
_MIN_TICK_DISTANCE = 0.06  # as a share of the axis
_MANY_NAMES = 8
# Failures of one x are above each other, from the axis upwards, in shares of its length.
_LOWEST_FAILURE, _NEXT_FAILURE = 0.025, 0.04
_INNER_NAME = " · "
# Names longer than a line are written on two.
_MAX_LINE = 24
_LETTER, _AXIS_WIDTH = 6.4, 380.0  # points


def _one(_figure: Figure) -> int:
    return 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """How figures of one kind are drawn: by matplotlib, and by Vega-Lite in a page.

    draw               draws the series onto axes
    layers             the layers of Vega-Lite that show the same; `encodings` has their parts
    rows               the data of the layers; None for `encodings.rows`
    fields             what a tooltip says of a row; None for `encodings.fields`
    is_bar             lengths show the values, so their axis is linear and begins at zero
    horizontal         when the categories, which x then always is, are below each other
    from_zero          the axis of the values begins at zero
    bars_per_category  how many bars are beside each other
    has_line_ends      a few series are named at the ends of their lines
    has_value_axis     an axis shows the values
    """

    draw: Callable[[Axes, Figure], None]
    layers: Callable[[Figure], list[dict[str, Any]]]
    rows: Callable[[Figure], list[dict[str, Any]]] | None = None
    fields: Callable[[Figure], list[dict[str, Any]]] | None = None
    is_bar: bool = False
    horizontal: Literal["never", "if-long", "always"] = "never"
    from_zero: bool = True
    bars_per_category: Callable[[Figure], int] = _one
    has_line_ends: bool = False
    has_value_axis: bool = True


def drawing_of(figure: Figure) -> Drawing:
    """Return how a figure is drawn: the DRAWING of the module with the name of its kind."""
    name = figure.kind.replace("-", "_")
    drawing: Drawing = import_module(f"reportgen.render.figures.kinds.{name}").DRAWING
    return drawing


def categories(figure: Figure) -> tuple[str, ...]:
    """Return the categories of the figure and of its series; none if x is a number."""
    xs = [x for series in figure.series for x in series.x]
    is_numeric = not figure.categories and not any(isinstance(x, str) for x in xs)
    if is_numeric and drawing_of(figure).horizontal == "never":
        return ()
    return tuple(dict.fromkeys([*figure.categories, *map(_category, xs)]))


def _category(x: float | str) -> str:
    return x if isinstance(x, str) else units.machine(x)


def is_horizontal(figure: Figure) -> bool:
    """Return whether categories are below each other: side by side, long names would need rotating."""
    names, when = categories(figure), drawing_of(figure).horizontal
    is_long = max(map(len, names), default=0) > _MAX_UPRIGHT_NAME
    return when == "always" or (when == "if-long" and is_long and is_crowded(names))


def is_crowded(names: Sequence[str]) -> bool:
    """Return whether the names would overlap below an axis."""
    total = sum(len(name) + 2 for name in names)
    return total > _MAX_CROWD or max(map(len, names), default=0) > 2 * _MAX_UPRIGHT_NAME


def shorten(name: str, most: int = _MAX_NAME) -> str:
    """Return a name without its middle if it is too long to leave room for the plot."""
    return name if len(name) <= most else f"{name[: most // 2]}…{name[-most // 2 + 1 :]}"


def _on_two_lines(name: str) -> str:
    """Return a name on at most two lines; a second line that is too long loses its middle."""
    # A line ends with the dot between two parts, and does not begin with it.
    joined = name.replace(_INNER_NAME, _INNER_NAME.replace(" ", "\N{NO-BREAK SPACE}", 1))
    for width in (_MAX_LINE, _MAX_NAME):
        first, *rest = textwrap.wrap(joined, width) or [""]
        if len(rest) < 2:
            break
    return "\n".join([first, *([shorten(" ".join(rest))] if rest else [])])


def style_of(figure: Figure, position: int) -> int:
    """Return which colour, marker and hatching the series at a position has."""
    colour = figure.series[position].colour
    return position if colour is None else colour


def colour_of(position: int) -> str:
    """Return the colour of a series."""
    return colours.SERIES[position % len(colours.SERIES)]


def marker_of(position: int) -> str:
    """Return the marker of a series; series with equal colours have different markers."""
    return _MARKERS[(position + position // len(colours.SERIES)) % len(_MARKERS)]


def are_named_at_axis(figure: Figure) -> bool:
    """Return whether the series have the names of their categories: a legend would repeat the axis."""
    return all(set(series.x) <= {series.name} for series in figure.series)


def present(series: FigureSeries) -> list[int]:
    """Return the positions of the values that exist."""
    return [i for i, y in enumerate(series.y) if y is not None]


def positions(figure: Figure, series: FigureSeries) -> list[float]:
    """Return where each x is on the axis: its value, or the position of its category."""
    places = {name: float(i) for i, name in enumerate(figure.categories)}
    return [places[_category(x)] if places else float(x) for x in series.x]


def draw_points(axes: Axes, figure: Figure, position: int, places: Sequence[float], **style: Any) -> None:
    """Draw the values of a series as points with their intervals, at places of the categories or of x."""
    series, look = figure.series[position], style_of(figure, position)
    shown, flat = present(series), is_horizontal(figure)
    x, y = along(figure, [places[i] for i in shown], [series.y[i] or 0.0 for i in shown])
    ends = errors(series, shown)
    axes.errorbar(
        x,
        y,
        xerr=ends if flat else None,
        yerr=None if flat else ends,
        color=colour_of(look),
        marker=marker_of(look),
        capsize=2.5,
        elinewidth=1.0,
        label=series.name,
        **style,
    )


class PointLabel(Annotation):
    """A text beside a point, which the frame moves or hides where it would be on another."""


def label_points(axes: Axes, figure: Figure, position: int, places: Sequence[float]) -> None:
    """Write the labels of a series beside its points."""
    series = figure.series[position]
    for place, y, label in zip(places, series.y, series.labels, strict=False):
        if y is not None:
            axes.add_artist(
                PointLabel(label, (place, y), (-5, 5), textcoords="offset points", size=9.0, clip_on=False)
            )


def errors(series: FigureSeries, shown: Sequence[int]) -> list[list[float]] | None:
    """Return the lengths of the error bars below and above; NaN (nothing drawn) if there is none."""
    if not series.low or not series.high:
        return None
    below, above = [], []
    for i in shown:
        y, low, high = series.y[i], series.low[i], series.high[i]
        has_bar = y is not None and low is not None and high is not None and low < high
        below.append(max(0.0, (y or 0.0) - (low or 0.0)) if has_bar else math.nan)
        above.append(max(0.0, (high or 0.0) - (y or 0.0)) if has_bar else math.nan)
    return [below, above]


def along(figure: Figure, places: Sequence[float], values: Sequence[float]) -> tuple[Any, Any]:
    """Return x and y on the page: categories that are below each other have their values to the right."""
    return (values, places) if is_horizontal(figure) else (places, values)


def mark_failures(axes: Axes, figure: Figure, position: int, shift: float = 0.0, *, colour: str = "") -> None:
    """Draw a cross at the axis for each case of a series that has no value because it failed.

    shift  from the category, as in a group of bars; colour  instead of that of the series
    """
    series = figure.series[position]
    lost = [i for i, why in enumerate(series.failed) if why]
    if not lost:
        return
    x = positions(figure, series)
    height = _LOWEST_FAILURE + (0.0 if shift else position * _NEXT_FAILURE)
    flat = is_horizontal(figure)
    axes.plot(
        *along(figure, [x[i] + shift for i in lost], [height] * len(lost)),
        transform=axes.get_yaxis_transform() if flat else axes.get_xaxis_transform(),
        color=colour or colour_of(style_of(figure, position)),
        linestyle="none",
        marker="x",
        markersize=5.5,
        markeredgewidth=1.6,
        zorder=4,
    )


def failures(figure: Figure) -> tuple[str, ...]:
    """Return why cases of a figure have no value, each reason once."""
    return tuple(sorted({why for series in figure.series for why in series.failed if why}))


def label_x(axes: Axes, figure: Figure) -> None:
    """Put a tick at each x, without those whose labels would overlap."""
    if figure.categories:
        name_categories(axes, figure)
        return
    ticks = x_ticks(figure)
    if not ticks:
        number_x(axes, figure)
        return
    if scales.x_scale(figure) == "log":
        axes.set_xscale("log")
    axes.set_xticks(ticks, labels=[scales.size_text(value, ticks[::-1]) for value in ticks])
    axes.set_xticks([], minor=True)


def x_ticks(figure: Figure) -> list[float]:
    """Return the numbers at which x has a tick, largest first; none if they are too many to choose from."""
    values = scales.numbers(figure)
    if not values:
        return []
    place: Callable[[float], float] = log if scales.x_scale(figure) == "log" else float
    distance = (place(values[-1]) - place(values[0])) * _MIN_TICK_DISTANCE
    kept = values[-1:]
    for value in reversed(values[:-1]):
        if place(kept[-1]) - place(value) >= distance:
            kept.append(value)
    return kept if len(kept) <= _MAX_TICKS else []


def number_x(axes: Axes, figure: Figure) -> None:
    """Put round numbers at the x axis, for measured values."""
    axes.grid(visible=True, axis="x")
    if scales.x_scale(figure) == "log":
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(10, subs=(1.0, 2.0, 5.0)))
        axes.xaxis.set_minor_locator(NullLocator())
    else:
        axes.xaxis.set_major_locator(MaxNLocator(6))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: scales.number_text(value)))


def name_categories(axes: Axes, figure: Figure) -> None:
    """Put the name of each category at the axis, the first one on top if they are below each other."""
    names = figure.categories
    labels = [shorten(name) for name in names]
    if is_horizontal(figure):
        labels = [_on_two_lines(name) for name in names]
        axes.set_yticks(range(len(names)), labels=labels)
        axes.set_ylim(len(names) - 0.4, -0.6)
        axes.grid(visible=False, axis="y")
        axes.grid(visible=True, axis="x")
        return
    axes.set_xlim(-0.6, len(names) - 0.4)
    if has_two_levels(figure):
        _name_groups(axes, names)
        return
    is_sloped = is_crowded(names)
    axes.set_xticks(
        range(len(names)),
        labels=labels,
        rotation=30 if is_sloped else 0,
        ha="right" if is_sloped else "center",
        rotation_mode="anchor",
    )


def has_two_levels(figure: Figure) -> bool:
    """Return whether names of two parts are written on two lines, the first part once for its neighbours."""
    parts = [name.split(_INNER_NAME) for name in figure.categories]
    if is_horizontal(figure) or len(parts) <= _MANY_NAMES or {len(part) for part in parts} != {2}:
        return False
    outer = [name for name, _ in groupby(part[0] for part in parts)]
    widest = max(len(part[1]) for part in parts) * _LETTER
    return len(outer) == len(set(outer)) and widest <= _AXIS_WIDTH / len(parts)


def _name_groups(axes: Axes, names: Sequence[str]) -> None:
    parts = [name.split(_INNER_NAME) for name in names]
    axes.set_xticks(range(len(names)), labels=[inner for _, inner in parts])
    begin = 0
    for outer, group in groupby(parts, key=lambda part: part[0]):
        end = begin + len(list(group))
        axes.annotate(
            shorten(outer),
            xy=((begin + end - 1) / 2, 0),
            xycoords=axes.get_xaxis_transform(),
            xytext=(0, -20),
            textcoords="offset points",
            ha="center",
            va="top",
            weight="bold",
        )
        if begin:
            axes.axvline(begin - 0.5, color=colours.GRID, linewidth=1.2, zorder=0)
        begin = end
