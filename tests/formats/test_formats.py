"""Detection, and what holds for every format: any content yields only Runs and Findings.

A new format is tested here as soon as it is in FORMATS; add a valid log of it to FIXTURES, so that damaged
ones are tested too.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.core.model import STEP, Finding, Run
from reportgen.formats.base import Claim, Format
from reportgen.formats.detection import detect, discover
from reportgen.formats.registry import FORMATS, Registry
from reportgen.sources.logfiles import LogFiles
from tests.builders import format_named
from tests.formats import trainer_logs

SETTINGS = {
    "nvsmi": {"columns": ["temperature.gpu", "utilization.gpu", "memory.used"]},
    "custom": {
        "name": "mine",
        "pattern": r"(?P<timestamp>\S+ \S+) mine epoch (?P<epoch>\S+) step (?P<step>\S+) of (?P<steps_per_epoch>\d+) "
        r"in (?P<step_time_ms>\S+) ms, (?P<images_per_second>\S+) images/s, precision (?P<precision>\w*)",
    },
}

# Format -> a valid log of it, each kind of line once.
FIXTURES = {
    "custom": {
        "mine.log": b"2024-02-28 23:59:59,900 mine epoch 0 step 0 of 2 in 9.5 ms, 1,024.5 images/s, precision fp16\n"
        b"2024-02-29 00:00:00,000 mine epoch 0 step 1 of 2 in 9.1 ms, 1,034.5 images/s, precision fp16\r"
        b"2024-02-29 00:00:00.100 mine epoch 1 step 0 of 2 in 9e0 ms, 1044 images/s, precision fp16\n"
    },
    "native": {
        "run.json": json.dumps(
            {
                "format": "reportgen-run",
                "version": 1,
                "status": "complete",
                "case": {"model": "tiny"},
                "repeat": 1,
                "samples_per_step": 4,
                "item": "image",
                "ranks": 1,
                "columns": {"duration_ns": {"clock": "host"}},
            }
        ).encode(),
        "steps.rank0.csv": b"#clock,5000,1700000000000000000\nstep,span,samples,begin_ns,duration_ns,forward_host_ns\n"
        b"1,,4,6000,100,60\n2,1,4,6100,100,\n#break,evaluation,2,6200,9200\n"
        b"step,begin_ns,duration_ns\n3,9200,100\n",
        "environment.node0.json": b'{"format": "reportgen-environment", "node": 0, "ranks": [0], '
        b'"environment": {"cpu": {"model": "x", "cores": 8}}}',
        "telemetry.node0.csv": b"#clock,5000,1700000000000000000\ndevice,monotonic_ns,power_mw\nGPU-1,6000,400000\n",
    },
    "published": {
        "source.toml": b'title = "x"\nurl = "y"\ndate = 2024-02-17\ntables = ["t.csv"]\n[factors]\na = "a"\n'
        b'[constants]\nb = 1\n[columns]\nrepeat = "r"\n[[metrics]]\ncolumn = "v"\n'
        b'metric = { column = "m" }\nunit = "s"\n[where]\na = [1, 2]\n'
        b'[[corrections]]\nwhere = { a = 1 }\ncolumn = "v"\nvalue = 3\nreason = "z"\n',
        "t.csv": b"a,r,m,v\n1,1,step_time,2.5\n2,1,step_time,3 ms\n",
    },
    "jade": {
        "slurm-7-train.out": b"Batch 101: Data Loading Time: 0.4876 seconds, Forward Pass Time: 0.1437 seconds, "
        b"Backward Pass Time: 0.3247, Batch Size: 128\nArguments\n---\ndataset: imagenet\n"
        b"batch_size: 128\nprecision: 32-true\nDevices used: 2 x Tesla V100-SXM2-32GB-LS\n"
        b"Average Data Loading Time: 0.6594 seconds\nAverage Data Preprocessing Time: 0.0000 "
        b"seconds\nAverage Forward Pass Time: 0.1774 seconds\nTotal Script Time: 451.0 seconds\n"
    },
    "lightning": {
        "pl_profile.txt": b"Profiler Report\n\nAction\t|  Mean duration (s)\t|  Total time (s) \n"
        b"get_train_batch\t|  0.001\t|  0.3  \nmodel_forward \t|  0.06  \t|  18.0  \n",
        "exp_info.json": b'{"model_name": "x", "batch_size": 8, "num_gpus": 1, "amp": true, "train_duration": 6.5}',
        "env_info.txt": b"PyTorch version: 1.7.0\nPython version: 3.6 (64-bit)\nIs CUDA available: True\n",
        "gpu_hw_info.txt": b' CUDA Device Query\nDevice 0: "A40"\n',
        "dlprof_summary.json": b'{"Summary Report": {"GPU Idle %": [60.0], "Tensor Core Kernel Utilization %": [3]}}',
        "version_0/metrics.csv": b"gpu_id: 0/memory.used (MB),gpu_id: 0/utilization.gpu (%),step,train_loss\n"
        b"12288.0,10.0,49,\n,,299,0.25\n",
        "version_1/metrics.csv": b"train/time,train/batches,train/samples,step\n5.0,50,400,49\n",
    },
    "mllog": {
        "result_1.txt": b'0: :::MLLOG {"namespace": "", "time_ms": 5, "event_type": "POINT_IN_TIME", '
        b'"key": "global_batch_size", "value": 8, "metadata": {"file": "x", "lineno": 1}}\n'
        b':::MLLOG {"namespace": "", "time_ms": 1000, "event_type": "INTERVAL_START", '
        b'"key": "run_start", "value": null, "metadata": {"lineno": 1}}\n'
        b':::MLLOG {"namespace": "", "time_ms": 1000, "event_type": "INTERVAL_START", '
        b'"key": "block_start", "value": null, "metadata": {"samples_count": 0}}\n'
        b':::MLLOG {"namespace": "", "time_ms": 5000, "event_type": "INTERVAL_END", '
        b'"key": "block_stop", "value": null, "metadata": {"samples_count": 80}}\n'
        b':::MLLOG {"namespace": "", "time_ms": 5000, "event_type": "POINT_IN_TIME", '
        b'"key": "tracked_stats", "value": {"throughput": 20.0}, "metadata": {"step": 80}}\n'
        b':::MLLOG {"namespace": "", "time_ms": 6000, "event_type": "INTERVAL_END", '
        b'"key": "run_stop", "value": null, "metadata": {"status": "success"}}\n'
    },
    "dllogger": {
        "dll.log": b"DLL 2021-06-03 08:00:00.000000 - PARAMETER arch : resnet50  batch_size : 64  world_size : 2\n"
        b"DLL 2021-06-03 08:00:01.000000 - Epoch: 0 Iteration: 1  train.loss : 7 train.total_ips : 1.5 img/s\n"
        b"\rDLL 2021-06-03 08:00:02.000000 - Epoch: 1 Iteration: 1  train.total_ips : 1e+02 img/s\n"
        b'DLLL {"timestamp": "1.5", "type": "METADATA", "metric": "x", "metadata": {"unit": "seq/s"}}\n'
        b'DLLL {"timestamp": "2.5", "step": [0, 1], "data": {"train.total_ips": 5}}\n'
        b"DLL 2021-06-03 08:00:03.000000 - Summary: train.total_ips : 120.25 img/s\n"
    },
    "nvlog": {
        "nv.log": b':::NVLOGv0.2.2 Tacotron2_PyT 1583224677.593999624 (/a/b.py:251) args: {"batch_size": 4, "world_size": 1}\n'
        b':::NVLOGv0.2.2 Tacotron2_PyT 1583224677.5 (/a/b.py:251) gpu_info: {"num": 1, "name": ["A40"]}\n'
        b":::NVLOGv0.2.2 Tacotron2_PyT 1583224682.666862488 (/a/b.py:251) train_epoch_start: 0\n"
        b":::NVLOGv0.2.2 Tacotron2_PyT 1583224683.2 (/a/b.py:251) train_iter_items/sec: 9225.002668505374\n"
        b":::NVLOGv0.2.2 Tacotron2_PyT 1583224684.2 (/a/b.py:251) train_iter_items/sec: 9226.5\n"
        b":::NVLOGv0.2.2 Tacotron2_PyT 1583224685.2 (/a/b.py:251) train_epoch_avg_items/sec: 9225.5\n"
    },
    "bertsquad": {
        "bert.log": b"torchrun --nproc_per_node=2 run_squad.py --do_train --train_batch_size=4 --max_seq_length=384\n"
        b"\rIteration:   0%|  | 0/9 [00:00<?, ?it/s]\rIteration:   1%|  | 1/9 [00:01<00:05,  1.10s/it]"
        b"DLL 2024-08-02 12:26:25.412524 - Training Epoch: 0 Training Iteration: 1  step_loss : 6.0\n"
        b"\rIteration:   2%|  | 2/9 [00:02<00:05,  2.50it/s]\n"
        b"DLL 2024-08-02 12:27:21.472868 -  e2e_train_time : 59.7  training_sequences_per_second : 25.5\n"
    },
    "gnmt": {
        "gnmt.log": b"0: Run arguments: Namespace(bpe_codes='/x', train_batch_size=128)\n"
        b"1: TRAIN [0][10/48]\tTime 1.013 (0.994)\tData 2.48e-04 (2.24e-02)\tTok/s 23106 (21526)\tLoss/tok 9 (9)\n"
        b"0: TRAIN [0][10/48]\tTime 1.013 (0.994)\tData 2.48e-04 (2.24e-02)\tTok/s 23107 (21526)\tLoss/tok 9 (9)\n"
        b"0: Performance: Epoch: 0\tTraining: 65 Tok/s\tValidation: 3 Tok/s\n"
        b"|**GPUs**|\n|       2|                 160|         3.59|           15409.0|           8.667|\n"
    },
    "transformerxl": {
        "txl.log": b"Experiment dir : LM-TFM\nNamespace(attn_type=0, batch_size=32, tgt_len=384)\nworld size: 2\n"
        b"| epoch   1 step       10 | batches     10 / 26883 | lr 0.000e+00 | ms/batch 774.3 | tok/s    4959 | "
        b"loss 12.54 | ppl 278894.86\nTraining throughput: 12206.99 tok/s\n"
    },
    "maskrcnn": {
        "mask.log": b"2020-07-10 01:56:50,914 maskrcnn_benchmark INFO: Using 2 GPUs\n"
        b"SOLVER:\n  IMS_PER_BATCH: 4\n2020-07-10 01:57:28,146 maskrcnn_benchmark.trainer INFO: eta: 0:02:07  iter: 20 "
        b" loss: 6.4 (6.4)  time: 0.6223 (0.7092)  data: 0.0133 (0.0480)\n2020-07-10 01:57:40,945 "
        b"maskrcnn_benchmark.trainer INFO: eta: 0:01:47  iter: 40  loss: 6.5 (6.5)  time: 0.6311 (0.6746)  data: 0 (0)\n"
        b"Training perf is: 6.641576 FPS\n"
    },
    "ssd": {
        "ssd.log": b"DLL 2021-06-26 19:49:53.195839 - PARAMETER dataset path : /data  batch size : 88  eval batch size : 32\n"
        b"Done benchmarking. Total images: 8800\ttotal time: 71.8\tAverage images/sec: 122.5\tMedian images/sec: 122.5\n"
        b"Training performance = 490.43 FPS\n"
    },
    "tacotron": {
        "taco.log": b"DLL 2021-06-26 23:13:00.000000 - PARAMETER model_name : WaveGlow\n"
        b"DLL 2021-06-26 23:13:00.000000 - PARAMETER batch_size : 10\n"
        b"DLL 2021-06-26 23:13:01.000000 - (0, 0) train_items_per_sec : 22621.28 items/s\n"
        b"DLL 2021-06-26 23:13:02.000000 - (0, 1) train_items_per_sec : 22622.28 items/s\n"
        b"DLL 2021-06-26 23:15:00.000000 - () run_time : 120.0 s\n"
    },
    "tf2": {
        "tf.log": b"I0826 15:10:09.636244 140405777909504 classifier_trainer.py:189] Final model parameters: {'runtime': "
        b"{'num_gpus': 1,\n 'worker_hosts': None},\n 'train': {'steps': 200},\n 'train_dataset': "
        b"{'batch_size': 128,\n 'dtype': 'float32',\n 'use_per_replica_batch_size': True}}\n"
        b"I0826 23:59:50.113950 140405777909504 keras_utils.py:133] TimeHistory: 116.24 seconds, 110.12 "
        b"examples/second between steps 0 and 100\nEpoch 00001: saving model to x\n"
        b"I0827 00:00:29.256277 140405777909504 keras_utils.py:133] TimeHistory: 39.13 seconds, 327.08 "
        b"examples/second between steps 100 and 200\n"
    },
    "oneflow": {
        "of.log": b"model = resnet50\nbatch_size_per_device = 128\ngpu_num_per_node = 8\nnum_nodes = 2\n"
        b"train: epoch 0, iter 20, loss: 7.087004, top_1: 0.000000, top_k: 0.000000, samples/s: 3988.891 "
        b"1597933942.9863544\n"
        b"train: epoch 0, iter 120, loss: 1.050499, top_1: 1.000000, top_k: 1.000000, samples/s: 5917.583 "
        b"1597933977.6064055\n"
    },
    "mxnet": {
        "mx.log": b"2020-08-26 10:00:00,000:INFO: Node[0] Epoch[0] Batch [0-20]\tSpeed: 392.24 samples/sec\tacc=0.1\n"
        b"2020-08-26 10:00:05,100:INFO: Node[0] Epoch[0] Batch [20-40]\tSpeed: 395.00 samples/sec\tacc=0.1\n"
    },
    "paddle": {
        "pd.log": b"2020-09-24 10:00:00,123-INFO: [Pass 0, train batch 0] \tloss 7.0, acc1 0.0, lr 0.1, elapse 1.3580 sec\n"
        b"2020-09-24 10:00:00,486-INFO: [Pass 0, train batch 1] \tloss 6.9, acc1 0.0, lr 0.1, elapse 0.3629 sec\n"
    },
    "mindspore": {
        "ms.log": b"epoch: 1 step: 39, loss is 0.024799313\nepoch time: 24.655 ms, per step time: 0.632 ms\n"
        b"epoch: 2 step: 39, loss is 0.014799313\nepoch time: 23.655 ms, per step time: 0.607 ms\n"
    },
    "hugectr": {
        "wdl.log": b"num_nodes = 1\ngpu_num_per_node = 8\n"
        b"[HUGECTR][23:59:59][INFO][RANK0]: Iter: 100 Time(100 iters): 0.315066s Loss: 0.125152 lr:0.001\n"
        b"[HUGECTR][23:59:59][INFO][RANK0]: Eval Time for 20 iters: 0.007553s\n"
        b"[HUGECTR][00:00:00][INFO][RANK0]: Iter: 200 Time(100 iters): 0.325066s Loss: 0.125152 lr:0.001\n"
        b"[HUGECTR][00:00:00][INFO][RANK0]: Finish 200 iterations with batchsize: 65536 in 0.65s.\n"
    },
    "insightface": {
        "arc.log": b"Training: 2024-05-06 07:08:09,415-: batch_size               128\n"
        b"Training: 2024-05-06 07:08:19,415-Speed 3100.00 samples/sec   Loss 34.2   LearningRate 0.1000   "
        b"Epoch: 0   Global Step: 20   Fp16 Grad Scale: 65536   Required: 31 hours\n"
        b"Training: 2024-05-06 07:08:25,780-Speed 3200.00 samples/sec   Loss 33.9   LearningRate 0.1000   "
        b"Epoch: 0   Global Step: 40   Fp16 Grad Scale: 65536   Required: 31 hours\n"
        b"Training: 2024-05-06 07:08:26,000-[lfw][40]Accuracy-Flip: 0.50000+-0.1\n"
    },
    "pytorch_examples": {
        "pt.log": b"Use GPU: 6 for training\n=> creating model 'resnet50'\n"
        b"Epoch: [0][ 0/53]\tTime 12.054 (12.054)\tData  0.001 ( 0.001)\tLoss 6.9828e+00 (6.9828e+00)\n"
        b"Epoch: [0][ 1/53]\tTime  0.970 ( 6.512)\tData  0.002 ( 0.001)\tLoss 2.6312e+01 (1.6647e+01)\n"
    },
    "benchmarktools": {
        "julia.json": b'[{"Julia":"1.7.0","BenchmarkTools":"1.0.0"},[["BenchmarkGroup",{"tags":[],"data":{"a":["Trial",'
        b'{"params":["Parameters",{"evals":1}],"times":[2e9,1e9],"gctimes":[0,0],"memory":8,"allocs":1}]}}]]]\n'
    },
    "nvsmi": {
        "gpu.csv": b"timestamp, name, uuid, utilization.gpu [%], clocks_event_reasons.active\n"
        b"2024/02/17 10:00:00.123, A40, GPU-1, 45 %, 0x0000000000000004\n"
        b"2024/02/17 10:00:01.123, A40, GPU-1, [N/A], 0x0000000000000000\n"
    },
}
FIXTURES |= trainer_logs.LOGS
NAMES = sorted(
    {name for files in FIXTURES.values() for name in files} | {"stdout.log", "x.csv", "a/run.json"}
)


def view(contents: dict[str, bytes], name: str) -> LogFiles:
    """Return what the format is offered: the folder, or its only file."""
    files = LogFiles.of(contents, SETTINGS)
    return files.file(next(iter(files))) if len(FIXTURES[name]) == 1 and contents else files


def check(found: list[Run | Finding]) -> None:
    """Check that a run or finding satisfies the model."""
    for one in found:
        assert isinstance(one, (Run, Finding))
        for finding in one.findings if isinstance(one, Run) else (one,):
            assert finding.message
            assert finding.source is not None
        if not isinstance(one, Run):
            continue
        for series in one.series:
            arrays = (series.step, series.span, series.begin, series.value, series.samples, series.line)
            assert {len(array) for array in arrays} == {len(series.step)}
            assert all(
                array.dtype == kind
                for array, kind in zip(arrays, (int, int, float, float, float, int), strict=True)
            )
        for telemetry in one.telemetry:
            assert {len(column) for column in telemetry.columns.values()} <= {len(telemetry.t)}
        for value in (*one.factors.values(), *one.environment.values()):
            assert isinstance(value, (str, int, float, bool))


@pytest.mark.parametrize("name", [known.name for known in FORMATS])
def test_every_format_has_a_valid_log_here_and_claims_it_alone(name: str) -> None:
    claimed = detect(view(FIXTURES[name], name))
    assert claimed is not None
    assert (claimed.format.name, claimed.rivals, set(claimed.claim.files)) == (name, (), set(FIXTURES[name]))
    found = list(format_named(name).read(claimed.files))
    check(found)
    # Pickles are refused.
    assert [one for one in found if isinstance(one, Run)] or name == "pickled"


def runs_of(contents: Mapping[str, bytes], name: str) -> list[Any]:
    """Return the runs of a log, without places."""
    claimed = detect(view(contents, name))
    assert claimed is not None
    return [
        (
            one.factors, one.environment, one.status, one.samples_per_step,
            [(series.metric, series.step.tolist(), series.line.tolist()) for series in one.series],
            [(series.metric, np.nan_to_num(series.value).tolist()) for series in one.series],
            [(aggregate.metric, aggregate.value) for aggregate in one.aggregates],
        )
        for one in format_named(claimed.format.name).read(claimed.files)
        if isinstance(one, Run)
    ]  # fmt: skip


@pytest.mark.parametrize("name", [known.name for known in FORMATS if known.name != "pickled"])
def test_lines_may_end_with_carriage_return_and_line_feed(name: str) -> None:
    unix = {path: content.replace(b"\r\n", b"\n") for path, content in FIXTURES[name].items()}
    windows = {path: content.replace(b"\n", b"\r\n") for path, content in unix.items()}
    assert runs_of(windows, name) == runs_of(unix, name)


# Lines of text. Half a JSON document is invalid, and our own format marks its end.
TEXTS = [
    known.name
    for known in FORMATS
    if len(FIXTURES[known.name]) == 1
    and not next(iter(FIXTURES[known.name].values())).startswith((b"{", b"[", b"\x80"))
]


@pytest.mark.parametrize("name", TEXTS)
def test_a_log_that_ends_in_nul_bytes_is_read_and_reported(name: str) -> None:
    crashed = {path: content + b"\0" * 5 for path, content in FIXTURES[name].items()}
    assert runs_of(crashed, name) == runs_of(FIXTURES[name], name)
    claimed = detect(view(crashed, name))
    assert claimed is not None
    (run,) = (one for one in format_named(name).read(claimed.files) if isinstance(one, Run))
    assert "read.malformed-line" in [finding.rule for finding in run.findings]


@pytest.mark.parametrize("name", [known.name for known in FORMATS])
@given(contents=st.dictionaries(st.sampled_from(NAMES), st.binary(max_size=300), min_size=1, max_size=4))
def test_any_bytes_yield_only_runs_and_findings(name: str, contents: dict[str, bytes]) -> None:
    offered = view(contents, name)
    format_named(name).claims(offered)
    check(
        list(
            format_named(name).read(
                LogFiles.of({"source.toml": b"", "run.json": b"", **contents}, SETTINGS)
                if offered.is_folder
                else offered
            )
        )
    )


@pytest.mark.parametrize("name", [known.name for known in FORMATS])
@given(cut=st.data())
def test_damaged_logs_yield_only_runs_and_findings(name: str, cut: st.DataObject) -> None:
    contents = dict(FIXTURES[name])
    for _ in range(cut.draw(st.integers(1, 4))):
        path = cut.draw(st.sampled_from(sorted(contents)))
        start = cut.draw(st.integers(0, len(contents[path])))
        length = cut.draw(st.integers(0, 20))
        new = cut.draw(
            st.binary(max_size=8)
            | st.sampled_from(
                [
                    b"\n",
                    b",",
                    b'"',
                    b"-1",
                    b"9" * 19,
                    b"9" * 40,
                    b"9" * 401,
                    b"{",
                    b"[[",
                    b"step",
                    b"NaN",
                    b"1e999",
                    b"1e400",
                    b"1.7e308",
                    b"-1e300",
                    b"1e-320",
                    b"\xff\xfe",
                    b"\0",
                    b"null",
                    b"#clock,9223372036854775807,0\n",
                    b"#break,a,1,9,8\n",
                ]
            )
        )
        contents[path] = contents[path][:start] + new + contents[path][start + length :]
    offered = view(contents, name)
    format_named(name).claims(offered)
    check(list(format_named(name).read(offered)))


@pytest.mark.parametrize(
    "content",
    [
        b"\x1f\x8b\x08\x00" + bytes(range(256)) * 8,
        "step,begin_ns\n1,2\n".encode("utf-16-le"),
        b"x" * 250_000,
        b"\0" * 1000,
        b"\n" * 100_000,
        b"," * 100_000,
    ],
)
def test_no_format_claims_binary_compressed_and_endless_lines(content: bytes) -> None:
    found = discover(LogFiles.of({"a/x.log": content}))
    assert (found.claimed, found.unclaimed, found.findings) == ([], ["a/x.log"], [])


@pytest.mark.parametrize("name", [known.name for known in FORMATS])
def test_a_byte_order_mark_before_the_text_changes_nothing(name: str) -> None:
    def read(files: dict[str, bytes]) -> str:
        found = detect(view(files, name))
        assert found is not None
        return repr((found.format.name, found.claim, list(found.format.read(found.files))))

    marked = {path: b"\xef\xbb\xbf" + content for path, content in FIXTURES[name].items()}
    assert read(marked) == read(FIXTURES[name])
    try:
        wide = {path: content.decode().encode("utf-16") for path, content in FIXTURES[name].items()}
    except UnicodeDecodeError:
        return  # not text, so never written as UTF-16
    assert read(wide) == read(FIXTURES[name])


def _format(name: str, confidence: float, *files: str) -> Format:
    def claims(view: LogFiles) -> Claim | None:
        there = tuple(path for path in files if path in view)
        return Claim(confidence, view.source(there[0], 1), "a line", there) if there else None

    return Format(name, "Nothing.", claims, lambda view: iter(()))


def test_the_surest_format_reads_and_a_tie_is_a_finding() -> None:
    files = LogFiles.of({"x.log": b""}).file("x.log")
    sure, other, unsure = (
        _format("sure", 0.9, "x.log"),
        _format("other", 0.9, "x.log"),
        _format("unsure", 0.5, "x.log"),
    )
    alone = detect(files, Registry([unsure, sure]))
    assert alone is not None
    assert (alone.format.name, alone.ambiguity()) == ("sure", None)
    tied = detect(files, Registry([unsure, sure, other]))
    assert tied is not None
    finding = tied.ambiguity()
    assert finding is not None
    assert (tied.format.name, finding.rule, finding.message) == (
        "sure",
        "read.ambiguous-format",
        "read as sure; other claimed it with the same confidence (0.9)",
    )


def test_folders_are_claimed_before_files_and_the_rest_is_offered_again() -> None:
    files = LogFiles.of({"a/run": b"", "a/deep/part": b"", "a/x.log": b"", "b/x.log": b"", "README": b""})
    formats = Registry([_format("folder", 1, "run", "deep/part"), _format("file", 0.5, "x.log")])
    found = discover(files, formats)
    assert sorted((one.files.id(), one.format.name, list(one.files)) for one in found.claimed) == [
        ("a", "file", ["x.log"]),
        ("a", "folder", ["deep/part", "run"]),
        ("b", "file", ["x.log"]),
    ]
    assert found.unclaimed == ["README"]


@pytest.mark.parametrize("known", list(FORMATS), ids=lambda known: known.name)
def test_every_format_has_a_summary_of_one_short_sentence(known: Format) -> None:
    assert re.fullmatch(r"[A-Z][^\n]{9,85}[\w)`]\.", known.summary)
    assert ". " not in known.summary


def test_positions_lead_to_the_line_of_the_value() -> None:
    (run,) = format_named("native").read(LogFiles.of(FIXTURES["native"]))
    assert isinstance(run, Run)
    lines = FIXTURES["native"]["steps.rank0.csv"].splitlines()
    for series in run.series:
        for step, line, value in zip(series.step, series.line, series.value, strict=True):
            assert lines[line - 1].startswith(b"%d," % step)
            assert series.phase != STEP or np.isfinite(value)
