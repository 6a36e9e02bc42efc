"""Devices by name: how pages shorten the names that drivers print, and which models of GPU a text names.

A model may have several variants (PCIe, SXM, more memory). Its peaks are those of the
fastest, by `core.book`: they are an upper bound.
"""

import functools
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from reportgen.core.book import known_gpus
from reportgen.core.book.gpus import Dtype
from reportgen.core.lazy_pattern import lazy_pattern

# The kinds of arithmetic by the words of programs: what calls itself FP32 may use TF32.
_ARITHMETIC: Mapping[str, tuple[Dtype, ...]] = {
    "single": ("fp32", "tf32"),
    "half": ("fp16", "bf16"),
    "fp8": ("fp8",),
    "fp4": ("fp4",),
}


@dataclass(frozen=True, slots=True)
class Device:
    """A model of GPU.

    flops  FLOP/s of dense arithmetic: `single` (fp32, also as TF32), `half` (fp16, bf16), `fp8`, `fp4`
    """

    name: str
    flops: Mapping[str, float]


# `family` in the book.
_MODELS = (
    "P100", "V100", "T4", "A10", "A30", "A40", "A100", "L4", "L40", "L40S", "H100", "H200", "GH200", "B200",
)  # fmt: skip
_NAMES = "|".join(sorted(_MODELS, key=len, reverse=True))
_MODEL = lazy_pattern(rf"(?<![A-Z0-9])({_NAMES})S?(?![A-Z0-9])", re.IGNORECASE)


@functools.cache
def _device(name: str) -> Device:
    peaks = [gpu.peaks for gpu in known_gpus() if gpu.family == name]
    flops = {
        kind: 1e12 * max((each.get(dtype, 0.0) for each in peaks for dtype in dtypes), default=0.0)
        for kind, dtypes in _ARITHMETIC.items()
    }
    return Device(name, {kind: value for kind, value in flops.items() if value})


def find_device(text: str) -> Device | None:
    """Return the device that a text names (`NVIDIA H100 80GB HBM3`), None if it names none or two."""
    names = {name for name, _, _ in find_devices(text)}
    return _device(names.pop()) if len(names) == 1 else None


def find_devices(text: str) -> list[tuple[str, int, int]]:
    """Return (name, start, end) of all devices that a text names: A40 and V100 of `V100 vs. A40`."""
    return [(match[1].upper(), *match.span()) for match in _MODEL.finditer(text)]


# Factors whose values are names of devices.
_NAMES_OF_DEVICES = frozenset((
    "accelerator", "cpu", "device", "device_name", "gpu", "gpu_name", "hardware",
))  # fmt: skip
# Words that all devices of a maker have: they distinguish no two models.
_MAKER = lazy_pattern(r"^(?:NVIDIA |AMD |Intel |GeForce |Tesla |Instinct )+(?=\S)")
_IDLE_WORDS = lazy_pattern(
    r"\((?:R|TM|C)\)| Tensor Core(?: GPU)?| with(?= Max-Q)|(?<=Max-Q) Design| \d+-Core Processor"
    r"| CPU(?= @)| @ [\d.]+ ?GHz"
)


def short_name(name: str) -> str:
    """Return the name of a device as pages show it: `H100 80GB HBM3` for `NVIDIA H100 80GB HBM3`.

    Only words that distinguish no models are left out; memory and form (PCIe, SXM) stay.
    """
    return _MAKER.sub("", _IDLE_WORDS.sub("", name).strip()) or name


def shown_value(factor: str, value: str) -> str:
    """Return the text of a factor as pages show it: names of devices are short."""
    return short_name(value) if factor in _NAMES_OF_DEVICES else value


def ambiguous_names(factor: str, values: Iterable[str]) -> list[str]:
    """Return the values that are not shown short, because another value would look the same."""
    values = sorted(set(values))
    shown = Counter(shown_value(factor, value) for value in values)
    return [value for value in values if shown[shown_value(factor, value)] > 1]
