"""Name the cases of a report, so that everything that shows it refers to a case by the same name.

Tables that show the same runs hold equal cases, not the same object; equal cases get one name. A name depends
on what a case is, not on its position or values, so names survive the next build.
"""

from collections import Counter
from collections.abc import Iterator
from hashlib import blake2b

from reportgen.core.factors import factors_key
from reportgen.core.model import Case, FactorValue
from reportgen.tables.results import Table


class CaseNames:
    """The cases of tables, and the name of each: in reading order, but cases of the same runs together."""

    def __init__(self, tables: tuple[Table, ...]) -> None:
        # Keys of many cases take much memory, so cases are known by digests of them.
        self._names: dict[bytes, str] = {}
        # By the identity of the cases, which their tables keep alive.
        self._tables, self._by_id = tables, dict[int, str]()
        self._digests: Counter[str] = Counter()
        self.cases: list[Case] = []
        for case in _cases(tables):
            self._add(case)
        first: dict[tuple[str, ...], int] = {}
        for i, case in enumerate(self.cases):
            first.setdefault(_runs(case), i)
        self.cases.sort(key=lambda case: first[_runs(case)])

    def name(self, case: Case) -> str:
        """Return the name of a case of these tables."""
        return self._by_id.get(id(case)) or self._names[_key(case)]

    def name_or_none(self, case: Case | None) -> str | None:
        """Return the name of a case; None for None and for a case that no cell shows, as in a trend."""
        return None if case is None else self._by_id.get(id(case)) or self._names.get(_key(case))

    def _add(self, case: Case) -> None:
        """Name a case that is new; cases with equal names are numbered."""
        if id(case) in self._by_id:
            return
        key = _key(case)
        if key not in self._names:
            digest = _digest(case)
            self._digests[digest] += 1
            count = self._digests[digest]
            self._names[key] = digest if count == 1 else f"{digest}-{count}"
            self.cases.append(case)
        self._by_id[id(case)] = self._names[key]


def _cases(tables: tuple[Table, ...]) -> Iterator[Case]:
    """Yield every case of every cell, baselines included."""
    for table in tables:
        for row in table.cells:
            for cell in row:
                yield from cell.cases


def _digest(case: Case) -> str:
    # Without the measured values: the same case has the same name in the next build.
    factors = sorted(map(repr, factors_key(case.factors)))
    what = repr((case.metric, case.phase, case.protocol, factors, case.parts))
    return blake2b(what.encode("utf-8", "backslashreplace"), digest_size=4).hexdigest()


def _runs(case: Case) -> tuple[str, ...]:
    return tuple(run.id for run in (*(each.run for each in case.measurements), *case.unmeasured))


def _key(case: Case) -> bytes:
    """Return a digest of everything that distinguishes cases; a collision is too unlikely to handle."""
    # One run gives other values to two totals of one name, and to cases that ignore different factors.
    measured = [(measurement.run.id, measurement.value) for measurement in case.measurements]
    unmeasured = [run.id for run in case.unmeasured]
    factors = sorted((name, repr(_number(value))) for name, value in case.factors.items())
    key = (case.metric, case.phase, case.protocol, factors, case.parts, measured, unmeasured)
    return blake2b(repr(key).encode("utf-8", "backslashreplace"), digest_size=16).digest()


def _number(value: FactorValue) -> FactorValue:
    """Return 1 for 1.0: these are equal factors."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
