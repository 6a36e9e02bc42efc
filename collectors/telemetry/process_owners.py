"""Tell the processes of the run from the others that use its devices.

A process is the run's own if it is `root` (the launcher, or the training process) or descends from it, as
/proc says, or if it was started with the run's folder in its environment: srun's tasks descend from a daemon.
Drivers may report ids of another namespace (containers), which are not visible here.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Optional

_PROC = Path("/proc")


class Owners:
    """Remembers whom it has looked at, because a parent may be gone when its child is asked about."""

    def __init__(self, root: int, mark: str = "", proc: Path = _PROC) -> None:
        """Take the process id, and NAME=VALUE of the variable that all processes of the run have."""
        self._root = root
        self._mark = mark.encode("utf-8", "surrogateescape")
        self._proc = proc
        self._seen: dict[tuple[int, str], bool] = {}

    def foreign(self, users: Iterable[tuple[int, Optional[int]]]) -> dict[str, int]:
        """Return the columns of foreign processes for (process id, bytes or None) of a device's users.

        Nothing if none of them is visible: the ids are then another namespace's, and ours may be among them.
        """
        users = list(users)
        ours = [self._is_ours(pid) for pid, _ in users]
        if users and all(one is None for one in ours):
            return {}
        sizes = [size for (_, size), own in zip(users, ours) if not own]  # noqa: B905 - no strict in 3.9
        found = {"foreign_processes_count": len(sizes)}
        known = [size for size in sizes if size is not None]
        if len(known) == len(sizes):
            found["foreign_memory_bytes"] = sum(known)
        return found

    def _is_ours(self, pid: int) -> Optional[bool]:
        """Return None for a process that is not visible from here."""
        key = (pid, self._stat(pid)[1])
        if not key[1]:
            return None
        if key not in self._seen:
            self._seen[key] = self._descends(pid) or self._is_marked(pid)
        return self._seen[key]

    def _descends(self, pid: int) -> bool:
        while pid > 1:
            if pid == self._root:
                return True
            pid = self._stat(pid)[0]
        return False

    def _is_marked(self, pid: int) -> bool:
        try:
            variables = (self._proc / str(pid) / "environ").read_bytes().split(b"\0")
        except OSError:  # another user's, or gone
            return False
        return bool(self._mark) and self._mark in variables

    def _stat(self, pid: int) -> tuple[int, str]:
        """Return parent and start time, (0, "") for a process that cannot be seen."""
        try:
            text = (self._proc / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return 0, ""
        # Fields 4 and 22; the second is the name in brackets, which may hold anything.
        fields = text.rpartition(")")[2].split()
        return int(fields[1]), fields[19]
