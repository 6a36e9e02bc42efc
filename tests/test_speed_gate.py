"""The gate on the speed of reading runs the code that it names, and fails above its limit."""

import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT

GATE = [sys.executable, str(ROOT / "benchmarks" / "read_corpus.py")]


def test_the_gate_fails_above_its_limit(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("nothing to read\n")
    for limit, code in (("1000", 0), ("0.001", 1)):
        command = [
            *GATE,
            str(tmp_path),
            "--bytes",
            "1",
            "--rounds",
            "1",
            "--against",
            "HEAD",
            "--limit",
            limit,
        ]
        result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        assert (result.returncode, result.stdout.count("ratio")) == (code, 1), result.stderr


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
        f"r.processor_seconds(Path({str(checkout)!r}), Path({str(ROOT)!r}))"
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
