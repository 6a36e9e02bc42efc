"""Read the logs of NVIDIA's BERT fine-tuning on SQuAD: progress bars of tqdm, and in newer ones sparse DLL
lines.

A file becomes one Run. Steps and their rates come from the bars, times the global batch. The DLL lines
have timestamps, but of every 50th step only (1, 51, 101): they are used where a log has no bars. The
rate that the program prints at its end is an aggregate; newer programs take it over 100 steps whatever
was really run, so it is left out where the bars tell of fewer.

Format: https://github.com/NVIDIA/DeepLearningExamples, PyTorch/LanguageModeling/BERT/run_squad.py.
"""

import re
from collections.abc import Iterator

import numpy as np

from reportgen.core.model import Finding, Run
from reportgen.formats.base import Claim, Format
from reportgen.formats.nvidia_dle import dllrecords
from reportgen.formats.nvidia_dle.dledraft import Draft, printed
from reportgen.formats.nvidia_dle.dlelog import Log, claim
from reportgen.formats.nvidia_dle.squad_bars import bars
from reportgen.formats.parsing.step_series import count_on, number, timed, where
from reportgen.sources.logfiles import LogFiles

_NAME = "bertsquad"
_COMMAND = re.compile(rb"run_squad\.py --[^\r\n]{1,4000}")
_BATCH = re.compile(rb"--train_batch_size[= ]([0-9]{1,9})")
_RANKS = re.compile(rb"--nproc_per_node[= ]([0-9]{1,6})")
_NODES = re.compile(rb"--nnodes[= ]([0-9]{1,6})\b")
_HALF = re.compile(rb"16-bits training: (True|False)")
_SIZE = re.compile(rb"--config_file[= ][^\s]{0,200}/bert_(base|large)/")
_LENGTH = re.compile(rb"--max_seq_length[= ]([0-9]{1,9})")
_ALONE = re.compile(rb"device: cuda n_gpu: ([0-9]{1,6}), distributed training: False")
_FINAL = re.compile(
    rb"training_sequences_per_second : (" + dllrecords.NUMBER + rb")"
    rb"|^ ?training throughput: (" + dllrecords.NUMBER + rb")",
    re.MULTILINE,
)
_LABEL = b"Iteration"
# training_sequences_per_second is this many steps over the time of the training, however many were run.
_ASSUMED = 100


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with the command line of run_squad.py."""
    return claim(files, 0.9, _COMMAND, b"run_squad.py --")


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of the file."""
    log = Log(files)
    draft = Draft(log, _NAME)
    _describe(draft)
    draft.settle()
    final = log.last(_FINAL, b"training_sequences_per_second") or log.last(_FINAL, b"training throughput:")
    draft.has_result = final is not None
    steps = _add_bars(draft)
    if not steps:
        _add_stamps(draft)
    if final and not (final[1] and 0 < steps < _ASSUMED):
        draft.aggregate(number(final[1] or final[2]), final[0], "total", final.start())
    yield draft.run()


FORMAT = Format(
    _NAME, "Logs of NVIDIA's BERT fine-tuning on SQuAD.", claims, read, marks=(b"run_squad.py --",)
)


def _describe(draft: Draft) -> None:
    """Set what the command line says.

    `--bert_model` is large for the base model too: the size is that of the configuration.
    """
    content = draft.log.content
    half = draft.log.first(_HALF, b"16-bits training: ")
    draft.set_precision(half[1] == b"True" if half else None)
    draft.factors |= {"model": "BERT", "dataset": "SQuAD 1.1", "item": "sequence"}
    command = draft.log.first(_COMMAND, b"run_squad.py --")
    if not command:
        return
    line = content[content.rfind(b"\n", 0, command.start()) + 1 : command.end()]
    batch, ranks, nodes, length = (pattern.search(line) for pattern in (_BATCH, _RANKS, _NODES, _LENGTH))
    if size := _SIZE.search(line):
        draft.factors["model"] = f"BERT-{size[1].decode()}"
    if length:
        draft.factors["seq_len"] = int(length[1])
    draft.batch_size = int(batch[1]) if batch else None
    alone = None if ranks else draft.log.first(_ALONE, b"device: cuda n_gpu: ")
    if ranks:
        draft.devices = int(ranks[1]) * (int(nodes[1]) if nodes else 1)
    elif alone:
        draft.devices = int(alone[1])


def _add_bars(draft: Draft) -> int:
    """Add the rates of the bars, their times where the batch is unknown; return how many there are."""
    found = bars(draft.log, _LABEL)
    step, rate, line = where(np.isfinite(found.rate), found.step, found.rate, found.line)
    if not len(step):
        return 0
    span = np.ones(len(step), dtype=np.int64)
    if draft.samples_per_step:
        draft.series.append(printed(draft.log, step, span, rate * draft.samples_per_step, line))
    else:
        draft.series.append(printed(draft.log, step, span, 1 / rate, line, "step_time"))
    return len(step)


def _add_stamps(draft: Draft) -> None:
    steps = dllrecords.text_steps(draft.log, b"")
    step, breaks = count_on(steps.epoch, steps.iteration)
    series = timed(step, steps.t, steps.line, draft.samples_per_step, draft.log.place, breaks)
    if series:
        draft.series.append(series)
