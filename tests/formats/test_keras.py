"""Keras: whole seconds and whole milliseconds, validation in the line that closes an epoch, samples before 2.4."""

import pytest

from reportgen.core.model import Run
from tests.builders import aggregate_of, messages, read_all, read_log, rule_lines, series_of, step_rows
from tests.each_of import each_row
from tests.formats.valid_logs import KERAS

_3 = "━" * 20


def fit(*epochs: str, of: int = 0) -> bytes:
    """Return the output of a fit() with these lines for each epoch."""
    text = "".join(f"Epoch {n}/{of or len(epochs)}\n{lines}\n" for n, lines in enumerate(epochs, 1))
    return text.encode()


# Lines of an epoch of 100 steps, and what they say: the last step that is timed, s of a step, s left open by digits.
LINES = [
    ("100/100 [==============================] - 30s 250ms/step - loss: 0.5", 100, 0.25, 0.0005),
    (f"100/100 {_3} 30s 250ms/step - loss: 0.5", 100, 0.25, 0.0005),
    ("100/100 - 30s - 250ms/step - loss: 0.5", 100, 0.25, 0.0005),
    ("100/100 - 30s - loss: 0.5 - 30s/epoch - 250ms/step", 100, 0.25, 0.0005),
    ("100/100 - 0s - 900us/step - loss: 0.5", 100, 0.0009, 0.5e-6),
    # 140 s of 100 steps leave less open than 1 s of one.
    ("100/100 - 140s - 1s/step - loss: 0.5", 100, 1.4, 0.005),
    # The estimate of the rest, 0 s, of a bar that closed no epoch.
    (f"100/100 {_3} 0s 1s/step - loss: 0.5", 100, 1.0, 0.5),
    # The bar before the validation, which the line that closes the epoch includes.
    (f" 95/100 {_3} 9s 2s/step - loss: 1\r100/100 {_3} 300s 3s/step - loss: 1 - val_loss: 2", 95, 2.0, 0.5),
    # An evaluation after the epoch.
    ("100/100 - 30s - 250ms/step - loss: 0.5\n100/100 - 9s - 90ms/step - loss: 0.7", 100, 0.25, 0.0005),
]


@each_row(LINES)
def test_the_time_of_a_step_is_the_one_with_more_digits(
    lines: str, last: int, time: float, half: float
) -> None:
    times = series_of(read_log("keras", fit(lines, lines)), "step_time", "host")
    assert step_rows(times) == [(end, last, time * last, -1) for end in (last, 100 + last)]
    assert times.rounding == pytest.approx(half)


def test_colours_and_backspaces_of_a_terminal_are_left_out() -> None:
    run = read_log("keras", KERAS)
    assert step_rows(series_of(run, "step_time")) == [(200, 200, 10.0, -1), (400, 200, 8.0, -1)]
    assert [(border.step, border.kind) for border in series_of(run, "step_time").breaks] == [(200, "epoch")]
    assert (run.factors, run.status, rule_lines(run)) == ({"framework": "Keras"}, "complete", [])


def test_a_validation_without_a_bar_before_it_leaves_the_time_of_an_epoch() -> None:
    lines = [f"93/938 [==>....] - ETA: 9s - loss: 1\r938/938 [=====] - {s}s 40ms/step - loss: 1 - val_loss: 2"
             for s in (90, 38, 40)]  # fmt: skip
    run = read_log("keras", fit(*lines))
    epoch = aggregate_of(run, "epoch_time")
    assert (run.series, epoch.value, epoch.n, epoch.original) == ((), 39.0, 2, "78 s / 2 epochs")
    assert "train without validation_data" in messages(run.findings, "read.incomplete-run")[0]


def test_an_epoch_of_few_seconds_has_no_time() -> None:
    lines = "938/938 [=====] - 2s 2ms/step - loss: 1 - val_loss: 2"
    assert read_log("keras", fit(lines, lines)).aggregates == ()


@pytest.mark.parametrize(("head", "unit"), [("Train on 60000 samples\n", "us/step"), ("", "us/sample")])
def test_samples_are_not_steps(head: str, unit: str) -> None:
    lines = [
        f"60000/60000 [=====] - {s}s {us}{unit} - loss: 1" for s, us in ((20, 333), (12, 200), (12, 200))
    ]
    run = read_log("keras", head.encode() + fit(*lines))
    # Two epochs of 60,000 samples in 12 s each.
    assert (run.series, aggregate_of(run, "throughput", statistic="total").value) == ((), 5000.0)


def test_digits_that_leave_too_much_open_give_no_rate() -> None:
    run = read_log("keras", fit("60000/60000 [=====] - 0s 3us/sample - loss: 1"))
    assert (run.aggregates, [rule for rule, _ in rule_lines(run)]) == ((), ["read.incomplete-run"])


def test_a_log_that_ends_within_an_epoch_is_partial() -> None:
    line = "100/100 - 30s - 250ms/step - loss: 0.5"
    assert read_log("keras", fit(line, line, " 10/100 [=>...] - ETA: 9s - loss: 1")).status == "partial"
    assert read_log("keras", fit(line, line, of=9)).status == "complete"  # stopped early, after an epoch


def test_a_log_of_very_many_fits_is_read_in_part() -> None:
    runs = [run for run in read_all("keras", fit("100/100 - 30s - 250ms/step") * 300) if isinstance(run, Run)]
    assert (len(runs), {len(series_of(run, "step_time").step) for run in runs}) == (256, {1})
    assert {rule_lines(run)[0][0] for run in runs} == {"read.several-runs"}


def test_each_fit_is_a_run() -> None:
    line = "100/100 - 30s - 250ms/step - loss: 0.5"
    assert [run.id for run in read_all("keras", fit(line, line) * 2)] == ["x.log#1", "x.log#2"]
