"""LoadGen of MLPerf inference: lines as loadgen/logging.cc and results.cc write them."""

import json
from typing import Any

import pytest

from reportgen.core.model import Finding, Run
from reportgen.formats.detection import discover
from reportgen.sources.logfiles import LogFiles
from tests.builders import check_valid, rules

RUN_1 = "closed/example/results/box/resnet50/singlestream/performance/run_1"


def event(key: str, value: Any) -> bytes:
    said = {"key": key, "value": value, "time_ms": 273.0054, "namespace": "mlperf::logging"}
    more = {"event_type": "POINT_IN_TIME", "metadata": {"is_error": False, "file": "loadgen.cc", "pid": 38}}
    return f":::MLLOG {json.dumps(said | more)}\n".encode()


def head(scenario: str, mode: str = "PerformanceOnly", version: str = "5.0.13 @ 1a2b") -> bytes:
    return (
        event("loadgen_version", version) + event("sut_name", "box") + event("effective_scenario", scenario)
        + event("effective_test_mode", mode)
    )  # fmt: skip


OFFLINE = head("Offline") + (
    event("result_validity", "VALID") + event("result_samples_per_second", 4128.85)
    + event("result_tokens_per_second", 98760.5) + event("result_mean_latency_ns", 404_534_000_000)
)  # fmt: skip
STREAM = head("SingleStream") + (
    event("result_validity", "VALID") + event("early_stopping_latency_ss", 284_070)
    + event("early_stopping_latency_ms", 306_032) + event("result_mean_latency_ns", 279_914)
    + event("result_50.00_percentile_latency_ns", 276_707)
    + event("result_90.00_percentile_latency_ns", 282_057)
    + event("result_99.90_percentile_latency_ns", 813_770)
)  # fmt: skip
RULE = "=" * 48
SUMMARY = f"""\
{RULE}
MLPerf Results Summary
{RULE}
SUT name : LWIS_Server
Scenario : MultiStream
Mode     : PerformanceOnly
99th percentile latency (ns) : 453768
Result is : VALID
  Min duration satisfied : Yes
Early Stopping Result:
 * Processed at least 662 queries (1339236).
 * Early stopping 99th percentile estimate: 453847

{RULE}
Additional Stats
{RULE}
Per-query latency:
Mean latency (ns)               : 443737
99.00 percentile latency (ns)   : 453768

{RULE}
Test Parameters Used
{RULE}
samples_per_query : 8
target_latency (ns): 0
"""
LLM_SUMMARY = f"""\
{RULE}
MLPerf Results Summary
{RULE}
SUT name : PySUT
Scenario : Server
Mode     : PerformanceOnly
Completed samples per second    : 81.68
Completed tokens per second: 24593.77
Result is : VALID

{RULE}
Additional Stats
{RULE}
Scheduled samples per second : 83.90
99.00 percentile latency (ns)   : 136069232834

Completed tokens per second                 : 24593.77
99.00 percentile first token latency (ns)   : 1914647645

Mean Time per Output Token (ns)               : 144594078
99.00 percentile time to output token (ns)   : 193380124

{RULE}
Test Parameters Used
{RULE}
ttft_latency (ns): 2000000000
tpot_latency (ns): 200000000
"""


def read(files: dict[str, bytes]) -> tuple[list[Run], list[Finding]]:
    """Return the runs and the findings of a tree that LoadGen's format reads alone."""
    items: list[Run | Finding] = []
    for claimed in discover(LogFiles.of(files)).claimed:
        assert (claimed.format.name, claimed.rivals) == ("loadgen", ())
        items += claimed.format.read(claimed.files)
    check_valid(items)
    runs = [item for item in items if isinstance(item, Run)]
    findings = [item for item in items if isinstance(item, Finding)]
    return runs, [*findings, *(finding for run in runs for finding in run.findings)]


def numbers(runs: list[Run]) -> dict[tuple[str, object], float]:
    """Return (metric, statistic) -> value, each once."""
    pairs = [
        ((one.metric, run.factors.get("statistic")), one.value) for run in runs for one in run.aggregates
    ]
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


def test_offline_has_rates_and_no_latency_because_that_is_its_queue() -> None:
    runs, findings = read({"mlperf_log_detail.txt": OFFLINE})
    assert numbers(runs) == {("throughput", None): 4128.85, ("output_token_throughput", None): 98760.5}
    assert findings == []
    (run,) = runs
    assert (run.status, run.part_of, run.aggregates[0].source.line) == ("complete", 0, 6)
    assert run.factors == {
        "mode": "inference", "item": "sample", "scenario": "Offline", "test_mode": "PerformanceOnly",
    }  # fmt: skip
    assert run.environment == {"system_name": "box", "loadgen": "5.0.13 @ 1a2b"}


def test_a_single_stream_is_judged_by_its_90th_percentile() -> None:
    runs, _ = read({"mlperf_log_detail.txt": STREAM})
    assert numbers(runs) == pytest.approx({
        ("latency", "p90 estimate"): 284_070e-9, ("latency", "mean"): 279_914e-9,
        ("latency", "median"): 276_707e-9, ("latency", "p90"): 282_057e-9, ("latency", "p99.9"): 813_770e-9,
    })  # fmt: skip
    assert {run.part_of for run in runs} == {1}


def test_a_server_has_the_rate_of_completed_samples_and_the_latency_of_its_limit() -> None:
    detail = head("Server") + (
        event("result_validity", "VALID") + event("result_completed_samples_per_sec", 35_342.50)
        + event("result_99.00_percentile_latency_ns", 3_919_806)
    )  # fmt: skip
    expected = {("throughput", None): 35_342.50, ("latency", "p99"): 3.919806e-3}
    assert numbers(read({"mlperf_log_detail.txt": detail})[0]) == pytest.approx(expected)


def test_a_multi_stream_is_judged_by_the_99th_percentile_of_its_queries() -> None:
    detail = head("MultiStream") + (
        event("result_validity", "VALID") + event("result_99.00_percentile_per_query_latency_ns", 453_768)
        + event("result_mean_query_latency_ns", 443_737) + event("early_stopping_latency_ms", 453_847)
        + event("result_99.00_percentile_latency_ns", 11_111)
    )  # fmt: skip
    expected = {
        ("latency", "p99"): 453_768e-9, ("latency", "p99 estimate"): 453_847e-9, ("latency", "mean"): 443_737e-9,
    }  # fmt: skip
    assert numbers(read({"mlperf_log_detail.txt": detail})[0]) == pytest.approx(expected)
    assert numbers(read({"mlperf_log_summary.txt": SUMMARY.encode()})[0]) == pytest.approx(expected)


def test_in_version_0_5_the_result_of_a_multi_stream_is_its_number_of_streams() -> None:
    summary = (
        f"{RULE}\nMLPerf Results Summary\n{RULE}\nSUT name : box\nScenario : Multi Stream\nMode     : Performance\n"
        "Samples per query : 140\nResult is : VALID\n"
    )
    runs, _ = read({"mlperf_log_summary.txt": summary.encode()})
    assert numbers(runs) == {("samples_per_query", None): 140}
    assert runs[0].factors["scenario"] == "MultiStream"
    assert read({"mlperf_log_summary.txt": summary.replace("Performance", "Accuracy").encode()})[0] == []


@pytest.mark.parametrize(("version", "rate"), [("5.0.13 @ 1a2b", 80.0), ("3.1 @ 1a2b", 84.0)])
def test_before_version_4_the_scheduled_rate_is_the_result_of_a_server(version: str, rate: float) -> None:
    detail = head("Server", version=version) + (
        event("result_validity", "VALID") + event("result_scheduled_samples_per_sec", 84.0)
        + event("result_completed_samples_per_sec", 80.0)
    )  # fmt: skip
    assert numbers(read({"mlperf_log_detail.txt": detail})[0]) == {("throughput", None): rate}


def test_a_server_of_a_language_model_has_tokens_and_times_of_tokens() -> None:
    runs, _ = read({"mlperf_log_summary.txt": LLM_SUMMARY.encode()})
    assert numbers(runs) == pytest.approx({
        ("throughput", None): 81.68, ("output_token_throughput", None): 24593.77,
        ("latency", "p99"): 136.069232834, ("ttft", "p99"): 1.914647645, ("tpot", "mean"): 0.144594078,
        ("tpot", "p99"): 0.193380124,
    })  # fmt: skip
    assert runs[0].factors["ttft_limit_ms"] == 2000
    assert runs[0].factors["tpot_limit_ms"] == 200


def test_the_folders_of_a_submission_name_interactive_and_the_system() -> None:
    folder = "closed/example/results/box/llama2-70b-99.9"
    system = {"accelerator_model_name": "GPU X", "number_of_nodes": "1", "accelerators_per_node": "8"}
    files = {
        f"{folder}/Interactive/performance/run_1/mlperf_log_summary.txt": LLM_SUMMARY.encode(),
        "closed/example/systems/box.json": json.dumps(system).encode(),
    }
    runs, _ = read(files)
    known = {
        "scenario": "Interactive",
        "benchmark": "llama2-70b-99.9",
        "system": "box",
        "submitter": "example",
    }
    assert runs[0].factors.items() >= {**known, "device": "GPU X", "devices": 8}.items()


@pytest.mark.parametrize(
    "path",
    [
        "closed/example/results/box/resnet50/singlestream/accuracy",
        "closed/example/results/box/resnet50/singlestream/TEST01/performance/run_1",
        "closed/example/results/box/resnet50/singlestream/performance/ranging",
    ],
)
def test_runs_for_accuracy_compliance_and_power_ranges_are_not_runs(path: str) -> None:
    runs, findings = read({f"{path}/mlperf_log_detail.txt": STREAM})
    assert (runs, rules(findings)) == ([], ["read.excerpt"])


def test_a_run_for_accuracy_is_known_by_its_mode() -> None:
    for name, content in (
        ("mlperf_log_detail.txt", head("Offline", "AccuracyOnly")),
        ("mlperf_log_summary.txt", SUMMARY.replace("PerformanceOnly", "AccuracyOnly").encode()),
    ):
        runs, findings = read({name: content})
        assert (runs, [finding.text for finding in findings]) == (
            [],
            ["a run for accuracy: it measures no speed"],
        )


def test_a_summary_beside_the_details_is_the_same_run() -> None:
    both = {f"{RUN_1}/mlperf_log_detail.txt": STREAM, f"{RUN_1}/mlperf_log_summary.txt": SUMMARY.encode()}
    runs, findings = read(both)
    assert ("latency", "p90") in numbers(runs)
    assert [finding.text for finding in findings] == [
        "a summary of mlperf_log_detail.txt, which is beside it; read from there"
    ]


@pytest.mark.parametrize(
    ("content", "status", "found"),
    [
        (OFFLINE.replace(b'"VALID"', b'"INVALID"'), "failed", ["read.failed-run"]),
        (head("Offline"), "partial", ["read.incomplete-run"]),
        (OFFLINE + b':::MLLOG {"key": "cut\n', "complete", ["read.malformed-line"]),
    ],
)
def test_only_a_valid_result_counts(content: bytes, status: str, found: list[str]) -> None:
    runs, findings = read({"mlperf_log_detail.txt": content})
    assert ([run.status for run in runs], rules(findings)) == ([status], found)
    assert bool(numbers(runs)) == (status == "complete")
