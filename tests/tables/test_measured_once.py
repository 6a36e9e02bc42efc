"""A build computes each window of a run and what a run has available once, however many tables ask."""

from collections import Counter, deque
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from reportgen.core import column_file, stored_series
from reportgen.core.column_file import ColumnFile
from reportgen.core.model import Run
from reportgen.load.worker import RUNS as RUNS_AS_READ
from reportgen.load.worker import Shared
from reportgen.protocol import MeasuredRuns, Protocol, measured_run
from reportgen.tables.assemble import build_tables
from reportgen.tables.expected import NO_FACTS
from reportgen.tables.results import Table
from reportgen.tables.select import measure_for
from reportgen.tables.spec import CompareSpec, TableSpec
from tests.builders import run, series, table_spec

PROTOCOL = Protocol("1+5x3", warmup=1, measure=5, repeats=3)
RUNS = [
    run(
        series([1.0] * 9, samples=devices),
        id=f"{devices}/{repeat}",
        factors={"devices": devices},
        environment={"host": f"node{repeat}"},
        repeat=repeat,
    )
    for devices in (1, 2, 4)
    for repeat in (1, 2)
]
SPEEDUP = table_spec(
    protocol=PROTOCOL,
    rows=("devices",),
    compare=CompareSpec("speedup", {"devices": 1}),
    show=("value", "speedup"),
)
TWO_METRICS = table_spec(
    protocol=PROTOCOL, rows=("devices",), columns=("metric",), metrics=("throughput", "step_time")
)
BY_HOST = table_spec(protocol=PROTOCOL, rows=("devices",), columns=("host",))
TOTAL = table_spec(protocol=PROTOCOL, rows=("devices",), phases=("all",), totals={"all": ("step",)})


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[str, str]]:
    """Count the calls of select_window and available_metrics by the id of their run."""
    counts: Counter[tuple[str, str]] = Counter()

    def count(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def counting(run: Run, *other: Any, **named: Any) -> Any:
            counts[name, run.id] += 1
            return original(run, *other, **named)

        return counting

    for name in ("select_window", "available_metrics"):
        monkeypatch.setattr(measured_run, name, count(name, getattr(measured_run, name)))
    return counts


@pytest.mark.parametrize(
    "specs",
    [[SPEEDUP], [TWO_METRICS], [BY_HOST], [SPEEDUP, TWO_METRICS, BY_HOST]],
    ids=["a table that compares", "two metrics", "environment as a factor", "three tables"],
)
def test_a_run_is_measured_once(specs: list[TableSpec], counted: Counter[tuple[str, str]]) -> None:
    measured = MeasuredRuns()
    for each in specs:
        (table,) = build_tables(each, RUNS, NO_FACTS, measured)
        assert any(cell.kind == "number" for cells in table.cells for cell in cells)
    assert counted == {(name, run.id): 1 for name in ("select_window", "available_metrics") for run in RUNS}


def test_another_protocol_has_another_window(counted: Counter[tuple[str, str]]) -> None:
    measured = MeasuredRuns()
    short = table_spec(protocol=Protocol("1+2x3", warmup=1, measure=2, repeats=3), rows=("devices",))
    for each in (SPEEDUP, short):
        build_tables(each, RUNS, NO_FACTS, measured)
    assert {count for (name, _), count in counted.items() if name == "select_window"} == {2}


def test_a_total_is_measured_apart_from_its_parts() -> None:
    measured = MeasuredRuns()
    shown = [build_tables(each, RUNS, NO_FACTS, measured)[0] for each in (SPEEDUP, TOTAL)]
    assert [table.cells[0][0].case.parts for table in shown if table.cells[0][0].case] == [(), ("step",)]


def test_runs_that_let_go_of_their_windows_were_measured_before_for_all_tables(
    counted: Counter[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    specs = [SPEEDUP, TWO_METRICS]
    expected = [build_tables(each, RUNS, NO_FACTS)[0] for each in specs]
    counted.clear()
    monkeypatch.setattr(measured_run, "_MAX_OPEN", 2)  # the repeats of a case
    measured = MeasuredRuns()
    measured.expect(partial(measure_for, specs))
    shown = [build_tables(each, RUNS, NO_FACTS, measured)[0] for each in specs]
    assert [_texts(each) for each in shown] == [_texts(each) for each in expected]
    # The last two runs still have their windows.
    assert {count for (name, _), count in counted.items() if name == "select_window"} == {1}


def test_runs_whose_series_are_in_a_file_give_the_same_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_file, "_IN_MEMORY", 0)
    monkeypatch.setattr(stored_series, "_MAX_MADE", 1)
    monkeypatch.setattr(stored_series, "_MADE", deque())
    monkeypatch.setattr(measured_run, "_MAX_OPEN", 2)
    shared = Shared(file=ColumnFile())
    runs = [
        run(series((np.linspace(1, 2, 9) * n).tolist(), samples=n), id=f"{n}", factors={"devices": n})
        for n in (1, 2, 4)
    ]
    stored = [RUNS_AS_READ.share(each, shared) for each in runs]
    for spec in (SPEEDUP, TWO_METRICS, TOTAL):
        expected, shown = (build_tables(spec, each, NO_FACTS)[0] for each in (runs, stored))
        assert _values(shown) == _values(expected)


def _values(table: Table) -> list[list[float | None]]:
    return [[cell.value for cell in cells] for cells in table.cells]


def _texts(table: Table) -> list[list[str]]:
    return [[cell.text for cell in cells] for cells in table.cells]
