"""Remember results for the same objects: thousands of runs share columns and environments that are equal."""

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

# Results that are remembered, each with its objects.
_MAX_RESULTS = 64
# Arrays of more bytes are not kept for it: few runs are so long, and they share nothing.
_MAX_BYTES = 2**16


class Remembered(Generic[T]):
    """A function of objects that are never changed; other objects are asked about again, also equal ones."""

    def __init__(self, compute: Callable[..., T]) -> None:
        self._compute = compute
        # The objects are kept, so that no other object gets the identity of one of them.
        self._known: dict[tuple[int, ...], tuple[tuple[object, ...], T]] = {}

    def __call__(self, *objects: object) -> T:
        """Return what the function says of the objects."""
        if any(getattr(each, "nbytes", 0) > _MAX_BYTES for each in objects):
            return self._compute(*objects)
        key = tuple(map(id, objects))
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= _MAX_RESULTS:
                self._known.clear()
            known = self._known[key] = objects, self._compute(*objects)
        return known[1]
