"""What files look like from outside, to notice when one changes."""

import os
from collections.abc import Iterable
from pathlib import Path

# Path -> time of the last change in ns, size in bytes.
Snapshot = dict[str, tuple[int, int]]


def take_snapshot(places: Iterable[Path], suffixes: tuple[str, ...] = ("",)) -> Snapshot:
    """Return all files at and below the places whose names end like one of the suffixes.

    Hidden folders are left out, and so are files that are removed meanwhile.
    """
    taken: Snapshot = {}
    folders = [place for place in places if place.is_dir()]
    for place in places:
        if place.is_file():
            _add(taken, place)
    while folders:
        for entry in _entries(folders.pop()):
            if entry.is_dir(follow_symlinks=False):
                if not entry.name.startswith("."):
                    folders.append(Path(entry.path))
            elif entry.name.endswith(suffixes):
                _add(taken, entry)
    return taken


def _entries(folder: Path) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _add(taken: Snapshot, file: "Path | os.DirEntry[str]") -> None:
    try:
        state = file.stat()
    except OSError:
        return
    taken[os.fspath(file)] = (state.st_mtime_ns, state.st_size)
