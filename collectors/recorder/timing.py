"""Choose the clock that times the steps, and wait for the device."""

import os
import sys
from typing import Any, NamedTuple, Optional

from collectors.format_v1.run_folder import TIMING_VARIABLE
from collectors.messages import warn

TIMINGS = ("events", "synchronized", "host")


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


def wait_for_device() -> bool:
    """Wait until torch's CUDA device is idle; return False if torch uses none, or cannot wait."""
    cuda: Any = getattr(sys.modules.get("torch"), "cuda", None)
    if cuda is None or not cuda.is_initialized():
        return False
    try:
        if cuda.is_current_stream_capturing():  # waiting would break the capture
            return False
        cuda.synchronize()
    except RuntimeError:  # an earlier error of the training, which will raise there
        return False
    return True
