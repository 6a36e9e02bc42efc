"""Commands that look at logs and rules: runs, formats, rules, explain."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli.build_commands import FINDINGS, Strict
from reportgen.cli.terminal import plain, print_runs, print_table, progress, summary
from reportgen.core.errors import RequestError
from reportgen.render.text.english import count

if TYPE_CHECKING:
    from reportgen.formats.detection import Discovery
    from reportgen.load import LoadResult
    from reportgen.report.listing import Row
    from reportgen.sources.logfiles import LogFiles


class Listing(StrEnum):
    """How `runs` prints."""

    table = "table"
    csv = "csv"
    json = "json"


def runs(
    logs: Annotated[list[Path], typer.Argument(help="Files or folders of logs.")],
    format: Annotated[Listing, typer.Option(help="How to print.")] = Listing.table,
    protocol: Annotated[str, typer.Option(help="warm-up + measured steps x repeats")] = "20+100x7",
    strict: Strict = False,
) -> None:
    """List every run found in logs: format, status, factors, measured values, findings.

    \b
    Example: reportgen runs logs/
             reportgen runs logs/ --format json | jq '.runs[].measurements'
    """
    from reportgen.load import parse_logs
    from reportgen.protocol import parse_protocol
    from reportgen.report.listing import findings_of, rows
    from reportgen.sources.filesystem import resolve_existing

    rule = parse_protocol(protocol, "--protocol")
    paths = [resolve_existing(path) for path in logs]
    with progress() as show:
        parsed = parse_logs(
            paths,
            rows(rule, as_text=format is Listing.json),
            root=Path.cwd(),
            progress=lambda done, total: show("reading", done, total),
        )
    found = parsed.select(paths)
    _print(found, format)
    findings = findings_of(found.runs, found.findings)
    apart = () if format is Listing.json else found.findings
    summary(
        findings,
        f"{count(len(found.runs), 'run')}{_skipped([file.path for file in found.unrecognised])}",
        apart=apart,
    )
    if strict and any(f.severity != "note" for f in findings):
        raise typer.Exit(FINDINGS)


def _print(found: "LoadResult[Row]", format: Listing) -> None:
    """Print the runs to stdout."""
    from reportgen.report.listing import as_csv, as_table, json_of, listing, shared_factors

    if format is Listing.json:
        for part in json_of(found.runs, found.findings):
            print(part, end="")
        print()
    elif format is Listing.csv:
        print(as_csv(listing(found.runs, found.findings)), end="")
    else:
        document = listing(found.runs, found.findings)
        if shared := shared_factors(document):
            print(plain(f"all runs: {shared}\n"))
        print_runs(as_table(document))


_MAX_NAMED_FILES = 3


def _skipped(paths: Sequence[str]) -> str:
    if not paths:
        return ""
    more = ", ..." if len(paths) > _MAX_NAMED_FILES else ""
    return (
        f"; {count(len(paths), 'file')} skipped (unknown format): {', '.join(paths[:_MAX_NAMED_FILES])}{more}"
    )


def formats(
    explain: Annotated[
        Path | None, typer.Option(help="Say which formats claim this file or folder, and why.")
    ] = None,
) -> None:
    """List the log formats that can be read.

    \b
    Example: reportgen formats
             reportgen formats --explain logs/run7/train.log
    """
    from reportgen.formats.detection import discover
    from reportgen.formats.registry import FORMATS
    from reportgen.load.scan import scan_path
    from reportgen.sources.filesystem import resolve_existing

    if explain is None:
        print_table([("format", "reads"), *((known.name, known.summary) for known in FORMATS)])
        return
    files = scan_path(resolve_existing(explain), Path.cwd()).files
    found = discover(files)
    if not found.claimed:
        raise RequestError(str(explain), *_unclaimable(files, found))
    rows = [
        (f"{c.claim.confidence:.2f}", c.format.name, str(c.claim.source), c.claim.reason)
        for c in found.claimed
    ]
    print_table([("confidence", "format", "where", "because"), *rows])


def _unclaimable(files: "LogFiles", found: "Discovery") -> tuple[str, str]:
    """Return why no format claims a file or folder, and what to do."""
    from reportgen.formats.filetype import no_text

    if found.findings:
        return found.findings[0].message, "check its permissions"
    # A labels.toml, asked about by itself, is no log and not among the files.
    wrong = None if files.is_folder or not len(files) else no_text(files.head(files.path))
    return wrong or (
        "no format claims it",
        "see `reportgen formats` for what can be read, or have one proposed: reportgen learn FILE",
    )


def rules() -> None:
    """List the rules of findings, with what each of them says.

    \b
    Example: reportgen rules
    """
    from reportgen.core.rules import Rule

    meanings = [(rule, ", ".join(rule.severities), rule.summary) for rule in Rule]
    print_table([("rule", "severity", "meaning"), *meanings])


def explain(rule: Annotated[str, typer.Argument(help="The name of a rule, as findings print it.")]) -> None:
    """Print what a rule means, when it is raised, and what to do.

    \b
    Example: reportgen explain protocol.gap
    """
    from reportgen.core.rules import find_rule

    print(find_rule(rule).page, end="")
