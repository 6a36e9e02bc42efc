"""Find by arithmetic what names do not say: a row that sums up others, a column of ratios of two others.

Numbers are equal if they are within what their printed digits leave open.
"""

import math
import statistics
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from reportgen.core import units
from reportgen.formats.tables.derive import is_missing, plain_text
from reportgen.formats.tables.interpret.cells import number_of

#: Summaries of numbers, by name.
SUMMARIES: Mapping[str, Callable[[Sequence[float]], float]] = {
    "sum": math.fsum,
    "mean": statistics.fmean,
    "geometric mean": lambda values: statistics.geometric_mean(values) if min(values) > 0 else math.nan,
    "median": statistics.median,
    "minimum": min,
    "maximum": max,
    "standard deviation": statistics.stdev,
}
# What people make of a ratio: itself, its percentage, and the change in percent.
_QUOTIENTS: tuple[Callable[[float], float], ...] = (
    lambda ratio: ratio,
    lambda ratio: 100 * ratio,
    lambda ratio: 100 * (ratio - 1),
    lambda ratio: 100 * (1 - ratio),
)
# Fewer rows, or numbers with fewer digits or of one size, may have a constant product by chance.
_MIN_DISTINCT = 3
_MIN_SPREAD = 1.2
_DIGITS = 50.0
# Numbers whose digits leave more open show nothing.
_MAX_OPEN = 0.2


@dataclass(frozen=True, slots=True)
class Printed:
    """A number as printed: its value, and half of the last digit."""

    value: float
    half: float


Numbers = Sequence[Printed | None]
# No measurement is larger; sums and quotients of such numbers would overflow.
_LARGEST = 1e100


def printed(cell: object) -> Printed | None:
    """Return a cell as a printed number in the unit of the cell; None for a text, and beyond _LARGEST."""
    number = None if is_missing(cell) else number_of(cell)
    if number is None or abs(number[0]) > _LARGEST:
        return None
    digits = plain_text(str(cell)).lower()
    mantissa, _, exponent = digits.partition("e")
    fraction = mantissa.partition(".")[2]
    decimals = len(fraction) - len(fraction.lstrip("0123456789"))
    power = int(exponent) if exponent.lstrip("+-").isdigit() and len(exponent) < 5 else 0
    return Printed(number[0], 0.5 * 10.0 ** min(power - decimals, 100))


def is_summary(total: Printed, above: Numbers, names: Container[str]) -> bool:
    """Return whether a number is one of these summaries of the numbers above it: sum, mean, ..."""
    parts = [number for number in above if number]
    if len(parts) < 2:
        return False
    values = [part.value for part in parts]
    own = [part.half for part in parts]
    for name, summarise in SUMMARIES.items():
        if name not in names:
            continue
        open_digits = math.fsum(own) if name == "sum" else max(own)
        result = summarise(values)
        if math.isfinite(result) and abs(result - total.value) <= total.half + open_digits:
            return True
    return False


def is_ratio(own: Numbers, columns: Sequence[Numbers]) -> bool:
    """Return whether a column of numbers is the ratio of two others, or of one to one of its own numbers.

    A column of whole numbers is rather chosen: 1, 2, 4 devices are also the ratios of 100, 200 and 400.
    """
    known = [number.value for number in own if number]
    if len(known) < 2 or all(map(float.is_integer, known)):
        return False
    pairs = (*permutations(columns, 2), *_to_itself(columns))
    is_quotient = any(_is_quotient(own, a, b, of) for a, b in pairs for of in _forms(own, a, b))
    return is_quotient or any(_has_constant(own, column) for column in columns)


def is_difference(own: Numbers, above: Numbers, below: Numbers) -> bool:
    """Return whether a column of numbers is the difference of two others."""
    rows = [(value, a, b) for value, a, b in zip(own, above, below, strict=True) if value]
    return len(rows) > 1 and all(
        a and b and abs(a.value - b.value - value.value) <= (value.half + a.half + b.half) * 1.01
        for value, a, b in rows
    )


def _has_constant(own: Numbers, other: Numbers) -> bool:
    """Return whether a number that no column has, divided by one column, or the other way round, is another.

    So are a compression ratio beside the compressed sizes, and the percent of a peak beside the rates.
    """
    rows = [(value, x) for value, x in zip(own, other, strict=True) if value and x]
    known = sorted({value.value for value, _ in rows})
    is_told = len(known) >= _MIN_DISTINCT and known[-1] > _MIN_SPREAD * known[0]
    if not is_told or not all(map(_is_exact, rows)):
        return False
    return any(
        max(low for low, _ in bounds) <= min(high for _, high in bounds)
        for bounds in (
            [
                ((a.value - a.half) * (b.value - b.half), (a.value + a.half) * (b.value + b.half))
                for a, b in rows
            ],
            [
                ((a.value - a.half) / (b.value + b.half), (a.value + a.half) / (b.value - b.half))
                for a, b in rows
            ],
        )
    )


def _is_exact(row: tuple[Printed, Printed]) -> bool:
    return all(number.value > _DIGITS * number.half for number in row)


def _to_itself(columns: Sequence[Numbers]) -> Iterator[tuple[Numbers, ...]]:
    """Yield each column with its first, last, largest and smallest number and its sum, in both orders."""
    for column in columns:
        known = [number for number in column if number]
        if len(known) < 2:
            continue
        bases = (known[0], max(known, key=lambda x: x.value), min(known, key=lambda x: x.value), known[-1])
        total = Printed(math.fsum(x.value for x in known), math.fsum(x.half for x in known))
        for base in (*bases, total):
            yield column, [base] * len(column)
            yield [base] * len(column), column


def _forms(own: Numbers, above: Numbers, below: Numbers) -> list[int]:
    """Return the forms of a ratio that the first row with three numbers has."""
    rows = ((value, a, b) for value, a, b in zip(own, above, below, strict=True) if value and a and b)
    value, a, b = next(rows, (None, None, None))
    if value is None or a is None or b is None or not b.value:
        return []
    return [form for form, of in enumerate(_QUOTIENTS) if _is_near(value, a, b, of(a.value / b.value))]


def _is_near(value: Printed, a: Printed, b: Printed, result: float) -> bool:
    relative = a.half / (abs(a.value) or 1.0) + b.half / abs(b.value)
    slack = value.half * 1.01 + relative * max(abs(result), abs(a.value / b.value))
    return relative <= _MAX_OPEN and abs(result - value.value) <= slack


def _is_quotient(own: Numbers, above: Numbers, below: Numbers, form: int) -> bool:
    told, of = 0, _QUOTIENTS[form]
    for value, a, b in zip(own, above, below, strict=True):
        if value is None:
            continue
        if not a or not b or not b.value or not _is_near(value, a, b, of(a.value / b.value)):
            return False
        told += a.value != b.value and abs(value.value) > 10 * value.half
    return told > 1


def scaled(cell: object, unit: str) -> Printed | None:
    """Return a cell in the base unit; None for a text."""
    number = printed(cell)
    factor = units.to_base(1.0, unit)[0]
    return Printed(number.value * factor, number.half * factor) if number else None


def scale_of(cells: Sequence[object], counts: Sequence[object], others: Numbers) -> float:
    """Return the power of 1000 with which numbers are counts divided by others, NaN if they are not."""
    rows = [
        (value, count, other)
        for value, count, other in zip(map(printed, cells), map(printed, counts), others, strict=True)
        if value and count and other and other.value > 0 and value.value > 0
    ]
    for scale in (1.0, 1e3, 1e6):
        if len(rows) > 1 and all(_fits(value, scale * count.value, other) for value, count, other in rows):
            return scale
    return math.nan


def _fits(value: Printed, count: float, other: Printed) -> bool:
    slack = value.half * 1.01 + value.value * (other.half / other.value + 1e-9)
    is_exact = slack < 0.2 * value.value
    return is_exact and abs(count / other.value - value.value) <= slack
