"""The first screen of a page and its list of contents."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from msgspec import structs
from playwright.sync_api import Page, expect

from reportgen.core.model import Case
from reportgen.document import model
from reportgen.document.model import Header, Label, Provenance
from reportgen.render.grid import first_screen
from reportgen.render.page.outline import contents_of, number_headings
from reportgen.tables.results import Report, Table
from tests.render import example
from tests.render.example import document_of, render_report

OpenPage = Callable[..., Page]


def _document(cases: Sequence[Case], report: Report | None = None) -> model.Document:
    """Return the document of a report whose only table has a row per case."""
    table = replace(
        example.phase_table(),
        row_factors=("row",),
        rows=tuple(Header((i,)) for i in range(len(cases))),
        columns=(Header(),),
        column_factors=(),
        column_titles=(),
        cells=tuple((example.number(case),) for case in cases),
        notes={},
    )
    return document_of(replace(report or example.report(), tables=(table,), figures=(), prose=""))


def test_it_says_what_was_measured_on_what_and_when() -> None:
    factors = {"model": "ResNet", "device": "A40", "devices": 8}
    cases = [example.case(1.0, factors), example.case(2.0, {**factors, "device": "V100", "devices": 1})]
    assert first_screen.measured(_document(cases)) == [
        ("Measured", "Throughput of ResNet"),
        ("On", "A40, V100, 1 to 8 devices"),
        ("When", "2020-10-01"),  # of the publication: these runs have no date
    ]


def test_it_says_that_the_device_is_not_known() -> None:
    terms = dict(first_screen.measured(_document([example.case(1.0, {"devices": 8})])))
    assert terms["On"] == "8 devices of unknown type"


def test_it_counts_the_runs_that_failed() -> None:
    case = example.case(1.0, {"model": "ResNet"})
    run = case.measurements[0].run
    counts = ("In tables: 2 runs (1 complete, 1 failed).",)
    report = example.report(runs=(run, replace(run, status="failed")), run_counts=counts)
    complete = replace(report, runs=(run,))
    assert dict(first_screen.measured(_document([case], report)))["Runs"] == counts[0]
    assert "Runs" not in dict(first_screen.measured(_document([case], complete)))


@pytest.mark.parametrize(("length", "kind"), [(300, "headline"), (301, "headline long")])
def test_a_long_headline_is_set_in_the_size_of_the_text(length: int, kind: str) -> None:
    page = render_report(example.report(headline="x" * length, prose=""))["index.html"].decode()
    assert f'<p class="{kind}">x' in page


def test_the_date_is_that_of_the_runs() -> None:
    case = example.case(1.0, {"model": "ResNet"})
    days = (1_700_000_000.0, 1_700_100_000.0, float("1e300"))
    measurements = tuple(
        structs.replace(m, run=replace(m.run, started=day))
        for m, day in zip(case.measurements, days, strict=True)
    )
    terms = dict(first_screen.measured(_document([replace(case, measurements=measurements)])))
    assert terms["When"] == "2023-11-14 to 2023-11-16"


def test_it_says_how_far_to_trust_the_numbers() -> None:
    cases = [example.case(1.0, {"model": name}, repeats=n) for name, n in (("A", 1), ("B", 7), ("C", 7))]
    trust = first_screen.trust(_document(cases))
    assert trust.basis == "1 to 7 repeats per number, mostly 7; measured step by step"
    assert trust.findings == ("1 warning", "5 notes")


def test_what_logs_print_at_their_steps_was_not_measured_step_by_step() -> None:
    """A progress bar prints a smoothed rate."""
    case = example.case(1.0, {"model": "A"})
    printed = replace(
        case, measurements=tuple(structs.replace(m, clock="printed") for m in case.measurements)
    )
    trust = first_screen.trust(_document([printed]))
    assert trust.basis == "3 repeats per number; times or rates that the logs print at their steps"


def test_a_report_without_dates_and_devices_says_less() -> None:
    report = example.report(provenance=(Provenance("logs", "native", 1),))
    assert first_screen.measured(_document([example.case(1.0, {})], report)) == [("Measured", "Throughput")]


def test_the_outline_has_the_headings_of_the_text_with_their_tables() -> None:
    text = number_headings("<h2>A &amp; <em>B</em></h2>")
    table = '<section class="table" id="table-x" data-title="A &amp; B: fp32"></section>'
    other = '<div class="tables"><section class="table" id="table-y" data-title="Y"></section></div>'
    groups = contents_of(f"{text}{table}{other}")
    assert [(g.title, g.anchor, [(t.title, t.anchor) for t in g.tables]) for g in groups] == [
        ("A & B", "text-1", [("fp32", "table-x")]),
        ("", "", [("Y", "table-y")]),  # not below a heading of the text
    ]


@pytest.mark.parametrize(
    ("heading", "size", "is_folded"), [("A", 8, False), ("A", 9, True), ("", 40, False), ("", 41, True)]
)
def test_many_tables_are_folded_in_the_list(heading: str, size: int, is_folded: bool) -> None:
    tables = "".join(f'<section class="table" id="t{i}" data-title="T"></section>' for i in range(size))
    above = f'<h2 id="a">{heading}</h2>' if heading else ""
    assert contents_of(above + tables)[0].is_folded == is_folded


def _family(size: int) -> tuple[Table, ...]:
    table = example.throughput_table()
    return tuple(
        replace(
            table,
            id=f"t/{i}",
            title=f"Throughput: model {i}",
            facet=(("model", i),),
            facet_words=(("model", f"model {i}"),),
        )
        for i in range(size)
    )


@pytest.fixture(scope="module")
def folded() -> dict[str, bytes]:
    return render_report(example.report(tables=_family(6), figures=(), prose=""))


def test_many_tables_of_one_definition_are_folded_except_the_first(
    open_page: OpenPage, folded: dict[str, bytes]
) -> None:
    page = open_page(folded)
    expect(page.locator(".fold")).to_have_count(6)
    expect(page.locator(".fold[open]")).to_have_count(1)
    page.get_by_role("navigation").get_by_role("link", name="model 3").click()
    expect(page.locator("#table-t--3 table")).to_be_in_viewport()


def test_an_address_unfolds_its_table(open_page: OpenPage, folded: dict[str, bytes]) -> None:
    page = open_page(folded, "#t--4/1-1/oneflow-images-s")
    expect(page.locator("#table-t--4 td.current")).to_be_in_viewport()


def test_the_search_finds_tables_and_numbers(open_page: OpenPage, folded: dict[str, bytes]) -> None:
    page = open_page(folded)
    page.get_by_role("searchbox", name="Search").fill("pytorch model 5 speed-up")
    results = page.locator(".results a")
    expect(results).to_have_text(["Nodes 1, Devices 1, NGC PyTorch, speed-up: 1.00"])
    results.first.click()
    expect(page.locator("#table-t--5 td.current")).to_be_in_viewport()


def test_the_list_follows_the_reader(open_page: OpenPage, folded: dict[str, bytes]) -> None:
    page = open_page(folded, viewport={"width": 1440, "height": 700})
    page.locator("#findings").scroll_into_view_if_needed()
    page.evaluate("document.getElementById('findings').scrollIntoView()")
    expect(page.locator("nav a[aria-current]")).to_have_count(1)
    expect(page.locator("nav a[aria-current]")).not_to_have_text("model 0")


def test_the_first_screen_shows_the_first_figure_once(open_page: OpenPage) -> None:
    page = open_page(render_report(example.report()), viewport={"width": 1440, "height": 900})
    figure = page.locator("header figure")
    expect(figure).to_be_in_viewport()
    expect(page.locator("figure")).to_have_count(2)
    page.get_by_role("main").get_by_role("link", name="Speed-up, FP32").click()
    expect(figure).to_be_in_viewport()


def test_the_page_fits(open_page: OpenPage) -> None:
    page = open_page(render_report(example.report()))
    for width in (2560, 1440, 768, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") == width


def test_on_a_phone_the_facts_are_folded_and_the_table_is_near(open_page: OpenPage) -> None:
    report = example.report(figures=(), prose="", verdict=("A word " + "x" * 80,))
    page = open_page(render_report(report), viewport={"width": 390, "height": 844})
    trust = page.get_by_text("Trust", exact=True)
    expect(trust).to_be_hidden()
    box = page.get_by_role("table").first.bounding_box()
    assert box
    assert box["y"] < 844
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.get_by_text("What was measured").click()
    expect(trust).to_be_visible()


def test_paper_shows_folded_tables(open_page: OpenPage, folded: dict[str, bytes]) -> None:
    page = open_page(folded)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(page.locator(".fold[open]")).to_have_count(6)
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(page.locator(".fold[open]")).to_have_count(1)


def test_a_tall_figure_is_beside_the_sentences_and_on_a_phone_below_the_table(open_page: OpenPage) -> None:
    report = example.report()
    figure = replace(report.figures[0], kind="dots", categories=(), series=())
    names = tuple(f"model {n}" for n in range(20))
    series = replace(
        report.figures[0].series[0], x=names, y=(1.5,) * 20, low=(), high=(), cases=(), failed=()
    )
    tall = replace(figure, categories=names, series=(series,), ideal=())
    files = render_report(replace(report, figures=(tall,)))
    page = open_page(files, viewport={"width": 1440, "height": 900})
    box = page.locator("header figure.tall").bounding_box()
    assert box
    assert box["height"] < 900
    page = open_page(files, viewport={"width": 390, "height": 844})
    expect(page.locator("header figure")).to_have_count(0)
    expect(page.locator("main figure.tall")).to_have_count(1)


def test_heads_of_a_row_make_room_for_its_first_number_on_a_phone(open_page: OpenPage) -> None:
    """Each name takes a third of the screen, so the number would begin beyond it."""
    table = example.throughput_table()
    rows = tuple(
        Header(
            (f"model {n}", "a-long-name-of-data", "a-long-name-of-work"),
            labels=(Label(f"model {n}"), *map(Label, ("a-long-name-of-data", "a-long-name-of-work"))),
        )
        for n in range(len(table.rows))
    )
    titles = tuple(map(Label, ("model", "dataset", "task")))
    table = replace(table, row_factors=("model", "dataset", "task"), row_titles=titles, rows=rows)
    page = open_page(
        render_report(example.report(tables=(table,), figures=(), prose="")),
        viewport={"width": 390, "height": 844},
    )
    head, number = page.locator("tbody th").first, page.locator("tbody td").first
    assert (
        head.evaluate("th => getComputedStyle(th, '::after').content")
        == '"a-long-name-of-data · a-long-name-of-work"'
    )
    assert page.locator(".scroll").first.evaluate("box => box.scrollLeft") == 0
    box = number.bounding_box()
    assert box
    assert box["x"] + box["width"] <= 390
