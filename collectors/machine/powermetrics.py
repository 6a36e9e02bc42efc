"""Find powermetrics, Apple's program that shows what its GPU does."""

import os
import shutil
from typing import Optional

from collectors.machine.nvml import UnavailableError


def has_powermetrics() -> bool:
    """Return True on a computer of Apple."""
    return shutil.which("powermetrics") is not None


def find_powermetrics() -> str:
    """Return the path of powermetrics, if this process may start it; raises UnavailableError."""
    program: Optional[str] = shutil.which("powermetrics")
    if program is None:
        raise UnavailableError("powermetrics is not installed")
    if os.geteuid():
        raise UnavailableError("powermetrics needs root", "start the launcher with sudo")
    return program
