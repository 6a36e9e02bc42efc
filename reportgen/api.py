"""The library behind `import reportgen`: read logs, look at runs, cases and tables, build reports.

    import reportgen

    runs = reportgen.read("logs/")
    reportgen.table(runs, rows=["devices"], columns=["framework"]).to_markdown()

Every function is explained with an example in docs/reference/python.md. Wrong requests raise RequestError.
The command line calls these functions. pandas is loaded by the first `to_dataframe`, matplotlib by `build`.
"""

import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from reportgen.compare.comparison import CompareKind, Comparison
from reportgen.compare.expected_speed import Expected
from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.factors import Presence
from reportgen.core.model import STEP, FactorValue, Finding, Run, Source
from reportgen.core.rules import Rule, find_rule
from reportgen.diff.rebuilt import NOTHING_REBUILT, RebuiltReport
from reportgen.document.model import Document, Quantity
from reportgen.library.arguments import (
    Names,
    PathLike,
    Paths,
    RunWhere,
    Where,
    conditions,
    existing_paths,
    names,
    one_name,
    one_path,
    shown,
    where_conditions,
)
from reportgen.library.case_set import CaseSet
from reportgen.library.result_diff import ResultDiff
from reportgen.library.result_report import ResultReport
from reportgen.library.result_table import ResultFigure, ResultTable
from reportgen.library.run_set import Progress, RunSet, read_runs, run_set_of
from reportgen.library.table_history import TableHistory, read_history
from reportgen.load.unrecognised import UnknownFolder
from reportgen.protocol import Protocol, parse_protocol
from reportgen.sources.filesystem import local_path, resolve_existing

if TYPE_CHECKING:
    import pandas as pd

    from reportgen.audit import AuditedDocument, Evidence
    from reportgen.document.find_cell import CellPlace
    from reportgen.learn import Proposal, TablesProposal
    from reportgen.library.log_sides import TrackReading
    from reportgen.parquet import Exported, RowKind
    from reportgen.pipeline import LogSummary
    from reportgen.publish import Change
    from reportgen.render.markdown.cell_chain import CellSection
    from reportgen.report.listing import RunListing
    from reportgen.report.run_view import RunView
    from reportgen.sources.logfiles import LogFiles
    from reportgen.tables.expected import SpeedFacts
    from reportgen.tables.results import Report
    from reportgen.tables.sweep_plan import SweepPlan

__all__ = [
    "AuditResult",
    "BuildResult",
    "CaseSet",
    "CellExplanation",
    "Detection",
    "Document",
    "InitResult",
    "LearnedFormat",
    "PlannedRuns",
    "RenderResult",
    "RequestError",
    "ResultDiff",
    "ResultFigure",
    "ResultReport",
    "ResultTable",
    "Run",
    "RunSet",
    "TableHistory",
    "audit_files",
    "build",
    "cases",
    "compare_runs",
    "detect",
    "detect_all",
    "diff_reports",
    "expected_speed",
    "explain_cell",
    "explain_rule",
    "export",
    "format_names",
    "init",
    "json_schema",
    "learn_format",
    "list_rules",
    "list_runs",
    "plan_runs",
    "read",
    "read_document",
    "render",
    "steps",
    "table",
    "table_history",
    "view_report",
    "view_run",
]

_MAX_NAMED_RUNS = 5


@dataclass(frozen=True, slots=True)
class Detection:
    """A format that recognises a file or folder: how sure it is, the line that shows it, and why."""

    path: str
    format: str
    confidence: float
    source: Source
    reason: str


@dataclass(frozen=True, slots=True, repr=False)
class BuildResult:
    """The reports that `build` built, and the files that differ from them.

    changes  files that were written, or with `check` would be; `what` is new, changed, edited or removed
    logs     what was read, and what was not; its paths are relative to `base`
    problems  what a build leaves alone: edited tables in other files, unknown files beside generated ones
    files    number of generated files
    rebuilt  the numbers and published figures that differ from the last build
    lines    the changed lines of Markdown files, as a unified diff
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

    def __repr__(self) -> str:
        return f"<BuildResult: {len(self.reports)} reports, {self.files} files, {len(self.changes)} changed>"

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

    paths     one or several; a pattern such as "logs/*" stands for what it matches
    root      paths in results are relative to it, by default to the working folder; labels.toml files
              between it and a path apply too
    progress  called with (files read, all files)
    Raises RequestError for a path that does not exist and for wrong labels.
    """
    return read_runs(paths, root, progress, "read()")


def list_runs(
    paths: Paths,
    *,
    protocol: str = "20+100x7",
    root: PathLike | None = None,
    progress: Progress | None = None,
    cache: bool = False,
    executor: Executor | None = None,
) -> "RunListing":
    """Measure all runs below files and folders and return what `reportgen runs` prints.

    Runs are measured where they are read, so that their steps need no memory. Parameters as those of `read`.

    cache     whether to read only the logs that changed since the last time, as `reportgen runs` does
    executor  as in `build`
    """
    from reportgen.report import listing

    rule = _protocol(protocol, "list_runs()")
    places = existing_paths(paths, "list_runs()", progress)
    folder = _root(root, "list_runs()")
    return listing.list_runs(places, rule, root=folder, progress=progress, cache=cache, executor=executor)


def export(
    file: PathLike,
    logs: PathLike = "logs",
    *,
    rows: "RowKind | None" = None,
    protocol: str = "20+100x7",
    root: PathLike | None = None,
    progress: Progress | None = None,
) -> "Exported":
    """Write the steps of logs, or their measured values, as a Parquet file, without keeping the steps.

    rows  "steps" or "runs"; by default the name of the file says it, as in runs.parquet
    Returns the number of rows and of runs. Raises RequestError without pyarrow (the extra `parquet`), and for
    logs without such rows.
    """
    from reportgen.parquet import export_runs, export_steps

    target, chosen = Path(file), rows or Path(file).stem
    if target.suffix != ".parquet" or chosen not in ("steps", "runs"):
        remedy = 'call it steps.parquet or runs.parquet, or say rows="steps" (--rows steps)'
        raise RequestError(str(file), "does not say what its rows are", remedy)
    places, folder = existing_paths(logs, "export()"), _root(root, "export()")
    if len(places) > 1:
        raise RequestError(shown(logs), f"matches {len(places)} paths", "name the folder above them")
    place = places[0]
    if chosen == "steps":
        return export_steps(target, place, root=folder, progress=progress)
    return export_runs(target, place, _protocol(protocol, "export()"), root=folder, progress=progress)


def view_run(run: Run | str, *, protocol: str = "20+100x7", root: PathLike | None = None) -> "RunView":
    """Return what `reportgen show` prints about one run.

    run  a run, its id, or the path of its log with #2 after it for the second run there; the log of an id
         is searched below logs/
    Raises RequestError if there is no such run, or several.
    """
    from reportgen.report.run_view import view_run as view

    rule = _protocol(protocol, "view_run()")
    return view(run if isinstance(run, Run) else _find_run(one_name(run, "view_run()"), root), rule)


def _find_run(run: str, root: PathLike | None) -> Run:
    """Return the run of a path or an id. Raises RequestError unless exactly one fits."""
    path, _, number = (run, "", "") if _exists(run) else run.rpartition("#")
    runs = _runs_of(_log_of(Path(path or run)), root)
    chosen = [each for each in runs if not number or each.id.endswith(f"#{number}")]
    if len(chosen) == 1:
        return chosen[0]
    if not runs:
        raise RequestError(run, "no run", "see why with: reportgen runs, or list formats: reportgen formats")
    several = ", ".join(each.id for each in runs[:_MAX_NAMED_RUNS]) + ", ..." * (len(runs) > _MAX_NAMED_RUNS)
    fact = "no run of this number" if number and not chosen else f"{len(runs)} runs, not one"
    raise RequestError(run, fact, f"name one of them: {several}")


def _exists(run: str) -> bool:
    return _log_of(Path(run)).exists()


def _log_of(path: Path) -> Path:
    """Return the path, or the only one below logs/ that ends with it: ids are below the folder read."""
    if path.exists() or path.is_absolute() or not Path("logs").is_dir():
        return path
    logs = sorted(
        each for each in Path("logs").rglob(path.name) if each.parts[-len(path.parts) :] == path.parts
    )
    if len(logs) > 1:
        several = ", ".join(map(str, logs[:_MAX_NAMED_RUNS]))
        raise RequestError(str(path), f"{len(logs)} logs have this name", f"name one of them: {several}")
    return logs[0] if logs else path


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

    if not isinstance(run, Run):
        raise RequestError(
            "steps()", f"expected a run, got {shown(run)}", "pass one of read(...), as runs[0]"
        )
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
    Raises RequestError for a metric, a phase or a factor that no run has.
    """
    return run_set_of(runs, "cases()").cases(
        metric, phase=phase, protocol=protocol, ignore=ignore, split_repeats=split_repeats
    )


def table(
    runs: RunSet | Paths | Iterable[Run],
    *,
    rows: Names = (),
    columns: Names = (),
    where: RunWhere | None = None,
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
    from reportgen.report.document import document_of_tables
    from reportgen.tables.assemble import build_tables
    from reportgen.tables.expected import NO_FACTS
    from reportgen.tables.validate import check_used

    comparison = _comparison(compare, baseline, mean=mean)
    given = {
        "rows": names(rows, "table().rows"),
        "columns": names(columns, "table().columns"),
        "where": _table_where(where),
        "metric": names(metric, "table().metric"),
        "phase": names(phase, "table().phase"),
        "compare": comparison,
        "show": names(show, "table().show"),
        "unit": unit,
        "order": _lists(order, "table().order"),
        "ignore": names(ignore, "table().ignore"),
        "pick": pick,
        "qualify": names(qualify, "table().qualify"),
        "labels": labels,
        "totals": totals,
        "decimals": decimals,
        "protocol": protocol,
        "title": title,
    }
    keys = {name: value for name, value in given.items() if value or value == 0}
    keys |= {"id": "table", "best_first": best_first, "interval": interval, "digits": digits}
    spec = table_from_keys(keys, "table()")
    members = run_set_of(runs, "table()")
    knowledge = NO_FACTS if expected is None else _speed_facts(one_path(expected, "table().expected"))
    (result,) = build_tables(spec, members, knowledge, members.measured)
    check_used(spec, members, list(knowledge.systems))
    return ResultTable(result, document_of_tables([result]))


def _comparison(
    kind: CompareKind | None, baseline: Mapping[str, FactorValue] | None, *, mean: bool
) -> dict[str, object] | None:
    """Return the key `compare` of a table, None for a table without comparison."""
    if kind is None and baseline is None and not mean:
        return None
    if kind is None or baseline is None:
        remedy = 'for example compare="speedup", baseline={"devices": 1}'
        raise RequestError("table()", "compare and baseline belong together", remedy)
    return {"kind": kind, "baseline": baseline, "mean": mean}


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

    files = scan_path(resolve_existing(one_path(path, "detect()")), Path.cwd()).files
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

    facts = _speed_facts(one_path(expected, "expected_speed().expected"))
    facts.check(target, f"{expected}: target")
    facts.check(reference, f"{expected}: reference")
    return speed_on_paths(facts, target, reference, resolve_open_factors(facts, _single(where), "where"))


@dataclass(frozen=True, slots=True, repr=False)
class CellExplanation:
    """How a cell came about: its place in the report, and the sections that `reportgen why` prints."""

    place: "CellPlace"
    sections: "tuple[CellSection, ...]"

    def __repr__(self) -> str:
        return (
            f"<CellExplanation {self.place.report.name}/{self.place.table.id}: {len(self.sections)} sections>"
        )

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

    folder = one_path(reports, "explain_cell().reports")
    request = pipeline.Request(folder.resolve().parent, folder)
    document = make_document(pipeline.assemble_report(request, report, progress))
    at = find_cell(document, table, row, column)
    heads = row_text(at.row), column_text(at.column)
    return CellExplanation(at, tuple(explain(at.report, at.table, at.column, at.cell, heads)))


@dataclass(frozen=True, slots=True, repr=False)
class PlannedRuns:
    """The sweep that would settle open comparisons, and its file."""

    plan: "SweepPlan"
    toml: str

    def __repr__(self) -> str:
        return f"<PlannedRuns: {self.summary}>"

    @property
    def summary(self) -> str:
        """How much the sweep runs and settles, and how long it takes."""
        return self.plan.summary


def plan_runs(
    report: str,
    row: str = "",
    column: str = "",
    *,
    logs: str = "logs/plan",
    rounds: int | None = None,
    write: PathLike | None = None,
    reports: PathLike = "reports",
    progress: Callable[[str, int, int], None] | None = None,
) -> PlannedRuns:
    """Return the sweep that would settle what a report, a table or a cell leaves undecided or likely.

    report       name of the report, or REPORT/TABLE
    row, column  heads of one cell, as for `explain_cell`; its two cases are planned, whatever its verdict
    logs         new folder that the runs go to
    rounds       by default as many as the comparison needs that needs most
    write        file that the sweep is written to; nothing is overwritten
    Raises RequestError if nothing is open, and if no log says how to repeat the runs.
    """
    from reportgen import pipeline, publish
    from reportgen.report.document import make_document
    from reportgen.tables.sweep_plan import plan_sweep

    name, _, table = one_name(report, "plan_runs()").partition("/")
    folder = one_path(reports, "plan_runs().reports")
    request = pipeline.Request(folder.resolve().parent, folder)
    result = pipeline.assemble_report(request, name, progress)
    chosen = _open_comparisons(result, make_document(result), table, row, column)
    plan = plan_sweep(chosen, rounds)
    if not plan.workloads:
        remedy = "run both in turns: python -m collectors run --repeats 7 --against 'OLD' -- NEW"

        raise RequestError(report, f"nothing can be planned: {plan.unplanned[0]}", remedy)
    written_by = " ".join(["reportgen plan", *(shlex.quote(each) for each in (report, row, column) if each)])
    toml = plan.toml(logs, written_by)
    if write is not None:
        path = one_path(write, "plan_runs().write")
        if path.exists() or path.is_symlink():
            raise RequestError(str(path), "exists already", "name another file")
        publish.create({path.name: toml.encode()}, path.parent)
    return PlannedRuns(plan, toml)


def _open_comparisons(
    report: "Report", document: Document, table: str, row: str, column: str
) -> Sequence[Comparison]:
    """Return what a report, a table or a cell leaves open; RequestError if it leaves nothing open."""
    from reportgen.document.find_cell import find_cell
    from reportgen.tables.sweep_plan import comparisons_of, open_comparisons

    if row or column:
        at = find_cell(document, table, row, column)
        place = report.tables[document.tables.index(at.table)]
        cell = place.cells[at.table.rows.index(at.row)][at.table.columns.index(at.column)]
        if cell.comparison is None or cell.comparison.verdict is None:
            raise RequestError(f"{report.name}/{table}", "the cell compares no speeds", "name a ratio")
        return [cell.comparison]
    tables = [each for each in report.tables if table in ("", each.id, each.family)]
    if not tables:
        ids = [each.id for each in report.tables]
        raise RequestError(report.name, f'no table "{table}"', did_you_mean(table, ids))
    comparisons = open_comparisons(comparisons_of(tables))
    if not comparisons:
        raise RequestError(report.name, "no comparison is undecided or likely", "name a cell, to repeat it")
    return comparisons


def compare_runs(
    first: RunSet | PathLike | Iterable[Run],
    second: RunSet | PathLike | Iterable[Run] | None = None,
    *,
    where: RunWhere | None = None,
    a: RunWhere | None = None,
    b: RunWhere | None = None,
    metric: str | None = None,
    ignore: Names = (),
    phase: str = STEP,
    protocol: str = "20+100x7",
    progress: "TrackReading | None" = None,
) -> ResultDiff:
    """Compare the cases of two sets of logs: the second against the first, with verdicts.

    first, second  runs, a path, or PATH@COMMIT for logs as they were at a commit; without `second`, two parts
                   of `first`, by `a` and `b`
    where          of both sides, only these runs; a, b  of the first and of the second side
    metric         by default the first speed that both have
    ignore         factors that may differ between two cases of a pair
    Raises RequestError for names that no run has, and if no two cases have equal factors.
    """
    from reportgen.library.log_sides import CompareRequest, LogSide, compare_sides

    parts = where_conditions(a, "compare.a"), where_conditions(b, "compare.b")
    if second is None and not any(parts):
        raise RequestError("compare", "nothing to compare A with", "name B, or two parts of A by --a and --b")
    request = CompareRequest(
        None if metric is None else one_name(metric, "compare.metric"),
        one_name(phase, "compare.phase"),
        _protocol(protocol, "compare"),
        names(ignore, "compare.ignore"),
    )
    sides = LogSide("A", first, parts[0]), LogSide("B", first if second is None else second, parts[1])
    return compare_sides(sides, where_conditions(where, "compare.where"), request, progress)


def diff_reports(base: str = "", *, reports: PathLike = "reports") -> ResultDiff:
    """Compare the report.json files here with a commit: how a branch changes the reports.

    base     a branch, tag or commit, whose last commit that HEAD contains counts; by default the branch of
             the pull request (in CI), else the default branch
    reports  folder of definitions; nothing is built
    Raises RequestError without a repository, and if there is no such base or folder.
    """
    from reportgen import baseline

    result = baseline.diff_reports(one_path(reports, "diff_reports().reports"), base)
    return ResultDiff(result.diff, result.old, result.new)


def table_history(
    report: str,
    table: str,
    *,
    row: RunWhere | None = None,
    column: RunWhere | None = None,
    by: str = "commit",
    reports: PathLike = "reports",
    progress: Callable[[str, int, int], None] | None = None,
) -> TableHistory:
    """Return how the numbers of a table developed, with the steps and drifts of each cell.

    row, column  factors of the rows and columns that are wanted, by default all
    by           `commit` of the repository, or what the logs say: `date`, a factor, `driver`, ...
    reports      folder of definitions
    Raises RequestError, with the nearest name, for a report, a table, or factors that do not exist.
    """
    rows, columns = where_conditions(row, "row"), where_conditions(column, "column")
    folder = one_path(reports, "table_history().reports")
    return read_history(folder, report, table, by, rows, columns, progress)


@dataclass(frozen=True, slots=True, repr=False)
class LearnedFormat:
    """A format proposed from a log or definitions from tables; `written` are the files that accept it."""

    proposal: "Proposal | TablesProposal"
    written: tuple[str, ...] = ()

    def __repr__(self) -> str:
        from reportgen.learn import TablesProposal

        if isinstance(self.proposal, TablesProposal):
            names = ", ".join(table.name for table in self.proposal.tables) or "no table"
            return f"<LearnedFormat {names}>"
        matched = f"{self.proposal.matched} of {self.proposal.lines} lines match"
        return f"<LearnedFormat {self.proposal.name}: {matched}>"

    @property
    def toml(self) -> str:
        """The labels.toml with the format or the definitions."""
        return self.proposal.toml


def learn_format(
    file: PathLike,
    *,
    write: PathLike | None = None,
    units: Mapping[str, str] | None = None,
    columns: Sequence[str] = (),
) -> LearnedFormat:
    """Propose a custom format from a sample log, or definitions from the tables of a file or folder.

    write  accept it: write labels.toml, and for a log a fixture, into this folder; nothing is overwritten
    units  column of a table -> unit, where the table does not state it
    columns  names of the columns of a table without a header
    Raises RequestError for a file that is not text, and for one without lines of steps and without a table.
    """
    from reportgen import publish
    from reportgen.formats.tables.unnamed import with_columns
    from reportgen.learn import propose_file, propose_tables
    from reportgen.sources.logfiles import LogFiles

    path = one_path(file, "learn_format()")
    files, findings = LogFiles.at(resolve_existing(path), Path.cwd())
    if findings and not files.is_folder:
        fact, _, reason = findings[0].message.partition(": ")
        raise RequestError(str(path), fact, reason)
    if files.is_folder and not path.is_dir() and len(files) == 1:
        files = files.file(next(iter(files)))  # the only log of an archive, the only sheet of a workbook
    files = with_columns(files, columns)
    try:
        known = units or {}
        is_folder = files.is_folder
        proposal = propose_tables(files, known, findings) if is_folder else propose_file(files, known)
    except OSError as error:
        fact = f"cannot be read: {(error.strerror or str(error)).lower()}"
        raise RequestError(str(path), fact, "check its permissions") from None
    if write is None:
        return LearnedFormat(proposal)
    if not proposal.written():
        raise RequestError(str(path), "has no table to write", "run learn without --write to see why")
    folder = one_path(write, "learn_format().write")
    for name in proposal.written():
        if (folder / name).exists() or (folder / name).is_symlink():
            what = "[format]" if len(proposal.written()) > 1 else "[table]"
            raise RequestError(
                str(folder / name), "exists already", f"nothing is overwritten; add {what} by hand"
            )
    written = publish.create(proposal.written(), folder)
    return LearnedFormat(proposal, tuple(str(folder / name) for name in written))


def list_rules() -> tuple[Rule, ...]:
    """Return the rules of findings; each has `severities`, a `summary` and a `page`."""
    return tuple(Rule)


def explain_rule(rule: str) -> Rule:
    """Return a rule by its name. Raises RequestError with the nearest one."""
    return find_rule(one_name(rule, "explain_rule()"))


def view_report(
    report: str, *, reports: PathLike = "reports", progress: Callable[[str, int, int], None] | None = None
) -> ResultReport:
    """Return a report with its tables and figures, computed from its logs; nothing is written.

    reports  folder of definitions
    Raises RequestError for a report that does not exist, with the nearest name, and for wrong definitions.
    """
    from reportgen import pipeline
    from reportgen.report.document import make_document

    folder = one_path(reports, "view_report().reports")
    request = pipeline.Request(folder.resolve().parent, folder)
    result = pipeline.assemble_report(request, one_name(report, "view_report()"), progress)
    return ResultReport(result, make_document(result))


def read_document(path: PathLike) -> Document:
    """Return the content of a report.json: tables, cases, figures, findings.

    Raises RequestError if it is not one, or if its parts do not fit together.
    """
    import msgspec

    from reportgen.document.check import check_document
    from reportgen.document.encode import canonical, decode

    file = one_path(path, "read_document()")
    try:
        content = file.read_bytes()
    except OSError as error:
        raise RequestError(str(file), f"cannot be read: {error.strerror}", "name a report.json") from None
    document = decode(content, str(file))
    check_document(document, str(file))
    try:
        return canonical(document)
    except msgspec.ValidationError as error:
        raise RequestError(str(file), f"has a number that is too long: {error}", "use 64 bits") from None


def json_schema() -> str:
    """Return the JSON Schema of report.json."""
    from reportgen.document.encode import encode_value
    from reportgen.document.schema import json_schema as schema

    return encode_value(schema()).decode()


@dataclass(frozen=True, slots=True, repr=False)
class RenderResult:
    """The files of a report that was rendered from its document.

    changes  files that were written, relative to the folder
    missing  files with steps that the document names and that are not beside it, or are others
    """

    changes: "tuple[Change, ...]"
    missing: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<RenderResult: {len(self.changes)} files changed, {len(self.missing)} missing>"


def render(document: PathLike, out: PathLike, *, standalone: bool = False) -> RenderResult:
    """Write the page, Markdown, CSV and figures of a report from its report.json alone.

    document    a report.json, written by reportgen or by another program
    out         folder to write to; the report gets a folder in it
    standalone  put everything into the page, as one file to mail
    Raises RequestError if the document cannot be read, or a file that is not generated is in the way.
    """
    from reportgen import publish
    from reportgen.render import render_assets, render_document

    source, target = one_path(document, "render()"), one_path(out, "render().out")
    read = read_document(source)
    side_files = publish.side_files(source.parent, read.side_files)
    files = render_document(
        read, side_files, partial(publish.read_generated, target / read.name), standalone=standalone
    )
    outputs = {f"{read.name}/{path}": content for path, content in files.items()}
    outputs |= render_assets([read], partial(publish.read_generated, target), standalone=standalone)
    changes = publish.apply(outputs, target, owned=())
    return RenderResult(tuple(changes), tuple(sorted(read.side_files.keys() - side_files.keys())))


def build(
    reports: PathLike = "reports",
    *,
    logs: PathLike | None = None,
    out: PathLike | None = None,
    check: bool = False,
    standalone: bool = False,
    cache: bool = False,
    executor: Executor | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    review: "Callable[[BuildResult], None] | None" = None,
) -> BuildResult:
    """Build every report of a folder, or with `check` compare the files with what would be built.

    reports   folder of definitions; its parent is the repository
    logs      read these logs instead of those that the definitions name
    out       write generated files here; required for logs outside the repository
    standalone  put everything into each page, as one file to mail; required: `out`
    cache     take reports from the last build if nothing that they are made of changed
    executor  parses the logs instead of processes on this machine, such as that of a Dask client
    progress  called with (what, done, total)
    review    called with the result before anything is written; if it raises, nothing is
    Raises RequestError for anything wrong in definitions, labels, settings and prose, before writing.
    """
    from reportgen import pipeline, publish
    from reportgen.render.registry import filter_committed

    folder = one_path(reports, "build()")
    if folder.is_file():
        raise RequestError(
            str(folder), "is a file, not a folder of definitions", f"name its folder: {folder.parent}"
        )
    request = pipeline.Request(
        folder.resolve().parent,
        folder,
        None if logs is None else local_path(one_path(logs, "build().logs")),
        None if out is None else one_path(out, "build().out"),
        standalone,
        executor,
    )
    publish.finish_killed(request.target)
    built = pipeline.build(request, progress, committed_only=check, cache=cache)
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

    listings = filter(is_listing, target.files)
    read = {path: publish.read_generated(target.folder, path) for path in listings}
    old = {path: content for path, content in read.items() if content is not None}
    return compare_builds(old, {path: target.files[path] for path in old})


def _unknown_file(path: str) -> Finding:
    message = "was not generated by reportgen; delete it, or move it out of the generated files"
    return Finding("warning", Rule.PUBLISH_UNKNOWN_FILE, path, message, Source(path))


# Means over a whole run, as scripts print them.
_WHOLE_RUN = Protocol("whole run", warmup=0, measure=10**9, repeats=1)


@dataclass(frozen=True, slots=True, repr=False)
class AuditResult:
    """Documents with a verdict for each number, and the evidence that they were compared with."""

    documents: "tuple[AuditedDocument, ...]"
    evidence: "Evidence"

    def __repr__(self) -> str:
        numbers = sum(len(document.judgements) for document in self.documents)
        return f"<AuditResult: {len(self.documents)} documents, {numbers} numbers>"


def audit_files(
    files: Paths,
    *,
    logs: Paths | None = None,
    results: Paths = (),
    reports: PathLike = "reports",
    progress: Progress | None = None,
) -> "AuditResult":
    """Compare the numbers of documents with everything that can be derived from logs and result files.

    files    Markdown, HTML or CSV
    logs     files or folders, by default logs/ beside the folder of definitions, which need not exist
             if there are results
    results  result files: CSV with a head, JSON, report.json
    reports  a folder of definitions and reports, whose protocols, totals and ratios are used too; it need not
             exist
    Raises RequestError for a path that does not exist, a file that is not text, and wrong definitions.
    """
    from reportgen.audit import Auditor, gather_evidence, read_document, read_results, with_documents
    from reportgen.core.schema import read_text
    from reportgen.document.encode import decode

    folder = one_path(reports, "audit_files().reports")
    paths = [files] if isinstance(files, str | Path) else files
    documents = [
        read_document(str(path), read_text(one_path(path, "audit_files()"), str(path))) for path in paths
    ]
    protocols, totals = _definitions_of(folder)
    others = [results] if isinstance(results, str | Path) else list(results)
    own = folder.parent / "logs"
    is_without_logs = logs is None and bool(others) and not own.exists()
    runs = [] if is_without_logs else list(read(logs if logs is not None else own, progress=progress))
    generated = [
        decode(path.read_bytes(), str(path))
        for path in sorted(folder.glob("*/report.json"))
        if path.is_file()
    ]
    for each in others:
        path = one_path(each, "audit_files().results")
        more, document = read_results(str(path), read_text(path, str(path)))
        runs += more
        generated += [document] if document else []
    auditor = Auditor(with_documents(gather_evidence(runs, protocols, totals), generated))
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


@dataclass(frozen=True, slots=True, repr=False)
class InitResult:
    """The result of `init`: paths below the root, remarks on them, the folders of logs with runs.

    extended     the paths of files that `learn` wrote, and that have the facts of paths now
    git_options  options of git that were set in this clone, for diffs and merges of generated files
    layouts      new definition -> the layouts of its first table in words, the best first, with their scores
    """

    written: tuple[str, ...]
    remarks: tuple[str, ...]
    campaigns: tuple[str, ...]
    unknown_folders: tuple[UnknownFolder, ...]
    git_options: tuple[str, ...] = ()
    layouts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    extended: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<InitResult: {len(self.written)} files written, {len(self.campaigns)} folders of logs>"


def init(reports: PathLike = "reports", *, pick: int = 1, explain: bool = False) -> InitResult:
    """Look at logs/ beside a reports folder and write definitions to start from; existing files are kept.

    A labels.toml that `learn` wrote gets what only the paths of its runs say. Logs of an unknown format
    get one if nothing about it is in doubt.

    pick     which of the layouts to use for the first table of each report: 1 is the best
    explain  writes nothing: the result has the layouts

    At the top of a git repository, also a workflow, .gitattributes and .gitignore.
    Raises RequestError for a folder that holds logs instead of definitions.
    """
    from reportgen import publish
    from reportgen.autolayout import repository_files, scaffold
    from reportgen.learn import learn_logs

    folder = one_path(reports, "init()")
    root = folder.resolve().parent
    if pick < 1:
        raise RequestError("pick", f"{pick} is not the number of a layout", "count from 1")
    proposal = scaffold.propose_definitions(folder, root, pick)
    is_alone = not proposal.campaigns
    unknown = () if explain else proposal.unknown_folders
    learned = publish.create(learn_logs(root, unknown, scaffold.LOGS, is_alone=is_alone), root)
    if learned:
        proposal = scaffold.propose_definitions(folder, root, pick)
    layouts = {path: tuple(each.text for each in made) for path, made in proposal.layouts.items()}
    # Where no log has a number there is no layout, but a definition.
    most = max((1, *map(len, layouts.values())))
    if pick > most:
        raise RequestError("pick", f"no report has {pick} layouts", f"name a number up to {most}")
    if explain:
        return InitResult((), proposal.remarks, proposal.campaigns, proposal.unknown_folders, layouts=layouts)
    repository = repository_files.propose_repository_files(folder.resolve().name, root)
    extended = tuple(path for path in publish.extend(proposal.extended, root) if path not in learned)
    remarks = tuple(f"{path}: says how to read logs of an unknown format; check it" for path in learned)
    return InitResult(
        (*learned, *publish.create({**proposal.files, **repository.files}, root)),
        (*remarks, *proposal.remarks, *repository.remarks),
        proposal.campaigns,
        proposal.unknown_folders,
        tuple(publish.set_git_options(root, repository_files.GIT_OPTIONS) if repository.files else ()),
        layouts,
        extended,
    )


def _root(root: PathLike | None, place: str) -> Path:
    return Path.cwd() if root is None else one_path(root, f"{place}.root").resolve()


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


def _protocol(text: str, place: str) -> Protocol:
    return parse_protocol(one_name(text, f"{place}.protocol"), f"{place}.protocol")


def _single(where: Mapping[str, FactorValue] | None) -> dict[str, FactorValue]:
    return {name: values[0] for name, values in conditions(where, "where").items()}


def _table_where(where: RunWhere | None) -> dict[str, object]:
    """Return the key `where` of a table as a definition writes it."""
    return {
        name: {wanted.value: True} if isinstance(wanted := values[0], Presence) else list(values)
        for name, values in where_conditions(where, "table().where").items()
    }


def _lists(where: Where | None, place: str) -> dict[str, list[FactorValue]]:
    return {name: list(values) for name, values in conditions(where, place).items()}
