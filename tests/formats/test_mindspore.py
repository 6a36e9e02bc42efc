"""MindSpore's two-line records."""

import pytest

from reportgen.core.model import STEP
from reportgen.formats.dlperf import mindspore
from reportgen.sources.logfiles import LogFiles
from tests.builders import line_rows, read_log, series_of


def test_an_epoch_of_the_sink_is_one_entry_for_its_steps() -> None:
    content = (
        b"epoch: 1 step: 39, loss is 0.024799313\nepoch time: 24.655 ms, per step time: 0.632 ms\n"
        b"epoch: 2 step: 39, loss is 0.014799313\nepoch time: 23.655 ms, per step time: 0.607 ms\n"
    )
    run = read_log("mindspore", content)
    assert line_rows(series_of(run, "step_time", "printed")) == [(39, 39, 0.024655, 2), (78, 39, 0.023655, 4)]


def test_bert_counts_steps_over_all_epochs() -> None:
    content = b"".join(
        b"epoch: 0.0, current epoch percent: 0.00%d, step: %d, outputs are (1.0, False)\n"
        b"epoch time: 39%d.5 ms, per step time: 39%d.5 ms\n" % (step, step, step, step)
        for step in (1, 2)
    )
    run = read_log("mindspore", content)
    assert line_rows(series_of(run, "step_time", "printed")) == [(1, 1, 0.3915, 2), (2, 1, 0.3925, 4)]


def test_ranks_in_one_log_are_distinguished_by_order() -> None:
    content = (
        b"epoch: 1 step: 1, loss is 7.1\nepoch: 1 step: 1, loss is 7.2\n"
        b"epoch time: 101.5 ms\nepoch time: 102.5 ms\n"
        b"epoch: 2 step: 1, loss is 7.1\nepoch: 2 step: 1, loss is 7.2\n"
        b"epoch time: 103.5 ms\nepoch time: 104.5 ms\n"
    )
    run = read_log("mindspore", content)
    assert [line_rows(series_of(run, "step_time", "printed", STEP, rank)) for rank in (0, 1)] == [
        [(1, 1, 0.1015, 3), (2, 1, 0.1035, 7)],
        [(1, 1, 0.1025, 4), (2, 1, 0.1045, 8)],
    ]


def test_steps_without_times_count_for_the_epoch() -> None:
    content = b"".join(b"epoch: 1 step: %d, loss is 2.1\n" % step for step in range(1, 11))
    content += b"Train epoch time: 2465.5 ms, per step time: 246.55 ms\n"
    run = read_log("mindspore", content)
    assert line_rows(series_of(run, "step_time", "printed")) == [(10, 10, 2.4655, 11)]


def test_older_versions_print_no_unit() -> None:
    content = (
        b"epoch: 1 step: 40, loss is 3.5\nepoch time: 2000.5, per step time: 50.0125\n"
        b"epoch: 2 step: 40, loss is 3.25\nEpoch time: 1000.250, per step time: 25.006\n"
    )
    run = read_log("mindspore", content)
    assert line_rows(series_of(run, "step_time", "printed")) == [(40, 40, 2.0005, 2), (80, 40, 1.00025, 4)]


@pytest.mark.parametrize(
    "line",
    [
        "2023-02-17 14:27:29,405:INFO:epoch: [{}/90] loss: 1.5, epoch time: {} s, per step time: 12.5 ms\n",
        "epoch {}: epoch time: {}e3, per step time: 12.500, avg loss: 5.25\n",
    ],
)
def test_the_ratio_of_the_times_gives_the_steps_if_none_is_printed(line: str) -> None:
    content = line.format(3, 2.5) + line.format(4, 2.505)
    run = read_log("mindspore", content.encode())
    assert line_rows(series_of(run, "step_time", "printed")) == [(600, 200, 2.5, 1), (800, 200, 2.505, 2)]


def test_times_without_any_number_are_consecutive() -> None:
    line = b"total loss is: 1.5\nepoch time: 500.0 ms, per step time: 100.0 ms\n"
    run = read_log("mindspore", line * 2)
    assert line_rows(series_of(run, "step_time", "printed")) == [(5, 5, 0.5, 2), (10, 5, 0.5, 4)]


@pytest.mark.parametrize(
    "line",
    [
        b"epoch time: 12.5 s, per step time: 0.125 s\n",
        b"epoch time: 12.5 s\n",
        b"epoch time: 12.5 ms\n",
        b"epoch time: 12.5, per step time: 0.125s\n",
        b"epoch time: 12.5, per step time: 0.125 s\n",
    ],
)
def test_times_of_other_programs_are_not_claimed(line: bytes) -> None:
    assert mindspore.FORMAT.claims(LogFiles.of({"run.log": line}).file("run.log")) is None
