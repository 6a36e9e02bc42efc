"""The command that finds the numbers of documents in logs: audit."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from reportgen.cli.build_commands import FINDINGS
from reportgen.cli.options import one_of
from reportgen.cli.terminal import log, print_table, progress
from reportgen.core.errors import RequestError


class AuditFormat(StrEnum):
    """How `audit` prints."""

    text = "text"
    json = "json"
    markdown = "markdown"


def audit(
    files: Annotated[list[Path], typer.Argument(help="Documents: Markdown, HTML or CSV.")],
    logs: Annotated[
        list[Path] | None,
        typer.Option(help="Files or folders of logs and published tables; may be repeated. [default: logs/]"),
    ] = None,
    results: Annotated[
        list[Path] | None,
        typer.Option(help="Result files: CSV with a head, JSON, report.json; may be repeated."),
    ] = None,
    reports: Annotated[
        Path, typer.Option(help="Folder of reports, whose protocols, totals and ratios are used too.")
    ] = Path("reports"),
    format: Annotated[
        AuditFormat,
        typer.Option(help="How to print.", parser=one_of(AuditFormat), metavar="|".join(AuditFormat)),
    ] = AuditFormat.text,
    everything: Annotated[
        bool, typer.Option("--all", help="List every number, not only those that differ.")
    ] = False,
    html: Annotated[
        Path | None, typer.Option(help="Write the documents with every number marked into this new file.")
    ] = None,
    fix: Annotated[
        bool, typer.Option("--fix", help="Print a definition whose tables replace the hand-made ones.")
    ] = False,
) -> None:
    """Compare the numbers of hand-made tables and texts with logs.

    \b
    Example: reportgen audit README.md
             reportgen audit results.csv --logs ~/campaign --format json
             reportgen audit paper.md --results results.json
             reportgen audit README.md --fix > reports/readme.toml

    Exits with 4 if a number differs or is the number of another place. A number without a confident match has
    no source; it is not accused.
    """
    from reportgen import api, publish
    from reportgen.audit import CellVerdict, definition, listing, markup

    if html is not None and (html.exists() or html.is_symlink()):
        raise RequestError(str(html), "exists already", "nothing is overwritten; name a new file")
    with progress() as show:
        result = api.audit_files(
            files,
            logs=logs,
            results=results or (),
            reports=reports,
            progress=lambda done, total: show("reading", done, total),
        )
    documents = result.documents
    empty = [each.document.name for each in documents if not each.judgements]
    if len(empty) == len(documents):
        raise RequestError(", ".join(empty), "has no table with numbers", "name a document that has one")
    for name in empty:
        log(f"{name}: no table with numbers")
    if html is not None:
        publish.create({html.name: markup.to_html(documents).encode()}, html.parent)
        log(f"open {html}")
    if fix:
        print(definition.propose_definition(documents, result.evidence), end="")
    elif format is AuditFormat.json:
        print(listing.to_json(documents))
    elif format is AuditFormat.markdown:
        print(listing.to_markdown(documents), end="")
    else:
        table = listing.rows(documents, everything=everything)
        if len(table) > 1:
            print_table(table)
    log(listing.counts_text(documents))
    if any(document.counts[verdict] for document in documents for verdict in CellVerdict.wrong()):
        raise typer.Exit(FINDINGS)
