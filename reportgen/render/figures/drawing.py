"""Draw figures as SVG: the same bytes for the same figure with any matplotlib settings of the user.

A Figure goes in, a stamped SVG comes out; `kinds` draws the data. Matplotlib is used without pyplot and with
a full set of explicit settings. Text stays text and is laid out for the bundled font. Data are rounded to
12 digits before drawing, so the last bit of a processor does not matter.
"""

import dataclasses
import hashlib
import io
import json
import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
import msgspec
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure as Canvas
from msgspec.structs import replace

from reportgen.document.model import Figure
from reportgen.render.figures import colours, digest, frame, scales, svg_style
from reportgen.render.figures.colours import GRID, INK, PAPER
from reportgen.render.figures.kinds.base import drawing_of, is_horizontal
from reportgen.render.figures.rounding import rounded, shown_figure

# Part of each figure's digest: increase it with every change that makes a figure look different.
DRAWING = 12

_SETTINGS = {
    "svg.hashsalt": "reportgen",
    "svg.fonttype": "none",
    "text.parse_math": False,  # a "$" in a log is a dollar sign
    "text.usetex": False,
    "text.hinting": "none",  # a browser scales letters; hinted widths differ between versions of matplotlib
    "font.family": ["DejaVu Sans"],
    "font.size": 10.5,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.titlesize": 10.5,
    "axes.titlelocation": "left",
    "axes.facecolor": PAPER,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.unicode_minus": True,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "ytick.major.size": 0.0,
    "xtick.labelsize": 10.0,
    "ytick.labelsize": 10.0,
    "legend.frameon": False,
    "legend.fontsize": 10.0,
    "legend.columnspacing": 1.4,
    "legend.handlelength": 1.6,
    "legend.borderaxespad": 0.2,
    "lines.linewidth": 1.8,
    "lines.markersize": 6.0,
    "figure.facecolor": PAPER,
    "savefig.facecolor": "auto",
}

# In inches. A telephone shows a figure of this width with letters of 9 pixels, a page of text at its size.
_SIZE = (6.0, 3.9)
_BAR_PITCH = 0.24  # inches from one horizontal bar to the next
_MAX_HEIGHT = 48.0
_HEADROOM = 1.05
_LEGEND_ROWS, _LEGEND_PITCH = 1, 0.21  # the height is that of a figure with so many rows of names


@contextmanager
def settings() -> Iterator[None]:
    """Apply matplotlib's defaults and ours, and none of the user's, while drawing."""
    explicit: dict[Any, Any] = dict(mpl.rcParamsDefault.items()) | _SETTINGS
    del explicit["backend"]
    with warnings.catch_warnings(), mpl.rc_context():
        # Characters that the bundled font lacks become boxes, without a message on the terminal.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        warnings.filterwarnings("ignore", category=mpl.MatplotlibDeprecationWarning)
        mpl.rcParams.update(explicit)
        yield


def figure_svg(figure: Figure) -> bytes:
    """Return the figure as a stamped SVG; draw many inside one `settings()`."""
    shown = shown_figure(figure)
    # The backend's resolution, so that a pixel of the layout is a point.
    canvas = Canvas(figsize=_size(shown), layout="constrained", dpi=72)
    axes = canvas.add_subplot()
    draw_data(axes, shown)
    ends = frame.name_line_ends(axes, shown)
    frame.label(canvas, axes, shown)
    rows = frame.legend(canvas, axes, shown, but=[end.name.get_text() for end in ends])
    canvas.set_figheight(canvas.get_figheight() + _LEGEND_PITCH * max(0, rows - _LEGEND_ROWS))
    frame.settle(canvas, axes, ends)
    drawn = io.BytesIO()
    metadata = dict.fromkeys(("Date", "Creator", "Format", "Type")) | {"Title": shown.title}
    # `savefig` would draw everything twice, the first time to compute a tight frame.
    FigureCanvasSVG(canvas).print_svg(drawn, metadata=metadata)  # type: ignore[no-untyped-call]
    return digest.stamped(svg_style.styled(drawn.getvalue()), content_digest(figure))


def _size(figure: Figure) -> tuple[float, float]:
    """Return width and height in inches: horizontal bars need room below each other."""
    width, height = _SIZE
    if is_horizontal(figure):
        bars = len(figure.categories) * drawing_of(figure).bars_per_category(figure)
        height = min(_MAX_HEIGHT, max(height * 0.6, 1.5 + _BAR_PITCH * (bars + 0.5 * len(figure.categories))))
    return width, height


def up_to_date(figure: Figure, old: bytes | None) -> bytes:
    """Draw the figure; return the old SVG if another matplotlib drew the same, else the new one."""
    new = figure_svg(figure)
    return old if old is not None and digest.is_up_to_date(old, new) else new


def content_digest(figure: Figure) -> str:
    """Return the digest of what a figure shows, equal on every machine."""
    without_cases = [replace(series, cases=()) for series in figure.series]
    shown = _fields(rounded(replace(figure, series=tuple(without_cases))))
    del shown["table"]  # its place on a page does not change how it looks
    for series in shown["series"]:
        del series["cases"]
    if not figure.changes:
        del shown["changes"]
    content = json.dumps([DRAWING, shown], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()


def _fields(value: Any) -> Any:
    """Return a value with its parts as plain dicts and lists, defaults included."""
    if isinstance(value, msgspec.Struct):
        return {name: _fields(getattr(value, name)) for name in value.__struct_fields__}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    return list(map(_fields, value)) if isinstance(value, tuple) else value


def draw_data(axes: Axes, figure: Figure) -> None:
    """Draw the data and the lines to compare them with; choose the scales and where the values begin."""
    drawing = drawing_of(figure)
    drawing.draw(axes, figure)
    flat, is_bar = is_horizontal(figure), drawing.is_bar
    if figure.ideal:
        x, y = zip(*figure.ideal, strict=True)
        axes.plot(x, y, color=colours.IDEAL, linestyle="--", linewidth=1.2, label=scales.IDEAL, zorder=1)
    at = scales.reference(figure)
    if at is not None:
        draw_line = axes.axvline if flat else axes.axhline
        draw_line(at, color=colours.INK, linestyle="--", linewidth=1.0, zorder=1.5)
        frame.name_reference(axes, figure, at)
    if drawing.has_value_axis and scales.y_scale(figure, is_bar=is_bar) == "log":
        axes.set_xscale("log") if flat else axes.set_yscale("log")
    elif drawing.has_value_axis and scales.begins_at_zero(figure, is_bar=is_bar, from_zero=drawing.from_zero):
        _begin_at_zero(axes, flat=flat)


def _begin_at_zero(axes: Axes, *, flat: bool) -> None:
    """Begin the axis of the values at zero, unless some are below it, and end it beyond the largest one."""
    ends = axes.dataLim.intervalx if flat else axes.dataLim.intervaly
    low, high = map(float, ends)
    if low >= 0 and math.isfinite(high) and high > 0:
        set_limits = axes.set_xlim if flat else axes.set_ylim
        set_limits(0, high * _HEADROOM)
