"""The command that proposes a custom format from a sample log: learn."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli.options import Format, TextOrJson, print_document
from reportgen.cli.terminal import log, print_runs, print_table

if TYPE_CHECKING:
    from reportgen.learn import Proposal


def learn(
    file: Annotated[Path, typer.Argument(help="A sample log in the unknown format.")],
    write: Annotated[
        Path | None, typer.Option(help="Accept: write labels.toml and a fixture into this folder.")
    ] = None,
    format: Format = TextOrJson.TEXT,
) -> None:
    """Propose a custom format from a sample log, and show what it matches.

    \b
    Example: reportgen learn logs/run7/train.log
             reportgen learn logs/run7/train.log --write logs
    """
    from reportgen import api

    learned = api.learn_format(file, write=write)
    if format is TextOrJson.TEXT:
        _print_proposal(learned.proposal)
        for path in learned.written:
            print(f"new      {path}")
    else:
        print_document(**learned.proposal.document(), written=learned.written)
    accept = f"accept with: reportgen learn {file} --write {file.parent}"
    log(accept if write is None else f"next: reportgen runs {file}")


def _print_proposal(proposal: "Proposal") -> None:
    print(f"{proposal.matched} of {proposal.lines} lines match:")
    print_table(proposal.records)
    if proposal.near_miss_count:
        print(f"\nlines with the same words that do not match: {proposal.near_miss_count}")
        print_table([(str(line), text) for line, text in proposal.near_misses])
    print("\nwhat `runs` makes of it:")
    print_runs(proposal.listing.to_rows())
    for run in proposal.listing.runs:
        values = [(each.metric, str(each.value), each.unit, each.evidence) for each in run.measurements]
        print_table([("metric", "value", "unit", "evidence"), *values])
    for note in proposal.notes:
        print(f"note: {note}")
    print(f"\n{proposal.toml}", end="")
