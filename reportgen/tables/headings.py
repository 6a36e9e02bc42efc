"""Headings for people: labels of values and factors, and the qualifiers under a heading.

A qualifier says what differs from the table's own value without taking a column of its own:
`bsz=224`, `w/XLA`. It stands under the column's heading where the whole column agrees, beside the
row where the whole row agrees, and else in the cell.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from reportgen.core.factors import FactorKey, factor_key
from reportgen.core.metrics import metric_of
from reportgen.core.model import Case, FactorValue
from reportgen.core.results import Label
from reportgen.tables.pivot import AxisKey, CaseGrid, Place, identity_of
from reportgen.tables.spec import METRIC, PHASE, TableSpec
from reportgen.tables.validate import show

_LINK = re.compile(r"\[([^\]]+)\]\(([^()\s]+)\)")


def label_of_value(labels: Mapping[str, str], factor: str, value: FactorValue) -> Label:
    """Return the label of a factor's value: the definition's, else the value in plain words."""
    given = labels.get(f"{factor}={plain(value)}") or labels.get(plain(value))
    return _label(given or _in_words(factor, value))


def label_of_factor(labels: Mapping[str, str], factor: str) -> Label:
    """Return the heading of a factor's column."""
    return _label(labels.get(factor) or factor.replace("_", " "))


def plain(value: FactorValue) -> str:
    """Return a value as a key of `labels` writes it: text without quotes, true and false."""
    return value if isinstance(value, str) else show(value)


def _label(text: str) -> Label:
    link = _LINK.fullmatch(text)
    return Label(link[1], link[2]) if link else Label(text)


def _in_words(factor: str, value: FactorValue) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if factor == METRIC:
        return metric_of(str(value)).title
    return str(value).replace("_", " ") if factor == PHASE else plain(value)


def qualifier(labels: Mapping[str, str], factor: str, value: FactorValue) -> str:
    """Return the short text of a qualifying factor: `bsz=224`, `w/XLA`, `w/o clip`."""
    given = labels.get(f"{factor}={plain(value)}")
    name = labels.get(factor) or factor
    if given is not None:
        return given
    if isinstance(value, bool):
        return f"w/{name}" if value else f"w/o {name}"
    return f"{name}={plain(value)}"


@dataclass(frozen=True, slots=True)
class Qualifiers:
    """Where each qualifier of one grid stands."""

    columns: Mapping[AxisKey, tuple[str, ...]]
    rows: Mapping[AxisKey, tuple[str, ...]]
    cells: Mapping[Place, tuple[str, ...]]


def qualifiers(spec: TableSpec, grid: CaseGrid) -> Qualifiers:
    """Decide for each qualifying factor of the table where its text stands."""
    found = Qualifiers({}, {}, {})
    single = {place: cases[0] for place, cases in grid.slots.items() if len(cases) == 1}
    for name in (n for n in spec.qualify if n not in (*spec.rows, *spec.columns, *spec.facets)):
        _qualify(spec, grid, name, single, found)
    return found


def _qualify(
    spec: TableSpec, grid: CaseGrid, name: str, single: Mapping[Place, Case], found: Qualifiers
) -> None:
    """Put the text of one factor to its columns, rows or cells, unless the value is the table's own."""
    values = {place: identity_of(name, case) for place, case in single.items()}
    own = _own(spec, name, set(values.values()))
    by_column = {c: {v for (_, k), v in values.items() if k == c} for c in grid.columns}
    by_row = {r: {v for (k, _), v in values.items() if k == r} for r in grid.rows}
    rows_tell = any(len(v) > 1 for v in by_column.values()) and all(len(v) <= 1 for v in by_row.values())

    def put(where: object, key: object, value: FactorKey | None) -> None:
        if value is not None and value != own:
            texts = cast(dict[object, tuple[str, ...]], where)
            texts[key] = (*texts.get(key, ()), qualifier(spec.labels, name, value[1]))

    if rows_tell:
        for row, agreed in by_row.items():
            put(found.rows, row, next(iter(agreed), None))
        return
    for column, agreed in by_column.items():
        if len(agreed) == 1:
            put(found.columns, column, next(iter(agreed)))
    for place, value in values.items():
        if len(by_column[place[1]]) > 1:
            put(found.cells, place, value)


def _own(spec: TableSpec, name: str, present: set[FactorKey | None]) -> FactorKey | None:
    """Return the table's own value of a factor: declared, filtered to one, or the only one there is."""
    declared = spec.qualify[name]
    if declared is not None:
        return factor_key(declared)
    wanted = spec.where.get(name, ())
    if len(wanted) == 1:
        return factor_key(wanted[0])
    return next(iter(present)) if len(present) == 1 else None


def sentence(factors: Sequence[tuple[str, FactorValue]]) -> str:
    """Return factors as one phrase: `model resnet50_v1.5, precision fp32, batch size 128`.

    Without the definition's labels: those are made for headings, and here the factor's name stands too.
    """
    return ", ".join(f"{n.replace('_', ' ')} {_in_words(n, v)}" for n, v in factors)
