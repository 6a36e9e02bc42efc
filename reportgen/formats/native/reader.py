"""Read our own log format, version 1: a folder with run.json, steps, environment and telemetry.

logs/FORMAT.md is the specification. A folder becomes one Run with a Series per rank, phase and clock, all of
one length, NaN for empty cells. Times of all ranks and nodes are converted to one clock, seconds from the
first step, through the pairs of monotonic and real time in the files. All flushed data is kept: a run that
was killed has its steps, and findings that say so.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from reportgen.core.closure import closure_text
from reportgen.core.command_line import of_work
from reportgen.core.factors import is_factor_value
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import (
    STEP,
    Break,
    DeviceEvent,
    FactorValue,
    Finding,
    FloatArray,
    IntArray,
    Run,
    Series,
    Source,
    Telemetry,
)
from reportgen.core.plain_text import one_line
from reportgen.core.rules import Rule
from reportgen.formats.base import Claim, Format, Results
from reportgen.formats.native.contradictions import find_contradictions, tick_of
from reportgen.formats.native.device_time import device_begins, fill_not_entered
from reportgen.formats.native.integer_csv import ABSENT, IntTable, Layout, parse
from reportgen.formats.native.kernels import kernel_notes
from reportgen.formats.native.run_json import RunFile, StepClock, parse_run
from reportgen.formats.native.stretches import find_stretches, waits_within_steps
from reportgen.formats.parsing import json_values
from reportgen.formats.parsing.damage import Malformed
from reportgen.formats.parsing.log_warnings import LogWarning, find_warnings, with_warnings
from reportgen.formats.parsing.run_builder import ResultRun
from reportgen.formats.parsing.text_log import without_controls
from reportgen.formats.parsing.timestamps import utc
from reportgen.sources.logfiles import LogFiles
from reportgen.sources.text import line_at

_VERSION = 1
_RUN = "run.json"
_FILE = lazy_pattern(
    r"(steps)\.rank([0-9]{1,6})\.csv|(environment)\.node([0-9]{1,6})\.json"
    r"|(telemetry)\.node([0-9]{1,6})\.csv|(kernels)\.rank([0-9]{1,6})\.csv"
)
_NO_RUN_JSON: tuple[RunFile, list[str], list[str]] = RunFile(), [], []
_IS_RUN = lazy_pattern(rb'"format"\s*:\s*"reportgen-run"')
_INCOMPLETE: Mapping[str, str] = {
    "running": "interrupted while recording", "partial": "not everything was recorded"
}  # fmt: skip
_CLOCKS: Mapping[str, StepClock] = {clock: clock for clock in get_args(StepClock)}
_PHASE = lazy_pattern(rf"([a-z][a-z0-9_]*?)_({'|'.join(_CLOCKS)})_ns")
# Column -> metric and divisor to base units; 1/1024 for KiB.
DEVICE_COLUMNS: Mapping[str, tuple[str, float]] = {
    "utilization_gpu_percent": ("utilization", 100),
    "utilization_memory_percent": ("memory_utilization", 100),
    "sm_active_ppm": ("sm_active", 1e6),
    "tensor_active_ppm": ("tensor_core_utilization", 1e6),
    "memory_active_ppm": ("memory_active", 1e6),
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
    "pcie_tx_bytes": ("pcie_sent", 1),
    "pcie_rx_bytes": ("pcie_received", 1),
    "nvlink_tx_bytes": ("nvlink_sent", 1),
    "nvlink_rx_bytes": ("nvlink_received", 1),
    "energy_mj": ("energy", 1e3),
    "cpu_energy_mj": ("cpu_energy", 1e3),
    "cpu_temperature_celsius": ("cpu_temperature", 1),
    "ecc_corrected_count": ("ecc_corrected", 1),
    "ecc_uncorrected_count": ("ecc_uncorrected", 1),
    "retired_pages_count": ("retired_pages", 1),
    "remapped_rows_corrected_count": ("remapped_rows_corrected", 1),
    "remapped_rows_uncorrected_count": ("remapped_rows_uncorrected", 1),
    "remapped_rows_pending_count": ("remapped_rows_pending", 1),
    "remapped_rows_failed_count": ("remapped_rows_failed", 1),
    "foreign_processes_count": ("foreign_processes", 1),
    "foreign_memory_bytes": ("foreign_memory", 1),
    "clocks_event_reasons_mask": ("throttle_reasons", 1),
    "clocks_throttle_reasons_mask": ("throttle_reasons", 1),
    "violation_power_ns": ("throttled_by_power", 1e9),
    "violation_thermal_ns": ("throttled_by_temperature", 1e9),
    "violation_sync_boost_ns": ("throttled_by_sync_boost", 1e9),
    "violation_board_limit_ns": ("throttled_by_board_limit", 1e9),
    "violation_reliability_ns": ("throttled_by_reliability", 1e9),
}
# What the program printed.
_OUTPUTS = ("stdout.log", "stderr.log")
# A text without comma, a number, a word.
_T, _N, _W = "([^,]+)", "([0-9]{1,19})", "([a-z][a-z0-9_]*)"
_CLOCK = lazy_pattern(f"{_N},{_N}")  # monotonic, real time
_STEPS = Layout(
    ("step", "begin_ns", "duration_ns"),
    lazy_pattern(f"step|span|samples|tokens|begin_ns|duration_ns|{_PHASE.pattern}|[a-z][a-z0-9_]*_count"),
    {
        "#clock": _CLOCK,
        "#break": lazy_pattern(f"{_W},{_N},{_N},{_N}"),  # kind, step before it, begin, end
        "#sync": lazy_pattern(f"{_N},{_N},{_N}"),  # step, begin, end
        "#device": lazy_pattern(f"{_T}(?:,{_T})?"),  # UUID, PCI id
        "#memory": lazy_pattern(f"{_N},{_N}"),  # allocated, reserved
        "#end": lazy_pattern("([^,]*)(?:,.*)?"),  # status, text
    },
)
_DEVICES = Layout(
    ("device", "monotonic_ns"),
    lazy_pattern("|".join(("monotonic_ns", *DEVICE_COLUMNS))),
    {
        "#clock": _CLOCK,
        "#event": lazy_pattern(f"{_T},{_N},(lost|reset|returned)"),
        "#xid": lazy_pattern(f"{_T},{_N},([0-9]{{1,9}})"),
        "#interval": lazy_pattern(_N),  # requested
        "#achieved": lazy_pattern(f"{_N},{_N},{_N}"),  # median, longest, samples
        "#update": lazy_pattern(f"{_W},{_N}"),
    },
)


def claims(files: LogFiles) -> Claim | None:
    """Claim a folder with a run.json of this format, or with a steps file that begins with a clock."""
    own = (_RUN, *_OUTPUTS)
    names = tuple(name for name in files.children()[0] if name in own or _FILE.fullmatch(name))
    if _RUN in names and (match := _IS_RUN.search(head := files.head(_RUN))):
        source = files.source(_RUN, line_at(head, match.start()))
        return Claim(1.0, source, '"format": "reportgen-run"', names)
    for name in names:
        if name.startswith("steps.") and files.head(name).startswith(b"#clock,"):
            return Claim(1.0, files.source(name, 1), "steps that begin with #clock", names)
    return None


def read(files: LogFiles) -> Results:
    """Yield the folder's run, or a finding if its format is newer."""
    folder = _RunFolder(files)
    yield from with_warnings([folder.newer_version() or folder.read()], _warnings(files))


def _warnings(files: LogFiles) -> Iterator[tuple[LogWarning, Source]]:
    """Yield what the program printed about its own speed, with the lines."""
    for name in _OUTPUTS:
        # The run does not depend on its output: an unreadable file explains nothing, and costs nothing.
        with suppress(OSError):
            content = without_controls(files.bytes(name)) if name in files else b""
            for warning in find_warnings(content):
                yield warning, files.source(name, line_at(content, warning.offset))


FORMAT = Format(
    "native",
    "Run folders of our own log format, version 1.",
    claims,
    read,
    views="folders",
    output=_OUTPUTS[0],
)


@dataclass(slots=True)
class _CsvFile:
    """One CSV file of a rank or a node; `offset` is real minus monotonic time in ns, None if unknown."""

    name: str
    number: int
    table: IntTable
    offset: int | None = None

    def seconds(self, monotonic: IntArray, origin: int | None) -> FloatArray:
        """Return ns on the node's clock as s on the run's clock; whole numbers until the last operation.

        A file without a pair of clocks starts at its own first time.
        """
        known = monotonic[monotonic != ABSENT]
        if not len(known):
            return np.full(len(monotonic), np.nan)
        zero = int(known.min()) if self.offset is None or origin is None else origin - self.offset
        # A damaged pair, and so the difference, may exceed 64 bits; floats can hold it.
        moved = monotonic - zero if abs(zero) < 2**62 and known.max() < 2**62 else monotonic - float(zero)
        return np.where(monotonic == ABSENT, np.nan, moved / 1e9)

    def scaled(self, column: str, divisor: float = 1) -> FloatArray:
        """Return a column in base units, NaN if absent."""
        if column not in self.table.columns:
            return np.full(len(self.table.line), np.nan)
        values = self.table.columns[column]
        return np.where(values == ABSENT, np.nan, values / divisor)

    def work(self, column: str, span: IntArray, usual: int | None) -> FloatArray:
        """Return the work of each entry: its cell, else its steps times the usual work, else NaN."""
        work = self.scaled(column)
        return work if usual is None else np.where(np.isnan(work), span * float(usual), work)


class _RunFolder:
    """Everything in one run folder."""

    def __init__(self, files: LogFiles) -> None:
        self.files = files
        self.run = ResultRun("native", files.id(), files.source(_RUN if _RUN in files else ""))
        self.incomplete: list[str] = []
        self.is_cut = False
        self.json, self.problems, self.twice = parse_run(files.bytes(_RUN)) if _RUN in files else _NO_RUN_JSON
        self.names: dict[str, dict[int, str]] = {
            kind: {} for kind in ("steps", "environment", "telemetry", "kernels")
        }
        for name in files:
            if match := _FILE.fullmatch(name):
                kind, number = filter(None, match.groups())
                self.names[kind].setdefault(int(number), name)
        self.nodes = {node: self._node(name) for node, name in sorted(self.names["environment"].items())}

    def newer_version(self) -> Finding | None:
        """Return the finding for a file of a newer version of the format."""
        names = self.names["environment"]
        versions = {_RUN: self.json.version} | {names[n]: x.get("version") for n, x in self.nodes.items()}
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
        run, json = self.run, self.json
        ranks, nodes = self._parts("steps", _STEPS), self._parts("telemetry", _DEVICES)
        self._share_clocks(ranks, nodes)
        origin = _origin(ranks)
        run.series = [x for part in ranks for x in self._series(part, origin)]
        run.telemetry = tuple(x for part in nodes for x in self._devices(part, origin))
        run.factors, run.repeat, run.ranks = json.factors, json.repeat, json.ranks
        facts = [json_values.table(node.get("environment")) for node in self.nodes.values()]
        closure = closure_text(run.series)
        recorder = {**json.cost, **({"clock_closure": closure} if closure else {})}
        sampled = [{"telemetry": _intervals(part.table)} for part in nodes]
        run.environment = _flatten(
            [*facts, *sampled, {"recorder": recorder}, _models(facts), {"rank": _devices_of(ranks)}]
        )
        self._add_peak_memory(ranks)
        if json.round is not None and json.order_seed is not None:
            run.round = (json.order_seed, json.round)
        run.command = of_work(json.command)
        begin, end = json.started_realtime_ns, json.ended_realtime_ns
        start = None if begin is None else utc(begin / 1e9)
        run.set_start(start)
        run.ended = None if end is None else end / 1e9
        if begin is not None and start is None:
            message = (
                f"the run began {begin / 1e9:.6g} s after 1970 by its clock, which was not set: not used"
            )
            self._note(Rule.CLOCK_CONTRADICTION, message, _RUN)
        if json.samples_per_step is not None:
            run.samples_per_step = float(json.samples_per_step * max(json.ranks or 1, len(ranks)))
        # The monotonic clock cannot be set and begins with the machine. Readings of one pair differ by
        # microseconds.
        run.machines = frozenset(f"{part.offset / 1e9:.2f}" for part in ranks if part.offset is not None)
        if json.profiler is not None:
            run.profiler = one_line(json.profiler.name)
            for _, name in sorted(self.names["kernels"].items()):
                run.findings += kernel_notes(self.files, name, run.id, json.profiled_steps)
        self._add_status(ranks)
        self._add_contradictions(ranks)
        return run.run()

    def _add_status(self, ranks: list[_CsvFile]) -> None:
        """Set the status, and add the findings that explain it."""
        if _RUN not in self.files:
            self.incomplete.append("no run.json")
        elif self.problems:
            self._note(Rule.READ_MALFORMED_LINE, "; ".join(self.problems), _RUN)
        for conflict in self.json.conflicts:
            self._note(Rule.READ_LABEL_CONFLICT, conflict, _RUN)
        lacks_ranks = len(ranks) < (self.run.ranks or 0)
        if lacks_ranks:
            self.incomplete.append(f"steps of {len(ranks)} of {self.run.ranks} ranks")
        elif not self._add_wall_time() and not any(len(part.table.line) for part in ranks):
            self.incomplete.append("no step was recorded")
        if self.json.missing:
            self._note(Rule.CLOCK_NO_DEVICE_TIME, self.json.missing, _RUN)
        if ranks and (several := self.json.several_optimizers(len(ranks[0].table.line))):
            self._note(Rule.READ_SEVERAL_OPTIMIZERS, several, _RUN)
        has_steps = not ranks or any(len(part.table.line) for part in ranks)
        status = self.json.status or "partial"
        if status == "complete" and (self.problems or self.is_cut or lacks_ranks or not has_steps):
            status = "partial"
        if status in _INCOMPLETE:
            self.incomplete.insert(0, _INCOMPLETE[status] + self.json.trouble)
        if self.incomplete:
            self._note(Rule.READ_INCOMPLETE_RUN, ", ".join(self.incomplete))
        if status in ("failed", "out_of_memory", "cancelled"):
            self._note(Rule.READ_FAILED_RUN, status.replace("_", " ") + self.json.cause)
        self.run.status = status

    def _add_contradictions(self, ranks: list[_CsvFile]) -> None:
        for each in find_contradictions(self.json, self.twice, ranks):
            source = self.files.source(each.name)
            self.run.findings.append(Finding(each.severity, each.rule, self.run.id, each.message, source))

    def _add_wall_time(self) -> bool:
        """Add the wall time of a complete command that had no recorder; return False for other runs."""
        wall_time = self.json.wall_time_ns
        if self.names["steps"] or self.json.ranks or wall_time is None or self.json.status != "complete":
            return False
        source = self.files.source(_RUN)
        self.run.add_aggregate("run_time", wall_time / 1e9, f"{wall_time} ns", "total", source=source)
        message = "no steps: run_time is the wall time of the whole command, with its start and its end"
        self.run.findings.append(Finding("note", Rule.READ_NO_STEPS, self.run.id, message, source))
        return True

    def _add_peak_memory(self, ranks: list[_CsvFile]) -> None:
        """Add the peak of the allocator, of the rank with the highest."""
        for index, metric in enumerate(("memory_allocated", "memory_reserved")):
            peaks = [
                (int(texts[index]), part.name, line)
                for part in ranks
                for line, texts in part.table.records["#memory"][-1:]
            ]
            if peaks:
                peak, name, line = max(peaks)
                source = self.files.source(name, line)
                self.run.add_aggregate(metric, peak, f"{peak} bytes", "maximum", len(peaks), source=source)

    def _note(self, rule: Rule, message: str, name: str = "") -> None:
        self.run.note(rule, message, self.files.source(name))

    def _node(self, name: str) -> Mapping[str, Any]:
        """Return the content of an environment file: `ranks` on the node, facts in nested groups."""
        document = json_values.table(json_values.load(self.files.bytes(name)))
        if document.get("format") == "reportgen-environment":
            return document
        self._note(Rule.READ_MALFORMED_LINE, "not an environment of this format", name)
        return {}

    def _parts(self, kind: str, layout: Layout) -> list[_CsvFile]:
        parts = []
        for number, name in sorted(self.names[kind].items()):
            malformed = Malformed(self.run.id, self.files.source(name).path)
            part = _CsvFile(name, number, parse(self.files.bytes(name), layout, malformed))
            if layout is _STEPS:
                _drop_invalid(part.table, malformed)
            if part.table.is_cut:
                self.is_cut = True
                self.incomplete.append(f"the last line of {name} is truncated")
            self.run.findings += malformed.findings()
            parts.append(part)
        return parts

    def _share_clocks(self, ranks: list[_CsvFile], nodes: list[_CsvFile]) -> None:
        """Give each file the offset of its node's first rank, or else its own.

        Each file's own pair of clocks was read at another moment, and within a node the monotonic clock alone
        is exact.
        """
        for part in ranks + nodes:
            for _, (monotonic, real) in part.table.records["#clock"][:1]:
                part.offset = int(real) - int(monotonic)
        own = {part.number: part.offset for part in ranks}
        for node, json in self.nodes.items():
            local = [part for part in ranks if part.number in json_values.items(json.get("ranks"))]
            first = next((own[part.number] for part in local if own[part.number] is not None), None)
            for part in [*local, *(part for part in nodes if part.number == node)]:
                part.offset = part.offset if first is None else first

    def _series(self, part: _CsvFile, origin: int | None) -> Iterator[Series]:
        table, json, clocks = part.table, self.json, self.json.column_clocks
        step, span = table.column("step"), table.column("span")
        span = np.where(span == ABSENT, 1, span)
        columns: list[tuple[str, str, StepClock, FloatArray, float]] = []
        phases: dict[str, list[tuple[StepClock, FloatArray, float]]] = {}
        for column in table.columns:
            match = _PHASE.fullmatch(column)
            if match or column == "duration_ns":
                phase, clock = (match[1], _CLOCKS[match[2]]) if match else (STEP, "host")
                # A reader's finding is about the clock of whole steps.
                rounding = tick_of(table.column(column)) / 2e9 if phase != STEP else 0.0
                time = (clocks.get(column, clock), part.scaled(column, 1e9), rounding)
                phases.setdefault(phase, []).append(time)
        for phase, times in phases.items():
            values = [value for _, value, _ in times]
            if phase != STEP:
                values = fill_not_entered(values, table.column(f"{phase}_count"), span)
            for (clock, _, rounding), value in zip(times, values, strict=True):
                columns.append(("step_time", phase, clock, value, rounding))
        for metric, usual in (("tokens", json.tokens_per_step), ("operations", json.flops_per_step)):
            work = part.work(metric, span, usual)
            if np.isfinite(work).any():
                columns.append((metric, STEP, "host", work, 0.0))
        begin = part.seconds(table.column("begin_ns"), origin)
        samples = part.work("samples", span, json.samples_per_step)
        breaks = tuple(
            Break(int(last), kind, (int(end) - int(start)) / 1e9)
            for _, (kind, last, start, end) in table.records["#break"]
        )
        idle_after = waits_within_steps(table)
        source = self.files.source(part.name)
        stretches = find_stretches(table) if json.waits_for_all_devices else ()
        for metric, phase, clock, value, rounding in columns:
            is_device_step = (metric, phase, clock) == ("step_time", STEP, "cuda_event")
            yield Series(
                metric, clock=clock, step=step, value=value, source=source, phase=phase, rank=part.number,
                span=span, begin=_device_begins(part, begin) if is_device_step else begin,
                samples=samples, line=table.line, breaks=breaks, idle_after=idle_after,
                rounding=rounding,
                stretches=stretches if (metric, phase) == ("step_time", STEP) else (),
            )  # fmt: skip

    def _devices(self, part: _CsvFile, origin: int | None) -> Iterator[Telemetry]:
        table = part.table
        errors = [
            (line, (device, when, f"xid {number}")) for line, (device, when, number) in table.records["#xid"]
        ]
        records = sorted([*table.records["#event"], *errors])
        when = np.array([ns if (ns := int(x[1])) < 2**63 else ABSENT for _, x in records], dtype=np.int64)
        times = part.seconds(np.concatenate((table.column("monotonic_ns"), when)), origin)
        t, event_times = np.split(times, [len(table.line)])
        events: dict[str, list[DeviceEvent]] = {}
        for (line, (device, _, name)), time in zip(records, event_times.tolist(), strict=True):
            events.setdefault(device, []).append(DeviceEvent(time, name, line))
        columns: dict[str, FloatArray] = {}
        for column in table.columns:
            if column in DEVICE_COLUMNS:
                metric, divisor = DEVICE_COLUMNS[column]
                values = part.scaled(column, divisor)
                columns[metric] = np.where(np.isnan(values), columns.get(metric, values), values)
        names = {text.decode("utf-8", "backslashreplace"): text for text in np.unique(table.text)}
        for device in sorted({*names, *events}):
            rows = table.text == names[device] if device in names else np.zeros(len(t), dtype=bool)
            own = {metric: values[rows] for metric, values in columns.items()}
            own = {metric: values for metric, values in own.items() if not _may_have_wrapped(metric, values)}
            source = self.files.source(part.name)
            yield Telemetry(device, t[rows], own, source, tuple(events.get(device, ())))


def _may_have_wrapped(metric: str, values: FloatArray) -> bool:
    """Return True for bytes over PCIe that never exceed 32 bits: a fast link wraps such a counter in 0.1 s.

    Seen on an H200 with driver 580. A value above shows that the counter is wider.
    """
    return metric in ("pcie_sent", "pcie_received") and not (values >= 2**32).any()


def _device_begins(part: _CsvFile, begin: FloatArray) -> FloatArray:
    """Return when the device began the steps, in s on the run's clock."""
    start, duration = part.table.column("begin_ns"), part.table.column("duration_ns")
    touches = np.concatenate(([False], start[1:] == start[:-1] + duration[:-1]))[: len(start)]
    times = part.scaled("duration_ns", 1e9), part.scaled("step_cuda_event_ns", 1e9)
    return device_begins(begin, *times, touches)


def _models(facts: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, str]]:
    """Return the models of the GPUs as one fact: facts under UUIDs are not comparable between runs."""
    gpus = [gpu for node in facts for gpu in json_values.table(node.get("gpu")).values()]
    names = {str(json_values.table(gpu).get("name")) for gpu in gpus}
    return {"gpu": {"models": " + ".join(sorted(names))}} if names else {}


def _devices_of(ranks: list[_CsvFile]) -> dict[str, dict[str, str]]:
    """Return the GPU of each rank that names one: {"1": {"device_uuid": ..., "device_pci": ...}}."""
    devices = {}
    for part in ranks:
        for _, (uuid, pci) in part.table.records["#device"][:1]:
            devices[str(part.number)] = {"device_uuid": uuid, **({"device_pci": pci} if pci else {})}
    return devices


def _drop_invalid(table: IntTable, malformed: Malformed) -> None:
    """Drop the rows whose step is empty, 0 or not above all previous steps, and breaks that end too early."""
    step = table.column("step")
    highest = np.maximum.accumulate(np.concatenate(([0], step[:-1]))) if len(step) else step
    keep = step > highest
    if not keep.all():
        lines = table.line[~keep]
        malformed.add(int(lines[0]), "a step that is empty or not above the previous steps", len(lines))
        table.columns = {name: values[keep] for name, values in table.columns.items()}
        table.line = table.line[keep]
    breaks, table.records["#break"] = table.records["#break"], []
    for line, texts in breaks:
        if int(texts[2]) <= int(texts[3]):
            table.records["#break"].append((line, texts))
        else:
            malformed.add(line, "not a #break record")


def _origin(ranks: Iterable[_CsvFile]) -> int | None:
    """Return the real time in ns at which the first rank began, None if unknown."""
    begins = [(part.table.column("begin_ns"), part.offset) for part in ranks]
    known = [(begin[begin != ABSENT], offset) for begin, offset in begins if offset is not None]
    return min((int(begin.min()) + offset for begin, offset in known if len(begin)), default=None)


def _intervals(table: IntTable) -> dict[str, int]:
    """Return the sampler's intervals in ns."""
    intervals = {}
    for _, (requested,) in table.records["#interval"]:
        intervals["interval_requested_ns"] = int(requested)
    for _, (median, longest, _) in table.records["#achieved"]:
        intervals |= {"interval_achieved_ns": int(median), "interval_longest_ns": int(longest)}
    for _, (name, interval) in table.records["#update"]:
        intervals[f"update.{name}_ns"] = int(interval)
    return intervals


# Environments by the text of their nodes, in which 1, 1.0 and True differ: runs on one machine have the same.
_FLATTENED: dict[str, dict[str, FactorValue]] = {}
_MOST_ENVIRONMENTS, _LONGEST_ENVIRONMENT = 64, 2**16


def _flatten(nodes: Sequence[object]) -> dict[str, FactorValue]:
    """Return the scalars of all nodes under dotted names; values that differ are joined: "a | b"."""
    try:
        text = repr(nodes)
    except RecursionError:
        return _scalars(nodes)
    if len(text) > _LONGEST_ENVIRONMENT:
        return _scalars(nodes)
    if text not in _FLATTENED:
        if len(_FLATTENED) >= _MOST_ENVIRONMENTS:
            _FLATTENED.clear()
        _FLATTENED[text] = _scalars(nodes)
    return dict(_FLATTENED[text])


def _scalars(nodes: Iterable[object]) -> dict[str, FactorValue]:
    texts: dict[str, dict[str, FactorValue]] = {}
    for groups in nodes:
        pending = [("", groups)]
        while pending:
            name, value = pending.pop()
            if isinstance(value, dict):
                pending += [(f"{name}.{key}", item) for key, item in value.items()]
            elif name and isinstance(value, (str, int, float, bool)):
                # Numbers that cannot be represented (NaN, 400 digits) become text.
                kept = value if is_factor_value(value) else str(value)
                texts.setdefault(name[1:], {})[str(value)] = kept
    return {
        name: next(iter(values.values())) if len(values) == 1 else " | ".join(values)
        for name, values in sorted(texts.items())
    }
