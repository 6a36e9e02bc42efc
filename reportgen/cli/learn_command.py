"""The command that proposes a custom format from a sample log: learn."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli.options import Format, TextOrJson, print_document
from reportgen.cli.terminal import log, print_runs, print_table
from reportgen.core.errors import RequestError

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
    from reportgen.learn import propose_format
    from reportgen.sources.filesystem import resolve_existing
    from reportgen.sources.logfiles import LogFiles

    if file.is_dir():
        raise RequestError(str(file), "is a folder", "name one log in it")
    files, _ = LogFiles.at(resolve_existing(file), Path.cwd())
    try:
        proposal = propose_format(files)
    except OSError as error:
        fact = f"cannot be read: {(error.strerror or str(error)).lower()}"
        raise RequestError(str(file), fact, "check its permissions") from None
    if format is TextOrJson.TEXT:
        _print_proposal(proposal)
    written = [] if write is None else _write(proposal, write)
    if format is TextOrJson.JSON:
        print_document(**proposal.document(), written=written)
    for path in written if format is TextOrJson.TEXT else ():
        print(f"new      {path}")
    accept = f"accept with: reportgen learn {file} --write {file.parent}"
    log(accept if write is None else f"next: reportgen runs {file}")


def _write(proposal: "Proposal", folder: Path) -> list[str]:
    """Write labels.toml and the fixture, and return their paths; nothing is overwritten."""
    from reportgen import publish

    for name in proposal.files():
        if (folder / name).exists() or (folder / name).is_symlink():
            raise RequestError(
                str(folder / name), "exists already", "nothing is overwritten; add [format] by hand"
            )
    return [str(folder / path) for path in publish.create(proposal.files(), folder)]


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
