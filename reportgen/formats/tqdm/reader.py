"""Read logs that contain only progress bars of tqdm: the format of last resort.

A file becomes one Run, a step is an iteration of the training loop. Elapsed time has whole seconds, so
intervals are at least 20 s long; a shorter loop is one interval if its last bar gives the mean rate of the
whole loop, as tqdm does when it closes a bar. Intervals in which another bar advanced are left out.

A label names the purpose of a loop; loops over epochs count no steps. A loop without label is training if
nothing else can be meant: it is the only length of such bars, takes its time, and the log mentions training.

Format: https://github.com/tqdm/tqdm; https://github.com/Lightning-AI/pytorch-lightning,
callbacks/progress/tqdm_progress.py (no smoothing; the bar is drawn again after validation).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FloatArray, IntArray, Run
from reportgen.core.rules import Rule
from reportgen.formats.base import Claim, Format, Results
from reportgen.formats.parsing import trainer_output
from reportgen.formats.parsing.progress_bars import MARKS, MIN_INTERVAL_SECONDS, drawn
from reportgen.formats.parsing.run_builder import RunBuilder, epoch_breaks
from reportgen.formats.parsing.several_runs import StepPlaces, run_borders, run_logs
from reportgen.formats.parsing.step_numbers import shortened
from reportgen.formats.parsing.text_log import Records, TextLog, floats, is_binary
from reportgen.formats.parsing.timestamps import elapsed
from reportgen.sources.logfiles import LogFiles

_NAME = "tqdm"
_OTHER = lazy_pattern(
    rb"(?<![a-z])(?:val|valid\w*|eval\w*|test\w*|sanity|predict\w*|infer\w*|generat\w*|sampl\w*|calibrat\w*"
    rb"|warm\w*|datasets?|(?:down)?load\w*|map|mapping|filter\w*|token\w*|extract\w*|(?:pre)?process\w*|comput\w*"
    rb"|encod\w*|cach\w*|scan\w*|pack\w*|truncat\w*|convert\w*|build\w*|creat\w*|collect\w*|index\w*|split"
    rb"|shards?|read\w*|writ\w*|sav\w*)(?![a-z_]| ?loss| ?acc)",
    re.IGNORECASE,
)
_TRAINING = lazy_pattern(rb"train|epoch|iter|step|batch\b|loss", re.IGNORECASE)
_EPOCH = lazy_pattern(rb"epoch[^0-9a-z]{0,4}([0-9]{1,6})", re.IGNORECASE)
# YOLOv5 and its relatives: epoch, memory, losses, and the size of the images before the colon.
_YOLO = lazy_pattern(rb"^([0-9]{1,6})/[0-9]{1,6} +[0-9.]{1,9}[GM] ")
_MENTIONS_TRAINING = lazy_pattern(rb"loss|\btrain|\bepoch", re.IGNORECASE)
_RATE_ROUNDING = 0.005  # rates are printed with two decimals
_MIN_STEP_SECONDS = 1e-3  # faster bars count bytes
# From here on whole seconds are exact enough for parts, and parts separate the warm-up from the rest.
_MIN_LOOP_SECONDS = 3 * MIN_INTERVAL_SECONDS
# In a bar drawn after a validation, as Lightning's may be.
_VALIDATED = (b"val", b"v_num=")
# A rate with fewer digits (Lightning prints 0.01it/s) is too coarse.
_MAX_RATE_ERROR = 0.05
_NO_INTERVAL = "no two bars of training are far enough apart for a time in whole seconds"


class BarLabel(NamedTuple):
    """The label of a training bar: its word, empty for a bar without label; the epoch, -1 if unknown."""

    word: bytes
    epoch: int


class BarInterval(NamedTuple):
    """Steps between two bars: the last of them, how many, s, and the line of the later bar."""

    step: int
    span: int
    time: float
    line: int


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with a bar of training."""
    head = files.head(files.path)
    if is_binary(head) or not any(mark in head for mark in MARKS):
        return None
    log = TextLog(LogFiles.of({files.path: head}).file(files.path))
    bars = drawn(log)
    for i in _training_positions(bars, _labels(bars), log.content)[:1].tolist():
        text = b" ".join((bars.columns["label"][i] or b"", log.content[bars.begin[i] : bars.end[i]])).strip()
        return Claim.of_file(files, 0.1, text.decode("utf-8", "replace"), int(bars.line[i]))
    return None


def read(files: LogFiles) -> Results:
    """Yield the runs of the file."""
    log = TextLog(files)
    every = drawn(log)
    borders = run_borders(log, _places(log, every))
    if len(borders.begins) == 1:
        yield _read_run(log, every)
        return
    for part in run_logs(log, borders):
        yield _read_run(part, drawn(part))


def _places(log: TextLog, every: Records) -> StepPlaces:
    """Return where loops of training begin; each epoch is a loop that begins again."""
    labels = _labels(every)
    positions = _training_positions(every, labels, log.content)
    epoch = np.array([label.epoch if label else -1 for label in labels], np.int64)[positions]
    bars = every.take(positions)
    begins = np.flatnonzero(bars.integers("done") <= 1)
    return StepPlaces(bars.begin[begins], bars.end[begins], epoch[begins], np.zeros_like(begins))


def _read_run(log: TextLog, every: Records) -> Run:
    labels = _labels(every)
    positions = _training_positions(every, labels, log.content)
    bars = TrainingBars.among(every, labels, positions)
    loops = _loops(bars)
    intervals: list[BarInterval] = []
    planned, ends = 0, [0]
    for rows, following in zip_longest(loops, loops[1:], fillvalue=[len(bars.done)]):
        # A loop that resumes an interrupted one does not begin at 0.
        first, last = int(bars.done[rows[0]]), int(bars.done[rows[-1]])
        offset = ends[-1] - (first if ends[-1] and bars.since[rows[0]] == 0 else 0)
        loop = _intervals(bars, rows, following[0])
        intervals += [interval._replace(step=interval.step + offset) for interval in loop]
        ends.append(offset + last)
        planned = offset + int(bars.of[rows[-1]])
    columns = [(interval.step, interval.span, interval.line) for interval in intervals]
    step, span, line = np.array(columns, np.int64).reshape(-1, 3).T
    end = int(every.end[positions].max(initial=0))
    run = RunBuilder(log, _NAME, step, line, end, breaks=epoch_breaks(ends[1:-1]))
    if not intervals:
        run.note(Rule.READ_INCOMPLETE_RUN, _NO_INTERVAL)
    plan = trainer_output.plan(log)
    # The batch printed by examples of transformers and diffusers, if the bar counts the planned steps.
    if plan.steps and (bars.of == plan.steps).all():
        run.factors.update(plan.factors)
        run.samples_per_step = float(plan.batch) if plan.batch else None
    time = np.array([interval.time for interval in intervals], np.float64)
    # A bar shows the elapsed time in whole seconds; only that of a whole loop may be known better.
    half = 0.5 if bool((time == np.floor(time)).all()) else 0.0
    work = run.work(span)
    run.add("step_time", time, "printed", span=span, samples=work, rounding=half, rounded="elapsed")
    return shortened(run.run(), ends[-1], planned)


FORMAT = Format(
    _NAME, "Training logs that contain only tqdm progress bars.", claims, read, marks=MARKS, is_last=True
)


# The bars of training


def parse_label(label: bytes) -> BarLabel | None:
    """Return the label of a training bar, None for any other bar."""
    if not label:
        return BarLabel(b"", -1)
    if yolo := _YOLO.match(label):
        return BarLabel(b"yolo", int(yolo[1]))
    word, epoch = _TRAINING.search(label), _EPOCH.search(label)
    if not word or _OTHER.search(label) or (not epoch and b"epoch" in label.lower()):
        return None
    return BarLabel(word[0].lower(), int(epoch[1]) if epoch else -1)


def _labels(bars: Records) -> list[BarLabel | None]:
    """Return the parsed label of each bar; a text is parsed once."""
    texts = [label or b"" for label in bars.columns["label"]]
    parsed = {text: parse_label(text) for text in set(texts)}
    return [parsed[text] for text in texts]


def _training_positions(bars: Records, labels: Sequence[BarLabel | None], content: bytes) -> IntArray:
    """Return the positions of the training bars, none if they cannot be identified."""
    words = [label.word if label else None for label in labels]
    if named := [word for word in words if word]:
        most = max(dict.fromkeys(named), key=named.count)
        return np.array([i for i, word in enumerate(words) if word == most], np.int64)
    since, done, of = elapsed(bars.columns["elapsed"]), bars.integers("done"), bars.integers("of")
    fast = of[since + 1 < done * _MIN_STEP_SECONDS]
    positions = np.flatnonzero(np.array([word is not None for word in words], np.bool_) & ~np.isin(of, fast))
    is_one_loop = len(np.unique(of[positions])) == 1 and since[positions].max() >= MIN_INTERVAL_SECONDS
    return positions if is_one_loop and _MENTIONS_TRAINING.search(content) else positions[:0]


@dataclass(frozen=True, slots=True, eq=False)
class TrainingBars:
    """The training bars as numbers, one row a bar, in the order of their epochs.

    rate  iterations/s, NaN if unknown; error  its relative rounding error; shown  the text after the rate
    work  how often any other bar (validation, a download) had advanced before this one was drawn
    """

    epoch: IntArray
    done: IntArray
    of: IntArray
    since: FloatArray
    rate: FloatArray
    error: FloatArray
    work: IntArray
    line: IntArray
    shown: Sequence[bytes | None]

    @classmethod
    def among(cls, bars: Records, labels: Sequence[BarLabel | None], positions: IntArray) -> "TrainingBars":
        """Return the bars at these positions."""
        epoch = np.array([label.epoch if label else -1 for label in labels], np.int64)[positions]
        order = np.argsort(epoch, kind="stable")
        at = positions[order]
        own = bars.take(at)
        printed = floats([text if text != b"?" else None for text in own.columns["rate"]])
        is_inverse = np.array([text is not None for text in own.columns["inverse"]], np.bool_)
        with np.errstate(divide="ignore"):
            rate, error = np.where(is_inverse, 1 / printed, printed), _RATE_ROUNDING / printed
        return cls(
            epoch[order], own.integers("done"), own.integers("of"), elapsed(own.columns["elapsed"]),
            rate, error, _other_work(bars, at), own.line, own.columns["shown"],
        )  # fmt: skip


def _other_work(bars: Records, positions: IntArray) -> IntArray:
    """Return how often other bars had advanced before each of the bars at these positions."""
    advanced = np.zeros(len(bars), dtype=np.int64)
    last: dict[bytes, bytes] = {}
    for i in np.setdiff1d(np.arange(len(bars)), positions).tolist():
        label, done = bars.columns["label"][i] or b"", bars.columns["done"][i] or b""
        advanced[i] = int(done) > 0 and last.get(label) != done
        last[label] = done
    return advanced.cumsum()[positions]


# Loops and their intervals


def _loops(bars: TrainingBars) -> list[list[int]]:
    """Return the rows of each loop in which it advanced, its first row included.

    Processes draw the same loop in turns and are not distinguished: a bar that falls behind is skipped.
    """
    only_closings = bool(((bars.done == bars.of) & (bars.epoch < 0)).all())
    loops: list[list[int]] = []
    for i in range(len(bars.done)):
        last = loops[-1][-1] if loops else -1
        if not loops or _begins(bars, last, i) or (only_closings and bars.line[i] > bars.line[last]):
            loops.append([i])
        elif bars.done[i] > bars.done[last] and bars.since[i] >= bars.since[last]:
            loops[-1].append(i)
    return [rows for n, rows in enumerate(loops) if not n or not _is_echo(bars, loops[n - 1][-1], rows)]


def _begins(bars: TrainingBars, last: int, i: int) -> bool:
    """Return whether a bar belongs to another loop than the previous one."""
    since, before = bars.since[i], bars.since[last]
    is_empty = since == 0 and not np.isfinite(bars.rate[i])
    is_far_back = 2 * since <= before and 2 * bars.done[i] <= bars.done[last]
    is_other = bars.epoch[i] != bars.epoch[last] or bars.of[i] != bars.of[last]
    return bool(is_other or (before > 0 and (is_empty or is_far_back)))


def _is_echo(bars: TrainingBars, before: int, rows: Sequence[int]) -> bool:
    """Return whether a loop is only the end of the previous one, drawn again by another process."""
    first, end = rows[0], rows[-1]
    is_whole = len(rows) == 2 and bars.done[first] == 0 and bars.done[end] == bars.of[end]
    is_same = bars.epoch[end] == bars.epoch[before] and bars.done[end] == bars.done[before]
    return bool(is_whole and is_same and abs(bars.since[end] - bars.since[before]) <= 1)


def _intervals(bars: TrainingBars, rows: Sequence[int], until: int) -> Sequence[BarInterval]:
    """Return the intervals of a loop: the whole loop if it is short or has no parts.

    until  the row in which the next loop begins
    """
    parts, whole = list(_parts(bars, rows)), _whole(bars, rows, until)
    return [whole] if whole and (whole.time < _MIN_LOOP_SECONDS or not parts) else parts


def _parts(bars: TrainingBars, rows: Sequence[int]) -> Iterator[BarInterval]:
    """Yield the long intervals of a loop, without those in which another bar advanced."""
    begin = rows[0]
    for row in rows[1:]:
        time = float(bars.since[row] - bars.since[begin])
        is_broken = bars.work[row] > bars.work[begin]
        if time >= MIN_INTERVAL_SECONDS and not is_broken:
            step = int(bars.done[row])
            yield BarInterval(step, step - int(bars.done[begin]), time, int(bars.line[row]))
        if time >= MIN_INTERVAL_SECONDS or is_broken:
            begin = row


def _whole(bars: TrainingBars, rows: Sequence[int], until: int) -> BarInterval | None:
    """Return a loop as one interval if the rate of its last bar agrees with its elapsed time.

    Then it is the mean rate since the beginning; another rate that agrees by chance is as good.
    """
    first, last = rows[0], rows[-1]
    is_single = len(rows) == 1
    is_after_validation = is_single and any(word in (bars.shown[last] or b"") for word in _VALIDATED)
    is_whole = bars.done[last] == bars.of[last] and (is_single or bars.since[first] == 0)
    if not is_whole or is_after_validation or bars.work[last] > bars.work[first]:
        return None
    step = int(bars.done[last])
    span = step - (0 if is_single else int(bars.done[first]))
    closing, since = _closing(bars, last, until), float(bars.since[last])
    rate, error = float(bars.rate[closing]), float(bars.error[closing])
    if not span or not 0 < rate < np.inf or not error <= _MAX_RATE_ERROR:
        return None
    time = span / rate
    if not time * (1 + error) >= since or not time * (1 - error) < since + 1:
        return None
    return BarInterval(step, span, min(max(time, since), since + 1), int(bars.line[last]))


def _closing(bars: TrainingBars, last: int, until: int) -> int:
    """Return the last row that draws the end of a loop again in the same second."""
    end = (bars.done[last], bars.since[last], bars.epoch[last])
    while last + 1 < until and (bars.done[last + 1], bars.since[last + 1], bars.epoch[last + 1]) == end:
        last += 1
    return last
