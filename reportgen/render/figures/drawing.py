"""Draw figures as SVG: the same bytes for the same figure with any matplotlib settings of the user.

A Figure goes in, a stamped SVG comes out; `kinds` draws the data. Matplotlib is used without pyplot and with
a full set of explicit settings. Text becomes paths of the bundled font, so the viewer's fonts do not matter.
Data are rounded to 12 digits before drawing, so the last bit of a processor does not matter.
"""

import hashlib
import io
import json
import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import FuncFormatter, MaxNLocator

from reportgen.core import units
from reportgen.core.plain_text import one_line
from reportgen.core.results import Figure
from reportgen.render.figures import colours, digest
from reportgen.render.figures.colours import GRID, INK, PAPER
from reportgen.render.figures.kinds.base import categories, drawing_of, is_horizontal, shorten
from reportgen.render.grid import unit_label

# Part of each figure's digest: increase it with every change that makes a figure look different.
DRAWING = 7

_TITLE = 10.5
_SETTINGS = {
    "svg.hashsalt": "reportgen",
    "svg.fonttype": "path",
    "text.parse_math": False,  # a "$" in a log is a dollar sign
    "text.usetex": False,
    "font.family": ["DejaVu Sans"],
    "font.size": 9.0,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.titlesize": _TITLE,
    "axes.titleweight": "bold",
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
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "lines.linewidth": 1.8,
    "lines.markersize": 6.0,
    "figure.facecolor": PAPER,
    "savefig.facecolor": "auto",
}

_SIZE = (7.2, 4.0)  # inches; the width of a page of text at 96 dots per inch
_BAR_PITCH = 0.24  # inches from one horizontal bar to the next
_MAX_HEIGHT = 48.0
_MAX_TITLE = 80
# About 100 characters of the legend's font fit side by side; each name has a sign and a gap of 8.
_LEGEND_WIDTH = 100
_LEGEND_SIGN = 8
_IDEAL = "Ideal"


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
    shown = _rounded(figure)
    shown = replace(shown, categories=categories(shown))
    width, height = _SIZE
    if is_horizontal(shown):
        bars = len(shown.categories) * drawing_of(shown).bars_per_category(shown)
        height = min(_MAX_HEIGHT, max(height, 1.2 + _BAR_PITCH * bars))
    canvas = Canvas(figsize=(width, height), layout="constrained")
    axes = canvas.add_subplot()
    _draw(axes, shown)
    _label(canvas, axes, shown)
    _legend(canvas, axes, shown)
    drawn = io.BytesIO()
    metadata = {"Date": None, "Creator": None, "Title": shown.title}
    # `savefig` would draw everything twice, the first time to compute a tight frame.
    FigureCanvasSVG(canvas).print_svg(drawn, metadata=metadata)  # type: ignore[no-untyped-call]
    return digest.stamped(drawn.getvalue(), content_digest(figure))


def up_to_date(figure: Figure, old: bytes | None) -> bytes:
    """Draw the figure; return the old SVG if another matplotlib drew the same, else the new one."""
    new = figure_svg(figure)
    return old if old is not None and digest.is_up_to_date(old, new) else new


def content_digest(figure: Figure) -> str:
    """Return the digest of what a figure shows, equal on every machine."""
    shown = asdict(_rounded(figure))
    del shown["table"]  # its place on a page does not change how it looks
    if not figure.changes:
        del shown["changes"]
    content = json.dumps([DRAWING, shown], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()


def _rounded(figure: Figure) -> Figure:
    """Return the figure in the unit to show, with numbers of 12 digits and texts on one line."""
    factor = figure.unit.factor

    def value(number: float | None) -> float | None:
        return None if number is None or not math.isfinite(number) else float(units.machine(number / factor))

    series = tuple(
        replace(
            line,
            name=one_line(line.name),
            x=tuple(_x(x) for x in line.x),
            y=tuple(map(value, line.y)),
            low=tuple(value(bound) for bound in line.low),
            high=tuple(value(bound) for bound in line.high),
        )
        for line in figure.series
    )
    ideal = tuple((float(units.machine(x)), float(units.machine(y / factor))) for x, y in figure.ideal)
    return replace(
        figure,
        title=one_line(figure.title),
        x_title=one_line(figure.x_title),
        y_title=one_line(figure.y_title),
        categories=tuple(map(one_line, figure.categories)),
        series=series,
        ideal=ideal,
        changes=tuple(
            replace(each, first=one_line(each.first), last=one_line(each.last), text=one_line(each.text))
            for each in figure.changes
        ),
    )


def _x(x: float | str) -> float | str:
    return one_line(x) if isinstance(x, str) else float(units.machine(x))


def _draw(axes: Axes, figure: Figure) -> None:
    """Draw the data, the ideal line if there is one, and begin the axis of the values at zero."""
    drawing = drawing_of(figure)
    drawing.draw(axes, figure)
    if figure.ideal:
        x, y = zip(*figure.ideal, strict=True)
        axes.plot(x, y, color=colours.IDEAL, linestyle="--", linewidth=1.2, label=_IDEAL, zorder=1)
    if is_horizontal(figure) and axes.dataLim.xmin >= 0:
        axes.set_xlim(left=0)
    elif drawing.from_zero and axes.dataLim.ymin >= 0:
        axes.set_ylim(bottom=0)


def _label(canvas: Canvas, axes: Axes, figure: Figure) -> None:
    unit = unit_label(figure.unit)
    title = shorten(figure.title, most=_MAX_TITLE)
    values: Axis = axes.yaxis
    names: Axis = axes.xaxis
    if is_horizontal(figure):  # the names take half of the width, so the title begins above them
        canvas.suptitle(title, x=0.01, ha="left", size=_TITLE, weight="bold")
        values, names = names, values
        values.set_major_locator(MaxNLocator(5))  # numbers side by side need more room
    else:
        axes.set_title(title, pad=12)
    names.set_label_text(figure.x_title)
    y_title = figure.y_title
    values.set_label_text(f"{y_title} ({unit})" if unit and unit not in y_title else y_title)
    values.set_major_formatter(FuncFormatter(_tick))


def _tick(value: float, _position: int | None) -> str:
    return units.text(value, digits=6).rstrip("0").rstrip(".") if value % 1 else units.text(value, decimals=0)


def _legend(canvas: Canvas, axes: Axes, figure: Figure) -> None:
    """Name the series: below the plot if there are up to four or names are long, else beside it."""
    # The series in their order, then the reference line and how many series are not named.
    names = {series.name for series in figure.series}
    pairs = zip(*axes.get_legend_handles_labels(), strict=True)
    named = sorted(pairs, key=lambda pair: pair[1] not in names)
    if len(named) < 2:
        return
    handles, texts = zip(*named, strict=True)
    labels = [shorten(text) for text in texts]
    columns = max(1, _LEGEND_WIDTH // (max(map(len, labels)) + _LEGEND_SIGN))
    if len(named) > 4 and columns > 3:
        canvas.legend(handles, labels, loc="outside right upper")
    else:
        canvas.legend(handles, labels, loc="outside lower left", ncols=min(columns, len(named)))
