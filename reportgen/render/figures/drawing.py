"""Draw figures as SVG: the same bytes for the same figure, whatever the user's matplotlib settings.

A Figure goes in, a stamped SVG comes out. The object interface is used without pyplot, under a full
set of explicit settings; text is drawn as paths of the bundled font, so that no viewer's fonts
matter; data are rounded to 12 digits before drawing, so that no processor's last bit does.
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
from reportgen.core.results import Figure
from reportgen.render.figures import digest
from reportgen.render.figures.colours import GRID, INK, PAPER
from reportgen.render.figures.plots import IDEAL, bars_beside, draw, lies, shown, unlisted
from reportgen.render.grid import unit_label
from reportgen.render.text import escape

# Part of each figure's digest: raise it with any change that makes a figure look different.
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
_LYING = 0.24  # inches from one lying bar to the next
_HIGHEST = 48.0


@contextmanager
def settings() -> Iterator[None]:
    """Apply matplotlib's own defaults and ours on top, nothing of the user's, for the time of drawing."""
    explicit: dict[Any, Any] = dict(mpl.rcParamsDefault.items()) | _SETTINGS
    del explicit["backend"]
    with warnings.catch_warnings(), mpl.rc_context():
        # A log in a script that the bundled font lacks gets boxes, not a message on the terminal.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        warnings.filterwarnings("ignore", category=mpl.MatplotlibDeprecationWarning)
        mpl.rcParams.update(explicit)
        yield


def figure_svg(figure: Figure) -> bytes:
    """Return the figure as a stamped SVG; draw many inside one `settings()`."""
    width, height = _SIZE
    height = min(_HIGHEST, max(height, 1.2 + _LYING * bars_beside(figure)))
    canvas = Canvas(figsize=(width, height), layout="constrained")
    axes = canvas.add_subplot()
    draw(axes, _rounded(figure))
    _label(canvas, axes, figure)
    _legend(canvas, axes, figure)
    drawn = io.BytesIO()
    metadata = {"Date": None, "Creator": None, "Title": _line(figure.title)}
    # `savefig` would draw everything twice, the first time to look for a tight frame that nobody wants.
    FigureCanvasSVG(canvas).print_svg(drawn, metadata=metadata)  # type: ignore[no-untyped-call]
    return digest.stamped(drawn.getvalue(), content_digest(figure))


def up_to_date(figure: Figure, old: bytes | None) -> bytes:
    """Return the old SVG if it is intact and shows this figure, else a new one."""
    if old is not None and digest.shows(old, content_digest(figure)):
        return old
    return figure_svg(figure)


def content_digest(figure: Figure) -> str:
    """Return the digest of what a figure shows, equal on every machine."""
    shown = asdict(_rounded(figure))
    del shown["table"]  # where it stands on a page does not change how it looks
    content = json.dumps([DRAWING, shown], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()


def _rounded(figure: Figure) -> Figure:
    """Return the figure in the unit to be shown, numbers to 12 digits, texts on one line."""
    factor = figure.unit.factor

    def value(number: float | None) -> float | None:
        return None if number is None or not math.isfinite(number) else float(units.machine(number / factor))

    series = tuple(
        replace(
            one,
            name=_line(one.name),
            x=tuple(_x(x) for x in one.x),
            y=tuple(map(value, one.y)),
            low=tuple(value(bound) for bound in one.low),
            high=tuple(value(bound) for bound in one.high),
        )
        for one in figure.series
    )
    ideal = tuple((float(units.machine(x)), float(units.machine(y / factor))) for x, y in figure.ideal)
    return replace(
        figure,
        title=_line(figure.title),
        categories=tuple(map(_line, figure.categories)),
        series=series,
        ideal=ideal,
    )


def _line(text: str) -> str:
    return escape.one_line(text)


def _x(x: float | str) -> float | str:
    return _line(x) if isinstance(x, str) else float(units.machine(x))


def _label(canvas: Canvas, axes: Axes, figure: Figure) -> None:
    unit = unit_label(figure.unit)
    y_title = _line(figure.y_title)
    title = shown(_line(figure.title), most=80)
    if lies(figure):  # above the names too, which take half of the width
        canvas.suptitle(title, x=0.01, ha="left", size=_TITLE, weight="bold")
    else:
        axes.set_title(title, pad=12)
    values: Axis = axes.xaxis if lies(figure) else axes.yaxis
    names: Axis = axes.yaxis if lies(figure) else axes.xaxis
    names.set_label_text(_line(figure.x_title))
    values.set_label_text(f"{y_title} ({unit})" if unit and unit not in y_title else y_title)
    values.set_major_formatter(FuncFormatter(_tick))
    if lies(figure):  # numbers stand side by side, where there is less room than below one another
        values.set_major_locator(MaxNLocator(5))


def _tick(value: float, _position: int | None) -> str:
    return units.text(value, digits=6).rstrip("0").rstrip(".") if value % 1 else units.text(value, decimals=0)


def _legend(canvas: Canvas, axes: Axes, figure: Figure) -> None:
    """Name the series: below the plot up to four and if names are long, else beside it."""
    # Sorting is stable: the series in their order, then how many more there are, and the reference line.
    pairs = zip(*axes.get_legend_handles_labels(), strict=True)
    named = sorted(pairs, key=lambda pair: pair[1] == IDEAL or pair[1] == unlisted(figure))
    if len(named) < 2:
        return
    handles, names = zip(*named, strict=True)
    labels = [shown(name) for name in names]
    # About 100 characters of the legend's size fit side by side; each name has its sign and a gap.
    columns = max(1, 100 // (max(map(len, labels)) + 8))
    if len(named) > 4 and columns > 3:
        canvas.legend(handles, labels, loc="outside right upper")
    else:
        canvas.legend(handles, labels, loc="outside lower left", ncols=min(columns, len(named)))
