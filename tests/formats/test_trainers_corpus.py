"""Real logs of trainers and benchmark programs against the table that came with them.

Expected: step records, and the mean over the steps 21..120 where a log reaches them, as worked out by another
program. Values that the window does not give (too short logs) are taken over all records.
"""

from pathlib import Path

import numpy as np
import pytest

from reportgen.core.model import Run
from reportgen.formats.detection import detect
from reportgen.load import load_runs
from reportgen.protocol import Protocol, measure_run
from reportgen.sources.logfiles import LogFiles

# path: format, step records, (metric, phase, value, tolerance) under 20+100x7
MEASURED = {
    "megatron_lm/issue756_excerpt.log": ("megatron", 3, ("step_time", "step", 5.56577, 5e-6)),
    "nanogpt/issue178_excerpt.log": ("nanogpt", 25, ("step_time", "step", 0.898683, 5e-7)),
    "nanogpt/pull225_excerpt.log": ("nanogpt", 20, ("step_time", "step", 4.651692, 5e-7)),
    "llamafactory/trainer_log.jsonl": ("hf_trainer", 50, ("step_time", "step", 2.59, 5e-3)),
    "mmcv/hrnet_torch_bs8_fp16_gpu8_excerpt.log": ("mmengine", 45, ("step_time", "step", 1.10384, 5e-6)),
    "mmcv/deeplabv3p_c1_fp16.log": ("mmengine", 10, ("step_time", "step", 0.5326, 5e-5)),
    "timm/swin_tiny_2x2080ti_excerpt.log": ("timm", 3, ("step_time", "step", 0.316, 5e-4)),
    # One run with trainer_log.jsonl beside it.
    "hf_trainer/trainer_state.json": ("hf_trainer", 0, ("step_time", "step", 7.787, 5e-4)),
    "optimum_benchmark": ("optimum_benchmark", 0, ("latency", "forward", 11.32957, 5e-6)),
    "llama_bench/llama_bench.json#1": ("llama_bench", 0, ("throughput", "step", 7100.00, 5e-3)),
    "llama_bench/llama_bench.json#2": ("llama_bench", 0, ("throughput", "step", 118.88, 5e-3)),
    "llama_bench/llama_bench.jsonl#1": ("llama_bench", 0, ("throughput", "step", 7263.61, 5e-3)),
    "llama_bench/llama_bench.jsonl#2": ("llama_bench", 0, ("throughput", "step", 119.84, 5e-3)),
    "llama_bench/llama_bench_depth.md#3": ("llama_bench", 0, ("throughput", "step", 6425.91, 5e-3)),
}
FURTHER = {
    "mmcv/hrnet_torch_bs8_fp16_gpu8_excerpt.log": [("throughput", "step", 57.98, 5e-3),
                                                   ("step_time", "data_loading", 0.19428, 5e-6)],
    "hf_trainer/trainer_state.json": [("throughput", "step", 14.427, 5e-4), ("token_throughput", "step", 4128.2, 5e-2)],
    "optimum_benchmark": [("throughput", "forward", 5.6489, 5e-5)],
}  # fmt: skip
# path: format, steps of the log, mean s per step by the clock named, over all its records
WHOLE = {
    "megatron_deepspeed/megatron_deepspeed.log": ("megatron", [1, 2, 3, 4, 5], "host_synchronized", 75.23924),
    "megatron_lm/megatron_llm_issue11_excerpt.log": (
        "megatron",
        [122, 123, 124, 125],
        "host_synchronized",
        88.2417,
    ),
    "torchtitan/pull3393_rank0_excerpt.log": ("torchtitan", list(range(15, 22)), "timestamp", 1.1219),
    "torchtitan/pull1287_every10_excerpt.log": (
        "torchtitan",
        [210, 220, 230, 240, 250],
        "timestamp",
        1.41048,
    ),
    "torchtitan/pull2389_all_ranks_excerpt.log": ("torchtitan", [5], "timestamp", 1.637),
    "nanogpt/issue110_excerpt.log": ("nanogpt", list(range(1632, 1643)), "host", 0.56285),
    "nanochat/pull147_excerpt.log": ("nanochat", list(range(5, 12)), "host_synchronized", 0.993217),
    "nemo/bionemo_pull740_excerpt.log": ("nemo", list(range(121, 127)), "host", 0.031663),
    "mmengine/yolo_world_issue190_excerpt.log": ("mmengine", [50, 100, 150, 200, 250], "host", 0.917),
    "timm/resnet50_33_steps_excerpt.log": ("timm", [1, 33], "host", 0.218),
}
SAMPLES_PER_STEP = {"nanochat/pull147_excerpt.log": 524288, "megatron_deepspeed/megatron_deepspeed.log": 2048,
                    "timm/swin_tiny_2x2080ti_excerpt.log": 128, "timm/resnet50_33_steps_excerpt.log": 16,
                    "mmcv/hrnet_torch_bs8_fp16_gpu8_excerpt.log": 64, "nemo/bionemo_pull740_excerpt.log": 1}  # fmt: skip


@pytest.fixture(scope="module")
def runs(corpus: Path) -> dict[str, Run]:
    return {run.id: run for run in load_runs([corpus / "trainers"], root=corpus).runs}


@pytest.mark.parametrize("id", MEASURED)
def test_window_and_aggregates(runs: dict[str, Run], id: str) -> None:
    name, records, first = MEASURED[id]
    run = runs[id]
    longest = max((len(one.step) for one in run.series), default=0)
    assert (run.format, run.status, longest) == (name, "complete", records)
    for metric, phase, value, tolerance in (first, *FURTHER.get(id, ())):
        found = measure_run(run, metric, phase, Protocol())
        assert found is not None
        assert found.value == pytest.approx(value, abs=tolerance)


@pytest.mark.parametrize("id", WHOLE)
def test_all_records_of_logs_that_are_too_short(runs: dict[str, Run], id: str) -> None:
    name, steps, clock, mean = WHOLE[id]
    run = runs[id]
    found = next(
        one for one in run.series if (one.metric, one.phase, one.clock) == ("step_time", "step", clock)
    )
    assert (run.format, found.step.tolist()) == (name, steps)
    assert np.sum(found.value) / np.sum(found.span) == pytest.approx(mean, rel=1e-4)


def test_work_and_devices(runs: dict[str, Run]) -> None:
    assert {id: runs[id].samples_per_step for id in SAMPLES_PER_STEP} == SAMPLES_PER_STEP
    factors = runs["megatron_deepspeed/megatron_deepspeed.log"].factors
    assert (factors["devices"], factors["nodes"], factors["batch_size"], factors["seq_len"]) == (
        16,
        2,
        128,
        2048,
    )


def test_benchmark_programs_give_a_run_for_each_case(runs: dict[str, Run]) -> None:
    def count(path: str) -> int:
        return len([id for id in runs if id.startswith(f"{path}#")])

    assert (count("nvbench/test_ref_excerpt.json"), count("nvbench/test_cmp_excerpt.json")) == (42, 42)
    assert [count(f"superbench/{name}.jsonl") for name in
            ("results-summary", "test_results", "test_generate_baseline_results", "diagnosis_summary")] == [3, 3, 3, 0]  # fmt: skip
    assert [runs[f"superbench/test_results.jsonl#{n}"].status for n in (1, 2, 3)] == [
        "complete",
        "complete",
        "partial",
    ]
    assert len(runs["superbench/monitor.jsonl"].telemetry) == 8


def test_metric_logger_inside_an_mlperf_log(corpus: Path) -> None:
    """The lines are read as they are elsewhere; which reader gets the file is the others' confidence."""
    from reportgen.formats.trainers import torchvision

    path = corpus / "trainers" / "torchvision" / "result_0.txt"
    (run,) = torchvision.FORMAT.read(LogFiles.of({"x": path.read_bytes()}).file("x"))
    assert isinstance(run, Run)
    found = measure_run(run, "step_time", "step", Protocol())
    assert found is not None
    assert found.value == pytest.approx(0.11292, abs=5e-6)
    assert [one.value for one in run.aggregates] == [0.1302, 0.1123, 0.1122, 0.1120]
    assert (run.factors["batch_size"], run.factors["devices"]) == (32, 8)


def test_an_mlperf_log_has_the_steps_that_metric_logger_prints_inside_it(runs: dict[str, Run]) -> None:
    run = runs["torchvision/result_0.txt"]
    assert run.format == "mllog"
    found = measure_run(run, "step_time", "step", Protocol())
    assert found is not None
    assert found.window is not None
    assert found.value == pytest.approx(0.11292, abs=5e-6)
    assert (found.window.first, found.window.last, found.evidence) == (22, 121, "intervals")


def test_spikingjelly_reads_as_torchvision(corpus: Path) -> None:
    claimed = detect(LogFiles.at(corpus / "trainers/torchvision/spike_resnet_issue10_excerpt.log", corpus)[0])
    assert claimed is not None
    assert claimed.format.name == "torchvision"
