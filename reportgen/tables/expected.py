"""Expected speed: sourced facts about how fast one system should be against another.

`reports/expected.toml` names systems and facts; a fact says that system `of` runs at `speed` times
the speed of system `to`. The expected speed of two systems is the product along the shortest path of
facts, walked backwards as 1/r where needed. A fact with `where` holds only for cases that match it,
so device counts never mix. All shortest paths together give a band, not a point.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.factors import AcceptedValues, can_both_match, matches
from reportgen.core.model import FactorValue, Finding, Run, Source
from reportgen.core.results import Expected, SpeedEdge
from reportgen.core.rules import Rule
from reportgen.core.stats import geometric_mean

# Two ways around a loop may differ by this much before they count as a contradiction: published
# figures carry three digits and their rounding multiplies along a path.
TOLERANCE = 0.02

# Several sources of one pair of systems measured with other software on other days: up to here they are
# a band, beyond it one of them is wrong or holds for something else.
SOURCES_WITHIN = 0.1


@dataclass(frozen=True, slots=True)
class SpeedFact:
    """`of` runs at `speed` x the speed of `to`, for cases that match `where`."""

    of: str
    to: str
    speed: float
    where: Mapping[str, AcceptedValues]
    source: str
    url: str
    read: str
    place: str


@dataclass(frozen=True, slots=True)
class SpeedFacts:
    """The systems (first match wins) and the facts about them."""

    systems: Mapping[str, Mapping[str, AcceptedValues]]
    facts: tuple[SpeedFact, ...] = ()
    path: str = ""

    def system_of(self, factors: Mapping[str, FactorValue]) -> str | None:
        """Return the first system whose factors these match, None if there is none."""
        return next((name for name, where in self.systems.items() if matches(factors, where)), None)

    def check(self, name: str, place: str) -> None:
        """Raise RequestError if no system has that name."""
        if name not in self.systems:
            raise RequestError(place, f'no system "{name}"', did_you_mean(name, self.systems))


NO_FACTS = SpeedFacts({})


def check_systems(knowledge: SpeedFacts, runs: Sequence[Run]) -> None:
    """Raise RequestError if a system is told by a factor that no run has: then it holds no case at all."""
    known = {name for run in runs for name in run.factors}
    for system, where in knowledge.systems.items():
        for name in where:
            if known and name not in known:
                place = f'{knowledge.path}: systems."{system}".{name}'
                raise RequestError(place, f'no run has a factor "{name}"', did_you_mean(name, known))


def expected_speed(
    knowledge: SpeedFacts, target: str, reference: str, factors: Mapping[str, FactorValue]
) -> Expected | None:
    """Return the speed that `target` should have relative to `reference`, None if no path connects them.

    factors  of the case at hand; only facts whose `where` they match are used
    """
    paths = _shortest_paths(_edges(knowledge.facts, factors), target, reference)
    if not paths:
        return None
    products = [math.prod(step.speed for step in path) for path in paths]
    middle = products[0] if len(products) == 1 else geometric_mean(products)
    return Expected(target, reference, middle, min(products), max(products), tuple(paths))


def resolve_open_factors(
    knowledge: SpeedFacts, factors: Mapping[str, FactorValue], place: str
) -> dict[str, FactorValue]:
    """Return the factors, with those added on whose value all facts that still fit agree.

    A question at the prompt names few factors. One that it leaves open is resolved by the facts, unless
    they hold for different values of it (device counts never mix): then RequestError asks for one.
    """
    asked = {name for fact in knowledge.facts for name in fact.where}
    for name in factors:
        if name not in asked:
            raise RequestError(place, f'no fact depends on "{name}"', did_you_mean(name, asked))
    known = dict(factors)
    for name in dict.fromkeys(name for fact in knowledge.facts for name in fact.where):
        fitting = [f for f in knowledge.facts if name in f.where and matches(known, _said(f.where, known))]
        values = dict.fromkeys(value for fact in fitting for value in fact.where[name])
        if name in known or not values:
            continue
        if len(values) > 1:
            raise RequestError(
                place,
                f"facts hold for different {name}: {', '.join(map(str, values))}",
                f"say which with --where {name}={next(iter(values))}",
            )
        known[name] = next(iter(values))
    return known


def _said(where: Mapping[str, AcceptedValues], known: Mapping[str, FactorValue]) -> dict[str, AcceptedValues]:
    return {name: values for name, values in where.items() if name in known}


def _edges(facts: Sequence[SpeedFact], factors: Mapping[str, FactorValue]) -> dict[str, list[SpeedEdge]]:
    """Return each system's outgoing steps, forwards and backwards, in order of the file."""
    edges: dict[str, list[SpeedEdge]] = {}
    for fact in facts:
        if not matches(factors, fact.where):
            continue
        told = (fact.source, fact.url, fact.read)
        where = tuple(fact.where.items())
        there = SpeedEdge(fact.of, fact.to, fact.speed, *told, where=where)
        back = SpeedEdge(fact.to, fact.of, 1 / fact.speed, *told, inverted=True, where=where)
        edges.setdefault(fact.of, []).append(there)
        edges.setdefault(fact.to, []).append(back)
    return edges


def _shortest_paths(
    edges: Mapping[str, list[SpeedEdge]], start: str, goal: str
) -> list[tuple[SpeedEdge, ...]]:
    """Return every path with the fewest steps, breadth first; none for a system to itself."""
    level: list[tuple[SpeedEdge, ...]] = [()]
    seen = {start}
    while level:
        longer = [
            (*path, step)
            for path in level
            for step in edges.get(path[-1].to if path else start, ())
            if step.to not in seen
        ]
        arrived = [path for path in longer if path[-1].to == goal]
        if arrived:
            return arrived
        seen |= {path[-1].to for path in longer}
        level = longer
    return []


def inconsistencies(knowledge: SpeedFacts) -> Iterator[Finding]:
    """Yield a finding for each pair of sources and each loop of facts that contradict, with both speeds."""
    yield from _between_sources(knowledge)
    yield from _around_loops(knowledge)


def _between_sources(knowledge: SpeedFacts) -> Iterator[Finding]:
    """Compare facts of one and the same pair of systems: a band as long as they are not far apart."""
    for one, other in combinations(knowledge.facts, 2):
        if {one.of, one.to} != {other.of, other.to} or not can_both_match(one.where, other.where):
            continue
        speed = other.speed if other.of == one.of else 1 / other.speed
        if max(speed, one.speed) > min(speed, one.speed) * (1 + SOURCES_WITHIN):
            yield _contradiction(knowledge, one, speed, f"by {other.source}")


def _around_loops(knowledge: SpeedFacts) -> Iterator[Finding]:
    reported: set[frozenset[str]] = set()
    for fact in knowledge.facts:
        context = {name: values[0] for name, values in fact.where.items()}
        others = [other for other in knowledge.facts if {other.of, other.to} != {fact.of, fact.to}]
        for path in _shortest_paths(_edges(others, context), fact.of, fact.to):
            loop = frozenset((fact.of, *(step.to for step in path)))
            product = math.prod(step.speed for step in path)
            if abs(product / fact.speed - 1) > TOLERANCE and loop not in reported:
                reported.add(loop)
                way = " -> ".join((fact.of, *(step.to for step in path)))
                yield _contradiction(knowledge, fact, product, f"by way of {way}")


def _contradiction(knowledge: SpeedFacts, fact: SpeedFact, speed: float, how: str) -> Finding:
    message = f"{fact.speed:.4g} by {fact.source}, but {speed:.4g} {how}"
    return Finding(
        "warning", Rule.EXPECTED_INCONSISTENT, f"{fact.of} : {fact.to}", message, Source(knowledge.path)
    )
