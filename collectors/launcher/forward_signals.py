"""Forward signals to a child process."""

import os
import signal
import subprocess
import threading
from types import FrameType
from typing import Any, Optional

from collectors.format_v1.clocks import read_clocks
from collectors.launcher.exit_status import CANCELLING

_FORWARDED = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")
#: Signals that are sent to whole process groups: by the keys of a terminal, by `timeout`, by CI runners.
_SENT_TO_GROUPS = (signal.SIGINT, signal.SIGQUIT)
_GRACE_SECONDS = 1.0


class SignalForwarder:
    """Forwards signals of this process to its child; starts before the child, so that none is lost.

    Ignored signals (nohup) stay ignored: with a handler they would end the child. A signal that the whole
    process group may have received is forwarded only if the child is still running after a second; a second
    signal would interrupt its clean-up.
    """

    def __init__(self) -> None:
        self.received: list[int] = []
        self.cancelled_ns: Optional[int] = None  # realtime of the first signal that cancels the run
        self._child: Optional["subprocess.Popen[bytes]"] = None
        self._previous_handlers: dict[int, Any] = {}
        self._timers: dict[int, threading.Timer] = {}

    def __enter__(self) -> "SignalForwarder":
        for number in (getattr(signal, name) for name in _FORWARDED if hasattr(signal, name)):
            if signal.getsignal(number) != signal.SIG_IGN:
                self._previous_handlers[number] = signal.signal(number, self._forward)
        return self

    def __exit__(self, *error: object) -> None:
        for timer in self._timers.values():
            timer.cancel()
        for number, handler in self._previous_handlers.items():
            signal.signal(number, handler)

    def attach(self, child: "subprocess.Popen[bytes]") -> None:
        """Forward signals to this child; send it those received so far."""
        self._child = child
        for number in self.received:
            child.send_signal(number)

    def _forward(self, number: int, frame: Optional[FrameType]) -> None:
        self.received.append(number)
        if number in CANCELLING and self.cancelled_ns is None:
            self.cancelled_ns = read_clocks()["realtime_ns"]
        if self._child is None:
            return
        if number not in _SENT_TO_GROUPS:
            self._child.send_signal(number)
        elif not _is_foreground():  # in the foreground it came from the keyboard, to the whole group
            self._forward_later(number, self._child)

    def _forward_later(self, number: int, child: "subprocess.Popen[bytes]") -> None:
        if number in self._timers and self._timers[number].is_alive():
            return
        self._timers[number] = threading.Timer(_GRACE_SECONDS, child.send_signal, [number])
        self._timers[number].daemon = True
        self._timers[number].start()


def _is_foreground() -> bool:
    """Return True if this process group is in the foreground of a terminal."""
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
