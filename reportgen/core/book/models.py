"""Models by name: the floating-point operations of a forward pass, from `models.toml`."""

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from reportgen.core.book.gpus import BookSource
from reportgen.core.schema import TomlTable, read_toml

Count = Annotated[int, Meta(gt=0)]

_FILE = Path(__file__).with_name("models.toml")


class ImageModel(TomlTable):
    """A model of images: 1e9 multiply-adds of a forward pass over one of `image_size` squared."""

    name: str
    image_size: Count
    multiply_adds: Annotated[float, Meta(gt=0)]
    source: str
    names: tuple[str, ...] = ()

    def forward(self) -> float:
        """Return the operations of a forward pass over one image."""
        return 2e9 * self.multiply_adds


class Transformer(TomlTable):
    """The shape of a transformer.

    key_value   width of all keys of a token, 0 for `hidden`
    gated       whether the feed-forward part has three matrices
    vocabulary  outputs of every token, 0 where only some tokens have any
    """

    name: str
    layers: Count
    hidden: Count
    inner: Count
    source: str
    key_value: int = 0
    gated: bool = False
    vocabulary: int = 0
    names: tuple[str, ...] = ()

    def forward(self, length: int) -> float:
        """Return the operations of a forward pass over one token of a sequence of that length."""
        attention = 2 * self.hidden * (self.hidden + (self.key_value or self.hidden) + length)
        inner = (3 if self.gated else 2) * self.hidden * self.inner
        return 2.0 * (self.layers * (attention + inner) + self.hidden * self.vocabulary)


class _ModelFile(TomlTable):
    formula: BookSource
    sources: Mapping[str, BookSource]
    image_model: tuple[ImageModel, ...]
    transformer: tuple[Transformer, ...]


@functools.cache
def _book() -> _ModelFile:
    return read_toml(_FILE, _ModelFile, _FILE.name)


def known_models() -> tuple[ImageModel | Transformer, ...]:
    """Return every model of the book, in its order."""
    return (*_book().image_model, *_book().transformer)


def model_source(model: ImageModel | Transformer) -> BookSource:
    """Return where the size of a model is from."""
    return _book().sources[model.source]


def formula_source() -> BookSource:
    """Return where the formula of the operations is from."""
    return _book().formula


def find_model(name: str) -> ImageModel | Transformer | None:
    """Return the model of that name, None if the book has none; an owner before a `/` does not count."""
    known = _by_name()
    return known.get(_key(name)) or known.get(_key(name.rpartition("/")[2]))


@functools.cache
def _by_name() -> Mapping[str, ImageModel | Transformer]:
    return {_key(name): model for model in known_models() for name in (model.name, *model.names)}


def _key(name: str) -> str:
    return name.lower().replace("_", "-").replace(" ", "-")
