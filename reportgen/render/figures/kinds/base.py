"""What a kind of figure is, and what kinds share: categories, series styles, error bars, axes.

Values arrive in the unit to show, None where there is nothing; a missing value leaves a gap and is never
drawn as zero. Series differ in colour and in marker or hatching, so a reader need not see colours.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module

from matplotlib.axes import Axes

from reportgen.core import units
from reportgen.core.results import Figure, FigureSeries
from reportgen.render.figures import colours

_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")

GROUP_WIDTH = 0.8  # of a group of bars or dots, as a share of the distance between two categories

_MAX_NAME = 50
_MAX_UPRIGHT_NAME = 12
_MAX_CROWD = 80  # characters of all names together
_MAX_TICKS = 12
_MIN_TICK_DISTANCE = 0.04  # as a share of the axis


def _one(_figure: Figure) -> int:
    return 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """How figures of one kind are drawn.

    draw               draws the series onto axes
    is_bar             x is always a category, and bars with long names are horizontal
    from_zero          the axis of the values begins at zero
    bars_per_category  how many bars are beside each other
    """

    draw: Callable[[Axes, Figure], None]
    is_bar: bool = False
    from_zero: bool = True
    bars_per_category: Callable[[Figure], int] = _one


def drawing_of(figure: Figure) -> Drawing:
    """Return how a figure is drawn: the DRAWING of the module with the name of its kind."""
    name = figure.kind.replace("-", "_")
    drawing: Drawing = import_module(f"reportgen.render.figures.kinds.{name}").DRAWING
    return drawing


def categories(figure: Figure) -> tuple[str, ...]:
    """Return the categories of the figure and of its series; none if x is a number."""
    xs = [x for series in figure.series for x in series.x]
    if not figure.categories and not drawing_of(figure).is_bar and not any(isinstance(x, str) for x in xs):
        return ()
    return tuple(dict.fromkeys([*figure.categories, *map(_category, xs)]))


def _category(x: float | str) -> str:
    return x if isinstance(x, str) else units.machine(x)


def is_horizontal(figure: Figure) -> bool:
    """Return True for horizontal bars: under vertical bars the long names would need rotating."""
    names = categories(figure)
    return drawing_of(figure).is_bar and _is_crowded(names) and max(map(len, names)) > _MAX_UPRIGHT_NAME


def _is_crowded(names: Sequence[str]) -> bool:
    return sum(map(len, names)) > _MAX_CROWD or max(map(len, names), default=0) > 2 * _MAX_UPRIGHT_NAME


def shorten(name: str, most: int = _MAX_NAME) -> str:
    """Return a name without its middle if it is too long to leave room for the plot."""
    return name if len(name) <= most else f"{name[: most // 2]}…{name[-most // 2 + 1 :]}"


def colour_of(position: int) -> str:
    """Return the colour of a series."""
    return colours.SERIES[position % len(colours.SERIES)]


def marker_of(position: int) -> str:
    """Return the marker of a series; series with equal colours have different markers."""
    return _MARKERS[(position + position // len(colours.SERIES)) % len(_MARKERS)]


def present(series: FigureSeries) -> list[int]:
    """Return the positions of the values that exist."""
    return [i for i, y in enumerate(series.y) if y is not None]


def positions(figure: Figure, series: FigureSeries) -> list[float]:
    """Return where each x is on the axis: its value, or the position of its category."""
    places = {name: float(i) for i, name in enumerate(figure.categories)}
    return [places[_category(x)] if places else float(x) for x in series.x]


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


def label_x(axes: Axes, figure: Figure) -> None:
    """Put a tick at each x, without those whose labels would overlap."""
    if figure.categories:
        name_categories(axes, figure)
        return
    values = sorted({x for series in figure.series for x in series.x if not isinstance(x, str)})
    if not values:
        return
    distance = (values[-1] - values[0]) * _MIN_TICK_DISTANCE
    kept = values[-1:]
    for value in reversed(values[:-1]):
        if kept[-1] - value >= distance:
            kept.append(value)
    if len(kept) <= _MAX_TICKS:
        axes.set_xticks(kept, labels=[f"{value:,g}" for value in kept])


def name_categories(axes: Axes, figure: Figure) -> None:
    """Put the name of each category at the axis, the first one on top if bars are horizontal."""
    names = figure.categories
    labels = [shorten(name) for name in names]
    if is_horizontal(figure):
        axes.set_yticks(range(len(names)), labels=labels)
        axes.set_ylim(len(names) - 0.4, -0.6)
        axes.grid(visible=False, axis="y")
        axes.grid(visible=True, axis="x")
        return
    is_crowded = _is_crowded(names)
    axes.set_xticks(
        range(len(names)),
        labels=labels,
        rotation=30 if is_crowded else 0,
        ha="right" if is_crowded else "center",
    )
    axes.set_xlim(-0.6, len(names) - 0.4)
