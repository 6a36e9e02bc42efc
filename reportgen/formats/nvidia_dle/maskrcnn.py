"""Read the logs of NVIDIA's Mask R-CNN: its trainer's text lines, or the DLL lines that replaced them.

A file becomes one Run. Every 20th step has a line with a timestamp, so step times are those between the
lines; the printed `time` is smoothed, and the global mean in parentheses has the first steps in it, so
neither is used. Some logs hold nothing but the final line, `Training perf is: 6.641576 FPS`.

Format: https://github.com/NVIDIA/DeepLearningExamples, PyTorch/Segmentation/MaskRCNN.
"""

import re
from collections.abc import Iterator

import numpy as np

from reportgen.core.model import Finding, Run
from reportgen.formats.base import Claim, Format
from reportgen.formats.nvidia_dle import dllrecords
from reportgen.formats.nvidia_dle.dledraft import Draft, printed
from reportgen.formats.nvidia_dle.dlelog import Log, claim
from reportgen.formats.parsing.step_series import count_on, integers, number, numbers, seconds, timed
from reportgen.sources.logfiles import LogFiles

_NAME = "maskrcnn"
_TEXT = re.compile(
    rb"([0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}),([0-9]{3}) maskrcnn_benchmark\.trainer INFO: "
    rb"eta: [^\r\n]{1,40}?iter: ([0-9]{1,12}) [^\r\n]{1,900}? time: ([0-9.]{1,20}) \("
)
_STAMP = len("2020-07-10 01:07:35,176")
_HEAD = re.compile(
    rb"maskrcnn_benchmark(?:\.\w{1,40}){0,4}+ (?:INFO|WARNING): |^Training perf is: [0-9.]+ FPS", re.MULTILINE
)
_SOLVER = re.compile(rb"\nSOLVER:\n(?:  [^\n]*\n){0,60}?  IMS_PER_BATCH: ([0-9]{1,9})")
_OPTION = re.compile(rb"'SOLVER\.IMS_PER_BATCH', '([0-9]{1,9})'")
_HALF_OPTION = re.compile(rb"'DTYPE', '(float16|float32)'"), b"'DTYPE', '"
_HALF = re.compile(rb"\nDTYPE: \"?(float16|float32)"), b"\nDTYPE: "
_DEVICES = (
    (re.compile(rb"maskrcnn_benchmark INFO: Using ([0-9]{1,6}) GPUs"), b"maskrcnn_benchmark INFO: Using "),
    (re.compile(rb"PARAMETER gpu_count : ([0-9]{1,6})"), b"PARAMETER gpu_count : "),
)
_FINAL = re.compile(rb"Training perf is: ([0-9.]{1,20}) FPS")


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with a line of maskrcnn_benchmark's loggers, or with the final rate."""
    return claim(files, 0.9, _HEAD, b"maskrcnn_benchmark", b"Training perf is: ")


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of the file."""
    log = Log(files)
    draft = Draft(log, _NAME)
    draft.factors |= {"model": "Mask R-CNN", "item": "image"}
    # Defaults stand before what was made of them; options win over a configuration printed without them.
    options = log.each(_OPTION, b"'SOLVER.IMS_PER_BATCH', '")
    batches = [*options] or [*log.each(_SOLVER, b"\nSOLVER:\n")]
    devices = next((found for one in _DEVICES if (found := log.first(*one))), None)
    draft.global_batch = int(batches[-1][1]) if batches else None
    draft.devices = int(devices[1]) if devices else None
    half = log.first(*_HALF_OPTION) or log.last(*_HALF)
    draft.set_precision(half[1] == b"float16" if half else None)
    draft.settle()
    _add_steps(draft)
    final = log.last(_FINAL, b"Training perf is: ")
    draft.has_result = final is not None
    if final:
        draft.aggregate(number(final[1]), final[0], "mean", final.start())
    yield draft.run()


FORMAT = Format(
    _NAME, "Logs of NVIDIA's Mask R-CNN.", claims, read, marks=(b"maskrcnn_benchmark", b"Training perf is: ")
)


def _add_steps(draft: Draft) -> None:
    log = draft.log
    found = list(log.each(_TEXT, b" maskrcnn_benchmark.trainer INFO: eta: ", _STAMP))
    if found:
        date, fraction, iteration, time = zip(*[one.groups() for one in found], strict=True)
        step = integers(iteration)
        t = seconds([one + b"." + other for one, other in zip(date, fraction, strict=True)])
        line, values = log.lines([one.start() for one in found]), numbers(time)
    else:
        steps = dllrecords.text_steps(log, b"time")
        step, _ = count_on(steps.epoch, steps.iteration)
        t, line, values = steps.t, steps.line, steps.rate
    series = timed(step, t, line, draft.samples_per_step, log.place)
    if series:
        draft.series.append(series)
    if len(step) and draft.samples_per_step:
        rate = draft.samples_per_step / values
        draft.series.append(printed(log, step, np.diff(step, prepend=0).clip(1), rate, line))
