"""Lightning's profilers, CSVLogger and ThroughputMonitor, and folders of transformers-benchmarking.

The reports are written after lightning/pytorch/profilers of versions 1.0, 1.6 and 2.2, the folder after
run_benchmarks_1gpu.sh of that project.
"""

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest

from reportgen.core.model import Aggregate, Run
from reportgen.formats.lightning import reader as lightning
from reportgen.load import load_runs
from reportgen.protocol import DEFAULT, measure_run
from reportgen.sources.logfiles import LogFiles

OLD = b"""

Profiler Report

Action              \t|  Mean duration (s)\t|  Total time (s) 
-----------------------------------------------------------------
on_train_start      \t|  2.0286e-05     \t|  2.0286e-05     
get_train_batch     \t|  0.001          \t|  0.3            
on_batch_start      \t|  0.0001         \t|  0.03           
on_train_batch_start\t|  0.0002         \t|  0.06           
training_step_end   \t|  0.0003         \t|  0.09           
model_forward       \t|  0.06           \t|  18.0           
model_backward      \t|  0.12           \t|  36.0           
on_after_backward   \t|  0.0004         \t|  0.12           
optimizer_step      \t|  0.19           \t|  57.0           
on_batch_end        \t|  0.0005         \t|  0.15           
on_train_batch_end  \t|  0.0006         \t|  0.18           
"""  # noqa: W291
MIDDLE = b"""INFO - 2022-08-04 14:36:34,955 - base - FIT Profiler Report

Action             \t|  Mean duration (s)\t|Num calls      \t|  Total time (s) \t|  Percentage %   \t|
-------------------------------------------------------------------------------
Total              \t|  -              \t|_              \t|  7440.9         \t|  100 %          \t|
-------------------------------------------------------------------------------
run_training_epoch \t|  356.19         \t|20             \t|  7123.8         \t|  95.738         \t|
run_training_batch \t|  0.5            \t|12500          \t|  6250.0         \t|  84.0           \t|
training_step      \t|  0.23755        \t|12500          \t|  2969.4         \t|  39.907         \t|
backward           \t|  0.018791       \t|12500          \t|  234.89         \t|  3.1567         \t|
get_train_batch    \t|  0.002          \t|12500          \t|  25.0           \t|  0.3            \t|
"""
NEW = b"""FIT Profiler Report

-------------------------------------------------------------------------------
|  Action                                          \t|  Mean duration (s)\t|  Num calls  \t|  Total time (s) \t|  Percentage %   \t|
-------------------------------------------------------------------------------
|  Total                                           \t|  -              \t|  703605         \t|  5712.5         \t|  100 %          \t|
-------------------------------------------------------------------------------
|  run_training_batch                              \t|  0.4            \t|  1000           \t|  400.0          \t|  7.0            \t|
|  [Strategy]SingleDeviceStrategy.training_step    \t|  0.1            \t|  1000           \t|  100.0          \t|  1.7            \t|
|  [Strategy]SingleDeviceStrategy.backward         \t|  0.2            \t|  1000           \t|  200.0          \t|  3.5            \t|
|  [_TrainingEpochLoop].train_dataloader_next      \t|  0.05           \t|  1000           \t|  50.0           \t|  0.9            \t|
|  [Callback]ModelSummary.on_fit_start             \t|  1e-05          \t|  1              \t|  1e-05          \t|  0.0            \t|
"""
ADVANCED = b"""FIT Profiler Report

Profile stats for: run_training_epoch
         4869394 function calls (4863767 primitive calls) in 18.893 seconds

   Ordered by: cumulative time
   List reduced from 76 to 1 due to restriction <0.01>

   ncalls  tottime  percall  cumtime  percall filename:lineno(function)
  3752/1876    0.011    0.000   18.887    0.010 {built-in method builtins.next}

Profile stats for: [Strategy]DDPStrategy.backward rank: 0
         39 function calls in 7.500 seconds
"""
INFO = {
    "model_name": "roberta-large",
    "batch_size": 8,
    "max_steps": 300,
    "num_gpus": 1,
    "max_seq_len": 256,
    "dataset": "imdb",
    "num_workers": 4,
    "profile_mode": False,
    "pytorch_adamw": False,
    "amp": True,
    "train_duration": 64.5,
    "cold_start_time": 45.25,
}
ENVIRONMENT = b"""PyTorch version: 1.7.0a0+7036e91
Is debug build: False
CUDA used to build PyTorch: 11.1
OS: Ubuntu 18.04.5 LTS (x86_64)
Python version: 3.6 (64-bit runtime)
Is CUDA available: True
CUDA runtime version: Could not collect
GPU 0: Tesla V100-DGXS-16GB
GPU 1: Tesla V100-DGXS-16GB
Nvidia driver version: 450.80.02
[pip3] pytorch-lightning==1.0.7
"""
QUERY = b"""./deviceQuery Starting...

 CUDA Device Query (Runtime API) version (CUDART static linking)

Device 0: "A100-SXM4-40GB"
  Total amount of global memory:                 40536 MBytes (42505273344 bytes)
  (108) Multiprocessors, ( 64) CUDA Cores/MP:     6912 CUDA Cores
  GPU Max Clock rate:                            1410 MHz (1.41 GHz)
"""
PROFILED = b"""\
gpu_id: 0/utilization.gpu (%),gpu_id: 0/memory.used (MB),gpu_id: 0/utilization.memory (%),step,train_loss,epoch
10.0,12288.0,10.0,49,,
50.0,12290.0,30.0,49,,
,,,299,0.25,0
,,,299,0.75,1
"""
CLEAN = b"train_loss,epoch,step\n0.25,0,299\n"
DLPROF = {
    "Summary Report": {
        "GPU Idle %": [60.0],
        "Tensor Core Kernel Utilization %": [37.5],
        "Wall Clock Time (ns)": [2_000_000_000],
    }
}
FOLDER = {
    "pl_profile.txt": OLD,
    "exp_info.json": json.dumps(INFO).encode(),
    "env_info.txt": ENVIRONMENT,
    "gpu_hw_info.txt": QUERY,
    "dlprof_summary.json": json.dumps(DLPROF).encode(),
    "version_0/metrics.csv": PROFILED,
    "version_0/hparams.yaml": b"{}",
    "version_1/metrics.csv": CLEAN,
    "version_1/hparams.yaml": b"{}",
}
FAILED = {
    "pl_profile.txt": b"",
    "env_info.txt": ENVIRONMENT,
    "gpu_hw_info.txt": QUERY,
    "version_0/hparams.yaml": b"{}",
    "version_1/hparams.yaml": b"{}",
}
MONITOR = b"""\
epoch,step,train/batches,train/device/batches_per_sec,train/device/samples_per_sec,train/samples,train/samples_per_sec,train/time
0,49,50,,,400,,5.0
0,99,100,10.0,80.0,800,160.0,10.0
0,149,150,12.5,100.0,1200,200.0,14.0
"""


def read_file(content: bytes, name: str = "profile.txt") -> Run:
    files = LogFiles.of({name: content}).file(name)
    assert lightning.claims(files) is not None
    (run,) = lightning.read(files)
    assert isinstance(run, Run)
    return run


def read_folder(contents: dict[str, bytes], prefix: str = "") -> Run:
    files = LogFiles.of(contents, prefix=prefix)
    claim = lightning.claims(files)
    assert claim is not None
    assert set(claim.files) == set(contents)
    (run,) = lightning.read(files.select(claim.files))
    assert isinstance(run, Run)
    return run


def figures(run: Run, metric: str, statistic: str = "mean") -> dict[str, float]:
    return {
        one.phase: one.value for one in run.aggregates if (one.metric, one.statistic) == (metric, statistic)
    }


def figure(run: Run, metric: str, statistic: str = "mean") -> Aggregate:
    (found,) = [
        one for one in run.aggregates if (one.metric, one.phase, one.statistic) == (metric, "step", statistic)
    ]
    return found


def test_the_layout_of_2020_has_means_and_the_calls_follow_from_the_totals() -> None:
    run = read_file(OLD)
    assert run.factors == {"framework": "PyTorch Lightning"}
    forward = next(one for one in run.aggregates if one.phase == "forward")
    assert (forward.value, forward.n, forward.original, forward.source.line) == (0.06, 300, "0.06", 12)
    times = figures(run, "step_time")
    assert (times["backward"], times["data_loading"], times["optimizer_step"]) == (0.12, 0.001, 0.19)
    assert figures(run, "action_time") == {"on_train_start": 2.0286e-05}
    # The optimizer step contains both passes; 0.001 + 0.0001 + 0.0002 + 0.0005 + 0.0006 are outside it.
    assert times["step"] == pytest.approx(0.1924)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"|  0.19           \t|  57.0           ", b"|  0.17           \t|  51.0           "),
        (b"|  0.19           \t|  57.0           ", b"|  0.38           \t|  57.0           "),
        (b"on_batch_end  ", b"on_other_hook "),
    ],
)
def test_an_optimizer_step_without_the_passes_or_hooks_is_not_the_whole_step(old: bytes, new: bytes) -> None:
    """It is shorter than both passes, ran for every second batch, or a hook of the batch is not timed."""
    assert old in OLD
    assert "step" not in figures(read_file(OLD.replace(old, new)), "step_time")


def test_the_layout_of_2022_has_calls_and_the_time_of_the_whole_batch() -> None:
    run = read_file(MIDDLE)
    batch = next(one for one in run.aggregates if one.phase == "training_batch")
    assert (batch.value, batch.n, batch.source.line) == (0.5, 12500, 8)
    assert figures(run, "step_time")["step"] == pytest.approx(0.502)
    assert figures(run, "action_time") == {"run_training_epoch": 356.19}
    assert figure(run, "run_time", "total").value == 7440.9


def test_the_current_layout_has_bars_and_names_classes() -> None:
    run = read_file(NEW)
    times = figures(run, "step_time")
    assert (times["forward"], times["backward"], times["data_loading"]) == (0.1, 0.2, 0.05)
    assert times["step"] == pytest.approx(0.45)
    assert figures(run, "action_time") == {"[Callback]ModelSummary.on_fit_start": 1e-05}


def test_the_current_layout_may_omit_calls_and_shares() -> None:
    """The form of SimpleProfiler(extended=False)."""
    rows = [
        line.split(b"\t|") for line in NEW.splitlines() if line.startswith(b"|  ") and b"Total  " not in line
    ]
    lines = [b"\t|".join((row[0], row[1], row[3], b"")) for row in rows]
    run = read_file(b"FIT Profiler Report\n\n" + b"\n".join(lines) + b"\n")
    assert figures(run, "step_time") == figures(read_file(NEW), "step_time")
    assert next(one.n for one in run.aggregates if one.phase == "forward") == 1000


@pytest.mark.parametrize("report", [OLD, MIDDLE, NEW])
def test_spaces_may_replace_the_tabs(report: bytes) -> None:
    assert read_file(report.expandtabs()).aggregates == read_file(report).aggregates


def test_the_advanced_profiler_has_totals_only() -> None:
    run = read_file(ADVANCED)
    assert figures(run, "run_time", "total") == {
        "run_training_epoch": 18.893,
        "[Strategy]DDPStrategy.backward": 7.5,
    }
    assert [one.source.line for one in run.aggregates] == [3, 12]


def test_the_training_report_is_used_not_the_testing_report() -> None:
    testing = NEW.replace(b"FIT", b"TEST").replace(b"0.1  ", b"0.9  ")
    assert figures(read_file(testing + NEW), "step_time")["forward"] == 0.1
    assert figures(read_file(testing), "step_time")["forward"] == 0.9


def test_a_second_report_of_training_in_a_file_is_named() -> None:
    (finding,) = read_file(NEW + NEW.replace(b"0.1  ", b"0.9  ")).findings
    assert (finding.rule, finding.source.line) == ("read.several-runs", NEW.count(b"\n") + 1)
    assert read_file(NEW).findings == ()


def test_a_folder_with_two_executions_is_one_run() -> None:
    run = read_folder(FOLDER)
    assert (run.status, run.samples_per_step, run.findings) == ("complete", 8.0, ())
    assert run.factors == {
        "framework": "PyTorch Lightning",
        "item": "sequence",
        "model": "roberta-large",
        "seq_len": 256,
        "batch_size": 8,
        "devices": 1,
        "dataset": "imdb",
        "precision": "amp",
        "device": "A100",
    }
    assert figures(run, "step_time")["between_steps"] == pytest.approx(0.0031)
    assert (figure(run, "memory_used").value, figure(run, "memory_used", "maximum").value) == (
        12289 * 2**20,
        12290 * 2**20,
    )
    assert figure(run, "memory_utilization").value == pytest.approx(0.2)
    assert figure(run, "utilization").value == pytest.approx((0.3 + 0.4) / 2)
    assert figure(run, "tensor_core_utilization").value == 0.375
    assert figure(run, "loss").value == pytest.approx((0.5 + 0.25) / 2)
    assert figure(run, "run_time", "total").value == 64.5
    assert run.environment["device_name"] == "A100-SXM4-40GB"
    assert run.environment["device_memory"] == "40536 MiB"
    assert (run.environment["driver"], run.environment["python"]) == ("450.80.02", "3.6")
    assert not run.telemetry  # the samples belong to the other execution


def test_a_configuration_without_results_failed_and_its_folders_name_it() -> None:
    run = read_folder(FAILED, "v100/amp/distilroberta-base/512-64")
    assert (run.status, run.aggregates) == ("failed", ())
    assert run.factors == {
        "framework": "PyTorch Lightning",
        "item": "sequence",
        "precision": "amp",
        "device": "A100",
        "model": "distilroberta-base",
        "seq_len": 512,
        "batch_size": 64,
    }
    assert [one.rule for one in run.findings] == ["read.failed-run"]
    assert "model" not in read_folder(FAILED, "somewhere/else").factors


def test_a_partial_configuration_reports_what_is_missing() -> None:
    contents = {
        name: content
        for name, content in FOLDER.items()
        if name not in ("dlprof_summary.json", "version_1/metrics.csv", "version_1/hparams.yaml")
    }
    contents["exp_info.json"] = json.dumps(INFO | {"profile_mode": True}).encode()
    run = read_folder(contents)
    assert run.status == "partial"
    assert figure(run, "utilization").value == pytest.approx(0.3)
    assert [one.message for one in run.findings] == [
        "not everything was recorded: no DLProf summary, no version_1/metrics.csv; utilisation is from nvidia-smi alone",
        "the times were measured under the profiler",
    ]
    found = measure_run(run, "step_time", "forward", DEFAULT)
    assert found is not None
    assert found.value == 0.06


def test_a_report_beside_its_versions_is_complete_without_dlprof() -> None:
    run = read_folder({"profile.txt": NEW, "env.txt": ENVIRONMENT, "version_0/metrics.csv": CLEAN})
    assert (run.status, run.factors["device"]) == ("complete", "V100")


def test_versions_beside_a_description_of_the_machine_are_separate_runs() -> None:
    assert (
        lightning.claims(
            LogFiles.of(
                {"env.txt": ENVIRONMENT, "version_0/metrics.csv": MONITOR, "version_1/metrics.csv": MONITOR}
            )
        )
        is None
    )
    assert lightning.claims(LogFiles.of({"README.md": b"x", "version_0/hparams.yaml": b"{}"})) is None


def test_throughput_monitor_gives_intervals_and_the_number_of_devices() -> None:
    run = read_file(MONITOR, "metrics.csv")
    steps, rates = run.series
    assert run.factors["devices"] == 2
    assert (steps.clock, steps.step.tolist(), steps.span.tolist()) == (
        "host_synchronized",
        [50, 100, 150],
        [50, 50, 50],
    )
    np.testing.assert_allclose(steps.value, [5.0, 5.0, 4.0])
    np.testing.assert_allclose(steps.samples, [800.0, 800.0, 800.0])
    assert steps.line.tolist() == [2, 3, 4]
    assert (rates.metric, rates.clock, rates.value.tolist()) == ("throughput", "printed", [160.0, 200.0])
    assert rates.span.tolist() == [100, 100]


def test_gpu_stats_of_a_single_metrics_file_are_telemetry_without_times() -> None:
    run = read_file(PROFILED, "metrics.csv")
    (device,) = run.telemetry
    np.testing.assert_allclose(device.columns["utilization"][:2], [0.1, 0.5])
    assert np.isnan(device.t).all()
    assert figure(run, "loss").value == 0.5


@pytest.mark.parametrize(
    "content", [b"step,loss\n1,2\n", b"a,b\n1,2\n", b"step\n1\n", b"epoch,step\n1,2\n", b""]
)
def test_any_other_csv_is_not_claimed(content: bytes) -> None:
    assert lightning.claims(LogFiles.of({"metrics.csv": content}).file("metrics.csv")) is None


def test_damaged_rows_are_reported() -> None:
    run = read_file(MONITOR + b"0,1\n", "metrics.csv")
    assert [(one.rule, one.source and one.source.line) for one in run.findings] == [
        ("read.malformed-line", 5)
    ]


def test_a_header_without_rows_is_a_partial_run() -> None:
    run = read_file(MONITOR.partition(b"\n")[0] + b"\n", "metrics.csv")
    assert run.status == "partial"
    assert [(one.rule, one.message) for one in run.findings] == [
        ("read.incomplete-run", "a header without rows")
    ]


# The corpus


def rows(corpus: Path) -> list[dict[str, str]]:
    with (corpus / "expected" / "transformers.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


STATUSES = {"ok": "complete", "failed": "failed", "partial": "partial"}


def test_every_configuration_of_the_corpus_is_read_as_expected(corpus: Path) -> None:
    runs = {run.id: run for run in load_runs([corpus / "transformers"], root=corpus).runs}
    expected = rows(corpus)
    for row in expected:
        run = runs.pop(f"{row['gpu']}/{row['compute']}/{row['model']}/{row['seq_len']}-{row['batch_size']}")
        assert run.status == STATUSES[row["status"]]
        case = tuple(str(run.factors[name]) for name in ("precision", "model", "seq_len", "batch_size"))
        assert case == (row["compute"], row["model"], row["seq_len"], row["batch_size"])
        if row["status"] == "ok":
            _compare(run, row)
    assert not runs
    print(f"transformers: {len(expected)} of {len(expected)} configurations as expected")


def _compare(run: Run, row: dict[str, str]) -> None:
    times = figures(run, "step_time")
    (profiled, clean) = [
        one.value for one in run.aggregates if (one.metric, one.statistic) == ("loss", "sample")
    ]
    smi, busy = [
        one.value for one in run.aggregates if (one.metric, one.statistic) == ("utilization", "sample")
    ]
    memory = figure(run, "memory_used")
    found = {
        "cpu_time": times["between_steps"],
        "forward": times["forward"],
        "backward": times["backward"],
        "optimizer_step": times["optimizer_step"],
        "opt_minus_fwd_bwd": times["optimizer_step"] - times["forward"] - times["backward"],
        "n_steps": next(one.n for one in run.aggregates if one.phase == "forward"),
        "train_loss": figure(run, "loss").value,
        "loss_v0": profiled,
        "loss_v1": clean,
        "vram_usage": memory.value / 2**20,
        "vram_max": figure(run, "memory_used", "maximum").value / 2**20,
        "vram_io": figure(run, "memory_utilization").value * 100,
        "gpu_util_smi": smi * 100,
        "gpu_idle": 100 - busy * 100,
        "sm_util": figure(run, "utilization").value * 100,
        "tc_util": figure(run, "tensor_core_utilization").value * 100,
        "n_gpu_samples": memory.n,
        "max_steps": run.environment["max_steps"],
        "num_gpus": run.factors["devices"],
        "num_workers": run.environment["num_workers"],
        "cold_start_time": run.environment["cold_start_time"],
        "train_duration": figure(run, "run_time", "total").value,
    }
    for name, value in found.items():
        assert math.isclose(float(value), float(row[name]), rel_tol=1e-12, abs_tol=1e-12), (run.id, name)
    assert (run.factors["dataset"], run.factors["precision"] == "amp") == (
        row["dataset"],
        row["amp"] == "True",
    )


def test_the_reports_of_later_versions_in_the_corpus_are_read(corpus: Path) -> None:
    runs = {run.id: run for run in load_runs([corpus / "trainers" / "lightning"], root=corpus).runs}
    found = [one for run in runs.values() for one in run.aggregates if one.phase == "training_batch"]
    assert [(one.value, one.n) for one in found] == [(0.5163, 12500)]
    assert len(runs) == 2


def test_a_mean_that_is_not_a_number_is_kept_for_its_finding() -> None:
    report = b"Profiler Report\n\nAction\t|  Mean duration (s)\t|  Total time (s) \nmodel_forward\t|  1e999\t|  0.3\n"
    (aggregate,) = read_file(report).aggregates
    assert (aggregate.original, aggregate.value) == ("1e999", math.inf)


def _nans(run: Run) -> list[tuple[str, str, str, int]]:
    found = [(x, x.source) for x in run.findings if ": NaN" in x.text]
    return [(x.severity, x.text, source.path, source.line) for x, source in found if source]


def test_a_nan_of_a_column_is_a_finding():
    run = read_file(MONITOR.replace(b"12.5,100.0", b"12.5,nan"), "metrics.csv")
    text = 'the log says "train/device/samples_per_sec: NaN"'
    assert _nans(run) == [("warning", text, "metrics.csv", 4)]


def test_a_nan_in_a_folder_is_a_finding_of_its_file():
    info = json.dumps({**INFO, "train_duration": math.nan}).encode()
    nans = {"version_1/metrics.csv": CLEAN + b"nan,1,599\nnan,2,899\n", "exp_info.json": info}
    run = read_folder(FOLDER | nans)
    assert _nans(run) == [
        ("note", 'the log says "train_loss: NaN" (2 times)', "version_1/metrics.csv", 3),
        ("warning", 'the log says "train_duration: NaN"', "exp_info.json", 0),
    ]
