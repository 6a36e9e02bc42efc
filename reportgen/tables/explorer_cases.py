"""Collect the cases that tables show for an explorer: each once, with the measure that it is a value of."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from reportgen.core.case_findings import invalid_rule
from reportgen.core.metrics import item_of
from reportgen.core.model import Case
from reportgen.tables.results import Table
from reportgen.tables.spec import REPEAT, TableSpec

_RATE = "samples/s"


@dataclass(frozen=True, slots=True)
class MeasureKey:
    """The properties that values of one measure share.

    parts  phases that a total adds up; item  what a rate counts, "" for other metrics
    """

    metric: str
    phase: str
    parts: tuple[str, ...]
    protocol: str
    item: str


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """A definition of tables with the tables that it makes.

    is_stacked  whether a figure shows its columns on top of one another
    """

    spec: TableSpec
    tables: Sequence[Table]
    is_stacked: bool


@dataclass(frozen=True, slots=True, eq=False)
class ShownCase:
    """A case that a table shows. `text` is why it has no number, "" if it has one."""

    entry: Entry
    measure: MeasureKey
    case: Case
    text: str

    @property
    def runs(self) -> frozenset[str]:
        """Return the ids of its runs: tables that name other factors show them as an equal case."""
        return runs_of(self.case)


def runs_of(case: Case) -> frozenset[str]:
    """Return the ids of the runs of a case."""
    return frozenset(run.id for run in (*(m.run for m in case.measurements), *case.unmeasured))


def shown_cases(entries: Sequence[Entry]) -> list[ShownCase]:
    """Return the cases of all tables that do not show each repeat by itself, in reading order."""
    cases: dict[tuple[MeasureKey, frozenset[str]], ShownCase] = {}
    cells = [cell for entry in entries for cell in _cells(entry)]
    items = _items(cells)
    for entry, case, text in cells:
        key = measure_of(entry.spec, case)
        if not case.summary:
            key = _with_item(key, items)
        shown = ShownCase(entry, key, case, text)
        cases.setdefault((key, shown.runs), shown)
    return list(cases.values())


def _cells(entry: Entry) -> Iterator[tuple[Entry, Case, str]]:
    spec = entry.spec
    if REPEAT in (*spec.rows, *spec.columns, *spec.facets):
        return
    for table in entry.tables:
        for cell in (cell for line in table.cells for cell in line):
            if cell.case:
                yield entry, cell.case, _text(entry.spec, cell.case, cell.text)


def _text(spec: TableSpec, case: Case, text: str) -> str:
    """Return why a case has no number to explore; `text` is shown in its place."""
    if case.summary is None:
        return text or spec.missing
    rule = invalid_rule(case.metric, case.phase, case.measurements)
    return f"invalid: {rule}" if rule else ""


def measure_of(spec: TableSpec, case: Case) -> MeasureKey:
    """Return the measure that a case with a number is a value of."""
    item = item_of(case.metric, case.factors) if case.unit == _RATE else ""
    return MeasureKey(case.metric, case.phase, spec.totals.get(case.phase, ()), spec.protocol.name, item)


def _items(cells: Sequence[tuple[Entry, Case, str]]) -> dict[tuple[str, ...], list[str]]:
    """Return what the rates of each metric and phase count, in cases with a number."""
    items: dict[tuple[str, ...], list[str]] = {}
    for entry, case, _ in cells:
        key = measure_of(entry.spec, case)
        if case.summary and key.item not in items.setdefault((key.metric, key.phase), []):
            items[key.metric, key.phase].append(key.item)
    return items


def _with_item(key: MeasureKey, items: dict[tuple[str, ...], list[str]]) -> MeasureKey:
    """Return the measure of a case without a number: a failed run may not say what its rate would count."""
    known = items.get((key.metric, key.phase), [key.item])
    item = key.item if key.item in known else known[0]
    return replace(key, item=item)
