"""The parts of a difference add up to it; what was not measured is not a number."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.compare.breakdown import Breakdown, BreakdownPart
from reportgen.compare.why.split import PhaseTime, SideTimes, split_difference
from reportgen.core.model import Source

TIMES = st.floats(1e-6, 1e4)
NAMES = ("data_loading", "forward", "backward", "optimizer", "all_reduce", "evaluation")
PHASES = st.dictionaries(
    st.sampled_from(NAMES), st.builds(PhaseTime, TIMES, lag=st.floats(-10, 10)), max_size=len(NAMES)
)
SIDES = st.builds(
    SideTimes,
    TIMES,
    PHASES,
    has_ranks=st.booleans(),
    is_single=st.booleans(),
    clock=st.none() | st.floats(1e8, 3e9),
)


def phases(**seconds: float) -> dict[str, PhaseTime]:
    return {name: PhaseTime(value) for name, value in seconds.items()}


def part(breakdown: Breakdown, name: str) -> BreakdownPart:
    (found,) = (each for each in breakdown.parts if each.name == name)
    return found


@given(SIDES, SIDES, st.booleans())
def test_the_parts_add_up_to_the_difference_exactly_in_any_order(
    own: SideTimes, baseline: SideTimes, same: bool
) -> None:
    breakdown = split_difference(own, baseline, has_same_device=same)
    parts = [each.seconds for each in breakdown.measured if each.seconds is not None]
    assert math.fsum(parts) == sum(parts) == sum(reversed(parts)) == breakdown.seconds
    assert breakdown.seconds == pytest.approx(
        own.whole - baseline.whole, abs=1e-9 * (own.whole + baseline.whole)
    )
    assert {each.kind for each in breakdown.parts} >= {
        "data loading",
        "device",
        "communication",
        "clocks",
        "stragglers",
    }


@given(SIDES, SIDES)
def test_the_parts_of_each_side_add_up_to_its_whole(own: SideTimes, baseline: SideTimes) -> None:
    breakdown = split_difference(own, baseline)
    assert sum(each.own.seconds or 0.0 for each in breakdown.measured) == breakdown.own
    assert sum(each.baseline.seconds or 0.0 for each in breakdown.measured) == breakdown.baseline


def test_the_phases_of_a_published_step_are_the_whole_difference() -> None:
    # JADE2 and the A40, 8 devices: 7.4310 and 0.3993 s per step, 18.6 times, 7.0317 s apart.
    own = SideTimes(7.4310, phases(data_loading=5.2553, forward=1.3720, backward=0.8037))
    breakdown = split_difference(
        own, SideTimes(0.3993, phases(data_loading=0.0406, forward=0.1472, backward=0.2115))
    )
    shares = {each.name: round(100 * breakdown.share(each), 2) for each in breakdown.measured}
    assert shares == {"data_loading": 74.16, "forward": 17.42, "backward": 8.42}
    assert breakdown.sentence() == "7.03 s more per step: data loading 74 %, forward 17 %, backward 8 %"
    assert {each.name: each.seconds for each in breakdown.parts if each not in breakdown.measured} == {
        "stragglers": None,
        "clocks": None,
        "communication": None,
    }


def test_time_that_no_phase_covers_is_the_rest() -> None:
    breakdown = split_difference(SideTimes(2.0, phases(forward=0.5)), SideTimes(1.0, phases(forward=0.25)))
    assert (part(breakdown, "forward").seconds, part(breakdown, "rest").seconds) == (0.25, 0.75)
    assert part(breakdown, "data loading").remark == "not timed on either side"


def test_a_case_without_phases_has_one_part_and_is_not_split() -> None:
    breakdown = split_difference(SideTimes(2.0), SideTimes(1.0))
    assert [(each.name, each.seconds) for each in breakdown.measured] == [("whole", 1.0)]
    assert not breakdown.is_split
    assert part(breakdown, "device phases").seconds is None


def test_a_phase_of_one_side_is_in_the_rest_and_named() -> None:
    own = SideTimes(2.0, {"forward": PhaseTime(1.0), "data_loading": PhaseTime(0.5, (Source("a.log", 3),))})
    breakdown = split_difference(own, SideTimes(1.0, phases(forward=0.75)))
    assert part(breakdown, "rest").seconds == 0.75
    loading = part(breakdown, "data_loading")
    assert (loading.seconds, loading.remark) == (None, "timed in the case alone (500 ms); in the rest")
    assert loading.own.sources == (Source("a.log", 3),)


def test_phases_that_exceed_the_step_are_named_and_leave_a_negative_rest() -> None:
    own = SideTimes(1.0, phases(forward=1.0, training_batch=1.0))
    breakdown = split_difference(own, SideTimes(1.0, phases(forward=0.5, training_batch=0.5)))
    assert breakdown.remarks == (
        "The phases of the case take 2.00 s, more than the whole of 1.00 s: they overlap, or one contains another.",
    )
    assert part(breakdown, "rest").seconds == -1.0
    assert breakdown.sentence() == "no difference per step"


def test_lower_clocks_are_taken_out_of_the_device_phases() -> None:
    # At 1.0 instead of 1.5 GHz, 3 s of device work would have taken 2 s.
    own = SideTimes(4.0, phases(data_loading=1.0, forward=3.0), clock=1.0e9)
    base = SideTimes(2.5, phases(data_loading=0.5, forward=2.0), clock=1.5e9)
    breakdown = split_difference(own, base)
    assert {each.name: each.seconds for each in breakdown.measured} == {
        "data_loading": 0.5,
        "forward": 0.0,
        "clocks": 1.0,
    }
    assert part(breakdown, "clocks").remark == "1,000 MHz against 1,500 MHz, over the phases of the device"


@pytest.mark.parametrize(
    ("phase", "clock", "same", "remark"),
    [
        ("forward", 1e9, False, "the devices differ, and so does the work of a cycle"),
        ("forward", None, True, "the SM clock is not logged on both sides"),
        ("data_loading", 1e9, True, "no phase of the device is timed on both sides"),
    ],
)
def test_clocks_that_cannot_be_compared_are_not_measured(
    phase: str, clock: float | None, same: bool, remark: str
) -> None:
    own, baseline = (
        SideTimes(2.0, phases(**{phase: 2.0}), clock=1e9),
        SideTimes(1.0, phases(**{phase: 1.0}), clock=clock),
    )
    clocks = part(split_difference(own, baseline, has_same_device=same), "clocks")
    assert (clocks.seconds, clocks.remark) == (None, remark)


def test_the_lag_of_the_slowest_rank_is_taken_out_of_its_phases() -> None:
    own = SideTimes(3.0, {"forward": PhaseTime(2.0, lag=0.5), "backward": PhaseTime(1.0)}, has_ranks=True)
    baseline = SideTimes(2.0, {"forward": PhaseTime(1.0), "backward": PhaseTime(1.0)}, is_single=True)
    breakdown = split_difference(own, baseline)
    assert {each.name: each.seconds for each in breakdown.measured} == {
        "forward": 0.5,
        "backward": 0.0,
        "stragglers": 0.5,
    }
    both_single = split_difference(SideTimes(2.0, is_single=True), SideTimes(1.0, is_single=True))
    assert part(both_single, "stragglers").remark == "one rank on each side"
