"""Several runs in one file: `>>`, a loop over batch sizes, one device and then eight."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.core.model import Run
from reportgen.formats.custom import reader as custom
from reportgen.formats.parsing.several_runs import _ascending_key, _keys, _line_keys
from reportgen.protocol import Protocol, measure_run
from reportgen.sources.logfiles import LogFiles
from tests.builders import read_runs, rule_lines
from tests.each_of import each_of
from tests.formats import valid_logs

LINE_FORMATS = {
    "deepspeed": valid_logs.DEEPSPEED,
    "llmc": valid_logs.LLMC,
    "megatron": valid_logs.MEGATRON,
    "mmengine": valid_logs.MMCV,
    "nanochat": valid_logs.NANOCHAT,
    "nanogpt": valid_logs.NANOGPT,
    "nemo": valid_logs.NEMO,
    "timm": valid_logs.TIMM,
    "torchtitan": valid_logs.TORCHTITAN,
    "torchvision": valid_logs.TORCHVISION,
}


def values(run: Run) -> list[tuple[Any, ...]]:
    return [(each.metric, each.phase, each.clock, each.rank, each.step.tolist(), each.value.tolist(),
             each.span.tolist()) for each in run.series]  # fmt: skip


@each_of(LINE_FORMATS)
def test_a_log_written_twice_is_two_runs_that_equal_the_first(name: str) -> None:
    log = LINE_FORMATS[name]
    (alone,) = read_runs(name, log)
    first, second = read_runs(name, log + log)
    assert [first.id, second.id] == ["x.log#1", "x.log#2"]
    for run in (first, second):
        assert (run.status, run.factors, run.samples_per_step) == (
            alone.status, alone.factors, alone.samples_per_step)  # fmt: skip
        np.testing.assert_equal(values(run), values(alone))
    lines = log.count(b"\n")
    for one, other in zip(first.series, second.series, strict=True):
        np.testing.assert_array_equal(other.line, one.line + lines)
    assert second.source.line == lines + 1
    assert {finding.subject for finding in second.findings} <= {"x.log#2"}


def nanogpt(batch: int, steps: int, milliseconds: float) -> bytes:
    head = f"Overriding config with config/gpt2.py\nbatch_size = {batch}\ntokens per iteration will be: {batch * 64:,}\n"
    lines = [f"iter {step}: loss 3.2, time {milliseconds:.2f}ms, mfu 16.68%\n" for step in range(steps)]
    return (head + "".join(lines)).encode()


def test_a_loop_over_batch_sizes() -> None:
    runs = read_runs("nanogpt", b"".join(nanogpt(batch, 130, 10.0 * batch) for batch in (8, 16, 32)))
    assert [run.samples_per_step for run in runs] == [512, 1024, 2048]
    measured = [measure_run(run, "step_time", "step", Protocol()) for run in runs]
    assert [each and each.value for each in measured] == pytest.approx([0.08, 0.16, 0.32])


def test_a_run_that_crashed_and_the_next_have_their_own_status() -> None:
    crashed = nanogpt(64, 3, 600.0) + b"torch.OutOfMemoryError: CUDA out of memory.\n"
    first, second = read_runs("nanogpt", crashed + nanogpt(8, 130, 80.0))
    assert (first.status, rule_lines(first)) == ("out_of_memory", [("read.failed-run", 7)])
    assert (second.status, second.findings) == ("complete", ())


OUT_OF_MEMORY = (
    b"batch_size = %d\ntokens per iteration will be: 4,096\nTraceback (most recent call last):\n"
    b'  File "train.py", line 300, in <module>\ntorch.OutOfMemoryError: CUDA out of memory.\n'
)


def test_a_loop_in_which_the_largest_batches_do_not_fit() -> None:
    start = b"Overriding config with config/gpt2.py\n"
    failed = [start + OUT_OF_MEMORY % batch for batch in (64, 32)]
    descending = read_runs("nanogpt", b"".join(failed) + nanogpt(8, 130, 80.0) + nanogpt(4, 130, 40.0))
    assert [(run.status, run.samples_per_step) for run in descending] == [
        ("out_of_memory", 4096), ("out_of_memory", 4096), ("complete", 512), ("complete", 256)]  # fmt: skip
    ascending = read_runs(
        "nanogpt", nanogpt(4, 130, 40.0) + nanogpt(8, 130, 80.0) + b"".join(reversed(failed))
    )
    assert [(run.status, run.samples_per_step) for run in ascending] == [
        ("complete", 256), ("complete", 512), ("out_of_memory", 4096), ("out_of_memory", 4096)]  # fmt: skip
    between = read_runs("nanogpt", nanogpt(4, 130, 40.0) + failed[0] + nanogpt(8, 130, 80.0))
    assert [run.status for run in between] == ["complete", "out_of_memory", "complete"]


def test_an_error_after_the_last_step_is_that_of_its_run() -> None:
    (run,) = read_runs("nanogpt", nanogpt(8, 130, 80.0) + b"torch.OutOfMemoryError: CUDA out of memory.\n")
    assert run.status == "out_of_memory"


def test_a_run_that_prints_less_often_begins_at_its_own_first_step() -> None:
    every_tenth = b"".join(
        line + b"\n"
        for line in nanogpt(8, 130, 80.0).splitlines()
        if b"iter " not in line or b"0: loss" in line
    ).replace(b"iter 0: loss 3.2, time 80.00ms, mfu 16.68%\n", b"")
    assert len(read_runs("nanogpt", nanogpt(8, 30, 80.0) + every_tenth)) == 2


def dllogger(batch: int, devices: int, rate: float) -> bytes:
    """NGC MXNet under mpirun."""
    head = (
        f"[1,0]<stdout>:DLL 2021-02-03 08:00:00.000000 - PARAMETER arch : resnetv15  batch_size : {batch}  "
        f"kv_store : horovod  gpus : {list(range(devices))}  dtype : float16\n"
    )
    lines = [
        f"[1,0]<stdout>:DLL 2021-02-03 08:{minute:02}:{second:02}.500000 - Epoch: 0 Iteration: {20 * k + 19}  "
        f"train.loss : 6.9 train.ips : {rate} images/s\n"
        for k in range(8)
        for minute, second in [divmod(60 + 10 * k, 60)]
    ]
    return (
        head + "".join(lines) + "[1,0]<stdout>:DLL 2021-02-03 08:05:00.000000 - () train.ips : 1 images/s\n"
    ).encode()


def test_one_device_and_then_eight_in_one_file() -> None:
    one, eight = read_runs("dllogger", dllogger(256, 1, 512.0) + dllogger(2048, 8, 4096.0))
    assert [run.factors["devices"] for run in (one, eight)] == [1, 8]
    assert [run.factors["batch_size"] for run in (one, eight)] == [256, 256]
    assert [measure.value for run in (one, eight) if (measure := measure_run(run, "throughput", "step", Protocol()))] == (
        pytest.approx([512.0, 4096.0]))  # fmt: skip


NCF = b"""\
DLL 2024-05-02 04:38:41.091090 - PARAMETER epochs : 2  batch_size : %d  valid_batch_size : 10
DLL 2024-05-02 04:38:48.023769 - (0,) train_throughput : 1.059e+08 samples/s hr@10 : 0.8 None
DLL 2024-05-02 04:38:48.914756 - () best_train_throughput : %d.5 samples/s mean_train_throughput : 1.0 samples/s
"""


def test_results_without_steps_are_runs_of_their_own() -> None:
    runs = read_runs("dllogger", NCF % (20000, 260) + NCF % (40000, 430))
    assert [[figure.value for figure in run.aggregates] for run in runs] == [[260.5], [430.5]]


def own(log: bytes, pattern: str = r"step (?P<step>\d+)/\d+ (?P<step_time_ms>\S+) ms") -> list[Run]:
    settings = {"custom": {"name": "mine", "pattern": pattern}}
    files = LogFiles.of({"x.log": log}, settings).file("x.log")
    return [run for run in custom.read(files) if isinstance(run, Run)]


def steps(count: int, milliseconds: float) -> bytes:
    return b"".join(b"step %d/%d %.1f ms\n" % (step, count, milliseconds) for step in range(1, count + 1))


def test_a_custom_format_has_runs_too() -> None:
    head = b"train.py --batch %d\nmodel resnet50, 25.6 M parameters\n"
    first, second = own(head % 8 + steps(130, 5) + head % 16 + steps(130, 9))
    assert [run.series[0].value[0] for run in (first, second)] == [0.005, 0.009]


def test_steps_that_begin_again_without_a_head_have_a_finding() -> None:
    (run,) = own(steps(30, 5) + steps(30, 9))
    assert rule_lines(run) == [("read.several-runs", 31)]
    assert set(run.series[0].value) == {0.005}


def test_what_is_printed_between_epochs_begins_no_run() -> None:
    epoch = b"Epoch %d\n" + steps(30, 5) + b"accuracy %d.5\n"
    (run,) = own(b"train.py --batch 8\nmodel resnet50\n" + b"".join(epoch % (n, n) for n in (1, 2, 3)))
    assert rule_lines(run) == [("read.several-runs", 36)]


def test_a_rank_that_is_late_begins_no_run() -> None:
    lines = steps(60, 5).splitlines(keepends=True)
    mixed = [line for at in range(0, 60, 2) for line in (*lines[at : at + 2], *lines[at : at + 2])]
    (run,) = own(b"train.py --batch 8\n" + b"".join(mixed))
    assert run.findings == ()


def test_a_process_that_resumes_continues_its_run() -> None:
    log = nanogpt(8, 130, 80.0)
    resumed = b"".join(
        line for line in log.splitlines(keepends=True) if not line.startswith(b"iter ") or line[5:8].isdigit()
    )
    (run,) = read_runs("nanogpt", log + resumed)
    assert run.series[0].step.tolist() == list(range(1, 131))


def test_two_engines_that_print_each_step_are_one_run() -> None:
    lines = [b"engine step=%d, skipped=0\nstep %d/30 5.0 ms\n" % (step, step) for step in range(1, 31)]
    (run,) = own(b"train_batch_size 64\n" + b"".join(line + line for line in lines))
    assert run.findings == ()


def bars(epochs: int, rate: float) -> bytes:
    head = b"Namespace(batch_size=%d, model='resnet50')\ntraining on 1 device, loss: cross entropy\n" % int(
        rate
    )
    drawn = (
        f"\rEpoch {epoch}: {done:4}%|###| {done}/100 [{int(done / rate) // 60:02}:{int(done / rate) % 60:02}<00:00, "
        f"{rate:5.2f}it/s]"
        for epoch in range(epochs)
        for done in range(0, 101, 10)
    )
    return head + "".join(drawn).encode() + b"\n"


def test_loops_of_bars_are_epochs_and_a_head_begins_a_run() -> None:
    one = read_runs("tqdm", bars(2, 1.0))
    assert len(one) == 1
    assert sum(one[0].series[0].span) == 200
    first, second = read_runs("tqdm", bars(2, 1.0) + bars(2, 2.0))
    assert [sum(run.series[0].span.tolist()) / sum(run.series[0].value.tolist()) for run in (first, second)] == (
        pytest.approx([1.0, 2.0], rel=0.05))  # fmt: skip


def console(rate: float) -> bytes:
    return (
        b"[INFO] python run_clm.py --batch 8\nloading model\n{'loss': 2.5, 'epoch': 0.5}\n"
        b"{'train_runtime': 100.0, 'train_samples_per_second': %.1f, 'train_steps_per_second': 0.5, "
        b"'train_loss': 0.7, 'epoch': 1.0}\n" % rate
    )


def test_a_console_with_several_trainings() -> None:
    runs = read_runs("hf_trainer", console(32.0) + console(48.0))
    rates = [figure.value for run in runs for figure in run.aggregates if figure.metric == "throughput"]
    assert (len(runs), rates) == (2, [32.0, 48.0])


def test_lines_of_mmcv_in_json() -> None:
    def log(seconds: float) -> bytes:
        head = (
            b'{"env_info": "GPU 0: V100", "config": "data = dict(samples_per_gpu=4)", "exp_name": "fcn.py"}\n'
        )
        return head + b"".join(
            b'{"mode": "train", "epoch": 1, "iter": %d, "memory": 9, "data_time": 0.1, "time": %.1f}\n'
            % (step, seconds)
            for step in range(10, 60, 10)
        )

    runs = read_runs("mmengine", log(1.5) + log(2.5))
    assert [run.id for run in runs] == ["x.log#1", "x.log#2"]
    assert [run.series[0].value[0] for run in runs] == [15.0, 25.0]


def mmcv(batch: int, seconds: float) -> bytes:
    head = f"2023-08-03 02:25:00,000 - mmseg - INFO - Distributed training: False\ndata = dict(samples_per_gpu={batch})\n"
    return (head + "".join(
        f"2023-08-03 02:{26 + step // 60}:{step % 60:02},000 - mmseg - INFO - Iter [{step}/40]\tlr: 1e-03, eta: 0:03:06, "
        f"time: {seconds:.3f}, data_time: 0.010, memory: 11439, loss: 0.7\n" for step in range(1, 41)
    )).encode()  # fmt: skip


def test_printed_lines_of_mmcv() -> None:
    first, second = read_runs("mmengine", mmcv(4, 1.5) + mmcv(8, 2.5))
    assert [run.series[0].value[0] for run in (first, second)] == [1.5, 2.5]


def test_lines_of_mindspore() -> None:
    def log(milliseconds: float) -> bytes:
        head = b"device_num: 1, model resnet50\nstart training\n"
        return head + b"".join(
            b"epoch: %d step: 10, loss is 2.5\nepoch time: %.1f ms, per step time: %.1f ms\n"
            % (epoch, 10 * milliseconds, milliseconds)
            for epoch in range(1, 21)
        )

    first, second = read_runs("mindspore", log(50.0) + log(70.0))
    assert [run.series[0].value[0] for run in (first, second)] == [0.5, 0.7]


def mlperf(seconds: int, batch: int) -> bytes:
    line = ':::MLLOG {{"namespace": "", "time_ms": {0}, "event_type": "{1}", "key": "{2}", "value": {3}, "metadata": {4}}}\n'
    events = [
        (0, "POINT_IN_TIME", "submission_benchmark", '"bert"', "{}"),
        (0, "POINT_IN_TIME", "global_batch_size", batch, "{}"),
        (1000, "INTERVAL_START", "run_start", "null", "{}"),
        (1000 + 1000 * seconds, "INTERVAL_END", "run_stop", "null", '{"status": "success"}'),
    ]
    return "".join(line.format(*event) for event in events).encode()


def test_results_of_mlperf() -> None:
    runs = read_runs("mllog", mlperf(60, 100) + mlperf(50, 200), "result_3.txt")
    times = [figure.value for run in runs for figure in run.aggregates if figure.metric == "time_to_train"]
    assert (times, [run.factors.get("global_batch_size") for run in runs]) == ([60.0, 50.0], [100, 200])
    assert [run.repeat for run in runs] == [None, None]


def test_results_of_mask_rcnn_without_steps() -> None:
    log = b"2020-03-03 10:00:00,000 maskrcnn_benchmark INFO: Using 1 GPUs\nTraining perf is: %.1f FPS\n"
    runs = read_runs("maskrcnn", log % 6.5 + log % 7.5)
    assert [figure.value for run in runs for figure in run.aggregates] == [6.5, 7.5]


@given(st.lists(st.tuples(st.integers(0, 2**62), st.integers(0, 2**62)), min_size=1))
def test_pairs_of_epoch_and_position_become_numbers_in_their_order(pairs: list[tuple[int, int]]) -> None:
    key = _ascending_key(*(np.array(column, dtype=np.int64) for column in zip(*pairs, strict=True))).tolist()
    for (one, its_key), (other, key_of_other) in pairwise(sorted(zip(pairs, key, strict=True))):
        assert its_key < key_of_other if one < other else its_key == key_of_other


@pytest.mark.parametrize("ending", [b"", b"\nlast"])
def test_lines_are_compared_without_numbers_and_heads_of_epochs(ending: bytes) -> None:
    text = b"12: batch 8, 16 of 3\n\nEpoch 0/5\n----\nx" + b"y" * 400 + b"\n  batch 9 of 3 " + ending
    keys = [b"batch 0 of 0", b"", b"", b"", b"x" + b"y" * 119, b"batch 0 of 0"]
    assert _line_keys(text) == [*keys, *([b"last"] if ending else [])]
    assert _keys(text) == [keys[0], keys[4], *([b"last"] if ending else [])]
