"""Read published results: CSV tables described by a `source.toml` beside them.

The folder is claimed as a whole. Each wide row becomes a Run; in the long form (a column names the metric)
the rows that agree in factors, repeat and status do. If a metric has several statistics, each is a Run with
the factor `statistic`. Such runs have aggregates and no steps, and are marked `published`: a published figure
is never presented as a measurement.

An error in the description is a finding at its line, and the rest is read: a table in the logs must not stop
the build of a report that does not use it. Grammar: docs/reference/formats/published.md.
"""

import csv
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import get_args

from reportgen.core import units
from reportgen.core.errors import did_you_mean
from reportgen.core.factors import factors_key, matches, parse_scalar
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.metrics import METRICS
from reportgen.core.model import STEP, Aggregate, FactorValue, Finding, Run, Status
from reportgen.core.rules import Rule
from reportgen.core.schema import Condition, conditions
from reportgen.formats.base import Claim, Format, Results
from reportgen.formats.parsing.csv_cells import number, quantity, rows
from reportgen.formats.parsing.damage import Malformed
from reportgen.formats.parsing.run_builder import ResultRun
from reportgen.formats.published import source_toml
from reportgen.formats.published.source_toml import Lookup, PublishedSource
from reportgen.sources.logfiles import LogFiles
from reportgen.sources.text import line_at

_NAME = "source.toml"
# Without "=": a file that is not TOML is claimed too, and its fault is a finding.
_TITLE = lazy_pattern(rb"^[ \t]*title\b", re.MULTILINE)
_TABLES = lazy_pattern(rb"^[ \t]*tables\b", re.MULTILINE)
STATISTIC = "statistic"
# The statistic of a figure for which the table states none.
_UNSTATED = "published"
_STATUSES: Mapping[str, Status] = {status: status for status in get_args(Status)}

# Column -> text as published.
Row = Mapping[str, str]


def claims(files: LogFiles) -> Claim | None:
    """Claim a folder whose source.toml has a title and lists tables, and those tables with it."""
    if _NAME not in files:
        return None
    head = files.head(_NAME)
    match = _TABLES.search(head)
    if not match or not _TITLE.search(head):
        return None
    tables = dict.fromkeys(source_toml.parse(files.bytes(_NAME)).file.tables)
    source = files.source(_NAME, line_at(head, match.start()))
    names = (_NAME, *(table for table in tables if table in files))
    return Claim(1.0, source, "source.toml with a title and tables", names)


def read(files: LogFiles) -> Results:
    """Yield the runs of all tables, and a finding for each thing wrong with source.toml."""
    source = source_toml.parse(files.bytes(_NAME))
    names = dict.fromkeys(source.file.tables)
    tables = [_Table(files, name, source) for name in names if name in files]
    for missing in (name for name in names if name not in files):
        source.problem(f'no table "{missing}" beside source.toml; {did_you_mean(missing, files)}', missing)
    rows = [table.rows() for table in tables]
    has_several = _have_several_statistics(draft for drafts in rows for draft in drafts)
    for table, drafts in zip(tables, rows, strict=True):
        yield from table.runs(drafts, by_statistic=has_several)
    for kind in ("corrections", "environments"):
        for position, entry in enumerate(getattr(source.file, kind)):
            if id(entry) not in source.used:
                source.problem(f"{kind}[{position}]: no row matches its where", kind)
    for line, fact in dict.fromkeys(source.problems):
        yield Finding("invalid", Rule.READ_MALFORMED_SOURCE, files.id(_NAME), fact, files.source(_NAME, line))


FORMAT = Format(
    "published",
    "Published result tables: CSV files that a source.toml describes.",
    claims,
    read,
    views="folders",
)


@dataclass(slots=True)
class _Draft(ResultRun):
    """A run of one or several rows; `lost` are its cells with a token for running out of memory."""

    lost: list[tuple[Aggregate, str]] = field(default_factory=list)  # without a value, and its column

    def kinds(self) -> set[tuple[str, str, str]]:
        """Return what a run has only once, for the figures that the run has or has lost."""
        return {(x.metric, x.phase, x.statistic) for x in self._figures()}

    def by_statistic(self) -> "list[_Draft]":
        """Return a run for each statistic that its figures state, with the factor `statistic`.

        The first one has the findings.
        """
        stated = {} if STATISTIC in self.factors else {x.statistic: None for x in self._figures()}
        if set(stated) <= {_UNSTATED}:
            return [self]
        drafts: list[_Draft] = []
        for statistic in stated:
            draft = replace(self, findings=[] if drafts else self.findings)
            draft.aggregates = [x for x in self.aggregates if x.statistic == statistic]
            draft.lost = [each for each in self.lost if each[0].statistic == statistic]
            draft.environment = dict(self.environment)
            if statistic != _UNSTATED:
                draft.factors = self.factors | {STATISTIC: statistic}
            drafts.append(draft)
        return drafts

    def _figures(self) -> list[Aggregate]:
        return [*self.aggregates, *(figure for figure, _ in self.lost)]

    def join(self, other: "_Draft") -> None:
        """Add the figures of another row of the run."""
        self.aggregates += other.aggregates
        self.lost += other.lost
        self.findings += other.findings
        self.environment |= other.environment

    def published(self, id: str) -> Run:
        """Return the run under its id."""
        self.id, self.findings = id, [replace(x, subject=id) for x in self.findings]
        # A figure lost to memory does not invalidate the other figures of its run.
        if self.lost and not self.aggregates:
            self.status, self.lost = "out_of_memory", []
        for figure, column in self.lost:
            message = f"{column}: out of memory, so there is no {figure.metric} ({figure.phase})"
            self.findings.append(Finding("note", Rule.READ_FAILED_RUN, id, message, figure.source))
            self.aggregates.append(figure)
        return replace(self.run(), published=True)


class _Table:
    """One CSV file and the runs that its definition makes of it."""

    def __init__(self, files: LogFiles, table: str, source: PublishedSource) -> None:
        self.files, self.table, self.source, self.file = files, table, source, source.file
        self.malformed = Malformed(files.id(table), files.source(table).path)
        about = {"title": self.file.title, "url": self.file.url, "date": str(self.file.date)}
        self.about = {f"publication.{name}": fact for name, fact in about.items() if fact}
        self.figures = self.file.metrics

    def rows(self) -> list[_Draft]:
        """Return the runs of the rows, without ids."""
        drafts: list[_Draft] = []
        latest: dict[object, _Draft] = {}
        is_long = any(figure.is_long for figure in self.figures)
        for line, published in self._cells():
            row, findings = self._corrected(line, published)
            factors, environment = self._facts(row)
            # Entries about excluded rows are not errors: they have been used above.
            if not _row_matches(published, self.file.where):
                continue
            place, repeat = self.files.source(self.table, line), self._repeat(row)
            draft = _Draft("published", "", place, factors, environment, repeat, findings=findings)
            draft.status, draft.samples_per_step = self._status(row), self._samples(row)
            self._add_figures(draft, row, published)
            key = (factors_key(factors), draft.repeat, draft.status)
            known = latest.get(key) if is_long else None
            if known and not known.kinds() & draft.kinds():
                known.join(draft)
            else:
                drafts.append(draft)
                latest[key] = draft
        return drafts

    def runs(self, drafts: Sequence[_Draft], *, by_statistic: bool) -> Iterator[Run | Finding]:
        """Yield the runs, on request one for each statistic, and what was malformed."""
        number = 0
        for position, draft in enumerate(drafts, 1):
            parts = draft.by_statistic() if by_statistic else [draft]
            for part in parts:
                number += 1
                run = part.published(self.files.id(self.table, number))
                yield replace(run, part_of=position if len(parts) > 1 else 0)
        yield from self.malformed.findings()

    def _cells(self) -> Iterator[tuple[int, Row]]:
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
        self.figures = [figure for figure in self.figures if set(figure.columns) <= set(header)]

    def _corrected(self, line: int, published: Row) -> tuple[Row, list[Finding]]:
        """Return a row with its corrections, and a footnote for each."""
        row, findings = dict(published), []
        for entry in self.file.corrections:
            if entry.column in row and _row_matches(published, entry.where):
                self.source.used.add(id(entry))
                row[entry.column] = value = _cell_text(entry.value)
                message = f"{entry.column} corrected from {published[entry.column] or 'empty'} to {value}"
                detail = entry.reason + (f" ({entry.source})" if entry.source else "")
                place = self.files.source(self.table, line)
                findings.append(Finding("note", Rule.READ_CORRECTED_FIGURE, "", message, place, detail))
        return row, findings

    def _facts(self, row: Row) -> tuple[dict[str, FactorValue], dict[str, FactorValue]]:
        """Return factors and environment of a row."""
        factors = {**self.file.constants, **_look_up_all(row, self.file.factors)}
        environment: dict[str, FactorValue] = {**self.about}
        for machine in self.file.environments:
            if matches(factors, conditions(machine.where)):
                self.source.used.add(id(machine))
                environment |= machine.values
        environment |= _look_up_all(row, self.file.environment)
        if source := _cell(row, self.file.columns.source):
            environment["source"] = source
        return factors, environment

    def _add_figures(self, draft: _Draft, row: Row, published: Row) -> None:
        """Add the figures of a row, or what its tokens mean instead of figures."""
        tokens = self.file.tokens
        for figure in self.figures:
            text = row[figure.column]
            if text in tokens.missing or not _row_matches(row, figure.where):
                continue
            is_lost = text in tokens.out_of_memory
            if text in tokens.planned and not is_lost:
                draft.environment["planned"] = True
                continue
            metric, phase, unit, statistic = (
                str(_look_up(row, part) or "") if isinstance(part, Lookup) else part
                for part in (figure.metric, figure.phase, figure.unit, figure.statistic)
            )
            line, original = draft.source.line, published[figure.column]
            measured = (math.nan, "") if is_lost else self._measured(line, figure.column, text, metric, unit)
            if measured:
                aggregate = Aggregate(
                    metric,
                    phase=phase or STEP,
                    value=measured[0],
                    original="out of memory" if is_lost else original,
                    statistic=statistic or _UNSTATED,
                    source=draft.source,
                    unit=measured[1],
                )
                if is_lost:
                    draft.lost.append((aggregate, figure.column))
                else:
                    draft.aggregates.append(aggregate)

    def _measured(
        self, line: int, column: str, text: str, metric: str, unit: str
    ) -> tuple[float, str] | None:
        """Return a cell's value, NaN if it is not a number, and its base unit; None if it has no meaning."""
        measured = quantity(text, unit)
        if not metric:
            self.malformed.add(line, f"column {column}: the name of the metric is missing")
            return None
        if not measured:
            self.malformed.add(line, f'column {column}: "{text[:40]}" is not a number')
            return math.nan, ""
        value, base = units.to_base(*measured)
        expected = METRICS[metric].unit if metric in METRICS else base
        if units.find(measured[1]) and base == expected:
            return value, base
        fact = f'unit "{measured[1]}" of column {column} does not fit {metric} (base unit: {expected})'
        self.source.problem(fact, column)
        return None

    def _repeat(self, row: Row) -> int | None:
        repeat = number(_cell(row, self.file.columns.repeat))
        return int(repeat) if repeat is not None and repeat.is_integer() and abs(repeat) < 2**53 else None

    def _status(self, row: Row) -> Status:
        word = _cell(row, self.file.columns.status)
        status = self.file.status.get(word) or _STATUSES.get(word) if word else "complete"
        if status is None:
            self.source.problem(f'status "{word[:40]}" has no meaning; add it to [status]', "status")
        return status or "partial"

    def _samples(self, row: Row) -> float | None:
        values = [number(row.get(name, "")) for name in self.source.samples]
        known = [value for value in values if value is not None]
        return math.prod(known) if known and len(known) == len(values) else None


def _have_several_statistics(drafts: Iterable[_Draft]) -> bool:
    """Return whether the figures of a metric and phase state several statistics: then it is a factor."""
    known: dict[tuple[str, str], set[str]] = {}
    for metric, phase, statistic in (kind for draft in drafts for kind in draft.kinds()):
        known.setdefault((metric, phase), set()).add(statistic)
    return any(len(statistics - {_UNSTATED}) > 1 for statistics in known.values())


def _cell(row: Row, column: str | None) -> str:
    return row.get(column, "") if column else ""


def _row_matches(row: Row, where: Mapping[str, Condition]) -> bool:
    """Return whether the cells are among the accepted values, as numbers or as text."""
    return all(
        name in row and any(_is(row[name], value) for value in values)
        for name, values in conditions(where).items()
    )


def _is(text: str, value: FactorValue) -> bool:
    if isinstance(value, (str, bool)):
        return text in (value, _cell_text(value))
    return number(text) == value


def _look_up_all(row: Row, columns: Mapping[str, str | Lookup]) -> dict[str, FactorValue]:
    values = {name: _look_up(row, column) for name, column in columns.items()}
    return {name: value for name, value in values.items() if value is not None}


def _look_up(row: Row, column: str | Lookup) -> FactorValue | None:
    """Return the parsed cell, replaced by the lookup's value for its text; None if empty and not replaced."""
    text = row.get(column if isinstance(column, str) else column.column, "")
    if isinstance(column, Lookup) and text in column.values:
        return column.values[text]
    return parse_scalar(text) if text else None


def _cell_text(value: FactorValue) -> str:
    """Return a value of source.toml as a cell would have it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
