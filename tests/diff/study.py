"""A scratch repository with one study of two models, whose logs, definition and protocol a test changes.

Each run has five steps of equal duration under a protocol of one step of warm-up and four measured, so the
measured value of a run is the duration that the test gives. Only model b's first measured step takes twice as
long, so its value depends on the protocol.
"""

import json
import shutil
from collections.abc import Mapping, Sequence
from itertools import accumulate
from pathlib import Path

from reportgen import api
from tests.builders import write_files
from tests.git_repository import ScratchRepository

PROTOCOL = "1+4x7"
MINUTE = 60.0
START = 1_710_000_000.0

# Seven values with a spread of 1 %, in s.
BASE = (0.1000, 0.1004, 0.0996, 0.1002, 0.0998, 0.1005, 0.0995)


def definition(*, logs: Sequence[str] = ("march",), protocol: str = PROTOCOL, table: str = "") -> str:
    """Return the definition of the study: the folders that it reads, and more keys of its table."""
    folders = json.dumps([f"logs/{name}" for name in logs])
    return (
        f'title = "Step times"\nlogs = {folders}\n\n[[tables]]\nid = "times"\ntitle = "Step times"\n'
        f'metric = "step_time"\nrows = ["model"]\nprotocol = "{protocol}"\n{table}'
    )


def run_files(model: str, seconds: float, *, started: float, driver: str, status: str) -> dict[str, str]:
    """Return the files of one run."""
    durations = [round(seconds * 1e9)] * 5
    if model == "b":
        durations[1] *= 2
    begins = accumulate(durations, initial=round(started * 1e9))
    run = {
        "format": "reportgen-run",
        "status": status,
        "case": {"model": model},
        "ranks": 1,
        "started_realtime_ns": round(started * 1e9),
    }
    machine = {
        "format": "reportgen-environment",
        "version": 1,
        "node": 0,
        "ranks": [0],
        "environment": {"driver": {"version": driver}},
    }
    rows = "".join(
        f"{step},{begin},{duration}\n"
        for step, (begin, duration) in enumerate(zip(begins, durations, strict=False), 1)
    )
    return {
        "run.json": json.dumps(run),
        "environment.node0.json": json.dumps(machine),
        "steps.rank0.csv": f"#clock,1,1\nstep,begin_ns,duration_ns\n{rows}",
    }


def runs(
    model: str,
    values: Sequence[float],
    *,
    folder: str = "march",
    starts: Sequence[float] = (),
    driver: str = "550.54",
    status: str = "complete",
) -> dict[str, str]:
    """Return the files of the repeats of a model, a minute apart from START unless stated."""
    times = starts or [START + position * MINUTE for position in range(len(values))]
    return {
        f"logs/{folder}/{model}/r{number}/{name}": content
        for number, (value, started) in enumerate(zip(values, times, strict=True), 1)
        for name, content in run_files(model, value, started=started, driver=driver, status=status).items()
    }


class Study:
    """A repository with reports that are built before each commit, as a user has it."""

    def __init__(self, root: Path) -> None:
        self.git = ScratchRepository(root)
        self.root = root

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Write files without building or committing."""
        write_files(self.root, files)

    def remove(self, folder: str) -> None:
        """Remove a folder."""
        shutil.rmtree(self.root / folder)

    def commit(self, files: Mapping[str, str | bytes] | None = None, message: str = "change") -> str:
        """Write files, build the reports, commit everything, and return the hash."""
        self.write(files or {})
        api.build(self.root / "reports")
        return self.git.commit(message=message)

    def branch(self, name: str = "work") -> None:
        """Begin a branch."""
        self.git.git("checkout", "--quiet", "-b", name)
