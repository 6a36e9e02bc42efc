"""One case on two sides: its numbers, how its repeats compare, and why it moved.

`pairs` makes rows of two states of a report, `case_sets` of logs that were measured now; both are shown
alike.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from reportgen.compare.conditions import Difference
from reportgen.compare.verdict import Verdict
from reportgen.compare.verdicts import correct_for_number
from reportgen.core.metrics import METRICS
from reportgen.core.model import STEP

# The arrangement of a verdict that rests on no order of runs.
NO_ORDER = "unknown"
# Of false discoveries among the verdicts of a comparison.
_RATE = 0.05


@dataclass(frozen=True, slots=True)
class RowSide:
    """A case on one side. value: in the base unit; shown: with its unit; low, high: of the repeats."""

    value: float
    shown: str
    repeats: int
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A case on both sides.

    place, heading  where it is shown, and its row and column there
    case        the same text for all metrics and phases of the same runs
    tables      all tables that show it
    verdict     on the new side against the old one; None for a metric that is not a speed
    reasons     why the number moved, as fragments
    environment what else differs between the two, which may explain the difference
    is_part     whether the verdict is on a part of the runs, because the others are on both sides
    """

    place: str
    heading: str
    metric: str
    phase: str
    old: RowSide
    new: RowSide
    verdict: Verdict | None
    reasons: tuple[str, ...] = ()
    environment: tuple[Difference, ...] = ()
    tables: tuple[str, ...] = ()
    is_part: bool = False
    case: str = ""

    @property
    def ratio(self) -> float | None:
        """The ratio of the speeds, above 1 if the new side is faster; None if there is none."""
        if self.verdict is None or not math.isfinite(self.verdict.ratio):
            return None
        return self.verdict.ratio


def primary_rows(rows: Iterable[Row]) -> list[Row]:
    """Return one row of each case: its step before its phases, throughput before times, a long phase before
    a short one. Several metrics of the same runs are one measurement.
    """
    cases: dict[str, list[Row]] = {}
    for position, row in enumerate(rows):
        cases.setdefault(row.case or str(position), []).append(row)
    return [min(same, key=_rank) for same in cases.values()]


def _rank(row: Row) -> tuple[bool, int, float]:
    order = list(METRICS)
    metric = order.index(row.metric) if row.metric in METRICS else len(order)
    return row.phase != STEP, metric, -row.old.value


@dataclass(frozen=True, slots=True)
class EnvironmentChange:
    """Something in the environment that differs, and how many of the moved rows it may explain."""

    name: str
    old: str
    new: str
    rows: int


def arrow_text(difference: Difference) -> str:
    """Return what differs, in words: `driver 535 -> 550`."""
    return f"{difference.name} {difference.baseline} -> {difference.own}"


def corrected_rows(rows: Sequence[Row]) -> list[Row]:
    """Return the rows with verdicts corrected for their number."""
    verdicts = {position: row.verdict for position, row in enumerate(rows) if row.verdict}
    corrected: dict[int, Verdict] = correct_for_number(verdicts, _RATE)
    return [replace(row, verdict=corrected.get(position)) for position, row in enumerate(rows)]


# The worst first. Of equal verdicts, the slowest first; metrics other than speeds have no verdict.
_ORDER = ("slower", "not comparable", "undecided", "no repeats", "", "faster", "same")


def sorted_rows(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Return the rows, the worst first."""

    def key(row: Row) -> tuple[int, float, str, str]:
        kind = row.verdict.kind if row.verdict else ""
        return _ORDER.index(kind), row.ratio or 0.0, row.place, row.heading

    return tuple(sorted(rows, key=key))


def environment_changes(rows: Iterable[Row]) -> tuple[EnvironmentChange, ...]:
    """Return what differs in the environment of the rows, each with the number of rows."""
    counts = Counter((each.name, each.baseline, each.own) for row in rows for each in row.environment)
    return tuple(EnvironmentChange(*what, number) for what, number in sorted(counts.items()))
