"""Correct verdicts for their number.

Of twenty comparisons of equal cases, one is significant by chance. The verdicts that rest on a p value are a
family; those that its false discovery rate does not confirm become undecided.
"""

import dataclasses
from collections.abc import Mapping
from typing import TypeVar

from msgspec import structs

from reportgen.compare.comparison import Comparison
from reportgen.compare.exact_tests import false_discovery_thresholds, fewest_repeats_of_each, fewest_rounds
from reportgen.compare.verdict import Verdict
from reportgen.compare.verdicts.arrangement import level_of

K = TypeVar("K")


def correct_for_number(comparisons: Mapping[K, Comparison], rate: float) -> dict[K, Comparison]:
    """Return the comparisons; verdicts of the family that may be chance are undecided.

    rate  of false discoveries among the verdicts `faster` and `slower`, for example 0.05
    """
    tested = [verdict for each in comparisons.values() if (verdict := _tested(each))]
    if len(tested) < 2:
        return dict(comparisons)
    discoveries = false_discovery_thresholds([verdict.p or 0.0 for verdict in tested], rate)
    chance = {id(verdict) for verdict, is_kept in zip(tested, discoveries, strict=True) if not is_kept}
    return {
        key: dataclasses.replace(each, verdict=_not_significant(verdict, len(tested), rate))
        if (verdict := each.verdict) and id(verdict) in chance and verdict.kind in ("faster", "slower")
        else each
        for key, each in comparisons.items()
    }


def family_sentence(comparisons: Mapping[K, Comparison], rate: float) -> str:
    """Return what a caption says about the family, "" without one."""
    count = sum(_tested(each) is not None for each in comparisons.values())
    if count < 2:
        return ""
    return (
        f"{count} comparisons were tested: at most {rate:.0%} of those called faster or slower are "
        "expected to be chance (Benjamini-Hochberg)."
    )


def _tested(comparison: Comparison) -> Verdict | None:
    """Return the verdict if it rests on a p value."""
    verdict = comparison.verdict
    return verdict if verdict and verdict.p is not None else None


def _not_significant(verdict: Verdict, count: int, rate: float) -> Verdict:
    """Return the verdict as undecided; so many rounds can decide even if no other difference is real."""
    level = level_of(verdict.arrangement, rate / count)
    fewest = fewest_rounds(level) if verdict.test == "signed rank" else fewest_repeats_of_each(level)
    reason = f"not significant among {count} comparisons, which need {fewest} {verdict.counted} each"
    return structs.replace(
        verdict, kind="undecided", reason=reason, more=max(fewest - verdict.n, 0), margin=0.0
    )
