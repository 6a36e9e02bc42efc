"""Cells of CSV files: types, numbers with units, lines."""

import pytest

from reportgen.formats.fragments.cells import quantity, rows, typed


@pytest.mark.parametrize(("text", "expected"), [
    ("8", 8), ("-3", -3), ("1.50", 1.5), ("1e3", 1000.0), (".5", 0.5), ("fp32", "fp32"), ("", ""),
    ("nan", "nan"), ("inf", "inf"), ("1e999", "1e999"), ("1_000", "1_000"),
    ("1234567890123456789", "1234567890123456789"),  # no count has 19 digits, a serial number may
])
def test_cells_are_typed(text: str, expected: object) -> None:
    assert typed(text) == expected
    assert type(typed(text)) is type(expected)


@pytest.mark.parametrize(("text", "expected"), [
    ("2.5", (2.5, "s")), ("222.7ms", (222.7, "ms")), ("45 %", (45.0, "%")), ("2,557", (2557.0, "s")),
    ("1e-3", (0.001, "s")), ("1.2.3", None), ("OOM", None), ("3 furlongs", None), ("", None), ("1e999", None),
    ("1" * 65, None),
])
def test_a_quantity_may_carry_its_own_unit(text: str, expected: tuple[float, str] | None) -> None:
    assert quantity(text, "s") == expected


def test_rows_know_the_line_they_begin_in() -> None:
    text = 'a,b\n\n"x\ny", 2\r\n , \n3,4'
    assert list(rows(text)) == [(1, ["a", "b"]), (3, ["x\ny", "2"]), (6, ["3", "4"])]
