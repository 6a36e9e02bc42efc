"""Times printed with few digits: how much of a number they leave open, and the finding about it."""

import pytest
from msgspec import structs

from reportgen.core.model import Break, Rounded
from reportgen.protocol import DEFAULT, measure_run
from tests.builders import cases, messages, read_log, run, series


def _open(rounding: float, rounded: Rounded = "each", breaks: tuple[Break, ...] = ()) -> list[str]:
    """Return the findings on 120 steps of 10 ms that are printed with this rounding."""
    times = structs.replace(series([0.01] * 120, breaks=breaks), rounding=rounding, rounded=rounded)
    measured = measure_run(run(times), "step_time", "step", DEFAULT)
    assert measured is not None
    return messages(measured.findings, "clock.coarse")


def test_a_rounding_of_more_than_a_hundredth_is_a_finding() -> None:
    assert _open(0.0005) == [
        "step_time (step) is printed to 0.001 s: 0.01 s per step may be off by 0.0005 s (5.0%)"
    ]


@pytest.mark.parametrize("rounding", [0.0, 0.00005])
def test_enough_digits_are_not_a_finding(rounding: float) -> None:
    assert _open(rounding) == []


# Steps 21 to 120: the mean at step 20 covers 20 steps, that at step 120 covers 120. 140 * 0.1 ms / 100 = 0.14 ms.
# With an epoch that ends at step 60: 20, 60 and 60 steps.
@pytest.mark.parametrize("breaks", [(), (Break(60, "epoch"),)])
def test_the_rounding_of_a_running_mean_counts_for_each_step_that_it_covers(
    breaks: tuple[Break, ...],
) -> None:
    (message,) = _open(0.0001, "mean", breaks)
    assert message.endswith("mean since the epoch began: 0.01 s per step may be off by 0.00014 s (1.4%)")


# An epoch that ends at step 10: the means cover 10 and 110 steps.
def test_a_running_mean_begins_again_with_the_epoch() -> None:
    (message,) = _open(0.0001, "mean", (Break(10, "epoch"),))
    assert message.endswith("may be off by 0.00012 s (1.2%)")


def test_elapsed_time_is_rounded_at_both_ends_of_the_window() -> None:
    (message,) = _open(0.5, "elapsed")
    assert message.endswith("as the time since the start: 0.01 s per step may be off by 0.01 s (100.0%)")


def test_phases_that_add_up_add_their_rounding() -> None:
    parts = [
        structs.replace(series([0.01] * 120, phase), rounding=0.0001) for phase in ("forward", "backward")
    ]
    measured = measure_run(run(*parts), "step_time", "both", DEFAULT, {"both": ("forward", "backward")})
    assert measured is not None
    assert measured.clock_error == pytest.approx(0.01)


def test_the_rounding_widens_the_interval_of_a_case() -> None:
    times = structs.replace(series([0.01] * 120), rounding=0.0005)
    (case,) = cases([run(times, id=f"r{n}", repeat=n) for n in range(1, 8)], "step_time", "step", DEFAULT)
    assert case.summary is not None
    assert (case.summary.low, case.summary.high) == (pytest.approx(0.0095), pytest.approx(0.0105))


# Means to a millisecond at steps 51 and 151, which leave 0.5 * (51 + 151) ms open over 100 steps.
def test_the_wait_for_data_by_timm_is_not_known_to_four_digits() -> None:
    lines = b"".join(
        b"Train: 0 [%5d/90000 (  0%%)]  Loss: 6.9 (6.9)  Time: 0.300s, 426.67/s  (0.300s, 426.67/s)  LR: 1  "
        b"Data: 0.002 (0.00%d)\n" % (at, 4 if at == 350 else 3)
        for at in range(0, 400, 50)
    )
    measured = measure_run(read_log("timm", lines), "step_time", "data_loading", DEFAULT)
    assert measured is not None
    (message,) = messages(measured.findings, "clock.coarse")
    assert message.endswith("0.003 s per step may be off by 0.001 s (33.7%)")
