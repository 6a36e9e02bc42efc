"""Read PaddlePaddle's logs: image classification (1.x `elapse`, 2.x `ips`), BERT, detection, OCR, PLSC.

A file becomes one Run. `elapse` is the time of the one step printed, `batch_cost` that of a step since the
line before, `speed` steps per second. `ips` is the rate of one process, and the log does not say how many
there are: it gives only the batch size (ips x batch_cost), and the rate of all devices needs their number.
PLSC prints the rate of all devices. Where lines start with date and time, these give step times too.

Format: PaddlePaddle/models image_classification and PaddleNLP bert, PaddleClas, PaddleNLP, PaddleSeg,
PaddleDetection, PaddleOCR, PLSC.
"""

import numpy as np

from reportgen.core.model import STEP, FloatArray
from reportgen.formats.parsing import timestamps
from reportgen.formats.parsing.line_format import LineFormat, LineRun, StepLine, rounding
from reportgen.formats.parsing.line_pattern import line_pattern, regex
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
    span = spans(run.step)
    if not run.kind.is_single or span.max() == 1:
        run.measure(span=span)
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
    if not texts:
        return
    stamp = seconds([text.replace(b"/", b"-") for text in texts])
    is_coarse = len(texts[0]) <= _WHOLE_SECONDS and "step_time_s" in run.records.columns
    if not is_coarse or _usual_interval(stamp) >= _MIN_INTERVAL:
        run.add_stamps(stamp)


def _usual_interval(stamp: FloatArray) -> float:
    return float(np.median(np.diff(stamp))) if len(stamp) > 1 else 0.0


_GROUPS = {
    "{time}": "{step_time_s}",
    "{reader}": "{data_loading_time_s}",
    "{ips}": "{ips} {unit:word}/s",
    "{rate}": "{ips}",
}


def _line(literal: bytes, template: str, item: str, *, first: int = 1, is_single: bool = False) -> StepLine:
    """Return a kind of line; {time}, {reader} and {ips} stand for what most kinds print."""
    for name, group in _GROUPS.items():
        template = template.replace(name, group)
    return StepLine(literal, line_pattern(template), first=first, is_single=is_single, factors={"item": item})


_PASS = "[Pass {epoch:int}, train batch {step:int}]{..}"
_EPOCH = "epoch:{epoch:int}  {..20}train step:{step:int}{..}"
_GLOBAL = "global step {step:int}, epoch: {:int}, batch: {:int},{..}"
_TOTAL = "tobal step: {step:int}, epoch: {:int}, batch: {:int},{..}"  # as PaddleNLP's static graph spells it
_AVERAGE = "avg_reader_cost: {reader} sec, avg_batch_cost: {time} sec, avg_samples: {samples}, ips: {ips}"
_SEGMENTATION = "[TRAIN] epoch: {:int}, iter: {step:int}/{:int},{..}batch_cost: {time}, reader_cost: {reader}"

FORMAT = LineFormat(
    "paddle",
    "Training logs of PaddlePaddle 1.x and 2.x, and PLSC.",
    lines=(
        _line(b", train batch ", _PASS + "elapse {time} sec", "image", first=0, is_single=True),
        _line(
            b", train batch ",
            _PASS + "batch_cost {time} sec, reader_cost {reader} sec, ips {ips}",
            "image",
            first=0,
        ),
        _line(
            b"train step:",
            _EPOCH + "batch_cost: {time} s, reader_cost: {reader} s, ips: {ips}",
            "image",
            first=0,
        ),
        _line(b"train step:", _EPOCH + "elapse: {time} reader : {reader}", "image", first=0, is_single=True),
        _line(
            b"[Train][Epoch ",
            "[Train][Epoch {epoch:int}/{:int}][Iter: {step:int}/{:int}]{..}"
            "batch_cost: {time}s, reader_cost: {reader}, ips: {ips}",
            "image",
            first=0,
        ),
        _line(b"global step ", _GLOBAL + _AVERAGE, "sequence"),
        _line(b"tobal step: ", _TOTAL + _AVERAGE, "sequence"),
        _line(b"global step ", _GLOBAL + "speed: {steps_per_second} step/s, ips: {ips}", "sequence"),
        _line(b"global step ", _GLOBAL + "speed: {steps_per_second} step", "sequence"),
        _line(b"[TRAIN] epoch: ", _SEGMENTATION + ", ips: {ips}", "image"),
        _line(b"[TRAIN] epoch=", _SEGMENTATION.replace(": ", "="), "image"),
        _line(
            b"ppdet.engine",
            "ppdet.engine{..20} INFO: Epoch: [{epoch:int}] [{..8}{step:int}/{:int}] learning_rate: {} {..900}"
            "batch_cost: {time} data_cost: {reader} ips: {ips}",
            "image",
            first=0,
        ),
        _line(
            b"ppocr INFO: epoch: [",
            "ppocr INFO: epoch: [{:int}/{:int}], global_step: {step:int},{..900}avg_reader_cost: {reader} s, "
            "avg_batch_cost: {time} s, avg_samples: {samples}, ips: {ips}",
            "image",
        ),
        _line(
            b"root INFO: epoch: [",
            "root INFO: epoch: [{:int}/{:int}], iter: {step:int},{..900}reader_cost: {reader} s, "
            "batch_cost: {time} s, samples: {:int}, ips: {rate}",
            "image",
            first=0,
        ),
        _line(
            b", progress: ",
            "epoch: {:int}, progress: {:int}/{:int}, step: {step:int},{..}speed: {steps_per_second} steps/s",
            "sequence",
        ),
        _line(b" qps:", "Pass:{epoch:int} batch:{step:int} {..}qps:{images_per_second}", "image", first=0),
    ),
    factors={"framework": "PaddlePaddle", "item": "image"},
    build=_build,
    confidence=0.9,
).format()
