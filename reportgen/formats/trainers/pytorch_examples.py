"""Read the log of PyTorch's ImageNet example and its descendants: `Epoch: [0][ 5/53]  Time 0.360 (2.410)`.

All ranks of a node print into one log and no line names its rank; the running mean in parentheses identifies
it. A line prints the time of one step and that mean; where only every k-th step is printed, the time of those
between follows from the means. Swin Transformer prints `Train: [0/300][10/1251] eta .. time 0.6 (0.7)`.

Format: pytorch/examples imagenet/main.py (ProgressMeter); microsoft/Swin-Transformer main.py.
"""

from dataclasses import replace

import numpy as np

from reportgen.core.model import STEP, FloatArray, IntArray
from reportgen.formats.parsing.line_format import LineFormat, LineRun, Setting, StepLine, by_rank, rounding
from reportgen.formats.parsing.step_numbers import ranks_by_running_mean
from reportgen.formats.parsing.text_log import Records

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
    is_every_step = _spacing(index, rank) == 1
    phases = {phase: groups for phase, groups in _PHASES.items() if groups[0] in records.columns}
    columns = {group: records.floats(group) for groups in phases.values() for group in groups}
    for at in by_rank(run, rank):
        for phase, (now, mean) in phases.items():
            value, span = columns[now][at], np.ones(len(at), dtype=np.int64)
            if not is_every_step:
                value, span = _between(index[at], epoch[at], columns[mean][at])
            run.add("step_time", value, run.kind.clock, phase=phase, span=span)


def _ranks(records: Records, index: IntArray, epoch: IntArray) -> IntArray:
    """Return the rank of every line, in each epoch by itself; ranks are in the order of their first line."""
    rank = np.zeros(len(index), dtype=np.int64)
    time, mean = records.floats("time"), records.floats("mean")
    for number in np.unique(epoch):
        at = np.flatnonzero(epoch == number)
        rank[at] = ranks_by_running_mean(index[at], time[at], mean[at], rounding(records, "mean"))
    return rank


def _spacing(index: IntArray, rank: IntArray) -> int:
    """Return the usual number of steps between the lines of a rank."""
    gaps = np.concatenate([np.diff(index[rank == number]) for number in range(int(rank.max()) + 1)])
    forward = gaps[gaps > 0]
    return int(np.bincount(np.minimum(forward, 10**6)).argmax()) if len(forward) else 1


def _between(index: IntArray, epoch: IntArray, mean: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the time of all steps since the line before, and how many they are, from the running means."""
    total = mean * (index + 1)
    continues = np.concatenate(([False], np.diff(epoch) == 0)) & (np.diff(index, prepend=index[:1]) > 0)
    value = np.where(continues, np.diff(total, prepend=0.0), total)
    span = np.where(continues, np.diff(index, prepend=0), index + 1)
    return np.where(value >= 0, value, np.nan), span


FORMAT = LineFormat(
    "pytorch_examples",
    "Training logs of PyTorch's ImageNet example and programs derived from it.",
    lines=(
        StepLine(
            b"Epoch: [",
            r"Epoch: \[{epoch:int}\]\[ {0,12}{step:int}/[0-9]{1,12}\]\s{1,20}"
            r"Time {1,8}{time} {1,8}\( {0,8}{mean}\)\s{1,20}"
            r"Data {1,8}{data} {1,8}\( {0,8}{data_mean}\)",
            first=0,
            prepare=_from_zero,
            all_ranks=True,
        ),
        StepLine(
            b"Train: [",
            r"Train: \[{epoch:int}/[0-9]{1,9}\]\[{step:int}/[0-9]{1,12}\]\s{1,4}"
            r"eta [^\n]{5,200}?\btime {time} \({mean}\)\s",
            first=0,
            prepare=_from_zero,
            all_ranks=True,
        ),
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
).format()
