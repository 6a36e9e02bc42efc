"""Read the logs of NVIDIA's GNMT: `0: TRAIN [0][10/48]  Time 1.013 (0.994)  Data ...  Tok/s 23106 (21526)
Loss/tok ...`.

A file becomes one Run. Every tenth step is printed by every rank, unordered, with the rank's own tokens
per second; the rate of the job is the sum over the ranks. A line tells of that one step, not of the ten
since the last.

Format: https://github.com/NVIDIA/DeepLearningExamples, PyTorch/Translation/GNMT.
"""

import re
from collections.abc import Iterator

import numpy as np

from reportgen.formats.fragments.dlelog import Draft, Log, claim, printed
from reportgen.formats.fragments.stepseries import numbers
from reportgen.logfiles import Claim, Format, LogFiles
from reportgen.model import Finding, Run

_NAME = "gnmt"
_STEP = re.compile(
    rb": TRAIN \[([0-9]{1,6})\]\[([0-9]{1,9})/([0-9]{1,9})\]\tTime [^\r\n]{1,120}?"
    rb"\tTok/s ([0-9.e+]{1,20}) \("
)
# The end of what stands before a step, taken as a number: the rank may be glued to another line's last digit,
# as in "loss scale to 1024.06: TRAIN".
_RANK = re.compile(rb"[0-9]{1,5}\Z")
_BATCH = re.compile(rb"\btrain_batch_size=([0-9]{1,9})")
_WORD = re.compile(
    rb"[0-9]+: (?:TRAIN \[[0-9]+\]\[[0-9]+/|Building vocabulary from |GNMT\(|"
    rb"Run arguments: Namespace\([^\r\n]{0,4000}bpe_codes=)"
)
_TABLE = re.compile(rb"\| *([0-9]{1,6})\| *([0-9]{1,9})\| *[0-9.]+\| *([0-9.]+)\|")
_EPOCH = re.compile(rb"Performance: Epoch: [0-9]+\tTraining: ([0-9.]+) Tok/s")
_GPU = re.compile(rb"GPU 0: ([^\r\n]{1,80})")


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with a step or with the settings of GNMT."""
    return claim(files, 0.9, _WORD, b": TRAIN [", b"bpe_codes=")


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of the file."""
    log = Log(files)
    draft = Draft(log, _NAME, counts_batch=False)
    draft.factors |= {"model": "GNMT", "item": "token"}
    found = [(rank, one) for one in _STEP.finditer(log.content) if (rank := _rank(one)) is not None]
    header = log.content.rfind(b"|**GPUs**|")
    table = _TABLE.search(log.content, header) if header >= 0 else None
    _describe(draft, {rank for rank, _ in found}, table)
    draft.settle()
    draft.has_result = table is not None
    if found:
        _add_steps(draft, found)
    final = log.last(_EPOCH, b"Performance: Epoch: ")
    if final:
        draft.aggregate(float(numbers([final[1]])[0]), final[0], "mean", final.start())
    yield draft.run()


FORMAT = Format(_NAME, claims, read, marks=(b": TRAIN [", b"bpe_codes="))


def _rank(step: re.Match[bytes]) -> int | None:
    found = _RANK.search(step.string, max(step.start() - 5, 0), step.start())
    return int(found[0]) if found else None


def _describe(draft: Draft, ranks: set[int], table: re.Match[bytes] | None) -> None:
    batch, gpu = _BATCH.search(draft.log.arguments()), _GPU.search(draft.log.content)
    if gpu:
        draft.factors["device"] = re.sub(r" \(UUID.*", "", gpu[1].decode("utf-8", "replace")).strip()
    if table:
        draft.devices, draft.batch_size = int(table[1]), int(table[2])
        return
    draft.batch_size = int(batch[1]) if batch else None
    draft.devices = len(ranks) or None


def _add_steps(draft: Draft, found: list[tuple[int, re.Match[bytes]]]) -> None:
    """Add the sum over the ranks of those steps that all ranks printed."""
    epoch, index, length, rate = zip(*[one.groups() for _, one in found], strict=True)
    rank = np.array([number for number, _ in found], dtype=np.int64)
    lengths = np.array(length).astype(np.int64)
    epochs = np.array(epoch).astype(np.int64)
    before = {int(one): int(lengths[epochs == one].max()) for one in np.unique(epochs)}
    base = {one: sum(n for other, n in before.items() if other < one) for one in before}
    step = np.array([base[one] for one in epochs.tolist()]) + np.array(index).astype(np.int64) + 1
    # A step that a rank printed twice is of a run that was resumed: its first counts.
    keys = np.unique(np.stack([step, rank], axis=1), axis=0, return_index=True)
    rates, step = numbers(rate)[keys[1]], step[keys[1]]
    line = draft.log.lines([one.start() for _, one in found])[keys[1]]
    steps, inverse, count = np.unique(step, return_inverse=True, return_counts=True)
    total, first = np.zeros(len(steps)), np.full(len(steps), np.iinfo(np.int64).max)
    np.add.at(total, inverse, rates)
    np.minimum.at(first, inverse, line)
    whole = count == len(np.unique(rank))
    ones = np.ones(int(whole.sum()), dtype=np.int64)
    draft.series.append(printed(draft.log, steps[whole], ones, total[whole], first[whole]))
