"""List the GPUs of AMD and Intel that the kernel's drivers show in /sys/class/drm.

Only GPUs with a memory and a power supply of their own are listed: a processor with built-in graphics is not
what a run is about. Such graphics have no `power1_cap` with amdgpu, and no hwmon folder with i915 and xe.
https://docs.kernel.org/gpu/amdgpu/thermal.html
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Optional

SYSFS = Path("/sys")
_VENDORS = {"0x1002": "AMD", "0x8086": "Intel"}
_HIDING_VARIABLES = ("ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES")
_DRIVERS = {"AMD": ("amdgpu",), "Intel": ("xe", "i915")}


class SysfsGpu(NamedTuple):
    """A GPU: its folder /sys/class/drm/card<N>, its driver, and the folder of its sensors."""

    uuid: str
    vendor: str
    model: str
    driver: str
    pci: str
    card: Path
    hwmon: Path


def visible_sysfs_gpus(environ: Mapping[str, str], sysfs: Path = SYSFS) -> list[SysfsGpu]:
    """Return the GPUs, [] if the environment of the process hides all of them.

    Numbers in these variables follow an order that the kernel does not show, so they select nothing here.
    """
    is_hidden = any(environ.get(name) == "" for name in _HIDING_VARIABLES)
    return [] if is_hidden else list_sysfs_gpus(sysfs)


def list_sysfs_gpus(sysfs: Path = SYSFS) -> list[SysfsGpu]:
    """Return the GPUs in the order of their PCI addresses."""
    cards = [path for path in sysfs.glob("class/drm/card*") if re.fullmatch(r"card[0-9]+", path.name)]
    gpus = [gpu for gpu in map(_describe, cards) if gpu]
    return sorted(gpus, key=lambda gpu: gpu.pci)


def _describe(card: Path) -> Optional[SysfsGpu]:
    device = card / "device"
    vendor = _VENDORS.get(read_text(device / "vendor"))
    if vendor is None:
        return None
    for hwmon in sorted(device.glob("hwmon/hwmon*")):
        driver = read_text(hwmon / "name")
        if driver not in _DRIVERS[vendor] or (vendor == "AMD" and not (hwmon / "power1_cap").exists()):
            continue
        pci = device.resolve().name
        name = read_text(device / "product_name") or f"{vendor} GPU {read_text(device / 'device')}"
        unique = read_text(device / "unique_id")
        uuid = f"GPU-{unique if unique.strip('0') else pci}"
        return SysfsGpu(uuid, vendor, name.replace(",", " "), driver, pci, card, hwmon)
    return None


def read_text(path: Path) -> str:
    """Return the content of a file without its line end; "" if it cannot be read."""
    with suppress(OSError):
        return path.read_text(encoding="utf-8", errors="replace").strip()
    return ""
