"""ChangePoint points: steps and drifts are found as what they are, and noise is not."""

import math
import random
from collections.abc import Sequence
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.change_points import NOISES, SHAPES, Shape, exact_finds, false_alarms
from reportgen.core import change_points
from reportgen.core.change_points import ChangePoint, ChangePointRule, find_changes

RULE = ChangePointRule()


def noisy(logs: Sequence[float], spread: float, seed: int = 1) -> list[float]:
    """Return 100 x exp(logs) with normal noise of this relative standard deviation."""
    generator = random.Random(seed)
    return [100 * math.exp(x + generator.gauss(0, spread)) for x in logs]


def changes(values: Sequence[float]) -> tuple[ChangePoint, ...]:
    return find_changes(values, RULE).changes


def test_a_step_is_found_at_its_place_with_its_size() -> None:
    (step,) = changes(noisy([0.0] * 12 + [math.log(1.04)] * 18, 0.005))
    assert (step.kind, step.first, step.last) == ("step", 12, 12)
    assert step.ratio == pytest.approx(1.04, abs=0.005)
    assert step.p <= RULE.significance


def test_a_slow_drift_is_one_drift_and_not_several_steps() -> None:
    (drift,) = changes(noisy([-0.05 * i / 29 for i in range(30)], 0.003))
    assert drift.kind == "drift"
    assert drift.last - drift.first >= 20
    assert drift.ratio == pytest.approx(math.exp(-0.05), abs=0.01)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_both_a_step_of_4_percent_and_a_slow_drift_are_found_and_nothing_else(shape: Shape) -> None:
    assert exact_finds(shape, 0.003, 5, 30, "a") == 5


@pytest.mark.parametrize("name", ["normal", "t(2)", "bimodal", "rounded"])
def test_noise_without_memory_has_few_false_changes(name: str) -> None:
    """At a significance of 1 %, more than 5 false alarms in 100 series have a chance of 0.05 %."""
    assert false_alarms(NOISES[name], 100, 30, "a")[0] <= 5


@pytest.mark.parametrize("name", ["AR 0.3", "AR 0.6"])
def test_noise_with_some_memory_has_few_false_changes(name: str) -> None:
    """Of 400 series 1 % and 4 %; without a limit for the size of a change 6 % and 31 %."""
    assert false_alarms(NOISES[name], 60, 30, "a")[0] <= 8


def test_a_change_of_the_size_of_its_error_is_not_a_change() -> None:
    assert RULE.least_effect == 5.0
    values = noisy([0.0] * 12 + [math.log(1.04)] * 18, 0.005)
    assert changes(values)
    assert find_changes(values, replace(RULE, least_effect=40.0)).changes == ()


def test_correlated_neighbours_are_measured() -> None:
    """A reader who sees a high correlation knows that the changes may be noise."""
    related = NOISES["AR 0.6"](random.Random(1), 40)
    assert find_changes([math.exp(0.01 * x) for x in related], RULE).neighbour_correlation > 0.3
    independent = NOISES["normal"](random.Random(1), 40)
    assert abs(find_changes([math.exp(0.01 * x) for x in independent], RULE).neighbour_correlation) < 0.3


def test_the_result_is_the_same_each_time_and_in_any_unit() -> None:
    values = noisy([0.0] * 12 + [0.04] * 18, 0.01)
    first = changes(values)
    assert changes(values) == first
    assert [(each.kind, each.first) for each in changes([x * 1e-6 for x in values])] == [
        (each.kind, each.first) for each in first
    ]


@pytest.mark.parametrize(
    "values",
    [
        [100.0],
        [100.0] * 40,
        [100.0, 101.0, 100.0, 130.0, 131.0],  # too few to be more than chance
        [100.0 + (i % 2) for i in range(30)],
        [100.0] * 29 + [150.0],  # one outlier is not a level
        [100.0] * 2 + [96.0] * 9,  # nothing explains what the best step leaves over
    ],
    ids=["one", "constant", "few", "alternating", "outlier", "two"],
)
def test_no_change_is_found_where_there_is_none(values: list[float]) -> None:
    assert changes(values) == ()


def test_a_step_without_noise_is_one_step() -> None:
    (step,) = changes([100.0] * 10 + [104.0] * 10)
    assert (step.kind, step.first, step.ratio) == ("step", 10, pytest.approx(1.04))


def test_the_fitted_values_follow_the_changes() -> None:
    found = find_changes(noisy([0.0] * 10 + [0.1] * 20, 0.003), RULE)
    assert found.fitted[:10] == pytest.approx([100.0] * 10, rel=0.005)
    assert found.fitted[10:] == pytest.approx([100 * math.exp(0.1)] * 20, rel=0.005)


def test_eleven_points_are_the_fewest_in_which_a_step_is_found() -> None:
    """Of 11 values, 462 choices of 5: 4 / 462 is below 1 %. Of 10, 252 choices of 5."""
    noise = [0.002, -0.001, 0.0, 0.001, -0.002]
    found = {
        n: [
            at
            for at in range(3, n - 2)
            if find_changes(
                [(100.0 if k < at else 91.5) * (1 + noise[k % 5]) for k in range(n)], RULE
            ).changes
        ]
        for n in (10, 11)
    }
    assert found[10] == []
    assert 5 in found[11]
    assert RULE.points_for_a_step == 11


def test_only_positive_numbers_have_change_points() -> None:
    with pytest.raises(ValueError, match="positive"):
        changes([1.0, 0.0, 2.0])


FEW_ORDERS = replace(RULE, permutations=59, significance=0.07)


def e_divisive(values: Sequence[float], shortest: int) -> float:
    """Return the largest statistic by the definition of Matteson and James, sum by sum."""
    n, found = len(values), []
    for end in range(2 * shortest, n + 1):
        for cut in range(shortest, end - shortest + 1):
            left, right = values[:cut], values[cut:end]
            across = sum(abs(x - y) for x in left for y in right) / (cut * (end - cut))
            inside = sum(
                sum(abs(x - y) for x in each for y in each) / (len(each) * (len(each) - 1))
                for each in (left, right)
            )
            found.append((2 * across - inside) * cut * (end - cut) / end)
    return max(found)


def shape(kind: str, first: int, last: int, n: int) -> list[float]:
    if kind == "step":
        return [float(i >= first) for i in range(n)]
    return [min(max((i - first) / (last - first), 0.0), 1.0) for i in range(n)]


def criteria(rows: np.ndarray, shapes: Sequence[Sequence[float]], penalty: int) -> np.ndarray:
    """Return Schwarz's criterion of a least-squares fit, per row."""
    n = rows.shape[1]
    design = np.array([[1.0] * n, *shapes]).T
    rest = rows.T - design @ np.linalg.lstsq(design, rows.T, rcond=None)[0]
    return n * np.log((rest**2).sum(axis=0)) + math.log(n) * penalty


def advantages(rows: np.ndarray, features: Sequence[tuple[str, int, int]]) -> np.ndarray:
    """Return how much better the best larger model is; of one feature, the best of two that has a step."""
    n = rows.shape[1]
    known = [(each, 2 if each[0] == "step" else 3) for each in features]
    steps = [(("step", at, at), 2) for at in range(3, n - 2)]
    drifts = [(("drift", a, b), 3) for a in range(n) for b in range(a + 6, n)]
    every = steps + drifts

    def best(models: Sequence[Sequence[tuple[tuple[str, int, int], int]]]) -> np.ndarray:
        costs = [
            criteria(rows, [shape(*each, n) for each, _ in model], sum(size for _, size in model))
            for model in models
        ]
        return np.min(costs, axis=0)

    if len(features) == 1:
        return best([[each] for each in every]) - best(
            [[step, other] for step in steps for other in every if other != step]
        )
    return best([known]) - best([[*known, each] for each in every if each not in known])


def full_p(search: change_points._ModelSearch, features: Sequence[change_points._Feature], _: float) -> float:
    """Return p by both tests with every random order, as Besag and Clifford count them."""
    rest = search.residuals(features)
    generator = random.Random(search.rule.seed)
    draws = [[generator.random() for _ in range(search.n)] for _ in range(search.rule.permutations)]
    orders = [sorted(range(search.n), key=draw.__getitem__) for draw in draws]
    rows = np.array([search.logs, *(search.logs - rest + rest[order] for order in orders)])
    places = [(each.kind, each.first, each.last) for each in features]
    statistics = [
        [
            e_divisive(series.tolist(), search.rule.min_segment)
            for series in (rest, *(rest[o] for o in orders))
        ],
        advantages(rows, places).tolist(),
    ]
    return min(1.0, 2 * min(sequential_p(observed, others) for observed, *others in statistics))


def sequential_p(observed: float, others: Sequence[float]) -> float:
    larger = [other > observed or math.isclose(other, observed, rel_tol=1e-9) for other in others]
    ends = [at for at in range(1, len(others) + 1) if sum(larger[:at]) == 20]
    return 20 / ends[0] if ends else (1 + sum(larger)) / (1 + len(others))


def plain_model(search: change_points._ModelSearch) -> list[change_points._Feature]:
    """Return the first model that leaves nothing for the tests, which come before the next model is sought."""
    features: list[change_points._Feature] = []
    while search.is_significant(features):
        larger = search.enlarge(features)
        if search.cost(larger) >= search.cost(features):
            break
        features = larger
    return features


@settings(max_examples=30)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(7, 15),
    step=st.sampled_from((0.0, 0.02, 0.1)),
    drift=st.sampled_from((0.0, 0.1)),
    digits=st.sampled_from((2, 9)),
)
def test_the_tests_end_early_with_the_changes_and_p_of_the_full_tests(
    seed: int, n: int, step: float, drift: float, digits: int
) -> None:
    logs = [step * (i >= n // 2) + drift * i / n for i in range(n)]
    values = [round(x, digits) for x in noisy(logs, 0.01, seed)]
    found = find_changes(values, FEW_ORDERS)
    with (
        patch.object(change_points._ModelSearch, "_p_within", full_p),
        patch.object(change_points._ModelSearch, "tested_model", plain_model),
    ):
        assert find_changes(values, FEW_ORDERS) == found


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(7, 50),
    noise=st.sampled_from(sorted(NOISES)),
    step=st.sampled_from((0.0, 0.0, 0.02)),
    drift=st.sampled_from((0.0, 0.0, 0.04)),
    least_effect=st.sampled_from((2.0, 5.0)),
)
def test_the_tests_are_left_out_only_where_they_cannot_matter(
    seed: int, n: int, noise: str, step: float, drift: float, least_effect: float
) -> None:
    logs = [
        step * (i >= n // 2) + drift * i / n + 0.01 * x
        for i, x in enumerate(NOISES[noise](random.Random(seed), n))
    ]
    rule = replace(FEW_ORDERS, least_effect=least_effect)
    values = [100 * math.exp(x) for x in logs]
    found = find_changes(values, rule)
    with patch.object(change_points._ModelSearch, "tested_model", plain_model):
        assert find_changes(values, rule) == found


@pytest.mark.parametrize(
    ("larger", "largest", "p", "read"),
    [
        ("0000000000000000000", 1.0, 0.05, 19),
        ("0100000000000000000", 0.1, 0.1, 19),
        ("0101000000000000000", 0.1, 0.15, 4),  # now p is at least 3 / 20
        ("0101000000000000000", 0.15, 0.15, 19),
        ("1000000000000000000", 0.05, 0.1, 1),
        ("1" * 19 + "0" + "1" * 19, 1.0, 20 / 21, 21),  # Besag and Clifford
    ],
)
def test_random_orders_are_read_until_the_answer_is_known(
    larger: str, largest: float, p: float, read: int
) -> None:
    statistics = iter([float(each) for each in larger])
    assert change_points._permutation_p(0.5, statistics, len(larger), largest) == pytest.approx(p)
    assert len(larger) - len(list(statistics)) == read
