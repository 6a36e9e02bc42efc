"""Shares of peak arithmetic and of memory bandwidth, against cases worked by hand."""

from typing import Any

import pytest

from reportgen.core.case_findings import invalid_rule
from reportgen.core.model import Measurement, Run
from reportgen.protocol import available_metrics, parse_protocol
from reportgen.protocol.share_of_peak import why_no_share
from tests.builders import aggregate, attempt, cases, messages, run, series
from tests.each_of import each_row

TEN = parse_protocol("0+10x1", "test")
NO_TF32 = {"torch.matmul_allow_tf32": False, "torch.cudnn_allow_tf32": False}


def share(found: Run, metric: str = "share_of_peak") -> float | None:
    """Return a share, and check that the run has it if and only if its metrics name it."""
    measurement: Measurement | None = attempt(found, metric, "step", TEN)[0]
    assert (measurement is not None) == ((metric, "step") in available_metrics(found))
    return measurement.value if measurement else None


def printed(tera: float, metric: str = "flops_per_device", **fields: Any) -> Run:
    """Return a run whose log prints a rate of so many 1e12 operations per second."""
    return run(aggregate(tera * 1e12, metric=metric, unit="FLOP/s"), **fields)


A100, V100, H100 = "NVIDIA A100-SXM4-40GB", "Tesla V100-SXM2-16GB", "NVIDIA H100 80GB HBM3"


@each_row(
    [
        (156, {"device": A100, "precision": "fp16"}, 156 / 312),
        (78, {"device": A100, "precision": "tf32"}, 78 / 156),
        (78, {"device": A100, "precision": "amp"}, 78 / 312),
        (7.85, {"device": V100, "precision": "fp32"}, 7.85 / 15.7),
        (3.9, {"device": V100, "precision": "fp64"}, 3.9 / 7.8),
        (1000, {"device": H100, "precision": "fp8"}, 1000 / 1978.9),
        (50, {"device": "MI100", "precision": "bf16"}, 50 / 92.3),
        (50, {"device": "MI100", "precision": "amp"}, None),  # FP16 and BF16 differ there
        (50, {"device": V100, "precision": "bf16"}, None),  # it has none
        (156, {"device": "A100-SXM4-40GB"}, None),  # of which dtype?
        (50, {"device": "V100", "precision": "fp16"}, None),  # PCIe or SXM2?
        (50, {"device": "Tesla V100-SXM2-32GB-LS", "precision": "fp16"}, None),
        (10, {"device": V100, "precision": "fp32", "tensor_cores": True}, None),  # not as FP32
        (10, {"device": "RTX A5000", "precision": "fp32"}, None),  # TF32, of which its sheet is silent
    ]
)
def test_the_share_of_a_rate_that_a_log_prints(
    tera: float, factors: dict[str, Any], expected: float | None
) -> None:
    assert share(printed(tera, factors=factors)) == (expected and pytest.approx(expected, rel=1e-12))


@pytest.mark.parametrize(
    ("environment", "expected"),
    [({}, None), (NO_TF32, 9.75 / 19.5), ({**NO_TF32, "torch.cudnn_allow_tf32": True}, None)],
)
def test_fp32_has_a_share_where_the_log_excludes_tf32(
    environment: dict[str, bool], expected: float | None
) -> None:
    found = printed(9.75, factors={"device": A100, "precision": "fp32"}, environment=environment)
    assert share(found) == expected


def test_the_name_that_the_driver_wrote_comes_before_that_of_the_labels() -> None:
    factors = {"device": "V100", "precision": "fp16"}
    assert share(printed(25, factors=factors, environment={"gpu": V100})) == 25 / 125
    assert share(printed(25, factors=factors, environment={"gpu": "Tesla V100-SXM2-32GB-LS"})) is None
    assert share(printed(25, factors=factors, environment={"gpu": V100, "gpu_name": A100})) is None


@pytest.mark.parametrize(
    ("devices", "ranks", "expected"),
    [(4, None, 200 / 500), (None, 4, 200 / 500), (None, None, None), (2, 4, None), (True, None, None)],
)
def test_a_rate_of_all_devices_needs_their_number(
    devices: int | None, ranks: int | None, expected: float | None
) -> None:
    factors = {"device": V100, "precision": "amp"} | ({} if devices is None else {"devices": devices})
    assert share(printed(200, "flops", factors=factors, ranks=ranks)) == expected


def test_operations_that_a_log_counts_have_a_share() -> None:
    work = series([50e12] * 10, metric="operations")
    factors = {"device": V100, "precision": "amp", "devices": 1}
    assert share(run(series([2.0] * 10), work, factors=factors)) == pytest.approx(25 / 125)


RESNET = {"model": "resnet50_v1.5", "item": "image", "image_size": 224, "mode": "train"}
BERT = {"model": "bert-base", "item": "sequence", "seq_len": 512, "mode": "train"}
GPT2 = {"model": "gpt2", "item": "token", "seq_len": 1024, "mode": "train"}
# 2,500 images/s x 3 x 8.178 GFLOP; 12 x (4 x 768^2 + 2 x 768 x 3072 + 2 x 512 x 768) multiply-adds for a token
IMAGES, SEQUENCE, TOKEN = 2500 * 3 * 8.178e9, 3 * 512 * 2 * 94_371_840, 3 * 2 * 142_406_400


@each_row(
    [
        (2500, RESNET, IMAGES / 125e12),
        (2500, {**RESNET, "mode": "inference"}, IMAGES / 3 / 125e12),
        (2500, {**RESNET, "devices": 8}, IMAGES / 125e12 / 8),
        (200, BERT, 200 * SEQUENCE / 125e12),
        (90_000, GPT2, 90_000 * TOKEN / 125e12),
        (2500, {**RESNET, "image_size": 192}, None),
        (2500, {key: value for key, value in RESNET.items() if key != "image_size"}, None),
        (2500, {key: value for key, value in RESNET.items() if key != "mode"}, None),
        (2500, {**RESNET, "mode": "train", "benchmark": "Inference"}, None),
        (200, {**BERT, "item": "sample"}, None),
        (200, {key: value for key, value in BERT.items() if key != "seq_len"}, None),
        (200, {**BERT, "model": "bert"}, None),
    ]
)
def test_model_flops_utilisation_by_hand(
    rate: float, factors: dict[str, Any], expected: float | None
) -> None:
    every = {"device": V100, "precision": "amp", "devices": 1, **factors}
    found = run(aggregate(rate, metric="throughput"), factors=every)
    assert share(found) == (expected and pytest.approx(expected, rel=1e-12))


def test_a_run_with_a_backward_pass_trains() -> None:
    factors = {"device": V100, "precision": "amp", "devices": 1, **RESNET, "mode": "fast"}
    found = run(aggregate(2500, metric="throughput"), aggregate(0.01, "backward"), factors=factors)
    assert share(found) == pytest.approx(IMAGES / 125e12)


@pytest.mark.parametrize(
    ("format", "factors", "expected"),
    [
        ("babelstream", {"device": A100}, 1244 / 1555),
        ("babelstream", {"device": "NVIDIA A100 80GB PCIe"}, 1244 / 1935),
        ("babelstream", {"device": "A100"}, None),
        ("cuda_bandwidth_test", {"device": A100, "from": "device", "to": "device"}, 1244 / 1555),
        ("cuda_bandwidth_test", {"device": A100, "from": "host", "to": "device"}, None),
        ("osu", {"device": A100}, None),
        ("fio", {"device": A100}, None),
    ],
)
def test_the_share_of_memory_bandwidth(format: str, factors: dict[str, Any], expected: float | None) -> None:
    found = run(aggregate(1244e9, metric="bandwidth", unit="B/s"), factors=factors)
    found = Run(id="a", format=format, source=found.source, factors=factors, aggregates=found.aggregates)
    assert share(found, "share_of_bandwidth") == expected


def test_a_bus_bandwidth_has_no_share() -> None:
    found = run(aggregate(4e11, metric="bus_bandwidth", unit="B/s"), factors={"device": H100, "devices": 8})
    assert share(found, "share_of_bandwidth") is None


def test_a_share_above_the_peak_is_invalid_and_shows_its_formula() -> None:
    found = printed(130, factors={"device": V100, "precision": "fp16"})
    (case,) = cases([found], "share_of_peak", "step", TEN)
    assert invalid_rule(case.metric, case.phase, case.measurements) == "rate.above-peak"
    formula = (
        "operations of a device per second / 125.0 TFLOP/s of V100 SXM2 16GB in fp16"
        " (NVIDIA V100 Tensor Core GPU, data sheet)"
    )
    (measurement,) = case.measurements
    assert messages(measurement.findings, "rate.above-peak") == [
        f"104.0 % of what the device can do: {formula}"
    ]
    assert (measurement.formula, measurement.unit, case.unit) == (formula, "ratio", "ratio")
    at_peak = attempt(printed(125, factors=found.factors), "share_of_peak", "step", TEN)[0]
    assert at_peak is not None
    assert messages(at_peak.findings, "rate.above-peak") == []


@pytest.mark.parametrize(
    ("factors", "why"),
    [
        ({}, "the log names 0 devices"),
        ({"device": "H200"}, '"H200" may be H200 SXM 141GB or H200 NVL'),
        ({"device": A100, "precision": "fp32"}, "precision, or the settings of TF32, leave open"),
        ({"device": V100, "precision": "amp"}, "the number of devices is not stated"),
        ({"device": V100, "precision": "amp", "devices": 1}, "it has no FLOP/s, and model, item, image_size"),
    ],
)
def test_what_a_run_without_a_share_lacks(factors: dict[str, Any], why: str) -> None:
    found = run(aggregate(10, metric="throughput"), factors=factors)
    assert share(found) is None
    assert why_no_share(found, "share_of_peak").startswith(why)
