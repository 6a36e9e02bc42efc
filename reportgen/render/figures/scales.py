"""Decide what every drawing of a figure has to agree on: scales, where axes begin, the line at 1.0, titles.

Values that span decades and sizes that double get a logarithmic axis; a bar never does, because its length
would mean nothing.
"""

from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import Literal

from reportgen.core import units
from reportgen.document.model import Figure, FigureKind
from reportgen.document.texts import unit_label

Scale = Literal["linear", "log"]

# Values from 1 to 50 cannot be read on one linear axis: the smaller half would be on its lowest 2 %.
_MIN_SPAN = 50.0
# Over sizes that double, values that grow with them.
_MIN_SPAN_OF_CURVE = 10.0
# The usual step of sizes that double; 1, 2, 3, 4, 5, ... and 8, 16, 24, 32, ... stay below it.
_MIN_GROWTH = 1.6
_MIN_SIZES = 3
_MIN_BINARY = 65536
_BINARY = {"Gi": 2**30, "Mi": 2**20, "Ki": 2**10}
_SPAN_WITH_STEPS = 100.0

# The name of the line of proportional growth.
IDEAL = "Ideal"


def x_scale(figure: Figure) -> Scale:
    """Return the scale of x: logarithmic if sizes double, or measured values span decades."""
    xs = numbers(figure)
    if figure.categories or not xs or xs[0] <= 0:
        return "linear"
    if figure.kind is FigureKind.CURVE:
        return "log"
    if figure.x_unit is not None:
        return "log" if xs[-1] >= _MIN_SPAN * xs[0] else "linear"
    return "log" if figure.kind.shows == "cells" and _doubles(xs) else "linear"


def y_scale(figure: Figure, *, is_bar: bool) -> Scale:
    """Return the scale of the values: logarithmic if they span decades, and beside a diagonal over sizes."""
    ys = [y for s in figure.series for y in (*s.y, *s.low, *s.high) if y is not None]
    if is_bar or not ys or min(ys) <= 0 or figure.kind is FigureKind.ECDF:
        return "linear"
    # On one logarithmic axis the line of proportional growth would not be straight.
    has_diagonal = bool(figure.ideal) and x_scale(figure) == "log"
    span = _MIN_SPAN_OF_CURVE if figure.kind is FigureKind.CURVE else _MIN_SPAN
    return "log" if has_diagonal or max(ys) >= span * min(ys) else "linear"


def log_steps(values: Sequence[float]) -> tuple[float, ...]:
    """Return the multiples of powers of ten at which a logarithmic axis has ticks."""
    return (1.0, 2.0, 5.0) if max(values) < _SPAN_WITH_STEPS * min(values) else (1.0,)


def begins_at_zero(figure: Figure, *, is_bar: bool, from_zero: bool) -> bool:
    """Return whether the axis of the values begins at zero.

    Ratios are compared with 1, not with 0. Dots have no length that would need the zero, so those with
    intervals leave it out where it would make the intervals too short to see.
    """
    is_ratio = figure.quantity != "value" and not figure.ideal
    if figure.kind is FigureKind.DOTS and any(low is not None for s in figure.series for low in s.low):
        return False
    return is_bar or (from_zero and not is_ratio and y_scale(figure, is_bar=is_bar) == "linear")


def reference(figure: Figure) -> float | None:
    """Return where a line across the values is drawn: at 1.0 for ratios, beside which no diagonal is."""
    is_drawn = figure.quantity != "value" and not figure.ideal and figure.kind is not FigureKind.HEAT_MAP
    return 1.0 if is_drawn else None


def reference_name(figure: Figure) -> str:
    """Return what the line at 1.0 is."""
    return {"efficiency": "ideal", "excess": "as expected"}.get(figure.quantity, "baseline")


def values_title(figure: Figure) -> str:
    """Return the title of the axis of values, always with its unit."""
    unit = unit_label(figure.unit)
    return f"{figure.y_title} ({unit})" if unit and unit != "1" else figure.y_title


def x_title(figure: Figure) -> str:
    """Return the title of x, with its unit where it has one."""
    unit = unit_label(figure.x_unit)
    return f"{figure.x_title} ({unit})" if unit and unit != "1" else figure.x_title


def number_text(value: float) -> str:
    """Return how a number is written at an axis."""
    text = units.text(value, digits=6) if value % 1 else units.text(value, decimals=0)
    return text.rstrip("0").rstrip(".") if "." in text else text


def size_text(value: float, sizes: Sequence[float]) -> str:
    """Return a size as text, in Ki or Mi if all sizes are powers of two and the largest is at least 64 Ki."""
    if sizes[-1] < _MIN_BINARY or any(size % 1 or int(size) & (int(size) - 1) for size in sizes):
        return number_text(value)
    for name, factor in _BINARY.items():
        if value >= factor:
            return f"{value / factor:,g} {name}"
    return f"{value:g}"


def numbers(figure: Figure) -> list[float]:
    """Return every number on the x axis, in order."""
    return sorted({float(x) for series in figure.series for x in series.x if not isinstance(x, str)})


def _doubles(sizes: Sequence[float]) -> bool:
    if len(sizes) < _MIN_SIZES:
        return False
    return median(after / before for before, after in pairwise(sizes)) >= _MIN_GROWTH
