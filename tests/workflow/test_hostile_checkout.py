"""The steps of action.yml in the checkout of a pull request that wants its own files to run."""

import re
import shlex
import sys
from pathlib import Path

import pytest

from tests.builders import write_files
from tests.diff.study import BASE, Study, definition, runs
from tests.workflow.github import ACTION, ROOT, environment, run_step

pytestmark = pytest.mark.slow

STEPS = {step["name"]: step for step in ACTION["runs"]["steps"] if "run" in step}
FIGURE = '\n[[figures]]\nid = "times"\ntable = "times"\nkind = "bar"\n'
# Modules that Python, pip, reportgen or its libraries import.
MODULES = [
    "pip",
    "sitecustomize",
    "usercustomize",
    "reportgen",
    "json",
    "numpy",
    "matplotlib",
    "backend",
    "setup",
]
# A project that builds without an index: the real one needs setuptools and its requirements from the network.
BACKEND = """\
import zipfile
def build_wheel(folder, settings=None, metadata=None):
    name = "installed-1-py3-none-any.whl"
    with zipfile.ZipFile(f"{folder}/{name}", "w") as wheel:
        wheel.writestr("installed.py", "")
        info = "installed-1.dist-info"
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\\nName: installed\\nVersion: 1\\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(f"{info}/RECORD", "")
    return name
"""


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """A file to which each hostile file adds its name when it runs."""
    return tmp_path / "mark"


@pytest.fixture
def checkout(tmp_path: Path, mark: Path) -> Path:
    """A study that is up to date, among hostile files."""
    study = Study(tmp_path / "checkout")
    study.commit({"reports/study.toml": definition() + FIGURE, **runs("a", BASE)})

    def line(name: str) -> str:
        return f"import os; open({str(mark)!r}, 'a').write({name!r} + chr(10))\n"

    modules = {
        f"{name}{end}": line(name) for name in MODULES for end in (".py", "/__init__.py", "/__main__.py")
    }
    programs = {
        name: f"#!/bin/sh\necho {name} >> {shlex.quote(str(mark))}\n" for name in ("python", "git", "bash")
    }
    settings = {
        "hostile.pth": line("pth"),
        "matplotlibrc": "backend: module://backend\n",
        "pip.conf": f"[global]\nlog = {mark}\n",
        "setup.cfg": f"[install]\nrecord = {mark}\n",
        "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n',
    }
    write_files(study.root, modules | programs | settings)
    for name in programs:
        (study.root / name).chmod(0o755)
    return study.root


@pytest.fixture
def action(tmp_path: Path) -> Path:
    project = '[build-system]\nrequires = []\nbuild-backend = "own"\nbackend-path = ["."]\n'
    write_files(tmp_path / "action", {"pyproject.toml": project, "own.py": BACKEND})
    return tmp_path / "action"


def variables(tmp_path: Path) -> dict[str, str]:
    """Return the variables of a job; pip installs into a folder of the test, and `reportgen` is this source tree."""
    start = f"import runpy, sys; sys.path.insert(0, {str(ROOT)!r}); runpy.run_module('reportgen', alter_sys=True, run_name='__main__')"
    reportgen = shlex.join([sys.executable, "-I", "-c", start])
    work = tmp_path / "job"
    work.mkdir()
    pip = {"PIP_NO_INDEX": "1", "PIP_TARGET": str(work / "site"), "PIP_NO_CACHE_DIR": "1"}
    github = {"GITHUB_OUTPUT": str(work / "output.txt"), "GITHUB_BASE_REF": ""}
    return environment(work, reportgen) | pip | github


def test_nothing_in_the_checkout_runs(tmp_path: Path, checkout: Path, action: Path, mark: Path) -> None:
    job = variables(tmp_path)
    values = {"github.action_path": str(action)}
    installed = run_step(STEPS["Install"], checkout, job, values)
    assert (installed.returncode, mark.exists()) == (0, False), installed.stdout
    assert (Path(job["PIP_TARGET"]) / "installed.py").is_file()

    inputs = {name: str(each["default"]) for name, each in ACTION["inputs"].items()}
    for name in ("Check", "Comment"):
        done = run_step(STEPS[name], checkout, job, inputs)
        assert (done.returncode, mark.exists()) == (0, False), done.stdout
    results = Path(job["RUNNER_TEMP"]) / "reportgen"
    assert (results / "check.code").read_text() == "0\n", (results / "check.txt").read_text()


@pytest.mark.parametrize("name", ["Install", "Check"])
def test_without_isolation_the_checkout_would_run(
    tmp_path: Path, checkout: Path, action: Path, mark: Path, name: str
) -> None:
    """The hostile files are a test only if they run where nothing prevents it."""
    step = {**STEPS[name], "run": STEPS[name]["run"].replace("python -I", "python")}
    step.pop("working-directory", None)
    inputs = {name: str(each["default"]) for name, each in ACTION["inputs"].items()}
    run_step(step, checkout, variables(tmp_path), inputs)
    assert mark.exists()


def test_python_starts_isolated_in_every_step() -> None:
    for name, step in STEPS.items():
        commands = re.findall(r"(?m)^\s*((?:python|pip|reportgen)\b.*)", step["run"])
        assert [command for command in commands if not command.startswith("python -I ")] == [], name
