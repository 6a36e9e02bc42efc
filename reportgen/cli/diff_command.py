"""The command `diff`: what a branch changes in the committed reports."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli.comparison_output import OutputFormat, print_comparison
from reportgen.cli.options import one_of
from reportgen.cli.terminal import log
from reportgen.core.errors import RequestError, did_you_mean

if TYPE_CHECKING:
    from reportgen.diff.changes import Diff

FAILED = 5


def diff(
    base: Annotated[
        str | None,
        typer.Argument(
            metavar="[BASE]", help="A branch, tag or commit; its last commit that HEAD contains counts."
        ),
    ] = None,
    reports: Annotated[Path, typer.Option(help="Folder of report definitions.")] = Path("reports"),
    format: Annotated[
        OutputFormat,
        typer.Option(help="How to print it.", parser=one_of(OutputFormat), metavar="|".join(OutputFormat)),
    ] = OutputFormat.TEXT,
    fail_on: Annotated[
        str | None,
        typer.Option(
            metavar="KINDS",
            help="Exit with 5 on any of: slower, faster, likely-slower, likely-faster, undecided, "
            "no-repeats, not-comparable, invalid, warning, edited, gone, protocol, acceptance; separated by "
            "commas.",
        ),
    ] = None,
    threshold: Annotated[
        str, typer.Option(metavar="PERCENT", help="Smaller differences of speed do not fail: 2%.")
    ] = "0%",
    textconv: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Print a report.json as stable lines instead, for `git diff`."),
    ] = None,
) -> None:
    """Print what a branch changes: slower, faster, how sure.

    \b
    Example: reportgen diff
             reportgen diff main --format markdown
             reportgen diff --fail-on slower,not-comparable,invalid,edited,gone,protocol,acceptance
             git config diff.reportgen.textconv "reportgen diff --textconv"

    Compares the report.json files of the working tree with those of the merge base; builds nothing. Without
    BASE, the branch is that of the pull request (in CI), else the default branch.
    """
    from reportgen import api

    if textconv is not None:
        _print_lines(textconv)
        return
    kinds, share = _kinds(fail_on or ""), _share(threshold)
    result = api.diff_reports(base or "", reports=reports)
    print_comparison(result, format)
    _exit(result.diff, kinds, share)


def _print_lines(file: Path) -> None:
    """Print the lines of a report.json; a file that is none (with conflicts, of another version) as it is."""
    from reportgen.diff.lines import report_lines
    from reportgen.document.encode import decode

    try:
        content = file.read_bytes()
    except OSError as error:
        raise RequestError(str(file), f"cannot be read: {error.strerror}", "name a report.json") from None
    try:
        report = decode(content, str(file))
    except RequestError:
        sys.stdout.write(content.decode("utf-8", "replace"))
        return
    sys.stdout.write("".join(f"{line}\n" for line in report_lines(report)))


def _kinds(text: str) -> list[str]:
    from reportgen.diff.failures import KINDS

    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in KINDS:
            raise RequestError(
                "--fail-on", f'no kind of change is called "{name}"', did_you_mean(name, KINDS)
            )
    return names


def _share(text: str) -> float:
    number = text.strip().removesuffix("%").strip()
    try:
        share = float(number) / 100
    except ValueError:
        share = -1.0
    if not 0 <= share < 1:
        raise RequestError("--threshold", f'"{text}" is not a percentage below 100', "write it as 2%")
    return share


def _exit(diff: "Diff", kinds: list[str], threshold: float) -> None:
    from reportgen.diff.failures import failures_of

    failed = failures_of(diff, kinds, threshold)
    if failed:
        log(f"failed: {', '.join(failed)}")
        raise typer.Exit(FAILED)
