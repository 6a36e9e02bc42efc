"""A dict that cannot be changed, for what is shared: the factors of a run are those of all its cases."""

from typing import Any, NoReturn, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class FrozenDict(dict[K, V]):
    """A dict without changes; unlike a MappingProxyType it can be pickled, copied and written as JSON."""

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("this dict cannot be changed; make a new one, as {**old, name: value}")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type["FrozenDict[K, V]"], tuple[dict[K, V]]]:
        return FrozenDict, (dict(self),)
