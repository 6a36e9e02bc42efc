"""Traps of serving benchmarks that one file alone does not show: twins, summaries, loads, secrets."""

import json
from pathlib import Path

import pytest

from reportgen.core.model import Finding, Run
from reportgen.formats.detection import discover
from reportgen.sources.logfiles import LogFiles
from tests.builders import check_valid
from tests.each_of import each_of
from tests.formats.tables.fixtures_of_families import FOLDER, fixtures

BLOCK = """\
============ Serving Benchmark Result ============
Successful requests:                     {requests}
Benchmark duration (s):                  10.00
Total input tokens:                      {tokens}
Total generated tokens:                  5000
Output token throughput (tok/s):         {rate}
==================================================
"""


def read(files: dict[str, bytes]) -> tuple[list[Run], list[Finding]]:
    """Return the runs and findings of a tree, whatever formats read it."""
    items: list[Run | Finding] = []
    for claimed in discover(LogFiles.of(files)).claimed:
        assert claimed.rivals == ()
        items += claimed.format.read(claimed.files)
    check_valid(items)
    runs = [item for item in items if isinstance(item, Run)]
    findings = [item for item in items if isinstance(item, Finding)]
    return runs, [*findings, *(finding for run in runs for finding in run.findings)]


def served(**columns: object) -> dict[str, object]:
    """Return a row of vLLM's bench serve."""
    row = {"model_id": "m", "num_prompts": 5, "completed": 5, "request_rate": "inf", "max_concurrency": 4}
    rates = {"request_throughput": 0.5, "output_throughput": 500.0, "total_token_throughput": 1500.0}
    return row | rates | {"total_input_tokens": 10000, "total_output_tokens": 5000} | columns


def rates(runs: list[Run]) -> list[float]:
    return sorted(
        one.value for run in runs for one in run.aggregates if one.metric == "output_token_throughput"
    )


def test_a_log_beside_its_json_is_the_same_run() -> None:
    log = BLOCK.format(requests=5, tokens=10000, rate=500.0).encode()
    runs, findings = read({"a/x.log": log, "a/x.json": json.dumps(served(output_throughput=500.02)).encode()})
    assert rates(runs) == [500.02]
    assert "the results of this run are also in x.json, with all digits; read from there" in [
        finding.text for finding in findings
    ]


def test_a_log_whose_json_has_another_run_is_read() -> None:
    log = BLOCK.format(requests=5, tokens=12345, rate=400.0).encode()
    runs, _ = read({"a/x.log": log, "a/x.json": json.dumps(served()).encode()})
    assert rates(runs) == [400.0, 500.0]


def test_of_several_blocks_beside_a_json_only_the_one_that_it_has_is_left_out() -> None:
    levels = [BLOCK.format(requests=5, tokens=10000 + level, rate=500.0 + level) for level in range(6)]
    log = "".join(
        f"Maximum request concurrency: {2**level}\n{text}" for level, text in enumerate(levels)
    ).encode()
    runs, _ = read({"x.log": log, "x.json": json.dumps(served(output_throughput=500.0)).encode()})
    assert rates(runs) == [500.0, 501.0, 502.0, 503.0, 504.0, 505.0]
    loads = {run.factors["concurrency"] for run in runs if run.format == "vllm_serve_text"}
    assert loads == {2, 4, 8, 16, 32}


def test_each_block_of_a_log_names_the_json_that_it_was_saved_to() -> None:
    log = "".join(
        f"Namespace(result_dir='/tmp', result_filename='sweep-{rate}.json', request_rate={rate})\n"
        + BLOCK.format(requests=5, tokens=10000 + rate, rate=500.0 + rate)
        for rate in (1, 2, 3)
    )
    saved = {
        f"sweep-{n}.json": served(total_input_tokens=10000 + n, output_throughput=500.5 + n) for n in (1, 2)
    }
    files = {name: json.dumps(row).encode() for name, row in saved.items()}
    runs, _ = read({"sweep.log": log.encode(), "sweep.json": b'{"steps": []}', **files})
    assert rates(runs) == [501.5, 502.5, 503.0]


def test_a_summary_beside_its_parts_adds_no_run() -> None:
    parts = [
        served(run_number=n, output_throughput=500.0 + n, total_input_tokens=10000 + n) for n in range(3)
    ]
    lost = served(run_number=7, output_throughput=507.0)
    files = {f"run={part['run_number']}.json": json.dumps(part).encode() for part in parts}
    runs, _ = read({**files, "summary.json": json.dumps([*parts, lost], indent=4).encode()})
    assert rates(runs) == [500.0, 501.0, 502.0, 507.0]


def test_vllm_writes_the_same_run_for_pytorch_which_is_not_another_run() -> None:
    metric = {"name": "median_ttft_ms", "benchmark_values": [12.5], "extra_info": served()}
    record = {"benchmark": {"name": "vLLM benchmark"}, "metric": metric}
    files = {"x.json": json.dumps(served()).encode(), "x.pytorch.json": json.dumps([record]).encode()}
    assert rates(read(files)[0]) == [500.0]


def test_results_whose_load_is_unknown_are_not_repeats() -> None:
    log = "".join(BLOCK.format(requests=5, tokens=10000, rate=rate) for rate in (100.0, 900.0)).encode()
    runs, findings = read({"x.log": log})
    assert rates(runs) == [100.0, 900.0]
    assert [run.factors["block"] for run in runs if "statistic" not in run.factors] == [1, 2]
    assert {run.repeat for run in runs} == {None}
    assert [finding.text for finding in findings if finding.rule == "read.stated-problem"] == 2 * [
        "the log does not state the load (concurrency, request rate): name it in labels.toml"
    ]


def test_equal_loads_in_one_file_are_repeats() -> None:
    rows = [served(output_throughput=rate) for rate in (500.0, 510.0)]
    runs, _ = read({"x.jsonl": b"\n".join(json.dumps(row).encode() for row in rows)})
    assert [(run.repeat, rates([run])) for run in runs if rates([run])] == [(1, [500.0]), (2, [510.0])]


@pytest.mark.parametrize(("rate", "is_overload"), [("inf", False), (0.6, False), (0.7, True), (None, False)])
def test_an_achieved_rate_well_below_the_offered_one_is_a_note(rate: object, is_overload: bool) -> None:
    _, findings = read({"x.json": json.dumps(served(request_rate=rate)).encode()})
    message = f"overloaded: 0.5 of {rate} requests/s were served; latencies grow with the length of the test"
    assert (message in [finding.text for finding in findings]) == is_overload


def test_a_line_that_was_cut_is_reported_and_the_others_are_read() -> None:
    text = json.dumps(served(output_throughput=1.0)) + "\n" + json.dumps(served())[:80] + "\n"
    runs, findings = read({"x.jsonl": (text + json.dumps(served(output_throughput=3.0))).encode()})
    assert rates(runs) == [1.0, 3.0]
    assert "not a JSON object; it may be truncated" in [finding.text for finding in findings]


def test_a_summary_of_the_stages_of_inference_perf_is_not_a_run() -> None:
    stage = json.loads((FOLDER / "inference_perf.json").read_text("utf-8"))
    summary = json.loads((FOLDER / "inference_perf.json").read_text("utf-8"))
    summary["load_summary"] = {"count": 2278, "schedule_delay": {"mean": 0.1}}
    files = {"stage_0_lifecycle_metrics.json": stage, "summary_lifecycle_metrics.json": summary}
    runs, findings = read({name: json.dumps(content).encode() for name, content in files.items()})
    assert len(rates(runs)) == 1
    assert [finding.text for finding in findings if finding.rule == "read.excerpt"] == [
        "a summary of all stages, which have files of their own: not a run"
    ]


SECRETS = [log for _, log, _ in fixtures() if b"do-not-show" in log.read_bytes()]


@each_of(SECRETS)
def test_secrets_hosts_and_folders_of_a_log_are_never_shown(log: Path) -> None:
    runs, findings = read({log.name: log.read_bytes()})
    assert runs
    assert "do-not-show" not in repr([*runs, *findings])


def test_several_families_have_a_fixture_with_secrets() -> None:
    assert len(SECRETS) >= 8
