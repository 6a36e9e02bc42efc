"""Decide which of two cases is faster, by the test that the arrangement of their repeats allows.

All tests work on logarithms of speeds, so a verdict is the same for times and for rates; its interval is one
of the speed ratio. False alarms and power of each rule: `benchmarks/verdicts.py`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from reportgen.core.exact_tests import ShiftTest, fewest_rounds, rank_sum_test, signed_rank_test
from reportgen.core.stats import median, trend
from reportgen.core.verdict import TestName, Verdict, VerdictKind, difference_text
from reportgen.verdicts.arrangement import Arrangement, TimedRepeat, arrange

# Without an interleaved order no test holds its level. Two sets of repeats count as different if they do not
# overlap and the gap between them is at least this share of the larger range, more if they are fewer than 7.
# So at most 2 % of equal cases count as different under any noise tried.
SEPARATION = 0.5
SEPARATION_TIMES_REPEATS = 3.5

# With fewer repeats, two equal cases are often separated by chance (three and three: in one of ten).
FEWEST_SEPARATED = 5


@dataclass(frozen=True, slots=True)
class DecisionRule:
    """How to decide.

    confidence       of the interval; a difference counts if the interval excludes none
    margin           two cases are the same if the interval of their ratio is within 1 and this share of it
    is_exchangeable  the author declares that the order of the runs does not matter (independent sessions)
    """

    confidence: float = 0.95
    margin: float = 0.01
    is_exchangeable: bool = False


def decide(
    repeats: Sequence[TimedRepeat],
    others: Sequence[TimedRepeat],
    *,
    better: Literal["higher", "lower"],
    rule: DecisionRule = DecisionRule(),
) -> Verdict:
    """Return the verdict on a case against a baseline.

    repeats, others  of the case and of the baseline, positive values
    better           whether a higher or a lower value is the faster one
    """
    sign = 1.0 if better == "higher" else -1.0
    speeds, base = ([sign * math.log(each.value) for each in side] for side in (repeats, others))
    ratio = math.exp(median(speeds) - median(base))
    arrangement = arrange(repeats, others)
    if len(speeds) < 2 or len(base) < 2:
        return Verdict("no repeats", ratio, arrangement.kind, reason="one figure has no spread")
    if arrangement.is_paired and len(arrangement.rounds) >= 2:
        return _by_rounds(arrangement, sign, rule)
    if rule.is_exchangeable:
        return _by_ranks(speeds, base, _in_order(repeats, sign), _in_order(others, sign), rule)
    return _by_separation(speeds, base, ratio, arrangement)


def _by_rounds(arrangement: Arrangement, sign: float, rule: DecisionRule) -> Verdict:
    logs = [sign * (math.log(own.value) - math.log(base.value)) for own, base in arrangement.rounds]
    return _verdict(signed_rank_test(logs, rule.confidence), arrangement.kind, "signed rank", len(logs), rule)


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
    return _verdict(result, "exchangeable", "rank sum", min(len(speeds), len(base)), rule)


def _in_order(repeats: Sequence[TimedRepeat], sign: float) -> list[float]:
    """Return the log speeds in the order of time; as they stand if the order is not known."""
    known = [each for each in repeats if each.start is not None]
    ordered = sorted(known, key=lambda each: each.start or 0.0) if len(known) == len(repeats) else repeats
    return [sign * math.log(each.value) for each in ordered]


def _verdict(result: ShiftTest, arrangement: str, test: TestName, n: int, rule: DecisionRule) -> Verdict:
    low, high, ratio = math.exp(result.low), math.exp(result.high), math.exp(result.shift)
    if not math.isfinite(result.low):
        fewest = fewest_rounds(1 - rule.confidence)
        reason = f"{n} rounds are too few for {rule.confidence:.0%} confidence"
        return Verdict(
            "undecided", ratio, arrangement, test, p=result.p, reason=reason, more=max(fewest - n, 0)
        )
    settings = {"low": low, "high": high, "coverage": result.coverage, "p": result.p}
    margin = math.log1p(rule.margin)
    if -margin <= result.low and result.high <= margin:
        return Verdict("same", ratio, arrangement, test, low, high, result.coverage, result.p)
    if result.low > 0 or result.high < 0:
        kind: VerdictKind = "faster" if result.low > 0 else "slower"
        return Verdict(kind, ratio, arrangement, test, low, high, result.coverage, result.p)
    half = (result.high - result.low) / 2
    needed = math.ceil(n * (half / margin) ** 2) if margin > 0 else 0
    reason = f"between {difference_text(low)} and {difference_text(high)}"
    return Verdict(
        "undecided",
        ratio,
        arrangement,
        test,
        **settings,
        reason=reason,
        more=max(needed - n, 1) if needed else 0,
    )


def _by_separation(speeds: list[float], base: list[float], ratio: float, arrangement: Arrangement) -> Verdict:
    kind = arrangement.kind
    order = "not interleaved" if kind == "blocked" else "the order of the runs is not known"
    fewest = min(len(speeds), len(base))
    if fewest < FEWEST_SEPARATED:
        reason = f"{order}, and fewer than {FEWEST_SEPARATED} repeats"
        return Verdict("undecided", ratio, kind, reason=reason)
    gap = max(min(speeds) - max(base), min(base) - max(speeds))
    larger = max(max(side) - min(side) for side in (speeds, base))
    if gap > 0 and gap >= max(SEPARATION, SEPARATION_TIMES_REPEATS / fewest) * larger:
        return Verdict("faster" if ratio > 1 else "slower", ratio, kind, "separation")
    return Verdict("undecided", ratio, kind, "separation", reason=order)
