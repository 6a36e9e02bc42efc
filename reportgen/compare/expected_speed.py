"""The speed that one system should have relative to another, with the facts that say so.

`tables.expected` finds it in the facts of `reports/expected.toml`; a comparison carries it.
"""

from dataclasses import dataclass

from reportgen.core.model import FactorValue

# Factors, each with the values that it may have.
FactConditions = tuple[tuple[str, tuple[FactorValue, ...]], ...]


@dataclass(frozen=True, slots=True)
class SpeedEdge:
    """One fact on the path of an expected speed: `of` runs at `speed` x the speed of `to`.

    inverted  whether the path goes against the fact, whose source says 1/`speed` of `to` over `of`
    where     the factors, each with the values that it may have, of the cases that the fact holds for
    """

    of: str
    to: str
    speed: float
    source: str
    url: str = ""
    read: str = ""
    inverted: bool = False
    where: FactConditions = ()


@dataclass(frozen=True, slots=True)
class Expected:
    """The expected speed of one system relative to another (target over reference).

    speed      the product along the path; low, high  the band over all shortest paths
    paths      each path as its steps, from target to reference
    """

    target: str
    reference: str
    speed: float
    low: float
    high: float
    paths: tuple[tuple[SpeedEdge, ...], ...]

    @property
    def is_band(self) -> bool:
        """Return whether the paths differ by more than the rounding of their products."""
        return self.high > self.low * (1 + 1e-9)

    @property
    def where(self) -> FactConditions:
        """Return what the facts on the paths hold for, each condition once."""
        return tuple(dict.fromkeys(named for path in self.paths for edge in path for named in edge.where))
