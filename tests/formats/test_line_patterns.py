"""Patterns written as the line looks."""

import pytest

from reportgen.formats.parsing.line_format import printed_settings
from reportgen.formats.parsing.line_patterns import line_pattern, regex


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


def test_a_template_can_begin_with_the_line() -> None:
    assert line_pattern("^{x:int} time").search(b"y\n5 time")
    assert not line_pattern("^{x:int} time").search(b"y 5 time")


def test_a_regex_has_the_same_placeholders() -> None:
    match = regex(r"\bstep {1,9}{step:int}(?:/{:int})?: {tokens:commas} tokens").search(
        b"step   7/9: 1,024 tokens"
    )
    assert match is not None
    assert match.groupdict() == {"step": b"7", "tokens": b"1,024"}
    assert not regex("of {tokens:commas} tokens").search(b"of 1,02 tokens")


def test_printed_settings_of_both_forms_become_factors() -> None:
    content = (
        b"num_nodes = 2\nnum_nodes = 4\n  fp16 ............................................ True\nx=1\na == b\n"
        b"empty = \nmodel = r50 v1\ngpus = 0\nworkers = 3\n"
    )
    names = {
        "num_nodes": "nodes",
        "fp16": "precision",
        "model": "model",
        "gpus": "devices",
        "workers": "devices",
    }
    expected = {"nodes": 4, "precision": "amp", "model": "r50 v1", "devices": 3}
    assert printed_settings(content, {**names, "x": "x", "a": "a", "empty": "empty"}) == expected
    assert printed_settings(
        b"use_fp16 = False\nn = " + b"9" * 30, {"use_fp16": "precision", "n": "nodes"}
    ) == {"precision": "fp32"}
