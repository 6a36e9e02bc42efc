"""NeMo: three forms of its step lines."""

import pytest

from tests.builders import read_log, series_of, step_rows
from tests.formats.valid_logs import NEMO


def test_lines_of_the_progress_printer_with_fields_in_any_order():
    run = read_log("nemo", NEMO)
    assert step_rows(series_of(run, "step_time", "host")) == [
        (1, 1, 20.5, 16),
        (11, 10, 25.0, 160),
        (21, 10, 22.5, 160),
    ]
    assert run.factors == {"framework": "NeMo", "item": "sequence", "global_batch_size": 16, "seq_len": 4096}
    assert series_of(run, "step_time", "host").line.tolist() == [2, 3, 4]


def test_the_memory_of_newer_lines_is_in_bytes():
    line = (
        b"Training epoch 0, iteration %d/99 | lr: 1e-05 | global_batch_size: 128 | global_step: %d | max_memory_reserved: "
        b"64286097408 | max_memory_allocated: 62777982976 | train_step_timing in s: 8.5 | TFLOPS_per_GPU: 865.7\n"
    )
    run = read_log("nemo", line % (1, 1) + line % (2, 2))
    assert series_of(run, "memory_used", "printed").value.tolist() == [62777982976] * 2


def test_a_progress_bar_counts_seconds():
    bar = (b"Epoch 0:   1%%|          | %d/77225 [%s<878:01:48, 41.36s/it, loss=3.1, v_num=, global_step=%d.0, "
           b"consumed_samples=1.63e+6]\r")  # fmt: skip
    run = read_log(
        "nemo", bar % (795, b"9:07:58", 794) + bar % (795, b"9:07:58", 794) + bar % (796, b"9:08:39", 795)
    )
    assert step_rows(series_of(run, "step_time", "timestamp")) == [(796, 1, 41.0, -1)]


def test_a_progress_bar_may_have_a_second_colon_and_no_rate():
    bar = (
        b"Epoch 0: :   0%%|\xe2\x96\x8f         | %d/77225 [%s<5:14:02, v_num=3-14, global_step=%d.0, "
        b"train_step_timing in s=1.5]\r"
    )
    run = read_log("nemo", bar % (5, b"00:16", 4) + bar % (6, b"00:18", 5))
    assert step_rows(series_of(run, "step_time", "host")) == [(5, 1, 1.5, -1), (6, 1, 1.5, -1)]


def test_the_callback_prints_times_from_step_to_step():
    run = read_log("nemo", b"Step 12: train_step_timing in s=0.512\nStep 13: train_step_timing in s=0.500\n")
    assert step_rows(series_of(run, "step_time", "host")) == [(13, 1, 0.512, -1), (14, 1, 0.5, -1)]


@pytest.mark.parametrize("first", [0, 1])
def test_automodel_prints_the_rate_of_every_step(first):
    line = (b"2026-08-10 16:00:%02d | INFO | root | step %d | epoch 0 | loss 0.7839 | lr 1.00e-05 | mem 24.50 GiB "
            b"| tps %.2f(100.00/gpu) | num_label_tokens 4557\n")  # fmt: skip
    log = (
        line % (10, first, 800.0)
        + line % (12, first + 1, 820.0)
        + b"[val] step 9 | epoch 0 | loss 1 | lr 1 |\n"
    )
    run = read_log("nemo", log)
    assert step_rows(series_of(run, "throughput", "printed")) == [(1, 1, 800.0, -1), (2, 1, 820.0, -1)]
    assert step_rows(series_of(run, "step_time", "timestamp")) == [(2, 1, 2.0, -1)]
    assert run.factors == {"framework": "NeMo Automodel", "item": "token"}


CONFIGURATION = b"model:\n  micro_batch_size: 4\n  global_batch_size: 64\n  encoder_seq_length: 2048\n"


def test_the_batch_of_the_configuration_counts_where_lines_have_none():
    bar = b"Epoch 0: :   0%%|#    | %d/77225 [%s<5:14:02, v_num=3-14, global_step=%d.0, train_step_timing in s=1.5]\r"
    run = read_log("nemo", CONFIGURATION + bar % (5, b"00:16", 4) + bar % (6, b"00:18", 5))
    assert step_rows(series_of(run, "step_time", "host")) == [(5, 1, 1.5, 64), (6, 1, 1.5, 64)]
    assert (run.samples_per_step, run.factors["global_batch_size"]) == (64.0, 64)
    delta = read_log("nemo", CONFIGURATION + b"Step 12: train_step_timing in s=0.512\n")
    assert delta.samples_per_step == 64


def test_the_batch_of_a_line_wins_and_one_that_ramps_up_is_none_of_the_run():
    assert read_log("nemo", CONFIGURATION + NEMO).samples_per_step == 16
    run = read_log("nemo", CONFIGURATION + NEMO.replace(b"global_batch_size: 16", b"global_batch_size: 8", 1))
    assert (run.samples_per_step, "global_batch_size" in run.factors) == (None, False)
    assert step_rows(series_of(run, "step_time", "host"))[1:] == [(11, 10, 25.0, 160), (21, 10, 22.5, 160)]
