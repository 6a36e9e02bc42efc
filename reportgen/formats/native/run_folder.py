"""Read one CSV file of our own log format: its rows, clocks and breaks, and the times in them.

What the columns mean stands in logs/FORMAT.md; this page holds the part of it that steps and telemetry share.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from reportgen.core.model import STEP, Clock, FloatArray, IntArray
from reportgen.formats.native.integer_csv import ABSENT, IntTable, Layout, parse
from reportgen.formats.parsing.damage import Malformed

_PHASE = re.compile(r"([a-z][a-z0-9_]*?)_(host_synchronized|host|cuda_event)_ns")
_CLOCKS: Mapping[str, Clock] = {
    "host": "host",
    "host_synchronized": "host_synchronized",
    "cuda_event": "cuda_event",
}
_NAME = re.compile("[a-z][a-z0-9_]*")
_EVENTS = ("lost", "reset", "returned")
_COUNTS = ("step", "span", "samples", "tokens", "begin_ns", "duration_ns")
STEPS = Layout(
    "step",
    ("step", "begin_ns", "duration_ns"),
    lambda name: name in _COUNTS or _PHASE.fullmatch(name) is not None,
    ("#clock", "#break"),
)

# Column -> metric and what to divide by; 1/1024 is what a KiB has of a byte's unit.
DEVICE_COLUMNS: Mapping[str, tuple[str, float]] = {
    "utilization_gpu_percent": ("utilization", 100),
    "utilization_memory_percent": ("memory_utilization", 100),
    "memory_used_bytes": ("memory_used", 1),
    "memory_total_bytes": ("memory_total", 1),
    "power_mw": ("power", 1e3),
    "power_limit_enforced_mw": ("power_limit", 1e3),
    "power_limit_default_mw": ("power_limit_default", 1e3),
    "temperature_celsius": ("temperature", 1),
    "temperature_memory_celsius": ("temperature_memory", 1),
    "clock_sm_mhz": ("sm_clock", 1e-6),
    "clock_memory_mhz": ("memory_clock", 1e-6),
    "clock_sm_max_mhz": ("sm_clock_max", 1e-6),
    "clock_memory_max_mhz": ("memory_clock_max", 1e-6),
    "pcie_generation_count": ("pcie_link_generation", 1),
    "pcie_width_count": ("pcie_link_width", 1),
    "pcie_tx_kib_per_s": ("pcie_tx", 1 / 1024),
    "pcie_rx_kib_per_s": ("pcie_rx", 1 / 1024),
    "energy_mj": ("energy", 1e3),
    "ecc_corrected_count": ("ecc_corrected", 1),
    "ecc_uncorrected_count": ("ecc_uncorrected", 1),
    "retired_pages_count": ("retired_pages", 1),
    "foreign_processes_count": ("foreign_processes", 1),
    "foreign_memory_bytes": ("foreign_memory", 1),
    "clocks_event_reasons_mask": ("throttle_reasons", 1),
    "clocks_throttle_reasons_mask": ("throttle_reasons", 1),
}
DEVICES = Layout(
    "device",
    ("device", "monotonic_ns"),
    lambda name: name == "monotonic_ns" or name in DEVICE_COLUMNS,
    ("#clock", "#interval", "#achieved", "#update", "#event"),
    has_text=True,
)


@dataclass(slots=True)
class Part:
    """One CSV file: the number of its rank or node, its rows, its clocks (monotonic, real) and its records.

    breaks  (name, step after which it began, begin, end), ns on the monotonic clock
    events  (device, ns on the monotonic clock, name, line)
    facts   what the sampler says of its intervals, ns
    """

    name: str
    number: int
    table: IntTable
    clock: tuple[int, int] | None
    breaks: list[tuple[str, int, int, int]] = field(default_factory=list)
    events: list[tuple[str, int, str, int]] = field(default_factory=list)
    facts: dict[str, int] = field(default_factory=dict)


def read_part(name: str, number: int, content: bytes, layout: Layout, malformed: Malformed) -> Part:
    """Return what a file holds; what is damaged is noted in `malformed`."""
    table = parse(content, layout, malformed)
    if layout is STEPS:
        _drop_repeated(table, malformed)
    part = Part(name, number, table, None)
    for line, cells in table.records:
        if not _RECORDS[cells[0]](part, line, cells[1:]):
            malformed.add(line, f"not a {cells[0]} record")
    return part


# Each takes a `#` record into its part, and returns whether it is well-formed.


def _add_clock(part: Part, line: int, cells: list[str]) -> bool:
    numbers = _wholes(cells, 2)
    if numbers is None:
        return False
    part.clock = part.clock or (numbers[0], numbers[1])
    return True


def _add_break(part: Part, line: int, cells: list[str]) -> bool:
    numbers = _wholes(cells[1:], 3)
    if numbers is None or not _NAME.fullmatch(cells[0]) or numbers[2] < numbers[1]:
        return False
    part.breaks.append((cells[0], numbers[0], numbers[1], numbers[2]))
    return True


def _add_event(part: Part, line: int, cells: list[str]) -> bool:
    when = _wholes(cells[1:2], 1)
    if when is None or len(cells) != 3 or not cells[0] or cells[2] not in _EVENTS:
        return False
    part.events.append((cells[0], when[0], cells[2], line))
    return True


def _add_interval(part: Part, line: int, cells: list[str]) -> bool:
    numbers = _wholes(cells, 1)
    if numbers is not None:
        part.facts["interval_requested_ns"] = numbers[0]
    return numbers is not None


def _add_achieved(part: Part, line: int, cells: list[str]) -> bool:
    numbers = _wholes(cells, 3)
    if numbers is not None:
        part.facts |= {"interval_achieved_ns": numbers[0], "interval_longest_ns": numbers[1]}
    return numbers is not None


def _add_update(part: Part, line: int, cells: list[str]) -> bool:
    numbers = _wholes(cells[1:], 1)
    if numbers is None or not _NAME.fullmatch(cells[0]):
        return False
    part.facts[f"update.{cells[0]}_ns"] = numbers[0]
    return True


def _wholes(cells: list[str], count: int) -> list[int] | None:
    """Return the numbers in cells, None unless there are `count` and all are whole."""
    if len(cells) != count or not all(re.fullmatch("[0-9]{1,19}", cell) for cell in cells):
        return None
    return [int(cell) for cell in cells]


_RECORDS: Mapping[str, Callable[[Part, int, list[str]], bool]] = {
    "#clock": _add_clock,
    "#break": _add_break,
    "#event": _add_event,
    "#interval": _add_interval,
    "#achieved": _add_achieved,
    "#update": _add_update,
}


def _drop_repeated(table: IntTable, malformed: Malformed) -> None:
    """Leave out the rows whose step is empty, 0 or not above all before it."""
    step = table.column("step")
    highest = np.maximum.accumulate(np.concatenate(([0], step[:-1]))) if len(step) else step
    keep = step > highest
    if not keep.all():
        malformed.add(
            int(table.line[~keep][0]), "a step that is empty or not above those before it", int((~keep).sum())
        )
        table.columns = {name: values[keep] for name, values in table.columns.items()}
        table.line = table.line[keep]


def phase_of(column: str, clocks: Mapping[str, str]) -> tuple[str, Clock]:
    """Return (phase, clock) of a column of times, ("", ...) for any other.

    clocks  column -> clock, decisive over the name of the column
    """
    if column == "duration_ns":
        return STEP, _CLOCKS.get(clocks.get(column, ""), "host")
    found = _PHASE.fullmatch(column)
    if not found:
        return "", "unknown"
    return found[1], _CLOCKS.get(clocks.get(column, ""), _CLOCKS[found[2]])


def origin_of(ranks: Sequence[Part], offsets: Mapping[str, int | None]) -> int | None:
    """Return the real time in ns of the first begin of all ranks, None if none is known."""
    begins = []
    for part in ranks:
        known = part.table.column("begin_ns")
        known = known[known != ABSENT]
        offset = offsets[part.name]
        if len(known) and offset is not None:
            begins.append(int(known.min()) + offset)
    return min(begins, default=None)


def seconds(monotonic: IntArray, offset: int | None, origin: int | None) -> FloatArray:
    """Return ns on a node's clock as s on the run's clock; whole numbers until the last step.

    A file without a pair of clocks is put at its own first time.
    """
    known = monotonic[monotonic != ABSENT]
    if not len(known):
        return np.full(len(monotonic), np.nan)
    zero = int(known.min()) if offset is None or origin is None else origin - offset
    # A damaged pair may lie outside 64 bits, and then so does the difference; floats can hold it.
    moved = monotonic - zero if abs(zero) < 2**62 and known.max() < 2**62 else monotonic - float(zero)
    return np.where(monotonic == ABSENT, np.nan, moved / 1e9)


def scaled(values: IntArray, divisor: float) -> FloatArray:
    """Return numbers divided into base units, NaN where absent."""
    return np.where(values == ABSENT, np.nan, values / divisor)
