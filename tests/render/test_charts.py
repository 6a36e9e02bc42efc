"""The charts of a page, driven in a browser: marks, numbers behind them, legend, keys, downloads, colours."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from reportgen.core import units
from reportgen.document.model import FigureKind
from reportgen.render.figures.vega import specification
from reportgen.render.page import library
from reportgen.render.page.chart_data import charts_json
from reportgen.render.page.page_script import digest
from reportgen.tables.results import Figure, FigureSeries
from tests.render import example
from tests.render.conftest import accessibility, listening, write_assets
from tests.render.example import render_report
from tests.render.test_steps import run_with_steps, with_steps
from tests.render.test_vega import FIGURES

OpenPage = Callable[..., Page]

REPORTS = Path(__file__).parents[2] / "reports"
TABLE = example.throughput_table()
LOW, HIGH = TABLE.cells[0][0].case, TABLE.cells[1][0].case

# What each mark that a reader can reach stands for.
ROWS = """charts => charts.map(chart => [...chart.querySelectorAll(".chart-plot [tabindex]")].map(mark => mark.__data__.datum))"""

# Whether each chart has followed the width of the page.
ALL_FIT = """() => [...document.querySelectorAll(".chart-plot svg.marks")].every(svg => svg.getBoundingClientRect().width <= svg.closest(".chart-plot").clientWidth)"""


def _bars(**changes: Any) -> Figure:
    series = (
        FigureSeries(
            "OneFlow", ("1", "8"), (397.6, 3124.25), (396.0, 3120.0), (398.0, 3130.0), cases=(LOW, HIGH)
        ),
        FigureSeries("</script> datum.x", ("1", "8"), (394.0, None), failed=("", "out of memory")),
    )
    _, bars = example.figures()
    return replace(bars, series=series, table=TABLE.id, **changes)


def _page(open_page: OpenPage, *figures: Figure, fragment: str = "", **options: object) -> Page:
    """Open a page of figures with all of them drawn."""
    page = open_page(render_report(example.report(figures=figures, prose="")), fragment, **options)
    for number in range(page.locator("figure").count()):
        _drawn(page.locator("figure").nth(number))
    return page


def _drawn(figure: Locator) -> Locator:
    """Return the chart of a figure once it is drawn, which happens near the window."""
    figure.scroll_into_view_if_needed()
    figure.locator(".chart-plot [tabindex='0']").first.wait_for()
    return figure.locator(".chart")


def test_every_kind_is_drawn_with_a_mark_for_each_value_and_is_accessible(open_page: OpenPage) -> None:
    figures = [replace(figure, id=f"f{n}", alt=f"Figure {n}") for n, figure in enumerate(FIGURES.values())]
    page = _page(open_page, *figures, viewport={"width": 1440, "height": 900})
    drawn = page.locator("figure").evaluate_all(ROWS)
    for figure, rows in zip(figures, drawn, strict=True):
        shown = [row for row in specification(example.figure_of(figure))["data"]["values"] if "y" in row]
        if figure.kind is FigureKind.SERIES:
            shown = [row for row in shown if row["series"] not in ("run 10", "run 11")]  # grey lines
        if figure.kind is FigureKind.ECDF:
            shown = [row for row in shown if row["y"]]  # where the stairs begin
        assert sorted(
            (row["series"], f"{row['x']:g}" if isinstance(row["x"], float | int) else row["x"], row["y"])
            for row in rows
        ) == sorted(
            (row["series"], f"{row['x']:g}" if isinstance(row["x"], float | int) else row["x"], row["y"])
            for row in shown
        )
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function(ALL_FIT)
        assert [found["id"] for found in accessibility(page, contrast=width == 1440)["violations"]] == [], (
            width
        )
        for number in range(len(figures)):
            assert page.get_by_label(f"Figure {number}", exact=True).locator("visible=true").count() == 1
        assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["dlperf-v1", "jade2", "flux", "transformers", "serving", "collectives", "h200"]
)
def test_charts_of_the_reports_show_what_report_json_says(name: str, open_page: OpenPage) -> None:
    page = open_page(
        {"index.html": (REPORTS / name / "index.html").read_bytes()}, viewport={"width": 1440, "height": 900}
    )
    report = json.loads((REPORTS / name / "report.json").read_text("utf-8"))
    values = {each["name"]: each for each in report["cases"]}
    page.evaluate(
        "document.querySelectorAll('details').forEach(fold => { fold.open = true; fold.hidden = false; })"
    )
    figures = page.locator("figure")
    kinds = [each["kind"] for each in report["figures"]]
    quantities = [each.get("quantity") for each in report["figures"]]
    compared = 0
    for number in range(figures.count()):
        chart = _drawn(figures.nth(number))
        (rows,) = chart.evaluate_all(ROWS)
        assert rows
        for row in rows:
            if number < len(quantities) and quantities[number] == "speedup":
                assert row["y"] in _speedups(row["case"], report), row
                compared += 1
                continue
            is_over_rate = number < len(kinds) and kinds[number] == "latency-throughput"
            compared += _compare(row, values.get(row.get("case"), {}), figure_is_over_rate=is_over_rate)
    assert compared


def test_the_largest_page_stays_small() -> None:
    assert (REPORTS / "dlperf-v1/index.html").stat().st_size < 2_100_000


def _speedups(case: str, report: dict[str, Any]) -> list[Any]:
    """Return the speed-ups of a case over each baseline that the report names."""
    rates = {each["name"]: each["summary"]["value"] for each in report["cases"] if "summary" in each}
    baselines = {each["baseline"] for each in report["comparisons"].values() if each["kind"] == "speedup"}
    return [pytest.approx(rates[case] / rates[each], rel=1e-9) for each in baselines]


def _compare(row: dict[str, Any], case: dict[str, Any], *, figure_is_over_rate: bool = False) -> bool:
    """Compare the value of a mark with its case; return whether it shows that value.

    Ratios and parts of a difference are other numbers.
    """
    if not case or "y" not in row or row["series"] in ("longer than the baseline", "shorter"):
        return False
    said = re.search(r"(?:: )([\d,.]+) ([A-Za-zµ]+(?:/s)?)(?= \(|;|$)", row["said"])
    unit = units.find(said[2]) if said else None
    medians = (
        [case["summary"]["value"], *(each["value"] for each in case["measurements"])]
        if "summary" in case
        else []
    )
    if unit is None or unit.base != case["unit"]:
        return False  # a ratio
    # A latency over a rate opens the evidence of the rate, which is its place.
    shown = row["x"] if figure_is_over_rate else row["y"]
    assert any(shown * unit.factor == pytest.approx(value, rel=1e-9) for value in medians), row
    return True


def test_a_press_on_a_mark_opens_its_number_and_so_does_enter(open_page: OpenPage) -> None:
    page = _page(open_page, _bars())
    marks = page.locator(".chart-plot [tabindex]")
    marks.nth(1).click()
    expect(page.locator("#panel-title")).to_have_text("Nodes 1, Devices 8, OneFlow, images/s3,124")
    page.keyboard.press("Escape")
    expect(page.locator("#panel")).to_be_hidden()
    marks.nth(0).focus()
    page.keyboard.press("Enter")
    expect(page.locator("#panel-title")).to_have_text("Nodes 1, Devices 1, OneFlow, images/s397.6")


def test_the_panel_gives_the_focus_back_to_the_mark_that_opened_it(open_page: OpenPage) -> None:
    page = _page(open_page, _bars(), viewport={"width": 1440, "height": 900})
    page.locator(".chart-plot [tabindex='0']").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator("#panel-title")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#panel")).to_be_hidden()
    expect(page.locator(":focus")).to_have_attribute(
        "aria-label", "OneFlow; Devices: 8; Throughput: 3,124.25 images/s (3,120 \u2013 3,130); repeats: 3"
    )


def test_arrow_keys_move_between_marks_and_a_tooltip_says_what_each_is(open_page: OpenPage) -> None:
    page = _page(open_page, _bars())
    page.locator(".chart-plot [tabindex='0']").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".chart-tip")).to_have_text(
        "OneFlowDevices 8Throughput 3,124.25 images/s (3,120 – 3,130)repeats 3"
    )
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator(":focus")).to_have_attribute(
        "aria-label", "</script> datum.x; Devices: 8; out of memory"
    )
    page.keyboard.press("Tab")
    expect(page.locator(".chart-tip")).to_be_hidden()


def test_the_mouse_shows_the_same_tooltip(open_page: OpenPage) -> None:
    page = _page(open_page, _bars())
    page.locator(".chart-plot [tabindex]").nth(0).hover()
    expect(page.locator(".chart-tip")).to_contain_text("397.6 images/s (396 – 398)")


def test_the_legend_hides_series_with_the_keyboard(open_page: OpenPage) -> None:
    page = _page(open_page, _bars())
    page.get_by_role("button", name="</script> datum.x").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".chart-plot [tabindex]")).to_have_count(2)
    expect(page.get_by_role("button", name="</script> datum.x")).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("Enter")
    expect(page.locator(".chart-plot [tabindex]")).to_have_count(4)


def test_the_legend_says_what_a_cross_means(open_page: OpenPage) -> None:
    page = _page(open_page, _bars())
    expect(page.locator(".chart-legend span")).to_have_text("\u2715 out of memory")


def test_a_legend_without_crosses_explains_none(open_page: OpenPage) -> None:
    page = _page(open_page, replace(_bars(), series=_bars().series[:1]))
    expect(page.locator(".chart-legend span")).to_have_count(0)


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_a_chart_is_saved_with_title_and_legend(ending: str, open_page: OpenPage, tmp_path: Path) -> None:
    page = _page(open_page, _bars(title="../a: `b` <c>"), color_scheme="dark")
    with page.expect_download() as saved:
        page.get_by_role("button", name=f'Download "../a: `b` <c>" as {ending.upper()}').click()
    assert saved.value.suggested_filename == f"a-b-c-.{ending}"
    saved.value.save_as(tmp_path / "saved")
    content = (tmp_path / "saved").read_bytes()
    if ending == "png":
        assert content.startswith(b"\x89PNG")
        return
    for text in (
        "../a: `b` &lt;c&gt;",
        "OneFlow",
        "&lt;/script&gt; datum.x",
        "Throughput (images/s)",
        "#ffffff",
    ):
        assert text in content.decode()


def test_no_name_is_a_field_or_an_expression(open_page: OpenPage) -> None:
    names = (
        "datum.x",
        "</script>",
        "${1}",
        "a.b[0]",
        "a['b']",
        '\\"',
        '{"signal": "width"}',
        "__proto__",
        "constructor",
    )
    series = tuple(
        FigureSeries(name, names, tuple(map(float, range(1, 10))), cases=(LOW,) * 9) for name in names
    )
    evil = "'datum.y' ${1} \\\" [x](javascript:alert(1)) <b>"
    figure = _bars(title=evil, x_title=evil, y_title=evil, categories=names)
    page = _page(open_page, replace(figure, series=series))
    (rows,) = page.locator("figure").evaluate_all(ROWS)
    assert [(row["series"].rstrip("\u200b"), row["x"].rstrip("\u200b")) for row in rows] == [
        (name, x) for name in names for x in names
    ]
    assert [
        text.rstrip("\u200b") for text in page.locator(".chart-legend button").all_text_contents()
    ] == list(names)
    expect(page.locator(".chart-title")).to_have_text(evil)
    assert page.evaluate("Object.prototype.polluted") is None


def test_a_page_without_the_library_keeps_its_pictures(window: Page, tmp_path: Path) -> None:
    write_assets(tmp_path)
    (tmp_path / library.OUTPUT.path).unlink()
    files = render_report(example.report(figures=(_bars(),), prose=""))
    (tmp_path / "report").mkdir()
    (tmp_path / "report/index.html").write_bytes(files["index.html"])
    with listening(window) as heard:
        window.goto((tmp_path / "report/index.html").as_uri())
        with window.expect_event("requestfailed", lambda request: request.url.endswith("/assets/vega.js")):
            window.reload()
        expect(window.locator("figure > svg")).to_be_visible()
    assert [noise for noise in heard.noises if "ERR_FILE_NOT_FOUND" not in noise] == []


@pytest.fixture(scope="module")
def standalone_files() -> dict[str, bytes]:
    evil = "</script><script>alert(1)</script><!--<script>"
    table = with_steps(lambda run: replace(run_with_steps(run), id=f"{run.id}{evil}"))
    report = example.report(figures=(_bars(),), tables=(table,), prose="")
    return render_report(report, standalone=True)


def test_a_standalone_page_needs_no_other_file(
    window: Page, standalone_files: dict[str, bytes], tmp_path: Path
) -> None:
    (tmp_path / "mailed.html").write_bytes(standalone_files["index.html"])
    with listening(window) as heard:
        window.goto((tmp_path / "mailed.html").as_uri() + "#fp32-b128/1-1/oneflow-images-s")
        _drawn(window.locator("figure"))
        expect(window.locator("#panel .series").first).to_contain_text("step 50: 30 ms")
        with window.expect_download() as saved:
            window.get_by_role("link", name="CSV", exact=True).click()
        saved.value.save_as(tmp_path / "saved")
    assert (tmp_path / "saved").read_bytes() == standalone_files["tables/fp32-b128.csv"]
    assert heard.noises == []
    assert [url for url in heard.requests if not url.startswith(("file:", "data:"))] == []
    assert {url.partition("#")[0] for url in heard.requests if url.startswith("file:")} == {
        (tmp_path / "mailed.html").as_uri()
    }


def test_the_scripts_of_a_standalone_page_are_named_by_their_digests(
    standalone_files: dict[str, bytes],
) -> None:
    page = standalone_files["index.html"].decode()
    allowed = re.search(r"script-src ([^;]*);", page)
    scripts = re.findall(r'<script data-page="4">(.*?)</script>', page, flags=re.DOTALL)
    assert allowed
    assert allowed[1] == " ".join(f"'{digest(script)}'" for script in scripts)
    assert len(scripts) == 4


def test_paper_has_the_picture_and_the_screen_the_chart(open_page: OpenPage) -> None:
    page = _page(open_page, _bars())
    expect(page.locator("figure > svg")).to_be_hidden()
    page.emulate_media(media="print")
    expect(page.locator("figure > svg")).to_be_visible()
    expect(page.locator(".chart")).to_be_hidden()


@pytest.mark.slow
def test_a_table_with_three_heads_of_rows_shows_a_number_on_a_telephone(open_page: OpenPage) -> None:
    files = {"index.html": (REPORTS / "jade2" / "index.html").read_bytes()}
    page = open_page(files, viewport={"width": 390, "height": 844})
    number = page.locator("#table-against-a40--8 td.number").first.bounding_box()
    assert number is not None
    assert number["x"] + number["width"] <= 390


def test_a_chart_takes_the_place_of_its_picture(open_page: OpenPage) -> None:
    """Nothing moves: the element is as high as before."""
    files = render_report(example.report(figures=(_bars(),), prose=""))
    still = open_page(files, java_script_enabled=False, viewport={"width": 1440, "height": 900})
    before = still.locator("figure").bounding_box()
    page = _page(open_page, _bars(), viewport={"width": 1440, "height": 900})
    after = page.locator("figure").bounding_box()
    assert before
    assert after
    assert (after["y"], after["width"]) == (before["y"], before["width"])
    assert after["height"] == pytest.approx(max(before["height"], 340), abs=2)


def test_charts_follow_the_colours_and_the_width_of_the_page(open_page: OpenPage) -> None:
    page = _page(open_page, _bars(), viewport={"width": 1440, "height": 900}, color_scheme="light")
    label = page.locator(".chart-plot .role-axis-label text").first
    expect(label).to_have_attribute("fill", "#1f2429")
    page.emulate_media(color_scheme="dark")
    expect(label).to_have_attribute("fill", "#e4e8ec")
    expect(page.locator(".chart-legend path").first).to_have_attribute("fill", "#2b8fd0")
    page.set_viewport_size({"width": 390, "height": 800})
    expect(page.locator(".chart-plot > svg, .chart-plot svg.marks").first).to_have_attribute("width", "350")


def test_charts_json_shares_what_occurs_twice() -> None:
    specs = {name: specification(example.figure_of(figure)) for name, figure in FIGURES.items()}
    text, own = charts_json(specs)
    document = json.loads(text)
    assert not any(set("<'&") & set(each) for each in own.values())
    assert "<" not in text
    assert {name: _unpacked(document, json.loads(packed)) for name, packed in own.items()} == {
        name: {key: value for key, value in spec.items() if key not in ("config", "$schema")}
        for name, spec in specs.items()
    }
    assert len(text) + sum(map(len, own.values())) < 0.6 * len(json.dumps(specs))


def _unpacked(document: dict[str, Any], value: Any) -> Any:
    """Undo the packing by the description in docs/developers/rendering.md."""
    if isinstance(value, list):
        return [_unpacked(document, each) for each in value]
    if not isinstance(value, dict):
        return value
    if "$" in value:
        return _unpacked(document, document["shared"][value["$"]])
    if value.keys() == {"columns"}:
        columns = {
            name: each if isinstance(each, list) else [each["texts"][row] for row in each["rows"]]
            for name, each in value["columns"].items()
        }
        rows = zip(*columns.values(), strict=True)
        return {
            "values": [{n: v for n, v in zip(columns, row, strict=True) if v is not None} for row in rows]
        }
    return {name: _unpacked(document, each) for name, each in value.items()}
