"""The difference between the times of two cases, split into parts that add up to it.

`reportgen.compare.why` makes it, the cell of a comparison carries it, pages and `reportgen why` show it.
"""

import math
from dataclasses import dataclass
from typing import Literal

from reportgen.core import units
from reportgen.core.model import Finding, Source

PartKind = Literal["data loading", "device", "communication", "clocks", "stragglers", "other", "rest"]

# A sentence names the parts of at least this share of the difference.
_MIN_NAMED_SHARE = 0.005


@dataclass(frozen=True, slots=True)
class PartSide:
    """A part on one side of a comparison.

    seconds  None if the logs of this side do not time it
    sources  where its time was read
    """

    seconds: float | None = None
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class BreakdownPart:
    """One part of a difference.

    name     the phase, or what the part is
    seconds  of the difference, above 0 where the case takes longer; None if the part was not measured
    remark   a fragment: why it was not measured, or what the number means
    """

    name: str
    kind: PartKind
    seconds: float | None
    own: PartSide = PartSide()
    baseline: PartSide = PartSide()
    remark: str = ""

    @property
    def text(self) -> str:
        """Return the name in words."""
        return self.name.replace("_", " ")


@dataclass(frozen=True, slots=True)
class Hint:
    """A remark of a log that may explain a part: the finding, and how many runs of its side have it."""

    kind: PartKind
    finding: Finding
    runs: int = 1
    is_baseline: bool = False


@dataclass(frozen=True, slots=True)
class Breakdown:
    """How much longer a case takes than its baseline, and the parts that add up to it exactly.

    own, baseline  s of the whole
    per            what the whole is the time of: "step" or "sample"
    parts          those that were measured, in the order of the step, then those that were not
    remarks        sentences about the split as a whole
    """

    own: float
    baseline: float
    per: str
    parts: tuple[BreakdownPart, ...]
    remarks: tuple[str, ...] = ()
    hints: tuple[Hint, ...] = ()

    @property
    def seconds(self) -> float:
        """Return the difference; exact, like the sum of the parts."""
        return self.own - self.baseline

    @property
    def measured(self) -> tuple[BreakdownPart, ...]:
        """Return the parts that have a time."""
        return tuple(part for part in self.parts if part.seconds is not None)

    @property
    def is_split(self) -> bool:
        """Return whether the split says more than that all of the difference is in one part."""
        return len(self.measured) > 1

    def share(self, part: BreakdownPart) -> float:
        """Return the share of a part in the difference, NaN without a time or a difference."""
        return part.seconds / self.seconds if part.seconds is not None and self.seconds else math.nan

    def sentence(self) -> str:
        """Return the split in words, the largest part first."""
        if not self.seconds:
            return f"no difference per {self.per}"
        unit = units.choose([self.seconds], "s")
        size = f"{units.text(abs(self.seconds) / unit.factor, digits=3)} {unit.name}"
        largest = sorted(self.measured, key=lambda part: -abs(part.seconds or 0.0))
        shown = [
            f"{part.text} {percent(self.share(part))}"
            for part in largest
            if abs(self.share(part)) >= _MIN_NAMED_SHARE
        ]
        return f"{size} {'more' if self.seconds > 0 else 'less'} per {self.per}: {', '.join(shown)}"


def percent(share: float) -> str:
    """Return a share as a whole percentage; a part against the difference is negative."""
    return f"{units.text(100 * share, decimals=0)} %"
