"""Patterns written as the line looks."""

import pytest

from reportgen.formats.dlperf.printed_settings import is_set, number, settings
from reportgen.formats.parsing.line_pattern import line_pattern


@pytest.mark.parametrize(
    ("template", "line", "expected"),
    [
        ("iter {step:int}, rate: {rate}", b"iter 20, rate: 1.5e3", {"step": b"20", "rate": b"1.5e3"}),
        ("a {..}b {x}", b"a lots of 7 things b 8", {"x": b"8"}),
        ("| {x}  | {:int}  |", b"| 1.5      | 20 |", {"x": b"1.5"}),
        ("(ms) {t:stamp}", b"(ms) 2021-12-01 13:19:02.625", {"t": b"2021-12-01 13:19:02.625"}),
        ("{t:epoch} loss", b"1602836839.6445205 loss", {"t": b"1602836839.6445205"}),
        ("iter {step:int}", b"iter x", None),
        ("a {..}b {x}", b"a\nb 8", None),
    ],
)
def test_templates(template: str, line: bytes, expected: dict[str, bytes] | None) -> None:
    found = line_pattern(template).search(line)
    assert (found and found.groupdict()) == expected


def test_whole_lines_begin_with_the_line() -> None:
    assert line_pattern("{x:int} time", whole_line=True).search(b"y\n5 time")
    assert not line_pattern("{x:int} time", whole_line=True).search(b"y 5 time")


def test_settings_of_both_forms() -> None:
    found = settings(
        b"num_nodes = 2\n  fp16 ............................................ True\nx=1\na == b\nempty = \n"
    )
    assert found == {"num_nodes": "2", "fp16": "True"}
    assert (number(found, "gpus", "num_nodes"), number(found, "fp16"), number({"x": "9" * 30}, "x")) == (
        2,
        None,
        None,
    )
    assert (is_set(found, "fp16"), is_set(found, "use_fp16"), is_set({"a": "False"}, "a")) == (
        True,
        None,
        False,
    )
