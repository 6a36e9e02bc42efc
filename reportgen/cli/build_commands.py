"""Commands that make reports: build, check, init, expected."""

from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec import structs

from reportgen.cli import watching
from reportgen.cli.build_output import log_acceptance, print_json, print_lines, print_numbers
from reportgen.cli.log_edits import LogEdits, find_log_edits
from reportgen.cli.log_messages import (
    log_skipped,
    log_unknown_folders,
    log_unread,
    skipped_files,
    unexplained_files,
)
from reportgen.cli.options import Format, Scheduler, TextOrJson, parse_condition, parsing_at, print_document
from reportgen.cli.remembered import NO_CACHE
from reportgen.cli.terminal import log, progress, sanitize, summarize
from reportgen.core.errors import RequestError
from reportgen.core.rules import Rule
from reportgen.render.text.english import count

if TYPE_CHECKING:
    from reportgen.api import BuildResult, InitResult
    from reportgen.publish import Change

STALE, FINDINGS, NOT_ACCEPTED = 3, 4, 6

Reports = Annotated[Path, typer.Argument(help="Folder of report definitions; its parent is the repository.")]
Logs = Annotated[
    Path | None, typer.Option(help="Read these logs instead of those that the definitions name.")
]
Out = Annotated[Path | None, typer.Option(help="Write generated files here, not into the reports folder.")]
Strict = Annotated[bool, typer.Option("--strict", help="Exit with 4 if there are findings above notes.")]
Diff = Annotated[bool, typer.Option("--diff", help="Print the changed lines of Markdown files.")]
NoCache = Annotated[bool, typer.Option(NO_CACHE, help="Make every report again, also if nothing changed.")]
Verbose = Annotated[bool, typer.Option("--verbose", help="Name every file that was skipped or not read.")]


def build(
    reports: Reports = Path("reports"),
    logs: Logs = None,
    out: Out = None,
    strict: Strict = False,
    verbose: Verbose = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Build again after each change of an input, until Ctrl-C.")
    ] = False,
    standalone: Annotated[
        bool, typer.Option("--standalone", help="Put everything into each index.html, as one file to mail.")
    ] = False,
    no_cache: NoCache = False,
    scheduler: Scheduler = None,
    format: Format = TextOrJson.TEXT,
) -> None:
    """Build every report: tables, figures, pages, README.

    \b
    Example: reportgen build reports/
             reportgen build reports/ --watch
             reportgen build reports/ --logs ~/campaign --out /tmp/report
             reportgen build reports/ --standalone --out /tmp/mail

    Prints the numbers that change, old and new, before anything is written, and one line for each file that
    changed. Nothing is written if any definition is wrong. Exits with 6 if a rule of acceptance does not
    hold.
    """

    def build_once() -> "BuildResult":
        return build_and_print(
            reports,
            logs=logs,
            out=out,
            strict=strict,
            verbose=verbose,
            standalone=standalone,
            cache=not no_cache,
            scheduler=scheduler,
            format=format,
        )

    if not watch:
        _exit(build_once(), strict)
        return
    with suppress(KeyboardInterrupt):
        watching.watch(reports, logs, lambda: build_once().reports)


def build_and_print(
    reports: Path,
    *,
    logs: Path | None = None,
    out: Path | None = None,
    strict: bool = False,
    verbose: bool = False,
    standalone: bool = False,
    cache: bool = True,
    scheduler: str | None = None,
    format: TextOrJson = TextOrJson.TEXT,
) -> "BuildResult":
    """Build, and print changes, unread logs and findings; `build` explains the parameters."""
    from reportgen import api
    from reportgen.report.run_counts import are_complete, count_by_status

    is_text = format is TextOrJson.TEXT
    with parsing_at(scheduler) as executor, progress() as show:
        result = api.build(
            reports,
            logs=logs,
            out=out,
            standalone=standalone,
            cache=cache,
            executor=executor,
            progress=show,
            review=print_numbers if is_text else None,
        )
    for change in result.changes if is_text else ():
        _print_change(change)
    if not is_text:
        print_json(result, LogEdits())
    log_unknown_folders(result.logs.unknown_folders, result.base, logs)
    log_unread(result.logs.unread, verbose=verbose)
    if verbose:
        log_skipped(result.logs.unrecognised)
    what = f"{count(len(result.reports), 'report')}, {count(len(result.changes), 'file')} changed"
    if not are_complete(result.logs.statuses):
        what += f"; {count_by_status('run', result.logs.statuses)}"
    what += skipped_files(unexplained_files(result.logs), "--verbose")
    listed = result.findings if strict else result.logs.findings
    summarize(result.findings, what, listed=listed, more="the reports")
    log_acceptance(result.reports)
    log(f"open {(out or reports) / 'index.html'}")
    return result


def _print_change(change: "Change") -> None:
    # A figure that was edited by hand has been drawn again.
    is_redrawn = change.what == "edited" and not change.kept
    print(sanitize(f"{'changed' if is_redrawn else change.what:8} {change.path}"))
    if change.kept:
        place = PurePosixPath(change.path).with_name(change.kept)
        log(f"{change.path}: replaced a text that was edited by hand; it is kept in {place}")


def check(
    reports: Reports = Path("reports"),
    logs: Logs = None,
    out: Out = None,
    strict: Strict = False,
    allow_log_edits: Annotated[
        bool, typer.Option("--allow-log-edits", help="Only name committed logs that were edited or deleted.")
    ] = False,
    diff: Diff = False,
    no_cache: NoCache = False,
    scheduler: Scheduler = None,
    format: Format = TextOrJson.TEXT,
) -> None:
    """Compare the committed files with what `build` would write.

    \b
    Example: reportgen check reports/
             reportgen check reports/ --diff

    Prints the numbers that `build` would change, old and new. Exits with 3 if any file is stale, edited by
    hand, missing, left over or unknown, or if a committed log was edited or deleted since the merge base, and
    with 6 if a rule of acceptance does not hold.
    """
    from reportgen import api

    with parsing_at(scheduler) as executor, progress() as show:
        result = api.build(
            reports, logs=logs, out=out, check=True, cache=not no_cache, executor=executor, progress=show
        )
    edits = find_log_edits(reports, result.reports) if logs is None and out is None else LogEdits()
    if format is TextOrJson.JSON:
        print_json(result, edits)
    else:
        for change in result.changes:
            print(sanitize(f"{_STATES[change.what]:9} {change.path}"))
        edits.print_states()
        print_numbers(result)
        print_lines(result.lines if diff else ())
    what = f"{count(len(result.reports), 'report')}, {count(result.files, 'file')}"
    summarize(result.findings, what, listed=result.findings if strict else (), more="the reports")
    log_acceptance(result.reports)
    command = f"reportgen build {reports}"
    command += "".join(f" {option} {path}" for option, path in (("--logs", logs), ("--out", out)) if path)
    _log_repair(result, command)
    if not allow_log_edits:
        edits.log_remedy()
    if result.changes or (edits.states and not allow_log_edits):
        raise typer.Exit(STALE)
    _exit(result, strict)


def _log_repair(result: "BuildResult", command: str) -> None:
    """Log how to bring the files up to date."""
    if result.changes:
        are = "file is" if len(result.changes) == 1 else "files are"
        log(f"{len(result.changes):,} {are} out of date; run: {command}")
    edited = [finding for finding in result.problems if finding.rule == Rule.PUBLISH_EDITED]
    if edited:
        log(
            f"{count(len(edited), 'table')} edited by hand, which `build` leaves alone; "
            f"undo the edit, or delete the sum from the end marker and run: {command}"
        )
    if result.is_up_to_date:
        log("up to date")


# What `check` calls a file that `build` would write, change or remove.
_STATES = {
    "new": "missing",
    "changed": "stale",
    "edited": "edited",
    "conflict": "conflict",
    "removed": "left over",
}


def expected(
    target: Annotated[str, typer.Argument(help="The system whose speed is asked for.")],
    reference: Annotated[str, typer.Argument(help="The system it is compared with.")],
    where: Annotated[
        list[str] | None, typer.Option(help="factor=value, e.g. devices=8; may be repeated")
    ] = None,
    reports: Annotated[Path, typer.Option(help="Folder with expected.toml.")] = Path("reports"),
    format: Format = TextOrJson.TEXT,
) -> None:
    """Print how fast one system should be relative to another.

    \b
    Example: reportgen expected V100-LS A40 --where devices=8 --where precision=fp32
    """
    from reportgen import api
    from reportgen.core.units import text

    path = reports / "expected.toml"
    factors = dict(map(parse_condition, where or []))
    speed = api.expected_speed(target, reference, where=factors, expected=path)
    if speed is None:
        raise RequestError(
            f"{target} : {reference}", "no facts lead from one to the other", f"add one to {path}"
        )
    if format is TextOrJson.JSON:
        print_document(**structs.asdict(speed))
        return
    conditions = ", ".join(f"{name} = {' or '.join(map(str, values))}" for name, values in speed.where)
    print(
        f"{target} should run at {text(speed.speed)} x the speed of {reference}"
        + (f" ({conditions})" if conditions else "")
    )
    if speed.low != speed.high:
        print(f"between {text(speed.low)} and {text(speed.high)} over {len(speed.paths)} paths")
    for edge in (edge for edges in speed.paths for edge in edges):
        read = f", read {edge.read}" if edge.read else ""
        fact = f"{edge.of} : {edge.to} = {text(edge.speed)}{edge.origin_text}"
        print(f"  {fact}  {edge.source}{read}  {edge.url}".rstrip())
        if edge.differs:
            print(f"    the cases also differ in {', '.join(edge.differs)}")


def init(
    reports: Reports = Path("reports"),
    pick: Annotated[
        int, typer.Option(min=1, help="Use the layout of this number: 1 is the best.", show_default=False)
    ] = 1,
    explain: Annotated[
        bool, typer.Option("--explain", help="Print the layouts with their scores, and write nothing.")
    ] = False,
    format: Format = TextOrJson.TEXT,
) -> None:
    """Look at logs/ and write definitions to start from.

    \b
    Example: reportgen init reports/

    Existing files are not changed. If only their paths distinguish runs, a labels.toml that names the folders
    is written beside the logs. At the top of a git repository, a workflow, .gitattributes and .gitignore are
    written, too.
    """
    from reportgen import api

    result = api.init(reports, pick=pick, explain=explain)
    if format is TextOrJson.JSON:
        print_document(
            written=result.written, remarks=result.remarks, campaigns=result.campaigns, layouts=result.layouts
        )
    elif explain:
        _print_layouts(result)
        return
    else:
        _print_written(result)
    for remark in result.remarks:
        log(remark)
    log_unknown_folders(result.unknown_folders, reports.resolve().parent)
    if result.campaigns:
        log(f"next: reportgen build {reports}" if result.written else "nothing to do: every file exists")
    else:
        before = "after that" if result.unknown_folders else "put logs there, then"
        log(f"no runs below logs/; {before}: reportgen build {reports}")


def _print_layouts(result: "InitResult") -> None:
    for path, layouts in result.layouts.items():
        print(path)
        for number, layout in enumerate(layouts, start=1):
            print(f"{number:3}  {layout}")


def _print_written(result: "InitResult") -> None:
    for path in result.written:
        print(f"new      {path}")
    for path in result.extended:
        print(f"changed  {path}")
    for name in result.git_options:
        print(f"set      git config {name}")


def _exit(result: "BuildResult", strict: bool) -> None:
    if result.problems:
        raise typer.Exit(STALE)
    if not result.is_accepted:
        raise typer.Exit(NOT_ACCEPTED)
    if strict and any(finding.severity != "note" for finding in result.findings):
        raise typer.Exit(FINDINGS)
