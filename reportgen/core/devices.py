"""Devices by name: how pages shorten the names that drivers print, and the peak arithmetic of the usual ones.

The peaks are those of NVIDIA's data sheets.

Of several variants of a model (PCIe, SXM, more memory) the fastest counts, since the table is used as an
upper bound. All values are of dense arithmetic; structured sparsity doubles what a data sheet prints.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Device:
    """A model of GPU.

    flops  FLOP/s by precision: `single` (fp32, also as TF32), `half` (fp16, bf16), `fp8`, `fp4`
    """

    name: str
    flops: Mapping[str, float]


def _device(name: str, single: float, half: float, fp8: float = 0.0, fp4: float = 0.0) -> Device:
    """Return a device with TFLOP/s as the data sheets print them; 0 where it has no such arithmetic."""
    given = {"single": single, "half": half, "fp8": fp8, "fp4": fp4}
    return Device(name, {precision: value * 1e12 for precision, value in given.items() if value})


# Sources: NVIDIA's data sheets of each product, and its white papers of the architectures.
_DEVICES = (
    _device("P100", 10.6, 21.2),  # NVLink
    _device("V100", 16.4, 130),  # V100S PCIe
    _device("T4", 8.1, 65),
    _device("A10", 62.5, 125),
    _device("A30", 82, 165),
    _device("A40", 74.8, 149.7),
    _device("A100", 156, 312),
    _device("L4", 60, 121, 242),
    _device("L40", 90.5, 181, 362),
    _device("L40S", 183, 366, 733),
    _device("H100", 495, 990, 1979),  # SXM5
    _device("H200", 495, 990, 1979),
    _device("GH200", 495, 990, 1979),
    _device("B200", 1250, 2500, 5000, 10000),  # of the GB200
)
_BY_NAME = {device.name: device for device in _DEVICES}
_NAMES = "|".join(sorted(_BY_NAME, key=len, reverse=True))
_MODEL = re.compile(rf"(?<![A-Z0-9])({_NAMES})S?(?![A-Z0-9])", re.IGNORECASE)


def find_device(text: str) -> Device | None:
    """Return the device that a text names (`NVIDIA H100 80GB HBM3`), None if it names none or two."""
    names = {name for name, _, _ in find_devices(text)}
    return _BY_NAME[names.pop()] if len(names) == 1 else None


def find_devices(text: str) -> list[tuple[str, int, int]]:
    """Return (name, start, end) of all devices that a text names: A40 and V100 of `V100 vs. A40`."""
    return [(match[1].upper(), *match.span()) for match in _MODEL.finditer(text)]


# Factors whose values are names of devices.
_NAMES_OF_DEVICES = frozenset((
    "accelerator", "cpu", "device", "device_name", "gpu", "gpu_name", "hardware",
))  # fmt: skip
# Words that all devices of a maker have: they distinguish no two models.
_MAKER = re.compile(r"^(?:NVIDIA |AMD |Intel |GeForce |Tesla |Instinct )+(?=\S)")
_IDLE_WORDS = re.compile(
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
