"""Read the energy and the temperature of the CPU packages: RAPL and hwmon.

The columns are of the CPU (`cpu_energy_mj`), so that no reader adds them to those of a GPU. RAPL counts the
energy of a package in microjoules and wraps at `max_energy_range_uj`. Clocks are not read: the kernel may
interrupt a core to learn its clock. https://docs.kernel.org/hwmon/coretemp.html
"""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Optional

from collectors.machine.cpu_packages import CpuZone, list_cpu_zones
from collectors.machine.sysfs_gpus import SYSFS, read_text
from collectors.telemetry.known_faults import RisingCounter
from collectors.telemetry.samples import Batch, Sample

_ENERGY, _TEMPERATURE = "cpu_energy_mj", "cpu_temperature_celsius"
_CPU_SENSORS = ("k10temp", "zenpower")
_TEMPERATURE_FILE = "temp1_input"


class CpuPackage:
    """A package, and the file of its temperature (None: unknown)."""

    def __init__(self, zone: CpuZone, temperature: Optional[Path]) -> None:
        self.uuid = f"CPU-{zone.name}"
        self.missing = {} if temperature else {_TEMPERATURE: "not_supported"}
        self._energy = zone.folder / "energy_uj"
        self._temperature = temperature
        limit = read_text(zone.folder / "max_energy_range_uj")
        self._counter = RisingCounter(int(limit) if limit.isdecimal() else 0)

    def read(self, *, is_slow: bool) -> dict[str, int]:
        """Return column -> value."""
        values: dict[str, int] = {}
        text = read_text(self._energy)
        total = self._counter.add(int(text)) if text.isdecimal() else -1
        if total >= 0:
            values[_ENERGY] = total // 1000
        text = read_text(self._temperature) if is_slow and self._temperature else ""
        if text.isdecimal():
            values[_TEMPERATURE] = int(text) // 1000
        return values


class CpuSource:
    """The CPU packages whose energy this process may read."""

    def __init__(self, devices: Sequence[CpuPackage]) -> None:
        self.devices = devices

    @classmethod
    def open(cls, sysfs: Path = SYSFS) -> "CpuSource":
        """Find the packages; the source may have none."""
        zones = list_cpu_zones(sysfs)
        temperatures = _temperatures(sysfs, len(zones))
        return cls([CpuPackage(zone, temperatures.get(zone.name)) for zone in zones if zone.is_readable])

    def read(self, slow: Sequence[bool]) -> Batch:
        """Return a sample of each package that has a value."""
        batch: Batch = []
        for package, is_slow in zip(self.devices, slow):  # noqa: B905 - Python 3.9 has no strict
            before = time.perf_counter_ns()
            values = package.read(is_slow=is_slow)
            if values:
                batch.append(Sample(package.uuid, (before + time.perf_counter_ns()) // 2, values))
        return batch

    def probe(self) -> Batch:
        """Return nothing: RAPL is renewed every millisecond."""
        return []

    def missing(self) -> dict[str, str]:
        """Return the columns that the packages do not have, with the reasons."""
        return dict(item for package in self.devices for item in package.missing.items())

    def close(self) -> None:
        """Do nothing: no file stays open."""


def _temperatures(sysfs: Path, packages: int) -> dict[str, Path]:
    """Return package -> file of its temperature; {} where sensors cannot be assigned to packages."""
    labelled: dict[str, Path] = {}
    others = []
    for hwmon in sorted(sysfs.glob("class/hwmon/hwmon*")):
        label = read_text(hwmon / "temp1_label")
        if read_text(hwmon / "name") == "coretemp" and label.startswith("Package id "):
            labelled[f"package-{label[len('Package id ') :]}"] = hwmon / _TEMPERATURE_FILE
        elif read_text(hwmon / "name") in _CPU_SENSORS:
            others.append(hwmon / _TEMPERATURE_FILE)
    if not labelled and packages == len(others) == 1:  # k10temp does not name the package
        return {"package-0": others[0]}
    return labelled
