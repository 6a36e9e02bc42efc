"""DLLogger's lines, in the forms that NVIDIA's programs print them in (see dllogger's own example logs)."""

import numpy as np
import pytest

from reportgen.formats.nvidia_dle import dllogger
from reportgen.protocol import DEFAULT, measure_run
from reportgen.sources.logfiles import LogFiles
from tests.builders import read_log, rules, series_of, throughput_of

RESNET = b"""\
DLL 2021-06-03 08:00:00.000000 - PARAMETER data : /data  arch : resnet50  batch_size : 64  optimizer_batch_size : -1  world_size : 2
DLL 2021-06-03 08:00:10.000000 - Epoch: 0 Iteration: 1  train.loss : 7.1 None train.compute_ips : 99.0 images/s train.total_ips : 100.0 images/s train.lr : 0.1
warning: DLL 2021-06-03 08:00:11.000000 - Epoch: 0 Iteration: 2  train.loss : 7.0  train.total_ips : 128.5 img/sFurther warnings
0: DLL 2021-06-03 08:00:12.000000 - Epoch: 0 Iteration: 3  train.total_ips : 1.28e+02 img/s DLL 2021-06-03 08:00:13.500000 - Epoch: 0  train.total_ips : 110.0 img/s
DLL 2021-06-03 08:00:40.000000 - Epoch: 1 Iteration: 1  train.total_ips : 127.0 img/s
DLL 2021-06-03 08:00:41.000000 - Epoch: 1 Iteration: 2  train.total_ips : 128.0 img/s
DLL 2021-06-03 08:00:43.000000 - Summary: train.loss : 7.0  train.total_ips : 120.25 img/s
"""


def test_steps_count_on_over_epochs_and_the_border_is_a_break() -> None:
    run = read_log("dllogger", RESNET)
    assert run.factors == {"item": "image", "model": "resnet50", "batch_size": 64, "devices": 2}
    assert (run.status, run.samples_per_step, rules(run.findings)) == ("complete", 128.0, [])
    times, rates = series_of(run, "step_time"), series_of(run, "throughput")
    np.testing.assert_array_equal(times.step, [2, 3, 4, 5])
    np.testing.assert_allclose(times.value, [1, 1, 28, 1])
    np.testing.assert_array_equal(times.line, [3, 4, 5, 6])
    assert [border.step for border in times.breaks] == [3]
    np.testing.assert_array_equal(rates.step, [1, 2, 3, 4, 5])
    np.testing.assert_allclose(rates.value, [100, 128.5, 128, 127, 128])


def test_the_time_between_epochs_is_not_a_step_time() -> None:
    assert throughput_of(read_log("dllogger", RESNET)) == pytest.approx(128.0)


def test_the_summary_is_an_aggregate_and_without_it_a_log_is_partial() -> None:
    (final,) = read_log("dllogger", RESNET).aggregates
    assert (final.value, final.statistic, final.source.line) == (120.25, "mean", 7)
    cut = read_log("dllogger", RESNET[: RESNET.index(b"DLL 2021-06-03 08:00:43")])
    assert (cut.status, rules(cut.findings)) == ("partial", ["read.incomplete-run"])


def test_an_error_is_a_finding_and_without_a_final_value_the_status() -> None:
    trouble = (
        b"Traceback (most recent call last):\nRuntimeError: CUDA out of memory. Tried to allocate 1 GiB\n"
    )
    assert (read_log("dllogger", RESNET + trouble).status) == "complete"
    assert rules(read_log("dllogger", RESNET + trouble).findings) == ["read.incomplete-run"]
    failed = read_log("dllogger", RESNET.splitlines()[0] + b"\n" + trouble + b"DONE!\n")
    assert (failed.status, rules(failed.findings)) == ("out_of_memory", ["read.failed-run"])
    assert "CUDA out of memory" in failed.findings[0].message


def test_json_lines_have_units_in_their_metadata() -> None:
    run = read_log(
        "dllogger",
        b"""\
DLLL {"timestamp": "100.0", "type": "LOG", "step": "PARAMETER", "data": {"batch_size": 8, "num_gpus": 4}}
DLLL {"timestamp": "100.0", "type": "METADATA", "metric": "speed", "metadata": {"unit": "seq/s"}}
DLLL {"timestamp": "101.0", "type": "LOG", "step": [0, 0], "data": {"speed": 30.0, "loss": 1}}
DLLL {"timestamp": "101.1", "type": "LOG", "step": [0, 0], "data": {"lr": 0.1}}
DLLL {"timestamp": "102.0", "type": "LOG", "step": [0, 1], "data": {"speed": 31.0}}
DLLL {"timestamp": "102.5", "type": "LOG", "step": [0], "data": {"speed": 29.0}}
DLLL {"timestamp": "104.0", "type": "LOG", "step": [0, 2], "data": {"speed": 16.0}}
DLLL {"timestamp": "105.0", "type": "LOG", "step": [], "data": {"speed": 31.5}}
""",
    )
    assert run.factors == {"item": "sequence", "batch_size": 8, "devices": 4}
    np.testing.assert_allclose(series_of(run, "throughput").value, [30, 31, 16])
    np.testing.assert_allclose(series_of(run, "step_time").value, [1, 2])
    assert throughput_of(run) == pytest.approx(2 * 32 / 3)


def test_ncf_has_no_steps_and_a_global_batch() -> None:
    run = read_log(
        "dllogger",
        b"""\
DLL 2024-05-02 04:38:41.091090 - PARAMETER epochs : 2  batch_size : 20000  valid_batch_size : 10
DLL 2024-05-02 04:38:48.023769 - (0,) train_throughput : 1.059e+08 samples/s hr@10 : 0.8 None
DLL 2024-05-02 04:38:48.914756 - () best_train_throughput : 260580720.5 samples/s mean_train_throughput : 1.0 samples/s
""",
        beside={"benchmark.para": b"GLOBAL_BATCH 20000\nGPU 2\n"},
    )
    assert run.factors == {"item": "sample", "model": "NCF", "batch_size": 10000, "devices": 2}
    assert (run.series, throughput_of(run)) == ((), 260580720.5)


SKIPPED = b"""\
DLL 2023-08-02 05:12:20.000000 - Training Epoch: 0 Training Iteration: 1  average_loss : 11.1  skipped_steps : 0
DLL 2023-08-02 05:12:21.000000 - Training Epoch: 0 Training Iteration: 1  average_loss : 11.1  skipped_steps : 1
DLL 2023-08-02 05:12:23.000000 - Training Epoch: 0 Training Iteration: 2  average_loss : 11.1  skipped_steps : 1
DLL 2023-08-02 05:12:26.000000 - Training Epoch: 0 Training Iteration: 3  final_loss : 11.1 None
DLL 2023-08-02 05:12:26.500000 - Validation Epoch: 0  val : 1.0
"""
SKIPPED_JSON = b"""\
DLLL {"timestamp": "100.0", "type": "LOG", "step": [0, 1], "data": {"average_loss": 11.1, "skipped_steps": 0}}
DLLL {"timestamp": "101.0", "type": "LOG", "step": [0, 1], "data": {"average_loss": 11.1, "skipped_steps": 1}}
DLLL {"timestamp": "103.0", "type": "LOG", "step": [0, 2], "data": {"average_loss": 11.1, "skipped_steps": 1}}
DLLL {"timestamp": "106.0", "type": "LOG", "step": [0, 3], "data": {"final_loss": 11.1}}
"""


@pytest.mark.parametrize("content", [SKIPPED, SKIPPED_JSON])
def test_a_program_without_rates_has_times_and_skipped_updates_are_steps(content: bytes) -> None:
    times = series_of(read_log("dllogger", content), "step_time")
    np.testing.assert_array_equal(times.step, [2, 3, 4])
    np.testing.assert_allclose(times.value, [1.0, 2.0, 3.0])


# As TensorFlow 1's ConvNets of 2020 print them: no unit, and a name of the final rate that NCF has too.
TF1 = b"""\
DLL 2024-05-06 07:00:11.000000 - PARAMETER arch : resnet50  mode : training_benchmark  batch_size : 32  amp : True
Num GPUs 4
DLL 2024-05-06 07:02:14.000000 - (0, 200) total_ips : 1000.5
DLL 2024-05-06 07:02:15.000000 - (0, 210) total_ips : 1280.0
DLL 2024-05-06 07:02:16.500000 - () train_throughput : 1270.25
"""


def test_tensorflow_convnets_are_not_ncf() -> None:
    run = read_log("dllogger", TF1)
    assert run.factors == {
        "item": "image", "model": "resnet50", "precision": "amp", "batch_size": 32, "devices": 4,
    }  # fmt: skip
    assert run.samples_per_step == 128
    np.testing.assert_allclose(series_of(run, "throughput").value, [1000.5, 1280])
    assert [aggregate.value for aggregate in run.aggregates] == [1270.25]


# As NVIDIA's MXNet prints them behind mpirun: the batch of all GPUs, a line behind every twentieth batch from 0.
MXNET = b"""\
[1,0]<stdout>:DLL 2024-05-06 07:24:28.000000 - PARAMETER arch : resnetv15  gpus : [0, 1]  kv_store : horovod  \
dtype : float16  amp : False  batch_size : 512
[1,0]<stdout>:DLL 2024-05-06 07:24:30.000000 - Epoch: 0 Iteration: 19  train.loss : 6.9  train.ips : 5000.5 images/s
[1,0]<stdout>:DLL 2024-05-06 07:24:34.000000 - Epoch: 0 Iteration: 39  train.loss : 6.9  train.ips : 2560.5 images/s
[1,0]<stdout>:DLL 2024-05-06 07:24:40.000000 - Epoch: 1 Iteration: 19  train.loss : 6.9  train.ips : 2570.5 images/s
[1,0]<stdout>:DLL 2024-05-06 07:24:41.000000 - Summary: train.loss : 6.0  train.ips : 2500.5 images/s
"""


def test_mxnet_has_the_batch_of_all_gpus_and_counts_from_zero() -> None:
    run = read_log("dllogger", MXNET)
    assert run.factors == {
        "item": "image", "model": "resnetv15", "precision": "amp", "batch_size": 256, "devices": 2,
    }  # fmt: skip
    assert series_of(run, "throughput").step.tolist() == [20, 40, 60]
    assert [border.step for border in series_of(run, "step_time").breaks] == [40]


def test_a_rate_name_of_several_programs_has_the_item_of_its_unit() -> None:
    line = b"DLL 2024-05-06 07:08:09.123456 -  throughput_train : 99.0"
    assert read_log("dllogger", line + b" sequences/s\n").factors == {"item": "sequence"}
    unet = read_log("dllogger", line + b"  latency_train_mean : 50.5\n")
    assert (unet.factors, throughput_of(unet)) == ({}, 99.0)


@pytest.mark.parametrize(
    "content", [b"DLL files are missing\n", b"use DLLL {here}\n", b"", b"DLL \0\1\2\3\4" + RESNET[:90]]
)
def test_other_files_are_left_alone(content: bytes) -> None:
    assert dllogger.FORMAT.claims(LogFiles.of({"x": content}).file("x")) is None


# As NVIDIA's PyTorch BERT of 2022 prints them on two nodes: the trace of a shell, the batch of a device at once,
# and the same iteration again for an update that half precision skipped.
BERT = b"""\
+ gradient_accumulation_steps=704
+ CMD='python3 -m torch.distributed.launch --nproc_per_node=4 --nnodes=2 run_pretraining.py --train_batch_size=67584'
Wed Jun  1 10:54:20 2022[1,0]<stdout>:DLL 2022-06-01 10:54:20.000000 - PARAMETER Config : ["Namespace(fp16=True, \
gradient_accumulation_steps=704, max_seq_length=128, train_batch_size=96)"] DLL 2022-06-01 10:54:20.100000 - \
PARAMETER batch_size_per_gpu : 96
Wed Jun  1 10:54:24 2022[1,0]<stdout>:DLL 2022-06-01 10:54:24.000000 - Training Epoch: 0 Training Iteration: 1  \
average_loss : 11.1  step_loss : 11.0  learning_rate : 0.0
Wed Jun  1 10:54:34 2022[1,0]<stdout>:DLL 2022-06-01 10:54:34.000000 - Training Epoch: 0 Training Iteration: 1  \
average_loss : 11.1  step_loss : 11.0  learning_rate : 0.0
Wed Jun  1 10:54:44 2022[1,0]<stdout>:Iteration: 2it [00:20, 10.0s/it]\rDLL 2022-06-01 10:54:44.000000 - \
Training Epoch: 0 Training Iteration: 2  average_loss : 11.1  step_loss : 11.0  learning_rate : 0.0
Wed Jun  1 10:54:45 2022[1,0]<stdout>:DLL 2022-06-01 10:54:45.000000 -  e2e_train_time : 25.0 s \
training_sequences_per_second : 54067.2 sequences/s final_loss : 11.0 None
"""


def test_bert_accumulates_batches_and_skipped_updates_are_steps() -> None:
    run = read_log("dllogger", BERT)
    assert run.factors == {
        "item": "sequence", "seq_len": 128, "precision": "amp", "batch_size": 96, "devices": 8,
        "gradient_accumulation_steps": 704,
    }  # fmt: skip
    times = series_of(run, "step_time")
    assert (times.step.tolist(), times.value.tolist()) == ([2, 3], [10.0, 10.0])
    assert throughput_of(run) == pytest.approx(96 * 704 * 8 / 10)
    assert rules(run.findings) == []


@pytest.mark.parametrize("split", [b"\r", b" ", b"\n"])
def test_records_of_one_line_are_read_each(split: bytes) -> None:
    glued = RESNET.replace(b"\n", split)
    run, expected = read_log("dllogger", glued), read_log("dllogger", RESNET)
    assert (run.factors, run.status) == (expected.factors, expected.status)
    times, rates = series_of(run, "step_time"), series_of(run, "throughput")
    np.testing.assert_array_equal(times.value, series_of(expected, "step_time").value)
    np.testing.assert_array_equal(rates.value, series_of(expected, "throughput").value)


def test_the_loss_scale_is_printed_after_each_skipped_update() -> None:
    record = (
        b"DLL 2023-08-02 05:12:%d.000000 - Training Epoch: 0 Training Iteration: %d  average_loss : 11.1\n"
    )
    scale = b"DLL 2023-08-02 05:12:21.000000 - PARAMETER loss_scale : 32768.0 \n"
    # Every tenth update is printed; two of the second ten were skipped. The scale at the start is a setting.
    content = scale + record % (20, 10) + 2 * scale + record % (30, 18) + record % (40, 28)
    times = series_of(read_log("dllogger", content), "step_time")
    assert (times.step.tolist(), times.span.tolist()) == ([20, 30], [10, 10])
    lines = [
        b'{"timestamp": "%d.0", "step": [0, %d], "data": {"average_loss": 11.1}}' % at
        for at in ((20, 10), (30, 18))
    ]
    lines.insert(1, b'{"timestamp": "21.0", "step": "PARAMETER", "data": {"loss_scale": 32768.0}}')
    times = series_of(read_log("dllogger", b"".join(b"DLLL " + line + b"\n" for line in lines)), "step_time")
    assert (times.step.tolist(), times.span.tolist()) == ([19], [9])
    alone = scale + record % (20, 10) + record % (30, 20)
    assert series_of(read_log("dllogger", alone), "step_time").step.tolist() == [20]


# As NVIDIA's TensorFlow 1 BERT prints them: the rate of all devices, no number of skipped updates.
TF1_BERT = b"""\
num_accumulation_steps: 132
INFO:tensorflow:hvd.size() = 8 hvd.rank() = 0
DLL 2022-06-01 10:54:24.000000 - Iteration: 5  throughput_train : 4000.5 sequences/s mlm_loss : 10.9  nsp_loss : 0.7
DLL 2022-06-01 10:54:34.000000 - Iteration: 5  throughput_train : 4100.5 sequences/s mlm_loss : 10.9  nsp_loss : 0.7
DLL 2022-06-01 10:54:44.000000 - Iteration: 6  throughput_train : 4200.5 sequences/s mlm_loss : 10.9  nsp_loss : 0.7
DLL 2022-06-01 10:54:44.000001 - Iteration: 6  throughput_train : 4200.5 sequences/s mlm_loss : 10.9  nsp_loss : 0.7
"""


def test_an_iteration_printed_again_is_a_skipped_update_and_one_of_another_rank_is_not() -> None:
    run = read_log("dllogger", TF1_BERT.replace(b"DLL", b"0: DLL", 3).replace(b"\nDLL", b"\n1: DLL"))
    assert run.factors == {"item": "sequence", "devices": 8, "gradient_accumulation_steps": 132}
    assert series_of(run, "throughput").value.tolist()[:3] == [4000.5, 4100.5, 4200.5]
    assert series_of(run, "step_time").step.tolist() == [6, 7]


NCF = """\
DLL 2024-08-02 12:10:24.145372 - PARAMETER epochs : 2  batch_size : 96000000  valid_batch_size : 10  world_size : 8
DLL 2024-08-02 12:10:44.540344 - (0,) train_throughput : 1.128e+08 samples/s hr@10 : 0.7 None train_epoch_time : 0.88 s
DLL 2024-08-02 12:10:44.759564 - (1,) train_throughput : 9.455e+09 samples/s hr@10 : 0.7 None train_epoch_time : {} s
DLL 2024-08-02 12:10:44.759961 - () best_train_throughput : 9454806646.0 samples/s mean_train_throughput : 1.0 samples/s
"""


@pytest.mark.parametrize(("took", "severity"), [("0.011", "invalid"), ("1.1", "warning")])
def test_the_best_epoch_is_not_a_measurement_and_least_of_all_a_brief_one(took: str, severity: str) -> None:
    run = read_log("dllogger", NCF.format(took).encode())
    assert run.aggregates[0].time == float(took)
    found = measure_run(run, "throughput", "step", DEFAULT)
    assert found is not None
    (finding,) = (each for each in found.findings if each.rule == "rate.implausible")
    assert finding.severity == severity


def nemo(steps: int) -> bytes:
    """A log of NeMo: a record every 10.24 s; the printed time leaves out 0.64 s."""
    entry = '"type": "LOG", "step": %s, "data": {%s}}\n'
    parameters = entry % ('"PARAMETER"', '"cfg/global_batch_size": 256, "cfg/precision": "bf16"')
    records = [
        f'DLLL {{"timestamp": "{1.7e9 + 10.24 * step:.6f}", "datetime": "2024-09-27", "elapsedtime": "1", '
        + entry % (step, f'"reduced_train_loss": 7.9, "global_step": {step}, "train_step_timing in s": 9.6')
        for step in range(steps)
    ]
    return "".join(['DLLL {"timestamp": "1699999999.5", ', parameters, *records]).encode()


def test_nemo_prints_step_times_and_no_record_of_the_whole_run() -> None:
    run = read_log("dllogger", nemo(130))
    assert run.factors == {"framework": "NeMo", "item": "sequence", "global_batch_size": 256}
    assert (run.status, rules(run.findings)) == ("complete", [])
    assert throughput_of(run) == pytest.approx(25)
    assert series_of(run, "step_time", "printed").value.tolist() == [pytest.approx(9.6)] * 130
