"""Which parts of a step made a case faster or slower between two states of a report.

A report.json lists the times of a case's phases where it says why the case is slower than a baseline. The
two lists of one case are two sides, like a case and its baseline.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from reportgen.diff.snapshot import StoredBreakdown, StoredReport
from reportgen.why.split import PhaseTime, Side, split

# What the phases leave of the whole is computed again.
_REST = ("rest", "whole")


@dataclass(frozen=True, slots=True)
class _Times:
    """The times of a case; per: what the whole is the time of."""

    per: str
    side: Side


def parts_sentence(old: StoredReport, new: StoredReport, old_case: str, new_case: str) -> str:
    """Return the parts of the change of a case in words, "" if they are unknown or nothing moved."""
    before, after = _times(old.breakdowns, old_case), _times(new.breakdowns, new_case)
    if before is None or after is None or before.per != after.per:
        return ""
    breakdown = split(after.side, before.side, per=after.per)
    return breakdown.sentence() if breakdown.seconds and breakdown.is_split else ""


def _times(breakdowns: Iterable[StoredBreakdown], case: str) -> _Times | None:
    """Return the times of a case from the first comparison that has them."""
    for each in breakdowns:
        if each.case == case:
            parts = ((part.name, part.case_seconds) for part in each.parts)
            return _Times(each.per, _side(each.case_seconds, parts))
        if each.baseline == case:
            parts = ((part.name, part.baseline_seconds) for part in each.parts)
            return _Times(each.per, _side(each.baseline_seconds, parts))
    return None


def _side(whole: float, parts: Iterable[tuple[str, float | None]]) -> Side:
    return Side(whole, {name: PhaseTime(time) for name, time in parts if time and name not in _REST})
