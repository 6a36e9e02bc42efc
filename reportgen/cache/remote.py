"""Logs in an object store: a copy of a remote folder below the cache folder, brought up to date at each use.

An address such as `s3://bucket/campaign` is allowed wherever a folder of logs is. What reads logs sees the
copy only and knows nothing of stores; many files take one request. Only what changed is fetched again: size
and version (ETag, or a time) of each object are kept beside the copy. Of a file above WHOLE bytes, the part
is fetched that is read (`sources.logfiles`); the rest of the copy is a hole.

fsspec talks to the stores. Its file systems find credentials by themselves, in the environment or in files
of configuration. An address with credentials is refused, because addresses are printed and committed.
"""

import hashlib
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from reportgen.cache import cache_folder
from reportgen.core.errors import RequestError
from reportgen.core.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

Progress = Callable[[int, int], None]

# A larger folder is refused: name the folders below it that are meant.
MAX_FILES = 200_000
MAX_BYTES = 64 * 2**30
# A larger file is fetched in part, as it is read.
WHOLE = 16 * 2**20
TAIL = 2**20
# Of one request: its content is in memory at once.
_REQUEST_BYTES = 32 * 2**20
_REQUEST_FILES = 256

_PACKAGES = {
    "s3": "s3fs",
    "gs": "gcsfs",
    "az": "adlfs",
    "hf": "huggingface_hub",
    "https": "fsspec[http]",
    "http": "fsspec[http]",
}
# pathlib writes "s3://bucket" as "s3:/bucket".
_ADDRESS = lazy_pattern(rf"({'|'.join(_PACKAGES)}):/{{1,2}}(?!/)(.+)", re.DOTALL)
_INDEX = ".reportgen-copy"
# What stores call the version of an object, the most exact first.
_VERSIONS = (
    "ETag",
    "etag",
    "md5Hash",
    "blob_id",
    "LastModified",
    "last_modified",
    "updated",
    "mtime",
    "created",
)

# Where a library has the base class of its errors, unless that is OSError.
_ERRORS = (
    ("botocore.exceptions", "BotoCoreError"),
    ("aiohttp.client_exceptions", "ClientError"),
    ("google.auth.exceptions", "GoogleAuthError"),
    ("azure.core.exceptions", "AzureError"),
)


class _Object(NamedTuple):
    """A remote file: name in the store, path below the address, size in bytes if known, version."""

    name: str
    path: str
    size: int | None
    version: str


# Path below the address -> size and version of what was fetched.
_Known = dict[str, tuple[int | None, str]]


def address_of(path: str | Path) -> str | None:
    """Return the address that a text or a path is; None for a path on disk.

    Raises RequestError for an address with credentials, and for one that names no folder.
    """
    match = _ADDRESS.fullmatch(str(path))
    if match is None:
        return None
    scheme, rest = match[1], match[2].rstrip("/")
    host, *names = rest.split("/")
    if "@" in host or any(sign in rest for sign in "?#") or "::" in rest:
        remedy = f"leave them out: {_PACKAGES[scheme]} finds credentials in the environment"
        shown = f"{scheme}://{host.rpartition('@')[2]}"
        raise RequestError(shown, "an address of logs contains neither credentials nor a query", remedy)
    if any(name in ("", ".", "..") or "\0" in name for name in (host, *names)):
        raise RequestError(str(path), "is not the address of a folder", 'write it as "s3://bucket/folder"')
    return f"{scheme}://{rest}"


def shown_place(path: str) -> str | None:
    """Return the address of a file or folder in a copy; None for any other absolute path."""
    copies = _copies(cache_folder())
    if not path.startswith(copies):
        return None
    scheme, _, rest = path[len(copies) :].partition("/")
    return f"{scheme}://{rest}"


@lru_cache(maxsize=8)
def _copies(cache: str) -> str:
    """Return the folder of all copies, without links: paths are compared after links are followed."""
    return f"{os.path.realpath(cache)}/remote/"


def fetch(address: str, progress: Progress | None = None) -> Path:
    """Return the copy of a remote file or folder, as `address_of` writes it, brought up to date.

    progress  called with (files fetched, all files to fetch)
    Raises RequestError if the address cannot be listed or read, or is too large.
    """
    with _store_errors(address):
        system, top = _open(address)
        objects = _list(system, top)
    _check_size(address, objects)
    copy = Path(_copies(cache_folder()) + address.replace("://", "/", 1))
    is_file = [each.name for each in objects] == [top]
    try:
        _update(copy.parent if is_file else copy, copy.name if is_file else "", system, objects, progress)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        remedy = "check space and permissions, or set XDG_CACHE_HOME"
        raise RequestError(address, f"its copy cannot be written to {copy}: {reason}", remedy) from None
    return copy


def sha256_of(path: str) -> str | None:
    """Return the SHA-256 of a remote file whose copy has a hole; None for any other file."""
    # The size is asked first: it says enough of most files, at less cost.
    if os.stat(path).st_size <= WHOLE or (address := shown_place(path)) is None:  # noqa: PTH116
        return None
    digest = hashlib.sha256()
    with _store_errors(address):
        system, name = _open(address)
        with system.open(name, "rb") as file:
            while part := file.read(_REQUEST_BYTES):
                digest.update(part)
    return digest.hexdigest()


def _open(address: str) -> "tuple[AbstractFileSystem, str]":
    """Return the file system of an address, and the name of the address in it."""
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise RequestError(address, "needs fsspec", 'pip install "reportgen-bench[remote]"') from None
    try:
        system, name = url_to_fs(address, use_listings_cache=False)
    except ImportError:
        package = _PACKAGES[address.partition(":")[0]]
        raise RequestError(address, f"needs {package}", f'pip install "{package}"') from None
    return system, name.rstrip("/")


@contextmanager
def _store_errors(address: str) -> Iterator[None]:
    """Turn what a store refuses into an error of the request."""
    try:
        yield
    except FileNotFoundError:
        raise RequestError(address, "no such file or folder", "check the address") from None
    except PermissionError:
        raise RequestError(address, "access is denied", "check the credentials in the environment") from None
    except _refusals() as error:
        fact = f"cannot be read: {' '.join(str(error).split())[:300] or type(error).__name__}"
        raise RequestError(address, fact, "check the address, the network and the credentials") from None


def _refusals() -> tuple[type[BaseException], ...]:
    """Return the errors of the libraries that are loaded: they have no base class of their own in common."""
    loaded = [getattr(sys.modules[module], name) for module, name in _ERRORS if module in sys.modules]
    return (OSError, ValueError, *loaded)


def _list(system: "AbstractFileSystem", top: str) -> list[_Object]:
    """Return the files at and below a name, sorted, without hidden ones and marks of folders."""
    listed: Mapping[str, Mapping[str, Any]] = system.find(top, detail=True)
    objects = []
    for name, info in sorted(listed.items()):
        path = name.removeprefix(top).strip("/") or name.rpartition("/")[2]
        if info.get("type") != "directory" and not name.endswith("/") and _is_path(path):
            version = next((str(info[key]) for key in _VERSIONS if info.get(key)), "")
            objects.append(_Object(name, path, info.get("size"), version))
    if not objects:
        raise FileNotFoundError
    return objects


def _is_path(path: str) -> bool:
    """Return whether the key of an object can be a file below a folder that is not hidden."""
    return "\0" not in path and not any(part == "" or part.startswith(".") for part in path.split("/"))


def _check_size(address: str, objects: Sequence[_Object]) -> None:
    size = sum(end - start for each in objects for start, end in _ranges(each.size or 0))
    if len(objects) > MAX_FILES or size > MAX_BYTES:
        fact = f"holds {len(objects):,} files, {size / 1e9:,.1f} GB"
        limit = f"at most {MAX_FILES:,} files and {MAX_BYTES / 1e9:,.0f} GB are read"
        raise RequestError(address, f"{fact}; {limit}", "name the folders below it that are meant")


def _ranges(size: int) -> list[tuple[int, int]]:
    """Return the parts of a file that are read, as (start, end)."""
    return [(0, size)] if size <= WHOLE else [(0, WHOLE - TAIL), (size - TAIL, size)]


def _update(
    folder: Path,
    name: str,
    system: "AbstractFileSystem",
    objects: Sequence[_Object],
    progress: Progress | None,
) -> None:
    """Bring a copy up to date. name: of the file in the folder, "" for the whole folder."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    index = folder / f"{_INDEX}{name}"
    known = _load(index)
    there = {each.path: each for each in objects if _is_there(each, folder, known)}
    if not name:
        _remove_others(folder, {each.path for each in objects})
    missing = [each for each in objects if each.path not in there]
    # First without those that are fetched now: after a kill, the old files do not pass for new ones.
    _write_index(index, there.values())
    done = 0
    for request in _requests(missing):
        with _store_errors(system.unstrip_protocol(request[0].name)):
            contents = _read(system, request)
        for each, parts in zip(request, contents, strict=True):
            _write(folder / each.path, each.size, parts)
        done += len(request)
        if progress:
            progress(done, len(missing))
    _write_index(index, objects)


def _remove_others(folder: Path, paths: Set[str]) -> None:
    """Remove what is not in the store any more."""
    for top, _, names in os.walk(folder):
        below = top[len(str(folder)) :].lstrip("/")
        for file in names:
            if not file.startswith(".") and f"{below}/{file}".lstrip("/") not in paths:
                os.remove(f"{top}/{file}")  # noqa: PTH107


def _write_index(index: Path, objects: Iterable[_Object]) -> None:
    known: _Known = {each.path: (each.size, each.version) for each in objects}
    _write(index, None, [(0, msgspec.msgpack.encode(known))])


def _load(index: Path) -> _Known:
    """Return what a copy holds; nothing if that is not known."""
    try:
        return msgspec.msgpack.decode(index.read_bytes(), type=_Known)
    except (OSError, msgspec.MsgspecError):
        return {}


def _is_there(each: _Object, folder: Path, known: _Known) -> bool:
    """Return whether the copy of a file is of this version. Without a version, that is unknown."""
    if not each.version or known.get(each.path) != (each.size, each.version):
        return False
    with suppress(OSError):
        return each.size is None or (folder / each.path).stat().st_size == each.size
    return False


def _requests(objects: Iterable[_Object]) -> Iterator[list[_Object]]:
    """Cut a list of files into requests. A file of unknown size has a request of its own."""
    request: list[_Object] = []
    size = 0
    for each in objects:
        request.append(each)
        size += _REQUEST_BYTES if each.size is None else min(each.size, WHOLE)
        if size >= _REQUEST_BYTES or len(request) >= _REQUEST_FILES:
            yield request
            request, size = [], 0
    if request:
        yield request


def _read(system: "AbstractFileSystem", objects: Sequence[_Object]) -> list[list[tuple[int, bytes]]]:
    """Return the parts of each file as (offset, bytes), fetched together."""
    sizes = [each.size if each.size is not None else system.size(each.name) for each in objects]
    if None in sizes:  # a server that does not say it: the whole file, alone in its request
        return [[(0, system.cat_file(each.name))] for each in objects]
    ranges = [(number, *part) for number, size in enumerate(sizes) for part in _ranges(size) if part[1]]
    names, starts, ends = (
        [objects[n].name for n, *_ in ranges],
        [s for _, s, _ in ranges],
        [e for *_, e in ranges],
    )
    parts: list[list[tuple[int, bytes]]] = [[] for _ in objects]
    contents = system.cat_ranges(names, starts, ends, on_error="raise") if ranges else []
    for (number, start, end), content in zip(ranges, contents, strict=True):
        if len(content) != end - start:
            raise OSError(f"{objects[number].path} changed while it was read")
        parts[number].append((start, content))
    return parts


def _write(path: Path, size: int | None, parts: Iterable[tuple[int, bytes]]) -> None:
    """Write a file at once: a killed process leaves the old one. size: of the file with its holes."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = path.with_name(f".{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            for offset, content in parts:
                file.seek(offset)
                file.write(content)
            file.truncate(size)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
