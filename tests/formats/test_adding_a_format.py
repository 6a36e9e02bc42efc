"""Adding a format touches one new file and one line: shown by doing it, in a copy of the package.

The format is invented: `tinytrainer` prints a line for each step. Its reader is written beside the others, its
name is added to the list in reportgen/formats/registry.py, and the program then runs, lists, explains and builds
without anything else being touched.
"""

import difflib
import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import warm
from tests.repository import write_charts_library

pytestmark = pytest.mark.slow

PACKAGE = Path(__file__).parents[2] / "reportgen"
LIST = "formats/registry.py"
NEW = "formats/trainers/tinytrainer.py"

# The line added to LIST, and the line before it.
LINE, BEFORE = '    "trainers.tinytrainer",\n', '    "trainers.timm",\n'

READER = '''\
"""Read the logs of tinytrainer: `tiny: step 12/100 took 250.0 ms`.

A file becomes one Run. The printed time is that of a single step; the batch is printed once, before the steps.
"""

from reportgen.formats.parsing.line_format import LineFormat, Setting, StepLine

FORMAT = LineFormat(
    "tinytrainer",
    "Training logs of tinytrainer.",
    lines=(
        StepLine.like(
            "tiny: step {step:int}/{:int} took {step_time_ms} ms",
            is_single=True,
            clock="host",
            damage="not a whole step line of tinytrainer",
        ),
    ),
    factors={"framework": "tinytrainer", "item": "image"},
    settings=(Setting.like("tiny: {global_batch_size:int} images a step"),),
).format()
'''

# Two steps to warm up; the next five take a second together.
TIMES = [900, 800, 100, 150, 200, 250, 300, 50, 50]
LOG = "tiny: 64 images a step\n" + "".join(
    f"tiny: step {number}/{len(TIMES)} took {time:.1f} ms\n" for number, time in enumerate(TIMES, 1)
)
DEFINITION = """\
title = "Tiny"
logs = ["logs"]
protocol = "2+5x1"

[[tables]]
id = "rates"
title = "Rates"
rows = ["global_batch_size"]
columns = ["framework"]
"""


def tree(folder: Path) -> dict[str, bytes]:
    """Return path -> content of all files in a folder but compiled ones."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package."""
    copy = tmp_path / "installed" / "reportgen"
    shutil.copytree(PACKAGE, copy)
    return copy


def add_the_format(package: Path) -> None:
    """Do all that adding a format takes."""
    (package / NEW).write_text(READER, "utf-8")
    text = (package / LIST).read_text("utf-8")
    assert text.count(BEFORE) == 1
    (package / LIST).write_text(text.replace(BEFORE, BEFORE + LINE), "utf-8")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a log of the new format and a report of it."""
    root = tmp_path / "repository"
    for path, text in {"logs/tiny.log": LOG, "reports/tiny.toml": DEFINITION}.items():
        (root / path).parent.mkdir(parents=True)
        (root / path).write_text(text)
    write_charts_library(root)
    return root


def call(package: Path, repository: Path, *arguments: str) -> str:
    """Return what a command of the copy prints, as it was when it was called first."""
    command = f"{warm.program(package.parent)} {shlex.join(arguments)}"
    done = subprocess.run(command, shell=True, cwd=repository, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


LISTING = ("runs", "logs", "--protocol", "2+5x1", "--format", "json")


def test_adding_a_format_touches_one_new_file_and_one_line(package: Path, repository: Path) -> None:
    before = tree(package)
    environment = {**os.environ, "PYTHONPATH": str(package.parent)}
    command = [sys.executable, "-m", "reportgen", *LISTING]
    done = subprocess.run(command, cwd=repository, env=environment, capture_output=True, check=True)
    assert json.loads(done.stdout)["runs"] == []

    add_the_format(package)
    (run,) = json.loads(call(package, repository, *LISTING))["runs"]
    assert (run["format"], run["status"]) == ("tinytrainer", "complete")
    assert run["steps"] == {"count": 9, "first": 1, "last": 9}
    assert run["factors"] == {"framework": "tinytrainer", "global_batch_size": 64, "item": "image"}
    assert {one["metric"]: one["value"] for one in run["measurements"]} == {
        "step_time": 0.2,
        "throughput": 320,
    }
    assert "Training logs of tinytrainer." in call(package, repository, "formats")
    explained = call(package, repository, "formats", "--explain", "logs/tiny.log")
    assert "tiny: step 1/9 took 900.0 ms" in explained
    call(package, repository, "build", "reports")
    (table,) = (repository / "reports").rglob("rates.csv")
    assert "320" in table.read_text()
    call(package, repository, "check", "reports")

    after = tree(package)
    assert {path for path in before | after if before.get(path) != after.get(path)} == {NEW, LIST}


def test_the_registry_grows_by_one_line(package: Path) -> None:
    old = (package / LIST).read_text("utf-8").splitlines(keepends=True)
    add_the_format(package)
    new = (package / LIST).read_text("utf-8").splitlines(keepends=True)
    changes = [line for line in difflib.ndiff(old, new) if line[:2] in ("+ ", "- ")]
    assert changes == [f"+ {LINE}"]
