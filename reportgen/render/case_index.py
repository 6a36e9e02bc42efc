"""Name the cases of a report, so that every form of output can point at the same evidence.

Two tables that look at the same runs hold equal cases, not one and the same object; they get one name. A name
is made of what a case is and not of its place, so that a case more or another value leaves the others' alone.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b

from reportgen.core.model import Case, identities
from reportgen.core.results import Cell, Comparison, Report, Table

CaseKey = tuple[object, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """A place where a case stands in a report: the table, and what it is compared with there."""

    table: Table
    comparison: Comparison | None


class Evidence:
    """The cases of a report in reading order, the name of each, and where it is shown."""

    def __init__(self, report: Report) -> None:
        self._names: dict[CaseKey, str] = {}
        self._kinds: Counter[str] = Counter()
        self._shown: dict[str, list[Shown]] = defaultdict(list)
        self.cases: list[Case] = []
        for table, cell, case in _met(report):
            name = self._met(case)
            if case is cell.case:
                self._shown[name].append(Shown(table, cell.comparison))

    def name(self, case: Case | None) -> str | None:
        """Return the name of a case of this report, None for None."""
        return None if case is None else self._names[_key(case)]

    def shown(self, case: Case) -> tuple[Shown, ...]:
        """Return the places of a case in the tables, none for what is a baseline alone."""
        return tuple(self._shown[self._names[_key(case)]])

    def _met(self, case: Case) -> str:
        """Return the name of a case, which gets one when it is met first; others of its kind count on."""
        if _key(case) not in self._names:
            digest = _digest(case)
            self._kinds[digest] += 1
            count = self._kinds[digest]
            self._names[_key(case)] = digest if count == 1 else f"{digest}-{count}"
            self.cases.append(case)
        return self._names[_key(case)]


def _met(report: Report) -> Iterator[tuple[Table, Cell, Case]]:
    for table in report.tables:
        for row in table.cells:
            for cell in row:
                if cell.case:
                    yield table, cell, cell.case
                if cell.comparison:
                    yield table, cell, cell.comparison.baseline


def _digest(case: Case) -> str:
    # What was measured is left out: the same case has the same name in the next build.
    factors = sorted(map(repr, identities(case.factors)))
    what = repr((case.metric, case.phase, case.protocol, factors, case.parts))
    return blake2b(what.encode("utf-8", "backslashreplace"), digest_size=4).hexdigest()


def _key(case: Case) -> CaseKey:
    # One run gives other values to two totals of one name, and to cases that ignore different factors.
    measured = tuple((one.run.id, one.value) for one in case.measurements)
    unmeasured = tuple(run.id for run in case.unmeasured)
    factors = identities(case.factors)
    return (case.metric, case.phase, case.protocol, factors, case.parts, measured, unmeasured)
