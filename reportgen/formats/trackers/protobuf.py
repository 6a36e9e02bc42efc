"""Decode the fields of protobuf messages; nothing here raises on content."""

from collections.abc import Iterator

_FIXED = {1: 8, 5: 4}
_MAX_BITS = 64


def fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield (number, value) of the fields of a message; a damaged one ends early."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        kind = key & 7
        if kind == 0:
            value, at = _varint(message, at)
            if at > len(message):
                return
            yield key >> 3, value
            continue
        size = _FIXED.get(kind, -1)
        if kind == 2:
            size, at = _varint(message, at)
        if size < 0 or at + size > len(message):
            return
        yield key >> 3, message[at : at + size]
        at += size


def parts(message: bytes, number: int) -> Iterator[bytes]:
    """Yield the texts and messages in the fields of a number."""
    for field, value in fields(message):
        if field == number and isinstance(value, bytes):
            yield value


def _varint(message: bytes, at: int) -> tuple[int, int]:
    """Return a number and the offset after it, beyond the end for a damaged one."""
    value = shift = 0
    while at < len(message) and shift < _MAX_BITS:
        byte = message[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if not byte & 0x80:
            return value, at
    return 0, len(message) + 1
