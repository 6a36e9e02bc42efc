"""Logs in archives and compressed files: unpacked once below the cache folder, and read there.

`campaign.tar.gz` stands for a folder of that name: a log in it is `campaign.tar.gz/run1/train.log`, and the
log in `train.log.gz` is `train.log.gz/train.log`; a sheet of `results.xlsx` is `results.xlsx/Sheet1.csv`. An
archive inside an archive stays packed. What is unpacked is bounded in files and bytes, contains no links and
no hidden files, and never leaves its folder.
"""

import bz2
import gzip
import io
import lzma
import os
import shutil
import stat
import tarfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from hashlib import blake2b
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

import msgspec

from reportgen.cache import cache_folder, is_own, workbooks

# Of one archive.
MAX_FILES = 20_000
MAX_BYTES = 2 * 2**30
# Of all that were unpacked; those that were not used for a day make room, the oldest first.
MAX_ALL_BYTES = 16 * 2**30
_KEPT_SECONDS = 86_400
_PART_BYTES = 2**20
_INDEX = ".reportgen-index"
_PACKED = (".gz", ".bz2", ".xz", ".zst")
# Short names of compressed tar archives.
_TAR = {".tgz": ".gz", ".tbz2": ".bz2", ".txz": ".xz", ".tzst": ".zst"}
_ENDINGS = (*_PACKED, *_TAR, ".tar", ".zip", workbooks.ENDING)
_DAMAGES = (
    *(EOFError, OSError, zlib.error, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile),
    *(NotImplementedError, ValueError, UnicodeError, *workbooks.DAMAGES),
)
_OPENERS: dict[str, Callable[[str], Any]] = {
    ".gz": gzip.GzipFile,
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
    ".tar": io.FileIO,
}


class Packed(Exception):
    """An archive that stays packed: why, and what to do, as a lower-case fragment."""


class Unpacked(NamedTuple):
    """An archive as a folder on disk, and the paths of its files below it."""

    folder: str
    names: tuple[str, ...]


class _Index(msgspec.Struct):
    """The files in an unpacked folder: size of all in bytes, and their paths."""

    size: int
    names: tuple[str, ...]


def is_archive(name: str) -> bool:
    """Return whether a file is an archive or a compressed file by its name."""
    return name.lower().endswith(_ENDINGS)


def archive_of(path: str) -> str | None:
    """Return the archive that a path of a log leads into; None for a path on disk."""
    parts = path.split("/")
    for end in range(1, len(parts)):
        if is_archive(parts[end - 1]):
            return "/".join(parts[:end])
    return None


def unpack(path: str) -> Unpacked:
    """Return an archive as a folder; it is unpacked where that was not done before. Raises Packed."""
    try:
        status = os.stat(path)  # noqa: PTH116
        key = f"{os.path.realpath(path)}\0{status.st_size}\0{status.st_mtime_ns}\0{status.st_ino}"
        key += f"\0{workbooks.VERSION}" if path.lower().endswith(workbooks.ENDING) else ""
        top = _unpacked(cache_folder())
        folder = f"{top}/{blake2b(os.fsencode(key), digest_size=16).hexdigest()}"
        index = _load(folder)
        if index is None:
            top.mkdir(mode=0o700, parents=True, exist_ok=True)
            make_room(MAX_ALL_BYTES)
            index = _unpack(path, folder)
        os.utime(f"{folder}/{_INDEX}")
    except OSError as error:
        raise Packed(f"cannot be unpacked: {(error.strerror or str(error)).lower()}") from None
    return Unpacked(folder, index.names)


def make_room(most: int) -> None:
    """Remove the folders that were not used for longest until the others take at most `most` bytes."""
    kept, now = 0, time.time()
    indexes = _unpacked(cache_folder()).glob(f"*/{_INDEX}")
    for file in sorted(indexes, key=lambda file: file.stat().st_mtime, reverse=True):
        index = _load(str(file.parent))
        kept += index.size if index else 0
        if kept > most and file.stat().st_mtime < now - _KEPT_SECONDS:
            file.unlink(missing_ok=True)
            shutil.rmtree(file.parent, ignore_errors=True)


def _unpacked(cache: str) -> Path:
    return Path(os.path.realpath(cache), "unpacked")


def _load(folder: str) -> _Index | None:
    """Return what a folder holds; None if it is not there, or is another user's."""
    with suppress(OSError, msgspec.MsgspecError):
        file = Path(folder, _INDEX)
        if is_own(file.stat()):
            return msgspec.msgpack.decode(file.read_bytes(), type=_Index)
    return None


def _unpack(path: str, folder: str) -> _Index:
    """Unpack into a folder of another name, and rename it: a killed process leaves no half of an archive.

    If another process was faster, its folder stays: someone may be reading there.
    """
    part = f"{folder}.{os.getpid()}.part"
    shutil.rmtree(part, ignore_errors=True)
    try:
        index = _write_all(path, part)
        Path(part, _INDEX).write_bytes(msgspec.msgpack.encode(index))
        with suppress(OSError):
            Path(part).rename(folder)
        if _load(folder) is None:
            shutil.rmtree(folder)  # it has no index, so nothing reads it
            Path(part).rename(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return index


def _write_all(path: str, folder: str) -> _Index:
    names: dict[str, None] = {}
    size = 0
    Path(folder).mkdir(mode=0o700)
    try:
        with ExitStack() as stack:
            for name, file in _members(path, stack):
                names[name] = None
                if len(names) > MAX_FILES:
                    raise Packed(f"holds more than {MAX_FILES:,} files; unpack what is a log")
                target = Path(folder, name)
                target.parent.mkdir(parents=True, exist_ok=True)
                with target.open("wb") as out:
                    while part := file.read(_PART_BYTES):
                        size += out.write(part)
                        if size > MAX_BYTES:
                            raise Packed(f"holds more than {MAX_BYTES / 2**30:.0f} GiB; unpack what is a log")
    except _DAMAGES as error:
        raise Packed(f"cannot be unpacked: {' '.join(str(error).split())[:200] or 'it is damaged'}") from None
    return _Index(size, tuple(sorted(names)))


def _members(path: str, stack: ExitStack) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield the files in an archive as (path below it, content), each to be read before the next."""
    name = os.path.basename(path)  # noqa: PTH119
    stem, ending = os.path.splitext(name)  # noqa: PTH122
    ending = ending.lower()
    if ending == workbooks.ENDING:
        yield from _sheets(path)
    elif ending == ".zip":
        yield from _zip_members(path, stack)
    elif ending == ".tar" or ending in _TAR or stem.lower().endswith(".tar"):
        yield from _tar_members(_decompressed(path, _TAR.get(ending, ending), stack), stack)
    else:
        yield stem, _decompressed(path, ending, stack)


def _sheets(path: str) -> Iterator[tuple[str, IO[bytes]]]:
    try:
        yield from workbooks.sheets(path)
    except ImportError:
        raise Packed(
            'needs openpyxl: pip install "reportgen-bench[xlsx]", or save its sheets as CSV'
        ) from None


def _decompressed(path: str, ending: str, stack: ExitStack) -> IO[bytes]:
    if ending == ".zst":
        return cast(IO[bytes], io.BufferedReader(_ZstFile(stack.enter_context(Path(path).open("rb")))))
    return cast(IO[bytes], stack.enter_context(_OPENERS[ending](path)))


class _ZstFile(io.RawIOBase):
    """The content of a file that zstd compressed. Raises EOFError if its end is missing.

    The files of zstandard end there without a word.
    """

    def __init__(self, file: IO[bytes]) -> None:
        try:
            import zstandard
        except ImportError:
            raise Packed('needs zstandard: pip install "reportgen-bench[remote]"') from None
        self._file, self._error = file, zstandard.ZstdError
        self._decompressor = zstandard.ZstdDecompressor()
        self._frame = self._decompressor.decompressobj()
        self._content = b""

    def readable(self) -> bool:
        """Return True: BufferedReader asks."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer; return the number of bytes, 0 at the end."""
        while not self._content:
            packed = self._frame.unused_data or self._file.read(_PART_BYTES // 8)
            if self._frame.eof and packed:
                self._frame = self._decompressor.decompressobj()
            if not packed:
                if not self._frame.eof:
                    raise EOFError("the end is missing")
                return 0
            try:
                self._content = self._frame.decompress(packed)
            except self._error as error:
                raise OSError(str(error)) from None
        size = min(len(buffer), len(self._content))
        buffer[:size], self._content = self._content[:size], self._content[size:]
        return size


def _tar_members(file: IO[bytes], stack: ExitStack) -> Iterator[tuple[str, IO[bytes]]]:
    archive = stack.enter_context(tarfile.open(fileobj=file, mode="r|"))  # noqa: SIM115
    for member in archive:
        content = archive.extractfile(member) if member.isfile() else None
        if content and (name := _inner_path(member.name)):
            yield name, content


def _zip_members(path: str, stack: ExitStack) -> Iterator[tuple[str, IO[bytes]]]:
    archive = stack.enter_context(zipfile.ZipFile(path))
    for member in archive.infolist():
        name = _inner_path(member.filename)
        if member.is_dir() or not name or stat.S_ISLNK(member.external_attr >> 16):
            continue
        if member.flag_bits & 1:
            raise Packed("is encrypted; unpack it")
        with archive.open(member) as content:
            yield name, content


def _inner_path(name: str) -> str:
    """Return the path of a member; "" for one that is hidden or leads elsewhere."""
    parts = [part for part in name.split("/") if part != "."]
    if not all(parts) or any(part.startswith(".") or "\0" in part for part in parts):
        return ""
    return "" if parts[0] == "__MACOSX" else "/".join(parts)
