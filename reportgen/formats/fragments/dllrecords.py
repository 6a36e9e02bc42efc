"""The records of NVIDIA DLLogger: text (`DLL <time> - <step> <metrics>`) and JSON (`DLLL {...}`).

A record may stand anywhere in a line: behind a progress bar, a warning, a rank's prefix or another
record. The step is written as the program chose: `Epoch: 0 Iteration: 5`, `Training Epoch: 0 Training
Iteration: 5`, `Iteration: 5`, `(0, 5)`; `PARAMETER` for settings; `Summary:`, `()` or nothing for the
whole run.

Format: https://github.com/NVIDIA/dllogger (v1.1.0).
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from reportgen.formats.fragments.dlelog import Log
from reportgen.formats.fragments.stepseries import integers, numbers, seconds
from reportgen.model import FloatArray, IntArray

STAMP = rb"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}"
NUMBER = rb"[0-9.]+(?:[eE][+-]?[0-9]{1,3})?"
RECORD = re.compile(rb"DLLL? (?:" + STAMP + rb' - |\{"timestamp")')
_STEP = (
    rb"(?:(?:(?:[A-Z][a-z]{1,20} )?Epoch: ([0-9]{1,9}) )?(?:[A-Z][a-z]{1,20} )?Iteration: ([0-9]{1,12}) "
    rb"|\(([0-9]{1,9}), ([0-9]{1,12})\))"
)


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
def _of_steps(metric: bytes) -> re.Pattern[bytes]:
    """Return the pattern of a step's record up to the value of a metric; of its head alone for b""."""
    tail = (
        rb"[^\r\n]{0,1000}?[ .]" + re.escape(metric) + rb" : (" + NUMBER + rb")"
        if metric
        else rb"(?! ?[A-Z])()"
    )
    return re.compile(rb"DLLL? (" + STAMP + rb") - " + _STEP + tail)


def text_steps(log: Log, metric: bytes) -> Steps:
    """Return the records of steps that have the metric, all of them for b""."""
    content = log.content
    literal = metric + b" : " if metric else b"DLL"
    begin, end = content.find(b"DLL"), content.rfind(literal)
    end = len(content) if end < 0 or not metric else end + len(literal) + 40
    found = [] if begin < 0 else list(_of_steps(metric).finditer(content, begin, end))
    # A record without the metric must not take that of a record glued to it.
    if metric:
        found = [one for one in found if content.find(b"DLL", one.start() + 4, one.end()) < 0]
    return _columns(log, [one.groups(b"") for one in found], [one.start() for one in found])


def _columns(log: Log, groups: list[tuple[bytes, ...]], starts: list[int]) -> Steps:
    if not groups:
        none = np.array([], dtype=np.int64)
        return Steps(none, none, none.astype(np.float64), none.astype(np.float64), none)
    stamps, epoch, iteration, first, second, rate = zip(*groups, strict=True)
    whole = [one or other or b"0" for one, other in zip(epoch, first, strict=True)]
    part = [one or other for one, other in zip(iteration, second, strict=True)]
    return Steps(integers(whole), integers(part), seconds(stamps), numbers(rate), log.lines(starts))


def text_records(log: Log, steps: Steps) -> Records:
    """Return what a text log has besides the steps."""
    parameters: dict[str, Any] = {}
    for found in _PARAMETERS.finditer(log.content):
        for pair in found[1].split(b"  "):
            name, colon, value = pair.partition(b" : ")
            if colon and len(parameters) < _MOST:
                parameters.setdefault(_text(name), _text(value))
    whole: dict[str, tuple[float, int]] = {}
    has_whole = False
    for found in _WHOLE.finditer(log.content):
        if not _STAMP.fullmatch(log.content, max(found.start() - _STAMP_LENGTH, 0), found.start()):
            continue
        has_whole = True
        for metric in _METRIC.finditer(found[1]):
            if len(whole) < _MOST:
                whole[_text(metric[1])] = (float(numbers([metric[2]])[0]), found.start())
    return Records(steps, parameters, units(log.content), whole, has_whole)


def units(content: bytes) -> dict[str, str]:
    """Return the first metric whose values stand before a unit of things per second, with that unit."""
    at = content.find(b"/s")
    for _ in range(_TRIES):
        if at < 0:
            break
        found = _RATE.search(content, max(at - _NEAR, 0), at + 2)
        if found:
            return {_text(found[1]): _text(found[2])}
        at = content.find(b"/s", at + 2)
    return {}


def json_records(log: Log) -> list[tuple[dict[str, Any], int]]:
    """Return the JSON records with their positions; what is no JSON object is left out."""
    found = []
    for match in _OBJECT.finditer(log.content):
        try:
            one = json.loads(match[1])
        except (ValueError, RecursionError):
            continue
        if isinstance(one, dict) and isinstance(one.get("data", {}), dict):
            found.append((one, match.start()))
    return found


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace").strip()


_MOST = 500
_TRIES = 100
_NEAR = 140
_STAMP_LENGTH = 26
_PARAMETERS = re.compile(rb" - PARAMETER ([^\r\n]{1,20000})")
# Beginning with a literal, both are found fast; what stands before " - " is looked at afterwards.
_WHOLE = re.compile(rb" - (?:Summary: |\(\) ?| )([^\r\n]{0,4000})")
_STAMP = re.compile(STAMP)
_METRIC = re.compile(rb"([A-Za-z][\w.@/-]{0,60}) : (" + NUMBER + rb")")
_RATE = re.compile(rb"([A-Za-z][\w.@/-]{0,60}) : " + NUMBER + rb" ([A-Za-z]{1,20}/s)")
_OBJECT = re.compile(rb'DLLL (\{"timestamp"[^\r\n]*\})')
