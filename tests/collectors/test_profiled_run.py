"""`run --nsys N` and `--torch-profiler N`: one more run whose kernels belong to phases, and which is not a repeat."""

import json
import os
import subprocess
import sys

import pytest

from collectors.__main__ import main
from collectors.format_v1.kernels_file import Kernel, PhaseSpan, write_kernels
from collectors.launcher import nsys
from reportgen.load import load_runs
from tests.collectors.nsys_standin import install
from tests.conftest import ROOT

LOOP = """
from collectors import Recorder
recorder = Recorder.start(samples_per_step=4)
forward, backward = recorder.phase("forward"), recorder.phase("backward")
for _ in recorder.steps(40):
    with forward:
        torch.launch("gemm<float, 4>", 300)
        torch.launch("relu", 100)
    with backward:
        torch.launch("gemm_backward", 500)
    torch.launch("memset", 7)
recorder.close()
"""


def run(folder, *options, python=sys.executable, **variables):
    line = [sys.executable, "-m", "collectors", "run", "--logs", "logs", "--case", "model=x", *options, "--"]
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", **variables}
    done = subprocess.run(
        [*line, python, "train.py"], cwd=folder, env=environ, capture_output=True, text=True, check=False,
        timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_kernels_belong_to_the_innermost_phase_in_which_they_were_launched(tmp_path):
    spans = [PhaseSpan("step", 0, 100), PhaseSpan("forward", 10, 50), PhaseSpan("backward", 60, 90)]
    kernels = [
        Kernel("a", 20, 5),
        Kernel("a", 50, 6),
        Kernel("a", 55, 1),
        Kernel("b,\nc", 61, 9),
        Kernel("d", 200, 2),
    ]
    write_kernels(tmp_path, 3, spans, kernels, "device")
    assert (tmp_path / "kernels.rank3.csv").read_text() == (
        "phase,count,device_ns,name\n,1,2,d\nbackward,1,9,b, c\nforward,2,11,a\nstep,1,1,a\n"
    )


def test_nsys_captures_the_measured_steps_and_the_report_names_the_kernels(tmp_path):
    (tmp_path / "train.py").write_text("import torch\n" + LOOP)
    variables = install(tmp_path)
    messages = run(tmp_path, "--repeats", "2", "--nsys", "10", **variables)
    case = tmp_path / "logs" / "model=x"
    assert sorted(path.name for path in case.iterdir()) == ["nsys1", "r1", "r2"]
    assert "[profile]" in messages
    assert sorted(path.name for path in (case / "nsys1").iterdir() if "environment" not in path.name) == [
        "kernels.rank0.csv", "profile.nsys-rep", "run.json", "steps.rank0.csv",
    ]  # fmt: skip
    record = json.loads((case / "nsys1" / "run.json").read_text())
    assert record["profiler"] == {"name": "nsys", "steps": 10}
    assert record["recorder"]["profiled_steps"] == 10
    assert "repeat" not in record
    assert record["command"][-1] == "train.py"
    assert "nsys" not in " ".join(record["command"])
    assert (case / "nsys1" / "kernels.rank0.csv").read_text() == (
        "phase,count,device_ns,name\n,10,70,memset\nbackward,10,5000,gemm_backward\n"
        "forward,10,3000,gemm<float, 4>\nforward,10,1000,relu\n"
    )
    runs = load_runs([tmp_path / "logs"], root=tmp_path).runs
    assert [run.profiler for run in runs] == ["nsys", "", ""]
    assert [each.message for each in runs[0].findings if each.rule == "read.profile"] == [
        "outside of phases: 1 kernel, 7.00 ns a step: memset 100 %",
        "backward: 1 kernel, 500 ns a step: gemm_backward 100 %",
        "forward: 2 kernels, 400 ns a step: gemm<float, 4> 75 %, relu 25 %",
    ]
    # A profile that exists is not made again, and is not a repeat for the launcher.
    messages = run(tmp_path, "--repeats", "2", "--nsys", "10", **variables)
    assert "2 complete, 0 to run" in messages
    assert "has a complete profile of nsys" in messages


def test_without_nsys_nothing_is_run(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["run", "--logs", str(tmp_path / "logs"), "--nsys", "5", "--", "true"]) == 2
    assert "no nsys in PATH; install NVIDIA Nsight Systems, or use --torch-profiler" in capfd.readouterr().err
    assert not (tmp_path / "logs").exists()


@pytest.mark.slow
def test_the_profiler_of_torch_names_the_operators_of_a_phase(tmp_path, warm_torch):
    (tmp_path / "train.py").write_text(
        "import torch\nfrom types import SimpleNamespace\nfrom collectors import Recorder\n"
        "torch.set_num_threads(1)\nlayer = torch.nn.Linear(64, 64)\nrecorder = Recorder.start()\n"
        "forward, backward = recorder.phase('forward'), recorder.phase('backward')\n"
        "for batch in recorder.steps([torch.ones(32, 64)] * 30):\n"
        "    with forward:\n        loss = layer(batch).sum()\n"
        "    with backward:\n        loss.backward()\n"
    )
    messages = run(tmp_path, "--torch-profiler", "50", python=warm_torch)
    folder = tmp_path / "logs" / "model=x" / "torch-profiler1"
    header, *rows = (folder / "kernels.rank0.csv").read_text().splitlines()
    assert header == "phase,count,host_ns,name"
    cells = [row.split(",", 3) for row in rows]
    counts = {(phase, name): int(count) for phase, count, _, name in cells}
    assert counts["forward", "aten::addmm"] == 10  # the loop ended before 50 steps
    assert counts["backward", "aten::mm"] == 10
    assert ("forward", "aten::mm") not in counts
    record = json.loads((folder / "run.json").read_text())
    assert (record["status"], record["recorder"]["profiled_steps"]) == ("complete", 10)
    assert "[profile]" in messages


def test_an_export_that_fails_is_named_by_the_last_line_of_nsys(tmp_path, monkeypatch, capsys):
    program = tmp_path / "nsys"
    program.write_text("#!/bin/sh\necho Importer error status >&2\necho no importer >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(nsys, "find", lambda: str(program))
    nsys.read_report(tmp_path)
    report = tmp_path / "profile.nsys-rep"
    assert capsys.readouterr().err == (
        f"reportgen: {report}: the kernels could not be read: nsys export: no importer\n"
    )
