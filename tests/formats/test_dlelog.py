"""The places in a log of NVIDIA's examples: its lines, and the first match of a pattern in it."""

import re
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.formats.nvidia_dle.dlelog import Log
from reportgen.sources.logfiles import LogFiles


def log(content: bytes) -> Log:
    return Log(LogFiles.of({"a.txt": content}).file("a.txt"))


TEXTS = st.lists(st.sampled_from([b"\r", b"\n", b"a", b"bc"]), min_size=1).map(b"".join)


@given(TEXTS, st.integers(0, 99))
def test_lines_are_those_of_splitlines(content: bytes, place: int) -> None:
    found = log(content)
    lines = content.splitlines(keepends=True)
    # Of CR LF the LF alone is kept.
    ends = list(accumulate(len(line) - line.endswith(b"\r\n") for line in lines))
    at = place % len(found.content)
    line = 1 + sum(end <= at for end in ends)
    assert (found.lines([at]).tolist(), found.source(at).line) == ([line], line)


@given(TEXTS, st.sampled_from([rb"a", rb"bc\b", rb"a\r", rb"bc\n?bc"]))
def test_the_first_match_is_that_of_a_search(content: bytes, pattern: bytes) -> None:
    text = log(content)
    found = text.first(re.compile(pattern), pattern[:1])
    expected = re.search(pattern, text.content)
    assert (found and found.span()) == (expected and expected.span())


@given(TEXTS, st.sampled_from([(rb"[ab]bc", b"bc", 1), (rb".{2}a\n", b"a", 2), (rb"bc", b"bc", 0)]))
def test_each_match_is_that_of_finditer(content: bytes, wanted: tuple[bytes, bytes, int]) -> None:
    pattern, literal, before = wanted
    text = log(content)
    found = text.each(re.compile(pattern), literal, before)
    assert [one.span() for one in found] == [one.span() for one in re.finditer(pattern, text.content)]


@pytest.mark.parametrize(
    ("content", "number"),
    [
        (b"Namespace(size=12, n=3)", 12),
        (b"x\nRun arguments: Namespace(n=3, size=12)\nsize=9", 12),
        (b"Namespace(batch_size=3, size='12')", None),
        (b"Namespace(n=3)\nNamespace(size=12)", None),
        (b"size=12", None),
    ],
)
def test_a_number_of_the_command_line(content: bytes, number: int | None) -> None:
    assert log(content).argument(b"size") == number
