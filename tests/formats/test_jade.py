"""BenchmarkJade's slurm logs: the lines are written after train.py, inference.py and smooth_inference.py."""

import csv
import math
from pathlib import Path

import pytest

from reportgen.core.model import Run
from reportgen.formats.benchmarks import jade
from reportgen.load import load_runs
from reportgen.protocol import DEFAULT, measure_run
from reportgen.sources.logfiles import LogFiles

HEADER = b"""\
/jmain02/home/someone/BenchmarkJade/env/dataloader.py:561: UserWarning: This DataLoader will create 4 worker processes
  warnings.warn(_create_warning_msg(
Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/2
Initializing distributed: GLOBAL_RANK: 1, MEMBER: 2/2
--------------------
distributed_backend=nccl
All distributed processes registered. Starting with 2 processes
--------------------

"""
BATCHES = b"""\
Batch 101: Data Loading Time: 0.4876 seconds, Forward Pass Time: 0.1437 seconds, Backward Pass Time: 0.3247, Batch Size: 128
Batch 201: Data Loading Time: 0.3416 seconds, Forward Pass Time: 0.1664 seconds, Backward Pass Time: 0.3071, Batch Size: 128
"""
ENDING = b"""\
--------------------------------------------------
Arguments
--------------------------------------------------
dataset: imagenet
batch_size: 128
num_workers: 4
precision: 32-true
devices: -1
architecture: resnet50
strategy: ddp

--------------------------------------------------
System Information
--------------------------------------------------
Physical CPU Cores: 40
Total Memory:       503.30 GB
------------------------------
torch version:      2.0.0+cu117
driver version:     470.182.03
Devices:            2 x Tesla V100-SXM2-32GB-LS
--------------------------------------------------
Benchmark Results
--------------------------------------------------
Devices used:                    2 x Tesla V100-SXM2-32GB-LS
Average Data Loading Time:       0.6594 seconds
Average Data Preprocessing Time: 0.0000 seconds
Average Forward Pass Time:       0.1774 seconds
Average Backward Pass Time:      0.3166 seconds
Total Script Time:               451.0869 seconds
"""
TRAIN = HEADER + BATCHES + ENDING
CANCELLED = HEADER + (
    b"slurmstepd: error: *** JOB 7 ON node5 CANCELLED AT 2024-02-09T00:32:45 DUE TO TIME LIMIT ***\n"
)
RESULTS = {
    "data_loading_s": "data_loading",
    "data_preprocessing_s": "preprocessing",
    "forward_s": "forward",
    "backward_s": "backward",
}


def read(content: bytes, name: str = "slurm-7-train.out") -> Run:
    files = LogFiles.of({name: content}).file(name)
    assert jade.FORMAT.claims(files) is not None
    (run,) = jade.FORMAT.read(files)
    assert isinstance(run, Run)
    return run


def means(run: Run) -> dict[str, float]:
    return {one.phase: one.value for one in run.aggregates if one.statistic == "mean"}


def test_a_finished_log_has_its_means_and_factors() -> None:
    run = read(TRAIN)
    assert (run.status, run.samples_per_step) == ("complete", 256.0)
    assert means(run) == {"data_loading": 0.6594, "forward": 0.1774, "backward": 0.3166}
    assert run.factors == {
        "framework": "PyTorch",
        "item": "image",
        "cluster": "JADE2",
        "benchmark": "Train",
        "dataset": "ImageNet",
        "model": "resnet50_v1.5",
        "precision": "fp32",
        "device": "V100",
        "devices": 2,
        "batch_size": 128,
        "num_workers": 4,
    }
    assert run.environment["device_name"] == "Tesla V100-SXM2-32GB-LS"
    assert run.environment["driver"] == "470.182.03"
    (forward,) = [one for one in run.aggregates if (one.phase, one.statistic) == ("forward", "mean")]
    assert (forward.original, forward.source.line) == (
        "0.1774 seconds",
        TRAIN[: TRAIN.index(b"Average Forw")].count(b"\n") + 1,
    )
    assert not run.findings


def test_printed_batches_are_samples_with_their_lines_outside_of_any_window() -> None:
    run = read(TRAIN)
    samples = [one for one in run.aggregates if one.statistic == "sample"]
    assert [(one.phase, one.value, one.source.line) for one in samples] == [
        ("data_loading", 0.4876, 10),
        ("forward", 0.1437, 10),
        ("backward", 0.3247, 10),
        ("data_loading", 0.3416, 11),
        ("forward", 0.1664, 11),
        ("backward", 0.3071, 11),
    ]
    assert not run.series
    found = measure_run(run, "step_time", "forward", DEFAULT)
    assert found is not None
    assert (found.value, found.evidence) == (0.1774, "aggregate")


@pytest.mark.parametrize(
    ("name", "content", "benchmark"),
    [
        ("slurm-7-train.out", CANCELLED, "Train"),
        ("slurm-7-smooth-inference.out", CANCELLED, "Smooth Inference"),
        ("slurm-7-inference-small.out", CANCELLED, "Inference"),
        ("job.out", CANCELLED, None),
        ("slurm-7-inference.out", TRAIN, "Train"),  # the log overrides the name
        (
            "job.out",
            TRAIN.replace(b"Preprocessing Time: 0.0000", b"Preprocessing Time: 0.0026"),
            "Smooth Inference",
        ),
        ("job.out", HEADER + ENDING.replace(b"0.3166", b"0.0000"), "Inference"),
    ],
)
def test_phases_or_the_name_identify_the_benchmark(name: str, content: bytes, benchmark: str | None) -> None:
    assert read(content, name).factors.get("benchmark") == benchmark


@pytest.mark.parametrize(
    ("name", "variant"),
    [
        ("slurm-7-train.out", None),
        ("slurm-7-train-small.out", None),
        ("slurm-7-inference-imagenet-big.out", "big"),
        ("slurm-7-inference-dummy-big-max-cpu.out", "big-max-cpu"),
        ("slurm-x-train.out", None),
    ],
)
def test_jobs_with_different_names_are_not_repeats(name: str, variant: str | None) -> None:
    assert read(TRAIN, name).factors.get("variant") == variant


def test_a_job_cut_at_its_time_limit_is_cancelled_and_has_no_figure() -> None:
    run = read(CANCELLED)
    assert (run.status, run.aggregates, run.factors["devices"]) == ("cancelled", (), 2)
    assert (run.environment["host"], run.environment["ended"]) == ("node5", "2024-02-09T00:32:45")
    (finding,) = run.findings
    assert (finding.rule, finding.source and finding.source.line) == ("read.failed-run", 10)
    assert "DUE TO TIME LIMIT" in finding.message


@pytest.mark.parametrize(
    ("content", "status", "rule"),
    [
        (HEADER, "partial", "read.incomplete-run"),
        (HEADER + BATCHES, "partial", "read.incomplete-run"),
        (HEADER + b"torch.cuda.OutOfMemoryError: CUDA out of memory.\n", "out_of_memory", "read.failed-run"),
        (HEADER + b"Traceback (most recent call last):\n", "failed", "read.failed-run"),
    ],
)
def test_a_log_without_means_reports_how_it_ended_and_is_never_measured(
    content: bytes, status: str, rule: str
) -> None:
    run = read(content)
    assert (run.status, [one.rule for one in run.findings]) == (status, [rule])
    assert measure_run(run, "step_time", "forward", DEFAULT) is None


def test_scripts_that_wrote_into_one_log_are_one_run_each() -> None:
    other = ENDING.replace(b"0.1774", b"0.5").replace(b"batch_size: 128", b"batch_size: 64")
    content = HEADER + BATCHES + ENDING + HEADER + other
    files = LogFiles.of({"slurm-7-train.out": content}).file("slurm-7-train.out")
    first, second = (run for run in jade.FORMAT.read(files) if isinstance(run, Run))
    assert (first.id, second.id) == ("slurm-7-train.out#1", "slurm-7-train.out#2")
    assert [run.factors["batch_size"] for run in (first, second)] == [128, 64]
    assert [means(run)["forward"] for run in (first, second)] == [0.1774, 0.5]


def test_damaged_lines_are_reported_and_the_rest_is_read() -> None:
    run = read(
        TRAIN.replace(
            b"Batch 101: Data Loading Time: 0.4876", b"Batch 101: Data Loading Time: 0.48.76"
        ).replace(b"0.6594 seconds", b"0.65")
    )
    assert [(one.rule, one.source and one.source.line) for one in run.findings] == [
        ("read.malformed-line", 10),
        ("read.malformed-line", TRAIN[: TRAIN.index(b"Average Data L")].count(b"\n") + 1),
    ]
    assert means(run) == {"forward": 0.1774, "backward": 0.3166}


def test_other_fabric_jobs_are_not_claimed() -> None:
    content = HEADER.replace(b"BenchmarkJade", b"Elsewhere")
    assert jade.FORMAT.claims(LogFiles.of({"slurm-7-train.out": content}).file("slurm-7-train.out")) is None


# The corpus


def rows(corpus: Path, name: str) -> list[dict[str, str]]:
    with (corpus / "expected" / name).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def test_every_log_of_the_corpus_is_read_as_expected(corpus: Path) -> None:
    runs = {run.id: run for run in load_runs([corpus / "jade"], root=corpus).runs}
    expected = rows(corpus, "jade.csv")
    assert set(runs) == {row["file"] for row in expected}
    for row in expected:
        _compare(runs[row["file"]], row)
    print(f"jade: {len(expected)} of {len(expected)} logs as expected")


def _compare(run: Run, row: dict[str, str]) -> None:
    assert run.status == ("complete" if row["status"] == "ok" else row["status"].partition(":")[0])
    named = {
        "cluster": "cluster",
        "dataset": "dataset",
        "benchmark": "benchmark",
        "device_name": "device",
        "arg_num_workers": "num_workers",
        "arg_batch_size": "batch_size",
    }
    for column, factor in named.items():
        assert str(run.factors.get(factor, "")) == row[column], (run.id, column)
    about = {
        "device": "device_name",
        "node": "host",
        "end_time": "ended",
        "physical_cores": "cpu_cores",
        "virtual_cores": "cpu_threads",
        "cpu_model": "cpu",
        "total_memory": "memory",
        "torch": "torch",
        "cuda": "cuda",
        "driver": "driver",
        "job_id": "job_id",
        "job_name": "job",
        "arg_strategy": "strategy",
    }
    for column, name in about.items():
        assert str(run.environment.get(name, "")) == row[column], (run.id, column)
    assert str(run.factors["devices"]) == (row["n_devices"] or row["world_size"])
    found = means(run)
    for column, phase in RESULTS.items():
        assert found.get(phase, 0.0) == float(row[column] or 0), (run.id, column)
    if row["status"] != "ok":
        return
    (total,) = [one.value for one in run.aggregates if one.metric == "run_time"]
    assert total == float(row["total_script_s"])
    assert run.samples_per_step == int(row["n_devices"]) * int(row["arg_batch_size"])
    step = math.fsum(found.values())
    assert step == pytest.approx(float(row["step_sum_s"]), abs=5e-5)
    assert total / step == pytest.approx(float(row["est_steps_from_total"]), abs=0.051)
    assert run.samples_per_step / step == pytest.approx(float(row["images_per_s_incl_data"]), abs=0.051)


def test_every_printed_batch_of_the_corpus_is_a_sample(corpus: Path) -> None:
    runs = load_runs([corpus / "jade"], root=corpus).runs
    found = {}
    for run in runs:
        lines = (corpus / "jade" / run.id).read_bytes().split(b"\n")
        for one in run.aggregates:
            if one.statistic == "sample":
                batch = lines[one.source.line - 1].split()[1].rstrip(b":").decode()
                found[run.id, batch, one.phase] = one.value
    expected = {
        (row["file"], row["batch"], phase): float(row[column])
        for row in rows(corpus, "jade_batches.csv")
        for column, phase in RESULTS.items()
        if float(row.get(column) or 0)
    }
    assert found == expected
    print(
        f"jade: {len(expected)} phases of {len(rows(corpus, 'jade_batches.csv'))} printed batches as expected"
    )
