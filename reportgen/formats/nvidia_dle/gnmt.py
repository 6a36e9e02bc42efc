"""Read logs of NVIDIA's GNMT: `0: TRAIN [0][10/48]  Time 1.013 (0.994)  Data ...  Tok/s 23106 (21526) ...`.

A file becomes one Run. Every rank prints every tenth step, in any order, with its own tokens per second; the
rate of the job is the sum over the ranks. Where the log lacks ranks, their mean is that of a device.

The first rate of a line is that of one step. Its batch holds short or long sentences, so ten such steps do
not give the rate of a hundred: their harmonic mean was 13 % below the program's own mean, and a fifth of it
where one was the first step of an epoch. The rate in parentheses is the mean of the rates of the epoch so
far, without its first step. Two such means give the mean rate of the steps between their lines.

Format: https://github.com/NVIDIA/DeepLearningExamples, PyTorch/Translation/GNMT.
"""

import numpy as np

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FloatArray, IntArray
from reportgen.formats.nvidia_dle.examples import add_final, example, set_batch, set_device, set_precision
from reportgen.formats.parsing.run_builder import RunBuilder
from reportgen.formats.parsing.several_runs import StepPlaces
from reportgen.formats.parsing.text_log import NUMBER, Records, TextLog

_ANCHOR = b": TRAIN ["
# The rank may be glued to a digit of another line, as in "loss scale to 1024.06: TRAIN": take its last
# digits.
_STEP = lazy_pattern(
    rb": TRAIN \[(?P<epoch>[0-9]{1,6})\]\[(?P<index>[0-9]{1,9})/(?P<length>[0-9]{1,9})\]\t"
    rb"Time (?:[ -~]{0,60}+\t){1,3}?Tok/s " + NUMBER + rb" \((?P<mean>" + NUMBER + rb")\)"
)
_RANK = lazy_pattern(rb"[0-9]{1,5}\Z")
_MAX_RANK_CHARS = 5
_WORD = lazy_pattern(
    rb"[0-9]{1,6}: (?:TRAIN \[[0-9]{1,6}\]\[[0-9]{1,9}/|Building vocabulary from |GNMT\(|"
    rb"Run arguments: Namespace\([^\r\n]{0,4000}bpe_codes=)"
)
_TABLE = lazy_pattern(rb"\| *([0-9]{1,6})\| *([0-9]{1,9})\| *[0-9.]+\| *[0-9.]+\|")
_EPOCH = lazy_pattern(rb"Performance: Epoch: [0-9]+\tTraining: (" + NUMBER + rb") Tok/s")


def _build(run: RunBuilder) -> None:
    log = run.log
    steps = log.records(_STEP, _ANCHOR)
    ranks = [_RANK.search(log.content, max(at - _MAX_RANK_CHARS, 0), at) for at in steps.begin.tolist()]
    if not all(ranks):
        steps = steps.take(np.array([bool(rank) for rank in ranks]).nonzero()[0])
    rank = np.array([int(rank[0]) for rank in ranks if rank], dtype=np.int64)
    set_device(run)
    set_precision(run, log.word(b"math='"))
    header = log.content.rfind(b"|**GPUs**|")
    table = _TABLE.search(log.content, header) if header >= 0 else None
    if table:
        set_batch(run, int(table[1]), batch_size=int(table[2]))
    else:
        batch_size = log.count(b"(train_batch_size=", b" train_batch_size=")
        set_batch(run, int(rank.max(initial=-1)) + 1 or None, batch_size=batch_size)
    if len(steps):
        _add_steps(run, rank, steps)
    add_final(run, log.last(_EPOCH, b"Performance: Epoch: "))
    run.has_result = table is not None


def _add_steps(run: RunBuilder, rank: IntArray, steps: Records) -> None:
    """Add the rates between lines that all ranks printed: their sum, or their mean if ranks are missing."""
    epoch, index = steps.integers("epoch"), steps.integers("index")
    step = _before(epoch, steps.integers("length")) + index + 1
    # A rank prints a step twice in a run that was resumed: the first line counts.
    _, first = np.unique(step * 10**_MAX_RANK_CHARS + rank, return_index=True)
    number, begins, count = np.unique(step[first], return_index=True, return_counts=True)
    printed = len(np.unique(rank))
    whole = (count == printed).nonzero()[0]
    at = first[begins][whole]
    mean = np.add.reduceat(steps.floats("mean")[first], begins)[whole]
    is_first_counted = bool((mean[index[at] == 0] > 0).any())
    rate, span = _between(epoch[at], index[at] + is_first_counted, mean)
    has_rate = (span > 0) & (rate > 0)
    run.step, run.last = number[whole][has_rate], int(steps.end[-1])
    run.line = np.minimum.reduceat(steps.line[first], begins)[whole][has_rate]
    rate, span = rate[has_rate], span[has_rate]
    devices = run.factors.get("devices")
    if isinstance(devices, int) and devices > printed:
        run.add("throughput_per_device", rate / printed, "printed", span=span)
    else:
        run.add("throughput", rate, "printed", span=span)


def _between(epoch: IntArray, done: IntArray, mean: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the mean of what was counted since the line before in its epoch, and how many steps that were.

    done, mean  steps of the epoch that are in the mean of a line, and that mean
    """
    is_same = np.diff(epoch, prepend=-1) == 0
    total = done * mean
    span = done - np.where(is_same, np.roll(done, 1), 0)
    counted = total - np.where(is_same, np.roll(total, 1), 0.0)
    return np.divide(counted, span, out=np.zeros(len(span)), where=span > 0), span


def _before(epoch: IntArray, length: IntArray) -> IntArray:
    """Return, for each line, the number of steps in all epochs before its epoch."""
    longest = np.zeros(epoch.max() + 1, dtype=np.int64)
    np.maximum.at(longest, epoch, length)
    before: IntArray = (longest.cumsum() - longest)[epoch]
    return before


def _places(log: TextLog) -> StepPlaces:
    steps = log.records(_STEP, _ANCHOR)
    return StepPlaces(steps.begin, steps.end, steps.integers("epoch"), steps.integers("index"))


FORMAT = example(
    "gnmt",
    "Logs of NVIDIA's GNMT.",
    (_ANCHOR, b"bpe_codes="),
    _WORD,
    _build,
    _places,
    model="GNMT",
    item="token",
)
