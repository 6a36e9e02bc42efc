"""strip: every repeat as a dot, and the median of each category as a short line."""

from dataclasses import dataclass
from statistics import median

from matplotlib.axes import Axes

from reportgen.document.model import Figure, FigureSeries
from reportgen.render.figures import colours
from reportgen.render.figures.encodings import (
    Json,
    colour,
    failed_marks,
    names,
    place_of,
    row,
    shape,
    x_axis,
    y_axis,
)
from reportgen.render.figures.kinds.base import (
    GROUP_WIDTH,
    Drawing,
    along,
    colour_of,
    is_horizontal,
    mark_failures,
    marker_of,
    name_categories,
    positions,
    style_of,
)

_SPREAD = 0.18  # half the width over which the repeats of a category are spread


def draw(axes: Axes, figure: Figure) -> None:
    """Draw the dots and medians of each series."""
    draw_medians = axes.vlines if is_horizontal(figure) else axes.hlines
    for n, series in enumerate(figure.series):
        shift, half = _shift(figure, n), _half_width(figure)
        groups = _repeats(figure, series)
        style = style_of(figure, n)
        axes.plot(
            *along(
                figure,
                [group.place + shift + dot for group in groups for dot in group.dots(half)],
                [series.y[i] or 0.0 for group in groups for i in group.members],
            ),
            linestyle="none",
            marker=marker_of(style),
            color=colour_of(style),
            markersize=4.5,
            alpha=0.75,
            label=series.name,
        )
        draw_medians(
            [group.median(series) for group in groups],
            [group.place + shift - 1.6 * half for group in groups],
            [group.place + shift + 1.6 * half for group in groups],
            color=colours.INK,
            linewidth=1.6,
            zorder=3,
        )
        mark_failures(axes, figure, n, shift)
    name_categories(axes, figure)


@dataclass(frozen=True, slots=True)
class _RepeatsAtX:
    """The repeats of a series at one x.

    place  of x on the axis; members  positions of the repeats in the series
    """

    place: float
    members: list[int]

    def dots(self, half: float) -> list[float]:
        """Return where the dots are, relative to the middle, in the order of the repeats."""
        count = len(self.members)
        return [0.0 if count < 2 else -half + 2 * half * i / (count - 1) for i in range(count)]

    def median(self, series: FigureSeries) -> float:
        """Return the median of the repeats."""
        return median(series.y[i] or 0.0 for i in self.members)


def _repeats(figure: Figure, series: FigureSeries) -> list[_RepeatsAtX]:
    groups: dict[float, _RepeatsAtX] = {}
    for i, place in enumerate(positions(figure, series)):
        if series.y[i] is not None:
            groups.setdefault(place, _RepeatsAtX(place, [])).members.append(i)
    return list(groups.values())


def _shift(figure: Figure, n: int) -> float:
    """Return how far a series is from the middle of its category, whose width is 1."""
    count = len(figure.series)
    return (n - (count - 1) / 2) * GROUP_WIDTH / count


def _half_width(figure: Figure) -> float:
    """Return half of the width over which the repeats of a series are spread."""
    return _SPREAD / max(1, len(figure.series))


def layers(figure: Figure) -> list[Json]:
    """Return the dots, a short line at each median, and a cross for each failure."""
    flat = is_horizontal(figure)
    offset = {"field": "shift", "type": "quantitative", "scale": {"domain": [-0.5, 0.5]}}
    place = {**x_axis(figure, 1.0), "yOffset" if flat else "xOffset": offset}
    medians = [
        {
            "series": name,
            "x": place_of(figure, series.x[group.members[0]]),
            "shift": _shift(figure, n),
            "y": group.median(series),
        }
        for n, (name, series) in enumerate(zip(names(figure), figure.series, strict=True))
        for group in _repeats(figure, series)
    ]
    shifts = {name: {"shift": _shift(figure, n)} for n, name in enumerate(names(figure))}
    return [
        {
            "mark": {"type": "point", "size": 35},
            "encoding": {**place, **y_axis(figure), **colour(figure), **shape(figure)},
        },
        {
            "data": {"values": medians},
            "mark": {"type": "point", "style": "median", "shape": "stroke", "angle": 90 if flat else 0},
            "encoding": {**place, **y_axis(figure)},
        },
        *failed_marks(figure, shifts, **place),
    ]


def spread_rows(figure: Figure) -> list[Json]:
    """Return a row for each repeat, with its place within its category."""
    spread = [
        row(figure, name, series, i) | {"shift": _shift(figure, n) + dot}
        for n, (name, series) in enumerate(zip(names(figure), figure.series, strict=True))
        for group in _repeats(figure, series)
        for i, dot in zip(group.members, group.dots(_half_width(figure)), strict=True)
    ]
    return [{field: value for field, value in each.items() if field != "repeats"} for each in spread]


# Dots are compared with each other, not with zero.
DRAWING = Drawing(
    draw=draw,
    layers=layers,
    rows=spread_rows,
    horizontal="if-long",
    from_zero=False,
    bars_per_category=lambda figure: len(figure.series),
)
