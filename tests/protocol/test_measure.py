"""One run, one number: step time, throughput, phases, totals, rates, aggregates, statuses."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from reportgen.core.model import Clock, Finding, Measurement, Run, Source, Status, Telemetry
from reportgen.core.rules import Rule
from reportgen.protocol import DEFAULT, Protocol, available_metrics, measure_run, parse_protocol
from tests.builders import aggregate, attempt, messages, rules, run, series, telemetry
from tests.each_of import each_of

FIVE = parse_protocol("2+5x1")
RATES = Protocol("rates", 2, 5, 1, "mean_of_rates")
TOTALS = {"compute": ("forward", "backward", "preprocessing"), "both": ("data_loading", "compute")}


def value(found: Run, metric: str, phase: str = "step", protocol: Protocol = FIVE) -> float | None:
    measured = measure_run(found, metric, phase, protocol, TOTALS)
    return measured.value if measured else None


def test_step_time_is_the_time_of_the_window_over_its_steps() -> None:
    measured = measure_run(run(series([9, 9, 1, 2, 3, 4, 5, 9])), "step_time", "step", FIVE)
    assert measured is not None
    assert measured.value == 3.0
    assert measured.evidence == "steps"
    assert measured.sources == (Source("steps.rank0.csv", 4),)


# 5 steps of 8 samples in 15 s; the mean of the rates would be 8 (1 + 1/2 + 1/3 + 1/4 + 1/5) / 5 = 3.6533.
def test_throughput_is_work_over_time_and_not_the_mean_of_rates() -> None:
    one = run(series([9, 9, 1, 2, 3, 4, 5, 9]), samples_per_step=8)
    assert value(one, "throughput") == pytest.approx(40 / 15)
    assert value(one, "throughput", protocol=RATES) == pytest.approx(8 * (137 / 60) / 5)


def test_throughput_counts_the_samples_that_each_entry_did() -> None:
    one = run(series([1.0] * 7, samples=[0, 0, 2, 2, 2, 2, 4]), samples_per_step=99)
    assert value(one, "throughput") == pytest.approx(12 / 5)


def test_there_is_no_throughput_where_the_work_is_not_known() -> None:
    assert value(run(series([1.0] * 7)), "throughput") is None


def test_over_ranks_time_is_the_slowest_total_and_samples_add_up() -> None:
    one = run(series([1, 1, 1, 3, 1, 3, 1], samples=4), series([1, 1, 2, 2, 2, 2, 2], rank=1, samples=4))
    # Totals of the window: 9 and 10; the sum of the maxima of the steps, 12, is not the time of the run.
    assert value(one, "step_time") == 2.0
    assert value(one, "throughput") == 4.0


def test_the_mean_of_rates_takes_all_ranks_of_an_entry_together() -> None:
    one = run(series([1.0] * 7, samples=4), series([2.0] * 7, rank=1, samples=4))
    assert value(one, "throughput", protocol=RATES) == 4.0


def test_intervals_are_weaker_evidence_than_steps() -> None:
    measured = measure_run(run(series([10.0] * 3, span=5)), "step_time", "step", FIVE)
    assert measured is not None
    assert (measured.value, measured.evidence) == (2.0, "intervals")


def test_a_phase_is_measured_over_the_steps_of_the_whole() -> None:
    whole = series([1, 1, 1, 1, 50, 1, 1])
    forward = series([9, 9, 0.1, 0.2, 40, 0.3, 0.4], "forward")
    # Step 5 is a gap of the whole step, so the phase leaves it out as well.
    assert value(run(whole, forward), "step_time", "forward") == pytest.approx(1.0 / 4)


def test_a_step_that_did_not_enter_a_phase_spent_no_time_in_it() -> None:
    optimizer = series([0.3, 0.3], "optimizer", step=[4, 8])
    assert value(run(series([1.0] * 8), optimizer), "step_time", "optimizer") == pytest.approx(0.3 / 5)


# Three of the five steps have a time; the other two are not taken as 0.
def test_a_phase_that_was_not_measured_in_some_steps_is_the_mean_of_the_others() -> None:
    nan = float("nan")
    forward = series([9, 9, 0.5, nan, 0.6, nan, 0.7, 9], "forward", clock="cuda_event")
    assert value(run(series([1.0] * 8), forward), "step_time", "forward") == pytest.approx(0.6)


# With gradients accumulated over two steps, the optimizer is not entered in every second step.
def test_steps_that_did_not_enter_a_phase_count_beside_those_that_were_not_measured() -> None:
    optimizer = series([9, 9, 0.4, 0, float("nan"), 0, 0.4, 9], "optimizer", clock="cuda_event")
    assert value(run(series([1.0] * 8), optimizer), "step_time", "optimizer") == pytest.approx(0.8 / 4)


def test_the_host_does_not_measure_steps_that_the_device_did_not_time() -> None:
    one = run(series([1.0] * 8), series([0.9, 0.9], clock="cuda_event"))
    measured, why = attempt(one, "step_time", "step", FIVE)
    assert measured is None
    assert [finding.message for finding in why] == [
        "step_time (step): no step after the warm-up has a time of the device"
    ]


def test_a_phase_that_never_occurs_in_the_window_is_absent_and_not_zero() -> None:
    assert (
        value(run(series([1.0] * 8), series([0.3], "checkpoint", step=[8])), "step_time", "checkpoint")
        is None
    )
    assert value(run(series([1.0] * 8)), "step_time", "forward") is None


def test_steps_and_phases_use_the_clock_of_the_device() -> None:
    one = run(
        series([1.0] * 7, clock="cuda_event"),
        series([1.01] * 7, clock="host"),
        series([0.1] * 7, "forward", clock="host"),
        series([0.4] * 7, "forward", clock="cuda_event"),
    )
    assert value(one, "step_time", "forward") == pytest.approx(0.4)
    assert value(one, "step_time") == 1.0


def test_phases_without_a_whole_step_have_a_window_of_their_own() -> None:
    assert value(run(series([9, 9, 1, 1, 1, 1, 1, 9], "forward")), "step_time", "forward") == 1.0


def test_a_total_adds_the_phases_on_each_rank_before_the_slowest_is_taken() -> None:
    one = run(
        series([1.0] * 7),
        series([1.0] * 7, rank=1),
        series([0.1] * 7, "forward"),
        series([0.5] * 7, "backward"),
        series([0.3] * 7, "forward", rank=1),
        series([0.2] * 7, "backward", rank=1),
        samples_per_step=6,
    )
    assert value(one, "step_time", "compute") == pytest.approx(0.6)
    assert value(one, "throughput", "compute") == pytest.approx(10.0)


def test_a_total_takes_the_phases_that_a_run_has() -> None:
    assert value(
        run(series([1.0] * 7), series([0.1] * 7, "forward")), "step_time", "compute"
    ) == pytest.approx(0.1)
    assert value(run(aggregate(0.25, "forward")), "step_time", "compute") == 0.25
    assert value(run(aggregate(0.25, "data_loading")), "step_time", "compute") is None


# The figures of a published table: 256 samples, 0.25 + 0.05 + 0.2 s.
def test_a_total_of_published_phases_gives_a_throughput() -> None:
    parts = (aggregate(0.25, "data_loading"), aggregate(0.05, "forward"), aggregate(0.2, "backward"))
    one = run(*parts, samples_per_step=256, published=True)
    totals = {"all": ("data_loading", "forward", "backward")}
    measured = measure_run(one, "throughput", "all", FIVE, totals)
    assert measured is not None
    assert (measured.value, measured.evidence, measured.window) == (512.0, "published", None)
    assert not measured.findings


def test_metrics_that_do_not_add_up_have_no_total() -> None:
    one = run(
        aggregate(0.5, "forward", metric="utilization"), aggregate(0.5, "backward", metric="utilization")
    )
    assert value(one, "utilization", "compute") is None


def test_an_aggregate_is_used_as_it_is_and_marked() -> None:
    one = run(aggregate(300.0, metric="throughput"), aggregate(1.0), samples_per_step=8)
    measured = measure_run(one, "throughput", "step", FIVE)
    assert measured is not None
    assert (measured.value, measured.evidence) == (300.0, "aggregate")
    assert messages(measured.findings, "protocol.aggregate-only") == [
        "mean as printed by the log; may include warm-up"
    ]


@pytest.mark.parametrize(
    ("time", "is_rounded", "expected"), [(0.0, True, 1), (0.0, False, 0), (0.1, True, 0)]
)
def test_a_time_that_is_printed_as_0_is_coarse(time: float, is_rounded: bool, expected: int) -> None:
    one = replace(run(replace(aggregate(time), is_rounded=is_rounded)), published=True)
    measured = measure_run(one, "step_time", "step", FIVE)
    assert measured is not None
    message = "printed as 0: less than its last digit"
    assert messages(measured.findings, "clock.coarse") == [message] * expected


def test_a_rate_that_is_printed_as_0_has_no_ratio() -> None:
    one = replace(run(replace(aggregate(0.0, metric="bandwidth"), is_rounded=True)), published=True)
    measured = measure_run(one, "bandwidth", "step", FIVE)
    assert measured is not None
    assert measured.value == 0
    message = "printed as 0: nothing, or less than its last digit; it has no ratio"
    assert messages(measured.findings, "clock.coarse") == [message]


def test_the_best_rate_is_of_the_fastest_epoch_unless_the_statistic_is_a_factor() -> None:
    best = aggregate(300e9, metric="bandwidth", statistic="best")
    for factors, expected in (({}, 1), ({"statistic": "best"}, 0)):
        measured = measure_run(run(best, factors=factors), "bandwidth", "step", FIVE)
        assert measured is not None
        assert rules(measured.findings).count("rate.implausible") == expected


def test_a_rate_that_no_log_prints_is_not_called_printed() -> None:
    figure = replace(
        aggregate(300.0, metric="token_throughput"), original="1200 tokens / 4.0 s", statistic="total"
    )
    measured = measure_run(run(figure), "token_throughput", "step", FIVE)
    assert measured is not None
    assert messages(measured.findings, "protocol.aggregate-only") == [
        "computed from totals in the log (1200 tokens / 4.0 s); may include warm-up"
    ]


def test_the_time_to_train_is_a_figure_of_the_run_without_a_finding() -> None:
    measured = measure_run(run(aggregate(300.0, metric="time_to_train")), "time_to_train", "step", DEFAULT)
    assert measured is not None
    assert not measured.findings


def test_of_several_aggregates_the_mean_is_taken_and_not_the_best() -> None:
    found = [aggregate(v, statistic=s) for v, s in ((1.0, "minimum"), (3.0, "median"), (2.0, "mean"))]
    assert value(run(*found), "step_time") == 2.0


def test_an_aggregate_step_time_gives_a_throughput_with_the_work_of_a_step() -> None:
    assert value(run(aggregate(0.5), samples_per_step=8), "throughput") == 16.0
    assert value(run(aggregate(0.5)), "throughput") is None
    assert value(run(aggregate(0.0), samples_per_step=8), "throughput") is None


def test_steps_are_stronger_than_an_aggregate() -> None:
    assert value(run(aggregate(7.0), series([1.0] * 7)), "step_time") == 1.0


# Equal work: 4 / (1/100 + 1/100 + 1/50 + 1/50) over the printed rates, whose mean is 75.
def test_printed_rates_are_work_over_time() -> None:
    rates = series([1, 1, 100, 100, 50, 50], metric="throughput", clock="printed")
    assert value(run(rates), "throughput") == pytest.approx(4 / 0.06)
    assert value(run(rates), "throughput", protocol=RATES) == 75.0


def test_printed_rates_weigh_by_the_work_they_stand_for() -> None:
    rates = series([1, 1, 100, 50], metric="throughput", samples=[1, 1, 300, 100])
    assert value(run(rates), "throughput") == pytest.approx(400 / 5)


def test_printed_rates_of_ranks_add_up() -> None:
    ranks = [series([100.0] * 7, metric="throughput"), series([50.0] * 7, metric="throughput", rank=1)]
    assert value(run(*ranks), "throughput") == 150.0


def test_times_are_preferred_to_rates_unless_the_protocol_asks_for_rates() -> None:
    one = run(series([0.5] * 7), series([16.7] * 7, metric="throughput"), samples_per_step=8)
    assert value(one, "throughput") == 16.0
    assert value(one, "throughput", protocol=RATES) == pytest.approx(16.7)


def test_a_printed_rate_of_zero_gives_no_number() -> None:
    assert value(run(series([1, 1, 1, 0, 1], metric="throughput")), "throughput") is None


def test_any_other_quantity_is_reduced_as_its_metric_says() -> None:
    one = run(
        series([9, 9, 1, 2, 3, 4, 5], metric="loss"), series([9, 9, 1, 2, 3, 4, 5], metric="memory_used")
    )
    assert value(one, "loss") == 3.0
    assert value(one, "memory_used") == 5.0


# 100/s and 300/s for a step of the same work each are 150/s over both; a mean over entries of 1 and 3 steps
# is over four.
@pytest.mark.parametrize(
    ("metric", "values", "spans", "expected"),
    [
        ("token_throughput", [9, 9, 100, 300, 100, 300], 1, 150.0),
        ("throughput_per_device", [9, 9, 100, 300, 100, 300], 1, 150.0),
        ("flops", [9, 9, 100, 300, 100, 300], 1, 150.0),
        ("loss", [9, 9, 1, 5], [1, 1, 1, 3], 4.0),
        ("token_throughput", [9, 9, 100, 300], [1, 1, 1, 3], 200.0),
    ],
)
def test_a_mean_is_over_the_steps_and_that_of_a_rate_is_work_over_time(
    metric: str, values: list[float], spans: int | list[int], expected: float
) -> None:
    one = run(series(values, metric=metric, span=spans))
    assert value(one, metric, protocol=parse_protocol("2+4x1")) == expected
    rates = structs.replace(parse_protocol("2+4x1"), estimator="mean_of_rates")
    assert spans != 1 or value(one, metric, protocol=rates) == 200.0


@pytest.mark.parametrize("status", ["failed", "out_of_memory", "cancelled"])
def test_a_failed_run_has_no_number_and_says_why(status: Status) -> None:
    one = run(series([1.0] * 200), aggregate(1.0), status=status)
    measured, why = attempt(one, "step_time", "step", FIVE)
    assert measured is None
    assert messages(why, "read.failed-run") == [
        f"run ended as {status.replace('_', ' ')}; left out of the median"
    ]


def test_the_readers_finding_about_a_failure_is_not_repeated() -> None:
    said = Finding("warning", Rule.READ_FAILED_RUN, "a", "exit code 3", Source("run.json", 4))
    assert attempt(run(said, status="failed"), "step_time", "step", FIVE)[1] == (said,)


@pytest.mark.parametrize(
    ("status", "word"), [("partial", "run ended early"), ("running", "recording was interrupted")]
)
def test_an_unfinished_run_counts_only_with_a_full_window(status: Status, word: str) -> None:
    full, short = series([1.0] * 7), series([1.0] * 6)
    measured, why = attempt(run(full, status=status), "step_time", "step", FIVE)
    assert measured is not None
    assert messages(measured.findings, "read.incomplete-run") == [f"{word}; measured over steps 3..7"]
    assert not why
    measured, why = attempt(run(short, status=status), "step_time", "step", FIVE)
    assert measured is None
    assert messages(why, "read.incomplete-run") == [
        f"{word}, before the measured steps were complete; left out of the median"
    ]


def test_an_unfinished_run_with_a_figure_is_measured_and_marked() -> None:
    measured, _ = attempt(run(aggregate(1.0), status="partial"), "step_time", "step", FIVE)
    assert measured is not None
    assert rules(measured.findings) == ["read.incomplete-run", "protocol.aggregate-only"]


def test_an_unfinished_run_without_data_of_the_metric_has_a_finding() -> None:
    assert messages(
        attempt(run(status="partial"), "step_time", "forward", FIVE)[1], "read.incomplete-run"
    ) == ["run ended early; no step_time (forward) recorded"]


def test_a_log_that_ends_in_the_warmup_has_a_finding() -> None:
    measured, why = attempt(run(series([1.0] * 2)), "step_time", "step", FIVE)
    assert measured is None
    assert messages(why, "protocol.short-window") == ["log ends at step 2, within the warm-up of 2 steps"]


@pytest.mark.parametrize(
    ("step", "span", "why"),
    [
        ([12, 13], 1, "log has only steps 12..13: a warm-up of 2 steps takes all of them"),
        ([12], 1, "log has only step 12: a warm-up of 2 steps takes all of them"),
        ([1, 33], [1, 32], "the last interval (steps 2..33) begins within the warm-up (steps 1..2)"),
        ([11, 33], [1, 22], "the last interval (steps 12..33) begins within the warm-up (steps 11..12)"),
    ],
)
def test_a_log_without_a_step_after_the_warmup_says_why(step, span, why):
    measured, found = attempt(run(series([1.0] * len(step), step=step, span=span)), "step_time", "step", FIVE)
    assert measured is None
    assert messages(found, "protocol.short-window") == [why]


def test_an_aggregate_is_used_if_the_steps_give_no_number() -> None:
    assert value(run(series([1.0] * 2), aggregate(3.0)), "step_time") == 3.0


def test_telemetry_is_reduced_over_the_measured_steps() -> None:
    # Steps 3..7 last from 2 to 7 s; before, the device was still idle.
    steps = series([1.0] * 7, begin=[0, 1, 2, 3, 4, 5, 6])
    first = telemetry("0", t=[0.5, 2.5, 4.5, 6.5, 9], utilization=[0.0, 0.8, math.nan, 1.0, 0.0])
    second = telemetry("1", t=[0.5, 2.5], utilization=[0.0, 0.5])
    measured = measure_run(run(steps, first, second), "utilization", "step", FIVE)
    assert measured is not None
    assert measured.value == pytest.approx((0.9 + 0.5) / 2)
    assert measured.evidence == "steps"


def test_a_peak_is_the_maximum_over_the_devices() -> None:
    found = run(telemetry("0", memory_used=[1.0, 7.0]), telemetry("1", memory_used=[5.0, 2.0]))
    assert value(found, "memory_used") == 7.0


def test_a_mask_keeps_every_bit_that_was_set() -> None:
    found = run(telemetry("0", throttle_reasons=[4.0, 0.0]), telemetry("1", throttle_reasons=[0.0, 65.0]))
    assert value(found, "throttle_reasons") == 69.0


@pytest.mark.parametrize("steps", [True, False])
def test_telemetry_on_another_clock_uses_all_samples_with_a_finding(steps: bool) -> None:
    parts = [series([1.0] * 7)] if steps else []
    measured = measure_run(run(*parts, telemetry(power=[100.0, 300.0])), "power", "step", FIVE)
    assert measured is not None
    assert (measured.value, measured.evidence, measured.window) == (200.0, "intervals", None)
    assert rules(measured.findings) == ["protocol.coarse-interval"]


def test_telemetry_without_a_sample_in_the_window_has_no_number() -> None:
    steps = series([1.0] * 7, begin=[0, 1, 2, 3, 4, 5, 6])
    assert value(run(steps, telemetry(t=[0.5, 99.0], power=[1.0, 1.0])), "power") is None
    assert value(run(telemetry(power=[math.nan])), "power") is None
    assert value(run(telemetry(power=[1.0])), "utilization") is None


def test_a_loss_may_be_negative_and_a_time_not() -> None:
    assert (
        value(run(series([-1.0, 3.0] * 10, metric="loss")), "loss", protocol=parse_protocol("2+10x1")) == 1.0
    )
    assert value(run(series([1.0, 1.0, -1.0, 1.0, 1.0])), "step_time") == 1.0


# Counters since the driver was loaded: over steps 3..7, from 2 to 7 s, at 100 W and at 60 W.
def test_energy_is_the_rise_of_all_counters_in_the_window() -> None:
    steps = series([1.0] * 7, begin=[0, 1, 2, 3, 4, 5, 6])
    first = telemetry("0", t=[1, 2.5, 4.5, 6.5, 9], energy=[1e9, 1e9 + 150, 1e9 + 350, 1e9 + 550, 1e9 + 800])
    second = telemetry("1", t=[2, 7], energy=[5e9, 5e9 + 300])
    measured = measure_run(run(steps, first, second), "energy", "step", FIVE)
    assert measured is not None
    assert measured.value == pytest.approx(800.0)
    assert measured.unit == "J"
    assert measured.clock_error == pytest.approx(0.0, abs=1e-6)


def energy_of(*devices: Telemetry, begin: Sequence[float] = (0, 1, 2, 3, 4, 5, 6)) -> Measurement:
    measured = measure_run(run(series([1.0] * 7, begin=list(begin)), *devices), "energy", "step", FIVE)
    assert measured is not None
    return measured


# 40 W until the second 2 and from 7 on, 100 W between: 500 J.
@each_of([0.1, 0.3, 0.7], [0.0, 0.03, 0.07], [0.0, 0.25])
def test_the_uncertainty_of_the_energy_contains_the_truth(
    interval: float, offset: float, renewal: float
) -> None:
    times = [offset + interval * i for i in range(int(9 / interval))]
    read = [math.floor(t / renewal) * renewal if renewal else t for t in times]  # of the driver
    counter = [40 * t + 60 * (min(max(t, 2), 7) - 2) for t in read]
    measured = energy_of(telemetry(t=times, energy=counter))
    lag = 60 * interval if renewal else 0  # a new value is seen up to an interval late
    assert abs(measured.value - 500) <= measured.clock_error * measured.value + lag + 1e-9
    assert measured.value == pytest.approx(500, rel=0.06)
    if interval == 0.1 and not renewal:
        assert measured.value == pytest.approx(500, rel=0.006)


def test_an_uncertain_energy_is_named() -> None:
    counter = telemetry(t=[0, 1, 3, 4, 5, 6, 8, 10], energy=[0, 40, 180, 280, 380, 480, 620, 700])
    measured = energy_of(counter)
    # 110 J at 2 s, 550 J at 7 s; both are in the middle of 2 s with a change from 40 to 100 W: 0.25 x 2 s x 60 W.
    assert measured.value == pytest.approx(440)
    assert measured.clock_error == pytest.approx(60 / 440)
    assert messages(measured.findings, "protocol.coarse-interval") == [
        "energy is uncertain by 13.6%: the power may have changed between the readings at the borders"
    ]


def test_energy_without_readings_at_the_borders_is_power_times_time() -> None:
    # 100 W by the counter from 3 to 6 s; nothing is known of the other 2 s.
    measured = energy_of(telemetry(t=[3, 4, 5, 6], energy=[0, 100, 200, 300]))
    assert measured.value == pytest.approx(500)
    assert measured.clock_error == pytest.approx(2 / 5)
    # The counter is renewed once; power was sampled: 99 to 101 W, a mean with a standard error of 0.5 W.
    t = [1, 2.5, 3.5, 4.5, 5.5, 9]
    coarse = telemetry(t=t, energy=[0, 0, 0, 0, 0, 800], power=[0, 99, 101, 99, 101, 0])
    measured = energy_of(coarse)
    assert measured.value == pytest.approx(500)
    assert measured.clock_error == pytest.approx(2 * math.sqrt(4 / 3 / 4) / 100)


def test_energy_of_pauses_is_left_out() -> None:
    # 100 W in steps, 10 W in a pause of 10 s after step 4.
    t = [0.5 * i for i in range(40)]
    counter = [100 * x - 90 * (min(max(x, 4), 14) - 4) for x in t]
    measured = energy_of(telemetry(t=t, energy=counter), begin=[0, 1, 2, 3, 14, 15, 16])
    assert measured.value == pytest.approx(500)
    assert measured.clock_error == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    ("t", "energy", "begin", "why"),
    [
        ([3.0, 6.0], [1.0, 2.0], None, "a counter needs measured steps"),
        ([3.0, 9.0], [1.0, 2.0], [0, 1, 2, 3, 4, 5, 6], "the counter has too few readings during"),
        ([3.0, 6.0], [2.0, 1.0], [0, 1, 2, 3, 4, 5, 6], "the counter has too few readings during"),
    ],
)
def test_a_counter_without_two_samples_has_no_energy(
    t: list[float], energy: list[float], begin: list[float] | None, why: str
) -> None:
    measured, said = attempt(
        run(series([1.0] * 7, begin=begin), telemetry(t=t, energy=energy)), "energy", "step", FIVE
    )
    assert measured is None
    assert messages(said, "protocol.no-number")[0].startswith(f"energy of the devices: {why}")


def test_a_number_knows_its_unit() -> None:
    one = run(
        aggregate(0.5),
        aggregate(120.0, metric="epoch_time", unit="s"),
        telemetry(shards=[2.0]),
        samples_per_step=8,
    )
    units = {name: found.unit for name in ("step_time", "throughput", "epoch_time", "shards")
             if (found := measure_run(one, name, "step", FIVE))}  # fmt: skip
    assert units == {"step_time": "s", "throughput": "samples/s", "epoch_time": "s", "shards": "1"}


def test_a_custom_metric_in_seconds_has_totals() -> None:
    one = run(
        aggregate(1.0, "forward", metric="wait", unit="s"),
        aggregate(2.0, "backward", metric="wait", unit="s"),
    )
    measured = measure_run(one, "wait", "compute", FIVE, TOTALS)
    assert measured is not None
    assert (measured.value, measured.unit, measured.parts) == (3.0, "s", ("forward", "backward"))


def test_a_total_names_the_parts_that_entered_it() -> None:
    one = run(series([1.0] * 7), series([0.1] * 7, "forward"), series([0.1] * 2, "backward"))
    measured = measure_run(one, "step_time", "compute", FIVE, TOTALS)
    assert measured is not None
    assert measured.parts == ("forward",)
    alone = measure_run(one, "step_time", "forward", FIVE, TOTALS)
    assert alone is not None
    assert alone.parts == ()


def test_a_total_names_the_parts_that_it_leaves_out() -> None:
    one = run(series([1.0] * 7), series([0.1] * 7, "forward"), aggregate(5.0, "backward"))
    measured = measure_run(one, "step_time", "compute", FIVE, TOTALS)
    assert measured is not None
    assert measured.value == pytest.approx(0.1)
    assert messages(measured.findings, "protocol.mixed") == [
        "total covers forward only; backward exists only as an aggregate and is left out"
    ]


# 8 samples in 0.5 s are 16 a second.
@pytest.mark.parametrize(
    ("rate", "expected", "said"), [(16.0, 16, False), (16.7, 16, False), (17.0, 17, True), (8.0, 8, True)]
)
def test_a_derived_rate_never_overrules_a_printed_one_that_contradicts_it(
    rate: float, expected: float, said: bool
) -> None:
    one = run(series([0.5] * 7), series([rate] * 7, metric="throughput"), samples_per_step=8)
    measured = measure_run(one, "throughput", "step", FIVE)
    assert measured is not None
    assert measured.value == expected
    assert measured.run is one
    assert bool(messages(measured.findings, "rate.disagreement")) == said


# 8 samples between timestamps 0.5 s apart are 16 a second. A missing factor of the work makes it 2 times higher.
@pytest.mark.parametrize(
    ("rate", "clock", "is_labelled", "expected", "severity"),
    [
        (18.6, "timestamp", False, 16, "warning"),
        (18.6, "timestamp", True, 18.6, "invalid"),
        (18.6, "host", False, 18.6, "invalid"),
        (32.0, "timestamp", False, 32, "invalid"),
        (13.0, "timestamp", False, 13, "invalid"),
    ],
)
def test_timestamps_win_over_a_printed_rate_that_leaves_out_time(
    rate: float, clock: Clock, is_labelled: bool, expected: float, severity: str
) -> None:
    times, rates = series([0.5] * 7, clock=clock), series([rate] * 7, metric="throughput", clock="printed")
    measured = measure_run(
        run(times, rates, samples_per_step=8, work_is_labelled=is_labelled), "throughput", "step", FIVE
    )
    assert measured is not None
    assert measured.value == pytest.approx(expected)
    (finding,) = (each for each in measured.findings if each.rule == Rule.RATE_DISAGREEMENT)
    assert finding.severity == severity


def test_the_finding_contains_both_rates() -> None:
    one = run(series([0.5] * 7), series([8.0] * 7, metric="throughput"), samples_per_step=8)
    measured = measure_run(one, "throughput", "step", FIVE)
    assert measured is not None
    assert messages(measured.findings, "rate.disagreement") == [
        "the log prints 8 samples/s; step times and 8 samples per step give 16; "
        "nothing is derived from that work"
    ]


# 8 samples in 0.5 s; the log accumulates 1,056 such batches in a step and prints the rate at its end.
@pytest.mark.parametrize(
    ("mean", "is_labelled", "expected"),
    [
        (16_896.0, True, 16_896),
        (16_896.0, False, 16_896),
        (15.5, True, 16),
        (8.0, True, 8),
        (8.0, False, 16),  # the mean of a log may include a slow warm-up
    ],
)
def test_a_printed_mean_contradicts_work_too(mean: float, is_labelled: bool, expected: float) -> None:
    figure = aggregate(mean, metric="throughput", unit="samples/s")
    one = run(series([0.5] * 7), figure, samples_per_step=8, work_is_labelled=is_labelled)
    measured = measure_run(one, "throughput", "step", FIVE)
    assert measured is not None
    assert measured.value == expected
    origin = " (from labels)" if is_labelled else ""
    assert messages(measured.findings, "rate.disagreement") == (
        []
        if expected == 16
        else [
            f"the log prints {mean:.4g} samples/s; step times and 8{origin} samples per step give 16; "
            "nothing is derived from that work"
        ]
    )


# Each of 4 devices does 2 samples in 0.5 s; with a batch of 8 each, from the name of the log, it would be 16.
@pytest.mark.parametrize(
    ("devices", "work", "said"), [(4, 8.0, False), (4, 32.0, True), (8, 8.0, True), (None, 32.0, False)]
)
def test_a_printed_rate_of_each_device_contradicts_work_too(
    devices: int | None, work: float, said: bool
) -> None:
    rate = series([4.0] * 7, metric="throughput_per_device")
    one = run(series([0.5] * 7), rate, samples_per_step=work, factors={"devices": devices} if devices else {})
    measured, why = attempt(one, "throughput", "step", FIVE)
    assert (measured is None) == said
    assert messages(why, "rate.disagreement") == (
        [
            f"the log prints 4 samples/s on each of {devices} devices; step times and {work:g} samples per step "
            f"give {work / 0.5:g}; nothing is derived from that work"
        ]
        if said
        else []
    )
    assert measure_run(one, "throughput_per_device", "step", FIVE) is not None


def test_nothing_is_derived_from_work_that_the_log_contradicts() -> None:
    counter = telemetry(t=[0.5 * i for i in range(9)], energy=[50.0 * i for i in range(9)])
    parts = (series([0.5] * 7, begin=[0.5 * i for i in range(7)]), series([0.1] * 7, "forward"), counter)
    for rate, said in ((16.0, False), (8.0, True)):
        one = run(*parts, series([rate] * 7, metric="throughput"), samples_per_step=8)
        for metric, phase in (("throughput", "forward"), ("energy_per_sample", "step")):
            measured, why = attempt(one, metric, phase, FIVE)
            assert (measured is None) == said, (metric, why)
            assert (rules(why) == ["rate.disagreement"]) == said
        assert measure_run(one, "step_time", "step", FIVE) is not None


def test_a_clock_that_does_not_advance_gives_no_number_with_a_finding() -> None:
    measured, why = attempt(run(series([0.0] * 9, clock="timestamp")), "step_time", "step", FIVE)
    assert measured is None
    assert rules(why) == ["protocol.no-number"]


_VALUES = st.lists(st.sampled_from([0.0, 1.0, -1.0, 300.0, math.nan, math.inf, 1e308]), max_size=12)
_PARTS = st.one_of(
    st.builds(
        series, _VALUES, st.sampled_from(["step", "forward"]), rank=st.integers(0, 1), span=st.integers(1, 4),
        metric=st.sampled_from(["step_time", "throughput", "loss"]), clock=st.sampled_from(["host", "timestamp"]),
        samples=st.sampled_from([math.nan, 0.0, 4.0]),
    ),
    st.builds(aggregate, st.sampled_from([0.0, 1.0, -1.0, math.nan]), st.sampled_from(["step", "backward"])),
    _VALUES.filter(bool).map(lambda values: telemetry(energy=values, power=values)),
)  # fmt: skip


@given(
    st.lists(_PARTS, max_size=5), st.sampled_from([None, 0.0, 8.0]), st.sampled_from([FIVE, RATES, DEFAULT])
)
def test_every_available_metric_has_a_number_or_a_reason(
    found: list[Any], samples: float | None, protocol: Protocol
) -> None:
    one = run(*found, samples_per_step=samples)
    for metric, phase in available_metrics(one, TOTALS):
        measured, why = attempt(one, metric, phase, protocol, TOTALS)
        assert (measured is None) == bool(why)
        assert measured is None or math.isfinite(measured.value)


@given(st.lists(st.floats(1e-6, 1e3), min_size=7, max_size=40), st.randoms(use_true_random=False))
def test_the_order_of_the_lines_does_not_move_a_digit(values: list[float], random: object) -> None:
    steps = list(range(1, len(values) + 1))
    order = list(range(len(values)))
    random.shuffle(order)  # type: ignore[attr-defined]
    one = run(series(values), samples_per_step=3)
    other = replace(one, series=(series([values[i] for i in order], step=[steps[i] for i in order]),))
    assert value(one, "throughput") == value(other, "throughput")


# Five steps of 1 s with 8 samples, one of which takes `long`, after a warm-up of two: 40 samples in 4 s + long.
@pytest.mark.parametrize(
    ("long", "rate", "over_all"),
    [
        (1.0, 8.0, None),
        (9.0, 40 / 13, None),  # counted: there is one number
        (11.0, 8.0, 40 / 15),  # left out: the number over all of the time is beside it
        (100.0, 8.0, 40 / 104),
    ],
)
def test_where_a_gap_is_left_out_the_value_over_all_of_the_time_is_kept(
    long: float, rate: float, over_all: float | None
) -> None:
    one = run(series([1, 1, 1, 1, long, 1, 1, 1], samples=8))
    for metric, sign in (("throughput", 1), ("step_time", -1)):
        measured = measure_run(one, metric, "step", FIVE)
        assert measured is not None
        assert measured.value == pytest.approx(rate if sign == 1 else 8 / rate)
        expected = None if over_all is None else over_all if sign == 1 else 8 / over_all
        assert measured.over_all == (None if expected is None else pytest.approx(expected))
        window = measured.window
        assert window is not None
        # The run takes 7 s + long.
        assert window.time + window.gap_time + window.outside == pytest.approx(7 + long)


def test_a_gap_of_five_percent_of_the_time_is_little() -> None:
    times = [1.0] * 220
    times[50] = 11.0
    measured = measure_run(run(series(times)), "step_time", "step", parse_protocol("2+210x1"))
    assert measured is not None
    assert (measured.value, measured.over_all) == (1.0, None)


def test_a_phase_has_no_value_over_all_of_the_time() -> None:
    one = run(series([1, 1, 1, 1, 100, 1, 1]), series([0.5] * 7, phase="forward"))
    measured = measure_run(one, "step_time", "forward", FIVE)
    assert measured is not None
    assert measured.over_all is None
