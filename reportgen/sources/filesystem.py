"""What lies on disk: which files are below a folder, and their bytes, as strings and without a view on top.

Listing leaves out hidden files, and follows symbolic links inside the root only. Everything is by paths as
strings: a corpus has tens of thousands of files, and an object a file is what costs most.
"""

import os
import stat
from dataclasses import dataclass, field
from functools import lru_cache
from io import FileIO
from pathlib import Path

from reportgen.core.errors import RequestError

# Files that are looked at beside a log are small.
_SMALL = 65536


@dataclass(frozen=True, slots=True)
class Listed:
    """The regular files below a folder: path below it -> path on disk, and what is no such file and why.

    unreadable  (path below the folder, reason) of what could not be looked at
    """

    files: dict[str, str]
    unreadable: tuple[tuple[str, OSError], ...]


def existing(path: Path) -> Path:
    """Return a path with its links followed. Raises RequestError, by the name asked for, where nothing is."""
    if not path.is_file() and not path.is_dir():
        raise RequestError(str(path), *absent(path))
    return path.resolve()


def absent(path: Path) -> tuple[str, str]:
    """Return why a path is neither a file nor a folder, and what to do."""
    if path.exists():
        return "is neither a file nor a folder", "copy what it gives into a file"
    if path.is_symlink():
        return f'is a link to "{path.readlink()}", which is not there', "mend the link"
    return "no such file or folder", "check the path"


def listed(folder: Path, root: Path) -> Listed:
    """Return what lies below a folder; links may lead anywhere inside the root or the folder.

    A folder behind a link is listed under the name of the link, once, unless it is listed anyway.
    """
    found = _Found([("", str(folder))])
    top, base = (Path(os.path.realpath(place)) for place in (root, folder))
    followed: set[Path] = set()
    while found.folders:
        while found.folders:
            found.enter(*found.folders.pop())
        # Sorted, because the order in which links stand on disk must decide nothing.
        links, found.links = sorted(found.links), []
        for name, path in links:
            try:
                target = _target(path, base, top)
                mode = target.stat().st_mode
            except OSError as error:
                found.unreadable.append((name, error))
                continue
            if stat.S_ISREG(mode):
                found.files[name] = path
            elif stat.S_ISDIR(mode) and target not in followed and not _is_listed(target, base):
                followed.add(target)
                found.folders.append((f"{name}/", path))
    return Listed(found.files, tuple(found.unreadable))


@dataclass(slots=True)
class _Found:
    """What was met so far.

    folders, links  still to be looked at: (path below the folder, path on disk)
    """

    folders: list[tuple[str, str]]
    links: list[tuple[str, str]] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    unreadable: list[tuple[str, OSError]] = field(default_factory=list)

    def enter(self, below: str, path: str) -> None:
        """Take note of what stands in one folder."""
        try:
            with os.scandir(path) as found:
                entries = [entry for entry in found if not entry.name.startswith(".")]
        except OSError as error:
            self.unreadable.append((below.rstrip("/"), error))
            return
        for entry in entries:
            name = below + _printable(entry.name)
            if entry.is_file(follow_symlinks=False):
                self.files[name] = entry.path
            elif entry.is_dir(follow_symlinks=False):
                self.folders.append((f"{name}/", entry.path))
            elif entry.is_symlink():
                self.links.append((name, entry.path))


def _target(link: str, folder: Path, root: Path) -> Path:
    """Return where a link leads to. Raises OSError where it is not to be followed."""
    target = Path(os.path.realpath(link))
    if not any(target.is_relative_to(one) for one in (root, folder)):
        raise OSError("the link leads out of the root")
    if target != folder and folder.is_relative_to(target):
        raise OSError("the link leads to a folder that holds it")
    return target


def _is_listed(target: Path, folder: Path) -> bool:
    """Return whether a folder is met on the way down from another one, which passes by what is hidden."""
    return target.is_relative_to(folder) and not any(
        part.startswith(".") for part in target.relative_to(folder).parts
    )


def beginning(path: str | Path | bytes, size: int) -> bytes:
    """Return the first bytes of a file (or of a content)."""
    if isinstance(path, bytes):
        return path[:size]
    # No object a file, and no look at its size before: most logs are small, and many.
    file = os.open(path, os.O_RDONLY)
    try:
        return os.read(file, size)
    finally:
        os.close(file)


def content(path: str | Path | bytes) -> bytes:
    """Return a whole file (or the content itself)."""
    if isinstance(path, bytes):
        return path
    with FileIO(path) as file:
        return file.readall()


def size(path: str | Path | bytes) -> int:
    """Return the size of a file (or of a content) in bytes."""
    return len(path) if isinstance(path, bytes) else Path(path).stat().st_size


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
    """The files of a folder by their path below it, small ones read once; None is what is not there.

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

    def beginning(self, path: str, size: int) -> tuple[bytes, int] | None:
        """Return the first bytes of a file of any size, and how many it has."""
        try:
            found = self._regular(path)
            return None if found is None else (beginning(f"{self.folder}/{path}", size), found.st_size)
        except OSError:
            return None

    def _read(self, path: str) -> bytes | None:
        try:
            found = self._regular(path)
            small = found is not None and found.st_size <= _SMALL
            return content(f"{self.folder}/{path}") if small else None
        except OSError:
            return None

    def _regular(self, path: str) -> os.stat_result | None:
        """Return what the disk says of a regular file, None for what is none or lies outside."""
        if path.startswith(("/", ".")) or "/." in path:
            return None
        place = f"{self.folder}/{path}"
        found = os.lstat(place)
        if stat.S_ISLNK(found.st_mode) or not _is_real(place.rpartition("/")[0], self.folder):
            target = Path(os.path.realpath(place))
            if not any(target.is_relative_to(os.path.realpath(one)) for one in (self.root, self.folder)):
                return None
            found = Path(place).stat()
        return found if stat.S_ISREG(found.st_mode) else None


@lru_cache(maxsize=256)
def _is_real(folder: str, above: str) -> bool:
    """Return whether no symbolic link lies on the way from one folder down to another."""
    if folder == above:
        return True
    return not stat.S_ISLNK(os.lstat(folder).st_mode) and _is_real(folder.rpartition("/")[0], above)


def _printable(name: str) -> str:
    """Return a file name that can be written as UTF-8, whatever bytes the file system holds."""
    return name if name.isascii() else name.encode("utf-8", "backslashreplace").decode()
