"""Find the stretches of steps whose wall time is known: from one wait for all devices to the next.

A clock that saw all of the work shows the same time. A break subtracts from the wall time. If the host did
not wait for the devices before it, they may have worked on in the break, for an unknown part of it. A wait in
the middle of a step, before a pause, makes the pause certain, but a stretch neither begins nor ends there.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate, pairwise
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from reportgen.core.model import Stretch
from reportgen.formats.native.integer_csv import ABSENT, IntTable

# A break that begins so shortly after a wait found the devices idle.
_JUST_WAITED_NS = 1_000_000
# By the clock of the host, a recorder waits before each break of 120 steps; more waits are not looked at.
_MAX_WAITS = 256


class _Wait(NamedTuple):
    """A wait for the devices at the end of `step`; all times in ns of the rank's clock.

    step_end        where this step ended by the host
    precedes_pause  whether a pause inside the step follows, and so perhaps more work of the step
    """

    step: int
    begin: int
    end: int
    step_end: int
    precedes_pause: bool

    @property
    def is_within_step(self) -> bool:
        """Return True if the duration of the step contains the wait."""
        return self.begin < self.step_end


class _Pause(NamedTuple):
    """A time that belongs to no step."""

    step: int
    begin: int
    end: int


def waits_within_steps(table: IntTable) -> frozenset[int]:
    """Return the steps whose duration contains a wait for the devices at their end."""
    return frozenset(wait.step for wait in _waits(table, _pauses(table)) if wait.is_within_step)


def find_stretches(table: IntTable) -> tuple[Stretch, ...]:
    """Return the stretches between the waits of one rank that contain steps, in s."""
    pauses = _pauses(table)
    waits = _waits(table, pauses)
    sure = _after_waits(pauses, waits)
    stretches = []
    for first, last in pairwise(wait for wait in waits if not wait.precedes_pause):
        if first.step == last.step:
            continue
        begin, end = first.end, last.step_end if last.is_within_step else last.end
        near = _between(pauses, begin, end)
        inside = [
            (min(pause.end, end) - max(pause.begin, begin), pause in sure)
            for pause in near
            # Not one that begins after the last step and contains the wait.
            if pause.begin < last.step_end or pause.end <= last.begin
        ]
        most = end - begin - sum(length for length, is_sure in inside if is_sure and length > 0)
        unsure = sum(length for length, is_sure in inside if not is_sure and length > 0)
        if not last.is_within_step:  # the script may have done something else before the recorder was closed
            after = [min(x.end, last.begin) - x.begin for x in near if x.begin >= last.step_end]
            unsure += max(0, last.begin - last.step_end - sum(length for length in after if length > 0))
        if most > unsure:
            wait = last.end - last.begin if last.is_within_step else 0
            times = (nanoseconds / 1e9 for nanoseconds in (most - unsure, most, wait))
            stretches.append(Stretch(first.step + 1, last.step, *times))
    return tuple(stretches)


def _after_waits(pauses: Sequence[_Pause], waits: Sequence[_Wait]) -> frozenset[_Pause]:
    """Return the breaks that began while the recorder waited, or just after: the devices were idle."""
    ordered = sorted(waits, key=attrgetter("begin"))
    begins = [wait.begin - _JUST_WAITED_NS for wait in ordered]
    ends = [-1, *accumulate((wait.end + _JUST_WAITED_NS for wait in ordered), max)]
    return frozenset(pause for pause in pauses if pause.begin <= ends[bisect_right(begins, pause.begin)])


def _pauses(table: IntTable) -> list[_Pause]:
    """Return the breaks in the order of their begins; without a wait in the log, none are needed."""
    if not table.records["#sync"]:
        return []
    pauses = [_Pause(*map(int, texts[1:])) for _, texts in table.records["#break"]]
    return sorted(pauses, key=attrgetter("begin"))


def _between(pauses: Sequence[_Pause], begin: int, end: int) -> Sequence[_Pause]:
    """Return the breaks that may overlap a time; breaks do not overlap each other."""
    key = attrgetter("begin")
    return pauses[max(0, bisect_right(pauses, begin, key=key) - 1) : bisect_left(pauses, end, key=key)]


def _waits(table: IntTable, pauses: Sequence[_Pause]) -> list[_Wait]:
    """Return the waits in their order; a step without a row ends with its wait."""
    step, begin, duration = (table.column(name) for name in ("step", "begin_ns", "duration_ns"))
    by_step: dict[int, list[_Pause]] = {}
    for pause in pauses:
        by_step.setdefault(pause.step, []).append(pause)
    waits = []
    for _, texts in table.records["#sync"][:_MAX_WAITS]:
        number, wait_begin, wait_end = map(int, texts)
        at = int(np.searchsorted(step, number))
        step_end, precedes_pause = (wait_end if number else wait_begin), False
        if at < len(step) and step[at] == number and ABSENT not in (begin[at], duration[at]):
            step_end = int(begin[at]) + int(duration[at])
            # A break that begins before its step ends is inside it.
            for pause in by_step.get(number, ()):
                if int(begin[at]) <= pause.begin < step_end:
                    step_end += pause.end - pause.begin
                    precedes_pause |= wait_begin <= pause.begin <= wait_end + _JUST_WAITED_NS
        if wait_begin <= wait_end:
            waits.append(_Wait(number, wait_begin, wait_end, step_end, precedes_pause))
    return sorted(waits, key=lambda wait: (wait.step, wait.begin))
