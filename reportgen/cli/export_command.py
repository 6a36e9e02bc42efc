"""The command export: the steps of logs, or their values, as a Parquet file."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from reportgen.cli.options import one_of
from reportgen.cli.terminal import log, progress
from reportgen.render.text.english import count


class RowKind(StrEnum):
    """The kind of rows."""

    steps = "steps"
    runs = "runs"


def export(
    file: Annotated[Path, typer.Argument(help="The Parquet file to write.", metavar="FILE.parquet")],
    logs: Annotated[Path, typer.Argument(help="A file or folder of logs.")] = Path("logs"),
    rows: Annotated[
        RowKind | None,
        typer.Option(
            help="A row for each step, or each value of a run; by default as the file is called.",
            parser=one_of(RowKind),
            metavar="|".join(RowKind),
        ),
    ] = None,
    protocol: Annotated[str, typer.Option(help="warm-up + measured steps x repeats")] = "20+100x7",
) -> None:
    """Write steps or values of logs as a Parquet table, for DuckDB, Polars and pandas.

    \b
    Example: reportgen export steps.parquet logs/
             reportgen export runs.parquet logs/
             duckdb -c "select run, median(value) from 'steps.parquet' where phase = 'step' group by run"

    Steps of failed and profiled runs are there, too, with the columns `status` and `profiler`; copies are not
    marked. Each step has its file and line. `runs --format csv` has the same rows of runs. Values are in base
    units. Needs the extra `parquet`.
    """
    from reportgen import api

    with progress() as show:
        written = api.export(
            file,
            logs,
            rows=rows.value if rows else None,
            protocol=protocol,
            progress=lambda done, total: show("reading", done, total),
        )
    log(f"{file}: {count(written.rows, 'row')} of {count(written.runs, 'run')}")
    if written.problems:
        log(f"{count(written.problems, 'file')} gave no run: see reportgen runs {logs}")
