"""Build runs, table definitions and logs for tests, and pick values out of runs.

A builder fills in the simplest valid value for every argument that a test omits. `read_log` and its companions
read a log from memory the way a build does: the log must be recognised by its content, by one format only.
"""

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, count
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from reportgen.autolayout.report_plan import ReportPlan
from reportgen.core.model import (
    STEP,
    Aggregate,
    Break,
    Case,
    Clock,
    Finding,
    Measurement,
    Run,
    Series,
    Source,
    Status,
    Telemetry,
)
from reportgen.formats.base import Format
from reportgen.formats.detection import detect
from reportgen.formats.registry import FORMATS
from reportgen.protocol import CaseRequest, MeasuredRun, Protocol, build_cases, measure_run, try_measure
from reportgen.protocol.available import NO_TOTALS, Totals
from reportgen.protocol.window import MeasuredWindow
from reportgen.sources.logfiles import LogFiles
from reportgen.tables.spec import TableSpec

# A protocol that three steps satisfy: one of warm-up, two measured.
SHORT = Protocol("1+2x1", warmup=1, measure=2, repeats=1)

_published_lines = count(1)


# Runs and their parts


def series(
    value: Sequence[float],
    phase: str = "step",
    *,
    metric: str = "step_time",
    rank: int = 0,
    clock: Clock = "host",
    step: Sequence[int] | None = None,
    span: int | Sequence[int] = 1,
    samples: float | Sequence[float] = float("nan"),
    begin: Sequence[float] | None = None,
    breaks: tuple[Break, ...] = (),
) -> Series:
    """Return a series; steps count up from 1 by their span, line 2 holds the first entry."""
    n = len(value)
    spans = np.full(n, span) if isinstance(span, int) else np.array(span, dtype=np.int64)
    return Series(
        metric=metric,
        phase=phase,
        rank=rank,
        clock=clock,
        step=np.cumsum(spans) if step is None else np.array(step, dtype=np.int64),
        span=spans,
        begin=np.full(n, np.nan) if begin is None else np.array(begin, dtype=np.float64),
        value=np.array(value, dtype=np.float64),
        samples=np.broadcast_to(np.array(samples, dtype=np.float64), (n,)),
        line=np.arange(2, n + 2),
        source=Source(f"steps.rank{rank}.csv"),
        breaks=breaks,
    )


def aggregate(
    value: float,
    phase: str = "step",
    *,
    metric: str = "step_time",
    statistic: str = "mean",
    line: int = 1,
    unit: str = "",
) -> Aggregate:
    """Return a value that the log states as a mean (or another statistic) of many steps."""
    return Aggregate(
        metric,
        phase=phase,
        value=value,
        original=str(value),
        statistic=statistic,
        source=Source("log", line),
        unit=unit,
    )


def telemetry(device: str = "0", t: Sequence[float] | None = None, **columns: Sequence[float]) -> Telemetry:
    """Return samples of a device; their times are unknown unless `t` gives them."""
    n = len(next(iter(columns.values())))
    times = np.full(n, np.nan) if t is None else np.array(t, dtype=np.float64)
    return Telemetry(
        device, times, {k: np.array(v, dtype=np.float64) for k, v in columns.items()}, Source("gpu")
    )


def run(*parts: Series | Aggregate | Telemetry | Finding, id: str = "a", **fields: Any) -> Run:
    """Return a run of the given parts, in any order, with factors {"model": "x"} unless stated."""
    return Run(
        id=id,
        format="native",
        source=Source(id),
        factors=fields.pop("factors", {"model": "x"}),
        series=tuple(part for part in parts if isinstance(part, Series)),
        aggregates=tuple(part for part in parts if isinstance(part, Aggregate)),
        telemetry=tuple(part for part in parts if isinstance(part, Telemetry)),
        findings=tuple(part for part in parts if isinstance(part, Finding)),
        **fields,
    )


def planned(runs: Sequence[Run], log: str = "logs/x", guessed: Iterable[str] = ()) -> ReportPlan:
    """Return the plan of a report about all runs of a folder."""
    name = log.rpartition("/")[2]
    return ReportPlan(name, name, (log,), tuple(runs), tuple(guessed))


def published_run(
    *,
    status: Status = "complete",
    samples: float | None = None,
    repeat: int | None = None,
    environment: dict[str, Any] | None = None,
    values: dict[str, float] | None = None,
    throughput: float | None = None,
    memory: float | None = None,
    **factors: Any,
) -> Run:
    """Return a run of a published table: `values` are step times by phase in s; each run has its own line."""
    line = next(_published_lines)
    source = Source("logs/x.csv", line)
    figures = [("step_time", phase, value) for phase, value in (values or {}).items()]
    figures += [("throughput", STEP, throughput)] if throughput is not None else []
    figures += [("memory_used", STEP, memory)] if memory is not None else []
    return Run(
        id=f"x.csv#{line:06}",
        format="published",
        source=source,
        factors=factors,
        repeat=repeat,
        environment=environment or {},
        status=status,
        samples_per_step=samples,
        aggregates=tuple(
            Aggregate(
                metric, phase=phase, value=value, original=str(value), statistic="published", source=source
            )
            for metric, phase, value in figures
        ),
        published=True,
    )


def table_spec(**fields: Any) -> TableSpec:
    """Return a table definition with the given fields."""
    return TableSpec(
        **{"place": "reports/t.toml: tables[0]", "id": "t", "title": "T", "protocol": Protocol(), **fields}
    )


# Files of logs

NVIDIA_SMI_LOG = "index, utilization.gpu [%]\n0, 45 %\n0, 46 %\n"


def write_files(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files, given as path -> content, below a folder."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)


def native_files(repeat: int, *durations: int) -> dict[str, str]:
    """Return the files of a run of log format v1: steps that touch and take `durations` ns."""
    begins = accumulate(durations, initial=1000)
    rows = "".join(
        f"{step},{begin},{duration}\n"
        for step, (begin, duration) in enumerate(zip(begins, durations, strict=False), 1)
    )
    run = {
        "format": "reportgen-run",
        "status": "complete",
        "repeat": repeat,
        "case": {"devices": 4},
        "ranks": 1,
    }
    return {"run.json": json.dumps(run), "steps.rank0.csv": f"#clock,1,1\nstep,begin_ns,duration_ns\n{rows}"}


def run_folder(
    path: str,
    seconds: float | Sequence[float],
    *,
    case: Mapping[str, Any],
    repeat: int = 1,
    ranks: int = 1,
    samples: int | None = 8,
    columns: Mapping[str, float] | None = None,
    environment: Mapping[str, Any] | None = None,
    begins: Sequence[float] | None = None,
    **about: Any,
) -> dict[str, str]:
    """Return the files of a run of log format v1 at a path: twelve steps of `seconds` with a noise of its own.

    columns      further columns of times, name -> s in every step
    environment  facts of the node; begins  of the steps, in s
    about        further keys of run.json
    """
    noise = random.Random(path)
    times = seconds if isinstance(seconds, Sequence) else [seconds * noise.gauss(1, 0.001) for _ in range(12)]
    run = {"format": "reportgen-run", "status": "complete", "repeat": repeat, "case": case, "ranks": ranks}
    run |= {} if samples is None else {"samples_per_step": samples}
    files = {"run.json": json.dumps(run | about)}
    if environment:
        node = {"format": "reportgen-environment", "ranks": list(range(ranks)), "environment": environment}
        files["environment.node0.json"] = json.dumps(node)
    for rank in range(ranks):
        durations = [round(time * 10**9) + rank * (i % 7) for i, time in enumerate(times)]
        starts = (
            accumulate(durations, initial=10**9) if begins is None else (round(b * 10**9) for b in begins)
        )
        others = "".join(f",{round(value * 10**9)}" for value in (columns or {}).values())
        rows = (
            f"{i},{begin},{time}{others}"
            for i, (begin, time) in enumerate(zip(starts, durations, strict=False), 1)
        )
        head = ",".join(["step", "begin_ns", "duration_ns", *(columns or {})])
        files[f"steps.rank{rank}.csv"] = "\n".join(["#clock,1,1700000000000000000", head, *rows, ""])
    return {f"{path}/{name}": content for name, content in files.items()}


# Reading a log


_FORMATS = {known.name: known for known in FORMATS}


def format_named(name: str) -> Format:
    """Return the log format of that name."""
    return _FORMATS[name]


def read_all(
    name: str, content: bytes, path: str = "x.log", beside: Mapping[str, bytes] | None = None
) -> list[Run | Finding]:
    """Return the runs and findings of a log, and check that this format alone claims it.

    beside  further files of the folder: name -> content
    """
    folder = PurePosixPath(path).parent
    contents = {str(folder / sibling): other for sibling, other in (beside or {}).items()}
    claimed = detect(LogFiles.of({path: content, **contents}).file(path))
    assert claimed is not None
    assert (claimed.format.name, claimed.rivals) == (name, ())
    entries = list(claimed.format.read(claimed.files))
    last = content.count(b"\n") + 1  # line 0 is the whole file
    every_series = [part for entry in entries if isinstance(entry, Run) for part in entry.series]
    assert all(((part.line >= 0) & (part.line <= last)).all() for part in every_series)
    return entries


def read_runs(
    name: str, content: bytes, path: str = "x.log", beside: Mapping[str, bytes] | None = None
) -> list[Run]:
    """Return the runs of a log (see `read_all`), without findings that belong to no run."""
    return [entry for entry in read_all(name, content, path, beside) if isinstance(entry, Run)]


def read_log(
    name: str, content: bytes, path: str = "x.log", beside: Mapping[str, bytes] | None = None
) -> Run:
    """Return the only run of a log (see `read_all`); there is no finding outside it."""
    (run,) = read_all(name, content, path, beside)
    assert isinstance(run, Run)
    return run


def read_fragment(name: str, content: bytes) -> Run:
    """Return the only run of content that this format reads when asked, though it is not recognised by it."""
    (run,) = format_named(name).read(LogFiles.of({"x.log": content}).file("x.log"))
    assert isinstance(run, Run)
    return run


def check_valid(entries: Iterable[Run | Finding]) -> None:
    """Check that the runs and findings of a reader satisfy the data model."""
    for entry in entries:
        assert isinstance(entry, (Run, Finding))
        for finding in entry.findings if isinstance(entry, Run) else (entry,):
            assert finding.message
            assert finding.source is not None
        if not isinstance(entry, Run):
            continue
        for series in entry.series:
            arrays = (series.step, series.span, series.begin, series.value, series.samples, series.line)
            assert {len(array) for array in arrays} == {len(series.step)}
            assert all(
                array.dtype == kind
                for array, kind in zip(arrays, (int, int, float, float, float, int), strict=True)
            )
        for telemetry in entry.telemetry:
            assert {len(column) for column in telemetry.columns.values()} <= {len(telemetry.t)}
        for value in (*entry.factors.values(), *entry.environment.values()):
            assert isinstance(value, (str, int, float, bool))


# Values of a run


def series_of(run: Run, metric: str, clock: str | None = None, phase: str = STEP, rank: int = 0) -> Series:
    """Return the only series of a metric, phase and rank, by that clock if one is named."""
    (series,) = (
        series
        for series in run.series
        if (series.metric, series.phase, series.rank) == (metric, phase, rank)
        and clock in (None, series.clock)
    )
    return series


def aggregate_of(run: Run, metric: str, phase: str = STEP, statistic: str = "mean") -> Aggregate:
    """Return the only aggregate of a metric, phase and statistic."""
    (aggregate,) = (
        aggregate
        for aggregate in run.aggregates
        if (aggregate.metric, aggregate.phase, aggregate.statistic) == (metric, phase, statistic)
    )
    return aggregate


def step_rows(series: Series) -> list[tuple[int, int, float, float]]:
    """Return (step, span, value, samples) of each entry; unknown samples are -1."""
    columns = (series.step, series.span, np.round(series.value, 9), np.nan_to_num(series.samples, nan=-1))
    return list(zip(*(column.tolist() for column in columns), strict=True))


def line_rows(series: Series) -> list[tuple[int, int, float, int]]:
    """Return (step, span, value, line) of each entry."""
    columns = (series.step, series.span, np.round(series.value, 6), series.line)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def rules(findings: Iterable[Finding]) -> list[str]:
    """Return the rules of findings, in their order."""
    return [finding.rule for finding in findings]


def rule_lines(run: Run) -> list[tuple[str, int]]:
    """Return (rule, line) of each finding of a run; line 0 if it has no source."""
    return [(finding.rule, finding.source.line if finding.source else 0) for finding in run.findings]


def messages(findings: Iterable[Finding], rule: str) -> list[str]:
    """Return the messages of the findings of one rule."""
    return [finding.message for finding in findings if finding.rule == rule]


# Measuring


def throughput_of(run: Run, protocol: Protocol = SHORT) -> float | None:
    """Return the throughput of a run under a protocol."""
    measurement = measure_run(run, "throughput", STEP, protocol)
    return measurement.value if measurement else None


def attempt(
    run: Run, metric: str, phase: str, protocol: Protocol, totals: Totals = NO_TOTALS
) -> tuple[Measurement | None, tuple[Finding, ...]]:
    """Return the measurement of a run, and the findings that say why there is none."""
    attempt = try_measure(MeasuredRun(run), metric, phase, protocol, totals)
    return attempt.measurement, attempt.findings


def window(
    run: Run, series: Sequence[Series], protocol: Protocol, *, are_times: bool = True
) -> MeasuredWindow | None:
    """Return the measured window of a protocol over series of a run."""
    return MeasuredRun(run).window(series, protocol, are_times=are_times)


def cases(
    runs: Sequence[Run], metric: str, phase: str, protocol: Protocol, **fields: Any
) -> tuple[Case, ...]:
    """Return the cases of the runs."""
    return build_cases(runs, CaseRequest(metric, phase, protocol, **fields))
