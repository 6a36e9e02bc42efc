"""Parse the records of NVIDIA DLLogger: text (`DLL <time> - <step> <metrics>`) and JSON (`DLLL {...}`).

A record may start anywhere in a line: after a progress bar, a warning, the prefix of a rank or another
record. Programs print the step in their own way: `Epoch: 0 Iteration: 5`, `Training Epoch: 0 Training
Iteration: 5`, `Iteration: 5`, `(0, 5)`; `PARAMETER` precedes settings, `Summary:`, `()` or nothing the
metrics of the whole run. A skipped update (`skipped_steps`, half precision) repeats its iteration: its batch
was computed, so it counts as a step.

Format: https://github.com/NVIDIA/dllogger (v1.1.0).
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeGuard

import numpy as np

from reportgen.core.model import FloatArray, IntArray
from reportgen.formats.parsing.text_log import NUMBER, STAMP, Records, TextLog, floats
from reportgen.formats.parsing.timestamps import moments

RECORD = re.compile(rb"DLLL? (?:" + STAMP + rb' - |\{"timestamp")')
_HEAD = (
    rb"DLLL? (?P<stamp>" + STAMP + rb") - "
    rb"(?:(?:(?:[A-Z][a-z]{1,20}+ )?Epoch: (?P<epoch>[0-9]{1,9}) )?"
    rb"(?:[A-Z][a-z]{1,20}+ )?Iteration: (?P<iteration>[0-9]{1,12}) "
    rb"|\((?P<first>[0-9]{1,9}), (?P<second>[0-9]{1,12})\))"
)
_STEP = re.compile(_HEAD + rb"(?! ?[A-Z])")
_SKIPPED = re.compile(rb"[^\r\n]{0,200}? skipped_steps : ([0-9]{1,9})")
_SETTINGS = re.compile(rb" - PARAMETER (?P<settings>[^\r\n]{1,20000})")
_SUMMARY = re.compile(rb" - (?:Summary: |\(\) ?| )([^\r\n]{0,4000})")
_STAMP = re.compile(STAMP)
_STAMP_LENGTH = len("2021-06-26 20:00:00.000000")
# The lookbehind stops the search from trying a name at each of its letters.
_METRIC = re.compile(rb"(?<![A-Za-z])([A-Za-z][\w.@/-]{0,60}) : (" + NUMBER + rb")(?![0-9.])")
_RATE = re.compile(rb"([A-Za-z][\w.@/-]{0,60}) : " + NUMBER + rb" ([A-Za-z]{1,20}/s)\Z")
_MAX_RATE_CHARS = 140
_MAX_RATES = 100
_MAX_METRICS = 500
_JSON = b'DLLL {"timestamp"'


@dataclass(frozen=True, slots=True)
class Steps:
    """Records of steps as columns; `t` (s) and `rate` are NaN if absent, `last` is the last offset."""

    epoch: IntArray
    iteration: IntArray
    t: FloatArray
    rate: FloatArray
    line: IntArray
    last: int

    def __len__(self) -> int:
        return len(self.iteration)


@dataclass(frozen=True, slots=True)
class ParsedLog:
    """The content of a DLLogger log, text or JSON.

    parameters  settings, as strings (text) or values (JSON)
    units       metric -> unit, from METADATA or from the values
    summary     metrics of the whole run: name -> (value, offset); None if there is no such record
    """

    steps: Steps
    parameters: Mapping[str, Any]
    units: Mapping[str, str]
    summary: Mapping[str, tuple[float, int]] | None


def _step_with(metric: bytes) -> re.Pattern[bytes]:
    # A record ends where the next begins: it must not take the metric of a record glued to it.
    value = (
        rb"(?:(?!DLL)[^\r\n]){0,1000}?[ .]" + re.escape(metric) + rb" : (?P<rate>" + NUMBER + rb")(?![0-9.])"
    )
    return re.compile(_HEAD + value)


def text_steps(log: TextLog, metric: bytes = b"") -> Steps:
    """Return the records of steps that contain a metric, or all records of steps if it is empty."""
    records = log.records(_step_with(metric) if metric else _STEP, b"DLL")
    rate = records.floats("rate") if metric else np.full(len(records), np.nan)
    iteration = _either(records, "iteration", "second") + _skipped(log.content, records.end)
    epoch, last = _either(records, "epoch", "first"), int(records.end.max(initial=0))
    return Steps(epoch, iteration, _since_1970(records), rate, records.line, last)


def _since_1970(records: Records) -> FloatArray:
    """Return the timestamps as floats of s since 1970, as DLLogger's JSON lines print them."""
    if not len(records):
        return np.empty(0)
    dates = moments([stamp or b"" for stamp in records.columns["stamp"]])
    return np.where(np.isnat(dates), np.nan, dates.astype(np.int64) / 1e6)


def _either(records: Records, *names: str) -> IntArray:
    columns = zip(*(records.columns[name] for name in names), strict=True)
    return floats([one or other or b"0" for one, other in columns]).astype(np.int64)


def _skipped(content: bytes, ends: IntArray) -> IntArray:
    """Return how many updates were skipped up to each record; a record that does not say adds none."""
    count = np.zeros(len(ends), dtype=np.int64)
    if content.rfind(b" skipped_steps : ") >= 0:
        matches = [_SKIPPED.match(content, end) for end in ends.tolist()]
        count[:] = [int(match[1]) if match else 0 for match in matches]
    return np.maximum.accumulate(count)


def text_log(log: TextLog, metric: str) -> ParsedLog:
    """Return the content of a text log.

    metric  rate in the records of steps; the first metric in things per s if empty. If no step has it, all
            steps are returned
    """
    rates = units(log.content)
    steps = text_steps(log, (metric or next(iter(rates), "")).encode())
    steps = steps if len(steps) else text_steps(log)
    return ParsedLog(steps, _parameters(log), rates, _summary(log.content))


def _parameters(log: TextLog) -> dict[str, Any]:
    parameters: dict[str, Any] = {}
    for settings in log.records(_SETTINGS, b" - PARAMETER ").columns["settings"]:
        for setting in _text(settings).split("  "):
            name, colon, value = setting.partition(" : ")
            if colon and len(parameters) < _MAX_METRICS:
                parameters.setdefault(name.strip(), value.strip())
    return parameters


def _summary(content: bytes) -> dict[str, tuple[float, int]] | None:
    summary: dict[str, tuple[float, int]] | None = None
    for record in _SUMMARY.finditer(content):
        begin = record.start()
        if not _STAMP.fullmatch(content, max(begin - _STAMP_LENGTH, 0), begin):
            continue
        summary = {} if summary is None else summary
        for name, value in _METRIC.findall(record[1]):
            if len(summary) < _MAX_METRICS:
                summary[_text(name)] = (float(value), begin)
    return summary


def units(content: bytes) -> dict[str, str]:
    """Return the first metric whose values have a unit of things per second, with that unit."""
    at = content.find(b"/s")
    for _ in range(_MAX_RATES):
        if at < 0:
            break
        if rate := _RATE.search(content, max(at - _MAX_RATE_CHARS, 0), at + 2):
            return {_text(rate[1]): _text(rate[2])}
        at = content.find(b"/s", at + 2)
    return {}


def json_log(log: TextLog, metric: str) -> ParsedLog | None:
    """Return the content of a log of JSON lines, None if it has none.

    metric  rate in the records of steps; the first metric in things per s if empty
    """
    records = [
        (record, at) for record, at in objects(log.content, _JSON) if isinstance(record.get("data", {}), dict)
    ]
    if not records:
        return None
    units = {
        str(record.get("metric")): str(record["metadata"].get("unit", ""))
        for record, _ in records
        if record.get("type") == "METADATA" and isinstance(record.get("metadata"), dict)
    }
    metric = metric or next((name for name, unit in units.items() if unit.endswith("/s")), "")
    parameters: dict[str, Any] = {}
    summary: dict[str, tuple[float, int]] | None = None
    rows: list[tuple[int, int, float, float, int]] = []
    skipped = 0
    for record, at in records:
        step, values = record.get("step"), record.get("data", {})
        if step == "PARAMETER":
            parameters = {**values, **parameters}
        elif step in ([], "Summary"):
            summary = (summary or {}) | {key: (float(v), at) for key, v in values.items() if _is_number(v)}
        elif (number := _step_of(step)) and (metric in values or not metric):
            skips, rate = values.get("skipped_steps"), values.get(metric)
            skipped = max(skipped, int(skips)) if _is_number(skips) else skipped
            epoch, iteration = number
            rows.append(
                (epoch, iteration + skipped, _time(record), float(rate) if _is_number(rate) else np.nan, at)
            )
    return ParsedLog(_rows(log, rows), parameters, units, summary)


def objects(content: bytes, literal: bytes) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield the JSON objects that start at the "{" in a literal, with the offset of the literal.

    Each object ends in its line and before the next literal: several may be glued to one another.
    """
    begins = [match.start() for match in re.finditer(re.escape(literal), content)]
    for begin, end in pairwise([*begins, len(content)]):
        line = content[begin + literal.index(b"{") : end].partition(b"\n")[0].partition(b"\r")[0]
        try:
            value = json.loads(line[: line.rfind(b"}") + 1])
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value, begin


def _step_of(step: object) -> tuple[int, int] | None:
    """Return epoch and iteration of a JSON step, 5 or [0, 5]; None for others, such as [0] of an epoch."""
    numbers = [0, step] if isinstance(step, int) else step
    if not isinstance(numbers, list) or len(numbers) != 2:
        return None
    is_step = all(isinstance(number, int) and 0 <= number < 10**12 for number in numbers)
    return (numbers[0], numbers[1]) if is_step else None


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and abs(value) < 1e300


def _time(record: Mapping[str, Any]) -> float:
    try:
        return float(record["timestamp"])
    except (KeyError, TypeError, ValueError):
        return np.nan


def _rows(log: TextLog, rows: list[tuple[int, int, float, float, int]]) -> Steps:
    columns = np.array(rows, dtype=np.float64).reshape(-1, 5).T
    epoch, iteration, begin = columns[[0, 1, 4]].astype(np.int64)
    return Steps(epoch, iteration, columns[2], columns[3], log.lines(begin), int(begin.max(initial=0)))


def _text(value: bytes | None) -> str:
    return (value or b"").decode("utf-8", "replace").strip()
