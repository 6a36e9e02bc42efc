"""How the repeats of two cases were arranged, from start times and planned rounds."""

import pytest

from reportgen.compare.verdicts import TimedRepeat, arrange
from tests.each_of import each_row


def in_order(sides: str) -> tuple[list[TimedRepeat], list[TimedRepeat]]:
    """Return the repeats of A and B that started in this order; the value of each is its position."""
    repeats = {
        side: [TimedRepeat(float(at), start=100.0 * at) for at, letter in enumerate(sides) if letter == side]
        for side in "AB"
    }
    return repeats["A"], repeats["B"]


@each_row(
    [
        ("ABABABAB", "alternating"),
        ("BABABA", "alternating"),
        ("ABBAABBA", "rounds"),
        ("AAAABBBB", "blocked"),
        ("BBBAAA", "blocked"),
        ("AABBBB", "blocked"),
        ("AB", "unknown"),  # nothing shows whether they took turns
        ("AABB" * 2, "unknown"),
        ("ABABABA", "unknown"),  # one is left over
        ("AAA", "unknown"),
    ]
)
def test_start_times_show_the_arrangement(sides: str, kind: str) -> None:
    assert arrange(*in_order(sides)).kind == kind


def test_rounds_are_pairs_of_neighbours_with_the_case_first() -> None:
    rounds = arrange(*in_order("ABBAAB")).rounds
    assert [(own.value, base.value) for own, base in rounds] == [(0, 1), (3, 2), (4, 5)]


def test_order_in_the_lists_does_not_matter() -> None:
    own, base = in_order("ABBAAB")
    assert arrange(own[::-1], base[::-1]) == arrange(own, base)


@pytest.mark.parametrize("starts", [[None, 1.0], [5.0, 1.0]])
def test_a_missing_start_or_one_that_occurs_twice_is_unknown(starts: list[float | None]) -> None:
    own = [TimedRepeat(1.0, start) for start in starts]
    assert arrange(own, [TimedRepeat(1.0, 5.0), TimedRepeat(1.0, 9.0)]).kind == "unknown"


@each_row([(26.0, "unknown"), (27.0, "blocked"), (-28.0, "blocked")])
def test_days_between_two_cases_order_them_by_any_clock(hours: float, kind: str) -> None:
    own = [TimedRepeat(1.0, 3600.0 * at, clock="one log") for at in (100, 101)]
    base = [TimedRepeat(1.0, 3600.0 * (100.5 + hours + at), clock="another") for at in (0.5, 0)]
    assert arrange(own, base).kind == kind


def planned(numbers: list[int], *, seed: int = 1, late: float = 0.0) -> list[TimedRepeat]:
    """Return the repeats of these rounds, one every 100 s; the value of each is its round."""
    return [TimedRepeat(float(n), 100.0 * n + late, (seed, n)) for n in numbers]


def test_planned_rounds_are_taken_as_they_are() -> None:
    found = arrange(planned([3, 1, 2], late=7), planned([1, 2, 3]))
    assert found.kind == "random rounds"
    assert [(a.value, b.value) for a, b in found.rounds] == [(1, 1), (2, 2), (3, 3)]


def test_rounds_in_which_a_run_failed_are_left_out_if_enough_are_left() -> None:
    seven = list(range(1, 8))
    assert len(arrange(planned(seven), planned(seven[1:], late=5)).rounds) == 6
    assert arrange(planned([1, 2, 3]), planned([2, 3], late=5)).kind == "unknown"


def test_rounds_of_different_campaigns_are_not_pairs() -> None:
    """Each campaign numbers its rounds from 1: two devices that were swept on two days share the numbers."""
    other = planned([1, 2, 3], seed=2, late=1e6)
    assert arrange(planned([1, 2, 3]), other).kind == "blocked"
    same_seed = planned([1, 2, 3], late=1e6)
    assert arrange(planned([1, 2, 3]), same_seed).kind == "blocked"


def test_repeats_outside_the_plan_or_twice_in_a_round_are_not_paired() -> None:
    base = [TimedRepeat(1.0, round=(1, n)) for n in (1, 2)]
    assert arrange([TimedRepeat(1.0, round=(1, 1)), TimedRepeat(1.0)], base).kind == "unknown"
    twice = [TimedRepeat(1.0, round=(1, 1)), TimedRepeat(2.0, round=(1, 1))]
    assert arrange(twice, base).kind == "unknown"


def test_starts_by_different_clocks_have_no_order() -> None:
    def repeats(starts: list[float], clock: str) -> list[TimedRepeat]:
        return [TimedRepeat(1.0, start, clock=clock) for start in starts]

    own, base = [0.0, 200.0, 400.0], [100.0, 300.0, 500.0]
    assert arrange(repeats(own, "a.log"), repeats(base, "a.log")).kind == "alternating"
    assert arrange(repeats(own, "a.log"), repeats(base, "b.log")).kind == "unknown"
    assert arrange(repeats(own, ""), repeats(base, "b.log")).kind == "unknown"
