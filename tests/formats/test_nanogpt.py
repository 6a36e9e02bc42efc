"""nanoGPT: sampled single iterations."""

import pytest

from reportgen.protocol import Protocol, measure_run
from tests.builders import read_log, series_of, step_rows
from tests.formats.valid_logs import NANOGPT

NONE = pytest.approx(float("nan"), nan_ok=True)


def test_iterations_are_single_steps_counted_from_one():
    run = read_log("nanogpt", NANOGPT)
    assert step_rows(series_of(run, "step_time", "host")) == [
        (1, 1, NONE, 491520), (11, 1, 1.0, 491520), (21, 1, 0.8, 491520), (31, 1, 0.6, 491520)]  # fmt: skip
    assert series_of(run, "step_time", "host").line.tolist() == [4, 5, 6, 7]


def test_an_iteration_with_an_evaluation_in_it_has_no_time():
    log = (b"> iter 30: loss 2.5, time 100.00ms, mfu 16.00%\n> step 40: train loss 2.4, val loss 2.5\n"
           b"> iter 40: loss 2.4, time 450.00ms, mfu 15.00%\n> iter 50: loss nan, time 110.00ms, mfu 15.00%\n")  # fmt: skip
    found = series_of(read_log("nanogpt", log), "step_time", "host")
    assert (found.step.tolist(), found.value.tolist()) == ([31, 41, 51], [0.1, NONE, 0.11])


def test_the_window_uses_sampled_steps():
    measured = measure_run(read_log("nanogpt", NANOGPT), "throughput", "step", Protocol())
    assert measured is not None
    assert measured.value == pytest.approx(491520 / 0.7)
    assert [one.rule for one in measured.findings] == ["protocol.short-window"]
