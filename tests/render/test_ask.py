"""One number against another one, asked on the page: by pointer, by keyboard, by address."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from msgspec import structs
from playwright.sync_api import Locator, Page, expect

from reportgen.core.model import Case, Finding, Measurement
from reportgen.core.rules import Rule
from reportgen.document.encode import decode
from tests.conftest import ROOT
from tests.render import example
from tests.render.conftest import accessibility
from tests.render.example import render_report
from tests.render.test_charts import _bars, _drawn
from tests.render.test_explorer import page_of as explorer_page

OpenPage = Callable[..., Page]

ASKED = "Compare Throughput, 397.6 samples/s with another number: click it, or move to it and press Enter. Escape leaves."


@pytest.fixture
def has_charts() -> bool:
    return False


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return render_report(example.report())


def _link(page: Page, text: str) -> Locator:
    return page.locator("section.table td").get_by_role("link", name=text, exact=True)


def _ask(page: Page, first: str, second: str) -> Locator:
    """Ask one number against another one and return the panel."""
    _link(page, first).first.click()
    page.get_by_role("button", name="Compare with …").click()
    _link(page, second).first.click()
    return page.locator("#panel")


def _two_cells(own: Case, base: Case) -> dict[str, bytes]:
    """Return a page with one table of two numbers."""
    table = example.throughput_table()
    cells = ((example.number(own), example.number(base)),)
    columns = (table.columns[0], table.columns[2])
    table = replace(table, rows=table.rows[:1], columns=columns, cells=cells, notes={})
    return render_report(example.report(tables=(table,), figures=(), prose=""))


def _changed(case: Case, change: Callable[[int, Measurement], Measurement]) -> Case:
    changed = tuple(change(n, each) for n, each in enumerate(case.measurements))
    return replace(case, measurements=changed)


def _said(case: Case, **environment: str) -> Case:
    return _changed(case, lambda _, m: structs.replace(m, run=replace(m.run, environment=environment)))


def _turns(case: Case, first: float) -> Case:
    """Return a case whose repeats started every 2 s."""
    return _changed(case, lambda n, m: structs.replace(m, run=replace(m.run, started=first + 2.0 * n)))


def test_two_presses_answer_with_ratio_verdict_and_contract(
    open_page: OpenPage, files: dict[str, bytes]
) -> None:
    """397.6 / 394.0 = 1.009; three repeats of unknown order decide nothing."""
    page = open_page(files)
    panel = _ask(page, "397.6", "394.0")
    expect(panel.get_by_role("heading", level=2)).to_have_text(
        "Throughput: framework OneFlow against framework NGC PyTorchundecided"
    )
    expect(panel).to_contain_text("397.6 samples/s / 394 samples/s = 1.01")
    expect(panel.locator("p.summary")).to_have_text(
        "0.9 % faster, but undecided: the order of the runs is not known, and fewer than 5 repeats; "
        "6 interleaved rounds could decide"
    )
    expect(panel.get_by_role("row", name="framework OneFlow NGC PyTorch")).to_be_visible()
    expect(panel.locator("section", has_text="Not stated")).to_contain_text("dataset, precision")
    panel.get_by_text("values").click()
    expect(panel.get_by_role("row", name="devices 1")).to_be_visible()
    expect(panel).to_contain_text("python -m collectors run --repeats 7 --against")


def test_the_keyboard_alone_asks_and_leaves(open_page: OpenPage, files: dict[str, bytes]) -> None:
    page = open_page(files)
    _link(page, "397.6").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Compare with …").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").filter(has_text=ASKED)).to_be_visible()
    expect(page.locator("#panel")).to_be_hidden()
    expect(_link(page, "397.6")).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(_link(page, "394.0")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#panel h2")).to_be_focused()
    expect(page.locator("#panel h2")).to_contain_text("undecided")
    expect(page.locator("#ask")).to_be_empty()
    page.keyboard.press("Escape")
    expect(page.locator("#panel")).to_be_hidden()
    expect(_link(page, "394.0")).to_be_focused()


def test_a_reader_may_leave_without_an_answer(open_page: OpenPage, files: dict[str, bytes]) -> None:
    page = open_page(files)
    ways = (lambda: page.keyboard.press("Escape"), lambda: page.get_by_role("button", name="Leave").click())
    for leave in ways:
        _link(page, "397.6").click()
        page.get_by_role("button", name="Compare with …").click()
        leave()
        expect(page.locator("#ask")).to_be_empty()
        expect(_link(page, "397.6")).to_be_focused()
        _link(page, "394.0").click()
        expect(page.locator("#panel h2")).to_have_text("Nodes 1, Devices 1, NGC PyTorch, images/s394.0")
        page.keyboard.press("Escape")


def test_an_address_keeps_the_pair_and_the_other_way_round(
    open_page: OpenPage, files: dict[str, bytes]
) -> None:
    page = open_page(files)
    _ask(page, "397.6", "394.0")
    fragment = page.evaluate("location.hash")
    page = open_page(files, fragment)
    panel = page.locator("#panel")
    expect(panel.locator("p.summary")).to_contain_text("0.9 % faster, but undecided")
    panel.get_by_role("link", name="The other way round").click()
    expect(panel.locator("p.summary")).to_contain_text("0.9 % slower, but undecided")
    assert page.evaluate("location.hash") == "#" + "/".join(reversed(fragment[1:].split("/")))


@pytest.mark.parametrize("fragment", ["#case-/case-", "#case-a/case-b", "#case-__proto__/case-toString"])
def test_an_unknown_pair_opens_nothing(open_page: OpenPage, files: dict[str, bytes], fragment: str) -> None:
    page = open_page(files, fragment)
    expect(page.locator("#panel")).to_be_hidden()


def test_a_failed_cell_has_no_number_to_compare(open_page: OpenPage, files: dict[str, bytes]) -> None:
    panel = _ask(open_page(files), "397.6", "out of memory")
    expect(panel.locator("h2")).to_contain_text("not comparable")
    expect(panel).to_contain_text("Throughput of the second has no number.")
    expect(panel.locator(".formula")).to_have_count(0)


def test_two_quantities_have_no_ratio(open_page: OpenPage, files: dict[str, bytes]) -> None:
    panel = _ask(open_page(files), "397.6", "12.3")
    expect(panel).to_contain_text("Throughput and Step time, forward are two quantities.")
    expect(panel.locator(".formula")).to_have_count(0)
    expect(panel).not_to_contain_text("What would settle it")


def test_a_time_is_faster_where_it_is_lower(open_page: OpenPage, files: dict[str, bytes]) -> None:
    """12.3 ms / 456 us = 27."""
    panel = _ask(open_page(files), "12.3", "456")
    expect(panel.locator("p.summary")).to_have_text(
        "27x slower (27x the time), no repeats: one figure has no spread"
    )
    expect(panel).to_contain_text("456 µs / 12.3 ms = 0.0371")


def test_an_amount_has_a_ratio_and_no_verdict(open_page: OpenPage) -> None:
    own, base = (
        example.case(value, {"framework": name}, metric="memory_used", unit="B")
        for name, value in (("A", 200.0), ("B", 100.0))
    )
    panel = _ask(open_page(_two_cells(own, base)), "200.0", "100.0")
    expect(panel.locator("h2")).to_contain_text("2.00x")
    expect(panel).to_contain_text("Only speeds are tested.")


def test_other_evidence_is_refused_and_another_driver_is_shown(open_page: OpenPage) -> None:
    own = _said(example.case(200.0, {"framework": "A"}), driver="550")
    base = _said(example.case(100.0, {"framework": "B"}), driver="470")
    panel = _ask(open_page(_two_cells(own, base)), "200.0", "100.0")
    expect(panel.get_by_role("row", name="driver 550 470")).to_be_visible()
    printed = _changed(base, lambda _, m: structs.replace(m, evidence="aggregate"))
    panel = _ask(open_page(_two_cells(own, printed)), "200.0", "100.0")
    expect(panel.locator("h2")).to_contain_text("not comparable")
    expect(panel).to_contain_text("differs in evidence (measured; already reduced in the baseline)")
    expect(panel.locator(".formula")).to_have_count(0)


def test_a_number_that_means_nothing_has_no_ratio(open_page: OpenPage) -> None:

    own, base = example.case(200.0, {"framework": "A"}), example.case(100.0, {"framework": "B"})
    finding = Finding(
        "invalid", Rule.RATE_IMPLAUSIBLE, "", "faster than its device", own.measurements[0].sources[0]
    )
    invalid = _changed(own, lambda _, m: structs.replace(m, findings=(finding,)))
    panel = _ask(open_page(_two_cells(invalid, base)), "200.0", "100.0")
    expect(panel).to_contain_text("invalid: rate.implausible.")
    expect(panel.locator(".formula")).to_have_count(0)


def test_repeats_in_turns_are_tested_by_rounds(open_page: OpenPage) -> None:
    """Seven rounds in which A is 2 % faster each time: p = 2 / 2^7, scaled from the level of alternation."""
    own = _turns(example.case(102.0, {"framework": "A"}, repeats=7), 1.0)
    base = _turns(example.case(100.0, {"framework": "B"}, repeats=7), 0.0)
    panel = _ask(open_page(_two_cells(own, base)), "102.0", "100.0")
    expect(panel.locator("p.summary")).to_have_text("2.0 % faster (2.0 % to 2.0 %)")
    expect(panel).to_contain_text("Wilcoxon's signed ranks of 7 alternating rounds, p = 0.020")


def test_several_differences_are_counted(open_page: OpenPage) -> None:
    own = example.case(102.0, {"framework": "A", "devices": 8})
    base = example.case(100.0, {"framework": "B", "devices": 1})
    panel = _ask(open_page(_two_cells(own, base)), "102.0", "100.0")
    expect(panel).to_contain_text("differ in 2 factors, so the ratio is due to all of them together")


@pytest.mark.parametrize("has_charts", [True])
def test_a_mark_of_a_chart_is_a_second_number(open_page: OpenPage) -> None:
    page = open_page(render_report(example.report(figures=(_bars(),), prose="")))
    _drawn(page.locator("figure").first)
    _link(page, "397.6").click()
    page.get_by_role("button", name="Compare with …").click()
    page.locator(".chart-plot [tabindex]").nth(1).click()
    expect(page.locator("#panel h2")).to_contain_text("devices 1 against devices 8")


@pytest.mark.parametrize("has_charts", [True])
def test_asking_and_the_answer_have_no_accessibility_violation(
    open_page: OpenPage, files: dict[str, bytes]
) -> None:
    page = open_page(files)

    def violations() -> dict[str, list[object]]:
        found = {}
        for scheme in ("dark", "light"):
            page.emulate_media(color_scheme=scheme)
            found[scheme] = accessibility(page, colours_alone=scheme == "dark")["violations"]
        return found

    _link(page, "397.6").click()
    page.get_by_role("button", name="Compare with …").click()
    assert violations() == {"dark": [], "light": []}
    _link(page, "394.0").click()
    assert violations() == {"dark": [], "light": []}


@pytest.mark.parametrize("has_charts", [True])
def test_nothing_overflows_and_print_has_neither(open_page: OpenPage, files: dict[str, bytes]) -> None:
    page = open_page(files)
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        _link(page, "397.6").click()
        page.get_by_role("button", name="Compare with …").click()
        assert page.evaluate("document.documentElement.scrollWidth") == width
        page.emulate_media(media="print")
        expect(page.locator("#ask")).to_be_hidden()
        page.emulate_media(media="screen")
        _link(page, "394.0").click()
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.evaluate("(p => p.scrollWidth <= p.clientWidth)(document.getElementById('panel'))"), width
        page.emulate_media(media="print")
        expect(page.locator("#panel")).to_be_hidden()
        page.emulate_media(media="screen")
        page.keyboard.press("Escape")


def test_the_report_on_frameworks_says_whether_a_difference_is_real(open_page: OpenPage) -> None:
    """3,130.34 / 3,006.98 is 4.1 % more, by single figures; the repeats of the page decide it."""
    page = open_page({"index.html": (ROOT / "reports/dlperf-v1/index.html").read_bytes()})
    table = page.locator("#table-resnet50-fp32-b128")
    table.get_by_role("link", name="3,130.34").click()
    page.get_by_role("button", name="Compare with …").click()
    table.get_by_role("link", name="3,006.98").click()
    panel = page.locator("#panel")
    expect(panel.locator("p.summary")).to_contain_text("4.1 % faster, no repeats")
    expect(panel).to_contain_text(
        "reportgen compare logs/dlperf-v1 --a 'framework=NGC MXNet' --b framework=OneFlow"
    )
    panel.get_by_role("link", name="4.1 % faster (spread").click()
    expect(panel.locator("p.summary")).to_contain_text(
        "4.1 % faster (spread 0.31 %), order of the runs unknown"
    )
    expect(panel).to_contain_text("Repeats: 7 against 7.")


def test_repeats_of_one_of_the_two_answer_nothing(open_page: OpenPage) -> None:
    """OneFlow with and without clipping: the repeats of the page have one case for both."""
    page = open_page({"index.html": (ROOT / "reports/dlperf-v1/index.html").read_bytes()})
    table = page.locator("#table-bert-fp32-b32")
    first, second = (table.locator("td.number a").nth(at) for at in (0, 1))
    first.click()
    page.get_by_role("button", name="Compare with \u2026").click()
    second.click()
    expect(page).to_have_url(re.compile("#case-.+/case-"))
    expect(page.locator("#panel p.summary")).to_contain_text("no repeats")


def test_the_tables_add_what_they_say_of_the_two(open_page: OpenPage, files: dict[str, bytes]) -> None:
    panel = _ask(open_page(files), "397.6", "3,124")
    tables = panel.locator("section", has_text="In the tables")
    expect(tables).to_contain_text("Speed-up 7.86 over devices=1")


def test_the_split_of_the_time_is_in_the_answer(open_page: OpenPage) -> None:
    """A training step takes 2.1757 s and 0.3587 s; forward takes 1.37 s, 9.32 times as long: 1.22 s more."""
    report = decode((ROOT / "reports/jade2/report.json").read_bytes(), "jade2")
    own, base = (
        case.name
        for number in (2.1757, 0.3587)
        for case in report.cases
        if case.summary and case.summary.value == number
    )
    files = {"index.html": (ROOT / "reports/jade2/index.html").read_bytes()}
    page = open_page(files, f"#case-{own}/case-{base}")
    expect(page.locator("#panel")).to_contain_text("1.82 s more per step: forward 67 %, backward 33 %")


@pytest.mark.parametrize("has_charts", [True])
def test_a_number_of_the_explorer_is_a_second_number(open_page: OpenPage) -> None:
    page = open_page(explorer_page())
    numbers = page.locator("section.explorer [data-chart=speed] tbody")
    numbers.get_by_role("link", name="180.0", exact=True).click()
    page.get_by_role("button", name="Compare with …").click()
    numbers.get_by_role("link", name="100.0", exact=True).click()
    expect(page.locator("#panel h2")).to_contain_text("device B against device A")
    expect(page.locator("#panel p.summary")).to_contain_text("80 % faster, no repeats")
