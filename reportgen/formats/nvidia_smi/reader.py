"""Read the CSV of `nvidia-smi --query-gpu=... --format=csv`, with a header or with columns in labels.toml.

A file becomes one Run of telemetry, with a Telemetry per device. `load` joins it to the run beside it.
Time starts at the first sample, whose local time has no zone. Values that the driver does not have
("[N/A]") are absent.

Fields are named as `nvidia-smi --help-query-gpu` lists them; the header prints the second of two spellings,
and a unit in brackets even with `nounits`. Driver 535 renamed throttle reasons to event reasons; the bits are
those of nvml.h. One call without `-l` prints one row for each device: a snapshot, which measures no run.
"""

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from csv import Error as CsvError
from dataclasses import dataclass
from datetime import datetime
from itertools import compress, islice

import numpy as np

from reportgen.core import units
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FloatArray, Run, Telemetry
from reportgen.core.rules import Rule
from reportgen.formats.base import Claim, Format
from reportgen.formats.parsing.csv_cells import quantity, rows
from reportgen.formats.parsing.run_builder import ResultRun
from reportgen.formats.parsing.text_log import TextLog, is_binary, without_controls
from reportgen.sources.logfiles import LogFiles

_NAME = "nvsmi"
# Field -> (metric, unit of a cell without one).
_NUMBERS: Mapping[str, tuple[str, str]] = {
    "utilization.gpu": ("utilization", "%"),
    "utilization.memory": ("memory_utilization", "%"),
    "memory.total": ("memory_total", "MiB"),
    "memory.used": ("memory_used", "MiB"),
    "memory.free": ("memory_free", "MiB"),
    "temperature.gpu": ("temperature", "C"),
    "temperature.memory": ("temperature_memory", "C"),
    "power.draw": ("power", "W"),
    "power.draw.average": ("power_average", "W"),
    "power.draw.instant": ("power_instant", "W"),
    "power.limit": ("power_limit_requested", "W"),
    "enforced.power.limit": ("power_limit", "W"),
    "power.default_limit": ("power_limit_default", "W"),
    "clocks.current.sm": ("sm_clock", "MHz"),
    "clocks.current.memory": ("memory_clock", "MHz"),
    "clocks.current.graphics": ("graphics_clock", "MHz"),
    "clocks.max.sm": ("sm_clock_max", "MHz"),
    "clocks.max.memory": ("memory_clock_max", "MHz"),
    "fan.speed": ("fan_speed", "%"),
    "pcie.link.gen.current": ("pcie_link_generation", "count"),
    "pcie.link.gen.gpucurrent": ("pcie_link_generation", "count"),
    "pcie.link.width.current": ("pcie_link_width", "count"),
    "ecc.errors.corrected.volatile.total": ("ecc_corrected", "count"),
    "ecc.errors.uncorrected.volatile.total": ("ecc_uncorrected", "count"),
}
_THROTTLE_REASONS = "throttle_reasons"
_REASON_NAMES = (
    "gpu_idle", "applications_clocks_setting", "sw_power_cap", "hw_slowdown", "sync_boost",
    "sw_thermal_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown", "display_clocks_setting",
)  # fmt: skip
_REASON_BITS: Mapping[str, int] = {name: 1 << bit for bit, name in enumerate(_REASON_NAMES)}
# Facts about the device or the machine: field -> name in the environment.
_FACTS: Mapping[str, str] = {
    "driver_version": "driver",
    "vbios_version": "vbios",
    "compute_mode": "compute_mode",
    "persistence_mode": "persistence_mode",
}
# Fields that identify a device, the most reliable first.
_IDENTITIES = ("uuid", "pci.bus_id", "index")
_OTHERS = ("timestamp", "name", "count", "serial", "pstate", *_IDENTITIES, *_FACTS)
_SPELLINGS: Mapping[str, str] = {
    "gpu_name": "name",
    "gpu_uuid": "uuid",
    "gpu_bus_id": "pci.bus_id",
    "clocks.sm": "clocks.current.sm",
    "clocks.mem": "clocks.current.memory",
    "clocks.memory": "clocks.current.memory",
    "clocks.gr": "clocks.current.graphics",
    "clocks.max.mem": "clocks.max.memory",
}
_FIELD = lazy_pattern(r"([a-z][a-z0-9_.]*)(?: ?\[([^\[\]]{1,12})\])?")
_REASON = lazy_pattern(r"clocks_(?:throttle|event)_reasons\.([a-z_]+)")
# Every header with a distinctive field contains one of these.
_MARKS = (*map(str.encode, (*_NUMBERS, *_SPELLINGS)), b"clocks_throttle_reasons.", b"clocks_event_reasons.")
# Masks are floats, which hold 53 bits; nine are in use.
_MAX_MASK = 2**53
_LONG_CHARS = 13
_PROBED_LINES = 5
# A machine has no more devices: more rows without device and time contain several samples.
_MAX_DEVICES = 16
# Rows of one sample are printed within this time.
_MAX_SAMPLE_SECONDS = 0.02
_EPOCH = datetime(1970, 1, 1)  # the log has no time zone, and only differences are used


@dataclass(frozen=True, slots=True)
class QueriedField:
    """A column: its name in the first spelling and the unit in its header, "" if none."""

    name: str
    unit: str = ""

    @property
    def is_distinctive(self) -> bool:
        """Whether no other program has a column of this name."""
        return self.name in _NUMBERS or bool(_REASON.fullmatch(self.name))

    @property
    def metric(self) -> str:
        """Its metric, "" for none; all throttle reasons together are one bit mask."""
        if reason := _REASON.fullmatch(self.name):
            return _THROTTLE_REASONS if reason[1] == "active" or reason[1] in _REASON_BITS else ""
        return _NUMBERS.get(self.name, ("", ""))[0]

    def value(self, text: str) -> float | None:
        """Return a cell in the base unit, NaN if the driver has no value, None if the cell is damaged."""
        if not text or text.startswith("[") or text in ("N/A", "ERR!"):
            return math.nan
        if reason := _REASON.fullmatch(self.name):
            return _mask(reason[1], text)
        unit = _NUMBERS[self.name][1]
        printed = quantity(text, self.unit or unit)
        if printed is None or not units.find(printed[1]):
            return None
        value, base = units.to_base(*printed)
        return value if base == units.to_base(1, unit)[1] else None


def _mask(reason: str, text: str) -> float | None:
    if reason == "active":
        mask = int(text, 16) if re.fullmatch("0x[0-9a-fA-F]{1,16}", text) else _MAX_MASK
        return float(mask) if mask < _MAX_MASK else None
    return {"Active": float(_REASON_BITS[reason]), "Not Active": 0.0}.get(text)


def _field(text: str) -> QueriedField | None:
    """Return the field of a header cell, None if the cell is not the name of a field."""
    match = _FIELD.fullmatch(text.strip())
    return QueriedField(_SPELLINGS.get(match[1], match[1]), match[2] or "") if match else None


def _header(cells: Sequence[str]) -> list[QueriedField] | None:
    """Return the fields of a header, None unless all cells are names and one of them is distinctive."""
    fields = [field for cell in cells if (field := _field(cell))]
    is_header = len(fields) == len(cells) and any(field.is_distinctive for field in fields)
    return fields if is_header else None


def _configured(files: LogFiles) -> list[QueriedField]:
    """Return the columns that labels.toml gives to a file without header."""
    columns = files.settings.get(_NAME, {}).get("columns", [])
    texts = [text for text in columns if isinstance(text, str)] if isinstance(columns, list) else []
    return [_field(text) or QueriedField(text) for text in texts]


def claims(files: LogFiles) -> Claim | None:
    """Claim a file that begins with a header of nvidia-smi, or matches the columns in labels.toml."""
    head = files.head(files.path)
    if is_binary(head) or not (head := without_controls(head)).strip():
        return None
    try:
        first = list(islice(rows(head.decode("utf-8", "replace")), _PROBED_LINES + 1))
    except CsvError:
        return None
    if not first:
        return None
    line, cells = first[0]
    if fields := _header(cells):
        share = sum(field.is_distinctive or field.name in _OTHERS for field in fields) / len(fields)
        return Claim.of_file(files, 0.95 * share, ", ".join(cells)[:80], line)
    columns = _configured(files)
    # The end of the head may have cut the last row.
    probed = first[:_PROBED_LINES] if len(first) > 1 else first
    if columns and all(_fits(columns, cells) for _, cells in probed):
        return Claim.of_file(files, 0.7, "rows match the columns in labels.toml", line)
    return None


def _fits(fields: Sequence[QueriedField], cells: Sequence[str]) -> bool:
    return len(fields) == len(cells) and all(
        not field.metric or field.value(cell) is not None for field, cell in zip(fields, cells, strict=True)
    )


FORMAT = Format(
    _NAME,
    "CSV output of `nvidia-smi --query-gpu`.",
    claims,
    lambda files: iter((_Monitor(files).read(),)),
    marks=_MARKS,
    evidence="telemetry",
)


class _Monitor:
    """One file: its samples, column by column."""

    def __init__(self, files: LogFiles) -> None:
        self.files, self.run = files, ResultRun.of_file(_NAME, files)
        self.log = TextLog(files)
        self.malformed = self.log.malformed
        self.fields: list[QueriedField] = []
        self.cells: list[list[str]] = []
        self.lines: list[int] = []
        self.has_header = False

    def read(self) -> Run:
        """Return the run; a file without a sample gives one without telemetry, and a finding."""
        self._read_rows()
        values = self._values()
        times = self._column("timestamp") or [""] * len(self.cells)
        t = np.array([_seconds(text) for text in times], dtype=np.float64)
        by_device: dict[str, list[int]] = defaultdict(list)
        for row, device in enumerate(self._devices(t)):
            by_device[device].append(row)
        first = t.min(initial=np.inf, where=np.isfinite(t))
        if np.isfinite(first):
            self.run.clock_zero, self.run.started_clock = float(first), self.run.source.path
        t = t - first
        self.run.telemetry = tuple(
            Telemetry(device, t[at], {name: column[at] for name, column in values.items()}, self.run.source)
            for device, at in by_device.items()
        )
        self.run.findings += self.malformed.findings()
        self._add_status()
        names = self._known("name")
        self.run.factors = {"device": names[0]} if len(names) == 1 else {}
        self.run.environment = {fact: " | ".join(self._known(name)) for name, fact in _FACTS.items()}
        return self.run.run()

    def _add_status(self) -> None:
        """Report a file without samples, a snapshot, and rows that name neither device nor time."""
        devices = self.run.telemetry
        if not devices:
            self.run.note(Rule.READ_INCOMPLETE_RUN, "no sample was recorded")
        elif all(len(device.t) == 1 for device in devices) and not self.run.findings:
            self.run.status = "partial"
            count = "1 device" if len(devices) == 1 else f"{len(devices)} devices"
            self.run.note(Rule.READ_INCOMPLETE_RUN, f"a snapshot of {count}: one sample of each")
        elif self.has_header and not self._is_identified and not np.isfinite(devices[0].t).any():
            message = "rows name neither the device nor the time; all are taken for samples of one device"
            self.run.note(Rule.READ_INCOMPLETE_RUN, message)

    @property
    def _is_identified(self) -> bool:
        """Whether the rows name their device, or the number of devices."""
        return any(field.name in (*_IDENTITIES, "count") for field in self.fields)

    def _read_rows(self) -> None:
        """Collect the rows with as many cells as the header, which is repeated in appended logs."""
        content = self.log.content
        end, cached = content.rfind(b"\n") + 1, dict[str, str]()
        if end < len(content):
            self.malformed.add(content.count(b"\n") + 1, "a truncated last line, skipped")
        try:
            for line, cells in rows(content[:end].decode("utf-8", "replace")):
                header = _header(cells)
                self.has_header |= header is not None
                self.fields = self.fields or header or _configured(self.files)
                if header and header != self.fields:
                    self.malformed.add(line, "a header that differs from the first")
                elif not header and len(cells) != len(self.fields):
                    self.malformed.add(line, f"not the {len(self.fields)} cells of the header")
                elif not header:
                    # Values repeat, times do not: a short text is stored once.
                    self.cells.append([cached.setdefault(x, x) if len(x) < _LONG_CHARS else x for x in cells])
                    self.lines.append(line)
        except CsvError as error:
            self.malformed.add(1, f"not CSV: {error}")

    def _values(self) -> dict[str, FloatArray]:
        """Return metric -> values, and drop the rows with a damaged cell."""
        columns: dict[str, list[FloatArray]] = defaultdict(list)
        keep = np.ones(len(self.cells), dtype=bool)
        for number, field in enumerate(self.fields):
            if field.metric:
                texts = [cells[number] for cells in self.cells]
                known = {text: field.value(text) for text in set(texts)}
                values = [known[text] for text in texts]
                for row in [row for row, value in enumerate(values) if value is None]:
                    self.malformed.add(self.lines[row], f"{field.name}: not a value")
                    keep[row] = False
                columns[field.metric].append(np.array(values, dtype=np.float64))
        self.cells = list(compress(self.cells, keep.tolist()))
        return {metric: _merge(metric, same)[keep] for metric, same in columns.items()}

    def _column(self, name: str) -> list[str]:
        number = next((number for number, field in enumerate(self.fields) if field.name == name), None)
        return [] if number is None else [cells[number] for cells in self.cells]

    def _known(self, name: str) -> list[str]:
        """Return the values of a column, each once."""
        return list(dict.fromkeys(text for text in self._column(name) if text and not text.startswith("[")))

    def _devices(self, t: FloatArray) -> list[str]:
        """Return the device of each row."""
        for name in _IDENTITIES:
            if column := self._column(name):
                return column
        devices = _devices_in_sample(t, self._column("count"))
        if (
            self.has_header
            and not self._is_identified
            and not np.isfinite(t).any()
            and len(t) <= _MAX_DEVICES
        ):
            devices = max(len(t), 1)
        names = self._column("name") or ["gpu"] * len(self.cells)
        return [f"{name}#{row % devices}" for row, name in enumerate(names)]


def _merge(metric: str, columns: Sequence[FloatArray]) -> FloatArray:
    """Return one column: the bits of all throttle reasons, else the first value of each row."""
    merged = columns[0]
    if metric == _THROTTLE_REASONS:
        masks = [np.nan_to_num(column).astype(np.uint64) for column in columns]
        return np.where(np.isnan(columns).all(axis=0), np.nan, np.bitwise_or.reduce(masks).astype(np.float64))
    for other in columns[1:]:
        merged = np.where(np.isnan(merged), other, merged)
    return merged


def _seconds(text: str) -> float:
    try:
        return (datetime.fromisoformat(text.replace("/", "-")).replace(tzinfo=None) - _EPOCH).total_seconds()
    except ValueError:
        return np.nan


def _devices_in_sample(t: FloatArray, counts: Sequence[str]) -> int:
    """Return how many rows make one sample, 1 if it is unknown."""
    if counts and len(set(counts)) == 1 and counts[0].isdecimal() and 0 < int(counts[0][:4]) <= 1024:
        return int(counts[0][:4])
    if len(t) < 2 or not np.isfinite(t).all():
        return 1
    begins = np.flatnonzero(np.concatenate(([True], np.diff(t) > _MAX_SAMPLE_SECONDS)))
    sizes = np.diff(np.concatenate((begins, [len(t)])))
    # Samples of equal size, except perhaps the last one, contain one row per device.
    if len(sizes) < 2 or len(set(sizes[:-1].tolist())) > 1 or sizes[-1] > sizes[0]:
        return 1
    return int(sizes[0])
