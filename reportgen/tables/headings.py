"""Headings for people: labels of values and factors, and the qualifiers under a heading.

A qualifier says what differs from the table's own value without taking a column of its own:
`bsz=224`, `w/XLA`. It stands under the column's heading where the whole column agrees, beside the
row where the whole row agrees, and else in the cell.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reportgen.metrics import metric as metric_of
from reportgen.model import Case, FactorValue
from reportgen.results import Label
from reportgen.tables.pivot import LACKING, ColumnKey, Grid, Key
from reportgen.tables.select import show
from reportgen.tables.spec import METRIC, PHASE, TableSpec

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

    columns: Mapping[ColumnKey, tuple[str, ...]]
    rows: Mapping[Key, tuple[str, ...]]
    cells: Mapping[tuple[Key, ColumnKey], tuple[str, ...]]


def qualifiers(spec: TableSpec, grid: Grid) -> Qualifiers:
    """Decide for each qualifying factor of the table where its text stands."""
    columns: dict[ColumnKey, list[str]] = {}
    rows: dict[Key, list[str]] = {}
    cells: dict[tuple[Key, ColumnKey], list[str]] = {}
    single = {place: cases[0] for place, cases in grid.slots.items() if len(cases) == 1}
    for name in (n for n in spec.qualify if n not in (*spec.rows, *spec.columns, *spec.facets)):
        own = _own(spec, name, single.values())
        by_column = {c: _agreed(name, (s for (_, k), s in single.items() if k == c)) for c in grid.columns}
        by_row = {r: _agreed(name, (s for (k, _), s in single.items() if k == r)) for r in grid.rows}
        rows_tell = None in by_column.values() and None not in by_row.values()
        for row, value in by_row.items():
            if rows_tell and value not in (own, LACKING):
                rows.setdefault(row, []).append(qualifier(spec.labels, name, _some(value)))
        for column, value in by_column.items():
            if not rows_tell and value not in (None, own, LACKING):
                columns.setdefault(column, []).append(qualifier(spec.labels, name, _some(value)))
        for place, case in single.items():
            value = case.factors.get(name, LACKING)
            if not rows_tell and by_column[place[1]] is None and value not in (own, LACKING):
                cells.setdefault(place, []).append(qualifier(spec.labels, name, value))
    return Qualifiers(*({k: tuple(v) for k, v in part.items()} for part in (columns, rows, cells)))  # type: ignore[arg-type]


def _some(value: FactorValue | None) -> FactorValue:
    assert value is not None
    return value


def _own(spec: TableSpec, name: str, cases: Iterable[Case]) -> FactorValue | None:
    """Return the table's own value of a factor: declared, filtered to one, or the only one there is."""
    declared = spec.qualify[name]
    if declared is not None:
        return declared
    wanted = spec.where.get(name, ())
    return wanted[0] if len(wanted) == 1 else _agreed(name, cases)


def _agreed(name: str, cases: Iterable[Case]) -> FactorValue | None:
    """Return the value on which all cases agree; LACKING if there are no cases, None if they differ."""
    values = {(type(v) is bool, v) for v in (c.factors.get(name, LACKING) for c in cases)}
    if not values:
        return LACKING
    return next(iter(values))[1] if len(values) == 1 else None


def sentence(factors: Sequence[tuple[str, FactorValue]]) -> str:
    """Return factors as one phrase: `model resnet50_v1.5, precision fp32, batch size 128`.

    Without the definition's labels: those are made for headings, and here the factor's name stands too.
    """
    return ", ".join(f"{n.replace('_', ' ')} {_in_words(n, v)}" for n, v in factors)
