"""report.json: canonical, complete, one line per case, cell and finding."""

import json
from dataclasses import replace
from typing import Any

import example

from reportgen.render import render_report
from reportgen.results import Report


def _json(report: Report) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(render_report(report)["report.json"])
    return content


def test_it_lists_what_was_generated_itself_included() -> None:
    files = render_report(example.report())
    assert json.loads(files["report.json"])["generated"] == sorted(files)


def test_a_cell_points_at_its_case_and_its_baseline() -> None:
    content = _json(example.report())
    cell = content["tables"][0]["cells"][5]
    assert cell["row"] == {"nodes": 1, "devices": 8}
    assert cell["comparison"] == {"kind": "speedup", "baseline": 1, "value": 7.85777162978}
    case = content["cases"][cell["case"] - 1]
    assert case["factors"] == {"framework": "OneFlow", "devices": 8}
    assert [m["value"] for m in case["measurements"]] == [3123.937575, 3124.25, 3124.562425]
    assert case["measurements"][1]["findings"][0]["rule"] == "protocol.gap"


def test_tables_that_show_the_same_runs_share_a_case() -> None:
    table = example.throughput_table()
    again = replace(example.throughput_table(), id="again")
    once, twice = (_json(example.report(tables=tables, prose="")) for tables in ((table,), (table, again)))
    assert len(once["cases"]) == len(twice["cases"]) == 4


def test_order_of_findings_does_not_matter() -> None:
    report = example.report()
    turned = replace(report, findings=tuple(reversed(report.findings)))
    assert render_report(report) == render_report(turned)


def test_each_case_and_cell_is_a_line() -> None:
    text = render_report(example.report())["report.json"].decode()
    assert text.endswith("}\n")
    assert sum(line.startswith('{"case": ') and '"factors"' in line for line in text.splitlines()) == 7
    assert sum('"kind": "number"' in line and '"row"' in line for line in text.splitlines()) == 9
