"""Findings of one run: steadiness, clocks, stragglers."""

import numpy as np
import pytest
from msgspec import structs

from reportgen.core.model import Finding, FloatArray, Run
from reportgen.protocol import DEFAULT, measure_run
from reportgen.protocol.run_checks import is_on_gpu
from tests.builders import messages, run, series, telemetry
from tests.each_of import each_row


def findings(found: Run, phase: str = "step") -> tuple[Finding, ...]:
    measured = measure_run(found, "step_time", phase, DEFAULT)
    assert measured is not None
    return measured.findings


def noise(n: int) -> FloatArray:
    return 1 + 0.01 * np.random.default_rng(4).standard_normal(n)


def test_a_run_that_is_steady_after_the_warmup_has_no_finding() -> None:
    assert not findings(run(series([9.0] * 20 + list(noise(200)))))


# Blocks of 10 from step 21: the first three at 1.3, the fourth starts at step 51.
def test_a_longer_warmup_is_a_finding_with_the_first_steady_step() -> None:
    assert messages(findings(run(series([1.3] * 50 + [1.0] * 170))), "protocol.not-steady") == [
        "steady only from step 51; steps 21..30 take 30.0% more time per step"
    ]


def test_a_run_that_slows_down_is_not_steady_either() -> None:
    times = [1.0] * 120 + [1.5] * 200
    (message,) = messages(findings(run(series(times))), "protocol.not-steady")
    assert message == "steady only from step 121; steps 21..30 take 33.3% less time per step"


def test_a_change_below_two_percent_is_steady_however_quiet_the_rest() -> None:
    assert not findings(run(series([1.0] * 20 + [1.019] * 30 + [1.0] * 100)))


def test_one_slow_step_or_a_late_disturbance_is_not_unsteady() -> None:
    times = noise(220)
    times[25] = 5
    times[60:80] = 1.2
    assert not messages(findings(run(series(times.tolist()))), "protocol.not-steady")


def test_fewer_than_four_blocks_are_not_checked_for_steadiness() -> None:
    found = findings(run(series([3.0] * 30 + [1.0] * 29)))
    assert not messages(found, "protocol.not-steady")


@each_row(
    [
        ("cuda", False, True),
        ("GPU", False, True),
        ("NVIDIA H200", False, True),
        ("V100 32GB", False, True),
        ("A100-SXM4-40GB", False, True),
        ("L40S", False, True),
        ("cpu", True, False),
        ("Xeon E5-2698 v4", False, False),
        ("i5-6267U", True, False),
        (None, True, True),
        (None, False, False),
    ]
)
def test_a_gpu_run_is_recognised_by_its_device_else_by_telemetry(
    device: str | None, has_telemetry: bool, expected: bool
) -> None:
    parts = [telemetry(power=[1.0])] if has_telemetry else []
    assert is_on_gpu(run(*parts, factors={"device": device} if device else {})) == expected


def test_telemetry_of_cpus_alone_is_not_a_gpu_run() -> None:
    cpu = telemetry("CPU-package-0", cpu_energy=[1.0])
    assert not is_on_gpu(run(cpu))
    assert is_on_gpu(run(cpu, telemetry("GPU-1", power=[1.0])))


def test_only_phases_of_a_gpu_on_the_host_clock_are_a_finding() -> None:
    parts = [series([1.0] * 120), series([0.5] * 120, "forward")]
    one = run(*parts, factors={"device": "cuda"})
    assert messages(findings(one, "forward"), "clock.unsynchronised") == [
        "forward: timed on the host without synchronisation; work of one phase may be counted in a later one"
    ]
    assert not findings(one)
    assert not findings(run(*parts, factors={"device": "cpu"}), "forward")


def test_the_host_clock_is_right_for_the_wait_for_data() -> None:
    one = run(series([1.0] * 120), series([0.5] * 120, "data_loading"), factors={"device": "cuda"})
    assert not findings(one, "data_loading")


def test_phases_by_events_or_synchronised_clocks_have_no_finding() -> None:
    one = run(
        series([1.0] * 120), series([0.5] * 120, "forward", clock="cuda_event"), factors={"device": "cuda"}
    )
    assert not findings(one, "forward")


@pytest.mark.parametrize(("device_time", "apart"), [(0.981, None), (0.97, "3.0%"), (1.05, "5.0%")])
def test_clocks_that_see_different_times_are_named(device_time: float, apart: str | None) -> None:
    parts = series([1.0] * 120, clock="host_synchronized"), series([device_time] * 120, clock="cuda_event")
    found = messages(findings(run(*parts)), "clock.disagreement")
    expected = (
        f"rank 0: measured steps take {100 * device_time:.4g} s by CUDA events and 100 s by the host clock "
        f"({apart} apart)"
    )
    assert found == ([expected] if apart else [])


def test_a_host_that_ran_ahead_of_the_device_is_a_note() -> None:
    (note,) = findings(run(series([0.4] * 120), series([1.0] * 120, clock="cuda_event")))
    assert (note.severity, note.rule) == ("note", "clock.disagreement")
    assert note.message == ("rank 0: measured steps take 100 s by CUDA events; the host queued them in 40 s")


def test_clocks_are_compared_over_the_steps_that_both_saw() -> None:
    half = series([1.0] * 70, clock="cuda_event")
    assert not messages(findings(run(series([1.0] * 120), half)), "clock.disagreement")


NAN = float("nan")


def test_steps_without_device_time_are_named_and_the_others_measured() -> None:
    device = series([1.0] * 30 + [NAN] * 2 + [1.0] * 20 + [NAN] + [1.0] * 67, clock="cuda_event")
    measured = measure_run(run(series([0.1] * 120), device), "step_time", "step", DEFAULT)
    assert measured is not None
    assert measured.window is not None
    assert (measured.value, measured.window.steps) == (1.0, 97)
    (finding,) = [x for x in measured.findings if x.rule == "clock.no-device-time"]
    assert (
        finding.message == "rank 0: step has no device time in 3 steps (31..32, 53); the others are measured"
    )
    assert finding.source is not None
    assert finding.source.line == 32


# The recorder did not wait for the device: the steps from 82 on have no time.
def test_steps_without_device_time_at_the_end_are_named() -> None:
    device = series([1.0] * 81 + [NAN] * 39, clock="cuda_event")
    found = findings(run(series([0.1] * 120), device))
    assert messages(found, "clock.no-device-time") == [
        "rank 0: step has no device time in 39 steps (82..120); the others are measured"
    ]
    assert messages(found, "protocol.short-window") == [
        "61 of 100 steps after a warm-up of 20 (steps 21..81)"
    ]


def test_phases_without_device_time_are_named() -> None:
    parts = (
        series([1.0] * 120, clock="cuda_event"),
        series([0.5] * 119 + [NAN], "forward", clock="cuda_event"),
    )
    assert messages(findings(run(*parts), "forward"), "clock.no-device-time") == [
        "rank 0: forward has no device time in 1 step (120); the others are measured"
    ]


# The host queues 100 steps in 1 s and then waits 99 s: only the total is right.
@pytest.mark.parametrize(
    ("idle_after", "expected"),
    [({20, 120}, "note: steps are timed on the host, which waited for the device"), (None, None)]
    + [(few, "warning: steps are timed on the host, which did not wait") for few in ({20}, {120}, set())],
)
def test_steps_on_the_host_need_a_wait_for_the_device_where_the_window_begins_and_ends(
    idle_after: set[int] | None, expected: str | None
) -> None:
    times = [0.01] * 119 + [99.01]
    idle = None if idle_after is None else frozenset(idle_after)
    steps = structs.replace(series(times), idle_after=idle)
    measured = measure_run(run(steps, factors={"device": "NVIDIA H200"}), "step_time", "step", DEFAULT)
    assert measured is not None
    found = [f"{x.severity}: {x.message}" for x in measured.findings if x.rule == "clock.unsynchronised"]
    assert len(found) == bool(expected)
    assert not expected or found[0].startswith(expected)
    if idle_after:
        assert measured.value == pytest.approx(1.0)


# Rank 1 waits 0.6 s in each step, of which CUDA events show only every second one.
def test_a_rank_without_some_of_its_times_is_not_a_straggler() -> None:
    parts = [series([1.0] * 120, rank=rank) for rank in (0, 1)]
    parts.append(series([0.6] * 120, "backward", clock="cuda_event"))
    parts.append(series([0.6, NAN] * 60, "backward", rank=1, clock="cuda_event"))
    assert not messages(findings(run(*parts)), "rank.straggler")


# Rank 1 loads data for 0.5 s, the others 0.1 s; all meet in backward, so that every step takes 1 s.
def test_the_rank_that_others_wait_for_is_named() -> None:
    parts = []
    for rank, loading in enumerate([0.1, 0.5, 0.1]):
        parts += [
            series([1.0] * 120, rank=rank),
            series([loading] * 120, "data_loading", rank=rank),
            series([0.9 - loading] * 120, "backward", rank=rank),
        ]
    assert messages(findings(run(*parts)), "rank.straggler") == [
        "rank 1 needs 0.6 s per step without waiting, the others 0.2 s (a lag of 40.0% of the step time)"
    ]


def test_a_straggler_is_named_with_its_device() -> None:
    parts = [series([1.0] * 120), series([1.0] * 120, rank=1)]
    parts += [series([0.6] * 120, "backward"), series([0.1] * 120, "backward", rank=1)]
    for key in ("rank.1.device_pci", "gpu.GPU-11111111-2222.pci"):
        environment = {"rank.1.device_uuid": "GPU-11111111-2222", key: "00000000:41:00.0"}
        (message,) = messages(findings(run(*parts, environment=environment)), "rank.straggler")
        assert message.startswith("rank 1 on GPU-11111111 (PCI 00000000:41:00.0) needs 0.9 s per step")


def test_of_two_ranks_the_slow_one_is_named_and_not_the_one_that_waits() -> None:
    parts = [series([1.0] * 120), series([1.0] * 120, rank=1)]
    parts += [series([0.6] * 120, "backward"), series([0.1] * 120, "backward", rank=1)]
    (message,) = messages(findings(run(*parts)), "rank.straggler")
    assert message.startswith("rank 1 needs 0.9 s per step without waiting, the others 0.4 s")


def test_equal_ranks_name_no_straggler() -> None:
    assert not findings(run(series([1.0] * 120), series([1.04] * 120, rank=1)))


# The first ten steps are slow, and the first line has no stamp before it.
def test_a_slow_first_line_does_not_make_printed_times_too_long() -> None:
    printed = series([30.0] + [6.0] * 13, clock="printed", span=10)
    stamps = series(
        [6.0] * 13,
        clock="timestamp",
        step=list(range(20, 150, 10)),
        span=10,
        begin=[6.0 * i for i in range(13)],
    )
    measured = measure_run(run(printed, stamps), "step_time", "step", DEFAULT)
    assert measured is not None
    assert (measured.clock, measured.value) == ("printed", pytest.approx(0.6))


# 100 steps are 100 s by their stamps, which are in whole seconds.
@pytest.mark.parametrize(
    ("printed", "severities"), [(0.98, []), (0.96, ["warning"]), (0.93, ["invalid"]), (0.5, ["invalid"])]
)
def test_printed_times_that_the_stamps_contradict_by_five_percent_are_invalid(
    printed: float, severities: list[str]
) -> None:
    found = findings(run(series([printed] * 120, clock="printed"), series([1.0] * 120, clock="timestamp")))
    assert [each.severity for each in found if each.rule == "clock.disagreement"] == severities


# 100 steps are 119 s by their stamps.
@pytest.mark.parametrize(("printed", "said"), [(1.19, False), (1.14, False), (1.03, True)])
def test_stamps_are_used_and_named_where_printed_times_leave_time_out(printed: float, said: bool) -> None:
    one = run(
        series([printed * 20] * 6, clock="printed", span=20), series([23.8] * 6, clock="timestamp", span=20)
    )
    measured = measure_run(one, "step_time", "step", DEFAULT)
    assert measured is not None
    assert (measured.clock, measured.value) == ("timestamp", pytest.approx(1.19))
    assert messages(measured.findings, "clock.disagreement") == said * [
        f"the log prints {printed:g} s per step; its timestamps are 1.19 s per step apart; the timestamps are used"
    ]


@pytest.mark.parametrize(("steps", "severities"), [(1.5, []), (0.5, ["warning"]), (0.15, ["invalid"])])
def test_a_window_that_a_second_is_much_of_is_invalid(steps: float, severities: list[str]) -> None:
    stamps = np.diff(np.floor(steps * np.arange(141)))
    found = findings(run(series(stamps.tolist(), clock="timestamp")))
    assert [each.severity for each in found if each.rule == "clock.coarse"] == severities
