"""Every page that a reader may open: the committed reports, their index, and a report without a definition.

One page of the browser visits them all. Nothing overflows at five widths and on paper, axe finds nothing in light and
dark colours, nothing is written to the console, and nothing is asked of another place.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, ViewportSize

from reportgen import publish
from reportgen.pipeline import Request, build
from reportgen.render.outputs import NO_HISTORY
from tests.autolayout import trees
from tests.builders import write_files
from tests.conftest import ROOT
from tests.render.conftest import accessibility, keep_one_of_each_kind, listening, write_assets

WIDTHS = (320, 390, 768, 1440, 2560)
PAPER: ViewportSize = {
    "width": 718,
    "height": 1000,
}  # A4 with margins of 1 cm; a browser shrinks what is wider
TREES = {"devices": trees.by_device(), "failures": trees.failures(), "serving": trees.vllm()}
CONTRAST = ("", "serving", "trees/failures")
COMMITTED = sorted(path.parent.name for path in (ROOT / "reports").glob("*/index.html"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The committed reports with what a build adds, and one of logs alone."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(
        ROOT / "reports", folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("steps", "vega.js")
    )
    write_assets(folder)
    for name, tree in TREES.items():
        root = folder / "trees" / name
        write_files(root, {f"logs/{path}": content for path, content in tree.items()})
        (root / "reports").mkdir()
        publish.apply(build(Request(root, root / "reports")).files, root / "reports")
    for page in folder.glob("*/index.html"):
        (page.parent / "history.js").write_bytes(NO_HISTORY)
    return folder


@pytest.fixture(scope="module")
def page(browser: Browser, site: Path) -> Iterator[Page]:
    page = browser.new_page()
    with listening(page) as heard:
        yield page
    page.close()
    assert heard.noises == []
    assert [url for url in heard.requests if not url.startswith(site.as_uri())] == []


@pytest.mark.parametrize("name", ["", *COMMITTED, *(f"trees/{name}" for name in TREES)])
def test_a_page_fits_every_screen_and_paper_and_every_reader(page: Page, site: Path, name: str) -> None:
    page.emulate_media(media="screen", color_scheme="light")
    below = name and not (site / name / "index.html").exists()
    file = next((site / name / "reports").glob("*/index.html")) if below else site / name / "index.html"
    page.goto(file.as_uri())
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") == width
    page.set_viewport_size(PAPER)
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") == PAPER["width"]
    page.set_viewport_size({"width": WIDTHS[-1], "height": 900})
    page.emulate_media(media="screen")
    keep_one_of_each_kind(page)
    # Contrast takes axe longest. All pages have the colours of one style sheet, so small ones are enough.
    schemes = ("light", "dark") if name in CONTRAST else ("light",)
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        found = accessibility(page, contrast=name in CONTRAST, colours_alone=scheme == "dark")["violations"]
        assert [each["id"] for each in found] == []
