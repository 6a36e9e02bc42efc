"""Statistics of a few repeats: medians, their intervals, geometric means, drift.

Lists of floats go in, floats come out; nothing here knows of runs or metrics. The repeats of a
benchmark are few (7) and their distribution is unknown, so everything rests on order statistics
and exact counts instead of normal approximations. Sums are `math.fsum`, so that the order of the
values never moves a digit.
"""

import math
from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from typing import NamedTuple

from reportgen.core.model import Summary

# Up to here a trend's distribution is counted out and its slope is of all pairs. Beyond, the normal
# distribution is right to four digits, and pairs that grow with the square would fill the memory.
_EXACT = 60


class MedianInterval(NamedTuple):
    """An interval of the median: [low, high] in the unit of the values, and the coverage it has."""

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
    """Return the median of at least one finite number; of two middle ones, their mean."""
    if not values:
        raise ValueError("median of no values")
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    low, high = ordered[middle - 1], ordered[middle]
    return low + (high - low) / 2


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
        raise ValueError("interval of no values")
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
    """Return how many repeats an interval of the median of that confidence needs: 6 for 0.95."""
    if not 0 < confidence < 1:
        raise ValueError("confidence must lie between 0 and 1")
    n = 1
    while (2**n - 2) / 2**n < confidence:  # two of 2^n ways leave the median outside the range
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

    missing  repeats without a value: they are the worst; None if there are more of them than are dropped,
             or if nothing is left. The range is that of the values in the mean; it is no interval.

    https://github.com/mlcommons/training_policies, "Benchmark results".
    """
    ordered = sorted(values, reverse=not lower_is_better)
    kept = ordered[drop : len(ordered) - max(drop - missing, 0)]
    if missing > drop or not kept:
        return None
    mean = math.fsum(kept) / len(kept)
    return Summary(mean, min(kept), max(kept), 0.0, False, len(kept), "olympic mean")


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean of at least one positive number; of anything else, ValueError.

    The mean for ratios: that of a/b is the inverse of that of b/a.
    """
    if not values or min(values) <= 0:
        raise ValueError("geometric mean needs positive values")
    return math.exp(math.fsum(math.log(value) for value in values) / len(values))


def trend(values: Sequence[float]) -> Trend:
    """Return whether values rise or fall with their position: Kendall's tau and the Theil-Sen slope.

    values   at least two, in the order in which they came to be
    returns  tau; p, two-sided, exact for values without ties and conservative with them; slope, the median
             rise per position in the unit of the values

    Beyond 60 values p is of the normal approximation and the slope of the pairs that lie half of all values
    apart (Theil's incomplete method), so that the time hardly grows faster than the values.

    Kendall, A New Measure of Rank Correlation, Biometrika 30 (1938): if the order means nothing,
    every permutation is as likely as the next, and their discordant pairs are inversions. Theil, A
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
    apart = range(1, n) if n <= _EXACT else [(n + 1) // 2]
    slope = median([(values[i + lag] - values[i]) / lag for lag in apart for i in range(n - lag)])
    return Trend(score / (n * (n - 1) // 2), _chance(n, abs(score)), slope)


def _chance(n: int, score: int) -> float:
    """Return the probability that n values in any order score at least this (0 or more) either way."""
    if n > _EXACT:
        deviation = math.sqrt(n * (n - 1) * (2 * n + 5) / 18)
        return math.erfc(max(score - 1, 0) / deviation / math.sqrt(2))
    # A permutation with k inversions has the score pairs - 2 k.
    pairs = n * (n - 1) // 2
    as_extreme = sum(count for k, count in enumerate(_inversions(n)) if abs(pairs - 2 * k) >= score)
    return as_extreme / math.factorial(n)


def _inversions(n: int) -> list[int]:
    """Return how many permutations of n things have 0, 1, 2, ... inversions (Mahonian numbers)."""
    counts = [1]
    for size in range(2, n + 1):
        # Putting in the largest thing at one of `size` places adds 0 .. size - 1 inversions, so that each
        # new count is the sum of `size` old ones, kept as a running sum.
        longer, running = [], 0
        for k in range(len(counts) + size - 1):
            running += counts[k] if k < len(counts) else 0
            running -= counts[k - size] if k >= size else 0
            longer.append(running)
        counts = longer
    return counts
