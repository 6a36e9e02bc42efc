"""Runs as `reportgen runs` lists them: the JSON contract (docs/reference/cli.md), CSV, and a table.

A run is measured and becomes a RunEntry where it is read, so that its steps do not leave that process.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import msgspec

from reportgen.cache import cache_folder
from reportgen.cache.rows import rows_of
from reportgen.core.factors import Where
from reportgen.core.model import Finding, Source
from reportgen.core.plain_text import one_line, printable_json, spreadsheet
from reportgen.load import parse_logs
from reportgen.load.stored_batches import BatchStore
from reportgen.load.unrecognised import UnrecognisedFile
from reportgen.load.worker import BatchResult, RunMapper, Shared
from reportgen.protocol import Protocol
from reportgen.report.run_entry import FindingEntry, MeasurementEntry, RunEntry, entry_of_run, finding_entry
from reportgen.report.run_groups import RunRows, group_rows, select

VERSION = 1

_ENCODER = msgspec.json.Encoder()


class SkippedEntry(msgspec.Struct, frozen=True):
    """A file that no format recognises, its size in bytes, and why: `unknown format`, `empty`, `binary`."""

    path: str
    size: int
    reason: str


class RunDocument(msgspec.Struct, frozen=True):
    """The output of `runs --format json`."""

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

    def __repr__(self) -> str:
        return f"<RunListing: {len(self.runs)} runs, {len(self.unrecognised)} files skipped>"

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of files, runs and measurements."""
        of_runs = (_finding_of(entry, run.id) for run in self.runs for entry in run.findings)
        return (*self.file_findings, *of_runs)

    @property
    def statuses(self) -> list[str]:
        """The statuses of the runs; the results of one run count once."""
        runs = {(run.path, run.part_of) if run.part_of else run.id: run.status for run in self.runs}
        return list(runs.values())

    def to_json(self) -> str:
        """Return the document of `runs --format json`."""
        return "".join(self.json_parts())

    def json_parts(self) -> Iterator[str]:
        """Yield the document in parts: the text of all runs takes more memory than the runs."""
        findings = tuple(map(finding_entry, self.file_findings))
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

    def where(self, conditions: Where) -> "RunListing":
        """Return the listing of the runs that match; see `select` for the errors."""
        return replace(self, runs=select(self.runs, conditions))

    def to_rows(self, sort: str = "run") -> RunRows:
        """Return the runs as a table of texts with a row per case; see `group_rows`."""
        return group_rows(self.runs, sort)

    def skipped_rows(self) -> list[tuple[str, ...]]:
        """Return a table of the files that became no run, headings first."""
        return [
            ("file", "bytes", "reason"),
            *((file.path, str(file.size), file.reason) for file in self.unrecognised),
        ]


_CSV_COLUMNS = (
    *("id", "format", "status", "repeat", "steps"),
    *("metric", "phase", "value", "unit", "evidence", "invalid"),
)


def list_runs(
    paths: Sequence[Path],
    protocol: Protocol,
    *,
    root: Path,
    progress: Callable[[int, int], None] | None = None,
    cache: bool = False,
    executor: Executor | None = None,
) -> RunListing:
    """Read and measure all runs below the paths; steps are dropped where they are read.

    paths, root, progress, executor  as in `parse_logs`
    cache                  whether to read only what changed since the last time
    """
    mapper = RunMapper(partial(entry_of_run, protocol=protocol), _mark, _rename, _share)
    store = None
    if cache:
        decoder = msgspec.msgpack.Decoder(BatchResult[RunEntry])
        store = BatchStore(rows_of(cache_folder(), str(root)), decoder, f"runs {protocol!r}")
    logs = parse_logs(paths, mapper, root=root, progress=progress, executor=executor, store=store)
    loaded = logs.select(paths)
    return RunListing(loaded.runs, loaded.findings, loaded.unrecognised)


def _json(part: msgspec.Struct) -> str:
    return printable_json(msgspec.json.format(_ENCODER.encode(part), indent=1).decode())


def _mark(entry: RunEntry, finding: Finding) -> RunEntry:
    return msgspec.structs.replace(entry, findings=(*entry.findings, finding_entry(finding)))


def _rename(entry: RunEntry, id: str) -> RunEntry:
    return msgspec.structs.replace(entry, id=id)


def _share(entry: RunEntry, shared: Shared) -> RunEntry:
    facts = entry.factors, entry.environment
    factors, environment = (shared.known.setdefault(repr(each), each) for each in facts)
    return msgspec.structs.replace(entry, factors=factors, environment=environment)


def _finding_of(entry: FindingEntry, subject: str) -> Finding:
    source = Source(entry.path, entry.line or 0) if entry.path else None
    return Finding(entry.severity, entry.rule, subject, entry.message, source)


def _csv_values(value: MeasurementEntry | None) -> Iterable[object]:
    if value is None:
        return (None,) * 6
    return value.metric, value.phase, value.value, value.unit, value.evidence, value.invalid


def _field(cell: object) -> object:
    return spreadsheet(cell) if isinstance(cell, str) else cell
