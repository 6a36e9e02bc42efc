"""The command `history`: how the numbers of a table developed over the commits of the repository."""

import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli.options import conditions, split_table
from reportgen.cli.terminal import log, print_table, progress, sanitize, terminal_width
from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.factors import AcceptedValues

if TYPE_CHECKING:
    from reportgen.history.points import CellHistory

# More cells than this are only summarised; --row and --column choose some.
_MAX_DETAILED = 3
_PIPED_WIDTH = 100
# The default: the commits of the repository. Everything else is read from the logs.
COMMIT = "commit"


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
    ] = COMMIT,
    reports: Annotated[Path, typer.Option(help="Folder of report definitions.")] = Path("reports"),
    format: Annotated[HistoryFormat, typer.Option(help="How to print it.")] = HistoryFormat.TEXT,
) -> None:
    """Print how the numbers of a table developed over the commits, and where they changed.

    \b
    Example: reportgen history study/times
             reportgen history study/times --row model=a --format markdown
             reportgen history study/times --by driver

    A point is a commit that measured the number anew; its value is the median of the runs that the commit
    adds. A step is marked ^, a slow drift ~, with what else changed there: driver, versions, findings, the
    baseline of a ratio. Reads the report.json files of the commits and builds nothing; with another --by, it
    reads the logs, and a point has all repeats of one date, driver or value of a factor.
    """
    from reportgen.core.change_points import ChangePointRule
    from reportgen.history.commits import ReportStates, cell_histories, read_states
    from reportgen.history.document import csv_text, json_text, markdown_text
    from reportgen.history.points import with_changes

    rule, states = ChangePointRule(), ReportStates(())
    rows, columns = conditions(row, "--row"), conditions(column, "--column")
    if by == COMMIT:
        folder, id = _place(reports, table)
        states = read_states(folder)
        chosen = cell_histories(states, id, rows, columns)
    else:
        chosen = _from_logs(reports, table, by, rows, columns)
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
    """Return the folder of the report and the id of the table."""
    if not reports.is_dir():
        raise RequestError(str(reports), "no such folder", "name it with --reports")
    name, id = split_table(table)
    built = sorted(path.parent.name for path in reports.glob("*/report.json"))
    if name not in built:
        raise RequestError(table, f'no built report is called "{name}"', did_you_mean(name, built))
    return reports / name, id


def _from_logs(
    reports: Path,
    table: str,
    by: str,
    rows: Mapping[str, AcceptedValues],
    columns: Mapping[str, AcceptedValues],
) -> "list[CellHistory]":
    from reportgen import pipeline
    from reportgen.history.logs import log_histories

    name, id = split_table(table)
    request = pipeline.Request(reports.resolve().parent, reports)
    with progress() as show:
        report = pipeline.assemble_report(request, name, show)
    return log_histories(report, id, by, rows, columns)


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
