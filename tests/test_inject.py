"""Tables between markers: edits are kept, everything outside the markers is untouched."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.core.errors import RequestError
from reportgen.inject import check_file, inject
from tests.each_of import each_row

TABLES = {"r/a": "| a |\n| - |\n| 1 |\n", "r/b/V100 8": "| b |\n"}
FRESH = "before\n<!-- reportgen:begin r/a -->\n<!-- reportgen:end -->\nafter\n"


def test_a_table_is_written_between_its_markers() -> None:
    # sha256 of "| a |\n| - |\n| 1 |" begins with ecc1f7e01015 (sha256sum)
    assert inject(FRESH, TABLES, place="README.md").text == (
        "before\n<!-- reportgen:begin r/a -->\n\n| a |\n| - |\n| 1 |\n\n<!-- reportgen:end sum=ecc1f7e01015 -->\nafter\n"
    )


_outside = st.text(alphabet="ab |<!->\n\r\u2028#`", max_size=40).filter(
    lambda text: "`" * 3 not in text and "<!--" not in text
)


@given(_outside, _outside, st.sampled_from(sorted(TABLES)))
def test_injecting_twice_equals_once_and_keeps_other_text(before: str, after: str, table: str) -> None:
    begin, end = f"<!-- reportgen:begin {table} -->", "<!-- reportgen:end -->"
    text = f"{before}\n{begin}\nold\n{end}\n{after}"
    once = inject(text, TABLES, place="x").text
    assert inject(once, TABLES, place="x").text == once
    assert once.startswith(f"{before}\n{begin}\n")
    assert once.endswith(f" -->\n{after}")


def test_an_edited_table_is_reported_and_kept() -> None:
    edited = inject(FRESH, TABLES, place="x").text.replace("| 1 |", "| 2 |")
    result = inject(edited, TABLES | {"r/a": "| new |"}, place="x")
    assert result.text == edited
    assert [(e.line, e.table) for e in result.edited] == [(2, "r/a")]
    assert result.edited[0].message == (
        'table "r/a" was edited by hand; '
        "undo the edit, or delete the sum from its end marker to have it generated again"
    )


def test_an_edit_equal_to_the_new_table_is_accepted() -> None:
    old = inject(FRESH, TABLES, place="x").text
    assert (
        inject(old.replace("| 1 |", "| 2 |"), TABLES | {"r/a": "| a |\n| - |\n| 2 |"}, place="x").edited == ()
    )


def test_a_stale_table_is_replaced() -> None:
    old = inject(FRESH, TABLES, place="x").text
    assert "| new |" in inject(old, TABLES | {"r/a": "| new |"}, place="x").text


def test_the_line_breaks_of_the_file_are_kept() -> None:
    text = inject(FRESH.replace("\n", "\r\n"), TABLES, place="x").text
    assert "\n" not in text.replace("\r\n", "")
    assert inject(text, TABLES, place="x").text == text


def test_markers_in_code_and_in_sentences_are_examples() -> None:
    text = "```\n<!-- reportgen:begin x -->\n```\nuse `<!-- reportgen:begin x -->`\n~~~~\n```\n<!-- reportgen:end -->\n"
    assert inject(text, TABLES, place="x").text == text


@each_row(
    [
        (
            "\n<!-- reportgen:begin r/aa -->\n<!-- reportgen:end -->",
            'f:2: no table "r/aa"; did you mean "r/a"?',
        ),
        (
            "<!-- reportgen:begin r/a -->",
            'f:1: the reportgen:begin marker of "r/a" has no reportgen:end; add <!-- reportgen:end --> below it',
        ),
        ("   <!-- reportgen:end -->", "f:1: reportgen:end marker without reportgen:begin; "),
        ("\n<!-- reportgen:end -->", "f:2: reportgen:end marker without reportgen:begin; "),
        (
            "<!-- reportgen:begin r/a -->\n<!-- reportgen:begin r/a -->\n<!-- reportgen:end -->",
            "f:2: reportgen:begin before the reportgen:end of line 1; end the first table before it",
        ),
        ("<!-- reportgen:begin -->", "f:1: malformed marker; write <!-- reportgen:begin report/table -->"),
        ("<!-- reportgen:end sum=xyz -->", "f:1: malformed marker; "),
        ("<!-- reportgen:start r/a -->", "f:1: malformed marker; "),
    ]
)
def test_unpaired_markers_are_errors_that_name_their_line(text: str, message: str) -> None:
    with pytest.raises(RequestError) as caught:
        inject(text, TABLES, place="f")
    assert str(caught.value).startswith(message)


@each_row(
    [
        ("<!-- reportgen:begin", "<!-- REPORTGEN:begin", "f:2: damaged marker; write it in small letters"),
        ("<!-- reportgen:begin", "<!-- Reportgen: begin", "f:2: damaged marker; "),
        ("<!-- reportgen:begin", "<!--- reportgen:begin", "f:2: damaged marker; "),
        ("<!-- reportgen:begin", "    <!-- reportgen:begin", "f:2: damaged marker; "),
        ("<!-- reportgen:begin", "See: <!-- reportgen:begin", "f:2: damaged marker; "),
        ("<!-- reportgen:begin", "> <!-- reportgen:begin", "f:2: damaged marker; "),
        ("<!-- reportgen:begin", "\t<!-- reportgen:begin", "f:2: damaged marker; "),
        ("<!-- reportgen:end", "<!-- reportgen:End", "f:8: malformed marker; "),
        ("before\n", "```\n", "f:8: the marker of a generated table is in a code block; move it out"),
    ]
)
def test_a_damaged_marker_is_an_error(old: str, new: str, message: str) -> None:
    text = inject(FRESH, TABLES, place="f").text
    assert old in text
    with pytest.raises(RequestError) as caught:
        inject(text.replace(old, new), TABLES, place="f")
    assert str(caught.value).startswith(message)


def test_lost_and_unexpected_markers_are_errors() -> None:
    assert inject(FRESH, TABLES, place="f", expected=["r/a"]).text == inject(FRESH, TABLES, place="f").text
    with pytest.raises(
        RequestError, match=r'f: the markers of "r/a" are missing, which inject.files expects'
    ):
        inject("| a |\n", TABLES, place="f", expected=["r/a"])
    with pytest.raises(
        RequestError, match=r'f: has markers of "r/a", which inject.files does not expect here'
    ):
        inject(FRESH, TABLES, place="f", expected=[])


@pytest.mark.parametrize(
    "path", [".git/config", ".github/README.md", "docs/.hidden.md", "logs/run/README.md", "a.py", "README"]
)
def test_tables_are_put_into_visible_markdown_files_only(path: str) -> None:
    with pytest.raises(RequestError, match=r"^x: .*; name a "):
        check_file(path, "x")


@pytest.mark.parametrize("path", ["README.md", "docs/a.MD", "docs/logs/a.markdown"])
def test_markdown_files_outside_logs_can_hold_tables(path: str) -> None:
    check_file(path, "x")
