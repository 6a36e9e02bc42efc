"""optimum-benchmark: steps of training per process; its printed training throughput is never used."""

import json

import pytest

from reportgen.core.model import Run
from reportgen.formats.detection import detect
from reportgen.formats.huggingface import optimum_benchmark
from reportgen.protocol import Protocol, measure_run
from reportgen.sources.logfiles import LogFiles
from tests.builders import aggregate_of, read_log, step_rows
from tests.formats.valid_logs import OPTIMUM_CONFIG, OPTIMUM_REPORT

FILES = {"a/benchmark_report.json": OPTIMUM_REPORT, "a/benchmark_config.json": OPTIMUM_CONFIG}


def read_folder(files: dict[str, bytes]) -> Run:
    (run,) = optimum_benchmark.read(LogFiles.of(files).subfolder("a"))
    assert isinstance(run, Run)
    return run


def test_the_values_of_the_processes_follow_one_another():
    run = read_folder(FILES)
    assert [(one.rank, one.clock, step_rows(one)) for one in run.series] == [
        (0, "cuda_event", [(1, 1, 2.0, 16), (2, 1, 0.5, 16), (3, 1, 0.5, 16)]),
        (1, "cuda_event", [(1, 1, 3.0, 16), (2, 1, 0.5, 16), (3, 1, 0.25, 16)])]  # fmt: skip
    assert run.factors == {"framework": "pytorch", "model": "tiny", "task": "fill-mask", "benchmark": "training",
                           "batch_size": 16, "seq_len": 64, "precision": "bf16", "device": "A40", "devices": 2,
                           "item": "sample"}  # fmt: skip


def test_throughput_of_training_follows_from_the_steps():
    run = read_folder(FILES)
    assert not [one for one in run.aggregates if one.metric == "throughput"]
    measured = measure_run(run, "throughput", "step", Protocol(warmup=1, measure=2))
    assert measured is not None
    assert measured.value == pytest.approx(2 * 32 / 1.0)


def test_both_in_one_file_and_the_report_alone_are_read_too():
    both = json.dumps({"config": json.loads(OPTIMUM_CONFIG), "report": json.loads(OPTIMUM_REPORT)}).encode()
    assert read_log("optimum_benchmark", both).samples_per_step == 32
    claimed = detect(LogFiles.of({**FILES, "a/benchmark.json": both}).subfolder("a"))
    assert claimed is not None
    assert len(claimed.claim.files) == 3
    assert read_folder({**FILES, "a/benchmark.json": both}).factors == read_folder(FILES).factors


def test_rates_of_inference_are_right_and_kept():
    target = {"latency": {"unit": "s", "values": [2.0], "count": 1, "mean": 2.0, "p50": 2.0},
              "throughput": {"unit": "samples/s", "value": 4.0}, "efficiency": None,
              "memory": {"unit": "MB", "max_allocated": 3.0}, "energy": {"unit": "kWh", "total": 1.0}}  # fmt: skip
    run = read_log("optimum_benchmark", json.dumps({"forward": target}).encode())
    assert aggregate_of(run, "latency", "forward").value == 2.0
    assert aggregate_of(run, "throughput", "forward").value == 4.0
    assert aggregate_of(run, "memory_used", "forward", "maximum").value == 3e6
    assert aggregate_of(run, "energy", "forward", "total").value == 3.6e6


def test_decoding_is_counted_in_tokens():
    target = {"latency": None, "throughput": {"unit": "tokens/s", "value": 31.5}, "efficiency": None}
    run = read_log("optimum_benchmark", json.dumps({"decode": target}).encode())
    assert aggregate_of(run, "token_throughput", "decode").value == 31.5


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (
            {"quantization_scheme": "gptq", "quantization_config": {"bits": 4, "quant_method": "gptq"}},
            "gptq 4 bits",
        ),
        (
            {"quantization_scheme": "torchao", "quantization_config": {"quant_type": "int4wo"}},
            "torchao int4wo",
        ),
        ({"quantization_scheme": "bnb", "quantization_config": {"load_in_8bit": True}}, "bnb 8 bits"),
        ({"quantization_scheme": None, "quantization_config": {}}, None),
    ],
)
def test_settings_of_inference_are_factors(settings, expected):
    config = {
        "backend": {
            "name": "pytorch", "_target_": "optimum_benchmark.x", "device": "cuda", "device_ids": "0,2",
            "torch_compile": True, "attn_implementation": "sdpa", **settings,
        },
        "scenario": {"name": "inference", "generate_kwargs": {"max_new_tokens": 64}},
        "environment": {"gpu": ["A40", "Display", "A40"]},
    }  # fmt: skip
    run = read_folder({**FILES, "a/benchmark_config.json": json.dumps(config).encode()})
    assert run.factors.get("quantization") == expected
    chosen = [run.factors[name] for name in ("compiled", "attention", "new_tokens", "device")]
    assert chosen == [True, "sdpa", 64, "A40"]


def test_a_nan_in_a_report_is_a_finding():
    report = json.loads(OPTIMUM_REPORT)
    target = next(iter(report))
    report[target]["latency"]["mean"] = float("nan")
    report[target]["latency"]["values"] = [float("nan"), 0.5, float("nan")]
    run = read_folder({**FILES, "a/benchmark_report.json": json.dumps(report).encode()})
    assert {(finding.severity, finding.text) for finding in run.findings if "NaN" in finding.text} == {
        ("warning", f'the log says "{target}.latency.mean: NaN"'),
        ("warning", f'the log says "{target}.latency.values: NaN" (2 times)'),
    }
