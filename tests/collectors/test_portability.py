"""The collectors need Python 3.9 and the standard library, and work from a copied folder."""

import ast
import shutil
import subprocess
import sys

from tests.conftest import ROOT


def test_syntax_is_valid_in_python_3_9():
    for path in (ROOT / "collectors").rglob("*.py"):
        ast.parse(path.read_text(encoding="utf-8"), filename=str(path), feature_version=(3, 9))


def test_a_copied_folder_works(tmp_path, python39):
    ignored = shutil.ignore_patterns("__pycache__", "workloads")
    shutil.copytree(ROOT / "collectors", tmp_path / "collectors", ignore=ignored)
    (tmp_path / "train.py").write_text(
        "from collectors import Recorder\n"
        "recorder = Recorder.start()\nfor batch in recorder.steps([1, 2]): print(batch)\n"
    )
    python = python39 or sys.executable
    environ = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(tmp_path)}
    for command in (["env"], ["run", "--logs", "logs", "--", python, "-S", "train.py"], ["--help"]):
        line = [python, "-S", "-m", "collectors", *command]
        done = subprocess.run(line, cwd=tmp_path, env=environ, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
    assert (tmp_path / "logs" / "unnamed" / "r1" / "steps.rank0.csv").exists()


def test_the_cost_benchmark_runs():
    script = ROOT / "benchmarks" / "recorder_cost.py"
    line = [sys.executable, str(script), "--steps", "10", "--repeats", "3", "--seconds", "0.5"]
    done = subprocess.run(line, capture_output=True, check=True, text=True)
    assert "step and four phases" in done.stdout
    assert "training thread  writing thread" in done.stdout
    assert "step only, during a flush" in done.stdout


def test_the_comparison_benchmark_runs():
    script = ROOT / "benchmarks" / "collector_overhead.py"
    line = [sys.executable, str(script), "--steps", "5", "--repeats", "2"]
    done = subprocess.run(line, capture_output=True, check=True, text=True)
    for name in ("reportgen recorder, four phases", "DLLogger", "Lightning SimpleProfiler", "torch.profiler"):
        assert name in done.stdout
