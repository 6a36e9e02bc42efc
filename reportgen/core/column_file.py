"""Columns of steps in a temporary file: the steps of many runs need not be in memory.

A column goes in, the same values come out as an array that cannot be written: a view of the file, which the
system reads where it is looked at. The first megabytes stay in memory, so a small build needs no file.
"""

import mmap
import os
from contextlib import suppress
from typing import Any
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from reportgen.core.temporary_file import TemporaryFile

# Columns of this many bytes stay in memory.
_IN_MEMORY = 16 * 2**20
# The file is mapped in pieces of this size; a longer column stays in memory, too.
_PIECE = 64 * 2**20
# Numbers begin at multiples of their size.
_ALIGNMENT = 8


class ColumnFile:
    """A growing file of columns."""

    def __init__(self) -> None:
        self._seen = 0
        self._file: TemporaryFile | None = None
        self._pieces = 0
        self._piece = np.empty(0, np.uint8)  # the last one
        self._end = 0  # in it

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
        self._file = self._file or TemporaryFile()
        if self._end + len(content) > len(self._piece):
            self._add_piece(self._file.descriptor)
        # A write reports a full disk; a write to the mapped memory would end the program.
        begin = self._end
        self._file.write(content, (self._pieces - 1) * _PIECE + begin)
        self._end += -(-len(content) // _ALIGNMENT) * _ALIGNMENT
        return begin

    def _add_piece(self, descriptor: int) -> None:
        begin = self._pieces * _PIECE
        os.ftruncate(descriptor, begin + _PIECE)
        mapped = mmap.mmap(descriptor, _PIECE, offset=begin, access=mmap.ACCESS_READ)
        _MAPS.add(mapped)
        self._piece, self._end = np.frombuffer(mapped, np.uint8), 0
        self._pieces += 1


# The columns keep the maps of all files.
_MAPS: "WeakSet[mmap.mmap]" = WeakSet()


def release_columns() -> None:
    """Take the columns that were read out of the memory of this process; they are read again when needed.

    For who walks over many runs.
    """
    with suppress(AttributeError, OSError):  # the hint does not exist everywhere
        for each in _MAPS:
            each.madvise(mmap.MADV_DONTNEED)
