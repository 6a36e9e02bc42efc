"""torchtitan: rates per device, the interval of nine steps, ranks that repeat, validation between."""

import pytest

from tests.builders import read_log, rule_lines, series_of, step_rows
from tests.formats.valid_logs import TORCHTITAN

LINE = (b"[titan] 2026-01-02 10:00:%02d,000 - root - INFO - step: %2d  loss: 1.0  memory:  9.46GiB(64.99%%)"
        b"  tps: 7,282  mfu: 0.17%%\n")  # fmt: skip


def test_the_second_line_covers_nine_steps_and_ranks_count_once():
    run = read_log("torchtitan", TORCHTITAN)
    stamps = series_of(run, "step_time", "timestamp")
    assert step_rows(stamps) == [(10, 9, 9.0, 9 * 8192), (20, 10, 10.0, 81920), (30, 10, 15.0, 81920)]
    assert stamps.line.tolist() == [5, 6, 9]
    assert run.factors == {"framework": "torchtitan", "item": "token", "batch_size": 2, "devices": 4, "seq_len": 1024,
                           "micro_batch_size": 2, "device": "NVIDIA H200"}  # fmt: skip
    assert run.samples_per_step == 8192


def test_tps_is_a_rate_per_device_and_of_all_if_their_number_is_printed():
    run = read_log("torchtitan", TORCHTITAN)
    assert series_of(run, "throughput_per_device", "printed").value.tolist() == [205, 2048, 2048, 2048]
    assert series_of(run, "throughput", "printed").value.tolist() == [820, 8192, 8192, 8192]
    alone = read_log("torchtitan", LINE % (1, 14) + LINE % (2, 15))
    assert {one.metric for one in alone.series} == {"throughput_per_device", "memory_used", "step_time"}
    assert "devices" not in alone.factors


def test_validation_is_a_break_of_known_length():
    (border,) = series_of(read_log("torchtitan", TORCHTITAN), "step_time", "timestamp").breaks
    assert (border.step, border.kind, border.duration) == (20, "evaluation", 6.0)


@pytest.mark.parametrize("line", [
    b"step: 14  loss:  3.2  memory:  9.46GiB(64.99%)  wps: 7,282  mfu: 0.17%\n",
    b"[rank0]:\x1b[31mstep: 14  \x1b[32mloss:  3.2  \x1b[33mmemory:  9.46GiB(64.99%)  \x1b[34mtps: 7,282  mfu: N/A\n",
])  # fmt: skip
def test_older_names_and_colours_are_read(line):
    run = read_log("torchtitan", line)
    assert step_rows(series_of(run, "throughput_per_device", "printed")) == [(14, 1, 7282.0, -1)]


@pytest.mark.parametrize(("end", "status", "rule"), [
    (b"torch.OutOfMemoryError: CUDA out of memory.\n", "out_of_memory", "read.failed-run"),
    (b"CUDA error: y\n", "partial", "read.incomplete-run"),
    (b"", "complete", None),
])  # fmt: skip
def test_an_error_after_the_last_step_decides_the_status(end, status, rule):
    run = read_log("torchtitan", LINE % (1, 1) + LINE % (2, 2) + end)
    assert (run.status, rule_lines(run)) == (status, [(rule, 3)] if rule else [])


def test_an_error_without_a_step_is_a_failure():
    head = b"[titan] 2026-01-02 10:00:00,000 - root - INFO - Starting job\n"
    run = read_log("torchtitan", head + b"torch.OutOfMemoryError: CUDA out of memory.\n")
    assert (run.status, rule_lines(run)) == ("out_of_memory", [("read.failed-run", 2)])


def test_the_newer_mesh_line_gives_the_devices_and_not_the_model():
    head = (b"[titan] 2026-09-01 10:00:00,000 - torchtitan.distributed - INFO - Building device mesh with parallelism: "
            b"pp=2, dp_replicate=1, dp_shard=3, cp=1, tp=2, ep=4\n"
            b"[titan] 2026-09-01 10:00:00,100 - torchtitan.trainer - INFO - Building llama9 tiny\n")  # fmt: skip
    assert read_log("torchtitan", head + LINE % (1, 1)).factors["devices"] == 12
    assert "model" not in read_log("torchtitan", head).factors
    size = (
        b"[titan] 2026-09-01 10:00:00,200 - root - INFO - Model llama9 tiny size: 12,345 total parameters\n"
    )
    assert read_log("torchtitan", head + size).factors["model"] == "llama9 tiny"


@pytest.mark.parametrize("line", [
    b"CUDA capacity: NVIDIA H200 with 139.81GiB memory", b"GPU capacity: NVIDIA H200 (0) with 139.81GiB memory",
])  # fmt: skip
def test_all_wordings_of_the_device_are_read(line):
    assert read_log("torchtitan", line + b"\n" + LINE % (1, 1)).factors["device"] == "NVIDIA H200"


def test_the_time_of_a_restart_is_not_step_time():
    started = b"[titan] 2026-01-02 10:00:00,000 - root - INFO - Training starts at step %d.\n"
    run = read_log("torchtitan", started % 1 + LINE % (1, 1) + LINE % (2, 2) + LINE % (3, 3)
                   + started % 3 + LINE % (48, 3) + LINE % (49, 4) + LINE % (50, 5))  # fmt: skip
    stamps = series_of(run, "step_time", "timestamp")
    assert step_rows(stamps)[2] == (4, 1, 46.0, -1)
    assert [(border.step, border.kind) for border in stamps.breaks] == [(3, "restart")]
