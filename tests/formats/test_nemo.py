"""NeMo: three forms of its step lines."""

from tests.formats.reading import read_run, series, table
from tests.formats.trainer_logs import NEMO


def test_lines_of_the_progress_printer_whatever_the_order_of_their_fields():
    run = read_run("nemo", NEMO)
    assert table(series(run, "step_time", "host")) == [
        (1, 1, 20.5, 16),
        (11, 10, 25.0, 160),
        (21, 10, 22.5, 160),
    ]
    assert run.factors == {"framework": "NeMo", "item": "sequence", "global_batch_size": 16, "seq_len": 4096}
    assert series(run, "step_time", "host").line.tolist() == [2, 3, 4]


def test_a_progress_bar_counts_seconds():
    bar = (b"Epoch 0:   1%%|          | %d/77225 [%s<878:01:48, 41.36s/it, loss=3.1, v_num=, global_step=%d.0, "
           b"consumed_samples=1.63e+6]\r")  # fmt: skip
    run = read_run(
        "nemo", bar % (795, b"9:07:58", 794) + bar % (795, b"9:07:58", 794) + bar % (796, b"9:08:39", 795)
    )
    assert table(series(run, "step_time", "timestamp")) == [(796, 1, 41.0, -1)]


def test_a_progress_bar_may_have_a_second_colon_and_no_rate():
    bar = (
        b"Epoch 0: :   0%%|\xe2\x96\x8f         | %d/77225 [%s<5:14:02, v_num=3-14, global_step=%d.0, "
        b"train_step_timing in s=1.5]\r"
    )
    run = read_run("nemo", bar % (5, b"00:16", 4) + bar % (6, b"00:18", 5))
    assert table(series(run, "step_time", "host")) == [(5, 1, 1.5, -1), (6, 1, 1.5, -1)]


def test_the_callback_of_step_to_step_times():
    run = read_run("nemo", b"Step 12: train_step_timing in s=0.512\nStep 13: train_step_timing in s=0.500\n")
    assert table(series(run, "step_time", "host")) == [(13, 1, 0.512, -1), (14, 1, 0.5, -1)]
