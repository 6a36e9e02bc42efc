"""Findings of telemetry about a run, the energy of a sample, and rates of work: expected values by hand.

The run: 7 steps of 1 s on the run's clock, of which steps 3..7 are measured, from 2 s to 7 s; 8 samples a step.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from reportgen.core.model import Break, DeviceEvent, Finding, Run, Series, Telemetry
from reportgen.protocol import Protocol, available_metrics, measure_run, parse_protocol
from reportgen.protocol.timeline import during, measured_before
from tests.builders import attempt, messages, rules, run, series, telemetry, window
from tests.each_of import each_row

FIVE: Protocol = parse_protocol("2+5x1")
STEPS = series([1.0] * 7, begin=[0, 1, 2, 3, 4, 5, 6])
# Ten samples a second from before the run until after it; 50 of them are in the measured steps.
T = np.arange(-0.95, 8.0, 0.1)


def inside(*values: float, before: float = 0.0) -> list[float]:
    """Return a column over T: the values spread evenly over the measured 5 s, `before` outside of them."""
    column = np.full(len(T), before)
    at = np.flatnonzero((T > 2) & (T < 7))
    assert len(at) == 50
    column[at] = np.repeat(values, 50 // len(values))
    return column.tolist()


def device(name: str = "GPU-1111", **columns: Sequence[float]) -> Telemetry:
    return telemetry(name, T, **(columns or {"temperature": [50.0] * len(T)}))


def found(*parts: Any, steps: Series = STEPS, **other: Any) -> tuple[Finding, ...]:
    measured = measure_run(run(steps, *parts, **other), "step_time", "step", FIVE)
    assert measured is not None
    return measured.findings


def said(findings: Sequence[Finding], rule: str) -> list[tuple[str, str]]:
    return [(one.severity, one.message) for one in findings if one.rule == rule]


def test_a_device_without_throttling_has_no_finding() -> None:
    quiet = device(
        utilization=inside(1.0),
        throttle_reasons=inside(0),
        power_limit=inside(700, before=700),
        power_limit_default=inside(700, before=700),
        foreign_processes=inside(0),
    )
    assert found(quiet) == ()


@each_row(
    [
        (0x08, "warning", "hw_slowdown"),
        (0x20, "warning", "sw_thermal"),
        (0x40, "warning", "hw_thermal"),
        (0x80, "warning", "hw_power_brake"),
        (0x04, "note", "sw_power_cap"),
        (0x02, "note", "applications_clocks"),
        (0x10, "note", "sync_boost"),
        (0x100, "note", "display_clocks"),
    ]
)
def test_a_reason_is_named_with_its_share_of_the_samples(mask: int, severity: str, reasons: str) -> None:
    findings = found(device(throttle_reasons=inside(mask, 0, 0, 0, 0, before=0x1FF)))
    assert said(findings, "telemetry.throttled") == [
        (severity, f"clock throttling: {reasons} in 20.0% of samples")
    ]


def test_faults_and_settings_are_separate_findings_that_name_the_worst_device() -> None:
    one = device("GPU-11111111-2222", throttle_reasons=inside(0x44, 0x04))
    two = device("GPU-33333333-4444", throttle_reasons=inside(0x40, 0x60))
    assert said(found(one, two), "telemetry.throttled") == [
        (
            "warning",
            "clock throttling: sw_thermal in 50.0% of samples of GPU-33333333 (1 of 2 devices), "
            "hw_thermal in 100.0% of samples of GPU-33333333 (2 of 2 devices)",
        ),
        ("note", "clock throttling: sw_power_cap in 100.0% of samples of GPU-11111111 (1 of 2 devices)"),
    ]


def seldom(*readings: tuple[float, float]) -> list[float]:
    """Return a column over T with these readings (s, value) only."""
    column = np.full(len(T), np.nan)
    for t, value in readings:
        column[int(np.argmin(np.abs(T - t)))] = value
    return column.tolist()


def test_the_time_that_the_driver_counted_is_named_with_its_cause() -> None:
    # From 1.55 s, the last reading before the window, to 6.55 s: 2 s of power, 0.1 s of heat, 1 ms of sync boost.
    one = device(
        throttle_reasons=inside(0x4, 0),
        throttled_by_power=seldom((0.55, 90.0), (1.55, 100.0), (4.05, 101.5), (6.55, 102.0), (7.55, 110.0)),
        throttled_by_temperature=seldom((1.55, 7.0), (6.55, 7.1)),
        throttled_by_sync_boost=seldom((1.55, 7.0), (6.55, 7.001)),
    )
    assert said(found(one), "telemetry.throttled") == [
        ("warning", "clock throttling: temperature for 0.1 of 5 s (counted by the driver)"),
        (
            "note",
            "clock throttling: sw_power_cap in 50.0% of samples, power for 2 of 5 s (counted by the driver)",
        ),
    ]


def test_the_limit_of_the_voltage_is_not_a_fault() -> None:
    one = device(throttled_by_reliability=seldom((1.55, 0.0), (6.55, 5.0)))
    assert said(found(one), "telemetry.throttled") == [
        ("note", "clock throttling: the limit of the voltage for 5 of 5 s (counted by the driver)")
    ]


def test_a_counter_that_was_reset_or_read_once_says_nothing() -> None:
    reset = device(throttled_by_temperature=seldom((1.55, 100.0), (6.55, 2.0)))
    once = device(throttled_by_temperature=seldom((3.05, 100.0)))
    assert found(reset) == found(once) == ()


def test_of_several_devices_the_one_that_was_held_down_most_is_named() -> None:
    one = device("GPU-11111111-2222", throttled_by_temperature=seldom((1.55, 0.0), (6.55, 0.5)))
    two = device("GPU-33333333-4444", throttled_by_temperature=seldom((1.55, 0.0), (6.55, 1.0)))
    assert said(found(one, two), "telemetry.throttled") == [
        ("warning", "clock throttling: temperature for 1 of 5 s on GPU-33333333 (counted by the driver)")
    ]


def test_errors_of_the_driver_until_the_end_of_the_window_are_named() -> None:
    events = tuple(
        DeviceEvent(t, f"xid {number}", 9) for t, number in ((5.0, 79), (-0.5, 31), (6.0, 79), (7.5, 48))
    )
    findings = found(replace(device(), events=events))
    assert said(findings, "telemetry.xid") == [
        ("warning", "GPU-1111: the driver reported XID 79, 31, first 0.5 s before the first step")
    ]
    assert not said(findings, "telemetry.device-lost")


def test_a_mask_too_large_for_a_float_is_ignored() -> None:
    assert found(device(throttle_reasons=inside(float(2**62)))) == ()


@pytest.mark.parametrize(
    ("limit", "mask", "expected"),
    [
        (700, 0x4, []),
        (698, 0x4, []),
        (
            500,
            0x4,
            [
                (
                    "warning",
                    "GPU-1111: power limit 500 W is below the default 700 W; reached in 50.0% of samples",
                )
            ],
        ),
        (
            500,
            0x0,
            [("note", "GPU-1111: power limit 500 W is below the default 700 W; reached in 0.0% of samples")],
        ),
    ],
)
def test_a_lowered_power_limit_is_a_warning_if_it_was_reached(
    limit: int, mask: int, expected: list[tuple[str, str]]
) -> None:
    # Limits are read about once a second: here once, before the measured steps began.
    seldom = np.where(np.arange(len(T)) == 12, 1.0, np.nan)
    findings = found(
        device(throttle_reasons=inside(mask, 0), power_limit=seldom * limit, power_limit_default=seldom * 700)
    )
    assert said(findings, "telemetry.power-capped") == expected
    is_capped = bool(expected) and expected[0][0] == "warning"
    assert bool(said(findings, "telemetry.throttled")) == (mask == 0x4 and not is_capped)


def test_a_lowered_limit_without_reasons_is_a_warning() -> None:
    findings = found(device(power_limit=inside(500, before=500), power_limit_default=inside(700)))
    assert said(findings, "telemetry.power-capped") == [
        (
            "warning",
            "GPU-1111: power limit 500 W is below the default 700 W; not recorded whether it was reached",
        )
    ]


def mhz(*values: float) -> list[float]:
    return [value * 1e6 for value in inside(*values, before=300)]


# A clock that is 15 MHz or 1 % away has not left the lock; an idle device may lower it.
@each_row(
    [
        (1410, mhz(1410, 1395), 0, ""),
        (2000, mhz(2000, 1980), 0, ""),
        (
            1410,
            mhz(1410, 1410, 1410, 1410, 1005),
            0x40,
            "the lock of 1410 MHz in 20.0% of samples, by up to 405 MHz",
        ),
        (1410, mhz(1410, 1440), 0, "the lock of 1410 MHz in 50.0% of samples, by up to 30 MHz"),
        (1410, mhz(210), 0x1, ""),
        (
            "base",
            mhz(1275, 1275, 1275, 1275, 1200),
            0,
            "the lock of 1275 MHz in 20.0% of samples, by up to 75 MHz",
        ),
        ("base", mhz(1275), 0, ""),
        ("of the vendor", mhz(1275, 1200), 0, ""),
        (None, mhz(1275, 1200), 0, ""),
    ]
)
def test_a_clock_that_leaves_its_lock_is_a_warning(
    lock: int | str | None, clocks: list[float], mask: int, message: str
) -> None:
    factors = {} if lock is None else {"locked_clock_mhz": lock}
    findings = found(device(sm_clock=clocks, throttle_reasons=inside(mask)), factors=factors)
    expected = [("warning", f"GPU-1111: the SM clock left {message}")] if message else []
    assert said(findings, "telemetry.clock-lock") == expected


def test_other_processes_are_counted_in_the_window() -> None:
    there = device(foreign_processes=inside(0, 2), foreign_memory=inside(0, 3 * 2**30))
    assert said(found(there), "telemetry.other-process") == [
        ("warning", "GPU-1111: up to 2 other processes using up to 3 GiB")
    ]
    gone = np.where(T < 1, 1.0, 0.0)
    assert not said(found(device(foreign_processes=gone)), "telemetry.other-process")
    # Read once, before the steps: then it holds until something else is read.
    assert said(
        found(device(foreign_processes=np.where(T < -0.9, 1.0, np.nan))), "telemetry.other-process"
    ) == [("warning", "GPU-1111: up to 1 other process")]


def test_an_idle_device_or_a_wait_for_data_hints_at_the_host() -> None:
    idle = device(utilization=inside(1.0, 0.6), throttle_reasons=inside(0, 0, 0, 0, 0x1))
    loading = series([0.25] * 7, "data_loading")
    assert said(found(idle, loading), "telemetry.host-bound") == [
        (
            "note",
            "possible host bottleneck: utilisation is 80.0%; device idle in 20.0% of samples; "
            "waiting for data takes 25.0% of the step time",
        )
    ]
    assert not said(
        found(device(utilization=inside(0.95)), series([0.05] * 7, "data_loading")), "telemetry.host-bound"
    )


def test_runs_without_telemetry_get_no_finding_about_data_waits() -> None:
    assert not found(series([0.25] * 7, "data_loading"))


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([(4.5, "lost")], ["GPU-1111: lost by the driver 4.5 s after the first step"]),
        ([(0.5, "reset")], ["GPU-1111: reset requested by the driver 0.5 s after the first step"]),
        ([(0.5, "lost"), (1.5, "returned")], []),
        ([(0.5, "lost"), (2.5, "returned")], ["GPU-1111: lost by the driver 0.5 s after the first step"]),
        (
            [(3.0, "lost"), (4.0, "returned"), (5.0, "lost")],
            ["GPU-1111: lost by the driver 3 s after the first step"],
        ),
        ([(7.5, "lost")], []),
    ],
)
def test_a_device_that_was_lost_during_the_measured_steps_is_named(
    events: list[tuple[float, str]], expected: list[str]
) -> None:
    one = replace(device(), events=tuple(DeviceEvent(t, name, 9) for t, name in events))
    findings = [each for each in found(one) if each.rule == "telemetry.device-lost"]
    assert [each.message for each in findings] == expected
    assert all(each.source is not None and each.source.line == 9 for each in findings)


def test_a_device_that_was_lost_before_its_first_sample_is_named_too() -> None:
    lost = replace(telemetry("GPU-1", [], power=[]), events=(DeviceEvent(-1.0, "lost", 4),))
    assert set(rules(found(lost))) == {"telemetry.device-lost", "telemetry.coverage"}


@pytest.mark.parametrize(
    ("t", "expected"),
    [
        (np.arange(0.05, 8, 0.5).tolist(), []),
        # From 2 to 7 s every second sample is one second apart, but 4.5 to 6.5 are missing.
        ([0.5, 1.5, 2.5, 3.5, 4.5, 6.51, 7.5], ["GPU-1: 4 samples in 5 s; 59.8% of the window covered"]),
        (np.arange(0, 10, 2.5).tolist(), ["GPU-1: 2 samples in 5 s; 100.0% of the window covered"]),
        ([1.0], ["GPU-1: 0 samples in 5 s; 0.0% of the window covered"]),
    ],
)
def test_samples_that_do_not_cover_the_window_are_a_note(t: list[float], expected: list[str]) -> None:
    findings = found(telemetry("GPU-1", t, power=[1.0] * len(t)))
    assert messages(findings, "telemetry.coverage") == expected


def test_telemetry_on_another_clock_has_no_findings_about_the_steps() -> None:
    hot = telemetry(throttle_reasons=[0x40] * 9)
    assert found(hot) == ()
    assert found(device(throttle_reasons=[0x40] * len(T)), steps=series([1.0] * 7)) == ()


def test_power_has_the_same_telemetry_findings_as_step_time() -> None:
    one = run(STEPS, device(power=inside(300), throttle_reasons=inside(0x40)))
    measured = measure_run(one, "power", "step", FIVE)
    assert measured is not None
    assert (measured.value, rules(measured.findings)) == (300.0, ["telemetry.throttled"])


# An evaluation from 4 to 14 s, after step 4: the device idles in it, which is none of the steps' business.
PAUSED = series([1.0] * 7, begin=[0, 1, 2, 3, 14, 15, 16], breaks=(Break(4, "evaluation", 10.0),))


def test_samples_taken_between_the_measured_steps_do_not_count() -> None:
    t = np.arange(0.05, 17, 0.1)
    working = (t < 4) | (t > 14)
    one = telemetry(
        "GPU-1",
        t,
        power=np.where(working, 400.0, 80.0),
        utilization=working.astype(float),
        throttle_reasons=np.where(working, 0, 0x1),
    )
    assert rules(found(one, steps=PAUSED)) == ["protocol.gap"]  # the declared break
    measured = measure_run(run(PAUSED, one), "power", "step", FIVE)
    assert measured is not None
    assert measured.value == pytest.approx(400)


def test_samples_are_assigned_to_the_steps_at_their_time() -> None:
    laid = window(run(PAUSED), [PAUSED], FIVE)
    assert laid is not None
    t = np.array([1.9, 2.0, 3.5, 4.5, 13.9, 14.5, 17.0, 17.1])
    assert during(t, laid.ranks[0]).tolist() == [False, True, True, False, False, True, True, False]
    assert measured_before(t, laid.ranks[0]).tolist() == pytest.approx([0, 0, 1.5, 2, 2, 2.5, 5, 5])


def energy_per_sample(one: Run) -> float | None:
    measured = measure_run(one, "energy_per_sample", "step", FIVE)
    return measured.value if measured else None


def counter(watts: Sequence[float], t: Sequence[float], start: float = 1e6) -> list[float]:
    """Return the readings of a counter of a device that draws `watts[i]` W from t[i] to t[i + 1]."""
    return [start, *(start + np.cumsum(np.array(watts) * np.diff(t)))]


def test_energy_per_sample_is_power_by_the_counters_over_the_rate_of_samples() -> None:
    # 300 W and 100 W together, 5 s of measured steps, 40 samples: 400 x 5 / 40. Before the steps it was 50 W.
    t = [1.2, 2.2, 4.2, 6.2, 8.2]
    one = telemetry("0", t, energy=counter([50, 300, 300, 900], t))
    two = telemetry("1", t, energy=counter([50, 100, 100, 100], t))
    both = run(STEPS, one, two, samples_per_step=8)
    assert energy_per_sample(both) == pytest.approx(50.0)
    assert ("energy_per_sample", "step") in available_metrics(both)


def test_the_energy_of_the_cpus_is_not_added_to_the_energy_of_the_gpu() -> None:
    # 5 s of measured steps: 300 W of the GPU; 100 W and 50 W of two packages, whose readings miss the borders.
    t = np.arange(0.25, 9.0, 0.5)
    gpu = telemetry("GPU-1", t, energy=counter([300] * (len(t) - 1), t.tolist()))
    cpus = [
        telemetry(f"CPU-package-{n}", t, cpu_energy=counter([watts] * (len(t) - 1), t.tolist()))
        for n, watts in enumerate((100, 50))
    ]
    both = run(STEPS, gpu, *cpus, samples_per_step=8, ranks=1)
    energies = [attempt(both, metric, "step", FIVE)[0] for metric in ("energy", "cpu_energy")]
    assert [each and each.value for each in energies] == [pytest.approx(1500), pytest.approx(750)]
    assert energy_per_sample(both) == pytest.approx(1500 / 40)


def test_a_cpu_has_no_finding_of_a_gpu() -> None:
    # A device with 2 samples in the window would not cover it.
    few = telemetry("CPU-package-0", [2.5, 3.5], cpu_energy=[1.0, 2.0])
    busy = device(utilization=inside(1.0), throttle_reasons=inside(0x40))
    assert found(few) == found()
    assert found(busy, few) == found(busy)


def test_energy_of_pauses_does_not_count() -> None:
    # 400 W in the steps, 80 W in the pause; readings that straddle its borders are left out.
    t = [2.0, 2.9, 3.9, 4.9, 13.5, 14.5, 15.5, 16.5]
    one = telemetry("0", t, energy=counter([400, 400, 112, 80, 240, 400, 400], t))
    assert energy_per_sample(run(PAUSED, one, samples_per_step=8)) == pytest.approx(400 / 8)


@pytest.mark.parametrize(
    ("t", "energy"),
    [
        ([3.0, 4.0, 9.0], [1.0, 2.0, 3.0]),  # only 1 of 5 s was seen
        ([2.0, 4.0, 7.0], [9.0, 1.0, 2.0]),  # set back
        ([3.0], [1.0]),
    ],
)
def test_a_counter_that_did_not_see_the_steps_gives_no_energy_per_sample(
    t: list[float], energy: list[float]
) -> None:
    one = run(STEPS, telemetry("0", t, energy=energy), samples_per_step=8)
    assert messages(attempt(one, "energy_per_sample", "step", FIVE)[1], "protocol.no-number") == [
        "energy counter was not read, or was reset, during most of the measured steps"
    ]


def test_without_samples_or_counters_there_is_no_energy_per_sample() -> None:
    t = [2.0, 4.0, 7.0]
    for one in (
        run(STEPS, telemetry("0", t, energy=[0.0, 1.0, 2.0])),
        run(STEPS, device(), samples_per_step=8),
    ):
        assert energy_per_sample(one) is None
        assert ("energy_per_sample", "step") not in available_metrics(one)


@pytest.mark.parametrize(("rate", "counted"), [("token_throughput", "tokens"), ("flops", "operations")])
def test_a_rate_of_work_is_the_work_of_the_window_over_its_time(rate: str, counted: str) -> None:
    # Two ranks, 100 + 50 a step; the slower rank takes 10 s for the five measured steps.
    ranks = [series([1.0] * 7), series([2.0] * 7, rank=1)]
    work = [series([100.0] * 7, metric=counted), series([50.0] * 7, metric=counted, rank=1)]
    one = run(*ranks, *work)
    measured = measure_run(one, rate, "step", FIVE)
    assert measured is not None
    assert measured.value == pytest.approx(5 * 150 / 10)
    assert (rate, "step") in available_metrics(one)
    assert (counted, "step") not in available_metrics(one)
    assert measure_run(run(*ranks, work[0]), rate, "step", FIVE) is None
