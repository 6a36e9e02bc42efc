"""Files as a reader sees them.

`LogFiles` is a read-only view of one file or one folder: relative POSIX paths and lazily read bytes,
from disk or from a dictionary, so that tests and fuzzers need no disk. Everything a reader may say about
places (`source`, `id`) comes from the view, so that no reader ever sees an absolute path.

Reading raises OSError (a file that vanished, may not be read or is too large); readers let it pass and
`load` turns it into a finding. Symbolic links are followed inside the root only. A file's head is kept by
its view, so that a small file is opened once, however many formats look at it. Of a file above WHOLE only
the begin and the end are given, so that memory is bounded however long a log is: the begin holds the steps
that are measured, the end tells how it went.
"""

import os
import posixpath
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from reportgen.core.errors import RequestError
from reportgen.core.model import Finding, Source
from reportgen.sources import filesystem
from reportgen.sources.text import utf8

Settings = Mapping[str, Mapping[str, Any]]
Bytes = bytes  # inside LogFiles the name is taken by a method
Content = bytes | str | Path  # in memory or on disk
Around = Mapping[str, Content] | filesystem.Neighbours

HEAD = 65536
# Larger files are read in part: readers work on whole contents, and need several times their size.
WHOLE = 16 * 2**20
TAIL = 2**20


class LogFiles:
    """A folder (`is_folder`) or one file of it: a sorted collection of relative paths.

    location  path of the folder, of the file's folder for a file, below the argument ("" is the argument)
    """

    def __init__(
        self,
        store: Mapping[str, Content],
        *,
        prefix: str = "",
        location: str = "",
        is_folder: bool = True,
        settings: Mapping[str, Settings] | None = None,
        around: Around | None = None,
    ) -> None:
        self._store, self._prefix, self._settings = store, prefix, settings or {}
        self._around: Around = store if around is None else around
        self.is_folder = is_folder
        self._settle(location)
        self._all = sorted(store)
        self._range = (0, len(self._all))
        self._head: tuple[str, Bytes] = ("", b"")
        self._children: tuple[list[str], list[str]] | None = None

    @classmethod
    def of(
        cls, contents: Mapping[str, Content], settings: Settings | None = None, prefix: str = ""
    ) -> "LogFiles":
        """Return a folder that exists in memory only."""
        return cls(contents, prefix=prefix, settings={"": settings or {}})

    @classmethod
    def at(cls, path: Path, root: Path) -> tuple["LogFiles", tuple[Finding, ...]]:
        """Return the view of a file or folder on disk, with a finding for each part that cannot be read.

        root  sources are relative to it; raises RequestError if there is no such path
        """
        prefix = Path(os.path.relpath(path, root)).as_posix()
        if path.is_file():
            folder = posixpath.dirname(prefix)
            return cls({path.name: str(path)}, prefix=folder, is_folder=False), ()
        if not path.is_dir():
            raise RequestError(prefix, *filesystem.absent(path))
        found = filesystem.listed(path, root)
        findings = [
            unreadable(Source(posixpath.normpath(f"{prefix}/{name}")), why) for name, why in found.unreadable
        ]
        around = filesystem.Neighbours(str(path), str(root))
        return cls(found.files, prefix="" if prefix == "." else prefix, around=around), tuple(findings)

    def __iter__(self) -> Iterator[str]:
        start = len(self._base)
        return (self._all[i][start:] for i in range(*self._range))

    def __len__(self) -> int:
        return self._range[1] - self._range[0]

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and self._base + path in self._store

    def __reduce__(self) -> tuple[Any, ...]:
        # To another process only what the view shows is sent, not the tree that it was cut from.
        store = {path: self._store[path] for path in self._all[slice(*self._range)]}
        around = None if self._around is self._store else self._around
        view = partial(LogFiles, store, prefix=self._prefix, location=self.location, is_folder=self.is_folder)
        return partial(view, settings=self._settings, around=around), ()

    def _settle(self, location: str) -> None:
        """Set the location, and what stands before each path: of the store, and in sources."""
        self.location = location
        self._base = f"{location}/" if location else ""
        self._above = f"{self._prefix}/{self._base}" if self._prefix else self._base

    @property
    def settings(self) -> Settings:
        """What the nearest labels.toml says to the formats: format name -> key -> value."""
        if not self._settings:
            return self._settings
        folder = self.location
        while folder and folder not in self._settings:
            folder = folder.rpartition("/")[0]
        return self._settings.get(folder, {})

    @property
    def path(self) -> str:
        """The path of a file view's only file."""
        return self._all[self._range[0]][len(self._base) :]

    def below(self, folder: str) -> "LogFiles":
        """Return the view of a folder inside this one; no paths are copied."""
        view = self._copy()
        view._settle(self._base + folder)
        view._head, view._children = ("", b""), None
        view._range = (bisect_left(self._all, view._base), bisect_left(self._all, _behind(view._base)))
        return view

    def file(self, path: str) -> "LogFiles":
        """Return the view of one file of this folder."""
        folder, _, _ = (self._base + path).rpartition("/")
        return LogFiles(
            {self._base + path: self._store[self._base + path]},
            prefix=self._prefix,
            location=folder,
            is_folder=False,
            settings=self._settings,
            around=self._around,
        )

    def only(self, paths: Iterable[str], beside: Iterable[str] | None = None) -> "LogFiles":
        """Return this folder with these files alone (and those `beside` it); what is not there is ignored."""
        store = {self._base + path: self._store[self._base + path] for path in paths if path in self}
        around = self._around
        if not isinstance(around, filesystem.Neighbours):
            names = [] if beside is None else [self._neighbour(path) for path in beside]
            around = store if beside is None else {name: around[name] for name in names if name in around}
        view = LogFiles(
            store,
            prefix=self._prefix,
            location=self.location,
            is_folder=self.is_folder,
            settings=self._settings,
            around=around,
        )
        if not self.is_folder:
            view._head = self._head  # its reader will ask for what its claim was made of
        return view

    def without(self, paths: Iterable[str]) -> "LogFiles":
        """Return this folder without some of its files."""
        gone = set(paths)
        return self.only(path for path in self if path not in gone)

    def with_settings(self, settings: Mapping[str, Settings]) -> "LogFiles":
        """Return the same view with other settings; each holds from its folder (a location) downwards."""
        view = self._copy()
        view._settings = settings
        return view

    def children(self) -> tuple[list[str], list[str]]:
        """Return the names of the files and of the folders directly in this folder, sorted."""
        if self._children is None:
            self._children = self._split()
        return self._children

    def _split(self) -> tuple[list[str], list[str]]:
        files: list[str] = []
        folders: list[str] = []
        at, end = self._range
        start = len(self._base)
        while at < end:
            name, slash, _ = self._all[at][start:].partition("/")
            if slash:
                folders.append(name)
                at = bisect_left(self._all, _behind(f"{self._base}{name}/"), at, end)
            else:
                files.append(name)
                at += 1
        return files, folders

    def bytes(self, path: str) -> Bytes:
        """Return the whole content of a file; of a large one the whole lines of its begin and its end."""
        known, head = self._head
        if known == self._base + path and len(head) < HEAD:
            return utf8(head)
        content = self._store[self._base + path]
        if self.size(path) > WHOLE:
            content = b"".join(filesystem.whole_lines(content, WHOLE - TAIL, TAIL))
        return utf8(filesystem.content(content))

    def gap(self, path: str) -> int | None:
        """Return the line feeds before the part of a file that `bytes` leaves out, None for no such part."""
        if self.size(path) <= WHOLE:
            return None
        return filesystem.whole_lines(self._store[self._base + path], WHOLE - TAIL, TAIL)[0].count(b"\n")

    def at_end(self) -> "LogFiles | None":
        """Return the view of a file with its last bytes in place of the first HEAD; None for a small file."""
        path = self.path
        if self.size(path) <= HEAD:
            return None
        view = self._copy()
        view._head = (self._base + path, filesystem.ends(self._store[self._base + path], 0, HEAD)[1])
        return view

    def head(self, path: str, size: int = HEAD) -> Bytes:
        """Return the first bytes of a file; the last file asked for is kept."""
        return utf8(self._beginning(path, size))

    def _beginning(self, path: str, size: int) -> Bytes:
        name = self._base + path
        known, head = self._head
        if known == name and (size <= len(head) or len(head) < HEAD):
            return head[:size]
        if size > HEAD:
            return filesystem.beginning(self._store[name], size)
        self._head = (name, filesystem.beginning(self._store[name], HEAD))
        return self._head[1][:size]

    def beside(self, path: str) -> Bytes | None:
        """Return a small file near the view's own, "../" included, that a claim named; None if not there."""
        content = self._around.get(self._neighbour(path))
        if content is None or filesystem.size(content) > HEAD:
            return None
        return utf8(filesystem.content(content))

    def beginning_beside(self, path: str, size: int) -> tuple[Bytes, int] | None:
        """Return the begin of a file of any size near the view's own, as it is, and its size; as `beside`."""
        name = self._neighbour(path)
        if isinstance(self._around, filesystem.Neighbours):
            return self._around.beginning(name, size)
        content = self._around.get(name)
        return None if content is None else (filesystem.beginning(content, size), filesystem.size(content))

    def _neighbour(self, path: str) -> str:
        return posixpath.normpath(self._base + path)

    def size(self, path: str) -> int:
        """Return the size of a file in bytes."""
        known, head = self._head
        if known == self._base + path and len(head) < HEAD:
            return len(head)
        return filesystem.size(self._store[self._base + path])

    def total_size(self) -> int:
        """Return the size of all files together, as far as it can be found out."""
        total = 0
        for path in self:
            with suppress(OSError):
                total += self.size(path)
        return total

    def source(self, path: str = "", line: int = 0) -> Source:
        """Return the place of a file (or of the folder) and line, relative to the root."""
        return Source(self._above + path if path else self._above[:-1] or ".", line)

    def id(self, path: str = "", number: int | None = None) -> str:
        """Return the id of the run in a file (or in the folder itself): its path below the argument."""
        place = self._base + path if path else self.location or self._prefix.rpartition("/")[2] or "."
        return place if number is None else f"{place}#{number}"

    def _copy(self) -> "LogFiles":
        view = LogFiles.__new__(LogFiles)
        view.__dict__.update(self.__dict__)
        return view


def _behind(folder: str) -> str:
    """Return what sorts behind all paths below a folder (with "/"), which are neighbours in sorted order."""
    return f"{folder[:-1]}0"  # the character after "/"


def unreadable(place: Source, reason: OSError | str) -> Finding:
    """Return the finding for something that could not be read at all."""
    if isinstance(reason, OSError):
        reason = (reason.strerror or str(reason)).lower()
    return Finding("invalid", "read.unreadable-file", place.path, f"cannot be read: {reason}", place)
