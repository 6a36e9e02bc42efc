"""PaddlePaddle's logs, one test for each kind of line."""

import numpy as np
import pytest

from tests.builders import line_rows, read_log, series_of


def test_elapse_is_the_time_of_a_step_and_dates_give_times() -> None:
    content = "".join(
        f"2020-09-24 23:59:59,{milli}-INFO: [Pass 0, train batch {batch}] \tloss 7.0, acc1 0.0, lr 0.1, "
        f"elapse {time} sec\n"
        for batch, milli, time in ((0, "100", "1.3580"), (1, "463", "0.3629"))
    )
    run = read_log("paddle", content.encode())
    assert line_rows(series_of(run, "step_time", "printed")) == [(1, 1, 1.358, 1), (2, 1, 0.3629, 2)]
    assert line_rows(series_of(run, "step_time", "timestamp")) == [(2, 1, 0.363, 2)]
    assert run.factors == {"framework": "PaddlePaddle", "item": "image"}


def test_elapse_of_every_tenth_step_alone_is_an_aggregate() -> None:
    content = "".join(
        f"[Pass 0, train batch {batch}] loss 7.0, elapse 0.3{batch:02} sec\n" for batch in (0, 10, 20)
    )
    run = read_log("paddle", content.encode())
    assert run.series == ()
    (mean,) = run.aggregates
    assert (mean.value, mean.n, mean.statistic) == (pytest.approx(0.31), 3, "mean")


def test_ips_of_one_process_gives_only_the_batch_size() -> None:
    line = (
        "INFO:utils.utility:[Pass 0, train batch {}]  loss 53.09683, acc1 0.00000, acc5 0.00000, lr 0.10000, "
        "batch_cost {} sec, reader_cost 0.00069 sec, ips {} images/sec\n"
    )
    content = "".join(
        line.format(*values)
        for values in ((0, "1.35808", "94.25099"), (10, "0.13110", "976.32917"), (20, "0.12865", "994.94165"))
    )
    run = read_log("paddle", content.encode())
    assert run.factors["batch_size"] == 128
    assert [entry[:3] for entry in line_rows(series_of(run, "step_time", "printed"))] == [
        (1, 1, 1.35808),
        (11, 10, 1.311),
        (21, 10, 1.2865),
    ]
    assert line_rows(series_of(run, "step_time", "printed", "data_loading"))[1][2] == 0.0069
    assert {one.metric for one in run.series} == {"step_time"}


@pytest.mark.parametrize("separator", [": ", " "])
def test_paddleclas_lines(separator: str) -> None:
    line = (
        "2020-11-04 17:25:{} INFO: epoch:0  , train step:{}  , loss: 6.92608, top1: 0.00000, lr: 0.100000, "
        "batch_cost: 0.28419 s, reader_cost: 0.00056 s, ips: 225.20036 images/sec.\n"
    )
    run = read_log("paddle", (line.format(30, 40) + line.format(50, 110)).encode())
    assert line_rows(series_of(run, "step_time", "timestamp")) == [(111, 70, 20, 2)]
    assert run.factors["batch_size"] == 64


def test_whole_seconds_are_too_coarse_for_short_intervals() -> None:
    line = (
        "[2024/05/06 07:08:{}] ppcls INFO: epoch:4   train step:{}   lr: 0.100000, loss:  6.5 top1:  0.01 "
        "batch_cost: {} s, reader_cost: 0.00088 s, ips: {} samples/sec.\n"
    )
    short = line.format("08", 10, "0.20000", "640.00000") + line.format(10, 20, "0.19000", "673.68421")
    run = read_log("paddle", short.encode())
    assert {one.clock for one in run.series} == {"printed"}
    assert run.factors["batch_size"] == 128
    long = line.format("08", 10, "1.20000", "106.66667") + line.format(21, 20, "1.30000", "98.46154")
    assert line_rows(series_of(read_log("paddle", long.encode()), "step_time", "timestamp")) == [
        (21, 10, 13, 2)
    ]


# One line each of the programs of 2.x: the text before the times, and the resulting step.
NEWER = {
    "PaddleClas": (
        "[2024/05/06 07:08:09] ppcls INFO: [Train][Epoch 3/100][Iter: 9/500]lr(LinearWarmup): 0.3, loss: 4.5, "
        "batch_cost: 0.80000s, reader_cost: 0.40000, ips: 80.00000 samples/s, eta: 8 days, 1:02:03\n",
        (10, "sample", 0.4),
    ),
    "PaddleSeg": (
        "2024-05-06 07:08:09 [INFO]\t[TRAIN] epoch: 1, iter: 10/20, loss: 1.5, lr: 0.01, "
        "batch_cost: 0.8000, reader_cost: 0.20000, ips: 80.0000 samples/sec | ETA 00:00:03\n",
        (10, "sample", 0.2),
    ),
    "PaddleSeg before": (
        "2024-05-06 07:08:09 [INFO]\t[TRAIN] epoch=1, iter=10/100, loss=1.5, lr=0.01, "
        "batch_cost=0.8000, reader_cost=0.2000 | ETA 00:01:24\n",
        (10, "image", 0.2),
    ),
    "PaddleDetection": (
        "[05/06 07:08:09] ppdet.engine INFO: Epoch: [0] [  9/200] learning_rate: 0.001 loss: 1.5 "
        "eta: 10 days, 1:02:03 batch_cost: 0.8000 data_cost: 0.6000 ips: 80.0000 images/s\n",
        (10, "image", 0.6),
    ),
    "PaddleOCR": (
        "[2024/05/06 07:08:09] ppocr INFO: epoch: [3/500], global_step: 10, lr: 0.005, "
        + "loss_of_a_part: 0.500000, " * 20
        + "avg_reader_cost: 0.10000 s, avg_batch_cost: 0.80000 s, avg_samples: 64.0, ips: 79.00000 samples/s\n",
        (10, "sample", 0.1),
    ),
    "PaddleOCR before": (
        "[2024/05/06 07:08:09] root INFO: epoch: [0/100], iter: 9, lr: 0.001000, acc: 0.5, loss: 0.5, "
        "reader_cost: 0.10000 s, batch_cost: 0.80000 s, samples: 640, ips: 80.00000\n",
        (10, "image", 0.1),
    ),
    "PaddleNLP": (
        "tobal step: 10, epoch: 0, batch: 9, loss: 10.5, avg_reader_cost: 0.00010 sec, "
        "avg_batch_cost: 0.80000 sec, avg_samples: 64.00000, ips: 79.90000 sequences/sec\n",
        (10, "sequence", 0.0001),
    ),
}


@pytest.mark.parametrize("name", NEWER)
def test_lines_of_newer_programs(name: str) -> None:
    line, (step, item, reader) = NEWER[name]
    run = read_log("paddle", line.encode())
    assert [entry[::2] for entry in line_rows(series_of(run, "step_time", "printed"))] == [(step, 0.8)]
    assert series_of(run, "step_time", "printed", "data_loading").value.tolist() == [pytest.approx(reader)]
    assert run.factors["item"] == item
    # Without a rate the batch size is unknown.
    assert run.factors.get("batch_size") == (None if name == "PaddleSeg before" else 64)


def test_a_speed_and_the_rate_of_a_process_give_the_batch_size() -> None:
    line = "global step {}, epoch: 0, batch: 9, loss: 11.2, speed: {} step/s, ips: {} sequences/s\n"
    content = line.format(20, "5.02", "482.15") + line.format(40, "0.00", "0.00")
    run = read_log("paddle", content.encode())
    assert run.factors["batch_size"] == 96
    assert {one.metric for one in run.series} == {"step_time"}


def test_paddleclas_lines_of_the_old_form() -> None:
    content = (
        "2020-10-11 12:12:00 INFO: epoch:0   train step:310  loss: 6.88331 top1: 0.00000 top5: 0.03125 lr: 0.100000 "
        "elapse: 0.1418407 reader : 0.0020440s\n"
    )
    run = read_log("paddle", content.encode())
    assert line_rows(series_of(run, "step_time", "printed")) == [(311, 1, 0.141841, 1)]


def test_bert_prints_steps_per_second() -> None:
    content = "".join(
        f"epoch: 4, progress: 1/1, step: {step}, loss: 8.089045, ppl: 1050.821289, next_sent_acc: 0.250000, "
        f"speed: {speed} steps/s, file: demo_wiki_train.gz\n"
        for step, speed in ((20, "4.0"), (40, "5.0"), (60, "0.0"))
    )
    found = series_of(read_log("paddle", content.encode()), "step_time", "printed")
    np.testing.assert_allclose(found.value, [5, 4, np.nan])


def test_paddlenlp_lines_of_both_forms() -> None:
    old = "global step {}, epoch: 0, batch: 9, loss: 11.2, speed: 2.00 step/s\n"
    new = (
        "tobal train count: 1, global step {}, epoch: 0, batch: 9, loss: 11.2, avg_reader_cost: 0.00010 sec, "
        "avg_batch_cost: 0.50000 sec, avg_samples: 64.00000, ips: 128.00000 sequences/sec\n"
    )
    for line in (old, new):
        run = read_log("paddle", (line.format(10) + line.format(20)).encode())
        assert line_rows(series_of(run, "step_time", "printed")) == [(10, 10, 5, 1), (20, 10, 5, 2)]
        assert run.factors["item"] == "sequence"
    assert run.factors["batch_size"] == 64


def test_plsc_prints_the_rate_of_all_devices() -> None:
    content = "".join(
        f"Pass:0 batch:{batch} lr:0.100000 loss:46.1 qps:{rate}\n"
        for batch, rate in ((0, "45.10"), (10, "840.12"), (20, "850.00"))
    )
    run = read_log("paddle", content.encode())
    assert [entry[:3] for entry in line_rows(series_of(run, "throughput", "printed"))] == [
        (1, 1, 45.1),
        (11, 10, 840.12),
        (21, 10, 850),
    ]
