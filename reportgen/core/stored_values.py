"""A sequence of values that is too long for memory: encoded in blocks, decoded where it is looked at."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Generic, TypeVar, cast, overload

import msgspec

from reportgen.core.stored_files import StoredFiles

# Values of a block, and blocks that are decoded at a time: tables and documents have other orders.
_BLOCK, _DECODED = 16, 32
_ENCODER = msgspec.msgpack.Encoder()

T = TypeVar("T")


class StoredValues(Sequence[T], Generic[T]):
    """Values of one type that msgspec encodes without loss. Each access makes new objects.

    Raises RequestError if the temporary disk is full.
    """

    def __init__(self, values: Iterable[T], of: type[T]) -> None:
        self._decoder = msgspec.msgpack.Decoder(list[of])  # type: ignore[valid-type]
        self._blocks, self._decoded = StoredFiles(), OrderedDict[int, list[T]]()
        self._length = 0
        left = iter(values)
        while block := list(islice(left, _BLOCK)):
            self._blocks.add(str(len(self._blocks)), _ENCODER.encode(block))
            self._length += len(block)

    def _block(self, number: int) -> list[T]:
        if number not in self._decoded:
            if len(self._decoded) >= _DECODED:
                self._decoded.popitem(last=False)
            self._decoded[number] = self._decoder.decode(self._blocks[str(number)])
        self._decoded.move_to_end(number)
        return self._decoded[number]

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        places = range(self._length)[index]
        if isinstance(places, range):
            return tuple(map(self._value, places))
        return self._value(places)

    def _value(self, place: int) -> T:
        return self._block(place // _BLOCK)[place % _BLOCK]

    def __iter__(self) -> Iterator[T]:
        for number in range(len(self._blocks)):
            yield from self._block(number)

    def __len__(self) -> int:
        return self._length

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))


def tuple_of(values: Iterable[T], of: type[T], *, are_many: bool) -> tuple[T, ...]:
    """Return values as a tuple; many of them as StoredValues, which can be read like one."""
    return cast(tuple[T, ...], StoredValues(values, of)) if are_many else tuple(values)
