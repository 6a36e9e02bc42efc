"""The records of DLLogger in texts that are damaged and glued, against one plain pattern."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.formats.nvidia_dle import dllrecords
from reportgen.formats.nvidia_dle.dlelog import Log
from reportgen.formats.parsing.step_series import seconds
from reportgen.sources.logfiles import LogFiles

METRIC = b"train.ips"
# What the module says of a record, in the form that is easiest to believe.
RECORD = re.compile(
    rb"DLLL? (" + dllrecords.STAMP + rb") - "
    rb"(?:(?:(?:[A-Z][a-z]{1,20} )?Epoch: ([0-9]{1,9}) )?(?:[A-Z][a-z]{1,20} )?Iteration: ([0-9]{1,12}) "
    rb"|\(([0-9]{1,9}), ([0-9]{1,12})\))"
    rb"(?:(?!DLL)[^\r\n]){0,1000}?[ .]train\.ips : (" + dllrecords.NUMBER + rb")"
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


def log(content: bytes) -> Log:
    return Log(LogFiles.of({"a.txt": content}).file("a.txt"))


@given(st.lists(WORDS).map(b"".join))
def test_the_steps_with_a_metric_are_those_of_the_plain_pattern(content: bytes) -> None:
    found, one = dllrecords.text_steps(log(content), METRIC), log(content)
    expected = list(RECORD.finditer(content))
    assert found.epoch.tolist() == [int(match[2] or match[4] or 0) for match in expected]
    assert found.iteration.tolist() == [int(match[3] or match[5]) for match in expected]
    assert found.line.tolist() == one.lines([match.start() for match in expected]).tolist()
    rates = [np.nan if match[6].count(b".") > 1 else float(match[6]) for match in expected]
    np.testing.assert_array_equal(found.rate, rates)
    np.testing.assert_array_equal(found.t, seconds([match[1] for match in expected]))


def test_a_record_without_the_metric_leaves_that_of_a_record_glued_to_it() -> None:
    head = b"DLL 2021-06-26 23:13:0%d.000000 - Epoch: 0 Iteration: %d  "
    found = dllrecords.text_steps(
        log(head % (1, 1) + b"loss : 1 " + head % (2, 2) + b"train.ips : 3\n"), METRIC
    )
    assert (found.iteration.tolist(), found.rate.tolist()) == ([2], [3.0])


@pytest.mark.parametrize(
    ("content", "units"),
    [
        (b"Iteration: 1  train.ips : 5.5 img/s lr : 0.1", {"train.ips": "img/s"}),
        (b"/site-packages/x.py loss : 2 None\nb : 1 a/s", {"b": "a/s"}),
        (b"ips : 5 img/sec", {"ips": "img/s"}),
        (b" : 5 img/s", {}),
        (b"1ips : 5 img/s", {"ips": "img/s"}),
        (b"ips : x img/s", {}),
    ],
)
def test_the_unit_of_a_rate_names_it(content: bytes, units: dict[str, str]) -> None:
    assert dllrecords.units(content) == units
