"""Print figures as SVG: the same bytes for the same figure with any matplotlib settings of the user.

A plot goes in, a stamped SVG comes out. Matplotlib is used without pyplot and with a full set of explicit
settings. Text stays text and is laid out for the bundled font.
"""

import hashlib
import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
import msgspec
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure as Canvas

from reportgen.document.model import Figure
from reportgen.render.figures import digest
from reportgen.render.figures.colours import GRID, INK, PAPER
from reportgen.render.figures.marks import Categories, Plot
from reportgen.render.figures.names import each_on_two_lines
from reportgen.render.figures.plot import plot_of
from reportgen.render.figures.svg import artists, axis, frame, style

# Part of each figure's digest: increase it when figures look different, or are written in another form.
DRAWING = 17

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
    "axes.grid": False,
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
    "figure.facecolor": PAPER,
    "savefig.facecolor": "auto",
}

# In inches. A telephone shows a figure of this width with letters of 9 pixels, a page of text at its size.
_SIZE = (6.0, 3.9)
_LANE_PITCH = 0.24  # inches from one horizontal bar to the next
# A figure that is higher than a screen loses its axis: first bars get closer, down to the least pitch.
_SCREEN, _LEAST_PITCH = 6.4, 0.13
_NAME_PITCH = 0.18  # from one line of a name to the next
_MAX_HEIGHT = 48.0
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
    plot = plot_of(figure)
    # The backend's resolution, so that a pixel of the layout is a point.
    canvas = Canvas(figsize=_size(plot), layout="constrained", dpi=72)
    axes = canvas.add_subplot()
    draw_data(axes, plot)
    ends = frame.name_line_ends(axes, plot)
    frame.label(canvas, axes, plot)
    rows = frame.legend(canvas, plot, but=[end.name.get_text() for end in ends])
    canvas.set_figheight(canvas.get_figheight() + _LEGEND_PITCH * max(0, rows - _LEGEND_ROWS))
    frame.settle(canvas, axes, ends)
    drawn = io.BytesIO()
    metadata = dict.fromkeys(("Date", "Creator", "Format", "Type")) | {"Title": plot.title}
    # `savefig` would draw everything twice, the first time to compute a tight frame.
    FigureCanvasSVG(canvas).print_svg(drawn, metadata=metadata)  # type: ignore[no-untyped-call]
    return digest.stamped(style.styled(drawn.getvalue()), content_digest(plot))


def draw_data(axes: Axes, plot: Plot) -> None:
    """Draw the marks, then put scales and ticks at them."""
    artists.draw(axes, plot)
    axis.arrange(axes, plot)
    artists.make_room(axes, plot)


def up_to_date(figure: Figure, old: bytes | None) -> bytes:
    """Draw the figure; return the old SVG if another matplotlib drew the same, else the new one."""
    new = figure_svg(figure)
    return old if old is not None and digest.is_up_to_date(old, new) else new


def content_digest(plot: Plot) -> str:
    """Return the digest of what a plot shows, equal on every machine."""
    return hashlib.sha256(msgspec.json.encode([DRAWING, plot])).hexdigest()


def _size(plot: Plot) -> tuple[float, float]:
    """Return width and height in inches: horizontal bars need room below each other."""
    width, height = _SIZE
    if plot.is_flat and isinstance(plot.places, Categories):
        lanes = len(plot.places.names) * (plot.lanes + 0.5)
        full, least = (1.5 + pitch * lanes for pitch in (_LANE_PITCH, _LEAST_PITCH))
        # Where one name has two lines, its neighbours may, too.
        lines = max((name.count("\n") for name in each_on_two_lines(plot.places.names)), default=0) + 1
        readable = 1.5 + _NAME_PITCH * lines * len(plot.places.names)
        height = min(_MAX_HEIGHT, max(height * 0.6, min(full, _SCREEN), least, readable))
    return width, height
