"""MaxText: single steps, counted from 0; tokens of all devices in each."""

import pytest

from tests.builders import read_log, series_of, step_rows
from tests.formats.valid_logs import MAXTEXT


def test_steps_count_from_one_and_have_the_tokens_that_the_line_prints():
    run = read_log("maxtext", MAXTEXT)
    assert step_rows(series_of(run, "step_time", "host")) == [
        (1, 1, 44.923, 65536), (2, 1, 0.125, 65536), (3, 1, 2.0, 65000), (4, 1, 2.5, 65536)]  # fmt: skip
    rates = series_of(run, "throughput_per_device").value.tolist()
    assert rates == pytest.approx([1094.129, 65536, 8192, 6553.6])


@pytest.mark.parametrize("line", [
    b"completed step: %d, seconds: 0.206, TFLOP/s: 72.958, loss: 9.352\n",
    b"completed step: %d, seconds: 0.206, TFLOP/s/device: 21.951, loss: 10.602\n",
    b"completed step: %d, seconds: 0.206, TFLOP/s/device: 7.390, Tokens/s/device: 5.1, total_weights: 0, loss: 0.000\n",
])  # fmt: skip
def test_older_lines_and_a_stage_of_a_pipeline_have_no_tokens(line):
    run = read_log("maxtext", line % 1 + line % 2)
    assert step_rows(series_of(run, "step_time")) == [(2, 1, 0.206, -1), (3, 1, 0.206, -1)]
