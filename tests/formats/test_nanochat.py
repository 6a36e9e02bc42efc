"""nanochat: every step, synchronised; tokens per step from rate and time where they are not printed."""

import numpy as np
import pytest

from tests.builders import read_log, rule_lines, series_of, step_rows
from tests.formats.valid_logs import NANOCHAT


def test_every_step_has_its_time_and_rate():
    run = read_log("nanochat", NANOCHAT)
    assert step_rows(series_of(run, "step_time", "host_synchronized")) == [
        (1, 1, 21.0, 524288), (2, 1, 1.0, 524288), (3, 1, 0.512, 524288)]  # fmt: skip
    assert series_of(run, "throughput", "printed").value.tolist() == [24966, 524288, 1024000]
    assert run.factors == {
        "framework": "nanochat",
        "item": "token",
        "devices": 8,
        "seq_len": 2048,
        "micro_batch_size": 32,
    }
    assert rule_lines(run) == [("read.malformed-line", 6)]


def test_the_printed_batch_is_preferred():
    head = b"Total batch size 524,300 => gradient accumulation steps: 1\n"
    assert read_log("nanochat", head + NANOCHAT).samples_per_step == 524300


@pytest.mark.parametrize(
    ("ms", "rate", "expected"),
    [(b"1000.00", b"524,288", 524288), (b"0.01", b"5", None), (b"300", b"1,747,600", None)],
)
def test_tokens_per_step_follow_only_if_the_rounding_allows_one_number(ms, rate, expected):
    line = (
        b"step 00001/9 (1.00%) | loss: 1.5 | lrm: 1.00 | dt: "
        + ms
        + b"ms | tok/sec: "
        + rate
        + b" | mfu: 1\n"
    )
    assert read_log("nanochat", line).samples_per_step == expected


FOREBEAR = b"""\
using device: cuda
total desired batch size: 524288
=> calculated gradient accumulation steps: 4
validation loss: 10.9500
HellaSwag accuracy: 2463/10042=0.2453
step     0 | loss: 10.955029 | lr 8.3916e-07 | norm: 15.3396 | dt: 24600.00ms | tok/sec: 21312.52
step     1 | loss: 10.900000 | lr 1.6783e-06 | norm: 12.1000 | dt: 500.00ms | tok/sec: 1048576.00
step     2 | loss: 10.800000 | lr 2.5175e-06 | norm: 9.1000 | dt: 512.00ms | tok/sec: 1024000.00
step     3 | loss: 10.700000 | lr 2.5175e-06 | norm: 9.1000 | dt: 512.00ms | tok/sec: 10240
""".removesuffix(b"\n")


def test_build_nanogpt_prints_no_percentage_and_times_evaluations():
    """The form of build-nanogpt's train_gpt2.py; the last line is cut."""
    run = read_log("nanochat", FOREBEAR)
    assert step_rows(series_of(run, "step_time", "host_synchronized"))[1:] == [
        (2, 1, 0.5, 524288),
        (3, 1, 0.512, 524288),
    ]
    assert np.isnan(series_of(run, "step_time", "host_synchronized").value[0])
    assert series_of(run, "throughput", "printed").value.tolist()[1:] == [1048576, 1024000]
    assert run.factors == {"framework": "build-nanogpt", "item": "token"}
    headless = FOREBEAR.partition(b"steps: 4\n")[2]
    assert read_log("nanochat", headless).samples_per_step == 524288


def test_copies_of_build_nanogpt_order_the_fields_differently():
    line = b"step%d | loss: 5.556936264038086 | dt: 250.00ms | tok/sec:  65536.00 | norm: 1.13 | lr: 0.00060000\n"
    run = read_log("nanochat", b"".join(line % step for step in range(3)))
    assert [row[:3] for row in step_rows(series_of(run, "step_time", "host_synchronized"))] == [
        (1, 1, 0.25),
        (2, 1, 0.25),
        (3, 1, 0.25),
    ]
    assert run.samples_per_step == 16384
