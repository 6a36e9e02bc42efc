"""GPUs by name: their dense peaks, memory, bandwidths and power, from `gpus.toml`."""

import functools
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, field

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.schema import TomlTable, read_toml

Dtype = Literal["fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "fp4", "int8"]
Amount = Annotated[float, Meta(gt=0)]

_FILE = Path(__file__).with_name("gpus.toml")

# Words that makers write with the names of all their devices.
_MAKERS = frozenset(("nvidia", "amd", "intel", "tesla", "geforce", "instinct"))
_IDLE = frozenset(("tensor", "core", "gpu", "accelerator", "graphics", "r", "tm"))
_WORD = lazy_pattern(r"[a-z0-9.]+")
_APART = lazy_pattern(r"(?<=\d) (?=gb\b)")  # 80 GB


class BookSource(TomlTable):
    """Where the facts of a row are from.

    note  which of the printed values are in the book
    """

    name: str
    url: str
    note: str = ""


class Gpu(TomlTable):
    """A GPU. The values are as data sheets print them; `gpus.toml` says what each means.

    peaks  TFLOP/s of dense arithmetic; memory  GB; bandwidth, interconnect  GB/s; power  W; None if not known
    """

    name: str
    source: str
    names: tuple[str, ...] = ()
    family: str = ""
    peaks: Mapping[Dtype, Amount] = field(default_factory=dict)
    memory: Amount | None = None
    bandwidth: Amount | None = None
    interconnect: Amount | None = None
    power: Amount | None = None
    note: str = ""


class _Refused(TomlTable):
    """A name that has no row, and why."""

    name: str
    why: str


class _GpuFile(TomlTable):
    sources: Mapping[str, BookSource]
    gpu: tuple[Gpu, ...]
    refused: tuple[_Refused, ...]


@functools.cache
def _book() -> _GpuFile:
    return read_toml(_FILE, _GpuFile, _FILE.name)


def known_gpus() -> tuple[Gpu, ...]:
    """Return every GPU of the book, in its order."""
    return _book().gpu


def gpu_source(gpu: Gpu) -> BookSource:
    """Return where the facts of a GPU are from."""
    return _book().sources[gpu.source]


@functools.lru_cache(maxsize=1024)
def find_gpu(name: str) -> Gpu | None:
    """Return the GPU that a driver or a data sheet names so; None if it is none or one of several."""
    words = _words(name)
    if words in _refused() or words - _MAKERS in _refused():
        return None
    return _by_words().get(words) or _by_words().get(words - _MAKERS)


def refused_names() -> Mapping[str, str]:
    """Return the names that have no row for a reason of their own, name -> reason."""
    return {each.name: each.why for each in _book().refused}


def why_no_gpu(name: str) -> str:
    """Return why a name has no row in the book, "" if it has one."""
    if find_gpu(name):
        return ""
    words = _words(name) - _MAKERS
    if why := _refused().get(words):
        return f'"{name}" has no row in the book: {why}'
    fitting = [
        gpu.name for gpu in known_gpus() if words and any(words < known for known in _known_words(gpu))
    ]
    if fitting:
        return f'"{name}" may be {", ".join(fitting[:-1])}{" or " if fitting[1:] else ""}{fitting[-1]}'
    return f'"{name}" is not in the book'


def _words(name: str) -> frozenset[str]:
    """Return the words of a name in any order: {a100, sxm4, 80gb} of `NVIDIA A100-SXM4-80GB`."""
    return frozenset(_WORD.findall(_APART.sub("", " ".join(_WORD.findall(name.lower()))))) - _IDLE


def _known_words(gpu: Gpu) -> Iterable[frozenset[str]]:
    return (_words(name) for name in (gpu.name, *gpu.names))


@functools.cache
def _by_words() -> Mapping[frozenset[str], Gpu]:
    return {words: gpu for gpu in known_gpus() for words in _known_words(gpu)}


@functools.cache
def _refused() -> Mapping[frozenset[str], str]:
    return {_words(each.name) - _MAKERS: each.why for each in _book().refused}
