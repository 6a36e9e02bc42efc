"""The SM clock during the measured steps. The run: 7 steps of 1 s; steps 3..7 are measured, 2 s to 7 s."""

from collections.abc import Sequence
from typing import Any

import pytest

from reportgen.core.model import Break, Run, Telemetry
from reportgen.protocol import MeasuredRun, parse_protocol
from reportgen.protocol.cycles import sm_clock
from tests.builders import run, series, telemetry

FIVE = parse_protocol("2+5x1")
BEGINS = [0, 1, 2, 3, 4, 5, 6]
T = [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5]


def device(clock: Sequence[float], name: str = "GPU-1", t: Sequence[float] = T) -> Telemetry:
    return telemetry(name, t, sm_clock=clock)


def clock_of(*devices: Telemetry, **fields: Any) -> float | None:
    return sm_clock(MeasuredRun(run(series([1.0] * 7, begin=BEGINS), *devices, **fields)), FIVE)


def test_it_is_the_mean_over_the_measured_steps_alone() -> None:
    assert clock_of(device([9e9, 9e9, 1e9, 1e9, 1e9, 1e9, 2e9, 9e9])) == 1.2e9


def test_a_sample_counts_for_the_time_around_it() -> None:
    # 1 GHz in two samples, which stand for 2 s to 3.875 s, and 2 GHz in six, for 3.875 s to 7 s.
    t = [2.5, 3.5, 4.25, 4.75, 5.25, 5.75, 6.25, 6.75]
    clock = clock_of(device([1e9, 1e9, 2e9, 2e9, 2e9, 2e9, 2e9, 2e9], t=t))
    assert clock == pytest.approx((1.875 * 1 + 3.125 * 2) / 5 * 1e9)


def test_samples_between_the_steps_do_not_count() -> None:
    # An evaluation from 4 s to 6 s, in which the clock is high.
    steps = series([1.0] * 7, begin=[0, 1, 2, 3, 6, 7, 8], breaks=(Break(4, "evaluation", 2.0),))
    t = [2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5]
    other = run(steps, device([1e9, 1e9, 5e9, 5e9, 1e9, 1e9, 1e9], t=t))
    assert sm_clock(MeasuredRun(other), FIVE) == pytest.approx(1e9)


def test_ranks_wait_for_the_slowest_device() -> None:
    assert clock_of(device([2e9] * 8), device([1e9] * 8, "GPU-2"), ranks=2) == 1e9


def of_rank_0(**fields: Any) -> Run:
    environment = {"rank.0.device_uuid": "GPU-1"}
    devices = device([2e9] * 8), device([1e9] * 8, "GPU-2")
    return run(series([1.0] * 7, begin=BEGINS), *devices, environment=environment, **fields)


def test_devices_that_no_rank_used_do_not_count() -> None:
    assert sm_clock(MeasuredRun(of_rank_0(ranks=1)), FIVE) == 2e9


@pytest.mark.parametrize(
    ("devices", "fields"),
    [
        ((), {}),
        ((device([2e9] * 8), device([1e9] * 8, "GPU-2")), {}),  # which of the two was used?
        ((device([2e9] * 8),), {"ranks": 2}),
        ((device([2e9] * 2, t=[2.5, 3.0]),), {}),  # one of five seconds was sampled
        ((device([float("nan")] * 8),), {}),
        ((device([0.0] * 8),), {}),
        ((telemetry("GPU-1", sm_clock=[2e9] * 8),), {}),  # on another clock than the steps
    ],
)
def test_it_is_unknown(devices: tuple[Telemetry, ...], fields: dict[str, Any]) -> None:
    assert clock_of(*devices, **fields) is None
