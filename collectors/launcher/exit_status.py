"""Derive the status of a run from its exit code, `run.json` and the ends of its ranks.

A recorder cannot detect that it is killed or crashes, and does not know the exit code. Rank 0, which writes
`run.json`, does not know why another rank died before its launcher stopped the job.
"""

import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from collectors.format_v1 import run_folder
from collectors.format_v1.clocks import read_clocks
from collectors.format_v1.steps_file import list_ranks, read_rank_ends, steps_path

_FAILURES = ("failed", "out_of_memory")
_CANCELLING = [getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP")]


def finish_record(
    folder: Path, started: Mapping[str, Any], code: int, *, is_cancelled: bool, node: int
) -> dict[str, Any]:
    """Return the final `run.json`: with the exit code, and with the status if the recorder did not write it.

    started       what the launcher wrote at the start
    code          of the process; -N if signal N killed it
    is_cancelled  True if the launcher received a signal that cancels the run
    node          only node 0 completes a run; the launchers of other nodes note the end of their command
    """
    run = {**started, **run_folder.read_run(folder, node), "exit_code": code}
    run.setdefault("ended_realtime_ns", read_clocks()["realtime_ns"])
    reason = f"killed by {_signal_name(-code)}" if code < 0 else f"exit code {code}"
    if is_cancelled or -code in _CANCELLING:
        # A script that catches KeyboardInterrupt closes its recorder as if it had trained to the end.
        if run["status"] in ("running", "complete"):
            reason = reason if code < 0 else f"{reason} after an interrupt"
            run.update(status="cancelled", error=reason)
    elif code:
        run.update(_failure(folder, run, reason))
    elif node:
        run["status"] = "complete"
    elif run["status"] == "running":
        run.update(status="failed", error=_reason_of_missing_end(folder))
    if run["status"] == "complete" and code:
        run.update(status="failed", error=f"{reason} after the recorder was closed")
    return run


def _signal_name(number: int) -> str:
    """Return "SIGKILL" for 9, and "signal 35" for a signal without a name, such as most realtime signals."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _reason_of_missing_end(folder: Path) -> str:
    """Return why a command with exit code 0 left its run without an end."""
    if steps_path(folder, 0).exists():
        return "the command ended without closing its recorder"
    return "the command did not start a Recorder; no steps were recorded"


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
    return {"status": "failed", "error": reason} if run["status"] == "running" else {}


def _describe_lost(ranks: Sequence[int]) -> str:
    """Return "rank 1 has no end: ..." for ranks that could not even write how they ended."""
    if len(ranks) == 1:
        return f"rank {ranks[0]} has no end: killed by signal 9?"
    return f"ranks {', '.join(map(str, ranks))} have no end: killed by signal 9?"
