"""The telemetry fields of GPUs of AMD and Intel: for each column the files of the kernel's driver.

The units of hwmon are microwatts, microjoules, millidegrees and hertz.
https://docs.kernel.org/hwmon/sysfs-interface.html  https://docs.kernel.org/gpu/amdgpu/thermal.html
https://docs.kernel.org/admin-guide/abi-testing.html: sysfs-driver-intel-xe-hwmon, -i915-hwmon
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Callable, NamedTuple, Optional

from collectors.machine.sysfs_gpus import SysfsGpu, read_text

_CURRENT_LEVEL = re.compile(r"^\S+: *([0-9]+)Mhz *\*", re.MULTILINE)
_ANY_LEVEL = re.compile(r"^\S+: *([0-9]+)Mhz", re.MULTILINE)

#: Reasons of Intel's drivers -> bits of NVML's mask: power cap, hardware slowdown, hardware thermal.
_INTEL_REASONS = {
    "pl1": 0x4, "pl2": 0x4, "pl4": 0x4, "prochot": 0x8, "vr_tdc": 0x8,
    "thermal": 0x40, "ratl": 0x40, "vr_thermalert": 0x40,
}  # fmt: skip


class SysfsField(NamedTuple):
    """A column, the files that may hold it (the first that exists), and how their text is read.

    files   relative to the folder of the card; below `hwmon/` to the folder of the sensors
    read    returns the value in the unit of the column, None if the text has none
    """

    column: str
    files: tuple[str, ...]
    read: Callable[[str], Optional[int]]


def _divided(divisor: int) -> Callable[[str], Optional[int]]:
    return lambda text: int(text) // divisor if text.isdecimal() else None


def _current_level(text: str) -> Optional[int]:
    match = _CURRENT_LEVEL.search(text)
    return int(match[1]) if match else None


def _highest_level(text: str) -> Optional[int]:
    return max(map(int, _ANY_LEVEL.findall(text)), default=None)


_NUMBER, _KILO, _MEGA = _divided(1), _divided(1000), _divided(1_000_000)

AMD_FAST = (
    SysfsField("utilization_gpu_percent", ("device/gpu_busy_percent",), _NUMBER),
    SysfsField("utilization_memory_percent", ("device/mem_busy_percent",), _NUMBER),
    SysfsField("memory_used_bytes", ("device/mem_info_vram_used",), _NUMBER),
    SysfsField("memory_total_bytes", ("device/mem_info_vram_total",), _NUMBER),
    SysfsField("power_mw", ("hwmon/power1_input", "hwmon/power1_average"), _KILO),
    SysfsField("clock_sm_mhz", ("hwmon/freq1_input",), _MEGA),
)
AMD_SLOW = (
    SysfsField("temperature_celsius", ("hwmon/temp1_input",), _KILO),
    SysfsField("temperature_memory_celsius", ("hwmon/temp3_input",), _KILO),
    SysfsField("clock_memory_mhz", ("device/pp_dpm_mclk",), _current_level),
    SysfsField("clock_sm_max_mhz", ("device/pp_dpm_sclk",), _highest_level),
    SysfsField("clock_memory_max_mhz", ("device/pp_dpm_mclk",), _highest_level),
    SysfsField("power_limit_enforced_mw", ("hwmon/power1_cap",), _KILO),
    SysfsField("power_limit_default_mw", ("hwmon/power1_cap_default",), _KILO),
    SysfsField("pcie_width_count", ("device/current_link_width",), _NUMBER),
)
#: Without a sensor of the clock, the level that the driver marks with a star.
AMD_LEVEL = SysfsField("clock_sm_mhz", ("device/pp_dpm_sclk",), _current_level)

INTEL_FAST = (
    SysfsField(
        "clock_sm_mhz",
        ("device/tile0/gt0/freq0/act_freq", "gt/gt0/rps_act_freq_mhz", "gt_act_freq_mhz"),
        _NUMBER,
    ),
)
INTEL_SLOW = (
    SysfsField("temperature_celsius", ("hwmon/temp2_input", "hwmon/temp1_input"), _KILO),
    SysfsField(
        "clock_sm_max_mhz",
        ("device/tile0/gt0/freq0/rp0_freq", "gt/gt0/rps_RP0_freq_mhz", "gt_RP0_freq_mhz"),
        _NUMBER,
    ),
    SysfsField("power_limit_enforced_mw", ("hwmon/power1_max",), _KILO),
    SysfsField("power_limit_default_mw", ("hwmon/power1_rated_max",), _KILO),
    SysfsField("memory_total_bytes", ("device/tile0/physical_vram_size_bytes",), _NUMBER),
)
#: Counters of energy in microjoules: of the card, else of the package.
ENERGY_FILES = ("hwmon/energy1_input", "hwmon/energy2_input")
_REASON_FILES = ("device/tile0/gt0/freq0/throttle/reason_{}", "gt/gt0/throttle_reason_{}")


class GpuFields(NamedTuple):
    """The fields of a vendor's GPUs: read at every interval, and about once a second."""

    fast: Sequence[SysfsField]
    slow: Sequence[SysfsField]
    has_reasons: bool = False


FIELDS: Mapping[str, GpuFields] = {
    "AMD": GpuFields((*AMD_FAST, AMD_LEVEL), AMD_SLOW),
    "Intel": GpuFields(INTEL_FAST, INTEL_SLOW, has_reasons=True),
}


def existing_path(gpu: SysfsGpu, files: Sequence[str]) -> Optional[Path]:
    """Return the first of the files of a GPU that has a content; None if there is none."""
    for name in files:
        of_sensors = name.startswith("hwmon/")
        path = gpu.hwmon / name[len("hwmon/") :] if of_sensors else gpu.card / name
        if read_text(path):
            return path
    return None


def reason_paths(gpu: SysfsGpu) -> list[tuple[Path, int]]:
    """Return the files of the reasons for a reduced clock, each with its bit of NVML's mask."""
    paths = []
    for reason, bit in _INTEL_REASONS.items():
        path = existing_path(gpu, [pattern.format(reason) for pattern in _REASON_FILES])
        if path:
            paths.append((path, bit))
    return paths
