"""Give the axes of matplotlib the scales, limits, ticks and names of a plot."""

import math

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from reportgen.render.figures import colours, names, scales
from reportgen.render.figures.marks import Categories, Numbers, Plot
from reportgen.render.figures.svg.artists import LOWEST_CROSS, NEXT_CROSS

_HEADROOM = 1.05
_LIMIT_ROOM = 0.02
_MARGIN_X, _MARGIN_Y = 0.08, 0.14  # that texts beside points need
_MAX_COLUMN = 20
_CROSS_ROOM = 0.04  # from the highest cross to the values


def arrange(axes: Axes, plot: Plot) -> None:
    """Arrange both axes for what is drawn."""
    place_axis, value_axis = (axes.yaxis, axes.xaxis) if plot.is_flat else (axes.xaxis, axes.yaxis)
    if isinstance(plot.values, Numbers) and plot.values.is_roomy:
        axes.margins(x=_MARGIN_X, y=_MARGIN_Y)
    if isinstance(plot.places, Categories):
        _name_places(axes, plot.places, is_flat=plot.is_flat)
    else:
        _number_places(axes, place_axis, plot.places)
    if isinstance(plot.values, Categories):
        _name_columns(axes, plot.values)
    else:
        _number_values(axes, value_axis, plot.values, is_flat=plot.is_flat)
        if plot.crosses:
            _add_band(axes, value_axis, plot)
        if plot.is_empty:
            value_axis.set_major_locator(NullLocator())


def _number_places(axes: Axes, axis: Axis, numbers: Numbers) -> None:
    if numbers.scale == "log":
        _set_log(axes, axis)
    axis.grid(visible=numbers.has_grid)
    if numbers.ticks:
        # `set_ticks` would lengthen the axis to the first and the last one.
        axis.set_major_locator(FixedLocator(numbers.ticks))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda value, _: scales.size_text(value, numbers.ticks)))
        return
    axis.set_major_locator(MaxNLocator(6, integer=numbers.is_whole))
    axis.set_major_formatter(FuncFormatter(lambda value, _: scales.number_text(value)))


def _number_values(axes: Axes, axis: Axis, numbers: Numbers, *, is_flat: bool) -> None:
    axis.grid(visible=True)
    set_limits = axes.set_xlim if is_flat else axes.set_ylim
    if numbers.scale == "log":
        _set_log(axes, axis)
        axis.set_major_locator(FixedLocator(numbers.ticks))
        axis.set_minor_locator(NullLocator())
    elif is_flat:
        # Numbers side by side need more room.
        axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
    if numbers.limits:
        low, high = numbers.limits
        set_limits(low, high + (high - low) * _LIMIT_ROOM)
    elif numbers.is_from_zero:
        low, high = map(float, axes.dataLim.intervalx if is_flat else axes.dataLim.intervaly)
        if low >= 0 and math.isfinite(high) and high > 0:
            set_limits(0, high * _HEADROOM)
    axis.set_major_formatter(FuncFormatter(lambda value, _: scales.number_text(value)))


def _add_band(axes: Axes, axis: Axis, plot: Plot) -> None:
    """Lengthen the axis of values at its lower end for the crosses of failures, without a tick there."""
    low, high = axes.get_xlim() if plot.is_flat else axes.get_ylim()
    ticks = [tick for tick in axis.get_major_locator().tick_values(low, high) if low <= tick <= high]
    axis.set_major_locator(FixedLocator(ticks))
    transform = axis.get_transform()
    first, last = transform.transform([low, high])
    share = LOWEST_CROSS + NEXT_CROSS * (plot.crosses - 1) + _CROSS_ROOM
    (begin,) = transform.inverted().transform([last - (last - first) / (1 - share)])
    (axes.set_xlim if plot.is_flat else axes.set_ylim)(begin, high)
    draw_line = axes.axvline if plot.is_flat else axes.axhline
    draw_line(low, color=colours.INK, linewidth=0.6, linestyle=(0, (1, 3)))


def _set_log(axes: Axes, axis: Axis) -> None:
    if axis is axes.xaxis:
        axes.set_xscale("log")
    else:
        axes.set_yscale("log")


def _name_places(axes: Axes, places: Categories, *, is_flat: bool) -> None:
    """Put the name of each category at the axis, the first one on top if they are below each other."""
    count = len(places.names)
    if is_flat:
        axes.set_yticks(range(count), labels=names.each_on_two_lines(places.names))
        axes.set_ylim(count - 0.4, -0.6)
        _guide(axes, places)
        return
    axes.set_xlim(-0.6, count - 0.4)
    if places.labels == "groups":
        _name_groups(axes, places)
    else:
        shown = range(0, count, places.every)
        _name_ticks(axes, places, shown, [names.shorten(places.names[i]) for i in shown])


def _guide(axes: Axes, places: Categories) -> None:
    for line in range(len(places.names)):
        if places.guide == "lines":
            axes.axhline(line, color=colours.GRID, linewidth=0.8, zorder=0)
        elif places.guide == "stripes" and line % 2:
            axes.axhspan(line - 0.5, line + 0.5, color=colours.GRID, alpha=0.4, linewidth=0, zorder=0)


def _name_columns(axes: Axes, columns: Categories) -> None:
    shown = range(len(columns.names))
    _name_ticks(axes, columns, shown, [names.shorten(name, most=_MAX_COLUMN) for name in columns.names])
    axes.set_xlim(-0.55, len(columns.names) - 0.45)


def _name_ticks(axes: Axes, categories: Categories, ticks: range, labels: list[str]) -> None:
    is_sloped = categories.labels == "sloped"
    axes.set_xticks(
        ticks,
        labels=labels,
        rotation=30 if is_sloped else 0,
        ha="right" if is_sloped else "center",
        rotation_mode="anchor",
    )


def _name_groups(axes: Axes, places: Categories) -> None:
    groups = names.groups(places.names)
    axes.set_xticks(range(len(places.names)), labels=[inner for _, group in groups for inner in group])
    begin = 0
    for outer, group in groups:
        end = begin + len(group)
        axes.annotate(
            names.shorten(outer),
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
