"""Transformer-XL: a line every k steps."""

import numpy as np
import pytest

from tests.formats.examplelogs import read_run, series

HEAD = b"Experiment dir : LM-TFM\nNamespace(attn_type=0, batch_size=32, eval_tgt_len=9, n_layer=18, tgt_len=384)\nworld size: 2\n"


def line(step: int, rate: int) -> bytes:
    return (
        b"| epoch   1 step %8d | batches %6d / 26883 | lr 0.000e+00 | ms/batch 500.0 | tok/s %7d | loss 12.54 | "
        b"ppl 278894.86\n" % (step, step, rate)
    )


def test_a_line_covers_the_steps_since_the_line_before() -> None:
    run = read_run(
        HEAD + line(20, 100) + line(40, 200) + b"Training throughput: 150.5 tok/s\n", "transformerxl"
    )
    assert run.factors == {
        "model": "Transformer-XL",
        "item": "token",
        "seq_len": 384,
        "layers": 18,
        "batch_size": 16,
        "devices": 2,
    }
    rates = series(run, "throughput")
    assert (rates.step.tolist(), rates.span.tolist(), rates.value.tolist()) == (
        [20, 40],
        [20, 20],
        [100.0, 200.0],
    )
    np.testing.assert_allclose(series(run, "step_time").value, [10.0, 10.0])
    assert (run.status, [one.value for one in run.aggregates]) == ("complete", [150.5])


@pytest.mark.parametrize(
    ("end", "status"),
    [
        (b"[rank1]: Traceback (most recent call last):\n[rank1]: AssertionError\nDONE!\n", "failed"),
        (b"RuntimeError: CUDA out of memory. Tried\n", "out_of_memory"),
        (line(10, 100) + b"RuntimeError: CUDA out of memory. Tried\n", "partial"),
        (b"", "failed"),
    ],
)
def test_how_it_ended(end: bytes, status: str) -> None:
    assert read_run(HEAD + end, "transformerxl").status == status
