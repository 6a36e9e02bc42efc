"""Decide by which clock the steps are timed: what was asked for, and what this process can do."""

import os
import sys
from typing import Any, NamedTuple, Optional

from collectors.format_v1 import run_folder
from collectors.recorder.run_writer import complain

TIMINGS = ("events", "synchronized", "host")


class Timing(NamedTuple):
    """How to time, and `torch.cuda` unless by the host alone."""

    kind: str
    cuda: Any = None


def timing_of(asked: Optional[str]) -> Timing:
    """Return the timing asked for by the script, else by the launcher, else events if torch uses CUDA.

    A device that is not there makes it the host's clock, which is said; ValueError for an unknown timing.
    """
    kind = asked or os.environ.get(run_folder.TIMING_VARIABLE) or None
    if kind is not None and kind not in TIMINGS:
        raise ValueError(f"timing {kind!r}: not known; use {', '.join(TIMINGS)}")
    if kind == "host":
        return Timing("host")
    cuda: Any = getattr(sys.modules.get("torch"), "cuda", None)
    if kind is None:
        return Timing("events", cuda) if cuda is not None and cuda.is_initialized() else Timing("host")
    if cuda is not None and cuda.is_available():
        return Timing(kind, cuda)
    complain(f"timing {kind}: torch uses no CUDA device in this process; the host's clock alone is used")
    return Timing("host")
