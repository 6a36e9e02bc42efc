"""MMCV 1's `<date>.log.json`: a copy of the log beside it, or the only file of a run.

The form is that of TextLoggerHook: first the environment, then a line for each line of the log.
"""

import json
from typing import Any

import pytest

from reportgen.formats.detection import discover
from reportgen.sources.logfiles import LogFiles
from tests.builders import read_log, series_of, step_rows

HEAD = {
    "env_info": "sys.platform: linux\nGPU 0,1: Tesla V100-SXM2-32GB\n",
    "config": "data = dict(\n    samples_per_gpu=2,\n    workers_per_gpu=2)\ngpu_ids = range(0, 2)\n",
    "seed": 0,
    "exp_name": "fcn_r50.py",
}
PRINTED = b"2024-05-06 07:00:20,000 - mmseg - INFO - Iter [50/99]\tlr: 1.0e-02, time: 0.500, data_time: 0.125, memory: 9\n"


def line(epoch: int, at: int, time: float, **more: Any) -> dict[str, Any]:
    return {"mode": "train", "epoch": epoch, "iter": at, "lr": 0.01, "memory": 9000, "data_time": 0.125, "loss": 1.5,
            "time": time, **more}  # fmt: skip


def log(*entries: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(entry).encode() + b"\n" for entry in entries)


def test_lines_are_means_since_the_previous_line_and_epochs_restart():
    validation = {"mode": "val", "epoch": 1, "iter": 120, "lr": 0.01, "bbox_mAP": 0.1}
    run = read_log("mmengine", log(HEAD, line(1, 50, 1.0), line(1, 100, 0.5), validation, line(2, 50, 0.75)))
    host = series_of(run, "step_time", "host")
    assert step_rows(host) == [(50, 50, 50.0, 200), (100, 50, 25.0, 200), (150, 50, 37.5, 200)]
    assert host.line.tolist() == [2, 3, 5]
    assert [one.step for one in host.breaks] == [100]
    assert series_of(run, "step_time", "host", "data_loading").value.tolist() == [6.25] * 3
    assert series_of(run, "memory_used", "printed").value.tolist() == [9000 * 2**20] * 3
    assert run.factors == {"framework": "MMCV", "item": "image", "model": "fcn_r50", "batch_size": 2, "devices": 2,
                           "device": "Tesla V100-SXM2-32GB"}  # fmt: skip


def test_iterations_may_continue_over_the_epochs():
    """Of IterBasedRunner, whose validations have the mode of training, but no time."""
    validation = {"mode": "train", "epoch": 6, "iter": 500, "lr": 5e-05, "memory": 4718, "mIoU": 0.5}
    run = read_log("mmengine", log(line(5, 50, 1.0), validation, line(6, 100, 0.5), line(7, 150, 0.75)))
    host = series_of(run, "step_time", "host")
    assert step_rows(host) == [(50, 50, 50.0, -1), (100, 50, 25.0, -1), (150, 50, 37.5, -1)]
    assert not host.breaks
    assert run.factors == {"framework": "MMCV", "item": "image"}


@pytest.mark.parametrize(("printed", "paths"), [
    (PRINTED, ["20240506_070000.log"]),
    # A log that ended before training has no steps.
    (b"2024-05-06 07:00:00,000 - mmseg - INFO - Environment info:\n", ["20240506_070000.log", "20240506_070000.log.json"]),
])  # fmt: skip
def test_lines_that_repeat_the_log_beside_them_count_once(printed: bytes, paths: list[str]):
    files = LogFiles.of({"20240506_070000.log": printed, "20240506_070000.log.json": log(line(1, 50, 0.5))})
    found = discover(files).claimed
    runs = [one for each in found for one in each.format.read(each.files)]
    assert [one.id for one in runs] == paths
