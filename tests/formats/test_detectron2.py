"""detectron2: medians in metrics.json, running means on the console, both in one folder."""

import numpy as np
import pytest

from tests.builders import aggregate_of, read_all, read_log, series_of, step_rows
from tests.formats.valid_logs import DETECTRON2

CONSOLE = b"""\
[05/02 10:11:12 detectron2]: Rank of current process: 0. World size: 4
SOLVER:
  IMS_PER_BATCH: 16
[05/02 10:11:12 d2.engine.train_loop]: Starting training from iteration 0
[05/02 10:11:22 d2.utils.events]:  eta: 0:05:22  iter: 19  total_loss: 1.986  loss_cls: 0.595  time: 0.5000  \
data_time: 0.0222  lr: 1.6068e-05  max_mem: 2725M
[05/02 10:11:30 d2.utils.events]:  eta: 0:05:14  iter: 39  total_loss: 1.872  loss_cls: 0.5049  time: 0.4500  \
last_time: 0.4123  data_time: 0.0108  last_data_time: 0.0100  lr: 3.2718e-05  max_mem: 2849M
[05/02 10:11:38 d2.utils.events]:  eta: 0:05:14  iter: 59  total_loss: 1.872  loss_cls: 0.5049  time: 0.4300  \
last_time: 0.3923  data_time: 0.0108  last_data_time: 0.0100  lr: 3.2718e-05  max_mem: 2849M
[05/02 10:11:40 d2.engine.hooks]: Overall training speed: 57 iterations in 0:00:24 (0.4321 s / it)
"""


def test_a_median_of_twenty_stands_for_single_steps():
    run = read_log("detectron2", DETECTRON2)
    assert step_rows(series_of(run, "step_time", "host")) == [
        (20, 1, 0.5, -1),
        (40, 1, 0.2575, -1),
        (60, 1, 0.25, -1),
    ]
    assert series_of(run, "step_time", phase="data_loading").value.tolist() == [0.1, 0.01, 0.02]
    assert series_of(run, "step_time").line.tolist() == [1, 2, 4]


def test_the_batch_is_in_the_configuration_beside():
    run = read_log(
        "detectron2", DETECTRON2, "metrics.json", {"config.yaml": b"SOLVER:\n  IMS_PER_BATCH: 16\n"}
    )
    assert (run.samples_per_step, run.factors["global_batch_size"]) == (16, 16)


def test_two_means_of_the_console_give_the_time_between_their_lines():
    run = read_log("detectron2", CONSOLE)
    times = series_of(run, "step_time", "host")
    # 38 x 0.45 - 18 x 0.5 and 58 x 0.43 - 38 x 0.45
    assert times.value.tolist() == pytest.approx([np.nan, 8.1, 7.84], nan_ok=True)
    assert (times.step.tolist(), times.span.tolist()) == ([20, 40, 60], [18, 20, 20])
    assert times.samples[1:].tolist() == [320, 320]
    assert run.factors == {"framework": "detectron2", "item": "image", "devices": 4, "batch_size": 4}
    overall = aggregate_of(run, "step_time")
    assert (overall.value, overall.n, overall.original) == (0.4321, 57, "0.4321 s / it")


def test_means_of_a_process_that_resumed_count_from_where_it_began():
    log = CONSOLE.replace(b"from iteration 0", b"from iteration 1000")
    for iteration in (19, 39, 59):
        log = log.replace(b"iter: %d " % iteration, b"iter: %d " % (iteration + 1000))
    times = series_of(read_log("detectron2", log), "step_time", "host")
    assert times.step.tolist() == [1020, 1040, 1060]
    assert times.value.tolist() == pytest.approx([np.nan, 8.1, 7.84], nan_ok=True)


def test_intervals_that_rounding_blurs_have_no_time():
    log = b"".join(
        b"[05/02 10:11:38 d2.utils.events]:  eta: 0:05:14  iter: %d  total_loss: 1.8  time: 0.0300  data_time: 0.01  lr: 3e-05\n"
        % iteration for iteration in (99_979, 99_999)
    )  # fmt: skip
    run = read_log(
        "detectron2", b"[05/02 10:11:38 d2.engine.train_loop]: Starting training from iteration 0\n" + log
    )
    # Half of the last digit of both means over 100,000 iterations is 10 s; the interval takes 0.6 s.
    assert run.series == ()


def test_the_console_is_not_read_where_the_file_is():
    (found,) = read_all("detectron2", CONSOLE, "log.txt", {"metrics.json": DETECTRON2})
    assert found.rule == "read.excerpt"
    assert "metrics.json" in found.message
