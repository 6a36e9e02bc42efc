"""Which devices a CUDA process may use, by UUID: the rules of CUDA_VISIBLE_DEVICES.

https://docs.nvidia.com/cuda/cuda-c-programming-guide/#cuda-environment-variables: a comma-separated list of
indices or UUIDs (a unique beginning is enough), or of MIG UUIDs; what follows the first entry that fits
nothing is invisible. Not set: all devices.
"""

from typing import NamedTuple, Optional


class Known(NamedTuple):
    """A device of the driver: its UUID, its model, and the UUIDs of the MIG instances on it."""

    uuid: str
    model: str
    instances: list[str]


def visible(devices: list[Known], setting: Optional[str], order: Optional[str]) -> list[str]:
    """Return the UUIDs of the devices and MIG instances that a CUDA process sees, each behind its parent.

    devices  in the driver's order (PCI bus)
    setting  CUDA_VISIBLE_DEVICES, None if not set
    order    CUDA_DEVICE_ORDER; unless it is PCI_BUS_ID, CUDA numbers the fastest device first, which
             cannot be told from here when models differ: all devices are then returned
    """
    if setting is None:
        return [uuid for device in devices for uuid in (device.uuid, *device.instances)]
    words = [word.strip() for word in setting.split(",")]
    is_mixed = len({device.model for device in devices}) > 1 and order != "PCI_BUS_ID"
    if is_mixed and any(word.isdecimal() for word in words):
        return visible(devices, None, None)
    found: list[str] = []
    for word in words:
        uuids = _named(devices, word)
        if not uuids:
            break
        found += [uuid for uuid in uuids if uuid not in found]
    return found


def _named(devices: list[Known], word: str) -> list[str]:
    """Return the device, or instance with its parent, that a word names; [] for none or several."""
    if word.isdecimal():
        chosen = devices[int(word) : int(word) + 1]
        return [uuid for device in chosen for uuid in (device.uuid, *device.instances)]
    if not word.startswith(("GPU-", "MIG-")):
        return []
    whole = [[device.uuid, *device.instances] for device in devices if device.uuid.startswith(word)]
    parts = [[one.uuid, part] for one in devices for part in one.instances if part.startswith(word)]
    fitting = whole + parts
    return fitting[0] if len(fitting) == 1 else []
