"""Figures from tables with known numbers."""

import numpy as np
import pytest

from reportgen.core.errors import RequestError
from reportgen.document.model import FigureKind
from reportgen.tables.assemble import build_tables
from reportgen.tables.expected import NO_FACTS
from reportgen.tables.figures import build_figures
from reportgen.tables.spec import CompareSpec, FigureSpec
from tests.builders import published_run, run, series, table_spec

RUNS = [
    published_run(framework=f, nodes=n, devices=d, throughput=v)
    for f, n, d, v in [
        ("A", 1, 1, 100.0),
        ("A", 1, 8, 700.0),
        ("A", 4, 32, 2400.0),
        ("B", 1, 1, 50.0),
        ("B", 4, 32, 1000.0),
    ]
]


def figures(runs=RUNS, kind="line", table=None, **keys):
    entry = table_spec(**(table or {"rows": ("nodes", "devices"), "columns": ("framework",)}))
    request = FigureSpec(
        **{
            "place": "reports/t.toml: figures[0]",
            "id": "f",
            "title": "F",
            "kind": FigureKind(kind),
            "table": "t",
            **keys,
        }
    )
    return build_figures(request, build_tables(entry, runs, NO_FACTS))


def test_a_line_has_one_series_for_each_column_and_numbers_on_its_axis():
    (figure,) = figures(x="devices")
    assert [(s.name, s.x, s.y) for s in figure.series] == [
        ("A", (1.0, 8.0, 32.0), (100.0, 700.0, 2400.0)),
        ("B", (1.0, 8.0, 32.0), (50.0, None, 1000.0)),
    ]
    assert (figure.x_title, figure.y_title, figure.categories) == ("devices", "Throughput", ())


def test_rows_with_equal_x_become_separate_series():
    runs = [
        published_run(m=m, devices=d, throughput=d * v) for m, v in [("a", 1.0), ("b", 2.0)] for d in (1, 2)
    ]
    (figure,) = figures(runs, table={"rows": ("m", "devices")}, x="devices")
    assert [(s.name, s.y) for s in figure.series] == [("a", (1.0, 2.0)), ("b", (2.0, 4.0))]


def test_the_ideal_of_a_speedup_is_the_diagonal():
    table = {
        "rows": ("nodes", "devices"),
        "columns": ("framework",),
        "compare": CompareSpec("speedup", {"nodes": 1, "devices": 1}),
        "show": ("value", "speedup"),
    }
    (figure,) = figures(table=table, x="devices", show="speedup", ideal=True)
    assert figure.ideal == ((1.0, 1.0), (32.0, 32.0))
    assert figure.series[0].y == (1.0, 7.0, 24.0)
    assert figure.y_title == "speed-up"


@pytest.mark.parametrize(
    ("devices", "title"),
    [
        (("A", "B"), "speed-up of B over A40"),
        (("A", "B", "C"), "speed-up over A40"),
        (("A", "B" * 40), "speed-up over A40"),
    ],
)
def test_the_axis_of_a_speedup_names_what_it_compares(devices: tuple[str, ...], title: str) -> None:
    runs = [published_run(model=m, device=d, throughput=1.0) for m in "xy" for d in devices]
    compare = CompareSpec("speedup", {"device": "A"})
    table = {"rows": ("model",), "columns": ("device",), "compare": compare, "labels": {"device=A": "A40"}}
    (figure,) = figures(runs, kind="dots", show="speedup", table={**table, "show": ("value", "speedup")})
    assert figure.y_title == title


def test_what_all_rows_share_is_not_in_their_names():
    """Neither a head with one value, nor the folders and the file of all names."""
    names = ("tests/test_a.py::test_one", "tests/test_a.py::test_other")
    runs = [published_run(benchmark=b, mode="fast", throughput=1.0) for b in names]
    (figure,) = figures(runs, kind="bar", table={"rows": ("benchmark", "mode")})
    assert (figure.categories, figure.x_title) == (("test_one", "test_other"), "benchmark")


def test_rows_with_text_labels_become_bars():
    (figure,) = figures(kind="bar")
    assert figure.categories == ("1 · 1", "1 · 8", "4 · 32")
    assert figure.series[1].y == (50.0, None, 1000.0)


def test_a_strip_shows_every_repeat():
    runs = [published_run(m="a", repeat=i, throughput=float(i)) for i in (1, 2, 3)]
    (figure,) = figures(runs, kind="strip", table={"rows": ("m",)})
    assert [(s.x, s.y) for s in figure.series] == [(("a", "a", "a"), (1.0, 2.0, 3.0))]


@pytest.mark.parametrize("kind", ["bar", "strip"])
def test_a_case_that_did_not_fit_says_so(kind):
    runs = [published_run(m="a", throughput=1.0), run(factors={"m": "b"}, status="out_of_memory")]
    (figure,) = figures(runs, kind=kind, table={"rows": ("m",)})
    (line,) = figure.series
    assert (line.y, line.failed) == ((1.0, None), ("", "out of memory"))


def steps(value, *, span=1, rank=0, clock="host"):
    """Return a series of 130 entries."""
    return series([value] * 130, span=span, rank=rank, clock=clock)


def drawn(*parts):
    """Return the figure of the steps of one run."""
    runs = [run(*parts, factors={"m": "a"}, repeat=1)]
    (figure,) = figures(runs, kind="series", table={"rows": ("m",), "metrics": ("step_time",)})
    return figure


def test_a_series_shows_the_steps_of_every_repeat_in_time_per_step():
    figure = drawn(steps(0.5, span=2))
    (series,) = figure.series
    assert series.name == "a Step time #1"
    assert (series.x[:2], series.y[:2]) == ((2.0, 4.0), (0.25, 0.25))
    assert figure.unit.name == "ms"


def test_each_rank_is_a_series_and_only_one_clock_is_drawn():
    figure = drawn(
        *(steps(v, rank=r, clock=c) for r in (1, 0) for v, c in [(0.5, "host"), (0.4, "cuda_event")])
    )
    assert [one.name for one in figure.series] == ["a Step time #1 rank 0", "a Step time #1 rank 1"]
    assert len({one.y[0] for one in figure.series}) == 1


def test_entries_that_cannot_be_measured_are_not_drawn():
    odd = steps(0.5)
    odd.span[10], odd.value[20] = 0, np.nan
    (series,) = drawn(odd).series
    assert series.x[9:21] == (10.0, *(float(step) for step in range(12, 21)), 22.0, 23.0)
    assert set(series.y) == {0.5}


def test_each_facet_has_a_figure():
    found = figures(table={"rows": ("nodes", "devices"), "facets": ("framework",)}, x="devices")
    assert [(f.id, f.title) for f in found] == [("f/A", "F: A"), ("f/B", "F: B")]


def test_a_colon_in_the_title_of_a_table_does_not_reach_its_figures():
    table = {"rows": ("nodes", "devices"), "facets": ("framework",), "title": "FP32: batch 128"}
    assert [f.title for f in figures(table=table, x="devices")] == ["F: A", "F: B"]


def test_the_row_of_means_is_not_drawn():
    table = {
        "rows": ("nodes", "devices"),
        "columns": ("framework",),
        "compare": CompareSpec("ratio", {"framework": "B"}, mean=True),
        "show": ("ratio",),
    }
    (figure,) = figures(kind="bar", table=table, show="ratio")
    assert "geometric mean" not in figure.categories


def test_a_value_may_have_the_name_of_the_row_of_means():
    runs = [published_run(m=m, throughput=1.0) for m in ("geometric mean", "x")]
    (figure,) = figures(runs, kind="bar", table={"rows": ("m",)})
    assert figure.categories == ("geometric mean", "x")


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({}, "figures[0].x: a line needs an x axis; name one of nodes, devices"),
        ({"x": "device"}, 'figures[0].x: "device" is not a row factor of table "t"; did you mean "devices"?'),
        (
            {"x": "devices", "show": "speedup"},
            'figures[0].show: table "t" does not show "speedup"; known: value',
        ),
    ],
)
def test_wrong_figures_say_where_what_and_what_to_do(keys, message):
    with pytest.raises(RequestError) as error:
        figures(**keys)
    assert str(error.value) == f"reports/t.toml: {message}"


def test_metrics_with_different_units_cannot_share_an_axis():
    runs = [published_run(m="a", throughput=1.0, memory=2.0)]
    table = {"rows": ("m",), "columns": ("metric",), "metrics": ("throughput", "memory_used")}
    with pytest.raises(RequestError, match="have different units and cannot share an axis"):
        figures(runs, kind="bar", table=table)


def test_categories_have_the_texts_of_the_headings_once():
    runs = [published_run(n=n, xla=x, throughput=1.0) for n, x in [(1048576, True), (0.5, False)]]
    (bars,) = figures(runs, kind="bar", table={"rows": ("n",), "ignore": ("xla",)}, x="n")
    assert bars.categories == ("0.5", "1048576")
    assert bars.series[0].x == bars.categories
    (yes,) = figures(runs, kind="line", table={"rows": ("xla",), "ignore": ("n",)}, x="xla")
    assert yes.categories == yes.series[0].x == ("no", "yes")


def test_a_strip_names_what_its_rows_are():
    (figure,) = figures(kind="strip")
    assert figure.x_title == "nodes · devices"


def test_a_facet_without_a_mark_has_no_figure():
    """Only the facet of 1 device has a ratio."""
    runs = [
        published_run(framework=f, devices=d, m="x", throughput=v)
        for f, d, v in (("A", 1, 1.0), ("B", 1, 2.0), ("A", 8, 7.0))
    ]
    table = {
        "rows": ("m",),
        "columns": ("framework",),
        "facets": ("devices",),
        "compare": CompareSpec("speedup", {"framework": "A"}),
        "show": ("value", "speedup"),
    }
    (figure,) = figures(runs, kind="dots", table=table, show="speedup")
    assert (figure.title, figure.table) == ("F: devices 1", "t/1")
