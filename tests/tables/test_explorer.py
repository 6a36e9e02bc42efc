"""The explorer of a report: which factors a reader chooses, and the case behind every number."""

from collections.abc import Mapping, Sequence

import pytest

from reportgen.core.errors import RequestError
from reportgen.core.model import FactorValue, Run
from reportgen.protocol import MeasuredRuns
from reportgen.tables.assemble import build_tables
from reportgen.tables.expected import SpeedFacts
from reportgen.tables.explorer import build_explorer
from reportgen.tables.explorer_cases import Entry
from reportgen.tables.explorer_model import Explorer
from reportgen.tables.spec import CompareSpec, ExplorerSpec, SwitchSpec, TableSpec
from tests.builders import SHORT, aggregate, run, telemetry

FACTS = SpeedFacts({}, ())


def log(id: str, value: float, **factors: FactorValue) -> Run:
    """Return a run with one figure of throughput and one of memory."""
    memory = aggregate(value * 2**20, metric="memory_used")
    return run(aggregate(value, metric="throughput"), memory, id=id, factors=factors)


def failed(id: str, **factors: FactorValue) -> Run:
    return run(id=id, factors=factors, status="out_of_memory")


RUNS = [
    log("a", 100.0, model="m", device="V100", batch_size=8),
    log("b", 150.0, model="m", device="V100", batch_size=64),
    log("c", 180.0, model="m", device="A100", batch_size=8),
    log("d", 300.0, model="m", device="A100", batch_size=64),
    failed("e", model="m", device="V100", batch_size=128),
    log("f", 50.0, model="n", device="V100", batch_size=8),
]


def table(id: str = "t", **keys: object) -> TableSpec:
    usual = {"facets": ("model",), "rows": ("batch_size",), "columns": ("device",), "protocol": SHORT}
    return TableSpec(place=f"x.toml: tables.{id}", id=id, title=id.upper(), **{**usual, **keys})


def explore(
    runs: Sequence[Run] = RUNS, specs: Sequence[TableSpec] = (), stacked: str = "", **keys: object
) -> Explorer:
    measured = MeasuredRuns()
    entries = [
        Entry(spec, build_tables(spec, runs, FACTS, measured), spec.id == stacked)
        for spec in specs or [table()]
    ]
    explorer = build_explorer(ExplorerSpec("x.toml: explorer", **keys), entries)
    assert explorer
    return explorer


def values(explorer: Explorer, measure: int = 0) -> Mapping[tuple[FactorValue, ...], float | str]:
    """Return the number of a measure, or why there is none, by the values of the factors."""
    return {
        tuple(
            factor.values[at] for factor, at in zip(explorer.factors, configuration.values, strict=True)
        ): cell.text or cell.value
        for configuration in explorer.configurations
        if (cell := configuration.cells.get(measure))
    }


def test_without_choices_the_axes_of_the_tables_decide() -> None:
    explorer = explore()
    assert [factor.name for factor in explorer.factors] == ["model", "device", "batch_size"]
    assert explorer.x.name == "batch_size"
    assert explorer.compared
    assert explorer.compared.name == "device"


def test_every_number_is_that_of_a_table_and_failed_runs_say_so() -> None:
    assert values(explore()) == {
        ("m", "A100", 8): 180.0,
        ("m", "A100", 64): 300.0,
        ("m", "V100", 8): 100.0,
        ("m", "V100", 64): 150.0,
        ("m", "V100", 128): "out of memory",
        ("n", "V100", 8): 50.0,
    }


def test_a_factor_that_follows_from_the_others_is_not_chosen() -> None:
    runs = [log(str(n), n * 10.0, nodes=n, devices=8 * n, model="m") for n in (1, 2, 4)]
    explorer = explore(runs, [table(facets=(), rows=("nodes", "devices"), columns=())])
    assert [factor.name for factor in explorer.factors] == ["devices"]
    assert explorer.others == ("nodes",)
    assert [each.others for each in explorer.configurations] == [("1",), ("2",), ("4",)]


def test_the_order_and_labels_of_the_tables_hold() -> None:
    spec = table(order={"device": ("V100", "A100")}, labels={"device=V100": "[Volta](https://x)"})
    explorer = explore(specs=[spec])
    assert explorer.compared
    assert explorer.compared.values == ("V100", "A100")
    assert explorer.compared.labels == ("Volta", "A100")


def test_values_with_one_label_stay_apart() -> None:
    specs = [
        table("m", where={"model": ("m",)}, labels={"model=m": "usual"}),
        table("n", where={"model": ("n",)}, labels={"model=n": "usual"}),
    ]
    assert explore(specs=specs).factors[0].labels == ("usual (m)", "usual (n)")


def test_ratios_and_verdicts_are_those_of_a_comparison() -> None:
    explorer = explore(baseline="V100")
    found = {
        each.values: (compared.value, compared.verdict and compared.verdict.kind)
        for each in explorer.configurations
        if (compared := each.cells[0].comparison)
    }
    assert found == {(0, 0, 0): (1.8, "no repeats"), (0, 0, 1): (2.0, "no repeats")}


def test_a_verdict_of_a_table_is_not_decided_again() -> None:
    compare = CompareSpec("ratio", {"device": "V100"})
    explorer = explore(specs=[table(), table("u", compare=compare, facets=("model",))], baseline="V100")
    spec = table("u", compare=compare)
    tables = build_tables(spec, RUNS, FACTS)
    own = [
        c.comparison.verdict
        for t in tables
        for line in t.cells
        for c in line
        if c.comparison and c.comparison.verdict
    ]
    compared = [each.cells[0].comparison for each in explorer.configurations]
    verdicts = [each.verdict for each in compared if each and each.verdict]
    assert verdicts == list(dict.fromkeys(own))


def test_a_measure_that_the_baseline_does_not_have_has_no_ratios() -> None:
    own = [log("a", 100.0, device="V100", item="image"), log("b", 9.0, device="A100", item="token")]
    explorer = explore(own, [table(facets=(), rows=("device",), columns=())], compare="device")
    ratios = [cell.comparison for each in explorer.configurations for cell in each.cells.values()]
    assert ratios == [None] * len(ratios)


def test_one_of_several_cases_is_not_a_baseline() -> None:
    runs = [
        log("a", 10.0, device="V100", try_=1),
        log("b", 1000.0, device="V100", try_=2),
        log("c", 20.0, device="A100", try_=1),
    ]
    specs = [
        table(f"t{i}", facets=(), rows=("device",), columns=(), where={"try_": (i,)}, ignore=("try_",))
        for i in (1, 2)
    ]
    explorer = explore(runs, specs, compare="device", baseline="V100")
    texts = {each.cells[0].text: each.cells[0].comparison for each in explorer.configurations}
    assert texts == {"several": None, "": None}


def test_measures_of_several_tables_are_charts_of_one_explorer() -> None:
    memory = table("memory", metrics=("memory_used",), unit="GiB", digits=3)
    explorer = explore(specs=[table(), memory, table("again", rows=("model", "batch_size"), facets=())])
    assert [(chart.id, chart.measures) for chart in explorer.charts] == [("t", (0,)), ("memory", (1,))]
    assert [(m.title, m.unit.name, m.digits) for m in explorer.measures] == [
        ("Throughput", "samples/s", 4),
        ("Memory used", "GiB", 3),
    ]
    assert explorer.measures[1].is_size


def test_a_switch_keeps_the_chart_of_its_table() -> None:
    again = table("again", rows=("model", "batch_size"), facets=())
    explorer = explore(specs=[table(), again], switches=(SwitchSpec("s", "S", tables=("again",)),))
    assert [chart.id for chart in explorer.charts] == ["t", "again"]


def test_a_chart_of_which_another_table_shows_more_has_the_name_of_the_metric() -> None:
    explorer = explore(specs=[table("m", where={"model": ("m",)}), table("n", where={"model": ("n",)})])
    assert [chart.title for chart in explorer.charts] == ["Throughput"]


def test_rates_of_different_items_are_different_measures() -> None:
    runs = [
        log("a", 1.0, model="m", item="image", batch_size=1),
        log("b", 2.0, model="n", item="token", batch_size=1),
        failed("c", model="n", batch_size=2),
    ]
    explorer = explore(runs, [table(columns=(), rows=("batch_size",))])
    assert [measure.title for measure in explorer.measures] == [
        "Throughput (images/s)",
        "Throughput (tokens/s)",
    ]


def test_cases_that_the_chosen_factors_do_not_separate_show_no_number() -> None:
    explorer = explore(facets=(), compare="device", x="batch_size")
    assert values(explorer)["V100", 8] == "several"
    assert values(explorer)["V100", 64] == 150.0


def test_the_size_of_a_device_comes_from_logs_and_environments() -> None:
    runs = [
        run(
            aggregate(1.0, metric="throughput"),
            id="a",
            factors={"n": 1},
            environment={"device_memory": "16155 MiB"},
        ),
        run(
            aggregate(1.0, metric="throughput"),
            telemetry(memory_total=[2.0**34] * 2),
            id="b",
            factors={"n": 2},
        ),
        run(
            aggregate(1.0, metric="throughput"), id="c", factors={"n": 3}, environment={"gpu_memory": "much"}
        ),
        # GB or MiB, but no bytes.
        run(aggregate(1.0, metric="throughput"), id="d", factors={"n": 4}, environment={"gpu_memory": 80}),
    ]
    explorer = explore(runs, [table(facets=(), rows=("n",), columns=())])
    assert [each.device_memory for each in explorer.configurations] == [16155 * 2.0**20, 2.0**34, None, None]


def test_a_switch_shows_some_measures_in_place_of_others() -> None:
    parts = {"forward": 1.0, "backward": 2.0}
    runs = [
        run(*(aggregate(value * n, phase) for phase, value in parts.items()), id=str(n), factors={"n": n})
        for n in (1, 2)
    ]
    spec = table(
        metrics=("step_time",),
        phases=("forward", "backward", "both"),
        totals={"both": ("forward", "backward")},
        facets=(),
        rows=("n",),
        columns=("phase",),
    )
    switch = SwitchSpec("s", "Switch", phases=("both",), instead_of=("forward",))
    explorer = explore(runs, [spec], "t", switches=(switch,))
    assert [measure.label for measure in explorer.measures] == ["forward", "backward", "both"]
    assert (explorer.switches[0].measures, explorer.switches[0].instead_of) == ((2,), (0,))
    assert explorer.charts[0].is_stacked


def test_tables_of_single_repeats_are_left_out() -> None:
    explorer = explore(specs=[table(), table("r", rows=("batch_size", "repeat"))])
    assert [factor.name for factor in explorer.factors] == ["model", "device", "batch_size"]


def test_tables_without_any_case_have_no_explorer() -> None:
    spec = table()
    assert build_explorer(ExplorerSpec("x"), [Entry(spec, [], False)]) is None


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"facets": ("modle",)}, 'x.toml: explorer.facets[0]: no factor "modle"; did you mean "model"?'),
        ({"x": "batch"}, 'x.toml: explorer.x: no factor "batch"; did you mean "batch_size"?'),
        ({"compare": "gpu"}, 'x.toml: explorer.compare: no factor "gpu"'),
        ({"baseline": "V10"}, 'x.toml: explorer.baseline: no case has device = V10; did you mean "V100"?'),
        (
            {"compare": "", "facets": ("model", "device"), "baseline": "V100"},
            "x.toml: explorer.baseline: no factor is compared; name one in compare",
        ),
        (
            {"switches": (SwitchSpec("s", "S", phases=("stp",)),)},
            'x.toml: explorer.switches[0].phases[0]: no table shows phase "stp"; did you mean "step"?',
        ),
    ],
)
def test_names_that_the_tables_do_not_have_are_errors(keys: dict[str, object], message: str) -> None:
    with pytest.raises(RequestError) as error:
        explore(**keys)
    assert str(error.value).startswith(message)
