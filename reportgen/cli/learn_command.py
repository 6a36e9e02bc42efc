"""The command that proposes a format from a sample: learn."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli.terminal import print_table, tell
from reportgen.core.errors import RequestError

if TYPE_CHECKING:
    from reportgen.learn import Proposal


def learn(
    file: Annotated[Path, typer.Argument(help="A log of the form to be learned.")],
    write: Annotated[
        Path | None, typer.Option(help="Accept: write labels.toml and a fixture into this folder.")
    ] = None,
) -> None:
    """Propose a format of one's own from a sample, and show what it matches.

    \b
    Example: reportgen learn logs/run7/train.log
             reportgen learn logs/run7/train.log --write logs
    """
    from reportgen import publish
    from reportgen.learn import propose_format
    from reportgen.sources.filesystem import resolve_existing
    from reportgen.sources.logfiles import LogFiles

    if file.is_dir():
        raise RequestError(str(file), "is a folder", "name one log in it")
    files, _ = LogFiles.at(resolve_existing(file), Path.cwd())
    try:
        proposal = propose_format(files)
    except OSError as error:
        raise RequestError(str(file), f"cannot be read: {(error.strerror or str(error)).lower()}") from None
    _show(proposal)
    if write is None:
        tell(f"accept with: reportgen learn {file} --write {file.parent}")
        return
    for name in proposal.files():
        if (write / name).exists() or (write / name).is_symlink():
            raise RequestError(
                str(write / name), "exists already", "nothing is overwritten; put [format] in by hand"
            )
    for path in publish.create(proposal.files(), write):
        print(f"new      {write / path}")
    tell(f"next: reportgen runs {file}")


def _show(proposal: "Proposal") -> None:
    from reportgen.report.listing import as_table

    print(f"{proposal.matched} of {proposal.lines} lines match:")
    print_table(proposal.records)
    if proposal.near_count:
        print(f"\nlines with the same words that do not match: {proposal.near_count}")
        print_table([(str(line), text) for line, text in proposal.near])
    print("\nwhat `runs` makes of it:")
    print_table(as_table(proposal.document))
    for run in proposal.document["runs"]:
        print_table([("metric", "value", "unit", "evidence"), *map(_measured, run["measurements"])])
    for note in proposal.notes:
        print(f"note: {note}")
    print(f"\n{proposal.toml}", end="")


def _measured(one: "dict[str, object]") -> tuple[str, ...]:
    return tuple(str(one[key]) for key in ("metric", "value", "unit", "evidence"))
