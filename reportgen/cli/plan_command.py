"""The command plan: the runs that would settle what a report leaves undecided."""

from pathlib import Path
from typing import Annotated

import typer

from reportgen.cli.terminal import log, progress, sanitize


def plan(
    report: Annotated[
        str, typer.Argument(metavar="REPORT[/TABLE]", help="All that it leaves open; with ROW, one cell.")
    ],
    row: Annotated[str, typer.Argument(help="Head of the row, as for `why`.")] = "",
    column: Annotated[str, typer.Argument(help="Head of the column, as for `why`.")] = "",
    write: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the file instead of printing it.")
    ] = None,
    logs: Annotated[str, typer.Option(help="New folder that the runs go to.")] = "logs/plan",
    rounds: Annotated[
        int | None, typer.Option(min=1, help="Instead of as many as would settle all of them.")
    ] = None,
    reports: Annotated[Path, typer.Option(help="Folder of report definitions.")] = Path("reports"),
) -> None:
    """Write the sweep that would settle undecided comparisons.

    \b
    Example: reportgen plan roberta --write plan.toml
             reportgen plan roberta/precisions "roberta-base" bf16 --rounds 12 --write plan.toml
             python -m collectors sweep plan.toml

    The options of each case are those of the command that its log records, so only runs of the collectors'
    workloads can be planned. For other programs: python -m collectors run --repeats 7 --against 'OLD' -- NEW
    """
    from reportgen import api

    with progress() as show:
        planned = api.plan_runs(
            report, row, column, logs=logs, rounds=rounds, write=write, reports=reports, progress=show
        )
    for text in planned.plan.unplanned:
        log(f"not planned: {sanitize(text)}")
    if write is None:
        print(sanitize(planned.toml.rstrip()))
    log(planned.summary)
