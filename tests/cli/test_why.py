"""The command why: the chain from a cell to the lines of the logs, and the parts of a difference."""

import json
from pathlib import Path

import pytest

from tests.builders import write_files
from tests.cli.calling import call, error_of

FILES = {
    "logs/steps/source.toml": """\
title = "Steps"
tables = ["steps.csv"]
[factors]
gpu = "gpu"
model = "model"
[tokens]
missing = [""]
[[metrics]]
column = "loading"
metric = "step_time"
phase = "data_loading"
unit = "s"
[[metrics]]
column = "forward"
metric = "step_time"
phase = "forward"
unit = "s"
""",
    "logs/steps/steps.csv": "gpu,model,loading,forward\nA,x,0.5,0.5\nB,x,3.5,1.5\nC,x,,4\n",
    "reports/gpus.toml": """\
title = "GPUs"
logs = ["logs/steps"]

[[tables]]
id = "steps"
metric = "step_time"
phase = ["forward", "whole"]
totals = { whole = ["data_loading", "forward"] }
rows = ["gpu"]
columns = ["phase"]
compare = { kind = "expected", baseline = { gpu = "A" } }
show = ["value", "observed"]
""",
}
SPLIT = """\
difference: 4.00 s more per step: data loading 75 %, forward 25 %
  part          share                            s per step  case   baseline  source
  data loading  75 %   ########################  3.000       3.500  0.5000    logs/steps/steps.csv:3, logs/steps/steps.csv:2
  forward       25 %   ########                  1.000       1.500  0.5000    logs/steps/steps.csv:3, logs/steps/steps.csv:2
  all           100 %                            4.000       5.000  1.000

not measured
  stragglers     phases are not timed on each rank
  clocks         the SM clock is not logged on both sides
  communication  not timed on either side
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_files(tmp_path, FILES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_difference_is_split_into_parts_that_add_up(here: Path) -> None:
    out = call("why", "gpus/steps", "B", "whole, slowdown")[0]
    assert out.endswith(SPLIT)
    assert "formula     slowdown = case / baseline = 5 s / 1 s = 5\n" in out
    assert "  total of          data_loading + forward\n" in out


SYSTEMS = """\
[systems]
A = { gpu = "A" }
B = { gpu = "B" }
"""
FACT = """\
[[fact]]
of = "B"
to = "A"
speed = SPEED
source = "source of SPEED"
"""


def test_each_path_of_facts_has_its_own_product_and_one_line_combines_them(here: Path) -> None:
    facts = [FACT.replace("SPEED", speed) for speed in ("2.0", "3.0")]
    (here / "reports/expected.toml").write_text(SYSTEMS + "".join(facts))
    out = call("why", "gpus/steps", "B", "forward, slowdown")[0]
    assert [
        line.removeprefix("  formula     ") for line in out.splitlines() if " expected speed = " in line
    ] == [
        "expected speed = 2 (B : A) = 2",
        "expected speed = 3 (B : A) = 3",
        "expected speed = geometric mean of the 2 paths = 2.44949 (2 to 3)",
        "slowdown vs expected = slowdown x expected speed = 3 x 2.44949 = 7.34847",
    ]


def test_a_cell_without_comparison_has_the_chain_alone(here: Path) -> None:
    out = call("why", "gpus/steps", "A", "forward")[0]
    assert "steps.csv#1  500" in out
    assert "logs/steps/steps.csv:2" in out
    assert "baseline" not in out
    assert "difference" not in out


def test_an_empty_cell_says_what_its_case_lacks(here: Path) -> None:
    out = call("why", "gpus/steps", "C", "whole, slowdown")[0]
    assert "slowdown  -\n" in out
    assert "note      whole is forward here, but data_loading + forward in the baseline\n" in out


def test_json_has_the_cell_its_cases_and_the_parts(here: Path) -> None:
    document = json.loads(call("why", "gpus/steps", "B", "whole, slowdown", "--format", "json")[0])
    assert (document["report"], document["table"], document["cell"]["value"]) == ("gpus", "steps", 5.0)
    assert [case["factors"]["gpu"] for case in document["cases"]] == ["B", "A"]
    breakdown = document["comparison"]["breakdown"]
    assert breakdown["seconds"] == 4.0
    assert {part["name"]: part.get("share") for part in breakdown["parts"]} == {
        "data_loading": 0.75,
        "forward": 0.25,
        "stragglers": None,
        "clocks": None,
        "communication": None,
    }


def test_markdown_is_one_table_for_each_section(here: Path) -> None:
    out = call("why", "gpus/steps", "B", "whole, slowdown", "--format", "markdown")[0]
    assert "## difference: 4.00 s more per step: data loading 75 %, forward 25 %\n" in out
    assert "| forward | 25 % | ######## | 1.000 | 1.500 | 0.5000 |" in out


def test_nothing_is_written(here: Path) -> None:
    before = sorted(here.rglob("*"))
    call("why", "gpus/steps", "B", "forward")
    assert sorted(here.rglob("*")) == before


def test_a_wrong_report_names_the_nearest(here: Path) -> None:
    assert error_of("why", "gpu/steps") == 'reports: no report "gpu"; did you mean "gpus"?'


@pytest.mark.parametrize("command", ["why", "history"])
def test_a_table_is_named_with_its_report(here: Path, command: str) -> None:
    assert error_of(command, "gpus") == "gpus: is not REPORT/TABLE; write it as gpus/TABLE"
