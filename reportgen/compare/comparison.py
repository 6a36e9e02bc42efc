"""A case against its baseline: one number, how sure it is, and what it rests on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from reportgen.compare.breakdown import Breakdown
from reportgen.compare.contract import Difference
from reportgen.compare.cycles import CycleComparison
from reportgen.compare.expected_speed import Expected
from reportgen.compare.side import Side
from reportgen.compare.verdict import Verdict
from reportgen.core.factors import factors_key
from reportgen.core.metrics import metric_of
from reportgen.core.model import RESERVED, Case

# A sentence names so many factors and conditions.
_MAX_NAMED = 6

CompareKind = Literal["ratio", "speedup", "efficiency", "expected"]


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Two sides compared; `reportgen.compare.pair` makes it.

    value       by the kind. ratio: of the values; speedup: of the speeds; efficiency: of the speeds per
                device; expected: how many times slower than the baseline. NaN if a value is zero or unknown
    over_all    the same of the values over all of the windows' time; None where gaps left out little of both
    held_equal  factors and conditions that are equal, with their values
    about       what the comparison is about, and what follows from it
    differs     in what else the two differ; refused  those of them for which the ratio means nothing
    invalid     why one of the two numbers means nothing, so that the ratio does; "" if both mean something
    not_stated  names of conditions that one side does not say, or neither
    verdict     how the two speeds compare; None unless they are speeds of the same work
    cycles      how they compare per cycle of the SM clock; None if not every repeat logged it
    energy      energy per sample, relative to the baseline's; None if not every repeat has one
    breakdown   the difference of their times, in parts; None unless they are times or rates of steps
    expected    the expected speed that applies, None where there is none (or none is meant to be)
    """

    kind: CompareKind
    own: Side
    base: Side
    value: float
    over_all: float | None = None
    held_equal: tuple[tuple[str, str], ...] = ()
    about: tuple[Difference, ...] = ()
    differs: tuple[Difference, ...] = ()
    refused: tuple[Difference, ...] = ()
    invalid: str = ""
    not_stated: tuple[str, ...] = ()
    verdict: Verdict | None = None
    cycles: CycleComparison | None = None
    energy: float | None = None
    breakdown: Breakdown | None = None
    expected: Expected | None = None

    def __repr__(self) -> str:
        verdict = f", {self.verdict.kind}" if self.verdict else ""
        return f"<Comparison: {self.kind} {self.value:.4g}{verdict}>"

    @property
    def case(self) -> Case:
        """Return the measured case; only stored cases have none."""
        assert self.own.case is not None
        return self.own.case

    @property
    def baseline(self) -> Case:
        """Return the measured case that it is compared with; only stored cases have none."""
        assert self.base.case is not None
        return self.base.case

    @property
    def refusal(self) -> str:
        """Return why the two may not be compared, "" if they may."""
        if self.invalid or not self.refused:
            return self.invalid
        return f"differs in {' and '.join(each.text for each in self.refused)}"

    @property
    def differing_factors(self) -> tuple[str, ...]:
        """Return the factors in which the two differ, sorted."""
        return tuple(
            sorted({name for name, _ in factors_key(self.own.factors) ^ factors_key(self.base.factors)})
        )

    @property
    def speed_ratio(self) -> float | None:
        """Return how many times faster the case is than its baseline; None where neither is a speed."""
        if not metric_of(self.base.metric, self.base.unit).is_speed or self.kind == "efficiency":
            return None
        return 1 / self.value if self._is_of_times else self.value

    @property
    def speed_ratio_over_all(self) -> float | None:
        """Return how many times faster the case is over all of the windows' time; None as `over_all`."""
        if self.over_all is None or self.speed_ratio is None:
            return None
        return 1 / self.over_all if self._is_of_times else self.over_all

    @property
    def in_cycles(self) -> float | None:
        """Return the ratio per cycle, in the direction of `value`: of times or of speeds."""
        if self.cycles is None:
            return None
        return 1 / self.cycles.ratio if self._is_of_times else self.cycles.ratio

    @property
    def interval(self) -> tuple[float, float] | None:
        """Return the interval of the ratio in the direction of `value`, None if its test gives none."""
        verdict = self.verdict
        if verdict is None or verdict.low is None or verdict.high is None:
            return None
        return (1 / verdict.high, 1 / verdict.low) if self._is_of_times else (verdict.low, verdict.high)

    @property
    def excess(self) -> float | None:
        """Return the slowdown against the expected one: value x expected speed; None without the latter."""
        return self.value * self.expected.speed if self.expected else None

    @property
    def low(self) -> float | None:
        """Return the low end of `excess`, from the band of the expected speed."""
        return self.value * self.expected.low if self.expected else None

    @property
    def high(self) -> float | None:
        """Return the high end of `excess`, from the band of the expected speed."""
        return self.value * self.expected.high if self.expected else None

    @property
    def _is_of_times(self) -> bool:
        """Return whether `value` is a ratio of times, so that the case is slower above 1."""
        is_time = metric_of(self.base.metric, self.base.unit).better == "lower"
        return self.kind == "expected" or (self.kind == "ratio" and is_time)


def contract_sentence(comparisons: Sequence[Comparison]) -> str:
    """Return what all comparisons held equal, and what is not stated for one of them; "" for none."""
    if not comparisons:
        return ""
    held = [dict(each.held_equal).keys() - set(RESERVED) for each in comparisons]
    equal = [name for name, _ in comparisons[0].held_equal if all(name in names for names in held)]
    unstated = list(dict.fromkeys(name for each in comparisons for name in each.not_stated))
    texts = (f"Held equal: {_first(equal)}.", f"Not stated: {_first(unstated)}.")
    return " ".join(text for text, names in zip(texts, (equal, unstated), strict=True) if names)


def _first(names: Sequence[str]) -> str:
    shown = ", ".join(name.replace("_", " ") for name in names[:_MAX_NAMED])
    more = len(names) - _MAX_NAMED
    return f"{shown} and {more} more" if more > 0 else shown
