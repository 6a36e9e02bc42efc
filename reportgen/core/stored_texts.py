"""Texts by name that are too many for memory, such as digests of logs: in a file, in order of names."""

from bisect import bisect_left
from collections.abc import ItemsView, Iterator, Mapping
from typing import cast

from reportgen.core.stored_values import StoredValues


class StoredTexts(Mapping[str, str]):
    """Name -> text, by name. Raises RequestError if the temporary disk is full."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._pairs = StoredValues(sorted(texts.items()), tuple[str, str])

    def __getitem__(self, name: str) -> str:
        place = bisect_left(self._pairs, (name,))
        if place < len(self._pairs):
            known, text = self._pairs[place]
            if known == name:
                return text
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self._pairs)

    def __len__(self) -> int:
        return len(self._pairs)

    def items(self) -> ItemsView[str, str]:
        """Return the pairs: looping over them reads each part of the file once."""
        return _TextsInOrder(self)


class _TextsInOrder(ItemsView[str, str]):
    _mapping: StoredTexts

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._mapping._pairs)


def texts_by_name(texts: Mapping[str, str], most: int) -> dict[str, str]:
    """Return texts in order of their names; StoredTexts, which read like a dict, for more than `most`."""
    if len(texts) <= most:
        return dict(sorted(texts.items()))
    return cast(dict[str, str], StoredTexts(texts))
