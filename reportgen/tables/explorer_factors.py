"""Choose the factors of an explorer: what a reader selects, what is side by side, what is on the x axis.

What the definition does not name is chosen from the tables. The x axis is the factor that most tables have in
rows, side by side are the values of the first column factor. A reader selects the other factors that vary, as
far as they are needed: a number of nodes that follows from the number of devices would leave one bar a chart.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.factors import FactorKey
from reportgen.core.model import Case
from reportgen.tables.explorer_cases import Entry, MeasureKey, ShownCase
from reportgen.tables.pivot import key_of
from reportgen.tables.spec import METRIC, PHASE, ExplorerSpec


@dataclass(frozen=True, slots=True)
class Roles:
    """The names of factors by role. `others` vary as well, but follow from these."""

    facets: tuple[str, ...]
    compared: str
    x: str
    others: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Return the factors that say which configuration is meant, x last."""
        return (*self.facets, *((self.compared,) if self.compared else ()), self.x)


def choose_roles(spec: ExplorerSpec, shown: Sequence[ShownCase]) -> Roles:
    """Return the roles. Raises RequestError for a factor that no case of the tables has."""
    _check(spec, shown)
    values = _values(shown)
    names = _names(shown)
    varying = [name for name in names if len(values[name]) > 1]
    taken = {*(spec.facets or ()), spec.compare}
    free = [name for name in varying if name not in taken] or names
    x = spec.x or _axis(free, [entry.spec.rows for entry in _entries(shown)], values)
    columns = [n for each in shown for n in each.entry.spec.columns if n in varying]
    beside = [n for n in columns if n not in (x, *(spec.facets or ()))]
    compared = spec.compare if spec.compare is not None else next(iter(beside), "")
    rest = [name for name in varying if name not in (x, compared)]
    facets = spec.facets if spec.facets is not None else _needed(rest, [n for n in (compared, x) if n], shown)
    return Roles(facets, compared, x, tuple(name for name in rest if name not in facets))


def _check(spec: ExplorerSpec, shown: Sequence[ShownCase]) -> None:
    known = {name for each in shown for name in each.case.factors} - {METRIC, PHASE}
    named = {f"facets[{i}]": name for i, name in enumerate(spec.facets or ())}
    for key, name in {**named, "compare": spec.compare, "x": spec.x}.items():
        if name and name not in known:
            raise RequestError(f"{spec.place}.{key}", f'no factor "{name}"', did_you_mean(name, known))


def _entries(shown: Sequence[ShownCase]) -> list[Entry]:
    return list({id(each.entry): each.entry for each in shown}.values())


def _names(shown: Sequence[ShownCase]) -> list[str]:
    """Return all factors of the cases: those that most tables name come first."""
    known = {name for each in shown for name in each.case.factors}
    specs = [entry.spec for entry in _entries(shown)]
    named = [
        *(name for spec in specs for name in dict.fromkeys((*spec.facets, *spec.where))),
        *(name for spec in specs for name in (*spec.rows, *spec.columns)),
        *(name for spec in specs for name in spec.qualify),
    ]
    counts = Counter(name for name in named if name in known)
    ordered = [*sorted(counts, key=lambda name: -counts[name]), *sorted(known - set(counts))]
    return [name for name in ordered if name not in (METRIC, PHASE)]


def _values(shown: Iterable[ShownCase]) -> Mapping[str, set[FactorKey | None]]:
    cases = [each.case for each in shown]
    return {name: {key_of(name, case) for case in cases} for name in {n for c in cases for n in c.factors}}


def _axis(
    names: Sequence[str], rows: Sequence[Sequence[str]], values: Mapping[str, set[FactorKey | None]]
) -> str:
    """Return the factor that most tables have in rows; of several, the one with the most values."""
    in_rows = Counter(name for each in rows for name in each)
    return max(reversed(names), key=lambda name: (in_rows[name], len(values[name])), default="")


def _needed(names: Sequence[str], fixed: Sequence[str], shown: Sequence[ShownCase]) -> tuple[str, ...]:
    """Return the factors without which two cases would be one configuration, the first ones preferred."""
    kept: list[str] = []
    left = _collisions(shown, fixed)
    for name in names:
        fewer = _collisions(shown, [*kept, name, *fixed]) if left else 0
        if fewer < left:
            kept.append(name)
            left = fewer
    return tuple(kept)


def _collisions(shown: Sequence[ShownCase], names: Sequence[str]) -> int:
    """Return how many cases are not the first one of their configuration and measure."""
    seen: dict[tuple[MeasureKey, tuple[FactorKey | None, ...]], set[frozenset[str]]] = defaultdict(set)
    for each in shown:
        seen[each.measure, _projected(each.case, names)].add(each.runs)
    return sum(len(runs) - 1 for runs in seen.values())


def _projected(case: Case, names: Sequence[str]) -> tuple[FactorKey | None, ...]:
    """Return the values of some factors of a case, None for one that it lacks."""
    return tuple(key_of(name, case) for name in names)
