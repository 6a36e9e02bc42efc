"""Build again whenever an input changes: `build --watch` and `serve`.

A snapshot is what files look like from outside; two of them differ if a file changed.
"""

import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from reportgen.cli.terminal import log
from reportgen.core.errors import RequestError

if TYPE_CHECKING:
    from reportgen.document.model import Document

_SECONDS_BETWEEN_LOOKS = 0.5

# Path -> time of the last change in ns, size in bytes.
Snapshot = dict[str, tuple[int, int]]


def watch(
    reports: Path,
    logs: Path | None,
    build: "Callable[[], Iterable[Document]]",
    wait: Callable[[float], object] = time.sleep,
) -> None:
    """Build, and build again after each change of definitions, texts and logs, until an interrupt.

    build  builds and prints, and returns the reports; an error of it is printed, and the next change mends it
    wait   waits for so many s

    Without the folder of reports the error ends the command: the path is wrong.
    """
    if not reports.is_dir():
        build()
    built: tuple[Document, ...] = ()
    seen: Snapshot | None = None
    while True:
        now = _inputs(reports, logs, built)
        if now == seen:
            wait(_SECONDS_BETWEEN_LOOKS)
            continue
        if seen is not None:
            log(f"\n{_changes(seen, now)}")
        built = _try(build, built)
        # What the build itself read decides what is watched; a change meanwhile is not missed.
        seen = now | {path: state for path, state in _inputs(reports, logs, built).items() if path not in now}
        log("watching for changes; end with Ctrl-C")


def _try(build: "Callable[[], Iterable[Document]]", before: "tuple[Document, ...]") -> "tuple[Document, ...]":
    try:
        return tuple(build())
    except RequestError as error:
        log(f"error  {error}")
    except typer.Exit:
        pass  # an exit code is for a build that ends
    return before


def _inputs(reports: Path, logs: Path | None, built: "Iterable[Document]") -> Snapshot:
    root = reports.resolve().parent
    used = {root / each.path for report in built for each in report.provenance}
    texts = take_snapshot([reports.resolve()], (".toml", ".md"))
    written = {path: state for path, state in texts.items() if not path.endswith("README.md")}
    return written | take_snapshot([logs.resolve()] if logs else [root / "logs", *used])


def _changes(before: Snapshot, now: Snapshot) -> str:
    changed = sorted(path for path in before.keys() | now.keys() if before.get(path) != now.get(path))
    more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
    return f"changed: {changed[0]}{more}" if changed else "changed"


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
