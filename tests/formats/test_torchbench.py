"""TorchBench: medians of ten iterations."""

from reportgen.core.model import Run
from tests.builders import aggregate_of, read_all, read_log
from tests.formats.valid_logs import TORCHBENCH


def test_times_are_medians_and_the_host_sees_the_whole_step():
    run = read_log("torchbench", TORCHBENCH)
    assert run.factors == {"framework": "TorchBench", "item": "sample", "model": "resnet50", "test": "train",
                           "device": "cuda", "mode": "eager", "precision": "fp32", "batch_size": 32}  # fmt: skip
    assert aggregate_of(run, "step_time", "gpu", "median").value == 0.05
    assert aggregate_of(run, "step_time", "step", "median").value == 0.051
    assert aggregate_of(run, "memory_used", "step", "maximum").value == 5 * 2**30


# As run.py of early 2022 prints it: other words, wider columns.
EARLY = b"""\
Running eval method from tinynet on cuda in dynamo inductor mode with input batch size 8 and precision fp16.
GPU Time:             18.500 milliseconds
CPU Dispatch Time:    10.500 milliseconds
CPU Total Wall Time:  19.500 milliseconds
"""


def test_early_versions_print_other_words_and_a_mode_may_be_two_words():
    run = read_log("torchbench", EARLY)
    assert (run.factors["mode"], run.factors["batch_size"]) == ("dynamo inductor", 8)
    assert aggregate_of(run, "step_time", "gpu", "median").value == 0.0185
    assert aggregate_of(run, "step_time", "step", "median").value == 0.0195
    assert len(run.aggregates) == 2


def test_models_in_one_log_are_separate_runs():
    heading = (
        b"Running eval method from %s on cuda in eager mode with input batch size 8 and precision fp16.\n"
    )
    times = b"GPU Time per batch:   %d.000 milliseconds\nGPU 0 Peak Memory:              %d.0000 GB\n"
    content = (
        (heading % b"small") * 2 + times % (10, 1) + times % (10, 1)  # of two ranks
        + heading % b"large" + b"torch.OutOfMemoryError: CUDA out of memory.\n"
        + heading % b"medium" + times % (20, 4)
        + heading % b"medium" + times % (21, 4)
    )  # fmt: skip
    runs = [one for one in read_all("torchbench", content) if isinstance(one, Run)]
    assert [(run.id, run.factors["model"], run.status) for run in runs] == [
        ("x.log#1", "small", "complete"),
        ("x.log#2", "large", "out_of_memory"),
        ("x.log#3", "medium", "complete"),
        ("x.log#4", "medium", "complete"),
    ]
    assert aggregate_of(runs[2], "memory_used", "step", "maximum").value == 4 * 2**30
    assert aggregate_of(runs[3], "step_time", "gpu", "median").source.line == 13
    (finding,) = runs[1].findings
    assert finding.source
    assert finding.source.line == 8
