"""One digest for all that an answer depends on: files by their status, arguments, the program.

A file counts by its path, size, mode, inode and both times (of its content, and of its status, which no
program can set back). No content is read.
"""

import os
import stat
import sys
import time
from collections.abc import Iterator
from hashlib import blake2b

# A file that changes twice within the resolution of its times looks unchanged after the second change.
YOUNG_SECONDS = 2.0


class Unanswerable(Exception):
    """The files do not show by their status alone whether an answer still holds."""


class Inputs:
    """Collects what an answer depends on.

    newest  time (s since 1970) of the last change of a file
    """

    def __init__(self) -> None:
        self.newest = 0.0
        self._parts: list[str] = []

    def add(self, *values: object) -> None:
        """Add values that are not files."""
        self._parts.append(repr(values))

    def add_file(self, path: str) -> None:
        """Add a file, or that there is none."""
        try:
            self._add_status(path, os.stat(path))  # noqa: PTH116
        except FileNotFoundError:
            self._parts.append(f"{path}\0absent")
        except OSError:
            raise Unanswerable from None

    def add_tree(self, path: str) -> None:
        """Add a file or everything below a folder but hidden entries, which are never read.

        Raises Unanswerable if a folder cannot be listed, or a link leads to one.
        """
        if not os.path.isdir(path):  # noqa: PTH112
            self.add_file(path)
            return
        folders = [path]
        while folders:
            try:
                with os.scandir(folders.pop()) as entries:
                    folders += self._add_entries(entries)
            except OSError:
                raise Unanswerable from None

    def _add_entries(self, entries: "Iterator[os.DirEntry[str]]") -> Iterator[str]:
        """Add the entries of a folder, and yield the folders among them."""
        for entry in entries:
            if entry.name.startswith(".") or entry.name == "__pycache__":
                continue
            if entry.is_dir(follow_symlinks=False):
                yield entry.path
                continue
            if entry.is_symlink():
                if entry.is_dir():
                    raise Unanswerable
                self.add(os.path.realpath(entry.path))
                self.add_file(entry.path)
            self._add_status(entry.path, entry.stat(follow_symlinks=False))

    def _add_status(self, path: str, status: os.stat_result) -> None:
        if not stat.S_ISREG(status.st_mode) and not stat.S_ISLNK(status.st_mode):
            raise Unanswerable
        self.newest = max(self.newest, status.st_mtime, status.st_ctime)
        times = f"{status.st_mtime_ns} {status.st_ctime_ns}"
        self._parts.append(f"{path}\0{status.st_size} {times} {status.st_ino} {status.st_mode}")

    def is_settled(self) -> bool:
        """Return whether all files are old enough for their status to show the next change."""
        return self.newest < time.time() - YOUNG_SECONDS

    def digest(self) -> bytes:
        """Return the digest; the order of the files on disk does not matter."""
        text = "\0\0".join(sorted(self._parts))  # no path has a NUL
        return blake2b(text.encode("utf-8", "surrogateescape"), digest_size=20).digest()


def add_program(inputs: Inputs) -> None:
    """Add the program: its own files, Python, and the folders of installed packages.

    An installation or an upgrade changes the time of such a folder.
    """
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
    program = Inputs()
    program.add_tree(package)
    inputs.add(program.digest(), sys.version, sys.executable)
    for folder in sys.path:
        if folder.endswith("-packages") and os.path.isdir(folder):  # noqa: PTH112
            inputs.add(folder, os.stat(folder).st_mtime_ns)  # noqa: PTH116
