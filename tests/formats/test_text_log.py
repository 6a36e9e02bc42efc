"""Text logs: lines, searches, numbers and dates."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.formats.parsing.text_log import TextLog, floats, is_binary, mean, seconds, without_controls
from reportgen.sources.logfiles import LogFiles
from tests.each_of import each_row

TEXTS = st.lists(st.sampled_from([b"\r", b"\n", b"a", b"bc"]), min_size=1).map(b"".join)


def log(content: bytes) -> TextLog:
    return TextLog(LogFiles.of({"x": content}).file("x"))


def test_lines_are_counted_by_line_feeds_in_any_order():
    assert log(b"a\nb\r1\r2\nc").lines([8, 0, 2]).tolist() == [3, 1, 2]
    assert log(b"").lines([]).tolist() == []


def test_colours_go_and_lines_stay():
    assert without_controls(b"\x1b[31mstep\x1b[38;2;1;2;3m: 1\n\x1b[0m") == b"step: 1\n"


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([b"2025-01-01 00:00:00,500", b"2025-01-01 00:00:02"], [0, 1.5]),
        ([b"2024-02-29T23:59:59.123456", b"2024-03-01T00:00:00.123456"], [0, 1]),
        ([b"", b"2025-13-45 00:00:00", b"2025-01-01 00:00:00"], [np.nan, np.nan, 0]),
        ([b"2025-02-30 00:00:00"], [np.nan]),
        ([], []),
    ],
)
def test_dates_are_seconds_since_the_first_that_exists(texts, expected):
    np.testing.assert_array_equal(seconds(texts), expected)


def test_numbers_may_have_thousands_commas():
    np.testing.assert_array_equal(floats([b"1,234.5", None, b"1e999"]), [1234.5, np.nan, np.inf])


@given(TEXTS, st.integers(0, 99))
def test_a_line_ends_with_a_line_feed(content: bytes, place: int) -> None:
    text = log(content)
    at = place % len(text.content)
    line = text.content[:at].count(b"\n") + 1
    assert (text.lines([at]).tolist(), text.place(at).line) == ([line], line)


def test_parts_keep_the_lines_of_the_log() -> None:
    parts = list(log(b"a\nb\nc\nd").parts([2, 6]))
    assert [(part.content, part.lines([0, 1]).tolist()) for part in parts] == [
        (b"b\nc\n", [2, 2]),
        (b"d", [4, 4]),
    ]


@given(TEXTS, st.sampled_from([rb"a", rb"bc\b", rb"a\r", rb"bc\n?bc"]))
def test_a_search_with_a_literal_finds_the_first_and_the_last_match(content: bytes, pattern: bytes) -> None:
    text, compiled = log(content), re.compile(pattern)
    matches = [match.span() for match in compiled.finditer(text.content)]
    first = text.search(compiled, pattern[:1])
    assert (first and first.span()) == (matches[0] if matches else None)
    # The last few literals are tried.
    last = text.last(compiled, pattern[:1])
    if last or text.content.count(pattern[:1]) < 8:
        assert (last and last.end()) == (matches[-1][1] if matches else None)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.0, 3.0, np.nan], 2.0),
        ([np.inf, 1.0], 1.0),
        ([], np.nan),
        ([np.nan], np.nan),
        ([1e308, 1e308], np.nan),
    ],
)
def test_a_mean_is_that_of_the_finite_values(values: list[float], expected: float) -> None:
    np.testing.assert_equal(mean(np.array(values)), expected)


LINES = b"[2023/08/02 21:03:32] ppcls INFO: epoch:4   train step:10\n" * 20


@each_row(
    [
        (b"W0802 21:03:27.123456  1234 gpu_resources.cc:91] device: \0, cuDNN Version: 8.4.\n", False),
        # The eighth rank prints a 7, and others a control character too.
        (b"".join(b"gpu_resources.cc:91] device: %c, cuDNN Version: 8.4.\n" % i for i in range(8)), False),
        (b"\0" * 5000 + LINES, False),
        (LINES + b"\0" * 5000 + LINES, False),
        (LINES + b"\0" * 5000, False),
        (LINES, False),
        (LINES.decode().encode("utf-16-le"), True),
        (LINES.decode().encode("utf-16-be"), True),
        (bytes(range(256)) * 9, True),
        (b"\0\1", True),
    ]
)
def test_a_few_runs_of_nul_bytes_make_no_binary_file(content: bytes, expected: bool) -> None:
    assert is_binary(content) is expected


def test_nul_bytes_are_left_out_with_a_finding() -> None:
    text = log(b"a\ndevice: \0, b\n\0\0\0c\nd\0\0")
    assert text.content == b"a\ndevice: , b\nc\nd"
    assert [
        (each.severity, each.source and each.source.line, each.message) for each in text.malformed.findings()
    ] == [
        ("note", 2, "NUL bytes, left out, and 1 more like it"),
        ("warning", 4, "ends in NUL bytes: the log was not written out"),
    ]
