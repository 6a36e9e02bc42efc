"""Build all reports of a folder: definitions, logs, reports, bytes. `publish` writes them or compares.

The root of a repository and its reports folder go in; every file that should exist comes out, as bytes, so
that `check` is `build` without writing, and nothing is written before everything is built. All logs are
loaded at once: each is opened and parsed once, however many definitions name it.
"""

import os
import shlex
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from msgspec import structs

from reportgen.autolayout.overview import define_overview
from reportgen.autolayout.report_plan import ReportPlan, plan_reports, separate_folders
from reportgen.cache import cache_folder
from reportgen.cache.rows import rows_of
from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.free_memory import give_back_memory
from reportgen.core.model import Finding, Source, Status
from reportgen.core.progress import TrackProgress
from reportgen.core.rules import Rule
from reportgen.core.schema import read_text
from reportgen.core.stored_files import StoredFiles
from reportgen.document.encode import StoredDocument, encode
from reportgen.document.file_names import HISTORY, REPORT_JSON
from reportgen.document.model import Document
from reportgen.history.page_file import ReportVersions
from reportgen.kept_reports import BuiltReport, KeptReports
from reportgen.labels import labels_toml
from reportgen.load import relaxed_gc
from reportgen.load.unrecognised import UnknownFolder, UnrecognisedFile
from reportgen.protocol import MeasuredRuns
from reportgen.render.outputs import NO_HISTORY
from reportgen.report.assemble import make_report
from reportgen.report.computed_facts import compute_facts, expect_logs
from reportgen.report.definition import ReportDefinition, inside, read_definition
from reportgen.report.document import make_document
from reportgen.report.log_reader import Campaigns, LogReader, Progress
from reportgen.report.run_counts import whole_runs
from reportgen.report.settings import EXPECTED, SETTINGS, Settings, read_settings
from reportgen.report.step_files import step_files_of
from reportgen.sources.logfiles import LogFiles
from reportgen.tables.expected import SpeedFacts, check_systems
from reportgen.tables.results import Report
from reportgen.tables.select import measure_for
from reportgen.tables.spec import SYSTEM

T = TypeVar("T")

# Steps of the progress bar for one part of a build.
_PART_STEPS = 100


@dataclass(frozen=True, slots=True)
class Request:
    """A request: which reports to build, from which logs, into which folder.

    root     the repository; reports  its folder of definitions
    logs     replaces the logs of every definition; None keeps them
    out      where generated files go instead of the reports folder; required for logs outside the root
    standalone  whether each page has everything inside, as one file to mail; required: `out`
    executor    parses the logs instead of a pool of processes
    """

    root: Path
    reports: Path
    logs: Path | None = None
    out: Path | None = None
    standalone: bool = False
    executor: Executor | None = None

    @property
    def target(self) -> Path:
        """The folder that generated reports go to."""
        return self.out or self.reports

    @property
    def base(self) -> Path:
        """The folder that logs and their sources are relative to."""
        if self.logs is None or _is_inside(self.logs, self.root):
            return self.root
        return self.logs.resolve().parent

    def source_url(self, name: str) -> str:
        """Return the relative address of a line of a log from a report; "" if they do not move together."""
        if self.out is not None or not _is_inside(self.reports, self.base):
            return ""
        to_base = os.path.relpath(self.base.resolve(), (self.reports / name).resolve())
        return f"{to_base.replace(os.sep, '/')}/{{path}}#L{{line}}"

    @property
    def place(self) -> str:
        """The reports folder as messages call it: relative to the root."""
        return _relative(self.reports, self.root)


@dataclass(frozen=True, slots=True)
class LogSummary:
    """The logs of a build; paths are relative to the base of the request.

    statuses         how each run ended
    findings         about files, not about single runs
    unrecognised     files that no format recognises
    unknown_folders  folders that consist of such files
    unread           files and folders below logs/ that no definition names
    """

    statuses: tuple[Status, ...] = ()
    findings: tuple[Finding, ...] = ()
    unrecognised: tuple[UnrecognisedFile, ...] = ()
    unknown_folders: tuple[UnknownFolder, ...] = ()
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Build:
    """The result of a build.

    findings  of all reports and injections, each once
    files     path below the target -> content; injected  path below the root -> new content
    problems  tables in other files that were edited by hand
    logs      what was read, and what was not
    """

    reports: tuple[Document, ...]
    findings: tuple[Finding, ...]
    files: Mapping[str, bytes]
    injected: Mapping[str, bytes] = field(default_factory=dict)
    problems: tuple[Finding, ...] = ()
    logs: LogSummary = LogSummary()


@relaxed_gc()
def build(
    request: Request, progress: Progress | None = None, *, committed_only: bool = False, cache: bool = False
) -> Build:
    """Build every file of every report.

    progress  called with (what, done, total)
    committed_only  leaves out the files that are built and not committed
    cache     whether reports are taken from the last build if nothing that they are made of changed
    raises    RequestError for anything wrong in definitions, settings, prose or marked files
    """
    from reportgen.publish import read_generated
    from reportgen.render import render_index

    _check(request)
    measured = MeasuredRuns()
    inputs = _read_inputs(request, measured, progress)
    kept = KeptReports(rows_of(cache_folder(), str(request.root))) if cache else None
    watch = _Watch(progress, len(inputs.definitions))
    logs, settings = _summary(request, inputs.reader), inputs.settings
    versions = _versions(request, inputs, committed_only)
    parts = deque(_parts(request, inputs, committed_only, versions))
    del inputs  # so that a report lets go of its runs before it is rendered
    reports = []
    while parts:
        reports.append(_build_report(parts, measured, watch, kept))
    documents = [report.document for report in reports]
    findings = [finding for report in reports for finding in report.findings]
    files = StoredFiles()
    for report in reports:
        files.take(report.files, f"{report.document.name}/")
    existing = partial(read_generated, request.target)
    if not committed_only and not request.standalone:
        files.take(dict(_history_files(reports, versions, kept, existing)))
    if kept:
        kept.store()
    files.take(render_index(documents, existing, committed_only, request.standalone))
    injected, problems = _inject(request, settings, documents) if request.out is None else ({}, ())
    findings += problems
    return Build(tuple(documents), tuple(dict.fromkeys(findings)), files, injected, problems, logs)


def _parts(
    request: Request, inputs: "_Inputs", committed_only: bool, versions: ReportVersions
) -> Iterator["_Part"]:
    settings, knowledge = inputs.settings, inputs.knowledge
    for definition, logs in zip(inputs.definitions, inputs.campaigns, strict=True):
        yield _Part(request, settings, knowledge, definition, logs, committed_only, versions)


@dataclass(frozen=True, slots=True)
class _Part:
    """The part of a build that makes one report."""

    request: Request
    settings: Settings
    knowledge: SpeedFacts
    definition: ReportDefinition
    logs: Campaigns
    committed_only: bool
    versions: ReportVersions

    @property
    def prose(self) -> str:
        """The text of the definition's body."""
        return _prose(self.request, self.definition)

    @property
    def source_url(self) -> str:
        """The address of a line of a log."""
        return self.settings.source_url or self.request.source_url(self.definition.name)

    def key(self, kept: KeptReports) -> bytes:
        """Return the key of the report among those that are kept."""
        written = self.definition, self.prose, self.source_url, self.knowledge
        return kept.key(written, self._made_of())

    def _made_of(self) -> Iterator[object]:
        """Yield everything else that the report is made of."""
        yield self.request.standalone
        yield self.versions.of(self.definition.name) if self.request.standalone else ()
        yield replace(self.logs, runs={})
        for entry, runs in self.logs.runs.items():
            yield entry
            yield from runs


def _build_report(
    parts: "deque[_Part]", measured: MeasuredRuns, watch: "_Watch", kept: KeptReports | None
) -> BuiltReport:
    """Take the next part, and return its report as it was built before if it would be the same, else anew."""
    from reportgen.publish import read_generated
    from reportgen.render import render_document

    part = parts.popleft()
    name, request, committed_only = part.definition.name, part.request, part.committed_only
    existing = partial(read_generated, request.target / name)
    key = part.key(kept) if kept else b""
    known = kept.load(key, existing, committed_only=committed_only) if kept else None
    tables, figures = watch.part(name), watch.part(name)
    if known:
        return known
    report, source_url, versions = _assembled(part, measured, tables), part.source_url, part.versions
    del part
    if not parts:
        measured.forget()
    findings = report.findings
    document, side_files = _document(report, source_url)
    del report
    stored = StoredDocument(document)
    del document
    give_back_memory()
    document, standalone = stored.decoded(), request.standalone
    del stored
    # A file of its own is made after the report, which does not change with each commit.
    history = versions.history_js(document.name, encode(document)) if standalone else b""
    files = render_document(
        document, side_files, existing, figures, committed_only, standalone, history, kept
    )
    new = BuiltReport(document, findings, files)
    if kept:
        kept.add(key, new, committed_only=committed_only)
    return new


def _assembled(part: _Part, measured: MeasuredRuns, watched: TrackProgress) -> Report:
    with _naming_unused_labels([part.logs]):
        return make_report(part.definition, part.logs, part.knowledge, part.prose, watched, measured)


def _versions(request: Request, inputs: "_Inputs", committed_only: bool) -> ReportVersions:
    """Return the commits of each report; none for other logs than those that the commits are about."""
    is_read = not committed_only and request.logs is None
    return ReportVersions(request.reports, [each.name for each in inputs.definitions] if is_read else [])


def _history_files(
    reports: Sequence[BuiltReport],
    versions: ReportVersions,
    kept: KeptReports | None,
    existing: Callable[[str], bytes | None],
) -> Iterator[tuple[str, bytes]]:
    """Yield the file with the history of each report; one that would be the same is taken as it is."""
    for report in reports:
        name = report.document.name
        path = f"{name}/{HISTORY}"
        if not versions.of(name):
            yield path, NO_HISTORY
            continue
        now = report.files[REPORT_JSON]
        key = kept.key(("history", versions.of(name)), [now]) if kept else b""
        old = existing(path) if kept else None
        if kept and old and kept.is_kept(key, old):
            yield path, old
            continue
        new = versions.history_js(name, now)
        if kept:
            kept.add_file(key, new)
        yield path, new


def _document(report: Report, source_url: str) -> tuple[Document, StoredFiles]:
    """Return the document of a report, and the files with steps and telemetry that it names."""
    from reportgen.render import headline_text

    side_files = step_files_of(report)
    document = make_document(report, side_files, source_url)
    return structs.replace(document, headline=headline_text(document)), side_files


def _summary(request: Request, reader: LogReader) -> LogSummary:
    loaded, folder = reader.loaded(), _log_argument(request)
    return LogSummary(
        tuple(run.status for run in whole_runs(loaded.runs)),
        loaded.findings,
        loaded.unrecognised,
        tuple(loaded.unknown_folders(folder)),
        tuple(reader.unread(folder)),
    )


def assemble_report(request: Request, name: str, progress: Progress | None = None) -> Report:
    """Return one report of the folder, without rendering it.

    Raises RequestError for anything wrong in definitions and settings, and if there is no such report.
    """
    _check(request)
    measured = MeasuredRuns()
    inputs = _read_inputs(request, measured, progress, only=name)
    (definition,), (logs,) = inputs.definitions, inputs.campaigns
    with _naming_unused_labels([logs]):
        return make_report(definition, logs, inputs.knowledge, "", measured=measured)


def _only(definitions: Sequence[ReportDefinition], name: str, place: str) -> list[ReportDefinition]:
    """Return the definition of that name alone."""
    named = [definition for definition in definitions if definition.name == name]
    if not named:
        names = [definition.name for definition in definitions]
        raise RequestError(place, f'no report "{name}"', did_you_mean(name, names))
    return named


@dataclass(frozen=True, slots=True)
class _Inputs:
    """The inputs of a build: settings, facts, definitions, and the logs of each definition."""

    settings: Settings
    knowledge: SpeedFacts
    definitions: Sequence[ReportDefinition]
    campaigns: Sequence[Campaigns]
    reader: LogReader


def _read_inputs(
    request: Request, measured: MeasuredRuns, progress: Progress | None, only: str = ""
) -> _Inputs:
    """Read definitions and settings first, then all logs that they name at once.

    only  name of the only report to read for, "" for all
    """
    settings = read_settings(request.reports, request.place)
    definitions = _definitions(request, settings)
    if only and definitions:
        definitions = _only(definitions, only, request.place)
    reader = LogReader(request.base, progress, request.executor)
    # Facts are about the repository's own logs, wherever the logs of the reports are.
    facts_reader = (
        reader if request.base == request.root else LogReader(request.root, progress, request.executor)
    )
    expect_logs(settings.facts, facts_reader)
    for definition in definitions:
        for position, log in enumerate(definition.logs):
            reader.expect(log, f"{definition.place}: logs[{position}]")
    plans: Sequence[ReportPlan] = ()
    if not definitions:
        _check_overview(request, reader)
        plans = _plans(request, reader)
        definitions = [
            define_overview(
                plan.runs,
                request.place,
                plan.logs,
                name=plan.name,
                title=plan.title,
                guessed=plan.guessed,
                note=plan.note,
            )
            for plan in plans
        ]
        definitions = _only(definitions, only, request.place) if only else definitions
    specs = [spec for definition in definitions for spec in definition.tables]
    measured.expect(partial(measure_for, specs))
    knowledge = compute_facts(settings.knowledge, settings.facts, facts_reader, measured)
    labels = {plan.name: plan.label for plan in plans}
    campaigns = [
        reader.read(definition.logs).labelled(labels.get(definition.name, tuple))
        for definition in definitions
    ]
    pairs = zip(definitions, campaigns, strict=True)
    concerned = [logs for definition, logs in pairs if _asks_for_systems(definition)]
    with _naming_unused_labels(concerned):
        check_systems(knowledge, [run for logs in concerned for run in logs.all_runs()])
    return _Inputs(settings, knowledge, definitions, campaigns, reader)


@contextmanager
def _naming_unused_labels(campaigns: Iterable[Campaigns]) -> Iterator[None]:
    """Name unused labels in a RequestError: a factor may be missing because a pattern matches no log."""
    try:
        yield
    except RequestError as error:
        findings = [finding for logs in campaigns for finding in logs.findings]
        unused = [
            finding
            for finding in findings
            if finding.rule == Rule.READ_UNUSED_LABEL and finding.severity == "warning"
        ]
        if not unused:
            raise
        remedy = f"first correct {unused[0].source}: {unused[0].message}"
        raise RequestError(error.place, error.fact, remedy) from None


class _Watch:
    """Reports how far a build is: every report has two parts, its tables and its figures."""

    def __init__(self, progress: Progress | None, reports: int) -> None:
        self._progress, self._total, self._begun = progress, 2 * reports, 0

    def part(self, name: str) -> TrackProgress:
        """Return a function that yields the things of the next part and reports each before it is made."""
        begun, self._begun = self._begun, self._begun + 1

        def watched(things: Sequence[T]) -> Iterator[T]:
            for done, thing in enumerate(things):
                if self._progress:
                    at = begun * _PART_STEPS + done * _PART_STEPS // len(things)
                    self._progress(name, at, self._total * _PART_STEPS)
                yield thing

        return watched


def _check(request: Request) -> None:
    if not request.reports.is_dir():
        raise RequestError(request.place, "no such folder", "create it with `reportgen init`")
    if (request.reports / REPORT_JSON).is_file() and not any(request.reports.glob("*.toml")):
        remedy = f"name the folder above it: reportgen build {request.reports.parent}"
        raise RequestError(str(request.reports), "is a generated report, not a folder of definitions", remedy)
    if request.standalone and request.target.resolve() == request.reports.resolve():
        fact = "standalone pages cannot replace committed ones"
        remedy = "add --out DIR, a folder elsewhere: nothing of it is committed"
        raise RequestError("--standalone", fact, remedy)
    if request.logs is None:
        return
    if not request.logs.exists():
        raise RequestError("--logs", f'no such file or folder: "{request.logs}"', "check the path")
    if request.out is None and not _is_inside(request.logs, request.root):
        raise RequestError(
            "--logs",
            f'"{request.logs}" is outside the repository',
            "add --out DIR: nothing of it is committed",
        )


def _definitions(request: Request, settings: Settings) -> list[ReportDefinition]:
    """Return the definitions in a reports folder by name."""
    paths = sorted(path for path in request.reports.glob("*.toml") if path.name not in (SETTINGS, EXPECTED))
    definitions = [
        read_definition(path, f"{request.place}/{path.name}", path.stem, settings.protocols) for path in paths
    ]
    logs = (_log_argument(request),)
    return [replace(definition, logs=logs) for definition in definitions] if request.logs else definitions


def _log_argument(request: Request) -> str:
    """Return the folder of logs, relative to the base: the value of `--logs`, else logs/."""
    return _relative(request.logs, request.base) if request.logs else "logs"


def _check_overview(request: Request, reader: LogReader) -> None:
    """Raise RequestError if there is nothing to report on without a definition."""
    log = _log_argument(request)
    elsewhere = f"put logs there, or name their folder: reportgen build {request.place} --logs DIR"
    if not (request.base / log).exists():
        raise RequestError(log, "no such folder", elsewhere)
    reader.expect(log, log)
    loaded = reader.load([log])
    if loaded.runs:
        return
    unknown = loaded.unknown_folders(log)
    if unknown:
        files = sum(folder.count for folder in unknown)
        fact = f"no runs: no format recognises {'this file' if files == 1 else f'these {files} files'}"
        raise RequestError(log, fact, _how_to_learn(request.base / unknown[0].largest, request.base / log))
    problems = [f"; {finding.source}: {finding.text}" for finding in loaded.findings[:1]]
    raise RequestError(log, f"no runs{''.join(problems)}", elsewhere)


def _how_to_learn(example: Path, logs: Path) -> str:
    """Return the command that shows how to read a file; where that is clear, also the one that accepts it."""
    from reportgen.learn import is_learned

    place, folder = (shlex.quote(os.path.relpath(path.resolve())) for path in (example, logs))
    command = f"reportgen learn {place}"
    if (logs / labels_toml.NAME).exists() or not is_learned(LogFiles.at(example, logs)[0]):
        return f"try: {command}"
    return f"see how to read it: {command}; accept that for all: {command} --write {folder}"


def _plans(request: Request, reader: LogReader) -> list[ReportPlan]:
    """Return a plan for each folder of logs and kind of benchmark, because these must not be mixed."""
    log = _log_argument(request)
    folders = {folder: reader.load([folder]).runs for folder in separate_folders(reader, log)}
    labelled = [folder for folder in folders if _has_path_labels(request.base / folder / labels_toml.NAME)]
    findings = reader.load([log]).findings
    paths = {finding.source.path for finding in findings if finding.source}
    plans = plan_reports(folders, labelled=labelled, other_paths=paths, root=log)
    return [report for plan in plans for report in plan.reports]


def _has_path_labels(file: Path) -> bool:
    """Return whether a labels.toml names levels of the path."""
    return file.is_file() and bool(labels_toml.parse(file.read_bytes(), "").paths)


def _asks_for_systems(definition: ReportDefinition) -> bool:
    return any(
        SYSTEM in table.named or (table.compare and table.compare.kind == "expected")
        for table in definition.tables
    )


def _relative(path: Path, root: Path) -> str:
    """Return the path relative to the root; one outside the root by its name alone, for messages."""
    return path.resolve().relative_to(root.resolve()).as_posix() if _is_inside(path, root) else path.name


def _is_inside(path: Path, root: Path) -> bool:
    return path.resolve().is_relative_to(root.resolve())


def _prose(request: Request, definition: ReportDefinition) -> str:
    if not definition.body:
        return ""
    place = f"{definition.place}: body"
    return read_text(inside(request.root, definition.body, place), place, what=definition.body)


class _MarkdownTables(Mapping[str, str]):
    """The Markdown of all tables by "report/table-id"; a table is rendered when it is asked for."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._tables = {
            f"{each.name}/{table.id}": (each, table) for each in documents for table in each.tables
        }

    def __getitem__(self, name: str) -> str:
        from reportgen.render import render_table_markdown

        return render_table_markdown(*self._tables[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)


def _inject(
    request: Request, settings: Settings, documents: Sequence[Document]
) -> tuple[dict[str, bytes], tuple[Finding, ...]]:
    """Return the new content of the files with marked tables, and the tables that were edited by hand."""
    from reportgen.inject import check_file, inject, is_marked

    tables = _MarkdownTables(documents)
    injected: dict[str, bytes] = {}
    problems: list[Finding] = []
    for file, expected in settings.inject.items():
        place = f"{request.place}/{SETTINGS}: inject.files"
        path = inside(request.root, file, place)
        check_file(_relative(path, request.root), place)
        if not path.exists() and file in Settings().inject:
            continue  # a repository need not have a README
        text = read_text(path, place, what=file)
        if not is_marked(text) and not expected:
            continue
        result = inject(text, tables, place=file, expected=expected)
        problems += [
            Finding("warning", Rule.PUBLISH_EDITED, file, e.message, Source(file, e.line))
            for e in result.edited
        ]
        injected[file] = result.text.encode("utf-8")
    return injected, tuple(problems)
