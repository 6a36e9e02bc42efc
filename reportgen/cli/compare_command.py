"""The command `compare`: two sets of logs against each other, without a definition."""

from typing import Annotated

import typer

from reportgen.cli.comparison_output import OutputFormat, print_comparison
from reportgen.cli.options import Where, conditions, one_of
from reportgen.cli.terminal import log, progress


def compare(
    first: Annotated[
        str,
        typer.Argument(metavar="A", help="A: a file or folder of logs; PATH@COMMIT: as it was at a commit."),
    ],
    second: Annotated[
        str | None, typer.Argument(metavar="[B]", help="B: what is compared with A; by default A itself.")
    ] = None,
    where: Where = None,
    a: Annotated[
        list[str] | None, typer.Option("--a", metavar="FACTOR=VALUE", help="Of A, only these runs.")
    ] = None,
    b: Annotated[
        list[str] | None, typer.Option("--b", metavar="FACTOR=VALUE", help="Of B, only these runs.")
    ] = None,
    metric: Annotated[
        str | None, typer.Option(help="By default the first speed that both have: throughput, step_time, ...")
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option(metavar="FACTOR", help="May differ between two cases of a pair.")
    ] = None,
    phase: Annotated[str, typer.Option(help="Phase of the step.")] = "step",
    protocol: Annotated[str, typer.Option(help="warm-up + measured steps x repeats")] = "20+100x7",
    format: Annotated[
        OutputFormat,
        typer.Option(help="How to print it.", parser=one_of(OutputFormat), metavar="|".join(OutputFormat)),
    ] = OutputFormat.TEXT,
) -> None:
    """Compare two sets of logs: B against A, with verdicts.

    \b
    Example: reportgen compare logs/before logs/after
             reportgen compare logs/ --a device=A40 --b device=H100 --where devices=8
             reportgen compare logs@main logs

    Cases with equal factors are compared. Factors named by --a and --b may differ, and so may factors that
    have one value in all of A and another one in all of B.
    """
    from reportgen import api

    with progress() as show:
        result = api.compare_runs(
            first,
            second,
            where=conditions(where),
            a=conditions(a, "--a"),
            b=conditions(b, "--b"),
            metric=metric,
            ignore=ignore or (),
            phase=phase,
            protocol=protocol,
            progress=show,
        )
    print_comparison(result, format)
    if metric is None:
        chosen = result.diff.rows[0].comparison.own.metric
        log(f"compared: {chosen} ({phase}); choose another by --metric and --phase")
