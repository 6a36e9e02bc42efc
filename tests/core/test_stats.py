"""Medians, their intervals, geometric means and trends, compared with values computed by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.core import stats
from tests.each_of import each_of, each_row

numbers = st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=30)


@pytest.mark.parametrize(
    ("values", "expected"),
    [([3.0], 3.0), ([3.0, 1.0], 2.0), ([5.0, 1.0, 3.0], 3.0), ([4.0, 1.0, 3.0, 2.0], 2.5)],
)
def test_the_median_is_the_middle_value_or_the_mean_of_two(values: list[float], expected: float) -> None:
    assert stats.median(values) == expected


# Coverage of [X(k), X(n+1-k)] is 1 - 2 sum_{i<k} C(n, i) / 2^n. For n = 10, k = 2: 1 - 2 x 11/1024.
@each_row(
    [
        (1, 1, 1, 0.0, False),
        (2, 1, 2, 0.5, False),
        (5, 1, 5, 0.9375, False),
        (6, 1, 6, 0.96875, True),
        (7, 1, 7, 0.984375, True),
        (8, 1, 8, 0.9921875, True),
        (9, 2, 8, 1 - 2 * 10 / 512, True),
        (10, 2, 9, 1 - 2 * 11 / 1024, True),
    ]
)
def test_the_interval_of_the_median_has_its_stated_coverage(
    n: int, low: float, high: float, coverage: float, reached: bool
) -> None:
    values = [float(i) for i in range(n, 0, -1)]
    assert stats.median_interval(values, 0.95) == (low, high, coverage, reached)


# Of 1000 values: X(469) and X(532), from the binomial distribution summed over all terms.
@pytest.mark.parametrize(
    ("n", "low", "high", "coverage"),
    [(1000, 469, 532, 0.9537088026395019), (1001, 470, 532, 0.9500154764972458)],
)
def test_the_interval_of_many_values_is_exact_too(n: int, low: float, high: float, coverage: float) -> None:
    values = [float(i) for i in range(1, n + 1)]
    assert stats.median_interval(values, 0.95) == (low, high, coverage, True)


@pytest.mark.parametrize(("confidence", "n"), [(0.5, 2), (0.9, 5), (0.95, 6), (0.98, 7), (0.99, 8)])
def test_the_fewest_repeats_follow_from_the_confidence(confidence: float, n: int) -> None:
    assert stats.fewest_repeats(confidence) == n


@given(numbers, st.floats(0.01, 0.999))
def test_the_median_is_in_its_interval(values: list[float], confidence: float) -> None:
    low, high, coverage, reached = stats.median_interval(values, confidence)
    assert min(values) <= low <= stats.median(values) <= high <= max(values)
    assert reached == (coverage >= confidence)


@given(numbers, st.randoms(use_true_random=False))
def test_the_order_of_the_values_does_not_matter(values: list[float], random: object) -> None:
    shuffled = values.copy()
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert stats.summarize(shuffled, 0.95) == stats.summarize(values, 0.95)


@given(numbers, st.floats(0, 1))
def test_quantiles_agree_with_numpy(values: list[float], share: float) -> None:
    found = stats.quantile(sorted(values), share)
    assert found == pytest.approx(float(np.quantile(values, share)), rel=1e-9, abs=1e-3)


def test_no_values_have_no_summary() -> None:
    assert stats.summarize([], 0.95) is None


def test_a_summary_counts_its_repeats() -> None:
    found = stats.summarize([4.0, 2.0, 6.0], 0.95)
    assert found is not None
    assert (found.median, found.low, found.high, found.coverage, found.reached, found.n) == (
        4.0, 2.0, 6.0, 0.75, False, 3,
    )  # fmt: skip


@given(st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=20))
def test_the_geometric_mean_of_inverses_is_the_inverse(values: list[float]) -> None:
    inverse = stats.geometric_mean([1 / value for value in values])
    assert math.isclose(stats.geometric_mean(values) * inverse, 1, rel_tol=1e-9)


def test_the_geometric_mean_of_2_and_8_is_4() -> None:
    assert stats.geometric_mean([2.0, 8.0]) == pytest.approx(4.0, rel=1e-15)


@pytest.mark.parametrize("values", [[], [1.0, 0.0], [1.0, -2.0]])
def test_a_geometric_mean_needs_positive_values(values: list[float]) -> None:
    with pytest.raises(ValueError, match="positive"):
        stats.geometric_mean(values)


# Two-sided p of a strictly rising sequence of n is 2 / n!; of one swap of neighbours, 2 n / n!.
@pytest.mark.parametrize(
    ("values", "tau", "p", "slope"),
    [
        ([1, 2, 3, 4, 5], 1.0, 2 / 120, 1.0),
        ([5, 4, 3, 2, 1], -1.0, 2 / 120, -1.0),
        ([1, 2, 3, 4, 5, 7, 6], 19 / 21, 14 / 5040, 1.0),
        ([2, 1], -1.0, 1.0, -1.0),
        ([3, 3, 3], 0.0, 1.0, 0.0),
    ],
)
def test_a_trend_is_tested_exactly(values: list[float], tau: float, p: float, slope: float) -> None:
    found = stats.trend([float(v) for v in values])
    assert (found.tau, found.p, found.slope) == (pytest.approx(tau), pytest.approx(p), pytest.approx(slope))


@given(st.lists(st.integers(0, 9) | st.floats(-1e6, 1e6), min_size=2, max_size=60))
def test_the_trend_of_few_values_uses_all_pairs(values: list[float]) -> None:
    pairs = [(i, j) for i in range(len(values)) for j in range(i + 1, len(values))]
    score = sum((values[j] > values[i]) - (values[j] < values[i]) for i, j in pairs)
    slope = stats.median([(values[j] - values[i]) / (j - i) for i, j in pairs])
    found = stats.trend(values)
    assert (found.tau, found.slope) == (score / len(pairs), slope)


# All pairs of these are 2e8, and their interval is of binomial coefficients of 20,000 bits. By the triangular
# distribution of the difference of two remainders 14.6 % of the pairs are discordant: tau is 0.708.
def test_the_trend_of_many_values_takes_less_than_quadratic_time() -> None:
    values = [100.0 + 0.001 * i + (i % 100) / 10 for i in range(20_000)]
    found = stats.trend(values)
    assert (found.slope, found.tau) == (pytest.approx(0.001, rel=1e-6), pytest.approx(0.708, abs=0.01))
    low, high, coverage, reached = stats.median_interval(values, 0.95)
    assert low < stats.median(values) < high
    assert (reached, coverage) == (True, pytest.approx(0.95, abs=0.005))


@each_of([*range(4), 4, 5, 6, 7, 12, 24, 25, 60])
def test_groups_are_apart_by_a_share_of_the_larger_range(n: int) -> None:
    # Lower half 0 to 1, upper half from 1 + gap: enough at 12 and 5.5 of few, 15 / n of more, and 0.6.
    enough = {4: 12.0, 5: 5.5}.get(n, max(15 / n, 0.6) if n else 0)
    half = n // 2
    for share, size in ((1.001, half if n > 3 else 0), (0.999, 0)):
        upper = [1 + share * enough + i / 100 for i in range(n - half)]
        assert stats.lower_group([0.0, 1.0, *[0.5] * n][:half] + upper) == size


def test_no_values_have_no_trend() -> None:
    with pytest.raises(ValueError, match="median without values"):
        stats.median([])
    with pytest.raises(ValueError, match="interval without values"):
        stats.median_interval([], 0.95)
    with pytest.raises(ValueError, match="trend of fewer than two values"):
        stats.trend([1.0])
    with pytest.raises(ValueError, match="between 0 and 1"):
        stats.fewest_repeats(1.0)


@each_row(
    [
        ([9.0, 1.0, 3.0, 2.0], 1, 0, True, (2.5, 2.0, 3.0, 2)),
        ([1.0, 3.0, 2.0], 1, 1, True, (2.5, 2.0, 3.0, 2)),  # the failure was the slowest
        ([1.0, 3.0, 2.0], 1, 0, True, (2.0, 2.0, 2.0, 1)),
        ([1.0, 3.0, 2.0], 1, 1, False, (1.5, 1.0, 2.0, 2)),  # higher is better: 3.0 was the best
        ([1.0, 2.0], 1, 2, True, None),
        ([1.0, 2.0], 1, 0, True, None),
        ([], 1, 0, True, None),
        ([4.0, 6.0], 0, 0, True, (5.0, 4.0, 6.0, 2)),
    ]
)
def test_the_olympic_mean_drops_the_best_and_the_worst(
    values: list[float], drop: int, missing: int, lower: bool, expected: tuple[float, ...] | None
) -> None:
    found = stats.olympic(values, drop, missing, lower_is_better=lower)
    assert (found and (found.median, found.low, found.high, found.n)) == expected
    assert found is None or (found.statistic, found.reached) == ("olympic mean", False)


# Beyond 60 values the distribution is no longer counted out; at the border both agree.
def test_a_trend_of_many_values_is_tested_by_the_normal_approximation() -> None:
    values = [float(i % 7) + i * 0.02 for i in range(61)]
    exact, approximate = stats.trend(values[:60]), stats.trend(values)
    assert approximate.p == pytest.approx(exact.p, abs=0.03)
    assert stats.trend([float(i) for i in range(200)]).p < 1e-12
    assert stats.trend([1.0] * 200).p == 1.0
