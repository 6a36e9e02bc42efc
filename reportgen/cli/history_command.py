"""The command `history`: how the numbers of a table developed over the commits of the repository."""

import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli.options import conditions, one_of, split_table
from reportgen.cli.terminal import log, print_table, progress, sanitize, terminal_width

if TYPE_CHECKING:
    from reportgen.history.points import CellHistory

# More cells than this are only summarised; --row and --column choose some.
_MAX_DETAILED = 3
_PIPED_WIDTH = 100


class HistoryFormat(StrEnum):
    """How histories are printed."""

    TEXT = "text"
    MARKDOWN = "markdown"
    CSV = "csv"
    JSON = "json"


def history(
    table: Annotated[str, typer.Argument(metavar="TABLE", help="REPORT/TABLE, as `check` names its cells.")],
    row: Annotated[
        list[str] | None, typer.Option(metavar="FACTOR=VALUE", help="Only rows with it; may be repeated.")
    ] = None,
    column: Annotated[
        list[str] | None, typer.Option(metavar="FACTOR=VALUE", help="Only columns with it; may be repeated.")
    ] = None,
    by: Annotated[
        str,
        typer.Option(help="commit (of the repository), or what the logs say: date, a factor, driver, ..."),
    ] = "commit",
    reports: Annotated[Path, typer.Option(help="Folder of report definitions.")] = Path("reports"),
    format: Annotated[
        HistoryFormat,
        typer.Option(help="How to print it.", parser=one_of(HistoryFormat), metavar="|".join(HistoryFormat)),
    ] = HistoryFormat.TEXT,
) -> None:
    """Print how the numbers of a table changed over the commits.

    \b
    Example: reportgen history study/times
             reportgen history study/times --row model=a --format markdown
             reportgen history study/times --by driver

    A point is a commit that measured the number anew; its value is the median of the runs that the commit
    adds. A step is marked ^, a slow drift ~, with what else changed there: driver, versions, findings, the
    baseline of a ratio. Reads the report.json files of the commits and builds nothing; with another --by, it
    reads the logs, and a point has all repeats of one date, driver or value of a factor.
    """
    from reportgen import api

    name, id = split_table(table)
    with progress() as show:
        result = api.table_history(
            name,
            id,
            row=conditions(row, "--row"),
            column=conditions(column, "--column"),
            by=by,
            reports=reports,
            progress=show,
        )
    width = _width()
    if format is HistoryFormat.JSON:
        sys.stdout.write(result.to_json())
    elif format is HistoryFormat.CSV:
        sys.stdout.write(result.to_csv())
    elif format is HistoryFormat.MARKDOWN:
        sys.stdout.write(result.to_markdown(width))
    else:
        _print_text(result.cells, width)
    if format in (HistoryFormat.TEXT, HistoryFormat.CSV):
        for note in result.notes:
            log(f"note  {note}")


def _width() -> int:
    return max(20, (terminal_width() or _PIPED_WIDTH) - 4)


def _print_text(histories: "Sequence[CellHistory]", width: int) -> None:
    from reportgen.history.document import COLUMNS, point_rows, summary_lines

    is_brief = len(histories) > _MAX_DETAILED
    for history in histories:
        for line in summary_lines(history, width, is_brief=is_brief):
            print(sanitize(line))
        if not is_brief and history.points:
            print()
            print_table([COLUMNS, *point_rows(history)])
            print()
    if is_brief:
        log(f"--row and --column choose cells; up to {_MAX_DETAILED} are printed with all points")
