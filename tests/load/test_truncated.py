"""Logs above the size limit: head and tail are read, line numbers after the gap are unknown, a finding says so."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from reportgen.load import load_runs
from reportgen.protocol import Protocol, measure_run
from reportgen.sources import logfiles
from reportgen.sources.logfiles import HEAD
from tests.builders import native_files, write_files

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


def test_a_truncated_log_gives_the_same_measurement(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (whole,) = load_runs(["."], root=folder).runs
    monkeypatch.setattr(logfiles, "WHOLE", 30000)
    monkeypatch.setattr(logfiles, "TAIL", 1000)
    (part,) = load_runs(["."], root=folder).runs
    values = [measure_run(run, "throughput", "step", Protocol()) for run in (whole, part)]
    assert values[0].value == values[1].value == 64.0
    assert (whole.status, part.status) == ("complete", "complete")
    assert [one.rule for one in part.findings] == ["read.large-file"]
    assert len(part.series[0].step) < len(whole.series[0].step)


def test_line_numbers_after_the_gap_are_unknown(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logfiles, "WHOLE", 30000)
    monkeypatch.setattr(logfiles, "TAIL", 1000)
    (run,) = load_runs(["."], root=folder).runs
    lines = LOG.splitlines()
    for series in run.series:
        assert series.line[-1] == 0
        for number, line in zip(series.step.tolist(), series.line.tolist(), strict=True):
            assert line == 0 or f"Iteration: {number} " in lines[line - 1]
    assert [one.source.line for one in run.aggregates] == [0]


def test_a_long_output_says_nothing_about_a_run_that_recorded_its_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logfiles, "WHOLE", 30000)
    monkeypatch.setattr(logfiles, "TAIL", 1000)
    files = native_files(1, *range(1000, 1130)) | {"stdout.log": "loss 0.5\n" * 9000}
    write_files(tmp_path, {f"r1/{name}": text for name, text in files.items()})
    (run,) = load_runs(["."], root=tmp_path).runs
    assert [finding.rule for finding in run.findings] == []


def test_a_log_that_starts_late_is_recognised_by_its_end(folder: Path) -> None:
    (folder / "long.log").write_text("chatter of a container\n" * (HEAD // 20) + LOG)
    (run,) = load_runs(["."], root=folder).runs
    assert (run.format, run.status) == ("dllogger", "complete")
    assert run.series[0].line[0] == HEAD // 20 + 3


# The command line, and then the most memory of this program alone: what ru_maxrss says began with its parent.
LISTING = """
import sys
from pathlib import Path
from reportgen.cli.program import app
app(["runs", "long.log", "--format", "json"], standalone_mode=False)
status = Path("/proc/self/status").read_text()
print(status.partition("VmHWM:")[2].split()[0], file=sys.stderr)
"""


def test_two_gigabytes_are_read_in_bounded_time_and_memory(folder: Path) -> None:
    """The middle is a hole of the file, which costs no disk and is read as zeros."""
    head, tail = HEADER + "".join(map(step, range(1, 2000))), step(2001) + FINAL
    with (folder / "long.log").open("wb") as file:
        file.write(head.encode())
        file.truncate(2**31)
        file.seek(0, os.SEEK_END)
        file.write(b"\n" + tail.encode())
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", LISTING],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    (run,) = json.loads(done.stdout)["runs"]
    assert (run["format"], run["status"]) == ("dllogger", "complete")
    assert run["steps"] == {"count": 2000, "first": 1, "last": 2001}
    assert "read.large-file" in {finding["rule"] for finding in run["findings"]}
    assert {one["metric"]: one["value"] for one in run["measurements"]}["throughput"] == 64
    assert int(done.stderr.split()[-1]) < 300 * 1024
