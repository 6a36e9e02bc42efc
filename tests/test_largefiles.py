"""Logs above the bound: the begin and the end are read, lines behind the gap are unknown, and it is said."""

from pathlib import Path

import pytest

from reportgen import views
from reportgen.load import load
from reportgen.logfiles import HEAD
from reportgen.protocol import Protocol, measure

HEADER = "DLL 2021-06-03 08:00:00.000000 - PARAMETER arch : resnet50  batch_size : 64  world_size : 1\n"
FINAL = "DLL 2021-06-03 09:00:00.000000 - Summary: train.total_ips : 64.0 images/s\n"


def step(number: int) -> str:
    clock = f"08:{number // 60:02d}:{number % 60:02d}.500000"
    return f"DLL 2021-06-03 {clock} - Epoch: 0 Iteration: {number}  train.total_ips : 64.0 images/s\n"


LOG = HEADER + "".join(map(step, range(1, 2000))) + FINAL


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "long.log").write_text(LOG)
    return tmp_path


def test_a_large_log_is_measured_like_the_whole_of_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (whole,) = load(["."], root=folder).runs
    monkeypatch.setattr(views, "WHOLE", 30000)
    monkeypatch.setattr(views, "TAIL", 1000)
    (part,) = load(["."], root=folder).runs
    values = [measure(run, "throughput", "step", Protocol()) for run in (whole, part)]
    assert values[0].value == values[1].value == 64.0
    assert (whole.status, part.status) == ("complete", "complete")
    assert [one.rule for one in part.findings] == ["read.large-file"]
    assert len(part.series[0].step) < len(whole.series[0].step)


def test_lines_behind_the_gap_are_unknown(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "WHOLE", 30000)
    monkeypatch.setattr(views, "TAIL", 1000)
    (run,) = load(["."], root=folder).runs
    lines = LOG.splitlines()
    for series in run.series:
        assert series.line[-1] == 0
        for number, line in zip(series.step.tolist(), series.line.tolist(), strict=True):
            assert line == 0 or f"Iteration: {number} " in lines[line - 1]
    assert [one.source.line for one in run.aggregates] == [0]


def test_a_log_that_begins_late_is_known_by_its_end(folder: Path) -> None:
    (folder / "long.log").write_text("chatter of a container\n" * (HEAD // 20) + LOG)
    (run,) = load(["."], root=folder).runs
    assert (run.format, run.status) == ("dllogger", "complete")
    assert run.series[0].line[0] == HEAD // 20 + 3
