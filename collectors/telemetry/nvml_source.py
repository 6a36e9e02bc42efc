"""Read telemetry through NVML.

A field that a device does not support is absent and not read again. A device that is lost or needs a reset
becomes an event; it is looked up once a second until it returns. No setting of a device is changed.
"""

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Optional

from collectors.machine.nvml import UnavailableError, enumerate_devices, error_name, start_nvml, stop_nvml
from collectors.machine.visible_devices import visible_uuids
from collectors.telemetry.nvml_fields import FAST, PROBED, SLOW, Field
from collectors.telemetry.process_owners import ProcessOwners
from collectors.telemetry.samples import Batch, Event, Sample
from collectors.telemetry.xid_events import XidEvents

#: Permanent errors: the device does not support the field.
_UNSUPPORTED = (
    "NOT_SUPPORTED",
    "NO_PERMISSION",
    "FUNCTION_NOT_FOUND",
    "INVALID_ARGUMENT",
    "ARGUMENT_VERSION_MISMATCH",
    "DEPRECATED",
)
OLD_PYNVML = "old_pynvml"
_GONE = {"GPU_IS_LOST": "lost", "GPU_NOT_FOUND": "lost", "RESET_REQUIRED": "reset"}


class GoneError(Exception):
    """The device has stopped answering; the text is the name of the event."""


class NvmlDevice:
    """A device or MIG instance, and the fields that it supports.

    missing  the columns without values, each with the reason as a word: `not_supported`, ...
    """

    def __init__(self, nvml: Any, uuid: str, handle: Any) -> None:
        self.uuid = uuid
        self.is_gone = False
        self._nvml = nvml
        self._handle = handle
        self.missing: dict[str, str] = {}

    def read(self, fields: Sequence[Field]) -> dict[str, int]:
        """Return column -> value of the fields that have a value; raises GoneError."""
        values: dict[str, int] = {}
        for field in fields:
            if field.columns[0] not in self.missing:
                cells = zip(field.columns, self._read_field(field))  # noqa: B905 - Python 3.9 has no strict
                values.update((column, value) for column, value in cells if value is not None)
        return values

    def _read_field(self, field: Field) -> Sequence[Optional[int]]:
        try:
            return field.read(self._nvml, self._handle)
        except self._nvml.NVMLError as error:
            name = error_name(self._nvml, error)
            if name in _GONE:
                raise GoneError(_GONE[name]) from None
            if name in _UNSUPPORTED:
                self._mark_missing(field, name.lower())
        except (AttributeError, TypeError):  # an early pynvml lacks the function or an argument of it
            self._mark_missing(field, OLD_PYNVML)
        return ()

    def _mark_missing(self, field: Field, reason: str) -> None:
        self.missing.update(dict.fromkeys(field.columns, reason))

    def foreign(self, owners: ProcessOwners) -> dict[str, int]:
        """Return the columns of foreign processes; raises GoneError."""
        users: dict[int, Optional[int]] = {}

        def read(nvml: Any, handle: Any) -> Sequence[Optional[int]]:
            for kind in ("Compute", "Graphics"):
                processes = getattr(nvml, f"nvmlDeviceGet{kind}RunningProcesses")(handle)
                users.update((process.pid, process.usedGpuMemory) for process in processes)
            return [1]

        if "foreign_processes_count" in self.missing:
            return {}
        is_supported = self._read_field(Field(("foreign_processes_count",), read))
        return owners.foreign(users.items()) if is_supported else {}

    def try_again(self) -> bool:
        """Look up a device that was gone; return True if it answers again."""
        with suppress(self._nvml.NVMLError):
            self._handle = _handle_of(self._nvml, self.uuid)
            self._nvml.nvmlDeviceGetUUID(self._handle)
            self.is_gone = False
        return not self.is_gone


def _handle_of(nvml: Any, uuid: str) -> Any:
    try:
        return nvml.nvmlDeviceGetHandleByUUID(uuid)
    except TypeError:  # an early pynvml wants bytes
        return nvml.nvmlDeviceGetHandleByUUID(uuid.encode("ascii"))


class NvmlSource:
    """The devices that are visible to a CUDA process with this environment."""

    def __init__(
        self, nvml: Any, devices: list[NvmlDevice], owners: ProcessOwners, errors: XidEvents
    ) -> None:
        self.devices = devices
        self._nvml = nvml
        self._owners = owners
        self._errors = errors

    @classmethod
    def open(cls, owners: ProcessOwners, environ: Optional[Mapping[str, str]] = None) -> "NvmlSource":
        """Start NVML; `owners` classifies processes on the devices. Raises UnavailableError."""
        environ = os.environ if environ is None else environ
        nvml = start_nvml()
        try:
            handles, devices = enumerate_devices(nvml)
            uuids = visible_uuids(devices, environ)
            if not uuids:
                reason = "CUDA_VISIBLE_DEVICES hides all devices" if devices else "the driver has no device"
                raise UnavailableError(reason)
        except UnavailableError:
            stop_nvml(nvml)
            raise
        visible = {uuid: handles[uuid] for uuid in uuids}
        # MIG instances have no events of their own.
        errors = XidEvents(
            nvml, {device.uuid: handles[device.uuid] for device in devices if device.uuid in visible}
        )
        return cls(nvml, [NvmlDevice(nvml, uuid, visible[uuid]) for uuid in uuids], owners, errors)

    def read(self, slow: Sequence[bool]) -> Batch:
        """Return samples, events and errors; `slow` selects the devices whose slow fields are due."""
        batch: Batch = [*self._errors.fetch()]
        for device, is_slow in zip(self.devices, slow):  # noqa: B905 - Python 3.9 has no strict
            when = time.perf_counter_ns()
            if device.is_gone:
                if not is_slow or not device.try_again():
                    continue
                batch.append(Event(device.uuid, when, "returned"))
            try:
                values = device.read(FAST)
                when = (when + time.perf_counter_ns()) // 2  # the middle of the calls
                if is_slow:
                    values.update(device.read(SLOW))
                    values.update(device.foreign(self._owners))
                batch.append(Sample(device.uuid, when, values))
            except GoneError as gone:
                device.is_gone = True
                batch.append(Event(device.uuid, when, str(gone)))
        return batch

    def probe(self) -> Batch:
        """Return a sample of the probed counters, from the first device that answers."""
        for device in self.devices:
            if not device.is_gone:
                with suppress(GoneError):
                    return [Sample(device.uuid, time.perf_counter_ns(), device.read(PROBED))]
        return []

    def missing(self) -> dict[str, str]:
        """Return the columns that no device has, with the reasons of the first device."""
        first, *others = self.devices
        return {
            column: reason
            for column, reason in first.missing.items()
            if all(column in device.missing for device in others)
        }

    def close(self) -> None:
        """Stop NVML."""
        self._errors.close()
        stop_nvml(self._nvml)
