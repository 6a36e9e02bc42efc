"""Draw the data of a figure onto axes: one function per kind of figure.

Values arrive in the unit to be shown, None where there is nothing; what is absent leaves a gap and
never becomes a zero. Series differ in colour and in marker or hatching, so that colour is not needed.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

from matplotlib.axes import Axes

from reportgen.core import units
from reportgen.core.results import Figure, FigureKind, FigureSeries
from reportgen.render.figures import colours

_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_HATCHES = ("", "///", "...", "xxx", "\\\\\\", "---", "+++", "ooo")
IDEAL = "Ideal"

# More repeats than this are told apart neither by colour nor in a list.
MOST_NAMED = 10

_SHORT = 12  # characters of a name that is read at a slant
_GROUP = 0.8  # share of the distance between two categories that a group of bars takes
_SPREAD = 0.18  # half the width over which equal repeats are spread in a strip


def draw(axes: Axes, figure: Figure) -> None:
    """Draw the series of a figure, and the ideal line where it has one."""
    figure = replace(figure, categories=_categories(figure))
    _KINDS[figure.kind](axes, figure)
    if figure.ideal:
        x, y = zip(*figure.ideal, strict=True)
        axes.plot(x, y, color=colours.IDEAL, linestyle="--", linewidth=1.2, label=IDEAL, zorder=1)
    # The dots of a strip are compared with one another, everything else with zero.
    if lies(figure) and axes.dataLim.xmin >= 0:
        axes.set_xlim(left=0)
    elif figure.kind != "strip" and axes.dataLim.ymin >= 0:
        axes.set_ylim(bottom=0)


def lies(figure: Figure) -> bool:
    """Return whether bars lie: long names are read beside them, and under them only with the head bent."""
    names = _categories(figure)
    return figure.kind in ("bar", "stacked-bar") and _is_crowded(names) and max(map(len, names)) > _SHORT


def bars_beside(figure: Figure) -> int:
    """Return how many bars lie below one another, 0 where none lie."""
    if not lies(figure):
        return 0
    return len(_categories(figure)) * (len(figure.series) if figure.kind == "bar" else 1)


def shown(name: str, most: int = 50) -> str:
    """Return a name without its middle where it has more letters than leave room for the plot."""
    return name if len(name) <= most else f"{name[: most // 2]}…{name[-most // 2 + 1 :]}"


def _is_crowded(names: Sequence[str]) -> bool:
    return sum(map(len, names)) > 80 or max(map(len, names), default=0) > 24


def unlisted(figure: Figure) -> str:
    """Return what the legend says of the series that it does not name, "" if it names all."""
    rest = len(figure.series) - MOST_NAMED
    return f"{rest:,} not listed" if figure.kind == "series" and rest > 0 else ""


def _categories(figure: Figure) -> tuple[str, ...]:
    """Return the categories, those that only the series know added; none where x is a number."""
    xs = [x for series in figure.series for x in series.x]
    if not figure.categories and figure.kind not in ("bar", "stacked-bar") and _all_numbers(xs):
        return ()
    return tuple(dict.fromkeys([*figure.categories, *map(_category, xs)]))


def _all_numbers(xs: Sequence[float | str]) -> bool:
    return not any(isinstance(x, str) for x in xs)


def _category(x: float | str) -> str:
    return x if isinstance(x, str) else units.machine(x)


def _styles(count: int) -> list[tuple[str, str]]:
    """Return a colour and a marker for each series; where colours begin again they get other markers."""
    return [
        (colours.SERIES[n % len(colours.SERIES)], _MARKERS[(n + n // len(colours.SERIES)) % len(_MARKERS)])
        for n in range(count)
    ]


def _present(series: FigureSeries) -> list[int]:
    return [i for i, y in enumerate(series.y) if y is not None]


def _errors(series: FigureSeries, present: Sequence[int]) -> list[list[float]] | None:
    """Return the lengths of the error bars below and above, NaN (nothing drawn) where there is none."""
    if not series.low or not series.high:
        return None
    below, above = [], []
    for i in present:
        y, low, high = series.y[i], series.low[i], series.high[i]
        has_bar = y is not None and low is not None and high is not None and low < high
        below.append(max(0.0, (y or 0.0) - (low or 0.0)) if has_bar else math.nan)
        above.append(max(0.0, (high or 0.0) - (y or 0.0)) if has_bar else math.nan)
    return [below, above]


def _positions(figure: Figure, series: FigureSeries) -> list[float]:
    """Return where each x stands on the axis: its own value, or the place of its category."""
    places = {name: float(i) for i, name in enumerate(figure.categories)}
    return [places[_category(x)] if places else float(x) for x in series.x]


def _line(axes: Axes, figure: Figure) -> None:
    for series, (colour, marker) in zip(figure.series, _styles(len(figure.series)), strict=True):
        present = _present(series)
        x = _positions(figure, series)
        axes.errorbar(
            [x[i] for i in present],
            [series.y[i] or 0.0 for i in present],
            yerr=_errors(series, present),
            color=colour,
            marker=marker,
            capsize=2.5,
            elinewidth=1.0,
            label=series.name,
        )
    _ticks_at_values(axes, figure)


def _ticks_at_values(axes: Axes, figure: Figure) -> None:
    """Put ticks where values are, leaving out those whose labels would run into one another."""
    if figure.categories:
        _name_categories(axes, figure)
        return
    values = sorted({x for series in figure.series for x in series.x if not isinstance(x, str)})
    if not values:
        return
    apart = (values[-1] - values[0]) * 0.04
    kept = values[-1:]
    for value in reversed(values[:-1]):
        if kept[-1] - value >= apart:
            kept.append(value)
    if len(kept) <= 12:
        axes.set_xticks(kept, labels=[f"{value:,g}" for value in kept])


def _name_categories(axes: Axes, figure: Figure) -> None:
    names = figure.categories
    labels = [shown(name) for name in names]
    if lies(figure):
        axes.set_yticks(range(len(names)), labels=labels)
        axes.set_ylim(len(names) - 0.4, -0.6)  # the first on top
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


def _bar(axes: Axes, figure: Figure) -> None:
    width = _GROUP / max(1, len(figure.series))
    for n, series in enumerate(figure.series):
        present = _present(series)
        x = _positions(figure, series)
        shift = (n - (len(figure.series) - 1) / 2) * width
        style = {**_bar_style(n), "label": series.name}
        places, values = [x[i] + shift for i in present], [series.y[i] or 0.0 for i in present]
        if lies(figure):
            axes.barh(places, values, width * 0.94, xerr=_errors(series, present), **style)
        else:
            axes.bar(places, values, width * 0.94, yerr=_errors(series, present), **style)
    _name_categories(axes, figure)


def _bar_style(n: int) -> dict[str, Any]:
    hatch = _HATCHES[n // len(colours.SERIES) % len(_HATCHES)]
    return {
        "color": colours.SERIES[n % len(colours.SERIES)],
        "hatch": hatch,
        "edgecolor": colours.PAPER,
        "linewidth": 0.0,
        "error_kw": {"ecolor": colours.INK, "elinewidth": 1.0, "capsize": 2.5},
    }


def _stacked_bar(axes: Axes, figure: Figure) -> None:
    tops = [0.0] * max(1, len(figure.categories))
    for n, series in enumerate(figure.series):
        present = _present(series)
        style = {**_bar_style(n), "label": series.name}
        x = _positions(figure, series)
        places = [int(x[i]) for i in present]
        values = [series.y[i] or 0.0 for i in present]
        base = [tops[place] for place in places]
        if lies(figure):
            axes.barh(places, values, _GROUP * 0.75, left=base, **style)
        else:
            axes.bar(places, values, _GROUP * 0.75, bottom=base, **style)
        for place, value in zip(places, values, strict=True):
            tops[place] = math.fsum((tops[place], value))
    _name_categories(axes, figure)


def _strip(axes: Axes, figure: Figure) -> None:
    """Draw every repeat as a dot and the median of equal x as a short line."""
    count = len(figure.series)
    for n, (series, (colour, marker)) in enumerate(zip(figure.series, _styles(count), strict=True)):
        shift = (n - (count - 1) / 2) * _GROUP / count if figure.categories else 0.0
        groups: dict[float, list[float]] = {}
        for place, y in zip(_positions(figure, series), series.y, strict=True):
            if y is not None:
                groups.setdefault(place + shift, []).append(y)
        half = (_SPREAD if figure.categories else 0.0) / count
        dots = [(x, y) for place, ys in groups.items() for x, y in _spread(place, ys, half)]
        axes.plot(
            [x for x, _ in dots],
            [y for _, y in dots],
            linestyle="none",
            marker=marker,
            color=colour,
            markersize=4.5,
            alpha=0.75,
            label=series.name,
        )
        axes.hlines(
            [median(ys) for ys in groups.values()],
            [place - 1.6 * half for place in groups],
            [place + 1.6 * half for place in groups],
            color=colours.INK,
            linewidth=1.6,
            zorder=3,
        )
    _ticks_at_values(axes, figure)


def _spread(place: float, ys: Sequence[float], half: float) -> list[tuple[float, float]]:
    """Return the dots of one group side by side, in the order of the repeats."""
    if len(ys) < 2:
        return [(place, y) for y in ys]
    return [(place - half + 2 * half * i / (len(ys) - 1), y) for i, y in enumerate(ys)]


def _series(axes: Axes, figure: Figure) -> None:
    """Draw the steps of each repeat; beyond the first few they are a grey band that is named once."""
    rest = figure.series[MOST_NAMED:]
    for n, series in enumerate(rest):
        y = [math.nan if value is None else value for value in series.y]
        label = unlisted(figure) if n == 0 else None
        axes.plot(_positions(figure, series), y, color=colours.IDEAL, linewidth=0.6, alpha=0.6, label=label)
    for n, series in enumerate(figure.series[:MOST_NAMED]):
        # A step that is absent breaks the line.
        y = [math.nan if value is None else value for value in series.y]
        axes.plot(
            _positions(figure, series),
            y,
            color=colours.SERIES[n % len(colours.SERIES)],
            linewidth=1.0,
            linestyle=("-", "--", ":")[n // len(colours.SERIES) % 3],
            label=series.name,
        )


_KINDS: dict[FigureKind, Callable[[Axes, Figure], None]] = {
    "line": _line,
    "bar": _bar,
    "stacked-bar": _stacked_bar,
    "strip": _strip,
    "series": _series,
}
