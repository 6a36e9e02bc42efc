"""The command plan: from an undecided comparison to a file for the collectors."""

import tomllib
from pathlib import Path

import pytest

from tests.builders import run_folder, write_files
from tests.cli.calling import call, error_of

DEFINITION = """\
title = "Precisions"
logs = ["logs"]

[[tables]]
id = "steps"
metric = "step_time"
rows = ["precision"]
protocol = "2+10x3"
compare = { kind = "ratio", baseline = { precision = "fp32" } }
show = ["value", "ratio"]
"""


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A report on two precisions of a workload, and a third one of another program, three runs each."""
    for precision in ("fp32", "bf16", "int8"):
        program = "train.py" if precision == "int8" else "-m collectors bench matmul"
        command = (
            f"python {program} --precision {precision} --steps 12 --device cpu --threads 1 --here".split()
        )
        for repeat in (1, 2, 3):
            path = f"logs/{precision}/r{repeat}"
            case = {"precision": precision}
            write_files(tmp_path, run_folder(path, 0.1, case=case, repeat=repeat, command=command))
    write_files(tmp_path, {"reports/study.toml": DEFINITION})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_undecided_comparisons_become_a_sweep(repository: Path) -> None:
    out, err = call("plan", "study/steps", "--write", "plan.toml", "--logs", "logs/again")
    assert out == ""
    assert err.splitlines() == [
        "not planned: precision=int8 against precision=fp32: no log says that a workload of the collectors made both",
        "1 comparison: 7 rounds of 2 cases, 14 runs, about 17 seconds",
    ]
    content = tomllib.loads((repository / "plan.toml").read_text("utf-8"))
    options = {"name": "matmul", "steps": 12, "device": "cpu", "threads": 1}
    assert content == {
        "logs": "logs/again",
        "repeats": 7,
        "cool_down": "1m",
        "workloads": [{**options, "precision": each} for each in ("fp32", "bf16")],
        "compare": [{"baseline": 0, "case": 1, "metric": "step_time", "phase": "step"}],
    }
    assert error_of("plan", "study", "--write", "plan.toml") == "plan.toml: exists already; name another file"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["study/stepz"], 'study: no table "stepz"; did you mean "steps"?'),
        (["study/steps", "fp32", "value"], "study/steps: the cell compares no speeds; name a ratio"),
        (
            ["study/steps", "int8", "ratio"],
            "study/steps: nothing can be planned: precision=int8 against precision=fp32: no log says that a workload "
            "of the collectors made both; run both in turns: python -m collectors run --repeats 7 --against 'OLD' -- NEW",
        ),
    ],
)
def test_what_cannot_be_planned_is_an_error(repository: Path, arguments: list[str], error: str) -> None:
    assert error_of("plan", *arguments) == error


def test_one_cell_is_planned_as_it_is(repository: Path) -> None:
    out, _ = call("plan", "study/steps", "bf16", "ratio", "--rounds", "12")
    assert out.startswith("# Written by `reportgen plan study/steps bf16 ratio`, to settle:\n")
    assert tomllib.loads(out)["repeats"] == 12
