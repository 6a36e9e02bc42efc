"""Read PaddlePaddle's logs: image classification (1.x `elapse`, 2.x `ips`), BERT, PLSC.

A file becomes one Run. `elapse` is the time of the one step printed, `batch_cost` that of a step since the
line before, `speed` steps in a second. `ips` is what one process does, and the log does not say how many
there are: it only tells the batch size (ips x batch_cost), and the rate of all devices needs their number.
PLSC prints the rate of all devices. Where lines begin with date and time, times are kept beside them.
Batches count from 0.

Format: PaddlePaddle/models image_classification and PaddleNLP bert, PaddleClas, PaddleNLP, PLSC.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from reportgen.formats.fragments import stamps
from reportgen.formats.fragments.linepattern import line_pattern
from reportgen.formats.fragments.stepnumbers import over_epochs
from reportgen.formats.fragments.steprun import StepRun, common_work, once, spans
from reportgen.formats.fragments.stepseries import mean
from reportgen.formats.fragments.textlog import STAMP, Records, TextLog, claim, seconds
from reportgen.logfiles import Claim, Format, LogFiles
from reportgen.model import STEP, FactorValue, Finding, Run

_NAME = "paddle"
_STAMP = re.compile(rb"(" + STAMP + rb")")


@dataclass(frozen=True, slots=True)
class _Kind:
    """One kind of record.

    zero_based  whether its numbers begin at 0
    single      whether its time is that of one step, not of those since the line before
    """

    literal: bytes
    pattern: re.Pattern[bytes]
    item: str
    zero_based: bool
    single: bool = False


_PASS, _EPOCH = (
    "[Pass {epoch:int}, train batch {step:int}]{..}",
    "epoch:{epoch:int}  {..20}train step:{step:int}{..}",
)
_GLOBAL = "global step {step:int}, epoch: {:int}, batch: {:int},{..}"
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
        b"global step ",
        line_pattern(
            _GLOBAL + "avg_reader_cost: {reader} sec, avg_batch_cost: {time} sec, "
            "avg_samples: {}, ips: {rate} {unit:word}/s"
        ),
        "sequence",
        False,
    ),
    _Kind(b"global step ", line_pattern(_GLOBAL + "speed: {speed} step"), "sequence", False),
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
    run = StepRun(log, _NAME, step, records.line, factors=factors)
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


FORMAT = Format(_NAME, claims, read, marks=tuple(kind.literal for kind in _KINDS))


def _factors(records: Records, kind: _Kind) -> dict[str, FactorValue]:
    found: dict[str, FactorValue] = {"framework": "PaddlePaddle", "item": kind.item}
    if "unit" not in records.columns or not len(records):
        return found
    found["item"] = records.text("unit").removesuffix("s") or kind.item
    # Five decimals are printed of either.
    work = common_work(records.floats("rate"), records.floats("time"), 5e-6, 5e-6)
    return found if work is None else {**found, "batch_size": int(work)}


def _fill(run: StepRun, records: Records, *, is_sampled: bool) -> None:
    """Add what the records print, and the times between their dates."""
    span = spans(run.step)
    texts = stamps.before(run.log.content, records.begin, _STAMP)
    if texts:
        run.add_stamps(seconds(texts))
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
    if "rate" in records.columns and "time" not in records.columns:
        run.add("throughput", records.floats("rate"), "printed", span=span)
