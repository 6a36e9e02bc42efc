"""Telemetry through NVML, the driver's own library, by way of the package nvidia-ml-py (module `pynvml`).

What a device does not support is absent and not asked for again; a device that is lost or wants a
reset is an event and is looked for once a second until it returns. Nothing here changes a device's settings.
"""

import importlib
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Optional

from collectors.telemetry.nvml_fields import FAST, PROBED, SLOW, Field
from collectors.telemetry.process_owners import Owners
from collectors.telemetry.source import Batch, Event, Sample, UnavailableError
from collectors.telemetry.visible_devices import Known, visible

# Errors that will not go away: this device does not have that.
_NEVER = (
    "NOT_SUPPORTED",
    "NO_PERMISSION",
    "FUNCTION_NOT_FOUND",
    "INVALID_ARGUMENT",
    "ARGUMENT_VERSION_MISMATCH",
    "DEPRECATED",
)
_GONE = {"GPU_IS_LOST": "lost", "GPU_NOT_FOUND": "lost", "RESET_REQUIRED": "reset"}


class GoneError(Exception):
    """The device does not answer any more; the text is the name of the event."""


class Device:
    """One device or MIG instance, and what it can say of itself."""

    def __init__(self, nvml: Any, uuid: str, handle: Any) -> None:
        self.uuid = uuid
        self.is_gone = False
        self._nvml = nvml
        self._handle = handle
        self._unsupported: set[tuple[str, ...]] = set()

    def read(self, fields: Sequence[Field]) -> dict[str, int]:
        """Return column -> value of the fields that have one now; raises GoneError."""
        values: dict[str, int] = {}
        for field in fields:
            if field.columns not in self._unsupported:
                found = self._ask(field)
                known = zip(field.columns, found)  # noqa: B905 - Python 3.9 has no strict
                values.update((column, value) for column, value in known if value is not None)
        return values

    def _ask(self, field: Field) -> Sequence[Optional[int]]:
        try:
            return field.read(self._nvml, self._handle)
        except self._nvml.NVMLError as error:
            name = error_name(self._nvml, error)
            if name in _GONE:
                raise GoneError(_GONE[name]) from None
            if name in _NEVER:
                self._unsupported.add(field.columns)
        except AttributeError:  # an nvidia-ml-py that does not know the function
            self._unsupported.add(field.columns)
        return ()

    def foreign(self, owners: Owners) -> dict[str, int]:
        """Return the columns of processes that are not ours; raises GoneError."""
        users: dict[int, Optional[int]] = {}

        def read(nvml: Any, handle: Any) -> Sequence[Optional[int]]:
            for kind in ("Compute", "Graphics"):
                found = getattr(nvml, f"nvmlDeviceGet{kind}RunningProcesses")(handle)
                users.update((one.pid, one.usedGpuMemory) for one in found)
            return [1]

        if ("foreign_processes_count",) in self._unsupported:
            return {}
        answered = self._ask(Field(("foreign_processes_count",), read))
        return owners.foreign(users.items()) if answered else {}

    def look_again(self) -> bool:
        """Return whether a device that was gone answers again."""
        with suppress(self._nvml.NVMLError):
            self._handle = self._nvml.nvmlDeviceGetHandleByUUID(self.uuid)
            self._nvml.nvmlDeviceGetUUID(self._handle)
            self.is_gone = False
        return not self.is_gone


class NvmlSource:
    """The devices that a CUDA process of this environment would see."""

    def __init__(self, nvml: Any, devices: list[Device], owners: Owners) -> None:
        self.devices = devices
        self._nvml = nvml
        self._owners = owners

    @classmethod
    def open(cls, owners: Owners, environ: Optional[Mapping[str, str]] = None) -> "NvmlSource":
        """Return the source; `owners` knows the run's own processes. Raises UnavailableError."""
        environ = os.environ if environ is None else environ
        nvml = start_nvml()
        try:
            handles, known = enumerate_devices(nvml)
            names = visible(known, environ.get("CUDA_VISIBLE_DEVICES"), environ.get("CUDA_DEVICE_ORDER"))
            if not names:
                reason = "CUDA_VISIBLE_DEVICES hides all devices" if known else "the driver has no device"
                raise UnavailableError(reason)
        except UnavailableError:
            stop_nvml(nvml)
            raise
        return cls(nvml, [Device(nvml, uuid, handles[uuid]) for uuid in names], owners)

    def read(self, slow: Sequence[bool]) -> Batch:
        """Return a sample or event of each device; `slow` says whose rarely read fields are due."""
        batch: Batch = []
        for device, is_slow in zip(self.devices, slow):  # noqa: B905 - Python 3.9 has no strict
            when = time.perf_counter_ns()
            if device.is_gone:
                if not is_slow or not device.look_again():
                    continue
                batch.append(Event(device.uuid, when, "returned"))
            try:
                values = device.read(FAST)
                when = (when + time.perf_counter_ns()) // 2  # the calls take a while; this is their middle
                if is_slow:
                    values.update(device.read(SLOW))
                    values.update(device.foreign(self._owners))
                batch.append(Sample(device.uuid, when, values))
            except GoneError as gone:
                device.is_gone = True
                batch.append(Event(device.uuid, when, str(gone)))
        return batch

    def probe(self) -> Batch:
        """Return the counters whose update periods are looked for, of the first device that answers."""
        for device in self.devices:
            if not device.is_gone:
                with suppress(GoneError):
                    return [Sample(device.uuid, time.perf_counter_ns(), device.read(PROBED))]
        return []

    def close(self) -> None:
        """Give the library back."""
        stop_nvml(self._nvml)


def start_nvml() -> Any:
    """Return the module pynvml, started; raises UnavailableError."""
    try:
        nvml: Any = importlib.import_module("pynvml")
    except ImportError:
        raise UnavailableError("the package nvidia-ml-py is not installed") from None
    try:
        nvml.nvmlInit()
    except AttributeError:
        raise UnavailableError("the module pynvml is not that of nvidia-ml-py") from None
    except nvml.NVMLError as error:
        raise UnavailableError(f"NVML does not start: {error}") from None
    return nvml


def stop_nvml(nvml: Any) -> None:
    """Give the library back."""
    with suppress(nvml.NVMLError):
        nvml.nvmlShutdown()


def enumerate_devices(nvml: Any) -> tuple[dict[str, Any], list[Known]]:
    """Return UUID -> handle of all devices and MIG instances, and what is known of the devices.

    Raises UnavailableError where NVML cannot list them.
    """
    try:
        count = nvml.nvmlDeviceGetCount()
    except (nvml.NVMLError, AttributeError) as error:
        raise UnavailableError(f"NVML does not count the devices: {error}") from None
    handles: dict[str, Any] = {}
    known: list[Known] = []
    for index in range(count):
        try:
            handle = nvml.nvmlDeviceGetHandleByIndex(index)
            uuid = text(nvml.nvmlDeviceGetUUID(handle))
            model = text(nvml.nvmlDeviceGetName(handle))
        except (nvml.NVMLError, AttributeError):  # a device that is lost already; the others count
            continue
        instances = _instances(nvml, handle)
        handles.update({uuid: handle, **instances})
        known.append(Known(uuid, model, list(instances)))
    return handles, known


def _instances(nvml: Any, handle: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    with suppress(nvml.NVMLError, AttributeError):
        if nvml.nvmlDeviceGetMigMode(handle)[0] != nvml.NVML_DEVICE_MIG_ENABLE:
            return found
        for index in range(nvml.nvmlDeviceGetMaxMigDeviceCount(handle)):
            with suppress(nvml.NVMLError):  # places for instances may be empty
                instance = nvml.nvmlDeviceGetMigDeviceHandleByIndex(handle, index)
                found[text(nvml.nvmlDeviceGetUUID(instance))] = instance
    return found


def error_name(nvml: Any, error: Any) -> str:
    """Return "GPU_IS_LOST" for NVML_ERROR_GPU_IS_LOST."""
    prefix = "NVML_ERROR_"
    names = [name for name in vars(nvml) if name.startswith(prefix) and getattr(nvml, name) == error.value]
    return names[0][len(prefix) :] if names else str(error.value)


def text(value: Any) -> str:
    """Return what NVML calls a string; early releases of nvidia-ml-py return bytes."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
