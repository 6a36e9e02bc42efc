"""The command why: one cell of a report, from its formula to the lines of the logs, and why it is slower."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli.comparison_output import OutputFormat
from reportgen.cli.options import one_of, split_table
from reportgen.cli.terminal import print_table, progress, sanitize

if TYPE_CHECKING:
    from reportgen.render.markdown.cell_chain import CellSection


def why(
    table: Annotated[
        str,
        typer.Argument(
            metavar="TABLE", help="REPORT/TABLE, with the facet if it has one: jade2/against-a40/8."
        ),
    ],
    row: Annotated[
        str,
        typer.Argument(help="Head of the row as printed, words of it, or factor=value, separated by commas."),
    ] = "",
    column: Annotated[str, typer.Argument(help="Head of the column in the same way, or its quantity.")] = "",
    reports: Annotated[Path, typer.Option(help="Folder of report definitions.")] = Path("reports"),
    format: Annotated[
        OutputFormat,
        typer.Option(help="How to print it.", parser=one_of(OutputFormat), metavar="|".join(OutputFormat)),
    ] = OutputFormat.TEXT,
) -> None:
    """Print where a number comes from, and why it is slower.

    \b
    Example: reportgen why jade2/against-a40/8 "ImageNet, Train, whole_step" slowdown
             reportgen why jade2/phases "TN, A40, 8, ImageNet, Train" forward --format markdown

    The cell is printed with its formula, its cases, and their runs with the measured steps and the lines of
    the logs. If it has a baseline and the logs time phases, the difference follows, in parts that add up.
    Row and column may be left out where the table has only one.
    """
    from reportgen import api

    with progress() as show:
        report, id = split_table(table)
        explained = api.explain_cell(report, id, row, column, reports=reports, progress=show)
    if format is OutputFormat.JSON:
        sys.stdout.write(explained.to_json())
    elif format is OutputFormat.MARKDOWN:
        sys.stdout.write(explained.to_markdown())
    else:
        for position, section in enumerate(explained.sections):
            _print_section(section, is_first=position == 0)


def _print_section(section: "CellSection", *, is_first: bool) -> None:
    if not is_first:
        print()
    print(sanitize(section.title))
    rows = [section.heads, *section.rows] if section.heads else section.rows
    print_table([("", *row) for row in rows])
