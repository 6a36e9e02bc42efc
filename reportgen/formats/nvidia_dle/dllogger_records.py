"""Parse the records of NVIDIA DLLogger: text (`DLL <time> - <step> <metrics>`) and JSON (`DLLL {...}`).

A record may start anywhere in a line: after a progress bar, a warning, the prefix of a rank or another
record. Programs print the step in their own way: `Epoch: 0 Iteration: 5`, `Training Epoch: 0 Training
Iteration: 5`, `Iteration: 5`, `(0, 5)`; `PARAMETER` precedes settings, `Summary:`, `()` or nothing the
metrics of the whole run.

An update that half precision skips does not advance the iteration, but its batch was computed, so it counts
as a step. Programs print their number (`skipped_steps`), the loss scale after each (`PARAMETER loss_scale`),
or only the same iteration again.

Format: https://github.com/NVIDIA/dllogger (v1.1.0).
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FloatArray, IntArray
from reportgen.formats.parsing.json_values import is_number, load_leading, number, table
from reportgen.formats.parsing.run_builder import RunBuilder
from reportgen.formats.parsing.several_runs import StepPlaces
from reportgen.formats.parsing.step_numbers import count_on
from reportgen.formats.parsing.text_log import NUMBER, STAMP, TextLog
from reportgen.formats.parsing.timestamps import moments, utc, wall_time

RECORD = lazy_pattern(rb"DLLL? (?:" + STAMP + rb' - |\{"timestamp")')
_FIRST = lazy_pattern(rb"DLLL? (?:(" + STAMP + rb') - |\{"timestamp": ?"?(' + NUMBER + rb")[\",])")
_HEAD = (
    rb"DLLL? ([0-9 :.-]{26}) - "  # one class is faster than a pattern of the date
    rb"(?:(?:(?:[A-Z][a-z]{1,20}+ )?Epoch: ([0-9]{1,9}) )?(?:[A-Z][a-z]{1,20}+ )?Iteration: ([0-9]{1,12}) "
    rb"|\(([0-9]{1,9}), ([0-9]{1,12})\))"
)
_STEP = lazy_pattern(_HEAD + rb"(?! ?[A-Z])")
# A dot is faster than a class of all but two bytes; carriage returns are checked separately.
_UP_TO_METRIC = lazy_pattern(_HEAD + rb".*+(?<=[ .])")
_VALUE = rb" : (" + NUMBER + rb")(?![0-9.])"
_SKIPS = b" skipped_steps : "
_SKIPPED = lazy_pattern(rb"[^\r\n]{0,200}?" + _SKIPS + rb"([0-9]{1,9})")
_OVERFLOW = lazy_pattern(rb" - PARAMETER loss_scale : [0-9.e+-]{1,40} *(?=[\r\n]|\Z|DLL)")
_RANK = lazy_pattern(rb"\[([0-9]{1,6},[0-9]{1,6})\]<std|(?:^|[\r\n]) {0,6}([0-9]{1,6}): ")
_MAX_PREFIX_CHARS = 60
_NAME = lazy_pattern(rb"\)? *([\w.@/-]{1,60}) : ")
# Another record may be glued to a setting or a metric.
_SETTINGS = lazy_pattern(rb" - PARAMETER (?=(?P<settings>[^\r\n]{1,20000}))")
_SUMMARIES = (b" - Summary: ", b" - ()", b" -  ")
_SUMMARY = lazy_pattern(rb" - (?:Summary: |\(\) ?| )(?=([^\r\n]{0,4000}))")
_GLUED = lazy_pattern(rb"DLLL? [0-9]{4}-[0-9]{2}-")
_STAMP = lazy_pattern(STAMP)
_STAMP_LENGTH = len("2021-06-26 20:00:00.000000")
# The lookbehind stops the search from trying a name at each of its letters.
_METRIC = lazy_pattern(rb"(?<![A-Za-z])([A-Za-z][\w.@/-]{0,60}) : (" + NUMBER + rb")(?![0-9.])")
_RATE = lazy_pattern(rb"([A-Za-z][\w.@/-]{0,60}) : " + NUMBER + rb" ([A-Za-z]{1,20}/s)\Z")
_MAX_STEP = 10**12
_MAX_RATE_CHARS = 140
_MAX_RATES = 100
_MAX_METRICS = 500


@dataclass(frozen=True, slots=True)
class Steps:
    """Records of steps as columns; `t` (s) and `rate` are NaN if absent, `last` is the last offset.

    begin    offsets in the log
    printed  iterations as the log prints them, without those that were skipped
    """

    epoch: IntArray
    iteration: IntArray
    t: FloatArray
    rate: FloatArray
    line: IntArray
    last: int
    begin: IntArray
    printed: IntArray

    def __len__(self) -> int:
        return len(self.iteration)

    @property
    def places(self) -> StepPlaces:
        """Where the records are, and the steps that they print."""
        return StepPlaces(self.begin, self.begin, self.epoch, self.printed)


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


def set_start(run: RunBuilder) -> None:
    """Set when a run began by its first record: a text has a local date, JSON the seconds since 1970."""
    if first := _FIRST.search(run.log.content):
        run.set_start(utc(float(first[2])) if first[2] else wall_time(first[1]))


def set_steps(run: RunBuilder, steps: Steps) -> None:
    """Set the records of a run."""
    run.step, run.breaks = count_on(steps.epoch, steps.iteration)
    run.line, run.last = steps.line, max(run.last, steps.last)


def text_steps(log: TextLog, metric: bytes = b"") -> Steps:
    """Return the records of steps that contain a metric, or all records of steps if it is empty."""
    return log.once((text_steps, metric), lambda: _text_steps(log, metric))


def _text_steps(log: TextLog, metric: bytes) -> Steps:
    content = log.content
    heads, rates = _heads_with(content, metric) if metric else ([*_STEP.finditer(content)], [])
    if not heads:
        return _steps(log, [])
    stamps, epochs, iterations, firsts, seconds = zip(*map(re.Match.groups, heads), strict=True)
    epoch = np.array([int(epoch or first or 0) for epoch, first in zip(epochs, firsts, strict=True)])
    iteration = np.array([int(number or second) for number, second in zip(iterations, seconds, strict=True)])
    rate = np.array(rates) if metric else np.full(len(heads), np.nan)
    begin = np.array([*map(re.Match.start, heads)], dtype=np.int64)
    lines, last = log.lines(begin), int(begin[-1])
    steps = Steps(epoch, iteration, _since_1970(stamps), rate, lines, last, begin, iteration)
    return replace(steps, iteration=iteration + _skipped_in_text(content, heads, steps))


def _heads_with(content: bytes, metric: bytes) -> tuple[list[re.Match[bytes]], list[float]]:
    """Return the heads of the records of steps with a metric, and its first value in each.

    Values are rare, so they are found first, and the head of each before it. A record ends where the next one
    begins: it must not take the metric of a record glued to it.
    """
    heads: list[re.Match[bytes]] = []
    rates = []
    has_returns = b"\r" in content
    for value in re.finditer(re.escape(metric) + _VALUE, content):
        begin = value.start()
        start = content.rfind(b"DLL", heads[-1].end() if heads else 0, begin)
        head = _UP_TO_METRIC.fullmatch(content, start, begin) if start >= 0 else None
        if head and not (has_returns and b"\r" in head[0]):
            heads.append(head)
            rates.append(float(value[1]))
    return heads, rates


def _since_1970(stamps: Sequence[bytes]) -> FloatArray:
    """Return dates as floats of s since 1970, as DLLogger's JSON lines print them."""
    dates = moments(stamps)
    return np.where(np.isnat(dates), np.nan, dates.astype(np.int64) / 1e6)


def _skipped_in_text(content: bytes, heads: Sequence[re.Match[bytes]], steps: Steps) -> IntArray:
    """Return how many updates were skipped up to each record of a text."""
    if content.rfind(_SKIPS) >= 0:
        matches = [_SKIPPED.match(content, head.end()) for head in heads]
        return np.maximum.accumulate([int(match[1]) if match else 0 for match in matches])
    scales = [scale.start() for scale in _OVERFLOW.finditer(content)]
    overflows: IntArray = np.searchsorted(scales, [head.start() for head in heads])
    # The scale before the first record may be a setting.
    overflows -= overflows[0]
    if overflows[-1]:
        return overflows
    return _repeated(steps, lambda: [_writer(content, head) for head in heads])


def _repeated(steps: Steps, writers: Callable[[], Sequence[object]]) -> IntArray:
    """Return how many records up to each one repeat the iteration before, later and by the same writer."""
    is_repeated = (np.diff(steps.epoch) == 0) & (np.diff(steps.iteration) == 0) & (np.diff(steps.t) > 0)
    if not is_repeated.any():
        return np.zeros_like(steps.iteration)
    is_same = [before == after for before, after in pairwise(writers())]
    return np.concatenate(([0], (is_repeated & is_same).cumsum()))


def _writer(content: bytes, head: re.Match[bytes]) -> tuple[bytes, bytes]:
    """Return the rank that printed a record, and its first metric: others repeat an iteration as well."""
    rank = _RANK.search(content, max(head.start() - _MAX_PREFIX_CHARS, 0), head.start())
    # A head can reach up to the metric that it was searched for.
    name = _NAME.match(content, head.end(head.lastindex or 0))
    return rank[0].strip() if rank else b"", name[1] if name else b""


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
        for setting in _text(_alone(settings)).split("  "):
            name, colon, value = setting.partition(" : ")
            if colon and len(parameters) < _MAX_METRICS:
                parameters.setdefault(name.strip(), value.strip())
    return parameters


def _summary(content: bytes) -> dict[str, tuple[float, int]] | None:
    summary: dict[str, tuple[float, int]] | None = None
    # Every record of a step has " - ", so literals are faster than the pattern.
    for begin in sorted(at for literal in _SUMMARIES for at in _offsets(content, literal)):
        record = _SUMMARY.match(content, begin)
        if not record or not _STAMP.fullmatch(content, max(begin - _STAMP_LENGTH, 0), begin):
            continue
        summary = {} if summary is None else summary
        for name, value in _METRIC.findall(_alone(record[1])):
            if len(summary) < _MAX_METRICS:
                summary[_text(name)] = (float(value), begin)
    return summary


def _offsets(content: bytes, literal: bytes) -> Iterator[int]:
    at = content.find(literal)
    while at >= 0:
        yield at
        at = content.find(literal, at + 1)


def _alone(text: bytes | None) -> bytes:
    """Return the text of a record without those that are glued to it."""
    return _GLUED.split(text or b"", maxsplit=1)[0]


def units(content: bytes) -> dict[str, str]:
    """Return the first metric whose values have a unit of things per second, with that unit."""
    at = content.find(b"/s")
    for _ in range(_MAX_RATES):
        if at < 0:
            break
        colon = content.rfind(b" : ", max(at - _MAX_RATE_CHARS, 0), at)
        name = content.rfind(b" ", 0, colon) + 1
        if colon >= 0 and (rate := _RATE.search(content, name, at + 2)):
            return {_text(rate[1]): _text(rate[2])}
        at = content.find(b"/s", at + 2)
    return {}


def json_log(log: TextLog, metric: str) -> ParsedLog | None:
    """Return the content of a log of JSON lines, None if it has none.

    metric  rate in the records of steps; the first metric in things per s if empty
    """
    records = [(record, at) for record, at in objects(log.content, b'DLLL {"timestamp"')]
    if not records:
        return None
    units = {
        str(record.get("metric")): str(record["metadata"].get("unit", ""))
        for record, _ in records
        if isinstance(record.get("metadata"), dict)
    }
    metric = metric or next((name for name, unit in units.items() if unit.endswith("/s")), "")
    parameters: dict[str, Any] = {}
    summary: dict[str, tuple[float, int]] | None = None
    overflows = 0
    rows: list[tuple[float, ...]] = []
    skipped: list[tuple[float, int]] = []
    first_metrics: list[str] = []
    for record, at in records:
        step, values = record.get("step"), table(record.get("data"))
        numbers = {name: float(value) for name, value in values.items() if is_number(value)}
        if step == "PARAMETER":
            parameters = {**values, **parameters}
            overflows += set(values) == {"loss_scale"}
        elif step in ([], "Summary"):
            summary = (summary or {}) | {name: (value, at) for name, value in numbers.items()}
        elif (epoch_and_iteration := _step_of(step)) and (metric in values or not metric):
            time, rate = number(record.get("timestamp")), numbers.get(metric, np.nan)
            rows.append((*epoch_and_iteration, time, rate, at))
            skipped.append((numbers.get("skipped_steps", np.nan), overflows))
            first_metrics.append(next(iter(values), ""))
    steps = _steps(log, rows)
    steps = replace(steps, iteration=steps.iteration + _skipped_in_json(steps, skipped, first_metrics))
    return ParsedLog(steps, parameters, units, summary)


def _skipped_in_json(
    steps: Steps, skipped: Sequence[tuple[float, int]], first_metrics: Sequence[str]
) -> IntArray:
    """Return how many updates were skipped up to each record of JSON lines.

    skipped  the number that each record prints, NaN if it prints none, and the overflows before it
    """
    printed, before = np.array(skipped, dtype=np.float64).reshape(-1, 2).T
    if np.isfinite(printed).any():
        count: FloatArray = np.maximum.accumulate(np.clip(np.nan_to_num(printed), 0, _MAX_STEP))
        return count.astype(np.int64)
    overflows: IntArray = (before - before[:1]).astype(np.int64)
    if overflows.any():
        return overflows
    return _repeated(steps, lambda: first_metrics)


def objects(content: bytes, literal: bytes) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield the JSON objects that start at the "{" in a literal, with the offset of the literal."""
    at = content.find(literal)
    while at >= 0:
        end = content.find(b"\n", at)
        value = load_leading(content[at + literal.index(b"{") : end if end >= 0 else None])
        if isinstance(value, dict):
            yield value, at
        at = content.find(literal, at + 1)


def _step_of(step: object) -> tuple[int, int] | None:
    """Return epoch and iteration of a JSON step, 5 or [0, 5]; None for others, such as [0] of an epoch."""
    numbers = [0, step] if isinstance(step, int) else step
    if not isinstance(numbers, list) or len(numbers) != 2:
        return None
    is_step = all(isinstance(number, int) and 0 <= number < _MAX_STEP for number in numbers)
    return (numbers[0], numbers[1]) if is_step else None


def _steps(log: TextLog, rows: Sequence[tuple[float, ...]]) -> Steps:
    columns = np.array(rows, dtype=np.float64).reshape(-1, 5).T
    epoch, iteration, begin = columns[[0, 1, 4]].astype(np.int64)
    last = int(begin.max(initial=0))
    return Steps(epoch, iteration, columns[2], columns[3], log.lines(begin), last, begin, iteration)


def _text(value: bytes | None) -> str:
    return (value or b"").decode("utf-8", "replace").strip()
