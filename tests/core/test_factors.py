"""Factors: which values are equal, how they are ordered, which conditions they match."""

import pytest

from reportgen.core.factors import (
    can_both_match,
    factor_key,
    factors_key,
    is_factor_value,
    matches,
    natural_key,
    parse_scalar,
    value_order,
)
from reportgen.core.model import FactorValue
from tests.each_of import each_row


def test_numbers_equal_numbers_but_not_booleans_or_texts() -> None:
    assert factor_key(1) == factor_key(1.0)
    assert len({factor_key(value) for value in (1, True, "1", "True")}) == 4
    assert factors_key({"a": 1, "b": "x"}) == factors_key({"b": "x", "a": 1.0})


@pytest.mark.parametrize(
    ("value", "is_one"),
    [(1, True), (0.5, True), (True, True), ("x", True), (2**63, False), (float("nan"), False), (None, False)],
)
def test_a_factor_value_is_text_or_a_finite_number_of_64_bits(value: object, is_one: bool) -> None:
    assert is_factor_value(value) is is_one


@each_row(
    [
        ("8", 8),
        ("-1", -1),
        ("0.5", 0.5),
        ("1.10", "1.10"),
        ("1e3", "1e3"),
        ("00123", "00123"),
        ("fp16", "fp16"),
        ("1" * 19, "1" * 19),
        ("", ""),
        ("-0", "-0"),
    ]
)
def test_only_text_as_str_writes_numbers_becomes_a_number(text: str, value: FactorValue) -> None:
    assert factor_key(parse_scalar(text)) == factor_key(value)


def test_texts_are_sorted_with_numbers_by_size() -> None:
    assert sorted(["r10", "r2", "a#10", "a#9", "r"], key=natural_key) == ["a#9", "a#10", "r", "r2", "r10"]
    keys = [factor_key(value) for value in ("b", "A10", "a2", True, 16, 2.5, "9" * 5000)]
    assert [value for _, value in sorted(keys, key=value_order)] == [
        True, 2.5, 16, "9" * 5000, "a2", "A10", "b",
    ]  # fmt: skip


def test_a_condition_needs_every_factor_with_an_accepted_value() -> None:
    where = {"devices": (1, 8), "precision": ("fp32",)}
    assert matches({"devices": 8.0, "precision": "fp32", "model": "x"}, where)
    assert not matches({"devices": True, "precision": "fp32"}, where)
    assert not matches({"devices": 8}, where)
    assert matches({}, {})


def test_two_conditions_can_both_match_unless_a_shared_factor_differs() -> None:
    assert can_both_match({"devices": (1, 8)}, {"devices": (8,), "precision": ("fp32",)})
    assert can_both_match({"devices": (1,)}, {"precision": ("fp32",)})
    assert not can_both_match({"devices": (1,)}, {"devices": ("1",)})
