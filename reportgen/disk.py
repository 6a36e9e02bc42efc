"""What lies on disk: which files are below a folder, and their bytes, as strings and without a view on top.

Listing leaves out hidden files and what a symbolic link has outside the root. Everything is by paths as
strings: a corpus has tens of thousands of files, and an object a file is what costs most.
"""

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from io import FileIO
from pathlib import Path

# Files that are looked at beside a log are small.
_SMALL = 65536


@dataclass(frozen=True, slots=True)
class Listed:
    """The regular files below a folder: path below it -> path on disk, and what is no such file and why.

    unreadable  (path below the folder, reason) of what could not be looked at
    """

    files: dict[str, str]
    unreadable: tuple[tuple[str, OSError | str], ...]


def listed(folder: Path, root: Path) -> Listed:
    """Return what lies below a folder; links may lead anywhere inside the root or the folder."""
    files: dict[str, str] = {}
    unreadable: list[tuple[str, OSError | str]] = []
    inside = (root.resolve(), folder.resolve())
    pending = [(str(folder), "")]
    while pending:
        path, below = pending.pop()
        try:
            with os.scandir(path) as found:
                entries = [entry for entry in found if not entry.name.startswith(".")]
        except OSError as error:
            unreadable.append((below.rstrip("/"), error))
            continue
        for entry in entries:
            name = below + _printable(entry.name)
            if entry.is_file(follow_symlinks=False):
                files[name] = entry.path
            elif entry.is_dir(follow_symlinks=False):
                pending.append((entry.path, f"{name}/"))
            elif entry.is_symlink() and not _is_inside(Path(entry.path), inside):
                unreadable.append((name, "the link leads out of the root"))
            elif entry.is_file():
                files[name] = entry.path
    return Listed(files, tuple(unreadable))


def beginning(path: str | Path, size: int) -> bytes:
    """Return the first bytes of a file."""
    # No object a file, and no look at its size before: most logs are small, and many.
    file = os.open(path, os.O_RDONLY)
    try:
        return os.read(file, size)
    finally:
        os.close(file)


def content(path: str | Path) -> bytes:
    """Return a whole file."""
    with FileIO(path) as file:
        return file.readall()


def size(path: str | Path) -> int:
    """Return the size of a file in bytes."""
    return Path(path).stat().st_size


def ends(place: str | Path | bytes, first: int, last: int) -> tuple[bytes, bytes]:
    """Return the first and the last bytes of a file (or of a content), which is longer than both together."""
    if isinstance(place, bytes):
        return place[:first], place[-last:]
    with FileIO(place) as file:
        begin = file.read(first)
        file.seek(-last, os.SEEK_END)
        return begin, file.read(last)


def whole_lines(place: str | Path | bytes, first: int, last: int) -> tuple[bytes, bytes]:
    """Return `ends` without the line that the begin breaks off in and the one that the end begins in."""
    begin, end = ends(place, first, last)
    cut = max(begin.rfind(b"\n"), begin.rfind(b"\r")) + 1
    breaks = [at for at in (end.find(b"\n"), end.find(b"\r")) if at >= 0]
    return begin[:cut] if cut else begin, end[min(breaks) + 1 :] if breaks else b""


@dataclass(slots=True)
class Neighbours:
    """The small files of a folder by their path below it, each read once; None is what is not there.

    folder, root  on disk; nothing outside both is read
    """

    folder: str
    root: str
    known: dict[str, bytes | None] = field(default_factory=dict)

    def get(self, path: str) -> bytes | None:
        """Return the content of a file, path below the folder and normalised."""
        if path not in self.known:
            self.known[path] = self._read(path)
        return self.known[path]

    def __reduce__(self) -> tuple[type["Neighbours"], tuple[str, str]]:
        return Neighbours, (self.folder, self.root)

    def _read(self, path: str) -> bytes | None:
        if path.startswith(("/", ".")) or "/." in path:
            return None
        place = f"{self.folder}/{path}"
        try:
            found = os.lstat(place)
            if stat.S_ISLNK(found.st_mode) or not _is_real(place.rpartition("/")[0], self.folder):
                if not _is_inside(Path(place), (Path(self.root).resolve(), Path(self.folder).resolve())):
                    return None
                found = Path(place).stat()
            return content(place) if stat.S_ISREG(found.st_mode) and found.st_size <= _SMALL else None
        except OSError:
            return None


@lru_cache(maxsize=256)
def _is_real(folder: str, above: str) -> bool:
    """Return whether no symbolic link lies on the way from one folder down to another."""
    if folder == above:
        return True
    return not stat.S_ISLNK(os.lstat(folder).st_mode) and _is_real(folder.rpartition("/")[0], above)


def _is_inside(path: Path, folders: Iterable[Path]) -> bool:
    target = path.resolve()
    return any(target.is_relative_to(folder) for folder in folders)


def _printable(name: str) -> str:
    """Return a file name that can be written as UTF-8, whatever bytes the file system holds."""
    return name if name.isascii() else name.encode("utf-8", "backslashreplace").decode()
