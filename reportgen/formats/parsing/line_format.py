"""Read logs that print one line per step: a `LineFormat` describes them as a table for one engine.

The named groups of a pattern say what its numbers are. Users' own formats (`[format]` of a labels.toml)
have the same groups and the same engine:

    step, epoch, steps_per_epoch    whole numbers; with an epoch, steps begin again in each
    since, span                     where the interval of the line begins, or how many steps it has
    step_time_<unit>                time of a step: s, ms, us, ns or min
    data_loading_time_<unit>        the part of it that waits for data
    <items>_per_second              rate over all devices; steps and iterations per second are step times
    <items>_per_second_per_device   rate of one device
    memory_used_<unit>              B, MiB or GiB
    timestamp                       a date and time, or seconds
    global_batch_size               samples of a step over all devices
    planned_steps                   steps that a whole run has

Other groups are left to the format's own `build`.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from functools import partial
from typing import Any, Self

import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import STEP, Break, Clock, FactorValue, Finding, FloatArray, IntArray, Run
from reportgen.formats.base import Format, Results
from reportgen.formats.parsing.accumulation import accumulation_steps
from reportgen.formats.parsing.line_patterns import line_pattern, longest_literal, regex
from reportgen.formats.parsing.run_builder import RunBuilder, epoch_breaks, in_epochs, once, per_device, spans
from reportgen.formats.parsing.several_runs import StepPlaces, repetition, run_borders, run_logs
from reportgen.formats.parsing.step_numbers import over_epochs, shortened
from reportgen.formats.parsing.text_log import (
    LateSign,
    Records,
    Refine,
    TextLog,
    TextSign,
    format_of,
    positive,
)
from reportgen.formats.parsing.timestamps import WallTime, utc, wall_time

# How many of a unit make one base unit: dividing by a thousand rounds less than multiplying by 0.001.
TIME_UNITS = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9, "min": 1 / 60}
MEMORY_UNITS = {"B": 1.0, "MiB": 2.0**-20, "GiB": 2.0**-30}
# Rates of steps rather than of what a step works on.
STEP_RATES = ("steps", "iterations")

_PHASES = {"step_time": STEP, "data_loading_time": "data_loading"}
_RATE = lazy_pattern(r"([A-Za-z]+(?:_[A-Za-z]+)*?)_per_second(_per_device)?")
_COUNT = lazy_pattern(rb"[0-9][0-9,]{0,19}")
_PRINTED = lazy_pattern(
    rb"^[ \t]*([A-Za-z_][A-Za-z0-9_]{0,60})(?: = | \.{3,80} )([^\r\n]{1,400})", re.MULTILINE
)
_TRUE = ("True", "true", "1")
_MAX_DECIMALS = 5
_HEAD_CONFIDENCE = 0.6


@dataclass(frozen=True, slots=True)
class Quantity:
    """The quantity that the numbers of a named group measure.

    divisor  printed units in one base unit
    item     what a rate counts, in the singular; "" for other quantities
    """

    group: str
    metric: str
    phase: str = STEP
    divisor: float = 1.0
    item: str = ""


def quantities(groups: Iterable[str]) -> tuple[Quantity, ...]:
    """Return what the groups of a pattern measure; steps per second are ignored beside step times."""
    measured = [quantity for name in groups if (quantity := _quantity(name))]
    is_timed = any(quantity.group.startswith("step_time_") for quantity in measured)
    return tuple(quantity for quantity in measured if not (is_timed and quantity.item in STEP_RATES))


def _quantity(group: str) -> Quantity | None:
    name, _, unit = group.rpartition("_")
    if name in _PHASES and unit in TIME_UNITS:
        return Quantity(group, "step_time", _PHASES[name], TIME_UNITS[unit])
    if name == "memory_used" and unit in MEMORY_UNITS:
        return Quantity(group, name, divisor=MEMORY_UNITS[unit])
    if not (rate := _RATE.fullmatch(group)):
        return None
    if rate[1] in STEP_RATES:
        return Quantity(group, "step_time", item=rate[1])
    metric = "throughput_per_device" if rate[2] else "throughput"
    return Quantity(group, metric, item=rate[1].removesuffix("s").replace("_", " "))


def measure(
    run: RunBuilder,
    records: Records,
    quantities: Iterable[Quantity],
    span: IntArray,
    *,
    clock: Clock = "printed",
    valid: NDArray[np.bool_] | None = None,
) -> None:
    """Add a series for each quantity, and the times between the timestamps.

    span   steps that each record covers; a printed time is the mean of theirs
    clock  of the printed times
    valid  records whose numbers count; the others are NaN
    """
    is_each = "global_batch_size" in records.columns
    work = records.floats("global_batch_size") * span if is_each else run.work(span)
    for quantity in quantities:
        metric, value = quantity.metric, records.floats(quantity.group) / quantity.divisor
        half = half_digit(records, quantity.group) / quantity.divisor if metric != "memory_used" else 0.0
        if quantity.item in STEP_RATES:
            half /= max(float(np.nanmedian(value)) if np.isfinite(value).any() else 0.0, 1e-9) ** 2
            value = np.divide(span, value, out=np.full(len(value), np.nan), where=value > 0)
        elif metric == "step_time":
            value = value * span
        if valid is not None:
            value = np.where(valid, value, np.nan)
        samples = work if metric in ("step_time", "throughput") and quantity.phase == STEP else None
        by = clock if metric == "step_time" else "printed"
        run.add(metric, value, by, phase=quantity.phase, span=span, samples=samples, rounding=half)
        devices = run.factors.get("devices")
        if metric == "throughput_per_device" and isinstance(devices, int):
            run.add(
                "throughput", value * devices, "printed", span=span, samples=work, rounding=half * devices
            )
    if "timestamp" in records.columns:
        stamps = records.seconds("timestamp")
        first = _first_time(records.columns["timestamp"], stamps)
        run.set_start(first)
        run.add_stamps(stamps, work, first if _is_dated(records) else None)


def _is_dated(records: Records) -> bool:
    """Return whether timestamps are dates, which are counted from the first one."""
    return b":" in (next(iter(records.columns["timestamp"]), None) or b"")


def _first_time(texts: Sequence[bytes | None], stamps: FloatArray) -> WallTime | None:
    """Return the first timestamp if it is a date, or in seconds since 1970."""
    known = np.isfinite(stamps).nonzero()[0]
    if not len(known):
        return None
    text = texts[known[0]] or b""
    return wall_time(text) if b":" in text else utc(float(stamps[known[0]]))


@dataclass(frozen=True, slots=True, eq=False)
class _LineKind:
    """A kind of line.

    literal  every such line contains it; it is searched for first
    form     regular expression with placeholders (`regex`), or a compiled pattern
    """

    literal: bytes
    form: InitVar[str | re.Pattern[bytes]]
    pattern: re.Pattern[bytes] = field(init=False)

    def __post_init__(self, form: str | re.Pattern[bytes]) -> None:
        """Compile the pattern."""
        object.__setattr__(self, "pattern", regex(form) if isinstance(form, str) else form)

    @classmethod
    def like(cls, template: str, **options: Any) -> Self:
        """Return the kind of line of a `line_pattern` template; its longest text must be a rare one."""
        return cls(longest_literal(template), line_pattern(template), **options)


@dataclass(frozen=True, slots=True, eq=False)
class StepLine(_LineKind):
    """A kind of line that is printed for a step, or for all steps since the line before.

    mark       a literal that only logs of this kind have, where `literal` is a common one
    first      number that the log gives the first step; None if versions differ: then 0 if a line has it
    is_single  whether the time is that of the printed step alone, not a mean since the line before
    window     how many steps of the epoch the time is a mean of; 0 for those since the line before
    is_dated   whether its date is before the record in the line
    clock      of the printed time
    factors    constant for logs with such lines
    prepare    changes the records before they are numbered
    accumulates  whether a step has all batches that the log says it accumulates, and no line has its work
    all_ranks  whether to keep the lines that several ranks print for one step; else the first counts
    confidence of a claim by such a line, where it is not that of the format
    damage     the fact of the finding about lines that have the literal and do not match; "" for none
    """

    mark: bytes = b""
    first: int | None = 1
    is_single: bool = False
    window: int = 0
    is_dated: bool = False
    clock: Clock = "printed"
    factors: Mapping[str, FactorValue] = field(default_factory=dict)
    prepare: Callable[[Records], Records] | None = None
    accumulates: bool = False
    all_ranks: bool = False
    confidence: float | None = None
    damage: str = ""

    def span(self, step: IntArray, records: Records) -> IntArray:
        """Return the steps that each line covers."""
        if self.is_single:
            return np.ones_like(step)
        if self.window:
            span = np.minimum(self.position(records), self.window)
        elif "span" in records.columns:
            span = records.integers("span")
        elif None not in records.columns.get("since", (None,)):
            span = records.integers("step") - records.integers("since")
        else:
            return spans(step)
        return np.maximum(span, 1)

    def numbered(self, records: Records) -> tuple[Records, IntArray, tuple[Break, ...]]:
        """Return the records that count, their steps counted from 1, and the borders of epochs."""
        step = position = self.position(records)
        epoch = records.integers("epoch") if "epoch" in records.columns else np.zeros_like(step)
        breaks: tuple[Break, ...] = ()
        is_printed = "steps_per_epoch" in records.columns
        if is_printed:
            step = in_epochs(epoch, position, records.integers("steps_per_epoch"))
        elif "epoch" in records.columns:
            step, breaks = over_epochs(epoch, position)
        keep = np.arange(len(step)) if self.all_ranks else once(step)
        if is_printed:
            breaks = epoch_breaks((step - position)[keep][1:][np.diff(epoch[keep]) != 0])
        return records.take(keep), step[keep], breaks

    def places(self, records: Records) -> StepPlaces:
        """Return where the lines are, and the steps that they print."""
        position = self.position(records)
        epoch = records.integers("epoch") if "epoch" in records.columns else np.zeros_like(position)
        return StepPlaces(records.begin, records.end, epoch, position)

    def position(self, records: Records) -> IntArray:
        """Return the printed numbers of the steps, from 1."""
        step = records.integers("step")
        position: IntArray = step + (1 - self.first if self.first is not None else int(not step.all()))
        return position


def by_rank(run: RunBuilder, rank: IntArray) -> Iterator[IntArray]:
    """Yield the positions of each rank's records, the first of each step; what is added then is its own."""
    if not len(rank):
        return
    step, line = run.step, run.line
    order = np.argsort(rank, kind="stable")
    numbers, first = np.unique(rank[order], return_index=True)
    for number, part in zip(numbers.tolist(), np.split(order, first[1:]), strict=True):
        at = part[once(step[part])]
        run.step, run.line = step[at], line[at]
        before = len(run.series)
        yield at
        if number:
            run.series[before:] = [structs.replace(series, rank=number) for series in run.series[before:]]
    run.step, run.line = step, line


class LineRun(RunBuilder):
    """The run of a line format under construction.

    kind           the kind of step line that the log has
    records        the step lines that count: the first of each step
    planned_steps  length of the whole run, 0 if unknown; one that ends earlier is partial
    """

    def __init__(
        self, log: TextLog, format: str, kind: StepLine, every: Records, factors: dict[str, FactorValue]
    ) -> None:
        self.kind = kind
        self.records, step, breaks = kind.numbered(every)
        last = int(every.end.max(initial=0))
        super().__init__(log, format, step, self.records.line, last, factors=factors, breaks=breaks)
        self.samples_per_step = float(self.count("samples_per_step")) or None
        self.planned_steps = self.count("planned_steps")
        if "planned_steps" in every.columns:
            self.planned_steps = int(every.integers("planned_steps").max(initial=0))
        for name in ("samples_per_step", "planned_steps"):
            factors.pop(name, None)

    def measure(self, *, valid: NDArray[np.bool_] | None = None) -> None:
        """Add what the groups of the lines measure, and the times between the dates before them."""
        if not len(self.records):
            return
        span, measured = self.kind.span(self.step, self.records), quantities(self.records.columns)
        measure(self, self.records, measured, span, clock=self.kind.clock, valid=valid)
        if self.kind.is_dated:
            first = self.set_start_before(self.records)
            self.add_stamps(self.log.stamps(self.records.begin), self.work(span), first)

    def measure_all(self) -> None:
        """Set the samples of a step from a printed global batch, and add what the lines measure."""
        batch = self.count("global_batch_size")
        if batch and self.samples_per_step is None and self.factors.get("item") != "token":
            self.set_batch(batch)
        self.measure()

    def count(self, name: str) -> int:
        """Return a factor that is a whole number, 0 where the log has none."""
        value = self.factors.get(name)
        return value if isinstance(value, int) else 0

    def set_batch(self, global_batch: float | None) -> None:
        """Set the samples of a step and the batch: per device, if the devices are known and divide it."""
        self.samples_per_step = float(global_batch or 0) or None
        self.factors.pop("global_batch_size", None)
        self.factors |= per_device(self.samples_per_step, self.count("devices") or None)


@dataclass(frozen=True, slots=True, eq=False)
class Setting(_LineKind):
    """A line that prints settings; its groups are factors, `samples_per_step` or `planned_steps`.

    values  what the printed texts mean, where they are not the values themselves; other texts are ignored
    """

    values: Mapping[bytes, FactorValue] | None = None


def read_settings(log: TextLog, settings: Iterable[Setting]) -> dict[str, FactorValue]:
    """Return the settings that a log prints; the first of each name counts."""
    printed: dict[str, FactorValue] = {}
    for setting in settings:
        match = log.search(setting.pattern, setting.literal)
        for name, text in match.groupdict().items() if match else ():
            value = None if text is None else setting.values.get(text) if setting.values else _value(text)
            if value is not None:
                printed.setdefault(name, value)
    return printed


def _value(text: bytes) -> FactorValue:
    """Return a whole number, thousands commas allowed, else text."""
    if _COUNT.fullmatch(text):
        return int(text.replace(b",", b""))
    return text.decode("utf-8", "replace").strip()


def printed_settings(content: bytes, names: Mapping[str, str]) -> dict[str, FactorValue]:
    """Return the settings in a log as factors: the last of each name, also after the records.

    names  printed name -> factor; a factor's first name that has a value counts. `model` is text,
           `precision` a switch of mixed precision; all others are whole numbers above 0
    """
    lines = _PRINTED.finditer(content)
    texts = {line[1].decode("ascii"): line[2].decode("utf-8", "replace").strip() for line in lines}
    factors: dict[str, FactorValue] = {}
    for name, factor in names.items():
        text = texts.get(name, "")
        if text and factor == "precision":
            factors[factor] = "amp" if text in _TRUE or factors.get(factor) == "amp" else "fp32"
        elif text and factor == "model":
            factors.setdefault(factor, text)
        elif count := positive(text):
            factors.setdefault(factor, count)
    return factors


def head(literal: bytes, form: str) -> LateSign:
    """Return the sign of what a program prints before its first step: a regular expression as of `regex`.

    literal  every such text contains it
    """
    return LateSign((literal,), partial(regex, form), _HEAD_CONFIDENCE)


def option(name: str, factor: str, values: Mapping[bytes, FactorValue] | None = None) -> Setting:
    """Return the setting of an argument dump, `  name ......... 8`: one of the values, else a count."""
    value = r"\S{1,80}" if values else r"[1-9][0-9]{0,14}(?!\S)"
    return Setting(f"  {name} ..".encode(), rf"  {name} \.{{2,80}} (?P<{factor}>{value})", values)


def rounding(records: Records, group: str) -> float:
    """Return half of the last printed digit, of five decimals at most."""
    return max(_half_digit(records.columns[group]), 0.5 * 10.0**-_MAX_DECIMALS)


def half_digit(records: Records, group: str) -> float:
    """Return half of the last printed digit, of the number with most decimals.

    0 if all numbers are the same: 0.25 may be all digits that there are.
    """
    texts = records.columns[group]
    return _half_digit(texts) if len(set(texts) - {None}) > 1 else 0.0


def _half_digit(texts: Sequence[bytes | None]) -> float:
    return 0.5 * 10.0 ** -max((len((text or b"").partition(b".")[2]) for text in texts), default=0)


def constant(values: FloatArray) -> float | None:
    """Return the only finite value, None if there are others or none."""
    finite = np.unique(values[np.isfinite(values)])
    return float(finite[0]) if len(finite) == 1 else None


def since_line_before(mean: FloatArray, done: IntArray, epoch: IntArray) -> tuple[FloatArray, IntArray]:
    """Return the time of all steps since the line before, and their number, from means since the epoch began.

    done  steps of the epoch; the first line of an epoch, and one that goes back, covers all of them
    """
    total = mean * done
    continues = (np.diff(epoch, prepend=epoch[:1] - 1) == 0) & (np.diff(done, prepend=0) > 0)
    time = np.where(continues, np.diff(total, prepend=0.0), total)
    return time, np.where(continues, np.diff(done, prepend=0), done)


@dataclass(frozen=True, slots=True)
class LineFormat:
    """A format whose logs print one line per step.

    summary   what it reads, in one sentence
    lines     kinds of step lines, the most specific first: the first that occurs is read
    factors   constant; those of a line and the printed settings have precedence
    settings  lines that are printed once
    printed   names of settings printed as `name = value` or `name ....... value` -> factors
    signs     of a log without such a line in its head
    heads     what only this program prints before its first step: of a log that ends in an error there
    build     adds what the lines measure to the run, called without records too
    refine    as of `format_of`
    """

    name: str
    summary: str
    lines: tuple[StepLine, ...]
    factors: Mapping[str, FactorValue] = field(default_factory=dict)
    settings: tuple[Setting, ...] = ()
    printed: Mapping[str, str] = field(default_factory=dict)
    build: Callable[[LineRun], None] = LineRun.measure_all
    confidence: float = 0.95
    signs: tuple[TextSign, ...] = ()
    heads: tuple[LateSign, ...] = ()
    refine: Refine = lambda files, claim: claim

    def format(self) -> Format:
        """Return the format for the registry."""
        lines = (
            TextSign((line.mark or line.literal,), line.pattern, line.confidence or self.confidence)
            for line in self.lines
        )
        signs = (*lines, *self.signs)
        return format_of(self.name, self.summary, signs, self.read, self.refine, heads=self.heads)

    def read(self, log: TextLog) -> Results:
        """Yield the runs of a log."""
        kind, every = self._records(log)
        borders = run_borders(log, kind.places(every))
        if len(borders.begins) == 1:
            yield self._read(self._start(log, kind, every), repetition(log, borders))
            return
        for part in run_logs(log, borders):
            yield self._read(self.start(part))

    def _read(self, run: LineRun, findings: tuple[Finding, ...] = ()) -> Run:
        self.build(run)
        run.findings += findings
        return shortened(run.run(), int(run.step.max(initial=0)), run.planned_steps)

    def start(self, log: TextLog) -> LineRun:
        """Return the run of a log with its records and factors, without series."""
        return self._start(log, *self._records(log))

    def _start(self, log: TextLog, kind: StepLine, every: Records) -> LineRun:
        settings = read_settings(log, self.settings)
        if self.printed:
            settings |= printed_settings(log.content, self.printed)
        per_node, nodes = settings.pop("devices_per_node", 0), settings.get("nodes", 0)
        if isinstance(per_node, int) and isinstance(nodes, int) and per_node * nodes:
            settings["devices"] = per_node * nodes
        if kind.accumulates and (accumulated := accumulation_steps(log.content)) > 1:
            settings["gradient_accumulation_steps"] = accumulated
        return LineRun(log, self.name, kind, every, {**self.factors, **kind.factors, **settings})

    def _records(self, log: TextLog) -> tuple[StepLine, Records]:
        """Return the first kind of line that the log has, and its records."""
        for line in self.lines:
            if line.mark in log.content:
                records = log.records(line.pattern, line.literal, line.damage)
                if len(records):
                    return line, line.prepare(records) if line.prepare else records
        return self.lines[0], log.records(self.lines[0].pattern, self.lines[0].literal)
