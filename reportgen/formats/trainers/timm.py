"""Read the lines of timm's train.py: `Train: 0 [  50/10009 (  0%)]  ...  Time: 0.316s, 405.65/s (...)`.

A file becomes one Run. The time in brackets is the mean of the epoch so far, so two lines give the exact
time of the updates between them (but for its rounding to a millisecond, which grows with the epoch:
intervals that it blurs by more than 5 % are left out). The rate outside the brackets is that of the one
update that is printed, over all devices; the short batch that ends an epoch is not taken for it.

Format: https://github.com/huggingface/pytorch-image-models, train.py (train_one_epoch).
"""

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from reportgen.core.model import Finding, FloatArray, IntArray, Run
from reportgen.formats.base import Claim, Format
from reportgen.formats.parsing.run_builder import (
    RunBuilder,
    common_work,
    epoch_breaks,
    in_epochs,
    once,
    spans,
)
from reportgen.formats.parsing.text_log import COUNT, NUMBER, Records, TextLog, claim
from reportgen.sources.logfiles import LogFiles

BoolArray = NDArray[np.bool_]

_NAME = "timm"
_LINE = re.compile(
    rb"Train: (?P<epoch>[0-9]{1,6}) \[ {0,9}(?P<at>"
    + COUNT
    + rb")/(?P<of>"
    + COUNT
    + rb") \([ 0-9]{1,5}%\)\] "
    rb"[^\n]{0,400}?Time: {0,9}(?P<time>"
    + NUMBER
    + rb")s, {0,9}(?P<rate>"
    + NUMBER
    + rb")/s {1,9}\( {0,9}(?P<mean>"
    + NUMBER
    + rb")s, {0,9}"
    + NUMBER
    + rb"/s\)(?:[^\n]{0,60}?Data: {0,9}"
    + NUMBER
    + rb" \( {0,9}(?P<data>"
    + NUMBER
    + rb")\))?"
)
_MODEL = re.compile(rb"Model (?P<model>[\w.-]{1,80}) created, param count")
_PROCESS = re.compile(
    rb"Training in distributed mode with multiple processes[^\n]{0,80}?Process "
    rb"(?:[0-9]{1,6}), total (?P<world>[0-9]{1,6})"
)
_SINGLE = b"Training with a single process"
_BLUR = 0.05
_ROUNDING = 0.0005  # s, half of the last digit


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with a line of training."""
    return claim(files, b"Train: ", _LINE, 0.95)


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of the file."""
    log = TextLog(files)
    every = log.records(_LINE, b"Train: ")
    step = in_epochs(every.integers("epoch"), every.integers("at") + 1, every.integers("of"))
    found = every.take(once(step))
    run = RunBuilder(log, _NAME, step[once(step)], found.line, int(every.end[-1]) if len(every) else 0)
    run.factors.update(framework="timm", item="image")
    if model := log.search(_MODEL, b" created, param count"):
        run.factors["model"] = model["model"].decode("ascii", "replace")
    if world := log.search(_PROCESS, b", total "):
        run.factors["devices"] = int(world["world"])
    elif _SINGLE in log.content:
        run.factors["devices"] = 1
    _measure(run, found)
    yield run.run()


FORMAT = Format(_NAME, "Training logs of timm's train.py.", claims, read, marks=(b"Train: ",))


def _measure(run: RunBuilder, found: Records) -> None:
    epoch, done = found.integers("epoch"), found.integers("at") + 1
    covered = spans(done, epoch)
    if len(found):
        # The mean reaches back to the begin of the epoch, wherever the log itself begins.
        covered[0] = done[0]
    rate, is_whole = found.floats("rate"), done < found.integers("of")
    run.samples_per_step = common_work(rate[is_whole], found.floats("time")[is_whole], _ROUNDING, 0.005)
    _batch(run)
    run.breaks = epoch_breaks((run.step - done)[1:][np.diff(epoch) != 0].tolist())
    samples = run.work(covered)
    mean = found.floats("mean")
    time = np.where(_is_sharp(mean, done, covered), _between(mean, done, covered), np.nan)
    run.add("step_time", time, "host", span=covered, samples=samples)
    data = _between(found.floats("data"), done, covered)
    run.add(
        "step_time", np.where(np.isfinite(time), data, np.nan), "host", phase="data_loading", span=covered
    )
    run.add("throughput", np.where(is_whole, rate, np.nan), "printed")


def _between(mean: FloatArray, done: IntArray, covered: IntArray) -> FloatArray:
    """Return the time of each line's own updates from the running means of its epoch."""
    since = mean * done
    before = np.where(covered == done, 0.0, np.roll(since, 1))
    return np.maximum(since - before, 0.0)


def _is_sharp(mean: FloatArray, done: IntArray, covered: IntArray) -> BoolArray:
    """Tell which intervals the rounding of the running means leaves known to 5 %."""
    blur = _ROUNDING * (done + np.where(covered == done, 0, done - covered))
    return blur <= _BLUR * mean * covered


def _batch(run: RunBuilder) -> None:
    devices = run.factors.get("devices")
    if run.samples_per_step is None:
        return
    whole = int(run.samples_per_step)
    if isinstance(devices, int) and devices > 0 and whole % devices == 0:
        run.factors["batch_size"] = whole // devices
    else:
        run.factors["global_batch_size"] = whole
