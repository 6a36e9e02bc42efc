"""Decide which case goes to which cell: facets, rows, columns, picks, splits, hidden variation.

In: the cases of a selection. Out: one `CaseGrid` per facet. Its slots hold the cases of each cell: one
(good), none (absent) or several (hidden variation, which prints no number).

Cases are grouped and sorted by the rank of their factor values in the order that readers expect. So 1 and
True stay different, 16 comes before 128, and a factor that a case lacks sorts last.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from reportgen.core.case_findings import is_invalid
from reportgen.core.factors import AcceptedValues, FactorKey, factor_key, value_order
from reportgen.core.metrics import metric_of
from reportgen.core.model import Case, Factors, FactorValue
from reportgen.protocol.conditions import STATISTIC, USUAL_STATISTICS
from reportgen.tables.spec import METRIC, PHASE, Pick, TableSpec

# The value shown for a factor that a case lacks (a run on CPU has no GPU).
LACKING: FactorValue = "-"

Key = tuple[FactorValue, ...]


@dataclass(frozen=True, slots=True, order=True)
class AxisKey:
    """The place of a row or a column: compared and sorted by its codes, shown by its values.

    codes   rank of each factor's value; in a split column those of the qualifying factors too
    values  of the row or column factors, LACKING if the cases have none
    split   the qualifying factors that split this column, with their values
    """

    codes: tuple[int, ...]
    values: Key = field(compare=False)
    split: tuple[tuple[str, FactorValue], ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a cell in its grid."""

    row: AxisKey
    column: AxisKey


@dataclass(frozen=True, slots=True)
class CaseGrid:
    """The cells of one facet; slots holds the cases of each place that has any."""

    facet: Key
    rows: tuple[AxisKey, ...]
    columns: tuple[AxisKey, ...]
    slots: Mapping[Place, tuple[Case, ...]]
    planned: frozenset[Place]


def _in(values: Collection[FactorKey], keys: Iterable[FactorKey]) -> list[FactorKey]:
    return [key for key in keys if key in values]


class Ranks:
    """The order of the values of each factor: first the definition's own, then the natural order.

    The natural order of statistics begins with the usual ones.
    """

    def __init__(self, cases: Iterable[Factors], order: Mapping[str, AcceptedValues]) -> None:
        seen: dict[str, set[FactorKey]] = {}
        for factors in cases:
            for name, value in factors.items():
                seen.setdefault(name, set()).add(factor_key(value))
        self._values = {
            name: [*dict.fromkeys(first), *sorted(values - set(first), key=value_order)]
            for name, values in seen.items()
            for usual in [USUAL_STATISTICS if name == STATISTIC else ()]
            for first in [[*map(factor_key, order.get(name, ())), *_in(values, map(factor_key, usual))]]
        }
        self._ranks = {
            name: {value: rank for rank, value in reversed(list(enumerate(values)))}
            for name, values in self._values.items()
        }

    def rank(self, name: str, factors: Factors) -> int:
        """Return the rank of the factor's value; a case without the factor comes last."""
        ranks = self._ranks.get(name, {})
        return ranks[factor_key(factors[name])] if name in factors else len(self._values.get(name, ()))

    def value(self, name: str, rank: int) -> FactorValue:
        """Return the value at that rank, LACKING past the end."""
        values = self._values.get(name, [])
        return values[rank][1] if rank < len(values) else LACKING

    def key(self, names: Sequence[str], factors: Factors) -> AxisKey:
        """Return the place of these factors on the axis of those names."""
        codes = tuple(self.rank(name, factors) for name in names)
        return AxisKey(codes, tuple(self.value(n, c) for n, c in zip(names, codes, strict=True)))


def pivot_cases(spec: TableSpec, cases: Sequence[Case]) -> list[CaseGrid]:
    """Return one grid for each combination of the facets, in order."""
    written = {METRIC: spec.metrics, PHASE: spec.phases}
    ranks = Ranks([*(c.factors for c in cases), *spec.planned], {**written, **spec.order})
    return [
        _grid(spec, part, ranks, ranks.key(spec.facets, part[0].factors).values)
        for part in _grouped(spec.facets, cases, ranks)
    ] or [_grid(spec, (), ranks, ())]


def _grouped(names: Sequence[str], cases: Iterable[Case], ranks: Ranks) -> list[list[Case]]:
    """Return the cases that are equal in these factors together, in the order of their values."""
    groups: dict[tuple[int, ...], list[Case]] = {}
    for case in cases:
        groups.setdefault(tuple(ranks.rank(name, case.factors) for name in names), []).append(case)
    return [groups[codes] for codes in sorted(groups)]


def _grid(spec: TableSpec, cases: Iterable[Case], ranks: Ranks, facet: Key) -> CaseGrid:
    slots: dict[Place, tuple[Case, ...]] = {}
    for here in _grouped([*spec.rows, *spec.columns], cases, ranks):
        factors = here[0].factors
        place = Place(ranks.key(spec.rows, factors), ranks.key(spec.columns, factors))
        slots[place] = _picked(spec.pick, here)
    split = _split_columns(spec, slots, ranks)
    planned = _planned(spec, facet, ranks)
    places = {*split, *planned}
    return CaseGrid(
        facet,
        rows=tuple(sorted({place.row for place in places})),
        columns=tuple(sorted({place.column for place in places})),
        slots=split,
        planned=frozenset(planned - set(split)),
    )


def _planned(spec: TableSpec, facet: Key, ranks: Ranks) -> set[Place]:
    """Return the places of the cases still to be measured that belong to this facet."""
    return {
        Place(ranks.key(spec.rows, case), ranks.key(spec.columns, case))
        for case in spec.planned
        if all(factor_key(case.get(n, v)) == factor_key(v) for n, v in zip(spec.facets, facet, strict=True))
    }


def _picked(pick: Mapping[str, Pick], cases: list[Case]) -> tuple[Case, ...]:
    """Keep the cases with the picked value of each factor, or that lack or have it; measured ones first."""
    for name, which in pick.items():
        candidates = [c for c in cases if c.summary] or cases
        if which in ("absent", "present"):
            cases = [c for c in cases if (name in c.factors) == (which == "present")] or cases
            continue
        if which == "best":
            picked = [fastest(candidates).factors.get(name)]
        else:
            values = [v for c in candidates if isinstance(v := c.factors.get(name), (int, float))]
            picked = [max(values) if which == "largest" else min(values)] if values else []
        if picked:
            cases = [c for c in candidates if c.factors.get(name) == picked[0]]
    return tuple(cases)


def fastest(cases: Sequence[Case]) -> Case:
    """Return the case with the best median, the first of equals; the first if none was measured.

    An invalid number is never the best of several.
    """
    valid = [case for case in cases if not is_invalid(case)]
    measured = [(case, case.summary.median) for case in valid or cases if case.summary]
    if not measured:
        return cases[0]
    sign = 1 if metric_of(measured[0][0].metric).better == "lower" else -1
    return min(measured, key=lambda pair: sign * pair[1])[0]


def varying(cases: Sequence[Case]) -> tuple[str, ...]:
    """Return the names of the factors in which the cases differ, sorted."""
    names = sorted({name for case in cases for name in case.factors})
    return tuple(name for name in names if len({key_of(name, case) for case in cases}) > 1)


def unnamed(spec: TableSpec, grid: CaseGrid) -> dict[str, list[FactorValue]]:
    """Return the factors in which cells differ and that nothing in the definition names, with their values.

    What a sample is (`item`) shows in the unit. A number that follows from a shown factor and appears in its
    value, as `micro_batch_size` often equals `batch_size` and test pp512 has 512 tokens, says nothing more.
    """
    named = {*spec.rows, *spec.columns, *spec.facets, *spec.where, *spec.ignore, *spec.qualify, *spec.pick}
    named |= {METRIC, PHASE, "item", *(spec.compare.baseline if spec.compare else ())}
    cases = [slot[0] for slot in grid.slots.values() if len(slot) == 1 and slot[0].summary]
    shown = (*spec.rows, *spec.columns, *spec.facets)
    lists: dict[str, list[FactorValue]] = {}
    for name in (name for name in varying(cases) if name not in named):
        if any(_appears_in(name, other, cases) for other in shown):
            continue
        keys = {key_of(name, case) for case in cases}
        known = sorted((key for key in keys if key), key=value_order)
        lists[name] = [*(value for _, value in known), *([LACKING] if None in keys else [])]
    return lists


def _appears_in(name: str, other: str, cases: Sequence[Case]) -> bool:
    """Return whether a factor follows from another one that shows it: pp512 shows 512, and 0 of all else."""
    pairs = {(key_of(other, case), key_of(name, case)) for case in cases}
    if all(shown == value for shown, value in pairs):
        return True
    follows = len({shown for shown, _ in pairs}) == len(pairs)
    return follows and all(shown and value and _shows(shown[1], value[1]) for shown, value in pairs)


def _shows(shown: FactorValue, value: FactorValue) -> bool:
    """Return whether a text has a number as a whole, or the number is 0."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not isinstance(shown, str):
        return False
    return value == 0 or f"{value:g}" in re.findall(r"[0-9]+(?:\.[0-9]+)?", shown)


def key_of(name: str, case: Case) -> FactorKey | None:
    """Return the key of a case's factor, None if the case lacks it."""
    return factor_key(case.factors[name]) if name in case.factors else None


def _split_columns(
    spec: TableSpec, slots: Mapping[Place, tuple[Case, ...]], ranks: Ranks
) -> dict[Place, tuple[Case, ...]]:
    """Split a column by the qualifying factors if these alone distinguish the cases of one of its cells."""
    by_column: dict[AxisKey, set[str]] = {}
    for place, cases in slots.items():
        names = varying(cases)
        if names and set(names) <= set(spec.qualify):
            by_column.setdefault(place.column, set()).update(names)
    split: dict[Place, tuple[Case, ...]] = {}
    for place, cases in slots.items():
        names = tuple(name for name in spec.qualify if name in by_column.get(place.column, ()))
        for case in cases:
            part = Place(place.row, _split(spec, place.column, names, case, ranks))
            split[part] = (*split.get(part, ()), case)
    return split


def _split(spec: TableSpec, column: AxisKey, names: Sequence[str], case: Case, ranks: Ranks) -> AxisKey:
    """Return the part of a column that a case belongs to: the table's own value of each qualifier first."""
    codes = list(column.codes)
    for name in names:
        own = spec.qualify[name]
        is_own = own is not None and key_of(name, case) == factor_key(own)
        codes += [not is_own, ranks.rank(name, case.factors)]
    return AxisKey(tuple(codes), column.values, tuple((n, case.factors.get(n, LACKING)) for n in names))
