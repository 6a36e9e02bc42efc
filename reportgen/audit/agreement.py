"""When a written number agrees with a value, in which units, and how much an agreement proves.

A number agrees if the value rounds to it, or if cutting off digits gives it. Final zeros of an integer may
be rounding: 12,000 may be 11,970. What an agreement proves is counted in bits: -log2 of the probability
that one of the candidate values agrees by chance. Four digits prove much, two prove little.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from reportgen.audit.numbers import Number, find_unit
from reportgen.core.model import FloatArray

# Relative error of arithmetic in another order.
_EPSILON = 1e-9
# No agreement proves more: logs have values that are equal by design.
MAX_BITS, _MIN_WIDTH = 24.0, 1e-7


@dataclass(frozen=True, slots=True)
class Scale:
    """A unit that numbers are shown in: shown = (value - offset) / factor. `name` is "" for the base unit."""

    base: str
    name: str
    factor: float
    offset: float = 0.0

    def shown(self, values: FloatArray) -> FloatArray:
        """Return values in this unit."""
        return (values - self.offset) / self.factor


_SCALES: Mapping[str, tuple[Scale, ...]] = {
    base: tuple(Scale(base, name, factor) for name, factor in units)
    for base, units in {
        "s": (("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("min", 60.0), ("h", 3600.0), ("ns", 1e-9)),
        "samples/s": (("", 1.0), ("k", 1e3), ("M", 1e6)),
        "B": (("MiB", 2.0**20), ("GiB", 2.0**30), ("MB", 1e6), ("GB", 1e9),
              ("MiB/1000", 1000 * 2.0**20), ("B", 1.0)),
        "ratio": (("%", 1e-2), ("", 1.0)),
        "W": (("W", 1.0), ("kW", 1e3)),
        "J": (("J", 1.0), ("kJ", 1e3), ("Wh", 3600.0)),
        "Hz": (("MHz", 1e6), ("GHz", 1e9)),
        "FLOP/s": (("TFLOP/s", 1e12), ("GFLOP/s", 1e9), ("PFLOP/s", 1e15)),
        "B/s": (("GB/s", 1e9), ("GiB/s", 2.0**30), ("MB/s", 1e6)),
    }.items()
}  # fmt: skip
RATIO = "x"
_RATIO_SCALES = (Scale(RATIO, "", 1.0), Scale(RATIO, "%", 1e-2), Scale(RATIO, "% more", 1e-2, 1.0))
# People write GB for GiB.
_BINARY = {"MB": ("MB", "MiB"), "GB": ("GB", "GiB", "MiB/1000"), "GiB": ("GiB",), "MiB": ("MiB",)}


@lru_cache(1000)
def scales_of(base: str, unit: str) -> tuple[Scale, ...]:
    """Return the units that a number may be in.

    base  base unit of the value; unit  as written beside the number, "" if none
    """
    if base == RATIO:
        own = {"": _RATIO_SCALES, "x": _RATIO_SCALES[:1], "%": _RATIO_SCALES[1:]}
        return own.get(unit, ())
    if not unit:
        return _SCALES.get(base) or (Scale(base, "", 1.0),)
    if unit == "x":
        return (Scale(base, "", 1.0),) if base == "1" else ()
    known = find_unit(unit)
    if known is None or known.base != base:
        return ()
    names = _BINARY.get(known.name, ())
    return tuple(each for each in _SCALES.get(base, ()) if each.name in names) or (
        Scale(base, "" if base == "samples/s" and known.factor == 1 else known.name, known.factor),
    )


def bounds(number: Number) -> tuple[float, float]:
    """Return the smallest and largest value that a number may have been rounded or cut off from.

    Cutting digits off takes away less than a unit of the last digit that is left.
    """
    half = max(number.coarse, abs(number.value) * _EPSILON)
    low, high = number.value - half, number.value + half
    slack, cut = abs(number.value) * _EPSILON, 2 * number.half * (1 - 1e-6)
    if number.value >= 0:
        return low - slack, max(high + slack, number.value + cut - slack)
    return min(low - slack, number.value - cut + slack), high + slack


def agrees(number: Number, shown: FloatArray) -> NDArray[np.bool_]:
    """Return which values, in the unit of the number, agree with it."""
    low, high = bounds(number)
    return (shown >= low) & (shown <= high)


def rounds(number: Number, shown: FloatArray) -> NDArray[np.bool_]:
    """Return which values, in the unit of the number, round to it: cutting off digits is not enough."""
    slack = max(number.coarse * 1e-6, abs(number.value) * _EPSILON)
    return np.asarray(np.abs(shown - number.value) <= number.coarse + slack)


def is_cut(claims: Iterable[tuple[Number, FloatArray]]) -> list[bool]:
    """Return which numbers are cut off where the others with them are rounded.

    claims  numbers with the values that agree with them. Where more are cut off than rounded up, that is how
            all of them are written: none is.
    """
    cut, up = [], 0
    for number, values in claims:
        is_rounded = bool(rounds(number, values).any())
        cut.append(not is_rounded)
        up += is_rounded and bool((values < number.value - number.half * _EPSILON).all())
    return [False] * len(cut) if sum(cut) > max(1, up) else cut


def is_exact(number: Number, shown: float) -> bool:
    """Return whether a number has all digits of a value, or four and the last of them rounded."""
    if math.isclose(number.value, shown, rel_tol=_EPSILON, abs_tol=0):
        return True
    return number.digits >= 4 and abs(number.value - shown) <= number.half * (1 + 1e-6)


def bits(number: Number, shown: FloatArray) -> float:
    """Return how much an agreement with one of these values proves: 0 if nearly every number would agree.

    Another number of this size, half to double of it, agrees with one of the values near it by chance.
    """
    low, high = bounds(number)
    size = max(abs(number.value), high - low)
    near = len(np.unique(shown[(np.abs(shown) >= size / 2) & (np.abs(shown) <= 2 * size)]))
    width = max((high - low) / (1.5 * size), _MIN_WIDTH)
    chance = -math.expm1(-max(near, 1) * width)
    return max(0.0, min(MAX_BITS, -math.log2(chance)))
