"""Rank tests and their intervals: against hand-counted values, another program, and their own definition."""

import itertools
import math
import random
import time

import pytest
import scipy  # which imports scipy.stats when it is used first
from hypothesis import given
from hypothesis import strategies as st

from reportgen.compare.exact_tests import (
    false_discovery_thresholds,
    fewest_rounds,
    rank_sum_test,
    signed_rank_test,
)
from tests.each_of import each_of


def draws(seed: int, n: int, shift: float = 0) -> list[float]:
    generator = random.Random(seed)
    return [generator.gauss(shift, 1) for _ in range(n)]


@each_of([1, 2, 5, 6, 7, 10, 20], [0, 0.7])
def test_signed_ranks_agree_with_scipy(n: int, shift: float) -> None:
    values = draws(n, n, shift)
    expected = scipy.stats.wilcoxon(values, method="exact").pvalue
    assert signed_rank_test(values, 0.95).p == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 5), (5, 5), (7, 7), (6, 9), (10, 10)])
@pytest.mark.parametrize("shift", [0, 1.5])
def test_rank_sums_agree_with_scipy(n: int, m: int, shift: float) -> None:
    values, others = draws(n, n, shift), draws(100 + m, m)
    expected = scipy.stats.mannwhitneyu(values, others, method="exact").pvalue
    assert rank_sum_test(values, others, 0.95).p == pytest.approx(expected, abs=1e-12)


def test_sixty_and_sixty_repeats_with_and_without_ties_take_no_seconds() -> None:
    values, others = draws(1, 60, 0.4), draws(2, 60)
    begin = time.process_time()
    found = rank_sum_test(values, others, 0.95)
    rank_sum_test([round(value, 1) for value in values], [round(value, 1) for value in others], 0.95)
    assert time.process_time() - begin < 2  # one comparison took 12 s
    expected = scipy.stats.mannwhitneyu(values, others, method="exact").pvalue
    assert found.p == pytest.approx(expected, abs=1e-12)


def test_seven_rounds_use_the_third_and_the_twenty_sixth_of_28_averages() -> None:
    values = draws(3, 7)
    averages = sorted((a + b) / 2 for a, b in itertools.combinations_with_replacement(values, 2))
    found = signed_rank_test(values, 0.95)
    assert (found.low, found.high) == (averages[2], averages[25])
    assert found.coverage == pytest.approx(1 - 6 / 128)


def test_seven_and_seven_repeats_use_the_ninth_of_49_differences() -> None:
    values, others = draws(4, 7), draws(5, 7)
    differences = sorted(a - b for a in values for b in others)
    found = rank_sum_test(values, others, 0.95)
    assert (found.low, found.high) == (differences[8], differences[-9])
    assert found.coverage == pytest.approx(1 - 0.0379, abs=1e-4)


@pytest.mark.parametrize("n", [1, 3, 5])
def test_too_few_rounds_have_no_interval(n: int) -> None:
    found = signed_rank_test([1.0] * n, 0.95)
    assert (found.low, found.high, found.shift) == (-math.inf, math.inf, 1.0)
    assert found.p > 0.05
    assert n < fewest_rounds(0.05) == 6


def test_a_difference_of_zero_supports_neither_sign() -> None:
    assert signed_rank_test([0.0] * 8, 0.95).p == 1
    # One zero of seven: its rank is lost, and 2 of 2^6 signs are as extreme as all positive.
    assert signed_rank_test([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 0.95).p == 2 / 64


_FEW = st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=6)


@given(_FEW)
def test_p_is_the_share_of_signs_that_are_as_extreme(values: list[float]) -> None:
    """Count over all signs, ties included."""
    ranks = scipy.stats.rankdata([abs(value) for value in values])
    kept = [(rank, value) for rank, value in zip(ranks, values, strict=True) if value]
    observed = sum(rank for rank, value in kept if value > 0)
    sums = [
        sum(rank for (rank, _), sign in zip(kept, signs, strict=True) if sign)
        for signs in itertools.product((0, 1), repeat=len(kept))
    ]
    tails = sum(x <= observed for x in sums), sum(x >= observed for x in sums)
    assert signed_rank_test(values, 0.95).p == pytest.approx(min(1, 2 * min(tails) / len(sums)))


@given(_FEW, _FEW)
def test_p_is_the_share_of_divisions_that_are_as_extreme(values: list[float], others: list[float]) -> None:
    ranks = scipy.stats.rankdata([*values, *others])
    observed = sum(ranks[: len(values)])
    sums = [sum(chosen) for chosen in itertools.combinations(ranks, len(values))]
    tails = sum(x <= observed for x in sums), sum(x >= observed for x in sums)
    assert rank_sum_test(values, others, 0.95).p == pytest.approx(min(1, 2 * min(tails) / len(sums)))


_DISTINCT = st.lists(st.integers(-1000, 1000).map(float), min_size=6, max_size=9, unique_by=abs)


@given(_DISTINCT)
def test_the_interval_excludes_zero_where_the_test_rejects(values: list[float]) -> None:
    if 0 in values or any(a + b == 0 for a, b in itertools.combinations(values, 2)):
        return
    found = signed_rank_test(values, 0.95)
    assert (found.p <= 0.05) == (found.low > 0 or found.high < 0)
    assert found.low <= found.shift <= found.high
    assert found.coverage >= 0.95


@given(_DISTINCT, _DISTINCT)
def test_the_interval_of_a_shift_excludes_zero_where_the_test_rejects(
    values: list[float], others: list[float]
) -> None:
    if set(values) & set(others):
        return
    found = rank_sum_test(values, others, 0.95)
    assert (found.p <= 0.05) == (found.low > 0 or found.high < 0)
    turned = rank_sum_test(others, values, 0.95)
    assert (turned.low, turned.high, turned.p) == (-found.high, -found.low, found.p)


def test_discoveries_agree_with_scipy() -> None:
    for seed in range(20):
        ps = [abs(value) % 1 * 0.2 for value in draws(seed, 12)]
        adjusted = scipy.stats.false_discovery_control(ps)
        assert false_discovery_thresholds(ps, 0.05) == [bool(p <= 0.05) for p in adjusted]
    assert false_discovery_thresholds([], 0.05) == []


def test_a_confidence_that_is_reached_exactly_has_an_interval() -> None:
    """1 - 0.9 is a little less than 0.1."""
    found = rank_sum_test([1, 2, 3], [4.1, 5.2, 6.4], 0.9)
    assert (found.p, math.isfinite(found.low)) == (pytest.approx(0.1), True)
