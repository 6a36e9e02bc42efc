"""The steps behind a number: the file beside the page, and what the panel draws of it."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from msgspec import structs
from playwright.sync_api import Page, expect

from reportgen.core.model import Break, Measurement, Run, Series, Source, Telemetry, Window
from reportgen.protocol import DEFAULT, measure_run
from reportgen.report.step_series import min_max_points, run_json
from reportgen.tables.results import Table
from tests import builders
from tests.render import example
from tests.render.conftest import accessibility, write_assets
from tests.render.example import render_report

OpenPage = Callable[..., Page]


def _series(times: np.ndarray, phase: str = "step") -> Series:
    n = len(times)
    return Series(
        "step_time",
        phase=phase,
        clock="host",
        step=np.arange(1, n + 1),
        span=np.ones(n, dtype=np.int64),
        begin=np.cumsum(times) - times,
        value=times,
        samples=np.full(n, 64.0),
        line=np.arange(2, n + 2),
        source=Source("logs/x/steps.rank0.csv"),
        breaks=(Break(60, "evaluation"),),
    )


def _times(n: int = 140) -> np.ndarray:
    """Return steps of 10 ms with a slow warm-up, an outlier at step 50 and a gap at step 80."""
    times = 0.01 + 0.0001 * (np.arange(n) % 7)
    times[:10] = 0.02
    times[49], times[79] = 0.03, 0.5
    return times


WINDOW = Window(21, 120, 99, 1.0, 0.5, 6336.0, gaps=(80,), outliers=(50,))


def run_with_steps(run: Run, *, telemetry: bool = True) -> Run:
    t = np.linspace(0.0, 2.0, 40)
    columns = {
        "sm_clock": np.linspace(1.2e9, 1.4e9, 40),
        "power": np.linspace(100.0, 300.0, 40),
        "temperature": np.linspace(40.0, 70.0, 40),
        "throttle_reasons": np.where(t > 1.0, 4.0, 0.0),
    }
    device = Telemetry("GPU 0", t, columns, Source("logs/x/telemetry.csv"))
    hot = replace(device, device="GPU 1", columns={**columns, "temperature": np.full(40, 91.0)})
    series = (_series(_times()), _series(_times() * 0.3, "forward"), _series(_times() * 0.6, "backward"))
    return replace(run, series=series, telemetry=(device, hot) if telemetry else ())


def with_steps(change: Callable[[Run], Run] = run_with_steps) -> Table:
    """Return the table of throughputs whose first cell has runs with steps."""
    table = example.throughput_table()
    first, second, *rest = table.cells[0]
    assert first.case
    measurements: tuple[Measurement, ...] = tuple(
        structs.replace(m, run=change(m.run), window=WINDOW) for m in first.case.measurements
    )
    case = replace(first.case, measurements=measurements)
    line = (replace(first, case=case), replace(second, case=case), *rest)
    return replace(table, cells=(line, *table.cells[1:]))


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return render_report(example.report(tables=(with_steps(),), figures=(), prose=""))


def test_a_long_series_keeps_its_extremes() -> None:
    values = np.sin(np.arange(100_000) / 1000.0)
    values[54_321], values[54_322] = 9.0, -9.0
    points = min_max_points(values, 200)
    assert len(points) <= 200
    assert {54_321, 54_322} <= set(points.tolist())
    assert list(points) == sorted(points)


def test_missing_values_are_not_points() -> None:
    assert min_max_points(np.array([np.nan, 1.0, np.nan, 2.0]), 10).tolist() == [1, 3]
    assert min_max_points(np.full(1000, np.nan), 10).tolist() == []


def test_gaps_and_outliers_of_the_window_are_marked() -> None:
    document = run_json(run_with_steps(Run("x", "native", Source("logs/x"), {})), WINDOW)
    assert (document["outliers"], document["gaps"]) == ((50,), (80,))
    assert document["breaks"] == [[60, "evaluation"]]
    assert document["window"] == [21, 120]
    assert (document["first"], len(document["times"])) == (1, 140)
    # of (0.2 + 0.1 + ...) / 100 steps: 0.3 and 0.6 of the whole
    assert document["phases"]["backward"] == pytest.approx(2 * document["phases"]["forward"], rel=1e-3)


def test_steps_may_begin_with_step_0() -> None:
    document = run_json(builders.run(builders.series([1.0] * 3, step=[0, 1, 2])), None)
    assert (document["first"], document["times"]) == (0, [1.0] * 3)


def test_all_outliers_and_gaps_are_counted() -> None:
    window = structs.replace(WINDOW, outliers=tuple(range(6, 2000, 10)), gaps=tuple(range(8, 2000, 20)))
    document = run_json(run_with_steps(Run("x", "native", Source("logs/x"), {})), window)
    assert (document["outlier_count"], document["gap_count"]) == (200, 100)
    assert (document["outliers"][:2], document["gaps"][:2]) == ((6, 16), (8, 28))


def test_the_marks_are_those_of_the_protocol() -> None:
    """Step 30 is far above the quartiles and takes 1.2 times the median, which the protocol finds usual."""
    times = _times()
    times[29] = 0.012
    measured = measure_run(
        replace(
            Run("x", "native", Source("logs/x"), {}), series=(structs.replace(_series(times), breaks=()),)
        ),
        "step_time",
        "step",
        DEFAULT,
    )
    assert measured is not None
    document = run_json(measured.run, measured.window)
    assert (document["outliers"], document["gaps"]) == ((50,), (80,))


def test_the_steps_of_a_late_clock_stay_apart() -> None:
    run = run_with_steps(Run("x", "native", Source("logs/x"), {}))
    series = tuple(structs.replace(each, begin=each.begin + 123_456.0) for each in run.series)
    telemetry = tuple(replace(each, t=each.t + 123_455.0) for each in run.telemetry)
    document = run_json(replace(run, series=series, telemetry=telemetry), WINDOW)
    assert document["begins"][:3] == pytest.approx([1.0, 1.02, 1.04], abs=1e-6)
    times, _ = document["telemetry"][0]["power"]
    assert (times[0], times[-1]) == pytest.approx((0.0, 2.0))  # on the same axis


def test_a_bit_mask_keeps_its_changes() -> None:
    document = run_json(run_with_steps(Run("x", "native", Source("logs/x"), {})), WINDOW)
    times, masks = document["telemetry"][0]["throttle_reasons"]
    assert masks == [0.0, 4.0, 4.0]
    assert times[1] == pytest.approx(1.0256, abs=1e-3)


def test_the_file_has_a_line_per_run_and_is_listed(files: dict[str, bytes]) -> None:
    lines = files["steps/fp32-b128.js"].decode().splitlines()
    assert lines[0] == '(globalThis.reportgenSteps ??= {})["fp32-b128"] = ['
    assert lines[-1] == "];"
    assert [json.loads(line.rstrip(","))[0] for line in lines[1:-1]] == [
        "OneFlow-1/r1",
        "OneFlow-1/r2",
        "OneFlow-1/r3",
    ]
    assert "steps/fp32-b128.js" in json.loads(files["report.json"])["generated"]


def test_a_report_without_steps_has_no_such_file() -> None:
    files = render_report(example.report(figures=(), prose=""))
    assert not [path for path in files if path.startswith("steps/")]
    assert b"data-steps" not in files["index.html"]


def test_two_hundred_cases_stay_small(files: dict[str, bytes]) -> None:
    per_run = len(files["steps/fp32-b128.js"]) / 3
    assert per_run < 6_500  # with the telemetry of two devices


def test_the_panel_draws_every_repeat(open_page: OpenPage, files: dict[str, bytes]) -> None:
    page = open_page(files, "#fp32-b128/1-1/oneflow-images-s")
    panel = page.locator("#panel")
    plot = panel.get_by_role("img", name="Steps of r1: 10.0 to 500 ms, 1 left out, 1 outlier", exact=True)
    expect(plot).to_be_visible()
    expect(panel.locator(".series")).to_have_count(3)
    expect(plot.locator(".warmup")).to_have_count(1)
    expect(plot.locator(".gap")).to_contain_text("step 80: 500 ms")
    expect(plot.locator(".outlier")).to_contain_text("step 50: 30 ms")
    expect(plot.locator(".break")).to_contain_text("evaluation after step 60")
    expect(panel.get_by_role("row", name="backward")).to_be_visible()


def test_the_telemetry_shares_the_axis_of_the_steps(open_page: OpenPage, files: dict[str, bytes]) -> None:
    page = open_page(files, "#fp32-b128/1-1/oneflow-images-s")
    page.get_by_text("Telemetry of r2 (2 devices)").click()
    for name in (
        "SM clock, GPU 0: 1,200 to 1,400 MHz",
        "Power, GPU 1: 100 to 300 W",
        "Temperature, GPU 0: 40.0 to 70.0 °C",
        "Temperature, GPU 1: 91.0 to 91.0 °C",
        "Throttling, GPU 1: software power cap",
    ):
        expect(page.get_by_role("img", name=name)).to_be_visible()
    assert [found["id"] for found in accessibility(page)["violations"]] == []


def test_steps_without_telemetry_are_drawn_over_their_number(open_page: OpenPage) -> None:
    table = with_steps(lambda run: run_with_steps(run, telemetry=False))
    page = open_page(
        render_report(example.report(tables=(table,), figures=(), prose="")),
        "#fp32-b128/1-1/oneflow-images-s",
    )
    expect(page.locator(".series").first).to_contain_text("step 140")


def test_a_page_without_its_files_says_so(window: Page, files: dict[str, bytes], tmp_path: Path) -> None:
    write_assets(tmp_path)
    (tmp_path / "report").mkdir()
    (tmp_path / "report/index.html").write_bytes(files["index.html"])
    window.goto((tmp_path / "report/index.html").as_uri() + "#fp32-b128/1-1/oneflow-images-s")
    expect(window.locator("#panel")).to_contain_text("not beside this page, which lacks steps/fp32-b128.js")
