"""TorchBench: medians of ten iterations."""

from tests.formats.reading import aggregate, read_run
from tests.formats.trainer_logs import TORCHBENCH


def test_times_are_medians_and_the_host_sees_the_whole_step():
    run = read_run("torchbench", TORCHBENCH)
    assert run.factors == {"framework": "TorchBench", "item": "sample", "model": "resnet50", "test": "train",
                           "device": "cuda", "mode": "eager", "precision": "fp32", "batch_size": 32}  # fmt: skip
    assert aggregate(run, "step_time", "gpu", "median").value == 0.05
    assert aggregate(run, "step_time", "step", "median").value == 0.051
    assert aggregate(run, "memory_used", "step", "maximum").value == 5 * 2**30


# As run.py of early 2022 prints it: other words, wider columns.
EARLY = b"""\
Running eval method from tinynet on cuda in dynamo inductor mode with input batch size 8 and precision fp16.
GPU Time:             18.500 milliseconds
CPU Dispatch Time:    10.500 milliseconds
CPU Total Wall Time:  19.500 milliseconds
"""


def test_early_versions_have_other_words_and_a_mode_may_be_two():
    run = read_run("torchbench", EARLY)
    assert (run.factors["mode"], run.factors["batch_size"]) == ("dynamo inductor", 8)
    assert aggregate(run, "step_time", "gpu", "median").value == 0.0185
    assert aggregate(run, "step_time", "step", "median").value == 0.0195
    assert len(run.aggregates) == 2
