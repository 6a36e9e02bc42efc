"""Read logs of NVIDIA's Mask R-CNN: lines of its trainer, or the DLL records of newer versions.

A file becomes one Run. Every 20th step has a line with a timestamp, so step times are the intervals between
lines. The printed `time` is the median of the last 20 steps, which hides slow ones, and its global mean
includes the first steps, so it counts only where lines have no timestamp. Some logs contain only the final
line, `Training perf is: 6.641576 FPS`.

Format: https://github.com/NVIDIA/DeepLearningExamples, PyTorch/Segmentation/MaskRCNN.
"""

import re

import numpy as np

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.nvidia_dle.dllogger_records import set_steps, text_steps
from reportgen.formats.nvidia_dle.examples import add_final, example, set_batch, set_precision
from reportgen.formats.parsing.run_builder import RunBuilder
from reportgen.formats.parsing.several_runs import StepPlaces, result_places
from reportgen.formats.parsing.text_log import NUMBER, TextLog

_ANCHOR = b" maskrcnn_benchmark.trainer INFO: eta: "
_LINE = lazy_pattern(
    re.escape(_ANCHOR) + rb"[^\r\n]{1,40}?iter: (?P<step>[0-9]{1,12}) [^\r\n]{1,900}? "
    rb"time: (?P<time>" + NUMBER + rb") \("
)
_HEAD = lazy_pattern(
    rb"maskrcnn_benchmark(?:\.\w{1,40}){0,4}+ (?:INFO|WARNING): |^Training perf is: [0-9.]+ FPS", re.MULTILINE
)
_SOLVER = lazy_pattern(rb"\nSOLVER:\n(?:  [^\n]*\n){0,60}?  IMS_PER_BATCH: ([0-9]{1,9})")
_OPTION = lazy_pattern(rb"'SOLVER\.IMS_PER_BATCH', '([0-9]{1,9})'")
_HALF = lazy_pattern(rb"\nDTYPE: \"?(float16|float32)")
_FINAL = lazy_pattern(rb"Training perf is: (" + NUMBER + rb") FPS")


def _build(run: RunBuilder) -> None:
    log = run.log
    half = log.last(_HALF, b"\nDTYPE: ")
    set_precision(run, log.word(b"'DTYPE', '") or (half[1].decode() if half else ""))
    devices = log.count(b"maskrcnn_benchmark INFO: Using ", b"PARAMETER gpu_count : ")
    # The defaults are printed first; options override a configuration printed without them.
    batch = log.last(_OPTION, b"'SOLVER.IMS_PER_BATCH', '") or log.last(_SOLVER, b"\nSOLVER:\n")
    run.samples_per_step = set_batch(run, devices, global_batch=int(batch[1]) if batch else None)
    _add_steps(run)
    add_final(run, log.last(_FINAL, b"Training perf is: "))


def _add_steps(run: RunBuilder) -> None:
    lines = run.log.records(_LINE, _ANCHOR)
    if len(lines):
        run.step, run.line, run.last = lines.integers("step"), lines.line, int(lines.end[-1])
        t, time = run.log.stamps(lines.begin), lines.floats("time")
        first = run.set_start_before(lines)
    else:
        steps = text_steps(run.log, b"time")
        set_steps(run, steps)
        run.breaks, t, time, first = (), steps.t, steps.rate, None
    run.add_stamps(t, run.samples_per_step, first)
    span = np.diff(run.step, prepend=0).clip(1)
    run.add("step_time", time * span, "printed", span=span, samples=run.work(span))


def _places(log: TextLog) -> StepPlaces:
    lines = log.records(_LINE, _ANCHOR)
    if not len(lines):
        steps = text_steps(log, b"time")
        return steps.places if len(steps) else result_places(log, _FINAL)
    return StepPlaces(lines.begin, lines.end, np.zeros_like(lines.begin), lines.integers("step"))


FORMAT = example(
    "maskrcnn",
    "Logs of NVIDIA's Mask R-CNN.",
    (b"maskrcnn_benchmark", b"Training perf is: "),
    _HEAD,
    _build,
    _places,
    model="Mask R-CNN",
    item="image",
)
