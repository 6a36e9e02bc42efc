"""timm's benchmark.py: aggregates of inference and of training, as JSON, after a delimiter, and as CSV."""

import json

import pytest

from reportgen.core.model import Finding, Run, Source
from reportgen.formats.detection import offer
from reportgen.protocol import Protocol, measure_run
from reportgen.sources.logfiles import LogFiles
from tests.builders import aggregate_of, rule_lines
from tests.formats.valid_logs import TIMM_BENCHMARK

RESULT = json.loads(TIMM_BENCHMARK)
OTHER = {"model": "vgg11", "infer_samples_per_sec": 2000.0, "infer_step_time": 16.0, "infer_batch_size": 32}
FAILED = {"model": "vgg11", "error": "CUDA out of memory. Tried to allocate 2.00 GiB"}


def read(content: bytes) -> list[Run | Finding]:
    """Return the runs of a file that only this format claims."""
    claimed = offer(LogFiles.of({"x": content}).file("x"))
    assert claimed is not None
    assert (claimed.format.name, claimed.rivals) == ("timm_benchmark", ())
    return list(claimed.format.read(claimed.files))


def runs(content: bytes) -> list[Run]:
    found = read(content)
    assert all(isinstance(one, Run) for one in found)
    return [one for one in found if isinstance(one, Run)]


def printed(results: object, before: str = "", after: str = "") -> bytes:
    return f"{before}--result\n{json.dumps(results, indent=4)}\n{after}".encode()


def test_inference_and_training_are_separate_runs():
    inference, training = runs(TIMM_BENCHMARK)
    factors = {"framework": "timm", "item": "image", "model": "resnet18"}
    assert inference.factors == {**factors, "test": "inference", "batch_size": 256, "image_size": 224}
    assert training.factors == {**factors, "test": "train", "batch_size": 128, "image_size": 176}
    assert (inference.samples_per_step, training.samples_per_step) == (256, 128)
    assert [(one.metric, one.phase, one.value) for one in inference.aggregates] == [
        ("throughput", "step", 4000.5),
        ("step_time", "step", 0.064002),
    ]
    assert {one.phase: one.original for one in training.aggregates if one.metric == "step_time"} == {
        "step": "128.004 ms",
        "forward": "40.5 ms",
        "backward": "80.5 ms",
        "optimizer": "7.004 ms",
    }
    assert (inference.source, inference.id, training.id) == (Source("x", 2), "x#1", "x#2")


def test_a_rate_is_an_aggregate_and_of_the_whole_loop():
    (run, _) = runs(TIMM_BENCHMARK)
    found = measure_run(run, "throughput", "step", Protocol())
    assert found is not None
    assert (found.value, found.evidence) == (4000.5, "aggregate")


def test_a_list_has_a_run_for_each_model_at_its_line():
    found = runs(json.dumps([RESULT, OTHER], indent=4).encode())
    assert [run.factors["model"] for run in found] == ["resnet18", "resnet18", "vgg11"]
    assert [run.source.line for run in found] == [3, 3, 20]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_csv_gives_the_same_runs(end: str):
    other = {**dict.fromkeys(RESULT, ""), **OTHER}
    rows = [RESULT.keys(), RESULT.values(), other.values()]
    content = "".join(",".join(map(str, row)) + end for row in rows).encode()
    found = runs(content)
    assert [(run.factors, run.samples_per_step) for run in found[:2]] == [
        (run.factors, run.samples_per_step) for run in runs(TIMM_BENCHMARK)
    ]
    assert [aggregate_of(run, "throughput").value for run in found] == [4000.5, 1000.25, 2000.0]
    assert [run.source.line for run in found] == [2, 2, 3]


def test_results_may_follow_other_output():
    before = "Train [8/40]. 999.00 samples/sec. 128.128 ms/step.\n" * 3000
    found = runs(printed(RESULT, before, "srun: done\n") + printed([OTHER]))
    assert [aggregate_of(run, "throughput").value for run in found] == [4000.5, 1000.25, 2000.0]
    assert [run.source.line for run in found] == [3003, 3003, 3023]


@pytest.mark.parametrize(("results", "tests"), [
    (FAILED, [(None, "out_of_memory")]),
    ({**FAILED, "error": "Unknown"}, [(None, "failed")]),
    ({**OTHER, "error": "Unknown"}, [("inference", "complete"), ("train", "failed")]),
])  # fmt: skip
def test_failed_tests_are_failed_runs(results: dict[str, object], tests: list[tuple[str, str]]):
    found = runs(printed(results))
    assert [(run.factors.get("test"), run.status) for run in found] == tests
    assert rule_lines(found[-1]) == [("read.failed-run", 3)]
    assert found[-1].aggregates == ()


@pytest.mark.parametrize(("content", "line"), [
    (TIMM_BENCHMARK[:-9], 1),
    (b'{"infer_samples_per_sec": null, "infer_step_time": 1}', 1),
    (b"model,infer_samples_per_sec,infer_step_time\na,1\n", 2),
    (b"\n\n" + printed(RESULT)[:200], 4),
])  # fmt: skip
def test_other_objects_are_reported(content: bytes, line: int):
    (finding,) = read(content)
    assert isinstance(finding, Finding)
    assert (finding.rule, finding.source) == ("read.malformed-line", Source("x", line))


@pytest.mark.parametrize("content", [
    b'{"model": "mlp", "infer_samples_per_sec": 12.5, "mse": 0.1}',
    b"usage: train.py [--result\n",
    b"model,test_mse,infer_samples_per_sec\nmlp,0.1,12.5\n",
])  # fmt: skip
def test_results_of_other_programs_are_not_claimed(content: bytes):
    claimed = offer(LogFiles.of({"x": content}).file("x"))
    assert claimed is None or claimed.format.name == "own_table"
