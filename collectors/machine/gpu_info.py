"""Describe the GPUs and their driver for the environment of a run: through NVML, otherwise nvidia-smi.

Each fact is read separately. Serial numbers are not recorded. UUIDs are, because telemetry and environment
refer to devices by UUID.
"""

import re
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any, Callable, Optional

from collectors.machine.nvml import (
    DeviceInfo,
    UnavailableError,
    available,
    decode_text,
    enumerate_devices,
    start_nvml,
    stop_nvml,
)
from collectors.machine.sysfs_gpus import SYSFS, list_sysfs_gpus, read_text

Group = dict[str, Any]

_TERMINAL_STYLE = re.compile(r"\x1b\[[0-9;]*m")

#: Keys and fields of nvidia-smi, for hosts without nvidia-ml-py.
_SMI_FIELDS = {"name": "name", "pci": "pci.bus_id", "vbios": "vbios_version", "driver": "driver_version"}

#: Arguments of nvidia-smi that list the devices for `parse_devices`.
LIST_DEVICES = ("--query-gpu=uuid,name", "--format=csv,noheader")


def describe_gpus() -> dict[str, Group]:
    """Return the groups `driver`, `gpu` (UUID -> facts) and `topology`, as far as they can be read."""
    try:
        groups = _from_nvml()
    except UnavailableError:
        groups = _from_smi() or from_sysfs()
    if groups.get("gpu"):
        groups["topology"] = {"gpu": _topology(), "numa": numa_nodes()}
    return groups


def _from_nvml() -> dict[str, Group]:
    nvml = start_nvml()
    try:
        handles, devices = enumerate_devices(nvml)
        gpus = {
            device.uuid: _device_group(nvml, handles[device.uuid], device.instances) for device in devices
        }
        return {"driver": _driver_group(nvml), "gpu": gpus}
    finally:
        stop_nvml(nvml)


def _driver_group(nvml: Any) -> Group:
    def cuda_version() -> str:
        version = nvml.nvmlSystemGetCudaDriverVersion()
        return f"{version // 1000}.{version % 1000 // 10}"

    readers = {"version": lambda: decode_text(nvml.nvmlSystemGetDriverVersion()), "cuda": cuda_version}
    return _read_supported(nvml, readers)


def _device_group(nvml: Any, handle: Any, instances: list[str]) -> Group:
    def switch(name: str) -> Callable[[], bool]:
        return lambda: bool(getattr(nvml, name)(handle))

    def number(name: str, *arguments: Any) -> Callable[[], Optional[int]]:
        return lambda: available(getattr(nvml, name)(handle, *arguments))

    readers = {
        "name": lambda: decode_text(nvml.nvmlDeviceGetName(handle)),
        "pci": lambda: decode_text(nvml.nvmlDeviceGetPciInfo(handle).busId),
        "vbios": lambda: decode_text(nvml.nvmlDeviceGetVbiosVersion(handle)),
        "memory_bytes": lambda: available(nvml.nvmlDeviceGetMemoryInfo(handle).total),
        "power_limit_mw": number("nvmlDeviceGetEnforcedPowerLimit"),
        "power_limit_default_mw": number("nvmlDeviceGetPowerManagementDefaultLimit"),
        "clock_sm_max_mhz": number("nvmlDeviceGetMaxClockInfo", nvml.NVML_CLOCK_SM),
        "clock_memory_max_mhz": number("nvmlDeviceGetMaxClockInfo", nvml.NVML_CLOCK_MEM),
        "application_clock_sm_mhz": number("nvmlDeviceGetApplicationsClock", nvml.NVML_CLOCK_SM),
        "pcie_generation_max": number("nvmlDeviceGetMaxPcieLinkGeneration"),
        "pcie_width_max": number("nvmlDeviceGetMaxPcieLinkWidth"),
        "persistence": switch("nvmlDeviceGetPersistenceMode"),
        "ecc": lambda: bool(nvml.nvmlDeviceGetEccMode(handle)[0]),
        "mig": lambda: bool(nvml.nvmlDeviceGetMigMode(handle)[0]),
        "compute_capability": lambda: ".".join(map(str, nvml.nvmlDeviceGetCudaComputeCapability(handle))),
    }
    group = _read_supported(nvml, readers)
    return {**group, "mig_instances": instances} if instances else group


def _read_supported(nvml: Any, readers: dict[str, Callable[[], Any]]) -> Group:
    """Return the values of those readers that the driver supports."""
    values: Group = {}
    for name, read in readers.items():
        with suppress(nvml.NVMLError, AttributeError):
            values[name] = read()
    return {name: value for name, value in values.items() if value is not None}


def _from_smi() -> dict[str, Group]:
    query = f"--query-gpu=uuid,{','.join(_SMI_FIELDS.values())}"
    rows = [line.split(", ") for line in _smi_lines(query, "--format=csv,noheader")]
    gpus: Group = {}
    driver: Group = {}
    if not rows:
        return {}
    for row in rows:
        if len(row) == 1 + len(_SMI_FIELDS):
            facts = dict(zip(_SMI_FIELDS, row[1:]))  # noqa: B905 - Python 3.9 has no strict
            driver = {"version": facts.pop("driver")}
            gpus[row[0]] = {name: value for name, value in facts.items() if not value.startswith("[")}
    return {"driver": driver, "gpu": gpus}


def from_sysfs(sysfs: Path = SYSFS) -> dict[str, Group]:
    """Return the groups of the GPUs of AMD and Intel; {} if there are none."""
    gpus = list_sysfs_gpus(sysfs)
    if not gpus:
        return {}
    version = read_text(sysfs / "module" / gpus[0].driver / "version")
    driver = {"name": gpus[0].driver, **({"version": version} if version else {})}
    return {"driver": driver, "gpu": {gpu.uuid: {"name": gpu.model, "pci": gpu.pci} for gpu in gpus}}


def list_smi_devices() -> list[DeviceInfo]:
    """Return the devices that nvidia-smi lists, in the driver's order; [] if it does not answer."""
    return parse_devices(_smi_lines(*LIST_DEVICES))


def list_smi_temperatures() -> dict[str, int]:
    """Return UUID -> degrees C of the devices that nvidia-smi lists."""
    rows = [
        line.split(", ") for line in _smi_lines("--query-gpu=uuid,temperature.gpu", "--format=csv,noheader")
    ]
    return {row[0]: int(row[1]) for row in rows if len(row) == 2 and row[1].isdecimal()}


def parse_devices(lines: list[str]) -> list[DeviceInfo]:
    """Return the devices in lines "UUID, model" of nvidia-smi."""
    pairs = [line.partition(", ") for line in lines]
    return [DeviceInfo(uuid, model, []) for uuid, comma, model in pairs if comma]


def _topology() -> list[str]:
    """Return the lines of `nvidia-smi topo -m` without its legend."""
    lines = [_TERMINAL_STYLE.sub("", line).rstrip() for line in _smi_lines("topo", "-m")]
    end = next((number for number, line in enumerate(lines) if line.startswith("Legend")), len(lines))
    return [line for line in lines[:end] if line]


def _smi_lines(*arguments: str) -> list[str]:
    program = shutil.which("nvidia-smi")
    if not program:
        return []
    try:
        result = subprocess.run(
            [program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=20, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return []
    return result.stdout.decode("utf-8", "replace").splitlines()


def numa_nodes(root: Path = Path("/sys/devices/system/node")) -> list[str]:
    """Return "node0: 0-15" for each NUMA node and its cores."""
    cores_of = {}
    for path in root.glob("node[0-9]*"):
        with suppress(OSError):
            cores = (path / "cpulist").read_text(encoding="ascii").strip()
            cores_of[int(path.name[len("node") :])] = cores
    return [f"node{number}: {cores}" for number, cores in sorted(cores_of.items())]
