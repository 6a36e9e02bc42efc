"""The classes of report.json.

A name in a field stands for another part of the document: `case` for an entry of `cases`, `machine` for an
entry of `machines`, `table` for the id of a table. A field with its default value is left out of the file.
Values are in base units (s, B, W, J, Hz, degC, ratio, samples/s); a `unit` says how people read them: shown =
value / factor.

The docstrings are the reference: `schema` reads the meaning of each field from them.
"""

import datetime as dt
import math
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from hashlib import blake2b
from itertools import count
from typing import Literal, Self, TypeVar

import msgspec

from reportgen.compare.comparison import CompareKind as CompareKind
from reportgen.compare.contract import Difference
from reportgen.compare.expected_speed import Expected as Expected
from reportgen.compare.expected_speed import SpeedEdge as SpeedEdge
from reportgen.compare.verdict import Verdict
from reportgen.core.case_findings import invalid_rule
from reportgen.core.metrics import Better, metric_of
from reportgen.core.model import Evidence, FactorValue, Source, Status
from reportgen.core.rules import Severity, short_name
from reportgen.core.units import Unit

# The version of report.json that is written; it rises when a field changes its meaning.
VERSION = 5

Quantity = Literal[
    "value", "ratio", "speedup", "efficiency", "observed", "expected", "excess", "repeats",
    "interval", "verdict", "cycles", "energy",
]  # fmt: skip
CellKind = Literal["number", "absent", "status", "several", "planned", "interval", "verdict", "incomparable"]
UnitMode = Literal["table", "column", "row", "cell"]
FigureContent = Literal["cells", "repeats", "steps", "shares", "parts", "pairs"]
Outcome = Literal["pass", "fail", "not evaluated"]

Key = dict[str, FactorValue]
_T = TypeVar("_T")

# The quantities that each comparison can show, and their titles.
COMPARED_QUANTITIES: Mapping[CompareKind, tuple[Quantity, ...]] = {
    "ratio": ("ratio", "interval", "verdict", "cycles", "energy"),
    "speedup": ("speedup", "interval", "verdict", "cycles", "energy"),
    "efficiency": ("efficiency",),
    "expected": ("observed", "expected", "excess", "interval", "verdict", "cycles", "energy"),
}
# These are shown only on request.
ON_REQUEST: frozenset[Quantity] = frozenset(("interval", "verdict", "cycles", "energy"))
QUANTITY_TITLES: Mapping[Quantity, str] = {
    "value": "value",
    "ratio": "ratio",
    "speedup": "speed-up",
    "efficiency": "scaling efficiency",
    "observed": "slowdown",
    "expected": "expected speed",
    "excess": "slowdown vs expected",
    "repeats": "repeats",
    "interval": "interval",
    "verdict": "verdict",
    "cycles": "in cycles",
    "energy": "energy per sample",
}


class FigureKind(StrEnum):
    """The kind of a figure. The text of a kind is its name in a definition; `render.figures.kinds` draws it.

    shows      what a series consists of: the cells of a column, the repeats behind them, their steps, shares
               of either up to a value, the parts of a difference, or cells of two metrics in pairs
    numeric_x  x may be a number; else it is always a category
    """

    shows: FigureContent
    numeric_x: bool

    def __new__(cls, name: str, shows: FigureContent, numeric_x: bool) -> Self:
        """Make the text of a kind its name."""
        kind = str.__new__(cls, name)
        kind._value_ = name
        kind.shows, kind.numeric_x = shows, numeric_x
        return kind

    LINE = "line", "cells", True
    CURVE = "curve", "cells", True
    DOTS = "dots", "cells", False
    BAR = "bar", "cells", False
    STACKED_BAR = "stacked-bar", "cells", False
    HEAT_MAP = "heat-map", "cells", False
    LATENCY_THROUGHPUT = "latency-throughput", "pairs", True
    STRIP = "strip", "repeats", False
    ECDF = "ecdf", "shares", True
    WATERFALL = "waterfall", "parts", False
    SERIES = "series", "steps", True
    TREND = "trend", "repeats", False


class Value(msgspec.Struct, frozen=True, omit_defaults=True):
    """A part of a document. It never changes; `msgspec.structs.replace` makes another one."""


# Tables


class Label(Value, frozen=True):
    """A text of a heading.

    text  what the heading says
    href  address that it links to
    """

    text: str
    href: str = ""


class Note(Value, frozen=True):
    """A footnote of a table, or a sentence about all of it.

    text  the sentence
    rule  rule of the finding that it comes from
    name  what it is about, if it comes from no finding
    """

    text: str
    rule: str = ""
    name: str = "note"

    @property
    def mark(self) -> str:
        """Return the word that refers to the note: it does not depend on the other notes of the table."""
        return short_name(self.rule) if self.rule else self.name

    @property
    def key(self) -> str:
        """Return the name of the note in a document: it depends on nothing but the note."""
        return f"{self.mark}-{_digest(self.rule, self.text)}"


class Finding(Value, frozen=True):
    """Something a reader of a number should know.

    severity  how bad it is: an invalid number means nothing
    rule      id of the rule, such as protocol.gap; `reportgen explain RULE` says what to do
    subject   the run, case or cell meant
    message   the fact, with its numbers
    detail    the reason or the circumstances
    source    where it was read: FILE or FILE:LINE
    """

    severity: Severity
    rule: str
    subject: str = ""
    message: str = ""
    detail: str = ""
    source: str = ""

    @property
    def text(self) -> str:
        """Return the message with its detail."""
        return f"{self.message}: {self.detail}" if self.detail else self.message


class Header(Value, frozen=True):
    """The head of a row or column.

    key             values of the table's row or column factors, in their order
    labels          a text per level of heading; the values of the key if there are none
    qualifiers      shown smaller below the heading
    quantity        what the cells below show (columns only)
    quantity_label  its heading
    unit            unit of the whole column or row
    split           factors, with their values, that had to split this column from a neighbour with the same
                    key
    notes           names of notes that hold for every number of the row
    is_mean         whether the row holds the means of all others
    """

    key: tuple[FactorValue, ...] = ()
    labels: tuple[Label, ...] = ()
    qualifiers: tuple[str, ...] = ()
    quantity: Quantity = "value"
    quantity_label: str = ""
    unit: Unit | None = None
    split: tuple[tuple[str, FactorValue], ...] = ()
    notes: tuple[str, ...] = ()
    is_mean: bool = False

    def __post_init__(self) -> None:
        if self.key and not self.labels:
            msgspec.structs.force_setattr(self, "labels", tuple(Label(str(value)) for value in self.key))

    def words(self, titles: Sequence[Label]) -> str:
        """Return the values of a row's head as one text; a number needs the name of its factor."""
        heads = zip(titles, self.key, self.labels, strict=True)
        words = (
            label.text if isinstance(key, str) else f"{title.text} {label.text}"
            for title, key, label in heads
        )
        return ", ".join(word for word in words if word)


class Cycles(Value, frozen=True):
    """A comparison per cycle of the SM clock.

    speed_ratio        work per cycle over that of the baseline
    low                low end of its interval
    high               high end of its interval
    sm_clock           Hz, mean during the measured steps, median of the repeats
    baseline_sm_clock  the same of the baseline
    sentence           the comparison in words
    """

    speed_ratio: float
    low: float | None = None
    high: float | None = None
    sm_clock: float | None = None
    baseline_sm_clock: float | None = None
    sentence: str = ""


class Contract(Value, frozen=True):
    """The terms of a comparison, by names of factors and conditions; the cases have their values.

    held_equal  equal on both sides
    about       what the comparison is about, and what follows from it
    not_stated  what one side does not say, or neither
    """

    held_equal: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    not_stated: tuple[str, ...] = ()


class Comparison(Value, frozen=True):
    """A case against its baseline.

    kind               what is compared
    baseline           name of the baseline's case
    value              the ratio, speed-up or efficiency; of kind expected, how many times slower than the
                       baseline
    expected           the expected speed that applies
    excess             slowdown vs expected: value x expected speed
    excess_low         of the band of the expected speed
    excess_high        of the band of the expected speed
    contract           name of its contract
    differs            in what else the two differ
    verdict            how the two speeds compare; its ratio is above 1 where the case is faster
    sentence           the verdict in words
    cycles             the comparison per cycle of the SM clock
    energy_per_sample  relative to the baseline's
    over_all           the value over all of the windows' time, if gaps left out much of it
    breakdown          why the case takes longer
    """

    kind: CompareKind
    baseline: str
    value: float | None = None
    expected: "ExpectedRatio | None" = None
    excess: float | None = None
    excess_low: float | None = None
    excess_high: float | None = None
    contract: str = ""
    differs: tuple[Difference, ...] = ()
    verdict: Verdict | None = None
    sentence: str = ""
    cycles: Cycles | None = None
    energy_per_sample: float | None = None
    over_all: float | None = None
    breakdown: "Breakdown | None" = None

    def in_cycles(self, metric: str) -> float | None:
        """Return the ratio per cycle, in the direction of `value`: of times or of speeds."""
        if self.cycles is None:
            return None
        is_time = self.kind == "ratio" and metric_of(metric).better == "lower"
        inverse = is_time or self.kind == "expected"
        return 1 / self.cycles.speed_ratio if inverse else self.cycles.speed_ratio


class Cell(Value, frozen=True):
    """One cell: a number in the base unit with the unit to show it in, or a text that says why not.

    kind        number, or why there is none
    value       base unit
    unit        unit to show it in
    low         low end of the interval that the table shows; of kind interval, that of the ratio
    high        high end of the interval
    shown       the number as the pages show it, with its unit
    text        what is shown instead of a number: -, out of memory, several, planned
    case        name of the case behind it
    several     names of the cases that share the cell, which therefore shows none of them
    invalid     rule of the finding for which the number means nothing: nothing may follow from it
    over_all    the number over all of the windows' time, if gaps left out much of it
    qualifiers  shown small beside the number
    notes       names of its notes
    """

    kind: CellKind = "number"
    value: float | None = None
    unit: Unit | None = None
    low: float | None = None
    high: float | None = None
    shown: str = ""
    text: str = ""
    case: str | None = None
    several: tuple[str, ...] = ()
    invalid: str = ""
    over_all: float | None = None
    qualifiers: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Table(Value, frozen=True):
    """One table: rows x columns of cells.

    id              of the definition, with /<facet values> if facets split it
    title           heading
    metric          what is measured
    metric_title    the same in words
    row_factors     names of the factors of the rows
    row_titles      headings of their columns
    column_factors  names of the factors of the columns
    column_titles   headings of these
    rows            heads of the rows
    columns         heads of the columns
    cells           a list per row, a cell per column
    comparisons     names of the comparisons of its cases, by name of the case
    about           sentences that hold for the whole table
    unit_mode       where the unit is: in the caption, the heads of columns or rows, or the cells
    unit            unit of the whole table
    digits          significant digits
    decimals        decimals instead of significant digits
    facet           factors that split the definition, with the values of this table
    facet_words     title and value in words of each of them
    has_signs       whether each ratio has the sign of its verdict beside it
    definition      digest of what the definition says about numbers
    findings        about the table
    """

    id: str
    title: str = ""
    metric: str = ""
    metric_title: str = ""
    row_factors: tuple[str, ...] = ()
    row_titles: tuple[Label, ...] = ()
    column_factors: tuple[str, ...] = ()
    column_titles: tuple[Label, ...] = ()
    rows: tuple[Header, ...] = ()
    columns: tuple[Header, ...] = ()
    cells: tuple[tuple[Cell, ...], ...] = ()
    comparisons: dict[str, str] = {}
    about: tuple[Note, ...] = ()
    unit_mode: UnitMode = "table"
    unit: Unit | None = None
    digits: int = 4
    decimals: int | None = None
    facet: tuple[tuple[str, FactorValue], ...] = ()
    facet_words: tuple[tuple[str, str], ...] = ()
    has_signs: bool = False
    definition: str = ""
    findings: tuple[Finding, ...] = ()

    def __repr__(self) -> str:
        return f"<Table {self.id}: {self.metric_title}, {len(self.rows)} rows x {len(self.columns)} columns>"

    @property
    def caption(self) -> tuple[str, ...]:
        """Return the sentences about the whole table."""
        return tuple(note.text for note in self.about)

    @property
    def family(self) -> str:
        """Return the id of the definition, which the tables of its facets share."""
        return self.id.partition("/")[0] if self.facet else self.id

    @property
    def facet_text(self) -> str:
        """Return the facet in words: the part of the title after ": "."""
        return ", ".join(value for _, value in self.facet_words)

    @property
    def family_title(self) -> str:
        """Return the title that the tables of all facets share."""
        return self.title.removesuffix(f": {self.facet_text}") if self.facet else self.title


# Evidence


class Window(Value, frozen=True):
    """The steps of a measurement.

    first     first measured step, from 1
    last      last measured step
    steps     number of measured steps, without those in gaps
    time      s over the measured steps
    gap_time  s left out between them
    samples   work in the measured steps
    outside   s of the run before and after these steps: start, warm-up, the rest
    """

    first: int
    last: int
    steps: int
    time: float | None = None
    gap_time: float | None = None
    samples: float | None = None
    outside: float | None = None


class Run(Value, frozen=True):
    """One execution as its log describes it.

    id             path of the log, plus #n if a log holds several runs
    format         name of the format of its log
    status         how it ended
    repeat         its number by the log or the labels
    factors        factors that its case does not have, because the table ignores them
    machine        name of its machine
    started        s since 1970
    started_clock  "" if that is in UTC; else the log that has it without a time zone
    round          seed of the order of the campaign, number of the round in it
    profiler       what slowed it down, such as nsys: it is not a repeat
    source         where it was read: FILE or FILE:LINE
    findings       about the run
    """

    id: str
    format: str = ""
    status: Status = "complete"
    repeat: int | None = None
    factors: Key = {}
    machine: str = ""
    started: float | None = None
    started_clock: str = ""
    round: tuple[int, int] | None = None
    profiler: str = ""
    source: str = ""
    findings: tuple[Finding, ...] = ()

    @property
    def day(self) -> str:
        """Return the day on which it started (ISO 8601), "" if the log says none that a calendar has."""
        return day_of(self.started)


class Measurement(Value, frozen=True):
    """One run reduced to one number.

    run       the run
    value     base unit of the case
    evidence  what the number was made from, strongest first: steps, intervals, aggregate, published
    clock     clock of the times: cuda_event, host_synchronized, host, timestamp, printed
    window    the measured steps
    sources   where it was read, besides the source of the run: FILE or FILE:LINE
    findings  about the measurement
    over_all  the value over all of the window's time, if gaps left out much of it
    """

    run: Run
    value: float
    evidence: Evidence
    clock: str = "unknown"
    window: Window | None = None
    sources: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    over_all: float | None = None

    @property
    def files(self) -> tuple[str, ...]:
        """The files that the run was read from, each once."""
        return tuple(dict.fromkeys(source_of(source).path for source in (self.run.source, *self.sources)))


class Summary(Value, frozen=True):
    """The repeats of a case as one number.

    value      the median, or what `statistic` says
    repeats    number of repeats
    low        low end of the interval of the median, or of the range of the repeats
    high       high end
    coverage   probability that the interval contains the median
    reached    whether that is the confidence of the protocol; else low and high are the range
    statistic  how the repeats became one number
    over_all   the same of the values over all of the windows' time, if gaps left out much of it
    """

    value: float
    repeats: int = 1
    low: float | None = None
    high: float | None = None
    coverage: float | None = None
    reached: bool = False
    statistic: str = "median"
    over_all: float | None = None

    @property
    def ends(self) -> tuple[float, float]:
        """Return the interval or range; of a single repeat its value, twice."""
        return (self.value if self.low is None else self.low, self.value if self.high is None else self.high)


class Case(Value, frozen=True):
    """Runs that agree in all factors are repeats of one case.

    name          identity: it depends on the factors, not on the values
    factors       what the experimenter chose
    metric        what is measured
    phase         part of a step that is measured
    unit          base unit of the values
    protocol      name of the protocol
    parts         phases that entered a total
    formula       how a derived value is computed
    conditions    what it was measured with, besides its factors
    summary       the repeats as one number; absent if no repeat has a value
    measurements  repeats with a value
    unmeasured    repeats without a value: failed, out of memory, too short
    findings      about the case
    """

    name: str
    factors: Key = {}
    metric: str = ""
    phase: str = ""
    unit: str = ""
    protocol: str = ""
    parts: tuple[str, ...] = ()
    formula: str = ""
    conditions: dict[str, str] = {}
    summary: Summary | None = None
    measurements: tuple[Measurement, ...] = ()
    unmeasured: tuple[Run, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def invalid(self) -> str:
        """Return the rule of the finding for which its number means nothing, "" if there is none."""
        return invalid_rule(self.metric, self.phase, self.measurements)

    @property
    def runs(self) -> tuple[Run, ...]:
        """Return every run of the case, those with a value first."""
        return (*(measurement.run for measurement in self.measurements), *self.unmeasured)

    @property
    def all_findings(self) -> tuple[Finding, ...]:
        """Return the findings of the case, its measurements and its runs, each once."""
        groups = (
            self.findings,
            *(each.findings for each in self.measurements),
            *(run.findings for run in self.runs),
        )
        return tuple(dict.fromkeys(finding for group in groups for finding in group))

    def said(self, name: str) -> str:
        """Return the value of a factor or a condition, "" if the case does not say it."""
        return str(self.factors[name]) if name in self.factors else self.conditions.get(name, "")


class Part(Value, frozen=True):
    """A part of the difference between the times of two cases.

    name              phase, or what the part is
    kind              data loading, device, communication, clocks, stragglers, other, rest
    seconds           part of the difference, above 0 where the case takes longer
    share             of the whole difference
    case_seconds      time of the part in the case
    baseline_seconds  time of the part in the baseline
    case_sources      where it was read: FILE or FILE:LINE
    baseline_sources  the same of the baseline
    remark            why it was not measured, or what the number means
    """

    name: str
    kind: str = ""
    seconds: float | None = None
    share: float | None = None
    case_seconds: float | None = None
    baseline_seconds: float | None = None
    case_sources: tuple[str, ...] = ()
    baseline_sources: tuple[str, ...] = ()
    remark: str = ""

    @property
    def text(self) -> str:
        """Return the name in words."""
        return self.name.replace("_", " ")


class Hint(Value, frozen=True):
    """A remark of a log that may explain a part of a difference.

    kind     kind of the part
    rule     of the finding
    message  text of the finding
    source   where it was read: FILE or FILE:LINE
    runs     how many runs say it
    of       case or baseline
    """

    kind: str
    rule: str = ""
    message: str = ""
    source: str = ""
    runs: int = 1
    of: Literal["case", "baseline"] = "case"


class Breakdown(Value, frozen=True):
    """Why a case takes longer than its baseline: parts that add up to the difference.

    per               what the times are of: step or sample
    seconds           the difference
    case_seconds      time of the case
    baseline_seconds  time of the baseline
    parts             those with a time in the order of a step, then those that were not measured
    remarks           sentences about the split
    hints             what the logs say that may explain the parts
    sentence          the split in words
    """

    per: str
    seconds: float = 0.0
    case_seconds: float = 0.0
    baseline_seconds: float = 0.0
    parts: tuple[Part, ...] = ()
    remarks: tuple[str, ...] = ()
    hints: tuple[Hint, ...] = ()
    sentence: str = ""

    @property
    def measured(self) -> tuple[Part, ...]:
        """Return the parts that have a time."""
        return tuple(part for part in self.parts if part.seconds is not None)

    @property
    def is_split(self) -> bool:
        """Return whether the split says more than that all of the difference is in one part."""
        return len(self.measured) > 1


# Figures


class FigureSeries(Value, frozen=True):
    """One line, one colour of bars, or one strip: y over x.

    name    in the legend
    x       numbers, or texts where the figure is categorical
    y       base unit; absent where there is no value
    low     low end of the interval; in a waterfall, where a bar begins
    high    high end of the interval; in a waterfall, where a bar ends
    failed  for each x, why the case has no value: "out of memory"
    colour  its place among the colours of the report
    cases   name of the case behind each value
    labels  a text beside each point
    """

    name: str
    x: tuple[float | str, ...] = ()
    y: tuple[float | None, ...] = ()
    low: tuple[float | None, ...] = ()
    high: tuple[float | None, ...] = ()
    failed: tuple[str, ...] = ()
    colour: int | None = None
    cases: tuple[str | None, ...] = ()
    labels: tuple[str, ...] = ()


class FigureMark(Value, frozen=True):
    """A step or a drift of a series.

    series  position of the series
    first   x where it begins
    last    x where it ends; the same for a step
    text    its size in words
    """

    series: int
    first: str
    last: str
    text: str


class Figure(Value, frozen=True):
    """A plot of a table: what to draw, not how.

    id          of the definition
    title       heading
    kind        what it shows
    x_title     title of the x axis
    y_title     title of the y axis
    unit        of y
    x_unit      of x, where x is a measured value
    quantity    what y is; everything but value is a ratio
    categories  texts of x in their order
    series      what is drawn
    ideal       points of the dashed line of ideal scaling
    front       points of the dashed line of the best trade-off, where x is measured
    changes     steps and drifts
    alt         alternative text
    table       id of its table
    """

    id: str
    title: str
    kind: FigureKind
    x_title: str = ""
    y_title: str = ""
    unit: Unit = Unit("ratio", "ratio", 1.0)
    x_unit: Unit | None = None
    quantity: Quantity = "value"
    categories: tuple[str, ...] = ()
    series: tuple[FigureSeries, ...] = ()
    ideal: tuple[tuple[float, float], ...] = ()
    front: tuple[tuple[float, float], ...] = ()
    changes: tuple[FigureMark, ...] = ()
    alt: str = ""
    table: str = ""

    def __repr__(self) -> str:
        points = sum(len(series.x) for series in self.series)
        return f"<Figure {self.id}: {self.kind}, {len(self.series)} series, {points} points>"


# Expected speed


class ExpectedRatio(Value, frozen=True):
    """The expected speed of one comparison; the expected speeds of the document have the facts behind it.

    target     system of the case
    reference  system of the baseline
    speed      of the first, relative to the second
    """

    target: str
    reference: str
    speed: float


# Acceptance


class RatioBounds(Value, frozen=True):
    """The bounds of a rule. A ratio that equals one is inside; the last bits of a quotient do not count.

    low   lowest ratio that passes
    high  highest ratio that passes
    """

    low: float | None = None
    high: float | None = None

    def include(self, ratio: float) -> bool:
        """Return whether the ratio is inside."""
        is_low = self.low is not None and ratio < self.low * (1 - 1e-12)
        is_high = self.high is not None and ratio > self.high * (1 + 1e-12)
        return not (is_low or is_high)


class AcceptedCell(Value, frozen=True):
    """One cell under a rule of acceptance.

    place      the cell in words
    outcome    result
    metric     what is measured
    unit       base unit
    item       what one sample is
    value      base unit
    reference  what the value is compared with, base unit
    ratio      of both, above 1 is better
    reason     why the rule was not evaluated
    """

    place: str
    outcome: Outcome
    metric: str = ""
    unit: str = ""
    item: str = ""
    value: float | None = None
    reference: float | None = None
    ratio: float | None = None
    reason: str = ""


class AcceptanceRuleResult(Value, frozen=True):
    """A rule of acceptance with its result.

    text     the rule in words
    bounds   ratios that pass
    outcome  result
    cells    every cell that it was applied to
    """

    text: str
    bounds: RatioBounds
    outcome: Outcome
    cells: tuple[AcceptedCell, ...] = ()


class Acceptance(Value, frozen=True):
    """An entry of acceptance.

    id        of the definition
    title     heading
    is_any    whether one rule that passes is enough
    outcome   result
    rules     its rules
    coverage  how many cases of their tables the rules judge, if not all
    """

    id: str
    title: str
    is_any: bool
    outcome: Outcome
    rules: tuple[AcceptanceRuleResult, ...] = ()
    coverage: str = ""


# Explorer


class ExplorerFactor(Value, frozen=True):
    """A factor of the configurations.

    name    of the factor
    title   in words
    values  in the order that readers expect
    labels  the values in words
    """

    name: str
    title: str
    values: tuple[FactorValue, ...]
    labels: tuple[str, ...]


class ExplorerMeasure(Value, frozen=True):
    """A quantity of the configurations: a metric in one phase.

    metric    what is measured
    phase     part of a step
    title     in full
    label     in its chart, beside the other measures
    unit      unit to show it in
    digits    significant digits
    decimals  decimals instead of significant digits
    better    whether more or less is better
    is_size   whether it is an amount of device memory, which the device's size limits
    """

    metric: str
    phase: str
    title: str
    label: str
    unit: Unit
    digits: int = 4
    decimals: int | None = None
    better: Better | None = None
    is_size: bool = False


class ExplorerCell(Value, frozen=True):
    """A measure of one configuration.

    case     name of the case
    text     why there is no number
    ratio    value over that of the baseline
    verdict  how the two compare
    reason   why there is no ratio
    """

    case: str | None = None
    text: str = ""
    ratio: float | None = None
    verdict: str = ""
    reason: str = ""


class Configuration(Value, frozen=True):
    """One combination of factor values.

    values         value of each factor of the explorer, in their order
    others         values of the factors that follow from these
    device_memory  B, size of one device
    cells          a cell per measure of the explorer; null without one
    """

    values: tuple[FactorValue, ...]
    others: tuple[str, ...] = ()
    device_memory: float | None = None
    cells: tuple[ExplorerCell | None, ...] = ()


class ExplorerChart(Value, frozen=True):
    """A chart: some measures over the x factor.

    id          of the definition
    title       heading
    measures    positions of the measures
    is_stacked  whether the measures are parts of a whole
    notes       sentences of the table that it is made from
    """

    id: str
    title: str
    measures: tuple[int, ...]
    is_stacked: bool = False
    notes: tuple[str, ...] = ()


class ExplorerSwitch(Value, frozen=True):
    """A check box that changes what the charts show.

    id          of the definition
    title       beside the box
    note        a warning that is shown while it is on
    charts      ids of charts that are shown only while it is on
    measures    positions of measures that are shown only while it is on
    instead_of  positions of measures that are shown only while it is off
    """

    id: str
    title: str
    note: str = ""
    charts: tuple[str, ...] = ()
    measures: tuple[int, ...] = ()
    instead_of: tuple[int, ...] = ()


class Explorer(Value, frozen=True):
    """The explorer of the page: the cases of the tables, by configuration and measure.

    factors         those of which a reader chooses one value, then the compared one, then x
    compared        position of the factor whose values are side by side; -1 for none
    baseline        position of its value that ratios refer to
    others          names of factors that vary, but follow from the factors
    measures        quantities of the configurations
    charts          over the last factor
    switches        check boxes
    configurations  combinations of factor values
    more            the author's text about method, systems and terms, in Markdown
    """

    factors: tuple[ExplorerFactor, ...]
    compared: int = -1
    baseline: int = -1
    others: tuple[str, ...] = ()
    measures: tuple[ExplorerMeasure, ...] = ()
    charts: tuple[ExplorerChart, ...] = ()
    switches: tuple[ExplorerSwitch, ...] = ()
    configurations: tuple[Configuration, ...] = ()
    more: str = ""


# The whole


class Environment(Value, frozen=True):
    """Values that the runs of one machine, or of one set of runs, share.

    title  heading
    runs   number of runs
    rows   name and value; values that differ between its runs are joined with " | "
    """

    title: str
    runs: int
    rows: tuple[tuple[str, str], ...] = ()


class Provenance(Value, frozen=True):
    """One folder of logs that a report uses.

    path    of the folder
    format  of its logs
    runs    number of runs
    title   of the publication
    url     of the publication
    date    of the publication
    reader  version of the reader of the format
    """

    path: str
    format: str
    runs: int = 0
    title: str = ""
    url: str = ""
    date: str = ""
    reader: int = 1


class Template(Value, frozen=True):
    """A text of the author, in which `{{ value("table", row={...}) }}` stands for a number.

    text    as the author wrote it, Markdown
    source  where: FILE or FILE:LINE
    """

    text: str
    source: str = ""


class RunCounts(Value, frozen=True):
    """All runs of the logs, in tables or not.

    statuses   number of runs by how they ended
    first_day  day of the first run (ISO 8601)
    last_day   day of the last run
    devices    names of the devices
    sentences  how many runs are behind the tables, and in none
    """

    statuses: dict[Status, int] = {}
    first_day: str = ""
    last_day: str = ""
    devices: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()


class Document(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True, dict=True):
    """A report: the content of report.json.

    version            of this format
    name               path below the folder of reports
    title              heading
    headline           first sentence, with its numbers
    headline_template  the same as the author wrote it
    verdict            sentences after it
    prose              text of the author
    tables             in order of definition
    figures            of the tables
    cases              behind the cells, in reading order
    comparisons        cases against their baselines, by name
    contracts          what comparisons held equal, by name
    notes              footnotes of the tables, by name
    explorer           what a reader explores on the page
    expected           expected speeds that were used
    acceptance         results of the rules that the definition sets
    runs               all runs of the logs
    environment        what the environments of all runs behind the cells have in common
    machines           what else the environment of a run says, by machine
    environments       environments as the page lists them
    findings           about the report
    protocol           names of the protocols
    protocol_text      what they do
    protocols          fields of each protocol
    provenance         folders of logs
    sources            SHA-256 of each file behind the report, by path
    side_files         SHA-256 of each file beside the page that holds steps and telemetry, by path
    source_url         address of a line of a log, with {path} and {line}
    generated          every file of the report, relative to its folder
    """

    version: int
    name: str
    title: str = ""
    headline: str = ""
    headline_template: Template | None = None
    verdict: tuple[str, ...] = ()
    prose: Template | None = None
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    cases: tuple[Case, ...] = ()
    comparisons: dict[str, Comparison] = {}
    contracts: dict[str, Contract] = {}
    notes: dict[str, Note] = {}
    explorer: Explorer | None = None
    expected: tuple[Expected, ...] = ()
    acceptance: tuple[Acceptance, ...] = ()
    runs: RunCounts = RunCounts()
    environment: dict[str, str] = {}
    machines: dict[str, dict[str, str]] = {}
    environments: tuple[Environment, ...] = ()
    findings: tuple[Finding, ...] = ()
    protocol: str = ""
    protocol_text: str = ""
    protocols: dict[str, dict[str, FactorValue]] = {}
    provenance: tuple[Provenance, ...] = ()
    sources: dict[str, str] = {}
    side_files: dict[str, str] = {}
    source_url: str = ""
    generated: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Document {self.name}: {len(self.tables)} tables, {len(self.cases)} cases>"

    @cached_property
    def case_by_name(self) -> Mapping[str, Case]:
        """The cases by name."""
        return _ByName(self.cases)

    def comparisons_of(self, table: Table) -> dict[str, Comparison]:
        """Return the comparisons of a table by the name of the case."""
        named = ((case, self.comparisons.get(name)) for case, name in table.comparisons.items())
        return {case: comparison for case, comparison in named if comparison}

    def comparison_of(self, table: Table, cell: Cell) -> Comparison | None:
        """Return the case of a cell against its baseline in a table."""
        name = table.comparisons.get(cell.case) if cell.case else None
        return self.comparisons.get(name) if name else None

    def cases_of(self, table: Table, cell: Cell) -> tuple[str, ...]:
        """Return the name of every case behind a cell of a table, including its baseline."""
        comparison = self.comparison_of(table, cell)
        own = (cell.case,) if cell.case else ()
        return (*own, *((comparison.baseline,) if comparison else ()), *cell.several)

    def expected_paths(self, speed: ExpectedRatio) -> Expected | None:
        """Return the expected speed with the facts behind it; None if the document does not have them."""
        wanted = (speed.target, speed.reference, speed.speed)
        return next((e for e in self.expected if (e.target, e.reference, e.speed) == wanted), None)

    def contract_of(self, comparison: Comparison) -> Contract:
        """Return what a comparison rests on; nothing if the document does not say it."""
        return self.contracts.get(comparison.contract, Contract())

    def case(self, name: str | None) -> Case | None:
        """Return the case of that name, None for None."""
        return self.case_by_name[name] if name else None


class _ByName(Mapping[str, Case]):
    """Cases by name. It holds none of them: the cases of many runs are in a file."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self._cases = cases
        self._places = {case.name: place for place, case in enumerate(cases)}

    def __getitem__(self, name: str) -> Case:
        return self._cases[self._places[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def name_of_pair(case: str, baseline: str, comparison: _T, known: dict[str, _T]) -> str:
    """Return the name of a comparison, and add it to the known ones.

    The name depends on those of both cases. Different comparisons of the same two are counted besides: a
    table may compare something else, and it corrects verdicts for their number.
    """
    names = (_digest(case, baseline, str(number)) for number in count(1))
    return next(name for name in names if known.setdefault(name, comparison) == comparison)


def _digest(*texts: str) -> str:
    # Two notes of one name would be one: of 10,000, two have equal digests once in five million documents.
    return blake2b("\0".join(texts).encode("utf-8", "backslashreplace"), digest_size=6).hexdigest()


def source_of(text: str) -> Source:
    """Return the file and the line of FILE:LINE or FILE."""
    path, colon, line = text.rpartition(":")
    # No file has so many lines.
    is_line = colon and line.isdecimal() and len(line) < 19
    return Source(path, int(line)) if is_line else Source(text)


def day_of(seconds: float | None) -> str:
    """Return the day of a time since 1970 (ISO 8601, UTC), "" if no calendar has it."""
    if seconds is None or not math.isfinite(seconds):
        return ""
    try:
        return dt.datetime.fromtimestamp(seconds, dt.UTC).date().isoformat()
    except (OverflowError, ValueError, OSError):
        return ""
