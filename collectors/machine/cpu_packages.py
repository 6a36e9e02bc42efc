"""List the CPU packages whose energy RAPL counts.

https://docs.kernel.org/power/powercap/powercap.html
"""

import re
from pathlib import Path
from typing import NamedTuple

from collectors.machine.sysfs_gpus import SYSFS, read_text

_ZONE = re.compile(r"intel-rapl:[0-9]+")  # also of AMD; parts of a package have a second number


class CpuZone(NamedTuple):
    """The energy of a package: its name, such as `package-0`, and its folder."""

    name: str
    folder: Path

    @property
    def is_readable(self) -> bool:
        """Whether this process may read the energy; since CVE-2020-8694 only root may."""
        return bool(read_text(self.folder / "energy_uj"))


def list_cpu_zones(sysfs: Path = SYSFS) -> list[CpuZone]:
    """Return the packages in the order of their names."""
    folders = [path for path in sysfs.glob("class/powercap/intel-rapl:*") if _ZONE.fullmatch(path.name)]
    zones = sorted(CpuZone(read_text(folder / "name"), folder) for folder in folders)
    return [zone for zone in zones if zone.name.startswith("package-")]
