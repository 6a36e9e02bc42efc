"""What `init` proposes builds, whatever the logs are called and hold."""

import tomllib
from dataclasses import replace
from typing import Any

import pytest

from reportgen.model import Run
from reportgen.report.levels import levels
from reportgen.report.overview import definition_text, overview
from reportgen.report.start import starters
from tests.tables.cases import run


def test_hostile_names_and_values_stay_inside_their_strings():
    runs = [run(**{'a"b': f"x\n[evil] {i}"}, throughput=float(i)) for i in (1, 2)]
    document = tomllib.loads(definition_text(runs, 'logs/a"b'))
    assert document["title"] == 'a"b'
    assert document["tables"][0]["rows"] == ['a"b']
    assert set(document) == {"title", "logs", "protocol", "tables"}


def test_a_campaign_may_be_called_like_one_of_our_own_files():
    files, remarks = starters(
        "reports",
        {"logs/expected": [run(m="a", throughput=1.0)], "logs/empty": [], "logs/none": [run(m="a")]},
    )
    assert remarks == []
    assert sorted(files) == [
        "reports/expected-campaign.toml",
        "reports/expected.toml",
        "reports/reportgen.toml",
    ]


def test_factors_that_vary_become_rows_and_the_shortest_columns():
    runs = [run(framework=f, devices=d, item="x", throughput=1.0) for f in "AB" for d in (1, 8, 16)]
    (table,) = overview(runs, "reports").tables
    assert (table.rows, table.columns) == (("devices",), ("framework",))


def test_phases_stand_side_by_side():
    runs = [run(m=m, values={"step": 3.0, "forward": 1.0}) for m in "ab"]
    (table,) = overview(runs, "reports").tables
    assert (table.metrics, table.phases, table.rows, table.columns) == (
        ("step_time",),
        ("step", "forward"),
        ("m",),
        ("phase",),
    )


def at(path: str, **keys: Any) -> Run:
    """Return a run whose log lies at that path."""
    return replace(run(throughput=1.0, **keys), id=path)


def axes(*runs: Run) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return rows and columns of the overview's first table."""
    table = overview(runs, "reports", ("logs",)).tables[0]
    return table.rows, table.columns


def test_a_factor_with_one_value_that_some_runs_lack_is_no_column():
    runs = [run(device=d, layers=n, throughput=1.0) for d in "abc" for n in (1, 2)]
    assert axes(*runs, run(device="d", layers=1, dataset="x", throughput=1.0)) == (
        ("device", "dataset"),
        ("layers",),
    )


def test_a_table_of_one_case_has_the_row_that_varies_elsewhere_or_tells_most():
    one = run(availability="now", item="x", model="a", system="s", memory=1.0)
    assert axes(one) == (("model",), ())
    others = [run(availability="now", item="x", model="a", system=s, throughput=1.0) for s in "tu"]
    assert [table.rows for table in overview([one, *others], "reports", ("logs",)).tables] == [
        ("system",),
        ("system",),
    ]


def test_runs_of_which_nothing_is_known_get_a_row_each():
    assert axes(run(throughput=1.0), run(throughput=2.0)) == (("repeat",), ())
    assert axes(run(item="x", throughput=1.0), run(item="x", throughput=2.0)) == (("repeat",), ())


def test_hardware_that_differs_between_runs_of_one_case_is_a_row():
    runs = [run(model=m, environment={"gpu": gpu}, throughput=1.0) for gpu in "ab" for m in ("x", "y")]
    assert axes(*runs) == (("model",), ("gpu",))
    assert "# gpu: a, b" in definition_text(runs, "logs/x")
    alike = [run(model=m, environment={"gpu": m}, throughput=1.0) for m in ("x", "y")]
    assert axes(*alike) == (("model",), ())


@pytest.mark.parametrize(
    ("runs", "patterns"),
    [
        ([at("r/A/bert/1.txt", m=1), at("r/B/bert/1.txt", m=1)], ["/{_}/{folder}/{_}/{_}"]),
        ([at("A/x/1.txt", m=1), at("B/y/1.txt", m=1)], ["/{folder}/{folder2}/{_}"]),
        ([at("A/1.txt", m=1, folder="f"), at("B/1.txt", m=1, folder="f")], ["/{folder2}/{_}"]),
        (
            [at(f"{folder}/{name}", m=1) for folder in "AB" for name in ("x/1.txt", "1.txt")],
            ["/{folder}/{_}", "/{folder}/{_}/{_}"],
        ),
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
    ],
)
def test_the_levels_of_paths_that_tell_runs_of_one_case_apart(runs: list[Run], patterns: list[str]):
    found = levels(runs)
    assert [pattern.text for pattern in (found.patterns if found else ())] == patterns


def test_the_levels_go_into_labels_and_the_definition_unless_something_is_there():
    campaigns = {"logs/c": [at("A/1.txt", m=1), at("B/1.txt", m=1)]}
    files, remarks = starters("reports", campaigns)
    assert tomllib.loads(files["logs/c/labels.toml"].decode()) == {"paths": [{"pattern": "/{folder}/{_}"}]}
    assert tomllib.loads(files["reports/c.toml"].decode())["tables"][0]["rows"] == ["folder"]
    assert remarks == ["logs/c/labels.toml: only the path tells some runs apart; give folder a better name"]
    files, remarks = starters("reports", campaigns, lambda path: path == "logs/c/labels.toml")
    assert "logs/c/labels.toml" not in files
    assert "# [[paths]]\n# pattern = '/{folder}/{_}'\n" in files["reports/c.toml"].decode()
    assert tomllib.loads(files["reports/c.toml"].decode())["tables"][0]["rows"] == ["m"]
    assert remarks[0].endswith("; reports/c.toml says how")
    assert sorted(starters("reports", campaigns, lambda path: path == "reports/c.toml")[0]) == [
        "reports/expected.toml",
        "reports/reportgen.toml",
    ]


def test_a_path_cannot_break_out_of_its_comment():
    files, _ = starters("reports", {"logs/c": [at("A\n[evil]/1.txt", m=1), at("B/1.txt", m=1)]})
    assert set(tomllib.loads(files["logs/c/labels.toml"].decode())) == {"paths"}
