"""Number the cases of a report, so that every form of output can point at the same evidence.

Two tables that look at the same runs hold equal cases, not one and the same object; they get one
number. Cases are numbered from 1 in the order in which a reader meets them.
"""

from collections.abc import Iterator

from reportgen.model import Case, identities
from reportgen.results import Report

CaseKey = tuple[object, ...]


class Evidence:
    """The cases of a report in reading order, and the number of each."""

    def __init__(self, report: Report) -> None:
        self._numbers: dict[CaseKey, int] = {}
        self.cases: list[Case] = []
        for case in _met(report):
            if _key(case) not in self._numbers:
                self.cases.append(case)
                self._numbers[_key(case)] = len(self.cases)

    def number(self, case: Case | None) -> int | None:
        """Return the number of a case of this report, from 1; None for None."""
        return None if case is None else self._numbers[_key(case)]


def _met(report: Report) -> Iterator[Case]:
    for table in report.tables:
        for row in table.cells:
            for cell in row:
                if cell.case:
                    yield cell.case
                if cell.comparison:
                    yield cell.comparison.baseline


def _key(case: Case) -> CaseKey:
    # One run gives other values to two totals of one name, and to cases that ignore different factors.
    measured = tuple((one.run.id, one.value) for one in case.measurements)
    unmeasured = tuple(run.id for run in case.unmeasured)
    factors = identities(case.factors)
    return (case.metric, case.phase, case.protocol, factors, case.parts, measured, unmeasured)
