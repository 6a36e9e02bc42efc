"""Fixtures: a clock that the test advances, and training scripts as child processes."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from collectors.format_v1 import run_folder
from collectors.machine import distributed
from collectors.recorder import cuda_events, phases, timing
from collectors.recorder import recorder as recorder_module
from tests import warm
from tests.collectors.cuda_standin import cuda
from tests.collectors.nvml_standin import nvml_folder, standin

__all__ = ["cuda", "nvml_folder", "standin"]  # fixtures

ROOT = Path(__file__).parents[2]
JOB_VARIABLES = ("RANK", "PMI_RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK")


class Clock:
    def __init__(self):
        self.now = 1000

    def __call__(self):
        return self.now


@pytest.fixture(autouse=True)
def no_job(monkeypatch):
    for name in (*JOB_VARIABLES, distributed.NODE_VARIABLE, run_folder.RUN_VARIABLE):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")  # a GPU of this host is not a factor of the runs


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(recorder_module, "perf_counter_ns", clock)
    monkeypatch.setattr(phases, "perf_counter_ns", clock)
    monkeypatch.setattr(cuda_events, "perf_counter_ns", clock)
    monkeypatch.setattr(timing, "perf_counter_ns", clock)
    return clock


class Script:
    """A training script in a file, and ways to run it."""

    def __init__(self, folder):
        self.folder = folder
        self.path = folder / "train.py"
        self.logs = folder / "logs"
        self.environ = {**os.environ, "PYTHONPATH": str(ROOT)}

    def write(self, text):
        head = "import os, sys, signal, threading\nfrom collectors.format_v1 import steps_file\n"
        head += "from collectors import Recorder\n"
        self.path.write_text(head + text)
        return self

    def start(self, *, launcher=False, options=(), python=sys.executable, has_site=False, **popen):
        command = [python, "-S", str(self.path)]
        if launcher:
            bare = [] if has_site else ["-S"]
            run = [sys.executable, *bare, "-m", "collectors", "run", "--logs", str(self.logs), *options]
            command = [*run, "--", *command]
        usual = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        usual["cwd"] = self.folder
        return subprocess.Popen(command, env=self.environ, **{**usual, **popen})

    def run(self, **options):
        child = self.start(**options)
        out, err = child.communicate(timeout=60)
        return child.returncode, out.decode(), err.decode()

    def only_run(self):
        (path,) = self.logs.glob("*/r*")
        return path


@pytest.fixture
def script(tmp_path):
    return Script(tmp_path)


@pytest.fixture(scope="module")
def warm_torch():
    """The path of a Python that has imported PyTorch."""
    pytest.importorskip("torch")
    with warm.python() as path:
        yield path


@pytest.fixture(scope="session")
def python39():
    """The path of a Python 3.9, or None; another test checks the syntax."""
    home = Path(os.environ.get("PYENV_ROOT", Path("~/.pyenv").expanduser()))
    candidates = [shutil.which("python3.9"), *sorted(map(str, home.glob("versions/3.9.*/bin/python3.9")))]
    for candidate in filter(None, candidates):
        result = subprocess.run([candidate, "-S", "-c", "print(1)"], capture_output=True, check=False)
        if result.stdout == b"1\n":
            return candidate
    return None
