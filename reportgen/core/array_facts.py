"""Remember results of a function of arrays: thousands of runs share the columns that are equal in all."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from numpy.typing import NDArray

T = TypeVar("T")

# Answers that are remembered, each with its arrays.
_MOST = 64


class ArrayFact(Generic[T]):
    """A function of arrays that are never changed; other arrays are asked about again, also equal ones."""

    def __init__(self, compute: Callable[..., T]) -> None:
        self._compute = compute
        # The arrays are kept, so that no other array gets the identity of one of them.
        self._known: dict[tuple[int, ...], tuple[tuple[NDArray[Any], ...], T]] = {}

    def __call__(self, *arrays: NDArray[Any]) -> T:
        """Return what the function says of the arrays."""
        key = tuple(map(id, arrays))
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= _MOST:
                self._known.clear()
            known = self._known[key] = arrays, self._compute(*arrays)
        return known[1]
