"""MLPerf's result logs: events, status, times, rates, and the files beside them in a submission.

The lines are written after mlperf_logging 4.1 as the reference codes of the benchmarks call it, and after
the results of other rounds (v0.6 to v5.1) where they write differently.
"""

import csv
import json
import statistics
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reportgen.core.model import Run
from reportgen.formats.mlperf import reader as mllog
from reportgen.formats.mlperf.events import parse
from reportgen.formats.parsing.text_log import TextLog
from reportgen.load import load_runs
from reportgen.protocol import DEFAULT, measure_run
from reportgen.sources.logfiles import LogFiles


def event(time_ms: int, key: str, value: Any = None, prefix: str = "", **metadata: Any) -> bytes:
    kind = "INTERVAL_START" if key.endswith("_start") else "POINT_IN_TIME"
    said = {
        "namespace": "",
        "time_ms": time_ms,
        "event_type": kind,
        "key": key,
        "value": value,
        "metadata": {"file": "/workspace/train.py", "lineno": 7, **metadata},
    }
    return f"{prefix}:::MLLOG {json.dumps(said)}\n".encode()


def head(benchmark: str, batch: int, *more: bytes) -> bytes:
    return b"".join(
        (
            b"noise of the container\n",
            event(0, "submission_benchmark", benchmark, " 0: "),
            event(0, "submission_org", "Example"),
            event(0, "global_batch_size", batch),
            *more,
            event(0, "weights_initialization", tensor="a/b"),
            event(1000, "run_start"),
        )
    )


STOP = event(61000, "run_stop", status="success")
BERT = (
    head("bert", 100)
    + STOP
    + event(61000, "tracked_stats", {"throughput": 6644.5, "epoch_num": 7}, step=[2, 3021])
)
# Two blocks of 48 steps of 8 samples with an evaluation between them, as Llama 2 counts them.
LLAMA = (
    head("llama2_70b_lora", 8)
    + event(1000, "block_start", samples_count=0)
    + event(21000, "tracked_stats", {"throughput": 19.5}, step=384)
    + event(21000, "block_stop", samples_count=384)
    + event(31000, "block_start", samples_count=384)
    + event(41000, "block_stop", samples_count=768)
    + event(41000, "tracked_stats", {"throughput": 38.5}, step=768)
    + event(42000, "eval_accuracy", 0.92)
    + STOP
)
# Blocks of 16 steps of 4 sequences of 10 tokens, as GPT-3 counts them.
GPT3 = (
    head("gpt3", 4, event(0, "max_sequence_length", 10))
    + event(1000, "block_start", epoch_count=640, first_epoch_num=0)
    + event(9000, "block_stop", first_epoch_num=0)
    + event(9000, "block_start", epoch_count=640, first_epoch_num=640)
    + event(19000, "block_stop")
    + STOP
)
NEMO = (
    head("gpt3", 4, event(0, "max_sequence_length", 10))
    + event(1000, "block_start", epoch_count=80)
    + b"".join(
        event(1000 + i, "tracked_stats", {"train_step_timing in s": 2.0 + i}, step=40 * i) for i in (1, 2)
    )
    + event(9000, "block_stop")
    + STOP
)
# Two epochs of 30 s and 10 s with a rate of one device each.
SSD = (
    head("ssd", 128, event(0, "local_batch_size", 64))
    + event(1000, "epoch_start", 0, epoch_num=0)
    + event(31000, "epoch_stop", 0, epoch_num=0)
    + event(31000, "tracked_stats", {"throughput": 200.0}, step=1)
    + event(31000, "epoch_start", 1, epoch_num=1)
    + event(41000, "epoch_stop", 1, epoch_num=1)
    + event(41000, "tracked_stats", {"throughput": 240.0}, step=2)
    + STOP
)
# v0.6: time and key before the object, the fields of which come in any order; a description in the log.
OLD_ENTRY = (
    "{'hardware': 'Box 7', 'nodes': \"{'num_nodes': '2', 'num_accelerators': '8', "
    "'accelerator': 'Tesla V100', 'notes': ''}\", 'framework': 'PyTorch 19.05'}"
)
OLD = (
    b'x 3: :::MLL 1556733600.250 submission_benchmark: {"value": "resnet", "metadata": {"lineno": 7}}\n'
    + f":::MLL 1556733600 submission_entry : {json.dumps({'metadata': {}, 'value': OLD_ENTRY})}\n".encode()
    + b':::MLL 1556733601.5 run_start: {"metadata": {"file": "<string>"}, "value": null}\n'
    b':::MLL 1556733660.1 eval_accuracy: {"value": 0.7594, "metadata": {"epoch_num": 59}}\n'
    b':::MLL 1556733661.7501 run_stop: {"value": null, "metadata": {"status": "success"}}\n'
    b':::MLL 1556733664.0 eval_accuracy: {"value": 0.11, "metadata": {"epoch_num": 60}}\n'
)
# v5.0: both ends of a block give its size; a step time comes every two steps of 8, and one for the block.
CALLBACK = (
    head("llama31_8b", 8)
    + event(1000, "block_start", samples_count=32, step=0)
    + event(3000, "tracked_stats", {"train_step_time": 0.5}, step=1.0, samples_count=16.0)
    + event(5000, "tracked_stats", {"train_step_time": 0.75}, step=3.0, samples_count=32.0)
    + event(5000, "tracked_stats", {"train_step_time": 0.625}, samples_count=32)
    + event(5000, "block_stop", samples_count=32, step=4)
    + event(6000, "block_start", samples_count=32, step=4)
    + event(8000, "block_stop", samples_count=32, step=8)
    + STOP
)
SYSTEM = json.dumps(
    {
        "submitter": "Example Inc.",
        "division": "closed",
        "status": "Available on-premise",
        "number_of_nodes": "2",
        "accelerators_per_node": "8 ",
        "accelerator_model_name": "NVIDIA H200",
        "host_memory_capacity": "",
        "framework": "PyTorch",
        "operating_system": "Ubuntu 22.04",
        "other_software_stack": {"cuda_version": "12.4", "nothing": ""},
    }
).encode()
DAMAGED = b':::MLLOG {"namespace": "", "time_ms": 5, :::MLLOG {"namespace": "", "time_ms": 6}\n'


def read(content: bytes, name: str = "log.txt", **beside: bytes) -> Run:
    files = LogFiles.of(
        {name: content, **{path.replace("__", "/"): text for path, text in beside.items()}}
    ).file(name)
    claim = mllog.claims(files)
    assert claim is not None
    (run,) = mllog.FORMAT.read(files)
    assert isinstance(run, Run)
    return run


def figures(run: Run, statistic: str = "mean") -> dict[str, float]:
    return {one.metric: one.value for one in run.aggregates if one.statistic == statistic}


def test_a_log_has_its_time_to_train_and_the_rate_of_the_whole_run() -> None:
    run = read(BERT)
    assert run.factors == {
        "benchmark": "bert",
        "item": "sequence",
        "submitter": "Example",
        "global_batch_size": 100,
    }
    assert (run.status, run.samples_per_step, run.repeat) == ("complete", 100.0, None)
    assert figures(run, "total") == {"time_to_train": 60.0, "scaled_time_to_train": 60.0}
    assert figures(run) == {"throughput": 6644.5}
    assert [one.source.line for one in run.aggregates] == [7, 7, 8]


def test_a_submission_adds_folders_system_and_scaling() -> None:
    files = {
        "Org/results/sys/bert/result_12_3.txt": BERT,
        "Org/results/sys/bert/scaling.json": b'{"scaling_factor": 1.05}',
        "Org/systems/sys.json": SYSTEM,
    }
    view = LogFiles.of(files).file("Org/results/sys/bert/result_12_3.txt")
    claim = mllog.claims(view)
    assert claim is not None
    assert (claim.confidence, claim.source.line) == (1.0, 2)
    (run,) = mllog.FORMAT.read(view.select(claim.files, claim.beside))
    assert isinstance(run, Run)
    assert run.repeat == 3
    assert run.factors == {
        "benchmark": "bert",
        "item": "sequence",
        "submitter": "Org",
        "system": "sys",
        "division": "closed",
        "availability": "Available on-premise",
        "framework": "PyTorch",
        "device": "NVIDIA H200",
        "nodes": 2,
        "devices": 16,
        "global_batch_size": 100,
    }
    assert figures(run, "total") == {"time_to_train": 60.0, "scaled_time_to_train": pytest.approx(63.0)}
    assert run.environment == {
        "os": "Ubuntu 22.04",
        "submitter_name": "Example Inc.",
        "scaling_factor": 1.05,
        "software.cuda_version": "12.4",
    }


def test_blocks_become_intervals_of_steps_with_a_rate_each() -> None:
    times, rates = read(LLAMA).series
    assert (times.clock, times.step.tolist(), times.span.tolist()) == ("timestamp", [48, 96], [48, 48])
    np.testing.assert_allclose((times.begin, times.value, times.samples), [[0, 30], [20, 10], [384, 384]])
    assert (rates.metric, rates.step.tolist(), rates.value.tolist()) == ("throughput", [48, 96], [19.5, 38.5])
    assert times.line.tolist() == [9, 11]
    assert rates.line.tolist() == [8, 12]


def test_counts_of_tokens_become_steps_if_the_sequence_length_divides_them() -> None:
    (times,) = read(GPT3).series
    assert (times.step.tolist(), times.value.tolist(), times.samples.tolist()) == (
        [16, 32],
        [8.0, 10.0],
        [64.0, 64.0],
    )


def test_printed_step_times_are_steps_and_their_blocks_are_not_needed() -> None:
    (times,) = read(NEMO).series
    assert (times.clock, times.step.tolist(), times.value.tolist()) == ("printed", [1, 2], [3.0, 4.0])
    assert times.samples.tolist() == [4.0, 4.0]


@pytest.mark.parametrize("count", [1, 639, 0, -40, "x", 1e300, True])
def test_a_count_that_the_batch_does_not_divide_gives_no_steps(count: object) -> None:
    content = (
        head("bert", 4) + event(1000, "block_start", epoch_count=count) + event(9000, "block_stop") + STOP
    )
    assert not read(content).series


def test_ssd_rates_are_per_device_and_weighted_by_epochs() -> None:
    run = read(SSD)
    assert figures(run)["throughput"] == pytest.approx(2 * (200 * 30 + 240 * 10) / 40)
    samples = [one for one in run.aggregates if one.statistic == "sample"]
    assert [(one.value, one.original) for one in samples] == [(400.0, "200.0"), (480.0, "240.0")]
    unknown = read(SSD.replace(b"local_batch_size", b"something_else"))
    assert figures(unknown) == {"throughput_per_device": pytest.approx(210.0)}


@pytest.mark.parametrize(
    ("content", "status", "rule", "metrics"),
    [
        (BERT.replace(b'"success"', b'"aborted"'), "failed", "read.failed-run", {"run_time": 60.0}),
        (BERT.replace(STOP, b""), "partial", "read.incomplete-run", {}),
        (head("bert", 100), "failed", "read.failed-run", {}),
        (event(5, "init_start"), "failed", "read.failed-run", {}),
    ],
)
def test_only_success_reaches_the_target(
    content: bytes, status: str, rule: str, metrics: dict[str, float]
) -> None:
    run = read(content)
    assert (run.status, [one.rule for one in run.findings]) == (status, [rule])
    assert figures(run, "total") == metrics
    assert measure_run(run, "time_to_train", "step", DEFAULT) is None


def test_damaged_events_are_reported_and_the_rest_is_read() -> None:
    run = read(DAMAGED + BERT + DAMAGED)
    assert run.status == "complete"
    ((rule, line, message),) = [
        (one.rule, one.source and one.source.line, one.message) for one in run.findings
    ]
    assert (rule, line, message) == (
        "read.malformed-line",
        1,
        "an event of MLLOG that is not JSON, and 1 more like it",
    )


def test_events_written_in_another_order_are_read() -> None:
    said = {"metadata": {"status": "success"}, "key": "run_stop", "time_ms": 61000, "value": None}
    content = BERT.replace(STOP, f":::MLLOG {json.dumps(said)}\n".encode())
    assert figures(read(content), "total")["time_to_train"] == 60.0


def test_events_of_v0_6_have_time_and_key_before_the_object() -> None:
    run = read(OLD)
    assert (run.status, run.findings) == ("complete", ())
    assert run.factors == {
        "benchmark": "resnet",
        "item": "image",
        "device": "Tesla V100",
        "framework": "PyTorch 19.05",
        "nodes": 2,
        "devices": 16,
    }
    assert figures(run, "total")["time_to_train"] == 60.25
    # Evaluation ran beside training and printed its last result after the end.
    assert figures(run, "last") == {"eval_accuracy": 0.7594}


def test_an_accuracy_may_be_a_text() -> None:
    assert figures(read(OLD.replace(b"0.7594", b'"25.5"')), "last") == {"eval_accuracy": 25.5}


def test_the_lines_of_speedometer_between_the_events_are_rates_and_times() -> None:
    line = b"2024-05-06 07:00:%s Node[0] Epoch[0] Batch [%d-%d]\tSpeed: %s samples/sec\taccuracy=nan\n"
    lines = line % (b"10,250", 0, 20, b"1000.5") + line % (b"14,500", 20, 40, b"1010.5")
    content = OLD.replace(b":::MLL 1556733660.1 eval", lines + b":::MLL 1556733660.1 eval")
    rates, times = read(content).series
    assert (times.clock, times.step.tolist(), times.value.tolist()) == ("timestamp", [41], [4.25])
    assert (rates.step.tolist(), rates.value.tolist()) == ([21, 41], [1000.5, 1010.5])


def test_an_example_of_an_event_in_source_code_is_not_a_log() -> None:
    source = b'# :::MLL 1556733699.71 run_start: {"value": null,\n#   "metadata": {"lineno": 77}}\n'
    assert mllog.claims(LogFiles.of({"mlperf_log.py": source}).file("mlperf_log.py")) is None


def test_a_block_may_give_its_size_at_both_ends() -> None:
    blocks = b"".join(line for line in CALLBACK.splitlines(True) if b"train_step_time" not in line)
    (times,) = read(blocks).series
    assert (times.clock, times.step.tolist(), times.value.tolist()) == ("timestamp", [4, 8], [4.0, 2.0])
    # Without its steps the block may have been empty.
    assert not read(blocks.replace(b'"step"', b'"else"')).series


def test_step_times_of_newer_callbacks_are_placed_by_their_count_of_samples() -> None:
    (times,) = read(CALLBACK).series
    assert (times.clock, times.step.tolist(), times.span.tolist()) == ("printed", [2, 4], [2, 2])
    assert times.value.tolist() == [1.0, 1.5]


@pytest.mark.parametrize(("counts", "steps"), [((20, 20), []), ((1000, 20), []), ((336, 168), [84, 126])])
def test_epochs_count_samples_only_in_whole_data_sets(counts: tuple[int, int], steps: list[int]) -> None:
    content = head("unet3d", 4, event(0, "train_samples", 168)) + STOP
    for at, count in enumerate(counts):
        content += event(1000 + 9000 * at, "block_start", epoch_count=count)
        content += event(9000 + 9000 * at, "block_stop", epoch_count=count)
    found = [step for one in read(content).series for step in one.step.tolist()]
    assert found == steps


def test_ssd_rates_are_of_the_whole_job_if_its_epochs_fit() -> None:
    # 30 s of 200 images a second, in an epoch of 6000 images; 47 batches of 128 are twice that with two devices.
    whole = SSD.replace(event(1000, "run_start"), event(0, "train_samples", 6000) + event(1000, "run_start"))
    assert figures(whole := read(whole))["throughput"] == pytest.approx(210.0)
    assert whole.factors["item"] == "image"
    batches = event(0, "train_samples", 94) + event(1000, "run_start")
    of_one = read(SSD.replace(event(1000, "run_start"), batches))
    assert figures(of_one)["throughput"] == pytest.approx(420.0)


@pytest.mark.parametrize(
    "said",
    [
        event(31000, "tracked_stats", {"imgs_sec": 512.5}, step=1),
        event(31000, "throughput", 512.5),
        event(31000, "tracked_stats", {"imgs_sec": 512.5}) + event(31000, "throughput", 512.5),
    ],
)
def test_rates_of_v1_0_have_other_names(said: bytes) -> None:
    run = read(head("resnet", 8) + said + STOP)
    assert figures(run) == {"throughput": 512.5}


@pytest.mark.parametrize(
    ("name", "repeat"),
    [("result_run10.txt", 10), ("result_1_2n_15927513890.txt", None), ("result_b.txt", None)],
)
def test_a_result_of_a_submission_may_have_any_name(name: str, repeat: int | None) -> None:
    files = {f"Org/results/sys/bert/{name}": BERT, "Org/systems/sys.json": SYSTEM}
    view = LogFiles.of(files).file(f"Org/results/sys/bert/{name}")
    claim = mllog.claims(view)
    assert claim is not None
    (run,) = mllog.FORMAT.read(view.select(claim.files, claim.beside))
    assert isinstance(run, Run)
    assert (run.repeat, run.factors["device"]) == (repeat, "NVIDIA H200")


# The corpus


def rows(corpus: Path) -> list[dict[str, str]]:
    with (corpus / "expected" / "mlperf_runs.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def test_every_run_of_the_corpus_is_read_as_expected(corpus: Path) -> None:
    loaded = load_runs([corpus / "mlperf"], root=corpus)
    runs = {run.id: run for run in loaded.runs}
    expected = rows(corpus)
    assert set(runs) == {row["file"] for row in expected}
    for row in expected:
        _compare(runs[row["file"]], row, corpus)
    print(f"mlperf: {len(expected)} of {len(expected)} runs as expected")


def _compare(run: Run, row: dict[str, str], corpus: Path) -> None:
    assert (run.status, row["status"]) == ("complete", "success")
    case = tuple(run.factors[name] for name in ("submitter", "system", "benchmark"))
    assert case == (row["submitter"], row["system"], row["benchmark"])
    assert run.factors["global_batch_size"] == run.samples_per_step == int(row["global_batch_size"])
    measured = measure_run(run, "time_to_train", "step", DEFAULT)
    assert measured is not None
    assert measured.value / 60 == pytest.approx(float(row["time_to_train_min"]), rel=1e-12)
    (quality,) = [one for one in run.aggregates if one.metric == "eval_accuracy"]
    assert (quality.n, quality.value) == (int(row["n_eval"]), float(row["eval_last"]))
    printed = [one for one in run.aggregates if one.metric == "throughput" and one.statistic == "sample"]
    printed = printed or [one for one in run.aggregates if one.metric == "throughput"]
    rates = [float(one.original) for one in printed]
    assert len(rates) == int(row["n_throughput"])
    if rates:
        found = (rates[0], rates[-1], statistics.median(rates))
        assert found == tuple(float(row[f"throughput_{which}"]) for which in ("first", "last", "median"))
    log = TextLog(LogFiles.of({"x": (corpus / "mlperf" / row["file"]).read_bytes()}).file("x"))
    events = parse(log)
    assert (events.count, events.damaged) == (int(row["n_mllog"]), int(row["n_bad_mllog"]))


def test_the_step_times_of_nemo_inside_an_mllog_log_are_measured(corpus: Path) -> None:
    (run,) = mllog.FORMAT.read(
        LogFiles.of({"x": (corpus / "trainers/nemo/result_0.txt").read_bytes()}).file("x")
    )
    assert isinstance(run, Run)
    found = measure_run(run, "step_time", "step", DEFAULT)
    assert found is not None
    assert (found.value, found.evidence) == (pytest.approx(36.04237, abs=5e-6), "steps")


# torchvision's SSD prints `Epoch: ...` between the events: 20 iterations of 0.1 s each, 8 samples.
def test_the_lines_of_metric_logger_between_the_events_are_steps() -> None:
    line = "Epoch: [0]  [{:4}/4572]  eta: 0:08:36    time: 0.1000  data: 0.0200  max mem: 100\n"
    lines = "".join(line.format(at) for at in range(0, 201, 20)).encode()
    batch = b':::MLLOG {"key": "global_batch_size", "value": 8, "time_ms": 1000, "metadata": {}}\n'
    run = read(batch + lines)
    found = {
        (metric, phase): measure_run(run, metric, phase, DEFAULT)
        for metric, phase in (("step_time", "step"), ("step_time", "data_loading"), ("throughput", "step"))
    }
    values = {key: one.value for key, one in found.items() if one}
    assert values == {
        ("step_time", "step"): pytest.approx(0.1),
        ("step_time", "data_loading"): pytest.approx(0.02),
        ("throughput", "step"): pytest.approx(80.0),
    }


def test_seconds_and_objects_as_python_prints_them_are_read() -> None:
    content = (
        b':::MLLOG {"namespace": "w0", "time_s": 1594.25, "event_type": "INTERVAL_START", "key": "run_start", '
        b"\"value\": null, \"metadata\": {'file': \"it's.py\", 'lineno': 7, 'rank': None}}\n"
        b":::MLLOG {'namespace': '', 'time_ms': 1600250, 'event_type': 'POINT_IN_TIME', 'key': 'global_batch_size', "
        b"'value': 64, 'metadata': {'note': 'a \\'b\\' \"c\"', 'none': True}}\n"
        b':::MLL 1600.75 eval_accuracy: {"value": 0.5, "metadata": {\'epoch_num\': 3}}\n'
        b':::MLLOG {"namespace": "", "time_s": "1654.75", "key": "run_stop", "metadata": {\'status\': \'success\'}}\n'
        b':::MLLOG {"namespace": "", "time_ms": 1654800, "event_type": "POINT_IN_TIME", "key": "seed", '
        b"\"value\": 7, \"metadata\": {'file': 'a.py'}}\n"
        b':::MLLOG {"namespace": "", "time_ms": 1654800, "event_type": "POINT_IN_TIME", "key": "submission_org", '
        b'"value": "Me", "metadata": "{\'file\': \'a.py\'}"}\n'
    )
    run = read(content)
    assert (run.environment["seed"], run.factors["submitter"]) == (7, "Me")
    assert (run.status, [str(finding.rule) for finding in run.findings]) == ("complete", [])
    assert figures(run, "total")["time_to_train"] == 60.5
    assert (run.samples_per_step, figures(run, "last")) == (64.0, {"eval_accuracy": 0.5})


def loadgen(key: str, value: Any) -> bytes:
    """Return a line as LoadGen prints it."""
    said = {"key": key, "value": value, "time_ms": 273.0054, "namespace": "mlperf::logging"}
    more = {"event_type": "POINT_IN_TIME", "metadata": {"is_error": False, "file": "loadgen.cc", "pid": 38}}
    return f":::MLLOG {json.dumps(said | more)}\n".encode()


LOADGEN = loadgen("loadgen_version", "4.1 @ 1a2b") + loadgen("requested_scenario", "Offline")
POWER = (
    event(0, "conversion_eff", 0.95) + event(0, "power_reading", 812.5) + event(1000, "power_reading", 840)
)


@pytest.mark.parametrize("content", [LOADGEN, LOADGEN[:-120], POWER, b"meter 1\n" + POWER])
def test_inference_and_meters_print_the_same_prefix_and_are_not_training(content: bytes) -> None:
    for name in ("mlperf_log_detail.txt", "Me/results/box/bert/result_0.txt"):
        assert mllog.claims(LogFiles.of({name: content}).file(name)) is None
        assert mllog.claims(LogFiles.of({name: content + BERT}).file(name))


@pytest.mark.parametrize("stated", ["2xSUBMISSION_PLATFORM_PLACEHOLDER", "Umbrella Corp.", "?"])
def test_what_a_program_prints_until_it_is_replaced_is_not_a_factor(stated: str) -> None:
    content = BERT.replace(b'"Example"', json.dumps(stated).encode())
    run = read(content.replace(STOP, event(0, "submission_platform", stated) + STOP))
    assert not {"submitter", "system"} & set(run.factors)
    assert "platform" not in run.environment


def test_the_devices_of_ssd_are_counted_without_accumulated_batches() -> None:
    per_device = read(SSD)
    twice = event(0, "gradient_accumulation_steps", 2)
    accumulated = read(SSD.replace(event(1000, "run_start"), twice + event(1000, "run_start")))
    assert figures(per_device)["throughput"] == pytest.approx(2 * figures(accumulated)["throughput"])
