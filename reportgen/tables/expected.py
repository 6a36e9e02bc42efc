"""Expected speed: sourced facts about the speed of one system relative to another.

`reports/expected.toml` names systems and facts. A fact says that system `of` runs at `speed` times the
speed of system `to`. The expected speed of two systems is the product along the shortest path of facts; a
fact walked backwards counts as 1/speed. A fact with `where` holds only for cases that match it, so device
counts never mix. All shortest paths together give a band.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from msgspec.structs import replace

from reportgen.compare.expected_speed import Expected, Origin, SpeedEdge
from reportgen.core.book import Gpu, gpu_source
from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.factors import AcceptedValues, Where, can_both_match, matches
from reportgen.core.model import Case, Factors, FactorValue, Finding, Run, Source
from reportgen.core.rules import Rule
from reportgen.core.stats import geometric_mean
from reportgen.protocol.share_of_peak import Peak, gpu_of_run, peak_of_run

# Two ways around a loop may differ by this share: published figures have three digits, and their rounding
# multiplies along a path.
LOOP_SHARE = 0.02

# Two sources of one pair of systems may differ by this share, because they measured with other software on
# other days. If they differ by more, one of them is wrong or holds for something else.
SOURCE_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class SpeedFact:
    """`of` runs at `speed` x the speed of `to`, for cases that match `where`.

    differs  in what else the cases differ that it was computed from
    origin   stated or computed
    """

    of: str
    to: str
    speed: float
    where: Mapping[str, AcceptedValues]
    source: str
    url: str
    read: str
    place: str
    differs: tuple[str, ...] = ()
    origin: Origin = "stated"


@dataclass(frozen=True, slots=True)
class SpeedFacts:
    """The systems (first match wins) and the facts about them."""

    systems: Mapping[str, Where]
    facts: tuple[SpeedFact, ...] = ()
    path: str = ""

    def system_of(self, factors: Factors) -> str | None:
        """Return the first system whose factors these match, None if there is none."""
        return next((name for name, where in self.systems.items() if matches(factors, where)), None)

    def check(self, name: str, place: str) -> None:
        """Raise RequestError if no system has that name."""
        if name not in self.systems:
            remedy = did_you_mean(name, self.systems) if self.systems else "define it below [systems]"
            raise RequestError(place, f'no system "{name}"', remedy)


NO_FACTS = SpeedFacts({})


def check_systems(speed_facts: SpeedFacts, runs: Sequence[Run]) -> None:
    """Raise RequestError if a system is defined by a factor that no run has: no case would belong to it."""
    known = {name for run in runs for name in run.factors}
    for system, where in speed_facts.systems.items():
        for name in where:
            if known and name not in known:
                place = f'{speed_facts.path}: systems."{system}".{name}'
                raise RequestError(place, f'no run has a factor "{name}"', did_you_mean(name, known))


def expected_speed(speed_facts: SpeedFacts, target: str, reference: str, *cases: Factors) -> Expected | None:
    """Return the speed that `target` should have relative to `reference`, None if no path connects them.

    cases  factors of the case and of its baseline; only facts whose `where` all of them match are used
    Facts that are stated come first: those computed from logs are used where these give no path.
    """
    facts = [fact for fact in speed_facts.facts if all(matches(factors, fact.where) for factors in cases)]
    stated = [fact for fact in facts if fact.origin == "stated"]
    paths = _shortest_paths(_edges(stated), target, reference)
    paths = paths or _shortest_paths(_edges(facts), target, reference)
    return expected_along(target, reference, paths) if paths else None


def expected_along(target: str, reference: str, paths: Sequence[tuple[SpeedEdge, ...]]) -> Expected:
    """Return the expected speed along paths: their geometric mean, and the band between them."""
    products = [math.prod(edge.speed for edge in path) for path in paths]
    middle = products[0] if len(products) == 1 else geometric_mean(products)
    return Expected(target, reference, middle, min(products), max(products), tuple(paths))


def resolve_open_factors(speed_facts: SpeedFacts, factors: Factors, place: str) -> dict[str, FactorValue]:
    """Return the factors, completed by those on whose value all facts that still match agree.

    A question on the command line names few factors. The facts resolve an open factor, unless they hold
    for different values of it (device counts never mix): then RequestError asks for one.
    """
    asked = {name for fact in speed_facts.facts for name in fact.where}
    for name in factors:
        if name not in asked:
            raise RequestError(place, f'no fact depends on "{name}"', did_you_mean(name, asked))
    known = dict(factors)
    for name in dict.fromkeys(name for fact in speed_facts.facts for name in fact.where):
        fitting = [f for f in speed_facts.facts if name in f.where and matches(known, _named(f.where, known))]
        values = dict.fromkeys(value for fact in fitting for value in fact.where[name])
        if name in known or not values:
            continue
        if len(values) > 1:
            raise RequestError(
                place,
                f"facts hold for different {name}: {', '.join(map(str, values))}",
                f"choose one with --where {name}={next(iter(values))}",
            )
        known[name] = next(iter(values))
    return known


def _named(where: Mapping[str, AcceptedValues], known: Factors) -> Where:
    return {name: values for name, values in where.items() if name in known}


def _edges(facts: Iterable[SpeedFact]) -> dict[str, list[SpeedEdge]]:
    """Return each system's outgoing edges, forwards and backwards, in order of the file."""
    edges: dict[str, list[SpeedEdge]] = {}
    for fact in facts:
        origin = (fact.source, fact.url, fact.read)
        where = tuple(fact.where.items())
        there = SpeedEdge(
            fact.of, fact.to, fact.speed, *origin, where=where, differs=fact.differs, origin=fact.origin
        )
        back = replace(there, of=fact.to, to=fact.of, speed=1 / fact.speed, inverted=True)
        edges.setdefault(fact.of, []).append(there)
        edges.setdefault(fact.to, []).append(back)
    return edges


def _shortest_paths(
    edges: Mapping[str, list[SpeedEdge]], start: str, goal: str
) -> list[tuple[SpeedEdge, ...]]:
    """Return every path with the fewest edges, breadth first; none for a system to itself."""
    level: list[tuple[SpeedEdge, ...]] = [()]
    seen = {start}
    while level:
        longer = [
            (*path, edge)
            for path in level
            for edge in edges.get(path[-1].to if path else start, ())
            if edge.to not in seen
        ]
        arrived = [path for path in longer if path[-1].to == goal]
        if arrived:
            return arrived
        seen |= {path[-1].to for path in longer}
        level = longer
    return []


def inconsistencies(speed_facts: SpeedFacts) -> Iterator[Finding]:
    """Yield a finding for each pair of sources and each loop of facts that contradict each other."""
    yield from _between_sources(speed_facts)
    yield from _around_loops(speed_facts)


def _between_sources(speed_facts: SpeedFacts) -> Iterator[Finding]:
    """Compare the facts of the same pair of systems."""
    for fact, other in combinations(speed_facts.facts, 2):
        if {fact.of, fact.to} != {other.of, other.to} or not can_both_match(fact.where, other.where):
            continue
        speed = other.speed if other.of == fact.of else 1 / other.speed
        if max(speed, fact.speed) > min(speed, fact.speed) * (1 + SOURCE_SHARE):
            yield _contradiction(speed_facts, fact, speed, f"according to {other.source}")


def _around_loops(speed_facts: SpeedFacts) -> Iterator[Finding]:
    reported: set[frozenset[str]] = set()
    for fact in speed_facts.facts:
        context = {name: values[0] for name, values in fact.where.items()}
        others = [
            other
            for other in speed_facts.facts
            if {other.of, other.to} != {fact.of, fact.to} and matches(context, other.where)
        ]
        for path in _shortest_paths(_edges(others), fact.of, fact.to):
            loop = frozenset((fact.of, *(edge.to for edge in path)))
            product = math.prod(edge.speed for edge in path)
            if abs(product / fact.speed - 1) > LOOP_SHARE and loop not in reported:
                reported.add(loop)
                way = " -> ".join((fact.of, *(edge.to for edge in path)))
                yield _contradiction(speed_facts, fact, product, f"along {way}")


def _contradiction(speed_facts: SpeedFacts, fact: SpeedFact, speed: float, how: str) -> Finding:
    message = f"{fact.speed:.4g} according to {fact.source}, but {speed:.4g} {how}"
    return Finding(
        "warning", Rule.EXPECTED_INCONSISTENT, f"{fact.of} : {fact.to}", message, Source(speed_facts.path)
    )


# The book of devices


def book_speed(target: str, reference: str, case: Case, baseline: Case) -> Expected | None:
    """Return the expected speed of two systems by the data sheets of their devices; None without both ratios.

    It is the last resort where no fact connects the two. Work that is bound by arithmetic follows the ratio
    of the peaks, work that is bound by memory the ratio of the bandwidths: the two are the ends of a band.
    """
    own, base = _facts_of(case), _facts_of(baseline)
    if own is None or base is None:
        return None
    (gpu, peak, bandwidth), (other, other_peak, other_bandwidth) = own, base
    if gpu.name == other.name:
        return None
    sources = f"{gpu_source(gpu).name}; {gpu_source(other).name}"
    ratios = {
        "peak arithmetic": peak.value / other_peak.value,
        "memory bandwidth": bandwidth / other_bandwidth,
    }
    edges = [
        SpeedEdge(
            target, reference, ratio, f"{what} of {gpu.name} and {other.name}: {sources}", origin="book"
        )
        for what, ratio in ratios.items()
    ]
    return expected_along(target, reference, [(edge,) for edge in edges])


def _facts_of(case: Case) -> tuple[Gpu, Peak, float] | None:
    """Return the GPU of all repeats with its peak and its bandwidth, None if one is not known."""
    runs = [measurement.run for measurement in case.measurements]
    gpus = {gpu.name: gpu for run in runs if (gpu := gpu_of_run(run))}
    peaks = [peak_of_run(run) for run in runs]
    if len(gpus) != 1 or len(set(peaks)) != 1 or peaks[0] is None:
        return None
    (gpu,) = gpus.values()
    return (gpu, peaks[0], gpu.bandwidth) if gpu.bandwidth else None
