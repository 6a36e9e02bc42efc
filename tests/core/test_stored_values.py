"""A long sequence of values is in a file: it reads like the tuple that it stands for."""

import msgspec
import pytest

from reportgen.core import stored_values
from reportgen.core.stored_values import StoredValues, tuple_of


class _Value(msgspec.Struct, frozen=True):
    number: int | float | None
    texts: tuple[str, ...] = ()


VALUES = tuple(_Value(number, (str(number),) * 2) for number in (1, 1.0, -0.0, 0.1, None, 2**62, 7))


@pytest.fixture
def stored(monkeypatch: pytest.MonkeyPatch) -> StoredValues[_Value]:
    """The values in blocks of two; one block is decoded at a time."""
    monkeypatch.setattr(stored_values, "_BLOCK", 2)
    monkeypatch.setattr(stored_values, "_DECODED", 1)
    return StoredValues(iter(VALUES), _Value)


def test_values_come_back_with_their_types(stored: StoredValues[_Value]) -> None:
    assert (len(stored), list(map(repr, stored))) == (len(VALUES), list(map(repr, VALUES)))
    others = VALUES, VALUES[:-1], VALUES[::-1], 7
    assert [stored == other for other in others] == [True, False, False, False]
    assert [other == stored for other in others] == [True, False, False, False]


@pytest.mark.parametrize("place", [0, 3, 6, -1, -7])
def test_a_value_is_found_by_its_place(stored: StoredValues[_Value], place: int) -> None:
    assert stored[place] == VALUES[place]


@pytest.mark.parametrize("part", [slice(1), slice(2, 5), slice(None, None, -3), slice(9, None)])
def test_a_slice_is_a_tuple(stored: StoredValues[_Value], part: slice) -> None:
    assert stored[part] == VALUES[part]


@pytest.mark.parametrize("place", [7, -8])
def test_there_is_nothing_behind_the_end(stored: StoredValues[_Value], place: int) -> None:
    with pytest.raises(IndexError):
        stored[place]


def test_a_loop_inside_a_loop_sees_all_values(stored: StoredValues[_Value]) -> None:
    assert [(a, b) for a in stored for b in stored] == [(a, b) for a in VALUES for b in VALUES]


@pytest.mark.parametrize(("are_many", "kind"), [(False, tuple), (True, StoredValues)])
def test_few_values_are_a_tuple(are_many: bool, kind: type) -> None:
    made = tuple_of(iter(VALUES), _Value, are_many=are_many)
    assert (type(made), tuple(made)) == (kind, VALUES)
