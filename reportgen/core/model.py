"""The data model: the content of a log (Run) and the results of a protocol (Measurement, Case).

All values are in base units: s, B, W, J, Hz, degC, ratio, samples/s; `units` converts on input and output.
Nothing here can be changed: readers make Runs, `protocol` makes Measurements and Cases, `tables` makes the
tables in `results`. Findings say what may be wrong; they travel with the data. Types with many objects in
each run are Structs: to create one takes a twentieth of the time of a frozen dataclass; `structs.replace`
makes another.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from reportgen.core.plain_text import one_line
from reportgen.core.rules import Rule, Severity
from reportgen.core.units import text

FactorValue = str | int | float | bool
Factors = Mapping[str, FactorValue]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

Status = Literal["complete", "failed", "out_of_memory", "cancelled", "partial", "running"]
Clock = Literal["cuda_event", "host_synchronized", "host", "timestamp", "printed", "unknown"]
# What the printed numbers of a series are; see Series.rounded.
Rounded = Literal["each", "mean", "elapsed"]
Evidence = Literal["steps", "intervals", "aggregate", "published"]

# Names that address a number in addition to the factors of its run; no factor may have such a name.
RESERVED = ("metric", "phase", "repeat")

# The phase of a whole step, from its start to the start of the next.
STEP = "step"
# The phase in which the device waits for data: it does not depend on the device.
DATA_LOADING = "data_loading"


# A line about an object names this many of its factors.
_MAX_LISTED = 8
_MAX_ID = 40


def _listed(factors: Factors) -> str:
    """Return factors as one line; a longer one ends with the number of the others."""
    pairs = [f"{name}={value}"[:40] for name, value in factors.items()]
    more = [f"and {len(pairs) - _MAX_LISTED} more"] if len(pairs) > _MAX_LISTED else []
    return one_line(", ".join([*pairs[:_MAX_LISTED], *more])) or "no factors"


def _short(id: str) -> str:
    """Return the end of an id, which distinguishes the runs of a folder."""
    line = one_line(id)
    return line if len(line) <= _MAX_ID else f"...{line[-_MAX_ID:]}"


class Source(Struct, frozen=True):
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
        assert self.severity in self.rule.severities, f"{self.rule} cannot be a {self.severity}"


class Break(Struct, frozen=True):
    """A declared border after step `step`; the time that it took is not step time.

    kind      epoch, evaluation, checkpoint, ...
    duration  s, NaN if the log does not say it
    """

    step: int
    kind: str
    duration: float = float("nan")


class Stretch(Struct, frozen=True):
    """Steps `first` to `last` between two waits after which all devices were idle: their wall time in s.

    least, most  without breaks; they differ if the devices may have worked on in a break
    wait  of the second wait, if it is in the host's time of the last step
    """

    first: int
    last: int
    least: float
    most: float
    wait: float = 0.0


class _OfMetric(Struct, frozen=True, eq=False):
    """Base of Series: the metric stays positional, all other fields are keyword-only."""

    metric: str


class Series(_OfMetric, frozen=True, eq=False, kw_only=True):
    """The steps of one rank of one run: arrays of one length n, ordered as logged.

    step     number of the last step of the entry, from 1
    span     steps that the entry covers, 1 unless the log prints every k steps
    begin    s on the run's clock, NaN if unknown
    value    base unit of the metric; for `step_time` the time of the whole entry (all its steps)
    samples  work done in the entry, NaN if unknown
    line     line of the entry in `source.path`, from 1
    unit     base unit of a metric that METRICS does not list, else ""
    rounding  half of the last digit of the numbers that the log prints, in the base unit; 0 if unknown
    rounded  what these numbers are: the time or rate of `each` step, the `mean` since the epoch began, or the
             time that has `elapsed`
    idle_after  steps after which the host waited until the device had done all its work; None if the log
             does not say when it did
    stretches  of the time of whole steps: where the wall time of the same work is known
    """

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
    rounding: float = 0.0
    rounded: Rounded = "each"
    idle_after: frozenset[int] | None = None
    stretches: tuple[Stretch, ...] = ()

    def __repr__(self) -> str:
        what = f"{self.metric} of {self.phase}, rank {self.rank}"
        return f"<Series: {what}, {len(self.step)} values by {self.clock}>"


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A number that the log had already reduced.

    value      base unit, NaN if the text is not a number: then a total with it is not a number either
    original   the text in the log, with its unit if it has one; `a / b` if the format divided two figures
    statistic  mean, median, minimum, published, ...; n  number of reduced values, 0 if unknown
    time       s of work that a rate was measured over, None if unknown
    unit       base unit of a metric that METRICS does not list, else ""
    spread     what the log states beside the value (12.3 ± 0.4), base unit, None if it states none; logs do
               not say whether it is a standard deviation
    is_rounded  whether 0 was measured: no work, or less than the last digit; else nothing was measured
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
    time: float | None = None
    spread: float | None = None
    is_rounded: bool = False

    @property
    def is_computed(self) -> bool:
        """Return whether the log prints no such number: the format divided two figures."""
        return " / " in self.original


@dataclass(frozen=True, slots=True)
class DeviceEvent:
    """An event of a device at `t` s on the run's clock: `lost`, `reset` or `returned`."""

    t: float
    name: str
    line: int


@dataclass(frozen=True, slots=True, eq=False)
class Telemetry:
    """Samples of one device: `t` in s on the clock of the steps (NaN if unknown), one array per column.

    Columns are metric names in base units (`utilization`, `memory_used`, `power`, `temperature`,
    `sm_clock`, `throttle_reasons` as a bit mask, ...); NaN if a sample has no value.
    """

    device: str
    t: FloatArray
    columns: Mapping[str, FloatArray]
    source: Source
    events: tuple[DeviceEvent, ...] = ()

    @property
    def is_cpu(self) -> bool:
        """Whether the device is a CPU package, which the host of a GPU has too."""
        return self.device.startswith("CPU-")

    def __repr__(self) -> str:
        return f"<Telemetry: device {self.device}, {len(self.t)} samples of {', '.join(self.columns)}>"


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """One execution as its log describes it.

    id                the log's path below the argument, plus #n if a log holds several runs
    factors           the experimenter's choices; environment  the machine and software it ran on
    repeat            its number by the log or the labels, None if it has none
    samples_per_step  work per step over all ranks, None if unknown
    work_is_labelled  True if labels gave the work per step, which no log confirms
    ranks             number of started processes, None if the log does not say it
    published         True for figures of a publication rather than a log
    started, ended    s since 1970, None if the log does not say it
    started_clock     "" if these are in UTC; else the log that has them without a time zone: they can be
                      compared with others of the same log only
    clock_zero        second 0 of its steps, or of its telemetry if it has no steps, in s since 1970 by the
                      clock of `started`; None if unknown
    round             seed of the order of a campaign that interleaves its cases, number of the round in it
    machines          texts that runs on one machine, since it was started, have in common; none if unknown
    command           its command line, without what names only the run: seed, folders, ports
    profiler          what slowed it down, such as nsys; nothing is measured in such a run
    part_of           number of the run in its log, from 1, where a run has results with factors of their own,
                      such as the size of a message, and each of these is a Run; 0 for a whole run
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
    series: Sequence[Series] = ()
    aggregates: tuple[Aggregate, ...] = ()
    telemetry: tuple[Telemetry, ...] = ()
    findings: tuple[Finding, ...] = ()
    published: bool = False
    work_is_labelled: bool = False
    started: float | None = None
    ended: float | None = None
    started_clock: str = ""
    clock_zero: float | None = None
    round: tuple[int, int] | None = None
    machines: frozenset[str] = frozenset()
    command: str = ""
    profiler: str = ""
    part_of: int = 0

    @property
    def day(self) -> str:
        """Return the day on which it started (ISO 8601), "" if the log says none that a calendar has."""
        return self.minute[:10]

    @property
    def minute(self) -> str:
        """Return the minute in which it started, "2024-05-01 10:20", as `day`."""
        if self.started is None:
            return ""
        try:
            return dt.datetime.fromtimestamp(self.started, dt.UTC).isoformat(" ", "minutes")[:16]
        except (OverflowError, ValueError, OSError):
            return ""

    def __repr__(self) -> str:
        return f"<Run {_short(self.id)}: {self.status}, {self.format}, {_listed(self.factors)}>"


class Window(Struct, frozen=True):
    """The steps of a measurement.

    first, last  steps from 1, both included; steps  the number of measured steps, without those in gaps
    time         s over the measured steps; gap_time  s left out between them
    samples      work in the measured steps, NaN if unknown
    gaps         steps that were left out; outliers  measured steps that take much longer than the others
    gap_steps    number of the steps that were left out
    outside      s of the run before and after these steps (start, warm-up, the rest), NaN if unknown
    """

    first: int
    last: int
    steps: int
    time: float
    gap_time: float
    samples: float
    gaps: tuple[int, ...] = ()
    outliers: tuple[int, ...] = ()
    gap_steps: int = 0
    outside: float = float("nan")

    @property
    def left_out(self) -> float:
        """Return the share of the window's time that is in gaps; 0 without times."""
        return self.gap_time / (self.time + self.gap_time) if self.gap_time > 0 else 0.0


class Measurement(Struct, frozen=True, eq=False):
    """One run reduced to one number, with findings about the measurement.

    unit   base unit of the value
    parts  phases that entered a total, in its order; empty if it is not a total
    clock  of the series that was used; "unknown" for figures without steps
    clock_error  the largest share by which the resolution of the clock may falsify the value
    over_all  the value over all of the window's time, with what gaps left out; None where that is little
    formula  how a derived value was computed, in words; "" for others
    statistic  of the figures that the log had already reduced: mean, p99, ...; "" if unknown or of steps
    stated_spread  what the log states beside the value, in the unit of the value; None if it states none
    """

    run: Run
    value: float
    evidence: Evidence
    window: Window | None = None
    sources: tuple[Source, ...] = ()
    findings: tuple[Finding, ...] = ()
    unit: str = ""
    parts: tuple[str, ...] = ()
    clock: Clock = "unknown"
    clock_error: float = 0.0
    over_all: float | None = None
    formula: str = ""
    statistic: str = ""
    stated_spread: float | None = None

    def __repr__(self) -> str:
        return f"<Measurement: {text(self.value)} {self.unit} by {self.evidence}, run {_short(self.run.id)}>"


@dataclass(frozen=True, slots=True)
class Summary:
    """The repeats of a case: their median and the order-statistic interval of the median.

    low, high  the interval; the range if there are too few repeats for the confidence of the protocol. Both
               are widened by what a coarse clock may hide
    coverage   the probability that [low, high] contains the median; 0 for a single repeat and for an
               olympic mean, which has a range and no interval
    reached    True if the coverage reaches the confidence of the protocol
    n          repeats that entered
    statistic  the statistic in `median`, if the protocol reduces repeats in another way
    over_all   the same of the values over all of the windows' time; None where gaps left out little of it
    """

    median: float
    low: float
    high: float
    coverage: float
    reached: bool
    n: int
    statistic: str = "median"
    over_all: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """Runs that agree in all factors are repeats of one case; `summary` is None if none was measured.

    unit        base unit of the values
    unmeasured  runs of the case without a number: failed, out of memory, too short, ...
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

    def __repr__(self) -> str:
        value = (
            f"{text(self.summary.median)} {self.unit}, n={self.summary.n}" if self.summary else "not measured"
        )
        return f"<Case: {self.metric} of {self.phase} {value}, {_listed(self.factors)}>"
