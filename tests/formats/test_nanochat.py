"""nanochat: every step, synchronised; tokens per step from rate and time where they are not printed."""

import pytest

from tests.formats.reading import read_run, rules, series, table
from tests.formats.trainer_logs import NANOCHAT


def test_every_step_has_its_time_and_rate():
    run = read_run("nanochat", NANOCHAT)
    assert table(series(run, "step_time", "host_synchronized")) == [
        (1, 1, 21.0, 524288), (2, 1, 1.0, 524288), (3, 1, 0.512, 524288)]  # fmt: skip
    assert series(run, "throughput", "printed").value.tolist() == [24966, 524288, 1024000]
    assert run.factors == {
        "framework": "nanochat",
        "item": "token",
        "devices": 8,
        "seq_len": 2048,
        "micro_batch_size": 32,
    }
    assert rules(run) == [("read.malformed-line", 6)]


def test_the_printed_batch_is_preferred():
    head = b"Total batch size 524,300 => gradient accumulation steps: 1\n"
    assert read_run("nanochat", head + NANOCHAT).samples_per_step == 524300


@pytest.mark.parametrize(
    ("ms", "rate", "expected"),
    [(b"1000.00", b"524,288", 524288), (b"0.01", b"5", None), (b"300", b"1,747,600", None)],
)
def test_tokens_per_step_follow_only_where_the_rounding_leaves_no_doubt(ms, rate, expected):
    line = (
        b"step 00001/9 (1.00%) | loss: 1.5 | lrm: 1.00 | dt: "
        + ms
        + b"ms | tok/sec: "
        + rate
        + b" | mfu: 1\n"
    )
    assert read_run("nanochat", line).samples_per_step == expected
