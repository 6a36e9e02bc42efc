"""The collectors need Python 3.9 and the standard library, and work from a copied folder."""

import ast
import importlib
import logging
import shutil
import subprocess
import sys
import warnings

import pytest

from collectors.recorder import recorder
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
    line = [sys.executable, str(script), "--steps", "10", "--repeats", "3", "--seconds", "0.1"]
    done = subprocess.run(line, capture_output=True, check=True, text=True)
    assert "step and four phases" in done.stdout
    assert "training thread  writing thread" in done.stdout
    assert "step only, during a flush" in done.stdout


def test_the_comparison_benchmark_runs(monkeypatch, capsys):
    """In this process, which other tests have import torch and Lightning."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    benchmark = importlib.import_module("collector_overhead")
    for name in ("_FLUSH_SECONDS", "_FLUSH_INTEGERS"):  # it changes them, and what is disabled
        monkeypatch.setattr(recorder, name, getattr(recorder, name))
    monkeypatch.setattr(logging.root.manager, "disable", logging.root.manager.disable)
    monkeypatch.setenv("KINETO_LOG_LEVEL", "99")
    monkeypatch.setattr(sys, "argv", ["collector_overhead.py", "--steps", "5", "--repeats", "2"])
    with warnings.catch_warnings(), pytest.raises(SystemExit, match=r"^0$"):
        benchmark.main()
    printed = capsys.readouterr().out
    for name in ("reportgen recorder, four phases", "DLLogger", "Lightning SimpleProfiler", "torch.profiler"):
        assert name in printed
