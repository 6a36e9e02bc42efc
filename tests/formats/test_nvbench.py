"""nvbench: a run for each state, separate phases for cold and batch, skipped states."""

from reportgen.core.model import Run
from tests.builders import aggregate_of, read_all, rule_lines
from tests.formats.valid_logs import NVBENCH


def test_cold_and_batch_are_different_quantities():
    run = read_all("nvbench", NVBENCH)[0]
    assert isinstance(run, Run)
    assert run.factors == {
        "framework": "nvbench",
        "benchmark": "copy",
        "device": "NVIDIA A40",
        "device_id": 0,
        "N": 1048576,
    }
    cold, batch = aggregate_of(run, "latency", "cold_gpu"), aggregate_of(run, "latency", "batch_gpu")
    assert (cold.value, cold.n, batch.value, batch.n) == (0.001, 499, 0.0009, 0)
    assert aggregate_of(run, "bandwidth", "cold_gpu").value == 8e11
    assert len(run.aggregates) == 3


def test_a_skipped_state_has_no_figures():
    run = read_all("nvbench", NVBENCH)[1]
    assert isinstance(run, Run)
    assert (run.status, run.aggregates, [rule for rule, _ in rule_lines(run)]) == (
        "cancelled",
        (),
        ["read.failed-run"],
    )
    assert "N" not in run.factors


def test_a_truncated_document_is_a_finding():
    assert [type(one).__name__ for one in read_all("nvbench", NVBENCH[:-9])] == ["Finding"]
