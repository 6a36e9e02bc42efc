"""The examples of tutorials and guides do what their pages say; REPORTGEN_ACCEPT=1 writes what they print into the page."""

import os
from pathlib import Path

import pytest

from tests.documentation.examples import agrees, environment, examples, run

pytestmark = pytest.mark.slow

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(
    page
    for pages in ("tutorial/*.md", "how-to/*.md", "developers/add-*.md")
    for page in DOCS.glob(pages)
    if page.stem != "index"
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_the_examples_of_a_page_print_the_shown_output(page: Path, tmp_path: Path) -> None:
    text = page.read_text("utf-8")
    variables = environment(tmp_path / "bin")
    folder = tmp_path / "project"
    folder.mkdir()
    wrong = []
    for example in examples(text):
        if example.title:
            path = folder / example.title
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(example.text, "utf-8")
        elif example.is_run:
            printed = run(example, folder, variables)
            if example.printed is not None and not agrees(printed, example.printed):
                wrong.append((example, printed))
    if os.environ.get("REPORTGEN_ACCEPT") == "1":
        for example, printed in reversed(wrong):
            text = text[: example.span[0]] + printed.rstrip() + "\n" + text[example.span[1] :]
        page.write_text(text, "utf-8")
    else:
        assert not wrong, "\n".join(f"{example.text}printed:\n{printed}" for example, printed in wrong)


@pytest.mark.parametrize(
    ("printed", "expected", "same"),
    [
        ("a\nb\n", "a\nb", True),
        ("a\nb\nc\n", "a\n...\nc", True),
        ("a\nc\n", "a\n...\nc", True),
        ("a  \nb", "a\nb", True),
        ("a\nb\n", "a", False),
        ("x...\n", "x...", True),
        ("xabc\n", "x...", False),
    ],
)
def test_printed_text_is_compared_by_lines(printed: str, expected: str, same: bool) -> None:
    assert agrees(printed, expected) is same
