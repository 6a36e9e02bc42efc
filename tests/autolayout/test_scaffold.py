"""The definitions that `init` proposes build, for logs of any name and content."""

import shutil
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reportgen.api import init, learn_format
from reportgen.autolayout.environment_factors import with_environment
from reportgen.autolayout.overview import define_overview, definition_text
from reportgen.autolayout.path_factors import find_path_factors
from reportgen.autolayout.scaffold import propose_files
from reportgen.autolayout.table_layout import choose_axes
from reportgen.core.model import Aggregate, Run
from reportgen.tables.assemble import build_tables
from reportgen.tables.expected import NO_FACTS
from tests.builders import planned, published_run, telemetry, write_files
from tests.each_of import each_row


def test_hostile_names_and_values_stay_inside_their_strings():
    runs = [published_run(**{'a"b': f"x\n[evil] {i}"}, throughput=float(i)) for i in (1, 2)]
    document = tomllib.loads(definition_text(planned(runs, 'logs/a"b')))
    assert document["title"] == 'Throughput (a"b)'
    assert document["tables"][0]["rows"] == ['a"b']
    assert set(document) == {"title", "logs", "protocol", "tables", "figures"}


def test_a_campaign_may_be_called_like_one_of_our_own_files():
    proposal = propose_files(
        "reports",
        {
            "logs/expected": [published_run(m="a", throughput=1.0)],
            "logs/empty": [],
            "logs/none": [published_run(m="a")],
        },
    )
    assert proposal.remarks == ("logs/none: no definition, because no run has a number",)
    assert sorted(proposal.files) == [
        "reports/expected-campaign.toml",
        "reports/expected.toml",
        "reports/reportgen.toml",
    ]


def test_factors_that_vary_become_rows_and_the_shortest_columns():
    runs = [published_run(framework=f, devices=d, item="x", throughput=1.0) for f in "AB" for d in (1, 8, 16)]
    assert axes(*runs) == (("devices",), ("framework",))


def test_phases_are_columns():
    runs = [published_run(m=m, values={"step": 3.0, "forward": 1.0}) for m in "ab"]
    (table,) = define_overview(runs, "reports").tables
    assert (table.metrics, table.phases, table.rows, table.columns) == (
        ("step_time",),
        ("step", "forward"),
        ("m",),
        ("phase",),
    )


def at(path: str, **keys: Any) -> Run:
    """Return a run with that path as its id."""
    return replace(published_run(throughput=1.0, **keys), id=path)


def axes(*runs: Run) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return rows and columns of a table that compares nothing."""
    chosen = choose_axes(with_environment(runs), with_environment(runs))
    return tuple(chosen.rows), tuple(chosen.columns)


def test_a_factor_with_one_value_that_some_runs_lack_is_not_a_column():
    runs = [published_run(device=d, layers=n, throughput=1.0) for d in "abc" for n in (1, 2)]
    more = published_run(device="c", layers=2, dataset="x", throughput=1.0)
    assert axes(*runs, more) == (("device", "dataset"), ("layers",))


def test_a_factor_that_separates_no_cases_is_not_a_row():
    runs = [
        published_run(system=s, owner=s.upper(), global_batch_size=b, throughput=1.0)
        for s, b in (("s", 8), ("t", 16))
    ]
    assert axes(*runs) == (("system", "global_batch_size"), ())


def test_many_metrics_of_devices_are_in_one_table():
    def sampled(node: str, metrics: str) -> Run:
        one = published_run(node=node, throughput=1.0)
        columns = {metric: [1.0, 2.0] for metric in metrics.split()}
        return replace(one, telemetry=(telemetry("GPU-1", **columns),))

    few = [sampled(node, "power temperature") for node in "AB"]
    assert [table.id for table in define_overview(few, "reports").tables] == [
        "throughput",
        "power",
        "temperature",
    ]
    metrics = "utilization memory_used power temperature sm_clock power_limit pcie_tx pcie_rx retired_pages"
    many = [sampled(node, metrics) for node in "AB"]
    tables = define_overview(many, "reports").tables
    assert [table.id for table in tables] == ["throughput", "devices"]
    assert set(tables[1].metrics) == set(metrics.split())


def test_many_metrics_of_a_custom_program_are_in_one_table():
    def figures(node: str, names: str) -> Run:
        one = published_run(node=node, throughput=1.0)
        own = [
            Aggregate(
                f"own_{name}", phase=phase, value=2.0, original="2", statistic="mean", n=1, source=one.source
            )
            for name, phase in names.split()
        ]
        return replace(one, aggregates=(*one.aggregates, *own))

    few = [figures(node, "ax bx") for node in "AB"]
    assert [table.id for table in define_overview(few, "reports").tables] == ["throughput", "own-a", "own-b"]
    many = [figures(node, "ax bx cy dy ex fx gx hx iy") for node in "AB"]
    table = define_overview(many, "reports").tables[-1]
    assert (table.id, len(table.metrics), table.phases) == ("other-metrics", 9, ("x", "y"))
    assert (table.rows, table.columns, table.unit) == (("metric", "phase"), ("node",), "per-cell")
    lower = define_overview(
        [figures(node, "ax bx cy dy ex fx gx hx iy") for node in "ABCDEFGHI"], "reports"
    ).tables[-1]
    assert (lower.rows, lower.columns) == (("metric", "phase", "node"), ())
    written = tomllib.loads(definition_text(planned(many, "logs/x")))["tables"][-1]
    assert (written["metric"], written["unit"]) == (list(table.metrics), "per-cell")


def test_phases_follow_the_factors_that_separate_cases():
    times = {"backward": 2.0, "between_steps": 0.1, "data_loading": 0.5, "forward": 1.0, "step": 4.0}
    runs = [published_run(model=m, batch_size=b, values=times) for m in "ab" for b in (1, 8)]
    (table,) = define_overview(runs, "reports").tables
    assert table.phases == ("step", "data_loading", "forward", "backward", "between_steps")
    assert (table.rows, table.columns) == (("model", "batch_size"), ("phase",))


def test_what_failed_elsewhere_is_not_a_row_but_has_its_own_table():
    runs = [published_run(model=m, batch_size=1, throughput=1.0) for m in "ab"]
    runs += [
        published_run(model="b", batch_size=2, memory=2.0),
        published_run(model="c", batch_size=3, status="failed"),
    ]
    throughput, memory, failed = define_overview(runs, "reports").tables
    assert (throughput.where, memory.where) == ({"model": ("a", "b")}, {"model": ("b",)})
    assert (failed.id, failed.metrics, failed.where) == (
        "incomplete-runs",
        ("throughput",),
        {"status": ("failed",)},
    )
    written = tomllib.loads(definition_text(planned(runs, "logs/x")))["tables"]
    assert [one["where"] for one in written] == [{"model": ["a", "b"]}, {"model": "b"}, {"status": "failed"}]


def test_a_model_that_always_failed_has_rows_and_no_figure():
    runs = [published_run(model=m, batch_size=b, throughput=1.0) for m in "ab" for b in range(25)]
    runs += [published_run(model="c", batch_size=b, status="out_of_memory") for b in (1, 2)]
    runs += [published_run(status="failed")]  # stopped before it printed its model
    definition = define_overview(runs, "reports")
    spec = definition.tables[-1]
    (table,) = build_tables(spec, runs, NO_FACTS)
    shown = {row.key: cells[0].text for row, cells in zip(table.rows, table.cells, strict=True)}
    assert spec.rows == ("model", "batch_size")
    assert shown == {("c", 1): "out of memory", ("c", 2): "out of memory", ("-", "-"): "failed"}
    assert (table.unit, table.caption[0]) == (None, "Throughput: no run has a number.")
    assert {figure.table for figure in definition.figures} == {"throughput-a", "throughput-b"}


def test_a_campaign_whose_runs_all_failed_has_a_definition():
    files = propose_files("reports", {"logs/x": [published_run(model="a", status="failed")]}).files
    assert [one["id"] for one in tomllib.loads(files["reports/x.toml"].decode())["tables"]] == [
        "incomplete-runs"
    ]


def test_the_folder_gives_the_system_of_a_log_without_device():
    runs = [at(f"{name}/1.txt", model="m", device=name, precision="amp") for name in ("A", "B")]
    runs += [at("C/1.txt", model="m", precision="fp32")]
    told = [replace(one, factors={**one.factors, "folder": one.id[0]}) for one in runs]
    document = tomllib.loads(definition_text(planned(told, "logs/x", guessed=("folder",))))
    assert document["tables"][0]["rows"] == ["precision", "device", "folder"]


def test_of_many_phases_the_longest_are_shown_and_the_others_named():
    times = {"forward": 1.0, **{f"hook{i}": i / 1e6 for i in range(9)}}
    runs = [published_run(m=m, values=times) for m in "ab"]
    (table,) = define_overview(runs, "reports").tables
    assert table.phases == ("forward", *(f"hook{i}" for i in range(2, 9)))
    assert table.notes == ("Phases with smaller values are omitted: hook0, hook1.",)
    assert tomllib.loads(definition_text(planned(runs, "logs/x")))["tables"][0]["notes"] == list(table.notes)


def test_of_very_many_phases_few_are_named():
    times = {f"kernel{i:02d}": 1.0 + i for i in range(20)}
    (table,) = define_overview([published_run(m=m, values=times) for m in "ab"], "reports").tables
    named = ", ".join(f"kernel{i:02d}" for i in range(8))
    assert table.notes == (f"Phases with smaller values are omitted: {named} and 4 more.",)


def test_a_rate_that_follows_from_a_time_is_not_a_table():
    runs = [published_run(m=m, samples=8.0, values={"forward": 1.0}) for m in "ab"]
    assert [table.metrics for table in define_overview(runs, "reports").tables] == [("step_time",)]


def test_a_factor_whose_values_are_compared_becomes_columns():
    apart = [
        published_run(batch_size=b, precision=p, throughput=1.0)
        for b, p in ((4, "fp32"), (8, "amp"), (9, "amp"))
    ]
    assert axes(*apart) == (("precision", "batch_size"), ())
    both = [published_run(batch_size=b, precision="fp32", throughput=1.0) for b in (8, 9)]
    assert axes(*apart, *both) == (("batch_size",), ("precision",))


def test_systems_come_before_settings():
    runs = [
        published_run(batch_size=b, device=d, devices=n, throughput=1.0)
        for b, (d, n) in enumerate((d, n) for d in "abc" for n in (1, 2))
    ]
    assert axes(*runs) == (("device", "devices", "batch_size"), ())


def test_many_cases_have_a_table_per_model_without_constant_factors():
    settings = {"B": {"seq_len": 384}, "a": {"image": 224}}
    few = [
        published_run(model=m, **more, batch_size=b, throughput=1.0)
        for m, more in settings.items()
        for b in range(20)
    ]
    assert len(define_overview(few, "reports").tables) == 1
    failed = published_run(status="failed", model="a", image=224, batch_size=99)
    many = [*few, failed, published_run(model="a", image=224, batch_size=50, throughput=1.0)]
    tables = define_overview(many, "reports").tables
    assert [(one.id, one.title, one.where, one.rows) for one in tables] == [
        ("throughput-a", "Throughput: a", {"model": ("a",)}, ("batch_size",)),
        ("throughput-b", "Throughput: B", {"model": ("B",)}, ("batch_size",)),
    ]
    written = tomllib.loads(definition_text(planned(many, "logs/x")))["tables"]
    assert [one["where"] for one in written] == [{"model": "a"}, {"model": "B"}]
    unknown = published_run(batch_size=7, throughput=1.0)
    assert len(define_overview([*many, unknown], "reports").tables) == 1


def test_models_that_python_holds_for_equal_have_tables_of_their_own():
    runs = [published_run(model=m, batch_size=b, throughput=1.0) for m in (1, True, "1") for b in range(20)]
    tables = define_overview(runs, "reports").tables
    assert [table.where for table in tables] == [{"model": (m,)} for m in (True, 1, "1")]
    assert axes(*(published_run(x=x, throughput=1.0) for x in (1, True))) == (("x",), ())


@pytest.mark.parametrize("model", ["😀", "\x7f", 'a"\\', "\n"])
def test_the_model_of_a_table_is_written_as_it_is(model):
    runs = [published_run(model=m, batch_size=b, throughput=1.0) for m in (model, "b") for b in range(30)]
    tables = tomllib.loads(definition_text(planned(runs, "logs/x")))["tables"]
    assert {table["where"]["model"] for table in tables} == {model, "b"}


def test_a_failed_run_is_laid_out_with_the_others_if_it_has_their_factors():
    runs = [published_run(device="A", batch_size=b, throughput=1.0) for b in (1, 2)]
    failed = published_run(status="failed", device="B", batch_size=1)
    table = define_overview([*runs, failed], "reports").tables[0]
    assert (table.rows, table.columns) == (("batch_size",), ("device",))
    failed = published_run(status="failed", batch_size=1)
    table = define_overview([*runs, failed], "reports").tables[0]
    assert (table.rows, table.columns) == (("batch_size",), ())


def test_models_that_differ_only_in_signs_have_different_ids():
    runs = [published_run(model=m, batch_size=b, throughput=1.0) for m in ("x+", "x-") for b in range(30)]
    assert [one.id for one in define_overview(runs, "reports").tables] == ["throughput-x", "throughput-x-2"]


def test_a_level_that_says_what_the_logs_state_is_not_a_factor():
    runs = [
        at(f"{system}/{kind}_{p}/1.txt", precision=p)
        for system in "AB"
        for p, kind in (("amp", "half"), ("fp32", "full"))
    ]
    found = find_path_factors(runs)
    assert found is not None
    assert found.names == ["folder"]  # the second level follows from the precision
    document = tomllib.loads(definition_text(planned(found.apply(runs), "logs/x", guessed=found.names)))
    assert (document["tables"][0]["rows"], document["tables"][0]["columns"]) == (["folder"], ["precision"])


def test_a_table_of_one_case_has_the_row_that_varies_elsewhere():
    one = published_run(availability="now", item="x", model="a", system="s", memory=1.0)
    assert axes(one) == (("model", "system"), ())
    others = [published_run(availability="now", item="x", model="a", system=s, throughput=1.0) for s in "tu"]
    assert [table.rows for table in define_overview([one, *others], "reports").tables] == [
        ("system",),
        ("system",),
    ]


def test_runs_of_which_nothing_is_known_get_a_row_each():
    assert axes(published_run(throughput=1.0), published_run(throughput=2.0)) == (("repeat",), ())
    assert axes(published_run(item="x", throughput=1.0), published_run(item="x", throughput=2.0)) == (
        ("repeat",),
        (),
    )


def test_hardware_that_differs_between_runs_of_one_case_is_a_row():
    runs = [
        published_run(model=m, environment={"gpu": gpu}, throughput=1.0) for gpu in "ab" for m in ("x", "y")
    ]
    assert axes(*runs) == (("model",), ("gpu",))
    assert "# gpu: a, b" in definition_text(planned(runs, "logs/x"))
    alike = [published_run(model=m, environment={"gpu": m}, throughput=1.0) for m in ("x", "y")]
    assert axes(*alike) == (("model",), ())


@each_row(
    [
        ([at("r/A/bert/1.txt", m=1), at("r/B/bert/1.txt", m=1)], ["/{_}/{folder}/{_}/{_}"]),
        ([at("A/x/1.txt", m=1), at("B/y/1.txt", m=1)], ["/{folder}/{folder2}/{_}"]),
        ([at("A/1.txt", m=1, folder="f"), at("B/1.txt", m=1, folder="f")], ["/{folder2}/{_}"]),
        (
            [at(f"{folder}/{name}", m=1) for folder in "AB" for name in ("x/1.txt", "1.txt")],
            ["/{folder}/{_}", "/{folder}/{_}/{_}"],
        ),
        ([at("rtx3090.csv", m=1), at("rtx4090.csv", m=1)], ["/{device}.csv"]),
        ([at("a.log#1", m=1), at("a.log#2", m=1), at("b.log", m=1)], ["/{log}.log"]),
        ([at("a.log", m=1), at("b.txt", m=1)], ["/{log}"]),
        ([at("train1.log"), at("train2.log")], ["/{log}.log"]),
        ([at("train1.log", item="x"), at("train2.log", item="x")], ["/{log}.log"]),
        ([at("train1.log", m=1), at("train2.log", m=1)], []),
        ([at("run1/x.log", m=1), at("run2/x.log", m=1)], []),
        ([at("A/1.txt", m=1), at("B/1.txt", m=2)], []),
        ([at("A/1.txt", m=1, repeat=1), at("B/1.txt", m=1, repeat=2)], []),
        ([at("a/" * 40 + "1.txt", m=1), at("b/" * 40 + "1.txt", m=1)], []),
        ([at("x.log")], []),
        ([], []),
    ]
)
def test_path_levels_separate_runs_of_one_case(runs: list[Run], patterns: list[str]):
    found = find_path_factors(runs)
    assert [pattern.text for pattern in (found.patterns if found else ())] == patterns


def test_levels_go_into_labels_and_the_definition_unless_they_exist():
    campaigns = {"logs/c": [at("A/1.txt", m=1), at("B/1.txt", m=1)]}
    proposal = propose_files("reports", campaigns)
    assert tomllib.loads(proposal.files["logs/c/labels.toml"].decode()) == {
        "paths": [{"pattern": "/{folder}/{_}"}]
    }
    assert tomllib.loads(proposal.files["reports/c.toml"].decode())["tables"][0]["rows"] == ["folder"]
    assert proposal.remarks == (
        "logs/c/labels.toml: only the path distinguishes some runs; give folder a better name",
    )
    proposal = propose_files("reports", campaigns, lambda path: path == "logs/c/labels.toml")
    assert "logs/c/labels.toml" not in proposal.files
    assert "# [[paths]]\n# pattern = '/{folder}/{_}'\n" in proposal.files["reports/c.toml"].decode()
    assert tomllib.loads(proposal.files["reports/c.toml"].decode())["tables"][0]["rows"] == ["m"]
    assert proposal.remarks[0].endswith("; reports/c.toml says how")
    assert sorted(propose_files("reports", campaigns, lambda path: path == "reports/c.toml").files) == [
        "reports/expected.toml",
        "reports/reportgen.toml",
    ]


def test_a_path_cannot_break_out_of_its_comment():
    proposal = propose_files("reports", {"logs/c": [at("A\n[evil]/1.txt", m=1), at("B/1.txt", m=1)]})
    assert set(tomllib.loads(proposal.files["logs/c/labels.toml"].decode())) == {"paths"}


def test_labels_that_learn_wrote_get_the_facts_of_paths(tmp_path: Path):
    rows = {"H100": 3.0, "MI300X": 2.0}
    table = "kernel,rep,time_ms\n" + "".join("a,{},{}\n" for _ in range(3))
    files = {
        f"logs/stencil/{gpu}/{name}.csv": table.format(
            *(x for rep in (1, 2, 3) for x in (rep, time + rep / 100))
        )
        for gpu, time in rows.items()
        for name in ("small", "large")
    }
    write_files(tmp_path, files)
    learn_format(tmp_path / "logs/stencil", write=tmp_path / "logs/stencil")
    learned = (tmp_path / "logs/stencil/labels.toml").read_text()
    for own in (learned, f"# mine\n{learned}"):
        write_files(tmp_path, {"logs/stencil/labels.toml": own})
        result = init(tmp_path / "reports")
        labels = (tmp_path / "logs/stencil/labels.toml").read_text()
        assert labels.startswith(own)
        is_extended = own is learned
        assert result.extended == (("logs/stencil/labels.toml",) if is_extended else ())
        assert ("[[paths]]" in labels) == is_extended
        shutil.rmtree(tmp_path / "reports")
