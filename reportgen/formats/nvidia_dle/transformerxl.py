"""Read logs of Transformer-XL (`... | ms/batch 774.3 | tok/s    4959 | ...`), of NVIDIA and of its authors.

A file becomes one Run. A line covers all steps since the line before, and its rate is that of all devices;
with a stride of 100 the first line includes the warm-up. There are no timestamps. The authors' program
prints no rate: batch size and length give the tokens of a step. The time of its first line after an
evaluation includes the evaluation.

Format: https://github.com/NVIDIA/DeepLearningExamples, PyTorch/LanguageModeling/Transformer-XL;
https://github.com/kimiyoung/transformer-xl, pytorch/train.py.
"""

import re

import numpy as np

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import Break
from reportgen.formats.nvidia_dle.examples import add_final, example, set_batch, set_device, set_precision
from reportgen.formats.parsing.line_format import half_digit
from reportgen.formats.parsing.run_builder import RunBuilder, spans
from reportgen.formats.parsing.several_runs import StepPlaces
from reportgen.formats.parsing.text_log import NUMBER, Records, TextLog, positive

_MARKS = (b"Experiment dir : LM-TFM", b" | tok/s ", b" batches | lr ")
_HEAD = rb"\| epoch +[0-9]{1,6} step +(?P<step>[0-9]{1,12}) \| "
_TAIL = rb" \| lr [0-9.e+-]+ \| ms/batch +(?P<time>" + NUMBER + rb") \| "
_NVIDIA = lazy_pattern(
    _HEAD + rb"batches +[0-9]+ / [0-9]+" + _TAIL + rb"tok/s +(?P<rate>" + NUMBER + rb") \|"
)
_AUTHORS = lazy_pattern(_HEAD + rb" *[0-9]+ batches" + _TAIL + rb"loss ")
_CLAIM = lazy_pattern(
    rb"Experiment dir : LM-TFM|"
    + _HEAD.replace(b"?P<step>", b"")
    + rb"(?:batches +[0-9]+ / [0-9]+| *[0-9]+ batches) \| lr "
)
_EVALUATION = lazy_pattern(rb"^\| Eval +[0-9]{1,9} at step +(?P<step>[0-9]{1,12}) \| ", re.MULTILINE)
_SETTING = lazy_pattern(rb"^    - (\w{1,40}) : ([^\r\n]{1,200})$", re.MULTILINE)
_MAX_SETTINGS_BYTES = 2**14
_FINAL = lazy_pattern(rb"Training throughput: (" + NUMBER + rb") tok/s")


def _build(run: RunBuilder) -> None:
    lines = run.log.records(_AUTHORS, b" batches | lr ")
    if len(lines):
        _read_authors(run, lines)
    else:
        _read_nvidia(run)


def _places(log: TextLog) -> StepPlaces:
    lines = log.records(_AUTHORS, b" batches | lr ")
    lines = lines if len(lines) else log.records(_NVIDIA, b" | tok/s ")
    return StepPlaces(lines.begin, lines.end, np.zeros_like(lines.begin), lines.integers("step"))


FORMAT = example(
    "transformerxl",
    "Logs of NVIDIA's Transformer-XL and of the authors' program.",
    _MARKS,
    _CLAIM,
    _build,
    _places,
    model="Transformer-XL",
    item="token",
)


def _read_nvidia(run: RunBuilder) -> None:
    """Fill the run of a log of NVIDIA's program; its batch size counts all devices."""
    log = run.log
    for name, option in (("seq_len", b"tgt_len"), ("layers", b"n_layer")):
        if (value := log.count(b"(" + option + b"=", b" " + option + b"=")) is not None:
            run.factors[name] = value
    set_device(run)
    set_precision(run, log.word(b"fp16="))
    set_batch(run, log.count(b"\nworld size: "), global_batch=log.count(b"(batch_size=", b" batch_size="))
    _add_lines(run, log.records(_NVIDIA, b" | tok/s "))
    add_final(run, log.last(_FINAL, b"Training throughput: "))


def _read_authors(run: RunBuilder, lines: Records) -> None:
    """Fill the run of a log of the authors' program; its work is known if all sequences have one length."""
    content = run.log.content
    begin = content.find(b"\n    - ")
    head = content[begin : begin + _MAX_SETTINGS_BYTES] if 0 <= begin < lines.begin[0] else b""
    settings = dict(_SETTING.findall(head))
    length, layers, batch = (
        positive(settings.get(name, b"").decode("utf-8", "replace"))
        for name in (b"tgt_len", b"n_layer", b"batch_size")
    )
    run.factors |= {name: value for name, value in (("seq_len", length), ("layers", layers)) if value}
    if settings.get(b"fp16") in (b"True", b"False"):
        # The program or apex's FP16_Optimizer halves the weights.
        run.factors["precision"] = "fp16" if settings[b"fp16"] == b"True" else "fp32"
    devices = 1 if settings.get(b"multi_gpu") == b"False" else None
    global_batch = set_batch(run, devices, global_batch=batch)
    evaluations = run.log.records(_EVALUATION, b"| Eval ").integers("step")
    run.breaks = tuple(Break(step, "evaluation") for step in np.unique(evaluations).tolist())
    _add_lines(run, lines)
    run.has_result = content.rfind(b"| End of training | ") >= 0
    if global_batch and length and settings.get(b"varlen") == b"False":
        run.samples_per_step = global_batch * length


def _add_lines(run: RunBuilder, lines: Records) -> None:
    """Add the rates and the times of the lines, each over the steps since the line before."""
    step = lines.integers("step")
    is_later = np.diff(step, prepend=0) > 0
    lines = lines.take(is_later.nonzero()[0])
    if not len(lines):
        return
    # The head of a log may be cut off: its first line covers no more than the others.
    span = spans(step)[is_later]
    run.step, run.line, run.last = lines.integers("step"), lines.line, int(lines.end[-1])
    if "rate" in lines.columns:
        run.add("throughput", lines.floats("rate"), "printed", span=span)
    time, half = lines.floats("time") / 1e3 * span, half_digit(lines, "time") / 1e3
    run.add("step_time", time, "printed", span=span, rounding=half)
