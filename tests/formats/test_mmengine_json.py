"""MMEngine's JSON of scalars: only lines of training, restarts, and lines in several files, which count once.

The forms are those of MMEngine's logger hook: validation by epoch with or without times, names with "train/"
in hierarchical logs. The folders are laid out as the runner writes them.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from reportgen.core.model import Finding, Run
from reportgen.formats.detection import discover
from reportgen.load import load_runs
from reportgen.protocol import Protocol, measure_run
from reportgen.sources.logfiles import LogFiles
from tests.builders import read_all, series_of, step_rows

CONFIGURATION = (
    b"log_processor = dict(by_epoch=True, type='LogProcessor', window_size=50)\n"
    b"train_dataloader = dict(\n    batch_size=16,\n    num_workers=2)\nwork_dir = './work_dirs/rtmdet_tiny'\n"
)
VALIDATION = [
    {"coco/bbox_mAP": 0.25, "step": 1},
    {"accuracy/top1": 43.1, "data_time": 0.09, "time": 9.0, "step": 1},
]
DATE, LATER = "20240506_070000", "20240507_080000"


def line(step: int, time: float, **more: Any) -> dict[str, Any]:
    """Return one line of training as it is written: every 50 iterations, 69 of them in an epoch."""
    return {"base_lr": 0.02, "lr": 0.02, "data_time": 0.125, "loss": 1.5, "time": time, "epoch": 1 + step // 70,
            "iter": step, "memory": 3060, "step": step, **more}  # fmt: skip


def scalars(*entries: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(entry).encode() + b"\n" for entry in entries)


def printed(*times: float) -> bytes:
    """Return the log that MMEngine prints of the same run."""
    return b"".join(
        b"2024/05/06 07:00:%02d - mmengine - INFO - Epoch(train) [1][%4d/4309]  lr: 2.0e-02  eta: 1:00:00  "
        b"time: %.4f  data_time: 0.1250  memory: 3060  loss: 1.5\n" % (number, 50 * number, time)
        for number, time in enumerate(times, 1)
    )


ONE = scalars(line(50, 0.25), *VALIDATION, line(100, 0.5), line(150, 0.75))
TWO = scalars(line(50, 1.25), line(100, 1.5))


def only(found: list[Run | Finding]) -> list[Run]:
    assert all(isinstance(one, Run) for one in found)
    return [one for one in found if isinstance(one, Run)]


def test_lines_of_training_are_means_over_the_window():
    (run,) = only(read_all("mmengine", ONE))
    host = series_of(run, "step_time", "host")
    assert step_rows(host) == [(50, 10, 2.5, -1), (100, 10, 5.0, -1), (150, 10, 7.5, -1)]
    assert host.line.tolist() == [1, 4, 5]
    assert series_of(run, "step_time", "host", "data_loading").value.tolist() == [1.25] * 3
    assert series_of(run, "memory_used", "printed").value.tolist() == [3060 * 2**20] * 3
    assert (run.factors, run.status, run.findings) == (
        {"framework": "MMEngine", "item": "image"},
        "complete",
        (),
    )


def test_the_configuration_beside_them_gives_the_window():
    files = LogFiles.of({"vis_data/scalars.json": ONE, "vis_data/config.py": CONFIGURATION})
    (claimed,) = discover(files).claimed
    (run,) = only(list(claimed.format.read(claimed.files)))
    assert step_rows(series_of(run, "step_time", "host")) == [
        (50, 50, 12.5, -1),
        (100, 50, 25.0, -1),
        (150, 50, 37.5, -1),
    ]
    assert run.factors == {"framework": "MMEngine", "item": "image", "batch_size": 16, "model": "rtmdet_tiny"}
    found = measure_run(run, "step_time", "step", Protocol())
    assert found is not None
    assert (found.value, found.evidence) == (0.625, "intervals")  # of the steps 51..150


def test_a_step_that_does_not_grow_starts_another_run():
    found = only(read_all("mmengine", ONE + TWO))
    assert [run.id for run in found] == ["x.log#1", "x.log#2"]
    assert [series_of(run, "step_time", "host").step.tolist() for run in found] == [[50, 100, 150], [50, 100]]


def test_names_may_have_a_hierarchy():
    entries = [{name if name in ("iter", "epoch", "step", "memory") else f"train/{name}": value
                for name, value in line(step, 0.5).items()} for step in (50, 100)]  # fmt: skip
    (run,) = only(read_all("mmengine", scalars(*entries)))
    assert step_rows(series_of(run, "step_time", "host")) == [(50, 10, 5.0, -1), (100, 10, 5.0, -1)]


@pytest.mark.parametrize("content", [
    b'{"data_time": 0.008, "iteration": 19, "loss": 1.9, "lr": 0.007, "time": 0.25, "step": 1}\n',  # Detectron2
    scalars(*VALIDATION),
])  # fmt: skip
def test_scalars_of_other_programs_and_of_validation_are_skipped(content: bytes):
    assert discover(LogFiles.of({"metrics.json": content})).claimed == []


def test_damaged_lines_are_reported():
    (run,) = only(read_all("mmengine", ONE[:-30]))
    assert series_of(run, "step_time", "host").step.tolist() == [50, 100]
    assert [(one.rule, one.source and one.source.line) for one in run.findings] == [
        ("read.malformed-line", 5)
    ]


RUN = {f"{DATE}/{DATE}.log": printed(0.25, 0.5, 0.75), f"{DATE}/vis_data/{DATE}.json": ONE,
       f"{DATE}/vis_data/scalars.json": ONE, f"{DATE}/vis_data/config.py": CONFIGURATION}  # fmt: skip


def without(*ends: str) -> dict[str, bytes]:
    return {path: content for path, content in RUN.items() if not path.endswith(ends)}


@pytest.mark.parametrize(("files", "paths"), [
    (RUN, [f"{DATE}/{DATE}.log"]),
    (without(f"{DATE}.json"), [f"{DATE}/{DATE}.log"]),
    (without("scalars.json"), [f"{DATE}/{DATE}.log"]),
    (without(".log"), [f"{DATE}/vis_data/{DATE}.json"]),
    (without(".log", f"{DATE}.json"), [f"{DATE}/vis_data/scalars.json"]),
    # A log that ended before training has no steps.
    ({**RUN, f"{DATE}/{DATE}.log": b"2024/05/06 07:00:00 - mmengine - INFO - hello\n"},
     [f"{DATE}/{DATE}.log", f"{DATE}/vis_data/{DATE}.json"]),
    # Two runs in one folder, and the scalars of both in one file.
    ({f"vis_data/{DATE}.json": ONE, f"vis_data/{LATER}.json": TWO, "vis_data/scalars.json": ONE + TWO},
     [f"vis_data/{DATE}.json", f"vis_data/{LATER}.json"]),
    ({f"{DATE}.log": printed(0.25, 0.5, 0.75), f"vis_data/{DATE}.json": ONE, f"vis_data/{LATER}.json": TWO,
      "vis_data/scalars.json": ONE + TWO}, [f"{DATE}.log", f"vis_data/{LATER}.json"]),
    # A log by another name may be of any run.
    ({"train.log": printed(1.0, 2.0), "vis_data/scalars.json": ONE}, ["train.log", "vis_data/scalars.json"]),
])  # fmt: skip
@pytest.mark.parametrize("below", ["", "work_dirs/rtmdet/"])
def test_lines_written_to_several_files_count_once(
    tmp_path: Path, below: str, files: dict[str, bytes], paths: list[str]
):
    for path, content in files.items():
        (tmp_path / below / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / below / path).write_bytes(content)
    loaded = load_runs([tmp_path], root=tmp_path)
    assert [run.id for run in loaded.runs] == [below + path for path in paths]
    assert [one.rule for run in loaded.runs for one in run.findings if one.rule == "read.duplicate-run"] == []


def test_a_folder_of_scalars_by_itself_counts_once_too(tmp_path: Path):
    for path, content in RUN.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    loaded = load_runs([tmp_path / DATE / "vis_data"], root=tmp_path)
    assert [run.source.path for run in loaded.runs] == [f"{DATE}/vis_data/{DATE}.json"]
    assert loaded.unrecognised == ()  # config.py says what the run did


def test_files_that_are_not_read_are_explained():
    claims = {
        name: one.claim.reason for one in discover(LogFiles.of(RUN)).claimed for name in one.claim.files
    }
    assert claims[f"vis_data/{DATE}.json"] == claims["vis_data/scalars.json"] == f"repeats {DATE}.log"
