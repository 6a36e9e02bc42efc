"""The data of each kind of figure, and what a table must have for them."""

import pytest

from reportgen.core.errors import RequestError
from reportgen.core.model import STEP
from reportgen.report.definition import read_definition
from reportgen.tables.spec import CompareSpec
from tests.builders import published_run, run, series
from tests.each_of import each_row
from tests.tables.test_figures import figures

SCALING = {"rows": ("nodes", "devices"), "columns": ("framework",)}
SERVING = {"rows": ("model", "batch_size"), "columns": ("metric",), "metrics": ("throughput", "step_time")}


def test_dots_of_one_row_have_a_line_for_each_column():
    (figure,) = figures(kind="dots", where={"devices": (32,)}, is_sorted=True)
    assert figure.categories == ("A", "B")
    assert [(s.name, s.x, s.y) for s in figure.series] == [("A", ("A",), (2400.0,)), ("B", ("B",), (1000.0,))]


def test_sorted_dots_begin_with_the_largest_value():
    runs = [published_run(m=m, throughput=v) for m, v in [("a", 1.0), ("b", 3.0), ("c", 2.0)]]
    order = [
        figures(runs, kind="dots", table={"rows": ("m",)}, is_sorted=sort)[0].categories
        for sort in (True, False)
    ]
    assert order == [("b", "c", "a"), ("a", "b", "c")]


def test_where_selects_rows_columns_and_facets():
    (rows,) = figures(kind="bar", where={"devices": (1, 8)})
    assert rows.categories == ("1", "8")
    (columns,) = figures(kind="bar", where={"framework": ("B",)})
    assert [s.name for s in columns.series] == ["B"]
    (facet,) = figures(
        x="devices",
        table={"rows": ("nodes", "devices"), "facets": ("framework",)},
        where={"framework": ("B",)},
    )
    assert facet.title == "F: B"


def test_a_factor_that_where_fixes_is_in_no_name():
    runs = [
        published_run(m=m, n=n, gpu=gpu, p=p, throughput=1.0)
        for m in "ab" for n in (1, 2) for gpu in "XY" for p in "uv"
    ]  # fmt: skip
    table = {"rows": ("m", "n"), "columns": ("gpu", "p")}
    (figure,) = figures(runs, kind="bar", table=table, where={"n": (2,), "p": ("u",)})
    assert (figure.categories, figure.x_title) == (("a", "b"), "m")
    assert [s.name for s in figure.series] == ["X", "Y"]


@each_row(
    [
        (
            "bar",
            {"where": {"device": (1,)}},
            None,
            'where.device: table "t" has no row, column or facet "device"',
        ),
        (
            "bar",
            {"where": {"devices": (3,)}},
            None,
            'where: fits no row and column of table "t"; name values',
        ),
        (
            "curve",
            {"x": "framework"},
            {"rows": ("framework", "devices")},
            'a curve needs sizes above 0, and "fram',
        ),
        ("curve", {}, None, "x: a curve needs an x axis; name one of nodes, devices"),
        ("ecdf", {}, None, 'no run of "t" has steps to show; use of = "repeats"'),
        ("latency-throughput", {"x": "devices"}, None, "does not have columns of a rate and of a latency"),
        ("latency-throughput", {"x": "batch"}, None, 'and "batch" is none of "t"'),
        (
            "latency-throughput",
            {"x": "devices", "latency": "batch / throughput"},
            None,
            "has no global_batch_size, and no batch_size with devices; add the factors",
        ),
    ]
)
def test_a_table_that_does_not_fit_is_an_error(kind, keys, table, message):
    with pytest.raises(RequestError) as error:
        figures(kind=kind, table=table, **keys)
    assert message in str(error.value)


def test_an_ecdf_of_numbers_that_no_row_has_is_empty():
    # A missing value is not a mistake of the definition, so the build continues.
    table = {**SCALING, "compare": CompareSpec("speedup", {"nodes": 1, "devices": 1}), "show": ("speedup",)}
    (figure,) = figures(kind="ecdf", table={**table, "where": {"devices": (1,)}}, show="speedup", of="rows")
    assert figure.series == ()


def test_speedups_can_be_drawn_as_efficiency():
    table = {**SCALING, "compare": CompareSpec("speedup", {"nodes": 1, "devices": 1}), "show": ("speedup",)}
    (figure,) = figures(table=table, x="devices", show="efficiency")
    assert [s.y for s in figure.series] == [(1.0, 0.875, 0.75), (1.0, None, 0.625)]
    assert (figure.y_title, figure.quantity) == ("scaling efficiency", "efficiency")


def test_speedups_over_another_framework_are_not_a_scaling_efficiency():
    table = {**SCALING, "compare": CompareSpec("speedup", {"framework": "A"}), "show": ("speedup",)}
    with pytest.raises(RequestError) as error:
        figures(table=table, x="devices", show="efficiency")
    assert "compare framework, not device counts" in str(error.value)


def test_step_times_of_unknown_work_have_no_scaling_efficiency():
    # Eight devices with eight times the work scale well, although a step is not faster.
    runs = [published_run(devices=d, values={STEP: t}) for d, t in [(1, 1.0), (8, 1.1)]]
    compare = CompareSpec("speedup", {"devices": 1})
    table = {"rows": ("devices",), "metrics": ("step_time",), "compare": compare, "show": ("speedup",)}
    with pytest.raises(RequestError) as error:
        figures(runs, table=table, x="devices", show="efficiency")
    assert "step_time has no scaling efficiency" in str(error.value)


def test_intervals_are_drawn_also_where_the_table_prints_none():
    runs = [published_run(m="a", repeat=i, throughput=v) for i, v in enumerate((1.0, 2.0, 3.0))]
    (figure,) = figures([*runs, published_run(m="b", throughput=4.0)], kind="dots", table={"rows": ("m",)})
    (line,) = figure.series
    assert (line.low, line.high) == ((1.0, None), (3.0, None))


def test_an_efficiency_has_the_interval_of_its_speedup_over_the_devices():
    runs = [
        run(
            series([time + (3 * i % 8) / 1000] * 130, samples=4.0),
            factors={"framework": "A", "nodes": 1, "devices": devices},
            repeat=i,
        )
        for devices, time in [(1, 0.4), (4, 0.12)]
        for i in range(8)
    ]
    compare = CompareSpec("speedup", {"nodes": 1, "devices": 1}, is_exchangeable=True)
    table = {**SCALING, "compare": compare, "show": ("speedup",), "metrics": ("step_time",)}
    speedup, efficiency = (
        figures(runs, table=table, x="devices", show=show)[0].series[0] for show in ("speedup", "efficiency")
    )
    assert speedup.low[1] is not None
    assert speedup.low[1] < speedup.y[1] < speedup.high[1]
    assert efficiency.low[1] == pytest.approx(speedup.low[1] / 4)
    assert efficiency.high[1] == pytest.approx(speedup.high[1] / 4)


def test_a_heat_map_has_rows_and_columns_of_the_table():
    (figure,) = figures(kind="heat-map")
    assert (figure.categories, [s.name for s in figure.series]) == (("1 · 1", "1 · 8", "4 · 32"), ["A", "B"])


def test_an_ecdf_of_repeats_rises_with_each_of_them():
    runs = [published_run(m="a", repeat=i, throughput=v) for i, v in enumerate((3.0, 1.0, 2.0, 4.0))]
    (figure,) = figures(runs, kind="ecdf", of="repeats", table={"rows": ("m",)})
    (line,) = figure.series
    assert (line.x, line.y) == ((1.0, 2.0, 3.0, 4.0), (0.25, 0.5, 0.75, 1.0))
    assert (figure.x_title, figure.y_title, figure.unit.name) == ("Throughput", "share of repeats", "%")


def test_an_ecdf_of_rows_rises_with_the_ratio_of_each_row_to_its_baseline():
    runs = [
        published_run(m=m, device=device, throughput=value)
        for m, values in (("a", (1.0, 3.0)), ("b", (2.0, 2.0)), ("c", (1.0, 2.0)))
        for device, value in zip("XY", values, strict=True)
    ]
    compare = CompareSpec("speedup", {"device": "X"}, mean=True)
    table = {"rows": ("m",), "columns": ("device",), "compare": compare, "show": ("speedup",)}
    (figure,) = figures(runs, kind="ecdf", of="rows", show="speedup", table=table)
    (line,) = figure.series
    assert (line.name, line.x, line.y) == ("Y", (1.0, 2.0, 3.0), (1 / 3, 2 / 3, 1.0))
    assert (figure.x_title, figure.y_title, figure.quantity) == (
        "speed-up of Y over X",
        "share of rows",
        "value",
    )


def test_an_ecdf_of_steps_has_the_measured_steps_of_all_ranks_without_the_warm_up():
    steps = [9.0] * 20 + [0.1, 0.3, 0.2, 0.4] * 25
    runs = [run(series(steps), factors={"m": "a"}), run(series(steps), factors={"m": "b"})]
    (figure,) = figures(runs, kind="ecdf", table={"rows": ("m",), "metrics": ("step_time",)})
    assert [s.name for s in figure.series] == ["a", "b"]
    assert max(figure.series[0].x) == 0.4
    assert figure.series[0].y[-1] == 1.0
    assert figure.series[0].y[24] == pytest.approx(0.25)


def test_an_ecdf_of_steps_has_no_gaps():
    # The protocol leaves a gap of 30 s out of the measured steps, so it is not a share of them.
    steps = [0.1] * 70 + [30.0] + [0.1] * 60
    (figure,) = figures(
        [run(series(steps), factors={"m": "a"})],
        kind="ecdf",
        table={"rows": ("m",), "metrics": ("step_time",)},
    )
    (line,) = figure.series
    assert (max(line.x), len(line.x)) == (0.1, 99)


def serving(batch_size, throughput, latency):
    return published_run(model="m", batch_size=batch_size, throughput=throughput, values={STEP: latency})


def test_latencies_are_over_throughputs_in_the_order_of_the_rows():
    runs = [serving(8, 80.0, 0.1), serving(1, 20.0, 0.05)]
    (figure,) = figures(runs, kind="latency-throughput", table=SERVING, x="batch_size")
    (line,) = figure.series
    assert (line.x, line.y, line.labels) == ((20.0, 80.0), (0.05, 0.1), ("1", "8"))


def test_statistics_of_a_latency_go_with_one_rate_and_a_line_joins_the_best_points():
    runs = []
    for system, rates, times in (("A", (10.0, 40.0), (0.01, 0.08)), ("B", (20.0, 30.0), (0.02, 0.2))):
        for load, rate, time in zip((1, 8), rates, times, strict=True):
            runs.append(published_run(system=system, concurrency=load, throughput=rate))
            runs += [
                published_run(system=system, concurrency=load, statistic=name, values={STEP: time * factor})
                for name, factor in (("mean", 1.1), ("median", 1.0), ("p99", 3.0))
            ]
    table = {**SERVING, "rows": ("system", "concurrency"), "columns": ("metric", "statistic")}
    (figure,) = figures(runs, kind="latency-throughput", table=table, x="concurrency")
    assert [(s.name, s.x, s.y, s.labels) for s in figure.series] == [
        ("A", (10.0, 40.0), (0.01, 0.08), ("1", "8")),
        ("B", (20.0, 30.0), (0.02, 0.2), ("1", "8")),
    ]
    assert figure.y_title == "Latency, median"
    # 30 at 0.2 s is worse in both than 40 at 0.08 s.
    assert figure.front == ((10.0, 0.01), (20.0, 0.02), (40.0, 0.08))


def test_systems_that_did_different_work_have_no_best_trade_off():
    runs = [
        published_run(model=model, batch_size=size, throughput=rate, values={STEP: rate / 1000})
        for model in ("a", "b")
        for size, rate in ((1, 10.0), (8, 20.0))
    ]
    (figure,) = figures(runs, kind="latency-throughput", table=SERVING, x="batch_size")
    assert (len(figure.series), figure.front) == (2, ())


def test_a_latency_is_derived_only_where_the_definition_says_so():
    table = {"rows": ("batch_size",), "columns": ("framework",)}
    runs = [
        published_run(framework="A", batch_size=b, devices=2, throughput=t) for b, t in [(1, 20.0), (8, 80.0)]
    ]
    (figure,) = figures(
        runs, kind="latency-throughput", table=table, x="batch_size", latency="batch / throughput"
    )
    assert figure.series[0].y == (0.1, 0.2)
    assert figure.y_title == "global batch / throughput"


def test_a_rate_of_tokens_gives_no_latency_of_a_batch():
    # 8 sequences over 32,768 tokens/s are not 0.24 ms.
    runs = [
        published_run(batch_size=b, devices=1, item="token", throughput=4096.0 * b, seq_len=512)
        for b in (8, 16)
    ]
    table = {"rows": ("batch_size",), "ignore": ("item", "seq_len")}
    with pytest.raises(RequestError) as error:
        figures(runs, kind="latency-throughput", table=table, x="batch_size", latency="batch / throughput")
    assert "tokens per second, and a batch size counts samples; show a measured latency" in str(error.value)


def test_the_default_title_says_what_is_shown_of_the_table(tmp_path):
    path = tmp_path / "t.toml"
    path.write_text(
        '[[tables]]\nid = "t"\ntitle = "T"\nrows = ["devices", "device"]\n'
        '[[figures]]\ntable = "t"\nkind = "dots"\nwhere = { devices = 8, device = ["A", "B"] }\n'
    )
    (figure,) = read_definition(path, "reports/t.toml", "t", {}).figures
    assert figure.title == "T, devices 8, A or B"
