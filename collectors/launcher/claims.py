"""Claim a repeat before it starts, so that several launchers of one case do not run it too often.

A Slurm array may start the same `run --repeats 4` four times. Each launcher creates a run folder, which is
atomic, and then looks at the folders with lower numbers: if enough of them are complete or claimed by a
launcher that lives, it gives its own folder back. A claim is a file whose time the launcher renews while it
lives. Times are compared with those of other files on the same disk, because the clocks of hosts differ.
"""

import contextlib
import os
import threading
from collections.abc import Collection, Sequence
from pathlib import Path
from types import TracebackType
from typing import Optional

from collectors.format_v1.run_folder import read_run
from collectors.telemetry.watch import host_id

_NAME = "launcher.claim"
_RENEW_SECONDS = 5.0
_MAX_AGE_SECONDS = 60.0  # of a claim whose launcher may live on another host
_NEW_SECONDS = 10.0  # a folder of this age may be claimed in the next moment


class RepeatClaim:
    """A claimed run folder: `with RepeatClaim(folder):` as long as the run lasts."""

    def __init__(self, folder: Path) -> None:
        """Claim a folder that was just created; raises OSError."""
        self._path = folder / _NAME
        self._path.write_text(f"{os.getpid()} {process_namespace()}\n", encoding="ascii")
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._renew, name="reportgen-claim", daemon=True)

    def is_needed(self, others: Sequence[Path], repeats: int, answers: Collection[str], node: int) -> bool:
        """Return True if fewer than `repeats` of the other run folders of the case are done or claimed.

        answers  statuses of runs that are done; node  whose launcher has written them
        """
        own = self._path.parent
        now = self._path.stat().st_mtime
        taken = 0
        for folder in others:
            if folder == own:
                continue
            if read_run(folder, node).get("status") in answers:
                taken += 1
            elif int(folder.name[1:]) < int(own.name[1:]):
                taken += _is_claimed(folder, now)
        return taken < repeats

    def give_back(self) -> None:
        """Remove the claim and its folder, which holds nothing else."""
        self._path.unlink()
        self._path.parent.rmdir()

    def _renew(self) -> None:
        while not self._ended.wait(_RENEW_SECONDS):
            with contextlib.suppress(OSError):
                os.utime(self._path)

    def __enter__(self) -> "RepeatClaim":
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self._ended.set()
        self._thread.join()
        with contextlib.suppress(OSError):
            self._path.unlink()


def _is_claimed(folder: Path, now: float) -> bool:
    """Return True if a launcher that lives has claimed this folder, or may do so in this moment.

    now  s, the time of a file that was just written on the same file system
    """
    path = folder / _NAME
    try:
        process, _, namespace = path.read_text(encoding="ascii").strip().partition(" ")
        age = now - path.stat().st_mtime
    except (OSError, ValueError):
        with contextlib.suppress(OSError):
            return not any(folder.iterdir()) and now - folder.stat().st_mtime < _NEW_SECONDS
        return False
    if namespace and namespace == process_namespace() and process.isdecimal() and not is_living(int(process)):
        return False
    return age < _MAX_AGE_SECONDS


def process_namespace() -> str:
    """Return what processes have in common that see each other's ids; "" if unknown."""
    with contextlib.suppress(OSError):
        return f"{host_id()}/{Path('/proc/self/ns/pid').readlink()}"
    return ""


def is_living(process: int) -> bool:
    """Return True if a process with this id exists in the namespace of this one."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # of another user
        return True
    return True
