"""All copies of logs below the cache folder: of remote folders, and of what is in archives."""

import os
import shutil
from contextlib import suppress

from reportgen.cache import cache_folder

_FOLDERS = ("remote", "unpacked")


def copies_size() -> int:
    """Return the size of all copies in bytes, as they are on the disk: a hole takes no space."""
    total = 0
    for name in _FOLDERS:
        for folder, _, files in os.walk(f"{cache_folder()}/{name}"):
            for file in files:
                with suppress(OSError):
                    total += os.stat(f"{folder}/{file}").st_blocks * 512  # noqa: PTH116
    return total


def clear_copies() -> None:
    """Remove all copies; logs that are read again are fetched or unpacked again."""
    for name in _FOLDERS:
        shutil.rmtree(f"{cache_folder()}/{name}", ignore_errors=True)
