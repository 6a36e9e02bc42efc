"""Rules of acceptance: what passes, what fails, and what is never evaluated."""

import csv
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reportgen.core.errors import RequestError
from reportgen.core.model import Finding, Run
from reportgen.core.rules import Rule
from reportgen.core.schema import InvalidTable, convert
from reportgen.document.model import Acceptance
from reportgen.protocol import Protocol
from reportgen.render.grid.acceptance import lines
from reportgen.report.acceptance import judge
from reportgen.report.acceptance_rules import AcceptanceEntry, RuleTable, read_acceptance
from reportgen.report.definition import table_from_keys
from reportgen.tables.assemble import build_tables
from reportgen.tables.expected import NO_FACTS, SpeedFact, SpeedFacts
from tests.builders import published_run, run, series, write_files
from tests.cli.calling import call
from tests.each_of import each_row

NODES = [
    published_run(node="reference", throughput=1000.0),
    published_run(node="n1", throughput=960.0),
    published_run(node="n2", throughput=940.0),
    published_run(node="n3", status="failed"),
]


def table(**keys: Any) -> dict[str, Any]:
    compare = {"kind": "ratio", "baseline": {"node": "reference"}}
    return {"id": "nodes", "rows": ["node"], "compare": compare} | keys


def judged(
    *rules: dict[str, Any],
    runs: list[Run] = NODES,
    key: str = "all",
    facts: SpeedFacts = NO_FACTS,
    **keys: Any,
) -> Acceptance:
    spec = table_from_keys(table(**keys), "x.toml: tables[0]")
    entry = convert(
        {"id": "a", key: [{"table": "nodes"} | rule for rule in rules]}, AcceptanceEntry, "x.toml"
    )
    (result,) = judge(
        read_acceptance([entry], {"nodes": spec}, "x.toml"), {"nodes": build_tables(spec, runs, facts)}
    )
    return result


def outcomes(result: Acceptance) -> dict[str, str]:
    return {cell.place: cell.outcome for rule in result.rules for cell in rule.cells}


BASELINE = {"against": "baseline", "min_ratio": 0.95}


def test_each_cell_is_compared_with_its_baseline_and_the_baseline_with_nothing():
    result = judged(BASELINE)
    assert outcomes(result) == {"node=n1": "pass", "node=n2": "fail", "node=n3": "not evaluated"}
    assert result.outcome == "fail"
    n1, _, n3 = result.rules[0].cells
    assert (n1.value, n1.reference, n1.ratio) == (960.0, 1000.0, 0.96)
    assert (n3.reason, n3.ratio) == ("failed", None)
    assert result.rules[0].text == "Throughput of nodes against baseline: ratio at least 0.95"


@pytest.mark.parametrize(("bound", "outcome"), [(0.94, "pass"), (0.9400001, "fail")])
def test_the_bound_itself_passes(bound: float, outcome: str):
    assert judged({"against": "baseline", "min_ratio": bound, "where": {"node": "n2"}}).outcome == outcome


def test_a_ratio_above_1_is_better_also_for_times():
    runs = [published_run(node=n, values={"step": t}) for n, t in (("reference", 1.0), ("n1", 0.5))]
    (cell,) = judged(BASELINE, runs=runs, metric="step_time").rules[0].cells
    assert cell.ratio == 2.0


def test_numbers_may_be_compared_with_a_value_in_its_unit():
    runs = [published_run(node="n1", values={"step": 0.25})]
    rule = {"against": 200, "unit": "ms", "min_ratio": 0.9}
    result = judged(
        rule, runs=runs, metric="step_time", compare={"kind": "ratio", "baseline": {"node": "n1"}}
    )
    (cell,) = result.rules[0].cells
    assert (cell.reference, cell.ratio, cell.outcome) == (0.2, 0.8, "fail")
    assert result.rules[0].text == "Step time of nodes against 200 ms: ratio at least 0.9"


def test_a_ratio_may_have_an_upper_bound():
    assert judged({"against": 900.0, "max_ratio": 1.05, "where": {"node": "n2"}}).outcome == "pass"
    assert judged({"against": 900.0, "max_ratio": 1.04, "where": {"node": "n2"}}).outcome == "fail"


@pytest.mark.parametrize(
    ("throughput", "bound", "shown"),
    [
        (949.6, {"min_ratio": 0.95}, "0.9496"), (950.4, {"min_ratio": 0.9503}, "0.9504"),
        (1050.4, {"max_ratio": 1.05}, "1.0504"), (950.0, {"min_ratio": 0.95}, "0.950"),
    ],
)  # fmt: skip
def test_a_ratio_is_shown_on_its_side_of_the_bound(throughput: float, bound: dict[str, float], shown: str):
    runs = [NODES[0], published_run(node="n1", throughput=throughput)]
    (line,) = lines(judged({"against": "baseline"} | bound, runs=runs))
    assert line.texts[4] == shown


def test_the_reference_itself_is_not_compared_with_its_expected_speed():
    fact = SpeedFact("n1", "reference", 0.95, {}, "vendor", "", "", "")
    facts = SpeedFacts({name: {"node": (name,)} for name in ("reference", "n1")}, (fact,))
    compare = {"kind": "expected", "baseline": {"node": "reference"}}
    rule = {"against": "expected", "min_ratio": 1}
    result = judged(rule, runs=NODES[:2], facts=facts, compare=compare)
    assert outcomes(result) == {"node=n1": "pass"}
    assert result.outcome == "pass"


@pytest.mark.parametrize("against", [math.nan, math.inf, 0.0])
def test_a_reference_is_a_number_above_0(against: float):
    with pytest.raises(InvalidTable, match="not a number above 0"):
        RuleTable("nodes", against, min_ratio=1)


def test_a_bound_is_a_finite_number():
    for bound in (math.nan, math.inf):
        with pytest.raises(RequestError, match="max_ratio: not a finite number"):
            judged({"against": 1.0, "max_ratio": bound})


@pytest.mark.parametrize(("against", "unit"), [(1e308, "h"), (5e-324, "ms")])
def test_a_reference_is_a_number_above_0_in_its_base_unit_too(against: float, unit: str):
    with pytest.raises(RequestError, match="against: not a number above 0 in s"):
        judged({"against": against, "unit": unit, "max_ratio": 1}, metric="step_time")


def test_a_ratio_that_is_not_a_number_is_not_evaluated():
    rule = {"against": 1e-200, "min_ratio": 1, "where": {"node": "n1"}}
    runs = [published_run(node=node, throughput=1e200) for node in ("reference", "n1")]
    assert outcomes(judged(rule, runs=runs)) == {"node=n1": "not evaluated"}


@pytest.mark.parametrize("node", ["n3", "n9"])
def test_a_node_without_a_number_or_a_log_is_not_evaluated_and_never_passes(node: str):
    result = judged(BASELINE | {"where": {"node": ["n1", node]}})
    assert outcomes(result) == {"node=n1": "pass", f"node={node}": "not evaluated"}
    assert result.outcome == "not evaluated"


def test_a_rule_without_a_cell_is_not_evaluated():
    assert judged(BASELINE, runs=NODES[:1]).outcome == "not evaluated"


def test_an_invalid_case_is_not_evaluated_although_it_has_a_number():
    invalid = Finding("invalid", Rule.RATE_DISAGREEMENT, "", "doubtful")
    runs = [NODES[0], replace(NODES[1], findings=(invalid,))]
    (cell,) = judged({"against": 1.0, "min_ratio": 0.95, "where": {"node": "n1"}}, runs=runs).rules[0].cells
    assert (cell.outcome, cell.reason) == ("not evaluated", "rate.disagreement: doubtful")


def test_an_invalid_finding_can_be_accepted_by_its_rule():
    invalid = Finding("invalid", Rule.RATE_DISAGREEMENT, "", "doubtful")
    runs = [NODES[0], replace(NODES[1], findings=(invalid,))]
    rule = {"against": 1.0, "min_ratio": 0.95, "where": {"node": "n1"}, "accept": ["rate.disagreement"]}
    assert judged(rule, runs=runs).outcome == "pass"


def test_a_case_without_a_comparable_baseline_is_not_evaluated():
    runs = [replace(NODES[0], status="failed", aggregates=()), NODES[1]]
    assert outcomes(judged(BASELINE | {"where": {"node": "n1"}}, runs=runs)) == {"node=n1": "not evaluated"}


@each_row(
    [
        ("all", ["n1", "n1"], "pass"),
        ("all", ["n1", "n2"], "fail"),
        ("all", ["n1", "n3"], "not evaluated"),
        ("all", ["n2", "n3"], "fail"),
        ("any_of", ["n1", "n2"], "pass"),
        ("any_of", ["n2", "n2"], "fail"),
        ("any_of", ["n2", "n3"], "not evaluated"),
        ("any_of", ["n1", "n3"], "pass"),
    ]
)
def test_rules_are_joined_by_all_or_any_of(key: str, nodes: list[str], outcome: str):
    assert judged(*(BASELINE | {"where": {"node": node}} for node in nodes), key=key).outcome == outcome


@pytest.mark.parametrize(
    ("rule", "error"),
    [
        ({"table": "node"}, 'acceptance.throughput.all[0].table: no table "node"; did you mean "nodes"?'),
        ({"metric": "thruput"}, 'acceptance.throughput.all[0].metric: table "nodes" has no metric "thruput"; did you mean'),
        ({"where": {"nod": 1}}, "acceptance.throughput.all[0].where.nod: is not in rows, columns or facets of the table"),
        ({"against": "expected"}, 'acceptance.throughput.all[0].against: table "nodes" has no expected speed; add compare'),
        ({"against": "base"}, 'acceptance.throughput.all[0].against: "base" is not known; did you mean "baseline"?'),
        ({"against": 5, "unit": "W"}, 'acceptance.throughput.all[0].unit: "W" is not a unit of throughput; its base unit'),
        ({"accept": ["rank"]}, 'acceptance.throughput.all[0].accept: "rank" does not keep a number from being accepted; did'),
        ({"min_ratio": 0}, "acceptance.throughput.all[0].min_ratio: 0 is out of range; use a number above 0"),
        ({"minratio": 1}, 'acceptance.throughput.all[0].minratio: no such key; did you mean "min_ratio"?'),
    ],
)  # fmt: skip
def test_a_wrong_rule_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rule: dict[str, Any], error: str
):
    write_cluster(tmp_path, **rule)
    monkeypatch.chdir(tmp_path)
    _, err = call("build", "reports", code=1)
    assert err.startswith(f"error  reports/cluster.toml:10: {error}")


def test_a_rule_needs_a_bound_and_an_entry_rules():
    with pytest.raises(RequestError, match="neither min_ratio nor max_ratio"):
        judged({"against": "baseline"})
    with pytest.raises(RequestError, match="neither all nor any_of"):
        judged()


SOURCE = """\
title = "Cluster"
tables = ["rates.csv"]
[factors]
node = "node"
[[metrics]]
column = "rate"
metric = "throughput"
unit = "samples/s"
"""
DEFINITION = """\
title = "Cluster"
logs = ["logs/cluster"]

[[tables]]
id = "nodes"
title = "Nodes"
rows = ["node"]
compare = { kind = "ratio", baseline = { node = "reference" } }

[[acceptance]]
id = "throughput"
title = "Every node reaches 95 % of the reference"
all = [{ RULE }]
"""


def write_cluster(root: Path, **rule: Any) -> None:
    keys = {"table": "nodes", "against": "baseline", "min_ratio": 0.95} | rule
    text = ", ".join(
        f"{name} = {json.dumps(value)}" if not isinstance(value, dict) else f"{name} = {{ nod = 1 }}"
        for name, value in keys.items()
    )
    files = {
        "logs/cluster/rates.csv": "node,rate\nreference,1000\nn1,960\nn2,940\n",
        "logs/cluster/source.toml": SOURCE,
        "reports/cluster.toml": DEFINITION.replace("RULE", text),
    }
    write_files(root, files)


def test_a_cluster_is_accepted_by_the_exit_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write_cluster(tmp_path)
    monkeypatch.chdir(tmp_path)
    _, err = call("build", "reports", code=6)
    assert "acceptance  cluster/throughput: fail" in err
    assert "  fail: Throughput of nodes against baseline: ratio at least 0.95: node=n2: ratio 0.940" in err
    call("check", "reports", code=6)
    log = tmp_path / "logs/cluster/rates.csv"
    log.write_text(log.read_text().replace("940", "955"))
    call("check", "reports", code=3)
    _, err = call("build", "reports")
    assert "acceptance  cluster/throughput: pass" in err
    call("check", "reports")


def test_every_output_has_the_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write_cluster(tmp_path)
    monkeypatch.chdir(tmp_path)
    out, _ = call("build", "reports", "--format", "json", code=6)
    folder = tmp_path / "reports/cluster"
    page = (folder / "README.md").read_text()
    assert "Acceptance fails: Every node reaches 95 % of the reference." in page
    row = "| Throughput of nodes against baseline: ratio at least 0.95 | node=n2 | 940.0 samples/s"
    assert f"{row} | 1,000 samples/s | 0.940 | **fail** |" in page
    html = (folder / "index.html").read_text()
    assert "<td>0.940</td><td><strong>fail</strong></td>" in html
    rows = list(csv.DictReader((folder / "acceptance.csv").open()))
    assert [(row["cell"], row["ratio"], row["result"]) for row in rows] == [
        ("node=n1", "0.96", "pass"),
        ("node=n2", "0.94", "fail"),
    ]
    (entry,) = json.loads((folder / "report.json").read_text())["acceptance"]
    assert (entry["id"], entry["outcome"]) == ("throughput", "fail")
    assert json.loads(out)["acceptance"]["cluster"][0]["outcome"] == "fail"


def test_a_report_without_rules_has_no_file_of_acceptance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write_cluster(tmp_path)
    monkeypatch.chdir(tmp_path)
    call("build", "reports", code=6)
    definition = tmp_path / "reports/cluster.toml"
    definition.write_text(definition.read_text().partition("\n[[acceptance]]")[0])
    out, _ = call("build", "reports")
    assert "removed  reports/cluster/acceptance.csv" in out
    assert "Acceptance" not in (tmp_path / "reports/cluster/README.md").read_text()


@pytest.mark.parametrize(("steps", "outcome"), [(1, "not evaluated"), (9, "not evaluated"), (10, "pass")])
def test_a_window_of_a_few_steps_is_not_accepted(steps: int, outcome: str) -> None:
    short = Protocol(f"0+{steps}x1", warmup=0, measure=steps, repeats=1)
    runs = [
        replace(run(series([0.1] * 20), samples_per_step=8.0), id=node, factors={"node": node})
        for node in ("reference", "n1")
    ]
    spec = replace(table_from_keys(table(), "x.toml: tables[0]"), protocol=short)
    entry = convert({"id": "a", "all": [{"table": "nodes"} | BASELINE]}, AcceptanceEntry, "x.toml")
    (result,) = judge(
        read_acceptance([entry], {"nodes": spec}, "x.toml"), {"nodes": build_tables(spec, runs, NO_FACTS)}
    )
    (cell,) = result.rules[0].cells
    assert cell.outcome == outcome
    if steps == 1:
        assert "protocol.short-window: 1 measured step under the protocol 0+1x1" in cell.reason
