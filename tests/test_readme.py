"""The README's commands work as printed.

Blocks marked `sh` hold commands. The two lines that make a virtual environment are run by .ci/run, which
reads them from the README; all others are run here, in a copy of what they read.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.documentation.examples import environment

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
SETUP = "python3 -m venv .venv && "
# What the commands read. `check` reads everything, so it runs in the repository itself.
READ = (
    *(
        "reportgen",
        "collectors",
        "README.md",
        "docs/index.md",
        "logs/jade2",
        "logs/flux-published",
        "logs/lambda-published",
    ),
    *(
        "reports/jade2",
        "reports/jade2.md",
        "reports/jade2.toml",
        "reports/expected.toml",
        "reports/reportgen.toml",
    ),
)


def _commands() -> list[str]:
    blocks = re.findall(r"^```sh\n(.*?)^```$", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]


def test_two_readme_lines_need_no_other_setup() -> None:
    setup = [line for line in _commands() if line.startswith(SETUP)]
    last = [line.rpartition(".venv/bin/")[2] for line in setup]
    assert last == ["reportgen build reports/", "python -m pytest"]


def test_ci_reads_its_lines_from_the_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    endings = re.findall(r"readme_line '(.*)'", script)
    printed = README.read_text(encoding="utf-8").splitlines()
    assert len(endings) == 2
    for ending in endings:
        assert sum(line.endswith(ending) for line in printed) == 1, ending


@pytest.mark.skipif(sys.platform == "win32", reason="the command lines are for a POSIX shell")
def test_ci_and_readme_are_valid_shell() -> None:
    scripts = [path.read_text(encoding="utf-8") for path in sorted((ROOT / ".ci").iterdir())]
    for text in (*scripts, "\n".join(_commands())):
        checked = subprocess.run(["bash", "-n"], input=text, text=True, capture_output=True, check=False)
        assert checked.returncode == 0, checked.stderr


def _copy_what_is_read(copy: Path) -> None:
    for name in READ:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, copy / name)


def test_the_other_commands_run(tmp_path: Path) -> None:
    copy = tmp_path / "repository"
    _copy_what_is_read(copy)
    variables = {**environment(tmp_path / "bin"), "PYTHONPATH": str(copy)}
    for line in _commands():
        if line.startswith(SETUP):
            continue
        line = line.replace(".venv/bin/", "")
        done = subprocess.run(
            ["bash", "-c", line],
            # It writes nothing, and another test that checks all reports may have made them.
            cwd=ROOT if line.startswith("reportgen check") else copy,
            env=variables,
            text=True,
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"


def test_the_python_example_runs() -> None:
    (example,) = re.findall(
        r"^```python\n(import reportgen.*?)^```$", README.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    done = subprocess.run(
        [sys.executable, "-c", example], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "DARNN" in done.stdout
