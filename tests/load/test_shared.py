"""Thousands of runs have the same environment: it is kept once."""

from typing import Any

from reportgen.load.worker import RUNS
from tests.builders import run


def test_equal_environments_are_one_object_and_true_is_not_1() -> None:
    known: dict[str, Any] = {}
    environments = [{"driver": "550", "n": value} for value in (1, 1, True, 1.0, "1")]
    first, second, *others = (RUNS.share(run(environment=each), known) for each in environments)
    assert second.environment is first.environment
    assert [each.environment for each in (first, *others)] == environments[1:]
    assert [type(each.environment["n"]) for each in others] == [bool, float, str]
