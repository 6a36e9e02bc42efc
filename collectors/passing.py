"""Stand between a terminal and a child process without being noticed: output and signals are passed on."""

import os
import signal
import subprocess
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from types import FrameType
from typing import Any, Dict, List, Optional

_FORWARDED = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")
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

    Signals that are ignored (nohup) are left alone: a handler would make them deadly for the child.
    """

    def __init__(self) -> None:
        self.received: List[str] = []
        self._child: Optional["subprocess.Popen[bytes]"] = None
        self._before: Dict[int, Any] = {}

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
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def hand_to(self, child: "subprocess.Popen[bytes]") -> None:
        """Say whose signals they are; what came before is sent now."""
        self._child = child
        for name in self.received:
            child.send_signal(getattr(signal, name))

    def _forward(self, number: int, frame: Optional[FrameType]) -> None:
        self.received.append(signal.Signals(number).name)
        # Ctrl-C reaches every process of the terminal's foreground group: the child has had it already.
        is_shared = number in (signal.SIGINT, signal.SIGQUIT) and _is_foreground()
        if self._child is not None and not is_shared:
            self._child.send_signal(number)


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
