"""Thousands of runs have the same environment: it is kept once, and so are equal columns."""

from dataclasses import replace

import numpy as np
import pytest

from reportgen.core import column_file
from reportgen.core.column_file import ColumnFile
from reportgen.load.worker import RUNS, Shared
from tests.builders import run, series, telemetry


def test_equal_environments_are_one_object_and_true_is_not_1() -> None:
    known = Shared()
    environments = [{"driver": "550", "n": value} for value in (1, 1, True, 1.0, "1")]
    first, second, *others = (RUNS.share(run(environment=each), known) for each in environments)
    assert second.environment is first.environment
    assert [each.environment for each in (first, *others)] == environments[1:]
    assert [type(each.environment["n"]) for each in others] == [bool, float, str]


def test_equal_columns_of_steps_are_one_object_and_times_are_kept() -> None:
    known = Shared()
    (first,), (second,), (shorter,) = (
        RUNS.share(run(series(times)), known).series for times in ([1.0, 2.0], [1.0, 3.0], [1.0])
    )
    assert second.step is first.step
    assert second.samples is first.samples
    assert [each.value.tolist() for each in (first, second, shorter)] == [[1.0, 2.0], [1.0, 3.0], [1.0]]
    assert [each.step.tolist() for each in (second, shorter)] == [[1, 2], [1]]
    assert first.step.dtype != first.samples.dtype


def test_sets_of_one_content_are_one_object() -> None:
    known = Shared()
    first, second = (RUNS.share(run(machines=frozenset([f"node{n}" for n in (1, 2)])), known) for _ in "ab")
    assert second.machines is first.machines


def test_columns_of_one_run_go_to_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_file, "_IN_MEMORY", 0)
    made = run(series([1.0, 2.0], begin=[5.0, 6.0]), telemetry("0", t=[1.0, 2.0], power=[3.0, np.nan]))
    stored = RUNS.share(made, Shared(file=ColumnFile()))
    (steps,), (device,) = stored.series, stored.telemetry
    columns = (steps.value, steps.begin, device.t, device.columns["power"])
    assert not any(each.flags.writeable or each.flags.owndata for each in columns)
    assert [each.tolist() for each in columns[:3]] == [[1.0, 2.0], [5.0, 6.0], [1.0, 2.0]]
    assert columns[3].tobytes() == np.array([3.0, np.nan]).tobytes()


def test_phases_that_share_a_column_share_it_in_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_file, "_IN_MEMORY", 0)
    step, forward = series([1.0, 2.0]), series([0.5, 0.7], "forward")
    both = RUNS.share(run(step, replace(forward, begin=step.begin)), Shared(file=ColumnFile())).series
    assert both[0].begin is both[1].begin
