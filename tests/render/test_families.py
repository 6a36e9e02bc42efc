"""Tables that differ in their facets only: one is shown, lists choose which, nothing is lost without them."""

import html
from collections.abc import Callable
from dataclasses import replace

import pytest
from playwright.sync_api import Locator, Page, expect

from reportgen.core.errors import RequestError
from reportgen.tables.results import Figure, Table
from tests.render import example
from tests.render.conftest import accessibility
from tests.render.example import render_report

OpenPage = Callable[..., Page]

# No table of the V100 with <b>roberta</b>.
FACETS = (("roberta", "V100"), ("roberta", "A100"), ("bert", "V100"), ("bert", "A100"), ("<b>x</b>", "A100"))
TEXT = '## Speed\n\n{{ tables("t") }}\n\n## Rest\n'


def _tables() -> tuple[Table, ...]:
    return tuple(
        replace(
            example.throughput_table(),
            id=f"t/{i}",
            title=f"Throughput: {model}, {device}",
            facet=(("model", model), ("device", device)),
            facet_words=(("model", model), ("GPU", device)),
        )
        for i, (model, device) in enumerate(FACETS)
    )


def _figures(tables: tuple[Table, ...]) -> tuple[Figure, ...]:
    return tuple(replace(example.figures()[0], id=f"f/{table.id}", table=table.id) for table in tables)


@pytest.fixture
def has_charts() -> bool:
    return False


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    tables = _tables()
    return render_report(example.report(tables=tables, figures=_figures(tables), prose=TEXT))


def _shown(page: Page) -> list[str]:
    sections: Locator = page.locator("section.table:visible")
    return [each.get_attribute("id") or "" for each in sections.all()]


def test_the_lists_choose_the_table(open_page: OpenPage, files: dict[str, bytes]) -> None:
    page = open_page(files)
    assert _shown(page) == ["table-t--0"]
    page.get_by_label("GPU").select_option("A100")
    assert _shown(page) == ["table-t--1"]
    page.get_by_label("model").select_option("bert")
    assert _shown(page) == ["table-t--3"]


def test_a_combination_without_a_table_keeps_what_was_chosen_last(
    open_page: OpenPage, files: dict[str, bytes]
) -> None:
    page = open_page(files)
    page.get_by_label("model").select_option("<b>x</b>")
    assert _shown(page) == ["table-t--4"]
    expect(page.get_by_label("GPU")).to_have_value("A100")
    page.get_by_label("GPU").select_option("V100")
    assert _shown(page) == ["table-t--0"]
    expect(page.get_by_label("model")).to_have_value("roberta")


def test_all_can_be_shown_and_are_printed(open_page: OpenPage, files: dict[str, bytes]) -> None:
    page = open_page(files)
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert len(_shown(page)) == len(FACETS)
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    assert _shown(page) == ["table-t--0"]
    page.get_by_label("Show all").focus()
    page.keyboard.press("Space")
    page.locator(".fold:not([open]) > summary").last.click()
    assert _shown(page) == ["table-t--0", "table-t--4"]


def test_an_address_and_the_list_of_contents_reveal_a_table(
    open_page: OpenPage, files: dict[str, bytes]
) -> None:
    page = open_page(files, "#t--3/1-1/oneflow-images-s", viewport={"width": 1900, "height": 900})
    expect(page.locator("#table-t--3 td.current")).to_be_in_viewport()
    expect(page.get_by_label("model")).to_have_value("bert")
    page.get_by_role("navigation").get_by_role("link", name="roberta, A100").click()
    expect(page.locator("#table-t--1 table")).to_be_in_viewport()
    assert _shown(page) == ["table-t--1"]


@pytest.mark.parametrize("has_charts", [True])
def test_a_figure_is_beside_its_table(open_page: OpenPage, files: dict[str, bytes]) -> None:
    page = open_page(files, "#table-t--1", viewport={"width": 2560, "height": 1000})
    table = page.locator("#table-t--1").bounding_box()
    figure = page.locator("#figure-f--t--1").bounding_box()
    assert table is not None
    assert figure is not None
    assert table["x"] + table["width"] <= figure["x"]
    page.set_viewport_size({"width": 390, "height": 800})
    figure = page.locator("#figure-f--t--1").bounding_box()
    assert figure is not None
    assert figure["x"] + figure["width"] <= 390


@pytest.mark.parametrize("width", [390, 768])
def test_long_names_in_a_list_stay_within_the_window(open_page: OpenPage, width: int) -> None:
    tables = tuple(
        replace(table, facet_words=(("series", f"{'logs-of-a-very-long-name-' * 6}{i}"), ("GPU", "A100")))
        for i, table in enumerate(_tables()[:2])
    )
    files = render_report(example.report(tables=tables, figures=(), prose=TEXT))
    page = open_page(files, viewport={"width": width, "height": 900})
    expect(page.get_by_label("series")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("has_charts", [True])
def test_axe_finds_nothing(open_page: OpenPage, files: dict[str, bytes]) -> None:
    assert accessibility(open_page(files))["violations"] == []


def test_every_table_is_there_without_a_script(open_page: OpenPage, files: dict[str, bytes]) -> None:
    page = open_page(files, java_script_enabled=False)
    expect(page.locator("section.table")).to_have_count(len(FACETS))
    expect(page.locator(".fold > summary")).to_have_text([", ".join(facet) for facet in FACETS])
    expect(page.get_by_label("GPU")).to_have_count(0)


def test_the_markdown_page_leads_to_every_table(files: dict[str, bytes]) -> None:
    readme = files["README.md"].decode()
    names = [html.escape(", ".join(facet)) for facet in FACETS]
    assert f"**{names[0]}**" in readme
    assert [f"<summary>{name}: " in readme for name in names[1:]] == [True] * 4
    assert "(tables/" not in readme
    assert readme.count("(figures/f--t--0.svg)") == 1
    assert "&lt;b&gt;x&lt;/b&gt;, A100" in readme


def test_an_unknown_entry_is_an_error_that_names_the_nearest() -> None:
    report = example.report(tables=_tables(), figures=(), prose='{{ tables("tt") }}')
    with pytest.raises(RequestError, match=r'no tables of "tt"; did you mean "t"\?'):
        render_report(report)
