"""How much memory one device of a run has: by its telemetry, a figure of its log, or its environment."""

import math

import numpy as np

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import Run
from reportgen.core.units import to_base

_KEY = lazy_pattern(r"(?:.*\.)?(?:device_memory|gpu_memory|memory_total)(?:_bytes)?")
# A smaller number without a unit counts something else than bytes, such as MiB.
_LEAST = 2.0**20
_SIZE = lazy_pattern(r"([0-9]+(?:\.[0-9]+)?) ?([A-Za-z]+)?")


def memory_of_device(run: Run) -> float | None:
    """Return the size in B, None if the log does not say it."""
    sizes = [
        float(np.nanmax(device.columns["memory_total"]))
        for device in run.telemetry
        if "memory_total" in device.columns and np.isfinite(device.columns["memory_total"]).any()
    ]
    sizes += [each.value for each in run.aggregates if each.metric == "memory_total" and each.value > 0]
    sizes += [
        size for name, value in run.environment.items() if _KEY.fullmatch(name) and (size := _size(value))
    ]
    return max(sizes, default=None)


def _size(value: object) -> float | None:
    """Return an amount of memory in B: a number of bytes, or a text with a unit; None for anything else."""
    match = _SIZE.fullmatch(str(value))
    if match is None:
        return None
    size, unit = to_base(float(match[1]), match[2] or "B")
    return size if unit == "B" and math.isfinite(size) and size >= _LEAST else None
