"""A large report: the evidence is in files beside the page, and a reader notices nothing but a fast page."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs
from playwright.sync_api import Page, expect

from reportgen.document.model import Label
from reportgen.render.page import evidence_files
from reportgen.report import document
from reportgen.tables.results import Report
from tests.render import example
from tests.render.conftest import write_assets
from tests.render.example import document_of, render_report
from tests.render.test_page import visited

OpenPage = Callable[..., Page]
Files = dict[str, bytes]


def report() -> Report:
    """Return a report with two tables, so that its page has a search."""
    table = example.throughput_table()
    return example.report(tables=(table, replace(table, id="again", title="Again")), prose="")


@pytest.fixture(scope="module")
def small() -> Files:
    return render_report(report())


@pytest.fixture(scope="module")
def large() -> Files:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evidence_files, "_MOST_INSIDE", 0)
        patch.setattr(document, "_MOST_CASES", 0)
        return render_report(report())


def _evidence(files: Files) -> dict[str, dict[str, object]]:
    """Return what each file holds, by its name."""
    found = {}
    for path, content in files.items():
        if path.startswith("evidence/"):
            begin, _, rest = content.decode().partition("] = ")
            name = path.removeprefix("evidence/").removesuffix(".js")
            assert begin == f'(globalThis.reportgenEvidence ??= {{}})["{name}"'
            found[name] = json.loads(rest.removesuffix(";\n"))
    return found


def _opened(page: Page, text: str) -> str:
    """Open a number with the keyboard and return what the panel says."""
    page.locator("section.table td").get_by_role("link", name=text, exact=True).first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#panel-title")).to_contain_text(text)
    return _shown(page)


def _asked(page: Page, text: str) -> str:
    """Ask the open number against another one and return the answer."""
    page.get_by_role("button", name="Compare with …").click()
    page.locator("section.table td").get_by_role("link", name=text, exact=True).first.click()
    expect(page.locator("#panel")).to_contain_text("The other way round")
    return _shown(page)


def _shown(page: Page) -> str:
    """Return what a reader sees in the panel: while it is hidden, the browser gives the text without its lines."""
    panel = page.locator("#panel")
    expect(panel).to_be_visible()
    return panel.inner_text()


def test_each_case_is_in_the_file_that_its_name_says(large: Files) -> None:
    found = {
        name: [case for each in content["configurations"] for case in each["cases"]]  # type: ignore[attr-defined]
        for name, content in _evidence(large).items()
    }
    expected: dict[str, set[str]] = {}
    for case in document_of(report()).cases:
        expected.setdefault(evidence_files.file_of(case.name), set()).add(case.name)
    assert {name: set(cases) for name, cases in found.items()} == expected
    assert len(found) > 1


def test_the_page_of_a_large_report_says_where_its_evidence_is(small: Files, large: Files) -> None:
    page = large["index.html"].decode()
    assert "<b id=" not in page
    assert '"runs"' not in page
    count = len(document_of(report()).cases)
    assert f"This report has {count} numbers, too many to list their evidence here." in page
    assert not _evidence(small)
    listed = json.loads(large["report.json"])["generated"]
    assert {path for path in large if path.startswith("evidence/")} <= set(listed)


def test_a_standalone_page_has_all_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence_files, "_MOST_INSIDE", 0)
    files = render_report(report(), standalone=True)
    assert not _evidence(files)
    assert b"<b id=" in files["index.html"]
    assert b'"runs"' in files["index.html"]


@pytest.mark.parametrize(
    ("case", "number"), [("", 0), ("a", 97 % 64), ("ab", (31 * 97 + 98) % 64), ("\N{GRINNING FACE}", 0)]
)
def test_a_name_gives_the_number_of_its_file(case: str, number: int) -> None:
    assert evidence_files.file_of(case) == str(number)


def test_a_reader_sees_the_same_as_on_a_small_page(open_page: OpenPage, small: Files, large: Files) -> None:
    said = []
    for files in (small, large):
        page = open_page(files)
        said.append([_opened(page, "397.6"), _asked(page, "394.0"), _opened(page, "7.86")])
        page.keyboard.press("Escape")  # beside the open panel there is no room for the list
        page.get_by_role("searchbox", name="Search tables and numbers").fill("7.86")
        page.locator(".results a").first.click()
        expect(page.locator("#panel")).to_contain_text("Speed-up 7.86 over")
        said[-1].append(_shown(page))
        page.reload()  # the address keeps the number
        expect(page.locator("#panel")).to_contain_text("Speed-up 7.86 over")
        said[-1].append(_shown(page))
    assert said[0] == said[1]


def test_the_panel_says_which_file_is_missing(window: Page, tmp_path: Path, large: Files) -> None:
    write_assets(tmp_path)
    (tmp_path / "report").mkdir()
    file = tmp_path / "report/index.html"
    file.write_bytes(large["index.html"])
    with visited(window, file.as_uri()) as (page, said):
        page.get_by_role("link", name="397.6", exact=True).first.click()
        expect(page.locator("#panel")).to_contain_text("which lacks evidence/")
        expect(page.locator("#panel code")).to_have_text("reportgen build")
        assert len(said) == 1


def test_a_table_of_many_rows_shows_the_first_ones_until_a_reader_wants_more(open_page: OpenPage) -> None:
    table = example.throughput_table()
    rows = tuple(
        structs.replace(head, labels=(*head.labels[:-1], Label(f"row {number}")))
        for number, head in enumerate(table.rows * 201)
    )
    many = replace(table, rows=rows, cells=table.cells * 201)
    page = open_page(render_report(example.report(tables=(many,), figures=(), prose="")))
    shown = page.locator("section.table tbody tr:visible")
    expect(shown).to_have_count(200)
    button = page.get_by_role("button", name=f"Show all {len(rows)} rows")
    button.focus()
    page.keyboard.press("Enter")
    expect(shown).to_have_count(len(rows))
    expect(button).to_have_count(0)
    focused = "document.activeElement.closest('tr').sectionRowIndex"
    assert 200 <= page.evaluate(focused) < 200 + len(table.rows)
    page.reload()
    page.emulate_media(media="print")
    expect(shown).to_have_count(len(rows))
    page.emulate_media(media="screen")
    page.get_by_text("Sort, filter, copy").click()
    page.get_by_role("searchbox", name="Filter rows").fill("row 401")
    expect(shown).to_have_count(1)
    assert page.evaluate("document.activeElement.type") == "search"
