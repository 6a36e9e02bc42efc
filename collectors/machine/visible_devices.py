"""Select the devices that a CUDA process may use, by UUID: the rules of CUDA_VISIBLE_DEVICES.

https://docs.nvidia.com/cuda/cuda-c-programming-guide/#cuda-environment-variables: a comma-separated list of
indices, UUIDs (a unique prefix is enough) or MIG UUIDs. Everything after the first entry that matches nothing
is invisible. If the variable is not set, all devices are visible.
"""

from collections.abc import Mapping

from collectors.machine.nvml import DeviceInfo


def visible_uuids(devices: list[DeviceInfo], environ: Mapping[str, str]) -> list[str]:
    """Return the UUIDs of the visible devices and MIG instances, each instance after its device.

    devices  in the order of the driver (PCI bus)
    environ  of the CUDA process. Unless CUDA_DEVICE_ORDER is PCI_BUS_ID, CUDA numbers the fastest device
             first. That order is unknown here if models differ, so all devices are returned
    """
    everything = [uuid for device in devices for uuid in (device.uuid, *device.instances)]
    setting = environ.get("CUDA_VISIBLE_DEVICES")
    if setting is None:
        return everything
    entries = [entry.strip() for entry in setting.split(",")]
    order = environ.get("CUDA_DEVICE_ORDER")
    is_order_unknown = len({device.model for device in devices}) > 1 and order != "PCI_BUS_ID"
    if is_order_unknown and any(entry.isdecimal() for entry in entries):
        return everything
    visible: list[str] = []
    for entry in entries:
        uuids = _match(devices, entry)
        if not uuids:
            break
        visible += [uuid for uuid in uuids if uuid not in visible]
    return visible


def _match(devices: list[DeviceInfo], entry: str) -> list[str]:
    """Return the device that an entry names, or the instance after its device; [] for none or several."""
    if entry.isdecimal():
        chosen = devices[int(entry) : int(entry) + 1]
        return [uuid for device in chosen for uuid in (device.uuid, *device.instances)]
    if not entry.startswith(("GPU-", "MIG-")):
        return []
    matches = [[device.uuid, *device.instances] for device in devices if device.uuid.startswith(entry)]
    matches += [
        [device.uuid, instance]
        for device in devices
        for instance in device.instances
        if instance.startswith(entry)
    ]
    return matches[0] if len(matches) == 1 else []
