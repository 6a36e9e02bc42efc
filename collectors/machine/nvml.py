"""Call NVML, the management library of the NVIDIA driver, through the package nvidia-ml-py (module `pynvml`).

Start and stop it, list the devices, normalise its values. `gpu_info`, `doctor` and `telemetry` build on it.
"""

import ctypes
import importlib
import shutil
from contextlib import suppress
from typing import Any, NamedTuple, Optional

_NOT_AVAILABLE = (2**32 - 1, 2**64 - 1)  # NVML_VALUE_NOT_AVAILABLE with 32 and 64 bits
_INSTALL = "pip install nvidia-ml-py"
_LOAD_DRIVER = "load the NVIDIA driver"

#: Remedies by the error with which NVML does not start.
_REMEDIES = {
    4: "give this user access to /dev/nvidia*",  # NO_PERMISSION
    9: _LOAD_DRIVER,
    12: "install the NVIDIA driver; in a container, start it with the GPUs (docker run --gpus all)",
    18: "restart the host, or reload the kernel module: the driver was updated while it was loaded",
}


class UnavailableError(Exception):
    """No device can be read this way; the text is the reason, `remedy` what the user can do."""

    def __init__(self, reason: str, remedy: str = "") -> None:
        super().__init__(reason)
        self.remedy = remedy


class DeviceInfo(NamedTuple):
    """A device of the driver: its UUID, its model, and the UUIDs of the MIG instances on it."""

    uuid: str
    model: str
    instances: list[str]


def has_driver() -> bool:
    """Return True if an NVIDIA driver may be installed; cheap. Do not call it in the training process."""
    with suppress(OSError):
        ctypes.CDLL("libnvidia-ml.so.1")
        return True
    return shutil.which("nvidia-smi") is not None


def start_nvml() -> Any:
    """Return the module pynvml after nvmlInit; raises UnavailableError."""
    try:
        nvml: Any = importlib.import_module("pynvml")
    except ImportError:
        raise UnavailableError("the package nvidia-ml-py is not installed", _INSTALL) from None
    try:
        nvml.nvmlInit()
    except AttributeError:
        raise UnavailableError("the module pynvml does not come from nvidia-ml-py", _INSTALL) from None
    except nvml.NVMLError as error:
        remedy = _REMEDIES.get(error.value, "run nvidia-smi, and see what it prints")
        raise UnavailableError(f"NVML does not start: {error}", remedy) from None
    return nvml


def stop_nvml(nvml: Any) -> None:
    """Call nvmlShutdown."""
    with suppress(nvml.NVMLError):
        nvml.nvmlShutdown()


def enumerate_devices(nvml: Any) -> tuple[dict[str, Any], list[DeviceInfo]]:
    """Return the handles of all devices and MIG instances by UUID, and the devices in the driver's order.

    Raises UnavailableError if NVML cannot count the devices.
    """
    try:
        count = nvml.nvmlDeviceGetCount()
    except (nvml.NVMLError, AttributeError) as error:
        raise UnavailableError(f"NVML does not count the devices: {error}", _LOAD_DRIVER) from None
    handles: dict[str, Any] = {}
    devices: list[DeviceInfo] = []
    for index in range(count):
        try:
            handle = nvml.nvmlDeviceGetHandleByIndex(index)
            uuid = decode_text(nvml.nvmlDeviceGetUUID(handle))
            model = decode_text(nvml.nvmlDeviceGetName(handle))
        except (nvml.NVMLError, AttributeError):  # a lost device; list the others
            continue
        instances = _mig_instances(nvml, handle)
        handles.update({uuid: handle, **instances})
        devices.append(DeviceInfo(uuid, model, list(instances)))
    return handles, devices


def _mig_instances(nvml: Any, handle: Any) -> dict[str, Any]:
    """Return the handles of the MIG instances of a device by UUID."""
    instances: dict[str, Any] = {}
    with suppress(nvml.NVMLError, AttributeError):
        if nvml.nvmlDeviceGetMigMode(handle)[0] != nvml.NVML_DEVICE_MIG_ENABLE:
            return instances
        for index in range(nvml.nvmlDeviceGetMaxMigDeviceCount(handle)):
            with suppress(nvml.NVMLError):  # not every index has an instance
                instance = nvml.nvmlDeviceGetMigDeviceHandleByIndex(handle, index)
                instances[decode_text(nvml.nvmlDeviceGetUUID(instance))] = instance
    return instances


def available(value: int) -> Optional[int]:
    """Return a value of NVML, or None for NVML_VALUE_NOT_AVAILABLE."""
    return None if value in _NOT_AVAILABLE else int(value)


def error_name(nvml: Any, error: Any) -> str:
    """Return "GPU_IS_LOST" for NVML_ERROR_GPU_IS_LOST."""
    prefix = "NVML_ERROR_"
    names = [name for name in vars(nvml) if name.startswith(prefix) and getattr(nvml, name) == error.value]
    return names[0][len(prefix) :] if names else str(error.value)


def decode_text(value: Any) -> str:
    """Return a string of NVML as text; early releases of nvidia-ml-py return bytes."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
