"""Decide which of two cases is faster, by the test that the arrangement of their repeats allows.

All tests work on logarithms of speeds, so a verdict is the same for times and for rates; its interval is one
of the speed ratio. False alarms and power of each rule: `benchmarks/verdicts.py`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from msgspec.structs import replace

from reportgen.compare.exact_tests import (
    ShiftTest,
    fewest_repeats_of_each,
    fewest_rounds,
    rank_sum_test,
    signed_rank_test,
)
from reportgen.compare.verdict import TURNS, TestName, Verdict, VerdictKind, difference_text
from reportgen.compare.verdicts.arrangement import (
    Arrangement,
    TimedRepeat,
    are_days_apart,
    arrange,
    have_one_clock,
    level_of,
)
from reportgen.core.stats import deviation, mean, median, trend

# Without an interleaved order no test holds its level. Two sets of repeats count as different if their means
# are so many times the larger standard deviation apart: a measure that does not grow with their number, as a
# range does. Each repeat fewer than seven asks for 2 % more. So at most 2 % of equal cases count as different
# under any noise tried (a random walk: 1.98 % of 300,000).
SEPARATION = 3.72
SEPARATION_OF_FEWER = 0.02

# A few repeats show their own spread badly. With the spread of comparable cases, a difference of three times
# the larger one of the two is likely. What counts are the degrees of freedom of that spread: three cases of
# three repeats have as many as four of three, three, two and two. Below eight, the spread counts for more. So
# at most 1.3 % of equal cases whose noise is independent are called different.
LIKELY = 3.0
FEWEST_LIKELY = 3
FEWEST_FREE, ENOUGH_FREE = 6, 8

# Of the largest ratio whose test is computed without an overflow: e^690 is 4.6e299.
MAX_LOG_RATIO = 690.0

# With fewer repeats, two equal cases are often separated by chance (three and three: in one of ten).
FEWEST_SEPARATED = 5


@dataclass(frozen=True, slots=True)
class DecisionRule:
    """How to decide.

    confidence       of the interval; a difference counts if the interval excludes none
    margin           two cases are the same if the interval of their ratio is between 1 / (1 + margin) and
                     1 + margin
    is_exchangeable  the author declares that the order of the runs does not matter (independent sessions)
    """

    confidence: float = 0.95
    margin: float = 0.01
    is_exchangeable: bool = False


@dataclass(frozen=True, slots=True)
class Spread:
    """What comparable cases show of the noise: an assumption about two cases with few repeats.

    share  the standard deviation of repeats, of logarithms, pooled; cases  how many cases it is of
    free   its degrees of freedom: of each case the number of repeats less one
    """

    share: float
    cases: int
    free: int


def decide(
    repeats: Sequence[TimedRepeat],
    others: Sequence[TimedRepeat],
    *,
    better: Literal["higher", "lower"],
    rule: DecisionRule = DecisionRule(),
    spread: Spread | None = None,
) -> Verdict:
    """Return the verdict on a case against a baseline, and what one more round or repeat of both costs.

    repeats, others  of the case and of the baseline, positive values
    better           whether a higher or a lower value is the faster one
    spread           of comparable cases, None if it is not known; with it, an open verdict may be likely
    """
    verdict = _decided(repeats, others, better, rule)
    if spread and _is_open(verdict):
        speeds, base = (_log_speeds(side, better) for side in (repeats, others))
        verdict = _by_pooled_spread(verdict, speeds, base, spread)
    times = [[each.seconds for each in side if each.seconds is not None] for side in (repeats, others)]
    return replace(
        verdict,
        seconds=sum(map(median, times)) if all(times) else None,
        devices=max(each.devices for each in (*repeats, *others)),
    )


def _decided(
    repeats: Sequence[TimedRepeat],
    others: Sequence[TimedRepeat],
    better: Literal["higher", "lower"],
    rule: DecisionRule,
) -> Verdict:
    speeds, base = (_log_speeds(side, better) for side in (repeats, others))
    arrangement = arrange(repeats, others)
    if max(speeds + base) - min(speeds + base) > MAX_LOG_RATIO:
        largest = math.copysign(MAX_LOG_RATIO, median(speeds) - median(base))
        reason = "the numbers differ by more than a factor of 1e299"
        return Verdict("not comparable", math.exp(largest), arrangement.kind, reason=reason)
    ratio = math.exp(median(speeds) - median(base))
    if len(speeds) < 2 or len(base) < 2:
        return Verdict("no repeats", ratio, arrangement.kind, reason="one figure has no spread")
    if arrangement.is_paired and len(arrangement.rounds) >= 2:
        return _by_rounds(arrangement, better, rule)
    if rule.is_exchangeable:
        ordered, base_ordered = (_log_speeds(_in_order(side), better) for side in (repeats, others))
        return _by_ranks(speeds, base, ordered, base_ordered, rule)
    is_timed = have_one_clock((*repeats, *others)) or are_days_apart(repeats, others)
    verdict = _by_separation(speeds, base, ratio, arrangement, is_timed=is_timed)
    is_open = verdict.kind == "undecided"
    return replace(verdict, counted=TURNS, more=fewest_rounds(1 - rule.confidence)) if is_open else verdict


def _log_speeds(repeats: Sequence[TimedRepeat], better: Literal["higher", "lower"]) -> list[float]:
    sign = 1.0 if better == "higher" else -1.0
    return [sign * math.log(each.value) for each in repeats]


def _by_rounds(arrangement: Arrangement, better: Literal["higher", "lower"], rule: DecisionRule) -> Verdict:
    own, base = (_log_speeds([pair[side] for pair in arrangement.rounds], better) for side in (0, 1))
    logs = [speed - other for speed, other in zip(own, base, strict=True)]
    level = level_of(arrangement.kind, 1 - rule.confidence)
    counted = _Counted(len(logs), "rounds", fewest_rounds(level))
    result = signed_rank_test(logs, 1 - level)
    # The interval excludes 0 where p is at most 1 - confidence, here too.
    result = result._replace(p=min(1.0, result.p * (1 - rule.confidence) / level))
    return _verdict(result, arrangement.kind, "signed rank", counted, rule)


def _by_ranks(
    speeds: list[float],
    base: list[float],
    ordered: list[float],
    base_ordered: list[float],
    rule: DecisionRule,
) -> Verdict:
    result = rank_sum_test(speeds, base, rule.confidence)
    drifts = [trend(side).p for side in (ordered, base_ordered) if len(side) > 1]
    if any(p <= 1 - rule.confidence for p in drifts):
        reason = "the repeats of one case drift, so their order matters"
        return Verdict("undecided", math.exp(result.shift), "exchangeable", "rank sum", reason=reason)
    fewest = fewest_repeats_of_each(1 - rule.confidence)
    counted = _Counted(min(len(speeds), len(base)), "repeats", fewest)
    return _verdict(result, "exchangeable", "rank sum", counted, rule)


def _in_order(repeats: Sequence[TimedRepeat]) -> Sequence[TimedRepeat]:
    """Return the repeats in the order of time; as they stand if the order is not known."""
    return sorted(repeats, key=lambda each: each.start or 0.0) if have_one_clock(repeats) else repeats


@dataclass(frozen=True, slots=True)
class _Counted:
    """What a test counts: n rounds or repeats, and the fewest that can decide."""

    n: int
    what: str
    fewest: int


def _verdict(
    result: ShiftTest, arrangement: str, test: TestName, counted: _Counted, rule: DecisionRule
) -> Verdict:
    ratio = math.exp(result.shift)
    verdict = Verdict("undecided", ratio, arrangement, test, p=result.p, counted=counted.what, n=counted.n)
    if not math.isfinite(result.low):
        reason = f"{counted.n} {counted.what} are too few for {100 * rule.confidence:.3g} % confidence"
        return replace(verdict, reason=reason, more=max(counted.fewest - counted.n, 0))
    low, high = math.exp(result.low), math.exp(result.high)
    verdict = replace(verdict, low=low, high=high, coverage=result.coverage)
    margin = math.log1p(rule.margin)
    if -margin <= result.low and result.high <= margin:
        return replace(verdict, kind="same")
    if result.low > 0 or result.high < 0:
        return replace(verdict, kind="faster" if result.low > 0 else "slower")
    half = (result.high - result.low) / 2
    needed = math.ceil(counted.n * (half / margin) ** 2) if margin > 0 else 0
    reason = f"between {difference_text(low)} and {difference_text(high)}"
    return replace(
        verdict, reason=reason, more=max(needed - counted.n, 1) if needed else 0, margin=rule.margin
    )


def _by_separation(
    speeds: list[float], base: list[float], ratio: float, arrangement: Arrangement, *, is_timed: bool
) -> Verdict:
    kind = arrangement.kind
    order = "the order of the runs is not known"
    if kind == "blocked" or is_timed:
        order = "not interleaved"
    fewest = min(len(speeds), len(base))
    if fewest < FEWEST_SEPARATED:
        reason = f"{order}, and fewer than {FEWEST_SEPARATED} repeats"
        return Verdict("undecided", ratio, kind, reason=reason)
    needed = SEPARATION * (1 + SEPARATION_OF_FEWER * max(7 - fewest, 0))
    difference, larger = mean(speeds) - mean(base), max(deviation(speeds), deviation(base))
    if difference and abs(difference) >= needed * larger:
        return Verdict("faster" if difference > 0 else "slower", ratio, kind, "separation", spread=larger)
    return Verdict("undecided", ratio, kind, "separation", reason=order)


def _is_open(verdict: Verdict) -> bool:
    """Return whether nothing was decided for want of repeats or of an order, and not by an interval."""
    return verdict.kind == "undecided" and verdict.low is None and verdict.more > 0


def _by_pooled_spread(
    verdict: Verdict, speeds: Sequence[float], base: Sequence[float], spread: Spread
) -> Verdict:
    """Return an open verdict as a likely one, if the spread of other cases makes the difference so large."""
    if min(len(speeds), len(base)) < FEWEST_LIKELY or spread.free < FEWEST_FREE:
        return verdict
    difference = mean(speeds) - mean(base)
    pooled = spread.share * math.sqrt(ENOUGH_FREE / min(spread.free, ENOUGH_FREE))
    larger = max(pooled, deviation(speeds), deviation(base))
    if not difference or abs(difference) < LIKELY * larger:
        return verdict
    kind: VerdictKind = "likely faster" if difference > 0 else "likely slower"
    return replace(verdict, kind=kind, test="pooled spread", p=None, spread=spread.share, cases=spread.cases)
