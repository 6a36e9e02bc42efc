"""Read PaddlePaddle's logs: image classification (1.x `elapse`, 2.x `ips`), BERT, detection, OCR, PLSC.

A file becomes one Run. `elapse` is the time of the one step printed, `batch_cost` that of a step since the
line before, `speed` steps in a second. `ips` is what one process does, and the log does not say how many
there are: it only tells the batch size (ips x batch_cost), and the rate of all devices needs their number.
PLSC prints the rate of all devices. Where lines begin with date and time, times are kept beside them.
Batches count from 0.

Format: PaddlePaddle/models image_classification and PaddleNLP bert, PaddleClas, PaddleNLP, PaddleSeg,
PaddleDetection, PaddleOCR, PLSC.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from reportgen.core.model import STEP, FactorValue, Finding, FloatArray, Run
from reportgen.formats.base import Claim, Format
from reportgen.formats.parsing import timestamps
from reportgen.formats.parsing.line_pattern import line_pattern
from reportgen.formats.parsing.run_builder import RunBuilder, common_work, once, spans
from reportgen.formats.parsing.step_numbers import over_epochs
from reportgen.formats.parsing.text_log import STAMP, Records, TextLog, claim, mean, seconds
from reportgen.sources.logfiles import LogFiles

_NAME = "paddle"
# PaddleClas and PaddleOCR of 2.x write the date with slashes.
_STAMP = re.compile(rb"(" + STAMP + rb"|[0-9]{4}/[0-9]{2}/[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2})")
_WHOLE = len("2020-09-24 23:59:59")
_FAR = 10.0


@dataclass(frozen=True, slots=True)
class _Kind:
    """One kind of record.

    zero_based  whether its numbers begin at 0
    single      whether its time is that of one step, not of those since the line before
    digits      how many decimals a time has; a rate has five or as many
    """

    literal: bytes
    pattern: re.Pattern[bytes]
    item: str
    zero_based: bool
    single: bool = False
    digits: int = 5


_PASS, _EPOCH = (
    "[Pass {epoch:int}, train batch {step:int}]{..}",
    "epoch:{epoch:int}  {..20}train step:{step:int}{..}",
)
_GLOBAL = "global step {step:int}, epoch: {:int}, batch: {:int},{..}"
_TOTAL = "tobal step: {step:int}, epoch: {:int}, batch: {:int},{..}"  # as PaddleNLP's static graph spells it
_AVERAGE = (
    "avg_reader_cost: {reader} sec, avg_batch_cost: {time} sec, avg_samples: {samples}, "
    "ips: {rate} {unit:word}/s"
)
_SEGMENTATION = "[TRAIN] epoch: {:int}, iter: {step:int}/{:int},{..}batch_cost: {time}, reader_cost: {reader}"
_KINDS = (
    _Kind(b", train batch ", line_pattern(_PASS + "elapse {time} sec"), "image", True, single=True),
    _Kind(
        b", train batch ",
        line_pattern(_PASS + "batch_cost {time} sec, reader_cost {reader} sec, ips {rate} {unit:word}/s"),
        "image",
        True,
    ),
    _Kind(
        b"train step:",
        line_pattern(_EPOCH + "batch_cost: {time} s, reader_cost: {reader} s, ips: {rate} {unit:word}/s"),
        "image",
        True,
    ),
    _Kind(
        b"train step:", line_pattern(_EPOCH + "elapse: {time} reader : {reader}"), "image", True, single=True
    ),
    _Kind(
        b"[Train][Epoch ",
        line_pattern(
            "[Train][Epoch {epoch:int}/{:int}][Iter: {step:int}/{:int}]{..}"
            "batch_cost: {time}s, reader_cost: {reader}, ips: {rate} {unit:word}/s"
        ),
        "image",
        True,
    ),
    _Kind(b"global step ", line_pattern(_GLOBAL + _AVERAGE), "sequence", False),
    _Kind(b"tobal step: ", line_pattern(_TOTAL + _AVERAGE), "sequence", False),
    _Kind(
        b"global step ",
        line_pattern(_GLOBAL + "speed: {speed} step/s, ips: {rate} {unit:word}/s"),
        "sequence",
        False,
        digits=2,
    ),
    _Kind(b"global step ", line_pattern(_GLOBAL + "speed: {speed} step"), "sequence", False),
    _Kind(
        b"[TRAIN] epoch: ",
        line_pattern(_SEGMENTATION + ", ips: {rate} {unit:word}/s"),
        "image",
        False,
        digits=4,
    ),
    _Kind(b"[TRAIN] epoch=", line_pattern(_SEGMENTATION.replace(": ", "=")), "image", False),
    _Kind(
        b"ppdet.engine",
        line_pattern(
            "ppdet.engine{..20} INFO: Epoch: [{epoch:int}] [{..8}{step:int}/{:int}] learning_rate: {} {..900}"
            "batch_cost: {time} data_cost: {reader} ips: {rate} {unit:word}/s"
        ),
        "image",
        True,
        digits=4,
    ),
    _Kind(
        b"ppocr INFO: epoch: [",
        line_pattern(
            "ppocr INFO: epoch: [{:int}/{:int}], global_step: {step:int},{..900}avg_reader_cost: {reader} s, "
            "avg_batch_cost: {time} s, avg_samples: {samples}, ips: {rate} {unit:word}/s"
        ),
        "image",
        False,
    ),
    _Kind(
        b"root INFO: epoch: [",
        line_pattern(
            "root INFO: epoch: [{:int}/{:int}], iter: {step:int},{..900}reader_cost: {reader} s, "
            "batch_cost: {time} s, samples: {:int}, ips: {rate}"
        ),
        "image",
        True,
    ),
    _Kind(
        b", progress: ",
        line_pattern("epoch: {:int}, progress: {:int}/{:int}, step: {step:int},{..}speed: {speed} steps/s"),
        "sequence",
        False,
    ),
    _Kind(b" qps:", line_pattern("Pass:{epoch:int} batch:{step:int} {..}qps:{rate}"), "image", True),
)


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with a record of any of the kinds."""
    found = (claim(files, kind.literal, kind.pattern, 0.9) for kind in _KINDS)
    return next((one for one in found if one), None)


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of the file."""
    log = TextLog(files)
    kind = next(
        (one for one in _KINDS if one.literal in log.content and one.pattern.search(log.content)), _KINDS[0]
    )
    records = log.records(kind.pattern, kind.literal)
    step, factors = np.zeros(0, dtype=np.int64), _factors(records, kind)
    run = RunBuilder(log, _NAME, step, records.line, factors=factors)
    if len(records):
        run.last = int(records.end[-1])
        step = records.integers("step") + kind.zero_based
        if "epoch" in records.columns:
            step, run.breaks = over_epochs(records.integers("epoch"), step)
        keep = once(step)
        records = records.take(keep)
        run.step, run.line = step[keep], records.line
        _fill(run, records, is_sampled=kind.single and int(spans(run.step).max()) > 1)
    yield run.run()


FORMAT = Format(
    _NAME,
    "Training logs of PaddlePaddle 1.x and 2.x, and PLSC.",
    claims,
    read,
    marks=tuple(kind.literal for kind in _KINDS),
)


def _factors(records: Records, kind: _Kind) -> dict[str, FactorValue]:
    found: dict[str, FactorValue] = {"framework": "PaddlePaddle", "item": kind.item}
    if not len(records):
        return found
    if "unit" in records.columns:
        found["item"] = records.text("unit").removesuffix("s") or kind.item
    work = _work(records, 0.5 * 10.0**-kind.digits)
    return found if work is None else {**found, "batch_size": int(work)}


def _work(records: Records, rounding: float) -> float | None:
    """Return the samples of a process in a step, as printed or by rate and time; None if they do not tell."""
    if "samples" in records.columns:
        samples = records.floats("samples")
        return float(samples[0]) if (samples == samples[0] // 1).all() and samples[0] > 0 else None
    if "rate" not in records.columns:
        return None
    rate = records.floats("rate")
    if "time" in records.columns:
        return common_work(rate, records.floats("time"), rounding, rounding)
    if "speed" not in records.columns:
        return None
    speed = records.floats("speed")
    rate, speed = rate[speed > rounding], speed[speed > rounding]
    # Of a speed the time is known between the inverses of its bounds.
    return common_work(rate, 1 / speed, 1 / (speed - rounding) - 1 / speed, rounding)


def _far_apart(t: FloatArray) -> bool:
    return len(t) > 1 and float(np.median(np.diff(t))) >= _FAR


def _fill(run: RunBuilder, records: Records, *, is_sampled: bool) -> None:
    """Add what the records print, and the times between their dates."""
    span = spans(run.step)
    texts = timestamps.before(run.log.content, records.begin, _STAMP)
    t = seconds([text.replace(b"/", b"-") for text in texts]) if texts else np.zeros(0)
    # Whole seconds tell little of a short interval: what is printed has more digits.
    if texts and (len(texts[0]) > _WHOLE or "time" not in records.columns or _far_apart(t)):
        run.add_stamps(t)
    for name, phase in (("time", STEP), ("reader", "data_loading")):
        if name not in records.columns:
            continue
        values = records.floats(name)
        if is_sampled:
            text = f"{len(values)} single steps"
            run.add_aggregate(
                "step_time", mean(values), text, "mean", len(values), int(records.line[0]), phase=phase
            )
        else:
            run.add("step_time", values * span, "printed", phase=phase, span=span)
    if "speed" in records.columns:
        speed = records.floats("speed")
        run.add(
            "step_time",
            np.where(speed > 0, span / np.where(speed > 0, speed, 1), np.nan),
            "printed",
            span=span,
        )
    if "rate" in records.columns and not {"time", "speed"} & set(records.columns):
        run.add("throughput", records.floats("rate"), "printed", span=span)
