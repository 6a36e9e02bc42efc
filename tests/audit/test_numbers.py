"""Numbers as people write them."""

import pytest

from reportgen.audit.numbers import is_missing, parse_number, parse_numbers, unit_of_heading
from tests.each_of import each_of, each_row


@each_row(
    [
        ("12,411.97", 12411.97, 0.005, ""),
        ("1 234", 1234, 0.5, ""),
        ("1.234,56", 1234.56, 0.005, ""),
        ("0,0559", 0.0559, 0.00005, ""),
        ("3,4", 3.4, 0.05, ""),
        ("12.4k", 12400, 50, ""),
        ("1.2e-3", 0.0012, 0.00005, ""),
        ("18.6×", 18.6, 0.05, "x"),
        ("42 %", 42, 0.5, "%"),
        ("12.3 ms", 12.3, 0.05, "ms"),
        ("9,962 images/sec", 9962, 0.5, "images/sec"),
        ("397.64 ± 0.3", 397.64, 0.005, ""),
        ("≈ 12.5", 12.5, 0.05, ""),
        ("12.3†", 12.3, 0.05, ""),
        ("12.3 [1]", 12.3, 0.05, ""),
        ("-0.5", -0.5, 0.05, ""),
    ]
)
def test_a_number_has_a_value_a_precision_and_a_unit(text, value, half, unit):
    number = parse_number(text)
    assert (number.value, number.half, number.unit) == (pytest.approx(value), pytest.approx(half), unit)


def test_final_zeros_of_an_integer_may_be_rounding():
    assert parse_number("12,000").coarse == 500
    assert parse_number("12,000.0").coarse == 0.05
    assert parse_number("10000").coarse == 500


def test_a_cell_may_have_a_second_number_in_parentheses():
    assert [(each.value, each.unit) for each in parse_numbers("12.3 (1.5x)")] == [(12.3, ""), (1.5, "x")]


@each_of(["", "V100", "8x V100", "2020-10-01", "1n1g", "3.2.1", "12 monkeys", "9" * 50])
def test_other_texts_are_not_numbers(text):
    assert parse_numbers(text) == []


@pytest.mark.parametrize("text", ["", "-", "–", "n/a", "OOM", "TBD", "..."])
def test_some_texts_say_that_there_is_no_number(text):
    assert is_missing(text)


@pytest.mark.parametrize(
    ("heading", "unit"),
    [
        ("Forward (ms)", "ms"),
        ("Throughput [img/s]", "img/s"),
        ("data_loading_s", "s"),
        ("Memory, MiB", "MiB"),
        ("images per second", "images per second"),
        ("Data Loading Time", ""),
        ("devices", ""),
    ],
)
def test_a_heading_may_have_a_unit(heading, unit):
    assert unit_of_heading(heading) == unit
