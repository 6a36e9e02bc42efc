"""Read telemetry of GPUs of AMD and Intel from the files of the kernel's drivers.

The columns are those of NVML. A file that does not exist makes its column absent, and so does a value of the
table of known faults. No setting of a device is changed.
"""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Callable, Optional, Protocol

from collectors.machine.amdsmi import handles_by_pci, start_amdsmi
from collectors.machine.level_zero import SysmanError, start_level_zero
from collectors.machine.nvml import UnavailableError
from collectors.machine.sysfs_gpus import SYSFS, SysfsGpu, read_text, visible_sysfs_gpus
from collectors.telemetry.amdsmi_device import AmdSmiDevice
from collectors.telemetry.known_faults import RisingCounter, without_faults
from collectors.telemetry.level_zero_device import LevelZeroDevice
from collectors.telemetry.samples import Batch, Event, Sample
from collectors.telemetry.sysfs_fields import ENERGY_FILES, FIELDS, SysfsField, existing_path, reason_paths

_ENERGY = "energy_mj"
_REASONS = "clocks_event_reasons_mask"
_PROBED = ("utilization_gpu_percent", "power_mw", _ENERGY)


class LibraryDevice(Protocol):
    """A GPU as the library of its vendor shows it."""

    def read(self, *, is_slow: bool) -> dict[str, int]:
        """Return column -> value of what was measured."""


class SysfsDevice:
    """A GPU and the files that it has. `missing`: the columns without values, each with the reason.

    library  the GPU by another way, whose values are preferred
    """

    def __init__(self, gpu: SysfsGpu, library: Optional[LibraryDevice] = None) -> None:
        self.gpu = gpu
        self._library = library
        self.is_gone = False
        self.missing: dict[str, str] = {}
        fields = FIELDS[gpu.vendor]
        self._fast = self._existing(fields.fast)
        self._slow = self._existing(fields.slow)
        self._energy = existing_path(gpu, ENERGY_FILES)
        self._counter = RisingCounter()
        self._reasons = reason_paths(gpu) if fields.has_reasons else []
        columns = {field.column for field, _ in (*self._fast, *self._slow)}
        for field in (*fields.fast, *fields.slow):
            if field.column not in columns:
                self.missing[field.column] = "not_supported"
        for column, has_file in ((_ENERGY, self._energy), (_REASONS, self._reasons)):
            if not has_file:
                self.missing[column] = "not_supported"

    def _existing(self, fields: Sequence[SysfsField]) -> list[tuple[SysfsField, Path]]:
        """Return the fields with their files; of two for one column, the first that has one."""
        chosen: dict[str, tuple[SysfsField, Path]] = {}
        for field in fields:
            path = existing_path(self.gpu, field.files)
            if path:
                chosen.setdefault(field.column, (field, path))
        return list(chosen.values())

    def read(self, *, is_slow: bool) -> dict[str, int]:
        """Return column -> value."""
        values: dict[str, int] = {}
        for field, path in (*self._fast, *(self._slow if is_slow else ())):
            value = field.read(read_text(path))
            if value is not None:
                values[field.column] = value
        if self._energy:
            text = read_text(self._energy)
            total = self._counter.add(int(text)) if text.isdecimal() else -1
            if total >= 0:
                values[_ENERGY] = total // 1000
        bits = [(read_text(path), bit) for path, bit in self._reasons]
        if bits and all(text in ("0", "1") for text, _ in bits):
            values[_REASONS] = sum({bit for text, bit in bits if text == "1"})
        measured, faulty = without_faults(self.gpu.driver, values)
        self.missing.update(faulty)
        if self._library:
            measured.update(self._library.read(is_slow=is_slow))
        for column in measured:  # it was faulty only for a time
            self.missing.pop(column, None)
        return measured


class SysfsSource:
    """The GPUs of AMD and Intel of this host."""

    def __init__(self, devices: Sequence[SysfsDevice]) -> None:
        self.devices = devices

    @classmethod
    def open(
        cls, environ: Mapping[str, str], sysfs: Path = SYSFS, *, uses_libraries: bool = False
    ) -> "SysfsSource":
        """Find the GPUs; the source may have none.

        uses_libraries  prefer the values of amdsmi and Level Zero, which are then loaded into this process
        """
        gpus = visible_sysfs_gpus(environ, sysfs)
        by_pci: dict[str, LibraryDevice] = {}
        for vendor in {gpu.vendor for gpu in gpus} if uses_libraries else ():
            by_pci.update(_OPEN[vendor]())
        return cls([SysfsDevice(gpu, by_pci.get(gpu.pci)) for gpu in gpus])

    def read(self, slow: Sequence[bool]) -> Batch:
        """Return a sample or event of each device; `slow` selects the devices whose slow fields are due."""
        batch: Batch = []
        for device, is_slow in zip(self.devices, slow):  # noqa: B905 - Python 3.9 has no strict
            before = time.perf_counter_ns()
            values = device.read(is_slow=is_slow)
            when = (before + time.perf_counter_ns()) // 2
            is_gone = not device.gpu.hwmon.exists()
            if is_gone != device.is_gone:
                batch.append(Event(device.gpu.uuid, when, "lost" if is_gone else "returned"))
            device.is_gone = is_gone
            if values:
                batch.append(Sample(device.gpu.uuid, when, values))
        return batch

    def probe(self) -> Batch:
        """Return a sample of the probed counters of the first device."""
        for device in self.devices[:1]:
            values = device.read(is_slow=False)
            probed = {column: value for column, value in values.items() if column in _PROBED}
            return [Sample(device.gpu.uuid, time.perf_counter_ns(), probed)]
        return []

    def missing(self) -> dict[str, str]:
        """Return the columns that no device has, with the reasons of the first device."""
        if not self.devices:
            return {}
        first, *others = self.devices
        return {
            column: reason
            for column, reason in first.missing.items()
            if all(column in device.missing for device in others)
        }

    def close(self) -> None:
        """Do nothing: no file stays open."""


def _open_amdsmi() -> Mapping[str, LibraryDevice]:
    """Return PCI address -> GPU; {} without amdsmi. The doctor says why."""
    try:
        smi = start_amdsmi()
    except UnavailableError:
        return {}
    return {pci: AmdSmiDevice(smi, handle) for pci, handle in handles_by_pci(smi).items()}


def _open_level_zero() -> Mapping[str, LibraryDevice]:
    """Return PCI address -> GPU; {} without Level Zero. The doctor says why."""
    try:
        sysman = start_level_zero()
        return {each.pci: LevelZeroDevice(sysman, each.handle) for each in sysman.devices()}
    except (UnavailableError, SysmanError, AttributeError):
        return {}


_OPEN: Mapping[str, Callable[[], Mapping[str, LibraryDevice]]] = {
    "AMD": _open_amdsmi,
    "Intel": _open_level_zero,
}
