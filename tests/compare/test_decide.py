"""Verdicts and the sentences that a reviewer may quote."""

import math
import statistics
from collections.abc import Sequence
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.compare.cycles import CycleComparison
from reportgen.compare.verdict import Verdict, difference_text, time_text
from reportgen.compare.verdicts import DecisionRule, Spread, TimedRepeat, decide
from tests.each_of import each_row

NOISE = (0.3, -0.2, 0.1, -0.4, 0.2, -0.1, 0.35)


def around(
    center: float, percent: float = 0.5, *, start: float | None = None, step: float = 2.0
) -> list[TimedRepeat]:
    """Return seven repeats that spread by this much, one every `step` s."""
    return [
        TimedRepeat(center * (1 + noise * percent / 100), None if start is None else start + step * at)
        for at, noise in enumerate(NOISE)
    ]


def interleaved(ratio: float, percent: float = 0.5) -> Verdict:
    """Return the verdict on rates that differ by a ratio, in alternation."""
    base = [TimedRepeat(100 * (1 - n * percent / 100), 2.0 * at) for at, n in enumerate(NOISE)]
    own = [TimedRepeat(100 * ratio * (1 + n * percent / 100), 2.0 * at + 1) for at, n in enumerate(NOISE)]
    return decide(own, base, better="higher")


@pytest.mark.parametrize(
    ("ratio", "percent", "kind", "sentence"),
    [
        (1.018, 0.5, "faster", "1.9 % faster (1.5 % to 2.1 %)"),
        (0.95, 0.5, "slower", "5.0 % slower (4.7 % to 5.3 %)"),
        (3.0, 0.5, "faster", "3x as fast (2.99x to 3.01x)"),
        (0.2, 0.5, "slower", "0.2x as fast (0.199x to 0.201x)"),
        (1.0, 0.5, "same", "no difference larger than 0.3 %"),
        (1.003, 0.5, "same", "no difference larger than 0.6 %"),
        (
            1.0,
            8.0,
            "undecided",
            "undecided: between 4.7 % slower and 5.3 % faster; 170 more rounds would settle 1 %",
        ),
    ],
)
def test_rounds_decide_by_their_interval(ratio: float, percent: float, kind: str, sentence: str) -> None:
    verdict = interleaved(ratio, percent)
    assert (verdict.kind, verdict.sentence()) == (kind, sentence)
    assert (verdict.test, verdict.arrangement) == ("signed rank", "alternating")
    assert verdict.coverage == pytest.approx(0.96875)


def test_too_few_rounds_are_named() -> None:
    own = [TimedRepeat(2.0, 2.0 * at) for at in range(4)]
    base = [TimedRepeat(1.0, 2.0 * at + 1) for at in range(4)]
    verdict = decide(own, base, better="higher")
    assert verdict.kind == "undecided"
    assert verdict.sentence() == (
        "undecided: 4 rounds are too few for 95 % confidence; 2 more rounds could decide"
    )
    assert verdict.ratio == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("own", "base", "kind", "sentence"),
    [
        (around(103, start=0), around(100, start=100), "faster", "3.0 % faster (spread 0.14 %)"),
        (around(97, start=100), around(100, start=0), "slower", "3.0 % slower (spread 0.14 %)"),
        (around(100.5, start=0), around(100, start=100), "undecided",
         "undecided: not interleaved; 6 interleaved rounds could decide"),
        (around(103), around(100), "faster", "3.0 % faster (spread 0.14 %)"),
        (around(100.2), around(100), "undecided",
         "undecided: the order of the runs is not known; 6 interleaved rounds could decide"),
        (around(103)[:4], around(100), "undecided",
         "undecided: the order of the runs is not known, and fewer than 5 repeats; "
         "6 interleaved rounds could decide"),
        (around(103)[:1], around(100), "no repeats", "no repeats: one figure has no spread"),
    ],
)  # fmt: skip
def test_without_turns_only_a_clear_gap_decides(
    own: Sequence[TimedRepeat], base: Sequence[TimedRepeat], kind: str, sentence: str
) -> None:
    verdict = decide(own, base, better="higher")
    assert (verdict.kind, verdict.sentence()) == (kind, sentence)
    assert verdict.low is None


@pytest.mark.parametrize(
    ("n", "times"), [(5, 3.72 * 1.04), (6, 3.72 * 1.02), (7, 3.72), (10, 3.72), (20, 3.72), (80, 3.72)]
)
def test_the_means_must_be_apart_by_a_multiple_of_the_larger_standard_deviation(n: int, times: float) -> None:
    levels = [*[-1] * (n // 2), *[0] * (n % 2), *[1] * (n // 2)]
    base = [TimedRepeat(math.exp(level / 1000)) for level in levels]
    deviation = statistics.stdev(levels)
    for apart, kind in ((times - 0.01, "undecided"), (times + 0.01, "faster")):
        own = [TimedRepeat(math.exp((apart * deviation + level / 2) / 1000)) for level in levels]
        verdict = decide(own, base, better="higher")
        assert verdict.kind == kind
        assert verdict.spread == (pytest.approx(deviation / 1000) if kind == "faster" else None)


def test_equal_repeats_without_any_spread_are_not_different() -> None:
    assert decide([TimedRepeat(0.1)] * 5, [TimedRepeat(0.1)] * 7, better="lower").kind == "undecided"
    assert decide([TimedRepeat(0.1)] * 5, [TimedRepeat(0.2)] * 7, better="lower").kind == "faster"


def three(center: float, apart: float = 0.3, *, start: float | None = None) -> list[TimedRepeat]:
    """Return three repeats that are `apart` percent apart, which is their standard deviation, too."""
    return [
        TimedRepeat(center * math.exp(x * apart / 100), None if start is None else start + 2 * at)
        for at, x in enumerate((-1, 0, 1))
    ]


OF_24 = Spread(0.003, 24, 48)
SIX = "; 6 interleaved rounds could decide"


@each_row(
    [
        (
            three(96),
            three(100),
            OF_24,
            "likely slower",
            f"likely 4.0 % slower (spread 0.3 % of 24 cases){SIX}",
        ),
        (
            three(104),
            three(100),
            OF_24,
            "likely faster",
            f"likely 4.0 % faster (spread 0.3 % of 24 cases){SIX}",
        ),
        (
            three(96, start=0),
            three(100, start=50),
            OF_24,
            "likely slower",
            f"likely 4.0 % slower (spread 0.3 % of 24 cases){SIX}",
        ),
        (
            three(96, start=0),
            three(100, start=1),
            OF_24,
            "likely slower",
            "likely 4.0 % slower (spread 0.3 % of 24 cases); 3 more rounds could decide",
        ),
        # Three times 0.3 % is 0.9 %.
        (
            three(100.95),
            three(100),
            OF_24,
            "likely faster",
            f"likely 1.0 % faster (spread 0.3 % of 24 cases){SIX}",
        ),
        (three(100.85), three(100), OF_24, "undecided", ""),
        # Their own spread counts where it is larger: three times 1.5 % is 4.5 %.
        (three(96, 1.5), three(100), OF_24, "undecided", ""),
        (three(96), three(100), Spread(0.015, 24, 48), "undecided", ""),
        # Two repeats show nothing, nor do the two cases alone: their spread has four degrees of freedom.
        (three(96), three(100), Spread(0.003, 2, 4), "undecided", ""),
        (three(96)[:2], three(100), OF_24, "undecided", ""),
        (three(96)[:1], three(100), OF_24, "no repeats", ""),
        (three(96), three(100), None, "undecided", ""),
        # A test that decides needs no assumption, nor does one that gives an interval.
        (around(97), around(100), OF_24, "slower", "3.0 % slower (spread 0.14 %)"),
        (around(99, 8, start=0), around(100, -8, start=1), Spread(0.001, 24, 48), "undecided", ""),
    ]
)
def test_few_repeats_borrow_the_spread_of_comparable_cases(
    own: Sequence[TimedRepeat], base: Sequence[TimedRepeat], spread: Spread | None, kind: str, sentence: str
) -> None:
    verdict = decide(own, base, better="higher", spread=spread)
    assert verdict.kind == kind
    assert not sentence or verdict.sentence() == sentence
    assert verdict.cases == (24 if kind.startswith("likely") else 0)


@pytest.mark.parametrize(
    ("center", "cases", "free", "kind"),
    [
        # Three cases of three repeats: the spread counts as 0.3 % * sqrt(8 / 6) = 0.346 %, three times 1.04 %.
        (101.1, 3, 6, "likely faster"),
        (101.0, 3, 6, "undecided"),
        (101.1, 4, 6, "likely faster"),
        (101.0, 4, 8, "likely faster"),
        (150.0, 3, 5, "undecided"),
    ],
)
def test_a_spread_of_few_repeats_has_to_be_exceeded_by_more(
    center: float, cases: int, free: int, kind: str
) -> None:
    spread = Spread(0.003, cases, free)
    assert decide(three(center), three(100), better="higher", spread=spread).kind == kind


def test_a_likely_difference_says_what_it_is_as_a_time() -> None:
    verdict = decide(three(0.05), three(0.04), better="lower", spread=OF_24)
    assert verdict.sentence(beside_time=True) == (
        f"likely 20 % slower (25 % more time; spread 0.3 % of 24 cases){SIX}"
    )


def test_declared_exchangeable_repeats_are_tested_by_ranks_unless_they_drift() -> None:
    rule = DecisionRule(is_exchangeable=True)
    verdict = decide(around(103), around(100), better="higher", rule=rule)
    assert (verdict.kind, verdict.test, verdict.arrangement) == ("faster", "rank sum", "exchangeable")
    assert verdict.coverage == pytest.approx(0.962, abs=1e-3)
    drifting = [TimedRepeat(100.0 + at, at) for at in range(7)]
    verdict = decide(drifting, around(90), better="higher", rule=rule)
    assert verdict.sentence() == "undecided: the repeats of one case drift, so their order matters"


def test_declared_repeats_that_are_too_few_name_what_they_need() -> None:
    rule = DecisionRule(is_exchangeable=True)
    three = decide(around(110)[:3], around(100)[:3], better="higher", rule=rule)
    assert three.sentence() == (
        "undecided: 3 repeats are too few for 95 % confidence; 1 more repeat could decide"
    )
    assert decide(around(110)[:4], around(100)[:4], better="higher", rule=rule).kind == "faster"


def test_a_margin_of_the_author_decides_what_is_the_same() -> None:
    own = [TimedRepeat(100.3 + 0.01 * at, 2.0 * at) for at in range(7)]
    base = [TimedRepeat(100.0, 2.0 * at + 1) for at in range(7)]
    assert decide(own, base, better="higher").kind == "same"
    assert decide(own, base, better="higher", rule=DecisionRule(margin=0.001)).kind == "faster"


@pytest.mark.parametrize(
    ("seconds", "devices", "cost"),
    [
        (0.1, 1, ", about 34 seconds of 1 device"),
        (10.0, 8, ", about 57 minutes of 8 devices"),
        (60.0, 0, ", about 5.7 hours"),
        (99.6 * 3600 / 340, 0, ", about 100 hours"),
        (7200.0, 0, ", about 680 hours"),
        (None, 8, ""),
    ],
)
def test_an_undecided_verdict_says_what_more_rounds_cost(
    seconds: float | None, devices: int, cost: str
) -> None:
    base = [TimedRepeat(100 * (1 - n * 0.08), 2.0 * at, seconds=seconds) for at, n in enumerate(NOISE)]
    own = [
        TimedRepeat(100 * (1 + n * 0.08), 2.0 * at + 1, seconds=seconds, devices=devices)
        for at, n in enumerate(NOISE)
    ]
    verdict = decide(own, base, better="higher")
    assert verdict.sentence().endswith(f"; 170 more rounds would settle 1 %{cost}")


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (1.0, "equal"),
        (1.0004, "equal"),
        (0.9996, "equal"),
        (1.0006, "0.1 % faster"),
        (0.4, "0.4x as fast"),
        (0.04, "25x slower"),
    ],
)
def test_a_difference_that_rounds_to_nothing_has_no_direction(ratio: float, text: str) -> None:
    assert difference_text(ratio) == text
    comparison = CycleComparison(ratio, ratio, 1e9, 1e9, Verdict("undecided", ratio, ""))
    assert comparison.sentence(None).startswith(f"{text} in seconds, {text} in cycles")


def test_a_small_difference_that_was_decided_keeps_its_direction() -> None:
    verdict = Verdict("slower", 0.9997, "blocked", "separation", spread=0.00004)
    assert verdict.sentence() == "less than 0.1 % slower (spread 0.004 %)"


def test_the_author_s_margin_is_what_more_rounds_would_settle() -> None:
    base = [TimedRepeat(100 * (1 - n * 0.08), 2.0 * at) for at, n in enumerate(NOISE)]
    own = [TimedRepeat(100 * (1 + n * 0.08), 2.0 * at + 1) for at, n in enumerate(NOISE)]
    verdict = decide(own, base, better="higher", rule=DecisionRule(margin=0.025))
    assert verdict.sentence().endswith("; 22 more rounds would settle 2.5 %")


_VALUES = st.lists(st.floats(0.5, 2), min_size=1, max_size=8)


@given(_VALUES, _VALUES, st.sampled_from(["AB", "ABBA", "block", "none"]), st.booleans())
def test_times_and_rates_and_exchanged_roles_give_the_same_verdict(
    own: list[float], base: list[float], order: str, is_exchangeable: bool
) -> None:
    def repeats(values: list[float], which: int, *, invert: bool) -> list[TimedRepeat]:
        starts = {
            "AB": lambda at: 2.0 * at + which,
            "ABBA": lambda at: 2.0 * at + (which + at) % 2,
            "block": lambda at: 100.0 * which + at,
            "none": lambda at: None,
        }[order]
        return [TimedRepeat(1 / value if invert else value, starts(at)) for at, value in enumerate(values)]

    rule = DecisionRule(is_exchangeable=is_exchangeable)
    rates = decide(repeats(own, 0, invert=False), repeats(base, 1, invert=False), better="higher", rule=rule)
    times = decide(repeats(own, 0, invert=True), repeats(base, 1, invert=True), better="lower", rule=rule)
    assert times.kind == rates.kind
    assert times.ratio == pytest.approx(rates.ratio)
    turned = decide(repeats(base, 1, invert=False), repeats(own, 0, invert=False), better="higher", rule=rule)
    opposite = {"faster": "slower", "slower": "faster"}
    assert turned.kind == opposite.get(rates.kind, rates.kind)
    assert turned.ratio == pytest.approx(1 / rates.ratio)
    assert rates.sentence()


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (0.64, "56 % more time"),  # 1 / 0.64 = 1.5625
        (1.25, "20 % less time"),
        (0.4, "2.5x the time"),
        (2.5, "0.4x the time"),
        (0.998, ""),  # 0.2 % slower, 0.2 % more time
        (1.0, ""),
    ],
)
def test_a_speed_beside_times_says_what_it_is_as_a_time(ratio: float, text: str) -> None:
    assert time_text(ratio) == text


@pytest.mark.parametrize("better", ["higher", "lower"])
@pytest.mark.parametrize("repeats", [1, 2, 7])
@pytest.mark.parametrize(("own", "base"), [(1.7e308, 1e-300), (5e-324, 1e308), (1e308, 1.0), (1e-320, 1e300)])
def test_numbers_at_the_ends_of_the_floats_are_not_comparable(
    own: float, base: float, repeats: int, better: Literal["higher", "lower"]
) -> None:
    sides = [
        [TimedRepeat(value, 10.0 * at + shift) for at in range(repeats)]
        for value, shift in ((own, 0), (base, 5))
    ]
    verdict = decide(sides[0], sides[1], better=better)
    assert verdict.sentence() == "not comparable: the numbers differ by more than a factor of 1e299"
    assert math.isfinite(verdict.ratio)
    assert (verdict.ratio > 1) == ((own > base) == (better == "higher"))
    assert difference_text(verdict.ratio).startswith("4.6e+299x ")


@given(st.lists(st.floats(5e-324, 1.7e308), min_size=14, max_size=14), st.sampled_from(["higher", "lower"]))
def test_any_positive_numbers_have_a_verdict(values: list[float], better: Literal["higher", "lower"]) -> None:
    sides = [TimedRepeat(value, float(at)) for at, value in enumerate(values)]
    assert decide(sides[::2], sides[1::2], better=better).sentence()
