"""Choose the unit in which a table's values are shown: once for the table, a column, a row or a cell.

A table with one metric and one phase has one unit. If metrics or phases are side by side, each column
(or row) has its own: milliseconds of forward and seconds of loading do not share a unit. The same holds
if some runs count images and others tokens: a cell of a row whose runs count something else says so itself.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.metrics import item_of
from reportgen.core.model import Case
from reportgen.core.units import Unit, choose, find, known_units, rate_unit
from reportgen.document.model import UnitMode
from reportgen.tables.pivot import AxisKey, CaseGrid, Place
from reportgen.tables.spec import METRIC, PHASE, TableSpec

_MODES: dict[str, UnitMode] = {"per-cell": "cell", "per-row": "row", "per-column": "column"}

# Up to this share of rows with several units, the rows have units, and single cells their own.
_MOST_MIXED = 0.25

Slots = Mapping[Place, Sequence[Case]]


class UnitChoice:
    """The units of one grid.

    mode   the place of the unit
    table  the unit of the whole table, None if rows, columns or cells have their own
    """

    def __init__(self, spec: TableSpec, grid: CaseGrid) -> None:
        self._spec = spec
        self.mode = unit_mode(spec, grid.slots)
        rows, columns = _by_row(grid.slots), _by_column(grid.slots)
        self.table = unit_for(spec, _joined(grid.slots.values())) if self.mode == "table" else None
        self._rows = self._units(rows, grid.rows) if self.mode == "row" else {}
        self._columns = self._units(columns, grid.columns) if self.mode == "column" else {}

    def _units(
        self, lines: Mapping[AxisKey, Sequence[Sequence[Case]]], keys: Iterable[AxisKey]
    ) -> dict[AxisKey, Unit | None]:
        return {key: unit_for(self._spec, _alike(lines.get(key, ()))) for key in keys}

    def of_row(self, row: AxisKey) -> Unit | None:
        """Return the unit of a row, None if the rows have none of their own."""
        return self._rows.get(row)

    def of_column(self, column: AxisKey) -> Unit | None:
        """Return the unit of a column, None if the columns have none of their own."""
        return self._columns.get(column)

    def of_cell(self, place: Place, case: Case) -> Unit | None:
        """Return the unit of a cell that shows a case."""
        shared = self.table or self._rows.get(place.row) or self._columns.get(place.column)
        own = unit_for(self._spec, [case]) if self.mode in ("cell", "row") else None
        # Times of a row are read in one unit, rates of other items never.
        return own if own and (shared is None or own.base == "samples/s") else shared


def unit_mode(spec: TableSpec, slots: Slots) -> UnitMode:
    """Return the place of the unit of a table."""
    if spec.unit in _MODES:
        return _MODES[spec.unit]
    if spec.unit:
        return "table"
    if {METRIC, PHASE} & set(spec.columns):
        return "cell" if _mixed(_by_column(slots)) else "column"
    if {METRIC, PHASE} & set(spec.rows):
        return "cell" if _mixed(_by_row(slots)) else "row"
    if len(_counted(_joined(slots.values()))) < 2:
        return "table"
    if not _mixed(_by_column(slots)):
        return "column"
    rows = {row: line for row, line in _by_row(slots).items() if _counted(_joined(line))}
    return "row" if len(_mixed(rows)) <= _MOST_MIXED * len(rows) else "cell"


def _by_row(slots: Slots) -> dict[AxisKey, list[Sequence[Case]]]:
    lines: dict[AxisKey, list[Sequence[Case]]] = {}
    for place, cases in slots.items():
        lines.setdefault(place.row, []).append(cases)
    return lines


def _by_column(slots: Slots) -> dict[AxisKey, list[Sequence[Case]]]:
    lines: dict[AxisKey, list[Sequence[Case]]] = {}
    for place, cases in slots.items():
        lines.setdefault(place.column, []).append(cases)
    return lines


def _joined(slots: Iterable[Sequence[Case]]) -> list[Case]:
    return [case for cases in slots for case in cases]


def _alike(line: Sequence[Sequence[Case]]) -> list[Case]:
    """Return the cases of a row or column that count what most of its cells count."""
    counted = Counter(item for cases in line for item in _counted(cases))
    if len(counted) < 2:
        return _joined(line)
    (most, _), *_ = counted.most_common(1)
    return _joined(cases for cases in line if _counted(cases) == {most})


def _mixed(lines: Mapping[AxisKey, Sequence[Sequence[Case]]]) -> list[AxisKey]:
    """Return the rows or columns in which rates count different items."""
    return [key for key, line in lines.items() if len(_counted(_joined(line))) > 1]


def _counted(cases: Iterable[Case]) -> set[str]:
    """Return the items that the rates among some cases count, cases without a number left out."""
    return {item_of(case.metric, case.factors) for case in cases if case.unit == "samples/s" and case.summary}


def unit_for(spec: TableSpec, cases: Sequence[Case]) -> Unit | None:
    """Return the unit for all of these cases together, None if none has a number or their units differ.

    Raises RequestError if the unit of the definition is unknown or measures something else.
    """
    bases = {case.unit for case in cases}
    if spec.unit and spec.unit not in _MODES:
        return _asked(spec, bases, {item_of(case.metric, case.factors) for case in cases})
    if len(bases) != 1 or not any(case.summary for case in cases):
        return None
    base = bases.pop()
    items = _counted(cases)
    if base == "samples/s":
        return Unit(rate_unit(items.pop() if len(items) == 1 else ""), base, 1.0)
    return choose([case.summary.median for case in cases if case.summary], base)


def asked_unit(spec: TableSpec) -> Unit | None:
    """Return the unit that a definition names, None if it leaves the choice."""
    return find(spec.unit) if spec.unit and spec.unit not in _MODES else None


def _asked(spec: TableSpec, bases: set[str], items: set[str]) -> Unit:
    unit = find(spec.unit)
    if unit is None:
        raise RequestError(
            f"{spec.place}.unit", f'no unit "{spec.unit}"', did_you_mean(spec.unit, known_units())
        )
    counted = {rate_unit(item) for item in items if item}
    if unit.base == "samples/s" and unit.name != "samples/s" and counted - {unit.name}:
        raise RequestError(
            f"{spec.place}.unit",
            f"unit {spec.unit} does not fit: these runs count {min(counted)}",
            "leave unit out",
        )
    others = bases - {unit.base}
    if others:
        raise RequestError(
            f"{spec.place}.unit",
            f"{spec.unit} is a unit of {unit.base}, but the values are in {min(others)}",
            "leave unit out to choose one automatically",
        )
    return unit
