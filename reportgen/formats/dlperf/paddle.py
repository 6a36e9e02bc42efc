"""Read PaddlePaddle's logs: image classification (1.x `elapse`, 2.x `ips`), BERT, detection, OCR, PLSC.

A file becomes one Run. `elapse` is the time of the one step printed, `batch_cost` that of a step since the
line before, `speed` steps per second. `ips` is the rate of one process, and the log does not say how many
there are: it gives only the batch size (ips x batch_cost), and the rate of all devices needs their number.
PLSC prints the rate of all devices. Where lines start with date and time, these give step times too.

Format: PaddlePaddle/models image_classification and PaddleNLP bert, PaddleClas, PaddleNLP, PaddleSeg,
PaddleDetection, PaddleOCR, PLSC.
"""

import numpy as np

from reportgen.core.model import STEP
from reportgen.formats.parsing import timestamps
from reportgen.formats.parsing.line_format import LineFormat, LineRun, StepLine, rounding
from reportgen.formats.parsing.line_pattern import regex
from reportgen.formats.parsing.run_builder import common_work, spans
from reportgen.formats.parsing.text_log import Records, mean, seconds

# PaddleClas and PaddleOCR of 2.x write the date with slashes.
_STAMP = regex("({:stamp}|[0-9]{4}/[0-9]{2}/[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2})")
_WHOLE_SECONDS = len("2020-09-24 23:59:59")
# s between lines; dates in whole seconds say less than the printed times of shorter intervals.
_MIN_INTERVAL = 10.0


def _build(run: LineRun) -> None:
    records = run.records
    if not len(records):
        return
    if "unit" in records.columns:
        run.factors["item"] = records.text("unit").removesuffix("s") or run.factors["item"]
    batch = _process_batch(records)
    if batch is not None:
        run.factors["batch_size"] = int(batch)
    _add_stamps(run)
    if not run.kind.is_single or spans(run.step).max() == 1:
        run.measure()
        return
    for group, phase in (("step_time_s", STEP), ("data_loading_time_s", "data_loading")):
        if group in records.columns:
            times, first = records.floats(group), int(records.line[0])
            original = f"{len(times)} single steps"
            run.add_aggregate("step_time", mean(times), original, "mean", len(times), first, phase=phase)


def _process_batch(records: Records) -> float | None:
    """Return the samples of a process in a step, as printed or by rate and time; None if unknown."""
    columns = records.columns
    if "samples" in columns:
        samples = records.floats("samples")
        return float(samples[0]) if (samples == samples[0] // 1).all() and samples[0] > 0 else None
    if "ips" not in columns:
        return None
    rate, error = records.floats("ips"), rounding(records, "ips")
    if "step_time_s" in columns:
        return common_work(rate, records.floats("step_time_s"), rounding(records, "step_time_s"), error)
    speed, speed_error = records.floats("steps_per_second"), rounding(records, "steps_per_second")
    rate, speed = rate[speed > speed_error], speed[speed > speed_error]
    # The time of a step is between the inverses of the bounds of its speed.
    return common_work(rate, 1 / speed, 1 / (speed - speed_error) - 1 / speed, error)


def _add_stamps(run: LineRun) -> None:
    """Add the times between the dates, where they say more than the printed times."""
    texts = timestamps.before(run.log.content, run.records.begin, _STAMP)
    if not texts or len(texts) < 2:
        return
    stamp = seconds([text.replace(b"/", b"-") for text in texts])
    is_coarse = len(texts[0]) <= _WHOLE_SECONDS and "step_time_s" in run.records.columns
    if not is_coarse or np.median(np.diff(stamp)) >= _MIN_INTERVAL:
        run.add_stamps(stamp)


_PASS = "[Pass {epoch:int}, train batch {step:int}]{..}"
_EPOCH = "epoch:{epoch:int}  {..20}train step:{step:int}{..}"
_SEGMENTATION = (
    "[TRAIN] epoch: {:int}, iter: {step:int}/{:int},{..}"
    "batch_cost: {step_time_s}, reader_cost: {data_loading_time_s}"
)
_GLOBAL = "global step {step:int}, epoch: {:int}, batch: {:int},{..}"
_AVERAGE = (
    "avg_reader_cost: {data_loading_time_s} sec, avg_batch_cost: {step_time_s} sec, avg_samples: {samples}, "
    "ips: {ips} {unit:word}/s"
)
# Forms of single steps, of images counted from 0 and from 1, and of sequences.
_SINGLE = (
    _PASS + "elapse {step_time_s} sec",
    _EPOCH + "elapse: {step_time_s} reader : {data_loading_time_s}",
)
_IMAGES_FROM_0 = (
    _PASS + "batch_cost {step_time_s} sec, reader_cost {data_loading_time_s} sec, ips {ips} {unit:word}/s",
    _EPOCH + "batch_cost: {step_time_s} s, reader_cost: {data_loading_time_s} s, ips: {ips} {unit:word}/s",
    "[Train][Epoch {epoch:int}/{:int}][Iter: {step:int}/{:int}]{..}"
    "batch_cost: {step_time_s}s, reader_cost: {data_loading_time_s}, ips: {ips} {unit:word}/s",
    "ppdet.engine{..20} INFO: Epoch: [{epoch:int}] [{..8}{step:int}/{:int}] learning_rate: {} {..900}"
    "batch_cost: {step_time_s} data_cost: {data_loading_time_s} ips: {ips} {unit:word}/s",
    "root INFO: epoch: [{:int}/{:int}], iter: {step:int},{..900}reader_cost: {data_loading_time_s} s, "
    "batch_cost: {step_time_s} s, samples: {:int}, ips: {ips}",
    "Pass:{epoch:int} batch:{step:int} {..}qps:{images_per_second}",
)
_IMAGES_FROM_1 = (
    _SEGMENTATION + ", ips: {ips} {unit:word}/s",
    _SEGMENTATION.replace(": ", "="),
    "ppocr INFO: epoch: [{:int}/{:int}], global_step: {step:int},{..900}"
    "avg_reader_cost: {data_loading_time_s} s, avg_batch_cost: {step_time_s} s, avg_samples: {samples}, "
    "ips: {ips} {unit:word}/s",
)
_SEQUENCES = (
    _GLOBAL + _AVERAGE,
    # As PaddleNLP's static graph spells it.
    _GLOBAL.replace("global step ", "tobal step: ") + _AVERAGE,
    _GLOBAL + "speed: {steps_per_second} step/s, ips: {ips} {unit:word}/s",
    _GLOBAL + "speed: {steps_per_second} step",
    "epoch: {:int}, progress: {:int}/{:int}, step: {step:int},{..}speed: {steps_per_second} steps/s",
)
FORMAT = LineFormat(
    "paddle",
    "Training logs of PaddlePaddle 1.x and 2.x, and PLSC.",
    lines=(
        *(StepLine.like(form, first=0, is_single=True) for form in _SINGLE),
        *(StepLine.like(form, first=0) for form in _IMAGES_FROM_0),
        *(StepLine.like(form) for form in _IMAGES_FROM_1),
        *(StepLine.like(form, factors={"item": "sequence"}) for form in _SEQUENCES),
    ),
    factors={"framework": "PaddlePaddle", "item": "image"},
    build=_build,
    confidence=0.9,
).format()
