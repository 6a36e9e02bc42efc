"""Text from logs and definitions stays text, in every form of output."""

import base64
import csv
import hashlib
import html
import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt
from msgspec import structs

from reportgen.compare.expected_speed import Expected, SpeedEdge
from reportgen.core.model import Finding, Source
from reportgen.core.plain_text import spreadsheet
from reportgen.core.rules import Rule
from reportgen.document.model import Environment, FigureKind, Header, Label, Note, Provenance
from reportgen.render.text import escape
from reportgen.tables.results import Cell, Figure, FigureSeries, Report
from tests.each_of import each_row
from tests.render import example
from tests.render.example import render_report

EVIL = "<script>alert(1)</script> | `a` [x](javascript:alert(2)) \"'=cmd()\n$x$ \u202e&lt; *b*"


def hostile_report() -> Report:
    """Return a report in which every text that may come from outside is hostile."""
    table, note = example.phase_table(), Note(EVIL)
    cells = (tuple(Cell("status", text=EVIL, notes=(note.key,), qualifiers=(EVIL,)) for _ in table.columns),)
    table = replace(
        table,
        id=f"phases/{EVIL}",
        title=EVIL,
        row_titles=(Label(EVIL),),
        cells=cells,
        columns=tuple(
            structs.replace(column, qualifiers=(EVIL,), labels=(Label(EVIL), Label("CPU")))
            for column in table.columns
        ),
        rows=(Header((EVIL,), (Label(EVIL, "javascript:alert(3)"),)),),
        notes=example.by_name(note),
        about=(Note(EVIL),),
        facet=((EVIL, "=1+1"),),
    )
    step = SpeedEdge(EVIL, EVIL, 0.5, EVIL, "javascript:alert(4)", EVIL, where=((EVIL, (EVIL,)),))
    return example.report(
        title=EVIL,
        headline=EVIL,
        verdict=(EVIL,),
        run_counts=(EVIL,),
        prose="[x](java&#115;cript:alert(5)) \\<img src=x onerror=alert(6)>\n",
        tables=(table,),
        figures=(),
        expected=(Expected(EVIL, EVIL, 0.5, 0.5, 0.5, ((step,),)),),
        environments=(Environment(EVIL, 1, ((EVIL, EVIL),)),),
        findings=(Finding("note", Rule.READ_CORRECTED_FIGURE, EVIL, EVIL, Source(EVIL, 1)),),
        provenance=(Provenance(EVIL, EVIL, 1, EVIL, "data:text/html,x", EVIL),),
        protocol_text=EVIL,
    )


class _Active(HTMLParser):
    """Collect what a browser could act on."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("iframe", "object", "embed", "form", "img"):
            self.found.append(tag)
        if tag == "script":
            self.found.append(f"script {attrs}")
        for name, value in attrs:
            if name.startswith("on") or (
                name in ("href", "src") and re.match(r"\s*(javascript|data):", value or "")
            ):
                self.found.append(f"{tag} {name}={value}")


def test_nothing_in_the_page_is_active() -> None:
    page = _Active()
    page.feed(render_report(hostile_report())["index.html"].decode())
    assert page.found == [
        "script [('data-page', '4')]",
        "script [('type', 'application/json'), ('id', 'data')]",
    ]


def test_the_policy_allows_no_script_but_ours() -> None:
    text = render_report(hostile_report())["index.html"].decode()
    (script,) = re.findall(r'<script data-page="4">(.*?)</script>', text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = html.unescape(re.findall(r'Content-Security-Policy" content="(.*?)"', text)[0])
    assert f"default-src 'none'; script-src 'sha256-{digest}' 'strict-dynamic';" in policy


def test_hostile_evidence_stays_data() -> None:
    evil = f"{EVIL}</script><!--\u2028"
    finding = replace(example.GAP, message=evil)
    case = example.case(1.0, {"framework": evil, "devices": 1})
    measurements = tuple(structs.replace(m, findings=(finding,)) for m in case.measurements)
    cell = example.number(replace(case, measurements=measurements))
    table = replace(example.throughput_table(), cells=((cell,) * 4,) * 3)
    text = render_report(example.report(tables=(table,), figures=(), prose=""))["index.html"].decode()
    data = text.split('id="data">')[1].split("</script>")[0]
    assert "<" not in data
    assert "\u2028" not in data
    assert any(
        text.startswith("<script>alert(1)</script>") for _, _, text in json.loads(data)["messages"].values()
    )


def test_data_in_an_attribute_stay_data() -> None:
    evil = "' onclick='alert(1)' &#39;><script>"
    cell = example.number(example.case(1.0, {"framework": evil, "devices": 1}))
    table = replace(example.throughput_table(), cells=((cell,) * 4,) * 3)
    figure = replace(example.report().figures[0], title=evil)
    report = example.report(tables=(table,), figures=(figure,), prose="")
    text = render_report(report)["index.html"].decode()
    runs = re.findall(r" data-runs='([^']*)'>", text)
    (chart,) = re.findall(r" data-chart='([^']*)'>", text)
    assert {value for own in runs for value in json.loads(own)["factors"]} >= {evil}
    assert json.loads(chart)["title"]["text"] == evil
    assert not any(set("<&") & set(each) for each in (chart, *runs))


def test_no_table_row_of_the_readme_is_broken() -> None:
    readme = render_report(hostile_report())["README.md"].decode()
    rows = [line for line in readme.splitlines() if line.startswith("| ")]
    pipes = {len(re.findall(r"(?<!\\)\|", line)) for line in rows}
    assert pipes == {3, 6}  # environment with 2 columns, phases and provenance with 5


def test_nothing_in_the_readme_is_active() -> None:
    commonmark = MarkdownIt("commonmark").enable("table")
    commonmark.validateLink = lambda target: True  # every link that a forge might see
    readme = render_report(replace(hostile_report(), prose=""))["README.md"].decode()
    page = _Active()
    page.feed(commonmark.render(readme))
    assert page.found == []


def test_no_cell_of_the_csv_is_a_formula() -> None:
    files = render_report(hostile_report())
    [content] = [content for path, content in files.items() if path.endswith(".csv")]
    for row in csv.reader(io.StringIO(content.decode())):
        assert not [text for text in row if text.startswith(("=", "+", "-", "@", "\t", "\r"))]


def test_json_holds_the_text_as_it_was() -> None:
    assert json.loads(render_report(hostile_report())["report.json"])["title"] == EVIL


def test_file_names_stay_in_their_folder() -> None:
    for path in render_report(hostile_report()):
        assert re.fullmatch(r"(tables/|figures/)?[A-Za-z0-9._-]+", path)


def test_a_figure_with_hostile_text_is_well_formed() -> None:
    from reportgen.render.figures.svg import drawing

    figure = Figure(
        "f", EVIL, FigureKind.BAR, EVIL, EVIL, example.RATE, (EVIL,), (FigureSeries(EVIL, (EVIL,), (1.0,)),)
    )
    with drawing.settings():
        root = ElementTree.fromstring(drawing.figure_svg(example.figure_of(figure)))
    assert not [element.tag for element in root.iter() if element.tag.endswith("script")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("resnet50_v1.5", "resnet50_v1.5"),  # readable in the source, and no emphasis in GFM
        ("_a_", r"\_a\_"),
        ("a|b", r"a\|b"),
        ("a\r\nb\tc", "a b c"),
        ("<b>", "&lt;b&gt;"),
        ("AT&T &lt;", "AT&T &amp;lt;"),
        ("a\x00b\u202ec", "a\ufffdb\ufffdc"),
    ],
)
def test_markdown_shows_text_literally(text: str, expected: str) -> None:
    assert escape.markdown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# no heading", r"\# no heading"),
        ("1. no list", r"1\. no list"),
        ("- no list", r"\- no list"),
        ("1.5 times", r"1\.5 times"),
        ("plain", "plain"),
    ],
)
def test_a_paragraph_begins_as_text(text: str, expected: str) -> None:
    assert escape.paragraph(text) == expected


@each_row(
    [
        ("https://a.b/c?d=e", "https://a.b/c?d=e"),
        ("mailto:a@b.c", "mailto:a@b.c"),
        ("../x/y.md#z", "../x/y.md#z"),
        ("my file.md", "my%20file.md"),
        ("javascript:alert(1)", ""),
        ("JaVaScRiPt:x", ""),
        ("java\tscript:x", ""),
        ("java&#115;cript:x", ""),
        ("&#106;avascript:x", ""),
        ("//evil.example", ""),
        ("\\\\evil", ""),
        ("data:x", ""),
        ("vbscript:x", ""),
        ("file:///etc/passwd", ""),
        ("", ""),
    ]
)
def test_links_go_to_the_web_or_stay_relative(target: str, expected: str) -> None:
    assert escape.href(target) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("add it to `where`.", "add it to `where`."),
        ("`a` and `", r"`a` and \`"),
        ("`<b>`", "`<b>`"),
        ("", ""),
    ],
)
def test_backticks_of_messages_are_code(text: str, expected: str) -> None:
    assert escape.sentence(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("=cmd()", "'=cmd()"), ("-1", "'-1"), ("\t=x", "'=x"), ("@x", "'@x"), ("a=b", "a=b"), ("", "")],
)
def test_no_text_becomes_a_formula(text: str, expected: str) -> None:
    assert spreadsheet(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("a", "`a`"), ("a`b", "`` a`b ``"), ("``", "``` `` ```"), ("", "")]
)
def test_code_spans_hold_backticks(text: str, expected: str) -> None:
    assert escape.code(text) == expected


@pytest.mark.parametrize("colon", ["&#58;", "&colon;", "&amp;#58;", "&amp;amp;colon;", "&#38;#58;"])
def test_a_scheme_cannot_hide_behind_entities_of_entities(colon: str) -> None:
    assert escape.href(f"javascript{colon}alert(1)") == ""
