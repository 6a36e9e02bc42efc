"""README.md as a reviewer on a forge reads it: short, within 120 columns, and with a way to every number."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from msgspec import structs

from reportgen.core.rules import Rule
from reportgen.document import file_names
from reportgen.document.model import FigureKind, Header, Label, Note
from reportgen.render import registry
from reportgen.render.grid.grid import GridNote, lay_out
from reportgen.render.grid.table_result import result_text
from reportgen.render.markdown import checksum
from reportgen.render.markdown import table as markdown
from reportgen.render.markdown.fit_width import MAX_WIDTH, fitted
from reportgen.render.markdown.folding import MAX_FOLDED_CELLS, MAX_TABLES, Folding
from reportgen.render.markdown.notes import PageNotes
from reportgen.tables.assemble import build_tables
from reportgen.tables.expected import NO_FACTS
from reportgen.tables.results import Table
from tests.builders import published_run, table_spec
from tests.conftest import ROOT
from tests.render import example
from tests.render.example import render_report, shown

REPORTS = sorted(path.parent for path in (ROOT / "reports").glob("*/README.md"))


def _page(report: Path) -> str:
    return (report / "README.md").read_text("utf-8")


def _tables(report: Path) -> list[dict[str, object]]:
    return json.loads((report / "report.json").read_text("utf-8"))["tables"]


def _cells(table: dict[str, object]) -> Sequence[Sequence[dict[str, object]]]:
    cells = table["cells"]
    assert isinstance(cells, list)
    return cells


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.name)
def test_every_table_of_a_committed_report_is_reachable_with_its_numbers(report: Path) -> None:
    tables, page = _tables(report), _page(report)
    names = file_names.stems(str(table["id"]) for table in tables)
    for table in tables:
        path = f"tables/{names[str(table['id'])]}.md"
        assert (f"]({path})" in page) == (report / path).exists()
        text = (report / path).read_text("utf-8") if f"]({path})" in page else page
        numbers = set(re.findall(r"[0-9][0-9.,]*", text))
        shown = [str(cell["shown"]).split()[0] for row in _cells(table) for cell in row if "shown" in cell]
        assert [number for number in shown if number not in numbers] == []


@pytest.mark.parametrize(
    ("name", "bytes_", "lines"), [("dlperf-v1", 30_300, 400), ("transformers", 16_700, 400)]
)
def test_a_page_of_many_tables_is_short(name: str, bytes_: int, lines: int) -> None:
    page = _page(ROOT / "reports" / name)
    assert len(page.encode()) <= bytes_
    assert page.count("\n") <= lines


class _Cells(HTMLParser):
    """The cells of the tables of a page: (tag, lines of text)."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[list[list[tuple[str, list[str]]]]] = []
        self._in_cell = self._is_small = False

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._is_small = tag == "sup"
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append((tag, [""]))
            self._in_cell = True
        elif tag == "br" and self._in_cell:
            self.tables[-1][-1][-1][1].append("")

    def handle_endtag(self, tag: str) -> None:
        self._in_cell = self._in_cell and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            self.tables[-1][-1][-1][1][-1] += "" if self._is_small else data


def _width(tag: str, lines: Sequence[str]) -> int:
    """Return the width that a cell needs: of a number, or of the longest word of a text."""
    is_text = tag == "th" or not re.match(r"[0-9-]", lines[0])
    return max(len(part) for line in lines for part in (line.split(" ") if is_text else [line]))


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.name)
def test_the_tables_of_a_page_need_no_scrolling(report: Path) -> None:
    parser = _Cells()
    parser.feed(MarkdownIt("commonmark", {"html": True}).enable("table").render(_page(report)))
    assert parser.tables
    for rows in parser.tables:
        columns = zip(*rows, strict=True)
        assert sum(max(_width(*cell) for cell in column) + 4 for column in columns) <= MAX_WIDTH


# Two captions of h200 have to say more: four metrics, and steps that were left out.
@pytest.mark.parametrize(
    "report", [each for each in REPORTS if each.name != "h200"], ids=lambda report: report.name
)
def test_the_line_below_a_table_is_one_line(report: Path) -> None:
    lines = re.findall(r"^\|.*\n\n(?:\[[^\n]*\n\n)?(\w[^\n]*)", _page(report), re.MULTILINE)
    shown = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line) for line in lines]
    assert shown
    assert [line for line in shown if len(line) > MAX_WIDTH] == []


# The width of a table


def _wide(rows: int, columns: int) -> Table:
    """Return a table whose columns are wide: 14 characters and 4 of padding."""
    table = example.throughput_table()
    names = [f"framework-{i:04}" for i in range(columns)]
    cell = table.cells[0][1]
    return replace(
        table,
        rows=tuple(Header((i, i), (Label(str(i)), Label(str(i)))) for i in range(rows)),
        columns=tuple(Header((name,), (Label(name),)) for name in names),
        cells=tuple((cell,) * columns for _ in range(rows)),
        column_titles=(Label("framework"),),
        notes={},
    )


def _heads(text: str) -> list[str]:
    lines = text.splitlines()
    return [lines[i - 1] for i, line in enumerate(lines) if line.startswith("| --")]


def test_a_wide_table_with_few_rows_is_transposed() -> None:
    table = _wide(rows=3, columns=12)
    text = markdown.rows(table, lay_out(*shown(table)))
    assert _heads(text) == ["| framework | Nodes 0, Devices 0 | Nodes 1, Devices 1 | Nodes 2, Devices 2 |"]
    assert "| framework-0011 | 1.000 | 1.000 | 1.000 |" in text


def test_a_wide_table_with_many_rows_is_split_by_columns() -> None:
    table = _wide(rows=20, columns=12)
    grids = fitted(table, lay_out(*shown(table)))
    assert [len(grid.levels[-1]) for grid in grids] == [5, 5, 2]
    assert {len(grid.rows) for grid in grids} == {20}
    assert [item.text for grid in grids for item in grid.levels[-1]] == [c.key[0] for c in table.columns]


def test_columns_under_one_head_stay_together() -> None:
    table = _wide(rows=20, columns=12)
    columns = tuple(
        structs.replace(column, labels=(Label(f"group {i // 4}"), *column.labels))
        for i, column in enumerate(table.columns)
    )
    table = replace(table, columns=columns)
    assert [len(grid.levels[-1]) for grid in fitted(table, lay_out(*shown(table)))] == [4, 4, 4]


def test_a_narrow_table_stays_as_it_is() -> None:
    table = _wide(rows=3, columns=3)
    grid = lay_out(*shown(table))
    assert fitted(table, grid) == [grid]


def test_notes_do_not_rearrange_a_table() -> None:
    table = _wide(rows=3, columns=5)
    note = Note("x", name="long-" * 9)
    noted = replace(table.cells[0][0], notes=(note.key,))
    notes = example.by_name(note)
    noted_table = replace(table, cells=tuple((noted,) * 5 for _ in range(3)), notes=notes)
    heads = [_heads(markdown.rows(each, lay_out(*shown(each)))) for each in (table, noted_table)]
    assert heads[0] == heads[1]


# Open, folded, linked


def _sized(cells: int) -> Table:
    table = example.phase_table()
    rows = (table.rows[0],) * (cells // len(table.columns))
    return replace(table, rows=rows, cells=(table.cells[0],) * len(rows))


def test_the_first_table_of_a_shape_is_open_and_small_ones_are_folded() -> None:
    folding, small, large = Folding(), _sized(MAX_FOLDED_CELLS), _sized(MAX_FOLDED_CELLS + 4)
    assert [folding.of_table(table) for table in (large, small, large)] == ["open", "folded", "linked"]
    assert folding.of_table(example.throughput_table()) == "open"
    folding.begin_section()
    assert folding.of_table(small) == "open"


def test_many_tables_of_an_entry_are_linked() -> None:
    folding, small = Folding(), _sized(4)
    forms = [folding.of_table(small, among=MAX_TABLES + 1) for _ in range(3)]
    assert forms == ["open", "linked", "linked"]


def _report(tables: Sequence[Table], **changes: object) -> str:
    return render_report(example.report(tables=tuple(tables), **changes))["README.md"].decode()


def _facets(number: int) -> Iterator[Table]:
    for i in range(number):
        yield replace(
            example.phase_table(),
            id=f"phases/m{i}",
            title=f"Phases: m{i}",
            facet_words=(("family", f"m{i}"),),
        )


def test_tables_that_one_entry_makes_have_one_heading() -> None:
    page = _report(list(_facets(3)), prose="", figures=())
    assert page.count("## Phases\n\n**m0**\n\n| Model |") == 1
    assert "<summary>m1: 456 µs to 34.5 ms; 1 several</summary>" in page
    assert page.count("| Model |") == 3


def test_many_tables_are_a_list_of_results_with_links() -> None:
    page = _report(list(_facets(8)), prose="", figures=())
    assert page.count("| Model |") == 1
    assert (
        "<summary>7 more tables</summary>\n\n- [m1](tables/phases--m1.md): 456 µs to 34.5 ms; 1 several\n"
        in page
    )


def test_a_table_that_the_page_does_not_show_has_a_page_of_its_own() -> None:
    files = render_report(example.report(tables=tuple(_facets(8)), prose="", figures=()))
    pages = {path for path in files if path.startswith("tables/") and path.endswith(".md")}
    assert pages == {f"tables/phases--m{i}.md" for i in range(1, 8)}
    page = files["tables/phases--m1.md"].decode()
    assert page.startswith("# Phases: m1\n\n| Model |")
    assert "A table of [the report](../README.md), generated by" in page


def test_a_link_of_a_head_leads_to_the_same_place_from_the_page_of_its_table() -> None:
    table = _wide(rows=31, columns=3)
    hrefs = ("../../docs/a.md", "#findings", "https://example.org/a")
    columns = tuple(
        structs.replace(column, labels=(Label(f"c{i}", href=href),))
        for i, (column, href) in enumerate(zip(table.columns, hrefs, strict=True))
    )
    files = render_report(example.report(tables=(replace(table, columns=columns),), prose="", figures=()))
    pages = [files[path].decode() for path in ("README.md", "tables/fp32-b128.md")]
    assert all(f"[c{i}]({href})" in pages[0] for i, href in enumerate(hrefs))
    there = ("../../../docs/a.md", "../README.md#findings", "https://example.org/a")
    assert all(f"[c{i}]({href})" in pages[1] for i, href in enumerate(there))


def test_a_page_of_a_table_is_linked_also_if_means_are_all_that_is_left() -> None:
    table = _wide(rows=31, columns=2)
    rows = tuple(structs.replace(row, is_mean=i >= 10) for i, row in enumerate(table.rows))
    files = render_report(example.report(tables=(replace(table, rows=rows),), prose="", figures=()))
    assert not [path for path in files if path.startswith("tables/") and path.endswith(".md")]


def test_a_note_of_the_author_is_on_the_page_once_even_if_its_table_is_not() -> None:
    note = Note("Note: estimated.", name="author")
    tables = [replace(table, about=(*table.about, note)) for table in _facets(8)]
    assert _report(tables, prose="", figures=()).count("\n\nNote: estimated.\n\n") == 1
    first = replace(example.phase_table(), id="first")
    page = _report(
        [first, replace(_sized(24), id="large", about=(note,))],
        prose='{{ table("first") }}\n\n{{ table("large") }}',
        figures=(),
    )
    assert "[Phases of DARNN](tables/large.md): 456 µs to 34.5 ms; 6 several\n\nNote: estimated." in page


def test_a_figure_of_a_folded_table_is_folded_with_it() -> None:
    tables = list(_facets(2))
    figures = [
        replace(example.figures()[1], id=f"bars/m{i}", table=f"phases/m{i}", kind=FigureKind.BAR)
        for i in range(2)
    ]
    page = _report(tables, prose="", figures=tuple(figures))
    first, _, rest = page.partition("<details>")
    assert "(figures/bars--m0.svg)" in first
    assert "(figures/bars--m1.svg)" in rest.partition("</details>")[0]


def test_a_long_table_shows_its_first_rows_and_says_where_the_others_are() -> None:
    table = _wide(rows=31, columns=2)
    page = _report([table], prose="", figures=())
    assert len(re.findall(r"^\| \d+ \| \d+ \| 1.000 ", page, re.MULTILINE)) == 10
    assert "\n\n[21 more rows](tables/fp32-b128.md)\n\n" in page
    assert "more rows" not in _report([_wide(rows=30, columns=2)], prose="", figures=())


# Notes and results


def test_a_note_of_several_tables_is_on_the_page_once() -> None:
    notes = PageNotes()
    for title in ("A", "B"):
        notes.add(title, [GridNote("gap", "2 s left out.", rule=Rule.PROTOCOL_GAP)])
    assert list(notes.notes()) == [GridNote("gap", "2 s left out.")]


def test_notes_of_one_name_say_which_tables_they_are_about() -> None:
    notes = PageNotes()
    notes.add("A", [GridNote("pick", "Largest."), GridNote("gap", "1 s.", ("row 1",))])
    notes.add("B", [GridNote("pick", "Smallest."), GridNote("gap", "2 s.")])
    assert list(notes.notes()) == [
        GridNote("gap", "1 s.", ("A: row 1",)),
        GridNote("gap", "2 s.", ("B",)),
        GridNote("pick", "Largest.", ("A",)),
        GridNote("pick", "Smallest.", ("B",)),
    ]


def test_many_texts_of_one_rule_are_one_note() -> None:
    notes = PageNotes()
    notes.add("A", [GridNote("gap", f"{i} s.", rule=Rule.PROTOCOL_GAP) for i in range(4)])
    (note,) = notes.notes()
    assert note.text.startswith(Rule.PROTOCOL_GAP.summary)


def test_the_result_of_a_table_is_its_best_number_with_its_place_and_what_has_none() -> None:
    table = example.throughput_table()
    best = "up to 3,124 images/s (OneFlow, Nodes 1, Devices 8)"
    assert result_text(*shown(table)) == f"{best}; 1 out of memory; 1 planned"
    assert result_text(*shown(table), is_brief=True) == "up to 3,124 images/s; 1 out of memory; 1 planned"
    assert result_text(*shown(example.phase_table())) == "456 µs to 34.5 ms; 1 several"
    assert result_text(*shown(replace(table, rows=(), cells=()))) == "no numbers"


def test_the_result_of_a_table_does_not_compare_images_with_tokens() -> None:
    runs = [
        published_run(model=m, item=i, throughput=v)
        for m, i, v in [("resnet", "image", 380.0), ("bert", "token", 5e4), ("vgg", "image", 190.0)]
    ]
    (table,) = build_tables(table_spec(rows=("model",)), runs, NO_FACTS)
    assert result_text(*shown(table)) == "50,000 tokens/s; up to 380.0 images/s (resnet)"


# The checksum


def test_a_page_knows_whether_it_was_edited() -> None:
    page = render_report(example.report())["README.md"]
    assert checksum.is_intact(page)
    assert checksum.is_intact(page.replace(b"\n", b"\r\n"))  # a checkout on Windows
    assert not checksum.is_intact(page.replace(b"OneFlow", b"oneflow", 1))
    assert checksum.is_intact(page.rpartition(b"\n<!--")[0])  # of an earlier version
    assert not checksum.is_intact(page + b"\nMy own remark.\n")


def test_a_page_with_the_marks_of_a_merge_is_generated_and_not_edited() -> None:
    page = render_report(example.report())["README.md"]
    text, _, last = page.rpartition(b"\n<!--")
    line = b"<!--" + last
    merged = text + b"\n<<<<<<< HEAD\n" + line + b"=======\n" + line + b">>>>>>> other\n"
    assert registry.is_generated("resnet50/README.md", merged)
    assert registry.is_intact("resnet50/README.md", merged)
