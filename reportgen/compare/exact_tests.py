"""Exact rank tests of two sets of repeats, and the intervals that belong to them.

Repeats are few and their distribution is unknown, so p is counted and never approximated. Ties get the mean
of their ranks, and p is counted over those ranks, so that it stays exact. The interval is the set of shifts
that the test does not reject: it excludes 0 exactly where p is at most alpha (without ties).
"""

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple


class ShiftTest(NamedTuple):
    """The result of a test whether a shift is 0.

    shift      the Hodges-Lehmann estimate, in the unit of the values
    p          two-sided
    low, high  interval of the shift; infinite where the values are too few for the confidence
    coverage   of the interval, at least the confidence if it is finite
    """

    shift: float
    p: float
    low: float
    high: float
    coverage: float


def signed_rank_test(differences: Sequence[float], confidence: float) -> ShiftTest:
    """Test whether differences of pairs are symmetric about 0, by Wilcoxon's signed ranks.

    differences  at least one finite number; a difference of 0 supports both signs (Pratt)
    confidence   in (0, 1)

    Wilcoxon, Individual comparisons by ranking methods, Biometrics 1 (1945). The interval is between two
    Walsh averages: Hollander, Wolfe & Chicken, Nonparametric Statistical Methods, 3rd ed., 3.1 to 3.3.
    """
    n = len(differences)
    ranks = _doubled_ranks([abs(each) for each in differences])
    nonzero = [rank for rank, each in zip(ranks, differences, strict=True) if each]
    positive = sum(rank for rank, each in zip(ranks, differences, strict=True) if each > 0)
    counts = _subset_sums(tuple(sorted(nonzero)))
    p = _two_sided(counts, positive, 2 ** len(nonzero))
    averages = sorted((differences[i] + differences[j]) / 2 for i in range(n) for j in range(i, n))
    return _with_interval(averages, p, _subset_sums(tuple(range(1, n + 1))), 2**n, confidence)


def rank_sum_test(values: Sequence[float], others: Sequence[float], confidence: float) -> ShiftTest:
    """Test whether two independent samples differ by a shift, by the ranks of Mann and Whitney.

    values, others  at least one finite number each; the shift is that of the values against the others
    confidence      in (0, 1)

    Mann & Whitney, On a test of whether one of two random variables is stochastically larger than the other,
    Annals of Mathematical Statistics 18 (1947). The interval is between two differences: Hollander, Wolfe &
    Chicken, sections 4.1 to 4.3.
    """
    n, m = len(values), len(others)
    ranks = _doubled_ranks([*values, *others])
    counts = _subset_sums_of_size(ranks, n)
    p = _two_sided(counts, sum(ranks[:n]), math.comb(n + m, n))
    differences = sorted(value - other for value in values for other in others)
    smallest = n * (n + 1) // 2
    plain = _subset_sums_of_size(range(1, n + m + 1), n)[smallest:]
    return _with_interval(differences, p, plain, math.comb(n + m, n), confidence)


def fewest_rounds(alpha: float) -> int:
    """Return the number of rounds that a signed rank test needs to reach p <= alpha: 6 for 0.05."""
    return max(1, math.ceil(1 - math.log2(alpha)))


def fewest_repeats_of_each(alpha: float) -> int:
    """Return the number of repeats of each case that a rank sum test needs for p <= alpha: 4 for 0.05."""
    n = 1
    while 2 / math.comb(2 * n, n) > alpha:
        n += 1
    return n


def false_discovery_thresholds(ps: Sequence[float], rate: float) -> list[bool]:
    """Return which of the p values are discoveries at a false discovery rate.

    Benjamini & Hochberg, Controlling the false discovery rate, J. R. Statist. Soc. B 57 (1995).
    """
    order = sorted(range(len(ps)), key=lambda i: ps[i])
    passing = [k for k, i in enumerate(order, 1) if ps[i] <= rate * k / len(ps)]
    last = max(passing, default=0)
    discoveries = set(order[:last])
    return [i in discoveries for i in range(len(ps))]


def _doubled_ranks(values: Sequence[float]) -> list[int]:
    """Return twice the rank of each value; equal values share the mean of their ranks."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    ranks = [0] * len(values)
    begin = 0
    while begin < len(order):
        end = begin
        while end < len(order) and values[order[end]] == values[order[begin]]:
            end += 1
        for position in order[begin:end]:
            ranks[position] = begin + 1 + end
        begin = end
    return ranks


@lru_cache(maxsize=64)
def _subset_sums(numbers: tuple[int, ...]) -> Sequence[int]:
    """Return how many subsets of non-negative numbers have the sum 0, 1, 2, ..."""
    counts = [1] + [0] * sum(numbers)
    reached = 0
    for number in numbers:
        reached += number
        for total in range(reached, number - 1, -1):
            counts[total] += counts[total - number]
    return counts


def _subset_sums_of_size(numbers: Sequence[int], size: int) -> list[int]:
    """Return how many subsets of this size have the sum 0, 1, 2, ...

    One integer holds all counts of one size, each in a field of as many bytes as the largest count needs, so
    that one shift and one addition count a number in for all sums at once.
    """
    field = math.comb(len(numbers), size).bit_length() // 8 + 1
    by_size = [1] + [0] * size
    for position, number in enumerate(sorted(numbers)):
        to_come = len(numbers) - position
        for k in range(min(size, position + 1), max(0, size - to_come), -1):
            by_size[k] += by_size[k - 1] << 8 * field * number
    width = sum(sorted(numbers)[-size:]) + 1
    digits = by_size[size].to_bytes(field * width, "little")
    return [int.from_bytes(digits[i : i + field], "little") for i in range(0, len(digits), field)]


def _two_sided(counts: Sequence[int], observed: int, total: int) -> float:
    """Return twice the smaller tail of a distribution of counts, at most 1."""
    low, high = sum(counts[: observed + 1]), sum(counts[observed:])
    return min(1.0, 2 * min(low, high) / total)


def _with_interval(
    ordered: Sequence[float], p: float, counts: Sequence[int], total: int, confidence: float
) -> ShiftTest:
    """Add the estimate and the interval, whose ends are as far inside as the distribution allows."""
    middle = len(ordered) // 2
    shift = ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
    inside, outside = 0, 0
    for below in _running(counts):
        if 2 * below / total > (1 - confidence) * (1 + 1e-9) or 2 * inside >= len(ordered):
            break
        inside, outside = inside + 1, below
    if not inside:
        return ShiftTest(shift, p, -math.inf, math.inf, 1.0)
    return ShiftTest(shift, p, ordered[inside - 1], ordered[-inside], 1 - 2 * outside / total)


def _running(counts: Sequence[int]) -> Iterator[int]:
    total = 0
    for count in counts:
        total += count
        yield total
