"""Read the logs of TensorFlow 2's official models: `TimeHistory:`, BERT's `Train Step:`, Orbit's `steps/sec`.

`TimeHistory` prints the seconds and the rate (over all devices) of every k steps; the
rate is kept, and the time from one line's glog stamp to the next. BERT prints no time, only stamps; NVIDIA's
prints the time of the loop and the rate over all devices, without the checkpoints between the stamps.
Orbit's controller prints steps per second with one decimal, each line twice: those with a stamp count. The
parameters that the trainer prints give batch size, devices and precision; the model is only called ResNet
there, which does not identify it, so `model` is left to labels.

Format: tensorflow/models official/utils/misc/keras_utils.py, official/nlp/bert/model_training_utils.py and
orbit/controller.py; NVIDIA/DeepLearningExamples TensorFlow2/LanguageModeling/BERT.
"""

import re

import numpy as np

from reportgen.core.model import Break, FactorValue, FloatArray
from reportgen.formats.parsing import timestamps
from reportgen.formats.parsing.line_format import LineFormat, LineRun, StepLine
from reportgen.formats.parsing.line_patterns import regex
from reportgen.formats.parsing.run_builder import known, once, spans
from reportgen.formats.parsing.text_log import TextSign

_STAMP = regex(r"[IWE]([0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{1,9}) ")
_EPOCH_END = regex("^Epoch [0-9]{5}: saving model")
_PERF = regex(r"model_training_utils\.py:[0-9]{1,6}\] Perf {rate}$")
_MEAN_RATE = regex(r"Throughput Average \(sentences/sec\) = ({})$")
_SENTENCES = regex("Total Training Time = [0-9.]{1,20} for Sentences = ([0-9]{1,15})$")
_DEVICES = regex(r"\] hvd\.size\(\) = ([0-9]{1,6})$")
_TRAINER = regex(r"classifier_trainer\.py:[0-9]+\] (?:Base params|Final model parameters): ")
# TensorFlow writes hundreds of lines about its devices before the first step.
_DEVICE_LINES = b" I tensorflow/"
_MAX_BYTES_BEFORE_STEPS = 2**20

_HISTORY = StepLine(
    b"TimeHistory: ",
    "TimeHistory: {time} seconds, {examples_per_second} examples/second "
    "between steps (?P<since>[0-9]{1,12}) and (?P<step>[0-9]{1,12})",
    all_ranks=True,
    confidence=0.95,
    damage="no TimeHistory record",
)
_ORBIT = StepLine(
    b"train | step: ",
    r"train \| step: {1,9}(?P<step>[0-9]{1,12}) \| steps/sec: {1,9}{steps_per_second} \| output: ",
    all_ranks=True,
)
_TRAIN = StepLine(
    b"Train Step: ",
    r"Train Step: (?P<step>[0-9]{1,12})/(?P<planned_steps>[0-9]{1,12})  / loss = "
    r"(?:[^/\r\n]{1,60} / time = {time} sec)?",
    factors={"item": "sequence"},
    damage="no Train Step record",
)


def _build(run: LineRun) -> None:
    steps_of_epoch = _describe(run)
    if not len(run.records):
        return
    if run.kind is _HISTORY:
        run.planned_steps = steps_of_epoch
        _history(run)
    elif run.kind is _ORBIT:
        _orbit(run)
    elif np.isfinite(time := run.records.floats("time")).any():
        _add_printed(run, time)
    else:
        _add_stamps(run)


def _add_stamps(run: LineRun) -> bool:
    """Add the times between the stamps, if all records have one; return whether they have."""
    texts = timestamps.before(run.log.content, run.records.begin, _STAMP)
    if texts:
        run.add_stamps(timestamps.of_month_and_day(texts))
    return bool(texts)


def _history(run: LineRun) -> None:
    records = run.records
    # What happens at the end of an epoch is in the interval of the next record.
    matches = _EPOCH_END.finditer(run.log.content, records.begin[0], records.begin[-1])
    ends = np.array([end.start() for end in matches], dtype=np.int64)
    before = np.unique(np.searchsorted(records.begin, ends) - 1)
    run.breaks = tuple(Break(int(run.step[at]), "epoch") for at in before)
    span = records.integers("step") - records.integers("since")
    if not _add_stamps(run):
        run.add("step_time", records.floats("time"), "printed", span=span)
    run.add("throughput", records.floats("examples_per_second"), "printed", span=span)


def _orbit(run: LineRun) -> None:
    records, content = run.records, run.log.content
    places = np.split(records.begin, len(records))
    stamped = np.flatnonzero([timestamps.before(content, place, _STAMP) is not None for place in places])
    records = records.take(stamped) if len(stamped) else records
    run.records = records = records.take(once(records.integers("step")))
    run.step, run.line, run.last = records.integers("step"), records.line, int(records.end[-1])
    _add_stamps(run)
    run.measure()


def _add_printed(run: LineRun, time: FloatArray) -> None:
    """Add what NVIDIA's program prints of its loop, and at its end of the whole training."""
    log, records, span = run.log, run.records, spans(run.step)
    perf = log.records(_PERF, b"] Perf ")
    # The rate follows its record.
    at = np.searchsorted(records.begin, perf.begin) - 1
    rate = np.full(len(records), np.nan)
    rate[at[at >= 0]] = perf.floats("rate")[at >= 0]
    sentences, devices = log.search(_SENTENCES, b" for Sentences = "), log.search(_DEVICES, b"hvd.size() = ")
    # Of a resumed training the sentences are of the steps since then.
    done = run.planned_steps - int(run.step[0] - span[0])
    if sentences and done > 0 and int(sentences[1]) and int(sentences[1]) % done == 0:
        run.samples_per_step = float(int(sentences[1]) // done)
        count = int(devices[1]) if devices else 1
        if count and run.samples_per_step % count == 0:
            run.factors |= {"batch_size": int(run.samples_per_step) // count, "devices": count}
    run.add("step_time", time, "printed", span=span, samples=run.work(span))
    run.add("throughput", rate, "printed", span=span)
    if mean := log.search(_MEAN_RATE, b"Throughput Average (sentences/sec) = "):
        line = log.place(mean.start()).line
        run.add_aggregate("throughput", float(mean[1]), f"{mean[1].decode()} sentences/s", "mean", 0, line)


def _describe(run: LineRun) -> int:
    """Add the parameters that the trainer prints before it begins, and return the steps of an epoch."""
    content = run.log.content
    at = content.rfind(b"Final model parameters: ")
    end = content.find(b"}}\n", at)
    block = content[at : end if end > 0 else at + 20000] if at >= 0 else b""
    training = block[max(block.find(b"'train_dataset': {"), 0) :]
    gpus, each = _number(r"'num_gpus': ([0-9]{1,6})", block), _number(r"'batch_size': ([0-9]{1,9})", training)
    is_per_device = _text(r"'use_per_replica_batch_size': (True|False)", training) == "True"
    hosts = _text(r"'worker_hosts': '([^'\r\n]{1,4000})'", block)
    nodes = len(hosts.split(",")) if hosts else _number(r"num_workers = ([0-9]{1,6})", content)
    whole = _number(_GLOBAL_BATCH, content) or _number(_TRAIN_BATCH, content)
    # The batch sizes, else the GPUs of a worker times the workers.
    devices = whole // each if whole and each and is_per_device else gpus * (nodes or 1)
    if not is_per_device:
        each = each // devices if devices else 0
    run.samples_per_step = float(whole or each * devices) or None
    xla = _text(r"'enable_xla': (True|False)", block)
    factors: dict[str, FactorValue | None] = {
        "batch_size": each or None,
        "devices": devices or None,
        "nodes": nodes or (1 if block else None),
        "precision": _PRECISIONS.get(_text("'dtype': '([a-z0-9]{1,20})'", training)),
        "dataset": _text(r"'name': '([^'\r\n]{1,80})'", training),
        "device": _text(r"\bname: ([^\r\n]{1,80}?) computeCapability: ", content),
        "item": "image" if block else None,
        "xla": xla == "True" if xla else None,
    }
    run.factors = {**known(factors), **run.factors}
    return _number("'steps': ([0-9]{1,12})", block[max(block.find(b"'train': {"), 0) :])


_GLOBAL_BATCH = r"Using Piecewise constant decay with warmup\. Parameters: batch_size: ([0-9]{1,9})"
# The parameters of Orbit's programs, sorted: those of the training data are an object without others.
_TRAIN_BATCH = r"'train_data': \{[^{}]{0,4000}?'global_batch_size': ([0-9]{1,9})"
# The input's type switches the policy of the whole model: mixed_float16 and mixed_bfloat16.
_PRECISIONS = {"float32": "fp32", "float16": "amp", "bfloat16": "bf16"}


def _text(pattern: str, content: bytes) -> str:
    match = re.search(pattern.encode(), content)
    return match[1].decode("utf-8", "replace") if match else ""


def _number(pattern: str, content: bytes) -> int:
    return int(_text(pattern, content) or 0)


FORMAT = LineFormat(
    "tf2",
    "Training logs of TensorFlow 2's official models.",
    lines=(_HISTORY, _ORBIT, _TRAIN),
    factors={"framework": "TensorFlow 2.x"},
    build=_build,
    confidence=0.9,
    signs=(
        TextSign((b"classifier_trainer.py:",), _TRAINER, 0.8),
        TextSign((_DEVICE_LINES,), _TRAIN.pattern, 0.9, size=_MAX_BYTES_BEFORE_STEPS),
    ),
).format()
