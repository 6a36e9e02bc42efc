"""Run a child process to its end while its output is copied to the terminal and into files.

stdout and stderr have a pipe and a file each, so that they are never mixed up. A process that the command
leaves behind (a daemon) may hold the pipes open; it is not waited for.
"""

import os
import selectors
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from time import monotonic, monotonic_ns
from typing import IO, NamedTuple, Optional, TextIO

from collectors.messages import warn

_GRACE_SECONDS = 1.0  # for helpers of the command that print their last lines after its end
_CHUNK_BYTES = 65536
_PIPE_BYTES = 1 << 20  # the most that a pipe holds: all that the command itself can have left in it


class ProcessEnd(NamedTuple):
    """The exit code of a process (-N: killed by signal N), and when it ended."""

    code: int
    monotonic_ns: int


class _Copy:
    """One stream of the child: from its pipe to our stream of the same name, if it is open, and to a file."""

    def __init__(self, pipe: IO[bytes], terminal: Optional[int], path: Path) -> None:
        self.pipe = pipe
        self._terminal = terminal
        self._path = path
        self._file: Optional[int] = None
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        except OSError as error:
            self._warn(error)

    def pass_on(self) -> int:
        """Copy what the pipe holds; return the number of bytes, 0 at the end of the stream.

        If the disk is full or the reader of our stream is gone, the pipe is still read: the child must not
        block.
        """
        chunk = os.read(self.pipe.fileno(), _CHUNK_BYTES)
        if self._terminal is not None:
            with suppress(OSError):
                _write_all(self._terminal, chunk)
        if self._file is not None:
            try:
                _write_all(self._file, chunk)
            except OSError as error:
                self._warn(error)
                self.close_file()
        return len(chunk)

    def pass_on_to_end(self) -> None:
        """Copy to our stream until the end, for a process that was left behind; it must not get SIGPIPE."""
        while self.pass_on():
            pass

    def _warn(self, error: OSError) -> None:
        warn(f"{self._path}: {error.strerror}; the rest of this output is not saved")

    def close_file(self) -> None:
        """Close the file; later output goes to our stream alone."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _write_all(file: int, chunk: bytes) -> None:
    while chunk:
        chunk = chunk[os.write(file, chunk) :]


def _descriptor(stream: Optional[TextIO]) -> Optional[int]:
    """Return the descriptor of our stream; None without a stream, as where the shell closed it (`>&-`).

    Never raises: the command has started, and its output must be read.
    """
    with suppress(OSError, ValueError):  # closed by Python, or replaced by a stream in memory
        return None if stream is None else stream.fileno()
    return None


def wait_and_save_output(child: "subprocess.Popen[bytes]", stdout: Path, stderr: Path) -> ProcessEnd:
    """Wait for a child with two pipes, and copy its output as it arrives."""
    assert child.stdout is not None
    assert child.stderr is not None
    copies = [
        _Copy(child.stdout, _descriptor(sys.stdout), stdout),
        _Copy(child.stderr, _descriptor(sys.stderr), stderr),
    ]
    ended, signal_end = os.pipe()

    ends: list[ProcessEnd] = []

    def wait() -> None:
        ends.append(ProcessEnd(child.wait(), monotonic_ns()))
        os.close(signal_end)

    waiter = threading.Thread(target=wait, daemon=True)
    waiter.start()
    open_copies = _copy_until_end(copies, ended)
    for copy in copies:
        copy.close_file()
        if copy in open_copies:
            threading.Thread(target=copy.pass_on_to_end, daemon=True).start()
    if open_copies:
        warn(f"{stdout.parent}: a process in the background is still running; its output is no longer saved")
    waiter.join()
    os.close(ended)
    return ends[0]


def _copy_until_end(copies: list[_Copy], ended: int) -> list[_Copy]:
    """Copy until all streams have ended, or a short time after the child has; return the open streams."""
    open_copies = list(copies)
    deadline: Optional[float] = None
    copied = 0  # bytes, after the deadline
    with selectors.DefaultSelector() as selector:
        selector.register(ended, selectors.EVENT_READ)
        for copy in copies:
            selector.register(copy.pipe, selectors.EVENT_READ, copy)
        while open_copies and copied < _PIPE_BYTES:
            ready = selector.select(None if deadline is None else max(0.0, deadline - monotonic()))
            if not ready and deadline is not None:
                break
            for key, _ in ready:
                if key.data is None:
                    deadline = monotonic() + _GRACE_SECONDS
                    selector.unregister(ended)
                    continue
                size = key.data.pass_on()
                copied += size if deadline is not None and monotonic() > deadline else 0
                if not size:
                    selector.unregister(key.fileobj)
                    key.data.pipe.close()
                    open_copies.remove(key.data)
    return open_copies
