"""BERT on SQuAD: tqdm's bars between everything else, as `run_squad.py` prints them."""

import numpy as np
import pytest

from reportgen.protocol import Protocol, measure_run
from tests.builders import read_log, series_of, throughput_of

COMMAND = (
    b"python -m torch.distributed.launch --nproc_per_node=2 run_squad.py --do_train --train_batch_size=4 "
    b"--bert_model=bert-large-uncased --max_seq_length=384\n"
)
FINAL = b"DLL 2024-08-02 12:27:21.472868 -  e2e_train_time : 59.7  training_sequences_per_second : 257.25 final_loss : 6.0\n"


def bar(count: int, total: int, rate: str, mark: str = "\u258f") -> bytes:
    return f"\rIteration:   1%|{mark}    | {count}/{total} [00:03<03:25,  {rate}]".encode()


TWO_LOOPS = b"".join(
    [
        b"\rEpoch:   0%|   | 0/2 [00:00<?, ?it/s]\n\n",
        bar(0, 3, "?it/s").replace(b",  ?", b", ?"),
        b"\x1b[A",
        bar(0, 3, "?it/s").replace(b",  ?", b", ?"),
        b"DLL 2021-06-26 20:44:07.517133 - Training Epoch: 0 Training Iteration: 1  step_loss : 5.9\n",
        bar(1, 3, "2.00s/it"),
        bar(1, 3, "2.50s/it"),
        bar(2, 3, "1.25it/s"),
        bar(2, 3, "1.30it/s"),
        bar(3, 3, "2.00it/s"),
        bar(0, 3, "?it/s"),
        bar(3, 3, "2.10it/s"),
        bar(0, 3, "?it/s"),
        bar(1, 3, "4.00it/s"),
        bar(2, 3, "4.00it/s"),
        bar(2, 3, "4.00it/s"),
        b"\n",
    ]
)


def test_bars_of_two_ranks_and_two_loops_are_steps_once_each() -> None:
    run = read_log("bertsquad", COMMAND + TWO_LOOPS + FINAL)
    assert run.factors == {
        "model": "BERT",
        "dataset": "SQuAD 1.1",
        "item": "sequence",
        "seq_len": 384,
        "batch_size": 4,
        "devices": 2,
    }
    rates = series_of(run, "throughput")
    np.testing.assert_array_equal(rates.step, [1, 2, 3, 4, 5])
    np.testing.assert_allclose(rates.value, np.array([0.5, 1.25, 2.0, 4.0, 4.0]) * 8)
    assert rates.line[0] == 5
    assert throughput_of(run) == pytest.approx(2 / (1 / 10 + 1 / 16))


def test_the_final_figure_needs_a_hundred_steps() -> None:
    assert read_log("bertsquad", COMMAND + TWO_LOOPS + FINAL).aggregates == ()
    (final,) = read_log("bertsquad", COMMAND + FINAL).aggregates
    assert (final.value, final.statistic, final.source.line) == (257.25, "total", 2)
    old = read_log("bertsquad", COMMAND + TWO_LOOPS + b" training throughput: 35.5\n")
    assert [aggregate.value for aggregate in old.aggregates] == [35.5]


def test_without_bars_the_sparse_timestamps_are_used() -> None:
    stamps = b"".join(
        b"DLL 2021-06-26 20:4%d:00.000000 - Training Epoch: 0 Training Iteration: %d  step_loss : 5.9\n"
        % (i, 1 + 50 * i)
        for i in range(3)
    )
    times = series_of(read_log("bertsquad", COMMAND + stamps + FINAL), "step_time")
    assert (times.step.tolist(), times.span.tolist(), times.value.tolist()) == (
        [51, 101],
        [50, 50],
        [60.0, 60.0],
    )


def test_a_process_without_a_launcher_prints_its_devices() -> None:
    content = COMMAND.replace(b"-m torch.distributed.launch --nproc_per_node=2 ", b"") + (
        b"device: cuda n_gpu: 1, distributed training: False, 16-bits training: True\n"
    )
    run = read_log("bertsquad", content + TWO_LOOPS)
    assert (run.factors["devices"], run.status) == (1, "partial")


def test_a_crash_before_the_first_step_is_a_failure() -> None:
    trouble = b"RuntimeError: CUDA error: CUBLAS_STATUS_NOT_INITIALIZED\n training throughput: \nDONE!\n"
    assert read_log("bertsquad", COMMAND + bar(0, 3, "?it/s") + trouble).status == "failed"


def test_a_bar_counts_one_of_the_accumulated_batches() -> None:
    def rate(options: bytes) -> float:
        command = b"python -m torch.distributed.launch --nproc_per_node=2 run_squad.py --train_batch_size=32 "
        bars = b"".join(
            b"Iteration: %d%%|# | %d/40 [00:%02d<00:10, 2.00it/s]\r" % (n, n, n) for n in range(1, 41)
        )
        return series_of(read_log("bertsquad", command + options + b"\n" + bars), "throughput").value[0]

    assert rate(b"--seed 1") == 2 * 2 * 32
    assert rate(b"--gradient_accumulation_steps=4") == 2 * 2 * 8


def dated(step: int, seconds: float) -> bytes:
    minute, second = divmod(seconds, 60)
    return b"DLL 2024-08-02 12:%02d:%09.6f - Training Epoch: 0 Training Iteration: %d  step_loss : 5.9\n" % (
        int(minute),
        second,
        step,
    )


def training(every: int, stall: float) -> bytes:
    """150 steps of 0.1 s with a stall at step 80, which the smoothed rate of the bars does not show."""
    lines = [COMMAND, bar(0, 150, "?it/s")]
    for step in range(1, 151):
        if step % every == 1:
            lines.append(dated(step, 60 + 0.1 * step + (stall if step >= 80 else 0)))
        lines.append(bar(step, 150, "10.00it/s"))
    return b"".join(lines)


def test_stamps_that_cover_any_window_win_over_smoothed_rates() -> None:
    run = read_log("bertsquad", training(10, 0.5) + FINAL)
    measured = measure_run(run, "throughput", "step", Protocol())
    # Stamps of steps 21 and 121: 100 steps in 10 s and the stall.
    assert measured is not None
    assert measured.value == pytest.approx(8 * 100 / 10.5)
    assert {each.clock for each in run.series} == {"timestamp"}


@pytest.mark.parametrize(("stall", "clock"), [(0.0, "printed"), (0.05, "printed"), (0.5, "timestamp")])
def test_sparse_stamps_win_where_they_contradict_the_bars(stall: float, clock: str) -> None:
    (series,) = read_log("bertsquad", training(50, stall) + FINAL).series
    assert series.clock == clock


def two_epochs(steps: int, last: int) -> bytes:
    """Epochs of this many steps of 0.1 s, 30 s apart, with stamps of every 50th step of each."""
    lines = [COMMAND]
    for epoch, step in ((epoch, step) for epoch in (0, 1) for step in range(1, steps + 1)):
        number = epoch * steps + step
        if number <= last:
            lines += [bar(0, steps, "?it/s")] if step == 1 else []
            stamp = dated(number, 60 + 0.1 * number + 30 * epoch).replace(b"Epoch: 0", b"Epoch: %d" % epoch)
            lines += [stamp] if step % 50 == 1 else []
            lines.append(bar(step, steps, "10.00it/s"))
    return b"".join(lines)


# The stamps of steps 51 and 71 are 32 s apart, and 30 of them pass between the epochs.
@pytest.mark.parametrize("last", [100, 140])
def test_the_time_between_epochs_does_not_contradict_the_bars(last: int) -> None:
    run = read_log("bertsquad", two_epochs(70, last) + FINAL)
    measured = measure_run(run, "throughput", "step", Protocol())
    assert measured is not None
    assert (measured.value, measured.evidence) == (pytest.approx(80), "steps")
