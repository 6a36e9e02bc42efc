"""Read a report.json back: its cells, cases, repeats, findings and sources as values.

Files of older versions of reportgen lack keys that were added since; a missing key is empty. Keys that are
not needed here are ignored.
"""

from functools import cached_property
from typing import Any

import msgspec

from reportgen.core.errors import RequestError
from reportgen.core.model import FactorValue

# The version of report.json that is understood; keys are added without raising it.
VERSION = 2

Key = dict[str, FactorValue]


class StoredFinding(msgspec.Struct, frozen=True):
    """A finding of a report."""

    severity: str
    rule: str
    subject: str = ""
    message: str = ""
    detail: str = ""
    source: str = ""


class StoredComparison(msgspec.Struct):
    """The comparison of a cell; `baseline` is the name of its case."""

    kind: str
    baseline: str = ""
    value: float | None = None
    expected_speed: float | None = None


class StoredCell(msgspec.Struct):
    """A cell; `case` is the name of its case, `shown` the number as the pages show it."""

    row: Key = msgspec.field(default_factory=dict)
    column: Key = msgspec.field(default_factory=dict)
    quantity: str = "value"
    kind: str = "absent"
    value: float | None = None
    unit: str = ""
    shown: str = ""
    text: str = ""
    case: str = ""
    comparison: StoredComparison | None = None

    @property
    def is_number(self) -> bool:
        """Return whether the cell shows a number."""
        return self.kind == "number" and self.value is not None


class StoredRepeat(msgspec.Struct):
    """A run with its value, None if it has none; `sources` are FILE or FILE:LINE."""

    run: str
    format: str = ""
    status: str = "complete"
    value: float | None = None
    started: float | None = None
    started_clock: str = ""
    round: tuple[int, int] | None = None
    source: str = ""
    sources: tuple[str, ...] = ()
    findings: tuple[StoredFinding, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """The files that the run was read from, each once."""
        return tuple(dict.fromkeys(map(path_of_source, (self.source, *self.sources))))


class StoredSummary(msgspec.Struct):
    """The median of the repeats, or what the protocol takes instead."""

    value: float | None = None
    repeats: int = 0
    low: float | None = None
    high: float | None = None


class StoredCase(msgspec.Struct):
    """A case with its repeats. `conditions`: what it was measured with besides its factors."""

    case: str
    factors: Key = msgspec.field(default_factory=dict)
    metric: str = ""
    phase: str = ""
    unit: str = ""
    protocol: str = ""
    conditions: dict[str, str] = msgspec.field(default_factory=dict)
    summary: StoredSummary | None = None
    measurements: tuple[StoredRepeat, ...] = ()
    unmeasured: tuple[StoredRepeat, ...] = ()


class StoredTable(msgspec.Struct):
    """A table; `definition` is the digest of what its definition says about numbers."""

    id: str
    title: str = ""
    definition: str = ""
    cells: tuple[StoredCell, ...] = ()


class StoredProvenance(msgspec.Struct):
    """A folder of logs, and the version of the reader of its format."""

    path: str
    format: str
    reader: int = 1


class StoredPart(msgspec.Struct):
    """A part of a difference with its time on both sides."""

    name: str
    case_seconds: float | None = None
    baseline_seconds: float | None = None


class StoredBreakdown(msgspec.Struct):
    """Why a case is slower than its baseline; both are names of cases."""

    case: str
    baseline: str
    per: str
    case_seconds: float
    baseline_seconds: float
    parts: tuple[StoredPart, ...] = ()


class StoredReport(msgspec.Struct, dict=True):
    """A report.json."""

    version: int
    name: str
    title: str = ""
    tables: tuple[StoredTable, ...] = ()
    cases: tuple[StoredCase, ...] = ()
    findings: tuple[StoredFinding, ...] = ()
    sources: dict[str, str] = msgspec.field(default_factory=dict)
    protocols: dict[str, dict[str, Any]] = msgspec.field(default_factory=dict)
    provenance: tuple[StoredProvenance, ...] = ()
    breakdowns: tuple[StoredBreakdown, ...] = ()

    @cached_property
    def case_by_name(self) -> dict[str, StoredCase]:
        """The cases by name."""
        return {case.case: case for case in self.cases}


def path_of_source(source: str) -> str:
    """Return the file of FILE:LINE or FILE."""
    path, colon, line = source.rpartition(":")
    return path if colon and line.isdecimal() else source


def read_report(content: bytes, place: str) -> StoredReport:
    """Return what a report.json says. Raises RequestError if it is not one, or too new.

    place  of the file, for the message
    """
    try:
        report = msgspec.json.decode(content, type=StoredReport)
    except (msgspec.DecodeError, RecursionError) as error:
        raise RequestError(place, f"is not a report.json: {error}", "run: reportgen build") from None
    if report.version != VERSION:
        remedy = "update reportgen" if report.version > VERSION else "run: reportgen build"
        raise RequestError(place, f"has version {report.version}, not {VERSION}", remedy)
    return report
