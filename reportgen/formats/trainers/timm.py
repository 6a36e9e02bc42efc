"""Read the lines of timm's train.py: `Train: 0 [  50/10009 (  0%)]  ...  Time: 0.316s, 405.65/s (...)`.

The time in brackets is the mean of the epoch so far, so two lines give the time of the updates between them.
The rate beside it is the batch divided by that mean, with more digits: where it fits the mean, the mean
follows from it. Rounding matters more later in the epoch: intervals that it blurs by more than 5 % are left
out. The first rate is that of the printed update, over all devices. A short last batch has neither.

Format: https://github.com/huggingface/pytorch-image-models, train.py (train_one_epoch).
"""

import numpy as np

from reportgen.core.model import FloatArray
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
from reportgen.formats.parsing.text_log import Records

_MAX_BLUR = 0.05
_TIME_ERROR, _RATE_ERROR = 0.0005, 0.005  # half of the last printed digit


def _build(run: LineRun) -> None:
    records = run.records
    done, rate = run.kind.position(records), records.floats("rate")
    if "devices" not in run.factors and b"Training with a single process" in run.log.content:
        run.factors["devices"] = 1
    is_whole = done < records.integers("steps_per_epoch")
    run.set_batch(common_work(rate[is_whole], records.floats("time")[is_whole], _TIME_ERROR, _RATE_ERROR))
    epoch = records.integers("epoch")
    mean, error = _mean_time(records, np.where(is_whole, run.samples_per_step or np.nan, np.nan))
    time, span = since_line_before(mean, done, epoch)
    waited, _ = since_line_before(records.floats("data_mean"), done, epoch)
    # What the rounding of both means leaves unknown.
    time, waited = (
        np.where(each * (2 * done - span) <= _MAX_BLUR * mean * span, np.maximum(value, 0.0), np.nan)
        for value, each in ((time, error), (waited, _TIME_ERROR))
    )
    work, most = run.work(span), float(error.max(initial=0.0))
    run.add("step_time", time, "host", span=span, samples=work, rounding=most, rounded="mean")
    half = half_digit(records, "data_mean")
    run.add("step_time", waited, "host", phase="data_loading", span=span, rounding=half, rounded="mean")
    run.add("throughput", np.where(is_whole, rate, np.nan), "printed")


def _mean_time(records: Records, batch: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean time in s of the updates of the epoch so far, and what its digits leave open.

    batch  samples of an update, NaN if unknown
    """
    printed, rate = records.floats("mean"), records.floats("mean_rate")
    with np.errstate(divide="ignore", invalid="ignore"):
        precise = batch / rate
        error = precise * _RATE_ERROR / rate
    fits = np.abs(precise - printed) <= _TIME_ERROR + error
    return np.where(fits, precise, printed), np.where(fits, np.minimum(error, _TIME_ERROR), _TIME_ERROR)


FORMAT = LineFormat(
    "timm",
    "Training logs of timm's train.py.",
    lines=(
        StepLine(
            b"Train: ",
            r"Train: (?P<epoch>[0-9]{1,6}) \[ {0,9}{step:int}/{steps_per_epoch:int} \([ 0-9]{1,5}%\)\] "
            r"[^\n]{0,400}?Time: {0,9}{time}s, {0,9}{rate}/s {1,9}\( {0,9}{mean}s, {0,9}{mean_rate}/s\)"
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
