"""Say how a run ended, from outside: what the recorder wrote, the exit code, and what other ranks saw.

A recorder cannot tell of its own kill, of a crash, or of an exit code; rank 0, which alone writes `run.json`,
does not know why another rank died and is stopped for it by its launcher. All that is put together here.
"""

import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from collectors.format_v1 import run_folder

_BAD = ("failed", "out_of_memory")


def ended(
    folder: Path, begun: Mapping[str, Any], code: int, *, is_cancelled: bool, node: int
) -> dict[str, Any]:
    """Return the run as it shall be written, with exit code and, where it was not known, the end.

    begun  what the launcher wrote at the begin
    code   of the process, -N if signal N killed it
    node   only node 0 has a run to complete; others note the command's end and nothing else
    """
    run = {**begun, **run_folder.read_run(folder, node), "exit_code": code}
    run.setdefault("ended_realtime_ns", run_folder.clock_pair()["realtime_ns"])
    how = f"killed by {_signal_name(-code)}" if code < 0 else f"exit code {code}"
    if is_cancelled or -code in (signal.SIGINT, signal.SIGTERM):
        if run["status"] == "running":
            run.update(status="cancelled", error=how)
    elif code:
        run.update(_failure(folder, run, how))
    elif node:
        run["status"] = "complete"
    elif run["status"] == "running" and run_folder.steps_path(folder, 0).exists():
        run.update(status="failed", error="the command ended without closing its recorder")
    elif run["status"] == "running":
        run.update(status="failed", error="the command recorded no step: it never started a Recorder")
    if run["status"] == "complete" and code:
        run.update(status="failed", error=f"{how} after the recorder was closed")
    return run


def _signal_name(number: int) -> str:
    """Return "SIGKILL" for 9, "signal 35" for one that has no name, as most realtime signals."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _failure(folder: Path, run: Mapping[str, Any], how: str) -> dict[str, str]:
    """Return status and error of a command that failed, {} where the run says it already."""
    bad = [one for one in run_folder.rank_ends(folder) if one[2] in _BAD]
    if bad and bad[0][1] != 0 and run["status"] != "partial":
        # The first one to fail is the cause; that the others lost their connection to it is not.
        _, rank, status, error = bad[0]
        return {"status": status, "error": f"rank {rank}: {error}"}
    if run["status"] == "cancelled" and run.get("ranks", 1) > 1:
        # Its launcher stops rank 0 when another rank dies without a word.
        return {"status": "failed", "error": f"{how}: another rank died, and rank 0 was stopped"}
    return {"status": "failed", "error": how} if run["status"] == "running" else {}
