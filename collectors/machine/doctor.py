"""Check this machine before a campaign: report what would disturb a measurement, each with a remedy.

    python -m collectors doctor --workers 8

Each check is a function that may return advice. It returns none if the driver or the system does not answer.
Nothing is changed.
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
from collectors.machine.nvml import (
    UnavailableError,
    available,
    enumerate_devices,
    has_driver,
    start_nvml,
    stop_nvml,
)

EXAMPLE = "python -m collectors doctor --workers 8"
_GIB = 1024**3
_MIN_FREE_BYTES = 2 * _GIB
_MAX_IDLE_LOAD = 0.5  # load average: runnable processes
_SLOWDOWN_MARGIN_CELSIUS = 15  # below the slowdown threshold

#: Reasons for which a device runs below its clocks, by their bits in `clocks_event_reasons`.
_SLOWDOWNS = {
    0x08: "hardware slowdown",
    0x20: "software thermal",
    0x40: "hardware thermal",
    0x80: "power brake",
}


class Advice(NamedTuple):
    """A problem that would disturb a measurement: where, what, and the remedy."""

    subject: str
    fact: str
    remedy: str


class Problem(NamedTuple):
    """The result of a check of one device: what, and the remedy."""

    fact: str
    remedy: str


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `doctor`."""
    parser.add_argument("--workers", type=int, default=0, metavar="N", help="worker processes of the loader")
    parser.add_argument("--logs", type=Path, default=Path(), help="folder for the logs (default: .)")
    parser.add_argument("--strict", action="store_true", help="exit with code 4 if there is a problem")


def main(options: argparse.Namespace) -> int:
    """Print all advice; return 0, or with --strict 4 if there is any."""
    advice = [*check_host(options.workers, options.logs), *check_devices()]
    for subject, fact, remedy in advice:
        print(f"{subject}: {fact}\n    remedy: {remedy}")
    print(f"problems: {len(advice)}; nothing was changed" if advice else "no problems found")
    return 4 if advice and options.strict else 0


def check_host(workers: int, logs: Path) -> Iterator[Advice]:
    """Check cores, frequency governor, load, shared memory and disk."""
    usable = environment.usable_cores()
    cores = os.cpu_count()
    if usable and workers > usable:
        remedy = f"request {workers} cores from the scheduler or container, or use at most {usable} workers"
        yield Advice("cpu", f"{workers} workers on {usable} usable cores of {cores}", remedy)
    elif usable and cores and usable < cores:
        remedy = "check the CPU affinity and the quota of the container, unless this is intended"
        yield Advice("cpu", f"this process may use {usable} of {cores} cores", remedy)
    governor = str(environment.cpu_facts().get("governor") or "performance")
    if governor != "performance":
        remedy = "cpupower frequency-set -g performance (as root)"
        yield Advice("cpu", f"the frequency governor is {governor}", remedy)
    with suppress(OSError, AttributeError):
        load = os.getloadavg()[0]
        if load > _MAX_IDLE_LOAD:
            remedy = "find the process with top and stop it"
            yield Advice("cpu", f"load average {load:.1f}: another process is running", remedy)
    if workers:
        yield from _check_free_space(Path("/dev/shm"), "shared memory", "docker run --shm-size=16g")
    yield from _check_free_space(logs, "disk of the logs", "free some space, or choose another --logs")


def _check_free_space(path: Path, name: str, remedy: str) -> Iterator[Advice]:
    with suppress(OSError):
        free = shutil.disk_usage(path).free
        if free < _MIN_FREE_BYTES:
            yield Advice(name, f"only {free / _GIB:.1f} GiB free", remedy)


def check_devices() -> Iterator[Advice]:
    """Check the GPUs, their driver and the build of torch."""
    if not has_driver():
        return
    with suppress(metadata.PackageNotFoundError):
        if metadata.version("torch").endswith("+cpu"):
            remedy = "pip install torch from an index with CUDA builds"
            yield Advice("torch", "this build has no CUDA support", remedy)
    try:
        yield from _check_each_device()
    except UnavailableError as error:
        yield Advice("driver", str(error), error.remedy)


def _check_each_device() -> Iterator[Advice]:
    nvml = start_nvml()
    try:
        handles, devices = enumerate_devices(nvml)
        for device in devices:
            for check in _CHECKS:
                problem = check(_CheckedDevice(nvml, handles[device.uuid], device.uuid))
                if problem:
                    yield Advice(f"{device.uuid} ({device.model})", *problem)
    finally:
        stop_nvml(nvml)


class _CheckedDevice:
    """Calls NVML for one device; None where NVML has no answer."""

    def __init__(self, nvml: Any, handle: Any, uuid: str) -> None:
        self.nvml = nvml
        self.smi = f"nvidia-smi -i {uuid}"
        self._handle = handle

    def call(self, name: str, *arguments: Any) -> Any:
        """Return the result of a function of NVML for this device."""
        with suppress(self.nvml.NVMLError, AttributeError):
            return getattr(self.nvml, name)(self._handle, *arguments)
        return None

    def number(self, name: str, *arguments: Any) -> Optional[int]:
        """Return the result of a function of NVML that returns a number."""
        value = self.call(name, *arguments)
        return None if value is None else available(value)


def _processes(device: _CheckedDevice) -> Optional[Problem]:
    memory_of = {
        process.pid: process.usedGpuMemory or 0
        for kind in ("Compute", "Graphics")
        for process in device.call(f"nvmlDeviceGet{kind}RunningProcesses") or []
        if process.pid != os.getpid()
    }
    if not memory_of:
        return None
    size = sum(memory_of.values()) / _GIB
    pids = ", ".join(map(str, sorted(memory_of)))
    fact = f"in use by {len(memory_of)} processes ({pids}), {size:.1f} GiB"
    return Problem(fact, "wait until they end, or choose another device with CUDA_VISIBLE_DEVICES")


def _application_clocks(device: _CheckedDevice) -> Optional[Problem]:
    clock = device.nvml.NVML_CLOCK_SM
    current = device.number("nvmlDeviceGetApplicationsClock", clock)
    default = device.number("nvmlDeviceGetDefaultApplicationsClock", clock)
    if current is None or default is None or current == default:
        return None
    return Problem(
        f"application clock is {current} MHz, default {default} MHz", f"{device.smi} -rac (as root)"
    )


def _power_limit(device: _CheckedDevice) -> Optional[Problem]:
    limit = device.number("nvmlDeviceGetEnforcedPowerLimit")
    default = device.number("nvmlDeviceGetPowerManagementDefaultLimit")
    if limit is None or default is None or limit >= default:
        return None
    fact = f"power limit is {limit / 1000:g} W, default {default / 1000:g} W"
    return Problem(fact, f"{device.smi} -pl {default // 1000} (as root)")


def _persistence(device: _CheckedDevice) -> Optional[Problem]:
    if device.number("nvmlDeviceGetPersistenceMode") != 0:
        return None
    fact = "persistence mode is off: the driver unloads between runs"
    return Problem(fact, f"{device.smi} -pm 1 (as root)")


def _slowdown(device: _CheckedDevice) -> Optional[Problem]:
    mask = device.number("nvmlDeviceGetCurrentClocksEventReasons")
    if mask is None:
        mask = device.number("nvmlDeviceGetCurrentClocksThrottleReasons") or 0
    names = [name for bit, name in _SLOWDOWNS.items() if mask & bit]
    remedy = "check cooling and power supply; wait until the device has cooled down"
    return Problem(f"clocks are reduced: {', '.join(names)}", remedy) if names else None


def _temperature(device: _CheckedDevice) -> Optional[Problem]:
    current = device.number("nvmlDeviceGetTemperature", device.nvml.NVML_TEMPERATURE_GPU)
    kind = device.nvml.NVML_TEMPERATURE_THRESHOLD_SLOWDOWN
    threshold = device.number("nvmlDeviceGetTemperatureThreshold", kind)
    if current is None or threshold is None or current < threshold - _SLOWDOWN_MARGIN_CELSIUS:
        return None
    fact = f"{current} degrees C; clocks are reduced at {threshold}"
    return Problem(fact, "check cooling; wait until the device has cooled down")


def _memory_errors(device: _CheckedDevice) -> Optional[Problem]:
    nvml = device.nvml
    kind = nvml.NVML_MEMORY_ERROR_TYPE_UNCORRECTED
    count = device.number("nvmlDeviceGetTotalEccErrors", kind, nvml.NVML_VOLATILE_ECC)
    return Problem(f"{count} uncorrected memory errors", "reset or replace the device") if count else None


def _pcie_link(device: _CheckedDevice) -> Optional[Problem]:
    # An idle device lowers the generation of the link, but not its width.
    width = device.number("nvmlDeviceGetCurrPcieLinkWidth")
    maximum = device.number("nvmlDeviceGetMaxPcieLinkWidth")
    if width is None or maximum is None or width >= maximum:
        return None
    return Problem(
        f"PCIe link uses {width} of {maximum} lanes", "check slot and riser, unless the board has no more"
    )


def _mig(device: _CheckedDevice) -> Optional[Problem]:
    mode = device.call("nvmlDeviceGetMigMode")
    is_split = bool(mode) and mode[0] == device.nvml.NVML_DEVICE_MIG_ENABLE
    remedy = f"{device.smi} -mig 0 (as root), or add the instance to the case as a factor"
    return Problem("split into MIG instances, which share power and clocks", remedy) if is_split else None


_CHECKS: list[Callable[[_CheckedDevice], Optional[Problem]]] = [
    _processes,
    _application_clocks,
    _power_limit,
    _persistence,
    _slowdown,
    _temperature,
    _memory_errors,
    _pcie_link,
    _mig,
]
