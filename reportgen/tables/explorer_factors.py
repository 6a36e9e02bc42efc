"""Choose the factors of an explorer: what a reader selects, what is side by side, what is on the x axis.

What the definition does not name is chosen from the cases. The x axis is the row factor with the most values,
side by side are the values of the first column factor. A reader selects the other factors that vary, as far
as they are needed: a number of nodes that follows from the number of devices would leave one bar per chart.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.factors import FactorKey
from reportgen.core.model import Case
from reportgen.tables.explorer_cases import MeasureKey, ShownCase
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
    rows = [n for each in shown for n in each.entry.spec.rows if n in varying and n not in taken]
    x = spec.x or _largest(rows or [n for n in varying if n not in taken] or names, values)
    columns = [n for each in shown for n in each.entry.spec.columns if n in varying]
    free = [n for n in columns if n not in (x, *(spec.facets or ()))]
    compared = spec.compare if spec.compare is not None else next(iter(free), "")
    rest = [name for name in varying if name not in (x, compared)]
    facets = spec.facets if spec.facets is not None else _needed(rest, [n for n in (compared, x) if n], shown)
    return Roles(facets, compared, x, tuple(name for name in rest if name not in facets))


def _check(spec: ExplorerSpec, shown: Sequence[ShownCase]) -> None:
    known = {name for each in shown for name in each.case.factors} - {METRIC, PHASE}
    named = {f"facets[{i}]": name for i, name in enumerate(spec.facets or ())}
    for key, name in {**named, "compare": spec.compare, "x": spec.x}.items():
        if name and name not in known:
            raise RequestError(f"{spec.place}.{key}", f'no factor "{name}"', did_you_mean(name, known))


def _names(shown: Sequence[ShownCase]) -> list[str]:
    """Return all factors of the cases: first those that tables name, as a reader meets them."""
    specs = list({id(each.entry): each.entry.spec for each in shown}.values())
    known = {name for each in shown for name in each.case.factors}
    named = [
        *(name for spec in specs for name in spec.facets),
        *(name for spec in specs for name in spec.where),
        *(name for spec in specs for name in (*spec.rows, *spec.columns)),
        *(name for spec in specs for name in spec.qualify),
        *sorted(known),
    ]
    return [name for name in dict.fromkeys(named) if name in known and name not in (METRIC, PHASE)]


def _values(shown: Iterable[ShownCase]) -> Mapping[str, set[FactorKey | None]]:
    cases = [each.case for each in shown]
    return {name: {key_of(name, case) for case in cases} for name in {n for c in cases for n in c.factors}}


def _largest(names: Sequence[str], values: Mapping[str, set[FactorKey | None]]) -> str:
    """Return the factor with the most values, the last of equals; "" if there is none."""
    return max(reversed(names), key=lambda name: len(values[name]), default="")


def _needed(names: list[str], fixed: Sequence[str], shown: Sequence[ShownCase]) -> tuple[str, ...]:
    """Return the factors without which two cases would be one configuration; the last ones go first."""
    kept = list(names)
    for name in reversed(names):
        fewer = [other for other in kept if other != name]
        if not _collide(shown, [*fewer, *fixed]):
            kept = fewer
    return tuple(kept)


def _collide(shown: Sequence[ShownCase], names: Sequence[str]) -> bool:
    seen: dict[tuple[MeasureKey, tuple[FactorKey | None, ...]], frozenset[str]] = {}
    return any(
        seen.setdefault((each.measure, projected(each.case, names)), each.runs) != each.runs for each in shown
    )


def projected(case: Case, names: Sequence[str]) -> tuple[FactorKey | None, ...]:
    """Return the values of some factors of a case, None for one that it lacks."""
    return tuple(key_of(name, case) for name in names)
