"""Put together a run of results: numbers that a program has already reduced, or arrays of its samples."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from reportgen.core.model import (
    STEP,
    Aggregate,
    Break,
    Clock,
    FactorValue,
    Finding,
    Run,
    Series,
    Source,
    Status,
    Telemetry,
)
from reportgen.core.rules import Rule, Severity
from reportgen.sources.logfiles import LogFiles


def make_series(
    metric: str,
    clock: Clock,
    step: ArrayLike,
    value: ArrayLike,
    source: Source,
    *,
    phase: str = STEP,
    rank: int = 0,
    span: ArrayLike = 1,
    begin: ArrayLike = np.nan,
    samples: ArrayLike = np.nan,
    line: ArrayLike = 0,
    breaks: tuple[Break, ...] = (),
) -> Series:
    """Return a series; a column may be given as one number for all steps."""
    n = len(np.asarray(step))

    def column(values: ArrayLike, kind: type) -> Any:
        return np.array(np.broadcast_to(np.asarray(values), n), dtype=kind)

    return Series(
        metric,
        phase=phase,
        rank=rank,
        clock=clock,
        step=column(step, np.int64),
        span=column(span, np.int64),
        begin=column(begin, np.float64),
        value=column(value, np.float64),
        samples=column(samples, np.float64),
        line=column(line, np.int64),
        source=source,
        breaks=breaks,
    )


@dataclass(slots=True)
class ResultRun:
    """A run being put together; what the log does not say stays as it is here."""

    format: str
    id: str
    source: Source
    factors: dict[str, FactorValue] = field(default_factory=dict)
    environment: dict[str, FactorValue] = field(default_factory=dict)
    repeat: int | None = None
    ranks: int | None = None
    status: Status = "complete"
    samples_per_step: float | None = None
    series: tuple[Series, ...] = ()
    aggregates: list[Aggregate] = field(default_factory=list)
    telemetry: tuple[Telemetry, ...] = ()
    findings: list[Finding] = field(default_factory=list)

    @classmethod
    def of_file(
        cls, format: str, files: LogFiles, line: int = 0, number: int | None = None, **factors: FactorValue
    ) -> "ResultRun":
        """Start the run at a line of the only file of a view; `number` if the file holds several runs."""
        return cls(format, files.id(files.path, number), files.source(files.path, line), factors)

    def add(
        self,
        metric: str,
        value: float,
        original: str,
        statistic: str = "mean",
        n: int = 0,
        *,
        phase: str = STEP,
        source: Source | None = None,
    ) -> None:
        """Add a number that the log had already reduced; one that is not finite is left out."""
        if np.isfinite(value):
            self.aggregates.append(
                Aggregate(
                    metric,
                    phase=phase,
                    value=value,
                    original=original,
                    statistic=statistic,
                    n=n,
                    source=source or self.source,
                )
            )

    def note(
        self, rule: Rule, message: str, source: Source | None = None, severity: Severity = "warning"
    ) -> None:
        """Add a finding about the run."""
        self.findings.append(Finding(severity, rule, self.id, message, source or self.source))

    def run(self) -> Run:
        """Return the run."""
        return Run(
            self.id,
            self.format,
            self.source,
            self.factors,
            self.environment,
            repeat=self.repeat,
            ranks=self.ranks,
            status=self.status,
            samples_per_step=self.samples_per_step,
            series=self.series,
            aggregates=tuple(self.aggregates),
            telemetry=self.telemetry,
            findings=tuple(self.findings),
        )
