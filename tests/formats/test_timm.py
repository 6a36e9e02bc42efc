"""timm: exact intervals from running means; a short last batch is not taken for a whole one."""

import numpy as np

from tests.builders import read_log, series_of, step_rows
from tests.formats.valid_logs import TIMM


def test_intervals_are_differences_of_running_means():
    run = read_log("timm", TIMM)
    found = series_of(run, "step_time", "host")
    # 128 samples at 426.67/s are 0.299998 s, 51 of them 15.29988 s; the short batch has only its mean of 0.280 s.
    assert [(step, span, round(time, 5), work) for step, span, time, work in step_rows(found)] == [
        (1, 1, 2.0, 128),
        (51, 50, 13.29988, 6400),
        (100, 49, 12.70012, 6272),
        (101, 1, 1.0, 128),
    ]
    assert [(one.step, one.kind) for one in found.breaks] == [(100, "epoch")]
    data = series_of(run, "step_time", "host", "data_loading")
    np.testing.assert_allclose(data.value, [1.0, 51 * 0.04 - 1.0, 3.0 - 51 * 0.04, 0.8])


def test_rate_and_time_of_whole_batches_give_the_batch():
    run = read_log("timm", TIMM)
    assert run.factors == {
        "framework": "timm",
        "item": "image",
        "model": "resnet18",
        "devices": 2,
        "batch_size": 64,
    }
    np.testing.assert_array_equal(series_of(run, "throughput", "printed").value, [64.0, 512.1, np.nan, 128.0])


def test_intervals_that_rounding_blurs_are_left_out():
    lines = b"".join(b"Train: 3 [%5d/90000 ( 50%%)]  Loss: 6.9 (6.9)  Time: 0.050s, 2560.00/s  (0.050s, 2560.00/s)  LR: 1\n"
                     % at for at in (50, 100, 40000, 40050))  # fmt: skip
    found = series_of(read_log("timm", lines), "step_time", "host")
    np.testing.assert_allclose(found.value, [51 * 0.05, 50 * 0.05, 39900 * 0.05, np.nan])


def test_a_line_that_goes_back_in_an_epoch_covers_the_epoch_so_far():
    lines = b"".join(b"Train: 3 [%5d/90000 ( 50%%)]  Loss: 6.9 (6.9)  Time: 0.100s, 1280.00/s  (0.100s, 1280.00/s)  LR: 1\n"
                     % at for at in (100, 150, 50, 80))  # fmt: skip
    intervals = series_of(read_log("timm", lines), "step_time", "host")
    assert intervals.span.tolist() == [101, 50, 51, 30]
    np.testing.assert_allclose(intervals.value, [10.1, 5.0, 5.1, 3.0])


def test_the_mean_rate_has_more_digits_than_the_mean_time():
    """64 samples at 1000.00/s are 0.064 s, at 1010.10/s 0.06336 s: 101 of them less 51 take 3.13537 s."""
    lines = b"".join(
        b"Train: 0 [%4d/20018 (  0%%)]  Loss: 6.9 (6.9)  Time: 0.064s, 1000.00/s  (%.3fs, %.2f/s)  LR: 1\n"
        % (at, 64 / rate, rate)
        for at, rate in ((50, 1000.0), (100, 1010.1))
    )
    found = series_of(read_log("timm", lines), "step_time", "host")
    np.testing.assert_allclose(found.value, [3.264, 101 * 64 / 1010.1 - 3.264])
    assert found.rounding < 1e-6
    # A rate that does not fit the mean is not that of its batch.
    other = series_of(read_log("timm", lines.replace(b"1010.10/s", b"900.00/s")), "step_time", "host")
    np.testing.assert_allclose(other.value, [3.264, 101 * 0.063 - 3.264])
