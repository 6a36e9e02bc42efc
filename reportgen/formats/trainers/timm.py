"""Read the lines of timm's train.py: `Train: 0 [  50/10009 (  0%)]  ...  Time: 0.316s, 405.65/s (...)`.

The time in brackets is the mean of the epoch so far, so two lines give the time of the updates between them.
Its rounding to a millisecond matters more later in the epoch: intervals that it blurs by more than 5 % are
left out. The rate is that of the printed update, over all devices, and not read for a short last batch.

Format: https://github.com/huggingface/pytorch-image-models, train.py (train_one_epoch).
"""

import numpy as np
from numpy.typing import NDArray

from reportgen.core.model import FloatArray, IntArray
from reportgen.formats.parsing.line_format import LineFormat, LineRun, Setting, StepLine
from reportgen.formats.parsing.run_builder import common_work, spans

_MAX_BLUR = 0.05
_TIME_ERROR, _RATE_ERROR = 0.0005, 0.005  # half of the last printed digit


def _build(run: LineRun) -> None:
    records = run.records
    done, rate = run.kind.position(records), records.floats("rate")
    covered = spans(done, records.integers("epoch"))
    # The mean includes the start of the epoch, even if the log starts later.
    covered[:1] = done[:1]
    if "devices" not in run.factors and b"Training with a single process" in run.log.content:
        run.factors["devices"] = 1
    is_whole = done < records.integers("steps_per_epoch")
    run.set_batch(common_work(rate[is_whole], records.floats("time")[is_whole], _TIME_ERROR, _RATE_ERROR))
    mean = records.floats("mean")
    is_sharp = _is_sharp(mean, done, covered)
    time = np.where(is_sharp, _between(mean, done, covered), np.nan)
    run.add("step_time", time, "host", span=covered, samples=run.work(covered))
    waited = np.where(np.isfinite(time), _between(records.floats("data_mean"), done, covered), np.nan)
    run.add("step_time", waited, "host", phase="data_loading", span=covered)
    run.add("throughput", np.where(is_whole, rate, np.nan), "printed")


def _between(mean: FloatArray, done: IntArray, covered: IntArray) -> FloatArray:
    """Return the time of each line's own updates from the running means of its epoch."""
    since = mean * done
    before = np.where(covered == done, 0.0, np.roll(since, 1))
    return np.maximum(since - before, 0.0)


def _is_sharp(mean: FloatArray, done: IntArray, covered: IntArray) -> NDArray[np.bool_]:
    """Return which intervals the rounding of the running means leaves known to 5 %."""
    blur = _TIME_ERROR * (done + np.where(covered == done, 0, done - covered))
    return blur <= _MAX_BLUR * mean * covered


FORMAT = LineFormat(
    "timm",
    "Training logs of timm's train.py.",
    lines=(
        StepLine(
            b"Train: ",
            r"Train: (?P<epoch>[0-9]{1,6}) \[ {0,9}{step:int}/{steps_per_epoch:int} \([ 0-9]{1,5}%\)\] "
            r"[^\n]{0,400}?Time: {0,9}{time}s, {0,9}{rate}/s {1,9}\( {0,9}{mean}s, {0,9}{}/s\)"
            r"(?:[^\n]{0,60}?Data: {0,9}{} \( {0,9}{data_mean}\))?",
            first=0,
        ),
    ),
    factors={"framework": "timm", "item": "image"},
    settings=(
        Setting(b" created, param count", r"Model (?P<model>[\w.-]{1,80}) created, param count"),
        Setting(
            b", total ",
            "Training in distributed mode with multiple processes[^\n]{0,80}?"
            "Process (?:[0-9]{1,6}), total (?P<devices>[0-9]{1,6})",
        ),
    ),
    build=_build,
).format()
