"""Read the logs of NVIDIA's Transformer-XL: `| epoch   1 step       10 | batches ... | ms/batch 774.3 |
tok/s    4959 | ...`, and those of the authors' own, `| epoch   1 step      200 |    200 batches | ...`.

A file becomes one Run. A line stands for all steps since the line before it, and its rate is that of all
devices; with a stride of 100 the first line has the warm-up in it. There are no timestamps. The authors'
program prints no rate, its batch size and length give the tokens of a step; and the time of its line after an
evaluation has that in it.

Format: https://github.com/NVIDIA/DeepLearningExamples, PyTorch/LanguageModeling/Transformer-XL;
https://github.com/kimiyoung/transformer-xl, pytorch/train.py.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from reportgen.core.model import Break, Finding, FloatArray, IntArray, Run
from reportgen.formats.base import Claim, Format
from reportgen.formats.nvidia_dle.dledraft import Draft, printed
from reportgen.formats.nvidia_dle.dlelog import Log, claim
from reportgen.formats.parsing.run_builder import spans
from reportgen.formats.parsing.step_series import integers, number, numbers, where
from reportgen.sources.logfiles import LogFiles

_NAME = "transformerxl"
_STEP = re.compile(
    rb"\| epoch +([0-9]{1,6}) step +([0-9]{1,12}) \| batches +[0-9]+ / [0-9]+ \| lr [0-9.e+-]+ "
    rb"\| ms/batch +([0-9.]{1,20}) \| tok/s +([0-9.e+]{1,20}) \|"
)
_AUTHORS = re.compile(
    rb"\| epoch +([0-9]{1,6}) step +([0-9]{1,12}) \| +[0-9]+ batches \| lr [0-9.e+-]+ "
    rb"\| ms/batch +([0-9.]{1,20}) \| loss "
)
_HEAD = re.compile(rb"Experiment dir : LM-TFM|" + _STEP.pattern + rb"|" + _AUTHORS.pattern)
_EVALUATED = re.compile(rb"^\| Eval +[0-9]{1,9} at step +([0-9]{1,12}) \| ", re.MULTILINE)
_SETTING = re.compile(rb"^    - (\w{1,40}) : ([^\r\n]{1,200})$", re.MULTILINE)
_SETTINGS = 2**14
_WORLD = re.compile(rb"^world size: ([0-9]{1,6})", re.MULTILINE)
_GPU = re.compile(rb"GPU 0: ([^\r\n(]{1,80})")
_HALF = re.compile(rb"fp16=(True|False)\b")
_FINAL = re.compile(rb"Training throughput: ([0-9.e+]{1,20}) tok/s")


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with a step of Transformer-XL, or with the name of its folder."""
    return claim(files, 0.9, _HEAD, *_MARKS)


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of the file."""
    log = Log(files)
    draft = Draft(log, _NAME, counts_batch=False)
    authors = list(log.each(_AUTHORS, b"| epoch ")) if log.content.find(_MARKS[2]) >= 0 else []
    if authors:
        yield _authors(draft, authors)
        return
    _describe(draft)
    draft.settle()
    found = list(log.each(_STEP, b"| epoch "))
    if found:
        step, line = integers([one[2] for one in found]), log.lines([one.start() for one in found])
        time, rate = numbers([one[3] for one in found]) / 1e3, numbers([one[4] for one in found])
        _add(draft, step, time, rate, line)
    final = log.last(_FINAL, b"Training throughput: ")
    draft.has_result = final is not None
    if final:
        draft.aggregate(number(final[1]), final[0], "mean", final.start())
    yield draft.run()


_MARKS = (b"Experiment dir : LM-TFM", b" | tok/s ", b" batches | lr ")
FORMAT = Format(
    _NAME, "Logs of NVIDIA's Transformer-XL and of the authors' program.", claims, read, marks=_MARKS
)


def _authors(draft: Draft, found: list[re.Match[bytes]]) -> Run:
    """Return the run of the authors' program: its work is known where all sequences are of a length."""
    log = draft.log
    begin = log.content.find(b"\n    - ")
    head = log.content[begin : begin + _SETTINGS] if 0 <= begin < found[0].start() else b""
    settings = dict(_SETTING.findall(head))
    draft.factors |= {"model": "Transformer-XL", "item": "token"}
    for name, setting in (("seq_len", b"tgt_len"), ("layers", b"n_layer")):
        if (value := _whole(settings.get(setting))) is not None:
            draft.factors[name] = value
    if settings.get(b"fp16") in (b"True", b"False"):
        # The weights are halved by hand, or by apex's FP16_Optimizer.
        draft.factors["precision"] = "fp16" if settings[b"fp16"] == b"True" else "fp32"
    draft.global_batch = _whole(settings.get(b"batch_size"))
    if settings.get(b"multi_gpu") == b"False":
        draft.devices = 1
    draft.settle()
    step, time = integers([one[2] for one in found]), numbers([one[3] for one in found]) / 1e3
    _add(draft, step, time, None, log.lines([one.start() for one in found]))
    evaluated = integers([one[1] for one in log.each(_EVALUATED, b"| Eval ")])
    breaks = tuple(Break(int(one), "evaluation") for one in np.unique(evaluated))
    draft.series = [replace(one, breaks=breaks) for one in draft.series]
    draft.has_result = log.content.rfind(b"| End of training | ") >= 0
    length = draft.factors.get("seq_len")
    work = None
    if draft.global_batch and isinstance(length, int) and settings.get(b"varlen") == b"False":
        work = float(draft.global_batch * length)
    return replace(draft.run(), samples_per_step=work)


def _whole(text: bytes | None) -> int | None:
    return int(text) if text and text.isdigit() and len(text) < 10 else None


def _describe(draft: Draft) -> None:
    """Set what the settings say; their batch is that of all devices."""
    log = draft.log
    draft.factors |= {"model": "Transformer-XL", "item": "token"}
    for name, argument in (("seq_len", b"tgt_len"), ("layers", b"n_layer")):
        if (found := log.argument(argument)) is not None:
            draft.factors[name] = found
    world, gpu = log.first(_WORLD, b"world size: "), log.first(_GPU, b"GPU 0: ")
    if gpu:
        draft.factors["device"] = gpu[1].decode("utf-8", "replace").strip()
    half = log.first(_HALF, b"fp16=")
    draft.set_precision(half[1] == b"True" if half else None)
    draft.global_batch = log.argument(b"batch_size")
    draft.devices = int(world[1]) if world else None


def _add(draft: Draft, step: IntArray, time: FloatArray, rate: FloatArray | None, line: IntArray) -> None:
    """Add the rates and the times of the lines, each over the steps since the line before."""
    # The head of a log may be cut off: its first line covers no more than the others.
    span = np.where(np.diff(step, prepend=0) > 0, spans(step), 0)
    known = np.full(len(step), np.nan) if rate is None else rate
    step, span, time, known, line = where(span > 0, step, span, time, known, line)
    if rate is not None:
        draft.series.append(printed(draft.log, step, span, known, line))
    draft.series.append(printed(draft.log, step, span, time * span, line, "step_time"))
