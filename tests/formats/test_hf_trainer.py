"""Hugging Face Trainer: totals are aggregates; intervals only where entries count time themselves."""

import json

import pytest

from tests.formats.reading import aggregate, read_run, rules, series, table
from tests.formats.trainer_logs import TRAINER_STATE


def test_entries_with_run_time_and_tokens_are_intervals_from_the_begin():
    run = read_run("hf_trainer", TRAINER_STATE)
    assert table(series(run, "step_time", "host")) == [(20, 20, 30.0, 20480), (40, 20, 20.0, 20480)]
    assert (
        TRAINER_STATE.splitlines()[series(run, "step_time", "host").line[1] - 1].strip()
        == b'"train_runtime": 50.0'
    )
    assert run.factors == {"framework": "transformers", "item": "token", "micro_batch_size": 4}


def test_totals_are_aggregates():
    final = {
        "step": 100,
        "train_runtime": 50.0,
        "train_samples_per_second": 32.0,
        "train_steps_per_second": 2.0,
    }
    run = read_run(
        "hf_trainer", json.dumps({"global_step": 100, "log_history": [{"step": 9}, final]}).encode()
    )
    assert (run.status, run.series, run.factors["item"]) == ("complete", (), "sample")
    assert aggregate(run, "step_time", statistic="total").value == 0.5
    assert aggregate(run, "throughput", statistic="total").value == 32.0


def test_the_state_of_a_checkpoint_has_no_totals():
    run = read_run("hf_trainer", b'{"global_step": 10, "log_history": [{"loss": 2.5, "step": 10}]}')
    assert (run.status, run.aggregates, rules(run)) == ("partial", (), [("read.incomplete-run", 0)])


@pytest.mark.parametrize("quote", [b"", b"'"])
def test_printed_dicts_may_hold_numbers_as_texts(quote):
    log = (b"{'loss': Q0.8Q, 'learning_rate': Q0.0003Q, 'epoch': Q0.5Q}\n 50%|##   | 50/100 [00:25<00:25,  2.00it/s]\r"
           b"100%|#####| 100/100 [00:50<00:00,  2.00it/s]{'train_runtime': Q50.0Q, 'train_samples_per_second': Q32.0Q, "
           b"'train_steps_per_second': Q2.0Q, 'train_loss': Q0.7Q, 'epoch': Q1.0Q}\n").replace(b"Q", quote)  # fmt: skip
    run = read_run("hf_trainer", log)
    assert aggregate(run, "throughput", statistic="total").value == 32.0
    assert aggregate(run, "step_time", statistic="total").value == 0.5
    assert aggregate(run, "step_time", statistic="total").n == 100


def test_llamafactory_counts_whole_seconds_from_the_begin():
    lines = b"".join(b'{"current_steps": %d, "total_steps": 15, "elapsed_time": "%s", "total_tokens": %d}\n' % one
                     for one in ((5, b"0:00:19", 50), (10, b"0:00:29", 100), (15, b"1:00:29", 150)))  # fmt: skip
    run = read_run("hf_trainer", lines)
    assert table(series(run, "step_time", "host")) == [
        (5, 5, 19.0, 50),
        (10, 5, 10.0, 50),
        (15, 5, 3600.0, 50),
    ]


def test_a_damaged_line_costs_itself():
    lines = b'{"current_steps": 5, "elapsed_time": "0:00:19"}\n{"current_steps": 6, "ela\n'
    run = read_run("hf_trainer", lines)
    assert (aggregate(run, "step_time", statistic="total").value, rules(run)) == (
        3.8,
        [("read.malformed-line", 2)],
    )


def lines(*entries):
    one = b'{"current_steps": %d, "total_steps": 60, "elapsed_time": "0:00:%02d", "throughput": 9.5}\n'
    return b"".join(one % entry for entry in entries)


@pytest.mark.parametrize(("entries", "expected"), [
    ([(10, 20), (20, 40), (25, 4), (35, 24)], [(10, 10, 20.0, -1), (20, 10, 20.0, -1), (35, 10, 20.0, -1)]),
    ([(10, 20), (20, 40), (20, 8), (30, 28)], [(10, 10, 20.0, -1), (20, 10, 20.0, -1)]),
    ([(45, 10), (50, 20), (55, 30)], [(50, 5, 10.0, -1), (55, 5, 10.0, -1)]),  # begins with a resumed process
])  # fmt: skip
def test_a_resumed_llamafactory_job_counts_its_time_anew(entries, expected):
    run = read_run("hf_trainer", lines(*entries))
    found = series(run, "step_time", "host")
    assert [row for row in table(found) if row[2] == row[2]] == expected
    assert run.aggregates == ()


def test_lines_cut_from_the_middle_of_a_llamafactory_job_keep_the_time_since_its_begin():
    run = read_run("hf_trainer", lines((20, 20), (25, 25), (30, 30)))
    assert table(series(run, "step_time", "host"))[0] == (20, 20, 20.0, -1)
    assert aggregate(run, "throughput", statistic="mean").value == 9.5


@pytest.mark.parametrize(("state", "final", "metrics"), [
    ({"max_steps": 100}, {"train_steps_per_second": 2.0}, ["step_time", "run_time", "throughput"]),
    ({"max_steps": 400}, {"train_steps_per_second": 8.0}, ["step_time", "run_time"]),  # stopped early
    ({"max_steps": 100}, {}, ["step_time", "run_time"]),  # before 4.7 the "samples" were steps
])  # fmt: skip
def test_a_printed_rate_that_is_of_other_work_than_was_done_is_not_read(state, final, metrics):
    final = {"step": 100, "train_runtime": 50.0, "train_samples_per_second": 2.0, **final}
    run = read_run("hf_trainer", json.dumps({"global_step": 100, **state, "log_history": [final]}).encode())
    assert [one.metric for one in run.aggregates] == metrics
