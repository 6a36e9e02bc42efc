"""OLMo-core and OLMo: a line for each metric below the line of a step."""

import pytest

from tests.builders import aggregate_of, read_log, series_of, step_rows
from tests.formats.valid_logs import OLMO


def test_rates_are_those_of_the_printed_step():
    run = read_log("olmo", OLMO)
    times = series_of(run, "step_time", "host")
    assert step_rows(times) == [(1, 1, 10.0, -1), (10, 1, 2.0, -1), (20, 1, 1.25, -1)]
    assert times.line.tolist() == [1, 6, 13]
    assert series_of(run, "throughput_per_device").value.tolist() == [1638, 8192, 13107]


def test_the_mean_since_the_second_step_is_a_figure_of_its_own():
    mean = aggregate_of(read_log("olmo", OLMO), "throughput_per_device")
    assert (mean.value, mean.original, mean.n, mean.source.line) == (10240, "10,240", 19, 16)


def test_a_run_that_ends_before_its_last_step_is_partial():
    run = read_log("olmo", OLMO)
    assert (run.status, [finding.message for finding in run.findings]) == (
        "partial", ["the log ends at step 20 of 1000"])  # fmt: skip


def test_a_step_without_a_metric_does_not_take_that_of_its_neighbour():
    log = OLMO.replace(b"    throughput/device/TPS=8,192\n", b"").replace(
        b"    throughput/device/BPS=0.5000\n", b""
    )
    run = read_log("olmo", log)
    nan = float("nan")
    assert series_of(run, "throughput_per_device").value.tolist() == pytest.approx(
        [1638, nan, 13107], nan_ok=True
    )
    assert series_of(run, "step_time").value.tolist() == pytest.approx([10, nan, 1.25], nan_ok=True)


def test_the_names_of_the_older_olmo_are_read():
    log = (b"2024-02-01 10:00:00.000\tnode:0\tolmo.train:816\tINFO\t[step=7/20]\n    train/CrossEntropyLoss=11.1\n"
           b"    throughput/total_tokens=29,360,128\n    throughput/device/tokens_per_second=9,500\n"
           b"    throughput/device/batches_per_second=0.2500\n")  # fmt: skip
    run = read_log("olmo", log)
    assert step_rows(series_of(run, "step_time")) == [(7, 1, 4.0, -1)]
    assert series_of(run, "throughput_per_device").value.tolist() == [9500]
