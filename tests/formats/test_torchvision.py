"""MetricLogger: means over the last 20 iterations, epochs one after the other."""

import pytest

from reportgen.protocol import Protocol, measure_run
from tests.builders import aggregate_of, read_log, series_of, step_rows
from tests.formats.valid_logs import TORCHVISION


def test_a_line_covers_up_to_twenty_steps_and_steps_continue_over_epochs():
    run = read_log("torchvision", TORCHVISION)
    found = series_of(run, "step_time", "host")
    assert step_rows(found) == [(1, 1, 2.5, 128), (21, 20, 6.0, 2560), (41, 20, 4.0, 2560), (50, 20, 4.0, 2560),
                            (51, 1, 1.2, 128), (71, 20, 5.0, 2560)]  # fmt: skip
    assert found.line.tolist() == [3, 4, 5, 6, 10, 11]
    assert [(one.step, one.kind) for one in found.breaks] == [(50, "epoch")]
    assert run.factors == {"framework": "torchvision", "item": "image", "model": "resnet50", "precision": "amp",
                           "batch_size": 32, "devices": 4}  # fmt: skip


def test_overlapping_lines_count_once():
    measured = measure_run(read_log("torchvision", TORCHVISION), "step_time", "step", Protocol())
    assert measured is not None
    assert measured.value == pytest.approx((4.0 + 1.2 + 5.0) / 41)


def test_the_closing_line_of_an_epoch_is_its_exact_mean():
    one = aggregate_of(read_log("torchvision", TORCHVISION), "step_time")
    assert (one.value, one.n, one.source.line) == (0.3012, 50, 7)


def test_data_loading_time_and_memory_are_read():
    run = read_log("torchvision", TORCHVISION)
    assert series_of(run, "step_time", "host", "data_loading").value.tolist()[:2] == [0.5, 0.4]
    assert series_of(run, "memory_used", "printed").value.tolist()[0] == 3000 * 2**20


@pytest.mark.parametrize(
    "named", [b"Epoch: [%d/9]", b"Train: data epoch: [%d]", b"2026-01-01 00:00:00 | Train Epoch: [%d]"]
)
def test_copies_name_the_epoch_differently(named):
    log = b"".join((named % epoch) + b"  [ %d/30]  eta: 0:00:09  loss: 6.9 (6.9)  time: 0.300000  data: 0.020000\n" % at
                   for epoch, at in ((3, 0), (3, 20), (4, 0)))  # fmt: skip
    run = read_log("torchvision", log + (named % 4) + b" Total time: 0:00:15 (0.5000 s / it)\n")
    assert [row[:3] for row in step_rows(series_of(run, "step_time", "host"))] == [
        (1, 1, 0.3),
        (21, 20, 6.0),
        (31, 1, 0.3),
    ]
    assert aggregate_of(run, "step_time").n == 30


@pytest.mark.parametrize(
    "named",
    [
        b"Val Epoch: [0]",
        b"val Epoch: [0]",
        b"Test epoch: [0/9]",
        b"Evaluation Epoch: [0]",
        b"Eval: data epoch: [0]",
    ],
)
def test_evaluations_of_copies_are_not_steps(named):
    training = b"Epoch: [0]  [20/30]  eta: 0:00:09  loss: 6.9 (6.9)  time: 0.300000  data: 0.020000\n"
    evaluation = named + b"  [10/15]  eta: 0:00:09  loss: 6.9 (6.9)  time: 0.100000  data: 0.020000\n"
    closing = (
        b"Epoch: [0] Total time: 0:00:15 (0.5000 s / it)\n"
        + named
        + b" Total time: 0:00:02 (0.1000 s / it)\n"
    )
    run = read_log("torchvision", training + evaluation + closing)
    assert [row[:3] for row in step_rows(series_of(run, "step_time", "host"))] == [(21, 20, 6.0)]
    assert aggregate_of(run, "step_time").value == 0.5


def test_arguments_can_be_on_separate_lines():
    head = b"[10:00:00.5] Namespace(accum_iter=1,\nbatch_size=64,\nbetas=(0.9,\n0.95),\nmodel='mae_vit_base',\nworld_size=8)\n"
    line = (
        b"[10:00:09.5] Epoch: [0]  [ 0/30]  eta: 0:00:09  lr: 0.1  time: 0.3000  data: 0.0200  max mem: 900\n"
    )
    run = read_log("torchvision", head + line)
    assert (run.factors["model"], run.samples_per_step) == ("mae_vit_base", 512)
    listed = b"arch: vit_small\nbatch_size_per_gpu: 64\ndist_url: env://\nworld_size: 4\n"
    assert read_log("torchvision", listed + line).factors["batch_size"] == 64
    assert read_log("torchvision", listed + line).samples_per_step == 256


def test_training_without_epochs_is_one_epoch():
    """The form of DINOv2's helpers.py."""
    line = (
        b"I20240101 10:00:00 99 dinov2 helpers.py:102] Training  [%6d/10000]  eta: 8:00:00  lr: 0.01 (0.01)  "
        b"time: 0.300000  data: 0.010000  max mem: 2711\n"
    )
    head = b"train:\n  batch_size_per_gpu: 32\n  num_workers: 10\nstudent:\n  arch: vit_large\n  patch_size: 16\n"
    run = read_log("torchvision", head + b"".join(line % at for at in (0, 10, 20, 30)))
    assert (run.factors["model"], run.factors["batch_size"]) == ("vit_large", 32)
    assert [row[:3] for row in step_rows(series_of(run, "step_time", "host"))] == [
        (1, 1, 0.3),
        (11, 11, 3.3),
        (21, 20, 6.0),
        (31, 20, 6.0),
    ]
    assert not series_of(run, "step_time", "host").breaks


def test_lines_of_detectors_are_read_in_linear_time():
    meters = b"  ".join(b"loss_giou_dn_%d: 0.1234 (0.1234)" % i for i in range(300))
    line = (
        b"Epoch: [0]  [20/30]  eta: 0:00:09  lr: [0.1]  "
        + meters
        + b"  time: 0.9 (0.9)  time: 0.3000  data: 0.0200\n"
    )
    assert [row[:3] for row in step_rows(series_of(read_log("torchvision", line), "step_time", "host"))] == [
        (21, 20, 6.0)
    ]
