"""Append whole lines to a new file.

The file is opened with O_EXCL, so a second writer of the same file gets an error. Two writers would destroy
the evidence of both.
"""

import os
from pathlib import Path
from typing import Optional


class AppendFile:
    """A new file that receives whole lines from one writer.

    After a failed write the file holds only the lines of the earlier writes. Without that, a full disk would
    leave half a line in the middle of the file.
    """

    def __init__(self, path: Path) -> None:
        """Create the file; raises OSError, FileExistsError if it exists."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
        self._path = path
        self._fd: Optional[int] = os.open(path, flags, 0o666)
        self._size = 0  # bytes of complete writes

    def write(self, lines: str) -> None:
        """Append whole lines; after an OSError the file is closed and further writes do nothing."""
        if self._fd is None:
            return
        rest = memoryview(lines.encode("ascii", "replace"))
        size = len(rest)
        try:
            while rest:
                rest = rest[os.write(self._fd, rest) :]
        except OSError as error:
            error.filename = str(self._path)
            self._truncate_and_close()
            raise
        self._size += size

    def lost(self) -> str:
        """Return what another program did to the file, in words; "" if all lines are still there."""
        if self._fd is None:
            return ""
        state = os.fstat(self._fd)
        if not state.st_nlink:
            return "removed"
        return "cut short" if state.st_size < self._size else ""

    def _truncate_and_close(self) -> None:
        assert self._fd is not None
        try:
            os.ftruncate(self._fd, self._size)
        finally:
            self.close()

    def close(self) -> None:
        """Close the file; does nothing if it is closed."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
