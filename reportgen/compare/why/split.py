"""Split the difference between two sides into parts that add up to it: arithmetic only.

All times are rounded to one binary grid, far finer than any clock, and added as integers of it. So the parts
add up to the difference exactly, in any order, and the numbers do not depend on the machine.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from reportgen.compare.breakdown import Breakdown, BreakdownPart, Hint, PartKind, PartSide
from reportgen.compare.why.phases import EXPECTED_KINDS, kind_of
from reportgen.core import units
from reportgen.core.model import Source

# Bits of the largest time that the grid keeps; of the 53 of a float, the others are for differences and sums.
_GRID_BITS = 48
# A whole that differs from the sum of its phases by less than this share is that sum, rounded.
_ROUNDING_SHARE = 1e-9
# Phases may exceed their whole by this share: both are rounded, or read by two clocks.
_MAX_EXCESS_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class PhaseTime:
    """The time of a phase in s per step or sample.

    lag  how much longer the slowest rank takes than the median rank, 0 for a phase in which ranks wait
    """

    seconds: float
    sources: tuple[Source, ...] = ()
    lag: float = 0.0


@dataclass(frozen=True, slots=True)
class SideTimes:
    """The times that the runs of a case show, medians over its repeats.

    whole      s
    phases     by name, in the order of the step; each part of the whole
    has_ranks  whether the phases were timed on several ranks, so that the lag of the slowest is known
    is_single  whether only one rank ran: nothing can lag
    clock      mean SM clock in Hz over the measured steps, None if it was not logged
    """

    whole: float
    phases: Mapping[str, PhaseTime] = field(default_factory=dict)
    has_ranks: bool = False
    is_single: bool = False
    clock: float | None = None
    clock_sources: tuple[Source, ...] = ()

    @property
    def total(self) -> float:
        """Return the sum of the phases."""
        return math.fsum(phase.seconds for phase in self.phases.values())


def split_difference(
    own: SideTimes,
    baseline: SideTimes,
    *,
    per: str = "step",
    is_step: bool = True,
    has_same_device: bool = True,
    hints: Iterable[Hint] = (),
) -> Breakdown:
    """Return the difference between two sides in parts.

    is_step          whether the whole is a whole step, in which loading data has its place
    has_same_device  whether both sides ran on one device model, so that a cycle does the same work
    """
    largest = max(max(side.whole, side.total) for side in (own, baseline))
    grid = math.ldexp(1.0, math.frexp(largest)[1] - _GRID_BITS)
    names = [name for name in own.phases if name in baseline.phases]
    columns = _Columns(_Column(own, names, grid), _Column(baseline, names, grid), grid)
    stragglers, clocks = _stragglers(columns), _clocks(columns, has_same_device=has_same_device)
    parts = [
        *(_phase(columns, name) for name in names),
        stragglers,
        clocks,
        *_rest(columns),
        *_one_sided(columns),
    ]
    present = {part.kind for part in parts}
    missing = [kind for kind in EXPECTED_KINDS if kind not in present and (is_step or kind != "data loading")]
    return Breakdown(
        columns.own.whole * grid,
        columns.baseline.whole * grid,
        per,
        (
            *(part for part in parts if part.seconds is not None),
            *(part for part in parts if part.seconds is None),
            *(_missing(kind) for kind in missing),
        ),
        tuple(_remarks(own, baseline)),
        tuple(hints),
    )


class _Column:
    """The times of one side as integers of the grid; parts are taken out of each other.

    times    of the phases that both sides have
    remains  what no such phase covers
    """

    def __init__(self, side: SideTimes, names: Iterable[str], grid: float) -> None:
        self.side, self.grid = side, grid
        self.times = {name: self.units(side.phases[name].seconds) for name in names}
        whole, total = self.units(side.whole), sum(self.units(each.seconds) for each in side.phases.values())
        self.whole = total if abs(whole - total) <= _ROUNDING_SHARE * whole else whole
        self.remains = self.whole - sum(self.times.values())

    def units(self, seconds: float) -> int:
        """Return a time as an integer of the grid."""
        return round(seconds / self.grid)

    def take_lag(self) -> int:
        """Take the lag of the slowest rank out of the phases and return it."""
        lags = {name: self.units(self.side.phases[name].lag) for name in self.times}
        for name, lag in lags.items():
            self.times[name] -= lag
        return sum(lags.values())

    def take_above_clock(self, ratio: float, names: Iterable[str]) -> int:
        """Take out of some phases what they would save at 1/`ratio` times the clock, and return it."""
        taken = 0
        for name in names:
            there = round(self.times[name] * ratio)
            taken, self.times[name] = taken + self.times[name] - there, there
        return taken


@dataclass(frozen=True, slots=True)
class _Columns:
    own: _Column
    baseline: _Column
    grid: float

    def part(
        self,
        name: str,
        kind: PartKind,
        times: tuple[int, int],
        sources: tuple[tuple[Source, ...], tuple[Source, ...]] = ((), ()),
        remark: str = "",
    ) -> BreakdownPart:
        """Return a measured part; `times` and `sources` belong to both sides."""
        own, baseline = (PartSide(time * self.grid, each) for time, each in zip(times, sources, strict=True))
        return BreakdownPart(name, kind, (times[0] - times[1]) * self.grid, own, baseline, remark)


def _phase(columns: _Columns, name: str) -> BreakdownPart:
    """Return a phase as a part, after stragglers and clocks were taken out of it."""
    own, baseline = columns.own, columns.baseline
    sources = own.side.phases[name].sources, baseline.side.phases[name].sources
    return columns.part(name, kind_of(name), (own.times[name], baseline.times[name]), sources)


def _stragglers(columns: _Columns) -> BreakdownPart:
    """Take the lag of the slowest rank out of the phases."""
    sides = columns.own.side, columns.baseline.side
    if all(side.is_single for side in sides):
        return BreakdownPart("stragglers", "stragglers", None, remark="one rank on each side")
    if not columns.own.times or not all(side.has_ranks or side.is_single for side in sides):
        return BreakdownPart("stragglers", "stragglers", None, remark="phases are not timed on each rank")
    remark = "the slowest rank beyond the median rank, in phases in which ranks do not wait"
    times = columns.own.take_lag(), columns.baseline.take_lag()
    return columns.part("stragglers", "stragglers", times, remark=remark)


def _clocks(columns: _Columns, *, has_same_device: bool) -> BreakdownPart:
    """Take out of the case's device phases what they would save at the clock of the baseline.

    cycles = time x clock, so at another clock the same cycles take time x clock / other clock.
    """
    own, baseline = columns.own.side, columns.baseline.side
    device = [name for name in columns.own.times if kind_of(name) == "device"]
    remark = ""
    if not own.clock or not baseline.clock:
        remark = "the SM clock is not logged on both sides"
    elif not has_same_device:
        remark = "the devices differ, and so does the work of a cycle"
    elif not device:
        remark = "no phase of the device is timed on both sides"
    if remark or not own.clock or not baseline.clock:
        return BreakdownPart("clocks", "clocks", None, remark=remark)
    saved = columns.own.take_above_clock(own.clock / baseline.clock, device)
    remark = f"{_hertz(own.clock)} against {_hertz(baseline.clock)}, over the phases of the device"
    return columns.part("clocks", "clocks", (saved, 0), (own.clock_sources, baseline.clock_sources), remark)


def _one_sided(columns: _Columns) -> Iterator[BreakdownPart]:
    """Yield the phases that one side alone has; their time is in the rest."""
    own, baseline = columns.own.side.phases, columns.baseline.side.phases
    for name, phase in own.items():
        if name not in baseline:
            remark = f"timed in the case alone ({_seconds(phase.seconds)}); in the rest"
            place = PartSide(phase.seconds, phase.sources)
            yield BreakdownPart(name, kind_of(name), None, place, PartSide(), remark)
    for name, phase in baseline.items():
        if name not in own:
            remark = f"timed in the baseline alone ({_seconds(phase.seconds)}); in the rest"
            place = PartSide(phase.seconds, phase.sources)
            yield BreakdownPart(name, kind_of(name), None, PartSide(), place, remark)


def _rest(columns: _Columns) -> Iterator[BreakdownPart]:
    """Yield what no phase covers, nothing if the phases are the whole."""
    times = columns.own.remains, columns.baseline.remains
    if any(times):
        yield columns.part("rest" if columns.own.times else "whole", "rest", times)


def _missing(kind: PartKind) -> BreakdownPart:
    name = "device phases" if kind == "device" else kind
    return BreakdownPart(name, kind, None, remark="not timed on either side")


def _remarks(own: SideTimes, baseline: SideTimes) -> Iterator[str]:
    """Yield what a reader must know about the split as a whole."""
    for side, words in ((own, "case"), (baseline, "baseline")):
        if side.total > side.whole * (1 + _MAX_EXCESS_SHARE):
            yield (
                f"The phases of the {words} take {_seconds(side.total)}, more than the whole of "
                f"{_seconds(side.whole)}: they overlap, or one contains another."
            )


def _seconds(seconds: float) -> str:
    unit = units.choose([seconds], "s")
    return f"{units.text(seconds / unit.factor, digits=3)} {unit.name}"


def _hertz(clock: float) -> str:
    return f"{units.text(clock / 1e6, decimals=0)} MHz"
