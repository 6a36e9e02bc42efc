"""MetricLogger: means over the last 20 iterations, epochs one after the other."""

import pytest

from reportgen.protocol import Protocol, measure
from tests.formats.reading import aggregate, read_run, series, table
from tests.formats.trainer_logs import TORCHVISION


def test_a_line_covers_up_to_twenty_steps_and_steps_go_on_over_epochs():
    run = read_run("torchvision", TORCHVISION)
    found = series(run, "step_time", "host")
    assert table(found) == [(1, 1, 2.5, 128), (21, 20, 6.0, 2560), (41, 20, 4.0, 2560), (50, 20, 4.0, 2560),
                            (51, 1, 1.2, 128), (71, 20, 5.0, 2560)]  # fmt: skip
    assert found.line.tolist() == [3, 4, 5, 6, 10, 11]
    assert [(one.step, one.kind) for one in found.breaks] == [(50, "epoch")]
    assert run.factors == {"framework": "torchvision", "item": "image", "model": "resnet50", "precision": "amp",
                           "batch_size": 32, "devices": 4}  # fmt: skip


def test_overlapping_lines_count_once():
    measured = measure(read_run("torchvision", TORCHVISION), "step_time", "step", Protocol())
    assert measured is not None
    assert measured.value == pytest.approx((4.0 + 1.2 + 5.0) / 41)


def test_the_closing_line_of_an_epoch_is_its_exact_mean():
    one = aggregate(read_run("torchvision", TORCHVISION), "step_time")
    assert (one.value, one.n, one.source.line) == (0.3012, 50, 7)


def test_data_and_memory():
    run = read_run("torchvision", TORCHVISION)
    assert series(run, "step_time", "host", "data_loading").value.tolist()[:2] == [0.5, 0.4]
    assert series(run, "memory_used", "printed").value.tolist()[0] == 3000 * 2**20


@pytest.mark.parametrize(
    "named", [b"Epoch: [%d/9]", b"Train: data epoch: [%d]", b"2026-01-01 00:00:00 | Train Epoch: [%d]"]
)
def test_copies_name_the_epoch_in_their_own_way(named):
    log = b"".join((named % epoch) + b"  [ %d/30]  eta: 0:00:09  loss: 6.9 (6.9)  time: 0.300000  data: 0.020000\n" % at
                   for epoch, at in ((3, 0), (3, 20), (4, 0)))  # fmt: skip
    run = read_run("torchvision", log + (named % 4) + b" Total time: 0:00:15 (0.5000 s / it)\n")
    assert [row[:3] for row in table(series(run, "step_time", "host"))] == [
        (1, 1, 0.3),
        (21, 20, 6.0),
        (31, 1, 0.3),
    ]
    assert aggregate(run, "step_time").n == 30
