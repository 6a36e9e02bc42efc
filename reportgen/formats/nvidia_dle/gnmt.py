"""Read the logs of NVIDIA's GNMT: `0: TRAIN [0][10/48]  Time 1.013 (0.994)  Data ...  Tok/s 23106 (21526)
Loss/tok ...`.

A file becomes one Run. Every tenth step is printed by every rank, unordered, with the rank's own tokens
per second; the rate of the job is the sum over the ranks. A line tells of that one step, not of the ten
since the last.

Format: https://github.com/NVIDIA/DeepLearningExamples, PyTorch/Translation/GNMT.
"""

import re
from collections.abc import Iterator
from itertools import accumulate

import numpy as np

from reportgen.core.model import Finding, IntArray, Run
from reportgen.formats.base import Claim, Format
from reportgen.formats.nvidia_dle.dledraft import Draft, printed
from reportgen.formats.nvidia_dle.dlelog import Log, claim
from reportgen.formats.parsing.step_series import FIRST, integers, number, numbers, where
from reportgen.sources.logfiles import LogFiles

_NAME = "gnmt"
_STEP = re.compile(
    rb": TRAIN \[([0-9]{1,6})\]\[([0-9]{1,9})/([0-9]{1,9})\]\tTime (?:[ -~]{0,60}+\t){1,3}?"
    rb"Tok/s ([0-9.e+]{1,20}) \("
)
_WORD = re.compile(
    rb"[0-9]{1,6}: (?:TRAIN \[[0-9]{1,6}\]\[[0-9]{1,9}/|Building vocabulary from |GNMT\(|"
    rb"Run arguments: Namespace\([^\r\n]{0,4000}bpe_codes=)"
)
_HALF = re.compile(rb"math='(fp16|fp32)'")
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
    found = [(rank, one) for one in _STEP.finditer(log.content) if (rank := _rank(one))]
    header = log.content.rfind(b"|**GPUs**|")
    table = _TABLE.search(log.content, header) if header >= 0 else None
    ranks = integers([rank for rank, _ in found])
    _describe(draft, ranks, table)
    draft.settle()
    draft.has_result = table is not None
    if found:
        _add_steps(draft, ranks, [one for _, one in found])
    final = log.last(_EPOCH, b"Performance: Epoch: ")
    if final:
        draft.aggregate(number(final[1]), final[0], "mean", final.start())
    yield draft.run()


FORMAT = Format(_NAME, "Logs of NVIDIA's GNMT.", claims, read, marks=(b": TRAIN [", b"bpe_codes="))


def _rank(step: re.Match[bytes]) -> bytes:
    """Return the digits at the end of what stands before a step.

    The rank may be glued to another line's last digit, as in "loss scale to 1024.06: TRAIN".
    """
    begin = step.start()
    before = step.string[max(begin - 5, 0) : begin]
    return before[len(before.rstrip(b"0123456789")) :]


def _describe(draft: Draft, ranks: IntArray, table: re.Match[bytes] | None) -> None:
    gpu = draft.log.first(_GPU, b"GPU 0: ")
    if gpu:
        draft.factors["device"] = re.sub(r" \(UUID.*", "", gpu[1].decode("utf-8", "replace")).strip()
    half = draft.log.first(_HALF, b"math='")
    draft.set_precision(half[1] == b"fp16" if half else None)
    if table:
        draft.devices, draft.batch_size = int(table[1]), int(table[2])
        return
    draft.batch_size = draft.log.argument(b"train_batch_size")
    draft.devices = len(np.unique(ranks)) or None


def _add_steps(draft: Draft, rank: IntArray, found: list[re.Match[bytes]]) -> None:
    """Add the sum over the ranks of those steps that all ranks printed."""
    epochs, lengths = [int(one[1]) for one in found], [int(one[3]) for one in found]
    step = _before(epochs, lengths) + integers([one[2] for one in found]) + 1
    line = draft.log.lines([one.start() for one in found])
    # A step that a rank printed twice is of a run that was resumed: its first counts.
    order = np.lexsort((rank, step))
    step, rank, rate, line = step[order], rank[order], numbers([one[4] for one in found])[order], line[order]
    is_new_step = np.concatenate((FIRST, step[1:] != step[:-1]))
    is_first = is_new_step | np.concatenate((FIRST, rank[1:] != rank[:-1]))
    step, rank, rate, line, is_new_step = where(is_first, step, rank, rate, line, is_new_step)
    (begins,) = is_new_step.nonzero()
    total = np.zeros(len(begins))
    np.add.at(total, is_new_step.cumsum() - 1, rate)
    whole = np.diff(begins, append=len(step)) == len(np.unique(rank))
    steps, total, first = where(whole, step[begins], total, np.minimum.reduceat(line, begins))
    draft.series.append(printed(draft.log, steps, np.ones(len(steps), dtype=np.int64), total, first))


def _before(epochs: list[int], lengths: list[int]) -> IntArray:
    """Return the steps of all epochs before that of each line."""
    longest: dict[int, int] = {}
    for epoch, length in set(zip(epochs, lengths, strict=True)):
        longest[epoch] = max(length, longest.get(epoch, 0))
    known = sorted(longest)
    passed = dict(zip(known, accumulate((longest[one] for one in known), initial=0), strict=False))
    return np.array([passed[epoch] for epoch in epochs])
