"""Timestamps without date or year: midnight, New Year, belated lines."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.formats.parsing import timestamps
from tests.each_of import each_row


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([], []),
        ([b"10:00:00"], [36000]),
        ([b"10:00:00,250", b"10:00:01.5"], [36000.25, 36001.5]),
        ([b"23:59:59.5", b"00:00:00.5"], [86399.5, 86400.5]),
        (
            [b"23:59:59", b"00:00:01", b"23:59:58", b"00:00:02"],
            [86399, 86401, 86398, 86402],
        ),  # ranks interleave
        ([b"18:00:00", b"02:00:00", b"18:00:00", b"02:00:00"], [64800, 93600, 151200, 180000]),  # two nights
        ([b"10:00:01", b"10:00:00"], [36001, 36000]),  # out of order, but no midnight
    ],
)
def test_times_of_day_continue_over_midnight(texts: list[bytes], expected: list[float]) -> None:
    np.testing.assert_allclose(timestamps.of_day(texts), np.array(expected, dtype=float))


@each_row(
    [
        ([], []),
        ([b"0826 15:12:50.113950"], [54770.11395]),
        ([b"0826 23:59:59.0", b"0827 00:00:01.0"], [86399, 86401]),
        ([b"0131 00:00:00.0", b"0201 00:00:00.0"], [0, 86400]),
        ([b"0228 00:00:00.0", b"0301 00:00:00.0"], [0, 86400]),
        ([b"0228 00:00:00.0", b"0229 00:00:00.0", b"0301 00:00:00.0"], [0, 86400, 172800]),
        ([b"1231 23:59:59.0", b"0101 00:00:01.0"], [86399, 86401]),
        ([b"0826 00:00:00.0", b"0829 00:00:00.0"], [0, 3 * 86400]),
    ]
)
def test_month_and_day_continue_over_the_year(texts: list[bytes], expected: list[float]) -> None:
    np.testing.assert_allclose(timestamps.of_month_and_day(texts), np.array(expected, dtype=float))


def test_durations_are_read_and_a_part_that_is_missing_is_zero() -> None:
    texts = [b"8:07", b"1:08:07", b"2 days, 1:08:07.5", None, b"::::", b"1::7"]
    assert timestamps.elapsed(texts).tolist() == [487, 4087, 176887.5, 0, 0, 3607]


@given(st.floats(0, 86399), st.lists(st.floats(0, 43000), max_size=30))
def test_steps_of_less_than_half_a_day_are_recovered(start: float, steps: list[float]) -> None:
    true = start + np.cumsum([0.0, *steps])
    texts = [b"%02d:%02d:%09.6f" % (s // 3600, s // 60 % 60, s % 60) for s in (true % 86400).tolist()]
    np.testing.assert_allclose(timestamps.of_day(texts), true, atol=1e-5)


def test_a_timestamp_before_a_record_is_in_the_same_line() -> None:
    content = b"[10:00:00] x\rnothing here\n[10:00:01] record\n"
    pattern = re.compile(rb"\[([0-9:]{8})\]")
    assert timestamps.before(content, np.array([content.index(b"record")]), pattern) == [b"10:00:01"]
    assert timestamps.before(content, np.array([content.index(b"here")]), pattern) is None


@pytest.mark.parametrize("count", [1, 500, 501, 5000])
def test_invalid_dates_give_no_time_in_logs_of_any_length(count: int) -> None:
    # NumPy 2.4 crashed here where there were more than 500.
    found = timestamps.moments([b"2021-06-26 23:13:00.000000"] * count + [b"2021-99-26 23:13:00.000000"])
    assert np.isnat(found).tolist() == [False] * count + [True]
    assert found[0] == np.datetime64("2021-06-26T23:13:00", "us")
