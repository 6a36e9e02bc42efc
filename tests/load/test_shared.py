"""Thousands of runs have the same environment: it is kept once, and so are equal columns."""

import pickle
from collections import deque
from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs

from reportgen.core import column_file, stored_series
from reportgen.core.column_file import ColumnFile
from reportgen.core.model import Break, Run, Series
from reportgen.core.stored_series import StoredSeries
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
    both = RUNS.share(run(step, structs.replace(forward, begin=step.begin)), Shared(file=ColumnFile())).series
    assert both[0].begin is both[1].begin


def _content(series: Series) -> list[object]:
    values = [getattr(series, field.name) for field in structs.fields(series)]
    return [each.tobytes() if isinstance(each, np.ndarray) else each for each in values]


# A series with a value of its own in each field that has a default; those with breaks and stretches stay in memory.
UNUSUAL = structs.replace(
    series([1.0, 2.0], "forward", rank=2),
    unit="widget/s",
    rounding=0.5,
    rounded="mean",
    idle_after=frozenset({1}),
)


def _runs() -> list[Run]:
    """Two runs of alike series, one with ranks of its own, one whose log has an evaluation."""
    logged = [
        run(series(times, begin=[5.0, 7.5]), series([0.5, np.nan], "forward"), id=f"{times}")
        for times in ([1.0, 2.0], [1.5, 2.5])
    ]
    ranks = run(series([1.0, 2.0]), UNUSUAL, id="ranks")
    return [*logged, ranks, run(series([1.0, 2.0], breaks=(Break(1, "evaluation", 3.0),)), id="evaluated")]


def test_series_are_made_again_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = [
        each.name
        for each in structs.fields(Series)
        if repr(getattr(UNUSUAL, each.name)) == repr(each.default)
    ]
    assert usual == ["breaks", "stretches"]
    monkeypatch.setattr(column_file, "_IN_MEMORY", 0)
    monkeypatch.setattr(stored_series, "_MAX_MADE", 1)
    monkeypatch.setattr(stored_series, "_MADE", deque())
    shared = Shared(file=ColumnFile())
    stored = [RUNS.share(each, shared) for each in _runs()]
    assert [type(each.series) for each in stored] == [StoredSeries] * 3 + [tuple]
    expected = [list(map(_content, each.series)) for each in _runs()]
    for _ in "again":
        assert [list(map(_content, each.series)) for each in stored] == expected
        assert [_content(each.series[0]) for each in stored] == [first for first, *_ in expected]
    first, other = stored[0].series, stored[1].series
    assert (len(first), bool(first)) == (2, True)
    assert first[0] is first[0]
    kept = first[0]
    assert other[0].step is kept.step
    assert first[0] is not kept  # let go of, because the other run was asked
    assert list(map(_content, pickle.loads(pickle.dumps(first)))) == expected[0]


def test_devices_that_were_sampled_together_have_one_column_of_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_file, "_IN_MEMORY", 0)
    t = np.arange(3.0)
    devices = (telemetry("0", t, power=[1.0, 2.0, 3.0]), telemetry("1", t, power=[3.0, 2.0, 1.0]))
    alike = tuple(replace(each, t=t) for each in devices)
    stored = RUNS.share(run(series([1.0]), *alike), Shared(file=ColumnFile())).telemetry
    assert stored[0].t is stored[1].t
    assert stored[0].t is not t
    assert [each.columns["power"].tolist() for each in stored] == [[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]
