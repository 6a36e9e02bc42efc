"""Read the progress lines of Keras: `938/938 [=====] - 3s 3ms/step - loss: 0.52`, below the head of an epoch.

A line has the seconds since the epoch began and the mean time of its steps without the first, both as whole
numbers: the one whose digits leave less open is read. The line that closes an epoch is printed after its
validation and after callbacks such as a checkpoint. With the results of a validation it does not time the
steps: the last bar before it does, in Keras 3; in older versions there is only the time of the epoch.

Keras before 2.4 counts samples, as `us/sample`, or as `us/step` below `Train on 60000 samples`. No log has
the batch.

Format: https://github.com/keras-team/keras, keras/src/utils/progbar.py, and tf.keras of TensorFlow 1 and 2.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

import numpy as np

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FloatArray
from reportgen.core.rules import Rule
from reportgen.formats.base import Claim, Results
from reportgen.formats.parsing.run_builder import RunBuilder, epoch_breaks, in_epochs
from reportgen.formats.parsing.several_runs import RunBorders, run_logs
from reportgen.formats.parsing.step_numbers import shortened
from reportgen.formats.parsing.text_log import TextLog, TextSign, format_of, without_controls
from reportgen.sources.logfiles import LogFiles

_NAME = "keras"
_EPOCH = lazy_pattern(
    rb"^Epoch (?P<epoch>[1-9][0-9]{0,8})/(?P<epochs>[1-9][0-9]{0,8})[ \t\r]*$", re.MULTILINE
)
_BAR = lazy_pattern(
    rb"(?<![0-9/])(?P<done>[1-9][0-9]{0,11})/(?P<of>[1-9][0-9]{0,11}) "
    rb"(?:\[[=>.]{1,80}\] - |(?:\xe2\x94\x81){1,80} |(?P<line>- ))"
    rb"(?P<clock>[0-9]{1,9}s|(?:[0-9]{1,4}:)?[0-9]{1,2}:[0-9]{2})(?= )(?P<rest>[^\r\n\x08]*)"
)
# Some versions print the time of an epoch and of a step behind the metrics.
_TIME = lazy_pattern(rb"\A(?: -)? ([0-9]{1,9})([mu]?s)/(step|sample)\b")
_TIME_AT_END = lazy_pattern(rb" - [0-9]{1,9}[mu]?s/epoch - ([0-9]{1,9})([mu]?s)/(step|sample)\b")
_UNITS = {b"s": 1.0, b"ms": 1e3, b"us": 1e6}
_COUNTS_SAMPLES = lazy_pattern(rb"^Train on [0-9]{1,12} samples", re.MULTILINE)
_VALIDATED = b" - val_"
# A bar before a validation stands for the epoch from here on.
_MIN_SHARE = 0.9
# A number of fewer digits leaves more than this open.
_MAX_OPEN = 0.05
_MAX_TRAININGS = 256
_TOO_MANY = f"only {_MAX_TRAININGS} trainings of this log are read: write each to a file of its own"
_WITH_VALIDATION = (
    "the time of an epoch includes its validation, and no bar before it has a time: no step time is read; "
    "train without validation_data to measure steps"
)


@dataclass(frozen=True, slots=True)
class _Bar:
    """A bar: steps done, s of a step or sample, half of its last digit, s since the epoch began or NaN."""

    end: int
    done: int
    of: int
    time: float
    half: float
    elapsed: float
    is_line: bool
    is_validated: bool
    is_of_samples: bool


def _bar(match: re.Match[bytes]) -> _Bar | None:
    rest = match["rest"]
    printed = _TIME.match(rest) or _TIME_AT_END.search(rest)
    if not printed:
        return None
    unit, done, of = _UNITS[printed[2]], int(match["done"]), int(match["of"])
    time, half, elapsed = int(printed[1]) / unit, 0.5 / unit, math.nan
    # A running bar has an estimate of the rest here, which is shorter than the steps took.
    if done == of and match["clock"].endswith(b"s"):
        seconds = float(match["clock"][:-1])
        elapsed = seconds if seconds + 0.5 >= (time - half) * (done - 1) else math.nan
    is_of_samples = printed[3] == b"sample"
    return _Bar(
        match.end(), done, of, time, half, elapsed, bool(match["line"]), _VALIDATED in rest, is_of_samples
    )


@dataclass(frozen=True, slots=True)
class KerasEpoch:
    """An epoch: the line that closes it, None if the log is cut, and the last bar that times steps alone."""

    begin: int
    number: int
    epochs: int
    closing: _Bar | None
    steps: _Bar | None


def _epochs(log: TextLog) -> list[KerasEpoch]:
    heads = list(_EPOCH.finditer(log.content))
    begins = [*(head.start() for head in heads), len(log.content)]
    return [_epoch(log.content, head, end) for head, end in zip(heads, begins[1:], strict=True)]


def _epoch(content: bytes, head: re.Match[bytes], end: int) -> KerasEpoch:
    """Return the epoch below a head; bars after the line that closes it are of an evaluation."""
    before, closing, steps = None, None, None
    for match in _BAR.finditer(content, head.end(), end):
        if (bar := _bar(match)) is None:
            continue
        if before and (bar.of != before.of or bar.done < before.done or (closing and bar.is_line)):
            break
        before = bar
        if bar.done == bar.of and content[bar.end : bar.end + 1] == b"\n":
            closing = bar
        if not bar.is_validated and bar.done >= _MIN_SHARE * bar.of:
            steps = bar
    return KerasEpoch(head.start(), int(head["epoch"]), int(head["epochs"]), closing, steps)


def _read(log: TextLog) -> Results:
    """Yield the runs of a log: a training begins where the epochs are counted from the first again."""
    begins = [0]
    for before, epoch in pairwise(_epochs(log)):
        if before.closing and epoch.number <= before.number:
            begins.append(epoch.begin)
    # The part after the last training that is read has all others.
    borders = RunBorders(tuple(begins[: _MAX_TRAININGS + 1]))
    for part in islice(run_logs(log, borders), _MAX_TRAININGS):
        epochs = _epochs(part)
        run = _build(part, [epoch for epoch in epochs if epoch.closing])
        if len(begins) > _MAX_TRAININGS:
            run.note(Rule.READ_SEVERAL_RUNS, _TOO_MANY)
        # A training may stop early, after an epoch; within one, it was cut.
        is_cut = bool(epochs) and not epochs[-1].closing
        yield shortened(run.run(), 0, epochs[-1].number if is_cut else 0)


def _build(log: TextLog, epochs: Sequence[KerasEpoch]) -> RunBuilder:
    """Return the run of the closed epochs of a training."""
    timed = [epoch for epoch in epochs if epoch.steps]
    bars = [epoch.steps for epoch in timed if epoch.steps]
    number = np.array([epoch.number for epoch in timed], np.int64)
    done, of = np.array([(bar.done, bar.of) for bar in bars], np.int64).reshape(-1, 2).T
    step = in_epochs(number, done, of)
    end = epochs[-1].closing.end if epochs and epochs[-1].closing else 0
    breaks = epoch_breaks((step - done)[1:])
    lines = log.lines([bar.end for bar in bars])
    run = RunBuilder(log, _NAME, step, lines, end, breaks=breaks)
    run.factors["framework"] = "Keras"
    if not bars and epochs:
        run.note(Rule.READ_INCOMPLETE_RUN, _WITH_VALIDATION)
        _add_epoch_time(run, [epoch.closing for epoch in epochs if epoch.closing])
    if not bars:
        return run
    time, half = _times(bars)
    if bars[0].is_of_samples or _COUNTS_SAMPLES.search(log.content):
        _add_rate(run, bars, time, half)
    else:
        run.add("step_time", time * done, "host", span=done, rounding=half)
    return run


def _add_epoch_time(run: RunBuilder, closings: Sequence[_Bar]) -> None:
    """Add the mean time of the epochs after the first, which compiles."""
    later = closings[1:] or closings
    total, n = math.fsum(bar.elapsed for bar in later), len(later)
    if total / n * _MAX_OPEN >= 0.5:
        line = int(run.log.lines([later[-1].end])[0])
        run.add_aggregate("epoch_time", total / n, f"{total:g} s / {n} epochs", "mean", n, line)


def _add_rate(run: RunBuilder, bars: Sequence[_Bar], time: FloatArray, half: float) -> None:
    """Add the samples/s of the epochs after the first: the number of steps is unknown."""
    later = slice(1 if len(bars) > 1 else 0, None)
    samples = sum(bar.done for bar in bars[later])
    total = math.fsum((bar.done * each) for bar, each in zip(bars[later], time[later].tolist(), strict=True))
    if half * samples > _MAX_OPEN * total:
        run.note(
            Rule.READ_INCOMPLETE_RUN, f"a sample takes {total / samples:g} s, in too few digits for a rate"
        )
        return
    text = f"{samples} samples / {total:g} s"
    run.add_aggregate("throughput", samples / total, text, "total", len(bars[later]), int(run.line[-1]))


def _times(bars: Sequence[_Bar]) -> tuple[FloatArray, float]:
    """Return the s of a step in each epoch, and what the digits leave open of one at most."""
    printed = np.array([bar.time for bar in bars])
    half = max(bar.half for bar in bars)
    elapsed = np.array([bar.elapsed for bar in bars])
    done = np.array([bar.done for bar in bars], np.float64)
    open_of_elapsed = 0.5 / float(done.min())
    if np.isfinite(elapsed).all() and open_of_elapsed < half:
        return elapsed / done, open_of_elapsed
    return printed, half


def _with_epochs(files: LogFiles, claim: Claim | None) -> Claim | None:
    """Return a claim on a log with the head of an epoch: other bars are of an evaluation."""
    return claim if claim and _EPOCH.search(without_controls(files.head(files.path))) else None


FORMAT = format_of(
    _NAME,
    "Progress lines of Keras' fit().",
    (TextSign((b"s/step", b"s/sample"), _BAR, 0.7),),
    _read,
    _with_epochs,
)
