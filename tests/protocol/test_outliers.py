"""Measured steps that take much longer than the others are named, and measured."""

from typing import Any

import numpy as np

from reportgen.protocol import DEFAULT, measure_run
from tests.builders import messages, run, series
from tests.each_of import each_of, each_row

STEADY = [1.0] * 120


def named(times: list[float], **fields: Any) -> list[str]:
    """Return the messages about outliers."""
    measurement = measure_run(run(series(times, **fields)), "step_time", "step", DEFAULT)
    assert measurement is not None
    return messages(measurement.findings, "protocol.outliers")


def changed(times: list[float], *steps: int, to: float) -> list[float]:
    return [to if step in steps else time for step, time in enumerate(times, 1)]


# 3 x 8 s of 124 s.
def test_three_long_steps_are_named_and_measured() -> None:
    times = changed(STEADY, 41, 55, 70, to=9.0)
    assert named(times) == [
        "3 steps (41, 55, 70) take more than 2 times the median; "
        "at the median, all steps would take 19.4% less time"
    ]
    measurement = measure_run(run(series(times)), "step_time", "step", DEFAULT)
    assert measurement is not None
    assert measurement.value == 1.24


def test_one_long_step_is_named() -> None:
    (message,) = named(changed(STEADY, 50, to=9.0))
    assert message.startswith("step 50 takes more than 2 times the median")


def test_a_long_step_that_costs_two_percent_or_less_is_not_named() -> None:
    assert named(changed(STEADY, 50, to=3.0)) == []


def test_a_gap_is_not_an_outlier() -> None:
    assert named(changed(STEADY, 50, to=11.0)) == []


def test_a_long_step_of_the_warmup_is_not_named() -> None:
    assert named(changed(STEADY, 15, to=9.0)) == []


def test_slower_steps_at_the_end_are_named() -> None:
    assert named(STEADY[:100] + [1.3] * 20) == [
        "steps 101..120 take 30.0% more time per step than the other measured steps"
    ]


def test_slower_steps_in_the_middle_are_named_among_noise() -> None:
    times = 1 + 0.02 * np.random.default_rng(5).standard_normal(120)
    times[60:80] *= 1.3
    (message,) = named(times.tolist())
    assert message.startswith("steps 61..80 take ")


@each_of(range(20))
def test_noise_of_ten_percent_has_no_slow_stretch(seed: int) -> None:
    times = 1 + 0.1 * np.random.default_rng(seed).standard_normal(120)
    assert named(times.tolist()) == []


def test_slow_steps_directly_after_the_warmup_have_another_finding() -> None:
    assert named(STEADY[:20] + [1.3] * 20 + [1.0] * 80) == []


def test_few_steps_intervals_and_coarse_clocks_are_not_compared() -> None:
    assert named([1.0] * 30 + [9.0]) == []
    assert named([1.0] * 60 + [8.0] * 10, span=[1] * 40 + [2] * 30) == []
    assert named(changed([0.0, 1.0] * 60, 50, to=3.0), clock="timestamp") == []


def levels(times: list[float], **fields: Any) -> list[str]:
    """Return the messages about levels of step times."""
    measurement = measure_run(run(series(times, **fields)), "step_time", "step", DEFAULT)
    assert measurement is not None
    return messages(measurement.findings, "protocol.level-shift")


MORE, LESS = (
    f"steps {{}} take {word} time per step than the other measured steps"
    for word in ("5.0% more", "4.8% less")
)


@each_row(
    [
        (STEADY, []),
        (STEADY[:90] + [1.05] * 30, [MORE.format("91..120")]),
        (STEADY[:50] + [1.05] * 40 + STEADY[90:], [MORE.format("51..90")]),
        # 21..50 are slow, and so are the two thirds of the window that follow at the other level.
        ([1.05] * 50 + STEADY[50:] + STEADY, []),  # protocol.not-steady
        ([1.05] * 90 + [1.0] * 30 + [1.05] * 200, [LESS.format("91..120")]),
        (STEADY[:110] + [1.05] * 10, []),  # one block
        (STEADY[:90] + [1.015] * 30, []),  # less than 2 %
        ([1.0] * 20 + ([1.0] * 10 + [1.05] * 10) * 5, []),  # in turns
        (STEADY[:100] + [1.3] * 20, []),  # protocol.outliers
        ([1.0 + 0.005 * (step // 10) for step in range(120)], []),  # a slope
    ]
)
def test_two_levels_within_the_measured_steps_are_named(times: list[float], said: list[str]) -> None:
    assert levels(times) == said


def test_noise_has_no_levels() -> None:
    noise = np.random.default_rng(1)
    found = [
        levels([*STEADY[:20], *noise.normal(1, sd, 100)]) for sd in (0.005, 0.01, 0.02) for _ in range(50)
    ]
    assert sum(map(len, found)) <= 1


# A clock that was set back by 0.7 s in a step of 1 s.
def test_one_short_step_is_named() -> None:
    assert named(changed(STEADY, 57, to=0.3)) == [
        "1 step takes less than half the median (1 s), the shortest, step 57, 0.3 s: a smaller batch, or a clock that "
        "was set back"
    ]
    assert named(changed(STEADY, 57, to=0.6)) == []
    assert named(changed(STEADY, 57, to=0.3), clock="cuda_event") == []
