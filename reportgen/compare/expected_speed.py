"""The speed that one system should have relative to another, with the facts that say so.

`tables.expected` finds it in the facts of `reports/expected.toml`; a comparison carries it, and the document
has it as it is.
"""

from typing import Literal

import msgspec

from reportgen.core.model import FactorValue

# Where a fact is from, the first choice first.
Origin = Literal["stated", "computed", "book"]

# Factors, each with the values that it may have.
FactConditions = tuple[tuple[str, tuple[FactorValue, ...]], ...]


class SpeedEdge(msgspec.Struct, frozen=True, omit_defaults=True):
    """One fact on the path of an expected speed: `of` runs at `speed` x the speed of `to`.

    of        system
    to        other system
    speed     of the first, relative to the second
    source    where the fact is from
    url       address of the source
    read      day on which it was read
    inverted  whether the path goes against the fact, whose source says 1/speed of `to` over `of`
    where     factors, each with its values, of the cases that the fact holds for
    differs   in what else the cases differ that it was computed from: "batch_size (V100: 296, A40: 496)"
    origin    stated in expected.toml, computed from logs, or of the book of data sheets
    """

    of: str
    to: str
    speed: float
    source: str = ""
    url: str = ""
    read: str = ""
    inverted: bool = False
    where: FactConditions = ()
    differs: tuple[str, ...] = ()
    origin: Origin = "stated"

    @property
    def origin_text(self) -> str:
        """Return the origin to write behind the fact, "" for a stated one."""
        return {"stated": "", "computed": ", computed from logs", "book": ", by data sheets"}[self.origin]


class Expected(msgspec.Struct, frozen=True, omit_defaults=True):
    """The expected speed of one system relative to another.

    target     system
    reference  other system
    speed      of the first, relative to the second: the product along the path
    low        lowest product of all shortest paths
    high       highest product
    paths      each path as its facts, from target to reference
    """

    target: str
    reference: str
    speed: float
    low: float
    high: float
    paths: tuple[tuple[SpeedEdge, ...], ...] = ()

    @property
    def is_band(self) -> bool:
        """Return whether the paths differ by more than the rounding of their products."""
        return self.high > self.low * (1 + 1e-9)

    @property
    def where(self) -> FactConditions:
        """Return what the facts on the paths hold for, each condition once."""
        return tuple(dict.fromkeys(named for path in self.paths for edge in path for named in edge.where))

    @property
    def differs(self) -> tuple[str, ...]:
        """Return in what else the cases behind the facts differ, each difference once."""
        return tuple(dict.fromkeys(text for path in self.paths for edge in path for text in edge.differs))
