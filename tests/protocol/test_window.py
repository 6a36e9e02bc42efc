"""The window 20+100 over steps, intervals, ranks, lost lines, resumed runs and gaps."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.core.model import Break, Series
from reportgen.protocol.definition import DEFAULT, parse_protocol
from reportgen.protocol.window import MeasuredWindow
from tests.builders import messages, rules, run, series, window
from tests.each_of import each_of

FIVE = parse_protocol("2+5x1")


def measured_window(*ranks: Series, protocol: object = FIVE) -> MeasuredWindow:
    result = window(run(*ranks, samples_per_step=8), ranks, protocol)  # type: ignore[arg-type]
    assert result is not None
    return result


def steps(result: MeasuredWindow) -> list[int]:
    return result.ranks[0].last.tolist()


def test_the_window_of_20_100_is_steps_21_to_120() -> None:
    result = measured_window(series([9.0] * 20 + [0.5] * 100 + [7.0] * 30), protocol=DEFAULT)
    assert steps(result) == list(range(21, 121))
    window = result.window
    assert (window.first, window.last, window.steps, window.time, window.gap_time) == (
        21,
        120,
        100,
        50.0,
        0.0,
    )
    assert window.samples == 800
    assert result.is_full
    assert not result.findings


@pytest.mark.parametrize("n", [0, 1, 2])
def test_a_log_that_ends_in_the_warmup_has_no_window(n: int) -> None:
    one = series([1.0] * n)
    assert window(run(one), [one], FIVE) is None


def test_no_series_have_no_window() -> None:
    assert window(run(), [], FIVE) is None


def test_a_short_log_is_measured_with_a_finding() -> None:
    result = measured_window(series([1.0] * 5))
    assert steps(result) == [3, 4, 5]
    assert not result.is_full
    assert messages(result.findings, "protocol.short-window") == [
        "3 of 5 steps after a warm-up of 2 (steps 3..5)"
    ]


# Every tenth step is printed, its own time and not the mean since the last: nothing covers the nine between.
@pytest.mark.parametrize(("n", "records", "last"), [(13, 10, 111), (6, 4, 51)])
def test_a_log_of_every_tenth_step_samples_the_window(n: int, records: int, last: int) -> None:
    result = measured_window(series([1.0] * n, step=range(1, 10 * n, 10)), protocol=DEFAULT)
    assert messages(result.findings, "protocol.short-window") == [
        f"one record per 10 steps: {records} in steps 21..{last} sample the 100 steps after a warm-up of 20"
    ]


def test_lost_lines_make_the_window_shorter_not_later() -> None:
    result = measured_window(series([1.0] * 8, step=[1, 2, 3, 5, 6, 8, 9, 10]))
    assert steps(result) == [3, 5, 6]
    assert rules(result.findings) == ["protocol.short-window"]


def test_a_log_with_a_lost_line_can_still_fill_the_window() -> None:
    assert measured_window(series([1.0] * 6, step=[1, 2, 3, 5, 6, 7])).is_full


def test_the_order_of_the_lines_does_not_matter() -> None:
    result = measured_window(series([7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0], step=[7, 6, 5, 4, 3, 2, 1]))
    assert steps(result) == [3, 4, 5, 6, 7]
    assert result.window.time == 25.0


def test_a_resumed_run_has_a_warmup_of_its_own() -> None:
    result = measured_window(series([1.0] * 20, step=list(range(101, 121))))
    assert steps(result) == [103, 104, 105, 106, 107]
    assert messages(result.findings, "protocol.short-window") == [
        "log begins at step 101; warm-up taken from there to step 102, steps 103..107 measured"
    ]


@pytest.mark.parametrize(
    ("begin", "apart", "first"),
    [
        (1, 1, 3),
        (2, 1, 3),  # time stamps: the first step has none before it
        (3, 1, 5),  # resumed within the warm-up, of which the log has no more
        (5, 1, 7),  # resumed within the window
        (10, 10, 10),  # every tenth step is printed
        (20, 10, 30),
    ],
)
def test_a_log_of_a_resumed_run_has_its_own_warmup(begin: int, apart: int, first: int) -> None:
    result = measured_window(series([1.0] * 20, step=range(begin, begin + 20 * apart, apart)))
    assert result.window.first == first
    is_resumed = begin > 1 + apart
    assert is_resumed == any("log begins at" in one.message for one in result.findings)


# Three lines cut out of steps 3..7 have no warm-up: the number is shown with a finding.
def test_lines_cut_out_of_the_window_are_measured_with_a_finding() -> None:
    result = measured_window(series([1.0] * 2, step=[5, 6]))
    assert steps(result) == [5, 6]
    assert messages(result.findings, "protocol.short-window") == [
        "log has only steps 5..6, too few for a warm-up of 2 steps; those in 3..7 are measured"
    ]
    assert window(run(), [series([1.0] * 2, step=[105, 106])], FIVE) is None


# Resumed at step 60 with 20 slow steps: they are the warm-up of the new process.
def test_the_slow_steps_of_a_resumed_run_are_not_measured() -> None:
    result = measured_window(series([10.0] * 20 + [1.0] * 200, step=range(60, 280)), protocol=DEFAULT)
    assert (result.window.first, result.window.last, result.window.time) == (80, 179, 100.0)
    assert result.is_full


def test_a_clock_coarser_than_the_step_causes_no_gaps() -> None:
    result = measured_window(
        series([0.0, 0.0, 1.0] * 10, clock="timestamp"), protocol=parse_protocol("3+24x1")
    )
    assert (result.window.steps, result.window.time, result.window.gap_time) == (24, 8.0, 0.0)


@each_of(range(20))
def test_a_tick_at_the_start_of_the_window_is_not_a_gap(offset: int) -> None:
    """Steps of 50 ms by whole seconds; the window began one step before a tick and lost a second of five."""
    ticks = [1.0 if (step + offset) % 20 == 0 else 0.0 for step in range(1, 151)]
    measured = measured_window(series(ticks, clock="timestamp"), protocol=DEFAULT)
    assert measured.window.time == 5.0
    assert measured.window.steps == 100
    lost = [60.0 if value and step == min(k for k, v in enumerate(ticks) if v and k >= 20) else value
            for step, value in enumerate(ticks)]  # fmt: skip
    assert measured_window(series(lost, clock="timestamp"), protocol=DEFAULT).window.time == 4.0


def test_a_gap_is_found_by_a_clock_coarser_than_the_step() -> None:
    value = [0.0, 0.0, 1.0] * 4 + [0.0, 0.0, 60.0] + [0.0, 0.0, 1.0] * 4
    result = measured_window(series(value, clock="timestamp"), protocol=parse_protocol("3+24x1"))
    assert (result.window.steps, result.window.time, result.window.gap_time) == (21, 7.0, 60.0)


def test_quantities_other_than_times_have_neither_gaps_nor_breaks() -> None:
    rates = series(
        [100.0] * 9, metric="throughput", clock="timestamp", breaks=(Break(4, "e", 60.0), Break(5, "e"))
    )
    result = window(run(rates), [rates], FIVE, are_times=False)
    assert result is not None
    assert result.ranks[0].value.tolist() == [100.0] * 5
    assert (result.window.steps, result.findings) == (5, ())


# Intervals of 10 that end at 10, 20, 30, ...: those that begin after step 20 are 21..30 and so on.
def test_intervals_that_meet_the_window_cover_it_exactly() -> None:
    result = measured_window(series([10.0] * 15, span=10), protocol=DEFAULT)
    assert (result.window.first, result.window.last, result.window.steps) == (21, 120, 100)
    assert result.is_coarse
    assert messages(result.findings, "protocol.coarse-interval") == [
        "one entry per 10 steps; steps 21..120 are measured as 10 intervals"
    ]


# Intervals of 25: 1..25 holds warm-up, so 26..50 is the first, and four of them cover 100 steps.
def test_intervals_that_do_not_meet_the_window_are_taken_whole() -> None:
    result = measured_window(series([25.0] * 8, span=25), protocol=DEFAULT)
    assert (result.window.first, result.window.last, result.window.steps) == (26, 125, 100)


def test_intervals_longer_than_the_window_are_one() -> None:
    result = measured_window(series([1.0] * 3, span=1000), protocol=DEFAULT)
    assert (result.window.first, result.window.last, result.window.steps) == (1001, 2000, 1000)
    assert messages(result.findings, "protocol.coarse-interval") == [
        "one entry per 1000 steps; steps 1001..2000 are measured as 1 interval"
    ]


def test_too_few_intervals_are_a_short_window_too() -> None:
    result = measured_window(series([25.0] * 3, span=25), protocol=DEFAULT)
    assert result.window.steps == 50
    assert not result.is_full
    assert rules(result.findings) == ["protocol.coarse-interval", "protocol.short-window"]


def test_time_is_that_of_the_slowest_rank_and_samples_add_up() -> None:
    ranks = [series([1.0] * 7, samples=4), series([2.0] * 7, rank=1, samples=6)]
    window = measured_window(*ranks).window
    assert (window.time, window.samples) == (10.0, 50.0)


def test_ranks_are_measured_over_the_steps_that_all_have() -> None:
    result = measured_window(series([1.0] * 7), series([1.0] * 4, rank=1))
    assert steps(result) == [3, 4]
    assert rules(result.findings) == ["protocol.short-window"]


def test_a_rank_without_steps_leaves_nothing_to_compare() -> None:
    ranks = [series([1.0] * 7), series([], rank=1)]
    assert window(run(*ranks), ranks, FIVE) is None


def test_samples_that_one_entry_lacks_come_from_the_run() -> None:
    assert measured_window(series([1.0] * 7, samples=[4, 4, 4, 4, math.nan, 4, 4])).window.samples == 40


def test_work_that_is_not_logged_is_unknown() -> None:
    one = series([1.0] * 7)
    result = window(run(one), [one], FIVE)
    assert result is not None
    assert math.isnan(result.window.samples)


def test_a_step_of_over_ten_medians_is_left_out_with_its_work() -> None:
    result = measured_window(series([1.0, 1.0, 1.0, 1.0, 10.5, 1.0, 1.0], samples=3))
    assert steps(result) == [3, 4, 6, 7]
    assert (result.window.time, result.window.gap_time, result.window.samples) == (4.0, 10.5, 12.0)
    # 10.5 / (10.5 + 4) = 0.7241
    assert messages(result.findings, "protocol.gap") == [
        "1 step (5) and 10.5 s left out of steps 3..7 (72.4% of the time)"
    ]
    assert result.findings[0].severity == "warning"
    assert result.is_full


def test_a_step_of_ten_times_the_median_stays() -> None:
    assert not measured_window(series([1.0, 1.0, 1.0, 1.0, 10.0, 1.0, 1.0])).findings


def test_a_gap_of_one_rank_is_left_out_on_all() -> None:
    result = measured_window(series([1.0] * 7), series([1.0, 1.0, 1.0, 1.0, 50.0, 1.0, 1.0], rank=1))
    assert [rank.last.tolist() for rank in result.ranks] == [[3, 4, 6, 7]] * 2
    assert (result.window.time, result.window.gap_time) == (4.0, 50.0)


def test_a_declared_break_is_not_in_the_steps_and_is_only_noted() -> None:
    result = measured_window(series([1.0] * 7, breaks=(Break(4, "evaluation", 30.0),)))
    assert (result.window.steps, result.window.time, result.window.gap_time) == (5, 5.0, 30.0)
    assert messages(result.findings, "protocol.gap") == [
        "30 s of declared breaks (evaluation) left out of steps 3..7 (85.7% of the time)"
    ]
    assert result.findings[0].severity == "note"


def test_a_break_is_subtracted_from_the_timestamp_step_that_follows() -> None:
    value = [1.0, 1.0, 1.0, 1.0, 4.0, 1.0, 1.0]
    result = measured_window(series(value, clock="timestamp", breaks=(Break(4, "epoch", 3.0),)))
    assert (result.window.steps, result.window.time, result.window.gap_time) == (5, 5.0, 3.0)


@pytest.mark.parametrize("duration", [math.nan, 99.0, -1.0])
def test_a_timestamp_step_after_a_break_of_unknown_duration_is_left_out(duration: float) -> None:
    value = [1.0, 1.0, 1.0, 1.0, 4.0, 1.0, 1.0]
    result = measured_window(series(value, clock="timestamp", breaks=(Break(4, "epoch", duration),)))
    assert steps(result) == [3, 4, 6, 7]
    assert result.findings[0].severity == "note"
    assert result.window.gap_time == 4.0


@pytest.mark.parametrize("after", [0, 1, 7, 100])
def test_a_break_outside_the_window_has_no_effect(after: int) -> None:
    result = measured_window(series([1.0] * 9, clock="timestamp", breaks=(Break(after, "epoch"),)))
    assert (result.window.steps, result.window.gap_time, result.findings) == (5, 0.0, ())


def test_a_window_of_gaps_only_is_none() -> None:
    one = series([1.0] * 3, clock="timestamp", breaks=(Break(2, "epoch"),))
    assert window(run(one), [one], FIVE) is None


@given(
    st.lists(st.floats(0.0, 1e6), min_size=0, max_size=60),
    st.integers(0, 30),
    st.integers(1, 40),
    st.integers(1, 7),
)
def test_the_window_never_uses_a_step_of_the_warmup(
    values: list[float], warmup: int, measure: int, span: int
) -> None:
    one = series(values, span=span)
    result = window(run(one), [one], parse_protocol(f"{warmup}+{measure}x1"))
    if result is None:
        return
    rank = result.ranks[0]
    assert int(rank.first.min()) > warmup
    assert result.window.first <= rank.first[0]
    assert rank.last[-1] <= result.window.last
    assert result.window.steps == int(rank.span.sum()) <= measure + span - 1


@given(st.lists(st.tuples(st.integers(-5, 200), st.integers(-3, 50), st.floats(allow_nan=True)), max_size=40))
def test_any_log_gives_a_window_or_none(logged: list[tuple[int, int, float]]) -> None:
    step, span, value = (list(part) for part in zip(*logged, strict=True)) if logged else ([], [], [])
    one = series(value, step=step, span=span)
    result = window(run(one), [one], DEFAULT)
    assert result is None or (result.window.steps > 0 and result.window.first > 20)


@pytest.mark.parametrize(("stalls", "value"), [(1, 1.0), (10, 1.0), (11, 10.79), (20, 18.8)])
def test_long_steps_are_gaps_as_long_as_they_are_few(stalls, value):
    times = [1.0] * 20 + [90.0] * stalls + [1.0] * (100 - stalls)
    result = measured_window(series(times), protocol=DEFAULT)
    assert result.window.time / result.window.steps == pytest.approx(value)
    assert "protocol.gap" in rules(result.findings)
