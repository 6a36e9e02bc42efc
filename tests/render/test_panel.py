"""The panel behind every number, driven in a browser from the disk."""

import math
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from msgspec import structs
from playwright.sync_api import Page, expect

from reportgen.compare.verdict import Verdict
from reportgen.core.model import Window
from reportgen.document.model import Label
from tests.render import example
from tests.render.conftest import accessibility
from tests.render.example import render_report

OpenPage = Callable[..., Page]


@pytest.fixture
def has_charts() -> bool:
    return False


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return render_report(example.report(), source_url="../../{path}#L{line}")


def _violations(page: Page) -> list[str]:
    return [f"{found['id']}: {found['nodes'][0]['html']}" for found in accessibility(page)["violations"]]


def test_a_number_opens_its_repeats_beside_the_table(open_page: OpenPage, files: dict[str, bytes]) -> None:
    page = open_page(files)
    page.get_by_role("link", name="397.6", exact=True).click()
    panel = page.get_by_role("complementary", name="Nodes 1, Devices 1, OneFlow, images/s 397.6")
    expect(panel).to_be_visible()
    for text in (
        "range 397.5602 – 397.6398 (75.0 % confidence)",
        "397.5602",
        "21–120 in 32 s",
        "2.5 s left out",
    ):
        expect(panel.get_by_text(text).first).to_be_visible()
    expect(panel.get_by_text("In logs/OneFlow-1/", exact=True)).to_be_visible()  # once for all repeats
    link = panel.get_by_role("link", name="r1/steps.rank0.csv:22", exact=True)
    assert link.get_attribute("href") == "../../logs/OneFlow-1/r1/steps.rank0.csv#L22"
    plot = panel.get_by_role("img", name="3 repeats from 397.5602 to 397.6398 samples/s, median 397.6")
    assert plot.locator(".mark").count() == 3


def test_a_number_of_the_text_has_an_address(open_page: OpenPage) -> None:
    prose = '{{ value("fp32-b128", row={"nodes": 1, "devices": 1}, column={"framework": "OneFlow"}) }}'
    page = open_page(render_report(example.report(prose=prose)))
    page.locator("main p a[href^='#case-']").first.click()
    assert "#case-" in page.url
    page.reload()
    expect(page.locator("#panel-title")).to_contain_text("Throughput")


def test_a_table_on_a_telephone_says_that_it_scrolls_and_begins_at_its_first_number(
    open_page: OpenPage, files: dict[str, bytes]
) -> None:
    page = open_page(files, viewport={"width": 240, "height": 900})
    box = page.locator("#table-fp32-b128 .scroll")
    expect(page.locator("#table-fp32-b128 .hint")).to_have_text(
        re.compile("[0-9] more columns? to the right \u2192")
    )
    first = box.locator("tbody td").first.bounding_box()
    frame = box.bounding_box()
    assert first
    assert frame
    assert first["x"] + first["width"] <= frame["x"] + frame["width"]
    box.evaluate("box => box.scrollLeft = box.scrollWidth")
    expect(page.locator("#table-fp32-b128 .hint")).to_have_text("\u2190 more columns to the left")


def test_a_number_without_repeats_says_that_a_difference_may_be_chance(open_page: OpenPage) -> None:
    table = example.throughput_table()
    cells = ((example.number(example.case(11_331.93, {"framework": "A"}, repeats=1)),),)
    table = replace(table, rows=table.rows[:1], columns=table.columns[:1], cells=cells, notes={}, decimals=2)
    page = open_page(render_report(example.report(tables=(table,), figures=(), prose="")))
    page.locator("section.table td a").click()
    expect(page.locator("#panel .summary")).to_contain_text("Throughput: 11,331.93")  # as the table shows it
    expect(page.locator("#panel")).to_contain_text("One repeat: how far it varies is unknown")


def test_steps_without_times_open_too(open_page: OpenPage) -> None:
    """A log may print the rate of each step and no time."""
    table = example.throughput_table()
    first = table.cells[0][0]
    assert first.case
    window = Window(21, 120, 100, math.nan, 0.0, math.nan)
    measurements = tuple(structs.replace(each, window=window) for each in first.case.measurements)
    cell = replace(first, case=replace(first.case, measurements=measurements))
    table = replace(table, cells=((cell, *table.cells[0][1:]), *table.cells[1:]))
    files = render_report(example.report(tables=(table,), figures=(), prose=""))
    assert " in - s" not in files["index.html"].decode()
    page = open_page(files)
    page.get_by_role("link", name="397.6", exact=True).click()
    expect(page.locator("#panel td", has_text="21–120").first).to_have_text(re.compile("^21–120$"))


def test_sources_lead_to_a_forge_if_it_is_known(open_page: OpenPage) -> None:
    url = "https://forge/blob/main/{path}#L{line}"
    page = open_page(render_report(example.report(), source_url=url), "#fp32-b128/1-1/oneflow-images-s")
    link = page.locator("#panel").get_by_role("link", name="r1/steps.rank0.csv:22", exact=True)
    assert link.get_attribute("href") == "https://forge/blob/main/logs/OneFlow-1/r1/steps.rank0.csv#L22"


def test_a_finding_comes_with_its_remedy(open_page: OpenPage, files: dict[str, bytes]) -> None:
    page = open_page(files, "#fp32-b128/1-1/oneflow-images-s")
    finding = page.locator("#panel .findings")
    expect(finding).to_contain_text("protocol.gap")
    expect(finding).to_contain_text("Declare evaluation and checkpoints in the log")


def test_a_comparison_names_its_baseline(open_page: OpenPage, files: dict[str, bytes]) -> None:
    page = open_page(files)
    page.locator("td").get_by_role("link", name="7.86", exact=True).click()
    panel = page.locator("#panel")
    expect(panel).to_contain_text("Speed-up 7.86 over devices=1")
    expect(panel).to_contain_text("3,124.25 samples/s / 397.6 samples/s = 7.86")
    panel.get_by_role("link", name="devices=1").click()
    expect(panel.get_by_role("heading", level=2)).to_have_text("Throughput")
    expect(panel).to_contain_text("397.6 samples/s, median of 3 repeats")


def test_a_verdict_says_what_was_tested(open_page: OpenPage) -> None:
    """The estimate of a test differs from the ratio of the medians, which the table shows."""
    table = example.throughput_table()
    _, cell, *rest = table.cells[1]
    assert cell.comparison
    verdict = Verdict("faster", 7.5, "", "rank sum", 7.2, 7.9, counted="repeats", n=3)
    decided = replace(cell, comparison=replace(cell.comparison, verdict=verdict))
    table = replace(table, cells=(table.cells[0], (table.cells[1][0], decided, *rest), *table.cells[2:]))
    page = open_page(render_report(example.report(tables=(table,), figures=(), prose="")))
    page.locator("td").get_by_role("link", name="7.86", exact=True).click()
    expect(page.locator("#panel")).to_contain_text("; by the test of 3 repeats, 7.5x as fast (7.2x to 7.9x)")


@pytest.mark.parametrize(("ratio", "shown"), [(7.8549998, "7.85"), (1.005, "1.01")])
def test_the_panel_rounds_as_the_table_does(open_page: OpenPage, ratio: float, shown: str) -> None:
    """7.8549998 has 7.855 as its first six digits, and the double next to 1.005 is below it."""
    table = example.throughput_table()
    baseline = table.cells[0][0].case
    assert baseline
    case = example.case(397.6 * ratio, {"framework": "OneFlow", "devices": 8})
    cells = (example.number(case), example.speedup(case, baseline), *table.cells[1][2:])
    table = replace(table, cells=(table.cells[0], cells, table.cells[2]))
    page = open_page(render_report(example.report(tables=(table,), figures=(), prose="")))
    page.locator("td").get_by_role("link", name=shown, exact=True).click()
    expect(page.locator("#panel .formula")).to_contain_text(f"/ 397.6 samples/s = {shown}")


def test_the_environment_is_compared_with_that_of_the_baseline(open_page: OpenPage) -> None:
    table = example.throughput_table()
    cell = table.cells[1][1]
    assert cell.case
    measurements = tuple(
        structs.replace(m, run=replace(m.run, environment={"driver": "550"})) for m in cell.case.measurements
    )
    case = replace(cell.case, measurements=measurements)
    line = tuple(replace(each, case=case) for each in table.cells[1][:2])
    table = replace(table, cells=(table.cells[0], (*line, *table.cells[1][2:]), table.cells[2]))
    page = open_page(render_report(example.report(tables=(table,), figures=(), prose="")))
    page.locator("td").get_by_role("link", name="7.86", exact=True).click()
    expect(page.locator("#panel").get_by_role("row", name="driver 550 -")).to_be_visible()


def test_an_address_opens_a_cell_and_opening_a_cell_sets_it(
    open_page: OpenPage, files: dict[str, bytes]
) -> None:
    page = open_page(files, "#fp32-b128/1-8/oneflow-speed-up")
    expect(page.locator("#panel h2")).to_contain_text("7.86")
    page.get_by_role("link", name="394.0", exact=True).click()
    assert page.evaluate("location.hash") == "#fp32-b128/1-1/ngc-pytorch-images-s"
    page.keyboard.press("Escape")
    expect(page.locator("#panel")).to_be_hidden()
    assert page.evaluate("location.hash") == "#table-fp32-b128"


def test_yes_and_no_come_with_the_title_of_their_column(open_page: OpenPage) -> None:
    table = example.throughput_table()
    first = structs.replace(table.rows[0], labels=(Label("no"), *table.rows[0].labels[1:]))
    table = replace(table, rows=(first, *table.rows[1:]))
    page = open_page(render_report(example.report(tables=(table,), figures=(), prose="")))
    page.get_by_role("link", name="397.6", exact=True).click()
    expect(page.locator("#panel h2 small")).to_have_text("Nodes no, Devices 1, OneFlow, images/s")


@pytest.mark.parametrize("fragment", ["#nothing/here/at-all", "#fp32-b128/1-1/%", "#case-__proto__", "#a/b"])
def test_an_unknown_address_opens_nothing(
    open_page: OpenPage, files: dict[str, bytes], fragment: str
) -> None:
    page = open_page(files, fragment)
    expect(page.locator("#panel")).to_be_hidden()


def test_the_keyboard_alone_walks_from_number_to_number(open_page: OpenPage, files: dict[str, bytes]) -> None:
    page = open_page(files)
    number = page.get_by_role("link", name="397.6", exact=True)
    number.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#panel h2")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#panel h2")).to_contain_text("1.00")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Escape")
    expect(number).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.locator("td").get_by_role("link", name="3,124", exact=True)).to_be_focused()


@pytest.mark.parametrize("has_charts", [True])
def test_the_open_panel_has_no_accessibility_violation_and_fits(
    open_page: OpenPage, files: dict[str, bytes]
) -> None:
    page = open_page(files, "#fp32-b128/1-1/oneflow-images-s")
    expect(page.locator("#panel")).to_be_visible()
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        assert _violations(page) == [], scheme
    for width in (2560, 1440, 768, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.evaluate("(p => p.scrollWidth <= p.clientWidth)(document.getElementById('panel'))"), width


def test_without_javascript_the_evidence_is_text(open_page: OpenPage, files: dict[str, bytes]) -> None:
    page = open_page(files, java_script_enabled=False)
    page.get_by_role("link", name="397.6", exact=True).click()
    shown = page.locator("p:has(b:target)")
    expect(shown).to_be_visible()
    expect(shown).to_contain_text("logs/OneFlow-1/RUN/steps.rank0.csv:22")
    assert page.locator("svg").count() == 2
