"""Which parts of a step made a case faster or slower between two states of a report.

A report.json lists the times of a case's phases where it says why the case is slower than a baseline. The
two lists of one case are two sides, like a case and its baseline.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from reportgen.compare import breakdown
from reportgen.compare.why.phases import kind_of
from reportgen.compare.why.split import PhaseTime, SideTimes, split_difference
from reportgen.document.model import Breakdown, Document

# What the phases leave of the whole is computed again.
_REST = ("rest", "whole")


@dataclass(frozen=True, slots=True)
class _Times:
    """The times of a case.

    per     what the whole is the time of
    shared  phases that the other side of the stored difference has, too
    lag     of the slowest rank, taken out of these phases; None if it was left in them
    """

    per: str
    side: SideTimes
    shared: frozenset[str]
    lag: float | None

    def has_same_lag(self, other: "_Times") -> bool:
        """Return whether the lag was taken out of the same phases in both states."""
        if not self.lag and not other.lag:
            return True
        return self.lag is not None and other.lag is not None and self.shared == other.shared


def stored_breakdown(
    old: Document, new: Document, old_case: str, new_case: str
) -> breakdown.Breakdown | None:
    """Return the parts of the change of a case, None if they are unknown or nothing moved."""
    before, after = _times(old, old_case), _times(new, new_case)
    if before is None or after is None or before.per != after.per or not before.has_same_lag(after):
        return None
    parts = split_difference(after.side, before.side, per=after.per)
    return parts if parts.seconds and parts.is_split else None


def _times(report: Document, case: str) -> _Times | None:
    """Return the times of a case from the first comparison that has them."""
    compared = (pair for table in report.tables for pair in report.comparisons_of(table).items())
    for own, comparison in compared:
        stored = comparison.breakdown
        if stored and own == case:
            times = {part.name: part.case_seconds for part in stored.parts}
            return _of_side(stored, stored.case_seconds, times)
        if stored and comparison.baseline == case:
            times = {part.name: part.baseline_seconds for part in stored.parts}
            return _of_side(stored, stored.baseline_seconds, times)
    return None


def _of_side(stored: Breakdown, whole: float, times: Mapping[str, float | None]) -> _Times:
    """Return the times of one side; what clocks took out of its device phases is put back.

    Clocks are relative to the baseline of one build, and take the same share of each device phase.
    """
    both = (p.name for p in stored.parts if p.case_seconds is not None and p.baseline_seconds is not None)
    shared = frozenset(both) - {*_REST, "clocks", "stragglers"}
    device = [name for name in shared if kind_of(name) == "device"]
    left = math.fsum(times[name] or 0.0 for name in device)
    above = 1 + (times.get("clocks") or 0.0) / left if left else 1.0
    phases = {
        name: PhaseTime(time * (above if name in device else 1.0))
        for name, time in times.items()
        if time and name not in (*_REST, "clocks")
    }
    return _Times(stored.per, SideTimes(whole, phases), shared, times.get("stragglers"))
