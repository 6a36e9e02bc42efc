"""A case that a report.json stores, as a side of a comparison."""

from collections.abc import Iterable

from reportgen.compare.side import Side
from reportgen.compare.verdicts import TimedRepeat
from reportgen.diff.snapshot import StoredCase, StoredRepeat


def stored_side(case: StoredCase, repeats: Iterable[StoredRepeat], without_repeats: str = "") -> Side:
    """Return a stored case as a side.

    repeats  those that decide; without_repeats  why there are none
    """
    summary = case.summary
    return Side(
        case.metric,
        case.phase,
        case.unit,
        summary.value if summary else None,
        tuple(
            TimedRepeat(each.value, each.started, each.round, clock=each.started_clock)
            for each in repeats
            if each.value is not None
        ),
        case.factors,
        case.conditions,
        summary.low if summary else None,
        summary.high if summary else None,
        summary.repeats if summary else 0,
        without_repeats=without_repeats,
    )
