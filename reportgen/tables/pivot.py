"""Decide which case goes to which cell: facets, rows, columns, picks, splits, hidden variation.

In: the cases of a selection. Out: one `Grid` a facet, whose slots hold the cases that fell into each
cell: one (good), none (absent) or several (hidden variation, which prints no number). pandas does
the grouping here; the number that is printed later always comes from the Case itself.

Factor values become their rank in the order that readers expect before pandas sees them, so that
1, True and 1.0 stay apart, 16 comes before 128, and a factor that a case lacks sorts last.
"""

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from reportgen.model import Case, FactorValue
from reportgen.tables.spec import Pick, TableSpec, Wanted

# A case that lacks the factor altogether (a run on CPU has no GPU) still needs a place in its table.
LACKING: FactorValue = "-"

Key = tuple[FactorValue, ...]


@dataclass(frozen=True, slots=True)
class ColumnKey:
    """values of the column factors, and of the qualifying factors that had to split this column."""

    values: Key
    split: tuple[tuple[str, FactorValue], ...] = ()


@dataclass(frozen=True, slots=True)
class Grid:
    """The cells of one facet. slots maps (row, column) to the cases that fell there, never empty."""

    facet: Key
    rows: tuple[Key, ...]
    columns: tuple[ColumnKey, ...]
    slots: Mapping[tuple[Key, ColumnKey], tuple[Case, ...]]
    planned: frozenset[tuple[Key, ColumnKey]]


class Ranks:
    """The order of the values of each factor: the definition's own first, then naturally."""

    def __init__(self, cases: Iterable[Mapping[str, FactorValue]], order: Mapping[str, Wanted]) -> None:
        seen: dict[str, set[tuple[str, FactorValue]]] = {}
        for factors in cases:
            for name, value in factors.items():
                seen.setdefault(name, set()).add(_typed(value))
        self._values = {
            name: [_typed(v) for v in order.get(name, ())]
            + sorted((v for v in values if v not in {_typed(o) for o in order.get(name, ())}), key=_natural)
            for name, values in seen.items()
        }
        self._ranks = {n: {v: i for i, v in enumerate(vs)} for n, vs in self._values.items()}

    def rank(self, name: str, factors: Mapping[str, FactorValue]) -> int:
        """Return the rank of the factor's value; a case without the factor comes last."""
        ranks = self._ranks.get(name, {})
        return ranks[_typed(factors[name])] if name in factors else len(ranks)

    def value(self, name: str, rank: int) -> FactorValue:
        """Return the value at that rank, LACKING past the end."""
        values = self._values.get(name, [])
        return values[rank][1] if rank < len(values) else LACKING

    def of_key(self, names: Sequence[str], key: Key) -> tuple[int, ...]:
        """Return the ranks of a key, to sort by."""
        return tuple(self.rank(n, {} if v == LACKING else {n: v}) for n, v in zip(names, key, strict=True))


def _typed(value: FactorValue) -> tuple[str, FactorValue]:
    """Tell True from 1 but not 1.0 from 1: a batch size may come as either."""
    return (
        "bool" if isinstance(value, bool) else "number" if isinstance(value, (int, float)) else "text",
        value,
    )


def _natural(typed: tuple[str, FactorValue]) -> tuple[str, tuple[tuple[int, float, str], ...]]:
    kind, value = typed
    if not isinstance(value, str):
        return (kind, ((0, float(value), ""),))
    parts = re.split(r"(\d+)", value)
    return (kind, tuple((0, float(p), "") if p.isdecimal() else (1, 0.0, p.casefold()) for p in parts))


def pivot(spec: TableSpec, cases: Sequence[Case]) -> list[Grid]:
    """Return one grid for each combination of the facets, in order."""
    ranks = Ranks([*(c.factors for c in cases), *spec.planned], spec.order)
    frame = _frame(spec, cases, ranks)
    if not spec.facets:
        return [_grid(spec, cases, frame, ranks, ())]
    grids = []
    for codes, part in frame.groupby([f"facet:{name}" for name in spec.facets], sort=True):
        facet = _key(spec.facets, codes, ranks)
        grids.append(_grid(spec, cases, part, ranks, facet))
    return grids


def _frame(spec: TableSpec, cases: Sequence[Case], ranks: Ranks) -> pd.DataFrame:
    """Return one line a case: its position, and the rank of each factor by role."""
    columns = {
        f"{role}:{name}": [ranks.rank(name, case.factors) for case in cases]
        for role, names in (("facet", spec.facets), ("row", spec.rows), ("column", spec.columns))
        for name in names
    }
    return pd.DataFrame({"case": range(len(cases)), "row:": 0, "column:": 0, **columns}, dtype="int64")


def _grid(spec: TableSpec, cases: Sequence[Case], frame: pd.DataFrame, ranks: Ranks, facet: Key) -> Grid:
    rows = ["row:", *(f"row:{name}" for name in spec.rows)]
    columns = ["column:", *(f"column:{name}" for name in spec.columns)]
    slots: dict[tuple[Key, Key], tuple[Case, ...]] = {}
    for codes, part in frame.groupby([*rows, *columns], sort=True):
        assert isinstance(codes, tuple)
        row = _key(spec.rows, codes[1 : len(rows)], ranks)
        column = _key(spec.columns, codes[len(rows) + 1 :], ranks)
        slots[row, column] = _picked(spec.pick, [cases[i] for i in part["case"]])
    split = _split_columns(spec, slots)
    planned = _planned(spec, facet)
    keys = set(split) | planned
    return Grid(
        facet,
        tuple(sorted({row for row, _ in keys}, key=lambda k: ranks.of_key(spec.rows, k))),
        tuple(sorted({c for _, c in keys}, key=lambda c: _column_rank(spec, c, ranks))),
        split,
        frozenset(planned - set(split)),
    )


def _key(names: Sequence[str], codes: Sequence[Hashable], ranks: Ranks) -> Key:
    return tuple(ranks.value(n, int(str(c))) for n, c in zip(names, codes, strict=True))


def _column_rank(spec: TableSpec, column: ColumnKey, ranks: Ranks) -> tuple[object, ...]:
    """Sort by the factors, then by the qualifiers, the table's own value of each first."""
    return (
        ranks.of_key(spec.columns, column.values),
        tuple((value != spec.qualify[name], ranks.of_key([name], (value,))) for name, value in column.split),
    )


def _planned(spec: TableSpec, facet: Key) -> set[tuple[Key, ColumnKey]]:
    """Return the places of the cases still to be measured that belong to this facet."""
    return {
        (tuple(c[n] for n in spec.rows), ColumnKey(tuple(c[n] for n in spec.columns)))
        for c in spec.planned
        if tuple(c.get(n, v) for n, v in zip(spec.facets, facet, strict=True)) == facet
    }


def _picked(pick: Mapping[str, Pick], cases: list[Case]) -> tuple[Case, ...]:
    """Keep the cases with the largest (smallest) value of each picked factor, measured ones first."""
    for name, which in pick.items():
        candidates = [c for c in cases if c.summary] or cases
        values = [v for c in candidates if isinstance(v := c.factors.get(name), (int, float))]
        if values:
            best = max(values) if which == "largest" else min(values)
            cases = [c for c in candidates if c.factors.get(name) == best]
    return tuple(cases)


def varying(cases: Sequence[Case]) -> tuple[str, ...]:
    """Return the names of the factors in which the cases differ, sorted."""
    names = sorted({name for case in cases for name in case.factors})
    return tuple(n for n in names if len({_typed(c.factors.get(n, LACKING)) for c in cases}) > 1)


def _split_columns(
    spec: TableSpec, slots: Mapping[tuple[Key, Key], tuple[Case, ...]]
) -> dict[tuple[Key, ColumnKey], tuple[Case, ...]]:
    """Split a column by the qualifying factors where these alone tell the cases of some cell apart."""
    by_column: dict[Key, set[str]] = {}
    for (_, column), cases in slots.items():
        names = varying(cases)
        if names and set(names) <= set(spec.qualify):
            by_column.setdefault(column, set()).update(names)
    split: dict[tuple[Key, ColumnKey], tuple[Case, ...]] = {}
    for (row, column), cases in slots.items():
        names = tuple(n for n in spec.qualify if n in by_column.get(column, ()))
        for case in cases:
            tail = tuple((n, case.factors.get(n, LACKING)) for n in names)
            place = (row, ColumnKey(column, tail))
            split[place] = (*split.get(place, ()), case)
    return split
