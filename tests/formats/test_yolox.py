"""YOLOX: means of the last ten iterations, counters that begin again in each epoch, launches in one file."""

import pytest

from tests.builders import read_all, read_log, rule_lines, series_of, step_rows
from tests.formats.valid_logs import YOLOX


def test_lines_cover_the_print_interval_and_not_the_rest_of_an_epoch():
    run = read_log("yolox", YOLOX)
    times = series_of(run, "step_time", "host")
    assert step_rows(times) == [
        (10, 10, 5.0, 640),
        (20, 10, 4.0, 640),
        (35, 10, 3.0, 640),
        (45, 10, 2.0, 640),
    ]
    assert [(border.step, border.kind) for border in times.breaks] == [(25, "epoch")]
    loading = series_of(run, "step_time", phase="data_loading")
    assert loading.value.tolist() == pytest.approx([1.0, 0.1, 0.1, 0.1])
    assert set(series_of(run, "memory_used").value.tolist()) == {9000 * 2.0**20}


def test_the_batch_is_global_and_devices_are_those_of_one_machine():
    run = read_log("yolox", YOLOX)
    assert run.factors == {"framework": "YOLOX", "item": "image", "model": "yolox_s", "precision": "amp",
                           "batch_size": 8, "devices": 8, "nodes": 2}  # fmt: skip
    assert run.samples_per_step == 64


def test_the_last_line_of_a_whole_run_is_the_last_multiple_of_the_interval():
    assert (read_log("yolox", YOLOX).status, rule_lines(read_log("yolox", YOLOX))) == ("complete", [])
    shorter = YOLOX[: YOLOX.rindex(b"2024-05-02")]
    assert read_log("yolox", shorter).status == "partial"


def test_a_resumed_log_begins_at_a_later_epoch():
    resumed = YOLOX.replace(b"epoch: 1/2", b"epoch: 9/10").replace(b"epoch: 2/2", b"epoch: 10/10")
    run = read_log("yolox", resumed)
    assert series_of(run, "step_time", "host").step.tolist() == [10, 20, 35, 45]
    assert run.status == "complete"


def test_launches_that_append_to_one_file_are_runs_of_their_own():
    assert [run.id for run in read_all("yolox", YOLOX * 2)] == ["x.log#1", "x.log#2"]
