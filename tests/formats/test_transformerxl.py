"""Transformer-XL: a line every k steps."""

import numpy as np
import pytest

from tests.builders import read_log, series_of

HEAD = b"Experiment dir : LM-TFM\nNamespace(attn_type=0, batch_size=32, eval_tgt_len=9, n_layer=18, tgt_len=384)\nworld size: 2\n"


def line(step: int, rate: int) -> bytes:
    return (
        b"| epoch   1 step %8d | batches %6d / 26883 | lr 0.000e+00 | ms/batch 500.0 | tok/s %7d | loss 12.54 | "
        b"ppl 278894.86\n" % (step, step, rate)
    )


def test_a_line_covers_the_steps_since_the_line_before() -> None:
    run = read_log(
        "transformerxl", HEAD + line(20, 100) + line(40, 200) + b"Training throughput: 150.5 tok/s\n"
    )
    assert run.factors == {
        "model": "Transformer-XL",
        "item": "token",
        "seq_len": 384,
        "layers": 18,
        "batch_size": 16,
        "devices": 2,
    }
    rates = series_of(run, "throughput")
    assert (rates.step.tolist(), rates.span.tolist(), rates.value.tolist()) == (
        [20, 40],
        [20, 20],
        [100.0, 200.0],
    )
    np.testing.assert_allclose(series_of(run, "step_time").value, [10.0, 10.0])
    assert (run.status, [aggregate.value for aggregate in run.aggregates]) == ("complete", [150.5])


AUTHORS = b"""\
Experiment dir : LM-TFM-wt103/20190601-101010
====================================================================
    - dataset : wt103
    - n_layer : 16
    - batch_size : 60
    - tgt_len : 150
    - varlen : False
    - multi_gpu : False
    - fp16 : False
====================================================================
#params = 151107538
| epoch   1 step      200 |    200 batches | lr 0.00025 | ms/batch 700.00 | loss  8.50 | ppl  4914.769
| epoch   1 step      400 |    400 batches | lr 0.00025 | ms/batch 600.00 | loss  7.50 | ppl  1808.042
---------------------------------------------------------------------
| Eval   1 at step      400 | time: 300.00s | valid loss  7.25 | valid ppl  1408.105
---------------------------------------------------------------------
| epoch   1 step      600 |    600 batches | lr 0.00025 | ms/batch 750.00 | loss  7.25 | ppl  1408.105
"""


def test_times_of_the_authors_program_include_evaluations() -> None:
    run = read_log("transformerxl", AUTHORS + b"| End of training | test loss 3.18 | test ppl 24.047\n")
    assert run.factors == {
        "model": "Transformer-XL",
        "item": "token",
        "seq_len": 150,
        "layers": 16,
        "precision": "fp32",
        "batch_size": 60,
        "devices": 1,
    }
    assert (run.status, run.samples_per_step, len(run.series)) == ("complete", 9000, 1)
    times = series_of(run, "step_time")
    np.testing.assert_allclose(times.value, [140, 120, 150])
    assert [(border.step, border.kind) for border in times.breaks] == [(400, "evaluation")]


def test_sequences_of_many_lengths_are_not_known_work() -> None:
    content = AUTHORS.replace(b"varlen : False", b"varlen : True")
    run = read_log("transformerxl", content)
    assert (run.status, run.samples_per_step) == ("partial", None)


def test_the_first_line_of_a_log_without_head_covers_a_usual_interval() -> None:
    run = read_log("transformerxl", AUTHORS.partition(b"| epoch   1 step      200 ")[2].partition(b"\n")[2])
    assert series_of(run, "step_time").span.tolist() == [200, 200]


@pytest.mark.parametrize(
    ("end", "status"),
    [
        (b"[rank1]: Traceback (most recent call last):\n[rank1]: AssertionError\nDONE!\n", "failed"),
        (b"RuntimeError: CUDA out of memory. Tried\n", "out_of_memory"),
        (line(10, 100) + b"RuntimeError: CUDA out of memory. Tried\n", "out_of_memory"),
        (b"", "partial"),
    ],
)
def test_how_it_ended(end: bytes, status: str) -> None:
    assert read_log("transformerxl", HEAD + end).status == status
