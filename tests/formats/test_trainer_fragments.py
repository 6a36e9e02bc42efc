"""Text logs as columns: lines, colours, dates, spans, work per step."""

import numpy as np
import pytest

from reportgen.formats.parsing import exit_status, json_values
from reportgen.formats.parsing.excerpt import quoted
from reportgen.formats.parsing.run_builder import common_work, in_epochs, once, per_device, spans
from reportgen.formats.parsing.text_log import TextLog, floats, plain, seconds
from reportgen.sources.logfiles import LogFiles


def log(content: bytes) -> TextLog:
    return TextLog(LogFiles.of({"x": content}).file("x"))


def test_lines_are_counted_by_line_feeds_in_any_order():
    assert log(b"a\nb\r1\r2\nc").lines([8, 0, 2]).tolist() == [3, 1, 2]
    assert log(b"").lines([]).tolist() == []


def test_colours_go_and_lines_stay():
    assert plain(b"\x1b[31mstep\x1b[38;2;1;2;3m: 1\n\x1b[0m") == b"step: 1\n"


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([b"2025-01-01 00:00:00,500", b"2025-01-01 00:00:02"], [0, 1.5]),
        ([b"2024-02-29T23:59:59.123456", b"2024-03-01T00:00:00.123456"], [0, 1]),
        ([b"", b"2025-13-45 00:00:00", b"2025-01-01 00:00:00"], [np.nan, np.nan, 0]),
        ([b"2025-02-30 00:00:00"], [np.nan]),
        ([], []),
    ],
)
def test_dates_are_seconds_since_the_first_that_exists(texts, expected):
    np.testing.assert_array_equal(seconds(texts), expected)


def test_numbers_may_have_thousands_commas():
    np.testing.assert_array_equal(floats([b"1,234.5", None, b"1e999"]), [1234.5, np.nan, np.inf])


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
    found = spans(np.array(position), None if epoch is None else np.array(epoch))
    assert found.tolist() == expected


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
    ("tail", "status"),
    [
        (b"", "complete"),
        (b"slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2025-01-01T00:00:00 ***\n", "partial"),
        (b"[launch.py] Process 7 exits with return code = 1\n", "partial"),
        (b"[launch.py] Process 7 exits with return code = 0\n", "complete"),
    ],
)
def test_only_what_follows_the_last_step_tells_how_it_ended(tail, status):
    content = b"Traceback (most recent call last)\ncaught\nstep 1\n"
    assert exit_status.ending(log(content + tail), len(content), 1).status == status


# DeepSpeed's launcher names the whole command, 1,800 characters of it, before it says how that ended.
@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ("one\ntwo error\nthree", "two error"),
        ("bar\rtwo error\r\nthree", "two error"),
        ("error", "error"),
        ("one\n" + "a " * 30 + "error", "a " * 30 + "error"),
        ("a " * 30 + "error", "a " * 30 + "error"),
        (
            "['python', " + "'--pipeline', " * 40 + "'--end'] error 1",
            "... " + "'--pipeline', " * 3 + "'--end'] error 1",
        ),
        ("x" * 1000 + "error" + "y" * 1000, "... " + "x" * 60 + "error" + "y" * 155 + " ..."),
        ("error" + " word" * 40, "error" + " word" * 30 + " ..."),
        ("error" + "y" * 155 + "\nmore", "error" + "y" * 155),
    ],
)
def test_a_long_line_is_quoted_between_words(content, shown):
    assert quoted(content.encode(), content.find("error")) == shown


def test_an_ending_quotes_the_line_that_tells_of_it():
    content = b"step 1\n" + b"argument " * 200 + b"exits with return code = 1\n"
    (finding,) = exit_status.ending(log(content), 7, 1).findings
    assert finding.message == "failed after step 1: ... " + "argument " * 6 + "exits with return code = 1"


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[" * 100_000, b"\xef\xbb\xbf", b"NaN,"])
def test_what_is_no_json_is_none(content):
    assert json_values.load(content) is None
