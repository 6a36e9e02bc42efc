"""Receive the errors (XID) that the driver reports about devices, such as 79: the GPU has fallen off the bus.

The driver queues the errors from the registration on. They are fetched without waiting.
https://docs.nvidia.com/deploy/xid-errors/
"""

import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Optional

from collectors.machine.nvml import decode_text
from collectors.telemetry.samples import Xid

_MAX_PER_CYCLE = 100  # a broken device may report errors without end


class XidEvents:
    """The errors of several devices."""

    def __init__(self, nvml: Any, handles: Mapping[str, Any]) -> None:
        """Register for the errors of devices (UUID -> handle); of those that have no events, none come."""
        self._nvml = nvml
        self._set: Optional[Any] = None
        with suppress(nvml.NVMLError, AttributeError):
            self._set = nvml.nvmlEventSetCreate()
        for handle in handles.values():
            with suppress(nvml.NVMLError, AttributeError):
                nvml.nvmlDeviceRegisterEvents(handle, nvml.nvmlEventTypeXidCriticalError, self._set)

    def fetch(self) -> list[Xid]:
        """Return the errors since the last call."""
        errors: list[Xid] = []
        if self._set is None:
            return errors
        with suppress(self._nvml.NVMLError):  # a timeout: no more errors
            while len(errors) < _MAX_PER_CYCLE:
                event = self._nvml.nvmlEventSetWait(self._set, 0)
                uuid = decode_text(self._nvml.nvmlDeviceGetUUID(event.device))
                errors.append(Xid(uuid, time.perf_counter_ns(), int(event.eventData)))
        return errors

    def close(self) -> None:
        """Stop receiving errors."""
        if self._set is not None:
            with suppress(self._nvml.NVMLError):
                self._nvml.nvmlEventSetFree(self._set)
