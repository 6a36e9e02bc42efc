"""Fragments become sentences, names stay as they are."""

import pytest

from reportgen.render.text.english import count, sentence


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("the repeats differ by 10.3%", "The repeats differ by 10.3%."),
        ("devices corrected from 4 to 8", "Devices corrected from 4 to 8."),
        ("forward_s corrected from 0.559", "forward_s corrected from 0.559."),
        ("xla=true was not run", "xla=true was not run."),
        ("bert-base has no pair", "bert-base has no pair."),
        ("`nodes` varies: name it.", "`nodes` varies: name it."),
        ("20 steps are left out (see below)", "20 steps are left out (see below)."),
        ("(A sentence of its own.)", "(A sentence of its own.)"),
        ("The figures differ: report.json has all 4.", "The figures differ: report.json has all 4."),
        ("", ""),
    ],
)
def test_a_fragment_becomes_a_sentence(text: str, shown: str) -> None:
    assert sentence(text) == shown


def test_nouns_agree_with_their_number() -> None:
    assert [count(1, "run"), count(0, "run"), count(1325, "run")] == ["1 run", "0 runs", "1,325 runs"]
    assert count(2, "is not a log", "are not logs") == "2 are not logs"
