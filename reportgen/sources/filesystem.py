"""List the files below a folder and read their bytes.

Listing skips hidden files and follows symbolic links inside the root only. Paths are strings: a corpus has
tens of thousands of files, and building one Path object per file dominates the cost.
"""

import os
import stat
from dataclasses import dataclass, field
from functools import partial
from hashlib import file_digest, sha256
from io import FileIO
from pathlib import Path

from reportgen.cache import remote
from reportgen.cache.archives import Packed, archive_of, is_archive, unpack
from reportgen.core.errors import RequestError, closest_match
from reportgen.core.lazy_pattern import lazy_pattern

# Siblings that a reader may ask for (labels, configurations) are small; larger files are not kept.
_MAX_SIBLING_BYTES = 65536
# How Python represents the bytes of a file name that are not UTF-8.
_NOT_UTF8 = lazy_pattern("[\udc80-\udcff]")


@dataclass(frozen=True, slots=True)
class FileList:
    """The regular files below a folder: path below it -> path on disk.

    unreadable  (path below the folder, reason) of entries that could not be opened
    archives    path of an archive -> the folder that it was unpacked to; what is in it is among the files
    packed      (path, reason) of archives that stay packed
    """

    files: dict[str, str]
    unreadable: tuple[tuple[str, OSError], ...] = ()
    archives: dict[str, str] = field(default_factory=dict)
    packed: tuple[tuple[str, str], ...] = ()


def printable(name: str) -> str:
    """Return a file name that can be encoded as UTF-8; bytes that are not UTF-8 are shown as `\\xff`."""
    if name.isascii():
        return name
    shown = _NOT_UTF8.sub(lambda byte: f"\\x{ord(byte[0]) & 0xFF:02x}", name)
    return shown.encode("utf-8", "backslashreplace").decode()


def relative_place(path: Path, root: Path) -> str:
    """Return a path relative to the root, as sources write it; in a copy of a remote folder, its address."""
    if address := remote.shown_place(str(path)):
        return printable(address)
    return printable(Path(os.path.relpath(path, root)).as_posix())


def local_path(path: Path, progress: remote.Progress | None = None) -> Path:
    """Return a path on disk: of an address the copy, brought up to date, else the path itself.

    progress  called with (files fetched, all files to fetch)
    """
    address = remote.address_of(path)
    return remote.fetch(address, progress) if address else path


def resolve_existing(path: Path, progress: remote.Progress | None = None) -> Path:
    """Return a path with its links followed, of an address its copy. RequestError if it does not exist."""
    path = local_path(path, progress)
    if not path.is_file() and not path.is_dir():
        raise RequestError(str(path), *missing_reason(path))
    return path.resolve()


def missing_reason(path: Path) -> tuple[str, str]:
    """Return why a path is neither a file nor a folder, and the remedy."""
    if path.exists():
        return "is neither a file nor a folder", "copy its output into a file"
    if path.is_symlink():
        return f'is a link to "{path.readlink()}", which does not exist', "repair the link"
    siblings = [each.name for each in path.parent.iterdir()] if path.parent.is_dir() else []
    close = closest_match(path.name, siblings)
    remedy = f'did you mean "{path.with_name(close)}"?' if close else "check the path"
    return "no such file or folder", remedy


def list_files(folder: Path, root: Path) -> FileList:
    """Return the files below a folder; links may lead anywhere inside the root or the folder.

    A folder behind a link is listed once, under the name of the link, unless it is listed anyway.
    """
    walk = _Walk([("", str(folder))])
    top, base = (Path(os.path.realpath(place)) for place in (root, folder))
    followed: set[Path] = set()
    while walk.folders:
        while walk.folders:
            walk.enter(*walk.folders.pop())
        # Sorted, so that the order of directory entries on disk decides nothing.
        links, walk.links = sorted(walk.links), []
        for name, path in links:
            try:
                target = _link_target(path, base, top)
                mode = target.stat().st_mode
            except OSError as error:
                walk.unreadable.append((name, error))
                continue
            if stat.S_ISREG(mode):
                walk.files[name] = path
            elif stat.S_ISDIR(mode) and target not in followed and not _is_listed(target, base):
                followed.add(target)
                walk.folders.append((f"{name}/", path))
    archives, packed = _unpack(walk.files)
    return FileList(walk.files, tuple(walk.unreadable), archives, tuple(packed))


def _unpack(files: dict[str, str]) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Replace archives by the files in them; return where they were unpacked, and which were not."""
    folders: dict[str, str] = {}
    packed: list[tuple[str, str]] = []
    for name in [name for name in files if is_archive(name)]:
        try:
            unpacked = unpack(files[name])
        except Packed as reason:
            packed.append((name, str(reason)))
            continue
        del files[name]
        folders[name] = unpacked.folder
        files |= {f"{name}/{printable(inner)}": f"{unpacked.folder}/{inner}" for inner in unpacked.names}
    return folders, packed


@dataclass(slots=True)
class _Walk:
    """The state of a listing.

    folders, links  still to be visited: (path below the folder, path on disk)
    """

    folders: list[tuple[str, str]]
    links: list[tuple[str, str]] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    unreadable: list[tuple[str, OSError]] = field(default_factory=list)

    def enter(self, below: str, path: str) -> None:
        """Record the entries of one folder."""
        try:
            with os.scandir(path) as scanned:
                entries = [entry for entry in scanned if not entry.name.startswith(".")]
        except OSError as error:
            self.unreadable.append((below.rstrip("/"), error))
            return
        for entry in entries:
            name = below + printable(entry.name)
            if entry.is_file(follow_symlinks=False):
                self.files[name] = entry.path
            elif entry.is_dir(follow_symlinks=False):
                self.folders.append((f"{name}/", entry.path))
            elif entry.is_symlink():
                self.links.append((name, entry.path))


def _link_target(link: str, folder: Path, root: Path) -> Path:
    """Return the target of a link. Raises OSError if the link must not be followed."""
    target = Path(os.path.realpath(link))
    if not any(target.is_relative_to(place) for place in (root, folder)):
        raise OSError("the link leads out of the root")
    if target != folder and folder.is_relative_to(target):
        raise OSError("the link leads to a folder that contains it")
    return target


def _is_listed(target: Path, folder: Path) -> bool:
    """Return whether listing `folder` reaches `target` without links; hidden folders are not entered."""
    return target.is_relative_to(folder) and not any(
        part.startswith(".") for part in target.relative_to(folder).parts
    )


def sha256_of(place: str | Path | bytes) -> str:
    """Return the SHA-256 of a file (or of a content in memory), as `sha256sum` prints it."""
    if isinstance(place, bytes):
        return sha256(place).hexdigest()
    if whole := remote.sha256_of(str(place)):
        return whole
    with FileIO(place) as file:
        return file_digest(file, "sha256").hexdigest()


def read_head(place: str | Path | bytes, size: int) -> bytes:
    """Return the first bytes of a file (or of a content in memory)."""
    if isinstance(place, bytes):
        return place[:size]
    # os.read instead of a file object, and no stat first: most logs are small and numerous.
    file = os.open(place, os.O_RDONLY)
    try:
        return _read(file, size)
    finally:
        os.close(file)


def _read(file: int, size: int) -> bytes:
    """Return the next bytes of a file, fewer only at its end: one read may return less before that."""
    content = os.read(file, size)
    while len(content) < size and (more := os.read(file, size - len(content))):
        content += more
    return content


def read_whole(place: str | Path | bytes) -> bytes:
    """Return a whole file (or the content in memory itself)."""
    if isinstance(place, bytes):
        return place
    with FileIO(place) as file:
        return file.readall()


def size_of(place: str | Path | bytes) -> int:
    """Return the size of a file (or of a content in memory) in bytes."""
    # Not Path.stat, which takes three times as long: every file is asked.
    return len(place) if isinstance(place, bytes) else os.stat(place).st_size  # noqa: PTH116


def read_head_tail(place: str | Path | bytes, head: int, tail: int) -> tuple[bytes, bytes]:
    """Return the first and the last bytes of a file, which must be longer than both together."""
    if isinstance(place, bytes):
        return place[:head], place[-tail:]
    with FileIO(place) as file:
        begin = _read(file.fileno(), head)
        file.seek(-tail, os.SEEK_END)
        return begin, _read(file.fileno(), tail)


def read_whole_lines(place: str | Path | bytes, head: int, tail: int) -> tuple[bytes, bytes]:
    """Return `read_head_tail` without the two incomplete lines at the cut."""
    begin, end = read_head_tail(place, head, tail)
    cut = max(begin.rfind(b"\n"), begin.rfind(b"\r")) + 1
    breaks = [at for at in (end.find(b"\n"), end.find(b"\r")) if at >= 0]
    return begin[:cut] if cut else begin, end[min(breaks) + 1 :] if breaks else b""


@dataclass(slots=True)
class SiblingFiles:
    """The files around a log, by path below a folder. Small files are read once and kept.

    folder, root  on disk; nothing outside both is read
    contents      path -> content, None for a file that is missing, too large or out of bounds
    heads         paths of the files whose first bytes were asked for
    real_folders  folder on disk -> whether no symbolic link leads to it
    archives      path of an archive -> the folder that it was unpacked to
    """

    folder: str
    root: str
    contents: dict[str, bytes | None] = field(default_factory=dict)
    heads: set[str] = field(default_factory=set)
    real_folders: dict[str, bool] = field(default_factory=dict)
    archives: dict[str, str] = field(default_factory=dict)

    def get(self, path: str) -> bytes | None:
        """Return the content of a file; `path` is below the folder and normalised."""
        if path not in self.contents:
            self.contents[path] = self._read(path)
        return self.contents[path]

    def __reduce__(self) -> "tuple[partial[SiblingFiles], tuple[str, str]]":
        return partial(SiblingFiles, archives=self.archives), (self.folder, self.root)

    def place(self, path: str) -> str:
        """Return where a file is on disk, or would be."""
        archive = archive_of(path) if self.archives else None
        if archive in self.archives:
            return self.archives[archive] + path[len(archive) :]
        return f"{self.folder}/{path}"

    def read_head(self, path: str, size: int) -> tuple[bytes, int] | None:
        """Return the first bytes of a file of any size, and its size; None if it cannot be read."""
        self.heads.add(path)
        try:
            status = self._regular(path)
            return None if status is None else (read_head(self.place(path), size), status.st_size)
        except OSError:
            return None

    def _read(self, path: str) -> bytes | None:
        try:
            status = self._regular(path)
            is_small = status is not None and status.st_size <= _MAX_SIBLING_BYTES
            return read_whole(self.place(path)) if is_small else None
        except OSError:
            return None

    def _regular(self, path: str) -> os.stat_result | None:
        """Return the status of a regular file inside the bounds, else None."""
        if path.startswith(("/", ".")) or "/." in path:
            return None
        place = self.place(path)
        status = os.lstat(place)
        if not place.startswith(self.folder):  # in an archive, which has no links
            return status if stat.S_ISREG(status.st_mode) else None
        if stat.S_ISLNK(status.st_mode) or not self._is_real(place.rpartition("/")[0]):
            target = Path(os.path.realpath(place))
            if not any(target.is_relative_to(os.path.realpath(bound)) for bound in (self.root, self.folder)):
                return None
            status = Path(place).stat()
        return status if stat.S_ISREG(status.st_mode) else None

    def _is_real(self, folder: str) -> bool:
        """Return whether the way down to a folder contains no symbolic link."""
        if folder == self.folder:
            return True
        if folder not in self.real_folders:
            is_link = stat.S_ISLNK(os.lstat(folder).st_mode)
            self.real_folders[folder] = not is_link and self._is_real(folder.rpartition("/")[0])
        return self.real_folders[folder]
