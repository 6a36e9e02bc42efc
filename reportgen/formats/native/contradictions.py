"""Find where the files of a run folder contradict each other: how it ended, its ranks, its work, its time.

A finding is invalid if nothing says which of two statements is right, and the number would depend on it.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from reportgen.core.model import IntArray
from reportgen.core.rules import Rule, Severity
from reportgen.formats.native.integer_csv import ABSENT, IntTable
from reportgen.formats.native.run_json import RunFile

_RUN = "run.json"

# Times of different processes may differ by one second, and by a share: beyond the first share they are
# named, and beyond the second no number is printed.
_ALLOWED_SECONDS = 1.0
_NAMED_SHARE = 0.01
_INVALID_SHARE = 0.05


# Fewer different step times may agree by chance.
_MIN_DIFFERENT = 5
# Fewer durations may have a common divisor, or be equal, by chance.
_MIN_DURATIONS = 10
# A tick that is this share of a step is named; beyond the second share, no number is printed.
_NAMED_TICK, _INVALID_TICK = 0.01, 0.1
# The unit of the format: no clock can show less.
_FINEST_TICK = 1
# Steps of 0 s that are more than this share forbid a number.
_MAX_ZERO_SHARE = 0.05
# Almost all steps touch: a break may be between two.
_MIN_TOUCHING = 0.9


class CheckedSteps(Protocol):
    """The steps of a rank."""

    name: str
    number: int
    table: IntTable


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A contradiction, and the file with one of its sides."""

    rule: Rule
    severity: Severity
    message: str
    name: str


def find_contradictions(
    run: RunFile, twice: Sequence[str], ranks: Sequence[CheckedSteps]
) -> Iterator[Contradiction]:
    """Yield the contradictions of a run folder; `twice` are keys with two different values in run.json."""
    if twice:
        message = f"run.json contains {', '.join(twice)} twice, with different values"
        yield Contradiction(Rule.READ_CONTRADICTION, "invalid", message, _RUN)
    if run.status == "complete":
        yield from _ends(run, ranks)
    if run.ranks and len(ranks) > run.ranks:
        message = f"ranks is {run.ranks}, but there are steps of {len(ranks)} ranks"
        yield Contradiction(Rule.READ_CONTRADICTION, "invalid", message, ranks[-1].name)
    devices = run.case.get("devices")
    if run.ranks and isinstance(devices, int) and not isinstance(devices, bool) and 0 < devices < run.ranks:
        message = f"the case has {devices} devices, and {run.ranks} ranks ran"
        yield Contradiction(Rule.READ_CONTRADICTION, "warning", message, _RUN)
    yield from _copied_ranks(ranks)
    yield from _samples(run, ranks)
    yield from _wall_time(run, ranks)
    yield from _coarse(ranks)


def _ends(run: RunFile, ranks: Sequence[CheckedSteps]) -> Iterator[Contradiction]:
    if run.exit_code:
        message = f"status is complete, but exit_code is {run.exit_code}"
        yield Contradiction(Rule.READ_CONTRADICTION, "invalid", message, _RUN)
    for rank in ranks:
        ends = [status for _, (status,) in rank.table.records["#end"]]
        if ends and ends[-1] != "complete":
            message = f'status is complete, but rank {rank.number} recorded its end as "{ends[-1][:40]}"'
            yield Contradiction(Rule.READ_CONTRADICTION, "invalid", message, rank.name)


def _copied_ranks(ranks: Sequence[CheckedSteps]) -> Iterator[Contradiction]:
    """Report ranks with the very nanoseconds of another rank: a copied file, whose work would count twice."""
    first: dict[bytes, str] = {}
    for rank in ranks if len(ranks) > 1 else ():
        durations = rank.table.column("duration_ns")
        if len(set(durations.tolist()) - {ABSENT}) < _MIN_DIFFERENT:
            continue
        name = first.setdefault(durations.tobytes(), rank.name)
        if name != rank.name:
            message = f"all step times of rank {rank.number} are those in {name}, to the nanosecond"
            yield Contradiction(Rule.READ_CONTRADICTION, "invalid", message, rank.name)


def _samples(run: RunFile, ranks: Sequence[CheckedSteps]) -> Iterator[Contradiction]:
    """Report rows that usually have other samples than run.json says."""
    for rank in ranks:
        samples, span = rank.table.column("samples"), rank.table.column("span")
        if run.samples_per_step is None or (samples == ABSENT).all():
            continue
        per_step = samples / np.where(span == ABSENT, 1, np.maximum(span, 1))
        usual = float(np.median(np.where(samples == ABSENT, run.samples_per_step, per_step)))
        if usual != run.samples_per_step:
            message = f"samples_per_step is {run.samples_per_step}, the rows of rank {rank.number} have "
            message += f"{usual:.6g} samples per step; the rows are used"
            yield Contradiction(Rule.READ_CONTRADICTION, "warning", message, rank.name)


def _wall_time(run: RunFile, ranks: Sequence[CheckedSteps]) -> Iterator[Contradiction]:
    """Report steps that together take longer than the command that made them."""
    durations = [rank.table.column("duration_ns") for rank in ranks]
    # Damaged cells may add up to more than 64 bits.
    steps = max((float(each[each != ABSENT].sum(dtype=np.float64)) for each in durations), default=0.0) / 1e9
    started, ended = run.started_realtime_ns, run.ended_realtime_ns
    if run.wall_time_ns is not None:
        wall_time, is_settable, what = run.wall_time_ns / 1e9, False, "the command ran for"
    elif started is not None and ended is not None:
        wall_time, is_settable, what = (ended - started) / 1e9, True, "start and end of the run are apart by"
    else:
        return
    excess = steps - wall_time - _ALLOWED_SECONDS
    if not excess > _NAMED_SHARE * steps:
        return
    severity: Severity = "invalid" if excess > _INVALID_SHARE * steps and not is_settable else "warning"
    message = f"the steps take {steps:.4g} s together, but {what} {wall_time:.4g} s"
    yield Contradiction(Rule.CLOCK_CONTRADICTION, severity, message, _RUN)


def tick_of(durations: IntArray) -> int:
    """Return the ns that all durations are multiples of; 0 if they are few, equal or absent."""
    known = durations[durations != ABSENT]
    if len(known) < _MIN_DURATIONS or (known == known[0]).all():
        return 0
    # A fine clock shows in a few of them.
    return 1 if math.gcd(*known[:_MIN_DURATIONS].tolist()) == 1 else int(np.gcd.reduce(known))


def _coarse(ranks: Sequence[CheckedSteps]) -> Iterator[Contradiction]:
    """Report a clock that was set back, or is coarse: times of 0, equal ones, multiples of a long tick.

    Steps that end where the next ones begin add up with any tick, unless some of them take no time.
    """
    for rank in ranks:
        begin, durations = rank.table.column("begin_ns"), rank.table.column("duration_ns")
        known = durations[durations != ABSENT]
        total = float(known.sum(dtype=np.float64))
        is_back = (begin[1:] < begin[:-1]) & (begin[1:] != ABSENT) & (begin[:-1] != ABSENT)
        if is_back.any():
            step = int(rank.table.column("step")[1:][is_back][0])
            message = f"rank {rank.number}: the clock was set back before step {step}"
            yield Contradiction(Rule.CLOCK_CONTRADICTION, "warning", message, rank.name)
        if len(known) < _MIN_DURATIONS or total <= 0:
            continue
        steps, mean = f"rank {rank.number}: ", total / len(known)
        zeros, tick = int(np.count_nonzero(known == 0)), tick_of(durations)
        if zeros:
            severity: Severity = "invalid" if zeros > _MAX_ZERO_SHARE * len(known) else "warning"
            message = f"{steps}{zeros} of {len(known)} steps take 0 s by their clock"
            yield Contradiction(Rule.CLOCK_COARSE, severity, message, rank.name)
        elif not tick:
            message = (
                f"{steps}all {len(known)} steps take exactly {mean / 1e9:.9g} s; the tick of their clock may "
            )
            message += "be as long"
            yield Contradiction(Rule.CLOCK_COARSE, "warning", message, rank.name)
        elif tick > max(_NAMED_TICK * mean, _FINEST_TICK):
            touching = begin[1:] == begin[:-1] + durations[:-1]
            is_exact = len(touching) > 0 and float(touching.mean()) >= _MIN_TOUCHING
            message = (
                f"{steps}all step times are multiples of {tick / 1e9:.4g} s, {tick / mean:.1%} of a step"
            )
            message += "; they add up without gaps" if is_exact else ", and may be off by as much"
            severity = "invalid" if tick > _INVALID_TICK * mean and not is_exact else "warning"
            yield Contradiction(Rule.CLOCK_COARSE, severity, message, rank.name)
