"""The page is well formed, every link inside it arrives, and it is complete without a script."""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from msgspec import structs
from playwright.sync_api import Page as BrowserPage
from playwright.sync_api import expect

from reportgen.document.encode import decode
from reportgen.document.model import Note, Table
from reportgen.render.grid.evidence import evidence_of
from reportgen.render.page import page_script, page_style
from reportgen.report.document import make_document
from reportgen.tables.results import Cell, Report
from tests.conftest import ROOT
from tests.render import example
from tests.render.conftest import listening, write_assets
from tests.render.example import render_report
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
    (own,) = [each for each in without_script.split("<p ") if f'<b id="{name}">' in each]
    return own.split(">", 1)[1].split("</p>")[0]


def test_without_a_script_every_number_links_to_its_repeats() -> None:
    evidence = _evidence("397.6", render_report(example.report())["index.html"].decode())
    for part in (
        "median of 3 repeats, range 397.5602 – 397.6398 (75.0 % confidence)",
        "<br>steps 21 to 120 (100 steps); logs/OneFlow-1/RUN/steps.rank0.csv:22<br>",
        "<br>397.5602, in 32.00 s; r1<br>",
        "<br>397.6, in 32.00 s; r2<br>",
        "<br>397.6398, in 32.00 s; r3",
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
    assert "<br>-, out of memory, logs/oom/r1/run.json</p>" in text


def test_two_hundred_cells_make_a_small_page() -> None:
    table = example.throughput_table()
    rows = tuple(head for head in table.rows for _ in range(17))
    cells = tuple(line for line in table.cells for _ in range(17))

    big = replace(table, rows=rows, cells=cells)
    page = render_report(example.report(tables=(big,), figures=(), prose=""))["index.html"]
    own = len(page) - len(page_script.loader().encode()) - len(page_style.plain_style().encode())
    assert own < 30_000


def test_the_page_needs_nothing_from_outside() -> None:
    text = render_report(example.report())["index.html"].decode()
    for part in ("<script src", "@import", 'src="http', "url(http"):
        assert part not in text
    assert re.findall("<link[^>]*>", text) == ['<link rel="stylesheet" href="../assets/page.css">']


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
    measurements = tuple(structs.replace(m, evidence="published") for m in cell.case.measurements)
    return replace(cell, case=replace(cell.case, measurements=measurements))


def test_captions_are_outside_of_the_scrolling_region() -> None:
    text = render_report(example.report())["index.html"].decode()
    assert "<caption" not in text
    table = text.split('<section class="table" id="table-fp32-b128"')[1].split("</section>")[0]
    assert table.index("</div>") < table.index('id="table-fp32-b128-caption"')
    assert 'aria-describedby="table-fp32-b128-caption"' in table


def test_what_all_numbers_have_in_common_is_folded_and_doubts_are_not() -> None:
    about = (
        Note("Throughput: published figures.", name="measure"),
        Note("All with devices 8.", name="constants"),
        Note("Held equal: model.", name="contract"),
        Note("The repeats vary.", rule="protocol.spread"),
    )
    table = replace(example.throughput_table(), about=about)
    text = render_report(example.report(tables=(table,), figures=(), prose=""))["index.html"].decode()
    caption, folded = (
        text.split('<p class="caption"')[1].split("</p>")[0],
        text.split("<summary>Terms</summary>")[1],
    )
    assert "Throughput: published figures. " in caption
    assert "The repeats vary." in caption
    assert folded.startswith("All with devices 8. Held equal: model.</details>")


FIRST_CELL = "#fp32-b128/1-1/oneflow-images-s"


def write_page(folder: Path, change: tuple[bytes, bytes] = (b"", b"")) -> Path:
    """Write the example's page, with one part of its text replaced, and return its path."""
    (folder / "report").mkdir()
    files = render_report(example.report())
    page = files["index.html"]
    assert change[0] in page
    (folder / "report/history.js").write_bytes(files["history.js"])
    (folder / "report/index.html").write_bytes(page.replace(*change, 1))
    return folder / "report/index.html"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on this host, and yield its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@contextmanager
def visited(window: BrowserPage, address: str) -> Iterator[tuple[BrowserPage, list[str]]]:
    """Open a page, and yield it with what it writes to the console."""
    with listening(window) as heard:
        window.goto(address)
        yield window, heard.noises


def test_script_and_style_are_loaded_from_the_disk_and_from_a_server(
    window: BrowserPage, tmp_path: Path
) -> None:
    write_assets(tmp_path)
    (tmp_path / "favicon.ico").touch()  # a browser asks each server for it
    file = write_page(tmp_path)
    with served(tmp_path) as site:
        for address in (file.as_uri(), f"{site}/report/index.html"):
            with visited(window, address + FIRST_CELL) as (page, said):
                expect(page.locator("#panel h2")).to_contain_text("397.6")
                expect(page.locator("#panel")).to_have_css("position", "fixed")
                assert said == []


def test_a_page_alone_shows_its_evidence_as_text(window: BrowserPage, tmp_path: Path) -> None:
    file = write_page(tmp_path)
    with visited(window, file.as_uri()) as (page, said):
        expect(page.locator("main > .warning")).to_contain_text("assets/page.js is not beside this page")
        page.get_by_role("link", name="397.6", exact=True).first.click()
        case = page.locator("p", has=page.locator(page.evaluate("location.hash")))
        expect(case).to_be_in_viewport()
        expect(case).to_contain_text("397.5602, in 32.00 s; r1")
        expect(page.locator("body")).to_have_css("max-width", "1088px")
        ink = page.locator("figure svg text").first
        expect(ink).to_have_css("fill", "rgb(31, 36, 41)")
        assert len(said) == 2, "a line for each file that is missing"
        assert all("ERR_FILE_NOT_FOUND" in line for line in said)


def test_a_page_says_that_the_script_is_of_another_version(window: BrowserPage, tmp_path: Path) -> None:
    write_assets(tmp_path)
    version = page_script.PAGE_VERSION
    file = write_page(tmp_path, (f'data-page="{version}"'.encode(), b'data-page="0"'))
    with visited(window, file.as_uri()) as (page, said):
        expect(page.locator("main > .warning")).to_contain_text("of another version than this page")
        expect(page.locator("main > .warning")).to_have_css("padding-left", "12px")
        expect(page.get_by_role("heading", name="Evidence", exact=True)).to_be_visible()
        assert page.locator("#panel").count() == 0
        assert said == []


def test_no_script_runs_but_those_that_the_page_loads(window: BrowserPage, tmp_path: Path) -> None:
    """A policy is tested by what it refuses: scripts in the text, from the disk, in attributes and as text."""
    for number, evil in enumerate(
        (
            "<script>globalThis.evil = 1</script>",
            '<script data-page="4">globalThis.evil = 1</script>',
            '<script src="../evil.js"></script>',
            '<script src="../assets/page.js"></script>',
            '<img src="../nothing" onerror="globalThis.evil = 1">',
        )
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        write_assets(folder)
        (folder / "evil.js").write_text("globalThis.evil = 1;")
        file = write_page(folder, (b"</main>", evil.encode() + b"</main>"))
        with visited(window, file.as_uri() + FIRST_CELL) as (page, said):
            expect(page.locator("#panel h2")).to_contain_text("397.6")
            assert page.evaluate("globalThis.evil") is None
            assert any("Content Security Policy" in line for line in said), evil
            assert page.locator("#panel").count() == 1


def test_the_text_of_a_page_alone_runs_no_script(window: BrowserPage, tmp_path: Path) -> None:
    evil = b"<img src=x onerror='globalThis.evil = 1'><script>globalThis.evil = 1</script>"
    file = write_page(tmp_path, (b"<noscript>", b"<noscript>" + evil))
    with visited(window, file.as_uri()) as (page, _):
        expect(page.locator("main > .warning")).to_be_visible()
        page.wait_for_function("document.querySelector('img[src=x]')?.complete")
        assert page.evaluate("globalThis.evil") is None


def test_script_and_style_are_in_no_page() -> None:
    page = render_report(example.report())["index.html"].decode()
    assert "panelSections" in page_script.page_script()
    assert "panelSections" not in page
    assert "#panel" in page_style.page_style()
    assert "#panel" not in page


def test_numbers_of_the_same_runs_say_once_what_they_share() -> None:
    document = decode((ROOT / "reports/jade2/report.json").read_bytes(), "report.json")
    found = evidence_of(document, lambda table: table.id)
    (train,) = [each for each in found.configurations if "c528c45b" in [case.name for case in each.cases]]
    titles = ["data_loading", "forward", "backward", "compute", "whole_step"]
    assert [case.title for case in train.cases] == [f"Step time, {phase}" for phase in titles]
    assert len({each.first.repeats[0].run.id for each in found.configurations}) == 30
    assert sum(len(each.cases) for each in found.configurations) == len(document.cases)


def test_a_number_that_lacks_a_run_of_another_is_alone() -> None:
    case = example.throughput_table().cells[0][0].case
    assert case
    shorter = replace(case, phase="forward", measurements=case.measurements[:-1])
    table = example.throughput_table()
    first = (replace(table.cells[0][0], case=shorter), *table.cells[0][1:])
    shown = replace(table, id="other", cells=(first, *table.cells[1:]))
    document = make_document(example.report(tables=(table, shown), figures=(), prose=""))
    sizes = [len(each.cases) for each in evidence_of(document, lambda table: table.id).configurations]
    assert set(sizes) == {1}


def test_numbers_of_the_same_runs_are_together_wherever_another_program_wrote_them() -> None:
    document = decode((ROOT / "reports/jade2/report.json").read_bytes(), "report.json")
    apart = structs.replace(document, cases=tuple(sorted(document.cases, key=lambda case: case.phase)))
    found, expected = (
        {frozenset(case.name for case in each.cases) for each in evidence_of(of, _id).configurations}
        for of in (apart, document)
    )
    assert found == expected


def _id(table: Table) -> str:
    return table.id
