"""Ultralytics: times since a launch began, a row for each epoch, arguments in a file beside."""

import pytest

from reportgen.formats.detection import offer
from reportgen.sources.logfiles import LogFiles
from tests.builders import aggregate_of, read_log, rule_lines
from tests.formats.valid_logs import ULTRALYTICS, ULTRALYTICS_ARGUMENTS


def read(content, arguments=ULTRALYTICS_ARGUMENTS):
    return read_log("ultralytics", content, "results.csv", {"args.yaml": arguments})


def test_epochs_are_the_differences_of_times_within_a_launch():
    run = read(ULTRALYTICS)
    epoch = aggregate_of(run, "epoch_time")
    # 90.5 - 50.5 and 132.5 - 90.5, then a launch that resumes: 83.25 - 45.25
    assert (epoch.value, epoch.n, epoch.original) == (pytest.approx(120 / 3), 3, "120 s / 3 epochs")
    assert aggregate_of(run, "run_time", statistic="total").value == pytest.approx(132.5 + 83.25)
    assert (run.status, rule_lines(run)) == ("complete", [])
    assert run.series == ()


def test_arguments_are_factors_without_the_folders_of_their_owner():
    assert read(ULTRALYTICS).factors == {
        "framework": "Ultralytics", "item": "image", "model": "yolo11n.pt", "dataset": "coco8.yaml", "devices": 2,
        "image_size": 640, "global_batch_size": 16, "precision": "amp",
    }  # fmt: skip


@pytest.mark.parametrize("batch", [b"batch: -1", b"batch: 0.7"])
def test_a_batch_that_the_program_chooses_is_unknown(batch):
    assert (
        "global_batch_size"
        not in read(ULTRALYTICS, ULTRALYTICS_ARGUMENTS.replace(b"batch: 16", batch)).factors
    )


@pytest.mark.parametrize(("device", "devices"), [
    (b"device: null", None), (b"device: cpu", None), (b"device: '0'", 1), (b"device: 0,1,3", 3), (b"device: [0, 1]", 2),
])  # fmt: skip
def test_devices_are_counted_where_they_are_named(device, devices):
    arguments = ULTRALYTICS_ARGUMENTS.replace(b"device:\n- 0\n- 1", device)
    assert read(ULTRALYTICS, arguments).factors.get("devices") == devices


@pytest.mark.parametrize(
    ("patience", "status"), [(b"patience: 100", "partial"), (b"patience: 3", "complete")]
)
def test_fewer_epochs_are_an_interruption_unless_training_may_have_stopped_early(patience, status):
    arguments = ULTRALYTICS_ARGUMENTS.replace(b"epochs: 5", b"epochs: 50").replace(b"patience: 100", patience)
    assert read(ULTRALYTICS, arguments).status == status


def test_a_missing_epoch_has_no_time():
    run = read(ULTRALYTICS.replace(b"2,90.5,1.8,0.32,1.6,0.0066\n", b""))
    assert (aggregate_of(run, "epoch_time").value, aggregate_of(run, "epoch_time").n) == (
        pytest.approx(38),
        1,
    )


def test_a_row_without_all_cells_is_reported():
    run = read(ULTRALYTICS.replace(b"2,90.5,1.8,0.32,1.6,0.0066", b"2,90.5,0.0066"))
    assert rule_lines(run) == [("read.malformed-line", 3)]


def test_padded_headers_are_read_and_tables_without_a_time_are_not():
    padded = ULTRALYTICS.replace(b",", b",          ").replace(b"epoch", b"      epoch")
    assert aggregate_of(read(padded), "epoch_time").value == pytest.approx(40)
    old = b"\n".join(
        line.replace(b",time", b"").replace(b".5,", b",", 1) for line in ULTRALYTICS.split(b"\n")
    )
    assert b"time" not in old
    assert offer(LogFiles.of({"results.csv": old}).file("results.csv")) is None
