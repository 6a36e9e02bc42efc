"""ChangePoint points: steps and drifts are found as what they are, and noise is not."""

import math
import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from benchmarks.change_points import NOISES, SHAPES, Shape, exact_finds, false_alarms
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
    ],
    ids=["one", "constant", "few", "alternating", "outlier"],
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


def test_only_positive_numbers_have_change_points() -> None:
    with pytest.raises(ValueError, match="positive"):
        changes([1.0, 0.0, 2.0])
