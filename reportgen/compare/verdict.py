"""A verdict on two cases, and its sentence. `compare.verdicts` decides, tables carry it, pages show it."""

import math
from typing import Literal

import msgspec

from reportgen.core import units

VerdictKind = Literal[
    "faster", "slower", "same", "likely faster", "likely slower", "undecided", "no repeats", "not comparable"
]
TestName = Literal["signed rank", "rank sum", "separation", "pooled spread", ""]

# Rounds of an order that the runs did not have: one run of each case, in turns.
TURNS = "interleaved rounds"
# What `difference_text` calls a ratio that it would round to 0.0 %.
EQUAL = "equal"
# A smaller ratio is written as its inverse: "240x slower" and not "0.00417x as fast".
_LEAST_RATIO = 0.1
# Larger ratios are written with an exponent.
_LONGEST_FACTOR = 1e9


class Verdict(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a case compares with its baseline.

    kind         the decision. A likely one rests on an assumption, and counts nowhere as decided
    ratio        of their speeds; above 1 the case is faster. Estimated by the test, else from the medians
    arrangement  the order in which the repeats ran
    test         the test that this order allows
    low          low end of the interval of the ratio
    high         high end of the interval of the ratio
    coverage     probability that the interval contains the ratio
    p            p-value of the test
    spread       standard deviation of repeats, as a share: the larger one of the two, or that of `cases`
    cases        how many cases lent their spread: the assumption behind a likely verdict
    reason       why nothing was decided
    counted      what the test counts: rounds, or repeats of each case
    n            how many of them there are
    more         how many more would settle a difference of `margin` or, if that is 0, could decide anything
    margin       the smallest difference that these would settle
    seconds      s that one more of them takes
    devices      that one more of them takes
    """

    kind: VerdictKind
    ratio: float
    arrangement: str
    test: TestName = ""
    low: float | None = None
    high: float | None = None
    coverage: float = 0.0
    p: float | None = None
    spread: float | None = None
    cases: int = 0
    reason: str = ""
    counted: str = "rounds"
    n: int = 0
    more: int = 0
    margin: float = 0.0
    seconds: float | None = None
    devices: int = 0

    def sentence(self, *, beside_time: bool = False, than: str = "") -> str:
        """Return the verdict as a reviewer may quote it.

        beside_time  whether it is printed beside times: then a difference also says what it is as a time
        than         what it is faster or slower than, "" if that is clear
        """
        if self.kind in ("faster", "slower", "likely faster", "likely slower"):
            likely = "likely " * self.kind.startswith("likely")
            difference = f"{likely}{self._difference_text(than)}"
            evidence = self._evidence_text(time_text(self.ratio) * beside_time)
            return f"{difference}{evidence}{self._remedy_text()}"
        if self.kind == "same":
            assert self.low is not None
            assert self.high is not None
            largest = max(abs(math.expm1(abs(math.log(end)))) for end in (self.low, self.high))
            return f"no difference{f' from {than}' if than else ''} larger than {_percent(largest)}"
        if self.kind == "undecided":
            return f"undecided: {self.reason}{self._remedy_text()}"
        return f"{self.kind}: {self.reason}" if self.reason else self.kind

    @property
    def spread_text(self) -> str:
        """The spread that the verdict rests on: "spread 0.3 % of 24 cases"; "" for a test without one."""
        if self.spread is None:
            return ""
        cases = f" of {self.cases:,} cases" if self.cases else ""
        return f"spread {_without_zeros(units.text(100 * self.spread, digits=2))} %{cases}"

    def _difference_text(self, than: str) -> str:
        """Return the difference, with its direction however small it is: it was decided."""
        if difference_text(self.ratio) == EQUAL:
            return f"less than 0.1 % {self.kind.removeprefix('likely ')}{f' than {than}' if than else ''}"
        return difference_from(self.ratio, than) if than else difference_text(self.ratio)

    def _remedy_text(self) -> str:
        """Return what would settle a verdict that is open or likely, and what that costs; else ""."""
        if not self.more:
            return ""
        what = self.counted.removesuffix("s") if self.more == 1 else self.counted
        number = f"{self.more} {what}" if self.counted == TURNS else f"{self.more} more {what}"
        effect = f"would settle {_share(self.margin)}" if self.margin else "could decide"
        return f"; {number} {effect}{self._cost_text()}"

    def _cost_text(self) -> str:
        if self.seconds is None:
            return ""
        devices = f" of {self.devices} device{'s' if self.devices > 1 else ''}" if self.devices else ""
        return f", about {duration_text(self.more * self.seconds)}{devices}"

    def _evidence_text(self, time: str) -> str:
        """Return what a difference rests on, behind its time: its interval, or the spread of repeats."""
        if self.low is not None and self.high is not None:
            return f" ({interval_text(self.ratio, self.low, self.high)}{f'; {time}' if time else ''})"
        texts = "; ".join(filter(None, (time, self.spread_text)))
        return f" ({texts})" if texts else ""


def interval_text(ratio: float, low: float, high: float) -> str:
    """Return the interval of a speed ratio in the form of the ratio: "0.9 % to 2.7 %", "1.99x to 2.01x"."""
    if not _is_percentage(ratio):
        ends = (low, high) if ratio >= _LEAST_RATIO else (1 / high, 1 / low)
        return " to ".join(map(factor_text, ends))
    if low < 1 < high:
        return f"{_percent(1 - low)} slower to {_percent(high - 1)} faster"
    near, far = (low, high) if low >= 1 else (high, low)
    return f"{_percent(abs(near - 1))} to {_percent(abs(far - 1))}"


def difference_text(ratio: float) -> str:
    """Return a speed ratio in words: "1.8 % faster", "2.5x as fast", "240x slower", "equal".

    "2.5x faster" is never written: beside "97 % faster" it would mean 3.5 times the speed.
    """
    if _is_percentage(ratio):
        size = _percent(abs(ratio - 1))
        return EQUAL if size == _percent(0) else f"{size} {'faster' if ratio >= 1 else 'slower'}"
    return f"{factor_text(ratio)} as fast" if ratio >= _LEAST_RATIO else f"{factor_text(1 / ratio)} slower"


def difference_from(ratio: float, other: str) -> str:
    """Return a speed ratio to something in words: "2.5x as fast as 470", "1.8 % slower than 470"."""
    text = difference_text(ratio)
    if text == EQUAL:
        return f"as fast as {other}"
    return f"{text} {'as' if text.endswith('as fast') else 'than'} {other}"


def time_text(ratio: float) -> str:
    """Return a speed ratio as the time that it means: "57 % more time", "0.4x the time".

    A speed that is 36 % lower takes 57 % more time: beside times, the two must not be confused. "" for small
    differences, which have the same size as speed and as time.
    """
    if not _is_percentage(1 / ratio):
        return f"{factor_text(1 / ratio)} the time"
    size = _percent(abs(1 / ratio - 1))
    return "" if size == _percent(abs(ratio - 1)) else f"{size} {'less' if ratio > 1 else 'more'} time"


def _is_percentage(ratio: float) -> bool:
    """Return whether a difference is shown as a percentage of the baseline's speed: below 2x."""
    return 0.5 < ratio < 2


def factor_text(ratio: float) -> str:
    """Return a ratio in three digits: "2.5x"."""
    if ratio >= _LONGEST_FACTOR:
        return f"{ratio:.1e}x"
    return f"{_without_zeros(units.text(ratio, digits=3))}x"


def _without_zeros(number: str) -> str:
    return number.rstrip("0").rstrip(".") if "." in number else number


def _percent(share: float) -> str:
    percent = 100 * share
    return f"{units.text(percent, decimals=1 if percent < 9.95 else 0)} %"


def _share(share: float) -> str:
    return f"{100 * share:.3g} %"


def duration_text(seconds: float) -> str:
    """Return a time in the unit in which it reads best: "40 seconds", "11 minutes", "3.5 hours"."""
    if seconds < 90:
        return f"{max(seconds, 1):.0f} second{'s' if seconds >= 1.5 else ''}"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} minutes"
    hours = seconds / 3600
    return f"{hours:.2g} hours" if hours < 9.95 else f"{hours:,.0f} hours"
