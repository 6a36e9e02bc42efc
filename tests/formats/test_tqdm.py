"""Logs that contain only progress bars: intervals long enough for whole seconds, only of training loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.formats.detection import discover
from reportgen.formats.tqdm.reader import parse_label
from reportgen.protocol import Protocol, measure_run
from reportgen.sources.logfiles import HEAD, LogFiles
from tests.builders import read_log, series_of, step_rows
from tests.each_of import each_row
from tests.formats.test_hf_trainer import PLAN
from tests.formats.valid_logs import NANOGPT, TQDM


def bar(done, of, seconds, rate="?it/s", label="", shown=", loss=1.5"):
    """Return a bar as tqdm draws it."""
    hours, minutes = divmod(int(seconds) // 60, 60)
    clock = (f"{hours}:" if hours else "") + f"{minutes:02d}:{int(seconds) % 60:02d}"
    return f"\r{label}{100 * done // of:3d}%|##5  | {done}/{of} [{clock}<00:07, {rate}{shown}]".encode()


def mean(steps, seconds):
    """Return a rate as tqdm prints it, per second or in seconds."""
    rate = steps / seconds
    return f"{rate:5.2f}it/s" if rate >= 1 else f"{1 / rate:5.2f}s/it"


def loop(of, step_time, label="", every=10, shown=", loss=1.5", begin=0):
    """Return all bars of a loop; the rate is a smoothed one until it is closed."""
    dones = [done for done in range(begin + 1, of + 1) if done % every == 0 or done == of]
    drawn = [bar(done, of, (done - begin) * step_time, "9.99it/s", label, shown) for done in dones]
    end = bar(of, of, (of - begin) * step_time, mean(of - begin, (of - begin) * step_time), label, shown)
    return [bar(begin, of, 0, label=label, shown=""), *drawn, end + b"\n"]


def text(*loops):
    return b"".join(b"".join(one) for one in loops)


def steps(content):
    return step_rows(series_of(read_log("tqdm", content), "step_time", "printed"))


def is_claimed(content):
    claimed = discover(LogFiles.of({"x.log": content})).claimed
    assert [one.format.name for one in claimed] in ([], ["tqdm"])
    return bool(claimed)


def test_a_loop_whose_last_bar_has_the_mean_rate_is_one_interval():
    run = read_log("tqdm", TQDM)
    found = series_of(run, "step_time", "printed")
    assert step_rows(found) == [(90, 90, 36.0, -1), (180, 90, pytest.approx(33.3333333), -1)]
    assert found.line.tolist() == [2, 4]
    assert [(one.step, one.kind) for one in found.breaks] == [(90, "epoch")]
    assert (run.status, run.findings, run.factors) == ("complete", (), {})
    measured = measure_run(run, "step_time", "step", Protocol())
    assert measured is not None
    assert measured.value == pytest.approx(1 / 2.7)


def test_a_long_loop_becomes_intervals_long_enough_for_whole_seconds():
    content = b"train\n" + text(loop(500, 0.5))
    assert is_claimed(content)
    assert steps(content)[:2] == [(40, 40, 20.0, -1), (80, 40, 20.0, -1)]
    measured = measure_run(read_log("tqdm", content), "step_time", "step", Protocol())
    assert measured is not None
    assert measured.value == 0.5


@pytest.mark.parametrize("line", [
    b"120/1000 [00:%02d<05:52,  2.50it/s, loss=1.2]", b" 12%%|#2   | 120/1000 [00:%02d<05:52,  2.50s/it]",
    b"120it [00:%02d, 2.50it/s]", b"Epoch 3:  12%% 120/1000 [00:%02d<05:52,  2.50batch/s]",
    b"Epoch 0: |     | 120/? [00:%02d<?, 2.50it/s, v_num=0]", b"Steps:  12%%|#2   | 120/1000 [00:%02d<05:52,  2.50it/s]",
    b"      1/300     2.43G     1.108        20       640:  12%%|#2   | 120/1000 [00:%02d<05:52,  2.50it/s]",
])  # fmt: skip
def test_bars_of_many_forms_are_read(line):
    content = b"train\n" + line % 20 + b"\r" + line.replace(b"120", b"150") % 50
    assert is_claimed(content)
    assert [row[:3] for row in steps(content)] == [(150, 30, 30.0)]


@each_row(
    [
        ("Epoch 3:", ("epoch", 3)),
        ("Epoch: [3/10]:", ("epoch", 3)),
        ("Train Epoch 3:", ("train", 3)),
        ("Training:", ("train", -1)),
        ("Steps:", ("step", -1)),
        ("Iteration:", ("iter", -1)),
        ("Epoch 3 (val_loss=0.5):", ("epoch", 3)),
        ("Epoch 3, val loss 0.5:", ("epoch", 3)),
        ("", ("", -1)),
        ("Epoch:", None),
        ("Training epochs:", None),
        ("Epoch 3 [val]:", None),
        ("Validation DataLoader 0:", None),
        ("Map:", None),
        ("Downloading:", None),
        ("Evaluating:", None),
        ("Loading checkpoint shards:", None),
        ("Generating train split:", None),
        ("Tokenizing train dataset:", None),
        ("Batches:", None),
        ("Testing:", None),
        ("Sanity Checking DataLoader 0:", None),
        ("train: Scanning labels... 128 found:", None),
        ("Predicting:", None),
    ]
)
def test_labels_identify_training(label, expected):
    found = parse_label(label.encode())
    assert (found and (found.word.decode(), found.epoch)) == expected


@pytest.mark.parametrize("content", [
    text(loop(400, 0.5, "Map: "), loop(8, 5, "Loading checkpoint shards: ", 1)),
    text(loop(100, 30, "Epochs: ", 1)),
    b"training\r170500096it [00:26, 26731263.35it/s]\n",
    b"training\n" + text(loop(30, 0.5)),  # too short for training
    text(loop(500, 0.5, shown="")),  # no sign of training
    b"training\n" + text(loop(400, 0.5), loop(90, 0.5)),  # two of them, either could be training
])  # fmt: skip
def test_bars_that_may_not_be_training_are_not_a_run(content):
    assert not is_claimed(content)


def test_any_other_format_wins_even_by_the_tail_of_a_file():
    bars = text(loop(2000, 0.5, "Epoch 0: "))
    late = bars + b"x\n" * HEAD + NANOGPT
    for content in (TQDM + NANOGPT, late):
        (claimed,) = discover(LogFiles.of({"x.log": content})).claimed
        assert (claimed.format.name, claimed.rivals) == ("nanogpt", ())


def test_work_of_other_bars_is_in_no_interval():
    def bars(first, last, waited):
        return [bar(at, 200, at / 2 + waited, "2.00it/s", "Epoch 0: ") for at in range(first, last + 1, 10)]

    content = text(bars(0, 100, 0), loop(30, 1, "Validation: "), bars(110, 200, 30))
    assert [row[:2] for row in steps(content)] == [(40, 40), (80, 40), (150, 40), (190, 40)]


def test_a_bar_that_is_only_redrawn_is_not_other_work():
    outer = bar(1, 3, 700, "9.00s/it", "Epochs: ")
    content = b"".join(outer + one for one in loop(100, 0.5, "Iteration: "))
    assert steps(content) == [(100, 100, 50.0, -1)]


def test_processes_that_draw_in_turns_are_one_loop():
    def ranks():
        return b"".join(
            b"".join(same) for same in zip(*(loop(400, 0.5, "Epoch 0: ") for _ in range(4)), strict=True)
        )

    assert steps(ranks()) == steps(text(loop(400, 0.5, "Epoch 0: ")))


def test_the_last_bar_of_another_process_is_not_a_loop():
    one = loop(100, 0.5)
    content = b"train\n" + text(one, one[:1], one[-1:], one)
    assert steps(content) == [(100, 100, 50.0, -1), (200, 100, 50.0, -1)]


def test_steps_continue_over_loops():
    content = b"train\n" + text(loop(100, 0.5), loop(100, 0.4), loop(100, 0.25))
    assert steps(content) == [(100, 100, 50.0, -1), (200, 100, 40.0, -1), (300, 100, 25.0, -1)]


def test_a_loop_that_resumes_an_interrupted_one_counts_its_own_steps():
    content = text(loop(100, 0.5, "Steps: ")[:8], loop(100, 0.5, "Steps: ", begin=60))
    assert steps(content) == [(40, 40, 20.0, -1), (110, 40, 20.0, -1)]


def test_single_last_bars_are_whole_loops():
    ends = [loop(100, time, "")[-1].lstrip() for time in (0.5, 0.5, 0.4)]
    assert steps(b"epoch\n" + b"epoch\n".join(ends)) == [
        (100, 100, 50.0, -1), (200, 100, 50.0, -1), (300, 100, 40.0, -1)]  # fmt: skip


@pytest.mark.parametrize("shown", [", v_num=0", ", loss=1.5, val_loss=2.5"])
def test_a_single_last_bar_that_may_include_a_validation_has_no_time(shown):
    run = read_log("tqdm", loop(100, 0.5, "Epoch 0: ", shown=shown)[-1])
    assert (run.status, run.series) == ("partial", ())
    assert [one.rule for one in run.findings] == ["read.incomplete-run"]


def test_loops_that_end_in_the_same_second_keep_their_rates():
    ends = [bar(100, 100, 25, rate, "Training: ") + b"\n" for rate in ("4.00it/s", "3.95it/s", "3.90it/s")]
    assert [time for _, _, time, _ in steps(b"".join(ends))] == pytest.approx([25, 100 / 3.95, 100 / 3.9])


def test_a_bar_redrawn_after_validation_ends_at_its_first_drawing():
    end = bar(100, 100, 62, mean(100, 62), "Epoch 0: ", ", v_num=0, val_loss=2.5")
    content = text(loop(100, 0.5, "Epoch 0: ", shown=", v_num=0"), loop(9, 1.3, "Validation: ")) + end
    assert steps(content) == [(100, 100, 50.0, -1)]


@pytest.mark.parametrize(("rate", "expected"), [
    ("0.06it/s", []), ("0.14it/s", [(64, 64, 451.0, -1)]), (" 7.04s/it", [(64, 64, pytest.approx(450.56), -1)]),
    ("9.99it/s", [])])  # fmt: skip
def test_a_rate_with_few_digits_is_not_used(rate, expected):
    run = read_log("tqdm", bar(64, 64, 450 if "0.06" not in rate else 1024, rate, "Epoch 0: "))
    assert [row for found in run.series for row in step_rows(found)] == expected


def test_a_log_that_ends_within_a_loop_is_partial():
    run = read_log("tqdm", text(loop(100, 0.5, "Steps: ")[:9]))
    assert (run.status, run.findings[0].message) == ("partial", "the log ends at step 80 of 100")


def test_the_printed_plan_gives_batch_and_devices():
    run = read_log("tqdm", PLAN + text(loop(50, 2, "Steps: ")))
    assert run.factors == {"batch_size": 8, "devices": 8, "micro_batch_size": 4}
    assert step_rows(series_of(run, "step_time", "printed"))[0] == (10, 10, 20.0, 640)


@given(
    st.lists(st.tuples(st.integers(1, 60), st.floats(0.01, 5), st.integers(1, 20)), min_size=1, max_size=4),
    st.integers(1, 3),
)
def test_intervals_err_by_at_most_a_second_and_count_each_step_once(loops, ranks):
    drawn = [loop(of, time, f"Epoch {n}: ", every) for n, (of, time, every) in enumerate(loops)]
    content = b"".join(b"".join(same) for one in drawn for same in zip(*[one] * ranks, strict=True))
    run = read_log("tqdm", content)
    times = np.concatenate([np.full(of, time) for of, time, _ in loops])
    done = 0
    for found in run.series:
        for step, span, value, _ in step_rows(found):
            assert done <= step - span
            assert abs(value - times[step - span : step].sum()) <= 1 + 1e-6
            done = step
    assert done <= len(times)
