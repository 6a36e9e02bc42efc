"""Steps on the clock of the device: where they begin, and which phases they did not enter."""

import numpy as np
import pytest

from reportgen.formats.native.device_time import device_begins, fill_not_entered
from reportgen.formats.native.integer_csv import ABSENT
from tests.each_of import each_row

NAN = float("nan")


@each_row(
    [
        # The host queues three steps of 10 s in 3 s, after the device is free.
        ([0, 1, 2], [1, 1, 1], [10, 10, 10], [0, 10, 20]),
        # The device waits for the host: it ends a step when the host has queued the end.
        ([0, 5, 10], [5, 5, 5], [5, 5, 5], [0, 5, 10]),
        # The first step is queued while the device still has 2 s of other work: the last border shows it.
        ([0, 1, 2], [1, 1, 28], [10, 10, 8], [2, 12, 22]),
        # After a break, the host begins another stretch; the device is not there before it has done the first.
        ([0, 1, 5, 6], [1, 1, 1, 1], [10, 10, 10, 10], [0, 10, 20, 30]),
        ([0, 1, 50, 51], [1, 1, 1, 1], [10, 10, 10, 10], [0, 10, 50, 60]),
        # A step without a time of the device has no place, and its neighbours are two stretches.
        ([0, 1, 2], [1, 1, 30], [10, NAN, 10], [0, NAN, 22]),
        ([0], [1], [NAN], [NAN]),
        ([], [], [], []),
    ]
)
def test_steps_begin_as_early_as_the_times_allow(
    begin: list[float], host: list[float], device: list[float], expected: list[float]
) -> None:
    begins, hosts, devices = (np.array(values, dtype=np.float64) for values in (begin, host, device))
    touches = np.concatenate(([False], begins[1:] == begins[:-1] + hosts[:-1]))[: len(begins)]
    np.testing.assert_array_equal(device_begins(begins, hosts, devices, touches), expected)


@pytest.mark.parametrize(
    ("count", "span", "expected"),
    [
        ([1, 0, 1, 1], [1, 1, 1, 1], [2, 0, NAN, NAN]),
        ([ABSENT] * 4, [1, 1, 1, 1], [2, 0, NAN, 0]),  # the third has a time by the other clock
        ([ABSENT] * 4, [1, 1, 1, 10], [2, 0, NAN, NAN]),
    ],
)
def test_a_phase_that_was_not_entered_took_no_time_and_one_that_was_not_measured_is_unknown(
    count: list[int], span: list[int], expected: list[float]
) -> None:
    device, host = np.array([2, NAN, NAN, NAN]), np.array([1, NAN, 1, NAN])
    filled, _ = fill_not_entered([device, host], np.array(count), np.array(span))
    np.testing.assert_array_equal(filled, expected)


def test_a_phase_that_no_step_entered_stays_unknown() -> None:
    (filled,) = fill_not_entered([np.array([NAN, NAN])], np.array([0, 0]), np.array([1, 1]))
    assert np.isnan(filled).all()
