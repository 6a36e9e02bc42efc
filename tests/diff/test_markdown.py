"""The comment is always short enough and inert, whatever logs and definitions contain."""

import json
import re

import pytest

from reportgen.diff.changes import compare_reports
from reportgen.diff.json_output import diff_json
from reportgen.diff.lines import report_lines
from reportgen.diff.markdown import MARKER, MAX_CHARS, comment, inert_text
from reportgen.diff.sections import Endpoint
from reportgen.document.model import Document, Finding
from tests.diff.stored import case, number, report, table
from tests.each_of import each_of

OLD, NEW = Endpoint("a" * 40, "main"), Endpoint("b" * 40, "HEAD")
HOSTILE = [
    "@everyone",
    "#1",
    "owner/repo#12",
    "GH-12",
    "https://evil.example",
    "www.evil.example",
    "</details></summary>",
    "<!-- reportgen diff -->",
    "<script>alert(1)</script>",
    "| a | b |",
    "line\n\n# heading\n- [ ] task",
    "```\nfence",
    "[x](javascript:alert(1))",
    "![x](https://evil.example/x.png)",
    "&#64;everyone",
    "&lt;b&gt;",
    "\u202eabc",
    "$x$",
    "\\",
    "`",
    "",
]


def hostile_report(text: str, value: float) -> Document:
    """Return a report with a text in every place that a comment shows."""
    stored = case(f"c{value}", [value], factors={text: text}, conditions={"driver": f"{text}{value}"})
    cells = (
        number(value, {"model": text}, shown=f"{text}{value}", case=stored.name),
        number(value, {"model": f"{text}-{value}"}, shown=text),
    )
    return report(
        table(*cells, id=text),
        name=text,
        cases=[stored],
        findings=(Finding("warning", text, f"{text}{value}", text, text),),
        sources={f"{text}{value}": "1", text: str(value)},
        protocols={"20+100x7": {text: value}},
    )


@each_of(HOSTILE)
def test_texts_are_shown_and_do_nothing(text: str) -> None:
    diff = compare_reports({"x": hostile_report(text, 1.0)}, {"x": hostile_report(text, 2.0)})
    lines = comment(diff, OLD, Endpoint("b" * 40, text, "javascript:alert(1)")).splitlines()
    assert lines[0] == MARKER
    assert not any(MARKER in line for line in lines[1:])
    for line in lines[1:]:
        shape = re.sub(r"\\.|^#### ", "", line.replace("&#8203;", "·"))
        if line.startswith("|"):
            assert shape.count("|") in (3, 4, 5, 6, 7)
        tags = re.findall(r"<[^>]*>?", line)
        assert set(tags) <= {"<details>", "</details>", "<summary>", "</summary>"}
        assert not re.search(r"@\w|#\d|://|www\.|GH-\d|\]\(|(?<!&)&(?!amp;|lt;|gt;)", shape), line
        assert "\u202e" not in line
    assert lines.count("<details>") == lines.count("</details>")


@pytest.mark.parametrize(("cells", "text"), [(1000, "x"), (400, "@#|<&" * 1000), (300, "\n" * 1000)])
def test_a_comment_is_never_too_long(cells: int, text: str) -> None:
    def state(factor: float) -> Document:
        cases = [case(f"c{n}", [n + factor]) for n in range(cells)]
        shown = [number(n + factor, {"n": n, "t": text}, case=each.name) for n, each in enumerate(cases)]
        came = [number(1.0, {"new": f"{text}{factor}{n}"}) for n in range(cells)]
        findings = tuple(Finding("warning", "r", f"{factor}{n}", text) for n in range(cells))
        logs = {f"{text}/{n}/{factor}": f"{n}{factor}" for n in range(cells)}
        return report(table(*shown), table(*came, id="came"), cases=cases, findings=findings, sources=logs)

    diff = compare_reports({"x": state(1.0)}, {"x": state(2.0)})
    written = comment(diff, OLD, NEW)
    assert MAX_CHARS // 4 < len(written) <= MAX_CHARS
    assert "more: see `reportgen diff --format json`" in written


def test_ordinary_texts_stay_readable() -> None:
    assert (
        inert_text("resnet50_v1.5 devices=8, 4.8 % slower: a -> b")
        == "resnet50_v1.5 devices=8, 4.8 % slower: a → b"
    )
    assert len(inert_text("x" * 1000)) == 400


def test_a_commit_is_linked_to_its_page() -> None:
    old = Endpoint("a" * 40, "main", "https://github.com/o/r/commit/aaa")
    assert "[`aaaaaaaaaa`](https://github.com/o/r/commit/aaa) (main) → `bbbbbbbbbb` (HEAD)" in comment(
        compare_reports({}, {}), old, NEW
    )


def test_the_document_has_everything() -> None:
    diff = compare_reports({"x": hostile_report("t", 1.0)}, {"x": hostile_report("t", 2.0)})
    content = json.loads(diff_json(diff, OLD, NEW))
    assert (
        content["headline"]
        == "1 not comparable, 1 committed log file edited, 1 protocol changed, 1 number new, 1 number gone"
    )
    assert content["old"]["commit"] == "a" * 40
    (row,) = content["diff"]["rows"]
    assert (row["old"]["value"], row["new"]["value"], row["verdict"]["kind"]) == (1.0, 2.0, "not comparable")
    assert content["diff"]["environment"] == [{"name": "driver", "new": "t2.0", "old": "t1.0", "rows": 1}]


def test_a_report_as_lines_has_a_line_for_each_number() -> None:
    stored = case("c", [1.0, 2.0, 3.0])
    finding = Finding("warning", "protocol.spread", "model=a", "repeats vary\nby 5 %")
    one = report(
        table(
            number(2.0, {"model": "a"}, case="c"), number(0.5, {"model": "a"}, shown="0.50", quantity="ratio")
        ),
        cases=[stored],
        findings=(finding,),
        protocols={"p": {"name": "p", "warmup": 1, "measure": 2}},
    )
    assert list(report_lines(one)) == [
        "report study: Study",
        "protocol p: measure=2, warmup=1",
        "",
        "table times: Times",
        "a: 2 s (3 repeats)",
        "a, ratio: 0.50",
        "",
        "warning protocol.spread model=a: repeats vary by 5 %",
    ]
