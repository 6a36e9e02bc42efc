"""Separate the processes of the run from foreign processes on its devices.

A process belongs to the run if it is the root process (the launcher, or the training process), if it descends
from it according to /proc, or if its environment names the run folder: the tasks of srun descend from a
daemon. In containers, drivers may report process ids of another namespace, which are not visible here.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Optional

_PROC = Path("/proc")


class ProcessOwners:
    """Classifies processes, and remembers the results: a parent may end before its child is looked up."""

    def __init__(self, root: int, variable: str = "", proc: Path = _PROC) -> None:
        """Take the id of the root process, and the variable (NAME=VALUE) of all processes of the run."""
        self._root = root
        self._variable = variable.encode("utf-8", "surrogateescape")
        self._proc = proc
        self._is_own: dict[tuple[int, str], bool] = {}  # by process id and start time

    def foreign(self, users: Iterable[tuple[int, Optional[int]]]) -> dict[str, int]:
        """Return the columns of foreign processes, given the processes (id, bytes or None) on a device.

        Returns {} if none of them is visible: the ids then belong to another namespace, and some of them may
        be processes of the run.
        """
        users = list(users)
        own = [self._belongs_to_run(pid) for pid, _ in users]
        if users and all(is_own is None for is_own in own):
            return {}
        sizes = [size for (_, size), is_own in zip(users, own) if not is_own]  # noqa: B905 - Python 3.9
        columns = {"foreign_processes_count": len(sizes)}
        known_sizes = [size for size in sizes if size is not None]
        if len(known_sizes) == len(sizes):
            columns["foreign_memory_bytes"] = sum(known_sizes)
        return columns

    def _belongs_to_run(self, pid: int) -> Optional[bool]:
        """Return None for a process that is not visible."""
        key = (pid, self._stat(pid)[1])
        if not key[1]:
            return None
        if key not in self._is_own:
            self._is_own[key] = self._descends_from_root(pid) or self._has_variable(pid)
        return self._is_own[key]

    def _descends_from_root(self, pid: int) -> bool:
        while pid > 1:
            if pid == self._root:
                return True
            pid = self._stat(pid)[0]
        return False

    def _has_variable(self, pid: int) -> bool:
        try:
            variables = (self._proc / str(pid) / "environ").read_bytes().split(b"\0")
        except OSError:  # ended, or owned by another user
            return False
        return bool(self._variable) and self._variable in variables

    def _stat(self, pid: int) -> tuple[int, str]:
        """Return parent and start time; (0, "") for a process that is not visible."""
        try:
            text = (self._proc / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return 0, ""
        # Fields 4 and 22. Field 2 is the name in brackets, which may contain any character.
        fields = text.rpartition(")")[2].split()
        return int(fields[1]), fields[19]
