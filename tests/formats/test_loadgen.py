"""LoadGen of MLPerf inference: lines as loadgen/logging.cc writes them."""

import json
from typing import Any

import pytest

from tests.builders import read_log, rules


def event(key: str, value: Any) -> bytes:
    said = {"key": key, "value": value, "time_ms": 273.0054, "namespace": "mlperf::logging"}
    more = {"event_type": "POINT_IN_TIME", "metadata": {"is_error": False, "file": "loadgen.cc", "pid": 38}}
    return f":::MLLOG {json.dumps(said | more)}\n".encode()


HEAD = (
    event("loadgen_version", "4.1 @ 1a2b") + event("sut_name", "box") + event("effective_scenario", "Offline")
    + event("effective_test_mode", "PerformanceOnly")
)  # fmt: skip
RESULT = (
    event("result_validity", "VALID") + event("result_samples_per_second", 1234.5)
    + event("result_tokens_per_second", 98760.5) + event("result_mean_latency_ns", 2_000_000)
    + event("result_99.00_percentile_latency_ns", 5_000_000)
)  # fmt: skip


def test_a_valid_result_has_rates_and_latencies() -> None:
    run = read_log("loadgen", HEAD + RESULT, "mlperf_log_detail.txt")
    assert run.factors == {
        "mode": "inference", "item": "sample", "scenario": "Offline", "test_mode": "PerformanceOnly",
    }  # fmt: skip
    assert run.environment == {"system_name": "box", "loadgen": "4.1 @ 1a2b"}
    assert [(one.metric, one.statistic, one.value) for one in run.aggregates] == [
        ("throughput", "mean", 1234.5),
        ("token_throughput", "mean", 98760.5),
        ("latency", "mean", 0.002),
        ("latency", "percentile 99", 0.005),
    ]
    assert (run.status, run.aggregates[0].source.line, rules(run.findings)) == ("complete", 6, [])


@pytest.mark.parametrize(
    ("content", "status", "found"),
    [
        (HEAD + RESULT.replace(b'"VALID"', b'"INVALID"'), "failed", ["read.failed-run"]),
        (HEAD, "partial", ["read.incomplete-run"]),
        (HEAD.replace(b"PerformanceOnly", b"AccuracyOnly"), "complete", []),
        (HEAD + RESULT + b':::MLLOG {"key": "cut\n', "complete", ["read.malformed-line"]),
    ],
)
def test_only_a_valid_result_counts(content: bytes, status: str, found: list[str]) -> None:
    run = read_log("loadgen", content)
    assert (run.status, rules(run.findings)) == (status, found)
