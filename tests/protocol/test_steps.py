"""Entries by step number: unordered, repeated, overlapping and missing ones."""

import math

import numpy as np
import pytest

from reportgen.protocol.steps import common_entries, entries_within, exact_sum, measurable_entries
from tests.builders import series


def test_entries_come_in_the_order_of_their_steps() -> None:
    found = measurable_entries(series([3.0, 1.0, 2.0], step=[3, 1, 2]))
    assert found.last.tolist() == [1, 2, 3]
    assert found.value.tolist() == [1.0, 2.0, 3.0]
    assert found.line.tolist() == [3, 4, 2]


def test_the_first_entry_of_a_step_logged_twice_counts() -> None:
    found = measurable_entries(series([1.0, 2.0, 9.0, 3.0], step=[1, 2, 2, 3]))
    assert found.value.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("step", "span", "kept"),
    [
        ([10, 20, 25, 30], [10, 10, 10, 10], [10, 20, 30]),  # 16..25 begins in 11..20, which came first
        ([10, 25, 20, 30], [10, 10, 10, 10], [10, 25]),  # 16..25 came before 11..20 and 21..30
        ([1, 2, 10], [1, 1, 10], [1, 2]),
    ],
)
def test_no_two_entries_share_a_step(step: list[int], span: list[int], kept: list[int]) -> None:
    assert measurable_entries(series([1.0] * len(step), step=step, span=span)).last.tolist() == kept


def test_values_that_were_not_measured_are_dropped() -> None:
    found = measurable_entries(series([1.0, math.nan, -1.0, math.inf, 0.0]))
    assert found.last.tolist() == [1, 5]


def test_ranks_are_compared_over_the_steps_that_all_of_them_have() -> None:
    ranks = common_entries(
        [measurable_entries(series([1.0] * 5)), measurable_entries(series([1.0] * 3, step=[2, 3, 7], rank=1))]
    )
    assert [rank.last.tolist() for rank in ranks] == [[2, 3], [2, 3]]


def test_entries_of_other_lengths_are_not_common() -> None:
    ranks = common_entries(
        [
            measurable_entries(series([1.0, 1.0], span=5)),
            measurable_entries(series([1.0, 1.0], step=[5, 10], span=[5, 1], rank=1)),
        ]
    )
    assert [rank.last.tolist() for rank in ranks] == [[5], [5]]


def test_an_entry_is_within_others_only_as_a_whole() -> None:
    measured = measurable_entries(series([1.0] * 4, step=[1, 2, 4, 5]))
    assert entries_within(measurable_entries(series([1.0] * 6)), measured).last.tolist() == [1, 2, 4, 5]
    assert entries_within(measurable_entries(series([1.0] * 3, span=2)), measured).last.tolist() == [2]
    assert (
        entries_within(measurable_entries(series([1.0])), measurable_entries(series([]))).last.tolist() == []
    )


def test_a_sum_beyond_all_numbers_is_not_a_number() -> None:
    assert math.isnan(exact_sum(np.array([1e308, 1e308])))
    assert math.isnan(exact_sum([math.inf, -math.inf]))
    assert exact_sum([0.1] * 10) == 1.0
