"""Where gaps take more than 5 % of the time, the number over all of the time is beside the number.

One case stalls for 0.55 s in four of a hundred steps of 50 ms, in all repeats: it steps as fast as the other, and
has done 100 x 32 samples in 96 x 0.05 s + 4 x 0.55 s = 7 s at the end. Ten times the median is a gap, less is not.
"""

import csv
import io
from pathlib import Path

import pytest

import reportgen as rg
from reportgen.pipeline import Build, Request, build
from tests.builders import run_folder, write_files

STALL, STEP = 0.55, 0.05
OVER_ALL = 100 * 32 / (96 * STEP + 4 * STALL)
RATIO = OVER_ALL / 640
DEFINITION = """\
title = "T"
logs = ["logs"]
protocol = "20+100x3"
[[tables]]
id = "t"
title = "T"
rows = ["build"]
show = ["value", "speedup"]
compare = { kind = "speedup", baseline = { build = "old" } }
"""


def logs(stalled: tuple[int, ...]) -> dict[str, str]:
    """Return three repeats of both cases; `stalled` are the repeats of the new case that stall."""
    times = [STALL if step in (40, 60, 80, 100) else STEP for step in range(1, 131)]
    files: dict[str, str] = {}
    for repeat in (1, 2, 3):
        # No two repeats are copies.
        own = [time + repeat * 1e-6 * (step % 7) for step, time in enumerate(times)]
        steady = [min(time, 0.05001) for time in own]
        for name, chosen in (("old", steady), ("new", own if repeat in stalled else steady)):
            steps = [time + 1e-7 * (name == "new") for time in chosen]
            case = {"build": name, "item": "image"}
            files |= run_folder(f"logs/{name}/{repeat}", steps, case=case, repeat=repeat, samples=32)
    return files


def built(root: Path, stalled: tuple[int, ...] = (1, 2, 3)) -> Build:
    """Return the reports of the repository."""
    write_files(root, logs(stalled) | {"reports/r.toml": DEFINITION})
    return build(Request(root, root / "reports"))


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Return the report with stalls in every repeat."""
    return built(tmp_path_factory.mktemp("rates"))


def test_the_page_shows_both(result: Build) -> None:
    page = result.files["r/README.md"].decode()
    assert f"639.9<br>{OVER_ALL:.1f} over all" in page
    assert f"<br>{RATIO:.3f} over all" in page
    assert (
        "Gaps that the protocol leaves out take more than 5 % of the time: with them, it is 29 % slower."
        in page
    )


def test_the_document_has_both_and_the_time_of_each_run_adds_up(result: Build) -> None:
    (document,) = result.reports
    value, ratio = (cell for cell in document.tables[0].cells[0])
    assert value.over_all == pytest.approx(OVER_ALL, rel=1e-3)
    assert ratio.over_all == pytest.approx(RATIO, rel=1e-3)
    comparison = document.comparison_of(document.tables[0], ratio)
    assert comparison is not None
    assert comparison.over_all == ratio.over_all
    for case in document.cases:
        for measurement in case.measurements:
            window = measurement.window
            assert window is not None
            # 130 steps; the log says nothing of the time before them.
            seconds = 126 * STEP + 4 * (STALL if case.factors["build"] == "new" else STEP)
            assert sum(each or 0 for each in (window.time, window.gap_time, window.outside)) == pytest.approx(
                seconds, rel=2e-3
            )


def test_the_csv_has_both(result: Build) -> None:
    rows = {row["build"]: row for row in csv.DictReader(io.StringIO(result.files["r/tables/t.csv"].decode()))}
    assert float(rows["new"]["over_all"]) == pytest.approx(OVER_ALL, rel=1e-3)
    assert float(rows["new"]["ratio_over_all"]) == pytest.approx(RATIO, rel=1e-3)
    assert (rows["old"]["over_all"], rows["old"]["ratio_over_all"]) == ("", "")


def test_compare_shows_both(tmp_path: Path) -> None:
    write_files(tmp_path, logs((1, 2, 3)))
    text = rg.compare_runs(tmp_path / "logs/old", tmp_path / "logs/new", ignore=["build"]).to_markdown()
    assert "with the time in gaps 29 % slower" in text


def test_one_repeat_with_gaps_is_named(tmp_path: Path) -> None:
    (document,) = built(tmp_path, stalled=(2,)).reports
    (value, _), *_ = document.tables[0].cells
    assert value.over_all == pytest.approx(640, rel=1e-3)  # the median of three
    texts = [note.text for note in (*document.notes.values(), *document.tables[0].about)]
    assert any(text.endswith("(1 of 3 repeats: r2)") for text in texts)


def test_little_time_in_gaps_changes_nothing(tmp_path: Path) -> None:
    page = built(tmp_path, stalled=()).files["r/README.md"].decode()
    assert "over all" not in page
