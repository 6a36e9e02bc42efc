"""The command `history`: how the numbers of a table developed over the commits of the repository."""

import sys
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli.terminal import log, print_table, sanitize, terminal_width
from reportgen.cli.where_option import conditions
from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.factors import matches

if TYPE_CHECKING:
    from reportgen.diff.snapshot import StoredCell
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
    reports: Annotated[Path, typer.Option(help="Folder of report definitions.")] = Path("reports"),
    format: Annotated[HistoryFormat, typer.Option(help="How to print it.")] = HistoryFormat.TEXT,
) -> None:
    """Print how the numbers of a table developed over the commits, and where they changed.

    \b
    Example: reportgen history study/times
             reportgen history study/times --row model=a --format markdown

    A point is a commit that measured the number anew; its value is the median of the runs that the commit
    adds. A step is marked ^, a slow drift ~, with what else changed there: driver, versions, findings, the
    baseline of a ratio. Reads the report.json files of the commits; builds nothing.
    """
    from reportgen.core.change_points import ChangePointRule
    from reportgen.history.commits import cell_histories, read_states
    from reportgen.history.document import csv_text, json_text, markdown_text
    from reportgen.history.points import with_changes

    folder, id = _place(reports, table)
    rule = ChangePointRule()
    states = read_states(folder)
    chosen = cell_histories(states, id, _filter(row, column))
    if not chosen:
        raise RequestError(table, "no number in these rows and columns", "check --row and --column")
    histories = [with_changes(each, rule) for each in chosen]
    width = _width()
    if format is HistoryFormat.JSON:
        sys.stdout.write(json_text(histories, states.notes, rule))
    elif format is HistoryFormat.CSV:
        sys.stdout.write(csv_text(histories))
    elif format is HistoryFormat.MARKDOWN:
        sys.stdout.write(markdown_text(histories, states.notes, width))
    else:
        _print_text(histories, width)
    if format in (HistoryFormat.TEXT, HistoryFormat.CSV):
        for note in states.notes:
            log(f"note  {note}")


def _place(reports: Path, table: str) -> tuple[Path, str]:
    """Return the folder of the report and the id of the table, which may have a "/" for its facet."""
    if not reports.is_dir():
        raise RequestError(str(reports), "no such folder", "name it with --reports")
    built = sorted(path.parent.relative_to(reports).as_posix() for path in reports.rglob("report.json"))
    name = next((name for name in built if table.startswith(f"{name}/")), None)
    if name is None:
        given = table.partition("/")[0]
        raise RequestError(table, f'no built report is called "{given}"', did_you_mean(given, built))
    return reports / name, table.removeprefix(f"{name}/")


def _filter(row: list[str] | None, column: list[str] | None) -> "Callable[[StoredCell], bool]":
    rows, columns = conditions(row, "--row"), conditions(column, "--column")
    return lambda cell: matches(cell.row, rows) and matches(cell.column, columns)


def _width() -> int:
    return max(20, (terminal_width() or _PIPED_WIDTH) - 4)


def _print_text(histories: "Sequence[CellHistory]", width: int) -> None:
    from reportgen.history.document import COLUMNS, point_rows, summary_lines

    for history in histories:
        for line in summary_lines(history, width):
            print(sanitize(line))
        if len(histories) <= _MAX_DETAILED and history.points:
            print()
            print_table([COLUMNS, *point_rows(history)])
            print()
    if len(histories) > _MAX_DETAILED:
        log("--row and --column choose cells; up to 3 are printed with all points")
