"""The records of NVIDIA DLLogger: text (`DLL <time> - <step> <metrics>`) and JSON (`DLLL {...}`).

A record may stand anywhere in a line: behind a progress bar, a warning, a rank's prefix or another
record. The step is written as the program chose: `Epoch: 0 Iteration: 5`, `Training Epoch: 0 Training
Iteration: 5`, `Iteration: 5`, `(0, 5)`; `PARAMETER` for settings; `Summary:`, `()` or nothing for the
whole run. An update that was skipped (`skipped_steps`, half precision) repeats its iteration: its batch was
computed all the same, so that it counts as a step.

Format: https://github.com/NVIDIA/dllogger (v1.1.0).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from reportgen.core.model import FloatArray, IntArray
from reportgen.formats.nvidia_dle.dlelog import Log
from reportgen.formats.parsing.step_series import integers, number, numbers, seconds

STAMP = rb"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}"
NUMBER = rb"[0-9.]+(?:[eE][+-]?[0-9]{1,3})?"
RECORD = re.compile(rb"DLLL? (?:" + STAMP + rb' - |\{"timestamp")')
_STEP = (
    rb"(?:(?:(?:[A-Z][a-z]{1,20}+ )?Epoch: ([0-9]{1,9}) )?(?:[A-Z][a-z]{1,20}+ )?Iteration: ([0-9]{1,12}) "
    rb"|\(([0-9]{1,9}), ([0-9]{1,12})\))"
)
_HEAD = re.compile(rb"DLLL? (" + STAMP + rb") - " + _STEP + rb"(?! ?[A-Z])")
# A dot is fast, a class of all but two bytes is not: that no carriage return is there is asked separately.
_UP_TO_METRIC = re.compile(rb"DLLL? (" + STAMP + rb") - " + _STEP + rb".{0,1000}+(?<=[ .])")
_LONGEST = 1150


@dataclass(frozen=True, slots=True)
class Steps:
    """Records of steps as columns of one length; `rate` is NaN where a record has none."""

    epoch: IntArray
    iteration: IntArray
    t: FloatArray
    rate: FloatArray
    line: IntArray

    def __len__(self) -> int:
        return len(self.iteration)


@dataclass(frozen=True, slots=True)
class Records:
    """What a log has of DLLogger, whatever the form it is written in.

    parameters  settings as text or as JSON has them; units  metric -> unit, from METADATA or the values
    whole       metrics of the whole run: name -> (value, position)
    """

    steps: Steps
    parameters: Mapping[str, Any]
    units: Mapping[str, str]
    whole: Mapping[str, tuple[float, int]]
    has_whole: bool


@lru_cache(maxsize=64)
def _value(metric: bytes) -> re.Pattern[bytes]:
    return re.compile(re.escape(metric) + rb" : (" + NUMBER + rb")")


def text_steps(log: Log, metric: bytes) -> Steps:
    """Return the records of steps that have the metric, all of them for b""."""
    found = _with(log.content, metric) if metric else _heads(log.content)
    if not found:
        none = np.array([], dtype=np.int64)
        return Steps(none, none, none.astype(np.float64), none.astype(np.float64), none)
    heads, values = zip(*found, strict=True)
    starts = [head.start() for head in heads]
    epoch = integers([head[2] or head[4] or b"0" for head in heads])
    iteration = integers([head[3] or head[5] for head in heads]) + _skipped(log.content, heads)
    t = seconds([head[1] for head in heads])
    return Steps(epoch, iteration, t, numbers(values), log.lines(starts))


def _with(content: bytes, metric: bytes) -> list[tuple[re.Match[bytes], bytes]]:
    """Return the heads of the records of steps with a metric, and its value in each.

    The value is looked for first, being rare, then the begin of its record. A record ends where the next one
    begins: it must not take the metric of a record glued to it. Of two values in one record the first counts.
    """
    found = []
    floor = 0
    has_returns = b"\r" in content
    for value in _value(metric).finditer(content):
        begin = value.start()
        start = content.rfind(b"DLL", max(floor, begin - _LONGEST), begin)
        head = _UP_TO_METRIC.fullmatch(content, start, begin) if start >= 0 else None
        if head and not (has_returns and b"\r" in head[0]):
            found.append((head, value[1]))
            floor = begin
    return found


def _skipped(content: bytes, heads: Sequence[re.Match[bytes]]) -> IntArray:
    """Return how many updates were skipped until each record; one that does not say so adds none."""
    count = np.zeros(len(heads), dtype=np.int64)
    if content.rfind(b" skipped_steps : ") >= 0:
        found = [_SKIPPED.match(content, head.end()) for head in heads]
        count[:] = [int(one[1]) if one else 0 for one in found]
    return np.maximum.accumulate(count)


def _heads(content: bytes) -> list[tuple[re.Match[bytes], bytes]]:
    return [(head, b"nan") for head in _HEAD.finditer(content, max(content.find(b"DLL"), 0))]


def text_records(log: Log, steps: Steps) -> Records:
    """Return what a text log has besides the steps."""
    return Records(steps, _parameters(log), units(log.content), *_whole(log.content))


def _parameters(log: Log) -> dict[str, Any]:
    content = log.content
    parameters: dict[str, Any] = {}
    begin, end = content.find(_SETTING), content.rfind(_SETTING)
    for found in _PARAMETERS.findall(content, begin, end + _LINE) if begin >= 0 else ():
        for pair in found.decode("utf-8", "replace").split("  "):
            name, colon, value = pair.partition(" : ")
            if colon and len(parameters) < _MOST:
                parameters.setdefault(name.strip(), value.strip())
    return parameters


def _whole(content: bytes) -> tuple[dict[str, tuple[float, int]], bool]:
    """Return the metrics of the whole run with their positions, and whether there are records of it."""
    whole: dict[str, tuple[float, int]] = {}
    has_whole = False
    for found in _WHOLE.finditer(content):
        if not _STAMP.fullmatch(content, max(found.start() - _STAMP_LENGTH, 0), found.start()):
            continue
        has_whole = True
        for name, value in _METRIC.findall(found[1]):
            if len(whole) < _MOST:
                whole[_text(name)] = (number(value), found.start())
    return whole, has_whole


def units(content: bytes) -> dict[str, str]:
    """Return the first metric whose values stand before a unit of things per second, with that unit."""
    at = content.find(b"/s")
    for _ in range(_TRIES):
        if at < 0:
            break
        colon = content.rfind(b" : ", max(at - _NEAR, 0), at)
        rate = _RATE.fullmatch(content, colon, at + 2) if colon >= 0 else None
        name = _NAME.search(content, max(at - _NEAR, 0), colon) if rate else None
        if rate and name:
            return {_text(name[0]): _text(rate[1])}
        at = content.find(b"/s", at + 2)
    return {}


def json_records(log: Log) -> list[tuple[dict[str, Any], int]]:
    """Return the JSON records with their positions; what is no JSON object is left out."""
    return [
        (one, position)
        for one, position in log.objects(b'DLLL {"timestamp"')
        if isinstance(one.get("data", {}), dict)
    ]


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace").strip()


_MOST = 500
_TRIES = 100
_NEAR = 140
_STAMP_LENGTH = 26
_SKIPPED = re.compile(rb"[^\r\n]{0,200}? skipped_steps : ([0-9]{1,9})")
_LINE = 20100
_SETTING = b" - PARAMETER "
_PARAMETERS = re.compile(rb" - PARAMETER ([^\r\n]{1,20000})")
# Beginning with a literal, both are found fast; what stands before " - " is looked at afterwards.
_WHOLE = re.compile(rb" - (?:Summary: |\(\) ?| )([^\r\n]{0,4000})")
_STAMP = re.compile(STAMP)
# Without what stands before it, a name would be tried at each of its letters.
_METRIC = re.compile(rb"(?<![A-Za-z])([A-Za-z][\w.@/-]{0,60}) : (" + NUMBER + rb")")
_NAME = re.compile(rb"[A-Za-z][\w.@/-]{0,60}\Z")
_RATE = re.compile(rb" : " + NUMBER + rb" ([A-Za-z]{1,20}/s)")
