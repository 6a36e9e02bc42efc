"""Path patterns: the paths they match, the factors they give, and invalid patterns."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.labels.path_pattern import PathPattern
from tests.each_of import each_row

DLPERF = "{nodes:int}n{devices_per_node:int}g/{model}_b{batch_size:int}_{precision}_{repeat:int}.log"


@each_row(
    [
        (
            DLPERF,
            "1n8g/rn50_b128_fp32_1.log",
            {
                "nodes": 1,
                "devices_per_node": 8,
                "model": "rn50",
                "batch_size": 128,
                "precision": "fp32",
                "repeat": 1,
            },
        ),
        (
            DLPERF,
            "x/y/2n8g/bert_base_b32_fp16_mp_10.log",
            {
                "nodes": 2,
                "devices_per_node": 8,
                "model": "bert_base",
                "batch_size": 32,
                "precision": "fp16_mp",
                "repeat": 10,
            },
        ),
        (DLPERF, "1n8g/x/rn50_b128_fp32_1.log", None),
        (DLPERF, "rn50_b128_fp32_1.log", None),
        (DLPERF, "1n8g/rn50_bx_fp32_1.log", None),
        ("{a}_{b}", "x_y_z", {"a": "x_y", "b": "z"}),  # a part takes as much as it can
        ("{a}{n:int}", "run12", {"a": "run1", "n": 2}),
        ("{n:int}{m:int}", "123", {"n": 12, "m": 3}),
        ("{_}_{n:int}", "anything_7", {"n": 7}),
        ("{x:float}s", "1.5s", {"x": 1.5}),
        ("{a}-{day:date}.log", "bench-2026-03-06.log", {"a": "bench", "day": "2026-03-06"}),
        ("{day:date}T{_}", "20260306T101500", {"day": "2026-03-06"}),
        ("{day:date}", "2026-13-45", None),
        ("{day:date}", "1234", None),
        ("{x:int}", "1.5", None),
        ("{x:int}", "99999999999999999999", None),  # beyond 18 digits it is a name, not a count
        ("/{a}", "x", {"a": "x"}),
        ("/{a}", "y/x", None),
        ("{a}", "y/x", {"a": "x"}),
        ("plain.log", "a/plain.log", {}),
        ("{a}.log", ".log", None),  # a part is never empty
        ("a.log", "aXlog", None),  # text is text, not a regular expression
    ]
)
def test_patterns_match_paths(pattern: str, path: str, expected: dict[str, object] | None) -> None:
    assert PathPattern.parse(pattern).match(path) == expected


@pytest.mark.parametrize(
    ("pattern", "fact"),
    [
        ("{a", "a brace without its partner"),
        ("a}", "a brace without its partner"),
        ("{a:day}", '"{a:day}" is not a part'),
        ("{}", '"{}" is not a part'),
        ("{1}", '"{1}" is not a part'),
        ("{a}_{a}", "two parts have the same name"),
        ("{_}" * 33, "more than 32 parts"),
    ],
)
def test_invalid_patterns_are_refused(pattern: str, fact: str) -> None:
    with pytest.raises(ValueError, match="^" + fact.replace("{", r"\{").replace("}", r"\}")):
        PathPattern.parse(pattern)


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_is_a_pattern_or_a_request_error(pattern: str, path: str) -> None:
    with suppress(ValueError):
        found = PathPattern.parse(pattern).match(path)
        assert found is None or isinstance(found, dict)


def test_a_hostile_pattern_is_matched_in_bounded_time() -> None:
    pattern = PathPattern.parse("{_}a" * 31 + "{_}b")
    assert pattern.match("a" * 250) is None  # a backtracking engine would not come back from this
