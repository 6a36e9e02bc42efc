"""Decode the records of a TensorBoard event file as far as scalars need it; nothing here raises on content.

A record is a length, its checksum, the bytes of an `Event`, and their checksum: CRC-32C, rotated. An event
has the fields wall_time = 1, step = 2, file_version = 3, summary = 5; a value of a summary tag = 1,
simple_value = 2, tensor = 8; a tensor dtype = 1, tensor_content = 4, float_val = 5, double_val = 6.

Format: https://github.com/tensorflow/tensorboard, tensorboard/compat/proto: event.proto, summary.proto,
tensor.proto.
"""

import math
import struct
from collections.abc import Iterator
from typing import NamedTuple

from reportgen.formats.trackers.protobuf import fields, parts

_LENGTH_BYTES, _HEAD, _TAIL = 8, 12, 4
# A scalar takes some hundred bytes; larger events are images, histograms and graphs.
_MAX_SCALAR_BYTES = 4096
_POLYNOMIAL, _MASK = 0x82F63B78, 0xA282EAD8
_DOUBLE, _FLOAT = 2, 1
_MAX_STEP = 2**53  # a negative step is larger


class Scalar(NamedTuple):
    """A scalar of an event."""

    tag: str
    step: int
    time: float
    value: float


class Damage(NamedTuple):
    """The number of a record, from 1, that cannot be read, and why; `is_end` if the rest is lost, too."""

    record: int
    fact: str
    is_end: bool


Event = list[Scalar]


def _table() -> tuple[int, ...]:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (_POLYNOMIAL if byte & 1 else 0)
        table.append(byte)
    return tuple(table)


_CRC = _table()


def masked_checksum(content: bytes) -> int:
    """Return the checksum of a record: CRC-32C, rotated by 15 bits, plus a constant."""
    value = 0xFFFFFFFF
    for byte in content:
        value = _CRC[(value ^ byte) & 0xFF] ^ value >> 8
    value ^= 0xFFFFFFFF
    return ((value >> 15 | value << 17) + _MASK) & 0xFFFFFFFF


def scalars(content: bytes) -> Iterator[tuple[int, Event] | Damage]:
    """Yield (number of the record, its scalars), and the damage of records."""
    at, number = 0, 0
    while at < len(content):
        number += 1
        head = content[at : at + _HEAD]
        if len(head) < _HEAD:
            yield Damage(number, "the file ends in a record", True)
            return
        length, checksum = struct.unpack("<QI", head)
        if masked_checksum(head[:_LENGTH_BYTES]) != checksum:
            yield Damage(number, "the length of a record has a wrong checksum", True)
            return
        begin, end = at + _HEAD, at + _HEAD + length
        if end + _TAIL > len(content):
            yield Damage(number, "the file ends in a record", True)
            return
        at = end + _TAIL
        if length <= _MAX_SCALAR_BYTES:
            event = content[begin:end]
            if masked_checksum(event) != struct.unpack("<I", content[end:at])[0]:
                yield Damage(number, "a record has a wrong checksum", False)
            else:
                yield number, list(_of_event(event))


def _of_event(event: bytes) -> Iterator[Scalar]:
    time, step = math.nan, 0
    for field, value in fields(event):
        if field == 1 and isinstance(value, bytes) and len(value) == 8:
            (time,) = struct.unpack("<d", value)
        elif field == 2 and isinstance(value, int):
            step = value
    for summary in parts(event, 5) if step < _MAX_STEP else ():
        for part in parts(summary, 1):
            if scalar := _of_value(part):
                yield Scalar(scalar[0], step, time if math.isfinite(time) else math.nan, scalar[1])


def _of_value(value: bytes) -> tuple[str, float] | None:
    tag, number = "", math.nan
    for field, part in fields(value):
        if not isinstance(part, bytes):
            continue
        if field == 1:
            tag = part.decode("utf-8", "replace")
        elif field == 2 and len(part) == 4:
            (number,) = struct.unpack("<f", part)
        elif field == 8:
            number = _of_tensor(part)
    return None if math.isnan(number) else (tag, number)


def _of_tensor(tensor: bytes) -> float:
    """Return the number of a tensor that has one float or double, NaN for any other."""
    kind, content = 0, b""
    for field, part in fields(tensor):
        if field == 1 and isinstance(part, int):
            kind = part
        elif field in (4, 5, 6) and isinstance(part, bytes):
            content = part
    form = {_FLOAT: "<f", _DOUBLE: "<d"}.get(kind)
    if form is None or len(content) != struct.calcsize(form):
        return math.nan
    number: float = struct.unpack(form, content)[0]
    return number
