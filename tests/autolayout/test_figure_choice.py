"""Which figures a first report has."""

import tomllib
from dataclasses import replace
from typing import Any

import pytest

from reportgen.autolayout.overview import define_overview, definition_text
from reportgen.core.model import Run
from reportgen.tables.assemble import build_tables
from reportgen.tables.expected import NO_FACTS
from tests.builders import aggregate, planned, published_run, run
from tests.each_of import each_row


def sizes(count: int, **more: Any) -> list[Run]:
    """Return runs on 1, 2, 4, ... devices."""
    return [published_run(devices=2**n, throughput=float(n + 1), **more) for n in range(count)]


PHASES = {"data_loading": 0.1, "forward": 1.0, "backward": 2.0}


@each_row(
    [
        (sizes(3), [("line", "devices")]),
        (sizes(2), [("dots", "")]),
        (sizes(1), []),
        ([one for name in "abcdefgh" for one in sizes(3, model=name)], [("line", "devices")]),
        ([one for name in "abcdefghi" for one in sizes(3, model=name)], [("dots", "")]),
        ([one for name in range(11) for one in sizes(3, model=f"m{name}")], [("ecdf", "")]),
        ([*sizes(2), published_run(devices=8, status="failed")], [("dots", "")]),
        ([*sizes(1), published_run(devices=8, status="failed")], []),
        ([published_run(batch_size=n, throughput=float(n)) for n in (8, 16, 32)], [("curve", "batch_size")]),
        ([published_run(batch_size=n, throughput=1.0) for n in (0, 8, 16)], [("line", "batch_size")]),
        ([published_run(model=name, item=item, throughput=1.0) for name, item in ("ax", "by")], []),
        ([published_run(model=name, values=PHASES) for name in "ab"], [("stacked-bar", "")]),
        (
            [published_run(model=name, values={**PHASES, "optimizer_step": 3.5}) for name in "ab"],
            [("dots", "")],
        ),
    ]
)
def test_a_small_table_of_the_first_metric_has_a_figure(
    runs: list[Run], drawn: list[tuple[str, str]]
) -> None:
    assert [(one.kind, one.x) for one in define_overview(runs, "reports").figures] == drawn
    written = tomllib.loads(definition_text(planned(runs))).get("figures", [])
    assert [(one["kind"], one.get("x", "")) for one in written] == drawn
    assert [one["table"] for one in written] == [one["id"] for one in written]


def test_models_of_different_items_are_drawn_as_ratios() -> None:
    runs = [
        published_run(model=m, item=i, device=d, throughput=1.0)
        for m, i in (("a", "image"), ("b", "token"))
        for d in "AB"
    ]
    (figure,) = define_overview(runs, "reports").figures
    assert (figure.kind, figure.show) == ("dots", "speedup")


def test_models_of_different_items_have_a_figure_for_each_unit() -> None:
    items = {"a": "image", "b": "token", "c": "image", "d": "token"}
    runs = [published_run(model=m, item=i, throughput=1.0) for m, i in items.items()]
    figures = define_overview(runs, "reports").figures
    assert [(one.kind, one.title, one.where) for one in figures] == [
        ("dots", "Throughput, images/s", {"model": ("a", "c")}),
        ("dots", "Throughput, tokens/s", {"model": ("b", "d")}),
    ]
    written = tomllib.loads(definition_text(planned(runs)))["figures"]
    assert [one["where"] for one in written] == [{"model": ["a", "c"]}, {"model": ["b", "d"]}]


def test_too_many_curves_for_one_figure_are_split_by_a_factor() -> None:
    """Three models with three sequence lengths are nine curves, more than eight."""
    runs = [
        published_run(model=f"m{m}", seq_len=length, batch_size=size, throughput=float(size + m))
        for m in range(3)
        for length in (128, 256, 512)
        for size in (1, 8, 32, 64)
    ]
    definition = define_overview(runs, "reports")
    assert [(one.kind, one.x, one.id, one.where) for one in definition.figures] == [
        ("curve", "batch_size", f"throughput-seq-len-{length}", {"seq_len": (length,)})
        for length in (128, 256, 512)
    ]
    # The rows of the table follow the curves.
    assert definition.tables[0].rows == ("seq_len", "batch_size")


def test_the_usual_statistic_is_first_and_is_drawn() -> None:
    runs = [
        run(
            aggregate(1.0, metric="latency", statistic=statistic),
            id=f"{statistic}{version}{name}",
            factors={"benchmark": name, "version": version, "statistic": statistic},
        )
        for statistic in ("maximum", "mean", "median", "minimum")
        for version in ("v1", "v2")
        for name in "ab"
    ]
    definition = define_overview(runs, "reports")
    (figure,) = definition.figures
    assert (figure.title, figure.where, figure.table) == ("Latency, median", {}, definition.tables[0].id)
    first, others = (build_tables(each, runs, NO_FACTS)[0] for each in definition.tables)
    assert (first.title, [row.key for row in first.rows]) == ("Latency, median", [("a",), ("b",)])
    assert others.title == "Latency, other statistics"
    assert [row.key[1] for row in others.rows] == ["mean", "maximum", "minimum"] * 2


@pytest.mark.parametrize(("slowest", "show"), [(10.0, "value"), (1.0, "speedup")])
def test_numbers_far_apart_are_drawn_as_ratios(slowest: float, show: str) -> None:
    runs = [
        published_run(model=m, device=d, item="image", throughput=rate * (1.1 if d == "B" else 1.0))
        for m, rate in (("a", slowest), ("b", 50.0))
        for d in "AB"
    ]
    (figure,) = define_overview(runs, "reports").figures
    assert (figure.kind, figure.show) == ("dots", show)


def test_of_phases_that_contain_one_another_the_longest_is_drawn() -> None:
    runs = [published_run(model=name, values={**PHASES, "optimizer_step": 3.5}) for name in "ab"]
    (figure,) = define_overview(runs, "reports").figures
    assert (figure.where, figure.title) == ({"phase": ("optimizer_step",)}, "Step time, optimizer step")


def test_scaling_is_drawn_beside_the_ideal() -> None:
    (figure,) = define_overview(sizes(3), "reports").figures
    assert (figure.kind, figure.ideal) == ("line", True)
    assert tomllib.loads(definition_text(planned(sizes(3))))["figures"][0]["ideal"] is True


def test_scaling_is_drawn_where_other_work_does_not_scale() -> None:
    other = published_run(framework="Z", item="token", throughput=1.0)
    runs = [published_run(framework="A", item="image", throughput=n, devices=n) for n in (1.0, 2.0, 4.0)]
    (figure,) = define_overview([*runs, other], "reports").figures
    assert (figure.kind, figure.ideal, figure.where) == ("line", True, {"framework": ("A",)})


@pytest.mark.parametrize(("days", "kinds"), [(3, ["trend"]), (2, ["strip"])])
def test_runs_of_several_days_are_a_trend(days: int, kinds: list[str]) -> None:
    runs = [
        replace(published_run(model="m", throughput=1.0), started=86400.0 * (20000 + day))
        for day in range(days)
    ]
    assert [one.kind for one in define_overview(runs, "reports").figures] == kinds


def test_other_metrics_have_none() -> None:
    runs = [published_run(devices=n, throughput=1.0, memory=2.0) for n in (1, 2, 4)]
    assert [one.table for one in define_overview(runs, "reports").figures] == ["throughput"]


def test_the_title_of_a_line_says_over_what() -> None:
    runs = [published_run(batch_size=n, throughput=float(n)) for n in (8, 16, 32)]
    (figure,) = define_overview(runs, "reports").figures
    assert figure.title == "Throughput, over batch size"


def swept(statistics: tuple[str, ...], systems: int) -> list[Run]:
    return [
        published_run(concurrency=2**n, statistic=statistic, nodes=2**k, devices=2**k, memory=1.0 + n)
        for n in range(4)
        for statistic in statistics
        for k in range(systems)
    ]


@pytest.mark.parametrize(
    ("runs", "columns", "facets", "qualify"),
    [
        (swept(("mean",), 3), ("nodes",), (), ("devices",)),
        (swept(("mean", "p99"), 3), ("nodes", "statistic"), (), ("devices",)),
        # Three statistics of three systems are too wide for one table.
        (swept(("mean", "median", "p99"), 3), ("nodes",), ("statistic",), ("devices",)),
        (swept(("mean", "p99"), 1), ("statistic",), (), ()),
    ],
)
def test_a_sweep_is_the_only_row_factor_where_the_others_fit_into_columns(
    runs: list[Run], columns: tuple[str, ...], facets: tuple[str, ...], qualify: tuple[str, ...]
) -> None:
    (table,) = define_overview(runs, "reports").tables
    assert (table.rows, table.columns, table.facets, tuple(table.qualify)) == (
        ("concurrency",), columns, facets, qualify,
    )  # fmt: skip
    (written,) = tomllib.loads(definition_text(planned(runs)))["tables"]
    assert (written["rows"], written.get("facets", []), written.get("qualify", [])) == (
        ["concurrency"], list(facets), list(qualify),
    )  # fmt: skip
    (figure,) = define_overview(runs, "reports").figures
    assert (figure.kind, figure.x) == ("curve", "concurrency")


def served(load: int, system: int, **figures: tuple[float, str]) -> list[Run]:
    """Return the parts of a run: rates, and latencies by statistic."""
    parts = []
    for metric, (value, statistic) in figures.items():
        one = published_run(
            concurrency=load, tensor_parallel=system, **({"statistic": statistic} if statistic else {})
        )
        figure = replace(aggregate(value), metric=metric, statistic=statistic or "total")
        parts.append(replace(one, aggregates=(figure,), part_of=1))
    return parts


def test_where_more_load_costs_latency_the_first_figure_draws_one_over_the_other() -> None:
    runs = [
        one
        for system, factor in ((1, 1.0), (4, 4.0))
        for load in (1, 4, 16)
        for one in served(
            load,
            system,
            output_token_throughput=(100 * factor * load**0.5, ""),
            tpot=(0.01 * load / factor, "median"),
        )
    ]
    definition = define_overview(runs, "reports")
    first, tradeoff = definition.tables[:2]
    assert (first.rows, first.columns) == (("concurrency",), ("tensor_parallel",))
    assert (tradeoff.metrics, tradeoff.rows, tradeoff.columns) == (
        ("output_token_throughput", "tpot"), ("tensor_parallel", "concurrency"), ("metric", "statistic"),
    )  # fmt: skip
    assert [(one.kind, one.table) for one in definition.figures] == [
        ("latency-throughput", tradeoff.id), ("curve", first.id),
    ]  # fmt: skip
    # The same numbers at fewer loads say nothing about the cost of load.
    few = [run for run in runs if run.factors["concurrency"] != 4]
    assert [one.kind for one in define_overview(few, "reports").figures] == ["dots"]


def test_pairs_of_devices_are_a_heat_map() -> None:
    runs = [
        published_run(**{"from": a, "to": b, "test": test}, memory=1.0 + a)
        for a in range(4)
        for b in range(4)
        for test in ("read", "write")
    ]
    definition = define_overview(runs, "reports")
    (table,) = definition.tables
    assert (table.rows, table.columns, table.facets) == (("from",), ("to",), ("test",))
    assert [one.kind for one in definition.figures] == ["heat-map"]


def test_a_latency_by_other_statistics_at_each_load_has_no_figure() -> None:
    """The figure draws the median, which only one load has."""
    runs = [
        one
        for load, statistic in ((1, "mean"), (4, "median"), (16, "mean"))
        for one in served(load, 1, output_token_throughput=(100.0 * load, ""), tpot=(0.01, statistic))
    ]
    kinds = [one.kind for one in define_overview(runs, "reports").figures]
    assert "latency-throughput" not in kinds
