"""Make a Report of a definition and the runs it names: tables, figures, findings, verdict."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict

from reportgen.core.errors import RequestError
from reportgen.core.model import Case, Finding, Run, Source
from reportgen.core.results import Comparison, Expected, Header, Provenance, Report, Table, Watched
from reportgen.core.rules import SEVERITIES
from reportgen.core.units import text
from reportgen.protocol import MeasuredRuns, Protocol
from reportgen.report.definition import Definition
from reportgen.report.environment import environments
from reportgen.report.log_reader import Campaigns
from reportgen.tables.assemble import build_tables
from reportgen.tables.expected import Knowledge, inconsistencies
from reportgen.tables.figures import build_figures
from reportgen.tables.footnotes import findings_of
from reportgen.tables.unused_keys import unused


def assemble(
    definition: Definition,
    campaigns: Campaigns,
    knowledge: Knowledge,
    prose: str,
    watched: Watched = iter,
    measured: MeasuredRuns | None = None,
) -> Report:
    """Return the report, ready to be shown.

    prose     text of the definition's body, "" if it has none
    watched   passes the entries on, one by one as they are built
    measured  the store of the build, so that reports share the measurements of runs
    raises    RequestError for anything in the definition that the runs cannot fulfil
    """
    runs = _runs(definition, campaigns)
    measured = measured or MeasuredRuns()
    by_entry = {spec.id: build_tables(spec, runs, knowledge, measured) for spec in watched(definition.tables)}
    tables = [table for entry in by_entry.values() for table in entry]
    figures = [f for spec in definition.figures for f in build_figures(spec, by_entry[spec.table])]
    cases = cases_of(tables)
    used = {id(run): run for case in cases for run in _runs_of(case)}
    named = unused(definition.tables, runs, tuple(knowledge.systems))
    findings = _findings(campaigns, cases, tables, knowledge, named)
    protocols = {spec.protocol.name: spec.protocol for spec in definition.tables}
    return Report(
        name=definition.name,
        title=definition.title,
        verdict=tuple(_verdict(tables, tuple(used.values()), findings)),
        prose=prose,
        prose_source=Source(definition.body) if prose else None,
        tables=tuple(tables),
        figures=tuple(figures),
        expected=_expected(tables),
        environments=environments(
            {folder: [run for run in found if id(run) in used] for folder, found in campaigns.runs.items()}
        ),
        findings=findings,
        provenance=_provenance(campaigns, used),
        runs=tuple(used.values()),
        protocol=", ".join(protocols),
        protocol_text=_protocol_text(protocols.values()),
        protocols={name: asdict(one) for name, one in protocols.items()},
    )


def _runs(definition: Definition, campaigns: Campaigns) -> Sequence[Run]:
    runs = campaigns.all_runs()
    if not runs and definition.tables:
        raise RequestError(
            f"{definition.place}: logs",
            f"no runs below {', '.join(definition.logs)}",
            "see what is found there with `reportgen runs`",
        )
    return runs


_REDUCED = {"median": "median", "olympic": "mean without the best and the worst"}


def _protocol_text(protocols: Iterable[Protocol]) -> str:
    return " ".join(
        f"{_called(one)}: ignore {one.warmup} steps, measure the next {one.measure}, "
        f"repeat {one.repeats} times, take the {_REDUCED[one.reduce]}"
        + (f"; {particulars}." if (particulars := one.particulars()) else ".")
        for one in protocols
    )


def _called(protocol: Protocol) -> str:
    return f"Protocol {protocol.name}, version {protocol.version}" if protocol.is_named else protocol.name


def cases_of(tables: Iterable[Table]) -> list[Case]:
    """Return the cases that the cells stand on, each once, in order of appearance."""
    cells = (cell for table in tables for row in table.cells for cell in row)
    return list({id(case): case for cell in cells for case in cell.cases}.values())


def _runs_of(case: Case) -> list[Run]:
    return [*(m.run for m in case.measurements), *case.unmeasured]


def _findings(
    campaigns: Campaigns,
    cases: Sequence[Case],
    tables: Sequence[Table],
    knowledge: Knowledge,
    of_definition: Iterable[Finding],
) -> tuple[Finding, ...]:
    """Return every finding once: gravest first, then by rule and place."""
    found: dict[Finding, None] = {}
    groups: list[Iterable[Finding]] = [campaigns.findings, of_definition]
    groups += [findings_of(case) for case in cases]
    groups += [table.findings for table in tables]
    if any(cell.comparison and cell.comparison.expected for t in tables for row in t.cells for cell in row):
        groups.append(inconsistencies(knowledge))
    for group in groups:
        found.update(dict.fromkeys(group))
    return tuple(sorted(found, key=_finding_order))


def _finding_order(finding: Finding) -> tuple[int, str, str, int, str, str]:
    path, line = (finding.source.path, finding.source.line) if finding.source else ("", 0)
    return (SEVERITIES.index(finding.severity), finding.rule, path, line, finding.subject, finding.message)


def _expected(tables: Iterable[Table]) -> tuple[Expected, ...]:
    cells = (cell for table in tables for row in table.cells for cell in row)
    used = {c.comparison.expected: None for c in cells if c.comparison and c.comparison.expected}
    return tuple(used)


def _verdict(tables: Sequence[Table], runs: Sequence[Run], findings: Sequence[Finding]) -> Iterable[str]:
    """Yield the sentences a reviewer should read if he reads no others."""
    numbers = sum(cell.kind == "number" for table in tables for row in table.cells for cell in row)
    yield (
        f"{numbers:,} numbers from {len(runs):,} runs: {_statuses(runs)}."
        if runs
        else "No runs to report on."
    )
    worst = _worst(tables)
    if worst:
        table, place, comparison = worst
        excess, observed = _excess(comparison), _observed(comparison.value)
        yield f"{table.title}: {place} {observed}, {excess} times slower than it should be."
    warnings = sum(finding.severity != "note" for finding in findings)
    if warnings:
        yield f"{warnings} finding{'s' if warnings > 1 else ''} to read before believing it."


def _excess(comparison: Comparison) -> str:
    """Return how many times slower than it should be, as a band where the facts give one."""
    if comparison.expected and comparison.expected.is_band:
        return " to ".join(text(bound or 0.0, digits=3) for bound in (comparison.low, comparison.high))
    return text(comparison.excess or 0.0, digits=3)


def _observed(slower: float) -> str:
    if slower >= 1:
        return f"is {text(slower, digits=3)} times slower than its baseline"
    return f"is {text(1 / slower, digits=3)} times faster than its baseline"


def _statuses(runs: Sequence[Run]) -> str:
    """Return how the runs ended, completed ones first: `66 complete, 39 failed, 3 partial`."""
    counts = Counter("published" if r.published and r.status == "complete" else r.status for r in runs)
    order = ["complete", "published"]
    names = sorted(counts, key=lambda name: (order.index(name) if name in order else len(order), name))
    return ", ".join(f"{counts[name]:,} {name.replace('_', ' ')}" for name in names)


def _worst(tables: Sequence[Table]) -> tuple[Table, str, Comparison] | None:
    """Return the largest excess, with its place in words, of the first table that shows any.

    The first such table is what the author put first; a worse cell in a later one is a detail of it.
    """
    for table in tables:
        found = [
            (cell.comparison.excess or 0.0, row, column, cell.comparison)
            for row, cells in zip(table.rows, table.cells, strict=True)
            for column, cell in zip(table.columns, cells, strict=True)
            if column.quantity == "excess" and cell.kind == "number" and cell.comparison
        ]
        if found:
            excess, row, column, comparison = max(found, key=lambda one: one[0])
            return (table, _place(table, row, column), comparison) if excess > 1 else None
    return None


def _place(table: Table, row: Header, column: Header) -> str:
    """Return a cell's place in words; a bare number needs its factor's name to mean anything."""
    words = []
    for title, key, label in zip(table.row_titles, row.key, row.labels, strict=True):
        words.append(label.text if isinstance(key, str) else f"{title.text} {label.text}")
    words += [label.text for label in column.labels]
    return " ".join(word for word in words if word)


def _provenance(campaigns: Campaigns, used: Mapping[int, Run]) -> tuple[Provenance, ...]:
    """Return one entry for each campaign and format that the report stands on."""
    entries: Counter[tuple[str, str, str, str, str]] = Counter()
    for folder, runs in campaigns.runs.items():
        for run in runs:
            if id(run) in used:
                title, url, date = (
                    str(run.environment.get(f"publication.{k}", "")) for k in ("title", "url", "date")
                )
                entries[folder, run.format, title, url, date] += 1
    return tuple(
        Provenance(path, format, count, title, url, date)
        for (path, format, title, url, date), count in entries.items()
    )
