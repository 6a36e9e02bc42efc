"""Repeats with the step times of another repeat, moved, multiplied or shuffled."""

import random
from collections.abc import Callable, Sequence

import pytest

from reportgen.protocol import MeasuredRuns, Protocol
from reportgen.protocol.near_copies import find_near_copies
from tests.builders import run, series

PROTOCOL = Protocol("5+40x2", warmup=5, measure=40, repeats=2)
FEW_DIGITS = [round(1 + 0.001 * (7 * step % 19), 3) for step in range(45)]


def noise(seed: int) -> list[float]:
    source = random.Random(seed)
    return [source.gauss(1, 0.001) for _ in range(45)]


def with_a_long_step(times: Sequence[float]) -> list[float]:
    return [*times[:20], 9.0, *times[21:]]


def steady(seed: int) -> list[float]:
    return [1 + time / 10_000 for time in noise(seed)]


def shuffled(times: Sequence[float]) -> list[float]:
    return random.Random(3).sample(times, len(times))


@pytest.mark.parametrize(
    ("times", "change", "found"),
    [
        (noise(1), lambda times: [2 * time + 1 for time in times], "shifted or scaled"),
        (noise(1), lambda times: [*times[:5], *shuffled(times[5:])], "in another order"),
        (
            noise(1),
            lambda times: [*times[:5], *(3 * time for time in shuffled(times[5:]))],
            "in another order",
        ),
        (FEW_DIGITS, lambda times: [2 * time for time in times], "shifted or scaled"),
        # Nineteen values may occur equally often by chance.
        (FEW_DIGITS, lambda times: [*times[:5], *shuffled(times[5:])], ""),
        (noise(1), lambda times: noise(2), ""),
        # One step makes the correlation of these 1 to eight digits.
        (with_a_long_step(steady(1)), lambda times: with_a_long_step(steady(2)), ""),
    ],
)
def test_a_repeat_with_the_times_of_another(
    times: list[float], change: Callable[[list[float]], list[float]], found: str
) -> None:
    runs = [run(series(values), id=name) for name, values in (("a", times), ("b", change(times)))]
    findings = find_near_copies(runs, MeasuredRuns(), PROTOCOL)
    expected = [f"the measured step times are the same as in a, {found}"] if found else []
    assert [finding.message for finding in findings.values()] == expected
