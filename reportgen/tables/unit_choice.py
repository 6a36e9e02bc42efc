"""Choose the unit in which a table's values are shown: once for the table, a column, a row or a cell.

A table with one metric and one phase has one unit. Where metrics or phases stand side by side, each
column (or row) has its own, because milliseconds of forward and seconds of loading do not share one; so it is
where some runs count images and others tokens.
"""

from collections.abc import Iterable, Mapping, Sequence

from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.metrics import item_of
from reportgen.core.model import Case
from reportgen.core.results import UnitMode
from reportgen.core.units import Unit, choose, find, known_units, rate_unit
from reportgen.tables.pivot import AxisKey, Place
from reportgen.tables.spec import METRIC, PHASE, TableSpec

_MODES: dict[str, UnitMode] = {"per-cell": "cell", "per-row": "row", "per-column": "column"}


def unit_mode(spec: TableSpec, slots: Mapping[Place, Sequence[Case]]) -> UnitMode:
    """Return where the unit of a table stands.

    slots  the cases by row and column
    """
    if spec.unit in _MODES:
        return _MODES[spec.unit]
    if spec.unit:
        return "table"
    if {METRIC, PHASE} & set(spec.columns):
        return "cell" if _is_mixed(slots, 1) else "column"
    if {METRIC, PHASE} & set(spec.rows):
        return "cell" if _is_mixed(slots, 0) else "row"
    if len(_counted(slots.values())) < 2:
        return "table"
    if not _is_mixed(slots, 1):
        return "column"
    return "cell" if _is_mixed(slots, 0) else "row"


def _is_mixed(slots: Mapping[Place, Sequence[Case]], axis: int) -> bool:
    """Return whether the rates in a row (axis 0) or a column (axis 1) count different things."""
    lines: dict[AxisKey, list[Sequence[Case]]] = {}
    for place, found in slots.items():
        lines.setdefault(place[axis], []).append(found)
    return any(len(_counted(found)) > 1 for found in lines.values())


def _counted(slots: Iterable[Sequence[Case]]) -> set[str]:
    """Return what the rates among some cases count, those without a number left out."""
    return {
        item_of(case.metric, case.factors)
        for found in slots
        for case in found
        if case.unit == "samples/s" and case.summary
    }


def unit_for(spec: TableSpec, cases: Sequence[Case]) -> Unit | None:
    """Return the unit for all of these cases together, None if there are none or units differ.

    Raises RequestError if the unit that the definition asks for is unknown or measures something else.
    """
    bases = {case.unit for case in cases}
    if spec.unit and spec.unit not in _MODES:
        return _asked(spec, bases, {item_of(case.metric, case.factors) for case in cases})
    if len(bases) != 1:
        return None
    base = bases.pop()
    items = _counted([cases]) or {item_of(case.metric, case.factors) for case in cases}
    if base == "samples/s":
        return Unit(rate_unit(items.pop() if len(items) == 1 else ""), base, 1.0)
    return choose(_values(cases), base)


def _asked(spec: TableSpec, bases: set[str], items: set[str]) -> Unit:
    unit = find(spec.unit)
    if unit is None:
        raise RequestError(
            f"{spec.place}.unit", f'no unit "{spec.unit}"', did_you_mean(spec.unit, known_units())
        )
    counted = {rate_unit(item) for item in items if item}
    if unit.base == "samples/s" and unit.name != "samples/s" and counted - {unit.name}:
        raise RequestError(
            f"{spec.place}.unit", f"{spec.unit} is asked for, the runs count {min(counted)}", "leave unit out"
        )
    others = bases - {unit.base}
    if others:
        raise RequestError(
            f"{spec.place}.unit",
            f"{spec.unit} is a unit of {unit.base}, the values are in {min(others)}",
            "leave unit out to have one chosen",
        )
    return unit


def _values(cases: Iterable[Case]) -> list[float]:
    return [case.summary.median for case in cases if case.summary]
