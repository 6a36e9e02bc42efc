"""Read metrics that a program logged with a tracker, if their names say that they are rates or step times.

A name has to state the unit: `train/tokens_per_second`, `images/s`, `step_time_ms`. Losses are not
speeds, and metrics of an evaluation are not those of the training. A speed without unit, or of
micro-batches, is named in a finding.

The time at which a point was logged gives step times only if the steps are known to be steps: people log
their epochs as steps, too. A metric `epoch` beside it shows which they are.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from msgspec import structs

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FloatArray, IntArray, Source
from reportgen.core.rules import Rule
from reportgen.formats.parsing.run_builder import ResultRun, make_series, once, spans
from reportgen.formats.parsing.timestamps import utc

_ITEMS = {
    "token": "token", "tok": "token", "image": "image", "img": "image", "sample": "sample",
    "example": "example", "sequence": "sequence", "seq": "sequence", "frame": "frame", "step": "step",
    "iteration": "step", "iter": "step", "it": "step", "update": "step",
}  # fmt: skip
_PER_SECOND = r"[ _]?(?:/|per_?|p)[ _]?(?:seconds?|secs?|s)"
_PER_DEVICE = r"(?P<device>[ _]?(?:/|per_)[ _]?(?:gpu|device|rank|npu))?"
_RATE = lazy_pattern(rf"(?:^|[^a-z])(?P<item>{'|'.join(_ITEMS)})s?{_PER_SECOND}{_PER_DEVICE}")
_STEP = r"(?:step|iteration|iter)"
_TIME = lazy_pattern(
    rf"(?:^|.*[^a-z])(?:{_STEP}_time_(?P<a>[a-z]+)|time_per_{_STEP}_(?P<b>[a-z]+)|(?P<c>[a-z]+)_per_{_STEP})"
)
_SECONDS = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("ms", "msec", "millisecond", "milliseconds"), 1e3),
}
_OTHER = lazy_pattern(
    r"(?:^|[^a-z])(?:val|valid|validation|eval|evaluation|test|predict|inference|gen|generate)(?![a-z])"
)
_SPEED = lazy_pattern(
    r"throughput|tokens?_per_s|_per_sec|(?:step|iter|iteration|batch)_time|(?:^|[^a-z])tps(?![a-z])|/s$"
)
_EPOCH = lazy_pattern(r"(?:^|.*[/._-])epoch")
_ONE_DEVICE = lazy_pattern(r"(?:^|[/|._])(?:device|gpu)[/|]")
_RATES = {"throughput", "throughput_per_device"}
_MAX_NAMED = 5


@dataclass(frozen=True, slots=True, eq=False)
class MetricPoints:
    """The points of one metric in the order of the log: steps, s since 1970 or NaN, values and lines."""

    step: IntArray
    time: FloatArray
    value: FloatArray
    line: IntArray
    source: Source

    @classmethod
    def of(cls, rows: Sequence[tuple[int, float, float, int]], source: Source) -> "MetricPoints":
        """Return points of (step, time, value, line)."""
        step, time, value, line = zip(*rows, strict=True) if rows else ((), (), (), ())
        return cls(
            np.array(step, np.int64), np.array(time, np.float64), np.array(value, np.float64),
            np.array(line, np.int64), source,
        )  # fmt: skip

    def take(self, keep: IntArray) -> "MetricPoints":
        """Return the points at these positions."""
        return MetricPoints(self.step[keep], self.time[keep], self.value[keep], self.line[keep], self.source)


@dataclass(frozen=True, slots=True)
class Speed:
    """The speed that a name states: a metric, its item, and how many of the unit make one base unit."""

    metric: str
    item: str = ""
    divisor: float = 1.0


def speed_of(name: str) -> Speed | None:
    """Return the speed of training that a name states with its unit; None for any other name."""
    text = re.sub(r"[ ()\[\]_-]+", "_", name.strip().lower()).strip("_")
    if len(text) > 200 or _OTHER.search(text):
        return None
    if rate := _last(_RATE, text):
        item = _ITEMS[rate["item"]]
        is_of_device = bool(rate["device"] or _ONE_DEVICE.search(text))
        if item == "step":
            return None if is_of_device else Speed("step_time", item)
        return Speed("throughput_per_device" if is_of_device else "throughput", item)
    if time := _TIME.fullmatch(text):
        divisor = _SECONDS.get(time["a"] or time["b"] or time["c"])
        return Speed("step_time", divisor=divisor) if divisor else None
    return None


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """Return the match that ends a text."""
    return next((match for match in pattern.finditer(text) if match.end() == len(text)), None)


def is_needed(name: str) -> bool:
    """Return whether a metric of this name says anything about speed, or that steps are not epochs."""
    return bool(speed_of(name) or _EPOCH.fullmatch(name.lower()) or is_unclear(name))


def is_unclear(name: str) -> bool:
    """Return whether a name means a speed of training, without a unit that can be read."""
    text = name.lower()
    return bool(_SPEED.search(text) and not _OTHER.search(text) and not speed_of(name))


def add_metrics(run: ResultRun, metrics: Mapping[str, MetricPoints]) -> None:
    """Add what the metrics say about the speed of a run.

    metrics  name -> points
    """
    known = {name: speed for name in sorted(metrics) if (speed := speed_of(name))}
    items = sorted({speed.item for speed in known.values() if speed.item not in ("", "step")})
    unread = [name for name in sorted(metrics) if is_unclear(name)]
    read: set[str] = set()
    for name, speed in known.items():
        # Of two items, the rate of one has a metric of its own.
        is_second = len(items) > 1 and speed.item not in ("", "step") and speed.item != items[0]
        if is_second or speed.metric in read or not _add(run, name, speed, metrics[name]):
            unread.append(name)
        else:
            read.add(speed.metric)
    if read & _RATES:
        run.factors["item"] = items[0]
    # The only value of a metric is a total, and replaces no steps.
    if all(series.metric != "step_time" for series in run.series):
        _add_stamps(run, metrics)
    _set_start(run, metrics)
    _note_unread(run, unread, is_measured=bool(run.series or run.aggregates))


def _add(run: ResultRun, name: str, speed: Speed, points: MetricPoints) -> bool:
    """Add a series, or the only value of a metric; return whether it has any."""
    value = points.value / speed.divisor
    if speed.item == "step":
        value = np.divide(1.0, value, out=np.full(len(value), np.nan), where=value > 0)
    if unknown := int((~np.isfinite(points.value)).sum()):
        message = f'{unknown} of {len(value)} values of "{name[:60]}" are NaN or infinite'
        run.note(Rule.READ_MALFORMED_LINE, message)
    keep = np.flatnonzero(np.isfinite(value) & (value > 0) & (points.step >= 0))
    points, value = points.take(keep), value[keep]
    if len(value) == 1:
        # The only value is the last one: no mean of anything is known.
        source = structs.replace(points.source, line=int(points.line[0]))
        original = f"{points.value[0]:.12g}"
        run.add_aggregate(speed.metric, float(value[0]), original, "last", 1, source=source)
        return True
    first = once(points.step)
    points, value = points.take(first), value[first]
    order = np.argsort(points.step, kind="stable")
    points, value = points.take(order), value[order]
    if len(value) < 2:
        return False
    step = points.step + int(points.step[0] == 0)
    span = spans(step)
    if speed.metric == "step_time":
        value = value * span
    run.series.append(
        make_series(speed.metric, "printed", step, value, points.source, span=span, line=points.line)
    )
    return True


def _add_stamps(run: ResultRun, metrics: Mapping[str, MetricPoints]) -> None:
    """Add the times between the points of the metric `epoch`, if they show that steps are not epochs."""
    epochs = [points for name, points in sorted(metrics.items()) if _EPOCH.fullmatch(name.lower())]
    points = max(epochs, key=lambda each: len(each.step), default=None)
    if points is None or len(points.step) < 3:
        return
    points = points.take(np.flatnonzero(np.isfinite(points.time)))
    points = points.take(once(points.step))
    # Each epoch has at least two steps.
    if len(points.step) < 3 or not points.step.max() > 2 * np.nanmax(np.append(points.value, 0.0)) + 1:
        return
    step, time = points.step + int(points.step[0] == 0), points.time
    span, taken = np.diff(step), np.diff(time)
    keep = np.flatnonzero((span > 0) & (taken >= 0))
    if not len(keep):
        return
    run.series.append(
        make_series(
            "step_time",
            "timestamp",
            step[1:][keep],
            taken[keep],
            points.source,
            span=span[keep],
            begin=(time[:-1] - time[0])[keep],
            line=points.line[1:][keep],
        )
    )


def _set_start(run: ResultRun, metrics: Mapping[str, MetricPoints]) -> None:
    first = [float(np.nanmin(points.time)) for points in metrics.values() if np.isfinite(points.time).any()]
    if first:
        run.set_start(utc(min(first)))


def _note_unread(run: ResultRun, names: Sequence[str], *, is_measured: bool) -> None:
    """Report the speeds that are not read, or that there are none."""
    listed = ", ".join(f'"{name[:60]}"' for name in names[:_MAX_NAMED])
    more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
    if names:
        message = (
            f"not read: {listed}{more}: a speed needs a unit in its name, such as tokens_per_second or "
            "step_time_ms, steps that are numbered, and one name for each quantity"
        )
        run.note(Rule.READ_INCOMPLETE_RUN if not is_measured else Rule.READ_MALFORMED_LINE, message)
    elif not is_measured:
        message = "no metric is a speed: log one with its unit in its name, such as tokens_per_second"
        run.note(Rule.READ_INCOMPLETE_RUN, message)
