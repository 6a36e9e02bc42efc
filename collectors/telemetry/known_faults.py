"""The known faults of the counters of drivers, as data: values that mean "not measured", and not the value.

A reading with a fault is absent from the telemetry, and the file says why. A new fault is one line.
"""

from collections.abc import Mapping
from typing import NamedTuple


class CounterFault(NamedTuple):
    """Values that a column of a driver shows although nothing was measured.

    low, high  the lowest and highest of them
    reason     a word for the telemetry file
    source     who has seen it
    """

    driver: str
    column: str
    low: int
    high: int
    reason: str
    source: str


_AMDGPU_NONE = "0xffff is 'not supported' in the metrics of amdgpu"
_ENDLESS = 2**63 - 1

FAULTS = (
    CounterFault("amdgpu", "power_mw", 0, 0, "stuck_at_zero", "rocm-smi shows 0 W of MI325X"),
    CounterFault("amdgpu", "power_mw", 65_535_000, 65_535_000, "not_supported", _AMDGPU_NONE),
    CounterFault("amdgpu", "utilization_gpu_percent", 101, _ENDLESS, "out_of_range", _AMDGPU_NONE),
    CounterFault("amdgpu", "utilization_memory_percent", 101, _ENDLESS, "out_of_range", _AMDGPU_NONE),
    CounterFault("amdgpu", "clock_sm_mhz", 65_535, 65_535, "not_supported", _AMDGPU_NONE),
    CounterFault(
        "amdsmi", "power_mw", 0, 0, "stuck_at_zero", "no power is measured; the kernel's file may have it"
    ),
    CounterFault("amdsmi", "utilization_gpu_percent", 101, _ENDLESS, "out_of_range", "a sum over partitions"),
    CounterFault(
        "amdsmi", "utilization_memory_percent", 101, _ENDLESS, "out_of_range", "a sum over partitions"
    ),
    CounterFault("amdsmi", "clock_sm_mhz", 65_535, 65_535, "not_supported", _AMDGPU_NONE),
    CounterFault("level-zero", "temperature_celsius", 0, 0, "stuck_at_zero", "intel/xpumanager#92: Arc B580"),
    CounterFault(
        "level-zero", "temperature_memory_celsius", 0, 0, "stuck_at_zero", "intel/xpumanager#92: Arc B580"
    ),
    CounterFault("i915", "power_limit_enforced_mw", 0, 0, "stuck_at_zero", "0 means that the limit is off"),
    CounterFault("xe", "power_limit_enforced_mw", 0, 0, "stuck_at_zero", "0 means that the limit is off"),
)


def without_faults(driver: str, values: Mapping[str, int]) -> tuple[dict[str, int], dict[str, str]]:
    """Return the values that were measured, and column -> reason of the others."""
    faulty = {
        fault.column: fault.reason
        for fault in FAULTS
        if fault.driver == driver and fault.low <= values.get(fault.column, -1) <= fault.high
    }
    return {column: value for column, value in values.items() if column not in faulty}, faulty


class RisingCounter:
    """A counter of energy that may wrap, or may never move.

    Some counters are stuck (ROCm/amdsmi#22: MI100): they always show the same number, which is 0 J. So the
    counter has no value until it has risen once.
    """

    def __init__(self, range_: int = 0) -> None:
        self._range = range_  # at which it begins again at 0; 0: it does not wrap
        self._last = -1
        self._total = -1
        self._has_risen = False

    def add(self, value: int) -> int:
        """Add a reading; return the counter without wraps, -1 if it has no value yet or was reset."""
        if self._last < 0 or (value < self._last and not self._range):
            self._has_risen = False
            self._total = value
        else:
            rise = value - self._last + (self._range if value < self._last else 0)
            self._total += rise
            self._has_risen = self._has_risen or rise > 0
        self._last = value
        return self._total if self._has_risen else -1
