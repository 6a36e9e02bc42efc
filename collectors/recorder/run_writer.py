"""The log of one rank while it is being written: its steps file and, for rank 0, `run.json`.

In goes what the recorder has to say, out come files. This is where trouble with files ends: after the
first error it says so once on stderr, drops the rest and marks the run as partial.
"""

import contextlib
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Optional

from collectors.format_v1 import run_folder
from collectors.machine import environment
from collectors.machine.distributed import Place
from collectors.machine.sanitize_argv import own_command
from collectors.telemetry.watch import ThreadWatch, thread_watch


class RunLog:
    """The files of one rank: its steps and, for rank 0, `run.json`. Complains once, then stays silent."""

    def __init__(
        self,
        folder: Path,
        run: Optional[dict[str, Any]],
        steps: run_folder.StepsFile,
        watching: Optional[ThreadWatch],
    ) -> None:
        self.folder = folder
        self._watching = watching
        self._run = run
        self._steps = steps
        self._trouble = ""

    @classmethod
    def open(cls, about: dict[str, Any], logs: Path, here: Place) -> "RunLog":
        """Open the run folder that the launcher named, or make one; raises OSError."""
        named = os.environ.get(run_folder.RUN_VARIABLE, "")
        run: dict[str, Any] = {}
        if named:
            folder = Path(named)
            folder.mkdir(parents=True, exist_ok=True)  # another node may not have it yet
            run = run_folder.read_run(folder)
        elif here.ranks > 1:
            raise OSError("several ranks need one folder; start the job with python -m collectors run")
        else:
            folder, run["repeat"] = run_folder.new_run_folder(logs, about["case"])
        steps = run_folder.StepsFile(folder, here.rank)
        watching: Optional[ThreadWatch] = None
        if here.local_rank == 0:
            # Ranks of a node follow one another; where their number is not known, only this one is sure.
            ranks = list(range(here.rank, here.rank + max(1, here.ranks_here)))
            run_folder.write_environment(folder, here.node, ranks, environment.capture())
            watching = thread_watch(folder, here, complain)
        if here.rank != 0:
            return cls(folder, None, steps, watching)
        run = begun(run, about, here.ranks)
        run_folder.write_run(folder, run)
        return cls(folder, run, steps, watching)

    def write(self, lines: str) -> None:
        """Append lines; a disk that takes no more ends the recording, not the training."""
        if self._trouble or not lines:
            return
        try:
            self._steps.write(lines)
        except OSError as error:
            self._trouble = f"steps could not be written: {error.strerror}"
            complain(f"{self.folder}: {self._trouble}; the training goes on, nothing more is recorded")

    def describe(self, columns: Mapping[str, Mapping[str, str]]) -> None:
        """Say in `run.json` by which clock each column is, once it is known: the run may yet be killed."""
        if self._run is not None and self._run.get("columns") != columns:
            self._run["columns"] = columns
            with contextlib.suppress(OSError):  # the end of the run tries again, and says so
                run_folder.write_run(self.folder, self._run)

    def note(self, facts: Mapping[str, Any]) -> None:
        """Add what the recorder has to say of itself; written at the end."""
        if self._run is not None:
            self._run["recorder"] = {**self._run.get("recorder", {}), **facts}

    def end(self, lines: Optional[str], status: str, error: str) -> None:
        """Write the last lines and the status; a log that lost steps is never called complete.

        lines  None when another thread still hangs in a write: the file is then left alone
        """
        if lines is None:
            self._trouble = self._trouble or "steps could not be written: the disk hangs"
        else:
            self.write(lines + run_folder.clock_line() + run_folder.end_line(status, error))
            self._steps.close()
        if self._watching is not None:
            self._watching.close()
        if self._run is None:
            return
        if self._trouble:
            self.note({"error": self._trouble})
            status = "partial" if status == "complete" else status
        self._run.update(status=status, ended_realtime_ns=run_folder.clock_pair()["realtime_ns"])
        if error:
            self._run["error"] = error
        try:
            run_folder.write_run(self.folder, self._run)
        except OSError as trouble:
            complain(f"{self.folder}: the end of the run could not be written: {trouble.strerror}")


def begun(run: dict[str, Any], about: dict[str, Any], ranks: int) -> dict[str, Any]:
    """Return `run.json` at the begin, from what the launcher wrote (`run`, or {}) and the script says."""
    typed = run.get("case", {})
    differing = {k: v for k, v in about["case"].items() if k in typed and typed[k] != v}
    clock = run_folder.clock_pair()
    merged = {**run, **about, "case": {**about["case"], **typed}, "status": "running", "ranks": ranks}
    merged["clocks"] = {"rank0": clock}
    merged.setdefault("command", own_command())
    merged.setdefault("started_realtime_ns", clock["realtime_ns"])
    if differing:
        merged["case_in_script"] = differing
        complain(f"the script's {', '.join(sorted(differing))} differs from the launcher's, which is kept")
    return merged


def complain(message: str) -> None:
    """Say on stderr what the person in front of it can act on; a closed stderr is not worth dying for."""
    with contextlib.suppress(OSError, ValueError):
        print(f"reportgen: {message}", file=sys.stderr)
