"""Read logs of NVIDIA's BERT fine-tuning on SQuAD: tqdm's bars, sparse DLL records.

A file becomes one Run. Steps and their rates come from the bars, times the global batch. The DLL records
have timestamps, mostly of every 50th step alone (1, 51, 101): they are used for logs without bars, where
they are dense enough for any window, and where they contradict the rates of the bars within an epoch. The
final rate is an aggregate; newer programs divide 100 steps by the time of the training even if fewer steps
ran, so it is left out if the bars count fewer.

Bars (`Iteration:   1%|#   | 7/516 [00:03<03:25,  2.47it/s]`) are redrawn after a carriage return. Those of
several ranks are mixed and the last one of a loop is often drawn twice, so each step counts once, as first
drawn. tqdm smooths the rate over the last few intervals and prints three digits; the elapsed time has whole
seconds only.

Format: https://github.com/NVIDIA/DeepLearningExamples, PyTorch/LanguageModeling/BERT/run_squad.py;
https://github.com/tqdm/tqdm, `tqdm.format_meter`.
"""

import re

import numpy as np

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FloatArray, IntArray
from reportgen.formats.nvidia_dle.dllogger_records import Steps, set_steps, text_steps
from reportgen.formats.nvidia_dle.examples import (
    add_throughput,
    example,
    launched_ranks,
    set_batch,
    set_precision,
)
from reportgen.formats.parsing.accumulation import accumulation_steps
from reportgen.formats.parsing.run_builder import RunBuilder
from reportgen.formats.parsing.several_runs import StepPlaces
from reportgen.formats.parsing.step_numbers import count_on
from reportgen.formats.parsing.text_log import NUMBER, TextLog

_ANCHOR = b"run_squad.py --"
_COMMAND = lazy_pattern(rb"run_squad\.py --[^\r\n]{1,4000}")
_BATCH = lazy_pattern(rb"--train_batch_size[= ]([0-9]{1,9})")
_SIZE = lazy_pattern(rb"--config_file[= ][^\s]{0,200}/bert_(base|large)/")
_LENGTH = lazy_pattern(rb"--max_seq_length[= ]([0-9]{1,9})")
_ALONE = lazy_pattern(rb"device: cuda n_gpu: ([0-9]{1,6}), distributed training: False")
_FINAL = lazy_pattern(
    rb"training_sequences_per_second : (" + NUMBER + rb")|^ ?training throughput: (" + NUMBER + rb")",
    re.MULTILINE,
)
_LABEL = b"Iteration: "
_BAR = lazy_pattern(
    _LABEL + rb" *+[0-9]{1,3}+%\|[^|\r\n]*+\| (?P<count>[0-9]{1,12}+)/[0-9]{1,12}+ "
    rb"\[[0-9:?]{2,12}+<[0-9:?]{1,12}+, ++(?:(?P<rate>[0-9]{1,9}\.[0-9]{1,3})|\?)(?:it/s|(?P<inverse>s)/it)"
)
# training_sequences_per_second is this many steps over the time of the training, however many ran.
_ASSUMED_STEPS = 100
# Timestamps of every tenth step cover nine tenths of any window of a hundred.
_MAX_STRIDE = 10
_MIN_STAMPS = 3
# Fewer steps say more about the moment of a bar than about its rate.
_MIN_COMPARED_STEPS = 20
# Bars and timestamps may differ by this share.
_MAX_SMOOTHED = 0.02


def _build(run: RunBuilder) -> None:
    log = run.log
    final = log.last(_FINAL, b"training_sequences_per_second") or log.last(_FINAL, b"training throughput:")
    run.has_result = final is not None
    accumulated = _describe(run)
    step, rate, line = bars(log)
    is_known = np.isfinite(rate)
    step, rate, line = step[is_known], rate[is_known], line[is_known]
    stamps = text_steps(log)
    if len(step) and not _is_better(stamps, step, rate / accumulated, accumulated):
        _add_bars(run, step, rate, line)
    else:
        set_steps(run, stamps)
        # The records count updates, of all batches that are accumulated.
        run.samples_per_step = run.samples_per_step and run.samples_per_step * accumulated
        run.add_stamps(stamps.t, run.samples_per_step)
    run.last = max(run.last, log.content.rfind(_LABEL), 0)
    if final and not (final[1] and 0 < len(step) < _ASSUMED_STEPS):
        add_throughput(run, float(final[1] or final[2]), final[0], "total", final.start())


def _places(log: TextLog) -> StepPlaces:
    bars = log.records(_BAR, _LABEL)
    if not len(bars):
        return text_steps(log).places
    # Each epoch is a loop of bars that begins again.
    bars = bars.take(np.flatnonzero(bars.integers("count") <= 1))
    nothing = np.zeros_like(bars.begin)
    return StepPlaces(bars.begin, bars.end, nothing, nothing)


FORMAT = example(
    "bertsquad",
    "Logs of NVIDIA's BERT fine-tuning on SQuAD.",
    (_ANCHOR,),
    _COMMAND,
    _build,
    _places,
    model="BERT",
    dataset="SQuAD 1.1",
    item="sequence",
)


def _describe(run: RunBuilder) -> int:
    """Set the factors from the command line; return how many batches an update accumulates.

    `--bert_model` is large for the base model too: the size is that of the configuration.
    """
    log, line = run.log, b""
    set_precision(run, log.word(b"16-bits training: "))
    if command := log.search(_COMMAND, _ANCHOR):
        line = log.content[log.content.rfind(b"\n", 0, command.start()) + 1 : command.end()]
    batch, length = _BATCH.search(line), _LENGTH.search(line)
    if size := _SIZE.search(line):
        run.factors["model"] = f"BERT-{size[1].decode()}"
    if length:
        run.factors["seq_len"] = int(length[1])
    devices = launched_ranks(line)
    if line and not devices and (alone := log.search(_ALONE, b"device: cuda n_gpu: ")):
        devices = int(alone[1])
    # The batch of the command is split into those that are accumulated; a bar counts each of them.
    accumulated = accumulation_steps(line)
    each = int(batch[1]) // accumulated if batch else None
    run.samples_per_step = set_batch(run, devices, batch_size=each)
    return accumulated


def _is_better(stamps: Steps, step: IntArray, rate: FloatArray, accumulated: int) -> bool:
    """Return whether timestamps say more than the rates of bars, in which a stall hardly shows.

    step, rate   of the bars; updates/s
    accumulated  bars of an update
    """
    number, first = np.unique(count_on(stamps.epoch, stamps.iteration)[0], return_index=True)
    at, epoch = stamps.t[first], stamps.epoch[first]
    is_dated = np.isfinite(at)
    number, at, epoch = number[is_dated], at[is_dated], epoch[is_dated]
    if len(number) < _MIN_STAMPS:
        return False
    if np.median(np.diff(number)) <= _MAX_STRIDE:
        return True
    # The first interval is the warm-up, of which bars are drawn late. Between epochs no bar counts the time.
    within = np.flatnonzero(np.diff(epoch) == 0)
    within = within[within > 0]
    steps = int(np.diff(number)[within].sum())
    inside = np.isin(np.searchsorted(number * accumulated, step, "left") - 1, within)
    if not inside.any() or steps < _MIN_COMPARED_STEPS:
        return False
    by_bars, seconds = float(np.mean(1 / rate[inside])) * steps, float(np.diff(at)[within].sum())
    return abs(by_bars / seconds - 1) > _MAX_SMOOTHED if seconds > 0 else False


def _add_bars(run: RunBuilder, step: IntArray, rate: FloatArray, line: IntArray) -> None:
    """Add the rates of the bars, or their times if the batch is unknown."""
    run.step, run.line = step, line
    if run.samples_per_step:
        run.add("throughput", rate * run.samples_per_step, "printed")
    else:
        run.add("step_time", 1 / rate, "printed")


def bars(log: TextLog) -> tuple[IntArray, FloatArray, IntArray]:
    """Return step, rate (iterations/s) and line of the progress bars, of each step the first."""
    records = log.records(_BAR, _LABEL)
    count, rate = records.integers("count"), records.floats("rate")
    rate[rate == 0] = np.nan  # too small for the two decimals that tqdm prints
    if any(records.columns["inverse"]):
        is_inverse = np.array(records.columns["inverse"]) == b"s"
        rate[is_inverse] = 1 / rate[is_inverse]
    (drawn,) = count.nonzero()
    step, first = np.unique(_over_loops(count)[drawn], return_index=True)
    first = drawn[first]
    return step, rate[first], records.line[first]


def _over_loops(count: IntArray) -> IntArray:
    """Return the step over all loops of each bar.

    A rank draws an empty bar when it begins a loop, and no rank draws its first step before all of them did
    (they wait for each other). So a loop begins at the first bar of step 1 after empty bars; the last bars
    that other ranks draw for the loop before can still be between those.
    """
    (ones,) = (count == 1).nonzero()
    empty = (count == 0).cumsum()[ones]
    begins = ones[1:][empty[1:] > empty[:-1]]
    longest = np.maximum.reduceat(count, np.concatenate(([0], begins))) if len(count) else count
    before = np.zeros(len(count), dtype=np.int64)
    before[begins] = longest[:-1]
    step: IntArray = count + before.cumsum()
    return step
