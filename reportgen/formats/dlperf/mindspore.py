"""Read MindSpore's logs: `epoch: 1 step: 39, ...` followed by `epoch time: 24.655 ms, ...`.

What MindSpore calls an epoch is one call into the data sink, of `step` steps; the time covers all of them.
Ranks write into one log without a name: the n-th record of a step is taken as that of rank n. Where no step
is printed (TimeMonitor alone, MindCV), the ratio of the two times gives the number of steps.

Format: MindSpore's LossMonitor and TimeMonitor callbacks, the loss callback of its BERT script, and MindCV's.
"""

import numpy as np

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FloatArray, IntArray, Run
from reportgen.formats.base import Claim, Results
from reportgen.formats.parsing import timestamps
from reportgen.formats.parsing.line_format import by_rank
from reportgen.formats.parsing.line_patterns import regex
from reportgen.formats.parsing.run_builder import RunBuilder
from reportgen.formats.parsing.several_runs import StepPlaces, run_borders, run_logs
from reportgen.formats.parsing.step_numbers import occurrences
from reportgen.formats.parsing.text_log import Records, TextLog, TextSign, format_of
from reportgen.sources.logfiles import LogFiles

_STEP = regex(
    r"epoch: ?{epoch:int}(?P<percent>(?:\.[0-9]{1,6})?, current epoch percent:)?"
    r"[^\r\n]{0,60}?\bstep: ?{step:int}"
)
_ANCHOR = b"poch time:"
# Seconds and milliseconds in one line are MindCV's; seconds twice are any program's.
_WITH_STEPS = regex(
    r"poch time: ?{time}(?: ?ms| ?(?P<in_s>s))?"
    r", per step time: ?{each_ms}(?(in_s) ?ms|(?: ?ms)?)(?! ?s\b|[\w.])"
)
_TIME = lazy_pattern(_WITH_STEPS.pattern + regex(r"|poch time: ?{alone_ms} ?ms\b").pattern)
_NUMBERED = regex(r"\bepoch:? ?\[?{epoch:int}[]/:, ]")


def _refine(files: LogFiles, claim: Claim | None) -> Claim | None:
    """Return the claim, else one on the time of an epoch after the number of a step."""
    return TextSign((_ANCHOR,), _TIME, 0.85).claim(files) if b"step:" in files.head(files.path) else claim


def read(log: TextLog) -> Results:
    """Yield the runs of the file."""
    steps = log.records(_STEP, b"epoch:")
    places = StepPlaces(steps.begin, steps.end, steps.integers("epoch"), steps.integers("step"))
    for part in run_logs(log, run_borders(log, places)):
        yield _run(part)


def _run(log: TextLog) -> Run:
    every = log.records(_TIME, _ANCHOR)
    numbers, times = _paired(log.records(_STEP, b"epoch:"), every)
    if len(times):
        step, span = _numbered(numbers, times)
    else:
        times = every.take(np.flatnonzero(every.floats("each_ms") > 0))
        step, span = _counted(log, times)
    run = RunBuilder(log, "mindspore", step, times.line, int(times.end.max(initial=0)))
    run.factors["framework"] = "MindSpore"
    time = _seconds(times)
    for at in by_rank(run, occurrences(step)):
        run.add("step_time", time[at], "printed", span=span[at])
    return run.run()


_SIGN = TextSign((_ANCHOR,), _WITH_STEPS, 0.85)
FORMAT = format_of("mindspore", "Training logs of MindSpore.", (_SIGN,), read, _refine)


def _seconds(times: Records) -> FloatArray:
    time, alone = times.floats("time"), times.floats("alone_ms")
    units = [1e3 if text is None else 1 for text in times.columns["in_s"]]
    return np.where(np.isnan(time), alone, time) / units


def _counted(log: TextLog, times: Records) -> tuple[IntArray, IntArray]:
    """Return the last step of each time and how many steps it covers, where at most epochs are numbered."""
    span, epochs = _ratio(times), timestamps.before(log.content, times.begin, _NUMBERED)
    if not epochs:
        return np.cumsum(span), span
    # Rounded times may be one step off.
    step = np.clip(np.array(epochs, dtype="S16").astype(np.int64), 1, 10**6) * int(np.median(span))
    return step, np.minimum(span, step)


def _ratio(times: Records) -> IntArray:
    """Return how many steps each time covers, by the time of a step that is printed with it."""
    each = times.floats("each_ms")
    steps = np.round(_seconds(times) * 1e3 / np.where(each > 0, each, np.nan))
    return np.where(steps >= 1, np.minimum(steps, 10**9), 1).astype(np.int64)


def _paired(numbers: Records, times: Records) -> tuple[Records, Records]:
    """Return the step record of each time, and the times that have one.

    Ranks interleave: two step lines may come before two times, and then belong to them in that order. Where
    far more steps than times are printed (each step, but times once an epoch), the last one before counts.
    """
    position = at = np.arange(min(len(numbers), len(times)))
    if len(numbers) > 1.5 * len(times):
        position = np.searchsorted(numbers.begin, times.begin) - 1
    is_before = numbers.begin[position] < times.begin[at]
    return numbers.take(position[is_before]), times.take(at[is_before])


def _numbered(numbers: Records, times: Records) -> tuple[IntArray, IntArray]:
    """Return the number of the last step of each record, and how many steps its time covers."""
    epoch, step = np.maximum(numbers.integers("epoch"), 1), numbers.integers("step")
    if numbers.columns["percent"][0] is not None:
        # The BERT script counts the steps of all epochs; only the two times give the steps of this one.
        return step, np.minimum(_ratio(times), np.maximum(step, 1))
    return np.minimum(epoch, 10**6) * np.minimum(step, 10**9), np.maximum(step, 1)
