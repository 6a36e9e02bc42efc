"""Commands that look at logs and rules: runs, formats, rules, explain."""

import csv
import sys
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli.build_commands import FINDINGS, Strict
from reportgen.cli.log_messages import how_to_learn, skipped_files
from reportgen.cli.options import (
    Format,
    Scheduler,
    TextOrJson,
    Where,
    conditions,
    one_of,
    parsing_at,
    print_document,
)
from reportgen.cli.remembered import NO_CACHE
from reportgen.cli.terminal import print_runs, print_table, progress, summarize
from reportgen.core.plain_text import spreadsheet

if TYPE_CHECKING:
    from reportgen.core.rules import Rule
    from reportgen.report.listing import RunListing


class ListingFormat(StrEnum):
    """How `runs` prints."""

    table = "table"
    csv = "csv"
    json = "json"


def runs(
    logs: Annotated[list[Path], typer.Argument(help="Files, folders, archives or addresses of logs.")],
    format: Annotated[
        ListingFormat,
        typer.Option(help="How to print.", parser=one_of(ListingFormat), metavar="|".join(ListingFormat)),
    ] = ListingFormat.table,
    protocol: Annotated[str, typer.Option(help="warm-up + measured steps x repeats")] = "20+100x7",
    where: Where = None,
    sort: Annotated[
        str,
        typer.Option(
            help="Order of the table: run, status, measured or a factor; --sort=-measured: largest first."
        ),
    ] = "run",
    skipped: Annotated[
        bool, typer.Option("--skipped", help="List the files that became no run instead of the runs.")
    ] = False,
    strict: Strict = False,
    scheduler: Scheduler = None,
    no_cache: Annotated[bool, typer.Option(NO_CACHE, help="Read the logs, also if none changed.")] = False,
) -> None:
    """List the runs found in logs, with their values and findings.

    \b
    Example: reportgen runs logs/
             reportgen runs logs/ --where devices=8 --sort=-measured
             reportgen runs logs/ --format json | jq '.runs[].measurements'
             reportgen runs s3://bucket/campaign

    Runs of one format with equal factors share a row: r*.log stands for all of them, with their median and
    range. Runs whose files or folders have different names, apart from counters and dates, do not. In csv and
    json each run is by itself.
    """
    from reportgen import api
    from reportgen.load import relaxed_gc
    from reportgen.report.run_counts import count_by_status

    with relaxed_gc():
        with parsing_at(scheduler) as executor, progress() as show:
            listing = api.list_runs(
                logs,
                protocol=protocol,
                progress=lambda done, total: show("reading", done, total),
                cache=not no_cache,
                executor=executor,
            ).where(conditions(where))
        if skipped and format is not ListingFormat.json:
            _print_skipped(listing.skipped_rows(), format)
        else:
            _print_listing(listing, format, sort)
        findings = listing.findings
        listed = () if format is ListingFormat.json else listing.file_findings
        what = count_by_status("run", listing.statuses)
        what += skipped_files(listing.unrecognised, "--skipped")
        what += "" if listing.statuses else how_to_learn(listing.unrecognised)
        summarize(findings, what, listed=listed)
    if strict and any(finding.severity != "note" for finding in findings):
        raise typer.Exit(FINDINGS)


def _print_listing(listing: "RunListing", format: ListingFormat, sort: str) -> None:
    if format is ListingFormat.json:
        sys.stdout.writelines(listing.json_parts())
        print()
    elif format is ListingFormat.csv:
        print(listing.to_csv(), end="")
    else:
        print_runs(listing.to_rows(sort))


def _print_skipped(rows: list[tuple[str, ...]], format: ListingFormat) -> None:
    if format is ListingFormat.csv:
        safe = [[spreadsheet(cell) for cell in row] for row in rows]
        csv.writer(sys.stdout, lineterminator="\n").writerows(safe)
    else:
        print_table(rows)


def formats(
    explain: Annotated[
        Path | None, typer.Option(help="Print the formats that recognise this file or folder, and why.")
    ] = None,
    format: Format = TextOrJson.TEXT,
) -> None:
    """List the log formats that can be read.

    \b
    Example: reportgen formats
             reportgen formats --explain logs/run7/train.log
    """
    from reportgen import api
    from reportgen.formats.registry import FORMATS

    if explain is None:
        if format is TextOrJson.JSON:
            print_document(formats=[{"format": known.name, "reads": known.summary} for known in FORMATS])
            return
        print_table([("format", "reads"), *((known.name, known.summary) for known in FORMATS)])
        return
    claims = api.detect_all(explain, required=True)
    if format is TextOrJson.JSON:
        print_document(claims=[asdict(claim) for claim in claims])
        return
    rows = [(f"{each.confidence:.2f}", each.format, str(each.source), each.reason) for each in claims]
    print_table([("confidence", "format", "where", "because"), *rows])


def rules(format: Format = TextOrJson.TEXT) -> None:
    """List the rules of findings with their severities and meanings.

    \b
    Example: reportgen rules
    """
    from reportgen.core.rules import Rule

    if format is TextOrJson.JSON:
        print_document(rules=[_described(rule) for rule in Rule])
        return
    meanings = [(rule, ", ".join(rule.severities), rule.summary) for rule in Rule]
    print_table([("rule", "severity", "meaning"), *meanings])


def _described(rule: "Rule") -> dict[str, object]:
    return {"rule": rule, "severities": rule.severities, "meaning": rule.summary}


def explain(
    rule: Annotated[str, typer.Argument(help="The name of a rule, as findings print it.")],
    format: Format = TextOrJson.TEXT,
) -> None:
    """Print what a rule means, when it is raised, and what to do.

    \b
    Example: reportgen explain protocol.gap
    """
    from reportgen import api

    known = api.explain_rule(rule)
    if format is TextOrJson.JSON:
        print_document(**_described(known), page=known.page)
    else:
        print(known.page, end="")
