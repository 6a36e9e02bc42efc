"""Cells of CSV files: types, numbers with units, lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.core.factors import parse_scalar
from reportgen.formats.parsing.csv_cells import number, quantity, rows
from tests.each_of import each_row


@each_row(
    [
        ("8", 8),
        ("-3", -3),
        ("1.5", 1.5),
        ("-0.25", -0.25),
        ("2.0", 2.0),
        ("0", 0),
        ("fp32", "fp32"),
        ("", ""),
        ("1.50", "1.50"),
        ("1.10", "1.10"),
        ("00123", "00123"),
        ("+8", "+8"),
        ("-0", "-0"),
        (".5", ".5"),
        ("5.", "5."),
        ("1e3", "1e3"),
        ("2e1", "2e1"),
        ("nan", "nan"),
        ("inf", "inf"),
        ("1e999", "1e999"),
        ("1_000", "1_000"),
        (
            "1234567890123456789",
            "1234567890123456789",
        ),  # a serial number may have 19 digits, a count does not
    ]
)
def test_cells_are_typed(text: str, expected: object) -> None:
    assert parse_scalar(text) == expected
    assert type(parse_scalar(text)) is type(expected)


@each_row(
    [
        ("2.5", (2.5, "s")),
        ("222.7ms", (222.7, "ms")),
        ("45 %", (45.0, "%")),
        ("2,557", (2557.0, "s")),
        ("1e-3", (0.001, "s")),
        ("1.2.3", None),
        ("OOM", None),
        ("3 furlongs", None),
        ("", None),
        ("1e999", None),
        ("1" * 65, None),
        ("1,234,567.5", (1234567.5, "s")),
        ("12,5", None),
        ("3,14", None),
        ("1,2,3", None),
        ("1234,567", None),
        (",5", None),
        ("1,", None),
    ]
)
def test_a_quantity_may_have_its_own_unit(text: str, expected: tuple[float, str] | None) -> None:
    assert quantity(text, "s") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("8", 8.0), ("08", 8.0), ("1e3", 1000.0), ("1,024", 1024.0), ("2 ms", None), ("x", None), ("", None)],
)
def test_a_number_may_be_written_in_any_notation(text: str, expected: float | None) -> None:
    assert number(text) == expected


@given(st.from_regex(r"[0-9.,eE+-]{0,24}", fullmatch=True))
def test_no_two_texts_become_the_same_value(text: str) -> None:
    assert str(parse_scalar(text)) == text


def test_rows_have_the_line_they_start_in() -> None:
    text = 'a,b\n\n"x\ny", 2\r\n , \n3,4'
    assert list(rows(text)) == [(1, ["a", "b"]), (3, ["x\ny", "2"]), (6, ["3", "4"])]
