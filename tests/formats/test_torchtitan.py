"""torchtitan: rates per device, the interval of nine steps, ranks that repeat, validation between."""

import pytest

from tests.formats.reading import read_run, rules, series, table
from tests.formats.trainer_logs import TORCHTITAN

LINE = (b"[titan] 2026-01-02 10:00:%02d,000 - root - INFO - step: %2d  loss: 1.0  memory:  9.46GiB(64.99%%)"
        b"  tps: 7,282  mfu: 0.17%%\n")  # fmt: skip


def test_the_second_line_covers_nine_steps_and_ranks_count_once():
    run = read_run("torchtitan", TORCHTITAN)
    stamps = series(run, "step_time", "timestamp")
    assert table(stamps) == [(10, 9, 9.0, 9 * 8192), (20, 10, 10.0, 81920), (30, 10, 15.0, 81920)]
    assert stamps.line.tolist() == [5, 6, 9]
    assert run.factors == {"framework": "torchtitan", "item": "token", "batch_size": 2, "devices": 4, "seq_len": 1024,
                           "micro_batch_size": 2, "device": "NVIDIA H200"}  # fmt: skip
    assert run.samples_per_step == 8192


def test_tps_is_of_one_device_and_becomes_a_rate_of_all_where_their_number_is_known():
    run = read_run("torchtitan", TORCHTITAN)
    assert series(run, "throughput_per_device", "printed").value.tolist() == [205, 2048, 2048, 2048]
    assert series(run, "throughput", "printed").value.tolist() == [820, 8192, 8192, 8192]
    alone = read_run("torchtitan", LINE % (1, 14) + LINE % (2, 15))
    assert [one.metric for one in alone.series] == ["throughput_per_device", "memory_used", "step_time"]
    assert "devices" not in alone.factors


def test_validation_is_a_break_of_known_length():
    (border,) = series(read_run("torchtitan", TORCHTITAN), "step_time", "timestamp").breaks
    assert (border.step, border.kind, border.duration) == (20, "evaluation", 6.0)


@pytest.mark.parametrize("line", [
    b"step: 14  loss:  3.2  memory:  9.46GiB(64.99%)  wps: 7,282  mfu: 0.17%\n",
    b"[rank0]:\x1b[31mstep: 14  \x1b[32mloss:  3.2  \x1b[33mmemory:  9.46GiB(64.99%)  \x1b[34mtps: 7,282  mfu: N/A\n",
])  # fmt: skip
def test_older_names_and_colours_are_read(line):
    run = read_run("torchtitan", line)
    assert table(series(run, "throughput_per_device", "printed")) == [(14, 1, 7282.0, -1)]


@pytest.mark.parametrize(("end", "status", "rule"), [
    (b"torch.OutOfMemoryError: CUDA out of memory.\n", "partial", "read.incomplete-run"),
    (b"", "complete", None),
])  # fmt: skip
def test_an_error_after_the_last_step_makes_the_run_partial(end, status, rule):
    run = read_run("torchtitan", LINE % (1, 1) + LINE % (2, 2) + end)
    assert (run.status, rules(run)) == (status, [(rule, 3)] if rule else [])


def test_an_error_without_a_step_is_a_failure():
    head = b"[titan] 2026-01-02 10:00:00,000 - root - INFO - Starting job\n"
    run = read_run("torchtitan", head + b"torch.OutOfMemoryError: CUDA out of memory.\n")
    assert (run.status, rules(run)) == ("out_of_memory", [("read.failed-run", 2)])
