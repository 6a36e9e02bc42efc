"""Read published results: CSV tables described by a `source.toml` beside them.

The folder is claimed as a whole. Each wide row becomes a Run; in the long form (a column names the metric)
the rows that agree in factors, repeat and status do. Such runs have aggregates and no steps, and are marked
`published`: a published figure is never presented as a measurement.

An error in the description is a finding at its line, and the rest is read: a table in the logs must not stop
the build of a report that does not use it. Grammar: docs/reference/formats/published.md.
"""

import csv
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import get_args

from reportgen.core import units
from reportgen.core.errors import did_you_mean
from reportgen.core.factors import factors_key, matches, parse_scalar
from reportgen.core.metrics import METRICS
from reportgen.core.model import STEP, Aggregate, FactorValue, Finding, Run, Source, Status
from reportgen.core.rules import Rule
from reportgen.core.schema import conditions
from reportgen.formats.base import Claim, Format
from reportgen.formats.parsing.csv_cells import number, quantity, rows
from reportgen.formats.parsing.damage import Malformed
from reportgen.formats.published import source_toml
from reportgen.formats.published.source_toml import (
    Conditions,
    CorrectionEntry,
    Lookup,
    MetricEntry,
    PublishedSource,
)
from reportgen.sources.logfiles import LogFiles
from reportgen.sources.text import line_at

_NAME = "source.toml"
_TITLE = re.compile(rb"^title[ \t]*=", re.MULTILINE)
_TABLES = re.compile(rb"^tables[ \t]*=", re.MULTILINE)
_STATUSES: Mapping[str, Status] = {status: status for status in get_args(Status)}

# The sections of source.toml of which every entry should match a row.
_CORRECTIONS, _MACHINES = "corrections", "environments"

# Column -> text as published.
Row = Mapping[str, str]


def claims(files: LogFiles) -> Claim | None:
    """Claim a folder whose source.toml has a title and lists tables, and those tables with it."""
    if not files.is_folder or _NAME not in files:
        return None
    head = files.head(_NAME)
    match = _TABLES.search(head)
    if not match or not _TITLE.search(head):
        return None
    tables = source_toml.parse(files.bytes(_NAME)).tables
    source = files.source(_NAME, line_at(head, match.start()))
    names = (_NAME, *(table for table in tables if table in files))
    return Claim(1.0, source, "source.toml with a title and tables", names)


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the runs of all tables, and a finding for each thing wrong with source.toml."""
    source = source_toml.parse(files.bytes(_NAME))
    used: set[tuple[str, int]] = set()
    for table in source.tables:
        if table in files:
            yield from _Table(files, table, source, used).read()
        else:
            source.problem(f'no table "{table}" beside source.toml; {did_you_mean(table, files)}', table)
    counts = {_CORRECTIONS: len(source.file.corrections), _MACHINES: len(source.file.environments)}
    for kind, count in counts.items():
        for position in range(count):
            if (kind, position) not in used:
                source.problem(f"{kind}[{position}]: no row matches its where", kind)
    for line, fact in dict.fromkeys(source.problems):
        yield Finding("invalid", Rule.READ_MALFORMED_SOURCE, files.id(_NAME), fact, files.source(_NAME, line))


FORMAT = Format("published", "Published result tables: CSV files that a source.toml describes.", claims, read)


@dataclass(frozen=True, slots=True)
class _Kind:
    """What a figure is, as its row describes it."""

    metric: str
    phase: str
    unit: str
    statistic: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What a run has only once."""
        return self.metric, self.phase, self.statistic


@dataclass(frozen=True, slots=True)
class _LostFigure:
    """A cell with the token for running out of memory."""

    kind: _Kind
    line: int
    column: str


@dataclass(slots=True)
class _Draft:
    """A run under construction from the rows that belong to it."""

    line: int
    factors: dict[str, FactorValue]
    environment: dict[str, FactorValue]
    repeat: int | None
    status: Status
    samples_per_step: float | None
    aggregates: list[Aggregate] = field(default_factory=list)
    lost: list[_LostFigure] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def keys(self) -> set[tuple[str, str, str]]:
        """Return the kinds of figures that the run has or has lost."""
        known = {(x.metric, x.phase, x.statistic) for x in self.aggregates}
        return known | {x.kind.key for x in self.lost}

    def join(self, other: "_Draft") -> None:
        """Add the figures of another row of the run."""
        self.aggregates += other.aggregates
        self.lost += other.lost
        self.findings += other.findings
        self.environment |= other.environment


class _Table:
    """One CSV file and the runs that its definition makes of it."""

    def __init__(
        self, files: LogFiles, table: str, source: PublishedSource, used: set[tuple[str, int]]
    ) -> None:
        self.files, self.table, self.source, self.used = files, table, source, used
        file = source.file
        self.malformed = Malformed(files.id(table), files.source(table).path)
        self.where = conditions(file.where)
        self.factors, self.environment = source.factors, source.environment
        self.figures = [(figure, conditions(figure.where)) for figure in file.metrics]
        self.corrections = [(entry, conditions(entry.where)) for entry in file.corrections]
        self.machines = [(conditions(entry.where), entry.values) for entry in file.environments]

    def read(self) -> Iterator[Run | Finding]:
        drafts: list[_Draft] = []
        latest: dict[object, _Draft] = {}
        is_long = any(figure.is_long for figure, _ in self.figures)
        for line, published in self._rows():
            if not _row_matches(published, self.where):
                # Entries about excluded rows are not errors, so they count as used.
                self._facts(self._corrected(line, published)[0])
                continue
            draft = self._draft(line, published)
            key = (factors_key(draft.factors), draft.repeat, draft.status)
            known = latest.get(key) if is_long else None
            if known and not known.keys() & draft.keys():
                known.join(draft)
            else:
                drafts.append(draft)
                latest[key] = draft
        for position, draft in enumerate(drafts, 1):
            yield self._run(position, draft)
        yield from self.malformed.findings()

    def _rows(self) -> Iterator[tuple[int, Row]]:
        """Yield (line, column -> text) of the rows that have as many cells as the header."""
        header: list[str] | None = None
        text = self.files.bytes(self.table).decode("utf-8", "replace")
        try:
            for line, cells in rows(text):
                if header is None:
                    header = cells
                    self._check(header)
                elif len(cells) == len(header):
                    yield line, dict(zip(header, cells, strict=True))
                else:
                    self.malformed.add(line, f"a row of {len(cells)} cells below a header of {len(header)}")
        except csv.Error as error:
            self.malformed.add(1, f"not CSV: {error}")
        if header is None:
            self.malformed.add(1, "no header")

    def _check(self, header: list[str]) -> None:
        """Drop the figures whose columns are missing, and report the missing columns."""
        problem = self.source.problem
        for name in self.source.columns:
            if name not in header:
                problem(f'no column "{name}" in {self.table}; {did_you_mean(name, header)}', name)
        if len(set(header)) < len(header):
            twice = ", ".join(sorted(name for name, count in Counter(header).items() if count > 1))
            problem(f"{self.table} has columns of the same name: {twice}", self.table)
        known = set(header)
        self.figures = [
            (figure, where)
            for figure, where in self.figures
            if {figure.column, *where, *(x.column for x in figure.lookups)} <= known
        ]

    def _draft(self, line: int, published: Row) -> _Draft:
        row, findings = self._corrected(line, published)
        factors, environment = self._facts(row)
        draft = _Draft(line, factors, environment, self._repeat(row), self._status(row), self._samples(row))
        draft.findings = findings
        self._fill(draft, row, published)
        return draft

    def _facts(self, row: Row) -> tuple[dict[str, FactorValue], dict[str, FactorValue]]:
        """Return factors and environment of a row."""
        factors = {**self.source.file.constants, **_look_up_all(row, self.factors)}
        environment = {**self.source.about, **self._machine(factors)}
        environment |= _look_up_all(row, self.environment)
        column = self.source.file.columns.source
        if column and row.get(column):
            environment["source"] = row[column]
        return factors, environment

    def _fill(self, draft: _Draft, row: Row, published: Row) -> None:
        """Add the figures of a row, or what its tokens mean instead of figures."""
        tokens = self.source.file.tokens
        for figure, where in self.figures:
            text = row[figure.column]
            if text in tokens.missing or not _row_matches(row, where):
                continue
            kind = _kind(figure, row)
            if text in tokens.out_of_memory:
                draft.lost.append(_LostFigure(kind, draft.line, figure.column))
            elif text in tokens.planned:
                draft.environment["planned"] = True
            else:
                aggregate = self._aggregate(figure.column, kind, row, draft.line, published[figure.column])
                draft.aggregates += [aggregate] if aggregate else []

    def _aggregate(self, column: str, kind: _Kind, row: Row, line: int, original: str) -> Aggregate | None:
        metric, measured = kind.metric, quantity(row[column], kind.unit)
        if not metric:
            self.malformed.add(line, f"column {column}: the name of the metric is missing")
            return None
        if not measured:
            self.malformed.add(line, f'column {column}: "{row[column][:40]}" is not a number')
            return self._figure(kind, line, math.nan, original)
        value, base = units.to_base(*measured)
        expected = METRICS[metric].unit if metric in METRICS else base
        if not units.find(measured[1]) or base != expected:
            fact = f'unit "{measured[1]}" of column {column} does not fit {metric} (base unit: {expected})'
            self.source.problem(fact, column)
            return None
        return self._figure(kind, line, value, original, base)

    def _figure(self, kind: _Kind, line: int, value: float, original: str, unit: str = "") -> Aggregate:
        return Aggregate(
            kind.metric,
            phase=kind.phase,
            value=value,
            original=original,
            statistic=kind.statistic,
            source=self.files.source(self.table, line),
            unit=unit,
        )

    def _corrected(self, line: int, published: Row) -> tuple[Row, list[Finding]]:
        row, findings = dict(published), []
        for position, (correction, where) in enumerate(self.corrections):
            if correction.column in row and _row_matches(published, where):
                self.used.add((_CORRECTIONS, position))
                row[correction.column] = _cell_text(correction.value)
                findings.append(self._footnote(correction, line, published[correction.column]))
        return row, findings

    def _footnote(self, correction: CorrectionEntry, line: int, published: str) -> Finding:
        message = (
            f"{correction.column} corrected from {published or 'empty'} to {_cell_text(correction.value)}"
        )
        source = f" ({correction.source})" if correction.source else ""
        return Finding(
            "note",
            Rule.READ_CORRECTED_FIGURE,
            "",
            message,
            self.files.source(self.table, line),
            f"{correction.reason}{source}",
        )

    def _machine(self, factors: Mapping[str, FactorValue]) -> dict[str, FactorValue]:
        facts: dict[str, FactorValue] = {}
        for position, (where, values) in enumerate(self.machines):
            if matches(factors, where):
                self.used.add((_MACHINES, position))
                facts.update(values)
        return facts

    def _repeat(self, row: Row) -> int | None:
        repeat = number(row.get(self.source.file.columns.repeat or "", ""))
        return int(repeat) if repeat is not None and repeat.is_integer() and abs(repeat) < 2**53 else None

    def _status(self, row: Row) -> Status:
        word = row.get(self.source.file.columns.status or "", "")
        if not word:
            return "complete"
        status = self.source.file.status.get(word) or _STATUSES.get(word)
        if status is None:
            self.source.problem(f'status "{word[:40]}" has no meaning; add it to [status]', "status")
        return status or "partial"

    def _samples(self, row: Row) -> float | None:
        product = 1.0
        for name in self.source.samples:
            value = number(row.get(name, ""))
            if value is None:
                return None
            product *= value
        return product if self.source.samples else None

    def _run(self, number: int, draft: _Draft) -> Run:
        id = self.files.id(self.table, number)
        # A figure lost to memory does not invalidate the other figures of its run.
        has_none = draft.lost and not draft.aggregates
        lost = [] if has_none else draft.lost
        findings = [*(replace(x, subject=id) for x in draft.findings), *(self._lost(id, x) for x in lost)]
        figures = [self._figure(x.kind, x.line, math.nan, "out of memory") for x in lost]
        return Run(
            id=id,
            format="published",
            source=Source(self.malformed.path, draft.line),
            factors=draft.factors,
            environment=draft.environment,
            repeat=draft.repeat,
            status="out_of_memory" if has_none else draft.status,
            samples_per_step=draft.samples_per_step,
            published=True,
            aggregates=(*draft.aggregates, *figures),
            findings=tuple(findings),
        )

    def _lost(self, id: str, lost: _LostFigure) -> Finding:
        message = f"{lost.column}: out of memory, so there is no {lost.kind.metric} ({lost.kind.phase})"
        return Finding("note", Rule.READ_FAILED_RUN, id, message, self.files.source(self.table, lost.line))


def _kind(figure: MetricEntry, row: Row) -> _Kind:
    """Return what a figure is, by its definition and the columns beside it."""
    metric, phase, unit, statistic = (
        str(_look_up(row, part) or "") if isinstance(part, Lookup) else part
        for part in (figure.metric, figure.phase, figure.unit, figure.statistic)
    )
    return _Kind(metric, phase or STEP, unit, statistic or "published")


def _row_matches(row: Row, where: Conditions) -> bool:
    """Return whether the cells are among the accepted values, as numbers or as text."""
    return all(
        name in row and any(_is(row[name], value) for value in values) for name, values in where.items()
    )


def _is(text: str, value: FactorValue) -> bool:
    if isinstance(value, (str, bool)):
        return text in (value, _cell_text(value))
    return number(text) == value


def _look_up_all(row: Row, lookups: Mapping[str, Lookup]) -> dict[str, FactorValue]:
    values = {name: _look_up(row, lookup) for name, lookup in lookups.items()}
    return {name: value for name, value in values.items() if value is not None}


def _look_up(row: Row, lookup: Lookup) -> FactorValue | None:
    """Return the parsed cell, replaced by the lookup's value for its text; None if empty and not replaced."""
    text = row.get(lookup.column, "")
    if text in lookup.values:
        return lookup.values[text]
    return parse_scalar(text) if text else None


def _cell_text(value: FactorValue) -> str:
    """Return a value of source.toml as a cell would have it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
