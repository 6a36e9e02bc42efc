"""Detect how the process ends, without changing how it ends.

The status of a run is complete, failed, out_of_memory or cancelled. This module hooks into exit handlers, the
hook for uncaught exceptions, SIGTERM and SIGHUP, and calls the handlers that were installed before. SIGKILL
and a crash of the interpreter cannot be detected here; the launcher detects them from outside.
"""

import atexit
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any, Callable, Optional

from collectors.recorder.error_summary import summarize_error

#: Texts of out-of-memory errors that frameworks raise as general exceptions.
_OUT_OF_MEMORY_TEXTS = (
    "out of memory",
    "can't allocate memory",
    "not enough memory",
    "CUBLAS_STATUS_ALLOC_FAILED",
    "CUDNN_STATUS_ALLOC_FAILED",
)
#: What a scheduler and a terminal that is closed send.
_SIGNALS = [signal.Signals[name] for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


def status_of(error: BaseException) -> tuple[str, str]:
    """Return the status of a run that `error` ended, and the summary of the error."""
    text = summarize_error(error)
    if isinstance(error, KeyboardInterrupt):
        return "cancelled", text
    if isinstance(error, SystemExit):
        return ("complete", "") if error.code in (None, 0) else ("failed", text)
    is_memory_error = isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError"
    if is_memory_error or any(part in str(error) for part in _OUT_OF_MEMORY_TEXTS):
        return "out_of_memory", text
    return "failed", text


@contextmanager
def hold_interrupts(*, is_cancelled: bool) -> Iterator[Sequence[int]]:
    """Hold back Ctrl-C during the body, where KeyboardInterrupt would leave a log half written.

    Yields the list of the signals that are held. Raises KeyboardInterrupt afterwards, unless the process is
    already being cancelled: a process of a group often receives the same signal twice.
    """
    held: list[int] = []
    default_handler = signal.default_int_handler
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not default_handler:
        yield held
        return
    signal.signal(signal.SIGINT, lambda number, frame: held.append(number))
    try:
        yield held
    finally:
        signal.signal(signal.SIGINT, default_handler)
    if held and not is_cancelled:
        raise KeyboardInterrupt


class ExitHooks:
    """Calls `close(status, error)` when the process ends, in the process that created the hooks."""

    def __init__(self, close: Callable[[str, str], None]) -> None:
        self._close = close
        self._pid = os.getpid()
        self._next_hook = sys.excepthook
        self._hook = self._on_exception  # each access creates a new bound method; keep one to compare with
        self._handler = self._on_signal
        atexit.register(self._on_exit)
        sys.excepthook = self._hook
        # A training script with its own handler keeps it, and `nohup` keeps ignoring SIGHUP.
        _replace_handlers(signal.SIG_DFL, self._handler)

    def remove(self) -> None:
        """Remove the hooks; a later hook that calls ours stays, and ours calls the next."""
        atexit.unregister(self._on_exit)
        if sys.excepthook is self._hook:
            sys.excepthook = self._next_hook
        _replace_handlers(self._handler, signal.SIG_DFL)

    def _on_exit(self) -> None:
        self._close("complete", "")

    def _on_exception(
        self, kind: type[BaseException], error: BaseException, trace: Optional[TracebackType]
    ) -> None:
        with hold_interrupts(is_cancelled=isinstance(error, KeyboardInterrupt)):
            self._close(*status_of(error))
            self._next_hook(kind, error, trace)

    def _on_signal(self, number: int, frame: Optional[FrameType]) -> None:
        # Forked children (DataLoader workers) inherit this handler; their end is not the end of the run.
        if os.getpid() == self._pid:
            self._close("cancelled", signal.Signals(number).name)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)


def _replace_handlers(old: Any, new: Any) -> None:
    # Only the main thread can install signal handlers.
    if threading.current_thread() is threading.main_thread():
        for number in _SIGNALS:
            if signal.getsignal(number) == old:
                signal.signal(number, new)
