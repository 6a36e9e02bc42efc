"""Derive the status of a run from the end of its command, `run.json` and the ends of its ranks.

A recorder cannot detect that it is killed or crashes, and does not know the exit code. Rank 0, which writes
`run.json`, does not know why another rank died before its launcher stopped the job. A command without a
recorder (a benchmark program, a binary) has no steps; it is complete if it exits with 0.
"""

import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from collectors.format_v1 import run_folder
from collectors.format_v1.clocks import read_clocks
from collectors.format_v1.steps_file import list_ranks, read_rank_ends

#: Signals by which a person or a scheduler ends a run.
CANCELLING = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT}
_FAILURES = ("failed", "out_of_memory")
_PROBE_BYTES = 65536  # more than the end of a recording needs


@dataclass(frozen=True)
class CommandEnd:
    """The end of a command, as the launcher sees it.

    code          exit code; -N if signal N killed it
    wall_time_ns  from the start of the process to its end
    cancelled_ns  when the launcher received a signal that cancels the run (realtime); None if it did not
    """

    code: int
    wall_time_ns: int
    cancelled_ns: Optional[int] = None

    @property
    def reason(self) -> str:
        """Return the end in words."""
        return f"killed by {_signal_name(-self.code)}" if self.code < 0 else f"exit code {self.code}"


def finish_record(
    folder: Path, started: Mapping[str, Any], end: CommandEnd, *, node: int, needs_steps: bool = False
) -> dict[str, Any]:
    """Return the final `run.json`: with the exit code, and with the status if the recorder did not write it.

    started      what the launcher wrote at the start
    node         only node 0 completes a run; the launchers of other nodes note the end of their command
    needs_steps  True if a command without steps has failed
    """
    run = {**started, **run_folder.read_run(folder, node)}
    run.update(exit_code=end.code, wall_time_ns=end.wall_time_ns)
    is_cancelled = _is_cancelled(run, end)
    was_recorded = "ranks" in run or not folder.is_dir()  # otherwise the command had no recorder
    run.setdefault("ended_realtime_ns", read_clocks()["realtime_ns"])
    if is_cancelled:
        reason = end.reason if end.code < 0 else f"{end.reason} after an interrupt"
        run.update(status="cancelled", error=run.get("error") or reason)
    elif end.code:
        run.update(_failure(folder, run, end.reason))
    elif node:
        run["status"] = "complete"
    elif was_recorded and not list_ranks(folder):
        run.update(status="failed", error="the files of the run were removed while it was recorded")
    elif run["status"] == "running":
        run.update(_end_without_recorder(folder, needs_steps=needs_steps))
    return run


def _is_cancelled(run: Mapping[str, Any], end: CommandEnd) -> bool:
    """Return True if a signal ended the run: one that killed the command, or one that the launcher received.

    A command may catch the signal that the launcher forwards, and exit with any code. What the recorder wrote
    before the signal stays: a run that had already ended is complete or failed.
    """
    is_signalled = end.cancelled_ns is not None or -end.code in CANCELLING
    if run["status"] in ("running", "cancelled"):
        return is_signalled
    if run["status"] == "complete" and end.code:
        return is_signalled
    if run["status"] not in ("complete", "failed") or end.cancelled_ns is None:
        return False
    return bool(run["ended_realtime_ns"] >= end.cancelled_ns)


def _signal_name(number: int) -> str:
    """Return "SIGKILL" for 9, and "signal 35" for a signal without a name, such as most realtime signals."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _end_without_recorder(folder: Path, *, needs_steps: bool) -> dict[str, str]:
    """Return status and error of a run whose command exited with 0 and whose recorder wrote no end."""
    if any(folder.glob("steps.rank*.csv")):
        disk_error = _disk_error(folder)
        if disk_error:
            return {"status": "partial", "error": f"{disk_error}: the recorder could not write its end"}
        return {"status": "failed", "error": "the command ended without closing its recorder"}
    if needs_steps:
        return {"status": "failed", "error": "the command did not start a Recorder; no steps were recorded"}
    return {"status": "complete"}


def _disk_error(folder: Path) -> str:
    """Return why the disk of a folder takes no more data ("No space left on device"), "" if it does."""
    probe = folder / f"probe.{os.getpid()}.tmp"
    try:
        with probe.open("wb") as file:
            file.write(bytes(_PROBE_BYTES))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        return error.strerror or str(error)
    finally:
        with suppress(OSError):
            probe.unlink()
    return ""


def _failure(folder: Path, run: Mapping[str, Any], reason: str) -> dict[str, str]:
    """Return status and error of a command that failed; {} if `run.json` already has them."""
    ends = read_rank_ends(folder)
    # The first failure is the cause; the other ranks then lose their connection.
    first = next((end for end in ends if end.status in _FAILURES), None)
    lost = sorted(set(list_ranks(folder)) - {end.rank for end in ends})
    if run["status"] != "partial" and ends and lost:
        rank_error = f"rank {first.rank}: {first.error}" if first else reason
        status = first.status if first else "failed"
        return {"status": status, "error": f"{_describe_lost(lost)}; {rank_error}"}
    if run["status"] != "partial" and first and first.rank != 0:
        return {"status": first.status, "error": f"rank {first.rank}: {first.error}"}
    if run["status"] == "cancelled" and run.get("ranks", 1) > 1:
        # The job launcher stops rank 0 when another rank dies.
        return {"status": "failed", "error": f"{reason}: another rank died, and rank 0 was stopped"}
    if run["status"] == "complete":
        return {"status": "failed", "error": f"{reason} after the recorder was closed"}
    return {"status": "failed", "error": reason} if run["status"] == "running" else {}


def _describe_lost(ranks: Sequence[int]) -> str:
    """Return "rank 1 has no end: ..." for ranks that could not even write how they ended."""
    if len(ranks) == 1:
        return f"rank {ranks[0]} has no end: killed by signal 9?"
    return f"ranks {', '.join(map(str, ranks))} have no end: killed by signal 9?"
