"""Choose the clock that times the steps, and wait for the devices."""

import os
import sys
import threading
from time import perf_counter_ns
from typing import Any, Callable, NamedTuple, Optional

from collectors.format_v1.run_folder import TIMING_VARIABLE
from collectors.machine.torch_info import initialized_devices
from collectors.messages import warn

TIMINGS = ("events", "synchronized", "host")
_MESSAGE_SECONDS, _POLL_SECONDS = 2.0, 0.1


class Timing(NamedTuple):
    """A kind of timing, and `torch.cuda` unless the kind is "host"."""

    kind: str
    cuda: Any = None


def choose_timing(requested: Optional[str]) -> Timing:
    """Return the timing that the script sets, else the launcher, else events if torch uses CUDA, else host.

    Warns and returns the host's clock if there is no CUDA device. Raises ValueError for an unknown timing.
    """
    kind = requested or os.environ.get(TIMING_VARIABLE) or None
    if kind is not None and kind not in TIMINGS:
        raise ValueError(f"timing {kind!r}: unknown; use {', '.join(TIMINGS)}")
    if kind == "host":
        return Timing("host")
    cuda: Any = getattr(sys.modules.get("torch"), "cuda", None)
    if kind is None:
        return Timing("events", cuda) if cuda is not None and cuda.is_initialized() else Timing("host")
    if cuda is not None and cuda.is_available():
        return Timing(kind, cuda)
    warn(f"timing {kind}: torch uses no CUDA device in this process; using the host's clock")
    return Timing("host")


def wait_for_devices() -> bool:
    """Wait until all devices that torch uses here are idle; return False if it uses none, or cannot wait.

    torch.cuda.synchronize() alone waits for the current device, and the work may be on another one.
    """
    cuda: Any = getattr(sys.modules.get("torch"), "cuda", None)
    if cuda is None or not cuda.is_initialized():
        return False
    try:
        if cuda.is_current_stream_capturing():  # waiting would break the capture
            return False
        for device in initialized_devices():
            cuda.synchronize(device)
    except (AttributeError, RuntimeError):  # an earlier error of the training, which will raise there
        return False
    return True


def wait_interruptibly(is_interrupted: Callable[[], bool]) -> Optional[tuple[int, int]]:
    """Wait as `wait_for_devices`, in another thread, so that Ctrl-C ends the wait for a device that hangs.

    is_interrupted  True if the user wants to wait no longer
    Returns the start and the end of the wait in ns; None if it did not end or there is nothing to wait for.
    """
    waits: list[tuple[int, int]] = []

    def wait() -> None:
        begin = perf_counter_ns()
        if wait_for_devices():
            waits.append((begin, perf_counter_ns()))

    thread = threading.Thread(target=wait, name="reportgen-wait", daemon=True)
    try:
        thread.start()
    except RuntimeError:  # the interpreter is ending
        wait()
        return waits[0] if waits else None
    thread.join(_MESSAGE_SECONDS)
    if thread.is_alive() and not is_interrupted():
        warn("waiting for the device to complete its work; Ctrl-C stops waiting")
    while thread.is_alive() and not is_interrupted():
        thread.join(_POLL_SECONDS)
    return waits[0] if waits else None
