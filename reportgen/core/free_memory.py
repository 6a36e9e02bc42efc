"""Give memory that is free inside this process back to the system, after a large part of a build is done."""

import ctypes
from contextlib import suppress


def give_back_memory() -> None:
    """Give back what the allocator holds for later. Does nothing without glibc."""
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
