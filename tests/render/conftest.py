"""Golden files: what a reader sees is compared with what a person has read and accepted.

REPORTGEN_ACCEPT=1 accepts what is produced now; read the diff before committing it.
"""

import difflib
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright

from reportgen.render.page import library, page_script, page_style

GOLDEN = Path(__file__).parent / "golden"

expect.set_options(timeout=30_000)  # ms; a busy machine takes long to draw a chart


def _compare(case: str, files: Mapping[str, bytes]) -> None:
    folder = GOLDEN / case
    if os.environ.get("REPORTGEN_ACCEPT") == "1":
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
    problems = []
    for path, content in files.items():
        expected = (folder / path).read_bytes() if (folder / path).exists() else b""
        if expected == content:
            (folder / f"{path}.got").unlink(missing_ok=True)
            continue
        (folder / f"{path}.got").write_bytes(content)
        problems += difflib.unified_diff(
            expected.decode().splitlines(),
            content.decode().splitlines(),
            f"{case}/{path}",
            "got",
            lineterm="",
        )
    left = {str(f.relative_to(folder)) for f in folder.rglob("*") if f.is_file() and f.suffix != ".got"}
    problems += [f"golden file that nothing produces: {case}/{path}" for path in sorted(left - set(files))]
    problems += [
        "read the difference, then accept it: REPORTGEN_ACCEPT=1 python -m pytest tests/render"
    ] * bool(problems)
    assert not problems, "\n".join(problems)


@pytest.fixture
def golden() -> Callable[[str, Mapping[str, bytes]], None]:
    return _compare


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for all tests; each test opens pages of its own."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not installed (apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


def write_assets(folder: Path) -> None:
    """Write what the pages of reports load, as a build does."""
    for output in (page_script.OUTPUT, page_style.OUTPUT, library.OUTPUT):
        assert output.of_reports
        (folder / output.path).parent.mkdir(exist_ok=True)
        (folder / output.path).write_bytes(output.of_reports([]))


def accessibility(page: Page) -> dict[str, Any]:
    """Return what axe finds on a page. It asks for no file: the policy refuses its requests for style sheets."""
    return Axe().run(page, options={"preload": False}).response


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """Write the files of a report and open its page from the disk; the page must stay silent and offline."""
    folder = tmp_path / "report"
    write_assets(tmp_path)
    noises: list[str] = []
    pages: list[Page] = []

    def opened(files: Mapping[str, bytes], fragment: str = "", **options: object) -> Page:
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        page = browser.new_page(**options)
        pages.append(page)
        page.on("console", lambda message: noises.append(message.text))
        page.on("pageerror", lambda error: noises.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto((folder / "index.html").as_uri() + fragment)
        return page

    requests: list[str] = []
    yield opened
    for page in pages:
        page.close()
    assert noises == []
    assert [url for url in requests if not url.startswith(tmp_path.as_uri())] == []
