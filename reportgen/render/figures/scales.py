"""Decide what every drawing of a figure has to agree on: scales, where axes begin, the line at 1.0, titles.

Values that span decades and sizes that double get a logarithmic axis; a bar never does, because its length
would mean nothing.
"""

from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import Literal

from reportgen.core.results import Figure
from reportgen.render.grid import unit_label

Scale = Literal["linear", "log"]

# Values from 1 to 50 cannot be read on one linear axis: the smaller half would be on its lowest 2 %.
_MIN_SPAN = 50.0
# The usual step of sizes that double; 1, 2, 3, 4, 5, ... and 8, 16, 24, 32, ... stay below it.
_MIN_GROWTH = 1.6
_MIN_SIZES = 3


def x_scale(figure: Figure) -> Scale:
    """Return the scale of x: logarithmic if sizes double."""
    if figure.categories or figure.kind.shows != "cells":
        return "linear"
    return "log" if _doubles(numbers(figure)) else "linear"


def y_scale(figure: Figure, *, is_bar: bool) -> Scale:
    """Return the scale of the values: logarithmic if they span decades, and beside a diagonal over sizes."""
    ys = [y for s in figure.series for y in (*s.y, *s.low, *s.high) if y is not None]
    if is_bar or not ys or min(ys) <= 0:
        return "linear"
    # On one logarithmic axis the line of proportional growth would not be straight.
    has_diagonal = bool(figure.ideal) and x_scale(figure) == "log"
    return "log" if has_diagonal or max(ys) >= _MIN_SPAN * min(ys) else "linear"


def begins_at_zero(figure: Figure, *, is_bar: bool, from_zero: bool) -> bool:
    """Return whether the axis of the values begins at zero. Ratios are compared with 1, not with 0."""
    is_ratio = figure.quantity != "value" and not figure.ideal
    return is_bar or (from_zero and not is_ratio and y_scale(figure, is_bar=is_bar) == "linear")


def reference(figure: Figure) -> float | None:
    """Return where a line across the values is drawn: at 1.0 for ratios, beside which no diagonal is."""
    return 1.0 if figure.quantity != "value" and not figure.ideal else None


def values_title(figure: Figure) -> str:
    """Return the title of the axis of values, always with its unit."""
    unit = unit_label(figure.unit)
    return f"{figure.y_title} ({unit})" if unit and unit != "1" else figure.y_title


def numbers(figure: Figure) -> list[float]:
    """Return every number on the x axis, in order."""
    return sorted({float(x) for series in figure.series for x in series.x if not isinstance(x, str)})


def _doubles(sizes: Sequence[float]) -> bool:
    if len(sizes) < _MIN_SIZES or sizes[0] <= 0:
        return False
    return median(after / before for before, after in pairwise(sizes)) >= _MIN_GROWTH
