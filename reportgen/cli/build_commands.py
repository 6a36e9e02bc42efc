"""Commands that make reports: build, check, init, expected."""

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli.terminal import plain, progress, summary, tell
from reportgen.core.errors import RequestError
from reportgen.core.factors import parse_scalar
from reportgen.render.text.english import count

if TYPE_CHECKING:
    from reportgen.core.model import Run
    from reportgen.load import LoadResult
    from reportgen.load.unrecognised import UnknownFolder
    from reportgen.pipeline import Build, Request
    from reportgen.publish import Change

STALE, FINDINGS = 3, 4

Reports = Annotated[Path, typer.Argument(help="Folder of report definitions; its parent is the repository.")]
Logs = Annotated[
    Path | None, typer.Option(help="Read these logs instead of those that the definitions name.")
]
Out = Annotated[Path | None, typer.Option(help="Write generated files here, not into the reports folder.")]
Strict = Annotated[bool, typer.Option("--strict", help="Exit with 4 if there are findings above notes.")]


def build(
    reports: Reports = Path("reports"), logs: Logs = None, out: Out = None, strict: Strict = False
) -> None:
    """Build every report: tables, figures, pages, and the tables marked in the README.

    \b
    Example: reportgen build reports/
             reportgen build reports/ --logs ~/campaign --out /tmp/report

    Prints one line for each file that changed. Nothing is written if any definition is wrong.
    """
    from reportgen import publish

    request, made = _made(reports, logs, out)
    changes = _below(
        request, publish.apply(made.files, request.target, owned=publish.owned_files(request.target))
    )
    changes += publish.apply(made.injected, request.root, owned=made.injected)
    for change in changes:
        # A figure that was edited by hand has been drawn anew.
        print(plain(f"{'changed' if change.what == 'edited' else change.what:8} {change.path}"))
    _tell_unknown(made.unknown_folders, request.base, request.logs)
    summary(made.findings, f"{count(len(made.reports), 'report')}, {count(len(changes), 'file')} changed")
    _exit_on(made, strict)


def check(
    reports: Reports = Path("reports"), logs: Logs = None, out: Out = None, strict: Strict = False
) -> None:
    """Say whether what is committed is what `build` would write; write nothing.

    \b
    Example: reportgen check reports/

    Exits with 3 if any file is stale, edited by hand, missing or left over.
    """
    from reportgen import publish

    request, made = _made(reports, logs, out)
    changes = _below(
        request, publish.compare(made.files, request.target, owned=publish.owned_files(request.target))
    )
    changes += publish.compare(made.injected, request.root, owned=made.injected)
    for change in changes:
        print(plain(f"{_STATES[change.what]:9} {change.path}"))
    summary(made.findings, f"{count(len(made.reports), 'report')}, {count(len(made.files), 'file')}")
    _tell_repair(request, len(changes), len(made.problems))
    if changes:
        raise typer.Exit(STALE)
    _exit_on(made, strict)


# What `check` calls a file that `build` would write, change or remove.
_STATES = {"new": "missing", "changed": "stale", "edited": "edited", "removed": "left over"}


def _below(request: "Request", changes: "Sequence[Change]") -> "list[Change]":
    """Return the changes with paths as a reader finds them: relative to the repository, or to `--out`."""
    folder = request.place if request.out is None else request.out.as_posix()
    return [replace(change, path=f"{folder}/{change.path}") for change in changes]


def _tell_repair(request: "Request", stale: int, edited: int) -> None:
    command = f"reportgen build {request.reports}"
    command += "".join(f" {o} {p}" for o, p in (("--logs", request.logs), ("--out", request.out)) if p)
    if stale:
        differ = "file is not as it is built" if stale == 1 else "files are not as they are built"
        tell(f"{stale:,} {differ}; repair with: {command}")
    if edited:
        tell(
            f"{count(edited, 'table')} edited by hand, which `build` leaves alone; "
            f"undo the edit, or delete the sum from the end marker and run: {command}"
        )
    if not stale and not edited:
        tell("up to date")


def expected(
    target: Annotated[str, typer.Argument(help="The system in question.")],
    reference: Annotated[str, typer.Argument(help="The system it is compared with.")],
    where: Annotated[
        list[str] | None, typer.Option(help="factor=value, e.g. devices=8; may be repeated")
    ] = None,
    reports: Annotated[Path, typer.Option(help="Folder with expected.toml.")] = Path("reports"),
) -> None:
    """Print how fast one system should be against another, with every path and source.

    \b
    Example: reportgen expected V100-LS A40 --where devices=8 --where precision=fp32
    """
    from reportgen.core.units import text
    from reportgen.report.computed_facts import compute_facts, expect_logs
    from reportgen.report.log_reader import LogReader
    from reportgen.report.settings import EXPECTED, read_expected
    from reportgen.tables.expected import expected_speed, resolve_open_factors

    place = f"{reports}/{EXPECTED}"
    if not (reports / EXPECTED).is_file():
        raise RequestError(
            place, "no such file", "write systems and facts into it; see docs/reference/definitions.md"
        )
    knowledge, facts = read_expected(reports / EXPECTED, place)
    reader = LogReader(reports.resolve().parent)
    expect_logs(facts, reader)
    knowledge = compute_facts(knowledge, facts, reader)
    knowledge.check(target, "TARGET")
    knowledge.check(reference, "REFERENCE")
    factors = resolve_open_factors(knowledge, dict(_pair(pair) for pair in where or []), "--where")
    found = expected_speed(knowledge, target, reference, factors)
    if found is None:
        raise RequestError(
            f"{target} : {reference}", "no facts lead from one to the other", f"add one to {place}"
        )
    given = ", ".join(f"{name} = {value}" for name, value in factors.items())
    print(
        f"{target} should run at {text(found.speed)} x the speed of {reference}" + (given and f" ({given})")
    )
    if found.low != found.high:
        print(f"between {text(found.low)} and {text(found.high)} over {len(found.paths)} paths")
    for path in found.paths:
        for step in path:
            read = f", read {step.read}" if step.read else ""
            print(f"  {step.of} : {step.to} = {text(step.speed)}  {step.source}{read}  {step.url}".rstrip())


def init(reports: Reports = Path("reports")) -> None:
    """Look at logs/ and write definitions to start from; nothing that exists is touched.

    \b
    Example: reportgen init reports/

    Where only their paths tell runs apart, a labels.toml that names the folders is written beside the logs.
    """
    from reportgen import publish
    from reportgen.autolayout.scaffold import starters

    _check_folder(reports)
    root = reports.resolve().parent
    loaded, campaigns = _load_campaigns(root)
    files, remarks = starters(reports.resolve().name, campaigns, partial(_is_there, root))
    written = publish.create(files, root)
    for path in written:
        print(f"new      {path}")
    for remark in remarks:
        tell(remark)
    unknown = loaded.unknown_folders("logs") if loaded else []
    _tell_unknown(unknown, root)
    if not campaigns:
        before = "after that" if unknown else "put logs there, then"
        tell(f"no runs below logs/; {before}: reportgen init {reports}")
    else:
        tell("nothing to do: all of it is there" if not written else f"next: reportgen build {reports}")


def _check_folder(reports: Path) -> None:
    """Raise RequestError for a folder that holds logs in place of definitions: nothing is written there."""
    from reportgen.autolayout.scaffold import holds_logs

    if reports.is_dir() and holds_logs(reports.resolve(), reports.resolve().parent):
        raise RequestError(
            str(reports),
            "holds logs and no definition",
            "name a folder for reports: reportgen init reports/ "
            "(for logs that lie elsewhere than in logs/: reportgen build reports/ --logs DIR)",
        )


def _tell_unknown(folders: "Sequence[UnknownFolder]", base: Path, logs: Path | None = None) -> None:
    """Print each folder of logs in an unknown format, with the remedy.

    base  that the paths are relative to; logs  as the user named them, None for logs/
    """
    for folder in folders:

        def shown(path: str) -> str:
            if logs is None:
                return path
            return Path(logs, Path(os.path.relpath(base / path, logs.resolve()))).as_posix()

        files = count(folder.count, "file")
        example = shlex.quote(shown(folder.largest))
        tell(f"{shown(folder.path)}: unknown format ({files}); try: reportgen learn {example}")


def _made(reports: Path, logs: Path | None, out: Path | None) -> "tuple[Request, Build]":
    from reportgen.pipeline import Request
    from reportgen.pipeline import build as make

    if reports.is_file():
        raise RequestError(
            str(reports), "is a file, not a folder of definitions", f"name its folder: {reports.parent}"
        )
    request = Request(reports.resolve().parent, reports, logs, out)
    with progress() as told:
        return request, make(request, told)


def _load_campaigns(root: Path) -> "tuple[LoadResult[Run] | None, Mapping[str, Sequence[Run]]]":
    """Return what logs/ holds, and the runs of each campaign in it: folder -> runs."""
    from reportgen.report.log_reader import LogReader

    if not (root / "logs").is_dir():
        return None, {}
    reader = LogReader(root)
    reader.expect("logs", "logs")
    campaigns = {folder: reader.load([folder]).runs for folder in reader.campaigns("logs")}
    return reader.load(["logs"]), {folder: runs for folder, runs in campaigns.items() if runs}


def _is_there(root: Path, path: str) -> bool:
    """Tell whether a file is there, or lies behind a link, through which nothing is written."""
    place = root / path
    return os.path.lexists(place) or place.parent.is_symlink()


def _pair(text: str) -> tuple[str, str | int | float | bool]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise RequestError("--where", f'"{text}" is not factor=value', "write it as --where devices=8")
    words = {"true": True, "false": False}
    return name, words[value] if value in words else parse_scalar(value)


def _exit_on(made: "Build", strict: bool) -> None:
    if made.problems:
        raise typer.Exit(STALE)
    if strict and any(finding.severity != "note" for finding in made.findings):
        raise typer.Exit(FINDINGS)
