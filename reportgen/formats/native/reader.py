"""Read our own log format, version 1: a folder with run.json, steps, environment and telemetry.

The specification is logs/FORMAT.md. A folder becomes one Run with a Series per rank, phase and clock, all of
one length, NaN where a cell is empty. Times of all ranks and nodes are brought onto one clock, seconds from
the first step, through the pairs of monotonic and real time in the files. Whatever was flushed is kept: a run
that was killed has its steps, and findings that say so.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

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
    Status,
    Telemetry,
)
from reportgen.core.rules import Rule, Severity
from reportgen.formats.base import Claim, Format
from reportgen.formats.native.integer_csv import ABSENT, IntTable, Layout
from reportgen.formats.native.run_folder import (
    DEVICE_COLUMNS,
    DEVICES,
    STEPS,
    Part,
    origin_of,
    phase_of,
    read_part,
    scaled,
    seconds,
)
from reportgen.formats.native.run_json import RunJson, load_object, parse_run
from reportgen.formats.parsing.damage import Malformed
from reportgen.sources.logfiles import LogFiles

_VERSION = 1
_RUN = "run.json"
_STDOUT = "stdout.log"
_FILE = re.compile(
    r"(steps)\.rank([0-9]{1,6})\.csv|(environment)\.node([0-9]{1,6})\.json"
    r"|(telemetry)\.node([0-9]{1,6})\.csv"
)
_IS_RUN = re.compile(rb'"format"\s*:\s*"reportgen-run"')
_WHY: Mapping[str, str] = {"running": "interrupted while recording", "partial": "not everything was recorded"}


def claims(files: LogFiles) -> Claim | None:
    """Claim a folder with a run.json of this format, or with a steps file whose first line is a clock."""
    if not files.is_folder:
        return None
    names = [name for name in files.children()[0] if name in (_RUN, _STDOUT) or _FILE.fullmatch(name)]
    if _RUN in names and (found := _IS_RUN.search(content := files.head(_RUN))):
        line = content.count(b"\n", 0, found.start()) + 1
        return Claim(1.0, files.source(_RUN, line), '"format": "reportgen-run"', tuple(names))
    for name in names:
        if name.startswith("steps.") and files.head(name).startswith(b"#clock,"):
            return Claim(1.0, files.source(name, 1), "steps that begin with #clock", tuple(names))
    return None


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the folder's run, or a finding if it is of a newer version of the format."""
    folder = _Folder(files)
    newer = folder.newer_version()
    yield newer or folder.run()


FORMAT = Format("native", "Run folders of our own log format, version 1.", claims, read)


class _Folder:
    """Everything that one run folder holds."""

    def __init__(self, files: LogFiles) -> None:
        self.files, self.id = files, files.id()
        self.findings: list[Finding] = []
        self.incomplete: list[str] = []
        content = files.bytes(_RUN) if _RUN in files else None
        self.json: RunJson = parse_run(content)
        self.names: dict[str, dict[int, str]] = {"steps": {}, "environment": {}, "telemetry": {}}
        for name in files:
            if found := _FILE.fullmatch(name):
                kind, number = (group for group in found.groups() if group)
                self.names[kind].setdefault(int(number), name)
        self.environments = {
            node: self._environment(name) for node, name in sorted(self.names["environment"].items())
        }

    def newer_version(self) -> Finding | None:
        """Return the complaint about a version that is not understood."""
        versions = {_RUN: self.json.version} | {
            self.names["environment"][node]: found.get("version", 1)
            for node, found in self.environments.items()
        }
        for name, version in versions.items():
            if isinstance(version, int) and version > _VERSION:
                message = (
                    f"version {version} is newer than this reportgen understands ({_VERSION}); "
                    "update reportgen"
                )
                return Finding("invalid", Rule.READ_NEWER_VERSION, self.id, message, self.files.source(name))
        return None

    def run(self) -> Run:
        """Return the run with all that could be read."""
        ranks, nodes = self._parts("steps", STEPS), self._parts("telemetry", DEVICES)
        offsets = self._offsets(ranks, nodes)
        origin = origin_of(ranks, offsets)
        series = [one for part in ranks for one in self._series(part, offsets[part.name], origin)]
        telemetry = [one for part in nodes for one in self._devices(part, offsets[part.name], origin)]
        status = self._status(ranks)
        count = max(self.json.ranks or 1, len(ranks))
        samples = self.json.samples_per_step
        return Run(
            id=self.id,
            format="native",
            source=self.files.source(_RUN if _RUN in self.files else ""),
            factors=self.json.factors,
            environment=self._facts(nodes),
            repeat=self.json.repeat,
            status=status,
            samples_per_step=None if samples is None else float(samples * count),
            ranks=self.json.ranks,
            series=tuple(series),
            telemetry=tuple(telemetry),
            findings=tuple(self.findings),
        )

    def _facts(self, nodes: list[Part]) -> dict[str, FactorValue]:
        """Return the environment of all nodes, and what sampler and recorder say of themselves."""
        groups = [found.get("environment") for found in self.environments.values()]
        groups += [{"telemetry": part.facts} for part in nodes]
        return _flattened([*groups, {"recorder": self.json.cost}])

    def _status(self, ranks: list[Part]) -> Status:
        """Return the status, and leave the findings that explain it."""
        self._note_json()
        lacks_ranks = len(ranks) < (self.json.ranks or 0)
        if lacks_ranks:
            self.incomplete.append(f"steps of {len(ranks)} of {self.json.ranks} ranks")
        elif not any(len(part.table.line) for part in ranks):
            self.incomplete.append("no step was recorded")
        status = self.json.status
        is_cut = any("was cut" in fact for fact in self.incomplete)
        if status == "complete" and (self.json.problems or is_cut or lacks_ranks):
            status = "partial"
        if status in _WHY:
            self.incomplete.insert(0, _WHY[status] + self.json.trouble)
        if self.incomplete:
            self._note("warning", Rule.READ_INCOMPLETE_RUN, ", ".join(self.incomplete))
        if status in ("failed", "out_of_memory", "cancelled"):
            self._note("warning", Rule.READ_FAILED_RUN, status.replace("_", " ") + self.json.cause)
        return status

    def _note_json(self) -> None:
        if _RUN not in self.files:
            self.incomplete.append("no run.json")
        elif self.json.problems:
            self._note("warning", Rule.READ_MALFORMED_LINE, "; ".join(self.json.problems), _RUN)
        for conflict in self.json.conflicts:
            self._note("warning", Rule.READ_LABEL_CONFLICT, conflict, _RUN)

    def _note(self, severity: Severity, rule: Rule, message: str, name: str = "") -> None:
        self.findings.append(Finding(severity, rule, self.id, message, self.files.source(name)))

    def _environment(self, name: str) -> Mapping[str, Any]:
        found = load_object(self.files.bytes(name))
        if found is None or found.get("format") != "reportgen-environment":
            self._note("warning", Rule.READ_MALFORMED_LINE, "not an environment of this format", name)
            return {}
        return found

    def _parts(self, kind: str, layout: Layout) -> list[Part]:
        parts = []
        for number, name in sorted(self.names[kind].items()):
            malformed = Malformed(self.id, self.files.source(name).path)
            parts.append(read_part(name, number, self.files.bytes(name), layout, malformed))
            if parts[-1].table.is_cut:
                self.incomplete.append(f"the last line of {name} was cut")
            self.findings += malformed.findings()
        return parts

    def _offsets(self, ranks: list[Part], nodes: list[Part]) -> dict[str, int | None]:
        """Return for each file real time less monotonic time, None where no pair of the two is known.

        The pair of a node's first rank serves all files of the node: each file's own was read at another
        moment, and within a node the monotonic clock alone is exact.
        """
        own = {part.name: part.clock[1] - part.clock[0] if part.clock else None for part in ranks + nodes}
        shared = dict(own)
        for node, environment in self.environments.items():
            listed = environment.get("ranks")
            mine = [part for part in ranks if isinstance(listed, list) and part.number in listed]
            first = next((own[part.name] for part in mine if part.clock), None)
            mine += [part for part in nodes if part.number == node]
            shared |= {part.name: first for part in mine if first is not None}
        return shared

    def _series(self, part: Part, offset: int | None, origin: int | None) -> Iterator[Series]:
        table = part.table
        begin = seconds(table.column("begin_ns"), offset, origin)
        step, span = table.column("step"), table.column("span")
        span = np.where(span == ABSENT, 1, span)
        breaks = tuple(Break(after, name, (end - start) / 1e9) for name, after, start, end in part.breaks)
        samples = _work(table, "samples", span, self.json.samples_per_step)
        source = self.files.source(part.name)
        told: list[tuple[str, str, Clock, FloatArray]] = []
        for column in table.columns:
            phase, clock = phase_of(column, self.json.clocks)
            if phase:
                told.append(("step_time", phase, clock, scaled(table.column(column), 1e9)))
        others = {"tokens": self.json.tokens_per_step, "operations": self.json.flops_per_step}
        for metric, usual in others.items():
            done = _work(table, metric, span, usual)
            if np.isfinite(done).any():
                told.append((metric, STEP, "host", done))
        rank, line = part.number, table.line
        for metric, phase, clock, value in told:
            yield Series(
                metric,
                phase=phase,
                rank=rank,
                clock=clock,
                step=step,
                span=span,
                begin=begin,
                value=value,
                samples=samples,
                line=line,
                source=source,
                breaks=breaks,
            )

    def _devices(self, part: Part, offset: int | None, origin: int | None) -> Iterator[Telemetry]:
        table = part.table
        moments = (table.column("monotonic_ns"), _integers(when for _, when, _, _ in part.events))
        t, event_t = np.split(seconds(np.concatenate(moments), offset, origin), [len(table.line)])
        happened: dict[str, list[DeviceEvent]] = {}
        for (device, _, name, line), when in zip(part.events, event_t.tolist(), strict=True):
            happened.setdefault(device, []).append(DeviceEvent(when, name, line))
        columns: dict[str, FloatArray] = {}
        for column in table.columns:
            if column in DEVICE_COLUMNS:
                metric, divisor = DEVICE_COLUMNS[column]
                values = scaled(table.column(column), divisor)
                columns[metric] = np.where(np.isnan(values), columns.get(metric, values), values)
        names = {text.decode("utf-8", "backslashreplace"): text for text in np.unique(table.text)}
        rows = {name: table.text == text for name, text in names.items()}
        for device in sorted({*rows, *happened}):
            mine = rows.get(device, np.zeros(len(t), dtype=bool))
            yield Telemetry(
                device,
                t[mine],
                {metric: values[mine] for metric, values in columns.items()},
                self.files.source(part.name),
                tuple(happened.get(device, ())),
            )


def _work(table: IntTable, column: str, span: IntArray, usual: int | None) -> FloatArray:
    """Return the work of each entry: what its cell says, else its steps times the usual, else NaN."""
    told = scaled(table.column(column), 1)
    return told if usual is None else np.where(np.isnan(told), span * float(usual), told)


def _integers(numbers: Iterable[int]) -> IntArray:
    return np.array([number if number < 2**63 else ABSENT for number in numbers], dtype=np.int64)


def _flattened(nodes: Iterable[object]) -> dict[str, FactorValue]:
    """Return the scalars of all nodes under dotted names; where nodes differ, "a | b" in their order."""
    found: dict[str, dict[str, FactorValue]] = {}
    for groups in nodes:
        pending = [("", groups)] if isinstance(groups, dict) else []
        while pending:
            prefix, group = pending.pop()
            for name, value in group.items():
                if isinstance(value, dict):
                    pending.append((f"{prefix}{name}.", value))
                elif isinstance(value, (str, int, float, bool)):
                    # Numbers that nobody can hold (NaN, 400 digits) stay what they read as.
                    found.setdefault(prefix + name, {})[str(value)] = (
                        value if is_factor_value(value) else str(value)
                    )
    return {
        name: next(iter(values.values())) if len(values) == 1 else " | ".join(values)
        for name, values in sorted(found.items())
    }
