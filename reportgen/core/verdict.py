"""A verdict on two cases, and its sentence. `reportgen.verdicts` decides, tables carry it, pages show it."""

import math
from dataclasses import dataclass
from typing import Literal

VerdictKind = Literal["faster", "slower", "same", "undecided", "no repeats", "not comparable"]
TestName = Literal["signed rank", "rank sum", "separation", ""]


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a case compares with its baseline.

    ratio      of their speeds; above 1 the case is faster. The estimate of the test, else that of the medians
    low, high  interval of the ratio, None if the test gives none
    coverage   of the interval, 0 without one
    p          of the test, None if none applies
    reason     a fragment: why nothing was decided, else ""
    more       rounds or repeats that would probably settle a difference of the margin, 0 if not known
    counted    what the test counts: rounds, or repeats
    """

    kind: VerdictKind
    ratio: float
    arrangement: str
    test: TestName = ""
    low: float | None = None
    high: float | None = None
    coverage: float = 0.0
    p: float | None = None
    reason: str = ""
    more: int = 0
    counted: str = "rounds"

    def sentence(self) -> str:
        """Return the verdict as a reviewer may quote it."""
        if self.kind in ("faster", "slower"):
            return f"{difference_text(self.ratio)}{self._interval_text()}"
        if self.kind == "same":
            assert self.low is not None
            assert self.high is not None
            largest = max(abs(math.expm1(abs(math.log(end)))) for end in (self.low, self.high))
            return f"no difference larger than {_percent(largest)}"
        if self.kind == "undecided":
            what = self.counted.removesuffix("s") if self.more == 1 else self.counted
            settle = f"; about {self.more} more {what} would settle it" if self.more else ""
            return f"undecided: {self.reason}{settle}"
        return f"{self.kind}: {self.reason}" if self.reason else self.kind

    def _interval_text(self) -> str:
        if self.low is None or self.high is None:
            return ", without overlap of the repeats"
        near, far = (self.low, self.high) if self.ratio > 1 else (self.high, self.low)
        return f" ({_size_text(near)} to {_size_text(far)})"


def difference_text(ratio: float) -> str:
    """Return a speed ratio in words: "1.8 % faster", "2.0x slower"."""
    return f"{_size_text(ratio)} {'faster' if ratio > 1 else 'slower'}"


def _size_text(ratio: float) -> str:
    """Return the size of a difference: the percentage of the baseline's speed, from 2x on the factor."""
    if not 0.5 < ratio < 2:
        return f"{max(ratio, 1 / ratio):.3g}x"
    return _percent(abs(ratio - 1))


def _percent(share: float) -> str:
    percent = 100 * share
    return f"{percent:.1f} %" if percent < 9.95 else f"{percent:.0f} %"
