"""Runs of trainers: spans of lines, steps over epochs, work per step, times from timestamps."""

import numpy as np
import pytest

from reportgen.formats.parsing.run_builder import RunBuilder, common_work, in_epochs, once, per_device, spans
from reportgen.formats.parsing.text_log import TextLog
from reportgen.sources.logfiles import LogFiles


def log(content: bytes) -> TextLog:
    return TextLog(LogFiles.of({"x": content}).file("x"))


@pytest.mark.parametrize(
    ("position", "epoch", "expected"),
    [
        ([10, 20, 30], None, [10, 10, 10]),
        ([1, 10, 20, 30], None, [1, 9, 10, 10]),
        ([200, 210, 220], None, [10, 10, 10]),
        ([50, 100, 50, 100], [1, 1, 2, 2], [50, 50, 50, 50]),
        ([100], None, [1]),
        ([20, 30, 20], None, [10, 10, 10]),
    ],
)
def test_lines_cover_what_came_since_the_line_before(position, epoch, expected):
    covered = spans(np.array(position), None if epoch is None else np.array(epoch))
    assert covered.tolist() == expected


def test_steps_go_on_over_epochs_from_the_first_in_the_log():
    epochs, at, of = np.array([7, 7, 8]), np.array([50, 100, 50]), np.array([120, 120, 120])
    assert in_epochs(epochs, at, of).tolist() == [50, 100, 170]


def test_every_step_counts_once():
    assert once(np.array([3, 3, 1, 3, 2])).tolist() == [0, 2, 4]


@pytest.mark.parametrize(
    ("rates", "times", "expected"),
    [
        ([405.65, 392.81], [0.316, 0.326], 128),
        ([64.0], [2.0], 128),
        ([100000.0], [0.1], None),  # 9950 to 10050 samples
        ([64.0, 640.0], [2.0, 2.0], None),  # not the same work
        ([], [], None),
    ],
)
def test_work_per_step_is_the_whole_number_that_all_lines_allow(rates, times, expected):
    assert common_work(np.array(rates), np.array(times), 0.0005, 0.005) == expected


def test_a_batch_is_per_device_where_that_is_known():
    assert per_device(64.0, 8) == {"batch_size": 8, "devices": 8}
    assert per_device(64.0, None) == {"global_batch_size": 64}
    assert per_device(64.0, 7) == {"global_batch_size": 64, "devices": 7}
    assert per_device(None, 8) == {"devices": 8}


@pytest.mark.parametrize(
    ("step", "stamp", "expected"),
    [
        ([1, 2, 4], [0, 1.5, 3], [(2, 1, 0, 1.5, 8), (4, 2, 1.5, 1.5, 16)]),
        ([1, 1, 2, 2], [0, 0.5, 1, 2], [(2, 1, 0, 1.5, 8)]),  # a step ends with its last record
        ([1, 2, 3], [0, np.nan, 3], [(3, 2, 0, 3, 16)]),
        ([1, 3, 2], [0, 2, 1], [(3, 2, 0, 2, 16)]),
        ([1, 2], [3, 2], []),
        ([1, 2], [np.nan, 2], []),
        ([], [], []),
    ],
)
def test_step_times_are_the_intervals_between_timestamps(step, stamp, expected):
    numbers = np.array(step, dtype=np.int64)
    run = RunBuilder(log(b""), "x", numbers, numbers * 10, samples_per_step=8.0)
    run.add_stamps(np.array(stamp, dtype=np.float64), run.work(np.diff(numbers, prepend=0)))
    entries = [
        entry
        for series in run.series
        for entry in zip(
            *(getattr(series, name).tolist() for name in ("step", "span", "begin", "value", "samples")),
            strict=True,
        )
    ]
    assert entries == expected
    assert [line for series in run.series for line in series.line] == [10 * entry[0] for entry in expected]


def test_a_record_without_a_step_is_left_out_and_reported():
    run = RunBuilder(log(b"a\nb\nc\n"), "x", np.array([0, 1]), np.array([2, 3]))
    run.add("step_time", np.array([9.0, 1.0]), "host")
    built = run.run()
    assert [(series.step.tolist(), series.value.tolist()) for series in built.series] == [([1], [1.0])]
    assert [(finding.message, finding.source.line) for finding in built.findings] == [
        ("a record without a step", 2)
    ]
