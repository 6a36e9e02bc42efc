"""What `init` proposes builds, whatever the logs are called and hold."""

import tomllib

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
    files = starters("reports", {"logs/expected": [run(m="a", throughput=1.0)], "logs/empty": []})
    assert sorted(files) == [
        "reports/expected-campaign.toml",
        "reports/expected.toml",
        "reports/reportgen.toml",
    ]


def test_factors_that_vary_become_rows_and_the_shortest_columns():
    runs = [run(framework=f, devices=d, item="x", throughput=1.0) for f in "AB" for d in (1, 8, 16)]
    (table,) = overview(runs, "reports", ("logs",)).tables
    assert (table.rows, table.columns) == (("devices",), ("framework",))


def test_phases_stand_side_by_side():
    runs = [run(m=m, values={"step": 3.0, "forward": 1.0}) for m in "ab"]
    (table,) = overview(runs, "reports", ("logs",)).tables
    assert (table.metrics, table.phases, table.rows, table.columns) == (
        ("step_time",),
        ("step", "forward"),
        ("m",),
        ("phase",),
    )
