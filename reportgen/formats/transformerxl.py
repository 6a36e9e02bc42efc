"""Read the logs of NVIDIA's Transformer-XL: `| epoch   1 step       10 | batches ... | ms/batch 774.3 |
tok/s    4959 | ...`.

A file becomes one Run. A line stands for all steps since the line before it, and its rate is that of all
devices; with a stride of 100 the first line has the warm-up in it. There are no timestamps.

Format: https://github.com/NVIDIA/DeepLearningExamples, PyTorch/LanguageModeling/Transformer-XL.
"""

import re
from collections.abc import Iterator

from reportgen.formats.fragments.dledraft import Draft, printed
from reportgen.formats.fragments.dlelog import Log, claim
from reportgen.formats.fragments.stepseries import integers, number, numbers, where
from reportgen.logfiles import Claim, Format, LogFiles
from reportgen.model import Finding, FloatArray, IntArray, Run

_NAME = "transformerxl"
_STEP = re.compile(
    rb"\| epoch +([0-9]{1,6}) step +([0-9]{1,12}) \| batches +[0-9]+ / [0-9]+ \| lr [0-9.e+-]+ "
    rb"\| ms/batch +([0-9.]{1,20}) \| tok/s +([0-9.e+]{1,20}) \|"
)
_HEAD = re.compile(rb"Experiment dir : LM-TFM|" + _STEP.pattern)
_WORLD = re.compile(rb"^world size: ([0-9]{1,6})", re.MULTILINE)
_GPU = re.compile(rb"GPU 0: ([^\r\n(]{1,80})")
_HALF = re.compile(rb"fp16=(True|False)\b")
_FINAL = re.compile(rb"Training throughput: ([0-9.e+]{1,20}) tok/s")


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with a step of Transformer-XL, or with the name of its folder."""
    return claim(files, 0.9, _HEAD, b"Experiment dir : LM-TFM", b" | tok/s ")


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of the file."""
    log = Log(files)
    draft = Draft(log, _NAME, counts_batch=False)
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


FORMAT = Format(_NAME, claims, read, marks=(b"Experiment dir : LM-TFM", b" | tok/s "))


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


def _add(draft: Draft, step: IntArray, time: FloatArray, rate: FloatArray, line: IntArray) -> None:
    """Add the rates and the times of the lines, each over the steps since the line before."""
    span = step.copy()
    span[1:] -= step[:-1]
    step, span, time, rate, line = where(span > 0, step, span, time, rate, line)
    draft.series.append(printed(draft.log, step, span, rate, line))
    draft.series.append(printed(draft.log, step, span, time * span, line, "step_time"))
