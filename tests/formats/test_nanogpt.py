"""nanoGPT: sampled single iterations."""

import pytest

from reportgen.protocol import Protocol, measure
from tests.formats.reading import read_run, series, table
from tests.formats.trainer_logs import NANOGPT


def test_iterations_are_single_steps_counted_from_one():
    run = read_run("nanogpt", NANOGPT)
    assert table(series(run, "step_time", "host")) == [
        (1, 1, 25.11776, -1), (11, 1, 1.0, -1), (21, 1, 0.8, -1), (31, 1, 0.6, -1)]  # fmt: skip
    assert series(run, "step_time", "host").line.tolist() == [4, 5, 6, 7]


def test_the_window_takes_the_samples_that_it_has():
    measured = measure(read_run("nanogpt", NANOGPT), "throughput", "step", Protocol())
    assert measured is not None
    assert measured.value == pytest.approx(491520 / 0.7)
    assert [one.rule for one in measured.findings] == ["protocol.short-window"]
