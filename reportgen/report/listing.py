"""Runs as `reportgen runs` lists them: the JSON contract (docs/reference/cli.md), CSV, and a table.

A run is measured and becomes a RunEntry where it is read, so that its steps do not leave that process. The
structs below are the contract: their fields are its keys, in this order, in base units.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import msgspec

from reportgen.core.metrics import METRICS, item_of, metric_of
from reportgen.core.model import STEP, Factors, FactorValue, Finding, Measurement, Run, Series, Source, Window
from reportgen.core.plain_text import one_line, printable_json, spreadsheet
from reportgen.core.rules import Rule, Severity
from reportgen.core.units import choose, machine, rate_unit, text
from reportgen.load import parse_logs
from reportgen.load.unrecognised import UnrecognisedFile
from reportgen.load.worker import RunMapper
from reportgen.protocol import MeasuredRun, Protocol, no_number_at_all, try_measure

VERSION = 1

_ENCODER = msgspec.json.Encoder()


class FindingEntry(msgspec.Struct, frozen=True):
    """A finding; `path` and `line` are null where it has no source or no line."""

    severity: Severity
    rule: Rule
    message: str
    path: str | None
    line: int | None


class StepsEntry(msgspec.Struct, frozen=True):
    """How many steps a log has: the series with the most whole steps, or with the most of any phase."""

    count: int
    first: int | None
    last: int | None


class WindowEntry(msgspec.Struct, frozen=True):
    """The steps that were measured; see `Window`."""

    first: int
    last: int
    steps: int
    time: float | int | None
    gap_time: float | int | None
    samples: float | int | None


class MeasurementEntry(msgspec.Struct, frozen=True):
    """One measured value of a run."""

    metric: str
    phase: str
    value: float | int | None
    unit: str
    evidence: str
    window: WindowEntry | None


class RunEntry(msgspec.Struct, frozen=True):
    """One run: what it is, what it measured, what may be wrong."""

    id: str
    path: str
    format: str
    status: str
    repeat: int | None
    factors: dict[str, FactorValue | None]
    environment: dict[str, FactorValue | None]
    samples_per_step: float | int | None
    steps: StepsEntry
    measurements: tuple[MeasurementEntry, ...]
    findings: tuple[FindingEntry, ...]


class SkippedEntry(msgspec.Struct, frozen=True):
    """A file that no format recognises, its size in bytes, and why: `unknown format`, `empty`, `binary`."""

    path: str
    size: int
    reason: str


class RunDocument(msgspec.Struct, frozen=True):
    """What `runs --format json` prints."""

    version: int
    runs: tuple[RunEntry, ...]
    findings: tuple[FindingEntry, ...]
    skipped: tuple[SkippedEntry, ...]


@dataclass(frozen=True, slots=True)
class RunListing:
    """Runs with the values that they measured. `file_findings` are about files, not about single runs."""

    runs: tuple[RunEntry, ...]
    file_findings: tuple[Finding, ...] = ()
    unrecognised: tuple[UnrecognisedFile, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of files, runs and measurements."""
        of_runs = (_finding_of(entry, run.id) for run in self.runs for entry in run.findings)
        return (*self.file_findings, *of_runs)

    def to_json(self) -> str:
        """Return the document of `runs --format json`."""
        return "".join(self.json_parts())

    def json_parts(self) -> Iterator[str]:
        """Yield the document in parts: the text of all runs takes more memory than the runs."""
        findings = tuple(map(_finding_entry, self.file_findings))
        skipped = tuple(SkippedEntry(file.path, file.size, file.reason) for file in self.unrecognised)
        before, after = _json(RunDocument(VERSION, (), findings, skipped)).split("[]", 1)
        yield f"{before}["
        for number, run in enumerate(self.runs):
            yield (",\n  " if number else "\n  ") + _json(run).replace("\n", "\n  ")
        yield f"\n ]{after}" if self.runs else f"]{after}"

    def to_csv(self) -> str:
        """Return one line per measurement, one column per factor; a run without measurements has a line."""
        names = sorted({name for run in self.runs for name in run.factors})
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([*_CSV_COLUMNS, *(one_line(f"factor:{name}") for name in names), "findings"])
        for run in self.runs:
            head = (run.id, run.format, run.status, run.repeat, run.steps.count)
            rules = " ".join(dict.fromkeys(finding.rule for finding in run.findings))
            factors = [run.factors.get(name) for name in names]
            for value in run.measurements or (None,):
                measured = _csv_values(value)
                cells = [*head, *measured, *factors, rules]
                writer.writerow(["" if cell is None else _field(cell) for cell in cells])
        return out.getvalue()

    def to_rows(self) -> list[tuple[str, ...]]:
        """Return a table of texts, headings first: one row per run, without factors that all runs share."""
        shared = self.shared_factors()
        rows: list[tuple[str, ...]] = [
            ("run", "format", "status", "steps", "factors", "measured", "findings")
        ]
        for run in self.runs:
            factors = " ".join(f"{name}={value}" for name, value in run.factors.items() if name not in shared)
            rules = sorted({finding.rule for finding in run.findings if finding.severity != "note"})
            rows.append(
                (
                    run.id,
                    run.format,
                    run.status.replace("_", " "),
                    str(run.steps.count or "-"),
                    factors or "-",
                    _headline(run) or "-",
                    " ".join(rules) or "-",
                )
            )
        return rows

    def skipped_rows(self) -> list[tuple[str, ...]]:
        """Return a table of the files that became no run, headings first."""
        return [
            ("file", "bytes", "reason"),
            *((file.path, str(file.size), file.reason) for file in self.unrecognised),
        ]

    def shared_factors(self) -> dict[str, FactorValue | None]:
        """Return the factors that are equal in all of several runs."""
        if len(self.runs) < 2:
            return {}
        first, *others = self.runs
        # Compared as text, so that 1 and true stay different.
        return {
            name: value
            for name, value in first.factors.items()
            if all(repr(run.factors.get(name)) == repr(value) for run in others)
        }


_CSV_COLUMNS = ("id", "format", "status", "repeat", "steps", "metric", "phase", "value", "unit", "evidence")


def list_runs(
    paths: Sequence[Path],
    protocol: Protocol,
    *,
    root: Path,
    progress: Callable[[int, int], None] | None = None,
) -> RunListing:
    """Read and measure all runs below the paths; steps are dropped where they are read.

    paths, root, progress  as those of `parse_logs`
    """
    mapper = RunMapper(partial(run_entry, protocol=protocol), _mark, _rename)
    loaded = parse_logs(paths, mapper, root=root, progress=progress).select(paths)
    return RunListing(loaded.runs, loaded.findings, loaded.unrecognised)


def run_entry(run: Run, protocol: Protocol) -> RunEntry:
    """Return a run as it is listed, measured under a protocol."""
    measured = MeasuredRun(run)
    attempts = {pair: try_measure(measured, *pair, protocol) for pair in measured.available()}
    values = [(*pair, attempt.measurement) for pair, attempt in attempts.items() if attempt.measurement]
    findings = dict.fromkeys((*run.findings, *(() if attempts else no_number_at_all(run))))
    for attempt in attempts.values():
        findings |= dict.fromkeys(attempt.measurement.findings if attempt.measurement else ())
        findings |= dict.fromkeys(attempt.findings)
    return RunEntry(
        id=run.id,
        path=run.source.path,
        format=run.format,
        status=run.status,
        repeat=run.repeat,
        factors=_values(run.factors),
        environment=_values(run.environment),
        samples_per_step=_number(run.samples_per_step),
        steps=_steps(run),
        measurements=tuple(_measurement(*value) for value in values),
        findings=tuple(map(_finding_entry, findings)),
    )


def _json(part: msgspec.Struct) -> str:
    return printable_json(msgspec.json.format(_ENCODER.encode(part), indent=1).decode())


def _mark(entry: RunEntry, finding: Finding) -> RunEntry:
    return msgspec.structs.replace(entry, findings=(*entry.findings, _finding_entry(finding)))


def _rename(entry: RunEntry, id: str) -> RunEntry:
    return msgspec.structs.replace(entry, id=id)


def _measurement(metric: str, phase: str, result: Measurement) -> MeasurementEntry:
    value = _number(result.value)
    return MeasurementEntry(metric, phase, value, result.unit, result.evidence, _window(result.window))


def _window(window: Window | None) -> WindowEntry | None:
    if window is None:
        return None
    numbers = map(_number, (window.time, window.gap_time, window.samples))
    return WindowEntry(window.first, window.last, window.steps, *numbers)


def _steps(run: Run) -> StepsEntry:
    whole = [series for series in run.series if series.phase == STEP] or list(run.series)
    fullest: Series | None = max(whole, key=lambda series: len(series.step), default=None)
    if fullest is None or not len(fullest.step):
        return StepsEntry(0, None, None)
    first = int((fullest.step - fullest.span).min()) + 1
    return StepsEntry(len(fullest.step), first, int(fullest.step.max()))


def _values(factors: Factors) -> dict[str, FactorValue | None]:
    return {_printable(name): _value(value) for name, value in sorted(factors.items())}


def _value(value: FactorValue) -> FactorValue | None:
    if isinstance(value, str):
        return _printable(value)
    return _number(value) if isinstance(value, float) else value


def _printable(text: str) -> str:
    """Return a text that can be encoded as UTF-8; JSON logs may contain halves of surrogate pairs."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _number(value: float | None) -> float | int | None:
    """Return a number of 12 significant digits; None where JSON has no number for it."""
    if value is None or not (digits := machine(value)):
        return None
    number = float(digits)
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _finding_entry(finding: Finding) -> FindingEntry:
    source = finding.source
    return FindingEntry(
        finding.severity,
        finding.rule,
        _printable(finding.text),
        source.path if source else None,
        (source.line or None) if source else None,
    )


def _finding_of(entry: FindingEntry, subject: str) -> Finding:
    source = Source(entry.path, entry.line or 0) if entry.path else None
    return Finding(entry.severity, entry.rule, subject, entry.message, source)


def _csv_values(value: MeasurementEntry | None) -> Iterable[object]:
    if value is None:
        return (None,) * 5
    return value.metric, value.phase, value.value, value.unit, value.evidence


def _field(cell: object) -> object:
    return spreadsheet(cell) if isinstance(cell, str) else cell


_METRIC_ORDER = {name: position for position, name in enumerate(METRICS)}


def _rank(value: MeasurementEntry) -> tuple[bool, bool, int]:
    is_speed = metric_of(value.metric).is_speed
    return not is_speed, value.phase != STEP, _METRIC_ORDER.get(value.metric, len(_METRIC_ORDER))


def _headline(run: RunEntry) -> str:
    """Return the value that a reader looks for first: the speed of the whole step."""
    best = min(run.measurements, key=_rank, default=None)
    if best is None or best.value is None:
        return ""
    value, unit = float(best.value), choose([best.value], best.unit)
    factors: Mapping[str, FactorValue] = {n: v for n, v in run.factors.items() if v is not None}
    name = rate_unit(item_of(best.metric, factors)) if best.unit == "samples/s" else unit.name
    parts = (
        best.metric.replace("_", " "),
        text(value / unit.factor),
        name if name not in ("1", "count", "ratio") else "",
        best.phase if best.phase != STEP else "",
        f"({best.evidence})" if best.evidence != "steps" else "",
    )
    return " ".join(part for part in parts if part)
