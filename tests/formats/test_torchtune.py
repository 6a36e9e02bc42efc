"""torchtune: the rate of one device and of one step, and nothing else."""

from tests.builders import read_log, series_of, step_rows
from tests.formats.valid_logs import TORCHTUNE


def test_the_rate_is_that_of_one_step_and_one_device():
    run = read_log("torchtune", TORCHTUNE)
    assert step_rows(series_of(run, "throughput_per_device", "printed")) == [
        (1, 1, 210.5, -1), (2, 1, 2310.4, -1), (3, 1, 2300.0, -1)]  # fmt: skip


def test_no_step_time_is_made_of_a_rate_without_a_number_of_tokens():
    run = read_log("torchtune", TORCHTUNE)
    assert {series.metric for series in run.series} == {"throughput_per_device"}
    assert run.factors == {"framework": "torchtune", "item": "token"}


def test_steps_that_are_not_printed_are_not_covered():
    log = TORCHTUNE.replace(b"Step 3", b"Step 20")
    assert series_of(read_log("torchtune", log), "throughput_per_device").span.tolist() == [1, 1, 1]
