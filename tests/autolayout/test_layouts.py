"""Scores of layouts, counted by hand."""

import tomllib
from dataclasses import replace
from typing import Any

import pytest

from reportgen.autolayout.layouts import score
from reportgen.autolayout.overview import define_overview, definition_text, layouts_of
from reportgen.core.model import Run
from reportgen.tables.spec import CompareSpec
from tests.builders import aggregate, planned, published_run, table_spec
from tests.builders import run as timed_run

A = CompareSpec("speedup", {"device": "A"})


def run(**factors: Any) -> Run:
    return published_run(throughput=1.0, **factors)


# A ran the models x, y and z, B ran x and y.
RUNS = [run(device=d, model=m) for d, m in ("Ax", "Ay", "Az", "Bx", "By")]


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        # 6 cells, one empty; both cases of B have a baseline.
        ({"rows": ("model",), "columns": ("device",), "compare": A}, (1, 1, 5 / 6, 1)),
        ({"rows": ("model", "device"), "compare": A}, (1, 1, 1, 1)),
        ({"rows": ("model", "device")}, (0, 0, 1, 1)),
        # Against B, A's z has none.
        ({"rows": ("model", "device"), "compare": CompareSpec("speedup", {"device": "B"})}, (1, 2 / 3, 1, 1)),
        # Two devices in a cell print no number; one cell has one.
        ({"rows": ("model",)}, (0, 0, 1 / 3, 1 / 5)),
        ({"rows": ("model", "device"), "where": {"model": ("x",)}}, (0, 0, 1, 2 / 5)),
    ],
)
def test_cells_are_counted(table: dict[str, Any], expected: tuple[float, ...]):
    found = score([table_spec(**table)], RUNS)
    assert (found.answer, found.comparable, found.filled, found.shown) == pytest.approx(expected)


def test_a_second_table_repeats_numbers():
    one = table_spec(rows=("model", "device"), compare=A, show=("value", "speedup"))
    assert score([one], RUNS).once == 1
    assert score([one, table_spec(rows=("model", "device"))], RUNS).once == 1 / 2
    # A table of ratios alone repeats no value.
    ratios = table_spec(rows=("model", "device"), compare=A, show=("speedup",))
    assert score([ratios, table_spec(rows=("model", "device"))], RUNS).once == 1


def test_of_batch_sizes_the_picked_one_is_compared():
    runs = [run(device=d, batch_size=b) for d, b in (("A", 1), ("A", 2), ("B", 3), ("B", 4))]
    picked = score([table_spec(rows=("device",), compare=A, pick={"batch_size": "best"})], runs)
    assert (picked.comparable, picked.shown) == (1, 1 / 2)


def test_a_failed_run_fills_a_cell_and_is_not_a_baseline():
    failed = [published_run(device="A", model="z", status="failed")]
    runs = [run(device=d, model=m) for d, m in ("Ax", "Bx", "Bz")]
    found = score([table_spec(rows=("model",), columns=("device",), compare=A)], runs, failed)
    assert (found.filled, found.comparable) == (1, 1 / 2)


def test_wide_tables_fit_less():
    wide = [run(device="a" * 30 + str(n), model="m") for n in range(20)]
    columns = score([table_spec(rows=("model",), columns=("device",))], wide)
    rows = score([table_spec(rows=("device",), columns=("model",))], wide)
    assert rows.fits == 1
    assert columns.fits < 1 / 2


def test_the_best_layout_is_used_and_another_can_be_picked():
    runs = [run(device=d, model=m) for d in "AB" for m in "xyz"]
    best, *others = layouts_of(planned(runs))
    assert (best.tables[0].rows, best.tables[0].columns, best.score.total) == (("model",), ("device",), 100)
    assert best.tables[0].compare is not None
    assert best.tables[0].compare.mean
    assert {each.tables[0].rows for each in others} == {("device",), ("model", "device"), ("model",)}
    assert [each.score.total for each in others] == sorted((e.score.total for e in others), reverse=True)
    (table,) = define_overview(runs, "reports").tables
    assert (table.rows, table.columns) == (("model",), ("device",))


def test_a_matrix_too_wide_for_values_is_followed_by_them():
    runs = [run(device=f"d{n}", model=m) for n in range(6) for m in "xyz"]
    matrix, values = define_overview(runs, "reports").tables
    assert (matrix.show, {matrix.rows, matrix.columns}) == (("speedup",), {("device",), ("model",)})
    assert values.compare is None


def test_of_many_devices_those_with_most_cases_are_a_matrix():
    # Eight devices ran all models on one and on eight devices, thirty ran one model alone.
    runs = [run(device=f"d{n}", model=m, devices=k) for n in range(8) for m in "uvwxyz" for k in (1, 8)]
    runs += [run(device=f"e{n:02}", model="u", devices=1) for n in range(30)]
    layouts = layouts_of(planned(runs))
    assert "with most cases" in layouts[0].about
    core, *others = layouts[0].tables
    assert core.where == {"devices": (1,), "device": tuple(f"d{n}" for n in range(6))}
    assert (core.rows, core.columns, core.show) == (("model",), ("device",), ("speedup",))
    written = tomllib.loads(definition_text(planned(runs)))
    assert written["tables"][0]["where"] == {"devices": 1, "device": [f"d{n}" for n in range(6)]}
    assert written["tables"][0]["compare"]["mean"] is True
    assert written["tables"][0]["show"] == ["speedup"]
    first = written["figures"][0]
    assert (first["kind"], first["show"]) == ("heat-map", "speedup")
    # All cases follow, compared.
    assert any(each.compare for each in others)


def test_a_table_of_all_workloads_comes_before_one_for_each():
    runs = [run(device=d, model=f"m{n:02}") for d in "AB" for n in range(40)]
    lists = [table_spec(where={"model": (f"m{n:02}",)}, rows=("device",), compare=A) for n in range(40)]
    summary = table_spec(where={"device": ("A", "B")}, rows=("model",), columns=("device",), compare=A)
    assert score(lists, runs).first == pytest.approx(30 / (40 * 7))
    assert score([summary, *lists], runs).first == pytest.approx(30 / 45)


def test_a_matrix_has_no_cell_of_several_devices():
    # The framework varies beside the device: neither follows from the other.
    runs = [run(device=d, framework=f, model=m) for d in "AB" for f in "PQ" for m in "xy"]
    for layout in layouts_of(planned(runs)):
        table = layout.tables[0]
        if table.compare:
            assert {"device", "framework", "model"} <= {*table.rows, *table.columns, *table.facets}


def test_a_model_of_two_systems_is_compared_where_the_others_ran_on_one_each():
    """Five systems ran four models, and two of them ran x."""
    runs = [run(system=s, submitter=f"of {s}", model=m) for s, m in ("Ax", "Bx", "Cy", "Dz", "Ew")]
    first, second = define_overview(runs, "reports").tables
    assert (first.title, first.where, first.rows) == (
        "Throughput: x",
        {"model": ("x",)},
        ("submitter", "system"),
    )
    assert first.compare is not None
    assert (second.title, second.compare) == ("Throughput", None)


@pytest.mark.parametrize(
    ("repeats", "lead"),
    [((3, 5), ("scaled_time_to_train", "mlperf")), ((3, 1), ("time_to_train", "20+100x7"))],
)
def test_a_score_of_mlperf_leads_where_all_cases_have_three_runs(
    repeats: tuple[int, int], lead: tuple[str, str]
) -> None:
    runs = [
        replace(
            timed_run(
                aggregate(60.0, metric="time_to_train"),
                aggregate(60.0, metric="scaled_time_to_train"),
                id=f"{system}{number}",
                factors={"benchmark": "ssd", "system": system},
            ),
            format="mllog",
        )
        for system, count in zip("AB", repeats, strict=True)
        for number in range(count)
    ]
    first, *_ = define_overview(runs, "reports").tables
    assert (first.metrics[0], first.protocol.name) == lead
