"""From a pair of sides to a comparison: the number, the refusal, the verdict."""

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from reportgen.compare.comparison import CompareKind
from reportgen.compare.expected_speed import Expected
from reportgen.compare.family import correct_for_number, family_sentence
from reportgen.compare.pair import Question, better_ratio, compare_cases
from reportgen.compare.side import Side
from reportgen.compare.spread import Spreads
from reportgen.compare.verdicts import TimedRepeat

# Each 8 % below the repeat of the baseline next to it.
BASE = (1.00, 1.01, 0.99, 1.02, 1.00, 1.01, 0.98)


def side(
    value: float | None,
    values: Sequence[float] = (),
    *,
    metric: str = "step_time",
    start: float = 0.0,
    devices: int | None = None,
    **conditions: str,
) -> Side:
    repeats = tuple(TimedRepeat(each, start + 2.0 * n) for n, each in enumerate(values))
    factors = {} if devices is None else {"devices": devices}
    return Side(metric, "step", "", value, repeats, factors, conditions)


@pytest.mark.parametrize(
    ("kind", "metric", "value", "speed_ratio"),
    [
        ("ratio", "step_time", 0.5, 2.0),
        ("ratio", "throughput", 0.5, 0.5),
        ("speedup", "step_time", 2.0, 2.0),
        ("speedup", "throughput", 0.5, 0.5),
        ("expected", "step_time", 0.5, 2.0),
        ("expected", "throughput", 2.0, 0.5),
        ("ratio", "memory_used", 0.5, None),
    ],
)
def test_the_number_is_in_the_direction_that_is_asked_for(
    kind: CompareKind, metric: str, value: float, speed_ratio: float | None
) -> None:
    own, base = side(2.0, metric=metric), side(4.0, metric=metric)
    compared = compare_cases(own, base, Question(kind))
    assert (compared.value, compared.speed_ratio) == (value, speed_ratio)


def test_an_efficiency_divides_the_speed_by_the_devices_and_has_no_verdict() -> None:
    own = side(300.0, [300.0] * 7, metric="throughput", devices=4)
    base = side(100.0, [100.0] * 7, metric="throughput", devices=1)
    compared = compare_cases(own, base, Question("efficiency", about=["devices"]))
    assert (compared.value, compared.verdict, compared.speed_ratio) == (0.75, None, None)
    assert [each.name for each in compared.about] == ["devices"]


@pytest.mark.parametrize(("own", "base"), [(0.0, 1.0), (1.0, 0.0), (None, 1.0), (1.0, None)])
def test_zero_and_unknown_values_have_no_ratio(own: float | None, base: float | None) -> None:
    compared = compare_cases(side(own, [1.0]), side(base, [1.0]), Question())
    assert math.isnan(compared.value)
    assert compared.verdict is None


def test_a_case_against_itself_has_its_number_alone() -> None:
    own = side(2.0, [2.0] * 7, clock="host")
    compared = compare_cases(own, own, Question())
    assert (compared.value, compared.held_equal, compared.verdict) == (1.0, (), None)


def test_repeats_in_turns_are_decided_by_rounds() -> None:
    own = side(0.92, [0.92 * each for each in BASE], start=1.0)
    compared = compare_cases(own, side(1.0, BASE), Question())
    assert compared.verdict is not None
    assert (compared.verdict.kind, compared.verdict.test) == ("faster", "signed rank")
    low, high = compared.interval or (0.0, 0.0)
    # 1 / 0.92 = 1.08696 in each round.
    assert (round(low, 4), round(high, 4)) == (1.087, 1.087)
    turned = replace(compared, kind="ratio")
    assert turned.interval == (1 / high, 1 / low)


@pytest.mark.parametrize(
    ("question", "hindrance", "reason"),
    [
        (Question(), "", "differs in clock host -> device"),
        (Question(accept=["clock"]), "a log was edited", "a log was edited"),
        (Question(), "a log was edited", "a log was edited"),
    ],
)
def test_what_is_refused_has_no_verdict_but_a_reason(question: Question, hindrance: str, reason: str) -> None:
    own, base = side(2.0, [2.0] * 7, clock="device"), side(1.0, [1.0] * 7, clock="host")
    verdict = compare_cases(own, base, question, hindrance=hindrance).verdict
    assert verdict is not None
    assert (verdict.kind, verdict.ratio, verdict.reason) == ("not comparable", 0.5, reason)


def test_an_accepted_difference_stays_in_the_list() -> None:
    own, base = side(2.0, [2.0] * 7, clock="device"), side(1.0, [1.0] * 7, clock="host")
    compared = compare_cases(own, base, Question(accept=["clock"]))
    assert [each.name for each in compared.differs] == ["clock"]
    assert compared.refused == ()
    assert compared.verdict is not None
    assert compared.verdict.kind == "slower"


def test_other_factors_are_refused_only_where_all_must_be_equal() -> None:
    own, base = side(2.0, [2.0], devices=2), side(1.0, [1.0], devices=1)
    assert compare_cases(own, base, Question()).refused == ()
    strict = Question(must_be_equal=True)
    assert [each.name for each in compare_cases(own, base, strict).refused] == ["devices"]
    assert compare_cases(own, base, replace(strict, about=["devices"])).refused == ()


def test_without_new_repeats_nothing_is_decided() -> None:
    own = replace(side(2.0), without_repeats="no run was added")
    verdict = compare_cases(own, side(1.0, [1.0] * 7), Question()).verdict
    assert verdict is not None
    assert (verdict.kind, verdict.reason) == ("undecided", "no run was added")


def test_another_metric_has_a_ratio_and_no_verdict() -> None:
    own, base = side(2.0, [2.0] * 7, metric="latency"), side(1.0, [1.0] * 7)
    compared = compare_cases(own, base, Question("ratio"))
    assert (compared.value, compared.verdict) == (2.0, None)


def test_the_excess_is_the_slowdown_times_the_expected_speed() -> None:
    compared = compare_cases(side(3.0), side(1.0), Question("expected"))
    assert (compared.excess, compared.low, compared.high) == (None, None, None)
    compared = replace(compared, expected=Expected("a", "b", 0.5, 0.25, 0.75, ()))
    assert (compared.excess, compared.low, compared.high) == (1.5, 0.75, 2.25)


def test_a_better_ratio_is_above_one_for_the_better_value() -> None:
    assert better_ratio(2.0, 4.0, "lower") == 2.0
    assert better_ratio(2.0, 4.0, "higher") == 0.5
    assert better_ratio(2.0, 4.0, None) == 0.5


# Three repeats around each value; the standard deviation of their logarithms is 0.01, or twice that.
FOUR = [side(v, [v * math.exp(x / 100) for x in (-s, 0, s)]) for v, s in ((1, 1), (2, 2), (3, 1), (4, 2))]


def test_the_spread_of_cases_that_are_measured_alike_is_pooled() -> None:
    """The variances 1, 4, 1 and 4 have the mean 2.5; a case that is given twice counts once."""
    others = [
        side(5.0, [5.0, 6.0, 7.0], clock="host"),
        side(5.0, [5.0]),
        side(0.0, [0.0, 0.0]),
        replace(side(5.0, [5.0, 6.0, 7.0]), invalid="rate.implausible"),
    ]
    spread = Spreads([*FOUR, *FOUR, *others]).like(FOUR[0], FOUR[1])
    assert spread is not None
    assert (spread.share, spread.cases, spread.free) == (pytest.approx(0.01 * math.sqrt(2.5)), 4, 8)
    assert Spreads(FOUR).like(others[0], others[0]) is None
    assert Spreads([*FOUR, *others]).like(FOUR[0], others[0]) is None


def test_three_repeats_are_likely_slower_by_the_spread_of_the_others() -> None:
    """Three times 1.58 % is 4.7 %: 5 % more time is more, 4 % is less. Without the others, it is undecided."""
    for factor, kind in ((1.05, "likely slower"), (1.04, "undecided")):
        own = side(factor, [factor * each.value for each in FOUR[0].repeats], start=100.0)
        compared = compare_cases(own, FOUR[0], Question(), spreads=Spreads(FOUR)).verdict
        assert compared is not None
        assert compared.kind == kind
        alone = compare_cases(own, FOUR[0], Question()).verdict
        assert alone is not None
        assert alone.kind == "undecided"


def test_differences_that_may_be_chance_become_undecided() -> None:
    """Of seven rounds, all are slower (p = 2/128), or all but the one with the smallest difference (p = 4/128).

    In strict alternation, p is 5/4 of that. Both pass the larger of their thresholds, 0.05 x 2/2; at a rate of
    0.03, 2.5/128 does not even pass 0.03 x 1/2.
    """
    but_one = [0.999 * BASE[0], *(1.1 * each for each in BASE[1:])]
    sides = side(1.1, [1.1 * each for each in BASE], start=1.0), side(1.1, but_one, start=1.0)
    compared = {n: compare_cases(own, side(1.0, BASE), Question()) for n, own in enumerate(sides)}
    assert [each.verdict and each.verdict.p for each in compared.values()] == [
        pytest.approx(2.5 / 128),
        pytest.approx(5 / 128),
    ]
    for rate, kind in ((0.05, "slower"), (0.03, "undecided")):
        corrected = correct_for_number(compared, rate)
        assert [each.verdict and each.verdict.kind for each in corrected.values()] == [kind, kind]
    assert correct_for_number({0: compared[0]}, 0.03) == {0: compared[0]}
    assert family_sentence({0: compared[0]}, 0.05) == ""
    assert family_sentence(compared, 0.05).startswith("2 comparisons were tested: at most 5% ")


@pytest.mark.parametrize(
    ("kind", "metric", "over_all", "speed_ratio"),
    [
        ("ratio", "step_time", 0.75, 4 / 3),
        ("speedup", "step_time", 4 / 3, 4 / 3),
        ("speedup", "throughput", 0.75, 0.75),
        ("expected", "throughput", 4 / 3, 0.75),
    ],
)
def test_the_number_over_all_of_the_time_is_beside_the_number(
    kind: CompareKind, metric: str, over_all: float, speed_ratio: float
) -> None:
    own, base = side(2.0, metric=metric), side(4.0, metric=metric)
    assert compare_cases(own, base, Question(kind)).over_all is None
    compared = compare_cases(replace(own, over_all=3.0), base, Question(kind))
    assert compared.value == compare_cases(own, base, Question(kind)).value
    assert compared.over_all == pytest.approx(over_all)
    assert compared.speed_ratio_over_all == pytest.approx(speed_ratio)
    # The side whose gaps left out little has its number.
    other = compare_cases(own, replace(base, over_all=8.0), Question("ratio"))
    assert other.over_all == pytest.approx(0.25)


@pytest.mark.parametrize("kind", ["ratio", "speedup", "expected", "efficiency"])
def test_an_invalid_side_has_no_number_not_even_over_itself(kind: CompareKind) -> None:
    valid = side(100.0, [100.0] * 7, metric="throughput", devices=1)
    invalid = replace(valid, invalid="rate.implausible")
    for own, base, reason in (
        (invalid, valid, "invalid: rate.implausible"),
        (valid, invalid, "invalid: rate.implausible in the baseline"),
        (invalid, invalid, "invalid: rate.implausible"),
    ):
        compared = compare_cases(own, base, Question(kind))
        assert math.isnan(compared.value)
        assert compared.refusal == reason
        assert compared.verdict is None or compared.verdict.kind == "not comparable"
