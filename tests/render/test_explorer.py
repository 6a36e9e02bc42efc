"""The explorer of a page, driven in a browser: controls, address, keyboard, downloads, hostile texts."""

import csv
import io
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Locator, Page, expect

from reportgen.core.model import FactorValue, Run
from reportgen.protocol import MeasuredRuns
from reportgen.tables.assemble import build_tables
from reportgen.tables.expected import SpeedFacts
from reportgen.tables.explorer import build_explorer
from reportgen.tables.explorer_cases import Entry
from reportgen.tables.spec import ExplorerSpec, SwitchSpec, TableSpec
from tests.builders import SHORT, aggregate, run
from tests.render import example
from tests.render.conftest import accessibility
from tests.render.example import render_report

OpenPage = Callable[..., Page]

FACTS = SpeedFacts({}, ())
EVIL = "=<img src=x onerror=alert(1)> \"',\n&\u202e"


def log(id: str, value: float, memory: float, **factors: FactorValue) -> Run:
    parts = (aggregate(value, metric="throughput"), aggregate(memory * 2**30, metric="memory_used"))
    size = {"A": "4 GiB", "B": "8 GiB"}.get(str(factors["device"]), "")
    return run(
        *parts,
        id=id,
        factors={"item": "image", **factors},
        environment={"device_memory": size} if size else {},
    )


RUNS = (
    log("a", 100.0, 1.0, model="m", device="A", batch_size=8),
    log("b", 150.0, 2.0, model="m", device="A", batch_size=64),
    log("c", 180.0, 1.5, model="m", device="B", batch_size=8),
    log("d", 300.0, 6.0, model="m", device="B", batch_size=64),
    run(
        id="e",
        factors={"item": "image", "model": "m", "device": "A", "batch_size": 128},
        status="out_of_memory",
    ),
    log("f", 50.0, 3.0, model="n", device="B", batch_size=8),
)


def table(id: str, title: str, **keys: object) -> TableSpec:
    axes = {"facets": ("model",), "rows": ("batch_size",), "columns": ("device",), "protocol": SHORT}
    return TableSpec(place=id, id=id, title=title, **{**axes, **keys})


def page_of(runs: Sequence[Run] = RUNS, **keys: object) -> dict[str, bytes]:
    """Return a report of throughput and memory with an explorer."""
    specs = [
        table("speed", "Speed"),
        table("memory", "Memory", metrics=("memory_used",), unit="GiB", digits=3),
    ]
    measured = MeasuredRuns()
    entries = [Entry(spec, build_tables(spec, runs, FACTS, measured), False) for spec in specs]
    explorer = build_explorer(ExplorerSpec("x", **keys), entries)
    tables = tuple(each for entry in entries for each in entry.tables)
    return render_report(example.report(tables=tables, figures=(), prose="", explorer=explorer))


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    switch = SwitchSpec("memory", "Show memory", "A mean, no peak.", tables=("memory",))
    return page_of(switches=(switch,), more="### Method\n\nMeasured **twice**.")


def block(page: Page) -> Locator:
    return page.locator("section.explorer")


def numbers(page: Page, chart: str) -> list[list[str]]:
    rows = block(page).locator(f"[data-chart={chart}] tbody tr")
    return [row.locator("th, td").all_inner_texts() for row in rows.all()]


def chosen(page: Page) -> dict[str, list[str]]:
    return parse_qs(page.evaluate("location.hash.split('?')[1] ?? ''"))


def test_the_first_view_has_all_devices_side_by_side(open_page: OpenPage, files: dict[str, bytes]) -> None:
    page = open_page(files)
    assert numbers(page, "speed") == [
        ["8", "100.0", "180.0", "1.80"],
        ["64", "150.0", "300.0", "2.00"],
        ["128", "out of memory", "-", "-"],
    ]
    expect(block(page).get_by_role("status")).to_have_text("5 configurations of 6.")


def test_every_control_changes_the_view_and_the_address(open_page: OpenPage, files: dict[str, bytes]) -> None:
    page = open_page(files)
    block(page).get_by_label("model", exact=True).select_option("n")
    assert numbers(page, "speed") == [["8", "-", "50.00"]]
    assert chosen(page) == {"f.model": ["n"]}
    block(page).get_by_label("A", exact=True).uncheck()
    assert chosen(page) == {"f.model": ["n"], "f.device": ["B"]}
    expect(block(page).locator("[data-chart=memory]")).to_have_count(0)
    block(page).get_by_label("Show memory").check()
    expect(block(page).get_by_text("A mean, no peak.")).to_be_visible()
    assert numbers(page, "memory") == [["8", "3.00"]]
    block(page).get_by_label("Within (GiB)").fill("2.5")
    block(page).get_by_label("Within (GiB)").press("Enter")
    expect(block(page).locator("#explorer-fastest")).to_have_text("B: nothing is known to fit within 2.5 GiB")
    assert chosen(page) == {"f.model": ["n"], "f.device": ["B"], "on": ["memory"], "within": ["2.5"]}


def test_a_limit_in_any_notation_is_in_the_address(open_page: OpenPage, files: dict[str, bytes]) -> None:
    page = open_page(files, "#explorer?on=memory")
    for text, limit in ((".5", "0.5"), ("2e0", "2")):
        block(page).get_by_label("Within (GiB)").fill(text)
        block(page).get_by_label("Within (GiB)").press("Enter")
        assert chosen(page)["within"] == [limit]
        page.reload()
        expect(block(page).get_by_label("Within (GiB)")).to_have_value(limit)


def test_an_address_opens_its_view_and_back_returns_to_the_view_before(
    open_page: OpenPage, files: dict[str, bytes]
) -> None:
    page = open_page(
        files, "#explorer?f.model=n&f.device=B&on=memory", viewport={"width": 1440, "height": 250}
    )
    expect(page.get_by_role("heading", name="Explorer")).to_be_in_viewport()
    assert numbers(page, "speed") == [["8", "50.00"]]
    assert block(page).get_by_label("Show memory").is_checked()
    block(page).get_by_label("model", exact=True).select_option("m")
    block(page).get_by_label("Show memory").uncheck()
    page.go_back()
    assert block(page).get_by_label("Show memory").is_checked()
    assert block(page).get_by_label("model", exact=True).locator("option:checked").inner_text() == "m"
    page.go_back()
    assert numbers(page, "speed") == [["8", "50.00"]]


def test_back_returns_to_the_view_without_an_address(open_page: OpenPage, files: dict[str, bytes]) -> None:
    page = open_page(files)
    block(page).get_by_label("model", exact=True).select_option("n")
    page.go_back()
    assert len(numbers(page, "speed")) == 3


@pytest.mark.parametrize(
    "fragment",
    [
        "#explorer?f.model=x&f.device=&on=constructor&within=-1&against=a.b&f.__proto__=1",
        "#explorer?%",
        "#explorer?f.model=%00",
    ],
)
def test_an_address_with_unknown_choices_opens_the_usual_view(
    open_page: OpenPage, files: dict[str, bytes], fragment: str
) -> None:
    page = open_page(files, fragment)
    assert len(numbers(page, "speed")) == 3


def test_a_selection_without_configurations_says_so(open_page: OpenPage, files: dict[str, bytes]) -> None:
    page = open_page(files)
    option = block(page).get_by_label("model", exact=True).locator("option")
    assert option.all_inner_texts() == ["m", "n"]
    for name in "AB":
        block(page).get_by_label(name, exact=True).uncheck()
    sentence = "No configuration matches this selection."
    expect(block(page).get_by_role("status")).to_have_text(sentence)
    expect(block(page).locator("[data-chart=speed]")).to_contain_text(sentence)
    assert chosen(page) == {"f.model": ["m"], "none": ["1"]}
    page.reload()
    expect(block(page).get_by_role("status")).to_have_text(sentence)


def test_a_number_opens_its_evidence_and_the_view_stays_in_the_address(
    open_page: OpenPage, files: dict[str, bytes]
) -> None:
    page = open_page(files)
    block(page).get_by_label("model", exact=True).select_option("n")
    address = page.evaluate("location.hash")
    block(page).locator("[data-chart=speed] a", has_text="50.00").click()
    expect(page.locator("#panel")).to_contain_text("50 images/s")
    page.keyboard.press("Escape")
    assert page.evaluate("location.hash") == address


def test_all_configurations_are_one_table_with_the_tools_of_tables(
    open_page: OpenPage, files: dict[str, bytes]
) -> None:
    page = open_page(files)
    block(page).get_by_text("All configurations", exact=True).click()
    section = page.locator("#explorer-all")
    assert section.locator("thead th").all_inner_texts() == [
        "model",
        "device",
        "batch size",
        "Throughput (images/s)",
        "Memory used (GiB)",
    ]
    head = section.get_by_role("columnheader", name="Throughput")
    head.click()
    head.click()
    speeds = section.locator("tbody tr > :nth-child(4)").all_inner_texts()
    assert speeds == ["300.0", "180.0", "150.0", "100.0", "50.00", "out of memory"]
    section.get_by_role("link", name="300.0").click()
    expect(page.locator("#panel")).to_contain_text("300 images/s")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#panel h2")).to_contain_text("6.00")
    assert page.evaluate("location.hash") == ""


def test_the_list_of_all_configurations_stays_folded_on_paper(
    open_page: OpenPage, files: dict[str, bytes]
) -> None:
    page = open_page(files)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert block(page).locator("details.everything").get_attribute("open") is None
    assert block(page).locator("details.without-number").get_attribute("open") is not None


def test_configurations_without_a_number_are_in_a_list_for_all_facets(
    open_page: OpenPage, files: dict[str, bytes]
) -> None:
    page = open_page(files)
    block(page).get_by_label("model", exact=True).select_option("n")
    block(page).get_by_text("Which have no number? 1 out of memory").click()
    assert block(page).locator(".without-number li").all_inner_texts() == [
        "A, m: batch size 128 out of memory"
    ]
    block(page).get_by_label("A", exact=True).uncheck()
    expect(block(page).locator(".without-number")).to_have_count(0)


@pytest.mark.parametrize("has_charts", [False])
def test_without_the_library_of_charts_the_explorer_says_how_to_get_it(
    open_page: OpenPage, files: dict[str, bytes]
) -> None:
    page = open_page(files)
    page.mouse.wheel(0, 4000)
    expect(block(page).get_by_text("The charts need assets/vega.js beside this page.")).to_have_count(1)


def test_the_configurations_that_no_other_beats_are_named(
    open_page: OpenPage, files: dict[str, bytes]
) -> None:
    page = open_page(files, "#explorer?on=memory")
    front = block(page).locator(".front")
    # A 64 needs more memory than B 8 and is slower.
    expect(front).to_contain_text("A, batch size 8; B, batch size 8; B, batch size 64.")


def download(page: Page) -> str:
    with page.expect_download() as event:
        block(page).get_by_role("button", name="Download CSV").click()
    assert event.value.suggested_filename == "selection.csv"
    return Path(event.value.path()).read_text("utf-8")


def test_the_selection_is_saved_as_csv_in_base_units(open_page: OpenPage, files: dict[str, bytes]) -> None:
    page = open_page(files)
    block(page).get_by_label("Show memory").check()
    rows = list(csv.DictReader(io.StringIO(download(page))))
    assert list(rows[0]) == [
        *("model", "device", "batch_size", "metric", "phase", "unit"),
        *("value", "low", "high", "text", "ratio", "verdict"),
    ]
    assert len(rows) == 10  # 5 configurations with two measures; one of them ran out of memory
    by_key = {(row["device"], row["batch_size"], row["metric"]): row for row in rows}
    assert by_key["B", "64", "memory_used"]["value"] == str(6 * 2**30)
    assert by_key["B", "64", "memory_used"]["unit"] == "B"
    assert by_key["B", "64", "throughput"]["ratio"] == "2"
    assert by_key["B", "64", "throughput"]["verdict"] == "no repeats"
    assert by_key["A", "128", "throughput"]["value"] == ""
    assert by_key["A", "128", "throughput"]["text"] == "out of memory"


def test_the_keyboard_alone_is_enough(open_page: OpenPage, files: dict[str, bytes]) -> None:
    page = open_page(files)
    block(page).get_by_label("model", exact=True).focus()
    page.keyboard.press("ArrowDown")
    assert chosen(page) == {"f.model": ["n"]}
    expect(block(page).get_by_label("model", exact=True)).to_be_focused()
    page.keyboard.press("Tab")
    expect(block(page).get_by_label("A", exact=True)).to_be_focused()
    page.keyboard.press("Space")
    expect(block(page).get_by_label("A", exact=True)).to_be_focused()
    assert chosen(page)["f.device"] == ["B"]
    for _ in range(2):
        page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert block(page).get_by_label("Show memory").is_checked()
    page.keyboard.press("Tab")
    with page.expect_download():
        page.keyboard.press("Enter")
    block(page).locator("[data-chart=speed] a").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#panel")).to_be_visible()


def test_the_focus_stays_on_the_answer_that_was_changed(open_page: OpenPage, files: dict[str, bytes]) -> None:
    page = open_page(files)
    block(page).get_by_label("Within (GiB)").fill("2")
    page.keyboard.press("Enter")
    expect(block(page).get_by_label("Within (GiB)")).to_be_focused()
    assert block(page).locator("#explorer-fastest li").all_inner_texts() == [
        "A: batch size 64: 150.0 images/s, 2.00 GiB",
        "B: batch size 8: 180.0 images/s, 1.50 GiB",
    ]


def test_there_is_no_accessibility_violation(open_page: OpenPage, files: dict[str, bytes]) -> None:
    page = open_page(files, "#explorer?on=memory")
    page.get_by_text("More information").click()
    block(page).get_by_text("All configurations", exact=True).click()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        response = accessibility(page, colours_alone=scheme == "dark")
        assert [f"{each['id']}: {each['nodes'][0]['html']}" for each in response["violations"]] == [], scheme


def test_the_accessibility_tree_names_the_controls(open_page: OpenPage, files: dict[str, bytes]) -> None:
    page = open_page(files)
    expect(block(page)).to_match_aria_snapshot(
        """
        - heading "Explorer" [level=2]
        - combobox "model"
        - group "device":
          - checkbox "A" [checked]
          - checkbox "B" [checked]
        - checkbox "Show memory"
        - button "Download CSV"
        - status
        """
    )


def test_nothing_overflows(open_page: OpenPage, files: dict[str, bytes]) -> None:
    page = open_page(files, "#explorer?on=memory")
    for width in (2560, 1440, 768, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") == width


def test_without_javascript_the_text_says_where_the_numbers_are(
    open_page: OpenPage, files: dict[str, bytes]
) -> None:
    page = open_page(files, java_script_enabled=False)
    expect(block(page).locator("noscript p")).to_be_visible()
    block(page).get_by_text("More information").click()
    expect(block(page).get_by_role("heading", name="Method")).to_be_visible()
    assert block(page).locator("select, input, button").count() == 0


def test_hostile_texts_stay_texts(open_page: OpenPage) -> None:
    names = (EVIL, f"{EVIL}2")
    runs = [
        log(f"{i}{j}{n}", 10.0 * (i + j + n + 1), 1.0, model=model, device=device, batch_size=n)
        for i, model in enumerate(names)
        for j, device in enumerate(names)
        for n in (1, 2)
    ]
    switch = SwitchSpec("s", EVIL, EVIL, tables=("memory",))
    page = open_page(page_of(runs, switches=(switch,), more=EVIL), "#explorer?on=s")
    assert block(page).locator("img, script").count() == 0
    block(page).get_by_label("model", exact=True).select_option(index=1)
    block(page).get_by_text("All configurations", exact=True).click()
    assert page.locator("img, script[src]:not([src^='../assets/'])").count() == 0
    mark = block(page).locator("[data-chart=speed] .chart-plot [tabindex='0']")
    mark.focus()
    page.keyboard.press("ArrowRight")  # a tooltip follows the focus of the keyboard
    expect(page.locator(".chart-tip")).to_contain_text("=<img src=x")
    assert page.locator("img").count() == 0
    page.reload()
    assert block(page).get_by_label("model", exact=True).input_value() == "1"
    lines = list(csv.reader(io.StringIO(download(page))))
    assert len(lines) == 9
    texts = {field for line in lines[1:] for field in line if "img" in field}
    assert texts
    assert all(re.match("'=<img", text) for text in texts)


def test_a_chart_has_its_room_before_it_is_drawn(open_page: OpenPage, files: dict[str, bytes]) -> None:
    """A page that grows between the press and the release of a button loses the click."""
    page = open_page(files, viewport={"width": 1440, "height": 4000})
    places = block(page).locator(".drawing > div")
    expect(places.locator(".chart-plot svg")).to_have_count(places.count(), timeout=30_000)
    expect(block(page).locator(".undrawn")).to_have_count(0)
    room = page.evaluate(
        """() => {
          const place = document.createElement('div');
          place.className = 'undrawn';
          document.querySelector('section.explorer').append(place);
          return place.offsetHeight;
        }"""
    )
    assert set(places.evaluate_all("places => places.map((place) => place.offsetHeight)")) == {room}


def test_an_explorer_without_compared_factor_has_one_series(open_page: OpenPage) -> None:
    runs = [log(str(n), 10.0 * n, 1.0 * n, device="A", model="m", batch_size=n) for n in (1, 2)]
    page = open_page(page_of(runs))
    assert numbers(page, "speed") == [["1", "10.00"], ["2", "20.00"]]
    assert block(page).locator("select").count() == 1  # of the trade-off
    page.reload()
    assert len(numbers(page, "memory")) == 2


def test_the_interval_of_repeats_is_drawn_and_saved(open_page: OpenPage) -> None:
    runs = [
        log(f"{n}.{value}", value * n, 1.0, device="A", model="m", batch_size=n)
        for n in (1, 2)
        for value in (10.0, 11.0, 12.5)
    ]
    page = open_page(page_of(runs), viewport={"width": 1440, "height": 4000})
    rows = [row for row in csv.DictReader(io.StringIO(download(page))) if row["metric"] == "throughput"]
    assert [(row["low"], row["value"], row["high"]) for row in rows] == [
        ("10", "11", "12.5"),
        ("20", "22", "25"),
    ]
    rules = block(page).locator("[data-chart=speed] .mark-rule.role-mark > line")
    expect(rules).to_have_count(2, timeout=30_000)
    ends = rules.evaluate_all("lines => lines.map(({ __data__: { datum } }) => datum.interval)")
    assert ends == ["10.00 – 12.50", "20.00 – 25.00"]
