"""A set of runs: the result of `read`. Sets add up, and a condition that no run fulfils is refused."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, overload

from reportgen.core.errors import RequestError, check_known
from reportgen.core.factors import check_where, factor_key, matches
from reportgen.core.metrics import METRICS
from reportgen.core.model import STEP, Factors, FactorValue, Finding, Run
from reportgen.library.arguments import (
    Names,
    PathLike,
    Paths,
    RunCondition,
    existing_paths,
    names,
    one_name,
    one_path,
    shown,
    where_conditions,
)
from reportgen.library.case_set import CaseSet
from reportgen.load import join_runs, load_runs
from reportgen.load.unrecognised import UnrecognisedFile
from reportgen.protocol import (
    CaseRequest,
    MeasuredRuns,
    build_cases,
    check_metrics,
    check_quantities,
    parse_protocol,
)
from reportgen.protocol.conditions import OF_REPEATS
from reportgen.render.text.english import count

if TYPE_CHECKING:
    import pandas as pd

# Called with (files read, all files).
Progress = Callable[[int, int], None]


class RunSet(Sequence[Run]):
    """Runs, ordered by id. `findings` are about files and runs; `unrecognised` are the files in no format."""

    def __init__(
        self,
        runs: Iterable[Run],
        file_findings: Iterable[Finding] = (),
        unrecognised: Iterable[UnrecognisedFile] = (),
        measured: MeasuredRuns | None = None,
    ) -> None:
        self._runs = tuple(runs)
        self.file_findings = tuple(file_findings)
        self.unrecognised = tuple(unrecognised)
        self.measured = measured or MeasuredRuns()

    def __len__(self) -> int:
        return len(self._runs)

    @overload
    def __getitem__(self, index: int) -> Run: ...
    @overload
    def __getitem__(self, index: slice) -> "RunSet": ...
    def __getitem__(self, index: int | slice) -> "Run | RunSet":
        """Return a run, or the runs of a slice as a RunSet."""
        return self._part(self._runs[index]) if isinstance(index, slice) else self._runs[index]

    def __add__(self, other: "RunSet") -> "RunSet":
        """Return the runs of both sets. A run of both is there once, and copies of a log are marked."""
        if not isinstance(other, RunSet):
            return NotImplemented
        return RunSet(
            join_runs([*self, *other]),
            dict.fromkeys((*self.file_findings, *other.file_findings)),
            dict.fromkeys((*self.unrecognised, *other.unrecognised)),
        )

    def __repr__(self) -> str:
        return f"<RunSet: {self._summary()}>"

    def _summary(self) -> str:
        formats = ", ".join(sorted({run.format for run in self}))
        failed = sum(run.status != "complete" for run in self)
        parts = [count(len(self), "run"), *(f"{failed} not complete" for _ in range(failed > 0))]
        return ", ".join(parts) + (f" ({formats})" if formats else "")

    def _repr_html_(self) -> str:
        from reportgen.render.page.notebook import listing_html

        differing = _differing(self._runs)

        def row(run: Run) -> tuple[str, ...]:
            factors = (str(run.factors.get(name, "-")) for name in differing)
            warnings = sum(finding.severity != "note" for finding in run.findings)
            return (
                run.id,
                *factors,
                run.status.replace("_", " "),
                count(warnings, "warning") if warnings else "",
            )

        heads = ("run", *differing, "status", "findings")
        return listing_html(self._summary(), heads, map(row, self), len(self))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of files and of all runs, each once."""
        every = [*self.file_findings, *(finding for run in self for finding in run.findings)]
        return tuple(dict.fromkeys(every))

    def where(self, **factors: RunCondition) -> "RunSet":
        """Return the runs whose factors, format, status and repeat have these values.

        A list accepts each of its values; {"absent": True} accepts runs without the factor, {"present": True}
        those with any value. Raises RequestError for a name or a value that no run has.
        """
        wanted = where_conditions(factors, "where()")
        described = [_described(run) for run in self]
        check_where(wanted, described, "where()")
        return self._part(run for run, facts in zip(self, described, strict=True) if matches(facts, wanted))

    def cases(
        self,
        metric: str = "throughput",
        *,
        phase: str = STEP,
        protocol: str = "20+100x7",
        ignore: Names = (),
        split_repeats: bool = False,
    ) -> CaseSet:
        """Group the runs into cases (runs with equal factors are repeats) and measure each.

        ignore         factors in which the repeats of one case may differ
        split_repeats  make every repeat a case of its own, with the factor `repeat`
        Raises RequestError for a metric, a phase or a factor that no run has.
        """
        request = CaseRequest(
            one_name(metric, "cases().metric"),
            one_name(phase, "cases().phase"),
            parse_protocol(one_name(protocol, "cases().protocol"), "cases().protocol"),
            names(ignore, "cases().ignore"),
            split_repeats,
        )
        self._check(request)
        return self.build_cases(request)

    def build_cases(self, request: CaseRequest) -> CaseSet:
        """Return the cases of a request whose names are known to be right."""
        return CaseSet(build_cases(self, request, self.measured))

    def available(self) -> set[tuple[str, str]]:
        """Return the pairs of metric and phase that the runs have data of."""
        return {pair for run in self for pair in self.measured.of(run).available()}

    def to_dataframe(self, *, environment: bool = False) -> "pd.DataFrame":
        """Return one row per run with its factors, and with `environment` what it ran on."""
        from reportgen.tables.dataframes import runs_frame

        return runs_frame(self._runs, environment=environment)

    def _check(self, request: CaseRequest) -> None:
        """Raise RequestError for a name that no run has."""
        check_factors(request.ignore, self, "cases().ignore")
        if available := self.available():
            check_quantities("cases()", [request.metric], [request.phase], available, len(self))
        elif not self:
            check_metrics("cases()", [request.metric], METRICS, 0)

    def _part(self, runs: Iterable[Run]) -> "RunSet":
        return RunSet(runs, self.file_findings, self.unrecognised, self.measured)


def check_factors(ignored: Iterable[str], runs: Sequence[Run], place: str) -> None:
    """Raise RequestError for a factor that no run has, unless repeats are compared by it (a condition)."""
    known = {*(name for run in runs for name in run.factors), *OF_REPEATS}
    for position, name in enumerate(ignored):
        check_known(f"{place}[{position}]", "factor", name, known)


def read_runs(paths: Paths, root: PathLike | None, progress: Progress | None, place: str) -> RunSet:
    """Return all runs below files and folders; see `api.read`. place: of the paths, in messages."""
    folder = Path.cwd() if root is None else one_path(root, f"{place}.root").resolve()
    loaded = load_runs(existing_paths(paths, place, progress), root=folder, progress=progress)
    return RunSet(loaded.runs, loaded.findings, loaded.unrecognised)


def run_set_of(runs: "RunSet | Paths | Iterable[Run]", place: str) -> RunSet:
    """Return runs as a set; paths are read. Raises RequestError for anything else."""
    if isinstance(runs, RunSet):
        return runs
    if isinstance(runs, str | Path):
        return read_runs(runs, None, None, place)
    remedy = "pass what read() returns, a list of runs, or paths of logs"
    if not isinstance(runs, Iterable):
        raise RequestError(place, f"expected runs, got {shown(runs)}", remedy)
    members = list(runs)
    paths = [each for each in members if isinstance(each, str | Path)]
    if paths and len(paths) == len(members):
        return read_runs(paths, None, None, place)
    for position, each in enumerate(members):
        if not isinstance(each, Run):
            what = "a path among runs" if isinstance(each, str | Path) else "not a run"
            raise RequestError(f"{place}[{position}]", f"{shown(each)} is {what}", remedy)
    return RunSet(each for each in members if isinstance(each, Run))


def _described(run: Run) -> Factors:
    repeat = {} if run.repeat is None else {"repeat": run.repeat}
    return {"format": run.format, "status": run.status, **repeat, **run.factors}


def _differing(runs: Sequence[Run]) -> list[str]:
    """Return the factors in which runs differ, in order of appearance; all of a single run."""
    every = dict.fromkeys(name for run in runs for name in run.factors)
    if len(runs) < 2:
        return list(every)
    return [name for name in every if len({_key(run, name) for run in runs}) > 1]


def _key(run: Run, name: str) -> tuple[str, FactorValue] | None:
    return factor_key(run.factors[name]) if name in run.factors else None
