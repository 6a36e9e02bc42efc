"""A file to which only whole lines are ever appended, by one writer.

The file is opened with O_EXCL: two writers of one file would destroy the evidence of both, so the second
one gets an error instead.
"""

import os
from pathlib import Path
from typing import Optional


class LineFile:
    """Whole lines, appended to a file that did not exist.

    `write` raises OSError and from then on the file holds the lines of the earlier writes alone: a
    disk that fills in the middle of a line would otherwise leave half a line before later ones.
    """

    def __init__(self, path: Path) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
        self._fd: Optional[int] = os.open(path, flags, 0o666)
        self._whole = 0

    def write(self, lines: str) -> None:
        """Append whole lines; raises OSError, after which nothing more can be written."""
        if self._fd is None:
            return
        rest = memoryview(lines.encode("ascii", "replace"))
        size = len(rest)
        try:
            while rest:
                rest = rest[os.write(self._fd, rest) :]
        except OSError:
            self._take_back()
            raise
        self._whole += size

    def _take_back(self) -> None:
        assert self._fd is not None
        try:
            os.ftruncate(self._fd, self._whole)
        finally:
            self.close()

    def close(self) -> None:
        """Close the file; harmless when closed."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
