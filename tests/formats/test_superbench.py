"""SuperBench: a run for each node, documented units, return codes, the monitor."""

import numpy as np
import pytest

from reportgen.core.model import Run
from reportgen.formats.detection import detect
from reportgen.sources.logfiles import LogFiles
from tests.builders import aggregate_of, read_all, read_log, rule_lines
from tests.each_of import each_row
from tests.formats.valid_logs import MONITOR, SUPERBENCH


def test_documented_units_are_converted():
    run = read_all("superbench", SUPERBENCH)[0]
    assert isinstance(run, Run)
    assert aggregate_of(run, "step_time", "model/bert/fp32_train").value == 0.2
    assert aggregate_of(run, "throughput_per_device", "model/bert/fp32_train").value == 160.0
    assert aggregate_of(run, "bandwidth", "nccl-bw/allreduce_8_busbw:0").value == 20.5e9
    assert aggregate_of(run, "temperature", "monitor:0").value == 45
    assert (run.factors["node"], run.status) == ("n1", "complete")


@each_row(
    [
        ("cpu-memory-bw-latency/mem_bandwidth_matrix_numa_0_1_bw", "bandwidth", None, 2e6),
        ("cpu-memory-bw-latency:local/mem_max_bandwidth_all_reads_bw:0", "bandwidth", None, 2e6),
        ("cpu-stream/triad_throughput", "bandwidth", None, 2e6),
        ("cpu-hpl/throughput", "flops", None, 2e9),
        ("gemm-flops/fp64_flops:0", "flops", None, 2e9),
        ("cublaslt-gemm/fp8e4m3_1_64_64_64_flops:0", "flops", None, 2e12),
        ("cublaslt-gemm/int8_1_64_64_64_flops:0", "int8_1_64_64_64_flops", "cublaslt-gemm:0", 2),
        ("ib-loopback/ib_write_bw_8388608:0", "bandwidth", None, 2e9),
        ("ib-traffic/ib_read_bw_64_cpu-to-cpu_0_1:hostA_hostB", "bandwidth", None, 2e9),
        ("nccl-bw:pairs/allreduce_0_1:8_busbw:0", "bandwidth", None, 2e9),
        ("pytorch-dist-inference/step_times:0", "step_time", "pytorch-dist-inference:0", 2e-3),
    ]
)
def test_a_benchmark_may_have_units_of_its_own(key, metric, phase, expected):
    run = read_log("superbench", f'{{"node": "n", "a/return_code": 0, "{key}": 2}}'.encode())
    assert aggregate_of(run, metric, phase or key).value == expected


def test_a_return_code_other_than_zero_is_reported():
    run = read_all("superbench", SUPERBENCH)[1]
    assert isinstance(run, Run)
    assert (run.status, rule_lines(run)) == ("partial", [("read.incomplete-run", 2)])


def test_the_monitor_is_telemetry():
    (device,) = read_log("superbench", MONITOR).telemetry
    np.testing.assert_array_equal(device.t, [0, 10])
    assert device.columns["memory_used"].tolist() == [1024, 2048]
    assert device.columns["utilization"].tolist() == [0.56, 0.44]


@pytest.mark.parametrize("content", [
    b'{"Category": "x", "Defective Details": "y", "node": "n", "a/return_code": 0, "index": "n1"}\n',
    b'[\n    {"index": "n1", "diagnosis/accept": true, "diagnosis/issue_details": "", "a/b_time": 0.5}\n]',
])  # fmt: skip
def test_a_diagnosis_is_claimed_and_has_no_results(content):
    claimed = detect(LogFiles.of({"x": content}).file("x"))
    assert claimed is not None
    assert claimed.format.name == "superbench"
    assert claimed.claim.reason == "a diagnosis: deviations from a baseline, no results"
    assert list(claimed.format.read(claimed.files)) == []
