"""Put titles, ticks and names around the data of a figure.

The title is at the left edge, and the title of the upright axis is above it instead of turned. A
few lines are named at their ends; other series have a legend below.
"""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D
from matplotlib.text import Annotation
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator
from matplotlib.transforms import Bbox

from reportgen.document.model import Figure
from reportgen.render.figures import colours, scales
from reportgen.render.figures.kinds.base import (
    PointLabel,
    are_named_at_axis,
    colour_of,
    drawing_of,
    failures,
    has_two_levels,
    is_horizontal,
    positions,
    present,
    shorten,
    style_of,
)
from reportgen.render.figures.scales import IDEAL

TITLE_SIZE = 12.0

_EDGE = 4.0  # points from the edge of the canvas to the title
_TITLE_WIDTH = 52  # characters of a line of the title
_MAX_TITLE_LINES = 2
# About 70 characters of the legend's font fit side by side; each name has a sign and a gap of 8.
_LEGEND_WIDTH = 70
_LEGEND_SIGN = 8
_MAX_LEGEND_NAME = 50
_GROUP_NAMES_HEIGHT = 18.0
# Lines with more or longer names have a legend.
_MAX_LINE_ENDS = 9
_MAX_END_NAME = 26
_END_GAP, _END_PITCH = 14.0, 12.5  # points from the axes to a name, and from one name to the next
_MARKER = 2.5
_CORNERS = ((-5, 4), (5, 4), (5, -4), (-5, -4))  # points from a point to its label


def label(canvas: Canvas, axes: Axes, figure: Figure) -> None:
    """Name the figure and its axes."""
    lines = _wrapped(figure.title) or [""]
    if len(lines) > _MAX_TITLE_LINES:
        lines = [*lines[: _MAX_TITLE_LINES - 1], " ".join(lines[_MAX_TITLE_LINES - 1 :])]
    title = "\n".join(shorten(line, most=_TITLE_WIDTH) for line in lines)
    width = canvas.get_figwidth() * canvas.dpi
    canvas.suptitle(title, x=_EDGE / width, ha="left", size=TITLE_SIZE, weight="bold")
    values: Axis = axes.yaxis
    upright, flat = scales.values_title(figure), scales.x_title(figure)
    if not drawing_of(figure).has_value_axis:
        flat = f"{figure.x_title} in rows" if figure.x_title else ""
    elif is_horizontal(figure):
        values, upright, flat = axes.xaxis, flat, upright
    if has_two_levels(figure):
        flat = " within ".join(reversed(flat.split(" · ")))
        axes.xaxis.labelpad = _GROUP_NAMES_HEIGHT
    axes.set_title(shorten(upright, most=_LEGEND_WIDTH), loc="left", pad=8)
    axes.set_xlabel(shorten(flat, most=_LEGEND_WIDTH))
    if drawing_of(figure).has_value_axis:
        _set_ticks(values, figure)


def name_reference(axes: Axes, figure: Figure, at: float) -> None:
    """Write what the line at 1.0 is at its upper or right end."""
    flat = is_horizontal(figure)
    axes.annotate(
        scales.reference_name(figure),
        xy=(at, 1) if flat else (1, at),
        xycoords=("data", "axes fraction") if flat else ("axes fraction", "data"),
        xytext=(3, -3) if flat else (0, 2),
        textcoords="offset points",
        ha="left" if flat else "right",
        va="top" if flat else "bottom",
        size=9.0,
    )


def _wrapped(title: str) -> list[str]:
    """Return the lines of a title: as few as possible, and about equally long."""
    fewest = _lines(title, _TITLE_WIDTH)
    widths = range(len(title) // max(1, len(fewest)), _TITLE_WIDTH)
    return next(
        (lines for width in widths if width and len(lines := _lines(title, width)) == len(fewest)), fewest
    )


def _lines(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_on_hyphens=False)


def _set_ticks(values: Axis, figure: Figure) -> None:
    if scales.y_scale(figure, is_bar=drawing_of(figure).is_bar) == "log":
        ys = [y for series in figure.series for y in series.y if y]
        values.set_major_locator(LogLocator(10, subs=scales.log_steps(ys)))
        values.set_minor_locator(NullLocator())
    elif is_horizontal(figure):
        values.set_major_locator(
            MaxNLocator(5, steps=[1, 2, 2.5, 5, 10])
        )  # numbers side by side need more room
    values.set_major_formatter(FuncFormatter(lambda value, _: scales.number_text(value)))


def legend(canvas: Canvas, axes: Axes, figure: Figure, *, but: Sequence[str] = ()) -> int:
    """Name the series and signs below the plot, except those that are named at their ends; return the rows.

    The series have their order, then the reference line, how many series are not named, and what a cross is.
    """
    names = {series.name for series in figure.series}
    pairs = [pair for pair in zip(*axes.get_legend_handles_labels(), strict=True) if pair[1] not in but]
    named = sorted(pairs, key=lambda pair: pair[1] not in names)
    if (len(named) == 1 and not but) or are_named_at_axis(figure):
        named = []
    reasons = failures(figure)
    if reasons:
        named.append((_cross(), " or ".join(reasons)))
    if not named:
        return 0
    handles, texts = zip(*named, strict=True)
    labels = [shorten(text, most=_MAX_LEGEND_NAME) for text in texts]
    columns = max(1, _LEGEND_WIDTH // (max(map(len, labels)) + _LEGEND_SIGN))
    columns = min(columns, len(named))
    canvas.legend(handles, labels, loc="outside lower left", ncols=columns)
    return -(-len(named) // columns)


def _cross() -> Line2D:
    return Line2D(
        [], [], color=colours.INK, linestyle="none", marker="x", markersize=5.5, markeredgewidth=1.6
    )


@dataclass(frozen=True, slots=True, eq=False)
class LineEnd:
    """The last point of a line in data coordinates, and the name beside it."""

    x: float
    y: float
    colour: str
    name: Annotation


def name_line_ends(axes: Axes, figure: Figure) -> list[LineEnd]:
    """Write the names of lines at the right of the axes; nothing if there are many, or one ends early."""
    ends: list[tuple[str, float, float, str]] = []
    for n, series in enumerate(figure.series):
        shown = present(series)
        if shown:
            x = positions(figure, series)
            at = max(shown, key=lambda i: x[i])
            ends.append((series.name, x[at], series.y[at] or 0.0, colour_of(style_of(figure, n))))
    if figure.ideal:
        ends.append((IDEAL, *figure.ideal[-1], colours.IDEAL))
    last = max((x for _, x, _, _ in ends), default=0.0)
    if (
        not drawing_of(figure).has_line_ends
        or not 1 < len(ends) <= _MAX_LINE_ENDS
        or any(x < last or len(name) > _MAX_END_NAME for name, x, _, _ in ends)
    ):
        return []
    return [LineEnd(x, y, colour, _end_name(axes, name, y)) for name, x, y, colour in ends]


def _end_name(axes: Axes, name: str, y: float) -> Annotation:
    return axes.annotate(
        name, xy=(1, y), xycoords=("axes fraction", "data"), xytext=(_END_GAP, 0),
        textcoords="offset points", va="center",
    )  # fmt: skip


def settle(canvas: Canvas, axes: Axes, ends: Sequence[LineEnd]) -> None:
    """Run the layout, then move what depends on where the axes are.

    The title of the upright axis begins at the left edge, and names of lines are moved apart.
    """
    engine = canvas.get_layout_engine()
    if engine is not None:
        engine.execute(canvas)
    canvas.set_layout_engine("none")
    box = axes.get_window_extent()
    axes.set_title(axes.get_title(loc="left"), loc="left", pad=8, x=(_EDGE - box.x0) / box.width)
    _separate_labels(axes)
    points = [axes.transData.transform((end.x, end.y)) for end in ends]
    heights = _apart([round(float(y), 3) for _, y in points], box.y0, box.y1)
    for end, (x, y), height in zip(ends, points, heights, strict=True):
        end.name.set_position((_END_GAP, height - float(y)))
        canvas.add_artist(
            Line2D(
                [float(x), box.x1 + 2, box.x1 + _END_GAP - 3], [float(y), float(y), height],
                color=end.colour, linewidth=0.8, linestyle=":", transform=None,
            )
        )  # fmt: skip


def _separate_labels(axes: Axes) -> None:
    """Move the labels of points to a corner where they are on no other; hide those that find none."""
    labels = [each for each in axes.get_children() if isinstance(each, PointLabel)]
    taken = [_square(*axes.transData.transform(label.xy)) for label in labels]
    for label in labels:
        for x, y in _CORNERS:
            label.set(position=(x, y), ha="right" if x < 0 else "left", va="top" if y < 0 else "bottom")
            box = label.get_window_extent()
            if not any(box.overlaps(other) for other in taken):
                taken.append(box)
                break
        else:
            label.set_visible(False)


def _square(x: float, y: float) -> Bbox:
    """Return the place of a marker."""
    return Bbox.from_extents(x - _MARKER, y - _MARKER, x + _MARKER, y + _MARKER)


def _apart(heights: Sequence[float], low: float, high: float) -> list[float]:
    """Return heights at least one line of text apart, in their order and near where they were."""
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    blocks: list[list[int]] = []
    for i in order:
        blocks.append([i])
        while len(blocks) > 1 and _bottom(heights, blocks[-1], low, high) < _top(
            heights, blocks[-2], low, high
        ):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    moved = list(heights)
    for block in blocks:
        bottom = _bottom(heights, block, low, high)
        for place, i in enumerate(block):
            moved[i] = round(bottom + (place + 0.5) * _END_PITCH, 2)
    return moved


def _bottom(heights: Sequence[float], block: Sequence[int], low: float, high: float) -> float:
    """Return where a block of names begins, centred on the ends of its lines, inside the axes."""
    size = len(block) * _END_PITCH
    middle = sum(heights[i] for i in block) / len(block)
    return max(low - _END_PITCH / 2, min(middle - size / 2, high + _END_PITCH / 2 - size))


def _top(heights: Sequence[float], block: Sequence[int], low: float, high: float) -> float:
    return _bottom(heights, block, low, high) + len(block) * _END_PITCH
