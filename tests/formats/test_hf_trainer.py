"""Hugging Face Trainer: totals are aggregates; intervals only if entries count time."""

import json

import pytest

from reportgen.formats.detection import detect, offer
from reportgen.sources.logfiles import LogFiles
from tests.builders import aggregate_of, read_fragment, read_log, rule_lines, series_of, step_rows
from tests.formats.valid_logs import TRAINER_STATE


def test_entries_with_run_time_and_tokens_are_intervals_from_the_start():
    run = read_log("hf_trainer", TRAINER_STATE)
    assert step_rows(series_of(run, "step_time", "host")) == [(20, 20, 30.0, 20480), (40, 20, 20.0, 20480)]
    assert (
        TRAINER_STATE.splitlines()[series_of(run, "step_time", "host").line[1] - 1].strip()
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
    run = read_log(
        "hf_trainer", json.dumps({"global_step": 100, "log_history": [{"step": 9}, final]}).encode()
    )
    assert (run.status, run.series, run.factors["item"]) == ("complete", (), "sample")
    assert aggregate_of(run, "step_time", statistic="total").value == 0.5
    assert aggregate_of(run, "throughput", statistic="total").value == 32.0


def test_the_state_of_a_checkpoint_has_no_totals():
    run = read_log("hf_trainer", b'{"global_step": 10, "log_history": [{"loss": 2.5, "step": 10}]}')
    assert (run.status, run.aggregates, rule_lines(run)) == ("partial", (), [("read.incomplete-run", 0)])


@pytest.mark.parametrize("quote", [b"", b"'"])
def test_printed_dicts_may_hold_numbers_as_texts(quote):
    log = (b"{'loss': Q0.8Q, 'learning_rate': Q0.0003Q, 'epoch': Q0.5Q}\n 50%|##   | 50/100 [00:25<00:25,  2.00it/s]\r"
           b"100%|#####| 100/100 [00:50<00:00,  2.00it/s]{'train_runtime': Q50.0Q, 'train_samples_per_second': Q32.0Q, "
           b"'train_steps_per_second': Q2.0Q, 'train_loss': Q0.7Q, 'epoch': Q1.0Q}\n").replace(b"Q", quote)  # fmt: skip
    run = read_log("hf_trainer", log)
    assert aggregate_of(run, "throughput", statistic="total").value == 32.0
    assert aggregate_of(run, "step_time", statistic="total").value == 0.5
    assert aggregate_of(run, "step_time", statistic="total").n == 100


def test_llamafactory_counts_whole_seconds_from_the_start():
    lines = b"".join(b'{"current_steps": %d, "total_steps": 15, "elapsed_time": "%s", "total_tokens": %d}\n' % one
                     for one in ((5, b"0:00:19", 50), (10, b"0:00:29", 100), (15, b"1:00:29", 150)))  # fmt: skip
    run = read_log("hf_trainer", lines)
    assert step_rows(series_of(run, "step_time", "host")) == [
        (5, 5, 19.0, 50),
        (10, 5, 10.0, 50),
        (15, 5, 3600.0, 50),
    ]


def test_a_damaged_line_costs_itself():
    lines = b'{"current_steps": 5, "elapsed_time": "0:00:19"}\n{"current_steps": 6, "ela\n'
    run = read_log("hf_trainer", lines)
    assert (aggregate_of(run, "step_time", statistic="total").value, rule_lines(run)) == (
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
def test_a_resumed_llamafactory_job_restarts_its_clock(entries, expected):
    run = read_log("hf_trainer", lines(*entries))
    found = series_of(run, "step_time", "host")
    assert [row for row in step_rows(found) if row[2] == row[2]] == expected
    assert run.aggregates == ()


def test_lines_from_the_middle_of_a_llamafactory_job_keep_elapsed_times():
    run = read_log("hf_trainer", lines((20, 20), (25, 25), (30, 30)))
    assert step_rows(series_of(run, "step_time", "host"))[0] == (20, 20, 20.0, -1)
    assert aggregate_of(run, "throughput", statistic="mean").value == 9.5


@pytest.mark.parametrize(("state", "final", "metrics"), [
    ({"max_steps": 100}, {"train_steps_per_second": 2.0}, ["step_time", "run_time", "throughput"]),
    ({"max_steps": 400}, {"train_steps_per_second": 8.0}, ["step_time", "run_time"]),  # stopped early
    ({"max_steps": 100}, {}, ["step_time", "run_time"]),  # before 4.7 the "samples" were steps
])  # fmt: skip
def test_a_printed_rate_of_other_work_is_not_read(state, final, metrics):
    final = {"step": 100, "train_runtime": 50.0, "train_samples_per_second": 2.0, **final}
    run = read_log("hf_trainer", json.dumps({"global_step": 100, **state, "log_history": [final]}).encode())
    assert [one.metric for one in run.aggregates] == metrics


PLAN = b"""\
[INFO|trainer.py:2134] 2026-01-02 03:04:05,678 >> ***** Running training *****
[INFO|trainer.py:2135] 2026-01-02 03:04:05,678 >>   Num examples = 3,200
[INFO|trainer.py:2137] 2026-01-02 03:04:05,678 >>   Instantaneous batch size per device = 4
[INFO|trainer.py:2140] 2026-01-02 03:04:05,678 >>   Total train batch size (w. parallel, distributed & accumulation) = 64
[INFO|trainer.py:2141] 2026-01-02 03:04:05,678 >>   Gradient Accumulation steps = 2
[INFO|trainer.py:2142] 2026-01-02 03:04:05,678 >>   Total optimization steps = 50
"""
TOTALS = (b"{'train_runtime': 100.0, 'train_samples_per_second': 32.0, 'train_steps_per_second': 0.5, "
          b"'train_loss': 0.7, 'epoch': 1.0}\n")  # fmt: skip


def bars(*done, of=50, seconds=2, label=b""):
    form = label + b"%3d%%|\xe2\x96\x88   | %d/%d [%02d:%02d<00:59,  2.00s/it]\r"
    return b"".join(form % (100 * at // of, at, of, *divmod(at * seconds, 60)) for at in done)


def test_the_training_bar_gives_intervals_long_enough_for_whole_seconds():
    log = (PLAN + bars(0, 25, 50, label=b"Map: ") + bars(0, *range(1, 31)) + b"\n"
           + bars(1, 7, of=7) + b"{'eval_loss': 1.5, 'eval_runtime': 3.5, 'eval_samples_per_second': 9.0, 'epoch': 0.6}\n"
           + bars(*range(31, 51)) + b"\n" + TOTALS + bars(50))  # fmt: skip
    run = read_log("hf_trainer", log)
    found = series_of(run, "step_time", "timestamp")
    assert step_rows(found) == [(step, 10, 20.0, 640) for step in (11, 21, 31, 41)]
    assert found.line.tolist() == [7, 7, 9, 9]
    assert [(one.step, one.kind, one.duration) for one in found.breaks] == [(30, "evaluation", 3.5)]
    assert run.factors == {"framework": "transformers", "item": "sample", "batch_size": 8, "devices": 8,
                           "micro_batch_size": 4}  # fmt: skip
    assert (run.status, aggregate_of(run, "step_time", statistic="total").n) == ("complete", 50)


def test_a_job_that_stopped_early_has_a_time_but_no_rate():
    run = read_log("hf_trainer", PLAN + bars(1, 10, 25) + b"\n" + TOTALS)
    assert [(one.metric, one.value) for one in run.aggregates] == [("step_time", 4.0), ("run_time", 100.0)]


def test_a_job_that_ran_out_of_memory_keeps_the_steps_that_it_did():
    run = read_fragment(
        "hf_trainer", PLAN + bars(1, 20, 40) + b"\ntorch.OutOfMemoryError: CUDA out of memory.\n"
    )
    assert step_rows(series_of(run, "step_time", "timestamp")) == [(20, 19, 38.0, 1216), (40, 20, 40.0, 1280)]
    assert (run.status, rule_lines(run)) == ("out_of_memory", [("read.failed-run", 8)])


@pytest.mark.parametrize("end", [TOTALS, b"{'loss': 2.5, 'epoch': 0.1}\n"])
def test_a_bar_without_a_total_is_not_that_of_training(end):
    other = b"500it [00:20, 25.00it/s]\r1000it [00:40, 25.00it/s]\r1500it [01:00, 25.00it/s]\n"
    assert read_log("hf_trainer", other + end).series == ()


def test_a_log_that_ends_before_training_does_is_partial():
    log = b"{'loss': 2.5, 'epoch': 0.1}\n" + bars(1, 20, 40)
    run = read_log("hf_trainer", log)
    assert step_rows(series_of(run, "step_time", "timestamp")) == [(20, 19, 38.0, -1), (40, 20, 40.0, -1)]
    assert run.findings[0].message == "the log ends at step 40 of 50"


def test_in_the_middle_of_a_log_losses_identify_the_training_bar():
    loss = b"\n{'loss': 2.5, 'epoch': 0.1}\n"
    log = bars(1, 2, 3, of=3) + bars(20, 30) + loss + bars(40) + loss + bars(1, 3, of=3) + bars(45)
    run = read_log("hf_trainer", log)
    assert step_rows(series_of(run, "step_time", "timestamp")) == [(30, 10, 20.0, -1), (40, 10, 20.0, -1)]
    assert run.findings[0].message == "the log ends at step 45 of 50"
    unclear = read_log("hf_trainer", bars(20, 30) + loss + bars(1, 3, of=3) + loss)
    assert unclear.series == ()


@pytest.mark.parametrize("prefix", [b"", b"INFO "])
def test_totals_are_read_from_the_table_of_metrics_too(prefix):
    names = (b"epoch                    =        3.0", b"train_loss               =     0.8453",
             b"train_runtime            = 1 day, 0:01:40.00", b"train_samples            =        999",
             b"train_samples_per_second =      0.037", b"train_steps_per_second   =      0.001")  # fmt: skip
    run = read_log(
        "hf_trainer", b"***** train metrics *****\n" + b"".join(prefix + b"  " + one + b"\n" for one in names)
    )
    assert [(one.metric, one.value) for one in run.aggregates] == [
        ("run_time", 86500.0),
        ("throughput", 0.037),
    ]


def test_a_job_without_memory_for_its_first_step_is_not_a_log_of_bars():
    # Labels are processed under a bar of their own, before training begins.
    log = (
        b"Train: 100%|#####| 1000/1000 [00:30<00:00, 33.33it/s]\n"
        + PLAN
        + b"[INFO|trainer.py:2143] 2026-01-02 03:04:05,678 >>   Number of trainable parameters = 124,439,808\n"
        + b"\r  0%|          | 0/50 [00:00<?, ?it/s]Traceback (most recent call last):\n"
        + b"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n"
    )
    run = read_log("hf_trainer", log)
    assert (run.status, run.series, run.aggregates) == ("out_of_memory", (), ())
    assert run.factors["batch_size"] == 8
    assert {finding.rule for finding in run.findings} >= {"read.failed-run"}


LOG = b"".join(
    b'{"current_steps": %d, "total_steps": 50, "elapsed_time": "0:%02d:%02d", "total_tokens": %d}\n'
    % (step, 2 * step // 60, 2 * step % 60, 1000 * step)
    for step in range(10, 51, 10)
)
STATE = json.dumps({"global_step": 50, "max_steps": 50, "train_batch_size": 4, "log_history": [
    {"step": 50, "train_runtime": 100.0, "train_samples_per_second": 32.0, "train_steps_per_second": 0.5}
]}).encode()  # fmt: skip


def test_the_files_of_one_training_are_one_run():
    console = PLAN + bars(1, 10, 20, 30, 40, 50) + b"\n" + TOTALS
    files = {"trainer_state.json": STATE, "trainer_log.jsonl": LOG, "train.log": console, "notes.txt": b"x\n"}
    claimed = detect(LogFiles.of(files))
    assert claimed is not None
    assert set(claimed.files) == {"trainer_state.json", "trainer_log.jsonl", "train.log"}
    (run,) = claimed.format.read(claimed.files)
    assert (run.id, run.status, run.samples_per_step) == ("trainer_state.json", "complete", 64)
    assert run.factors == {"framework": "transformers", "item": "sample", "batch_size": 8, "devices": 8,
                           "micro_batch_size": 4}  # fmt: skip
    assert step_rows(series_of(run, "step_time"))[1] == (20, 10, 20.0, -1)
    assert series_of(run, "tokens").value.tolist() == [10000.0] * 5
    assert aggregate_of(run, "throughput", statistic="total").value == 32.0


@pytest.mark.parametrize(
    "other",
    [
        {"trainer_log.jsonl": LOG[: LOG.index(b'{"current_steps": 50')]},  # of a job that stopped earlier
        {"train.log": PLAN + bars(1, 50) + b"\n" + TOTALS.replace(b"100.0", b"90.0")},
        {},
    ],
)
def test_files_of_other_trainings_are_runs_of_their_own(other):
    assert detect(LogFiles.of({"trainer_state.json": STATE, **other})) is None


def test_a_second_training_in_the_log_of_llama_factory_is_a_run_of_its_own():
    other = LOG.replace(b'"total_tokens": ', b'"total_tokens": 1')
    format = detect(LogFiles.of({"x.jsonl": LOG + other}).file("x.jsonl"))
    assert format is not None
    first, second = format.format.read(format.files)
    assert [run.id for run in (first, second)] == ["x.jsonl#1", "x.jsonl#2"]
    assert [step_rows(series_of(run, "step_time"))[1][:3] for run in (first, second)] == [(20, 10, 20.0)] * 2
    assert second.source.line == 6


# 100 steps in 50 s with two evaluations of 4 s and 6 s: 40 s of training.
@pytest.mark.parametrize(
    ("times", "step_time", "throughput"),
    [((), 0.5, 32.0), ((4.0, 6.0), 0.4, 40.0), ((40.0, 60.0), None, None)],
)
def test_totals_are_without_the_evaluations_that_the_file_lists(times, step_time, throughput):
    evaluations = [{"step": 40, "eval_runtime": time} for time in times]
    final = {
        "step": 100,
        "train_runtime": 50.0,
        "train_samples_per_second": 32.0,
        "train_steps_per_second": 2.0,
    }
    after = {"step": 100, "eval_all_runtime": 9.0}
    state = {"global_step": 100, "log_history": [*evaluations, final, after]}
    run = read_log("hf_trainer", json.dumps(state).encode())
    values = {one.metric: one.value for one in run.aggregates}
    assert (values.get("step_time"), values.get("throughput")) == (step_time, throughput)
    assert values["run_time"] == 50.0
    assert rule_lines(run) == ([("read.contradiction", 0)] if step_time is None else [])


def test_printed_totals_are_without_the_printed_evaluations():
    evaluation = b"{'eval_loss': 1.5, 'eval_runtime': 20.0, 'eval_samples_per_second': 9.0, 'epoch': 0.6}\n"
    run = read_log(
        "hf_trainer", PLAN + bars(1, 30) + b"\n" + evaluation + bars(50) + b"\n" + TOTALS + evaluation
    )
    step_time, _, throughput = run.aggregates
    assert (step_time.value, step_time.original) == (1.6, "(100.0 s - 1 evaluation of 20 s) / 50 steps")
    assert (throughput.value, throughput.is_computed) == (40.0, True)


# Entries at 10, 25 and 40 s; 5 s of the second interval are an evaluation.
def test_intervals_are_without_the_evaluations_in_them():
    entries = [{"step": step, "train_runtime": time} for step, time in ((10, 10.0), (20, 25.0), (30, 40.0))]
    entries.insert(1, {"step": 10, "eval_runtime": 5.0})
    run = read_log("hf_trainer", json.dumps({"global_step": 30, "log_history": entries}).encode())
    assert series_of(run, "step_time").value.tolist() == [10.0, 10.0, 15.0]


DEEPSPEED_BANNER = (
    b"[2026-01-02 03:04:05,678] [INFO] [config.py:1003:print]   train_batch_size ............. 64\n"
)
CRASH = b'Traceback (most recent call last):\n  File "train.py", line 1\nRuntimeError: no data\n'


@pytest.mark.parametrize("noise", [10, 3000])
def test_the_last_of_three_launches_is_complete_whatever_deepspeed_printed_first(noise):
    start = b"+ deepspeed train.py --config a.json\n" + DEEPSPEED_BANNER + b"loading a shard\n" * noise
    log = (start + CRASH) * 2 + start + PLAN + bars(0, 25, 50) + b"\n" + TOTALS
    claimed = offer(LogFiles.of({"x.log": log}).file("x.log"))
    assert claimed.format.name == "hf_trainer"
    runs = list(claimed.format.read(claimed.files))
    assert [run.status for run in runs] == ["failed", "failed", "complete"]
    assert aggregate_of(runs[-1], "step_time", statistic="total").value == 2.0


@pytest.mark.parametrize(("entries", "said"), [
    ([(10, 20), (20, 40), (30, 55)], []),
    ([(10, 20), (20, 40), (15, 4), (25, 24)], ["1 entry repeats a step, the first with step 15 at 0:00:04 after step 20 at 0:00:40"]),
    ([(10, 20), (10, 21), (20, 40), (20, 41)], ["2 entries repeat steps, the first with step 10 at 0:00:21 after step 10 at 0:00:20"]),
])  # fmt: skip
def test_steps_that_come_again_are_named(entries, said):
    run = read_log("hf_trainer", lines(*entries))
    found = [each.message for each in run.findings if each.rule == "read.several-runs"]
    assert len(found) == len(said)
    assert all(message.startswith(text) for message, text in zip(found, said, strict=True))


def test_the_rates_of_axolotl_are_not_read():
    """They count the labels of a step only, and are too low with accumulated gradients."""
    log = (
        b"[2026-03-01 10:11:12,312] [INFO] [axolotl.train.train:100] [PID:11] Starting trainer...\n"
        b"{'loss': '1.714', 'grad_norm': '0.41', 'memory/max_active (GiB)': '17.1', "
        b"'tokens/train_per_sec_per_gpu': '2310.4', 'tokens/total': 32768, 'epoch': '0.02'}\n"
        b"{'train_runtime': '310.2', 'train_samples_per_second': '25.79', 'train_steps_per_second': '2.42', "
        b"'train_loss': '1.2', 'epoch': '1'}\n"
    )
    run = read_log("hf_trainer", log)
    assert [(each.metric, each.value) for each in run.aggregates] == [
        ("run_time", 310.2),
        ("throughput", 25.79),
    ]
    assert run.series == ()


def test_a_total_that_is_nan_is_reported():
    state = STATE.replace(b"32.0", b"NaN")
    console = PLAN + bars(1, 10, 20, 30, 40, 50) + b"\n" + TOTALS
    claimed = detect(LogFiles.of({"trainer_state.json": state, "train.log": console}))
    assert claimed is not None
    for run in (read_log("hf_trainer", state), *claimed.format.read(claimed.files)):
        assert all(figure.metric != "throughput" for figure in run.aggregates)
        assert [
            (each.severity, each.message) for each in run.findings if each.rule == "read.stated-problem"
        ] == [("warning", 'the log says "train_samples_per_second: NaN"')]
