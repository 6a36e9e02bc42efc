"""Check the GPUs that a run would use: each check returns a problem, None, or raises UnansweredError.

A check that the driver does not answer is listed as such: it must not look like a check that was passed.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Callable, NamedTuple, Optional

from collectors.machine.nvml import (
    DeviceInfo,
    UnavailableError,
    available,
    enumerate_devices,
    start_nvml,
    stop_nvml,
)
from collectors.machine.visible_devices import visible_uuids

_GIB = 1024**3
_SLOWDOWN_MARGIN_CELSIUS = 15  # below the slowdown threshold

#: Reasons for which a device runs below its clocks, by their bits in `clocks_event_reasons`.
_SLOWDOWNS = {
    0x08: "hardware slowdown",
    0x20: "software thermal",
    0x40: "hardware thermal",
    0x80: "power brake",
}
_HELD_BY_SETTING = 0x02


class UnansweredError(Exception):
    """The driver does not answer what a check asks."""


class Problem(NamedTuple):
    """The result of a check: what, and the remedy."""

    fact: str
    remedy: str


class DeviceResult(NamedTuple):
    """The results of all checks of a device."""

    device: DeviceInfo
    problems: list[Problem]
    passed: list[str]  # names of the checks, with or without a problem
    unanswered: list[str]


def check_visible_devices(environ: Mapping[str, str]) -> Iterator[DeviceResult]:
    """Check the devices that CUDA shows to a process with this environment; raises UnavailableError."""
    nvml = start_nvml()
    try:
        handles, devices = enumerate_devices(nvml)
        visible = set(visible_uuids(devices, environ))
        if not visible:
            reason = "CUDA_VISIBLE_DEVICES hides all devices" if devices else "the driver has no device"
            raise UnavailableError(reason, "check CUDA_VISIBLE_DEVICES, and nvidia-smi -L")
        for device in devices:
            if device.uuid in visible:
                yield _check_device(_CheckedDevice(nvml, handles[device.uuid], device.uuid), device)
    finally:
        stop_nvml(nvml)


def _check_device(checked: "_CheckedDevice", info: DeviceInfo) -> DeviceResult:
    result = DeviceResult(info, [], [], [])
    for name, check in _CHECKS.items():
        try:
            problem = check(checked)
        except UnansweredError:
            result.unanswered.append(name)
            continue
        result.passed.append(name)
        if problem:
            result.problems.append(problem)
    return result


class _CheckedDevice:
    """Calls NVML for one device."""

    def __init__(self, nvml: Any, handle: Any, uuid: str) -> None:
        self.nvml = nvml
        self.smi = f"nvidia-smi -i {uuid}"
        self._handle = handle

    def call(self, name: str, *arguments: Any) -> Any:
        """Return the result of a function of NVML for this device; raises UnansweredError."""
        with suppress(self.nvml.NVMLError, AttributeError, TypeError):
            return getattr(self.nvml, name)(self._handle, *arguments)
        raise UnansweredError

    def number(self, name: str, *arguments: Any) -> int:
        """Return the number that a function of NVML returns; raises UnansweredError."""
        value = available(self.call(name, *arguments))
        if value is None:
            raise UnansweredError
        return value

    def event_reasons(self) -> int:
        """Return the mask of the reasons for the current clocks; raises UnansweredError."""
        with suppress(UnansweredError):
            return self.number("nvmlDeviceGetCurrentClocksEventReasons")
        return self.number("nvmlDeviceGetCurrentClocksThrottleReasons")  # before driver 535


def _processes(device: _CheckedDevice) -> Optional[Problem]:
    memory_of = {
        process.pid: process.usedGpuMemory or 0
        for kind in ("Compute", "Graphics")
        for process in device.call(f"nvmlDeviceGet{kind}RunningProcesses")
        if process.pid != os.getpid()
    }
    if not memory_of:
        return None
    size = sum(memory_of.values()) / _GIB
    pids = ", ".join(map(str, sorted(memory_of)))
    fact = f"in use by {len(memory_of)} processes ({pids}), {size:.1f} GiB"
    return Problem(fact, "wait until they end, or choose another device with CUDA_VISIBLE_DEVICES")


def _clock_settings(device: _CheckedDevice) -> Optional[Problem]:
    clock = device.nvml.NVML_CLOCK_SM
    with suppress(UnansweredError):  # recent devices have locked clocks only
        current = device.number("nvmlDeviceGetApplicationsClock", clock)
        default = device.number("nvmlDeviceGetDefaultApplicationsClock", clock)
        if current != default:
            fact = f"application clock is {current} MHz, default {default} MHz"
            return Problem(fact, f"{device.smi} -rac (as root)")
    if not device.event_reasons() & _HELD_BY_SETTING:
        return None
    fact = "clocks are held down by a setting (locked or application clocks)"
    return Problem(fact, f"{device.smi} -rgc (as root), or use the same setting for all runs to be compared")


def _power_limit(device: _CheckedDevice) -> Optional[Problem]:
    limit = device.number("nvmlDeviceGetEnforcedPowerLimit")
    default = device.number("nvmlDeviceGetPowerManagementDefaultLimit")
    if limit >= default:
        return None
    fact = f"power limit is {limit / 1000:g} W, default {default / 1000:g} W"
    return Problem(fact, f"{device.smi} -pl {default // 1000} (as root)")


def _persistence(device: _CheckedDevice) -> Optional[Problem]:
    if device.number("nvmlDeviceGetPersistenceMode"):
        return None
    fact = "persistence mode is off: the driver unloads between runs"
    return Problem(fact, f"{device.smi} -pm 1 (as root)")


def _slowdown(device: _CheckedDevice) -> Optional[Problem]:
    mask = device.event_reasons()
    names = [name for bit, name in _SLOWDOWNS.items() if mask & bit]
    remedy = "check cooling and power supply; wait until the device has cooled down"
    return Problem(f"clocks are reduced: {', '.join(names)}", remedy) if names else None


def _temperature(device: _CheckedDevice) -> Optional[Problem]:
    current = device.number("nvmlDeviceGetTemperature", device.nvml.NVML_TEMPERATURE_GPU)
    try:
        kind = device.nvml.NVML_TEMPERATURE_THRESHOLD_SLOWDOWN
        margin = device.number("nvmlDeviceGetTemperatureThreshold", kind) - current
    except UnansweredError:  # Ada and later only have the distance to the threshold
        margin = device.number("nvmlDeviceGetMarginTemperature")
    if margin > _SLOWDOWN_MARGIN_CELSIUS:
        return None
    fact = f"{current} degrees C; clocks are reduced at {current + margin}"
    return Problem(fact, "check cooling; wait until the device has cooled down")


def _memory_errors(device: _CheckedDevice) -> Optional[Problem]:
    nvml = device.nvml
    kind = nvml.NVML_MEMORY_ERROR_TYPE_UNCORRECTED
    count = device.number("nvmlDeviceGetTotalEccErrors", kind, nvml.NVML_VOLATILE_ECC)
    return Problem(f"{count} uncorrected memory errors", "reset or replace the device") if count else None


def _remapped_rows(device: _CheckedDevice) -> Optional[Problem]:
    _, _, is_pending, has_failed = device.call("nvmlDeviceGetRemappedRows")
    if has_failed:
        return Problem("a broken row of memory could not be replaced", "replace the device")
    remedy = f"{device.smi} --gpu-reset (as root)"
    return Problem("a broken row of memory is replaced at the next reset", remedy) if is_pending else None


def _pcie_link(device: _CheckedDevice) -> Optional[Problem]:
    # An idle device lowers the generation of the link, but not its width.
    width = device.number("nvmlDeviceGetCurrPcieLinkWidth")
    maximum = device.number("nvmlDeviceGetMaxPcieLinkWidth")
    if width >= maximum:
        return None
    return Problem(
        f"PCIe link uses {width} of {maximum} lanes", "check slot and riser, unless the board has no more"
    )


def _mig(device: _CheckedDevice) -> Optional[Problem]:
    mode = device.call("nvmlDeviceGetMigMode")[0]
    remedy = f"{device.smi} -mig 0 (as root), or add the instance to the case as a factor"
    is_split = mode == device.nvml.NVML_DEVICE_MIG_ENABLE
    return Problem("split into MIG instances, which share power and clocks", remedy) if is_split else None


_CHECKS: dict[str, Callable[[_CheckedDevice], Optional[Problem]]] = {
    "other processes": _processes,
    "clock settings": _clock_settings,
    "power limit": _power_limit,
    "persistence mode": _persistence,
    "reduced clocks": _slowdown,
    "temperature": _temperature,
    "memory errors": _memory_errors,
    "remapped rows": _remapped_rows,
    "PCIe link": _pcie_link,
    "MIG": _mig,
}
