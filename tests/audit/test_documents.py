"""Tables of Markdown, HTML and CSV with the places of their cells."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.audit import read_document
from reportgen.core.errors import RequestError
from tests.each_of import each_row

MARKDOWN = """\
# Results

Times of **one** step.

| GPU | [time](http://x) |
|:----|-----:|
| V100 | **12.5**[^1] |
| A\\|B | `3.0` |

<!--
| hidden | 1 |
|--------|---|
| x | 2 |
-->

```
| code | 1 |
|------|---|
| x | 2 |
```
"""


def texts(name, content):
    return [
        [[cell.text for cell in row] for row in table.rows] for table in read_document(name, content).tables
    ]


def test_pipe_tables_are_read_without_markup_comments_and_code():
    assert texts("a.md", MARKDOWN) == [[["GPU", "time"], ["V100", "12.5"], ["A|B", "3.0"]]]


def test_a_cell_knows_its_line_and_its_characters():
    (table,) = read_document("a.md", MARKDOWN).tables
    cell = table.rows[1][1]
    assert (cell.line, MARKDOWN[cell.start : cell.end]) == (7, "**12.5**[^1]")
    assert table.context == ("Results", "Times of one step.")


def test_html_cells_span_rows_and_columns():
    content = (
        "<h2>T</h2><table><thead><tr><th rowspan=2>GPU</th><th colspan=2>FP32</th></tr><tr><th>1</th><th>8</th></tr>"
        "</thead><tr><td>V100</td><td>12<sup>1</sup></td><td>90&nbsp;x</td></tr></table>"
    )
    (table,) = read_document("a.html", content).tables
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["GPU", "FP32", "FP32"],
        ["GPU", "1", "8"],
        ["V100", "12", "90 x"],
    ]
    assert (table.head_rows, table.context) == (2, ("T",))
    cell = table.rows[2][1]
    assert content[cell.start : cell.end] == "12<sup>1</sup>"


def test_html_tables_are_found_in_markdown():
    content = "# A\n\n<table>\n<tr><th>x</th></tr>\n<tr><td>5</td></tr>\n</table>\n"
    (table,) = read_document("a.md", content).tables
    assert (table.rows[1][0].text, table.rows[1][0].line) == ("5", 5)


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_csv_is_read_with_its_delimiter_and_quotes(mark):
    content = f'a{mark}b\n"x{mark} y"{mark}1.5\n'
    assert texts("a.csv", content) == [[["a", "b"], [" ".join(f"x{mark} y".split()), "1.5"]]]
    (table,) = read_document("a.csv", content).tables
    cell = table.rows[1][1]
    assert (cell.line, content[cell.start : cell.end]) == (2, "1.5")


def spans(name, content):
    """Return text -> what the document has at the place of the cell, for all tables."""
    document = read_document(name, content)
    cells = (cell for table in document.tables for row in table.rows for cell in row)
    return {cell.text: document.text[cell.start : cell.end] for cell in cells}


def test_csv_cells_with_quotes_and_line_ends_keep_their_places():
    content = '# of July\n"a ""b""", c\n"x\ny", 1.5\n\n"z" ,"2.5"\n'
    assert spans("a.csv", content) == {
        'a "b"': '"a ""b"""', "c": "c", "x y": '"x\ny"', "1.5": "1.5", "z": '"z"', "2.5": '"2.5"',
    }  # fmt: skip
    (table,) = read_document("a.csv", content).tables
    assert [row[1].line for row in table.rows] == [2, 3, 6]
    assert table.context == ("of July",)


def test_a_quote_that_is_never_closed_spoils_its_line_only():
    content = 'a,b\n"x,1\n"y, z",2\n'
    assert texts("a.csv", content) == [[["a", "b"], ["x,1", ""], ["y, z", "2"]]]


def test_broken_html_is_read_as_browsers_do():
    content = "<h1>T<table><caption>C</caption><tr><th>a<th>b<tr><td>x<!-- 9 --><td>1<b>.5</b>\n<tr><td>y<p>z<td title='>'>2"
    (table,) = read_document("a.html", content).tables
    assert [[cell.text for cell in row] for row in table.rows] == [["a", "b"], ["x", "1.5"], ["y z", "2"]]
    assert [row[1].line for row in table.rows] == [1, 1, 2]
    assert spans("a.html", content)["1.5"] == "1<b>.5</b>\n"
    assert (table.head_rows, table.context) == (1, ("T", "C"))


def test_a_table_in_a_cell_is_a_table_of_its_own():
    content = "<table><tr><td>out<table><tr><td>in</td></tr></table></td><td>2</td></tr></table>"
    assert texts("a.html", content) == [[["out", "2"]], [["in"]]]


def test_a_document_cannot_move_its_cells():
    content = (
        '<table reportgen-offset=x><tr><td REPORTGEN-OFFSET="y">1.5</td><td/reportgen-offset=-9>2</table>'
    )
    assert spans("a.html", content) == {"1.5": "1.5", "2": "2"}


def test_html_below_many_tags_that_are_not_closed_is_read():
    assert texts("a.html", "<div>" * 1000 + "<table><tr><td>1.5</table>") == [[["1.5"]]]


def test_html_opens_no_file_and_expands_no_entity_of_the_document(tmp_path):
    (tmp_path / "secret").write_text("secret", "utf-8")
    bomb = "".join(f"<!ENTITY a{n + 1} '{f'&a{n};' * 10}'>" for n in range(12))
    content = (
        f"<!DOCTYPE html SYSTEM '{tmp_path.as_uri()}/x.dtd' [<!ENTITY a0 'xxxxxxxxxx'>{bomb}"
        f"<!ENTITY file SYSTEM '{tmp_path.as_uri()}/secret'>]>"
        "<html><table><tr><td>1.5</td><td>&a12;</td><td>&file;</td><td>&amp;</td></tr></table></html>"
    )
    (cells,) = texts("a.html", content)[0]
    assert cells == ["1.5", "&a12;", "&file;", "&"]
    before = time.process_time()
    assert texts("a.xhtml", f'<?xml version="1.0" encoding="ascii"?>{content}') == [[cells]]
    assert time.process_time() - before < 1


def test_code_that_names_tags_does_not_hide_the_html_tables_below_it():
    content = "Use `<script>`, `<!--` and:\n\n```html\n<table><tr><td>9</td></tr></table>\n```\n\n<table>\n\n<tr><td>5</td></tr>\n</table>\n"
    assert texts("a.md", content) == [[["5"]]]


def test_tables_have_the_text_above_them_as_context():
    content = (
        "Results\n=======\n\n- a V100\n- 128 images\n\n| a | b |\n|---|---|\n| x | 1 |\n\n"
        "<details><summary>On 8 GPUs</summary>\n\n> | a | b |\n> |---|---|\n> | y | 2 |\n\n</details>\n\n"
        "## HTML\n\n<table><caption>C</caption><tr><td>3</td></tr></table>\n"
    )
    assert [table.context for table in read_document("a.md", content).tables] == [
        ("Results", "a V100 128 images"),
        ("Results", "On 8 GPUs"),
        ("Results", "HTML", "C"),
    ]
    assert spans("a.md", content)["2"] == "2"


def test_names_in_code_keep_their_underscores_and_escaped_asterisks_are_marks():
    content = "| `a_b` | <name> | c\\_d |\n|---|---|---|\n| 1.5\\* | ~~2~~<!-- 3 --> | ![4](i.png) 5&nbsp;x<br>6 |\n"
    assert texts("a.md", content) == [[["a_b", "", "c_d"], ["1.5", "2", "5 x 6"]]]


@pytest.mark.parametrize(("name", "size"), [("a.md", 2**20), ("a.csv", 2**23), ("a.html", 2**23)])
def test_a_document_that_is_too_long_is_refused(name, size):
    with pytest.raises(
        RequestError, match=rf"^{name}: has {size + 1:,} characters, more than {size:,}; cut out"
    ):
        read_document(name, "x" * (size + 1))


@given(
    st.text(alphabet='|-:\n <>tabledr/"#*`,;1.5x&[]()\\', max_size=400),
    st.sampled_from(["a.md", "a.html", "a.csv"]),
)
def test_any_text_gives_tables_with_places_inside_of_it(content, name):
    document = read_document(name, content)
    for table in document.tables:
        for row in table.rows:
            assert len(row) == table.width
            assert all(0 <= cell.start <= cell.end <= len(document.text) for cell in row)


@each_row(
    [
        ("a.md", "|" * 200_000 + "\n" + "|-" * 1000),
        ("a.md", "| a |\n|---|\n" + "| [" * 20_000),
        ("a.md", "<table>" * 20_000),
        ("a.html", "<table><tr>" + '<td colspan="99999" rowspan="99999">1' * 200),
        ("a.csv", 'a,b\n"' * 20_000),
        ("a.html", "<table><tr><td colspan=200 rowspan=200>1</table>" * 20_000),
        ("a.html", "<div><p>" * 50_000 + "<table><tr><td>1" * 20_000),
        ("a.md", "| " + "[" * 1200 + " |\n| --- |\n" + ("| " + "*a_[" * 300 + " |\n") * 300),
        ("a.md", "> " * 100_000 + "\n" + "- " * 100_000 + "\n" + "[a]: b\n" * 10_000),
        ("a.csv", "," * 200_000),
        ("a.csv", "a,b\n" + '"' * 300_000),
    ]
)
def test_hostile_documents_cost_little(name, content):
    before = time.process_time()
    read_document(name, content)
    assert time.process_time() - before < 20
