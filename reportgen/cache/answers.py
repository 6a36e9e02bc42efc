"""Store the whole answer of a command, what it printed and its exit code, under the digest of its inputs.

An answer is a file of its own, which replaces another at once, so that processes do not disturb each other.
It holds a digest of itself and of its key: a damaged file, or one under another name, is not used. When all
answers together exceed their bound, those that were not used for longest are removed.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from hashlib import blake2b
from typing import NamedTuple

from reportgen.cache import is_own

_MAGIC = b"reportgen answer 1\n"
_DIGEST_BYTES = 20
_HEADER_BYTES = len(_MAGIC) + _DIGEST_BYTES + 1 + 8
MAX_ANSWER_BYTES = 64 * 2**20
MAX_BYTES = 256 * 2**20


class Answer(NamedTuple):
    """The stdout and stderr of a command, and its exit code."""

    out: bytes | bytearray
    error: bytes | bytearray
    code: int


class Answers:
    """The stored answers below a cache folder."""

    def __init__(self, folder: str) -> None:
        self.folder = f"{folder}/answers"

    def load(self, key: bytes) -> Answer | None:
        """Return the answer under a key, None if there is none that is whole."""
        path = self._path(key)
        try:
            with open(path, "rb") as file:  # noqa: PTH123
                if not is_own(os.fstat(file.fileno())):
                    return None
                answer = _decode(key, file.read(MAX_ANSWER_BYTES + _HEADER_BYTES + 1))
            if answer:
                os.utime(path)
        except OSError:
            return None
        return answer

    def store(self, key: bytes, answer: Answer) -> None:
        """Store an answer; one that is too large, or that cannot be written, is not stored."""
        if len(answer.out) + len(answer.error) > MAX_ANSWER_BYTES:
            return
        path = self._path(key)
        part = f"{path}.{os.getpid()}.part"
        try:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)  # noqa: PTH103
            try:
                with open(part, "wb", opener=_private) as file:
                    file.writelines(_encoded(key, answer))
                os.replace(part, path)  # noqa: PTH105
            except OSError:
                os.unlink(part)  # noqa: PTH108
                return
            self._remove_oldest()
        except OSError:
            return

    def sizes(self) -> list[int]:
        """Return the sizes of the stored answers in bytes."""
        return [size for _, size, _ in self._files()]

    def clear(self) -> int:
        """Remove all answers and return their number."""
        return sum(_removed(path) for path, _, _ in list(self._files()))

    def remove_damaged(self) -> int:
        """Remove the answers that are not whole, and return their number."""
        return sum(_removed(path) for path, _, _ in list(self._files()) if not self._is_whole(path))

    def _is_whole(self, path: str) -> bool:
        try:
            with open(path, "rb") as file:  # noqa: PTH123
                content = file.read(MAX_ANSWER_BYTES + _HEADER_BYTES + 1)
            return _decode(bytes.fromhex(os.path.basename(path)), content) is not None  # noqa: PTH119
        except (OSError, ValueError):
            return False

    def _path(self, key: bytes) -> str:
        return f"{self.folder}/{key.hex()}"

    def _files(self) -> Iterator[tuple[str, int, float]]:
        """Yield path, size and time of last use of each file in the folder."""
        with suppress(OSError), os.scandir(self.folder) as entries:
            for entry in entries:
                with suppress(OSError):
                    status = entry.stat(follow_symlinks=False)
                    yield entry.path, status.st_size, status.st_mtime

    def _remove_oldest(self) -> None:
        files = sorted(self._files(), key=lambda file: file[2])
        total = sum(size for _, size, _ in files)
        for path, size, _ in files:
            if total <= MAX_BYTES:
                return
            _removed(path)
            total -= size


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _removed(path: str) -> bool:
    try:
        os.unlink(path)  # noqa: PTH108
    except OSError:
        return False
    return True


def _encoded(key: bytes, answer: Answer) -> tuple[bytes | bytearray, ...]:
    """Return the content of the file in parts: an answer of megabytes is not copied."""
    head = bytes([answer.code]) + len(answer.out).to_bytes(8, "big")
    return _MAGIC + _digest(key, head, answer.out, answer.error) + head, answer.out, answer.error


def _digest(*parts: bytes | bytearray | memoryview) -> bytes:
    digest = blake2b(digest_size=_DIGEST_BYTES)
    for part in parts:
        digest.update(part)
    return digest.digest()


def _decode(key: bytes, content: bytes) -> Answer | None:
    begin = len(_MAGIC) + _DIGEST_BYTES
    body = memoryview(content)[begin:]
    if content[:begin] != _MAGIC + _digest(key, body) or len(body) < 9:
        return None
    end = 9 + int.from_bytes(body[1:9], "big")
    return Answer(bytes(body[9:end]), bytes(body[end:]), body[0])
