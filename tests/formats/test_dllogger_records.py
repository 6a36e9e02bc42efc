"""The records of DLLogger in damaged and glued texts, compared with one plain pattern."""

import re
from datetime import datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.formats.nvidia_dle.dllogger_records import text_steps, units
from reportgen.formats.parsing.text_log import NUMBER, STAMP, TextLog
from reportgen.sources.logfiles import LogFiles

METRIC = b"train.ips"
# A record as the module describes it, as one plain pattern.
RECORD = re.compile(
    rb"DLLL? (" + STAMP + rb") - "
    rb"(?:(?:(?:[A-Z][a-z]{1,20} )?Epoch: ([0-9]{1,9}) )?(?:[A-Z][a-z]{1,20} )?Iteration: ([0-9]{1,12}) "
    rb"|\(([0-9]{1,9}), ([0-9]{1,12})\))"
    rb"(?:(?!DLL)[^\r\n])*?[ .]train\.ips : (" + NUMBER + rb")(?![0-9.])"
)
WORDS = st.sampled_from(
    [
        b"DLL ", b"DLLL ", b"DLL", b"D", b"2021-06-26 23:13:00.000000", b"2021-06-26 23:13:00.00000", b" - ",
        b"DLL 2021-06-26 23:13:01.500000 - Epoch: 0 Iteration: 7  train.ips : 5.5 img/s\n",
        b"DLL 2021-06-26 23:13:02.500000 - (1, 8) train.ips : 6.5", b"train.loss : 7", b"val.train.ips : 8e3",
        b"Epoch: 1 ", b"Training ", b"Iteration: 5 ", b"(0, 4)", b"(0,)", b" ", b".", b"train.ips", b" : ",
        b"train.ips : ", b"1.5", b"1.2.3", b"9e", b"\n", b"\r", b" " * 990, b"x" * 1100,
    ]
)  # fmt: skip


def log(content: bytes) -> TextLog:
    return TextLog(LogFiles.of({"a.txt": content}).file("a.txt"))


@given(st.lists(WORDS).map(b"".join))
def test_the_steps_with_a_metric_are_those_of_the_plain_pattern(content: bytes) -> None:
    steps = text_steps(log(content), METRIC)
    expected = list(RECORD.finditer(content))
    assert steps.epoch.tolist() == [int(match[2] or match[4] or 0) for match in expected]
    assert steps.iteration.tolist() == [int(match[3] or match[5]) for match in expected]
    assert steps.line.tolist() == [content.count(b"\n", 0, match.start()) + 1 for match in expected]
    np.testing.assert_array_equal(steps.rate, [float(match[6]) for match in expected])
    np.testing.assert_array_equal(steps.t, [since_1970(match[1].decode()) for match in expected])


def since_1970(stamp: str) -> float:
    return (datetime.fromisoformat(stamp) - datetime(1970, 1, 1)) / timedelta(seconds=1)


def test_a_record_does_not_take_the_metric_of_one_glued_to_it() -> None:
    head = b"DLL 2021-06-26 23:13:0%d.000000 - Epoch: 0 Iteration: %d  "
    steps = text_steps(log(head % (1, 1) + b"loss : 1 " + head % (2, 2) + b"train.ips : 3\n"), METRIC)
    assert (steps.iteration.tolist(), steps.rate.tolist()) == ([2], [3.0])


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"Iteration: 1  train.ips : 5.5 img/s lr : 0.1", {"train.ips": "img/s"}),
        (b"/site-packages/x.py loss : 2 None\nb : 1 a/s", {"b": "a/s"}),
        (b"ips : 5 img/sec", {"ips": "img/s"}),
        (b" : 5 img/s", {}),
        (b"1ips : 5 img/s", {"ips": "img/s"}),
        (b"ips : x img/s", {}),
    ],
)
def test_the_unit_of_a_rate_names_it(content: bytes, expected: dict[str, str]) -> None:
    assert units(content) == expected
