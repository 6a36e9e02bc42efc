"""Runs of a few numbers, for tests: what a test does not say is the plainest thing there is."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from reportgen.core.model import (
    Aggregate,
    Break,
    Case,
    Clock,
    Finding,
    Measurement,
    Run,
    Series,
    Source,
    Telemetry,
)
from reportgen.protocol import CaseRequest, MeasuredRun, Protocol, build_cases, try_measure
from reportgen.protocol.available import NO_TOTALS, Totals
from reportgen.protocol.window import MeasuredWindow


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


def run(*found: Series | Aggregate | Telemetry | Finding, id: str = "a", **other: Any) -> Run:
    """Return a run of the parts given, in any order."""
    return Run(
        id=id,
        format="native",
        source=Source(id),
        factors=other.pop("factors", {"model": "x"}),
        series=tuple(one for one in found if isinstance(one, Series)),
        aggregates=tuple(one for one in found if isinstance(one, Aggregate)),
        telemetry=tuple(one for one in found if isinstance(one, Telemetry)),
        findings=tuple(one for one in found if isinstance(one, Finding)),
        **other,
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
    """Return a number that a log had already reduced."""
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
    """Return samples of a device, at unknown times unless they are given."""
    n = len(next(iter(columns.values())))
    times = np.full(n, np.nan) if t is None else np.array(t, dtype=np.float64)
    return Telemetry(
        device, times, {k: np.array(v, dtype=np.float64) for k, v in columns.items()}, Source("gpu")
    )


def rules(findings: Sequence[Finding]) -> list[str]:
    """Return the rules of findings, as they come."""
    return [one.rule for one in findings]


def messages(findings: Sequence[Finding], rule: str) -> list[str]:
    """Return what the findings of one rule say."""
    return [one.message for one in findings if one.rule == rule]


def cases(runs: Sequence[Run], metric: str, phase: str, protocol: Protocol, **other: Any) -> tuple[Case, ...]:
    """Return the cases of the runs."""
    return build_cases(runs, CaseRequest(metric, phase, protocol, **other))


def attempt(
    run: Run, metric: str, phase: str, protocol: Protocol, totals: Totals = NO_TOTALS
) -> tuple[Measurement | None, tuple[Finding, ...]]:
    """Return the measurement of a run, and the findings that say why there is none."""
    attempt = try_measure(MeasuredRun(run), metric, phase, protocol, totals)
    return attempt.measurement, attempt.findings


def window(
    run: Run, series: Sequence[Series], protocol: Protocol, *, are_times: bool = True
) -> MeasuredWindow | None:
    """Return the window of a protocol over series of a run."""
    return MeasuredRun(run).window(series, protocol, are_times=are_times)
