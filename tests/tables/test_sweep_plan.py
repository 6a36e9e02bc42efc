"""The sweep that would settle undecided comparisons, read back by the collectors."""

import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest

from collectors.workloads.sweep import make_sweep, read_sweep_file
from reportgen.core.model import Run
from reportgen.tables.assemble import build_tables
from reportgen.tables.expected import NO_FACTS
from reportgen.tables.results import Table
from reportgen.tables.spec import CompareSpec
from reportgen.tables.sweep_plan import comparisons_of, open_comparisons, plan_sweep
from tests.builders import run, series, table_spec

BENCH = "python -m collectors bench matmul --precision {} --matrix-size 64 --steps 120 --device cpu --threads 1 --here"


def runs(precision: str, seconds: tuple[float, ...], start: float, command: str = BENCH) -> list[Run]:
    """Return one run for each step time, 1,000 s apart."""
    return [
        run(
            series([each] * 150),
            id=f"{precision}{n}",
            factors={"precision": precision},
            started=start + 1000 * n,
            command=command.format(precision),
        )
        for n, each in enumerate(seconds)
    ]


def table(*members: list[Run]) -> Table:
    compare = CompareSpec("ratio", {"precision": "fp32"})
    spec = table_spec(rows=("precision",), metrics=("step_time",), compare=compare)
    (made,) = build_tables(spec, [each for side in members for each in side], NO_FACTS)
    return made


FP32 = runs("fp32", (1.0, 1.1, 0.9), 0)
BF16 = runs("bf16", (0.95, 1.05, 0.9), 10_000)


def test_a_sweep_repeats_both_cases_of_an_undecided_comparison(tmp_path: Path) -> None:
    """Each run takes 150 steps of about 1 s, so seven rounds of two runs take 7 x (150 + 142.5) s = 34 minutes."""
    plan = plan_sweep(open_comparisons(comparisons_of([table(FP32, BF16)])))
    assert plan.comparisons == ("precision=bf16 against precision=fp32",)
    assert plan.summary == "1 comparison: 7 rounds of 2 cases, 14 runs, about 34 minutes"
    file = tmp_path / "plan.toml"
    file.write_text(plan.toml("logs/plan", "reportgen plan study"))
    campaign = make_sweep(read_sweep_file(file), seed=1).campaign
    assert (campaign.logs, campaign.repeats, campaign.order) == (Path("logs/plan"), 7, "random")
    assert tomllib.loads(file.read_text())["compare"] == [
        {"case": 1, "baseline": 0, "metric": "step_time", "phase": "step"}
    ]
    written = [shlex.join(job.command).partition(" -m ")[2] for job in campaign.jobs]
    assert written == [BENCH.format(each).partition(" -m ")[2] for each in ("fp32", "bf16")]


def test_a_decided_comparison_is_not_planned() -> None:
    rounds = [runs(name, (value,) * 6, at) for name, value, at in (("fp32", 1.0, 0), ("bf16", 0.5, 500))]
    assert open_comparisons(comparisons_of([table(*rounds)])) == []


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("", "no log says that a workload of the collectors made both"),
        ("python train.py --precision {}", "no log says that a workload of the collectors made both"),
        (BENCH.format("fp32"), "one command made both, so what differs is not an option of it"),
    ],
)
def test_a_sweep_that_cannot_run_says_why(command: str, reason: str) -> None:
    made = table(runs("fp32", (1.0, 1.1, 0.9), 0, command), runs("bf16", (0.95, 1.0, 0.9), 10_000, command))
    plan = plan_sweep(open_comparisons(comparisons_of([made])))
    assert plan.unplanned == (f"precision=bf16 against precision=fp32: {reason}",)
    assert plan.workloads == ()
    assert not any("reportgen plan" in text for text in made.caption)


def test_a_caption_names_the_command_where_a_sweep_would_settle_something() -> None:
    sentence = "`reportgen plan` writes the runs that would settle undecided comparisons."
    assert sentence in table(FP32, BF16).caption


def test_as_many_rounds_are_planned_as_the_comparison_needs_that_needs_most() -> None:
    """Seven rounds in turns that differ by -5 to 5 %: some hundred would show 1 %."""
    noise = (0.95, 1.05, 0.97, 1.04, 0.96, 1.02, 1.01)
    made = table(runs("fp32", (1.0,) * 7, 0), runs("bf16", noise, 500))
    (comparison,) = open_comparisons(comparisons_of([made]))
    assert comparison.verdict is not None
    assert plan_sweep([comparison]).rounds == 7 + comparison.verdict.more > 50
    assert plan_sweep([comparison], 12).rounds == 12


@pytest.mark.parametrize("hostile", ['"\nseed = 1\n', "a\\b\x7f", "é"])
def test_a_value_of_a_log_is_one_value_of_the_file(hostile: str) -> None:
    command = f"python -m collectors bench roberta-base --data {shlex.quote(hostile)} --precision {{}}"
    sides: list[Any] = [
        runs(name, (1.0, 1.1, 0.9), at, command) for name, at in (("fp32", 0), ("bf16", 9999))
    ]
    plan = plan_sweep(open_comparisons(comparisons_of([table(*sides)])))
    content = tomllib.loads(plan.toml("logs/plan", "reportgen plan\nx = 1"))
    assert set(content) == {"logs", "repeats", "cool_down", "workloads", "compare"}
    assert content["workloads"][0] == {"name": "roberta-base", "data": hostile, "precision": "fp32"}
