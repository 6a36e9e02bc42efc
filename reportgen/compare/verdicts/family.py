"""Correct verdicts for their number.

Of twenty comparisons of equal cases, one is significant by chance. The verdicts that rest on a p value are a
family; those that are no discoveries at its false discovery rate become undecided.
"""

from collections.abc import Mapping
from typing import TypeVar

from msgspec.structs import replace

from reportgen.compare.exact_tests import false_discovery_thresholds, fewest_repeats_of_each, fewest_rounds
from reportgen.compare.verdict import Verdict

K = TypeVar("K")


def correct_for_number(verdicts: Mapping[K, Verdict], rate: float) -> dict[K, Verdict]:
    """Return the verdicts; those of the family that may be chance are undecided.

    rate  of false discoveries among the verdicts `faster` and `slower`, for example 0.05
    """
    family = {key: verdict for key, verdict in verdicts.items() if verdict.p is not None}
    if len(family) < 2:
        return dict(verdicts)
    ps = [verdict.p if verdict.p is not None else 1.0 for verdict in family.values()]
    kept = dict(zip(family, false_discovery_thresholds(ps, rate), strict=True))
    return {
        key: _not_significant(verdict, len(family), rate)
        if verdict.kind in ("faster", "slower") and not kept.get(key, True)
        else verdict
        for key, verdict in verdicts.items()
    }


def family_sentence(verdicts: Mapping[K, Verdict], rate: float) -> str:
    """Return what a caption says about the family, "" without one."""
    count = sum(verdict.p is not None for verdict in verdicts.values())
    if count < 2:
        return ""
    return (
        f"{count} comparisons were tested: at most {rate:.0%} of those called faster or slower are "
        "expected to be chance (Benjamini-Hochberg)."
    )


def _not_significant(verdict: Verdict, count: int, rate: float) -> Verdict:
    """Return the verdict as undecided; so many rounds can decide even if no other difference is real."""
    fewest = (
        fewest_rounds(rate / count) if verdict.test == "signed rank" else fewest_repeats_of_each(rate / count)
    )
    reason = f"not significant among {count} comparisons, which need {fewest} {verdict.counted} each"
    return replace(verdict, kind="undecided", reason=reason, more=max(fewest - verdict.n, 0), margin=0.0)
