"""Put titles, names and a legend around the data of a plot.

The title is at the left edge, and the title of the upright axis is above it instead of turned. A
few lines are named at their ends; other series have a legend below.
"""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox

from reportgen.render.figures import colours, names
from reportgen.render.figures.marks import Bars, Categories, Ideal, Lines, Plot, Points
from reportgen.render.figures.names import shorten
from reportgen.render.figures.svg.artists import CROSS, MARKERS, PointLabel, Space, bar_style, line_style

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


def label(canvas: Canvas, axes: Axes, plot: Plot) -> None:
    """Name the figure and its axes."""
    lines = _wrapped(plot.title) or [""]
    if len(lines) > _MAX_TITLE_LINES:
        lines = [*lines[: _MAX_TITLE_LINES - 1], " ".join(lines[_MAX_TITLE_LINES - 1 :])]
    title = "\n".join(shorten(line, most=_TITLE_WIDTH) for line in lines)
    width = canvas.get_figwidth() * canvas.dpi
    canvas.suptitle(title, x=_EDGE / width, ha="left", size=TITLE_SIZE, weight="bold")
    upright, level = (plot.places, plot.values) if plot.is_flat else (plot.values, plot.places)
    level_title = level.title
    if isinstance(level, Categories) and level.labels == "groups":
        level_title = names.group_title(level.title)
        axes.xaxis.labelpad = _GROUP_NAMES_HEIGHT
    axes.set_title(shorten(upright.title, most=_LEGEND_WIDTH), loc="left", pad=8)
    axes.set_xlabel(shorten(level_title, most=_LEGEND_WIDTH))


def _wrapped(title: str) -> list[str]:
    """Return the lines of a title: as few as possible, and about equally long."""
    fewest = _lines(title, _TITLE_WIDTH)
    widths = range(len(title) // max(1, len(fewest)), _TITLE_WIDTH)
    return next(
        (lines for width in widths if width and len(lines := _lines(title, width)) == len(fewest)), fewest
    )


def _lines(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_on_hyphens=False)


def legend(canvas: Canvas, plot: Plot, *, but: Sequence[str] = ()) -> int:
    """Name the series and signs below the plot, except those that are named at their ends; return the rows.

    The series have their order, then the other lines, then what a cross is.
    """
    named = [sign for sign in _signs(plot) if sign[1] not in but] if plot.has_legend else []
    if len(named) == 1 and not but:
        named = []
    if plot.failures:
        named.append((Line2D([], [], color=colours.INK, **CROSS), " or ".join(plot.failures)))
    if not named:
        return 0
    labels = [shorten(text, most=_MAX_LEGEND_NAME) for _, text in named]
    columns = max(1, _LEGEND_WIDTH // (max(map(len, labels)) + _LEGEND_SIGN))
    columns = min(columns, len(named))
    canvas.legend([sign for sign, _ in named], labels, loc="outside lower left", ncols=columns)
    return -(-len(named) // columns)


def _signs(plot: Plot) -> list[tuple[Artist, str]]:
    """Return the sign and the name of each series and of each line that is not a series."""
    lines = [mark for mark in plot.marks if isinstance(mark, Lines) and not mark.name]
    points = [mark for mark in plot.marks if isinstance(mark, Points)]
    signs: list[tuple[Artist, str]] = []
    for series in plot.listed:
        if any(isinstance(mark, Bars) for mark in plot.marks):
            signs.append((Patch(**bar_style(series)), series.name))
            continue
        sign = Line2D([], [], color=colours.series(series.look), linestyle="none")
        if lines:
            sign.set(**line_style(series), linewidth=lines[0].width)
        if points:
            sign.set(
                marker=MARKERS[colours.marker(series.look)],
                markersize=points[0].size,
                alpha=points[0].opacity,
            )
        signs.append((sign, series.name))
    for mark in plot.marks:
        if isinstance(mark, Ideal):
            signs.append((Line2D([], [], color=colours.IDEAL, linestyle="--", linewidth=1.2), mark.name))
        elif isinstance(mark, Lines) and mark.name:
            signs.append((Line2D([], [], color=colours.IDEAL, linewidth=mark.width), mark.name))
    return signs


@dataclass(frozen=True, slots=True, eq=False)
class LineEnd:
    """The last point of a line in data coordinates, and the name beside it."""

    x: float
    y: float
    colour: str
    name: Annotation


def name_line_ends(axes: Axes, plot: Plot) -> list[LineEnd]:
    """Write the names of lines at the right of the axes; nothing if there are many, or one ends early."""
    if not plot.has_line_ends:
        return []
    space = Space(plot)
    last: dict[str, tuple[float, float, str]] = {}
    for mark in sorted(plot.marks, key=lambda mark: isinstance(mark, Ideal)):
        for row in mark.rows if isinstance(mark, Lines) else ():
            series, x = plot.series[row.series], space.place(row.place)
            if series.name not in last or x > last[series.name][0]:
                last[series.name] = (x, space.value(row), colours.series(series.look))
        if isinstance(mark, Ideal):
            last[mark.name] = (*mark.points[-1], colours.IDEAL)
    right = max((x for x, _, _ in last.values()), default=0.0)
    is_early = any(x < right for x, _, _ in last.values())
    if is_early or not 1 < len(last) <= _MAX_LINE_ENDS or max(map(len, last)) > _MAX_END_NAME:
        return []
    return [LineEnd(x, y, colour, _end_name(axes, name, y)) for name, (x, y, colour) in last.items()]


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
