"""Read the logs of TensorFlow 2's official models: `TimeHistory:`, BERT's `Train Step:`, Orbit's `steps/sec`.

A file becomes one Run. `TimeHistory` prints the seconds and the rate (over all devices) of every k steps; the
rate is kept, and the time from one line's glog stamp to the next. BERT prints no time, only stamps; NVIDIA's
prints the time of the loop and the rate over all devices, without the checkpoints that lie between stamps.
Orbit's controller prints steps in a second with one decimal, each line twice: those with a stamp count. The
parameters that the trainer prints give batch size, devices and precision; the model is only called ResNet
there, which does not tell which one it is, so `model` is left to labels.

Format: tensorflow/models official/utils/misc/keras_utils.py, official/nlp/bert/model_training_utils.py and
orbit/controller.py; NVIDIA/DeepLearningExamples TensorFlow2/LanguageModeling/BERT.
"""

import re
from collections.abc import Iterator

import numpy as np

from reportgen.core.model import Break, FactorValue, Finding, FloatArray, IntArray, Run
from reportgen.formats.base import Claim, Format
from reportgen.formats.parsing import timestamps
from reportgen.formats.parsing.run_builder import RunBuilder, once, spans
from reportgen.formats.parsing.step_numbers import shortened
from reportgen.formats.parsing.text_log import NUMBER, Records, TextLog, claim
from reportgen.sources.logfiles import LogFiles

_NAME = "tf2"
_HISTORY = re.compile(
    rb"TimeHistory: (?P<time>" + NUMBER + rb") seconds, (?P<rate>" + NUMBER + rb") examples/second "
    rb"between steps (?P<first>[0-9]{1,12}) and (?P<last>[0-9]{1,12})"
)
_TRAIN = re.compile(
    rb"Train Step: (?P<step>[0-9]{1,12})/(?P<total>[0-9]{1,12})  / loss = "
    rb"(?:[^/\r\n]{1,60} / time = (?P<time>" + NUMBER + rb") sec)?"
)
_PERF = re.compile(rb"model_training_utils\.py:[0-9]{1,6}\] Perf (?P<rate>" + NUMBER + rb")$", re.MULTILINE)
_MEAN_RATE = re.compile(rb"Throughput Average \(sentences/sec\) = (" + NUMBER + rb")$", re.MULTILINE)
_SENTENCES = re.compile(rb"Total Training Time = [0-9.]{1,20} for Sentences = ([0-9]{1,15})$", re.MULTILINE)
_DEVICES = re.compile(rb"\] hvd\.size\(\) = ([0-9]{1,6})$", re.MULTILINE)
_ORBIT = re.compile(
    rb"train \| step: {1,9}(?P<step>[0-9]{1,12}) \| steps/sec: {1,9}(?P<speed>" + NUMBER + rb") \| output: "
)
_TRAINER = re.compile(rb"classifier_trainer\.py:[0-9]+\] (?:Base params|Final model parameters): ")
_STAMP = re.compile(rb"[IWE]([0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{1,9}) ")
_EPOCH_END = re.compile(rb"^Epoch [0-9]{5}: saving model", re.MULTILINE)
_MARKS = (
    (b"TimeHistory: ", _HISTORY, 0.95),
    (b"Train Step: ", _TRAIN, 0.9),
    (b"train | step: ", _ORBIT, 0.9),
    (b"classifier_trainer.py:", _TRAINER, 0.8),
)
# TensorFlow writes hundreds of lines about its devices before the first step.
_CHATTER = b" I tensorflow/"
_FAR = 2**20


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with a record of either kind, or with the parameters of the classifier trainer."""
    if files.is_folder:
        return None
    for literal, pattern, confidence in _MARKS:
        if found := claim(files, literal, pattern, confidence):
            return found
    if files.size(files.path) <= len(head := files.head(files.path)) or _CHATTER not in head:
        return None
    at = _TRAIN.search(far := files.head(files.path, _FAR))
    if not at:
        return None
    line = far.count(b"\n", 0, at.start()) + 1
    return Claim(0.9, files.source(files.path, line), at[0].decode().strip(), (files.path,))


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of the file."""
    log = TextLog(files)
    history = log.records(_HISTORY, b"TimeHistory: ", "no TimeHistory record")
    if len(history):
        yield _history_run(log, history)
    elif len(orbit := log.records(_ORBIT, b"train | step: ")):
        yield _orbit_run(log, orbit)
    else:
        yield _train_run(log)


FORMAT = Format(
    _NAME,
    "Training logs of TensorFlow 2's official models.",
    claims,
    read,
    marks=(*(literal for literal, _, _ in _MARKS), _CHATTER),
)


def _history_run(log: TextLog, records: Records) -> Run:
    parameters = _Parameters(log.content)
    last, span = records.integers("last"), records.integers("last") - records.integers("first")
    run = RunBuilder(
        log,
        _NAME,
        last,
        records.line,
        last=int(records.end[-1]),
        factors=parameters.factors(),
        samples_per_step=parameters.samples_per_step,
        breaks=_borders(log.content, records, last),
    )
    stamp = _stamps(log.content, records)
    if stamp is None:
        run.add("step_time", records.floats("time"), "printed", span=span)
    else:
        run.add_stamps(stamp)
    run.add("throughput", records.floats("rate"), "printed", span=span)
    return shortened(run.run(), int(last.max()), parameters.steps)


def _stamps(content: bytes, records: Records) -> FloatArray | None:
    texts = timestamps.before(content, records.begin, _STAMP)
    return timestamps.of_month_and_day(texts) if texts else None


def _borders(content: bytes, records: Records, last: IntArray) -> tuple[Break, ...]:
    """Return the ends of epochs between two records: what happens there is in the next record's interval."""
    ends = [end.start() for end in _EPOCH_END.finditer(content, records.begin[0], records.begin[-1])]
    behind = np.searchsorted(records.begin, np.array(ends, dtype=np.int64)) - 1
    return tuple(Break(int(last[at]), "epoch") for at in np.unique(behind))


def _orbit_run(log: TextLog, records: Records) -> Run:
    ones = [timestamps.before(log.content, begin, _STAMP) for begin in np.split(records.begin, len(records))]
    stamped = np.flatnonzero([one is not None for one in ones])
    records = records.take(stamped) if len(stamped) else records
    records = records.take(once(records.integers("step")))
    stamp = _stamps(log.content, records)
    parameters = _Parameters(log.content)
    run = RunBuilder(
        log,
        _NAME,
        records.integers("step"),
        records.line,
        last=int(records.end[-1]),
        factors=parameters.factors(),
        samples_per_step=parameters.samples_per_step,
    )
    if stamp is not None:
        run.add_stamps(stamp)
    speed, span = records.floats("speed"), spans(run.step)
    time = np.where(speed > 0, span / np.where(speed > 0, speed, 1), np.nan)
    run.add("step_time", time, "printed", span=span)
    return run.run()


def _train_run(log: TextLog) -> Run:
    records = log.records(_TRAIN, b"Train Step: ", "no Train Step record")
    records = records.take(once(records.integers("step")))
    parameters = _Parameters(log.content)
    factors = parameters.factors() | ({"item": "sequence"} if len(records) else {})
    run = RunBuilder(
        log,
        _NAME,
        records.integers("step"),
        records.line,
        factors=factors,
        samples_per_step=parameters.samples_per_step,
    )
    if not len(records):
        return run.run()
    run.last = int(records.end[-1])
    time = records.floats("time")
    if np.isfinite(time).any():
        _add_printed(run, records, time)
    elif (stamp := _stamps(log.content, records)) is not None:
        run.add_stamps(stamp)
    return shortened(run.run(), int(run.step.max()), int(records.integers("total")[-1]))


def _add_printed(run: RunBuilder, records: Records, time: FloatArray) -> None:
    """Add what NVIDIA's program says of its loop, and at its end of the whole training."""
    log, span = run.log, spans(run.step)
    perf = log.records(_PERF, b"] Perf ")
    # The rate follows its record.
    at = np.searchsorted(records.begin, perf.begin) - 1
    rate = np.full(len(records), np.nan)
    rate[at[at >= 0]] = perf.floats("rate")[at >= 0]
    total = int(records.integers("total")[-1])
    sentences, devices = log.search(_SENTENCES, b" for Sentences = "), log.search(_DEVICES, b"hvd.size() = ")
    # Of a training that was taken up again the sentences are of the steps since then.
    done = total - int(run.step[0] - span[0])
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


class _Parameters:
    """What the trainer prints before it begins; each part is None where it is not there."""

    def __init__(self, content: bytes) -> None:
        at = content.rfind(b"Final model parameters: ")
        end = content.find(b"}}\n", at)
        block = content[at : end if end > 0 else at + 20000] if at >= 0 else b""
        training = block[max(block.find(b"'train_dataset': {"), 0) :]
        self.gpus = _number(_GPUS, block)
        self.batch_size = _number(_BATCH, training)
        self.is_per_device = _text(_PER_REPLICA, training) == "True"
        self.steps = _number(_STEPS, block[max(block.find(b"'train': {"), 0) :])
        self.xla = _text(_XLA, block)
        self.precision = _PRECISIONS.get(_text(_DTYPE, training) or "")
        self.dataset = _text(_DATASET, training)
        self.device = _text(_DEVICE, content)
        self.global_batch = _number(_GLOBAL_BATCH, content) or _number(_TRAIN_BATCH, content)
        hosts = _text(_HOSTS, block)
        self.nodes = len(hosts.split(",")) if hosts else _number(_WORKERS, content)
        self.is_known = bool(block)

    @property
    def devices(self) -> int | None:
        """Devices in all: what the batch sizes say, else GPUs of a worker times workers."""
        if self.global_batch and self.batch_size and self.is_per_device:
            return self.global_batch // self.batch_size or None
        return self.gpus * (self.nodes or 1) if self.gpus else None

    @property
    def per_device(self) -> int | None:
        """Samples of one device in a step."""
        if self.batch_size and not self.is_per_device:
            return self.batch_size // self.devices if self.devices else None
        return self.batch_size

    @property
    def samples_per_step(self) -> float | None:
        """Samples of all devices in a step."""
        if self.global_batch:
            return float(self.global_batch)
        return float(self.per_device * self.devices) if self.per_device and self.devices else None

    def factors(self) -> dict[str, FactorValue]:
        """Return what the parameters tell of the experiment."""
        found: dict[str, FactorValue | None] = {
            "framework": "TensorFlow 2.x",
            "batch_size": self.per_device,
            "devices": self.devices,
            "nodes": self.nodes or (1 if self.is_known else None),
            "precision": self.precision,
            "dataset": self.dataset,
            "device": self.device,
            "item": "image" if self.is_known else None,
            "xla": None if self.xla is None else self.xla == "True",
        }
        return {name: value for name, value in found.items() if value is not None}


_GPUS = re.compile(rb"'num_gpus': ([0-9]{1,6})")
_BATCH = re.compile(rb"'batch_size': ([0-9]{1,9})")
_PER_REPLICA = re.compile(rb"'use_per_replica_batch_size': (True|False)")
_STEPS = re.compile(rb"'steps': ([0-9]{1,12})")
_XLA = re.compile(rb"'enable_xla': (True|False)")
_DTYPE = re.compile(rb"'dtype': '([a-z0-9]{1,20})'")
_DATASET = re.compile(rb"'name': '([^'\r\n]{1,80})'")
_HOSTS = re.compile(rb"'worker_hosts': '([^'\r\n]{1,4000})'")
_WORKERS = re.compile(rb"num_workers = ([0-9]{1,6})")
_DEVICE = re.compile(rb"\bname: ([^\r\n]{1,80}?) computeCapability: ")
_GLOBAL_BATCH = re.compile(
    rb"Using Piecewise constant decay with warmup\. Parameters: batch_size: ([0-9]{1,9})"
)
# The parameters of Orbit's programs, sorted: those of the training data stand in an object without others.
_TRAIN_BATCH = re.compile(rb"'train_data': \{[^{}]{0,4000}?'global_batch_size': ([0-9]{1,9})")
# The input's type switches the policy of the whole model: mixed_float16 and mixed_bfloat16.
_PRECISIONS = {"float32": "fp32", "float16": "amp", "bfloat16": "bf16"}


def _text(pattern: re.Pattern[bytes], content: bytes) -> str | None:
    found = pattern.search(content)
    return found[1].decode("utf-8", "replace") if found else None


def _number(pattern: re.Pattern[bytes], content: bytes) -> int | None:
    found = pattern.search(content)
    return int(found[1]) or None if found else None
