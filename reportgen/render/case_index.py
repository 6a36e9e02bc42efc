"""Name the cases of a report, so that every output refers to a case by the same name.

Tables that show the same runs hold equal cases, not the same object; equal cases get one name. A name
depends on what a case is, not on its position or values, so names survive the next build.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b

from reportgen.compare.comparison import Comparison
from reportgen.core.factors import factors_key
from reportgen.core.model import Case
from reportgen.tables.results import Cell, Report, Table

CaseKey = tuple[object, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Appearance:
    """A table that shows a case, and what the case is compared with there."""

    table: Table
    comparison: Comparison | None


class CaseIndex:
    """The cases of a report in reading order, the name of each, and the tables that show it."""

    def __init__(self, report: Report) -> None:
        self._names: dict[CaseKey, str] = {}
        self._digests: Counter[str] = Counter()
        self._appearances: dict[str, list[Appearance]] = defaultdict(list)
        self.cases: list[Case] = []
        for table, cell, case in _cases(report):
            name = self._add(case)
            if case is cell.case:
                self._appearances[name].append(Appearance(table, cell.comparison))

    def name(self, case: Case | None) -> str | None:
        """Return the name of a case of this report, None for None."""
        return None if case is None else self._names[_key(case)]

    def appearances(self, case: Case) -> tuple[Appearance, ...]:
        """Return where tables show a case; empty for a case that is only a baseline."""
        return tuple(self._appearances[self._names[_key(case)]])

    def _add(self, case: Case) -> str:
        """Return the name of a case, new or known; cases with equal digests are numbered."""
        if _key(case) not in self._names:
            digest = _digest(case)
            self._digests[digest] += 1
            count = self._digests[digest]
            self._names[_key(case)] = digest if count == 1 else f"{digest}-{count}"
            self.cases.append(case)
        return self._names[_key(case)]


def _cases(report: Report) -> Iterator[tuple[Table, Cell, Case]]:
    """Yield every case of every cell, baselines included."""
    for table in report.tables:
        for row in table.cells:
            for cell in row:
                if cell.case:
                    yield table, cell, cell.case
                if cell.comparison:
                    yield table, cell, cell.comparison.baseline


def _digest(case: Case) -> str:
    # Without the measured values: the same case has the same name in the next build.
    factors = sorted(map(repr, factors_key(case.factors)))
    what = repr((case.metric, case.phase, case.protocol, factors, case.parts))
    return blake2b(what.encode("utf-8", "backslashreplace"), digest_size=4).hexdigest()


def _key(case: Case) -> CaseKey:
    # One run gives other values to two totals of one name, and to cases that ignore different factors.
    measured = tuple((measurement.run.id, measurement.value) for measurement in case.measurements)
    unmeasured = tuple(run.id for run in case.unmeasured)
    factors = factors_key(case.factors)
    return (case.metric, case.phase, case.protocol, factors, case.parts, measured, unmeasured)
