"""Results are remembered for the arrays themselves, not for equal ones."""

from weakref import ref

import numpy as np

from reportgen.core.remembered import _MAX_BYTES, _MAX_RESULTS, Remembered


def test_the_same_arrays_are_asked_once_and_equal_ones_again() -> None:
    asked = []

    @Remembered
    def total(one: np.ndarray, other: np.ndarray) -> int:
        asked.append(one)
        return int(one.sum() + other.sum())

    one, other = np.array([1, 2]), np.array([10])
    assert [total(one, other), total(one, other), total(other, one), total(one.copy(), other)] == [13] * 4
    assert len(asked) == 3


def test_an_array_that_takes_the_place_of_another_is_not_taken_for_it() -> None:
    first = Remembered(lambda values: int(values[0]))
    assert [first(np.array([number])) for number in range(3 * _MAX_RESULTS)] == list(range(3 * _MAX_RESULTS))


def test_long_arrays_are_not_kept() -> None:
    asked = []
    first = Remembered(lambda values: asked.append(ref(values)) or float(values[0]))
    long = np.ones(_MAX_BYTES)
    assert (first(long), first(long), len(asked)) == (1.0, 1.0, 2)
    del long
    assert [each() for each in asked] == [None, None]
