"""Golden files: what a reader sees is compared with what a person has read and accepted.

REPORTGEN_ACCEPT=1 accepts what is produced now; read the diff before committing it.
"""

import difflib
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

from reportgen.document.file_names import HISTORY
from reportgen.render.outputs import NO_HISTORY
from reportgen.render.page import library, page_script, page_style

GOLDEN = Path(__file__).parent / "golden"
WINDOW = ViewportSize(width=1280, height=720)  # px, as a new page has

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
    """One browser for all tests; the headless shell of Chromium opens a page in half the processor time."""
    chromium = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not installed (apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def shared_page(browser: Browser) -> Page:
    """The page of all tests: a new one costs more than most tests do in it."""
    return browser.new_page()


@pytest.fixture
def window(shared_page: Page) -> Page:
    """The page of all tests in the state of a new one; `listening` leaves it empty."""
    shared_page.context.clear_permissions()
    shared_page.mouse.move(0, 0)
    shared_page.set_viewport_size(WINDOW)
    shared_page.emulate_media(media="screen", color_scheme="light")
    return shared_page


def write_assets(folder: Path) -> None:
    """Write what the pages of reports load, as a build does."""
    for output in (page_script.OUTPUT, page_style.OUTPUT, library.OUTPUT):
        assert output.of_reports
        (folder / output.path).parent.mkdir(exist_ok=True)
        (folder / output.path).write_bytes(output.of_reports([]))


# Of the rows of a table, the items of a list and the marks of a figure, those whose tags, classes, names and roles are
# those of one before them.
_REMOVE_ALIKE = """() => {
  for (const list of document.querySelectorAll("tbody, ul, dl, svg g")) {
    const seen = new Set();
    for (const part of [...list.children]) {
      const kind = part.outerHTML.replace(/>[^<]+</g, ">text<").replace(/ (?!class=|id=|role=)[\\w-]+="[^"]+"/g, "");
      if (seen.has(kind)) part.remove();
      seen.add(kind);
    }
  }
}"""


def keep_one_of_each_kind(page: Page) -> None:
    """Remove what axe has seen before: its time grows with the elements of a page."""
    page.evaluate(_REMOVE_ALIKE)


def accessibility(page: Page, *, contrast: bool = True, colours_alone: bool = False) -> dict[str, Any]:
    """Return what axe finds on a page. It asks for no file: the policy refuses its requests for style sheets.

    colours_alone  run the rules on colours, as in the other colours of a page that all rules were run on
    """
    options: dict[str, Any] = {"preload": False, "resultTypes": ["violations"]}
    if colours_alone:
        options["runOnly"] = ["color-contrast", "link-in-text-block"]
    else:
        options["rules"] = {"color-contrast": {"enabled": contrast}}
    return Axe().run(page, options=options).response


@dataclass(frozen=True)
class Heard:
    """The messages of a page, and the files that it asked for."""

    noises: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@contextmanager
def listening(page: Page) -> Iterator[Heard]:
    """Listen to a page; at the end it is left, so that it says no more."""
    heard = Heard()
    listeners: dict[Any, Callable[[Any], None]] = {
        "console": lambda message: heard.noises.append(message.text),
        "pageerror": lambda error: heard.noises.append(str(error)),
        "request": lambda request: heard.requests.append(request.url),
    }
    for event, listener in listeners.items():
        page.on(event, listener)
    try:
        yield heard
        page.goto("about:blank")
    finally:
        for event, listener in listeners.items():
            page.remove_listener(event, listener)


@pytest.fixture
def has_charts() -> bool:
    """Whether the pages find the library of charts; a module about other parts of a page overrides it.

    To read and run the library is more than half of what a browser does for a small page.
    """
    return True


@pytest.fixture
def open_page(
    browser: Browser, window: Page, has_charts: bool, tmp_path: Path
) -> Iterator[Callable[..., Page]]:
    """Write the files of a report and open its page from the disk; the page must stay silent and offline.

    A test that opens another page leaves the one before, unless one of them has no script.
    """
    folder = tmp_path / "report"
    write_assets(tmp_path)
    if not has_charts:
        (tmp_path / library.OUTPUT.path).write_bytes(b"")
    heard: dict[Page, Heard] = {}

    def opened(
        files: Mapping[str, bytes],
        fragment: str = "",
        *,
        viewport: ViewportSize = WINDOW,
        color_scheme: Literal["light", "dark"] = "light",
        java_script_enabled: bool = True,
    ) -> Page:
        # A build writes history.js; a committed page has none beside it.
        for path, content in {HISTORY: NO_HISTORY, **files}.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        page = window
        if not java_script_enabled:
            page = stack.enter_context(closing(browser.new_page(java_script_enabled=False)))
        page.set_viewport_size(viewport)
        page.emulate_media(color_scheme=color_scheme)
        if page not in heard:
            heard[page] = stack.enter_context(listening(page))
        page.goto((folder / "index.html").as_uri() + fragment)
        return page

    with ExitStack() as stack:
        yield opened
    for each in heard.values():
        assert each.noises == []
        assert [url for url in each.requests if not url.startswith(tmp_path.as_uri())] == []
