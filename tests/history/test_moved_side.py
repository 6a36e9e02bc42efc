"""The cause of a change of a ratio: which side moved, by how much."""

from collections.abc import Sequence

import pytest

from reportgen.core.change_points import ChangePointRule
from reportgen.history.points import CellHistory, HistoryPoint, with_changes


def causes(own: Sequence[float], base: Sequence[float]) -> list[str]:
    """Return the causes of the changes of own / base, with noise of 0.01 % in the ratio alone."""
    points = tuple(
        HistoryPoint(f"c{n}", "", x / y * (1 + 1e-4 * (n * 7 % 5 - 2)), own=x, base=y)
        for n, (x, y) in enumerate(zip(own, base, strict=True))
    )
    history = CellHistory("study", "times", {}, {}, "ratio", "throughput", "samples/s", points)
    return [change.cause for change in with_changes(history, ChangePointRule()).changes]


def test_the_values_next_to_a_change_end_at_the_next_change() -> None:
    own = [100.0] * 10 + [130.0] * 4 + [169.0] * 10
    assert causes(own, [100.0] * 24) == ["the case moved (+30.0 %), the baseline did not"] * 2


@pytest.mark.parametrize(
    ("own", "base", "cause"),
    [
        (110.0, 104.5, "both moved: the case +10.0 %, the baseline +4.5 %"),
        (101.0, 110.0, "both moved: the case +1.0 %, the baseline +10.0 %"),
        (110.0, 100.4, "the case moved (+10.0 %), the baseline did not"),
        (100.4, 90.0, "the baseline moved (-10.0 %), the case did not"),
        (100.4, 99.6, "the case +0.4 %, the baseline -0.4 %"),
    ],
)
def test_a_side_that_moved_less_is_not_one_that_did_not_move(own: float, base: float, cause: str) -> None:
    assert causes([100.0] * 10 + [own] * 10, [100.0] * 10 + [base] * 10) == [cause]
