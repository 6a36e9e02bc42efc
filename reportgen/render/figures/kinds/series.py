"""series: the steps of every repeat; beyond the first few, repeats are grey lines with one legend entry."""

import math

from matplotlib.axes import Axes

from reportgen.core.results import Figure
from reportgen.render.figures import colours
from reportgen.render.figures.kinds.base import Drawing, colour_of, positions

# More lines cannot be distinguished by colour.
MAX_NAMED = 10


def draw(axes: Axes, figure: Figure) -> None:
    """Draw one line per repeat; a missing step interrupts the line."""
    rest = figure.series[MAX_NAMED:]
    for n, series in enumerate(rest):
        y = [math.nan if value is None else value for value in series.y]
        label = f"{len(rest):,} not listed" if n == 0 else None
        axes.plot(positions(figure, series), y, color=colours.IDEAL, linewidth=0.6, alpha=0.6, label=label)
    for n, series in enumerate(figure.series[:MAX_NAMED]):
        y = [math.nan if value is None else value for value in series.y]
        axes.plot(
            positions(figure, series),
            y,
            color=colour_of(n),
            linewidth=1.0,
            linestyle=("-", "--", ":")[n // len(colours.SERIES) % 3],
            label=series.name,
        )


DRAWING = Drawing(draw=draw)
