"""The commands render and schema: a report from its report.json alone, and the schema of that file."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from reportgen.cli.terminal import log


def render(
    document: Annotated[
        Path, typer.Argument(help="A report.json, written by reportgen or by another program.")
    ],
    out: Annotated[Path, typer.Option(help="Folder to write to; the report gets a folder in it.")],
    standalone: Annotated[
        bool, typer.Option(help="Put everything into the page, as one file to mail.")
    ] = False,
) -> None:
    """Write the files of a report from its report.json alone.

    \b
    Example: reportgen render reports/jade2/report.json --out /tmp/pages

    No log and no definition is needed. Files with steps are copied from beside the report.json, if they are
    there. `reportgen schema` prints what a report.json contains.
    """
    from reportgen import api

    written = api.render(document, out, standalone=standalone)
    for path in written.missing:
        log(f"warning  {path} is not beside {document}: the page has no steps of its runs")
    for change in written.changes:
        print(f"{change.what:<8} {out / change.path}")


def schema() -> None:
    """Print the JSON Schema of report.json.

    \b
    Example: reportgen schema > report.schema.json
    """
    from reportgen import api

    sys.stdout.write(api.json_schema())
