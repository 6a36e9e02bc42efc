"""The library behind `import reportgen`: read logs, look at runs, cases and tables, build reports.

    import reportgen

    runs = reportgen.read("logs/")
    reportgen.table(runs, rows=["devices"], columns=["framework"]).to_markdown()

Every function is explained with an example in docs/reference/python.md. Wrong requests raise RequestError.
The command line calls these functions. pandas is loaded by the first `to_dataframe`, matplotlib by `build`.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, overload

from reportgen.compare.comparison import CompareKind
from reportgen.compare.expected_speed import Expected
from reportgen.core.errors import RequestError
from reportgen.core.factors import matches
from reportgen.core.model import STEP, Case, FactorValue, Finding, Run, Source
from reportgen.core.rules import Rule
from reportgen.diff.rebuilt import NOTHING_REBUILT, RebuiltReport
from reportgen.document.model import Document, Note, Quantity
from reportgen.load import LoadResult, load_runs
from reportgen.load.unrecognised import UnknownFolder, UnrecognisedFile
from reportgen.protocol import CaseRequest, MeasuredRuns, Protocol, build_cases, parse_protocol
from reportgen.sources.filesystem import resolve_existing
from reportgen.tables.results import Table

if TYPE_CHECKING:
    import pandas as pd

    from reportgen.audit import AuditedDocument, Evidence
    from reportgen.document.find_cell import CellPlace
    from reportgen.pipeline import LogSummary
    from reportgen.publish import Change
    from reportgen.render.markdown.cell_chain import CellSection
    from reportgen.report.listing import RunListing
    from reportgen.report.run_view import RunView
    from reportgen.sources.logfiles import LogFiles
    from reportgen.tables.expected import SpeedFacts

__all__ = [
    "AuditResult",
    "BuildResult",
    "CaseSet",
    "CellExplanation",
    "Detection",
    "Document",
    "InitResult",
    "RenderResult",
    "RequestError",
    "ResultTable",
    "Run",
    "RunSet",
    "audit_files",
    "build",
    "cases",
    "detect",
    "detect_all",
    "expected_speed",
    "explain_cell",
    "format_names",
    "init",
    "json_schema",
    "list_runs",
    "read",
    "read_document",
    "render",
    "steps",
    "table",
    "view_run",
]

PathLike = str | Path
Paths = PathLike | Sequence[PathLike]
# One name or several; one value or several.
Names = str | Sequence[str]
Condition = FactorValue | Sequence[FactorValue]
Where = Mapping[str, Condition]
_MAX_NAMED_RUNS = 5
# Called with (files read, all files).
Progress = Callable[[int, int], None]


class RunSet(Sequence[Run]):
    """Runs, ordered by id, with `findings` about files and runs; `unrecognised` files match no format."""

    def __init__(
        self,
        runs: Iterable[Run],
        file_findings: Iterable[Finding] = (),
        unrecognised: Iterable[UnrecognisedFile] = (),
        measured: MeasuredRuns | None = None,
    ) -> None:
        self._runs = tuple(runs)
        self.file_findings = tuple(file_findings)
        self.unrecognised = tuple(unrecognised)
        self._measured = measured or MeasuredRuns()

    def __len__(self) -> int:
        return len(self._runs)

    @overload
    def __getitem__(self, index: int) -> Run: ...
    @overload
    def __getitem__(self, index: slice) -> "RunSet": ...
    def __getitem__(self, index: int | slice) -> "Run | RunSet":
        """Return a run, or the runs of a slice as a RunSet."""
        return self._part(self._runs[index]) if isinstance(index, slice) else self._runs[index]

    def __repr__(self) -> str:
        formats = ", ".join(sorted({run.format for run in self}))
        return f"<RunSet: {len(self)} runs{f' ({formats})' if formats else ''}>"

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of files and of all runs, each once."""
        every = [*self.file_findings, *(finding for run in self for finding in run.findings)]
        return tuple(dict.fromkeys(every))

    def where(self, **factors: Condition) -> "RunSet":
        """Return the runs whose factors have these values; a list accepts each of its values."""
        wanted = _conditions(factors)
        return self._part(run for run in self if matches(run.factors, wanted))

    def cases(
        self,
        metric: str = "throughput",
        *,
        phase: str = STEP,
        protocol: str = "20+100x7",
        ignore: Names = (),
        split_repeats: bool = False,
    ) -> "CaseSet":
        """Return the cases of these runs; see `cases`."""
        return cases(self, metric, phase=phase, protocol=protocol, ignore=ignore, split_repeats=split_repeats)

    def to_dataframe(self, *, environment: bool = False) -> "pd.DataFrame":
        """Return one row per run with its factors, and with `environment` what it ran on."""
        from reportgen.tables.dataframes import runs_frame

        return runs_frame(self._runs, environment=environment)

    def _part(self, runs: Iterable[Run]) -> "RunSet":
        return RunSet(runs, self.file_findings, self.unrecognised, self._measured)


class CaseSet(Sequence[Case]):
    """Cases of one metric and phase, in the order of their first runs."""

    def __init__(self, members: Iterable[Case]) -> None:
        self._cases = tuple(members)

    def __len__(self) -> int:
        return len(self._cases)

    @overload
    def __getitem__(self, index: int) -> Case: ...
    @overload
    def __getitem__(self, index: slice) -> "CaseSet": ...
    def __getitem__(self, index: int | slice) -> "Case | CaseSet":
        """Return a case, or the cases of a slice as a CaseSet."""
        return CaseSet(self._cases[index]) if isinstance(index, slice) else self._cases[index]

    def __repr__(self) -> str:
        return f"<CaseSet: {len(self)} cases>"

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of measuring the cases and their runs, each once."""
        every = [
            finding
            for case in self
            for findings in (case.findings, *(measurement.findings for measurement in case.measurements))
            for finding in findings
        ]
        return tuple(dict.fromkeys(every))

    def to_dataframe(self) -> "pd.DataFrame":
        """Return one row per case.

        Columns: factors, metric, phase, value, unit, low, high, n, evidence, status, source.
        """
        from reportgen.tables.dataframes import cases_frame

        return cases_frame(self._cases)


@dataclass(frozen=True, slots=True)
class ResultTable:
    """A table as a report shows it; `table` holds its cells with their cases and units."""

    table: Table

    @property
    def caption(self) -> tuple[str, ...]:
        """Sentences on the metric, the unit and the protocol."""
        return self.table.caption

    @property
    def notes(self) -> tuple[Note, ...]:
        """The footnotes."""
        return self.table.notes

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings about the table."""
        return self.table.findings

    def to_markdown(self) -> str:
        """Return the table with caption and footnotes as GitHub-flavoured Markdown."""
        from reportgen.render import render_table_markdown

        document = self._document()
        return render_table_markdown(document, document.tables[0])

    def to_csv(self) -> str:
        """Return one line per row and column in base units, as `tables/<id>.csv` of a report."""
        from reportgen.render.data.csv import table_csv

        document = self._document()
        return table_csv(document, document.tables[0]).decode()

    def to_dataframe(self) -> "pd.DataFrame":
        """Return the numbers in base units, rows and columns as shown."""
        from reportgen.tables.dataframes import table_frame

        return table_frame(self.table)

    def _document(self) -> Document:
        from reportgen.report.document import document_of_tables

        return document_of_tables([self.table])

    def _repr_markdown_(self) -> str:
        return self.to_markdown()


@dataclass(frozen=True, slots=True)
class Detection:
    """A format that recognises a file or folder: how sure it is, the line that shows it, and why."""

    path: str
    format: str
    confidence: float
    source: Source
    reason: str


@dataclass(frozen=True, slots=True)
class BuildResult:
    """The reports that `build` built, and the files that differ from them.

    changes  files that were written, or with `check` would be; `what` is new, changed, edited or removed
    logs     what was read, and what was not; its paths are relative to `base`
    problems  what a build leaves alone: edited tables in other files, unknown files beside generated ones
    files    number of generated files
    rebuilt  the numbers and published figures that differ from the last build
    lines    the changed lines of Markdown and CSV files, as a unified diff
    """

    reports: tuple[Document, ...]
    changes: "tuple[Change, ...]"
    findings: tuple[Finding, ...]
    logs: "LogSummary"
    problems: tuple[Finding, ...] = ()
    files: int = 0
    base: Path = Path()
    rebuilt: RebuiltReport = NOTHING_REBUILT
    lines: tuple[str, ...] = ()

    @property
    def is_up_to_date(self) -> bool:
        """Whether no file differs, no table was edited by hand, and no file is unknown."""
        return not self.changes and not self.problems

    @property
    def is_accepted(self) -> bool:
        """Whether all rules of acceptance hold, if there are any."""
        return all(entry.outcome == "pass" for report in self.reports for entry in report.acceptance)


def read(paths: Paths, *, root: PathLike | None = None, progress: Progress | None = None) -> RunSet:
    """Read all runs below files and folders.

    root      paths in results are relative to it, by default to the working folder; labels.toml files
              between it and a path apply too
    progress  called with (files read, all files)
    Raises RequestError for a path that does not exist and for wrong labels.
    """
    loaded = _load(paths, root, progress)
    return RunSet(loaded.runs, loaded.findings, loaded.unrecognised)


def list_runs(
    paths: Paths,
    *,
    protocol: str = "20+100x7",
    root: PathLike | None = None,
    progress: Progress | None = None,
) -> "RunListing":
    """Measure all runs below files and folders and return what `reportgen runs` prints.

    Runs are measured where they are read, so that their steps need no memory. Parameters as those of `read`.
    """
    from reportgen.report import listing

    rule = _protocol(protocol)
    return listing.list_runs(_places(paths), rule, root=_root(root), progress=progress)


def view_run(run: str, *, protocol: str = "20+100x7", root: PathLike | None = None) -> "RunView":
    """Return what `reportgen show` prints about one run.

    run  path of a log; with #2 after it the second of its runs
    Raises RequestError if there is no such run, or several.
    """
    from reportgen.report.run_view import view_run as view

    path, _, number = (run, "", "") if Path(run).exists() else run.rpartition("#")
    runs = _runs_of(Path(path or run), root)
    chosen = [each for each in runs if not number or each.id.endswith(f"#{number}")]
    if len(chosen) == 1:
        return view(chosen[0], _protocol(protocol))
    if not runs:
        raise RequestError(run, "no run", "see why with: reportgen runs, or list formats: reportgen formats")
    names = ", ".join(each.id for each in runs[:_MAX_NAMED_RUNS]) + ", ..." * (len(runs) > _MAX_NAMED_RUNS)
    fact = "no run of this number" if number and not chosen else f"{len(runs)} runs, not one"
    raise RequestError(run, fact, f"name one of them: {names}")


def _runs_of(path: Path, root: PathLike | None) -> Sequence[Run]:
    """Return the runs of a log; a table of published results is recognised only beside its source.toml."""
    runs = read(path, root=root)
    if runs or not path.is_file():
        return runs
    base = Path(root or ".").resolve()
    return [each for each in read(path.parent, root=root) if base / each.source.path == path.resolve()]


def steps(run: Run) -> "pd.DataFrame":
    """Return the steps of a run: one row per entry of each series, in base units.

    Columns: metric, phase, rank, clock, step, span, begin, value, samples, line.
    """
    from reportgen.tables.dataframes import steps_frame

    return steps_frame(run)


def cases(
    runs: RunSet | Paths | Iterable[Run],
    metric: str = "throughput",
    *,
    phase: str = STEP,
    protocol: str = "20+100x7",
    ignore: Names = (),
    split_repeats: bool = False,
) -> CaseSet:
    """Group runs into cases (runs with equal factors are repeats) and measure each under a protocol.

    runs           a RunSet, runs, or paths to read
    ignore         factors in which the repeats of one case may differ
    split_repeats  make every repeat a case of its own, with the factor `repeat`
    """
    members = _run_set(runs)
    request = CaseRequest(metric, phase, _protocol(protocol), _names(ignore), split_repeats)
    return CaseSet(build_cases(members, request, members._measured))


def table(
    runs: RunSet | Paths | Iterable[Run],
    *,
    rows: Names = (),
    columns: Names = (),
    where: Where | None = None,
    metric: Names = "throughput",
    phase: Names = STEP,
    compare: CompareKind | None = None,
    baseline: Mapping[str, FactorValue] | None = None,
    mean: bool = False,
    show: Sequence[Quantity] = (),
    unit: str = "",
    order: Where | None = None,
    ignore: Names = (),
    pick: Mapping[str, Literal["largest", "smallest"]] | None = None,
    qualify: Names = (),
    labels: Mapping[str, str] | None = None,
    totals: Mapping[str, Names] | None = None,
    best_first: bool = False,
    interval: bool = False,
    digits: int = 4,
    decimals: int | None = None,
    protocol: str = "20+100x7",
    title: str = "",
    expected: PathLike | None = None,
) -> ResultTable:
    """Return one table. Parameters mean what the keys of `[[tables]]` mean in a definition.

    runs      a RunSet, runs, or paths to read
    compare   ratio, speedup, efficiency or expected, against the case with the factors in `baseline`
    mean      add a row with the geometric mean of the ratios
    expected  the expected.toml that `compare="expected"` and the factor `system` need
    Raises RequestError for names and values that no run has.
    """
    from reportgen.report.definition import table_from_keys
    from reportgen.tables.assemble import build_tables
    from reportgen.tables.expected import NO_FACTS

    comparison = _comparison(compare, baseline, mean=mean)
    given = {
        "rows": _names(rows),
        "columns": _names(columns),
        "where": _lists(where),
        "metric": _names(metric),
        "phase": _names(phase),
        "compare": comparison,
        "show": _names(show),
        "unit": unit,
        "order": _lists(order),
        "ignore": _names(ignore),
        "pick": dict(pick or {}),
        "qualify": _names(qualify),
        "labels": dict(labels or {}),
        "totals": {name: _names(phases) for name, phases in (totals or {}).items()},
        "decimals": decimals,
        "protocol": protocol,
        "title": title,
    }
    keys = {name: value for name, value in given.items() if value or value == 0}
    keys |= {"id": "table", "best_first": best_first, "interval": interval, "digits": digits}
    spec = table_from_keys(keys, "table()")
    members = _run_set(runs)
    knowledge = _speed_facts(Path(expected)) if expected is not None else NO_FACTS
    (result,) = build_tables(spec, members, knowledge, members._measured)
    return ResultTable(result)


def _comparison(
    kind: CompareKind | None, baseline: Mapping[str, FactorValue] | None, *, mean: bool
) -> dict[str, object] | None:
    """Return the key `compare` of a table, None for a table without comparison."""
    if kind is None and baseline is None:
        return None
    if kind is None or baseline is None:
        remedy = 'for example compare="speedup", baseline={"devices": 1}'
        raise RequestError("table()", "compare and baseline belong together", remedy)
    return {"kind": kind, "baseline": dict(baseline), "mean": mean}


def detect(file: PathLike) -> Detection | None:
    """Return the format of one log file, or of a folder that is one run; None if no format recognises it."""
    detections = detect_all(file)
    return detections[0] if len(detections) == 1 else None


def detect_all(path: PathLike, *, required: bool = False) -> tuple[Detection, ...]:
    """Return the format of every file, and every folder that is one run, below a path.

    required  raise RequestError with the reason if no format recognises anything
    """
    from reportgen.formats.detection import discover
    from reportgen.load.scan import scan_path

    files = scan_path(resolve_existing(Path(path)), Path.cwd()).files
    discovery = discover(files)
    if required and not discovery.claimed:
        raise RequestError(str(path), *_reason_unrecognised(files, discovery.findings))
    return tuple(
        Detection(
            each.files.source("" if each.files.is_folder else each.files.path).path,
            each.format.name,
            each.claim.confidence,
            each.claim.source,
            each.claim.reason,
        )
        for each in discovery.claimed
    )


def _reason_unrecognised(files: "LogFiles", findings: Sequence[Finding]) -> tuple[str, str]:
    """Return why no format recognises a file or folder, and the remedy."""
    from reportgen.formats.filetype import no_text, role

    if findings:
        is_quote = findings[0].rule == Rule.READ_EXCERPT
        return findings[
            0
        ].message, "save the log itself, as a .log file" if is_quote else "check its permissions"
    # A labels.toml that is asked about is not among the files.
    if not files.is_folder and len(files):
        head = files.head(files.path)
        if role(files.path, head) == "code":
            return "is a program, not a log", "name a log"
        if reason := no_text(head):
            return reason
    return (
        "no format recognises it",
        "list what can be read with `reportgen formats`, or propose a format: reportgen learn FILE",
    )


def format_names() -> tuple[str, ...]:
    """Return the names of the formats that can be read, the most specific first."""
    from reportgen.formats.registry import FORMATS

    return tuple(known.name for known in FORMATS)


def expected_speed(
    target: str,
    reference: str,
    *,
    where: Mapping[str, FactorValue] | None = None,
    expected: PathLike = "reports/expected.toml",
) -> Expected | None:
    """Return how fast one system should be relative to another; None if no facts connect them.

    where     factors of the case, such as {"devices": 8}; facts for other cases are not used
    expected  the file with systems and facts
    """
    from reportgen.tables.expected import expected_speed as speed_on_paths
    from reportgen.tables.expected import resolve_open_factors

    facts = _speed_facts(Path(expected))
    facts.check(target, f"{expected}: target")
    facts.check(reference, f"{expected}: reference")
    return speed_on_paths(facts, target, reference, resolve_open_factors(facts, dict(where or {}), "where"))


@dataclass(frozen=True, slots=True)
class CellExplanation:
    """How a cell came about: its place in the report, and the sections that `reportgen why` prints."""

    place: "CellPlace"
    sections: "tuple[CellSection, ...]"

    def to_markdown(self) -> str:
        """Return the sections as Markdown."""
        from reportgen.render.markdown.cell_chain import as_markdown

        return as_markdown(self.sections)

    def to_json(self) -> str:
        """Return the cell, its cases and the parts of its difference, as in report.json."""
        from reportgen.document.cells import encode_cell

        return encode_cell(self.place).decode()


def explain_cell(
    report: str,
    table: str,
    row: str = "",
    column: str = "",
    *,
    reports: PathLike = "reports",
    progress: Callable[[str, int, int], None] | None = None,
) -> CellExplanation:
    """Return how one cell of a report came about, and why it is slower than its baseline.

    table     id, with its facet if the entry has facets
    row, column  the head as printed, words of it, or factor=value, separated by commas
    reports   folder of definitions
    Raises RequestError, with the nearest names or all that fit, unless exactly one cell fits.
    """
    from reportgen import pipeline
    from reportgen.document.find_cell import column_text, find_cell, row_text
    from reportgen.render.markdown.cell_chain import explain
    from reportgen.report.document import make_document

    folder = Path(reports)
    request = pipeline.Request(folder.resolve().parent, folder)
    document = make_document(pipeline.assemble_report(request, report, progress))
    at = find_cell(document, table, row, column)
    heads = row_text(at.row), column_text(at.column)
    return CellExplanation(at, tuple(explain(at.report, at.table, at.column, at.cell, heads)))


def build(
    reports: PathLike = "reports",
    *,
    logs: PathLike | None = None,
    out: PathLike | None = None,
    check: bool = False,
    standalone: bool = False,
    progress: Callable[[str, int, int], None] | None = None,
    review: "Callable[[BuildResult], None] | None" = None,
) -> BuildResult:
    """Build every report of a folder, or with `check` compare the files with what would be built.

    reports   folder of definitions; its parent is the repository
    logs      read these logs instead of those that the definitions name
    out       write generated files here; required for logs outside the repository
    standalone  put everything into each page, as one file to mail; required: `out`
    progress  called with (what, done, total)
    review    called with the result before anything is written; if it raises, nothing is
    Raises RequestError for anything wrong in definitions, labels, settings and prose, before writing.
    """
    from reportgen import pipeline, publish
    from reportgen.render.registry import filter_committed

    folder = Path(reports)
    if folder.is_file():
        raise RequestError(
            str(folder), "is a file, not a folder of definitions", f"name its folder: {folder.parent}"
        )
    request = pipeline.Request(
        folder.resolve().parent,
        folder,
        None if logs is None else Path(logs),
        None if out is None else Path(out),
        standalone,
    )
    built = pipeline.build(request, progress, committed_only=check)
    place = request.place if request.out is None else request.out.as_posix()
    owned = publish.owned_files(request.target)
    targets = (
        _Target(built.files, request.target, filter_committed(owned) if check else owned, f"{place}/"),
        _Target(built.injected, request.root, tuple(built.injected), ""),
    )
    unknown = publish.unknown_files(built.files, request.target, owned=owned, is_reports=request.out is None)
    strangers = tuple(_unknown_file(f"{place}/{path}") for path in unknown)
    result = BuildResult(
        built.reports,
        tuple(change for target in targets for change in target.changes()),
        (*built.findings, *strangers),
        built.logs,
        (*built.problems, *strangers),
        len(built.files),
        request.base,
        _rebuilt(targets[0]),
        tuple(line for target in targets for line in target.changed_lines()),
    )
    if review:
        review(result)
    if not check:
        for target in targets:
            publish.apply(target.files, target.folder, owned=target.owned)
    return result


@dataclass(frozen=True, slots=True)
class _Target:
    """Generated files below one folder, and its path from the repository."""

    files: Mapping[str, bytes]
    folder: Path
    owned: Collection[str]
    prefix: str

    def changes(self) -> "Iterator[Change]":
        """Yield what writing the files would change, with paths from the repository."""
        from reportgen import publish

        for change in publish.compare(self.files, self.folder, owned=self.owned):
            yield replace(change, path=f"{self.prefix}{change.path}")

    def changed_lines(self) -> Iterator[str]:
        """Yield the changed lines of the files that a reviewer reads."""
        from reportgen import publish

        yield from publish.changed_lines(self.files, self.folder, self.prefix)


def _rebuilt(target: _Target) -> RebuiltReport:
    """Return what differs between the reports in a folder and those that go there."""
    from reportgen import publish
    from reportgen.diff.rebuilt import compare_builds
    from reportgen.render.registry import is_listing

    new = {path: content for path, content in target.files.items() if is_listing(path)}
    old = {path: publish.read_generated(target.folder, path) for path in new}
    return compare_builds({path: content for path, content in old.items() if content is not None}, new)


def _unknown_file(path: str) -> Finding:
    message = "was not generated by reportgen; delete it, or move it out of the generated files"
    return Finding("warning", Rule.PUBLISH_UNKNOWN_FILE, path, message, Source(path))


# Means over a whole run, as scripts print them.
_WHOLE_RUN = Protocol("whole run", warmup=0, measure=10**9, repeats=1)


@dataclass(frozen=True, slots=True)
class AuditResult:
    """Documents with a verdict for each number, and the evidence that they were compared with."""

    documents: "tuple[AuditedDocument, ...]"
    evidence: "Evidence"


def audit_files(
    files: Paths,
    *,
    logs: Paths | None = None,
    reports: PathLike = "reports",
    progress: Progress | None = None,
) -> "AuditResult":
    """Compare the numbers of hand-made tables with everything that can be derived from logs.

    files    Markdown, HTML or CSV
    logs     files or folders, by default logs/ beside the folder of definitions
    reports  a folder of definitions, whose protocols and totals are used too; it need not exist
    Raises RequestError for a path that does not exist, a file that is not text, and wrong definitions.
    """
    from reportgen.audit import Auditor, gather_evidence, read_document
    from reportgen.core.schema import read_text

    names = [files] if isinstance(files, str | Path) else files
    documents = [read_document(str(name), read_text(Path(name), str(name))) for name in names]
    protocols, totals = _definitions_of(Path(reports))
    runs = read(logs if logs is not None else Path(reports).parent / "logs", progress=progress)
    auditor = Auditor(gather_evidence(runs, protocols, totals))
    return AuditResult(tuple(auditor.audit(document) for document in documents), auditor.evidence)


def _definitions_of(reports: Path) -> tuple[tuple[Protocol, ...], dict[str, tuple[str, ...]]]:
    """Return the protocols and totals of all definitions in a folder; none without the folder."""
    from reportgen.report.definition import read_definition
    from reportgen.report.settings import EXPECTED, SETTINGS, read_settings

    protocols: dict[str, Protocol] = {"": Protocol()}
    totals: dict[str, tuple[str, ...]] = {"compute": ("forward", "backward")}
    if reports.is_dir():
        settings = read_settings(reports, str(reports))
        protocols |= settings.protocols
        for path in sorted(reports.glob("*.toml")):
            if path.name not in (SETTINGS, EXPECTED):
                for table in read_definition(path, str(path), path.stem, settings.protocols).tables:
                    protocols.setdefault(table.protocol.name, table.protocol)
                    totals |= table.totals
    unique = {protocol.name: protocol for protocol in (*protocols.values(), _WHOLE_RUN)}
    return tuple(unique.values()), totals


@dataclass(frozen=True, slots=True)
class InitResult:
    """The result of `init`: paths below the root, remarks on them, the folders of logs with runs.

    shows_reports  whether `git diff` was set to show a report.json as a list of its numbers, in this clone
    """

    written: tuple[str, ...]
    remarks: tuple[str, ...]
    campaigns: tuple[str, ...]
    unknown_folders: tuple[UnknownFolder, ...]
    shows_reports: bool = False


def init(reports: PathLike = "reports") -> InitResult:
    """Look at logs/ beside a reports folder and write definitions to start from; existing files are kept.

    At the top of a git repository, also a workflow, .gitattributes and .gitignore.
    Raises RequestError for a folder that holds logs instead of definitions.
    """
    from reportgen import publish
    from reportgen.autolayout import repository_files, scaffold

    folder = Path(reports)
    root = folder.resolve().parent
    proposal = scaffold.propose_definitions(folder, root)
    repository = repository_files.propose_repository_files(folder.resolve().name, root)
    return InitResult(
        tuple(publish.create({**proposal.files, **repository.files}, root)),
        (*proposal.remarks, *repository.remarks),
        proposal.campaigns,
        proposal.unknown_folders,
        bool(repository.files) and publish.set_git_option(root, *repository_files.DIFF_DRIVER),
    )


def _load(paths: Paths, root: PathLike | None, progress: Progress | None) -> LoadResult[Run]:
    return load_runs(_places(paths), root=_root(root), progress=progress)


def _places(paths: Paths) -> list[Path]:
    return [resolve_existing(Path(path)) for path in ([paths] if isinstance(paths, str | Path) else paths)]


def _root(root: PathLike | None) -> Path:
    return Path.cwd() if root is None else Path(root).resolve()


def _run_set(runs: RunSet | Paths | Iterable[Run]) -> RunSet:
    if isinstance(runs, RunSet):
        return runs
    if isinstance(runs, str | Path):
        return read(runs)
    members = list(runs)
    paths = [each for each in members if isinstance(each, str | Path)]
    if paths:
        return read(paths)
    return RunSet(each for each in members if isinstance(each, Run))


def _speed_facts(path: Path) -> "SpeedFacts":
    from reportgen.report.computed_facts import compute_facts, expect_logs
    from reportgen.report.log_reader import LogReader
    from reportgen.report.settings import read_expected

    if not path.is_file():
        raise RequestError(
            str(path), "no such file", "write systems and facts into it; see docs/reference/definitions.md"
        )
    facts, entries = read_expected(path, str(path))
    reader = LogReader(path.resolve().parent.parent)
    expect_logs(entries, reader)
    return compute_facts(facts, entries, reader)


def _protocol(text: str) -> Protocol:
    return parse_protocol(text, "protocol")


def _names(names: Names) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _values(condition: Condition) -> list[FactorValue]:
    """Return the values of a condition; values of NumPy and pandas become values of Python."""
    values = [condition] if isinstance(condition, str) or not isinstance(condition, Sequence) else condition
    return [value.item() if hasattr(value, "item") else value for value in values]


def _lists(where: Where | None) -> dict[str, list[FactorValue]]:
    return {name: _values(condition) for name, condition in (where or {}).items()}


def _conditions(where: Where) -> dict[str, tuple[FactorValue, ...]]:
    return {name: tuple(values) for name, values in _lists(where).items()}


@dataclass(frozen=True, slots=True)
class RenderResult:
    """The files of a report that was rendered from its document.

    changes  files that were written, relative to the folder
    missing  files with steps that the document names and that are not beside it, or are others
    """

    changes: "tuple[Change, ...]"
    missing: tuple[str, ...] = ()


def read_document(path: PathLike) -> Document:
    """Return the content of a report.json: tables, cases, figures, findings.

    Raises RequestError if it is not one, or if its parts do not fit together.
    """
    from reportgen.document.check import check_document
    from reportgen.document.encode import canonical, decode

    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise RequestError(str(path), f"cannot be read: {error.strerror}", "name a report.json") from None
    document = decode(content, str(path))
    check_document(document, str(path))
    return canonical(document)


def json_schema() -> str:
    """Return the JSON Schema of report.json."""
    from reportgen.document.encode import encode_value
    from reportgen.document.schema import json_schema as schema

    return encode_value(schema()).decode()


def render(document: PathLike, out: PathLike, *, standalone: bool = False) -> RenderResult:
    """Write the page, Markdown, CSV and figures of a report from its report.json alone.

    document    a report.json, written by reportgen or by another program
    out         folder to write to; the report gets a folder in it
    standalone  put everything into the page, as one file to mail
    Raises RequestError if the document cannot be read, or a file that is not generated is in the way.
    """
    from reportgen import publish
    from reportgen.render import render_assets, render_document

    read, target = read_document(document), Path(out)
    side_files = publish.side_files(Path(document).parent, read.side_files)
    files = render_document(
        read, side_files, partial(publish.read_generated, target / read.name), standalone=standalone
    )
    outputs = {f"{read.name}/{path}": content for path, content in files.items()}
    outputs |= render_assets([read], partial(publish.read_generated, target), standalone=standalone)
    changes = publish.apply(outputs, target, owned=())
    return RenderResult(tuple(changes), tuple(sorted(read.side_files.keys() - side_files.keys())))
