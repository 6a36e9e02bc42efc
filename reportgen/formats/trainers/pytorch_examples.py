"""Read the log of PyTorch's ImageNet example and its descendants: `Epoch: [0][ 5/53]  Time 0.360 (2.410)`.

All ranks of a node print into one log and no line names its rank; the running mean in parentheses identifies
it. A line prints the time of one step and that mean; where only every k-th step is printed, the time of those
between follows from the means. Swin Transformer prints `Train: [0/300][10/1251] eta .. time 0.6 (0.7)`.

Format: pytorch/examples imagenet/main.py (ProgressMeter); microsoft/Swin-Transformer main.py.
"""

from dataclasses import replace

import numpy as np

from reportgen.core.model import STEP, IntArray, Rounded
from reportgen.formats.parsing.line_format import (
    LineFormat,
    LineRun,
    Setting,
    StepLine,
    by_rank,
    half_digit,
    head,
    rounding,
    since_line_before,
)
from reportgen.formats.parsing.step_numbers import ranks_by_running_mean
from reportgen.formats.parsing.text_log import Records

_EXAMPLE = (
    r"Epoch: \[{epoch:int}\]\[ {0,12}{step:int}/[0-9]{1,12}\]\s{1,20}"
    r"Time {1,8}{time} {1,8}\( {0,8}{mean}\)\s{1,20}Data {1,8}{data} {1,8}\( {0,8}{data_mean}\)"
)
_SWIN = (
    r"Train: \[{epoch:int}/[0-9]{1,9}\]\[{step:int}/[0-9]{1,12}\]\s{1,4}"
    r"eta [^\n]{5,200}?\btime {time} \({mean}\)\s"
)
_EACH: Rounded = "each"
_MEAN: Rounded = "mean"
# Phase -> the groups with the time of one step, and with the mean of the epoch so far.
_PHASES = {STEP: ("time", "mean"), "data_loading": ("data", "data_mean")}


def _from_zero(records: Records) -> Records:
    """Return records whose steps count from 0; since 2022 they count from 1, and no line has number 0."""
    step = records.integers("step")
    texts = tuple(b"%d" % number for number in (step - (step.min() == 1)).tolist())
    return replace(records, columns={**records.columns, "step": texts})


def _build(run: LineRun) -> None:
    records = run.records
    if not len(records):
        return
    index, epoch = records.integers("step"), records.integers("epoch")
    rank = _ranks(records, index, epoch)
    is_every_step = _usual_gap(index, rank) == 1
    for at in by_rank(run, rank):
        own = records.take(at)
        for phase, (now, mean) in _PHASES.items():
            if now not in own.columns:
                continue
            value, span = own.floats(now), np.ones(len(at), dtype=np.int64)
            printed, rounded = now, _EACH
            if not is_every_step:
                value, span = since_line_before(own.floats(mean), index[at] + 1, epoch[at])
                value = np.where(value >= 0, value, np.nan)
                printed, rounded = mean, _MEAN
            half, clock = half_digit(own, printed), run.kind.clock
            run.add("step_time", value, clock, phase=phase, span=span, rounding=half, rounded=rounded)


def _ranks(records: Records, index: IntArray, epoch: IntArray) -> IntArray:
    """Return the rank of every line, in each epoch by itself; ranks are in the order of their first line."""
    rank = np.zeros(len(index), dtype=np.int64)
    time, mean = records.floats("time"), records.floats("mean")
    for number in np.unique(epoch):
        at = np.flatnonzero(epoch == number)
        rank[at] = ranks_by_running_mean(index[at], time[at], mean[at], rounding(records, "mean"))
    return rank


def _usual_gap(index: IntArray, rank: IntArray) -> int:
    """Return the usual number of steps between the lines of a rank."""
    gaps = np.concatenate([np.diff(index[rank == number]) for number in range(int(rank.max()) + 1)])
    forward = gaps[gaps > 0]
    return int(np.bincount(np.minimum(forward, 10**6)).argmax()) if len(forward) else 1


FORMAT = LineFormat(
    "pytorch_examples",
    "Training logs of PyTorch's ImageNet example and programs derived from it.",
    lines=(
        StepLine(b"Epoch: [", _EXAMPLE, first=0, prepare=_from_zero, all_ranks=True),
        StepLine(b"Train: [", _SWIN, first=0, prepare=_from_zero, all_ranks=True),
    ),
    factors={"framework": "PyTorch", "item": "image"},
    settings=(
        Setting(b"=> ", r"=> (?:creating model|using pre-trained model) '(?P<model>[^'\r\n]{1,80})'"),
        # Swin names its logger after the model, and prints its configuration.
        Setting(
            b": INFO Train: [",
            r"\[[0-9-]{10} [0-9:]{8} (?P<model>[^]\s]{1,100})\] \([^)\n]{1,60}\): INFO Train: \[",
        ),
        Setting(b"  BATCH_SIZE: ", "^ {2}BATCH_SIZE: {batch_size:int}$"),
        Setting(b" in environ: ", r"RANK and WORLD_SIZE in environ: [0-9]{1,9}/{devices:int}\b"),
    ),
    build=_build,
    confidence=0.9,
    # Other programs print the first line, too; the function in the traceback is the example's.
    heads=(
        head(
            b"=> creating model '",
            r"^=> creating model '[\w.-]{1,80}'(?:\.\.\.)?\r?\n[^\0]{0,8000}?"
            r"\", line [0-9]{1,6}, in main_worker\r?$",
        ),
    ),
).format()
