"""Choose the axes of a figure: scales, ticks, where the values begin, titles, and how numbers are written.

Values that span decades and sizes that double get a logarithmic axis; a bar never does, because its length
would mean nothing.
"""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import median

from reportgen.core import units
from reportgen.render.figures.kind import Kind
from reportgen.render.figures.marks import Numbers, Scale
from reportgen.render.figures.shown import Shown

# Values from 1 to 50 cannot be read on one linear axis: the smaller half would be on its lowest 2 %.
_MIN_SPAN = 50.0
# The usual step of sizes that double; 1, 2, 3, 4, 5, ... and 8, 16, 24, 32, ... stay below it.
_MIN_GROWTH = 1.6
_MIN_SIZES = 3
_MIN_BINARY = 65536
_BINARY = {"Gi": 2**30, "Mi": 2**20, "Ki": 2**10}
_SPAN_WITH_STEPS = 100.0
_MAX_TICKS = 10
# The axis of dots reaches to zero if the least value is so small a part of the largest one.
_NEAR_ZERO = 1 / 4
# As shares of the axis: between ticks, and for a character of a label.
_MIN_TICK_DISTANCE = 0.06
_CHARACTER_WIDTH = 0.02


def number_places(figure: Shown, kind: Kind) -> Numbers:
    """Return the axis of places that are numbers, with a tick at each size unless these are too many."""
    sizes = numbers(figure)
    scale = place_scale(figure, kind)
    is_size = kind.places in ("sizes", "doubling") and not figure.is_measured
    ticks = _far_apart(sizes, scale) if is_size else _decades(sizes) if scale == "log" else ()
    is_whole = kind.places == "steps"
    return Numbers(
        title=x_title(figure),
        scale=scale,
        ticks=ticks,
        has_grid=not is_size and not is_whole,
        is_whole=is_whole,
        is_roomy=kind.is_roomy,
    )


def number_values(figure: Shown, kind: Kind) -> Numbers:
    """Return the axis of the values."""
    scale = value_scale(figure, kind)
    is_from_zero = _begins_at_zero(figure, kind, scale)
    # Dots are read as the ends of bars.
    is_broken = (
        kind.zero == "if-alone" and figure.quantity == "value" and scale == "linear" and not is_from_zero
    )
    return Numbers(
        title=f"{values_title(figure)}, not from 0" if is_broken else values_title(figure),
        scale=scale,
        ticks=_decades(_values(figure)) if scale == "log" else (),
        limits=kind.limits,
        is_from_zero=is_from_zero,
        has_grid=True,
        is_roomy=kind.is_roomy,
        is_value=True,
    )


def place_scale(figure: Shown, kind: Kind) -> Scale:
    """Return the scale of the places: logarithmic if sizes double, or measured values span decades."""
    sizes = numbers(figure)
    if not sizes or sizes[0] <= 0 or kind.places == "steps":
        return "linear"
    if kind.places == "doubling":
        return "log"
    if figure.is_measured:
        return "log" if sizes[-1] >= _MIN_SPAN * sizes[0] else "linear"
    return "log" if kind.places == "sizes" and _doubles(sizes) else "linear"


def value_scale(figure: Shown, kind: Kind) -> Scale:
    """Return the scale of the values: logarithmic if they span decades, and beside a diagonal over sizes."""
    values = _values(figure)
    if kind.log_span is None or not values or min(values) <= 0:
        return "linear"
    # On one logarithmic axis the line of proportional growth would not be straight.
    has_diagonal = bool(figure.ideal) and place_scale(figure, kind) == "log"
    return "log" if has_diagonal or max(values) >= kind.log_span * min(values) else "linear"


def _begins_at_zero(figure: Shown, kind: Kind, scale: Scale) -> bool:
    """Return whether the axis of the values begins at zero, unless some are below it.

    Ratios are compared with 1, not with 0. Dots have no length that would need the zero, so those with
    intervals leave it out where it would make the intervals too short to see: far from all values.
    """
    if kind.zero == "always":
        return True
    has_intervals = any(low is not None for series in figure.series for low in series.low)
    is_ratio = figure.quantity != "value" and not figure.ideal
    values = _values(figure) or [0.0]
    is_near = min(values) < _NEAR_ZERO * max(values)
    is_wanted = kind.zero == "usually" or (kind.zero == "if-alone" and (is_near or not has_intervals))
    return is_wanted and not is_ratio and scale == "linear" and min(values) >= 0


def reference(figure: Shown, kind: Kind) -> float | None:
    """Return where a line across the values is drawn: at 1.0 for ratios, beside which no diagonal is."""
    return 1.0 if figure.quantity != "value" and not figure.ideal and not kind.columns else None


def reference_name(figure: Shown) -> str:
    """Return what the line at 1.0 is."""
    return {"efficiency": "ideal", "excess": "as expected"}.get(figure.quantity, "baseline")


def values_title(figure: Shown) -> str:
    """Return the title of the axis of values, always with its unit."""
    return _with_unit(figure.y_title, figure.unit)


def x_title(figure: Shown) -> str:
    """Return the title of the places, with their unit where they have one."""
    return _with_unit(figure.x_title, figure.x_unit)


def _with_unit(title: str, unit: str) -> str:
    return f"{title} ({unit})" if unit and unit != "1" else title


def number_text(value: float) -> str:
    """Return how a number is written at an axis."""
    text = units.text(value, digits=6) if value % 1 else units.text(value, decimals=0)
    return text.rstrip("0").rstrip(".") if "." in text else text


def size_text(value: float, sizes: Sequence[float]) -> str:
    """Return a size as text, in Ki or Mi if all sizes are powers of two and the largest is at least 64 Ki."""
    if max(sizes) < _MIN_BINARY or any(size % 1 or int(size) & (int(size) - 1) for size in sizes):
        return number_text(value)
    for name, factor in _BINARY.items():
        if value >= factor:
            return f"{value / factor:,g} {name}"
    return f"{value:g}"


def numbers(figure: Shown) -> list[float]:
    """Return every number along the places, in order."""
    return sorted({place for series in figure.series for place in series.places if isinstance(place, float)})


def _values(figure: Shown) -> list[float]:
    series = figure.series
    return [y for each in series for y in (*each.values, *each.low, *each.high) if y is not None]


def _far_apart(sizes: Sequence[float], scale: Scale) -> tuple[float, ...]:
    """Return the sizes whose labels do not overlap, largest first; () if they are too many to choose from.

    Of many sizes that double, every second or third is enough to read the others.
    """
    if not sizes:
        return ()
    place: Callable[[float], float] = math.log if scale == "log" else float
    longest = max(len(size_text(size, sizes)) for size in sizes)
    share = max(_MIN_TICK_DISTANCE, _CHARACTER_WIDTH * longest)
    distance = (place(sizes[-1]) - place(sizes[0])) * share
    kept = [sizes[-1]]
    for size in reversed(sizes[:-1]):
        if place(kept[-1]) - place(size) >= distance:
            kept.append(size)
    if len(kept) > _MAX_TICKS and scale == "linear":
        return ()
    return tuple(kept[:: math.ceil(len(kept) / _MAX_TICKS)])


def _decades(values: Sequence[float]) -> tuple[float, ...]:
    """Return the ticks of a logarithmic axis: powers of ten, and 2 and 5 times these if they are few."""
    least, most = min(values), max(values)
    steps = (1.0, 2.0, 5.0) if most < _SPAN_WITH_STEPS * least else (1.0,)
    decades = range(math.floor(math.log10(least)), math.ceil(math.log10(most)) + 1)
    return tuple(step * 10.0**decade for decade in decades for step in steps)


def _doubles(sizes: Sequence[float]) -> bool:
    if len(sizes) < _MIN_SIZES:
        return False
    return median(after / before for before, after in pairwise(sizes)) >= _MIN_GROWTH
