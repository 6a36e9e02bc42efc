"""The page is well formed, every link inside it arrives, and it is complete without a script."""

import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from reportgen.render import render_report
from reportgen.render.page import page_script
from reportgen.render.page.page_templates import page_style
from reportgen.tables.results import Cell, Report
from tests.render import example
from tests.render.test_hostile import hostile_report

VOID = {"meta", "link", "br", "hr", "img", "input", "col", "wbr"}


class Page(HTMLParser):
    """Walk a page: open elements, ids, links inside it, texts, and what is not balanced."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.problems: list[str] = []
        self.ids: Counter[str] = Counter()
        self.links: list[str] = []
        self.labelled: list[str] = []
        self.feed(text)
        self.problems += [f"<{tag}> is never closed" for tag in self.open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        self._note(attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._note(attrs)

    def _note(self, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.ids[value] += 1
            elif name in ("href", "xlink:href") and value and value.startswith("#"):
                self.links.append(value[1:])
            elif name == "aria-labelledby" and value:
                self.links.append(value)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}> at line {self.getpos()[0]} closes nothing")


@pytest.mark.parametrize(
    "report",
    [example.report(), hostile_report(), example.report(prose="")],
    ids=["example", "hostile", "no prose"],
)
def test_the_page_is_well_formed_and_links_arrive(report: Report) -> None:
    page = Page(render_report(report)["index.html"].decode())
    assert page.problems == []
    assert [name for name, count in page.ids.items() if count > 1] == []
    assert [link for link in page.links if link not in page.ids] == []


def _evidence(number: str, text: str) -> str:
    """Return the text behind a number, as a browser without JavaScript shows it."""
    (name,) = re.findall(f'<a href="#(case-[0-9a-f]{{8}})">{number}</a>', text)
    without_script = text.split("<noscript>")[1].split("</noscript>")[0]
    return without_script.split(f'<p id="{name}">')[1].split("</p>")[0]


def test_without_a_script_every_number_links_to_its_repeats() -> None:
    evidence = _evidence("397.6", render_report(example.report())["index.html"].decode())
    for part in (
        "median of 3 repeats, range 397.5602 – 397.6398 (75.0 % confidence)",
        "<br>steps 21 to 120 (100 steps); logs/OneFlow-1/RUN/steps.rank0.csv:22\n",
        "<br>397.5602, in 32.00 s; r1\n",
        "<br>397.6, in 32.00 s; r2\n",
        "<br>397.6398, in 32.00 s; r3\n",
        "protocol.gap: 2.5 s left out of the window",
    ):
        assert part in evidence, part


def test_a_speedup_links_to_its_baseline_and_its_table() -> None:
    text = render_report(example.report())["index.html"].decode()
    assert '<br>Speed-up 7.86 over <a href="#case-' in _evidence("7.86", text)
    assert ">devices=1</a>" in _evidence("7.86", text)
    assert '<h3><a href="#table-fp32-b128">FP32, batch size 128 per device</a></h3>' in text


def test_a_case_that_failed_is_in_the_evidence() -> None:
    text = render_report(example.report())["index.html"].decode()
    assert "no repeat has a value" in text
    assert "<br>-, out of memory, logs/oom/r1/run.json\n" in text


def test_two_hundred_cells_make_a_small_page() -> None:
    table = example.throughput_table()
    rows = tuple(head for head in table.rows for _ in range(17))
    cells = tuple(line for line in table.cells for _ in range(17))

    big = replace(table, rows=rows, cells=cells)
    page = render_report(example.report(tables=(big,), figures=(), prose=""))["index.html"]
    own = len(page) - len(page_script.page_script().encode()) - len(page_style().encode())
    assert own < 30_000


def test_the_page_needs_nothing_from_outside() -> None:
    text = render_report(example.report())["index.html"].decode()
    for part in ("<script src", "<link", "@import", 'src="http', "url(http"):
        assert part not in text


def test_the_protocol_is_shown_only_for_numbers_measured_over_steps() -> None:
    files = render_report(example.report())
    for name in ("README.md", "index.html"):
        assert "the first 20 steps are ignored" in files[name].decode()
    table = example.throughput_table()
    cells = tuple(tuple(_published(cell) for cell in line) for line in table.cells)
    files = render_report(example.report(tables=(replace(table, cells=cells),), prose=""))
    for name in ("README.md", "index.html"):
        assert "the first 20 steps are ignored" not in files[name].decode()


def _published(cell: Cell) -> Cell:
    if cell.case is None:
        return cell
    measurements = tuple(replace(m, evidence="published") for m in cell.case.measurements)
    return replace(cell, case=replace(cell.case, measurements=measurements))


def test_captions_are_outside_of_the_scrolling_region() -> None:
    text = render_report(example.report())["index.html"].decode()
    assert "<caption" not in text
    table = text.split('<section class="table" id="table-fp32-b128"')[1].split("</section>")[0]
    assert table.index("</div>") < table.index('id="table-fp32-b128-caption"')
    assert 'aria-describedby="table-fp32-b128-caption"' in table
