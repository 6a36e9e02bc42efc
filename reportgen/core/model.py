"""The data model: what a log said (Run) and what the protocol made of it (Case).

All values are in base units: s, B, W, J, Hz, degC, ratio, samples/s; `units` converts at the door
and at the exit. Everything here is a frozen dataclass and is passed on, never changed: readers make
Runs, `protocol` makes Measurements and Cases, `tables` makes the results in `results`. What may be
wrong with any of it travels along as Findings.
"""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.core.rules import Rule, Severity

FactorValue = str | int | float | bool
Factors = Mapping[str, FactorValue]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

Status = Literal["complete", "failed", "out_of_memory", "cancelled", "partial", "running"]
Clock = Literal["cuda_event", "host_synchronized", "host", "timestamp", "printed", "unknown"]
Evidence = Literal["steps", "intervals", "aggregate", "published"]

# Names that address a number beside the factors of its run, and so cannot be factors themselves.
RESERVED = ("metric", "phase", "repeat")

# The phase of a whole step, from its begin to the begin of the next.
STEP = "step"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a fact was read: a POSIX path relative to the root, and a line from 1 (0: the whole file)."""

    path: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{self.line}" if self.line else self.path


@dataclass(frozen=True, slots=True)
class Finding:
    """Something a reader of the number should know.

    subject  names the run, case or cell meant
    detail   the reason or the circumstances; lists of findings show it, footnotes do not
    """

    severity: Severity
    rule: Rule
    subject: str
    message: str
    source: Source | None = None
    detail: str = ""

    @property
    def text(self) -> str:
        """Return the message with its detail."""
        return f"{self.message}: {self.detail}" if self.detail else self.message

    def __post_init__(self) -> None:
        assert self.severity in self.rule.severities, f"{self.rule} is no {self.severity}"


@dataclass(frozen=True, slots=True)
class Break:
    """A declared border after step `step`: what happened there is not step time.

    kind      epoch, evaluation, checkpoint, ...
    duration  s that the border took, NaN when the log does not say
    """

    step: int
    kind: str
    duration: float = float("nan")


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """The steps of one rank of one run: arrays of one length n, ordered as logged.

    step     number of the last step of the entry, from 1
    span     steps that the entry covers, 1 unless the log prints every k steps
    begin    s on the run's clock, NaN when unknown
    value    base unit of the metric; for `step_time` the time of the whole entry (all its steps)
    samples  work done in the entry, NaN when unknown
    line     line of the entry in `source.path`, from 1
    unit     base unit of a metric that METRICS does not list; "" is that of METRICS
    """

    metric: str
    _: KW_ONLY
    phase: str = STEP
    rank: int = 0
    clock: Clock
    step: IntArray
    span: IntArray
    begin: FloatArray
    value: FloatArray
    samples: FloatArray
    line: IntArray
    source: Source
    breaks: tuple[Break, ...] = ()
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A number that the log had already reduced.

    value      base unit, NaN for what stands there and is no number: a total of it is none either
    original   the text as it stood there, with its unit if it had one
    statistic  mean, median, minimum, published, ...; n  what it was reduced over, 0 when unknown
    unit       base unit of a metric that METRICS does not list; "" is that of METRICS
    """

    metric: str
    _: KW_ONLY
    phase: str = STEP
    value: float
    original: str
    statistic: str
    n: int = 0
    source: Source
    unit: str = ""


@dataclass(frozen=True, slots=True)
class DeviceEvent:
    """Something that happened to a device at `t` s on the run's clock: `lost`, `reset` or `returned`."""

    t: float
    name: str
    line: int


@dataclass(frozen=True, slots=True, eq=False)
class Telemetry:
    """Samples of one device: `t` in s on the clock of the steps (NaN when unknown), one array a column.

    Columns are metric names in base units (`utilization`, `memory_used`, `power`, `temperature`,
    `sm_clock`, `throttle_reasons` as a bit mask, ...); NaN where a sample has no value.
    """

    device: str
    t: FloatArray
    columns: Mapping[str, FloatArray]
    source: Source
    events: tuple[DeviceEvent, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """One execution as its log tells it.

    id                the log's path below the argument, plus #n where a log holds several runs
    factors           what the experimenter chose; environment  what happened to be there
    repeat            the number that the log or the labels give it, None where nobody numbered it
    samples_per_step  work per step over all ranks, None when unknown
    ranks             processes that were started, None when the log does not say
    published         a figure of somebody's publication rather than a log: its evidence is that
    """

    id: str
    format: str
    source: Source
    factors: Factors
    environment: Factors = field(default_factory=dict)
    repeat: int | None = None
    status: Status = "complete"
    samples_per_step: float | None = None
    ranks: int | None = None
    series: tuple[Series, ...] = ()
    aggregates: tuple[Aggregate, ...] = ()
    telemetry: tuple[Telemetry, ...] = ()
    findings: tuple[Finding, ...] = ()
    published: bool = False


@dataclass(frozen=True, slots=True)
class Window:
    """What a measurement looked at.

    first, last  steps from 1, both included; steps  how many were measured, those in gaps left out
    time         s over the measured steps; gap_time  s left out between them
    samples      work in the measured steps, NaN when unknown
    """

    first: int
    last: int
    steps: int
    time: float
    gap_time: float
    samples: float


@dataclass(frozen=True, slots=True, eq=False)
class Measurement:
    """One run reduced to one number, with the findings of doing so.

    unit   base unit of the value
    parts  phases that entered a total, in its order; empty for what is no total
    """

    run: Run
    value: float
    evidence: Evidence
    window: Window | None = None
    sources: tuple[Source, ...] = ()
    findings: tuple[Finding, ...] = ()
    unit: str = ""
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """The repeats of a case: their median and the order-statistic interval of the median.

    low, high  the interval; where too few repeats exist for the confidence asked for, the range
    coverage   the probability that [low, high] holds the median (0 for a single repeat, and where the
               statistic is no median: an olympic mean has a range and no interval)
    reached    whether coverage reaches the confidence that the protocol asks for
    n          repeats that entered
    statistic  what `median` is where the protocol reduces repeats in another way
    """

    median: float
    low: float
    high: float
    coverage: float
    reached: bool
    n: int
    statistic: str = "median"


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """Runs that agree in all factors are repeats of one case; `summary` is None if none was measured.

    unit        base unit of the values
    unmeasured  runs of the case that yield no number: failed, out of memory, too short, ...
    parts       phases that entered a total in any of its runs, in the order of the total; () for no total
    """

    factors: Factors
    metric: str
    phase: str
    unit: str
    protocol: str
    measurements: tuple[Measurement, ...]
    summary: Summary | None
    unmeasured: tuple[Run, ...] = ()
    findings: tuple[Finding, ...] = ()
    parts: tuple[str, ...] = ()
