"""The explorer of the committed report on fine-tuning transformers: every view, against three sources.

The values come from the published table in logs/, by the formulas of its dashboard, and from the expected
values of the corpus where it is present. What the page shows is also compared with report.json.
"""

import csv
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect

from reportgen.document.file_names import HISTORY
from reportgen.render.outputs import NO_HISTORY
from tests.conftest import ROOT
from tests.render.conftest import listening, write_assets

Row = Mapping[str, float | str]

REPORT = ROOT / "reports" / "transformers"
MODELS = ("distilroberta-base", "roberta-base", "roberta-large")
# All charts are near the window, so all are drawn.
TALL: ViewportSize = {"width": 1440, "height": 8000}
# ms until a chart is drawn, on a busy machine
DRAWN = 30_000
IGNORE, INFER = "Ignore time between steps", "Show inference, estimated"
LENGTHS, BATCHES, DEVICES = (128, 256, 512), (1, 8, 32, 64, 128, 256), ("V100", "A100")
GPUS = {"v100-16gb-300w": "V100", "a100-40gb-400w": "A100"}

# What the dashboard plots: chart -> (measures, unit in base units); utilisation is in percent there.
WITHOUT_IGNORE = {"throughput": ("training",), "breakdown": ("between_steps", "forward", "backward")}
WITH_IGNORE = {"throughput": ("compute",), "breakdown": ("forward", "backward")}
ALWAYS = {"utilisation": ("busy", "tensor_cores", "memory_io"), "memory": ("memory",)}
INFERENCE = {"inference": ("inference",), "latency": ("forward",)}


@pytest.fixture(scope="module")
def visited(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """The page of the report, loaded once: it has a megabyte, and an address brings the explorer to any view."""
    folder = tmp_path_factory.mktemp("study")
    write_assets(folder)
    (folder / "report").mkdir()
    (folder / "report/index.html").write_bytes((REPORT / "index.html").read_bytes())
    (folder / "report" / HISTORY).write_bytes(NO_HISTORY)
    page = browser.new_page(viewport=TALL)
    with listening(page) as heard:
        page.goto((folder / "report/index.html").as_uri())
        yield page
    page.close()
    assert heard.noises == []
    assert [url for url in heard.requests if not url.startswith(folder.as_uri())] == []


@pytest.fixture
def page(visited: Page) -> Page:
    """The page in the usual view."""
    _open(visited)
    return visited


def _open(page: Page, choices: str = "") -> None:
    """Go to an address of the explorer, as a link does."""
    page.evaluate("address => { location.hash = '#'; location.hash = address; }", f"#explorer?{choices}")


def _published() -> dict[tuple[str, int, str, int], dict[str, float]]:
    """Return the quantities of the dashboard in base units, by model, length, device and batch size."""
    table = ROOT / "logs" / "transformers" / "results" / "transformers_results.csv"
    found = {}
    for row in csv.DictReader(table.open()):
        key = row["model"], int(row["seq_len"]), GPUS[row["gpu"]], int(row["batch_size"])
        times = {name: float(row[name]) for name in ("cpu_time", "forward", "backward")}
        batch, compute = int(row["batch_size"]), times["forward"] + times["backward"]
        found[key] = {
            "training": batch / (times["cpu_time"] + compute),
            "compute": batch / compute,
            "between_steps": times["cpu_time"],
            "forward": times["forward"],
            "backward": times["backward"],
            "inference": batch / times["forward"],
            "busy": float(row["sm_util"]) / 100,
            "tensor_cores": float(row["tc_util"]) / 100,
            "memory_io": float(row["vram_io"]) / 100,
            "memory": float(row["vram_usage"]) * 2**20,
        }
    return found


PUBLISHED = _published()


def _views() -> Iterator[tuple[str, int, str, bool, bool]]:
    yield from product(MODELS, LENGTHS, DEVICES, (False, True), (False, True))


def _explorer(page: Page) -> Locator:
    return page.locator("section.explorer")


Choice = Mapping[str, str | bool]  # label of a control -> the option to select, or whether it is checked
Charts = dict[
    str, list[list[dict[str, str | None]]]
]  # chart -> the cells of its table; the first is the row's head


def _charts_of(page: Page, choices: Sequence[Choice]) -> list[Charts]:
    """Return the tables of the charts after each choice. In one call, so that the charts themselves are not drawn.

    They travel as one text: Playwright checks each value of a list by itself.
    """
    text = page.evaluate(
        """(choices) => {
          const labels = () => [...document.querySelectorAll('section.explorer .toolbar label')];
          function choose(name, value) {
            const { control } = labels().find((label) => label.textContent.trim() === name);
            if (typeof value === 'boolean') {
              if (control.checked !== value) control.click();
              return;
            }
            if (control.selectedOptions[0].text === value) return;
            control.value = [...control.options].find((option) => option.text === value).value;
            control.dispatchEvent(new Event('change', { bubbles: true }));
          }
          const shown = () => Object.fromEntries([...document.querySelectorAll('section.explorer-chart')].map((chart) => [
            chart.dataset.chart,
            [...chart.querySelectorAll('tbody tr')].map((row) => [...row.cells].map((cell) => ({
              text: cell.textContent, value: cell.dataset.value ?? null, case: cell.querySelector('a')?.hash ?? null,
            }))),
          ]));
          return JSON.stringify(choices.map((choice) => {
            for (const [name, value] of Object.entries(choice)) choose(name, value);
            return shown();
          }));
        }""",
        list(choices),
    )
    return json.loads(text)


def _charts(page: Page) -> Charts:
    (charts,) = _charts_of(page, [{}])
    return charts


@pytest.mark.slow
def test_all_views_show_the_published_values(page: Page) -> None:
    cases = {each["name"]: each for each in json.loads((REPORT / "report.json").read_text())["cases"]}
    views = list(_views())
    choices = [
        {"model": m, "seq len": str(n), **{each: each == d for each in DEVICES}, IGNORE: ignore, INFER: infer}
        for m, n, d, ignore, infer in views
    ]
    compared = 0
    for view, charts in zip(views, _charts_of(page, choices), strict=True):
        model, length, device, ignore, inference = view
        expected = {
            **(WITH_IGNORE if ignore else WITHOUT_IGNORE),
            **ALWAYS,
            **(INFERENCE if inference else {}),
        }
        assert set(charts) == set(expected)
        for chart, measures in expected.items():
            for row, batch in zip(charts[chart], BATCHES, strict=True):
                known = PUBLISHED.get((model, length, device, batch))
                assert row[0]["text"] == str(batch)
                for measure, cell in zip(measures, row[1:], strict=True):
                    if known is None:
                        assert cell["text"] in ("failed", "partial")
                        assert cell["value"] is None
                        continue
                    assert math.isclose(float(cell["value"]), known[measure], rel_tol=1e-11)
                    case = cases[cell["case"].removeprefix("#case-")]
                    assert float(cell["value"]) == case["summary"]["value"]
                    compared += 1
    # 66 configurations; 1 + 3 + 3 + 1 numbers, one time less without the time between steps, two for inference.
    assert compared == 66 * (8 + 10 + 7 + 9)


@pytest.mark.slow
def test_the_numbers_are_written_as_in_the_tables(page: Page) -> None:
    """The tables of the page show the same cases in the same digits."""
    shown: dict[str, set[str]] = page.evaluate(
        """() => {
          const texts = {};
          for (const link of document.querySelectorAll('section.table td.number a')) (texts[link.hash] ??= []).push(link.textContent);
          return texts;
        }"""
    )
    choices = [{"model": m, "seq len": str(length), INFER: True} for m, length in product(MODELS, LENGTHS)]
    for charts in _charts_of(page, choices):
        for cells in (cell for rows in charts.values() for row in rows for cell in row[1:]):
            if cells["value"] is not None:
                assert cells["text"] in shown[cells["case"]]


@pytest.mark.slow
def test_all_views_show_the_values_of_the_dashboard(corpus: Path, page: Page) -> None:
    columns = {
        "training": "throughput_seq_s",
        "compute": "throughput_ignore_cpu_seq_s",
        "inference": "infer_throughput_seq_s",
        "forward": "infer_latency_s",
    }
    rows_of_dashboard = list(csv.DictReader((corpus / "expected" / "transformers_dashboard.csv").open()))
    choices = [
        {"model": row["model"], "seq len": row["seq_len"], "A100": False, INFER: True, IGNORE: ignore}
        for row in rows_of_dashboard
        for ignore in (False, True)
    ]
    views = iter(_charts_of(page, choices))
    for row in rows_of_dashboard:
        for ignore in (False, True):
            charts = next(views)
            line = BATCHES.index(int(row["batch_size"]))
            shown = {chart: [cell["value"] for cell in rows[line][1:]] for chart, rows in charts.items()}
            parts = [row[name] for name in ("cpu_time", "forward", "backward")][ignore:]
            share = [float(row[name]) / 100 for name in ("sm_util", "tc_util", "vram_io")]
            expected = {
                "throughput": [row[columns["compute" if ignore else "training"]]],
                "breakdown": parts,
                "inference": [row[columns["inference"]]],
                "latency": [row[columns["forward"]]],
                "utilisation": share,
                # The dashboard divides MiB by 1000 and calls them GB.
                "memory": [float(row["vram_GB"]) * 1000 * 2**20],
            }
            for chart, numbers in expected.items():
                for found, number in zip(shown[chart], numbers, strict=True):
                    assert math.isclose(float(found), float(number), rel_tol=1e-11)


def test_devices_are_compared_side_by_side(page: Page) -> None:
    rows = _charts(page)["throughput"]
    key = "distilroberta-base", 128
    for row, batch in zip(rows[1:], BATCHES[1:], strict=True):
        own, base = (PUBLISHED[(*key, device, batch)]["training"] for device in ("A100", "V100"))
        assert row[3]["text"] == f"{own / base:.2f}"
    assert rows[0][3]["text"] == "-"
    block = page.locator("section.explorer-chart", has_text="Training throughput").first
    assert "Verdict on every ratio: no repeats." in block.inner_text()


def test_estimated_inference_comes_with_a_warning(page: Page) -> None:
    assert page.locator("section.explorer .warning").count() == 0
    _explorer(page).get_by_label("Show inference, estimated").check()
    assert "not synchronised" in page.locator("section.explorer .warning").inner_text()
    assert "no latency" in page.locator("section.explorer .warning").inner_text()


def test_the_text_of_the_dashboard_is_there(page: Page) -> None:
    page.get_by_text("More information").click()
    text = page.locator("section.explorer .more").inner_text()
    for word in ("Method", "Systems", "Terms", "Tensor Cores", "DGX", "p4d.24xlarge", "AMP"):
        assert re.search(rf"\b{re.escape(word)}", text), word


def test_the_fastest_configuration_fits(page: Page) -> None:
    _explorer(page).get_by_label("Within (GiB)").fill("6")
    _explorer(page).get_by_label("Within (GiB)").press("Tab")
    limit = 6 * 2**30
    for line, device in zip(page.locator("#explorer-fastest li").all_inner_texts(), DEVICES, strict=True):
        own = {
            b: PUBLISHED[key] for b in BATCHES if (key := ("distilroberta-base", 128, device, b)) in PUBLISHED
        }
        fitting = {b: row for b, row in own.items() if row["memory"] <= limit}
        best = max(fitting, key=lambda b: fitting[b]["training"])
        assert line.startswith(f"{device}: batch size {best}: ")
    _explorer(page).get_by_label("Within (GiB)").fill("1")
    _explorer(page).get_by_label("Within (GiB)").press("Tab")
    assert page.locator("#explorer-fastest li").all_inner_texts() == [
        f"{device}: nothing is known to fit within 1 GiB" for device in DEVICES
    ]


def _marks(page: Page, chart: str, cases: Sequence[str]) -> list[dict[str, object]]:
    """Return the rows of data behind the bars of a chart, once it shows these cases."""
    bars = f"section.explorer-chart[data-chart={chart}] .chart-plot g.mark-rect.role-mark > path"
    page.wait_for_function(
        """([bars, cases]) => {
          const drawn = [...document.querySelectorAll(bars)].map(({ __data__: { datum } }) => datum.case).sort();
          return JSON.stringify(drawn) === JSON.stringify(cases);
        }""",
        arg=[bars, sorted(cases)],
        timeout=DRAWN,
    )
    return page.locator(bars).evaluate_all(
        "paths => paths.map(({ __data__: { datum: { x, y, shown, case: name } } }) => ({ x, y, shown, case: name }))"
    )


@pytest.mark.slow
def test_every_chart_shows_the_numbers_of_its_table(page: Page) -> None:
    factors = {"ms": 1e-3, "%": 1e-2, "GiB": 2.0**30, "sequences/s": 1.0}
    drawn = 0
    for model, length, ignore in product(MODELS, LENGTHS, (False, True)):
        choice = {"model": model, "seq len": str(length), IGNORE: ignore, INFER: True}
        (charts,) = _charts_of(page, [choice])
        for chart, rows in charts.items():
            cells = [(row[0]["text"], cell) for row in rows for cell in row[1:] if cell["value"] is not None]
            expected = sorted(
                (x, cell["case"].removeprefix("#case-"), float(cell["value"])) for x, cell in cells
            )
            found = sorted(
                (mark["x"], mark["case"], mark["y"] * factors[mark["shown"].split(" ")[1]])
                for mark in _marks(page, chart, [case for _, case, _ in expected])
            )
            assert [each[:2] for each in found] == [each[:2] for each in expected]
            for (*_, y), (*_, value) in zip(found, expected, strict=True):
                assert math.isclose(y, value, rel_tol=1e-9)
            drawn += len(found)
    assert drawn == 66 * (10 + 9)


def test_configurations_without_a_number_are_crosses(page: Page) -> None:
    _open(page, "f.model=roberta-large&f.seq_len=512")
    crosses = {"throughput": 1, "breakdown": 1, "utilisation": 3, "memory": 1}
    for chart, per_configuration in crosses.items():
        lost = [
            (device, batch)
            for device, batch in product(DEVICES, BATCHES)
            if ("roberta-large", 512, device, batch) not in PUBLISHED
        ]
        marks = page.locator(f"section.explorer-chart[data-chart={chart}] .mark-symbol.role-mark > path")
        expect(marks).to_have_count(per_configuration * len(lost), timeout=DRAWN)
        assert marks.evaluate_all(
            "paths => paths.every(({ __data__: { datum } }) => ['failed', 'partial'].includes(datum.failed))"
        )


def test_what_did_not_run_on_a_device_is_one_list(page: Page) -> None:
    _explorer(page).get_by_label("A100", exact=True).uncheck()
    _explorer(page).get_by_text("Which have no number?").click()
    lines = _explorer(page).locator(".without-number li").all_inner_texts()
    statuses = csv.DictReader((ROOT / "logs/transformers/status/transformers_status.csv").open())
    failed = [row for row in statuses if GPUS[row["gpu"]] == "V100" and row["status"] != "ok"]
    assert sum(len(line.split("batch size ")[1].split(", ")) for line in lines) == len(failed)
    assert "V100, roberta-large, seq len 512: batch size 8, 32, 64, 128, 256 failed" in lines


def test_memory_is_compared_with_the_size_of_each_device(page: Page) -> None:
    chart = page.locator("section.explorer-chart[data-chart=memory]")
    lines = chart.locator(".mark-rule.role-mark > line")
    expect(lines).to_have_count(2, timeout=DRAWN)
    sizes = lines.evaluate_all("lines => lines.map(({ __data__: { datum } }) => datum.y)")
    assert sizes == [16155 / 1024, 40536 / 1024]
    expect(chart.get_by_text("V100 device")).to_be_visible()


def test_utilisation_is_drawn_from_0_to_100_percent(page: Page) -> None:
    _open(page, "f.device=V100")
    axis = page.locator("section.explorer-chart[data-chart=utilisation] .role-axis-label text")
    expect(axis.filter(has_text="100")).to_have_count(1, timeout=DRAWN)
    assert {"0", "20", "40", "60", "80", "100"} <= set(axis.all_text_contents())


def test_the_trade_off_shows_a_point_for_each_configuration(page: Page) -> None:
    block = _explorer(page).locator("[data-chart=trade-off]")
    points = block.locator(".mark-symbol.role-mark > path")
    expect(points).to_have_count(11)  # V100 has 6 batch sizes, the A100 5
    best = set()
    own = {(d, b): row for (m, s, d, b), row in PUBLISHED.items() if (m, s) == ("distilroberta-base", 128)}
    for key, row in own.items():
        better = [
            o for o in own.values() if o["memory"] <= row["memory"] and o["training"] >= row["training"]
        ]
        if better == [row]:
            best.add(f"{key[0]}, batch size {key[1]}")
    rows = points.evaluate_all("paths => paths.map(({ __data__: { datum } }) => [datum.name, datum.best])")
    assert {name for name, is_best in rows if is_best} == best
    block.get_by_label("Against", exact=True).select_option("Step time (forward)")
    expect(block.get_by_role("heading")).to_have_text("Throughput (training) against Step time (forward)")
    expect(points).to_have_count(11, timeout=DRAWN)


def test_a_chart_is_saved_as_svg_and_png(page: Page) -> None:
    block = page.locator("section.explorer-chart[data-chart=throughput]")
    for ending, begin in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with page.expect_download() as event:
            block.get_by_role("button", name=ending).click()
        content = Path(event.value.path()).read_bytes()
        assert event.value.suggested_filename.endswith(f".{ending.lower()}")
        assert content.startswith(begin)
        if ending == "SVG":
            assert b"Training throughput, distilroberta-base, seq len 128" in content


def test_a_mark_opens_its_evidence_with_the_keyboard(page: Page) -> None:
    mark = page.locator("section.explorer-chart[data-chart=throughput] .chart-plot [tabindex='0']")
    mark.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator("#panel")).to_contain_text("sequences/s")
