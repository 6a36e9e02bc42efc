"""Read logs of NVIDIA's Transformer: `Transformer | epoch 0 | step 170 |avg loss 11.5 |avg tokens 3615 |...`.

A file becomes one Run. A line covers all updates since the line before: `tokens/s` is the rate of all devices
in that time, `avg tokens` the tokens of an update, `walltime` the time since the start. Step times come from
the difference of two walltimes; the first line includes the start of the program.

Format: https://github.com/NVIDIA/DeepLearningExamples, PyTorch/Translation/Transformer,
fairseq/log_helper.py.
"""

import re

import numpy as np

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FloatArray
from reportgen.formats.nvidia_dle.examples import example, set_batch, set_device, set_precision
from reportgen.formats.parsing.run_builder import RunBuilder, once, spans
from reportgen.formats.parsing.several_runs import StepPlaces
from reportgen.formats.parsing.step_numbers import count_on
from reportgen.formats.parsing.text_log import NUMBER, TextLog

_MARK = b"Transformer | epoch "
_FIELDS = rb"(?:[^|\r\n]{1,60}\|){0,8}?"
_LINE = lazy_pattern(
    re.escape(_MARK)
    + rb"(?P<epoch>[0-9]{1,6}) \| step (?P<step>[0-9]{1,12}) \|"
    + _FIELDS
    + rb"avg tokens (?P<tokens>%(n)s) \|tokens/s (?P<rate>%(n)s) \|" % {b"n": NUMBER}
    + _FIELDS
    + rb"walltime (?P<time>%(n)s) \|" % {b"n": NUMBER}
)
_MAX_TOKENS = 10**12


def _build(run: RunBuilder) -> None:
    log = run.log
    set_device(run)
    halves = {log.word(b"(%b=" % name, b" %b=" % name) for name in (b"amp", b"fp16")}
    set_precision(run, max(halves))  # "True" comes after "False" and "".
    set_batch(run, log.count(b"distributed_world_size="))
    lines = log.records(_LINE, _MARK)
    if not len(lines):
        return
    step, _ = count_on(lines.integers("epoch"), lines.integers("step"))
    lines = lines.take(once(step))
    run.step, run.breaks = count_on(lines.integers("epoch"), lines.integers("step"))
    run.line, run.last = lines.line, int(lines.end[-1])
    span = spans(run.step)
    work: FloatArray = lines.floats("tokens").clip(0, _MAX_TOKENS) * span
    run.add("throughput", lines.floats("rate"), "printed", span=span, samples=work)
    run.add_stamps(lines.floats("time"), work)


def _places(log: TextLog) -> StepPlaces:
    """Return the places of the lines; their steps count on over the epochs."""
    lines = log.records(_LINE, _MARK)
    return StepPlaces(lines.begin, lines.end, np.zeros_like(lines.begin), lines.integers("step"))


FORMAT = example(
    "transformer",
    "Logs of NVIDIA's Transformer for translation.",
    (_MARK,),
    _LINE,
    _build,
    _places,
    model="Transformer",
    item="token",
)
