"""Tables of Markdown, HTML and CSV with the places of their cells."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.audit import read_document

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


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.md", "|" * 200_000 + "\n" + "|-" * 1000),
        ("a.md", "| a |\n|---|\n" + "| [" * 20_000),
        ("a.md", "<table>" * 20_000),
        ("a.html", "<table><tr>" + '<td colspan="99999" rowspan="99999">1' * 200),
        ("a.csv", 'a,b\n"' * 20_000),
        ("a.csv", "," * 200_000),
    ],
)
def test_hostile_documents_cost_little(name, content):
    before = time.process_time()
    read_document(name, content)
    assert time.process_time() - before < 20
