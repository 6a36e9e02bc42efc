"""Make a Report of a definition and the runs it names: tables, figures, findings, verdict."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec import structs

from reportgen.compare.expected_speed import Expected
from reportgen.core.case_findings import findings_of
from reportgen.core.errors import RequestError
from reportgen.core.model import Case, Finding, Run, Source
from reportgen.core.progress import TrackProgress
from reportgen.core.rules import SEVERITIES
from reportgen.document.model import FigureKind, Provenance
from reportgen.formats.registry import FORMATS
from reportgen.protocol import MeasuredRuns, Protocol, no_number_at_all
from reportgen.report.acceptance import acceptance_sentences, judge
from reportgen.report.definition import ReportDefinition
from reportgen.report.environment import environments
from reportgen.report.headline import headline_sentences
from reportgen.report.headline_numbers import unbacked_numbers
from reportgen.report.headline_values import value_sentences
from reportgen.report.log_reader import Campaigns
from reportgen.report.run_counts import count_sentences, source_sentences, whole_runs
from reportgen.tables.assemble import build_tables
from reportgen.tables.expected import SpeedFacts, inconsistencies
from reportgen.tables.explorer import build_explorer
from reportgen.tables.explorer_cases import Entry
from reportgen.tables.explorer_model import Explorer
from reportgen.tables.figures import build_figures
from reportgen.tables.results import Figure, Report, Table
from reportgen.tables.series_colours import with_colours
from reportgen.tables.spec import FigureSpec
from reportgen.tables.validate import unused_keys

_WARNING = "Read the warnings before using these numbers."


def make_report(
    definition: ReportDefinition,
    campaigns: Campaigns,
    knowledge: SpeedFacts,
    prose: str,
    watched: TrackProgress = iter,
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
    figures = [f for spec in definition.figures for f in _figures(spec, by_entry[spec.table])]
    cases = cases_of(tables)
    used = {id(run): run for case in cases for run in _runs_of(case)}
    others = [run for run in runs if id(run) not in used]
    named = unused_keys(definition.tables, runs, tuple(knowledge.systems))
    without_numbers = [f for run in others if not measured.of(run).available() for f in no_number_at_all(run)]
    accepted = judge(definition.acceptance, by_entry)
    typed = unbacked_numbers(definition, tables)
    findings = _findings(campaigns, cases, tables, knowledge, [*named, *without_numbers, *typed])
    headline, *more = [definition.headline] if definition.headline else _sentences(tables) or [""]
    protocols = {spec.protocol.name: spec.protocol for spec in definition.tables}
    return Report(
        name=definition.name,
        title=definition.title,
        headline=headline,
        headline_place=f"{definition.place}: headline" if definition.headline else "",
        verdict=(
            *more,
            *acceptance_sentences(accepted),
            *source_sentences(tuple(used.values()), others),
            *([_WARNING] if any(finding.severity != "note" for finding in findings) else []),
        ),
        run_counts=tuple(count_sentences(tuple(used.values()), others)),
        prose=prose,
        prose_source=Source(definition.body) if prose else None,
        tables=tuple(tables),
        figures=with_colours(figures),
        expected=_expected(tables),
        environments=environments(
            {folder: [run for run in runs if id(run) in used] for folder, runs in campaigns.runs.items()}
        ),
        findings=findings,
        provenance=_provenance(campaigns, used),
        sources=campaigns.sha256,
        acceptance=accepted,
        explorer=_explorer(definition, by_entry),
        runs=tuple(used.values()),
        protocol=", ".join(protocols),
        protocol_text=_protocol_text(protocols.values()),
        protocols={name: structs.asdict(protocol) for name, protocol in protocols.items()},
    )


def _explorer(definition: ReportDefinition, by_entry: Mapping[str, Sequence[Table]]) -> Explorer | None:
    if definition.explorer is None:
        return None
    stacked = {figure.table for figure in definition.figures if figure.kind is FigureKind.STACKED_BAR}
    entries = [Entry(spec, by_entry[spec.id], spec.id in stacked) for spec in definition.tables]
    return build_explorer(definition.explorer, entries)


def _sentences(tables: Sequence[Table]) -> list[str]:
    return headline_sentences(tables) or value_sentences(tables)


def _runs(definition: ReportDefinition, campaigns: Campaigns) -> Sequence[Run]:
    runs = campaigns.all_runs()
    if not runs and definition.tables:
        raise RequestError(
            f"{definition.place}: logs",
            f"no runs below {', '.join(definition.logs)}",
            "see what is found there with `reportgen runs`",
        )
    return runs


def _protocol_text(protocols: Iterable[Protocol]) -> str:
    return " ".join(
        f"{_called(protocol)}: ignore {protocol.warmup} steps, measure the next {protocol.measure}, "
        f"repeat {protocol.repeats} times, take the {protocol.reduction}"
        + (f"; {particulars}." if (particulars := protocol.particulars()) else ".")
        for protocol in protocols
    )


def _called(protocol: Protocol) -> str:
    return f"Protocol {protocol.name}, version {protocol.version}" if protocol.is_named else protocol.name


def cases_of(tables: Iterable[Table]) -> list[Case]:
    """Return the cases behind the cells, each once, in order of appearance."""
    cells = (cell for table in tables for row in table.cells for cell in row)
    return list({id(case): case for cell in cells for case in cell.cases}.values())


def _runs_of(case: Case) -> list[Run]:
    return [*(m.run for m in case.measurements), *case.unmeasured]


def _findings(
    campaigns: Campaigns,
    cases: Sequence[Case],
    tables: Sequence[Table],
    knowledge: SpeedFacts,
    of_definition: Iterable[Finding],
) -> tuple[Finding, ...]:
    """Return every finding once: the worst first, then by rule and place."""
    findings: dict[Finding, None] = {}
    groups: list[Iterable[Finding]] = [campaigns.findings, of_definition]
    groups += [findings_of(case) for case in cases]
    groups += [table.findings for table in tables]
    if any(cell.comparison and cell.comparison.expected for t in tables for row in t.cells for cell in row):
        groups.append(inconsistencies(knowledge))
    for group in groups:
        findings.update(dict.fromkeys(group))
    return tuple(sorted(findings, key=_finding_order))


def _finding_order(finding: Finding) -> tuple[int, str, str, int, str, str]:
    path, line = (finding.source.path, finding.source.line) if finding.source else ("", 0)
    return (SEVERITIES.index(finding.severity), finding.rule, path, line, finding.subject, finding.text)


def _figures(spec: FigureSpec, tables: Sequence[Table]) -> list[Figure]:
    """Return the figures of an entry; none for one that the program chose and that cannot be drawn."""
    try:
        return build_figures(spec, tables)
    except RequestError:
        if spec.is_chosen:
            return []
        raise


def _expected(tables: Iterable[Table]) -> tuple[Expected, ...]:
    cells = (cell for table in tables for row in table.cells for cell in row)
    used = {c.comparison.expected: None for c in cells if c.comparison and c.comparison.expected}
    return tuple(used)


def _provenance(campaigns: Campaigns, used: Mapping[int, Run]) -> tuple[Provenance, ...]:
    """Return one entry for each campaign and format that the report is based on."""
    entries: Counter[tuple[str, str, str, str, str]] = Counter()
    for folder, runs in campaigns.runs.items():
        for run in whole_runs(run for run in runs if id(run) in used):
            title, url, date = (
                str(run.environment.get(f"publication.{k}", "")) for k in ("title", "url", "date")
            )
            entries[folder, run.format, title, url, date] += 1
    versions = {known.name: known.version for known in FORMATS}
    return tuple(
        Provenance(path, format, count, title, url, date, versions.get(format, 1))
        for (path, format, title, url, date), count in entries.items()
    )
