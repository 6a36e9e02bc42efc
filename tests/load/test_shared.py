"""Thousands of runs have the same environment: it is kept once, and so are equal columns."""

from typing import Any

from reportgen.load.worker import RUNS
from tests.builders import run, series


def test_equal_environments_are_one_object_and_true_is_not_1() -> None:
    known: dict[object, Any] = {}
    environments = [{"driver": "550", "n": value} for value in (1, 1, True, 1.0, "1")]
    first, second, *others = (RUNS.share(run(environment=each), known) for each in environments)
    assert second.environment is first.environment
    assert [each.environment for each in (first, *others)] == environments[1:]
    assert [type(each.environment["n"]) for each in others] == [bool, float, str]


def test_equal_columns_of_steps_are_one_object_and_times_are_kept() -> None:
    known: dict[object, Any] = {}
    (first,), (second,), (shorter,) = (
        RUNS.share(run(series(times)), known).series for times in ([1.0, 2.0], [1.0, 3.0], [1.0])
    )
    assert second.step is first.step
    assert second.samples is first.samples
    assert [each.value.tolist() for each in (first, second, shorter)] == [[1.0, 2.0], [1.0, 3.0], [1.0]]
    assert [each.step.tolist() for each in (second, shorter)] == [[1, 2], [1]]
    assert first.step.dtype != first.samples.dtype
