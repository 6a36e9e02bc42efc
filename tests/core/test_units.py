"""Conversion to base units and to display units, one line a case."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.core.units import choose, find, known_units, machine, rate_unit, text, to_base
from tests.each_of import each_row


@each_row(
    [
        (1.5, "ms", (0.0015, "s")),
        (2, "GiB", (2 * 2**30, "B")),
        (2, "GB", (2e9, "B")),
        (35, "%", (0.35, "ratio")),
        (1410, "MHz", (1.41e9, "Hz")),
        (2, "kWh", (7.2e6, "J")),
        (312, "TFLOP/s", (3.12e14, "FLOP/s")),
        (100, "images/s", (100, "samples/s")),
        (100, "img/s", (100, "samples/s")),
        (100, "seq/sec", (100, "samples/s")),
        (2, "kimages/s", (2000, "samples/s")),
        (2, "Mtok/s", (2e6, "samples/s")),
        (2, "ktokens/sec", (2000, "samples/s")),
        (2, "Melem/s", (2_000_000, "samples/s")),
        (2, "Kelements/s", (2000, "samples/s")),
        (2, "Gcells/s", (2e9, "samples/s")),
        (2, "keys/s", (2, "samples/s")),
        (2, "kernels/s", (2, "samples/s")),
        (3, "TB/s", (3e12, "B/s")),
        (8, "Gbit/s", (1e9, "B/s")),
        (7, "furlong", (7, "furlong")),  # unknown units pass through
        (7, "m/s", (7, "m/s")),
        (7, "km/s", (7, "km/s")),
        (7, "EB/s", (7, "EB/s")),
        (7, "TFLOPs/s", (7, "TFLOPs/s")),
        (7, "ms/s", (7, "ms/s")),
    ]
)
def test_values_are_converted_to_base_units(value, unit, expected):
    got, base = to_base(value, unit)
    assert (got, base) == (pytest.approx(expected[0]), expected[1])


@each_row(
    [
        ([0.0015, 0.002], "s", "ms"),
        ([0.9, 1.5, 30], "s", "s"),
        ([3e-7], "s", "ns"),
        ([2**31], "B", "GiB"),
        ([0.5], "ratio", "%"),
        ([], "s", "s"),
        ([0.0, math.nan, math.inf], "s", "s"),
        ([1e9], "count", "count"),
        ([5.0], "furlong", "furlong"),
        ([1.118e12, 2.4e12], "B/s", "TB/s"),
        ([2.2e10], "B/s", "GB/s"),
    ]
)
def test_the_display_unit_follows_the_median_magnitude(values, base, unit):
    assert choose(values, base).name == unit


@each_row(
    [
        (12411.97, 4, None, "12,412"),
        (397.64, 4, None, "397.6"),
        (0.0559, 3, None, "0.0559"),
        (9.9996, 4, None, "10.00"),
        (0, 4, None, "0"),
        (1234567, 2, None, "1,234,567"),
        (1.005, 4, 2, "1.01"),  # the double is below 1.005, its 12 digits are not
        (5.8355, 4, None, "5.836"),
        (0.0058355 / 1e-3, 4, None, "5.836"),  # 5.835500000000001
        (5.8345, 4, None, "5.835"),
        (5.83549, 4, None, "5.835"),
        (-2.5, 4, 0, "-3"),
        (9.9995, 4, None, "10.00"),
        (123456789012345.0, 4, None, "123,456,789,012,345"),
        (-0.001, 4, 2, "0.00"),
        (-1.5, 2, None, "-1.5"),
        (math.nan, 4, None, "-"),
        (math.inf, 4, None, "-"),
    ]
)
def test_displayed_numbers_keep_their_digits(value, digits, decimals, shown):
    assert text(value, digits=digits, decimals=decimals) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.1 + 0.2, "0.3"),
        (1 / 3, "0.333333333333"),
        (-0.0, "0"),
        (1e20, "1e+20"),
        (math.nan, ""),
        (128.0, "128"),
    ],
)
def test_exported_numbers_have_twelve_digits(value, shown):
    assert machine(value) == shown


@given(st.floats(1e-200, 1e200))
def test_exported_numbers_can_be_read_back(value):
    assert float(machine(value)) == pytest.approx(value, rel=1e-11)


@given(st.integers(-99_999, 99_999).map(lambda n: n / 10_000 + 0.00005), st.sampled_from([1, 1e-3, 1e-6]))
def test_a_half_is_shown_alike_from_the_value_and_from_its_exported_digits(half, factor):
    value = half * factor
    assert text(value / factor, decimals=4) == text(float(machine(value)) / factor, decimals=4)


@pytest.mark.parametrize(("item", "unit"), [("image", "images/s"), ("tokens", "tokens/s"), ("", "samples/s")])
def test_a_rate_is_named_after_its_items(item, unit):
    assert rate_unit(item) == unit


def test_every_known_unit_is_found():
    assert all(find(name) for name in known_units())
    assert find("9/s") is None
    assert [find(name) for name in ("G bits/s", "M bytes/s", "G flops/s")] == [None] * 3
