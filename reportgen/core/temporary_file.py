"""A temporary file without a name: it is gone when the program ends, however it ends."""

import os
import tempfile


class TemporaryFile:
    """A file to write to and to read from at any place.

    descriptor  of the open file
    """

    def __init__(self) -> None:
        with tempfile.TemporaryFile(prefix="reportgen-") as file:
            self.descriptor = os.dup(file.fileno())

    def write(self, content: bytes, begin: int) -> None:
        """Write at a place. Raises OSError if the disk is full."""
        left = memoryview(content)
        while left:
            written = os.pwrite(self.descriptor, left, begin)
            left, begin = left[written:], begin + written

    def read(self, begin: int, size: int) -> bytes:
        """Return a part of the file."""
        return os.pread(self.descriptor, size, begin)

    def __del__(self) -> None:
        if hasattr(self, "descriptor"):  # not if it could not be opened
            os.close(self.descriptor)
