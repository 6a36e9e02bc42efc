"""Stand between a terminal and a child process without being noticed: output and signals are passed on."""

import os
import signal
import subprocess
import sys
import threading
from contextlib import ExitStack, suppress
from pathlib import Path
from types import FrameType
from typing import Any, Optional

_FORWARDED = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")
#: Signals that whole process groups get: from a terminal's keys, from `timeout`, from a CI runner.
_SHARED = (signal.SIGINT, signal.SIGQUIT)
_GRACE_SECONDS = 1.0
_CANCELLING = {"SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"}


def tee(pipe: int, path: Path) -> None:
    """Copy what comes out of the pipe to our stdout and to the file, as it comes.

    A full disk or a reader of ours that has gone away is not the child's trouble: its pipe is emptied
    to the end in any case.
    """
    copies = [sys.stdout.fileno()]
    with ExitStack() as stack:
        with suppress(OSError):
            copies.append(stack.enter_context(path.open("wb")).fileno())
        while True:
            part = os.read(pipe, 65536)
            if not part:
                return
            for copy in copies:
                _write_whole(copy, part)


def _write_whole(file: int, part: bytes) -> None:
    with suppress(OSError):
        while part:
            part = part[os.write(file, part) :]


class Forwarding:
    """Hands signals that reach this process on to its child; begins before it, so that none is lost.

    Signals that are ignored (nohup) are left alone: a handler would make them deadly for the child. One that
    the child may have had already, because it went to the whole group, is handed on only if the child is
    still there after a while: twice it would interrupt what the first has begun.
    """

    def __init__(self) -> None:
        self.received: list[str] = []
        self._child: Optional["subprocess.Popen[bytes]"] = None
        self._before: dict[int, Any] = {}
        self._later: dict[int, threading.Timer] = {}

    @property
    def is_cancelled(self) -> bool:
        """Whether a person or a scheduler wanted the end."""
        return bool(_CANCELLING.intersection(self.received))

    def __enter__(self) -> "Forwarding":
        for number in (getattr(signal, name) for name in _FORWARDED if hasattr(signal, name)):
            if signal.getsignal(number) != signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._forward)
        return self

    def __exit__(self, *error: object) -> None:
        for timer in self._later.values():
            timer.cancel()
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def hand_to(self, child: "subprocess.Popen[bytes]") -> None:
        """Say whose signals they are; what came before is sent now."""
        self._child = child
        for name in self.received:
            child.send_signal(getattr(signal, name))

    def _forward(self, number: int, frame: Optional[FrameType]) -> None:
        self.received.append(signal.Signals(number).name)
        if self._child is None:
            return
        if number not in _SHARED:
            self._child.send_signal(number)
        elif not _is_foreground():  # else it came from the keyboard, to every process of the group
            self._hand_on_later(number, self._child)

    def _hand_on_later(self, number: int, child: "subprocess.Popen[bytes]") -> None:
        if number in self._later and self._later[number].is_alive():
            return
        self._later[number] = threading.Timer(_GRACE_SECONDS, child.send_signal, [number])
        self._later[number].daemon = True
        self._later[number].start()


def _is_foreground() -> bool:
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)
