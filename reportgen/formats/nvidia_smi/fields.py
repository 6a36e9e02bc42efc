"""The fields of `nvidia-smi --query-gpu`: what they are called, what they measure and in which unit.

Names as `nvidia-smi --help-query-gpu` lists them; the header prints the second of two spellings, and names a
unit in brackets even with `nounits`. Throttle reasons were renamed to event reasons in driver 535; the bits
are those of nvml.h.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from reportgen.core import units
from reportgen.formats.parsing.csv_cells import quantity

# Field -> (metric, unit of a cell without one).
NUMBERS: Mapping[str, tuple[str, str]] = {
    "utilization.gpu": ("utilization", "%"),
    "utilization.memory": ("memory_utilization", "%"),
    "memory.total": ("memory_total", "MiB"),
    "memory.used": ("memory_used", "MiB"),
    "memory.free": ("memory_free", "MiB"),
    "temperature.gpu": ("temperature", "C"),
    "temperature.memory": ("temperature_memory", "C"),
    "power.draw": ("power", "W"),
    "power.draw.average": ("power_average", "W"),
    "power.draw.instant": ("power_instant", "W"),
    "power.limit": ("power_limit_requested", "W"),
    "enforced.power.limit": ("power_limit", "W"),
    "power.default_limit": ("power_limit_default", "W"),
    "clocks.current.sm": ("sm_clock", "MHz"),
    "clocks.current.memory": ("memory_clock", "MHz"),
    "clocks.current.graphics": ("graphics_clock", "MHz"),
    "clocks.max.sm": ("sm_clock_max", "MHz"),
    "clocks.max.memory": ("memory_clock_max", "MHz"),
    "fan.speed": ("fan_speed", "%"),
    "pcie.link.gen.current": ("pcie_link_generation", "count"),
    "pcie.link.gen.gpucurrent": ("pcie_link_generation", "count"),
    "pcie.link.width.current": ("pcie_link_width", "count"),
    "ecc.errors.corrected.volatile.total": ("ecc_corrected", "count"),
    "ecc.errors.uncorrected.volatile.total": ("ecc_uncorrected", "count"),
}
REASONS = "throttle_reasons"
_REASONS: Mapping[str, int] = {
    "gpu_idle": 0x1,
    "applications_clocks_setting": 0x2,
    "sw_power_cap": 0x4,
    "hw_slowdown": 0x8,
    "sync_boost": 0x10,
    "sw_thermal_slowdown": 0x20,
    "hw_thermal_slowdown": 0x40,
    "hw_power_brake_slowdown": 0x80,
    "display_clocks_setting": 0x100,
}
# Facts about the device or the machine: field -> name in the environment.
FACTS: Mapping[str, str] = {
    "driver_version": "driver",
    "vbios_version": "vbios",
    "compute_mode": "compute_mode",
    "persistence_mode": "persistence_mode",
}
# What tells devices apart, the surest first.
IDENTITIES = ("uuid", "pci.bus_id", "index")
_OTHERS = ("timestamp", "name", "count", "serial", "pstate", *IDENTITIES, *FACTS)
_SPELLINGS: Mapping[str, str] = {
    "gpu_name": "name",
    "gpu_uuid": "uuid",
    "gpu_bus_id": "pci.bus_id",
    "clocks.sm": "clocks.current.sm",
    "clocks.mem": "clocks.current.memory",
    "clocks.memory": "clocks.current.memory",
    "clocks.gr": "clocks.current.graphics",
    "clocks.max.mem": "clocks.max.memory",
}
# One of these stands in every header that has a telling field.
MARKS = tuple(
    name.encode()
    for name in (
        *NUMBERS,
        *(name for name, meant in _SPELLINGS.items() if meant in NUMBERS),
        "clocks_throttle_reasons.",
        "clocks_event_reasons.",
    )
)
_FIELD = re.compile(r"([a-z][a-z0-9_.]*)(?: ?\[([^\[\]]{1,12})\])?")
# Masks travel as floats, which hold 53 bits; nine are in use.
_BEYOND = 2**53
_REASON = re.compile(r"clocks_(?:throttle|event)_reasons\.([a-z_]+)")


@dataclass(frozen=True, slots=True)
class Field:
    """A column: its name in one spelling and the unit that its header gives, "" if none."""

    name: str
    unit: str = ""

    @property
    def is_known(self) -> bool:
        """Whether nvidia-smi has such a field, as far as is listed here."""
        return self.name in NUMBERS or self.name in _OTHERS or bool(_REASON.fullmatch(self.name))

    @property
    def is_telling(self) -> bool:
        """Whether nobody else would call a column so."""
        return self.name in NUMBERS or bool(_REASON.fullmatch(self.name))

    @property
    def metric(self) -> str:
        """The metric that it measures, "" for none; all throttle reasons together are one bit mask."""
        reason = _REASON.fullmatch(self.name)
        if reason:
            return REASONS if reason[1] == "active" or reason[1] in _REASONS else ""
        return NUMBERS.get(self.name, ("", ""))[0]

    def value(self, text: str) -> float | None:
        """Return a cell in the base unit, NaN where the driver has no value, None if it is damaged."""
        if not text or text.startswith("[") or text in ("N/A", "ERR!"):
            return math.nan
        reason = _REASON.fullmatch(self.name)
        if reason:
            return _mask(reason[1], text)
        found = quantity(text, self.unit or NUMBERS[self.name][1])
        if found is None or not units.find(found[1]):
            return None
        value, base = units.to_base(*found)
        return value if base == units.to_base(1, NUMBERS[self.name][1])[1] else None


def field(text: str) -> Field | None:
    """Return the field that a header cell names, None if it is no name of a field."""
    found = _FIELD.fullmatch(text.strip())
    return Field(_SPELLINGS.get(found[1], found[1]), found[2] or "") if found else None


def _mask(reason: str, text: str) -> float | None:
    if reason == "active":
        mask = int(text, 16) if re.fullmatch("0x[0-9a-fA-F]{1,16}", text) else _BEYOND
        return float(mask) if mask < _BEYOND else None
    return {"Active": float(_REASONS.get(reason, 0)), "Not Active": 0.0}.get(text)
