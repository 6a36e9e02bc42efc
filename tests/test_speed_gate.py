"""The gate on the speed of reading runs the code that it names, and fails above its limit."""

import argparse
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

SCRIPT = ROOT / "benchmarks" / "read_corpus.py"


def test_the_gate_fails_above_its_limit(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("nothing to read\n")
    options = ["--bytes", "1", "--rounds", "1", "--against", "HEAD", "--limit", "0.001"]
    result = subprocess.run(
        [sys.executable, str(SCRIPT), str(tmp_path), *options], cwd=ROOT, capture_output=True, text=True
    )
    assert (result.returncode, result.stdout.count("ratio")) == (1, 1), result.stderr


@pytest.mark.parametrize(("limit", "code"), [(1.25, 0), (1.15, 1)])
def test_the_gate_compares_the_median_of_the_rounds_with_its_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: float, code: int
) -> None:
    monkeypatch.syspath_prepend(SCRIPT.parent)
    gate = importlib.import_module(SCRIPT.stem)
    (tmp_path / "a.log").write_text("nothing to read\n")
    # In s, now and before, in turns: the first turn does not count, and the ratios of the others are 0.5, 1.2 and 9.
    seconds = iter([90.0, 1.0, 1.0, 2.0, 2.4, 2.0, 9.0, 1.0])
    monkeypatch.setattr(gate, "processor_seconds", lambda checkout, place: next(seconds))
    options = argparse.Namespace(against="HEAD", folder=tmp_path, bytes=1, rounds=3, limit=limit)
    assert gate.compare(options) == code


def test_the_gate_names_a_commit_of_this_repository() -> None:
    commit = (ROOT / ".ci" / "speed").read_text().strip()
    subprocess.run(["git", "-C", str(ROOT), "cat-file", "-e", f"{commit}^{{commit}}"], check=True)


def test_the_gate_compares_two_programs(tmp_path: Path) -> None:
    """Each side must import its own checkout: not the installed program, nor the working folder."""
    checkout = tmp_path / "before"
    (checkout / "reportgen").mkdir(parents=True)
    (checkout / "reportgen" / "__init__.py").write_text("")
    (checkout / "reportgen" / "__main__.py").write_text("raise SystemExit(7)\n")
    lines = (
        "import sys; sys.path.insert(0, 'benchmarks'); from pathlib import Path; import read_corpus as r;"
        f"r.processor_seconds(Path({str(checkout)!r}), Path({str(tmp_path)!r}))"
    )
    result = subprocess.run([sys.executable, "-c", lines], cwd=ROOT, capture_output=True, text=True)
    assert "exit code 7" in result.stderr


def test_no_run_is_answered_by_the_cache_of_another(tmp_path: Path) -> None:
    package = tmp_path / "program" / "reportgen"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "__main__.py").write_text(
        "import os, pathlib\n"
        "folder = pathlib.Path(os.environ['XDG_CACHE_HOME'])\n"
        "assert not list(folder.iterdir())\n"
        "(folder / 'answer').write_text('')\n"
    )
    lines = (
        "import sys; sys.path.insert(0, 'benchmarks'); from pathlib import Path; import read_corpus as r;"
        f"[r.processor_seconds(Path({str(package.parent)!r}), Path({str(tmp_path)!r})) for _ in range(2)]"
    )
    subprocess.run([sys.executable, "-c", lines], cwd=ROOT, check=True)
