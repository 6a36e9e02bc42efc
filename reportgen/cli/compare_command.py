"""The command `compare`: two sets of logs against each other, without a definition."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli.comparison_output import OutputFormat, print_comparison
from reportgen.cli.options import Where, conditions
from reportgen.cli.terminal import log, progress
from reportgen.core.errors import RequestError
from reportgen.core.factors import check_where
from reportgen.core.metrics import METRICS
from reportgen.core.model import Factors
from reportgen.render.text.english import count

if TYPE_CHECKING:
    from reportgen.api import CaseSet, RunSet
    from reportgen.diff.sections import Endpoint

_LABELS = "labels.toml"


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
    format: Annotated[OutputFormat, typer.Option(help="How to print it.")] = OutputFormat.TEXT,
) -> None:
    """Compare the cases of two sets of logs: B against A, with verdicts.

    \b
    Example: reportgen compare logs/before logs/after
             reportgen compare logs/ --a device=A40 --b device=H100 --where devices=8
             reportgen compare logs@main logs

    Cases with equal factors are compared. Factors named by --a and --b may differ, and so may factors that
    have one value in all of A and another one in all of B.
    """
    if second is None and not a and not b:
        raise RequestError("compare", "nothing to compare A with", "name B, or two parts of A by --a and --b")
    sides = _Side("A", first, a or ()), _Side("B", second or first, b or ())
    with ExitStack() as stack:
        runs = [_read(side, where or (), stack) for side in sides]
        cases = _cases(runs, metric, phase, protocol)
    _print(sides, cases, ignore or (), format)
    if metric is None:
        log(f"compared: {cases[0][0].metric} ({phase}); choose another by --metric and --phase")


@dataclass(frozen=True, slots=True)
class _Side:
    """One side as the user names it: `PATH` or `PATH@COMMIT`, and conditions."""

    name: str
    logs: str
    conditions: Sequence[str]

    @property
    def option(self) -> str:
        return f"--{self.name.lower()}"


def _read(side: _Side, where: Sequence[str], stack: ExitStack) -> "RunSet":
    """Return the runs of a side; the logs of a commit are read from a temporary folder."""
    from reportgen import api

    path, at, commit = side.logs.rpartition("@")
    is_commit = bool(at and path and not Path(side.logs).exists())
    place, root = _checked_out(Path(path), commit, stack) if is_commit else (Path(side.logs), None)
    with progress() as show:
        runs = api.read(
            place, root=root, progress=lambda done, total: show(f"reading {side.logs}", done, total)
        )
    wanted = {**conditions(where), **conditions(side.conditions, side.option)}
    if not runs:
        raise RequestError(side.logs, "has no runs", f"see: reportgen runs {side.logs}")
    check_where(wanted, [run.factors for run in runs], side.logs)
    return runs.where(**wanted) if wanted else runs


def _checked_out(path: Path, commit: str, stack: ExitStack) -> tuple[Path, Path]:
    """Return the path and root of logs as they were at a commit, in a temporary folder."""
    from reportgen.publish import temporary_folder
    from reportgen.sources.git import open_repository

    repository = open_repository(Path.cwd())
    folder = repository.path_of(path)
    files = repository.read_folder(repository.resolve(commit), folder, _LABELS)
    if not any(name == folder or name.startswith(f"{folder}/") or not folder for name in files):
        raise RequestError(f"{path}@{commit}", "no such file or folder at this commit", "check the path")
    root = stack.enter_context(temporary_folder(files))
    return root / folder, root


def _cases(runs: "Sequence[RunSet]", metric: str | None, phase: str, protocol: str) -> "list[CaseSet]":
    """Return the cases of both sides; of the first speed that both have unless a metric is named."""
    speeds = [name for name, known in METRICS.items() if known.is_speed]
    for name in [metric] if metric else speeds:
        sets = [side.cases(name, phase=phase, protocol=protocol) for side in runs]
        if all(any(case.summary for case in cases) for cases in sets):
            return sets
    what = f"{metric or 'speed'} of the phase {phase} under the protocol {protocol}"
    raise RequestError("compare", f"A and B have no {what} in common", "see: reportgen runs A B")


def _print(
    sides: Sequence[_Side], cases: "Sequence[CaseSet]", ignored: Sequence[str], format: OutputFormat
) -> None:
    from reportgen.diff.case_sets import compare_case_sets

    apart = [*ignored, *(name for side in sides for name in conditions(side.conditions, side.option))]
    result = compare_case_sets(cases[0], cases[1], apart)
    if not result.diff.rows:
        names = ", ".join(result.disjoint)
        fact = "no case of B has the factors of one case of A"
        fact += f"; no value of {names} is in both" if names else ""
        example = f"--ignore {result.disjoint[0]}" if names else "--ignore FACTOR"
        raise RequestError("compare", fact, f"see reportgen runs, and leave factors out with {example}")
    warnings = [each for each in (*cases[0].findings, *cases[1].findings) if each.severity != "note"]
    notes = [*result.diff.notes]
    if warnings:
        logs = " ".join(dict.fromkeys(side.logs.partition("@")[0] for side in sides))
        notes.append(f"{count(len(warnings), 'warning')} about these cases: reportgen runs {logs}.")
    factors = result.old_factors, result.new_factors
    old, new = (_endpoint(side, own) for side, own in zip(sides, factors, strict=True))
    print_comparison(replace(result.diff, notes=tuple(notes)), old, new, format)


def _endpoint(side: _Side, factors: Factors) -> "Endpoint":
    from reportgen.diff.cells import heading_text
    from reportgen.diff.sections import Endpoint

    parts = heading_text(dict(factors))
    return Endpoint("", f"{side.name}: {side.logs}{f' ({parts})' if parts else ''}")
