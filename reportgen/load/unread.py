"""Find unread logs: the files and folders below `logs/` that no definition names.

Only names are compared and folders listed; no file is opened.
"""

import os
from collections.abc import Collection, Iterator
from pathlib import Path

from reportgen.load.scan import holds
from reportgen.load.unrecognised import UnrecognisedFile
from reportgen.sources.filesystem import printable


def unread_logs(root: Path, folder: str, read: Collection[str]) -> Iterator[str]:
    """Yield the topmost folders with files, and the possible logs, in a folder that are not read.

    read  files and folders that are read; these and the folder are relative to the root
    """
    if not (root / folder).is_dir() or any(holds(place, folder) for place in read):
        return
    for entry in sorted((root / folder).iterdir()):
        path = f"{folder}/{printable(entry.name)}"
        if entry.name.startswith(".") or any(holds(place, path) for place in read):
            continue
        if any(holds(path, place) for place in read):
            yield from unread_logs(root, path, read)
        elif _has_files(entry) or (entry.is_file() and UnrecognisedFile(path, 0).may_be_log):
            yield path


def _has_files(folder: Path) -> bool:
    return any(not name.startswith(".") for _, _, names in os.walk(folder) for name in names)
