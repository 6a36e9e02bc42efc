"""The panel shows a number at earlier commits, from the file beside the page."""

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from reportgen.document.encode import decode
from reportgen.history.page_file import ReportVersions
from reportgen.render import render_document
from tests.history.stored_study import Measured, StoredStudy

OpenPage = Callable[..., Page]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Twenty commits: from the eleventh on, a takes 10 % longer, with another driver; b never changes."""
    study = StoredStudy(tmp_path_factory.mktemp("study") / "repo")
    for day in range(20):
        value = (0.1 if day < 10 else 0.11) + 0.0001 * (day % 3)
        a = Measured("a", [value], compared_with="b", driver="550" if day < 10 else "560")
        study.commit(a, Measured("b", [0.2]), digest=str(day), message=f"day {day}")
    content = (study.root / "reports/study/report.json").read_bytes()
    history = ReportVersions(study.root / "reports", ["study"]).history_js("study", content)
    return render_document(decode(content, ""), history=history)


def test_a_number_shows_its_points_and_where_it_changed(open_page: OpenPage, files: dict[str, bytes]) -> None:
    page = open_page(files)
    page.get_by_role("link", name="0.1101").click()
    section = page.locator("#panel section", has_text="Over commits")
    expect(section.locator(".plot-title").first).to_have_text("20 points, 100.0 ms \u2192 110.1 ms")
    expect(section).to_contain_text("step at")
    expect(section).to_contain_text(": driver 550 -> 560")
    expect(section.locator("svg.history").first.locator("circle")).to_have_count(20)
    expect(section.locator("svg.history").first.locator("line.break")).to_have_count(1)
    section.get_by_text("All 20 points").first.click()
    expect(section.locator("details[open] tbody tr")).to_have_count(40)
    expect(section).to_contain_text("day 10")
    assert Axe().run(page, "#panel", {"preload": False}).response["violations"] == []


def test_a_ratio_has_a_curve_of_its_own_below_that_of_its_case(
    open_page: OpenPage, files: dict[str, bytes]
) -> None:
    page = open_page(files)
    page.get_by_role("link", name="0.551").click()
    titles = page.locator("#panel section", has_text="Over commits").locator(".plot-title")
    expect(titles).to_have_text(
        ["20 points, 100.0 ms \u2192 110.1 ms", "ratio: 20 points, 0.5000 \u2192 0.5505"]
    )


def test_a_number_that_never_changed_shows_none(open_page: OpenPage, files: dict[str, bytes]) -> None:
    page = open_page(files)
    page.get_by_role("link", name="0.2000").click()
    page.wait_for_function("window.reportgenHistory")
    expect(page.locator("#panel")).to_contain_text("One repeat")
    expect(page.get_by_text("Over commits")).to_be_hidden()
