"""Call Intel's Level Zero management library (Sysman) through ctypes. No setting of a device is changed.

The structures are those of zes_api.h, version 1.15:
https://oneapi-src.github.io/level-zero-spec/level-zero/latest/sysman/api.html. Intel's package `pyzes` needs
Python 3.10 and prints its errors, so it is not used; a test compares the structures with its own.
"""

import ctypes
from collections.abc import Sequence
from ctypes import Structure, byref, c_char, c_double, c_int32, c_uint8, c_uint32, c_uint64, c_void_p
from typing import Any, NamedTuple

from collectors.machine.nvml import UnavailableError

_LIBRARY = "libze_loader.so.1"
_INSTALL = "install the packages libze1 and libze-intel-gpu1 (or intel-level-zero-gpu)"
_RESULTS = {
    0x70000001: "device lost",
    0x70010000: "insufficient permissions",
    0x70020000: "dependency unavailable",
    0x78000001: "no driver of Level Zero",  # ZE_RESULT_ERROR_UNINITIALIZED
    0x78000003: "not supported",
}


class SysmanError(Exception):
    """A call failed; the text is the reason."""

    def __init__(self, result: int) -> None:
        super().__init__(_RESULTS.get(result & 0xFFFFFFFF, f"error {result & 0xFFFFFFFF:#x}"))


class _Typed(Structure):
    """A structure that begins with its type, STYPE, and a link to extensions, which stays empty."""

    STYPE = 0
    _fields_ = [("stype", c_int32), ("next", c_void_p)]

    def __init__(self) -> None:
        super().__init__(stype=self.STYPE)


class CoreProperties(_Typed):
    """ze_device_properties_t."""

    _fields_ = [
        *((name, c_int32) for name in ("type", "vendor", "device", "flags", "subdevice", "core_clock_rate")),
        ("max_allocation", c_uint64),
        *((f"number{index}", c_uint32) for index in range(7)),
        ("timer_resolution", c_uint64),
        *((f"bits{index}", c_uint32) for index in range(2)),
        ("uuid", c_uint8 * 16),
        ("name", c_char * 256),
    ]


class DeviceProperties(_Typed):
    """zes_device_properties_t."""

    STYPE = 0x1
    _fields_ = [
        ("core", CoreProperties),
        ("subdevices", c_uint32),
        *(
            (name, c_char * 64)
            for name in ("serial_number", "board_number", "brand", "model", "vendor", "driver_version")
        ),
    ]


class PciProperties(_Typed):
    """zes_pci_properties_t: the address; the speed and the flags follow."""

    STYPE = 0x2
    _fields_ = [
        *((name, c_uint32) for name in ("domain", "bus", "device", "function")),
        *((name, c_int32) for name in ("generation", "width")),
        ("max_bandwidth", c_uint64),
        *((f"flag{index}", c_uint8) for index in range(3)),
    ]


class EngineProperties(_Typed):
    """zes_engine_properties_t: the group of an engine."""

    STYPE = 0x5
    _fields_ = [("type", c_uint32), ("on_subdevice", c_uint8), ("subdevice", c_uint32)]


class EngineStats(Structure):
    """zes_engine_stats_t: two counters of one unit, whose differences give the utilisation."""

    _fields_ = [("active", c_uint64), ("timestamp", c_uint64)]


class MemoryProperties(_Typed):
    """zes_mem_properties_t."""

    STYPE = 0xB
    _fields_ = [
        ("type", c_int32),
        ("on_subdevice", c_uint8),
        ("subdevice", c_uint32),
        ("location", c_int32),
        ("physical_size", c_uint64),
        ("bus_width", c_int32),
        ("channels", c_int32),
    ]


class MemoryState(_Typed):
    """zes_mem_state_t: in bytes."""

    STYPE = 0x1E
    _fields_ = [("health", c_int32), ("free", c_uint64), ("size", c_uint64)]


class TemperatureProperties(_Typed):
    """zes_temp_properties_t."""

    STYPE = 0x14
    _fields_ = [
        ("type", c_int32),
        ("on_subdevice", c_uint8),
        ("subdevice", c_uint32),
        ("max_temperature", c_double),
        *((f"flag{index}", c_uint8) for index in range(3)),
    ]


class SysmanDevice(NamedTuple):
    """A device of Sysman: its PCI address as the kernel writes it, its model, and its handle."""

    pci: str
    model: str
    handle: int


class Sysman:
    """The functions of the library that are read."""

    def __init__(self, library: Any) -> None:
        self._library = library

    def read(self, name: str, handle: int, content: Any) -> Any:
        """Let a function fill a structure or number, and return it; raises SysmanError, AttributeError."""
        result = getattr(self._library, name)(c_void_p(handle), byref(content))
        if result:
            raise SysmanError(result)
        return content

    def handles(self, name: str, *owner: int) -> Sequence[int]:
        """Return the handles that a function lists, of an owner or without; raises as `read`."""
        count = c_uint32(0)
        function = getattr(self._library, name)
        owners = [c_void_p(each) for each in owner]
        result = function(*owners, byref(count), None)
        if result:
            raise SysmanError(result)
        handles = (c_void_p * count.value)()
        result = function(*owners, byref(count), handles)
        if result:
            raise SysmanError(result)
        return [handle for handle in handles[: count.value] if handle]

    def devices(self) -> list[SysmanDevice]:
        """Return the devices of all drivers; raises SysmanError, AttributeError."""
        handles = [
            device
            for driver in self.handles("zesDriverGet")
            for device in self.handles("zesDeviceGet", driver)
        ]
        devices = []
        for handle in handles:
            at = self.read("zesDevicePciGetProperties", handle, PciProperties())
            core = self.read("zesDeviceGetProperties", handle, DeviceProperties()).core
            pci = f"{at.domain:04x}:{at.bus:02x}:{at.device:02x}.{at.function:x}"
            devices.append(SysmanDevice(pci, core.name.decode("utf-8", "replace").strip(), handle))
        return devices


def start_level_zero() -> Sysman:
    """Return the library after zesInit; raises UnavailableError. Not for the training process."""
    try:
        library = ctypes.CDLL(_LIBRARY)
    except OSError:
        raise UnavailableError("Level Zero is not installed", _INSTALL) from None
    try:
        result = library.zesInit(c_uint32(0))
    except AttributeError:
        raise UnavailableError("Level Zero is older than 1.5", "update the package libze1") from None
    if result:
        raise UnavailableError(f"Level Zero does not start: {SysmanError(result)}", _INSTALL)
    return Sysman(library)


def level_zero_names() -> dict[str, str]:
    """Return PCI address -> model of each device; {} without Level Zero."""
    try:
        return {device.pci: device.model for device in start_level_zero().devices()}
    except (UnavailableError, SysmanError, AttributeError):
        return {}
