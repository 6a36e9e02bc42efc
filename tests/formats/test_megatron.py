"""Megatron-LM: intervals between barriers, work of each line, the first iteration counted once."""

import numpy as np
import pytest

from tests.builders import read_log, rule_lines, series_of, step_rows
from tests.formats.valid_logs import MEGATRON

LINE = (b" [2026-02-03 10:00:%02d.123456] iteration %8d/     100 | consumed samples: %12d | elapsed time per iteration (ms):"
        b" %.1f | learning rate: 1E-06 | global batch size: %5d | lm loss: 1.8E+00 | grad norm: 1.4 |\n")  # fmt: skip


def test_times_are_means_since_the_line_before():
    run = read_log("megatron", MEGATRON)
    assert step_rows(series_of(run, "step_time", "host_synchronized")) == [
        (10, 10, 5.0, 160), (20, 10, 4.0, 160), (30, 10, 4.0, 160)]  # fmt: skip
    assert step_rows(series_of(run, "step_time", "timestamp")) == [(20, 10, 5.0, 160), (30, 10, 4.0, 160)]
    assert run.factors == {"framework": "Megatron-LM", "item": "sequence", "batch_size": 2, "devices": 8,
                           "seq_len": 2048, "layers": 24, "micro_batch_size": 2, "precision": "bf16"}  # fmt: skip


def test_the_first_iteration_is_not_counted_twice():
    every = b"".join(LINE % (i, i, i * 8, ms, 8) for i, ms in ((1, 3000.0), (2, 1700.0), (3, 400.0)))
    times = series_of(read_log("megatron", every), "step_time", "host_synchronized")
    assert step_rows(times) == [(1, 1, 3.0, 8), (2, 1, 0.4, 8), (3, 1, 0.4, 8)]
    tens = b"".join(LINE % (i, i, i * 8, ms, 8) for i, ms in ((1, 3000.0), (10, 660.0), (20, 400.0)))
    times = series_of(read_log("megatron", tens), "step_time", "host_synchronized")
    assert step_rows(times) == [(1, 1, 3.0, 8), (10, 9, 3.6, 72), (20, 10, 4.0, 80)]


def test_older_versions_and_excerpts_are_not_corrected():
    old = b"".join(LINE % (i, i, i * 8, ms, 8) for i, ms in ((1, 3000.0), (2, 400.0))).replace(
        b".123456", b""
    )
    assert series_of(read_log("megatron", old), "step_time", "host_synchronized").value.tolist() == [3.0, 0.4]
    late = b"".join(LINE % (i, i, i * 8, ms, 8) for i, ms in ((43, 3000.0), (44, 400.0)))
    assert series_of(read_log("megatron", late), "step_time", "host_synchronized").value.tolist() == [
        3.0,
        0.4,
    ]


def test_a_batch_that_ramps_up_is_taken_from_each_line():
    run = read_log("megatron", LINE % (1, 5, 40, 500.0, 8) + LINE % (2, 6, 56, 500.0, 16))
    np.testing.assert_array_equal(series_of(run, "step_time", "host_synchronized").samples, [8, 16])
    assert run.samples_per_step is None
    assert "global_batch_size" not in run.factors


def test_deepspeeds_timer_is_not_read():
    line = (b"h: [2024-01-01 00:00:00,000] [INFO] [timer.py:260:stop] epoch=0/micro_step=4/global_step=4, "
            b"RunningAvgSamplesPerSec=303.1, CurrSamplesPerSec=315.5, MemAllocated=17.54GB, MaxMemAllocated=66.97GB\n")  # fmt: skip
    own = (b"h:  iteration        2/       5 | consumed samples:         4096 | consumed tokens:      8388608 | elapsed time "
           b"per iteration (ms): 75254.0 | global batch size:  2048 | samples per second: 27.215 | TFLOPs: 149.10 |\n")  # fmt: skip
    run = read_log("megatron", line + own)
    assert run.factors["framework"] == "Megatron-DeepSpeed"
    assert step_rows(series_of(run, "throughput", "printed")) == [(2, 1, 27.215, 2048)]


@pytest.mark.parametrize("model_parallel", [b"data-parallel-size: 4", b"data-parallel size: 4"])
def test_a_split_model_has_no_batch_per_device(model_parallel):
    run = read_log(
        "megatron", b"using world size: 8, " + model_parallel + b", x\n" + LINE % (1, 5, 40, 500.0, 8)
    )
    assert (run.factors["global_batch_size"], run.factors["devices"]) == (8, 8)


def test_a_damaged_line_is_reported():
    run = read_log("megatron", MEGATRON.replace(b"(ms): 400.0 |", b"(ms): 4#0.0 |"))
    assert rule_lines(run) == [("read.malformed-line", 10)]


def test_gpt_neox_prints_its_rate_first_and_the_batch_follows_from_it():
    line = b" samples/sec: %.3f | iteration %8d/     100 | elapsed time per iteration (ms): %.1f | lm_loss: 1.1E+01 |\n"
    run = read_log("megatron", line % (9.524, 7, 2520.0) + line % (12.121, 8, 1980.0))
    assert step_rows(series_of(run, "step_time", "host_synchronized")) == [(7, 1, 2.52, 24), (8, 1, 1.98, 24)]
    assert step_rows(series_of(run, "throughput", "printed")) == [(7, 1, 9.524, 24), (8, 1, 12.121, 24)]
    assert run.factors == {"framework": "GPT-NeoX", "item": "sequence", "global_batch_size": 24}


@pytest.mark.parametrize(("split", "batch"), [(2, {"global_batch_size": 16}), (1, {"batch_size": 4})])
def test_versions_of_2020_print_the_batch_of_a_model_instance(split, batch):
    log = (b"using world size: 8 and model-parallel size: %d\n  batch_size ...................... 4\n"
           b" iteration        5/     100 | elapsed time per iteration (ms): 500.0 | learning rate: 1E-06 |\n" % split)  # fmt: skip
    run = read_log("megatron", log)
    assert step_rows(series_of(run, "step_time", "host_synchronized")) == [(5, 1, 0.5, 32 // split)]
    assert run.factors == {"framework": "Megatron-LM", "item": "sequence", "devices": 8, **batch}
