"""PaddlePaddle's logs, one test for each kind of line."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from reportgen import read
from reportgen.core.model import Run
from reportgen.protocol import DEFAULT, measure_run
from tests.builders import (
    aggregate_of,
    line_rows,
    messages,
    read_log,
    series_of,
    step_rows,
    throughput_of,
    write_files,
)


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


def test_ips_is_the_rate_of_one_process_and_gives_the_batch_size() -> None:
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
        (1, 1, pytest.approx(1.35808, rel=1e-4)),
        (11, 10, pytest.approx(1.311, rel=1e-4)),
        (21, 10, pytest.approx(1.2865, rel=1e-4)),
    ]
    assert line_rows(series_of(run, "step_time", "printed", "data_loading"))[1][2] == 0.0069
    assert series_of(run, "throughput_per_device").value.tolist() == [94.25099, 976.32917, 994.94165]
    assert throughput_of(run) is None


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
        (20, 10, 13, 2)
    ]


# One line each of the programs of 2.x: the text before the times, and the resulting step.
NEWER = {
    "PaddleClas": (
        "[2024/05/06 07:08:09] ppcls INFO: [Train][Epoch 3/100][Iter: 9/500]lr(LinearWarmup): 0.3, loss: 4.5, "
        "batch_cost: 0.80000s, reader_cost: 0.40000, ips: 80.00000 samples/s, eta: 8 days, 1:02:03\n",
        # The mean of five steps.
        (10, "sample", 2.0),
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
        + "avg_reader_cost: 0.10000 s, avg_batch_cost: 0.80000 s, avg_samples: 64.0, ips: 80.00000 samples/s\n",
        (10, "sample", 0.1),
    ),
    "PaddleOCR before": (
        "[2024/05/06 07:08:09] root INFO: epoch: [0/100], iter: 9, lr: 0.001000, acc: 0.5, loss: 0.5, "
        "reader_cost: 0.10000 s, batch_cost: 0.80000 s, samples: 640, ips: 80.00000\n",
        (10, "image", 0.1),
    ),
    "PaddleNLP": (
        "tobal step: 10, epoch: 0, batch: 9, loss: 10.5, avg_reader_cost: 0.00010 sec, "
        "avg_batch_cost: 0.80000 sec, avg_samples: 64.00000, ips: 80.00000 sequences/sec\n",
        (10, "sequence", 0.0001),
    ),
}


@pytest.mark.parametrize("name", NEWER)
def test_lines_of_newer_programs(name: str) -> None:
    line, (step, item, reader) = NEWER[name]
    run = read_log("paddle", line.encode())
    span = 5 if name == "PaddleClas" else 1
    assert [entry[::2] for entry in line_rows(series_of(run, "step_time", "printed"))] == [(step, 0.8 * span)]
    assert series_of(run, "step_time", "printed", "data_loading").value.tolist() == [pytest.approx(reader)]
    assert run.factors["item"] == item
    # Without a rate the batch size is unknown.
    assert run.factors.get("batch_size") == (None if name == "PaddleSeg before" else 64)


def test_a_speed_and_the_rate_of_a_process_give_the_batch_size() -> None:
    line = "global step {}, epoch: 0, batch: 9, loss: 11.2, speed: {} step/s, ips: {} sequences/s\n"
    content = line.format(20, "5.02", "482.15") + line.format(40, "0.00", "0.00")
    run = read_log("paddle", content.encode())
    assert run.factors["batch_size"] == 96
    assert {one.metric for one in run.series} == {"step_time", "throughput_per_device"}


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


def clas_log(times: Sequence[float], form: str, *, epochs: int = 1, first: int = 1, reset: int = 5) -> str:
    """Return the log of a program that prints, every ten steps, its mean since a step of the epoch.

    Each epoch has these times; the program has a batch of 256 and dates its lines in whole seconds.
    """
    lines, now = [], 0.0
    for epoch in range(epochs):
        kept: list[float] = []
        for number, time in enumerate(times, first):
            kept = [] if number == reset else kept
            kept.append(time)
            now += time
            mean = sum(kept) / len(kept)
            stamp = f"2023-08-02 {21 + int(now) // 3600}:{int(now) // 60 % 60:02}:{int(now) % 60:02}"
            if number % 10 == 0:
                lines.append(form.format(stamp=stamp, epoch=epoch, step=number, mean=mean, ips=256 / mean))
    return "".join(lines)


STATIC = (
    "[{stamp}] ppcls INFO: epoch:{epoch}   train step:{step}   lr: 0.1, loss: 6.9 top1: 0.00 "
    "batch_cost: {mean:.5f} s, reader_cost: 0.00088 s, ips: {ips:.5f} samples/sec.\n"
)
# The form, the number of the first step, and that of the one at which the mean begins again.
RUNNING_MEANS = {
    "static": (STATIC, 1, 5),
    "static before": (STATIC.replace("ppcls INFO", "root INFO").replace("samples", "images"), 1, 5),
    "static of 2020": (
        "{stamp} INFO: epoch:{epoch}   train step:{step}   loss: 6.9 lr: 0.1 elapse: {mean:.3f}s "
        "ips: {ips:.5f} images/sec.\n", 0, 5,
    ),
    "dynamic of 2020": (
        "{stamp} INFO: epoch:{epoch}  , train step:{step}  , loss: 6.92608, lr: 0.100000, "
        "batch_cost: {mean:.5f} s, reader_cost: 0.00056 s, ips: {ips:.5f} images/sec.\n", 0, 10,
    ),
    "dynamic": (
        "[{stamp}] ppcls INFO: [Train][Epoch {epoch}/100][Iter: {step}/500]lr(Piecewise): 0.3, loss: 4.5, "
        "batch_cost: {mean:.5f}s, reader_cost: 0.40000, ips: {ips:.5f} samples/s, eta: 1:02:03\n", 0, 5,
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", RUNNING_MEANS)
def test_paddleclas_running_mean_is_undone(kind: str) -> None:
    """Slow steps until the 20th are in all means after them: the last mean is 17 % above the steps measured."""
    form, first, reset = RUNNING_MEANS[kind]
    times = [2.0] * 20 + [0.6] * 120
    run = read_log("paddle", clas_log(times, form, first=first, reset=reset).encode())
    assert run.factors["batch_size"] == 256
    step_time = measure_run(run, "step_time", "step", DEFAULT)
    rate = measure_run(run, "throughput_per_device", "step", DEFAULT)
    assert step_time is not None
    assert rate is not None
    # The dynamic form counts from 0, so that an interval has the last slow step.
    assert step_time.value == pytest.approx(0.6, rel=0.03)
    assert rate.value == pytest.approx(256 / 0.6, rel=0.03)
    assert messages(step_time.findings, "clock.disagreement") == []


def test_each_epoch_has_a_mean_of_its_own() -> None:
    run = read_log("paddle", clas_log([1.0] * 10 + [0.5] * 20, STATIC, epochs=2).encode())
    rows = step_rows(series_of(run, "step_time", "printed"))
    assert [(step, span, pytest.approx(time)) for step, span, time, _ in rows] == [
        (10, 6, 6), (20, 10, 5), (30, 10, 5), (40, 6, 6), (50, 10, 5), (60, 10, 5),
    ]  # fmt: skip
    waits = series_of(run, "step_time", "printed", "data_loading").value
    np.testing.assert_allclose(waits, np.array([6, 10, 10] * 2) * 0.00088)


def test_the_dynamic_form_carries_its_mean_into_the_next_epoch() -> None:
    line = RUNNING_MEANS["dynamic"][0]
    content = "".join(
        line.format(stamp="2023-08-02 21:03:08", epoch=epoch, step=step, mean=mean, ips=256 / mean)
        for epoch, step, mean in ((1, 0, 9.0), (1, 10, 1.0), (1, 20, 0.8), (2, 0, 0.81), (2, 10, 0.5))
    )
    found = series_of(read_log("paddle", content.encode()), "step_time", "printed")
    # The means are over 1, 6 and 16 steps; that of the first step of epoch 2 is over epoch 1, too.
    np.testing.assert_allclose(found.value, [9, 6, 16 * 0.8 - 6, np.nan, 3], rtol=1e-6)
    assert found.span.tolist()[:3] == [1, 6, 10]


def test_times_that_cannot_be_running_means_are_those_since_the_line_before() -> None:
    line = STATIC.replace("{stamp}", "2023-08-02 21:03:08")
    content = "".join(
        line.format(epoch=0, step=step, mean=mean, ips=256 / mean)
        for step, mean in ((90, 1.0), (100, 0.5), (110, 0.5))
    )
    found = series_of(read_log("paddle", content.encode()), "step_time", "printed")
    np.testing.assert_allclose(found.value, [10, 5, 5])


def test_printed_times_without_the_wait_for_data_are_invalid() -> None:
    """The dates say what the program leaves out."""
    times = [0.6] * 240
    log = clas_log(times, STATIC)
    wrong = "".join(
        line.replace("0.60000", "0.40000").replace("426.66667", "640.00000") for line in log.splitlines(True)
    )
    assert messages(read_log("paddle", log.encode()).findings, "rate.disagreement") == []
    assert messages(read_log("paddle", wrong.encode()).findings, "rate.disagreement") == [
        "each process prints 640 samples/s; the dates of its lines give 426.7"
    ]


def labelled(tmp_path: Path, logs: dict[str, str], pattern: str) -> list[Run]:
    """Return the runs of logs whose paths are labelled."""
    write_files(tmp_path, {"labels.toml": f'[[paths]]\npattern = "{pattern}"\n', **logs})
    return list(read(tmp_path, root=tmp_path))


def test_a_rate_per_rank_is_never_the_total(tmp_path: Path) -> None:
    log = clas_log([0.5] * 140, STATIC)
    (run,) = labelled(
        tmp_path, {"ResNet50/N1C8/a.log": log}, "{model}/N{nodes:int}C{devices_per_node:int}/a.log"
    )
    assert run.factors["devices"] == 8
    assert throughput_of(run, DEFAULT) == pytest.approx(8 * 512)
    alone = read_log("paddle", log.encode())
    assert throughput_of(alone, DEFAULT) is None
    per_device = measure_run(alone, "throughput_per_device", "step", DEFAULT)
    assert per_device is not None
    assert per_device.value == pytest.approx(512)


@pytest.mark.parametrize(
    "line",
    [
        "    |                     PADDLE_TRAINERS_NUM                        4                      |\n",
        "I0301 15:40:13.293759 12345 nccl_context.cc:189] init nccl context nranks: 4 local rank: 0 gpu id: 0\n",
        "ppcls WARNING: The training strategy is based on 8 gpus. But the number of gpu is 4 in current training. \n",
    ],
)
def test_ranks_in_the_log_win_over_the_name(line: str, tmp_path: Path) -> None:
    log = line + clas_log([0.5] * 140, STATIC)
    (run,) = labelled(tmp_path, {"N1C8/a.log": log}, "N{nodes:int}C{devices_per_node:int}/a.log")
    assert run.factors["devices"] == 4
    assert throughput_of(run, DEFAULT) == pytest.approx(4 * 512)
    assert messages(run.findings, "read.label-conflict") == [
        "devices: the log says 4, the labels say 8; using the log"
    ]


def test_a_batch_in_the_name_that_contradicts_the_rate_gives_no_total(tmp_path: Path) -> None:
    """A rate in few digits gives no batch; a name may say the batch of all ranks."""
    log = "".join(
        f"[TRAIN] epoch: 1, iter: {step}/400, loss: 1.5, lr: 0.01, batch_cost: 1.1, reader_cost: 0.47, "
        "ips: 7 samples/sec | ETA 00:00:03\n"
        for step in range(10, 150, 10)
    )
    pattern = "bs{batch_size:int}_N{nodes:int}C{devices_per_node:int}.log"
    right, wrong = labelled(tmp_path, {"bs08_N1C8.log": log, "bs64_N1C8.log": log}, pattern)
    assert throughput_of(right, DEFAULT) == pytest.approx(64 / 1.1)
    assert throughput_of(wrong, DEFAULT) is None


@pytest.mark.parametrize("word", ["total step:", "tobal step:", "global step", "global step:"])
def test_bert_of_paddlenlp(word: str) -> None:
    """The rate counts the wait for data, and the time does not."""
    content = "".join(
        f"{word} {step}, epoch: 0, batch: {step - 1}, loss: 10.5, avg_reader_cost: 0.00100 sec, "
        "avg_batch_cost: 0.06300 sec, avg_samples: 96.00000, ips: 1500.00000 sequences/sec\n"
        for step in (20, 40)
    )
    run = read_log("paddle", content.encode())
    assert run.factors["batch_size"] == 96
    found = series_of(run, "step_time", "printed")
    assert [(step, span, pytest.approx(time)) for step, span, time, _ in step_rows(found)] == [
        (20, 20, 20 * 0.064),
        (40, 20, 20 * 0.064),
    ]


def test_a_rate_that_is_not_that_of_the_times_does_not_replace_them() -> None:
    line = (
        "total step: 20, epoch: 0, batch: 19, loss: 10.5, avg_reader_cost: 0.00100 sec, "
        "avg_batch_cost: 0.06300 sec, avg_samples: 96.00000, ips: 12000.00000 sequences/sec\n"
    )
    run = read_log("paddle", line.encode())
    assert series_of(run, "step_time", "printed").value.tolist() == [0.063]
    assert messages(run.findings, "rate.disagreement") == [
        "each process prints 1.2e+04 samples/s; the times of its lines give 1524"
    ]


def test_transformer_of_paddlenlp_counts_words_and_has_colours() -> None:
    content = (
        "\x1b[32m[2021-08-11 03:34:52,123] [    INFO]\x1b[0m - step_idx: 0, epoch: 0, batch: 0, avg loss: 10.5, "
        "normalized loss: 9.1, ppl: 39000.5\x1b[0m\n"
    )
    content += "".join(
        f"\x1b[32m[2021-08-11 03:34:{second},123] [    INFO]\x1b[0m - step_idx: {step}, epoch: 0, batch: {step}, "
        "avg loss: 9.5, normalized loss: 8.1, ppl: 13000.5, avg_speed: 4.44 step/s, batch_cost: 0.22500 sec, "
        "reader_cost: 0.00003 sec, tokens: 39201, ips: 17422.66667 words/sec\x1b[0m\n"
        for step, second in ((10, "54"), (20, "56"))
    )
    run = read_log("paddle", content.encode())
    assert run.factors == {"framework": "PaddlePaddle", "item": "word"}
    assert step_rows(series_of(run, "step_time", "printed")) == [(11, 10, 2.25, -1), (21, 10, 2.25, -1)]
    assert step_rows(series_of(run, "step_time", "timestamp")) == [(21, 10, 2.0, -1)]
    assert series_of(run, "throughput_per_device").value.tolist() == [17422.66667] * 2


def test_a_parameter_server_prints_a_rate_of_each_trainer_once_in_an_epoch() -> None:
    content = "".join(
        f"2021-05-06 07:08:0{epoch},123 - INFO - Epoch: {epoch}, using time {time} second, ips {rate} example/sec.\n"
        for epoch, time, rate in ((0, 100.0, 50.0), (1, 20.0, 300.0), (2, 30.0, 200.0))
    )
    run = read_log("paddle", content.encode())
    assert run.factors == {"framework": "PaddlePaddle", "item": "example"}
    mean = aggregate_of(run, "throughput_per_device")
    # 6,000 + 6,000 examples in 50 s, without the first epoch.
    assert (mean.value, mean.original, mean.n, mean.source.line) == (240.0, "2 epochs", 2, 2)
    assert throughput_of(run) is None
    trainers = read_log("paddle", b"PADDLE_TRAINERS_NUM=4\n" + content.encode())
    assert throughput_of(trainers) == 960.0


def test_a_rate_that_the_dates_contradict_is_invalid() -> None:
    """The steps of four devices in one process, whose times it adds up: 25 s for the 5 s between the dates."""
    content = "".join(
        f"[2020/11/16 11:{minute:02}:{second:02}] root INFO: epoch: [0/100], iter: {step}, lr: 0.001000, acc: 0.5, "
        "loss: 0.7, reader_cost: 2.30000 s, batch_cost: 2.56000 s, samples: 5120, ips: 200.00000\n"
        for step, (minute, second) in zip(
            range(9, 159, 10), (divmod(5 * i, 60) for i in range(15)), strict=True
        )
    )
    run = read_log("paddle", content.encode())
    assert messages(run.findings, "rate.disagreement") == [
        "each process prints 200 samples/s; the dates of its lines give 1024"
    ]
    right = read_log("paddle", content.replace("2.56000", "0.51200").replace("200.0", "1000.0").encode())
    assert messages(right.findings, "rate.disagreement") == []


def test_an_evaluation_between_two_lines_is_not_a_contradiction() -> None:
    content = "".join(
        f"2024-05-06 07:{second // 60:02}:{second % 60:02} [INFO]\t[TRAIN] epoch: 1, iter: {10 * i}/400, loss: 1.5, "
        "lr: 0.01, batch_cost: 0.6000, reader_cost: 0.20000, ips: 80.0000 samples/sec | ETA 00:00:03\n"
        for i in range(1, 16)
        for second in [6 * i + (40 if i > 7 else 0)]
    )
    run = read_log("paddle", content.encode())
    assert run.factors["batch_size"] == 48
    assert messages(run.findings, "rate.disagreement") == []


@pytest.mark.parametrize(
    "speed", ["avg_speed: 4.00 step/s, words speed: 9000.00 words/s", "speed: 4.00 step/s"]
)
def test_transformer_before_prints_steps_per_second(speed: str) -> None:
    content = "".join(
        f"2019-04-23 11:43:{second},459-INFO: step_idx: {step}, epoch: 0, batch: {step}, avg loss: 9.5, "
        f"normalized loss: 8.1, ppl: 13000.5, {speed}\n"
        for step, second in ((100, 10), (200, 35))
    )
    run = read_log("paddle", content.encode())
    assert [row[:3] for row in step_rows(series_of(run, "step_time", "printed"))] == [
        (101, 100, 25),
        (201, 100, 25),
    ]
    assert run.factors["item"] == "word"


def test_short_epochs_are_measured_by_the_printed_times() -> None:
    """Epochs of 40 steps at 0.137 s: between dates in whole seconds are 1 s or 2 s, and evaluations."""
    form, first, reset = RUNNING_MEANS["dynamic"]
    log = clas_log([0.137] * 40, form.replace("0.40000", "0.00400"), epochs=4, first=first, reset=reset)
    run = read_log("paddle", log.encode())
    assert {each.clock for each in run.series} == {"printed"}
    measured = measure_run(run, "step_time", "step", DEFAULT)
    assert measured is not None
    assert measured.value == pytest.approx(0.137, rel=1e-4)


def test_dates_of_lines_that_are_closer_than_a_second_are_not_a_contradiction() -> None:
    content = "".join(
        f"2024-05-06 07:00:{int(0.33 * i):02} [INFO]\t[TRAIN] epoch: 1, iter: {5 * i}/400, loss: 1.5, lr: 0.01, "
        "batch_cost: 0.0660, reader_cost: 0.00200, ips: 1454.5455 samples/sec | ETA 00:00:03\n"
        for i in range(1, 60)
    )
    run = read_log("paddle", content.encode())
    assert run.factors["batch_size"] == 96
    assert messages(run.findings, "rate.disagreement") == []


@pytest.mark.parametrize(("rate", "contradicts"), [("16.0000", False), ("20.0000", True)])
def test_dates_without_a_year_check_the_rate(rate: str, contradicts: bool) -> None:
    """Twenty steps take 10 s; the year ends among them."""
    last_hour = [divmod(3600 - left, 60) for left in range(180, 0, -10)]
    dates = [*(f"12/31 23:{minute:02}:{second:02}" for minute, second in last_hour), "01/01 00:00:00"]
    content = "".join(
        f"[{date}] ppdet.engine INFO: Epoch: [0] [{step:>3}/999] learning_rate: 0.001 loss: 1.5 "
        f"eta: 10 days, 1:02:03 batch_cost: {8 / float(rate):.4f} data_cost: 0.1000 ips: {rate} images/s\n"
        for step, date in zip(range(0, 999, 20), dates, strict=False)
    )
    run = read_log("paddle", content.encode())
    assert run.factors["batch_size"] == 8
    assert bool(messages(run.findings, "rate.disagreement")) == contradicts


def test_a_smaller_last_batch_of_an_epoch_does_not_hide_the_others() -> None:
    lines = clas_log([0.5] * 50, STATIC, epochs=3).splitlines(keepends=True)
    short = [line.replace("512.00000", "200.00000") if "step:50 " in line else line for line in lines]
    run = read_log("paddle", "".join(short).encode())
    assert run.factors["batch_size"] == 256
    measured = measure_run(run, "throughput_per_device", "step", DEFAULT)
    assert measured is not None
    assert measured.value == pytest.approx(512)
