"""Read the log of PyTorch's ImageNet example and its descendants: `Epoch: [0][ 5/53]  Time 0.360 (2.410)`.

A file becomes one Run with a Series per rank. All ranks of a node print into one log and no line says whose
it is; the running mean in parentheses does, because each rank has its own. A line prints the time of one step
and that mean; where only every k-th step is printed, the time of those between follows from the means.
Swin Transformer prints the same, without the wait for data: `Train: [0/300][10/1251] eta .. time 0.6 (0.7)`.

Format: pytorch/examples imagenet/main.py (ProgressMeter); microsoft/Swin-Transformer main.py.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from reportgen.core.model import STEP, FactorValue, Finding, FloatArray, IntArray, Run
from reportgen.formats.base import Claim, Format
from reportgen.formats.parsing.run_builder import RunBuilder
from reportgen.formats.parsing.step_numbers import over_epochs, ranks_by_running_mean
from reportgen.formats.parsing.text_log import COUNT, NUMBER, Records, TextLog, claim
from reportgen.sources.logfiles import LogFiles

_NAME = "pytorch_examples"
_LINE = re.compile(
    rb"Epoch: \[(?P<epoch>" + COUNT + rb")\]\[ {0,12}(?P<index>" + COUNT + rb")/[0-9]{1,12}\]\s{1,20}"
    rb"Time {1,8}(?P<time>" + NUMBER + rb") {1,8}\( {0,8}(?P<mean>" + NUMBER + rb")\)\s{1,20}"
    rb"Data {1,8}(?P<data>" + NUMBER + rb") {1,8}\( {0,8}(?P<data_mean>" + NUMBER + rb")\)"
)  # fmt: skip
_SWIN = re.compile(
    rb"Train: \[(?P<epoch>" + COUNT + rb")/[0-9]{1,9}\]\[(?P<index>" + COUNT + rb")/[0-9]{1,12}\]\s{1,4}"
    rb"eta [^\n]{5,200}?\btime (?P<time>" + NUMBER + rb") \((?P<mean>" + NUMBER + rb")\)\s"
)  # fmt: skip
_FORMS = ((b"Epoch: [", _LINE), (b"Train: [", _SWIN))
_MODEL = re.compile(rb"=> (?:creating model|using pre-trained model) '([^'\r\n]{1,80})'")
# Swin names its logger after the model, and prints its configuration.
_LOGGER = re.compile(rb"\[[0-9-]{10} [0-9:]{8} ([^]\s]{1,100})\] \([^)\n]{1,60}\): INFO Train: \[")
_SETTINGS = (
    ("batch_size", re.compile(rb"^ {2}BATCH_SIZE: (" + COUNT + rb")$", re.MULTILINE), b"  BATCH_SIZE: "),
    (
        "devices",
        re.compile(rb"RANK and WORLD_SIZE in environ: [0-9]{1,9}/(" + COUNT + rb")\b"),
        b" in environ: ",
    ),
)


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with a training line."""
    found = (claim(files, literal, pattern, 0.9) for literal, pattern in _FORMS)
    return next((one for one in found if one), None)


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of the file."""
    log = TextLog(files)
    forms = [log.records(pattern, literal) for literal, pattern in _FORMS]
    records = next((one for one in forms if len(one)), forms[0])
    factors: dict[str, FactorValue] = {"framework": "PyTorch", "item": "image"}
    if model := log.search(_MODEL, b"=> ") or log.search(_LOGGER, b": INFO Train: ["):
        factors["model"] = model[1].decode("utf-8", "replace")
    for name, pattern, literal in _SETTINGS:
        if setting := log.search(pattern, literal):
            factors[name] = int(setting[1])
    run = RunBuilder(log, _NAME, np.zeros(0, dtype=np.int64), records.line, factors=factors)
    if len(records):
        run.last = int(records.end[-1])
        _fill(run, records)
    yield run.run()


FORMAT = Format(
    _NAME,
    "Training logs of PyTorch's ImageNet example and programs derived from it.",
    claims,
    read,
    marks=tuple(literal for literal, _ in _FORMS),
)


def _fill(run: RunBuilder, records: Records) -> None:
    """Add the series of every rank."""
    index = records.integers("index") - _first_index(records.integers("index"))
    step, run.breaks = over_epochs(records.integers("epoch"), index + 1)
    rank = _ranks(records, index)
    spacing, epoch = _spacing(index, rank), records.integers("epoch")
    columns = [(STEP, records.floats("time"), records.floats("mean"))]
    if "data" in records.columns:
        columns.append(("data_loading", records.floats("data"), records.floats("data_mean")))
    for number in range(int(rank.max()) + 1):
        mine = np.flatnonzero(rank == number)
        mine = mine[np.unique(step[mine], return_index=True)[1]]
        run.step, run.line = step[mine], records.line[mine]
        before = len(run.series)
        for phase, now, mean in columns:
            value, span = now[mine], np.ones(len(mine), dtype=np.int64)
            if spacing > 1:
                value, span = _between(index[mine], epoch[mine], mean[mine])
            run.add("step_time", value, "printed", phase=phase, span=span)
        run.series[before:] = [replace(one, rank=number) for one in run.series[before:]]
    run.step, run.line = step, records.line


def _first_index(index: IntArray) -> int:
    """Return whether steps count from 0 or, as since 2022, from 1: then no line has number 0."""
    return 1 if int(index.min()) == 1 else 0


def _ranks(records: Records, index: IntArray) -> IntArray:
    """Return the rank of every line; epochs are told apart first, and ranks keep the order of their begin."""
    rank = np.zeros(len(index), dtype=np.int64)
    time, mean, epoch = records.floats("time"), records.floats("mean"), records.integers("epoch")
    digits = max(
        (len(text or b"") - (text or b"").find(b".") - 1 for text in records.columns["mean"]), default=3
    )
    for number in np.unique(epoch):
        mine = np.flatnonzero(epoch == number)
        rank[mine] = ranks_by_running_mean(index[mine], time[mine], mean[mine], 0.5 / 10 ** min(digits, 9))
    return rank


def _spacing(index: IntArray, rank: IntArray) -> int:
    """Return how many steps lie between the lines of a rank, as a rule."""
    gaps = [np.diff(index[rank == number]) for number in range(int(rank.max()) + 1)]
    forward = np.concatenate(gaps)
    forward = forward[forward > 0]
    return int(np.bincount(np.minimum(forward, 10**6)).argmax()) if len(forward) else 1


def _between(index: IntArray, epoch: IntArray, mean: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the time of all steps since the line before, and how many they are, from the running means."""
    total = mean * (index + 1)
    goes_on = np.concatenate(([False], np.diff(epoch) == 0)) & (np.diff(index, prepend=index[:1]) > 0)
    value = np.where(goes_on, np.diff(total, prepend=0.0), total)
    span = np.where(goes_on, np.diff(index, prepend=0), index + 1)
    return np.where(value >= 0, value, np.nan), span
