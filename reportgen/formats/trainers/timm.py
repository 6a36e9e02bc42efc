"""Read the lines of timm's train.py: `Train: 0 [  50/10009 (  0%)]  ...  Time: 0.316s, 405.65/s (...)`.

The time in brackets is the mean of the epoch so far, so two lines give the time of the updates between them.
Its rounding to a millisecond matters more later in the epoch: intervals that it blurs by more than 5 % are
left out. The rate is that of the printed update, over all devices, and not read for a short last batch.

Format: https://github.com/huggingface/pytorch-image-models, train.py (train_one_epoch).
"""

import numpy as np

from reportgen.formats.parsing.line_format import (
    LineFormat,
    LineRun,
    Setting,
    StepLine,
    half_digit,
    head,
    since_line_before,
)
from reportgen.formats.parsing.run_builder import common_work

_MAX_BLUR = 0.05
_TIME_ERROR, _RATE_ERROR = 0.0005, 0.005  # half of the last printed digit


def _build(run: LineRun) -> None:
    records = run.records
    done, rate = run.kind.position(records), records.floats("rate")
    if "devices" not in run.factors and b"Training with a single process" in run.log.content:
        run.factors["devices"] = 1
    is_whole = done < records.integers("steps_per_epoch")
    run.set_batch(common_work(rate[is_whole], records.floats("time")[is_whole], _TIME_ERROR, _RATE_ERROR))
    epoch, mean = records.integers("epoch"), records.floats("mean")
    time, span = since_line_before(mean, done, epoch)
    # What the rounding of both means leaves unknown.
    is_sharp = _TIME_ERROR * (2 * done - span) <= _MAX_BLUR * mean * span
    waited, _ = since_line_before(records.floats("data_mean"), done, epoch)
    time, waited = (np.where(is_sharp, np.maximum(value, 0.0), np.nan) for value in (time, waited))
    work = run.work(span)
    run.add("step_time", time, "host", span=span, samples=work, rounding=_TIME_ERROR, rounded="mean")
    half = half_digit(records, "data_mean")
    run.add("step_time", waited, "host", phase="data_loading", span=span, rounding=half, rounded="mean")
    run.add("throughput", np.where(is_whole, rate, np.nan), "printed")


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
    heads=(
        head(
            b"Training ",
            r"Training (?:with a single process on|in distributed mode with multiple processes)[^\0]{0,4000}?"
            r"(?:created, param count|Scheduled epochs): ?[0-9]",
        ),
    ),
).format()
