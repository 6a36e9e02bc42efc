"""Text from logs that is safe in CSV, in JSON and on terminals."""

import json

import pytest

from reportgen.core.plain_text import as_seen, one_line, printable_json, spelled, spreadsheet
from tests.each_of import each_of

HOSTILE = "a\x00\x07\r\x1b[31m\x7f\x9b\u2028\u202e\u2066b"


def test_one_line_has_no_control_or_direction_character() -> None:
    # The line ends are white space.
    assert one_line(HOSTILE) == "a\ufffd\ufffd \ufffd[31m\ufffd\ufffd \ufffd\ufffdb"


@each_of(["=1+1", "+1", "-1", "@x", "\t=1", "\r=1", " =1", "\n=1"])
def test_no_text_is_a_formula(text: str) -> None:
    assert spreadsheet(text).startswith("'")


@pytest.mark.parametrize(
    ("text", "seen", "shown"),
    [
        ("A_b  C", "a b c", "A_b (U+0020)C"),
        ("\u0422ES\u0422", "test", "(U+0422)ES(U+0422)"),  # Cyrillic
        ("\u039f1", "o1", "(U+039F)1"),  # Greek
        ("a\u200bb\ufe0f", "ab", "a(U+200B)b(U+FE0F)"),
        ("a\u2011b\u2212c", "a-b-c", "a(U+2011)b(U+2212)c"),
        ("\uff21", "a", "(U+FF21)"),  # of full width
        ("Stra\u00dfe \u4e2d\u6587 \u0439", "strasse \u4e2d\u6587 \u0439", "Stra\u00dfe \u4e2d\u6587 \u0439"),
    ],
)
def test_texts_that_look_alike(text: str, seen: str, shown: str) -> None:
    assert (as_seen(text), spelled(text)) == (seen, shown)


def test_json_keeps_its_value_and_shows_its_characters() -> None:
    document = json.dumps({HOSTILE: HOSTILE}, ensure_ascii=False)
    shown = printable_json(document)
    assert json.loads(shown) == {HOSTILE: HOSTILE}
    assert not set(shown) & set("\x7f\x9b\u2028\u202e\u2066")
    assert "\\u009b" in shown
    assert printable_json('"\\u202e \u00e4"') == '"\\u202e \u00e4"'


@pytest.mark.parametrize("text", ["a b", " a b ", "a  b", "a\tb", "a\u00a0b", "a\u2003 b\n"])
def test_white_space_becomes_single_spaces(text: str) -> None:
    assert one_line(text) == "a b"
