"""Experiment trackers: which names state a speed, and the files of TensorBoard, MLflow and W&B."""

import math
import struct

import pytest

from reportgen.core.model import Finding, Run
from reportgen.formats.detection import detect
from reportgen.formats.trackers.event_records import masked_checksum, scalars
from reportgen.formats.trackers.logged_metrics import is_unclear, speed_of
from reportgen.sources.logfiles import LogFiles
from tests.builders import aggregate_of, line_rows, messages, read_log, rule_lines, series_of, step_rows
from tests.each_of import each_row
from tests.formats.tracker_files import (
    MLFLOW,
    TENSORBOARD,
    WANDB,
    crc32c,
    event,
    event_file,
    event_record,
    part,
    wandb_file,
)

# Name, metric, item, units in a base unit.
NAMES = [
    ("train/tokens_per_second", "throughput", "token", 1),
    ("tokens/s", "throughput", "token", 1),
    ("perf/Samples per sec", "throughput", "sample", 1),
    ("img/s", "throughput", "image", 1),
    ("perf/tokens_per_sec_per_gpu", "throughput_per_device", "token", 1),
    ("train/device/samples_per_sec", "throughput_per_device", "sample", 1),
    ("it/s", "step_time", "step", 1),
    ("steps_per_second", "step_time", "step", 1),
    ("Step Time (ms)", "step_time", "", 1000),
    ("timing/iteration_time_s", "step_time", "", 1),
    ("sec_per_step", "step_time", "", 1),
]


@each_row(NAMES)
def test_a_name_states_a_speed_and_its_unit(name: str, metric: str, item: str, divisor: float) -> None:
    speed = speed_of(name)
    assert speed is not None
    assert (speed.metric, speed.item, speed.divisor, is_unclear(name)) == (metric, item, divisor, False)


UNCLEAR = ["throughput", "step_time", "batch_time", "batches_per_second", "tokens_per_second_avg", "TPS",
           "step_time_units", "train/device/batches_per_sec"]  # fmt: skip
OTHER = ["train/loss", "lr", "accuracy", "eval/samples_per_second", "val_tokens_per_second", "num_tokens",
         "epoch", "https", "steps", "test/step_time_ms"]  # fmt: skip


@each_row([*((name, True) for name in UNCLEAR), *((name, False) for name in OTHER)])
def test_other_names_are_not_read(name: str, unclear: bool) -> None:
    assert (speed_of(name), is_unclear(name)) == (None, unclear)


# TensorBoard

# A record as TensorBoard's own writer wrote it, of the step 1 at 1772360000.25 s.
REAL = bytes.fromhex(
    "3f000000000000005165766109000010500469da4110012a320a110a0a747261696e2f6c6f7373150000803f0a1d0a1670"
    "6572662f746f6b656e735f7065725f7365636f6e641500008047865d9f35"
)


def test_a_record_of_the_real_writer_is_decoded() -> None:
    assert list(scalars(REAL)) == [
        (1, [("train/loss", 1, 1772360000.25, 1.0), ("perf/tokens_per_second", 1, 1772360000.25, 65536.0)])
    ]


def test_the_checksum_is_the_rotated_one_of_the_castagnoli_polynomial() -> None:
    assert crc32c(b"123456789") == 0xE3069283  # the check value of CRC-32C
    rotated = ((0xE3069283 >> 15) | (0xE3069283 << 17)) & 0xFFFFFFFF
    assert masked_checksum(b"123456789") == (rotated + 0xA282EAD8) & 0xFFFFFFFF
    # The head of a record of 72 bytes, as TensorBoard wrote it.
    assert struct.pack("<I", masked_checksum(bytes.fromhex("4800000000000000"))).hex() == "fe92489d"


def test_scalars_of_a_rate_are_a_series() -> None:
    run = read_log("tensorboard", TENSORBOARD)
    assert step_rows(series_of(run, "throughput", "printed")) == [(10, 10, 4096, -1), (20, 10, 8192, -1)]
    assert (run.factors, run.started, len(run.series), rule_lines(run)) == (
        {"item": "token"},
        1772360000.5,
        1,
        [],
    )


FLOAT, DOUBLE = struct.pack("<f", 2.5), struct.pack("<d", 2.5)
TENSORS = [
    (b"\x08\x01" + part(5, FLOAT), 2.5),
    (b"\x08\x01" + part(4, FLOAT), 2.5),
    (b"\x08\x02" + part(6, DOUBLE), 2.5),
    (b"\x08\x02" + part(4, DOUBLE), 2.5),
    (b"\x08\x01" + part(5, FLOAT * 2), None),  # no scalar
    (b"\x08\x07" + part(8, b"text"), None),
    (b"\x08\x01" + part(5, FLOAT)[:-1], None),
]


@pytest.mark.parametrize(("tensor", "value"), TENSORS)
def test_a_tensor_of_one_number_is_a_scalar(tensor: bytes, value: float | None) -> None:
    found = [
        each.value for record in scalars(event_file(event(1.0, 3, {}, {"a": tensor}))) for each in record[1]
    ]  # type: ignore[union-attr]
    assert found == ([] if value is None else [value])


def test_times_of_points_are_step_times_if_steps_are_not_epochs() -> None:
    def logged(epoch_of_step: float) -> bytes:
        points = [
            event(1e9 + 5 * n, 10 * n, {"epoch": 10 * n * epoch_of_step, "loss": 1}) for n in range(1, 6)
        ]
        return event_file(*points)

    times = series_of(read_log("tensorboard", logged(0.01)), "step_time", "timestamp")
    assert step_rows(times) == [(step, 10, 5.0, -1) for step in (20, 30, 40, 50)]
    assert read_log("tensorboard", logged(1)).series == ()


def test_the_totals_of_the_hugging_face_trainer_do_not_replace_its_steps() -> None:
    points = [event(1e9 + 5 * n, 10 * n, {"train/epoch": n / 10, "train/loss": 1}) for n in range(1, 4)]
    totals = event(
        1e9 + 15, 30, {"train/train_samples_per_second": 64.0, "train/train_steps_per_second": 2.0}
    )
    run = read_log("tensorboard", event_file(*points, totals))
    assert step_rows(series_of(run, "step_time")) == [(20, 10, 5.0, -1), (30, 10, 5.0, -1)]
    assert [(each.metric, each.statistic, each.value) for each in run.aggregates] == [
        ("throughput", "last", 64.0), ("step_time", "last", 0.5)
    ]  # fmt: skip
    assert (run.factors, rule_lines(run)) == ({"item": "sample"}, [])


def test_of_two_items_the_rate_of_one_is_read_and_the_other_is_named() -> None:
    points = [
        event(1e9 + n, n, {"a/images_per_second": 4.0, "a/tokens_per_second": 8.0}) for n in range(1, 4)
    ]
    run = read_log("tensorboard", event_file(*points))
    assert (series_of(run, "throughput").value.tolist(), run.factors) == ([4.0] * 3, {"item": "image"})
    assert '"a/tokens_per_second"' in messages(run.findings, "read.malformed-line")[0]


def test_a_loss_alone_is_not_a_speed() -> None:
    run = read_log("tensorboard", event_file(*(event(1e9 + n, n, {"loss": 1.0}) for n in range(9))))
    assert (run.series, run.aggregates) == ((), ())
    assert messages(run.findings, "read.incomplete-run") == [
        "no metric is a speed: log one with its unit in its name, such as tokens_per_second"
    ]


def test_a_speed_without_a_unit_is_named() -> None:
    run = read_log("tensorboard", event_file(*(event(1e9 + n, n, {"throughput": 9.0}) for n in range(9))))
    assert run.series == ()
    assert 'not read: "throughput"' in messages(run.findings, "read.incomplete-run")[0]


GOOD = [event(1e9 + n, n + 1, {"steps_per_second": 4.0}) for n in range(4)]
FILE = event_file(*GOOD)
LAST = len(event_record(GOOD[-1]))
BROKEN = [
    (FILE[:-3], 3, "record 5: the file ends in a record; the rest is not read"),
    (FILE[:-LAST] + b"\xff" + FILE[-LAST + 1 :], 3, "record 5: the length of a record has a wrong checksum; the rest is not read"),
    (FILE[:-1] + bytes([FILE[-1] ^ 1]), 3, "a record has a wrong checksum"),
    # A length of 2**63 bytes with the right checksum.
    (FILE + struct.pack("<Q", 2**63) + struct.pack("<I", masked_checksum(struct.pack("<Q", 2**63))),
     4, "record 6: the file ends in a record; the rest is not read"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "count", "message"), BROKEN)
def test_a_damaged_record_is_reported(content: bytes, count: int, message: str) -> None:
    run = read_log("tensorboard", content)
    assert series_of(run, "step_time").value.tolist() == [0.25] * count
    assert message in messages(run.findings, "read.malformed-line")


def test_the_first_point_of_a_step_counts_and_steps_from_0_are_counted_from_1() -> None:
    points = [(0, 1.0), (1, 2.0), (1, 9.0), (2, math.nan), (3, 4.0), (4, -1.0)]
    run = read_log(
        "tensorboard", event_file(*(event(1e9, step, {"step_time_s": value}) for step, value in points))
    )
    assert step_rows(series_of(run, "step_time")) == [(1, 1, 1.0, -1), (2, 1, 2.0, -1), (4, 2, 8.0, -1)]


# MLflow


def mlflow(files: dict[str, bytes]) -> list[Run | Finding]:
    claimed = detect(LogFiles.of(files))
    assert claimed is not None
    assert claimed.format.name == "mlflow"
    return list(claimed.format.read(claimed.files))


def mlflow_run(files: dict[str, bytes]) -> Run:
    (run,) = mlflow(files)
    assert isinstance(run, Run)
    return run


def test_a_run_of_mlflow_has_its_speed_and_usual_parameters_and_no_names_of_people() -> None:
    run = mlflow_run(MLFLOW)
    assert line_rows(series_of(run, "throughput")) == [(1, 1, 128.0, 1), (2, 1, 256.0, 2)]
    assert series_of(run, "throughput").source.path == "metrics/train/images_per_second"
    assert run.factors == {"batch_size": 32, "model": "resnet50", "item": "image"}
    assert (run.status, run.started, rule_lines(run)) == ("complete", 1772360000.0, [])
    assert [text for text in ("ada", "sk-0123", "calm-owl", "/home") if text in repr(run)] == []


STATUS = [(b"1", "running"), (b"3", "complete"), (b"4", "failed"), (b"5", "cancelled")]


@pytest.mark.parametrize(("number", "status"), STATUS)
def test_the_status_is_that_of_the_store(number: bytes, status: str) -> None:
    meta = MLFLOW["meta.yaml"].replace(b"status: 3", b"status: " + number)
    assert mlflow_run({**MLFLOW, "meta.yaml": meta}).status == status


def test_a_deleted_run_is_a_finding() -> None:
    meta = MLFLOW["meta.yaml"].replace(b"active", b"deleted")
    (found,) = mlflow({**MLFLOW, "meta.yaml": meta})
    assert isinstance(found, Finding)
    assert "deleted" in found.message


def test_a_single_value_is_a_figure_and_values_without_steps_are_not_read() -> None:
    name = "metrics/train/images_per_second"
    run = mlflow_run({**MLFLOW, name: b"1772360001000 256.5 0\n"})
    figure = aggregate_of(run, "throughput", statistic="last")
    assert (run.series, figure.value, figure.source and figure.source.line) == ((), 256.5, 1)
    run = mlflow_run({**MLFLOW, name: b"1772360001000 256.5\n1772360002000 9\n"})
    assert (run.series, run.aggregates, [rule for rule, _ in rule_lines(run)]) == (
        (),
        (),
        ["read.incomplete-run"],
    )


def test_a_damaged_line_of_a_metric_is_reported() -> None:
    content = b"1772360000500 128 1\nx\n1772360001000 nan 2\n1 2 -3\n1772360001500 64 3\n1772360002"
    run = mlflow_run({**MLFLOW, "metrics/train/images_per_second": content})
    assert line_rows(series_of(run, "throughput")) == [(1, 1, 128.0, 1), (3, 2, 64.0, 5)]
    assert sorted(finding.message for finding in run.findings) == [
        '1 of 3 values of "train/images_per_second" are NaN or infinite',
        "a line without time, value and step, and 2 more like it",
    ]


# W&B


def test_a_run_of_wandb_has_the_steps_of_its_calls() -> None:
    run = read_log("wandb", WANDB)
    assert step_rows(series_of(run, "throughput")) == [(1, 1, 4096.0, -1), (2, 1, 8192.5, -1)]
    assert run.factors == {"batch_size": 32, "model": "tiny", "item": "token"}
    assert (run.status, run.started, rule_lines(run)) == ("complete", 1772360000.5, [])


def test_the_global_step_of_a_trainer_is_the_step() -> None:
    history = [
        {"_step": n, "_timestamp": 1e9 + n, "train/global_step": 10 * n, "train/epoch": n / 100}
        for n in range(1, 5)
    ]
    times = series_of(read_log("wandb", wandb_file(history)), "step_time", "timestamp")
    assert step_rows(times) == [(20, 10, 1.0, -1), (30, 10, 1.0, -1), (40, 10, 1.0, -1)]
    for entry in history:
        del entry["train/global_step"]  # calls of log() are not steps
    assert read_log("wandb", wandb_file(history)).series == ()


def test_records_continue_in_the_next_block() -> None:
    history = [{"_step": n, "step_time_ms": 250, "note": "x" * (100 + n % 7)} for n in range(1000)]
    content = wandb_file(history)
    assert len(content) > 4 * 32768
    assert series_of(read_log("wandb", content), "step_time").value.tolist() == [0.25] * 1000


@pytest.mark.parametrize(("exit_code", "status"), [(0, "complete"), (1, "failed"), (None, "partial")])
def test_the_end_of_the_process_is_the_status(exit_code: int | None, status: str) -> None:
    history = [{"_step": n, "step_time_ms": 250} for n in range(9)]
    assert read_log("wandb", wandb_file(history, exit_code=exit_code)).status == status


def test_a_damaged_record_of_wandb_is_left_out() -> None:
    content = bytearray(wandb_file([{"_step": n, "step_time_ms": 250} for n in range(9)]))
    content[content.index(b"step_time_ms")] ^= 1
    run = read_log("wandb", bytes(content))
    assert len(series_of(run, "step_time").step) == 8
    assert messages(run.findings, "read.malformed-line") == ["a record has a wrong checksum"]
    cut = read_log("wandb", bytes(content[:-12]))
    assert "the file ends in a record" in messages(cut.findings, "read.malformed-line")
    assert cut.status == "partial"
