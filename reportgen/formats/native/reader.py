"""Read our own log format, version 1: a folder with run.json, steps, environment and telemetry.

logs/FORMAT.md is the specification. A folder becomes one Run with a Series per rank, phase and clock, all of
one length, NaN for empty cells. Times of all ranks and nodes are converted to one clock, seconds from the
first step, through the pairs of monotonic and real time in the files. All flushed data is kept: a run that
was killed has its steps, and findings that say so.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from reportgen.core.factors import is_factor_value
from reportgen.core.model import (
    STEP,
    Break,
    Clock,
    DeviceEvent,
    FactorValue,
    Finding,
    FloatArray,
    IntArray,
    Run,
    Series,
    Telemetry,
)
from reportgen.core.rules import Rule
from reportgen.formats.base import Claim, Format
from reportgen.formats.native.integer_csv import ABSENT, IntTable, Layout, parse
from reportgen.formats.native.run_json import NodeJson, RunJson, parse_node, parse_run
from reportgen.formats.parsing.damage import Malformed
from reportgen.formats.parsing.run_builder import ResultRun, make_series
from reportgen.sources.logfiles import LogFiles
from reportgen.sources.text import line_at

_VERSION = 1
_RUN = "run.json"
_STDOUT = "stdout.log"
_FILE = re.compile(
    r"(steps)\.rank([0-9]{1,6})\.csv|(environment)\.node([0-9]{1,6})\.json"
    r"|(telemetry)\.node([0-9]{1,6})\.csv"
)
_IS_RUN = re.compile(rb'"format"\s*:\s*"reportgen-run"')
_INCOMPLETE: Mapping[str, str] = {
    "running": "interrupted while recording", "partial": "not everything was recorded"
}  # fmt: skip

_PHASE = re.compile(r"([a-z][a-z0-9_]*?)_(host_synchronized|host|cuda_event)_ns")
_CLOCKS: Mapping[str, Clock] = {
    "host": "host", "host_synchronized": "host_synchronized", "cuda_event": "cuda_event"
}  # fmt: skip
_STEP_COLUMNS = ("step", "span", "samples", "tokens", "begin_ns", "duration_ns")
# Column -> metric and divisor to base units; 1/1024 for KiB.
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
_STEPS = Layout(
    "step",
    ("step", "begin_ns", "duration_ns"),
    lambda name: name in _STEP_COLUMNS or _PHASE.fullmatch(name) is not None,
    ("#clock", "#break"),
)
_DEVICES = Layout(
    "device",
    ("device", "monotonic_ns"),
    lambda name: name == "monotonic_ns" or name in DEVICE_COLUMNS,
    ("#clock", "#interval", "#achieved", "#update", "#event"),
    has_text=True,
)
# First cell of a `#` line -> the form of the other cells.
_N, _WORD = "([0-9]{1,19})", "([a-z][a-z0-9_]*)"
_RECORDS = {
    name: re.compile(form)
    for name, form in {
        "#clock": f"{_N},{_N}",  # monotonic, real time
        "#break": f"{_WORD},{_N},{_N},{_N}",  # kind, step before it, begin, end
        "#event": f"([^,]+),{_N},(lost|reset|returned)",
        "#interval": _N,  # requested
        "#achieved": f"{_N},{_N},{_N}",  # median, longest, samples
        "#update": f"{_WORD},{_N}",
    }.items()
}


def claims(files: LogFiles) -> Claim | None:
    """Claim a folder with a run.json of this format, or with a steps file that begins with a clock."""
    if not files.is_folder:
        return None
    names = tuple(name for name in files.children()[0] if name in (_RUN, _STDOUT) or _FILE.fullmatch(name))
    if _RUN in names and (match := _IS_RUN.search(head := files.head(_RUN))):
        source = files.source(_RUN, line_at(head, match.start()))
        return Claim(1.0, source, '"format": "reportgen-run"', names)
    for name in names:
        if name.startswith("steps.") and files.head(name).startswith(b"#clock,"):
            return Claim(1.0, files.source(name, 1), "steps that begin with #clock", names)
    return None


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the folder's run, or a finding if its format is newer."""
    folder = _RunFolder(files)
    yield folder.newer_version() or folder.read()


FORMAT = Format("native", "Run folders of our own log format, version 1.", claims, read)


@dataclass(frozen=True, slots=True)
class _Event:
    """Something that happened to a device, at ns on the monotonic clock."""

    device: str
    when: int
    name: str
    line: int


@dataclass(slots=True)
class _CsvFile:
    """One CSV file: the number of its rank or node, its rows, its clocks (monotonic, real) and its records.

    facts  the sampler's intervals, ns
    """

    name: str
    number: int
    table: IntTable
    clock: tuple[int, int] | None = None
    breaks: tuple[Break, ...] = ()
    events: list[_Event] = field(default_factory=list)
    facts: dict[str, int] = field(default_factory=dict)

    def take(self, line: int, cells: list[str]) -> bool:
        """Add a `#` line; return whether it is valid."""
        match = _RECORDS[cells[0]].fullmatch(",".join(cells[1:]))
        if not match:
            return False
        texts = match.groups()
        if cells[0] == "#clock":
            self.clock = self.clock or (int(texts[0]), int(texts[1]))
        elif cells[0] == "#break":
            step, begin, end = map(int, texts[1:])
            if end < begin:
                return False
            self.breaks += (Break(step, texts[0], (end - begin) / 1e9),)
        elif cells[0] == "#event":
            self.events.append(_Event(texts[0], int(texts[1]), texts[2], line))
        elif cells[0] == "#interval":
            self.facts["interval_requested_ns"] = int(texts[0])
        elif cells[0] == "#achieved":
            self.facts |= {"interval_achieved_ns": int(texts[0]), "interval_longest_ns": int(texts[1])}
        else:
            self.facts[f"update.{texts[0]}_ns"] = int(texts[1])
        return True


class _RunFolder:
    """Everything in one run folder."""

    def __init__(self, files: LogFiles) -> None:
        self.files = files
        self.run = ResultRun("native", files.id(), files.source(_RUN if _RUN in files else ""))
        self.incomplete: list[str] = []
        self.is_cut = False
        self.json: RunJson = parse_run(files.bytes(_RUN) if _RUN in files else None)
        self.names: dict[str, dict[int, str]] = {"steps": {}, "environment": {}, "telemetry": {}}
        for name in files:
            if match := _FILE.fullmatch(name):
                kind, number = (group for group in match.groups() if group)
                self.names[kind].setdefault(int(number), name)
        self.nodes = {node: self._node(name) for node, name in sorted(self.names["environment"].items())}

    def newer_version(self) -> Finding | None:
        """Return the finding for a file of a newer version of the format."""
        names = self.names["environment"]
        versions = {_RUN: self.json.file.version} | {
            names[node]: json.version for node, json in self.nodes.items()
        }
        for name, version in versions.items():
            if isinstance(version, int) and version > _VERSION:
                message = (
                    f"version {version} is newer than this reportgen supports ({_VERSION}); update reportgen"
                )
                source = self.files.source(name)
                return Finding("invalid", Rule.READ_NEWER_VERSION, self.run.id, message, source)
        return None

    def read(self) -> Run:
        """Return the run with all that could be read."""
        run, json = self.run, self.json.file
        ranks, nodes = self._parts("steps", _STEPS), self._parts("telemetry", _DEVICES)
        offsets = self._offsets(ranks, nodes)
        origin = _origin(ranks, offsets)
        run.series = [x for part in ranks for x in self._series(part, offsets[part.name], origin)]
        run.telemetry = tuple(x for part in nodes for x in self._devices(part, offsets[part.name], origin))
        run.factors, run.repeat, run.ranks = self.json.factors, json.repeat, json.ranks
        facts = [node.facts for node in self.nodes.values()]
        sampled = [{"telemetry": part.facts} for part in nodes]
        run.environment = _flatten([*facts, *sampled, {"recorder": self.json.cost}])
        if json.samples_per_step is not None:
            run.samples_per_step = float(json.samples_per_step * max(json.ranks or 1, len(ranks)))
        self._add_status(ranks)
        return run.run()

    def _add_status(self, ranks: list[_CsvFile]) -> None:
        """Set the status, and add the findings that explain it."""
        if _RUN not in self.files:
            self.incomplete.append("no run.json")
        elif self.json.problems:
            self._note(Rule.READ_MALFORMED_LINE, "; ".join(self.json.problems), _RUN)
        for conflict in self.json.conflicts:
            self._note(Rule.READ_LABEL_CONFLICT, conflict, _RUN)
        lacks_ranks = len(ranks) < (self.run.ranks or 0)
        if lacks_ranks:
            self.incomplete.append(f"steps of {len(ranks)} of {self.run.ranks} ranks")
        elif not any(len(part.table.line) for part in ranks):
            self.incomplete.append("no step was recorded")
        status = self.json.status
        if status == "complete" and (self.json.problems or self.is_cut or lacks_ranks):
            status = "partial"
        if status in _INCOMPLETE:
            self.incomplete.insert(0, _INCOMPLETE[status] + self.json.trouble)
        if self.incomplete:
            self._note(Rule.READ_INCOMPLETE_RUN, ", ".join(self.incomplete))
        if status in ("failed", "out_of_memory", "cancelled"):
            self._note(Rule.READ_FAILED_RUN, status.replace("_", " ") + self.json.cause)
        self.run.status = status

    def _note(self, rule: Rule, message: str, name: str = "") -> None:
        self.run.note(rule, message, self.files.source(name))

    def _node(self, name: str) -> NodeJson:
        node = parse_node(self.files.bytes(name))
        if node is None:
            self._note(Rule.READ_MALFORMED_LINE, "not an environment of this format", name)
        return node or NodeJson()

    def _parts(self, kind: str, layout: Layout) -> list[_CsvFile]:
        parts = []
        for number, name in sorted(self.names[kind].items()):
            malformed = Malformed(self.run.id, self.files.source(name).path)
            part = _CsvFile(name, number, parse(self.files.bytes(name), layout, malformed))
            if layout is _STEPS:
                _drop_repeated(part.table, malformed)
            for line, cells in part.table.records:
                if not part.take(line, cells):
                    malformed.add(line, f"not a {cells[0]} record")
            if part.table.is_cut:
                self.is_cut = True
                self.incomplete.append(f"the last line of {name} is truncated")
            self.run.findings += malformed.findings()
            parts.append(part)
        return parts

    def _offsets(self, ranks: list[_CsvFile], nodes: list[_CsvFile]) -> dict[str, int | None]:
        """Return for each file real time minus monotonic time, None if no pair of the two is known.

        The pair of a node's first rank serves all files of the node: each file's own was read at another
        moment, and within a node the monotonic clock alone is exact.
        """
        own = {part.name: part.clock[1] - part.clock[0] if part.clock else None for part in ranks + nodes}
        offsets = dict(own)
        for node, json in self.nodes.items():
            local = [part for part in ranks if part.number in json.ranks]
            first = next((own[part.name] for part in local if part.clock), None)
            local += [part for part in nodes if part.number == node]
            offsets |= {part.name: first for part in local if first is not None}
        return offsets

    def _series(self, part: _CsvFile, offset: int | None, origin: int | None) -> Iterator[Series]:
        table = part.table
        begin = _seconds(table.column("begin_ns"), offset, origin)
        step, span = table.column("step"), table.column("span")
        span = np.where(span == ABSENT, 1, span)
        samples = _work(table, "samples", span, self.json.file.samples_per_step)
        columns: list[tuple[str, str, Clock, FloatArray]] = []
        clocks = self.json.clocks
        for column in table.columns:
            phase, clock = _phase(column, clocks)
            if phase:
                columns.append(("step_time", phase, clock, _scaled(table.column(column), 1e9)))
        others = {"tokens": self.json.file.tokens_per_step, "operations": self.json.file.flops_per_step}
        for metric, usual in others.items():
            work = _work(table, metric, span, usual)
            if np.isfinite(work).any():
                columns.append((metric, STEP, "host", work))
        for metric, phase, clock, value in columns:
            yield make_series(
                metric, clock, step, value, self.files.source(part.name), phase=phase, rank=part.number,
                span=span, begin=begin, samples=samples, line=table.line, breaks=part.breaks,
            )  # fmt: skip

    def _devices(self, part: _CsvFile, offset: int | None, origin: int | None) -> Iterator[Telemetry]:
        table = part.table
        when = np.array([e.when if e.when < 2**63 else ABSENT for e in part.events], dtype=np.int64)
        times = _seconds(np.concatenate((table.column("monotonic_ns"), when)), offset, origin)
        t, event_times = np.split(times, [len(table.line)])
        events: dict[str, list[DeviceEvent]] = {}
        for event, time in zip(part.events, event_times.tolist(), strict=True):
            events.setdefault(event.device, []).append(DeviceEvent(time, event.name, event.line))
        columns: dict[str, FloatArray] = {}
        for column in table.columns:
            if column in DEVICE_COLUMNS:
                metric, divisor = DEVICE_COLUMNS[column]
                values = _scaled(table.column(column), divisor)
                columns[metric] = np.where(np.isnan(values), columns.get(metric, values), values)
        names = {text.decode("utf-8", "backslashreplace"): text for text in np.unique(table.text)}
        for device in sorted({*names, *events}):
            rows = table.text == names[device] if device in names else np.zeros(len(t), dtype=bool)
            yield Telemetry(
                device,
                t[rows],
                {metric: values[rows] for metric, values in columns.items()},
                self.files.source(part.name),
                tuple(events.get(device, ())),
            )


def _drop_repeated(table: IntTable, malformed: Malformed) -> None:
    """Drop the rows whose step is empty, 0 or not above all previous steps."""
    step = table.column("step")
    highest = np.maximum.accumulate(np.concatenate(([0], step[:-1]))) if len(step) else step
    keep = step > highest
    if not keep.all():
        lines = table.line[~keep]
        malformed.add(int(lines[0]), "a step that is empty or not above the previous steps", len(lines))
        table.columns = {name: values[keep] for name, values in table.columns.items()}
        table.line = table.line[keep]


def _phase(column: str, clocks: Mapping[str, Clock]) -> tuple[str, Clock]:
    """Return (phase, clock) of a column of times, ("", ...) for any other.

    clocks  column -> clock, which overrides the name of the column
    """
    if column == "duration_ns":
        return STEP, clocks.get(column, "host")
    match = _PHASE.fullmatch(column)
    if not match:
        return "", "unknown"
    return match[1], clocks.get(column, _CLOCKS[match[2]])


def _origin(ranks: Sequence[_CsvFile], offsets: Mapping[str, int | None]) -> int | None:
    """Return the real time in ns at which the first rank began, None if unknown."""
    begins = []
    for part in ranks:
        begin = part.table.column("begin_ns")
        known, offset = begin[begin != ABSENT], offsets[part.name]
        if len(known) and offset is not None:
            begins.append(int(known.min()) + offset)
    return min(begins, default=None)


def _seconds(monotonic: IntArray, offset: int | None, origin: int | None) -> FloatArray:
    """Return ns on a node's clock as s on the run's clock; whole numbers until the last operation.

    A file without a pair of clocks starts at its own first time.
    """
    known = monotonic[monotonic != ABSENT]
    if not len(known):
        return np.full(len(monotonic), np.nan)
    zero = int(known.min()) if offset is None or origin is None else origin - offset
    # A damaged pair, and so the difference, may exceed 64 bits; floats can hold it.
    moved = monotonic - zero if abs(zero) < 2**62 and known.max() < 2**62 else monotonic - float(zero)
    return np.where(monotonic == ABSENT, np.nan, moved / 1e9)


def _scaled(values: IntArray, divisor: float) -> FloatArray:
    """Return numbers in base units, NaN if absent."""
    return np.where(values == ABSENT, np.nan, values / divisor)


def _work(table: IntTable, column: str, span: IntArray, usual: int | None) -> FloatArray:
    """Return the work of each entry: its cell, else its steps times the usual work, else NaN."""
    work = _scaled(table.column(column), 1)
    return work if usual is None else np.where(np.isnan(work), span * float(usual), work)


def _flatten(nodes: Iterable[object]) -> dict[str, FactorValue]:
    """Return the scalars of all nodes under dotted names; values that differ are joined: "a | b"."""
    texts: dict[str, dict[str, FactorValue]] = {}
    for groups in nodes:
        pending = [("", groups)] if isinstance(groups, dict) else []
        while pending:
            prefix, group = pending.pop()
            for name, value in group.items():
                if isinstance(value, dict):
                    pending.append((f"{prefix}{name}.", value))
                elif isinstance(value, (str, int, float, bool)):
                    # Numbers that cannot be represented (NaN, 400 digits) become text.
                    is_kept = is_factor_value(value)
                    texts.setdefault(prefix + name, {})[str(value)] = value if is_kept else str(value)
    return {
        name: next(iter(values.values())) if len(values) == 1 else " | ".join(values)
        for name, values in sorted(texts.items())
    }
