"""Statistics of a few repeats: medians, their intervals, geometric means, drift.

Input and output are floats; this module does not depend on runs or metrics. The repeats of a benchmark
are few (7) and their distribution is unknown, so everything uses order statistics and exact counts rather
than normal approximations. Sums are `math.fsum`, so that the order of the values never changes a digit.
"""

import math
from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from typing import NamedTuple

from reportgen.core.model import Summary

# Up to this many values, the distribution of a trend is counted exactly and its slope uses all pairs. With
# more values the normal distribution is exact to four digits, and all pairs would need too much memory.
_MAX_EXACT_VALUES = 60

# Two groups of so many values are this many times the larger range of the two apart, of more values 15 / n
# times, and 0.6 times at least: at most 1.2 % of single groups look like two in any noise tried.
_APART_OF_FEW = {4: 12.0, 5: 5.5}
_APART_TIMES_VALUES, _APART_OF_MANY = 15.0, 0.6
# The smaller of two groups has as many values at least; of four or five values, two.
_SMALLEST_GROUP = 3


class MedianInterval(NamedTuple):
    """An interval of the median: [low, high] in the unit of the values, and its coverage."""

    low: float
    high: float
    coverage: float
    reached: bool


class Trend(NamedTuple):
    """A trend over ordered values: Kendall's tau in -1..1, its exact p, and the rise per position."""

    tau: float
    p: float
    slope: float


def median(values: Sequence[float]) -> float:
    """Return the median of at least one finite number; the mean of the middle two for an even count."""
    if not values:
        raise ValueError("median without values")
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    low, high = ordered[middle - 1], ordered[middle]
    return low + (high - low) / 2


def mean(values: Sequence[float]) -> float:
    """Return the mean of at least one finite number."""
    return math.fsum(values) / len(values)


def deviation(values: Sequence[float]) -> float:
    """Return the standard deviation of a sample of at least two finite numbers."""
    center = mean(values)
    return math.sqrt(math.fsum((value - center) ** 2 for value in values) / (len(values) - 1))


def quantile(ordered: Sequence[float], share: float) -> float:
    """Return the quantile of at least one ascending number, interpolated linearly.

    share  in [0, 1]. Hyndman & Fan (1996), Sample Quantiles in Statistical Packages, definition 7.
    """
    position = share * (len(ordered) - 1)
    low = min(int(position), len(ordered) - 2) if len(ordered) > 1 else 0
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (position - low)


def median_interval(values: Sequence[float], confidence: float) -> MedianInterval:
    """Return the interval of the median from order statistics, and its true coverage.

    values      at least one finite number, any order, any unit
    confidence  in (0, 1); the interval is the narrowest symmetric pair X(k), X(n+1-k) that reaches it
    returns     (low, high, coverage, reached); too few values to reach it: their range, reached False

    Makes no assumption about the distribution but that it is continuous and the values independent:
    P(X(k) < m < X(n+1-k)) is binomial. David & Nagaraja, Order Statistics, 3rd ed., section 7.1.
    """
    if not values:
        raise ValueError("interval without values")
    ordered = sorted(values)
    n = len(ordered)
    k, coverage = _narrowest(n, confidence)
    return MedianInterval(ordered[k - 1], ordered[n - k], coverage, coverage >= confidence)


def _narrowest(n: int, confidence: float) -> tuple[int, float]:
    """Return the largest k at which P(X(k) < median < X(n+1-k)) reaches the confidence, else 1, and that P.

    It is the sum of C(n, k) .. C(n, n-k) over 2^n: exact integers, added up from the middle outwards, since
    an interval of n values ends after some sqrt(n) of them.
    """
    k, total = (n + 1) // 2, 2**n
    term = math.comb(n, k)
    inside = 0 if n % 2 else term
    while inside / total < confidence and k > 1:
        term = term * k // (n + 1 - k)
        inside += 2 * term
        k -= 1
    return k, inside / total


def fewest_repeats(confidence: float) -> int:
    """Return the number of repeats that an interval of the median of that confidence needs: 6 for 0.95."""
    if not 0 < confidence < 1:
        raise ValueError("confidence must be between 0 and 1")
    n = 1
    while (2**n - 2) / 2**n < confidence:  # in two of 2^n ways the median is outside the range
        n += 1
    return n


def summarize(values: Sequence[float], confidence: float) -> Summary | None:
    """Return median, interval and count of the repeats of a case, None if there are none."""
    if not values:
        return None
    low, high, coverage, reached = median_interval(values, confidence)
    return Summary(median(values), low, high, coverage, reached, len(values))


def olympic(values: Sequence[float], drop: int, missing: int, *, lower_is_better: bool) -> Summary | None:
    """Return the mean of repeats without the `drop` best and the `drop` worst, as MLPerf scores a benchmark.

    missing  repeats without a value, which count as the worst
    returns  None if more repeats are missing than dropped, or if no value is left. The range covers the
             values in the mean; it is not an interval

    https://github.com/mlcommons/training_policies, "Benchmark results".
    """
    ordered = sorted(values, reverse=not lower_is_better)
    kept = ordered[drop : len(ordered) - max(drop - missing, 0)]
    if missing > drop or not kept:
        return None
    return Summary(mean(kept), min(kept), max(kept), 0.0, False, len(kept), "olympic mean")


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean of at least one positive number; ValueError for anything else.

    The mean for ratios: the mean of a/b is the inverse of the mean of b/a.
    """
    if not values or min(values) <= 0:
        raise ValueError("geometric mean needs positive values")
    return math.exp(math.fsum(math.log(value) for value in values) / len(values))


def trend(values: Sequence[float]) -> Trend:
    """Return the trend of values over their position: Kendall's tau and the Theil-Sen slope.

    values   at least two, in the order of their measurement
    returns  tau; p, two-sided, exact for values without ties and conservative with them; slope, the median
             rise per position in the unit of the values

    With more than 60 values, p is a normal approximation, and the slope uses only the pairs that are half of
    all values apart (Theil's incomplete method), so that the time grows little faster than the values.

    Kendall, A New Measure of Rank Correlation, Biometrika 30 (1938): if the order has no effect, all
    permutations are equally likely, and their discordant pairs are inversions. Theil, A
    rank-invariant method of linear and polynomial regression analysis, Proc. KNAW 53 (1950).
    """
    n = len(values)
    if n < 2:
        raise ValueError("trend of fewer than two values")
    score, before = 0, list[float]()
    for value in values:
        lower, higher = bisect_left(before, value), len(before) - bisect_right(before, value)
        score += lower - higher
        insort(before, value)
    apart = range(1, n) if n <= _MAX_EXACT_VALUES else [(n + 1) // 2]
    slope = median([(values[i + lag] - values[i]) / lag for lag in apart for i in range(n - lag)])
    return Trend(score / (n * (n - 1) // 2), _chance(n, abs(score)), slope)


def lower_group(values: Sequence[float]) -> int:
    """Return how many of the values, in ascending order, are the lower of two groups; 0 for one group.

    The gap between the groups is wide compared with both of them. `benchmarks/two_groups.py` counts how
    often one group looks like two.
    """
    ordered, n = sorted(values), len(values)
    smallest = 2 if n in _APART_OF_FEW else _SMALLEST_GROUP
    if n < 2 * smallest:
        return 0
    size = max(range(smallest, n - smallest + 1), key=lambda size: ordered[size] - ordered[size - 1])
    gap = ordered[size] - ordered[size - 1]
    larger = max(ordered[size - 1] - ordered[0], ordered[-1] - ordered[size])
    apart = _APART_OF_FEW.get(n) or max(_APART_TIMES_VALUES / n, _APART_OF_MANY)
    return size if gap > 0 and gap >= apart * larger else 0


def _chance(n: int, score: int) -> float:
    """Return the probability that n values in random order reach at least this score in either direction."""
    if n > _MAX_EXACT_VALUES:
        deviation = math.sqrt(n * (n - 1) * (2 * n + 5) / 18)
        return math.erfc(max(score - 1, 0) / deviation / math.sqrt(2))
    # A permutation with k inversions has the score pairs - 2 k.
    pairs = n * (n - 1) // 2
    as_extreme = sum(count for k, count in enumerate(_inversions(n)) if abs(pairs - 2 * k) >= score)
    return as_extreme / math.factorial(n)


def _inversions(n: int) -> list[int]:
    """Return the number of permutations of n items with 0, 1, 2, ... inversions (Mahonian numbers)."""
    counts = [1]
    for size in range(2, n + 1):
        # Inserting the largest item at one of `size` places adds 0 .. size - 1 inversions. So each new count
        # is the sum of `size` old counts, kept as a running sum.
        longer, running = [], 0
        for k in range(len(counts) + size - 1):
            running += counts[k] if k < len(counts) else 0
            running -= counts[k - size] if k >= size else 0
            longer.append(running)
        counts = longer
    return counts
