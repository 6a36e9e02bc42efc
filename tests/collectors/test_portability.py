"""The collectors need Python 3.9 and the standard library, and work from a copied folder."""

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "collectors").rglob("*.py"))
#: May import their frameworks at the top: they are imported by those who have them.
FREE = ("collectors/workloads/",)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_syntax_is_valid_in_python_3_9(path):
    ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_module_level_imports_are_standard_library_or_collectors(path):
    if path.relative_to(ROOT).as_posix().startswith(FREE):
        return
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        for name in names:
            top = name.partition(".")[0]
            is_free = top == "collectors" or top in sys.stdlib_module_names
            assert is_free, f"{path}:{node.lineno}: imports {name}"


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
