"""Write the files of one rank: its steps and, for rank 0, `run.json`.

Errors with files end here. After the first one the writer warns once, drops the remaining lines and marks the
run as partial; the training continues.
"""

import contextlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

from collectors.format_v1 import run_folder
from collectors.format_v1.clocks import clock_line, read_clocks
from collectors.format_v1.steps_file import StepsFile, device_line, end_line, memory_line
from collectors.machine import environment
from collectors.machine.distributed import NODE_VARIABLE, RankInfo
from collectors.machine.sanitize_argv import own_command, sanitize_text
from collectors.machine.torch_info import peak_memory, torch_device
from collectors.messages import warn
from collectors.recorder.merged_case import MergedCase, add_late_device, merge_cases
from collectors.telemetry.watch import ThreadWatch, start_thread_watch

_opened: set[tuple[Path, int]] = set()  # run folders and ranks of this process


class RunWriter:
    """Writes the files of one rank."""

    def __init__(
        self, folder: Path, run: Optional[dict[str, Any]], steps: StepsFile, watch: Optional[ThreadWatch]
    ) -> None:
        self.folder = folder
        self._run = run  # content of `run.json`; None for ranks that do not write it
        self._steps = steps
        self._watch = watch
        self._error = ""  # the first one; the run is partial
        self._nested: list[str] = []  # phases that were entered inside themselves
        self._is_stopped = False
        self._has_device = False  # True: the GPU of this rank is in the log

    @classmethod
    def open(cls, script: dict[str, Any], logs: Path, rank: RankInfo) -> "RunWriter":
        """Open the run folder of the launcher, or create one; raises OSError.

        script  members of `run.json` that the script declares, `case` among them
        """
        folder_of_launcher = os.environ.get(run_folder.RUN_VARIABLE, "")
        run: dict[str, Any] = {}
        if folder_of_launcher:
            folder = Path(folder_of_launcher)
            folder.mkdir(parents=True, exist_ok=True)  # on another node it may not exist yet
            run = run_folder.read_run(folder)
        elif rank.ranks > 1:
            name = run_folder.RUN_VARIABLE
            raise OSError(
                f"several ranks need the same folder, and {name} is not set here; start the job with "
                f"python -m collectors run, and pass {name} on to every node (mpirun -x {name})"
            )
        case = merge_cases(script["case"], run) if rank.rank == 0 else None
        if case and not folder_of_launcher:
            folder, run["repeat"] = run_folder.create_run_folder(logs, case.factors)
        try:
            steps = StepsFile(folder, rank.rank)
        except FileExistsError:
            if (folder, rank.rank) not in _opened:
                run_folder.refused_path(folder, rank.rank).touch()
            raise FileExistsError(
                f"{folder}: rank {rank.rank} already has a recorder; use one Recorder for all loops of a "
                "run, and start another run for another measurement"
            ) from None
        _opened.add((folder, rank.rank))
        memory = peak_memory()
        device = torch_device() if memory and memory.allocated_bytes else None  # else it is not known yet
        if device:
            steps.write(device_line(*device))
        watch = record_node(folder, rank)
        record: Optional[dict[str, Any]] = None
        if case:
            record = start_record(run, script, case, rank.ranks)
            run_folder.write_run(folder, record)
        writer = cls(folder, record, steps, watch)
        writer._has_device = device is not None
        return writer

    def write(self, lines: str) -> None:
        """Append lines; an error of the disk ends the recording, not the training."""
        if self._is_stopped or not lines:
            return
        try:
            self._steps.write(lines)
        except OSError as error:
            self._is_stopped = True
            problem = f"steps could not be written: {error.strerror}"
            self._error = self._error or problem
            warn(f"{self.folder}: {problem}; the training continues without recording")

    def mark_partial(self, problem: str) -> None:
        """Warn about the first problem after which the run cannot be complete."""
        if not self._error:
            self._error = problem
            warn(f"{self.folder}: {problem}")

    def describe_columns(self, columns: Mapping[str, Mapping[str, str]]) -> None:
        """Write the clock of each column into `run.json` as soon as it is known: the run may be killed."""
        if self._run is not None and self._run.get("columns") != columns:
            self._run["columns"] = columns
            self._write_run()

    def describe_missing(self, missing: Mapping[str, int]) -> None:
        """Write why intervals have no device time; a new reason at once, the final counts at the end."""
        known = (self._run or {}).get("recorder", {}).get("no_device_time", {})
        if missing:
            self.add_recorder_facts({"no_device_time": dict(missing)})
            if missing.keys() != known.keys():
                self._write_run()

    def describe_nested(self, phases: Sequence[str]) -> None:
        """Warn of phases that were entered inside themselves, and write their names at the end."""
        for phase in phases:
            if phase not in self._nested:
                self._nested.append(phase)
                problem = f"phase {phase} was entered inside itself; its time is not recorded in such steps"
                warn(f"{self.folder}: {problem}")
        if phases:
            self.add_recorder_facts({"nested_phases": list(phases)})

    def _write_run(self) -> None:
        if self._run is not None:
            self._keep_end_of_command(self._run)
            with contextlib.suppress(OSError):  # `end` tries again, and warns
                run_folder.write_run(self.folder, self._run)

    def add_recorder_facts(self, facts: Mapping[str, Any]) -> None:
        """Add facts about the recorder itself to `run.json`; they are written at the end."""
        if self._run is not None:
            self._run["recorder"] = {**self._run.get("recorder", {}), **facts}

    def end(self, lines: Optional[str], status: str, error: str) -> None:
        """Write the last lines and the status; a run that lost steps becomes partial instead of complete.

        lines  None if another thread still hangs in a write; then the file is not touched
        """
        error = sanitize_text(error)
        if lines is None:
            self._error = self._error or "steps could not be written: a write has not ended"
        else:
            device, memory = torch_device(), peak_memory()
            lines += device_line(*device) if device and not self._has_device else ""
            lines += memory_line(*memory) if memory else ""
            self.write(lines + clock_line() + end_line(status, error))
            if lost := self._steps.lost():
                self.mark_partial(f"the steps were {lost} while they were recorded")
            self._steps.close()
        if self._watch is not None:
            self._watch.close()
        if self._run is None:
            return
        if refused := run_folder.count_refused(self.folder):
            who = "another process" if refused == 1 else f"{refused} other processes"
            self.mark_partial(
                f"{who} had the rank of a recorder of this run, and recorded nothing; set RANK, WORLD_SIZE "
                f"and LOCAL_RANK in each process of a job, and unset {run_folder.RUN_VARIABLE} for others"
            )
        self._keep_end_of_command(self._run)
        if self._error:
            self.add_recorder_facts({"error": self._error})
            status = "partial" if status == "complete" else status
        add_late_device(self._run)
        self._run.update(status=status, ended_realtime_ns=read_clocks()["realtime_ns"])
        if error:
            self._run["error"] = error
        try:
            run_folder.write_run(self.folder, self._run)
        except OSError as disk_error:
            warn(f"{self.folder}: the end of the run could not be written: {disk_error.strerror}")

    def _keep_end_of_command(self, run: dict[str, Any]) -> None:
        """Keep what the launcher has written after its command ended, if this process ran longer.

        Such a process ran in the background, beside the next runs of the launcher.
        """
        written = run_folder.read_run(self.folder)
        if "exit_code" in written:
            run.update({name: written[name] for name in ("exit_code", "wall_time_ns") if name in written})
            self.mark_partial("the command ended before this process, which ran beside the next runs")


def record_node(folder: Path, rank: RankInfo) -> Optional[ThreadWatch]:
    """Write the environment of a node and start its telemetry, from its first rank; raises OSError."""
    remedy = f"set LOCAL_RANK, LOCAL_WORLD_SIZE and {NODE_VARIABLE} in each process"
    if rank.node is None:
        reason = "the launcher of this job does not say on which node it runs"
        warn(f"rank {rank.rank}: {reason}; its environment and telemetry are not recorded; {remedy}")
        return None
    if rank.local_rank != 0:
        return None
    try:
        run_folder.write_environment(folder, rank.node, rank.local_ranks(), environment.capture())
    except FileExistsError:
        reason = f"node {rank.node} has an environment of another rank"
        warn(f"rank {rank.rank}: {reason}; this one and its telemetry are not recorded; {remedy}")
        return None
    return start_thread_watch(folder, rank, rank.node)


def start_record(
    run: Mapping[str, Any], script: Mapping[str, Any], case: MergedCase, ranks: int
) -> dict[str, Any]:
    """Return `run.json` for the start of a run.

    run     what the launcher wrote, or the repeat alone
    script  members that the script declares
    """
    clocks = read_clocks()
    record = {**run, **script, "case": case.factors, "status": "running", "ranks": ranks}
    record["clocks"] = {"rank0": clocks}
    record.pop("detected", None)  # of the launcher
    if case.detected:
        record["detected"] = case.detected
    record.setdefault("command", own_command())
    record.setdefault("started_realtime_ns", clocks["realtime_ns"])
    if case.differing:
        record["case_in_script"] = case.differing
        names = ", ".join(sorted(case.differing))
        warn(f"case: script and launcher differ in {names}; using the values of the launcher")
    return record
