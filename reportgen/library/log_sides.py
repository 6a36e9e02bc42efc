"""Two sets of logs against each other, without a definition: the two sides, their cases, the comparison.

A side is a set of runs, a path, or `PATH@COMMIT`: the logs as they were at a commit.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from reportgen.core.errors import RequestError, check_known
from reportgen.core.factors import Where, check_where, matches
from reportgen.core.metrics import METRICS
from reportgen.core.model import Factors, Run
from reportgen.diff.case_sets import compare_case_sets
from reportgen.diff.cells import heading_text
from reportgen.diff.sections import Endpoint
from reportgen.library.case_set import CaseSet
from reportgen.library.result_diff import ResultDiff
from reportgen.library.run_set import RunSet, check_factors, read_runs, run_set_of
from reportgen.protocol import CaseRequest, Protocol, check_quantities
from reportgen.publish import temporary_folder
from reportgen.render.text.english import count
from reportgen.sources.git import open_repository

_LABELS = "labels.toml"

# Called with (what, done, total).
TrackReading = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class LogSide:
    """One side as the user names it.

    name  A or B; logs  a path, PATH@COMMIT or runs; conditions  of this side alone
    """

    name: str
    logs: "str | Path | RunSet | Iterable[Run]"
    conditions: Where

    @property
    def text(self) -> str:
        """The name of its logs in messages."""
        return str(self.logs) if isinstance(self.logs, str | Path) else "runs"


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """The metric, phase and protocol of a comparison.

    metric  None for the first speed that both sides have; ignore  factors that may differ within a pair
    """

    metric: str | None
    phase: str
    protocol: Protocol
    ignore: Sequence[str]


def compare_sides(
    sides: tuple[LogSide, LogSide],
    where: Where,
    request: CompareRequest,
    progress: TrackReading | None = None,
) -> ResultDiff:
    """Return how the cases of the second side compare with the first side.

    Raises RequestError for names that no run has, for a side without runs, and if no two cases are alike.
    """
    with ExitStack() as stack:
        runs = [_read(side, where, stack, progress) for side in sides]
        check_factors(request.ignore, [*runs[0], *runs[1]], "compare.ignore")
        cases = _cases(runs, request)
    apart = [*request.ignore, *(name for side in sides for name in side.conditions)]
    result = compare_case_sets(cases[0], cases[1], apart)
    if not result.diff.rows:
        raise _nothing_alike(result.disjoint)
    warnings = [each for each in (*cases[0].findings, *cases[1].findings) if each.severity != "note"]
    notes = [*result.diff.notes]
    if warnings:
        logs = " ".join(dict.fromkeys(side.text.partition("@")[0] for side in sides))
        notes.append(f"{count(len(warnings), 'warning')} about these cases: reportgen runs {logs}.")
    old, new = (
        _endpoint(*each) for each in zip(sides, (result.old_factors, result.new_factors), strict=True)
    )
    return ResultDiff(replace(result.diff, notes=tuple(notes)), old, new)


def _read(side: LogSide, where: Where, stack: ExitStack, progress: TrackReading | None) -> RunSet:
    """Return the runs of a side; the logs of a commit are read from a temporary folder."""
    runs = _runs_of(side, stack, progress)
    if not runs:
        raise RequestError(side.text, "has no runs", f"see: reportgen runs {side.text}")
    wanted = {**where, **side.conditions}
    check_where(wanted, [run.factors for run in runs], side.text)
    return RunSet((run for run in runs if matches(run.factors, wanted)), measured=runs.measured)


def _runs_of(side: LogSide, stack: ExitStack, progress: TrackReading | None) -> RunSet:
    if not isinstance(side.logs, str | Path):
        return run_set_of(side.logs, f"compare.{side.name}")
    path, at, commit = side.text.rpartition("@")
    is_commit = bool(at and path and not Path(side.text).exists())
    place, root = _checked_out(Path(path), commit, stack) if is_commit else (Path(side.text), None)

    def show(done: int, total: int) -> None:
        if progress:
            progress(f"reading {side.text}", done, total)

    return read_runs(place, root, show, f"compare.{side.name}")


def _checked_out(path: Path, commit: str, stack: ExitStack) -> tuple[Path, Path]:
    """Return the path and root of logs as they were at a commit, in a temporary folder."""
    repository = open_repository(Path.cwd())
    folder = repository.path_of(path)
    files = repository.read_folder(repository.resolve(commit), folder, _LABELS)
    if not any(name == folder or name.startswith(f"{folder}/") or not folder for name in files):
        raise RequestError(f"{path}@{commit}", "no such file or folder at this commit", "check the path")
    root = stack.enter_context(temporary_folder(files))
    return root / folder, root


def _cases(runs: Sequence[RunSet], request: CompareRequest) -> list[CaseSet]:
    """Return the cases of both sides; of the first speed that both have unless a metric is named."""
    available = {pair for side in runs for pair in side.available()}
    total = sum(map(len, runs))
    if request.metric is not None:
        check_quantities("compare", [request.metric], [request.phase], available, total)
    else:
        check_known("compare.phase", "phase", request.phase, {phase for _, phase in available})
    speeds = [name for name, known in METRICS.items() if known.is_speed]
    for name in [request.metric] if request.metric else speeds:
        sets = [side.build_cases(CaseRequest(name, request.phase, request.protocol)) for side in runs]
        if all(any(case.summary for case in cases) for cases in sets):
            return sets
    what = f"{request.metric or 'speed'} of the phase {request.phase}"
    fact = f"A and B have no {what} under the protocol {request.protocol.name} in common"
    raise RequestError("compare", fact, "see: reportgen runs A B")


def _nothing_alike(disjoint: Sequence[str]) -> RequestError:
    names = ", ".join(disjoint)
    fact = "no case of B has the factors of one case of A"
    fact += f"; no value of {names} is in both" if names else ""
    example = f"--ignore {disjoint[0]}" if names else "--ignore FACTOR"
    return RequestError("compare", fact, f"see reportgen runs, and leave factors out with {example}")


def _endpoint(side: LogSide, factors: Factors) -> Endpoint:
    parts = heading_text(dict(factors))
    return Endpoint("", f"{side.name}: {side.text}{f' ({parts})' if parts else ''}")
