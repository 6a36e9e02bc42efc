"""Read PaddlePaddle's logs: image classification (1.x `elapse`, 2.x `ips`), language models, detection, OCR.

A file becomes one Run. `elapse` is the time of the one step printed, `batch_cost` that of a step since the
line before or, in PaddleClas, since the fifth step of the epoch, and `speed` steps per second. `ips` is the
rate of one process, which drives one device. It is never the rate of the run: that needs their number, which
only some logs print. It gives the batch size (ips x batch_cost), and more digits of the time. PLSC prints the
rate of all devices. Where lines start with date and time, these give step times too.

Format: PaddlePaddle/models image_classification and PaddleNLP bert, PaddleClas, PaddleNLP, PaddleSeg,
PaddleDetection, PaddleOCR, PaddleRec, PLSC.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from reportgen.core.model import STEP, Finding, FloatArray, IntArray, Rounded
from reportgen.core.rules import Rule
from reportgen.formats.dlperf.paddle_lines import EPOCH, LINES, SETTINGS, RunningMean
from reportgen.formats.parsing import timestamps
from reportgen.formats.parsing.line_format import LineFormat, LineRun, half_digit, rounding
from reportgen.formats.parsing.line_patterns import regex
from reportgen.formats.parsing.run_builder import common_work, spans
from reportgen.formats.parsing.text_log import Records, TextSign, mean, seconds

# PaddleClas and PaddleOCR of 2.x write the date with slashes, PaddleDetection without the year.
_STAMP = regex(r"({:stamp}|(?:[0-9]{4}/|\[)[0-9]{2}/[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2})")
# A leap year, in which every date exists; the end of a year is a time below zero, which is not used.
_ANY_YEAR = b"2024-"
_WHOLE_SECONDS = len("2020-09-24 23:59:59")
# s between lines; dates in whole seconds say less than the printed times of shorter intervals.
_MIN_INTERVAL = 10.0
# Below this number of dates in whole seconds, they cannot be distinguished from finer ones.
_MIN_DATES = 11
# A time by rate and a printed one differ by their rounding, up to this share.
_SAME_SHARE = 0.02
_PHASES = (("step_time_s", STEP), ("data_loading_time_s", "data_loading"))
# The time between two lines, in usual ones, that may still be that of the steps between them.
_MAX_PAUSE = 3.0
# A rate may differ by this share from that of the times.
_RATE_SHARE = 0.05
_EPOCH_MARK = b", using time"


@dataclass(frozen=True, slots=True, eq=False)
class _Dates:
    """The dates of the lines in s, and their resolution."""

    stamp: FloatArray
    tick: float

    def between(self, step: IntArray, span: IntArray) -> FloatArray:
        """Return the time since the line before; NaN where it covers more than the steps of the line."""
        apart = np.diff(self.stamp, prepend=np.nan)
        is_own = np.diff(step, prepend=step[:1]) == span
        usual = np.median(apart[is_own & np.isfinite(apart)]) if is_own.any() else np.nan
        # An evaluation or a checkpoint between two lines is longer.
        longest = _MAX_PAUSE * usual + self.tick
        result: FloatArray = np.where(is_own & (apart >= 0) & (apart <= longest), apart, np.nan)
        return result


def _build(run: LineRun) -> None:
    records = run.records
    if not len(records):
        _add_epochs(run)
        return
    if "unit" in records.columns:
        run.factors["item"] = records.text("unit").removesuffix("s") or run.factors["item"]
    batch = None if run.factors["item"] == "word" else _process_batch(records)
    if batch is not None:
        run.factors["batch_size"] = int(batch)
        run.samples_per_step = batch * run.count("devices") or None
    dates = _add_stamps(run, is_checked=batch is not None and isinstance(run.kind, RunningMean))
    if run.kind.is_single and spans(run.step).max() > 1:
        _add_samples(run)
        return
    if "step_time_s" in records.columns:
        rate, span = _add_times(run, batch)
    else:
        run.measure()
        rate, span = _printed_rate(records), spans(run.step)
    if "ips" in records.columns:
        run.add("throughput_per_device", rate, "printed", span=span)
        if devices := run.count("devices"):
            run.add("throughput", rate * devices, "printed", span=span, samples=run.work(span))
        _check_rate(run, rate, _process_work(records, batch, span), span, dates)


def _process_batch(records: Records) -> float | None:
    """Return the samples of a process in a step, as printed or by rate and time; None if unknown."""
    batch = _constant_batch(records)
    if batch is None and "epoch" in records.columns:
        # The last batch of an epoch may be smaller, and its line shows a rate by it.
        batch = _constant_batch(records.take(np.flatnonzero(np.diff(records.integers("epoch")) == 0)))
    return batch


def _constant_batch(records: Records) -> float | None:
    columns = records.columns
    if "samples" in columns:
        samples = records.floats("samples")
        is_one = len(samples) and (samples == samples[0] // 1).all() and samples[0] > 0
        return float(samples[0]) if is_one else None
    if "ips" not in columns:
        return None
    rate, error = records.floats("ips"), rounding(records, "ips")
    if "step_time_s" in columns:
        return common_work(rate, records.floats("step_time_s"), rounding(records, "step_time_s"), error)
    speed, speed_error = records.floats("steps_per_second"), rounding(records, "steps_per_second")
    rate, speed = rate[speed > speed_error], speed[speed > speed_error]
    # The time of a step is between the inverses of the bounds of its speed.
    return common_work(rate, 1 / speed, 1 / (speed - speed_error) - 1 / speed, error)


def _add_samples(run: LineRun) -> None:
    """Add the means of times of single steps, if not all steps are printed."""
    for group, phase in _PHASES:
        if group in run.records.columns:
            times, first = run.records.floats(group), int(run.records.line[0])
            original = f"{len(times)} single steps"
            run.add_aggregate("step_time", mean(times), original, "mean", len(times), first, phase=phase)


def _add_times(run: LineRun, batch: float | None) -> tuple[FloatArray, IntArray]:
    """Add the times of the steps since the line before, and return the rates in them and their numbers."""
    records, rate = run.records, _printed_rate(run.records)
    span = np.ones_like(run.step) if run.kind.is_single else spans(run.step)
    mean = _exact_mean(records, batch)
    time, is_undone = mean * span, False
    if isinstance(run.kind, RunningMean):
        undone, covered = run.kind.undone(mean, records)
        # Otherwise the mean of the later line is too small for a mean that contains the earlier one.
        is_undone = not (undone <= 0).any()
        if is_undone:
            time, span = undone, covered
            rate = _divide(_process_work(records, batch, span), time)
    rounded: Rounded = "mean" if is_undone else "each"
    # Where the times come from rates, these have more digits.
    half = half_digit(records, "step_time_s") if (mean == records.floats("step_time_s")).all() else 0.0
    work = run.work(span)
    run.add("step_time", time, "printed", span=span, samples=work, rounding=half, rounded=rounded)
    if "data_loading_time_s" in records.columns:
        waited = records.floats("data_loading_time_s")
        if isinstance(run.kind, RunningMean) and is_undone:
            # The difference of two rounded means may be below zero.
            waited = np.maximum(run.kind.undone(waited, records)[0], 0.0)
        else:
            waited = waited * span
        half = half_digit(records, "data_loading_time_s")
        run.add(
            "step_time", waited, "printed", phase="data_loading", span=span, rounding=half, rounded=rounded
        )
    return rate, span


def _printed_rate(records: Records) -> FloatArray:
    return records.floats("ips") if "ips" in records.columns else np.full(len(records), np.nan)


def _exact_mean(records: Records, batch: float | None) -> FloatArray:
    """Return the printed times of a step, from the rates where these say the same with more digits.

    PaddleNLP's BERT counts the wait for data in the rate, but not in the time.
    """
    time = records.floats("step_time_s")
    if batch is None or "ips" not in records.columns:
        return time
    rate = records.floats("ips")
    if rounding(records, "ips") * np.nanmedian(time) > rounding(records, "step_time_s") * np.nanmedian(rate):
        return time
    by_rate = _divide(np.full(len(rate), batch), rate)
    reader = records.floats("data_loading_time_s") if "data_loading_time_s" in records.columns else 0.0
    is_same = [np.abs(by_rate - expected) <= _SAME_SHARE * expected for expected in (time, time + reader)]
    result: FloatArray = np.where(is_same[0] | is_same[1], by_rate, time)
    return result


def _divide(work: FloatArray, time: FloatArray) -> FloatArray:
    rate: FloatArray = np.divide(work, time, out=np.full(len(time), np.nan), where=time > 0)
    return rate


def _process_work(records: Records, batch: float | None, span: IntArray) -> FloatArray:
    """Return what a process did since the line before; NaN if unknown."""
    if "tokens" in records.columns:
        return records.floats("tokens")
    return span.astype(np.float64) * (np.nan if batch is None else batch)


def _check_rate(
    run: LineRun, rate: FloatArray, work: FloatArray, span: IntArray, dates: _Dates | None
) -> None:
    """Report a rate that contradicts the printed times, with or without the wait for data, or the dates."""
    columns, floats = run.records.columns, run.records.floats
    # How many steps the tokens of the first line are those of is not known.
    if "step_time_s" in columns and "tokens" not in columns and not isinstance(run.kind, RunningMean):
        time = floats("step_time_s") * span
        waited = floats("data_loading_time_s") * span if "data_loading_time_s" in columns else 0.0
        by_time = _other_rate(rate, work, time)
        if by_time and _other_rate(rate, work, time + waited):
            _contradiction(run, "times", *by_time)
    if dates and (by_dates := _other_rate(rate, work, dates.between(run.step, span), dates.tick)):
        _contradiction(run, "dates", *by_dates)


def _other_rate(
    rate: FloatArray, work: FloatArray, time: FloatArray, tick: float = 0.0
) -> tuple[float, float] | None:
    """Return the printed rate and the rate from work and time, if they contradict each other."""
    known = (rate > 0) & np.isfinite(work) & (time >= 0)
    total = float(time[known].sum())
    if not total > 0:
        return None
    done = float(work[known].sum())
    printed, other = done / float(_divide(work, rate)[known].sum()), done / total
    return (printed, other) if abs(printed / other - 1) > _RATE_SHARE + tick / total else None


def _contradiction(run: LineRun, what: str, printed: float, other: float) -> None:
    message = f"each process prints {printed:.4g} samples/s; the {what} of its lines give {other:.4g}"
    place = run.log.place(int(run.records.begin[0]))
    run.findings.append(Finding("invalid", Rule.RATE_DISAGREEMENT, run.id, message, place))


def _add_stamps(run: LineRun, *, is_checked: bool) -> _Dates | None:
    """Add the times between the dates, and return the dates; None if not every line has one.

    is_checked  whether the printed times lack steps of each epoch, and are compared with the dates here: then
                dates in whole seconds are not used
    """
    texts = timestamps.before(run.log.content, run.records.begin, _STAMP)
    if not texts or len(texts) < 2:
        return None
    first = timestamps.wall_time(texts[0])
    run.set_start(first)
    stamp = seconds([text.replace(b"/", b"-").replace(b"[", _ANY_YEAR) for text in texts])
    tick = 1.0 if len(texts[0]) <= _WHOLE_SECONDS else 0.0
    is_coarse = tick and "step_time_s" in run.records.columns
    is_useful = len(texts) >= _MIN_DATES and not is_checked
    if not is_coarse or is_useful or np.median(np.diff(stamp)) >= _MIN_INTERVAL:
        run.add_stamps(stamp, run.samples_per_step, first)
    return _Dates(stamp, tick)


def _add_epochs(run: LineRun) -> None:
    """Add the rate of a trainer of a parameter server, over the epochs after the first."""
    records = run.log.records(EPOCH, _EPOCH_MARK)
    if not len(records):
        return
    run.last = int(records.end[-1])
    run.factors["item"] = records.text("unit").removesuffix("s")
    later = slice(1 if len(records) > 1 else 0, None)
    time, rate = records.floats("time")[later], records.floats("ips")[later]
    total = math.fsum(time)
    if not total > 0:
        return
    original = f"{len(time)} {'epoch' if len(time) == 1 else 'epochs'}"
    for metric, processes in _metrics(run):
        value = math.fsum(time * rate) * processes / total
        run.add_aggregate(metric, value, original, "mean", len(time), int(records.line[later][0]))


def _metrics(run: LineRun) -> Iterator[tuple[str, int]]:
    yield "throughput_per_device", 1
    if devices := run.count("devices"):
        yield "throughput", devices


FORMAT = LineFormat(
    "paddle",
    "Training logs of PaddlePaddle 1.x and 2.x, and PLSC.",
    lines=LINES,
    factors={"framework": "PaddlePaddle", "item": "image"},
    settings=SETTINGS,
    build=_build,
    confidence=0.9,
    signs=(TextSign((_EPOCH_MARK,), EPOCH, 0.9),),
).format()
