"""Generated files by path: beyond some megabytes they are in a temporary file, and are read when asked for.

The files of many runs have hundreds of megabytes together, and all are made before the first is written.
"""

from collections.abc import Iterable, Iterator, Mapping

from reportgen.core.errors import RequestError
from reportgen.core.temporary_file import TemporaryFile

# Files of this many bytes together stay in memory: all of most builds.
_IN_MEMORY = 4 * 2**20
_CHUNK = 2**20

# Where a content begins, and its size.
_Place = tuple[TemporaryFile, int, int]


class StoredFiles(Mapping[str, bytes]):
    """Path -> content."""

    def __init__(self) -> None:
        self._contents: dict[str, bytes | _Place] = {}
        self._kept = 0
        self._file: TemporaryFile | None = None
        self._end = 0

    def add(self, path: str, content: bytes | Iterable[bytes]) -> None:
        """Add a file or its pieces, unless it is empty. RequestError if the temporary disk is full."""
        begin, held, size = self._end, list[bytes](), 0
        for piece in (content,) if isinstance(content, bytes) else content:
            held.append(piece)
            size += len(piece)
            if self._kept + size > _IN_MEMORY and size >= _CHUNK:
                self._write(b"".join(held))
                held, size = [], 0
        rest = b"".join(held)
        if self._end == begin and self._kept + size <= _IN_MEMORY:
            if rest:
                self._contents[path] = rest
            self._kept += size
        else:
            self._contents[path] = self._write(rest), begin, self._end - begin

    def take(self, files: Mapping[str, bytes], folder: str = "") -> None:
        """Add files below a folder; what others stored is not copied."""
        stored = files._contents if isinstance(files, StoredFiles) else files
        self._contents.update((f"{folder}{path}", content) for path, content in stored.items())

    def _write(self, content: bytes) -> TemporaryFile:
        try:
            self._file = self._file or TemporaryFile()
            self._file.write(content, self._end)
        except OSError as error:
            remedy = "free some disk space, or set TMPDIR to a folder with more"
            raise RequestError("temporary files", f"cannot be written: {error.strerror}", remedy) from error
        self._end += len(content)
        return self._file

    def pieces(self, path: str) -> Iterator[bytes]:
        """Yield the content of a file in pieces."""
        content = self._contents[path]
        if isinstance(content, bytes):
            yield content
            return
        file, begin, size = content
        for at in range(begin, begin + size, _CHUNK):
            yield file.read(at, min(_CHUNK, begin + size - at))

    def __getitem__(self, path: str) -> bytes:
        content = self._contents[path]
        return content if isinstance(content, bytes) else content[0].read(*content[1:])

    def __iter__(self) -> Iterator[str]:
        return iter(self._contents)

    def __len__(self) -> int:
        return len(self._contents)


def pieces_of(files: Mapping[str, bytes], path: str) -> Iterator[bytes]:
    """Yield the content of a file in pieces; of files in memory, in one."""
    return files.pieces(path) if isinstance(files, StoredFiles) else iter((files[path],))
