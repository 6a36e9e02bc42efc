"""Say before a campaign what would spoil it, with the remedy of each thing found. Changes nothing.

    python -m collectors doctor --workers 8

Each check is a function that may return advice; what a driver or a system cannot answer is not advised on.
"""

import argparse
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional

from collectors.machine import environment
from collectors.telemetry.nvml import enumerate_devices, start_nvml, stop_nvml
from collectors.telemetry.nvml_fields import known
from collectors.telemetry.source import UnavailableError
from collectors.telemetry.watch import has_driver

EXAMPLE = "python -m collectors doctor --workers 8"
_GIB = 1024**3
_FEW_BYTES = 2 * _GIB
_BUSY_LOAD = 0.5  # runnable processes of others
_WARM = 15  # degrees below the slowdown threshold

#: Reasons for which a device would run below its clocks, with the bits of `clocks_event_reasons`.
_SLOWDOWNS = {
    0x08: "hardware slowdown",
    0x20: "software thermal",
    0x40: "hardware thermal",
    0x80: "power brake",
}


class Advice(NamedTuple):
    """One thing that would spoil a measurement: whose, what, and what to do."""

    subject: str
    fact: str
    remedy: str


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `doctor`."""
    parser.add_argument("--workers", type=int, default=0, metavar="N", help="worker processes of the loader")
    parser.add_argument("--logs", type=Path, default=Path(), help="folder that logs will be written to (.)")
    parser.add_argument("--strict", action="store_true", help="exit with code 4 if something was found")


def main(options: argparse.Namespace) -> int:
    """Print what was found; return 0, or 4 under --strict if there was something."""
    found = [*host(options.workers, options.logs), *devices()]
    for one in found:
        print(f"{one.subject}: {one.fact}\n    remedy: {one.remedy}")
    print(f"{len(found)} found, nothing changed" if found else "nothing found that would spoil a measurement")
    return 4 if found and options.strict else 0


def host(workers: int, logs: Path) -> Iterator[Advice]:
    """Advise on cores, frequency, other load, shared memory and disk."""
    usable = environment.usable_cores()
    box = os.cpu_count()
    if usable and workers > usable:
        remedy = f"ask the scheduler or container for {workers} cores, or use at most {usable} workers"
        yield Advice("cpu", f"{workers} workers on {usable} usable cores of {box}", remedy)
    elif usable and box and usable < box:
        remedy = "nothing if that is meant; else look at the affinity and the quota of the container"
        yield Advice("cpu", f"this process may use {usable} of {box} cores", remedy)
    governor = str(environment.cpu_facts().get("governor") or "performance")
    if governor != "performance":
        remedy = "cpupower frequency-set -g performance (as root)"
        yield Advice("cpu", f"the frequency governor is {governor}", remedy)
    with suppress(OSError, AttributeError):
        load = os.getloadavg()[0]
        if load > _BUSY_LOAD:
            yield Advice("cpu", f"load {load:.1f}: something else is running", "find it with top, and end it")
    yield from _space(Path("/dev/shm"), "shared memory", "docker run --shm-size=16g", bool(workers))
    yield from _space(logs, "disk of the logs", "free some, or choose another --logs", True)


def _space(path: Path, name: str, remedy: str, is_needed: bool) -> Iterator[Advice]:
    with suppress(OSError):
        free = shutil.disk_usage(path).free
        if is_needed and free < _FEW_BYTES:
            yield Advice(name, f"{free / _GIB:.1f} GiB left", remedy)


def devices() -> Iterator[Advice]:
    """Advise on the GPUs, their driver and torch's build."""
    if not has_driver():
        return
    with suppress(metadata.PackageNotFoundError):
        if metadata.version("torch").endswith("+cpu"):
            yield Advice("torch", "a build without CUDA", "pip install torch from an index with CUDA builds")
    try:
        yield from _asked_devices()
    except UnavailableError as error:
        remedy = "load the NVIDIA driver" if "does not" in str(error) else "pip install nvidia-ml-py"
        yield Advice("driver", str(error), remedy)


def _asked_devices() -> Iterator[Advice]:
    nvml = start_nvml()
    try:
        handles, listed = enumerate_devices(nvml)
        for one in listed:
            for check in _CHECKS:
                advice = check(_Device(nvml, handles[one.uuid], one.uuid))
                if advice:
                    yield Advice(f"{one.uuid} ({one.model})", *advice)
    finally:
        stop_nvml(nvml)


class _Device:
    """Asks NVML about one device; None for what has no answer."""

    def __init__(self, nvml: Any, handle: Any, uuid: str) -> None:
        self.nvml = nvml
        self.smi = f"nvidia-smi -i {uuid}"
        self._handle = handle

    def ask(self, name: str, *arguments: Any) -> Any:
        """Return what a function of NVML says of the device."""
        with suppress(self.nvml.NVMLError, AttributeError):
            return getattr(self.nvml, name)(self._handle, *arguments)
        return None

    def number(self, name: str, *arguments: Any) -> Optional[int]:
        """Return a number that NVML knows."""
        value = self.ask(name, *arguments)
        return None if value is None else known(value)


Found = Optional[tuple[str, str]]


def _processes(device: _Device) -> Found:
    users = {
        one.pid: one.usedGpuMemory or 0
        for kind in ("Compute", "Graphics")
        for one in device.ask(f"nvmlDeviceGet{kind}RunningProcesses") or []
        if one.pid != os.getpid()
    }
    if not users:
        return None
    size = sum(users.values()) / _GIB
    fact = f"in use by {len(users)} processes ({', '.join(map(str, sorted(users)))}), {size:.1f} GiB"
    return fact, "wait for their end, or choose another device with CUDA_VISIBLE_DEVICES"


def _clocks(device: _Device) -> Found:
    clock = device.nvml.NVML_CLOCK_SM
    now = device.number("nvmlDeviceGetApplicationsClock", clock)
    usual = device.number("nvmlDeviceGetDefaultApplicationsClock", clock)
    if now is None or usual is None or now == usual:
        return None
    return f"application clock {now} MHz, {usual} MHz by default", f"{device.smi} -rac (as root)"


def _power_limit(device: _Device) -> Found:
    limit = device.number("nvmlDeviceGetEnforcedPowerLimit")
    usual = device.number("nvmlDeviceGetPowerManagementDefaultLimit")
    if limit is None or usual is None or limit >= usual:
        return None
    fact = f"power limit {limit / 1000:g} W, {usual / 1000:g} W by default"
    return fact, f"{device.smi} -pl {usual // 1000} (as root)"


def _persistence(device: _Device) -> Found:
    if device.number("nvmlDeviceGetPersistenceMode") != 0:
        return None
    return "persistence mode is off: the driver unloads between runs", f"{device.smi} -pm 1 (as root)"


def _slowdown(device: _Device) -> Found:
    mask = device.number("nvmlDeviceGetCurrentClocksEventReasons")
    if mask is None:
        mask = device.number("nvmlDeviceGetCurrentClocksThrottleReasons") or 0
    names = [name for bit, name in _SLOWDOWNS.items() if mask & bit]
    remedy = "look at cooling and power supply; wait until it has cooled down"
    return (f"slowed down: {', '.join(names)}", remedy) if names else None


def _temperature(device: _Device) -> Found:
    now = device.number("nvmlDeviceGetTemperature", device.nvml.NVML_TEMPERATURE_GPU)
    kind = device.nvml.NVML_TEMPERATURE_THRESHOLD_SLOWDOWN
    threshold = device.number("nvmlDeviceGetTemperatureThreshold", kind)
    if now is None or threshold is None or now < threshold - _WARM:
        return None
    return f"{now} degrees C, slows down at {threshold}", "look at cooling; wait until it has cooled down"


def _errors(device: _Device) -> Found:
    nvml = device.nvml
    kind = nvml.NVML_MEMORY_ERROR_TYPE_UNCORRECTED
    count = device.number("nvmlDeviceGetTotalEccErrors", kind, nvml.NVML_VOLATILE_ECC)
    return (f"{count} uncorrected memory errors", "reset the device, have it looked at") if count else None


def _link(device: _Device) -> Found:
    # The generation is lowered while a device idles; the width is not.
    width = device.number("nvmlDeviceGetCurrPcieLinkWidth")
    most = device.number("nvmlDeviceGetMaxPcieLinkWidth")
    if width is None or most is None or width >= most:
        return None
    remedy = "look at the slot and riser; nothing if the board has no more"
    return f"PCIe link with {width} of {most} lanes", remedy


def _instances(device: _Device) -> Found:
    mode = device.ask("nvmlDeviceGetMigMode")
    is_split = bool(mode) and mode[0] == device.nvml.NVML_DEVICE_MIG_ENABLE
    remedy = f"{device.smi} -mig 0 (as root), or name the instance in the case"
    return ("split into MIG instances: power and clocks are shared", remedy) if is_split else None


_CHECKS: list[Callable[[_Device], Found]] = [
    _processes,
    _clocks,
    _power_limit,
    _persistence,
    _slowdown,
    _temperature,
    _errors,
    _link,
    _instances,
]
