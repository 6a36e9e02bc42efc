"""MMEngine and MMCV 1: interval means, windows, dates without a year."""

import numpy as np
import pytest

from tests.builders import read_log, series_of, step_rows
from tests.formats.valid_logs import MMCV

LINE = b"%s - mmengine - INFO - Epoch(train) [7][%4d/4309]  lr: 5.9e-05  eta: 1:00:00  time: %.4f  data_time: 0.0100\n"


def test_mmcv_prints_means_since_the_previous_line():
    run = read_log("mmengine", MMCV)
    assert step_rows(series_of(run, "step_time", "host")) == [
        (10, 10, 20.0, 80),
        (20, 10, 10.0, 80),
        (30, 10, 8.0, 80),
    ]
    assert step_rows(series_of(run, "step_time", "timestamp")) == [(20, 10, 10.0, 80), (30, 10, 8.0, 80)]
    assert series_of(run, "step_time", "host", "data_loading").value.tolist() == [5.0, 0.5, 0.5]
    assert series_of(run, "step_time", "host").line.tolist() == [10, 11, 12]
    assert run.factors == {"framework": "MMCV", "item": "image", "device": "Tesla V100-SXM2-32GB", "devices": 4,
                           "batch_size": 2, "model": "fcn_r50"}  # fmt: skip


@pytest.mark.parametrize(
    ("given", "distributed", "gpus", "devices"),
    [
        # Each process of MPI has one of them.
        (b"range(0, 1)", b"True", b"GPU 0,1,2,3,4,5,6,7", None),
        (b"range(0, 1)", b"True", b"GPU 0", None),
        (b"[0]", b"True", b"GPU 0,1", None),
        (b"range(0, 1)", b"False", b"GPU 0,1,2,3", 1),
        (b"range(0, 8)", b"True", b"GPU 0,1,2,3", 8),
        # A log without its head, and the JSON, do not say whether the run is distributed.
        (b"range(0, 1)", None, b"GPU 0,1,2,3", None),
        (b"range(0, 1)", None, b"GPU 0", 1),
    ],
)
def test_one_gpu_of_a_distributed_run_is_that_of_a_process(
    given: bytes, distributed: bytes | None, gpus: bytes, devices: int | None
) -> None:
    log = MMCV.replace(b"range(0, 4)", given).replace(b"GPU 0,1,2,3", gpus)
    said = b"" if distributed is None else b"Distributed training: " + distributed
    run = read_log("mmengine", log.replace(b"Distributed training: True", said))
    assert run.factors.get("devices") == devices
    assert run.samples_per_step == (None if devices is None else 2.0 * devices)


@pytest.mark.parametrize(("head", "times", "span"), [
    (b"", (1.0, 1.0), 50),  # 50 s of dates for 50 steps: the means are over all of them
    (b"", (1.0, 0.5), 10),  # the dates disagree: the default window
    (b"    log_processor = dict(window_size=20)\n", (1.0, 1.0), 20),
])  # fmt: skip
def test_mmengines_window_is_configured_or_shown_by_the_dates(head, times, span):
    lines = LINE % (b"12/31 23:59:30", 50, times[0]) + LINE % (b"01/01 00:00:20", 100, times[1])
    run = read_log("mmengine", head + lines)
    assert series_of(run, "step_time", "host").span.tolist() == [span, span]
    assert step_rows(series_of(run, "step_time", "timestamp")) == [(100, 50, 50.0, -1)]


def test_a_new_epoch_starts_over():
    lines = (LINE % (b"01/01 00:00:00", 4300, 1.0)).replace(b"[7]", b"[6]") + LINE % (
        b"01/01 00:01:00",
        50,
        1.0,
    )
    found = series_of(read_log("mmengine", b"window_size=50\n" + lines), "step_time", "host")
    np.testing.assert_array_equal(found.step, [4300, 4309 + 50])
    assert [(one.step, one.kind) for one in found.breaks] == [(4309, "epoch")]


@pytest.mark.parametrize(("head", "spans"), [(b"", [4, 9, 10, 10]), (b"window_size=6\n", [4, 6, 6, 6])])
def test_lines_closer_than_mmengines_window_overlap(head, spans):
    lines = b"".join(LINE % (b"05/06 07:08:%02d" % at, at, 1.0) for at in (4, 9, 14, 19))
    assert series_of(read_log("mmengine", head + lines), "step_time", "host").span.tolist() == spans
