"""One case on two sides: its numbers, how its repeats compare, and why it moved.

`pairs` makes rows of two states of a report, `case_sets` of logs that were measured now; both are shown
alike.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from reportgen.compare.comparison import Comparison
from reportgen.compare.contract import Difference
from reportgen.compare.family import correct_for_number
from reportgen.compare.verdict import Verdict
from reportgen.core.metrics import METRICS
from reportgen.core.model import STEP

# Of false discoveries among the verdicts of a comparison.
_RATE = 0.05


@dataclass(frozen=True, slots=True)
class Row:
    """A case on both sides: the new one against the old one.

    place, heading  where it is shown, and its row and column there
    old, new    the numbers as they are shown
    reasons     why the number moved, as fragments
    tables      all tables that show it
    is_part     whether the verdict is on a part of the runs, because the others are on both sides
    case        the same text for all metrics and phases of the same runs
    """

    place: str
    heading: str
    comparison: Comparison
    old: str
    new: str
    reasons: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    is_part: bool = False
    case: str = ""

    @property
    def verdict(self) -> Verdict | None:
        """The verdict on the new side against the old one; None for a metric that is not a speed."""
        return self.comparison.verdict

    @property
    def kind(self) -> str:
        """The kind of the verdict; `changed` for a metric that is not a speed."""
        return self.verdict.kind if self.verdict else "changed"

    @property
    def ratio(self) -> float | None:
        """The ratio of speeds of the verdict, above 1 if the new side is faster; None without one."""
        if self.verdict is None or not math.isfinite(self.verdict.ratio):
            return None
        return self.verdict.ratio

    @property
    def environment(self) -> tuple[Difference, ...]:
        """The differences besides factors, which may explain the change."""
        return tuple(each for each in self.comparison.differs if not each.is_factor)


def primary_rows(rows: Iterable[Row]) -> list[Row]:
    """Return one row of each case: its step before its phases, throughput before times, a long phase before
    a short one. Several metrics of the same runs are one measurement.
    """
    cases: dict[str, list[Row]] = {}
    for position, row in enumerate(rows):
        cases.setdefault(row.case or str(position), []).append(row)
    return [min(same, key=_rank) for same in cases.values()]


def _rank(row: Row) -> tuple[bool, int, float]:
    order, new, old = list(METRICS), row.comparison.own, row.comparison.base
    metric = order.index(new.metric) if new.metric in METRICS else len(order)
    return new.phase != STEP, metric, -(old.value or 0.0)


@dataclass(frozen=True, slots=True)
class EnvironmentChange:
    """Something in the environment that differs, and how many of the moved rows it may explain."""

    name: str
    old: str
    new: str
    rows: int


def corrected_rows(rows: Sequence[Row]) -> list[Row]:
    """Return the rows with verdicts corrected for their number."""
    corrected = correct_for_number(dict(enumerate(row.comparison for row in rows)), _RATE)
    return [replace(row, comparison=corrected[position]) for position, row in enumerate(rows)]


# The worst first. Of equal verdicts, the slowest first.
_ORDER = (
    "slower", "likely slower", "not comparable", "undecided", "no repeats", "changed",
    "faster", "likely faster", "same",
)  # fmt: skip


def sorted_rows(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Return the rows, the worst first."""

    def key(row: Row) -> tuple[int, float, str, str]:
        return _ORDER.index(row.kind), row.ratio or 0.0, row.place, row.heading

    return tuple(sorted(rows, key=key))


def environment_changes(rows: Iterable[Row]) -> tuple[EnvironmentChange, ...]:
    """Return what differs in the environment of the rows, each with the number of rows."""
    counts = Counter((each.name, each.baseline, each.own) for row in rows for each in row.environment)
    return tuple(EnvironmentChange(*what, number) for what, number in sorted(counts.items()))
