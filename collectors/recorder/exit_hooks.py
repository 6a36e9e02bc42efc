"""Learn how the process ends, without changing how it ends.

A recorder has to say whether its run is complete, failed, out of memory or cancelled. This module
listens at the three doors that Python offers (exit handlers, the hook for uncaught exceptions, SIGTERM)
and hands on to whoever stood there before. What no process can hear (SIGKILL, a crash of the
interpreter) the launcher sees from outside.
"""

import atexit
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any, Callable, Optional

#: Texts with which frameworks report exhausted memory through exceptions of general type.
_MEMORY_TEXTS = (
    "out of memory",
    "can't allocate memory",
    "not enough memory",
    "CUBLAS_STATUS_ALLOC_FAILED",
    "CUDNN_STATUS_ALLOC_FAILED",
)
_LONGEST_ERROR = 500


def status_of(error: BaseException) -> tuple[str, str]:
    """Return the status of a run that `error` ended, and the last line of the error's text."""
    lines = traceback.format_exception_only(type(error), error)[-1].strip().splitlines() or [""]
    text = lines[-1][:_LONGEST_ERROR]
    if isinstance(error, KeyboardInterrupt):
        return "cancelled", text
    if isinstance(error, SystemExit):
        return ("complete", "") if error.code in (None, 0) else ("failed", text)
    memory = isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError"
    if memory or any(part in str(error) for part in _MEMORY_TEXTS):
        return "out_of_memory", text
    return "failed", text


@contextmanager
def undisturbed(*, is_cancelled: bool) -> Iterator[None]:
    """Hold back Ctrl-C in the body, where it would raise and leave a log half written.

    It is let through afterwards, unless the process is being cancelled already: who stops a group of
    processes often tells each of them twice.
    """
    held: list[int] = []
    before = signal.default_int_handler
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not before:
        yield
        return
    signal.signal(signal.SIGINT, lambda number, frame: held.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if held and not is_cancelled:
        raise KeyboardInterrupt


class Ending:
    """Calls `close(status, error)` once the process ends, in the process that created it."""

    def __init__(self, close: Callable[[str, str], None]) -> None:
        self._close = close
        self._pid = os.getpid()
        self._next_hook = sys.excepthook
        self._hook = self._on_exception  # one bound method, to be recognised later
        self._handler = self._on_signal
        atexit.register(self._on_exit)
        sys.excepthook = self._hook
        # A training script with its own handler keeps it.
        _replace_handler(signal.SIG_DFL, self._handler)

    def forget(self) -> None:
        """Stop listening; a hook that somebody has put on top of ours stays and passes through us."""
        atexit.unregister(self._on_exit)
        if sys.excepthook is self._hook:
            sys.excepthook = self._next_hook
        _replace_handler(self._handler, signal.SIG_DFL)

    def _on_exit(self) -> None:
        self._close("complete", "")

    def _on_exception(
        self, kind: type[BaseException], error: BaseException, trace: Optional[TracebackType]
    ) -> None:
        with undisturbed(is_cancelled=isinstance(error, KeyboardInterrupt)):
            self._close(*status_of(error))
            self._next_hook(kind, error, trace)

    def _on_signal(self, number: int, frame: Optional[FrameType]) -> None:
        # Forked children (DataLoader workers) inherit this handler; their end is not the run's.
        if os.getpid() == self._pid:
            self._close("cancelled", signal.Signals(number).name)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)


def _replace_handler(old: Any, new: Any) -> None:
    # Python lets only the main thread set handlers.
    is_main = threading.current_thread() is threading.main_thread()
    if is_main and signal.getsignal(signal.SIGTERM) == old:
        signal.signal(signal.SIGTERM, new)
