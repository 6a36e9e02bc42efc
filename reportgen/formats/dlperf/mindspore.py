"""Read MindSpore's logs: `epoch: 1 step: 39, ...` followed by `epoch time: 24.655 ms, ...`.

A file becomes one Run with a Series per rank. What MindSpore calls an epoch is one call into the data sink,
of `step` steps; the time is that of all of them. Ranks write into one log without a name: the n-th record of
a step is taken to be of rank n. Older versions print milliseconds without a unit. Where no step is printed
(TimeMonitor alone, MindCV), the ratio of the two times says how many steps there were.

Format: MindSpore's LossMonitor and TimeMonitor callbacks, the loss callback of its BERT script, and MindCV's.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from reportgen.core.model import Finding, FloatArray, IntArray, Run
from reportgen.formats.base import Claim, Format
from reportgen.formats.parsing.run_builder import RunBuilder
from reportgen.formats.parsing.step_numbers import occurrences
from reportgen.formats.parsing.text_log import COUNT, NUMBER, Records, TextLog, claim
from reportgen.sources.logfiles import LogFiles

_NAME = "mindspore"
_STEP = re.compile(
    rb"epoch: ?(?P<epoch>" + COUNT + rb")(?P<percent>(?:\.[0-9]{1,6})?, current epoch percent:)?"
    rb"[^\r\n]{0,60}?\bstep: ?(?P<step>" + COUNT + rb")"
)
_ANCHOR = b"poch time:"
# Seconds and milliseconds in one line are MindCV's; seconds twice are any program's.
_WITH_STEPS = re.compile(
    rb"poch time: ?(?P<time>" + NUMBER + rb")(?: ?ms| ?(?P<in_s>s))?"
    rb", per step time: ?(?P<each_ms>" + NUMBER + rb")(?(in_s) ?ms|(?: ?ms)?)(?! ?s\b|[\w.])"
)
_TIME = re.compile(_WITH_STEPS.pattern + rb"|poch time: ?(?P<alone_ms>" + NUMBER + rb") ?ms\b")
_NUMBERED = re.compile(rb"\bepoch:? ?\[?(?P<epoch>" + COUNT + rb")[]/:, ]")
_NEAR = 300


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with the time of an epoch behind the number of a step."""
    if files.is_folder or _ANCHOR not in (head := files.head(files.path)):
        return None
    return claim(files, _ANCHOR, _TIME if b"step:" in head else _WITH_STEPS, 0.85)


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of the file."""
    log = TextLog(files)
    numbers, every = log.records(_STEP, b"epoch:"), log.records(_TIME, _ANCHOR)
    position, times = _paired(numbers, every)
    is_numbered = bool(len(times))
    if not is_numbered:
        times = every.take(np.flatnonzero(every.floats("each_ms") > 0))
    run = RunBuilder(log, _NAME, np.zeros(0, dtype=np.int64), times.line, factors={"framework": "MindSpore"})
    if len(times):
        run.last = int(times.end[-1])
        step, span = _numbered(numbers.take(position), times) if is_numbered else _counted(log, times)
        run.step, run.line = step, times.line
        _fill(run, span, _seconds(times))
    yield run.run()


FORMAT = Format(_NAME, "Training logs of MindSpore.", claims, read, marks=(_ANCHOR,))


def _seconds(times: Records) -> FloatArray:
    time, alone = times.floats("time"), times.floats("alone_ms")
    in_s = np.array([text is not None for text in times.columns["in_s"]])
    return np.where(np.isnan(time), alone, time) / np.where(in_s, 1, 1e3)


def _counted(log: TextLog, times: Records) -> tuple[IntArray, IntArray]:
    """Return the last step of each time and how many it is of, where at most epochs are numbered."""
    span = _ratio(times)
    before = [log.content[max(at - _NEAR, 0) : at].rpartition(b"\n")[2] for at in times.begin.tolist()]
    epochs = [_NUMBERED.search(text) for text in before]
    if all(epochs):
        epoch = np.array([int(one["epoch"]) for one in epochs if one], dtype=np.int64)
        # Rounded times may say one step more or less.
        step = np.clip(epoch, 1, 10**6) * int(np.median(span))
        return step, np.minimum(span, step)
    return np.cumsum(span), span


def _ratio(times: Records) -> IntArray:
    each = times.floats("each_ms")
    steps = np.round(_seconds(times) * 1e3 / np.where(each > 0, each, np.nan))
    return np.where(steps >= 1, np.minimum(steps, 10**9), 1).astype(np.int64)


def _paired(numbers: Records, times: Records) -> tuple[IntArray, Records]:
    """Return for each time the position of its step record, and the times that have one.

    Ranks interleave: two step lines may come before two times, and then belong to them in that order. Where
    far more steps than times are printed (each step, but times once an epoch), the last one before counts.
    """
    if len(numbers) <= 1.5 * len(times):
        count = min(len(numbers), len(times))
        position = np.arange(count)
        ordered = numbers.begin[:count] < times.begin[:count]
        return position[ordered], times.take(position[ordered])
    position = np.searchsorted(numbers.begin, times.begin) - 1
    return position[position >= 0], times.take(np.flatnonzero(position >= 0))


def _numbered(numbers: Records, times: Records) -> tuple[IntArray, IntArray]:
    """Return the number of the last step of each record, and how many steps its time is of."""
    epoch, step = np.maximum(numbers.integers("epoch"), 1), numbers.integers("step")
    span = step.copy()
    if numbers.columns["percent"][0] is not None:
        # The BERT script counts steps through; how many a time is of, only its own ratio tells.
        return step, np.minimum(_ratio(times), np.maximum(step, 1))
    return np.minimum(epoch, 10**6) * np.minimum(step, 10**9), np.maximum(span, 1)


def _fill(run: RunBuilder, span: IntArray, time: FloatArray) -> None:
    rank = occurrences(run.step)
    step, line = run.step, run.line
    for number in range(int(rank.max()) + 1):
        mine = rank == number
        run.step, run.line = step[mine], line[mine]
        before = len(run.series)
        run.add("step_time", time[mine], "printed", span=span[mine])
        run.series[before:] = [replace(one, rank=number) for one in run.series[before:]]
    run.step, run.line = step, line
