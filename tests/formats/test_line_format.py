"""The engine of line formats, by formats made up for each test."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reportgen.core.model import Run, Series
from reportgen.formats.parsing.line_format import (
    LineFormat,
    Quantity,
    Setting,
    StepLine,
    by_rank,
    option,
    quantities,
)
from reportgen.formats.parsing.line_patterns import line_pattern
from reportgen.formats.parsing.run_builder import RunBuilder
from reportgen.formats.parsing.text_log import Records, TextLog
from reportgen.sources.logfiles import LogFiles

ROOT = Path(__file__).parents[2]
FACTORS: Mapping[str, str | int] = {"framework": "made-up", "item": "image"}


def read(
    log: str, template: str, *settings: Setting, line: Mapping[str, Any] | None = None, **format: Any
) -> Run:
    """Return the run of a log whose lines of steps begin with "step"."""
    step_line = StepLine(b"step", line_pattern(template), **(line or {}))
    made = LineFormat("made-up", "Made up.", (step_line,), FACTORS, settings, **format).format()
    (run,) = made.read(LogFiles.of({"x.log": log.encode()}).file("x.log"))
    assert isinstance(run, Run)
    return run


def only(run: Run, metric: str = "step_time", phase: str = "step") -> Series:
    (series,) = [one for one in run.series if (one.metric, one.phase) == (metric, phase)]
    return series


def rows(series: Series) -> list[tuple[int, int, float]]:
    """Return step, span and value of each entry."""
    return list(zip(series.step.tolist(), series.span.tolist(), series.value.tolist(), strict=True))


def test_groups_name_quantities_and_units() -> None:
    assert quantities(["step", "step_time_ms", "loss", "images_per_second", "memory_used_MiB"]) == (
        Quantity("step_time_ms", "step_time", divisor=1000.0),
        Quantity("images_per_second", "throughput", item="image"),
        Quantity("memory_used_MiB", "memory_used", divisor=2.0**-20),
    )
    assert quantities(["tokens_per_second_per_device"]) == (
        Quantity("tokens_per_second_per_device", "throughput_per_device", item="token"),
    )
    assert quantities(["step_time_hours", "memory_used_blocks", "per_second"]) == ()


def test_steps_per_second_are_step_times_unless_those_are_printed() -> None:
    assert [one.metric for one in quantities(["steps_per_second"])] == ["step_time"]
    assert [one.group for one in quantities(["steps_per_second", "step_time_s"])] == ["step_time_s"]
    assert rows(
        only(read("step 10 at 4 it/s\nstep 20 at 0 it/s", "step {step:int} at {steps_per_second} it/s"))
    )[0] == (10, 10, 2.5)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ({}, [(10, 10, 5.0), (20, 10, 6.0)]),
        ({"is_single": True}, [(10, 1, 0.5), (20, 1, 0.6)]),
        ({"window": 4}, [(10, 4, 2.0), (20, 4, 2.4)]),
        ({"first": 0}, [(11, 10, 5.0), (21, 10, 6.0)]),
        ({"first": None}, [(10, 10, 5.0), (20, 10, 6.0)]),
    ],
)
def test_a_time_is_that_of_the_interval_the_step_or_the_window(
    line: Mapping[str, Any], expected: list[tuple[int, int, float]]
) -> None:
    run = read("step 10 500 ms\nstep 20 600 ms\n", "step {step:int} {step_time_ms} ms", line=line)
    assert rows(only(run)) == [pytest.approx(row) for row in expected]


def test_a_line_can_print_where_its_interval_begins_or_its_length() -> None:
    since = read("step 5-15: 2 s\nstep 15-20: 3 s\n", "step {since:int}-{step:int}: {step_time_s} s")
    assert rows(only(since)) == [(15, 10, 20.0), (20, 5, 15.0)]
    span = read("step 15 of 10: 2 s\nstep 20 of 5: 3 s\n", "step {step:int} of {span:int}: {step_time_s} s")
    assert rows(only(span)) == [(15, 10, 20.0), (20, 5, 15.0)]


def test_steps_continue_over_epochs_of_printed_or_of_seen_length() -> None:
    log = "".join(f"step {epoch}: {step}/30 1 s\n" for epoch in (3, 4) for step in (10, 20))
    printed = only(read(log, "step {epoch:int}: {step:int}/{steps_per_epoch:int} {step_time_s} s"))
    assert (printed.step.tolist(), [one.step for one in printed.breaks]) == ([10, 20, 40, 50], [30])
    seen = only(read(log, "step {epoch:int}: {step:int}/{:int} {step_time_s} s"))
    assert (seen.step.tolist(), [one.step for one in seen.breaks]) == ([10, 20, 30, 40], [20])


def test_a_step_that_is_printed_again_counts_once() -> None:
    assert rows(only(read("step 1 1 s\nstep 1 9 s\nstep 2 1 s\n", "step {step:int} {step_time_s} s"))) == [
        (1, 1, 1.0),
        (2, 1, 1.0),
    ]


def test_dates_before_the_record_give_step_times() -> None:
    log = "2026-01-02 10:00:00 step 10\n2026-01-02 10:00:05 step 20\n"
    run = read(log, "step {step:int}", line={"is_dated": True})
    assert (only(run).clock, rows(only(run))) == ("timestamp", [(20, 10, 5.0)])


def test_a_rate_per_device_becomes_a_total_rate_if_devices_are_printed() -> None:
    template, setting = (
        "step {step:int} {images_per_second_per_device}",
        Setting(b"x", line_pattern("x{devices:int}")),
    )
    alone, known = read("step 1 10\n", template, setting), read("x4\nstep 1 10\n", template, setting)
    assert {one.metric: one.value.tolist() for one in alone.series} == {"throughput_per_device": [10.0]}
    assert {one.metric: one.value.tolist() for one in known.series} == {
        "throughput_per_device": [10.0],
        "throughput": [40.0],
    }


def test_a_batch_that_lines_print_is_the_work_of_their_steps() -> None:
    run = read("step 10 8 1 s\nstep 20 16 1 s\n", "step {step:int} {global_batch_size:int} {step_time_s} s")
    assert only(run).samples.tolist() == [80, 160]
    assert run.samples_per_step is None


def test_settings_are_factors_and_the_first_of_a_name_counts() -> None:
    log = "batch 1,024 on 8\nworld 4\nmode 1\nstep 1 1 s\n"
    run = read(
        log,
        "step {step:int} {step_time_s} s",
        Setting(b"batch", line_pattern("batch {global_batch_size:commas} on {devices:int}")),
        Setting(b"world", line_pattern("world {devices:int}")),
        Setting(b"mode", re.compile(rb"mode (?P<precision>[0-9])"), {b"1": "amp", b"0": "fp32"}),
    )
    assert run.factors == {**FACTORS, "batch_size": 128, "devices": 8, "precision": "amp"}
    assert run.samples_per_step == 1024


def test_tokens_have_no_samples_by_the_batch() -> None:
    batch = Setting(b"batch", line_pattern("batch {global_batch_size:int}"))
    run = read("batch 8\nstep 1 9 tok/s\n", "step {step:int} {tokens_per_second} tok/s", batch,
               line={"factors": {"item": "token"}})  # fmt: skip
    assert (run.samples_per_step, run.factors["item"]) == (None, "token")


def test_an_argument_dump_has_counts_and_named_values() -> None:
    log = "  layers .......... 24\n  dtype ....... torch.half\n  heads ....... many\nstep 1 1 s\n"
    settings = (
        option("layers", "layers"),
        option("dtype", "precision", {b"torch.half": "fp16"}),
        option("heads", "heads"),
    )
    assert read(log, "step {step:int} {step_time_s} s", *settings).factors == {
        **FACTORS,
        "layers": 24,
        "precision": "fp16",
    }


def test_devices_of_all_nodes_follow_from_those_of_each() -> None:
    run = read("nodes = 2\nper_node = 4\nstep 1 1 s\n", "step {step:int} {step_time_s} s",
               printed={"nodes": "nodes", "per_node": "devices_per_node"})  # fmt: skip
    assert run.factors == {**FACTORS, "nodes": 2, "devices": 8}


def test_a_log_that_ends_before_the_planned_steps_is_partial() -> None:
    run = read("step 1/3 1 s\nstep 2/3 1 s\n", "step {step:int}/{planned_steps:int} {step_time_s} s")
    assert (run.status, [one.message for one in run.findings]) == ("partial", ["the log ends at step 2 of 3"])


def test_damaged_lines_are_reported_and_another_kind_of_line_is_tried() -> None:
    run = read("step 1 1 s\nstep 2 ? s\n", "step {step:int} {step_time_s} s", line={"damage": "no step"})
    assert [(one.message, one.source.line) for one in run.findings if one.source] == [("no step", 2)]
    lines = (
        StepLine(b"old", line_pattern("old {step:int}")),
        StepLine(b"new", line_pattern("new {step:int} {step_time_s}")),
    )
    made = LineFormat("made-up", "Made up.", lines).format()
    (newer,) = made.read(LogFiles.of({"x.log": b"old\nnew 1 2.5\n"}).file("x.log"))
    assert isinstance(newer, Run)
    assert rows(only(newer)) == [(1, 1, 2.5)]
    assert made.marks == (b"old", b"new")


def test_each_rank_has_its_own_records_and_series() -> None:
    log = TextLog(LogFiles.of({"x.log": b"a\nb\nc\nd\n"}).file("x.log"))
    run = RunBuilder(log, "made-up", np.array([1, 1, 2, 2]), np.array([1, 2, 3, 4]))
    for at in by_rank(run, np.array([1, 0, 0, 0])):
        run.add("step_time", np.array([1.0, 2.0, 3.0, 4.0])[at], "host")
    assert [(one.rank, rows(one)) for one in run.series] == [
        (0, [(1, 1, 2.0), (2, 1, 3.0)]),
        (1, [(1, 1, 1.0)]),
    ]
    assert run.step.tolist() == [1, 1, 2, 2]
    assert list(by_rank(run, np.zeros(0, dtype=np.int64))) == []


def test_records_can_be_prepared_before_they_are_numbered() -> None:
    def doubled(records: Records) -> Records:
        steps = tuple(b"%d" % (2 * step) for step in records.integers("step").tolist())
        return Records(records.begin, records.end, records.line, {"step": steps, "step_time_s": steps})

    run = read("step 1\nstep 2\n", "step {step:int}", line={"prepare": doubled})
    assert rows(only(run)) == [(2, 2, 4.0), (4, 2, 8.0)]


def test_the_guide_shows_a_real_format() -> None:
    guide = (ROOT / "docs/developers/add-a-trainer.md").read_text("utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    assert code == (ROOT / "reportgen/formats/trainers/nanogpt.py").read_text("utf-8")
