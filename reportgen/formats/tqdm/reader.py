"""Read logs that tell nothing but progress bars of tqdm: the reader of last resort.

A file becomes one Run, a step is an iteration of the loop of training. Elapsed time has whole seconds, so
intervals are at least 20 s long; a loop that ends sooner is one interval if its last bar tells the mean rate
of all of it, as tqdm does when it closes a bar. What stands around work of other bars is left out.

Format: https://github.com/tqdm/tqdm; https://github.com/Lightning-AI/pytorch-lightning,
callbacks/progress/tqdm_progress.py (no smoothing; the bar is drawn once more after validation).
"""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from reportgen.core.model import Finding, Run
from reportgen.core.rules import Rule
from reportgen.formats.base import Claim, Format
from reportgen.formats.parsing import trainer_output
from reportgen.formats.parsing.progress_bars import MARKS, SHORTEST, drawn
from reportgen.formats.parsing.run_builder import RunBuilder, epoch_breaks
from reportgen.formats.parsing.step_numbers import shortened
from reportgen.formats.parsing.text_log import TextLog, is_binary
from reportgen.formats.tqdm.training_loops import Draws, loops, own
from reportgen.sources.logfiles import LogFiles

_NAME = "tqdm"
_CONFIDENCE = 0.1
# From here on whole seconds tell parts of a loop well enough, and parts tell the warm-up from what follows.
_LONG = 3 * SHORTEST
# What a bar shows that was drawn after a validation, as Lightning's may be.
_VALIDATED = (b"val", b"v_num=")
# A rate with fewer digits (Lightning prints 0.01it/s) proves nothing.
_SURE = 0.05
_UNTOLD = "no two bars of training are so far apart that whole seconds tell the time between them"


class _Interval(NamedTuple):
    """Steps between two draws: the last of them, how many, s, and the line of the later draw."""

    step: int
    span: int
    time: float
    line: int


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with a bar of training."""
    if files.is_folder:
        return None
    head = files.head(files.path)
    if is_binary(head) or not any(mark in head for mark in MARKS):
        return None
    log = TextLog(LogFiles.of({files.path: head}).file(files.path))
    bars = drawn(log)
    found = own(bars, log.content)
    if not len(found):
        return None
    first = bars.take(found[:1])
    label = first.columns["label"][0] or b""
    reason = b" ".join((label, log.content[first.begin[0] : first.end[0]])).strip().decode("utf-8", "replace")
    return Claim(_CONFIDENCE, files.source(files.path, int(first.line[0])), reason, (files.path,))


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of the file."""
    log = TextLog(files)
    bars = drawn(log)
    found = own(bars, log.content)
    draws = Draws.among(bars, found)
    intervals: list[_Interval] = []
    planned, ends = 0, [0]
    every = loops(draws)
    for rows, after in zip_longest(every, every[1:], fillvalue=[len(draws.done)]):
        # One that goes on where another was interrupted does not begin at 0.
        first, last = int(draws.done[rows[0]]), int(draws.done[rows[-1]])
        offset = ends[-1] - (first if ends[-1] and draws.since[rows[0]] == 0 else 0)
        intervals += [one._replace(step=one.step + offset) for one in _of_loop(draws, rows, after[0])]
        ends.append(offset + last)
        planned = offset + int(draws.of[rows[-1]])
    run = _start(log, intervals)
    run.last = int(bars.end[found[-1]]) if len(found) else 0
    run.breaks = epoch_breaks(ends[1:-1])
    _describe(run, draws)
    span = np.array([one.span for one in intervals], dtype=np.int64)
    time = np.array([one.time for one in intervals], dtype=np.float64)
    run.add("step_time", time, "printed", span=span, samples=run.work(span))
    yield shortened(run.run(), ends[-1], planned)


FORMAT = Format(
    _NAME, "Training logs that contain only tqdm progress bars.", claims, read, marks=MARKS, is_last=True
)


def _start(log: TextLog, intervals: Sequence[_Interval]) -> RunBuilder:
    step, line = (np.array([one[column] for one in intervals], dtype=np.int64) for column in (0, 3))
    run = RunBuilder(log, _NAME, step, line)
    if not intervals:
        run.findings.append(Finding("warning", Rule.READ_INCOMPLETE_RUN, log.id, _UNTOLD, log.source))
    return run


def _describe(run: RunBuilder, draws: Draws) -> None:
    """Set the batch that examples of transformers and diffusers print, if its steps are those of the bar."""
    plan = trainer_output.plan(run.log)
    if plan.steps and (draws.of == plan.steps).all():
        run.factors.update(plan.factors)
        run.samples_per_step = float(plan.batch) if plan.batch else None


def _of_loop(draws: Draws, rows: Sequence[int], until: int) -> Sequence[_Interval]:
    """Return the intervals of a loop: the whole of it if that is short or nothing else is told.

    until  the row in which the next loop begins
    """
    parts, whole = list(_parts(draws, rows)), _whole(draws, rows, until)
    return [whole] if whole and (whole.time < _LONG or not parts) else parts


def _parts(draws: Draws, rows: Sequence[int]) -> Iterator[_Interval]:
    """Yield the long intervals of a loop, without those in which another bar went on."""
    begin = rows[0]
    for row in rows[1:]:
        time = float(draws.since[row] - draws.since[begin])
        is_broken = draws.work[row] > draws.work[begin]
        if time >= SHORTEST and not is_broken:
            step = int(draws.done[row])
            yield _Interval(step, step - int(draws.done[begin]), time, int(draws.line[row]))
        if time >= SHORTEST or is_broken:
            begin = row


def _whole(draws: Draws, rows: Sequence[int], until: int) -> _Interval | None:
    """Return a loop as one interval if the rate of its last bar makes its elapsed time.

    Then that is the mean rate since the begin; another rate would be as good if it happened to agree.
    """
    first, last = rows[0], rows[-1]
    is_alone = len(rows) == 1
    is_after_more = is_alone and any(word in (draws.shown[last] or b"") for word in _VALIDATED)
    is_whole = draws.done[last] == draws.of[last] and (is_alone or draws.since[first] == 0)
    if not is_whole or is_after_more or draws.work[last] > draws.work[first]:
        return None
    step = int(draws.done[last])
    span = step - (0 if is_alone else int(draws.done[first]))
    closing, since = _closing(draws, last, until), float(draws.since[last])
    rate, error = float(draws.rate[closing]), float(draws.error[closing])
    if not span or not 0 < rate < np.inf or not error <= _SURE:
        return None
    time = span / rate
    if not time * (1 + error) >= since or not time * (1 - error) < since + 1:
        return None
    return _Interval(step, span, min(max(time, since), since + 1), int(draws.line[last]))


def _closing(draws: Draws, last: int, until: int) -> int:
    """Return the row in which the end of a loop is drawn the last time in the same second."""
    while (
        last + 1 < until
        and draws.done[last + 1] == draws.done[last]
        and draws.since[last + 1] == draws.since[last]
        and draws.epoch[last + 1] == draws.epoch[last]
    ):
        last += 1
    return last
