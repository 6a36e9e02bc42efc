"""PaddlePaddle's logs, one test for each kind of line."""

import numpy as np
import pytest

from reportgen.formats import paddle
from tests.formats.onelog import read_one, series, shown


def test_elapse_is_the_time_of_a_step_and_dates_give_times() -> None:
    content = "".join(
        f"2020-09-24 23:59:59,{milli}-INFO: [Pass 0, train batch {batch}] \tloss 7.0, acc1 0.0, lr 0.1, "
        f"elapse {time} sec\n"
        for batch, milli, time in ((0, "100", "1.3580"), (1, "463", "0.3629"))
    )
    run = read_one(paddle.FORMAT, content.encode())
    assert shown(series(run, "step_time", "printed")) == [(1, 1, 1.358, 1), (2, 1, 0.3629, 2)]
    assert shown(series(run, "step_time", "timestamp")) == [(2, 1, 0.363, 2)]
    assert run.factors == {"framework": "PaddlePaddle", "item": "image"}


def test_elapse_of_every_tenth_step_alone_is_an_aggregate() -> None:
    content = "".join(
        f"[Pass 0, train batch {batch}] loss 7.0, elapse 0.3{batch:02} sec\n" for batch in (0, 10, 20)
    )
    run = read_one(paddle.FORMAT, content.encode())
    assert run.series == ()
    (mean,) = run.aggregates
    assert (mean.value, mean.n, mean.statistic) == (pytest.approx(0.31), 3, "mean")


def test_ips_of_one_process_tells_the_batch_size_only() -> None:
    line = (
        "INFO:utils.utility:[Pass 0, train batch {}]  loss 53.09683, acc1 0.00000, acc5 0.00000, lr 0.10000, "
        "batch_cost {} sec, reader_cost 0.00069 sec, ips {} images/sec\n"
    )
    content = "".join(
        line.format(*values)
        for values in ((0, "1.35808", "94.25099"), (10, "0.13110", "976.32917"), (20, "0.12865", "994.94165"))
    )
    run = read_one(paddle.FORMAT, content.encode())
    assert run.factors["batch_size"] == 128
    assert [entry[:3] for entry in shown(series(run, "step_time", "printed"))] == [
        (1, 1, 1.35808),
        (11, 10, 1.311),
        (21, 10, 1.2865),
    ]
    assert shown(series(run, "step_time", "printed", "data_loading"))[1][2] == 0.0069
    assert {one.metric for one in run.series} == {"step_time"}


@pytest.mark.parametrize("separator", [": ", " "])
def test_paddleclas_lines(separator: str) -> None:
    line = (
        "2020-11-04 17:25:{} INFO: epoch:0  , train step:{}  , loss: 6.92608, top1: 0.00000, lr: 0.100000, "
        "batch_cost: 0.28419 s, reader_cost: 0.00056 s, ips: 225.20036 images/sec.\n"
    )
    run = read_one(paddle.FORMAT, (line.format(50, 40) + line.format(52, 50)).encode())
    assert shown(series(run, "step_time", "timestamp")) == [(51, 10, 2, 2)]
    assert run.factors["batch_size"] == 64


def test_paddleclas_lines_of_the_old_form() -> None:
    content = (
        "2020-10-11 12:12:00 INFO: epoch:0   train step:310  loss: 6.88331 top1: 0.00000 top5: 0.03125 lr: 0.100000 "
        "elapse: 0.1418407 reader : 0.0020440s\n"
    )
    run = read_one(paddle.FORMAT, content.encode())
    assert shown(series(run, "step_time", "printed")) == [(311, 1, 0.141841, 1)]


def test_bert_prints_steps_in_a_second() -> None:
    content = "".join(
        f"epoch: 4, progress: 1/1, step: {step}, loss: 8.089045, ppl: 1050.821289, next_sent_acc: 0.250000, "
        f"speed: {speed} steps/s, file: demo_wiki_train.gz\n"
        for step, speed in ((20, "4.0"), (40, "5.0"), (60, "0.0"))
    )
    found = series(read_one(paddle.FORMAT, content.encode()), "step_time", "printed")
    np.testing.assert_allclose(found.value, [5, 4, np.nan])


def test_paddlenlp_lines_of_both_forms() -> None:
    old = "global step {}, epoch: 0, batch: 9, loss: 11.2, speed: 2.00 step/s\n"
    new = (
        "tobal train count: 1, global step {}, epoch: 0, batch: 9, loss: 11.2, avg_reader_cost: 0.00010 sec, "
        "avg_batch_cost: 0.50000 sec, avg_samples: 64.00000, ips: 128.00000 sequences/sec\n"
    )
    for line in (old, new):
        run = read_one(paddle.FORMAT, (line.format(10) + line.format(20)).encode())
        assert shown(series(run, "step_time", "printed")) == [(10, 10, 5, 1), (20, 10, 5, 2)]
        assert run.factors["item"] == "sequence"
    assert run.factors["batch_size"] == 64


def test_plsc_prints_the_rate_of_all_devices() -> None:
    content = "".join(
        f"Pass:0 batch:{batch} lr:0.100000 loss:46.1 qps:{rate}\n"
        for batch, rate in ((0, "45.10"), (10, "840.12"), (20, "850.00"))
    )
    run = read_one(paddle.FORMAT, content.encode())
    assert [entry[:3] for entry in shown(series(run, "throughput", "printed"))] == [
        (1, 1, 45.1),
        (11, 10, 840.12),
        (21, 10, 850),
    ]
