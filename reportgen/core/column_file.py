"""Columns of steps in a temporary file: the steps of many runs need not be in memory.

A column goes in, the same values come out as an array that cannot be written: a view of the file, which the
system reads where it is looked at. The first megabytes stay in memory, so a small build needs no file. A file
has no name, and is gone with its last column.
"""

import mmap
import os
import tempfile
from contextlib import suppress
from typing import Any
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

# Columns of this many bytes stay in memory.
_IN_MEMORY = 16 * 2**20
# The file is mapped in pieces of this size; a longer column stays in memory, too.
_PIECE = 64 * 2**20


class ColumnFile:
    """A growing file of columns."""

    def __init__(self) -> None:
        self._seen = 0
        self._descriptor: int | None = None
        self._end = 0
        self._piece = np.empty(0, np.uint8)
        self._maps: list[mmap.mmap] = []

    def stored(self, column: NDArray[Any]) -> NDArray[Any]:
        """Return a column as a view of the file; itself if it may stay in memory, or the disk is full."""
        size = column.nbytes
        self._seen += size
        if self._seen <= _IN_MEMORY or size > _PIECE or not size:
            return column
        try:
            begin = self._written(column.tobytes())
        except OSError:
            return column
        return self._piece[begin : begin + size].view(column.dtype)

    def _written(self, content: bytes) -> int:
        """Write a column, and return where it begins in the last piece."""
        if self._descriptor is None:
            with tempfile.TemporaryFile(prefix="reportgen-") as file:
                self._descriptor = os.dup(file.fileno())
            _FILES.add(self)
        begin = self._end
        if len(self._piece) - begin < len(content):
            os.ftruncate(self._descriptor, (len(self._maps) + 1) * _PIECE)
            self._maps.append(
                mmap.mmap(self._descriptor, _PIECE, offset=len(self._maps) * _PIECE, access=mmap.ACCESS_READ)
            )
            self._piece, begin = np.frombuffer(self._maps[-1], np.uint8), 0
        # A write reports a full disk; a write to the mapped memory would end the program.
        place = (len(self._maps) - 1) * _PIECE + begin
        if os.pwrite(self._descriptor, content, place) < len(content):
            raise OSError("the disk is full")
        self._end = begin + -(-len(content) // 8) * 8
        return begin

    def release(self) -> None:
        """Take what was read of the file out of the memory of this process; it is read again when needed."""
        with suppress(AttributeError, OSError):  # the hint does not exist everywhere
            for each in self._maps:
                each.madvise(mmap.MADV_DONTNEED)

    def __del__(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)


_FILES: "WeakSet[ColumnFile]" = WeakSet()


def release_columns() -> None:
    """Take the columns that were read out of the memory of this process: for who walks over many runs."""
    for file in _FILES:
        file.release()
