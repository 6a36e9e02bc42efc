"""An audit prints and writes text, JSON, Markdown, the marked page, the proposed definition."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from reportgen.audit import Auditor, definition, gather_evidence, markup, read_document
from tests.audit.test_audit import RUNS, WIDE
from tests.cli.calling import call, error_of

CSV = "framework,devices,rate\nA,1,100.4\nA,8,760.3\nB,1,90.6\nB,8,655.1\n"
TABLE = "| GPUs | A (img/s) | B (img/s) |\n|---|---|---|\n| 1 | 100.4 | 90.6 |\n| 8 | 76.03 | 655.1 |\n"


@pytest.fixture
def here(repository: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (repository / "logs/rates/rates.csv").write_text(CSV)
    (repository / "table.md").write_text(TABLE)
    monkeypatch.chdir(repository)
    return repository


def test_audit_prints_what_differs_and_ends_with_4(here: Path) -> None:
    out, err = call("audit", "table.md", code=4)
    (line,) = out.splitlines()[1:]
    assert re.split(r"  +", line) == [
        "table.md:4:7", "76.03", "differs", "760.3", "logs/rates/rates.csv:3", "the decimal point is 1 place off",
    ]  # fmt: skip
    assert err == "6 numbers: 5 verified, 0 rounded, 1 differs, 0 no source\n"


def test_audit_prints_json_and_markdown(here: Path) -> None:
    content = json.loads(call("audit", "table.md", "--format", "json", code=4)[0])
    (document,) = content["documents"]
    (wrong,) = [each for each in document["numbers"] if each["verdict"] == "differs"]
    assert (wrong["place"], wrong["expected"], wrong["hypothesis"]["name"]) == (
        "table.md:4:7",
        "760.3",
        "decimal shift",
    )
    assert wrong["case"] == {"devices": 8, "framework": "A", "item": "image"}
    assert (
        "| table.md:4:7 | 76.03 | differs |" in call("audit", "table.md", "--format", "markdown", code=4)[0]
    )


def test_a_right_table_ends_with_0(here: Path) -> None:
    (here / "table.md").write_text(TABLE.replace("76.03", "760.3"))
    assert call("audit", "table.md")[0] == ""


def test_a_document_without_numbers_is_an_error_and_beside_another_one_a_line(here: Path) -> None:
    (here / "text.md").write_text("# Notes\n\nNo table.\n")
    (here / "words.md").write_text("| GPU | note |\n|---|---|\n| A | fast |\n")
    remedy = "has no table with numbers; name a document that has one"
    assert error_of("audit", "text.md") == f"text.md: {remedy}"
    assert error_of("audit", "text.md", "words.md", "--format", "json") == f"text.md, words.md: {remedy}"
    _, err = call("audit", "text.md", "table.md", code=4)
    assert err.startswith("text.md: no table with numbers\n6 numbers: ")


def test_a_wrong_path_is_one_line(here: Path) -> None:
    assert error_of("audit", "nothing.md").startswith("nothing.md: no such file")
    (here / "audit.html").write_text("mine")
    assert "exists already" in error_of("audit", "table.md", "--html", "audit.html")


def test_the_page_has_the_source_with_each_number_marked(here: Path) -> None:
    call("audit", "table.md", "--html", "audit.html", code=4)
    page = (here / "audit.html").read_text("utf-8")
    marks = re.findall(r'<mark id="n\d+" class="([a-z-]+)" title="[^"]*">([^<]*)</mark>', page)
    assert marks == [
        ("verified", "1"), ("verified", "100.4"), ("verified", "90.6"),
        ("verified", "8"), ("differs", "76.03"), ("verified", "655.1"),
    ]  # fmt: skip
    shown = page[page.index("<pre>") + 5 : page.index("</pre>")]
    assert re.sub(r"</?mark[^>]*>", "", shown) == TABLE


class Tags(HTMLParser):
    """Collects the tags and attributes of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.attributes |= {name for name, _ in attrs}


def test_the_page_runs_nothing_of_a_hostile_document() -> None:
    hostile = '<script>alert(1)</script><img src=x onerror="x()">'
    text = (
        WIDE.replace("OneFlow |", f"OneFlow {hostile} |")
        + f"\n{hostile}\n\n\u202e<table><tr><td>1.5</td></tr></table>"
    )
    audited = Auditor(gather_evidence(RUNS)).audit(read_document(f"{hostile}.md", text))
    tags = Tags()
    tags.feed(markup.to_html([audited]))
    assert not tags.seen & {"script", "img", "iframe", "object", "link"}
    assert not {name for name in tags.attributes if name.startswith("on")}


def test_the_proposed_definition_builds_the_table(here: Path) -> None:
    (here / "reports/frameworks.toml").unlink()
    (here / "reports/frameworks.md").unlink()
    (here / "README.md").write_text("# X\n")
    out, _ = call("audit", "table.md", "--fix", code=4)
    (here / "reports/mine.toml").write_text(out)
    call("build", "reports")
    page = (here / "reports/mine/README.md").read_text("utf-8")
    assert all(number in page for number in ("100.4", "760.3", "90.60", "655.1"))


def test_a_document_without_source_proposes_nothing() -> None:
    audited = Auditor(gather_evidence(RUNS)).audit(
        read_document("t.md", "| a | b |\n|---|---|\n| x | 1.5 |\n")
    )
    assert definition.propose_definition([audited], gather_evidence(RUNS)) == ""


def test_two_errors_in_four_numbers_accuse_nothing_and_beside_a_right_column_both(here: Path) -> None:
    rates = {"A": (100.4, 198.7, 391.2, 760.3), "B": (90.6, 177.3, 349.9, 655.1)}
    lines = [f"{name},{2**n},{rate}\n" for name, each in rates.items() for n, rate in enumerate(each)]
    (here / "logs/rates/rates.csv").write_text("framework,devices,rate\n" + "".join(lines))
    wrong = ("100.4", "189.7", "391.2", "76.03")
    rows = "".join(f"| {2**n} | {text} |\n" for n, text in enumerate(wrong))
    (here / "table.md").write_text(f"| GPUs | A (img/s) |\n|---|---|\n{rows}")
    assert call("audit", "table.md")[1] == "8 numbers: 0 verified, 0 rounded, 0 differ, 8 no source\n"
    rows = "".join(f"| {2**n} | {text} | {rates['B'][n]} |\n" for n, text in enumerate(wrong))
    (here / "table.md").write_text(f"| GPUs | A (img/s) | B (img/s) |\n|---|---|---|\n{rows}")
    assert (
        call("audit", "table.md", code=4)[1] == "12 numbers: 10 verified, 0 rounded, 2 differ, 0 no source\n"
    )
