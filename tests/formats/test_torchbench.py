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
