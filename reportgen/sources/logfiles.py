"""The files that a reader sees: `LogFiles`, a read-only view of one file or one folder.

A view maps relative POSIX paths to lazily read bytes, from disk or from a dictionary, so that tests and
fuzzers need no disk. It also names places (`source`, `id`), so that no reader ever sees an absolute path.

Reading raises OSError (a file that vanished, may not be read or is too large); readers let it pass and
`load` turns it into a finding. Symbolic links are followed inside the root only. A view caches the
heads of the last files, so that a small file is opened once, however many formats look at it; the views of
one tree share this cache, each view of a single file has its own. Of a file
larger than WHOLE only the head and the tail are read, so that memory stays bounded: the head holds the
measured steps, the tail shows how the run ended.
"""

import posixpath
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from reportgen.cache.archives import Packed, is_archive, unpack
from reportgen.core.errors import RequestError
from reportgen.core.model import Finding, Source
from reportgen.core.rules import Rule, Severity
from reportgen.sources import filesystem
from reportgen.sources.text import decode_to_utf8

Settings = Mapping[str, Mapping[str, Any]]
Bytes = bytes  # inside LogFiles the name is taken by a method
Content = bytes | str | Path  # in memory or on disk
Siblings = Mapping[str, Content] | filesystem.SiblingFiles

HEAD = 65536
# Larger files are read in part: readers need several times the size of a content in memory.
WHOLE = 16 * 2**20
TAIL = 2**20
# Heads that a view keeps.
_MAX_CACHED_BYTES = 2 * HEAD


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
        siblings: Siblings | None = None,
    ) -> None:
        self._store, self._prefix, self._settings = store, prefix, settings or {}
        self._siblings: Siblings = store if siblings is None else siblings
        self.is_folder = is_folder
        self._settle(location)
        self._all = sorted(store)
        self._range = (0, len(self._all))
        self._heads: dict[str, Bytes] = {}
        self._literals: dict[str, frozenset[Bytes]] = {}
        self._children: tuple[list[str], list[str]] | None = None

    @classmethod
    def of(
        cls, contents: Mapping[str, Content], settings: Settings | None = None, prefix: str = ""
    ) -> "LogFiles":
        """Return a folder in memory."""
        return cls(contents, prefix=prefix, settings={"": settings or {}})

    @classmethod
    def at(cls, path: Path, root: Path) -> tuple["LogFiles", tuple[Finding, ...]]:
        """Return the view of a file or folder on disk, and a finding for each part that cannot be read.

        root  sources are relative to it; raises RequestError if there is no such path
        """
        prefix = filesystem.relative_place(path, root)
        if path.is_file() and is_archive(path.name):
            return cls._unpacked(path, prefix)
        if path.is_file():
            folder = posixpath.dirname(prefix)
            return cls({filesystem.printable(path.name): str(path)}, prefix=folder, is_folder=False), ()
        if not path.is_dir():
            raise RequestError(prefix, *filesystem.missing_reason(path))
        listing = filesystem.list_files(path, root)
        findings = []
        for name, why in listing.unreadable:
            # A link without a target hides no data.
            severity: Severity = "warning" if isinstance(why, FileNotFoundError) else "invalid"
            findings.append(unreadable(Source(_normal(f"{prefix}/{name}")), why, severity))
        findings += [_packed(_normal(f"{prefix}/{name}"), why) for name, why in listing.packed]
        siblings = filesystem.SiblingFiles(str(path), str(root), archives=listing.archives)
        return cls(listing.files, prefix="" if prefix == "." else prefix, siblings=siblings), tuple(findings)

    @classmethod
    def _unpacked(cls, path: Path, prefix: str) -> tuple["LogFiles", tuple[Finding, ...]]:
        """Return the view of an archive as a folder; of one that stays packed, of the file itself."""
        try:
            folder, names = unpack(str(path))
        except Packed as reason:
            view = cls({path.name: str(path)}, prefix=posixpath.dirname(prefix), is_folder=False)
            return view, (_packed(prefix, str(reason)),)
        files = {filesystem.printable(name): f"{folder}/{name}" for name in names}
        return cls(files, prefix=prefix, siblings=filesystem.SiblingFiles(folder, folder)), ()

    def __iter__(self) -> Iterator[str]:
        start = len(self._base)
        return (self._all[i][start:] for i in range(*self._range))

    def __len__(self) -> int:
        return self._range[1] - self._range[0]

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and self._base + path in self._store

    def __reduce__(self) -> tuple[Any, ...]:
        # Send only the files of the view to another process, not the whole tree behind it.
        store = {path: self._store[path] for path in self._all[slice(*self._range)]}
        siblings = None if self._siblings is self._store else self._siblings
        view = partial(LogFiles, store, prefix=self._prefix, location=self.location, is_folder=self.is_folder)
        return partial(view, settings=self._settings, siblings=siblings), ()

    def _settle(self, location: str) -> None:
        """Set the location and the prefixes of paths in the store and in sources."""
        self.location = location
        self._base = f"{location}/" if location else ""
        self._above = f"{self._prefix}/{self._base}" if self._prefix else self._base

    @property
    def settings(self) -> Settings:
        """The format settings of the nearest labels.toml: format name -> key -> value."""
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

    def subfolder(self, folder: str) -> "LogFiles":
        """Return the view of a folder inside this one without copying paths."""
        view = self._copy()
        view._settle(self._base + folder)
        view._children = None
        view._range = (bisect_left(self._all, view._base), bisect_left(self._all, _upper_bound(view._base)))
        return view

    def file(self, path: str) -> "LogFiles":
        """Return the view of one file of this folder."""
        name = self._base + path
        view = LogFiles(
            {name: self._store[name]},
            prefix=self._prefix,
            location=name.rpartition("/")[0],
            is_folder=False,
            settings=self._settings,
            siblings=self._siblings,
        )
        if name in self._heads:
            view._heads = {name: self._heads[name]}
        return view

    def keep_literals(self, path: str, literals: frozenset[Bytes]) -> None:
        """Keep the literals that a search of the head found, if the head is the whole file."""
        name = self._base + path
        if len(self._heads.get(name, b"." * HEAD)) < HEAD:
            self._literals[name] = literals

    def literals(self, path: str) -> frozenset[Bytes] | None:
        """Return the literals that were found in a whole file; None if it was not searched."""
        return self._literals.get(self._base + path)

    def select(self, paths: Iterable[str], beside: Iterable[str] | None = None) -> "LogFiles":
        """Return this folder with these files only; missing files are ignored.

        beside  paths of the siblings that stay readable; None keeps only the selected files
        """
        store = {self._base + path: self._store[self._base + path] for path in paths if path in self}
        siblings = self._siblings
        if not isinstance(siblings, filesystem.SiblingFiles):
            names = [] if beside is None else [self._sibling_path(path) for path in beside]
            siblings = (
                store if beside is None else {name: siblings[name] for name in names if name in siblings}
            )
        view = LogFiles(
            store,
            prefix=self._prefix,
            location=self.location,
            is_folder=self.is_folder,
            settings=self._settings,
            siblings=siblings,
        )
        # The reader needs the bytes that the claim looked at.
        view._heads, view._literals = self._heads, self._literals
        return view

    def exclude(self, paths: Iterable[str]) -> "LogFiles":
        """Return this folder without these files."""
        gone = set(paths)
        return self.select(path for path in self if path not in gone)

    def with_settings(self, settings: Mapping[str, Settings]) -> "LogFiles":
        """Return the same view with other settings: location of a folder -> settings for everything below."""
        view = self._copy()
        view._settings = settings
        return view

    def with_content(self, content: Bytes) -> "LogFiles":
        """Return the same view of a file with other content, as a reader decodes it."""
        view = self._copy()
        name = self._base + self.path
        view._store = {name: content}
        view._heads = {}
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
                at = bisect_left(self._all, _upper_bound(f"{self._base}{name}/"), at, end)
            else:
                files.append(name)
                at += 1
        return files, folders

    def bytes(self, path: str) -> Bytes:
        """Return the content of a file; if larger than WHOLE, the complete lines of its head and tail."""
        name = self._base + path
        # One call reads most files, and says that they are whole.
        if (head := self._small(path)) is not None:
            return decode_to_utf8(head)
        if self.size(path) > WHOLE:
            return decode_to_utf8(
                b"".join(filesystem.read_whole_lines(self._store[name], WHOLE - TAIL, TAIL))
            )
        return decode_to_utf8(filesystem.read_whole(self._store[name]))

    def _small(self, path: str) -> Bytes | None:
        """Return the whole content of a file of less than HEAD bytes, as it is on disk; None for others."""
        head = self._read_head(path, HEAD)
        return head if len(head) < HEAD and len(head) <= WHOLE else None

    def sha256(self, path: str) -> str:
        """Return the SHA-256 of a file's bytes on disk, all of them."""
        return filesystem.sha256_of(self._store[self._base + path])

    def sha256_as_read(self, path: str) -> Bytes:
        """Return the SHA-256 of the bytes that were read of a small file; b"" if they are not kept."""
        head = self._heads.get(self._base + path)
        return sha256(head).digest() if head is not None and len(head) < HEAD else b""

    def lines_before_gap(self, path: str) -> int | None:
        """Return the number of line feeds before the part that `bytes` skips, None if it skips nothing."""
        if self.size(path) <= WHOLE:
            return None
        return filesystem.read_whole_lines(self._store[self._base + path], WHOLE - TAIL, TAIL)[0].count(b"\n")

    def tail_view(self) -> "LogFiles | None":
        """Return a view whose head is the last HEAD bytes of the file; None for a small file."""
        path = self.path
        if self.size(path) <= HEAD:
            return None
        view = self._copy()
        name = self._base + path
        view._heads = {name: filesystem.read_head_tail(self._store[name], 0, HEAD)[1]}
        return view

    def head(self, path: str, size: int = HEAD) -> Bytes:
        """Return the first bytes of a file."""
        return decode_to_utf8(self._read_head(path, size))

    def end(self, path: str, size: int) -> Bytes:
        """Return the last bytes of a file that is longer, as they are on disk."""
        return filesystem.read_head_tail(self._store[self._base + path], 0, size)[1]

    def _read_head(self, path: str, size: int) -> Bytes:
        name = self._base + path
        head = self._heads.get(name)
        if head is not None and (size <= len(head) or len(head) < HEAD):
            return head[:size]
        head = filesystem.read_head(self._store[name], max(size, HEAD))
        if len(head) <= HEAD:
            self._keep_head(name, head)
        return head[:size]

    def _keep_head(self, name: str, head: Bytes) -> None:
        """Cache the head of a file, and drop the others when they become too large."""
        if sum(map(len, self._heads.values())) + len(head) > _MAX_CACHED_BYTES:
            self._heads.clear()
        self._heads[name] = head

    def read_sibling(self, path: str) -> Bytes | None:
        """Return a small file near the view ("../" is allowed); None if missing or not in the claim."""
        content = self._siblings.get(self._sibling_path(path))
        if content is None or filesystem.size_of(content) > HEAD:
            return None
        return decode_to_utf8(filesystem.read_whole(content))

    def read_sibling_head(self, path: str, size: int) -> tuple[Bytes, int] | None:
        """Return the raw first bytes and the size of a file near the view, as `read_sibling`, of any size."""
        name = self._sibling_path(path)
        if isinstance(self._siblings, filesystem.SiblingFiles):
            return self._siblings.read_head(name, size)
        content = self._siblings.get(name)
        return None if content is None else (filesystem.read_head(content, size), filesystem.size_of(content))

    def sibling_source(self, path: str) -> str:
        """Return the path of a file near the view's only file, relative to the root; it need not exist."""
        return _normal(f"{self._above}{path}")

    def consulted(self) -> list[str]:
        """Return the paths on disk of the siblings that readers asked for, also of those that are missing."""
        if not isinstance(self._siblings, filesystem.SiblingFiles):
            return []
        asked = self._siblings.heads.union(self._siblings.contents)
        return [self._siblings.place(path) for path in sorted(asked)]

    def disk_paths(self) -> Iterator[tuple[str, str]]:
        """Yield the id of each file on disk, and its path there."""
        for path in self:
            place = self._store[self._base + path]
            if not isinstance(place, Bytes):
                yield self.id(path), str(place)

    def _sibling_path(self, path: str) -> str:
        return posixpath.normpath(self._base + path)

    def size(self, path: str) -> int:
        """Return the size of a file in bytes."""
        head = self._heads.get(self._base + path)
        if head is not None and len(head) < HEAD:
            return len(head)
        return filesystem.size_of(self._store[self._base + path])

    def total_size(self) -> int:
        """Return the size of all files together; unreadable files count as 0."""
        total = 0
        for path in self:
            with suppress(OSError):
                total += self.size(path)
        return total

    def source(self, path: str = "", line: int = 0) -> Source:
        """Return the source of a file (or of the folder) and line, relative to the root."""
        return Source(self._above + path if path else self._above[:-1] or ".", line)

    def id(self, path: str = "", number: int | None = None) -> str:
        """Return the id of the run in a file (or in the folder itself): its path below the argument."""
        place = self._base + path if path else self.location or self._prefix.rpartition("/")[2] or "."
        return place if number is None else f"{place}#{number}"

    def _copy(self) -> "LogFiles":
        view = LogFiles.__new__(LogFiles)
        view.__dict__.update(self.__dict__)
        return view


def _normal(place: str) -> str:
    """Return a path relative to the root, or an address, in its shortest form."""
    scheme, sign, path = place.rpartition("://")
    return scheme + sign + posixpath.normpath(path.lstrip("/"))


def _upper_bound(folder: str) -> str:
    """Return the smallest string greater than every path under `folder/` (upper bound for bisect)."""
    return f"{folder[:-1]}0"  # the character after "/"


def _packed(place: str, reason: str) -> Finding:
    """Return the finding for an archive that stays packed."""
    return Finding("warning", Rule.READ_PACKED_FILE, place, f"was skipped: {reason}", Source(place))


def unreadable(place: Source, reason: OSError | str, severity: Severity = "invalid") -> Finding:
    """Return the finding for a file or folder that cannot be read."""
    if isinstance(reason, OSError):
        reason = (reason.strerror or str(reason)).lower()
    return Finding(severity, Rule.READ_UNREADABLE_FILE, place.path, f"cannot be read: {reason}", place)
